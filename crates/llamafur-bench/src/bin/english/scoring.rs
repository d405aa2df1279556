//! Every link of the graph.

use crate::Outcome;
use crate::process::{Ended, llamafur, load};
use llamafur::Error;
use llamafur::engine::{Engine, EngineConf};
use llamafur::graph::PageId;
use llamafur::human_bytes;
use llamafur::progress::Silent;
use llamafur::score::ScoreConf;
use rayon::prelude::*;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// What scoring all links takes.
pub(crate) fn table(scale: f64, corpus: &Path) -> Outcome<String> {
    let engine = Engine::open(corpus, EngineConf::default())?;
    let links = engine.corpus().num_links() as f64;
    let mut text = format!("## Every link at scale {scale}\n\n{links} links; load {} before.\n\n", load());
    text.push_str("| scorer | opened | scored | links a second | command | links a second | peak memory | private, seen | file |\n");
    text.push_str("|---|---|---|---|---|---|---|---|---|\n");
    for scorer in ["llamafur", "blend"] {
        let started = Instant::now();
        let opened = engine.prepare(scorer, &ScoreConf::default(), &mut Silent)?;
        let opening = started.elapsed().as_secs_f64();
        let started = Instant::now();
        let corpus_in = engine.corpus();
        let scored = (0..corpus_in.num_pages()).into_par_iter().map(|page| {
            let page = PageId(page as u32);
            Ok(opened.score(page, corpus_in.links(page)?)?.len())
        });
        let scored: usize = scored.sum::<Result<usize, Error>>()?;
        let seconds = started.elapsed().as_secs_f64();
        assert_eq!(scored as f64, links, "every link has a place");
        let file = corpus.with_extension("scores.arrow");
        let out = file.to_str().ok_or("the file's name is not UTF-8")?;
        let more = ["--scorer", scorer, "--overwrite", "--out", out];
        let Ended::Well(taken) = llamafur(&["score"], corpus, &more, Duration::from_millis(10))? else {
            return Err("the program cannot score".into());
        };
        let _ = writeln!(
            text,
            "| `{scorer}` | {opening:.1} s | {seconds:.1} s | {} | {:.1} s | {} | {} | {} | {} |",
            rate(links / seconds),
            taken.seconds,
            rate(links / taken.seconds),
            human_bytes(taken.peak),
            human_bytes(taken.private),
            human_bytes(fs::metadata(&file)?.len()),
        );
        fs::remove_file(&file)?;
    }
    text.push('\n');
    Ok(text)
}

fn rate(links: f64) -> String {
    format!("{:.3} million", links / 1e6)
}
