//! Any bytes may be called vectors of pages: those that are taken have the length 1.

use super::{sample, scratch};
use llamafur::Silent;
use llamafur::graph::PageId;
use llamafur_import::vectors::{self, VectorsConf};
use std::path::PathBuf;
use std::sync::OnceLock;

pub fn check(bytes: &[u8]) {
    let corpus = sample::corpus();
    let extension = if bytes.starts_with(b"\x93NUMPY") { "npy" } else { "safetensors" };
    let file = scratch::file(&format!("any.{extension}"), bytes);
    static TITLES: OnceLock<PathBuf> = OnceLock::new();
    let titles = TITLES.get_or_init(|| scratch::file("titles.txt", b"Moon\nSun\n")).clone();
    let conf = VectorsConf { file, titles, tensor: None };
    let Ok((vectors, account)) = vectors::read(corpus, &conf, &mut Silent) else { return };
    let all = (0..corpus.num_pages() as u32).filter_map(|page| vectors.get(PageId(page)));
    for vector in all {
        let length = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        assert!((length - 1.0).abs() < 1e-3, "a vector of length {length}: {account:?}");
    }
}
