//! Vectors of pages from npy and safetensors: what is read, what is left out, what is refused.
#![allow(clippy::unwrap_used)] // a test that fails shall panic

mod common;

use common::Desk;
use llamafur::corpus::Corpus;
use llamafur::progress::Silent;
use llamafur::vectors::PageVectors;
use llamafur_import::table::TableConf;
use llamafur_import::vectors::{VectorsAccount, VectorsConf, read};
use std::path::PathBuf;

/// A desk with a corpus of four pages, and a redirect from Devil fish to Fish.
struct Pages {
    desk: Desk,
    corpus: Corpus,
}

impl Pages {
    fn new() -> Pages {
        let desk = Desk::new();
        let links = desk.file("links.tsv", "Fish\tSalmon\nIo (moon)\tJupiter\nJupiter\tFish\n");
        let redirects = desk.file("redirects.tsv", "title\tpage\nDevil fish\tFish\n");
        desk.import(&TableConf::new(links).redirects(redirects)).unwrap();
        let corpus = Corpus::open(desk.path("0.corpus")).unwrap();
        Pages { desk, corpus }
    }

    /// Settings that read a file with these bytes and titles.
    fn conf(&self, file: &str, bytes: impl AsRef<[u8]>, titles: &str) -> VectorsConf {
        VectorsConf {
            file: self.desk.file(file, bytes),
            titles: self.desk.file("titles.txt", titles),
            tensor: None,
        }
    }

    fn read(&self, conf: &VectorsConf) -> (PageVectors, VectorsAccount) {
        read(&self.corpus, conf, &mut Silent).unwrap()
    }

    /// The vectors of all pages by title.
    fn rows(&self, conf: &VectorsConf) -> Vec<Option<Vec<f32>>> {
        let vectors = self.read(conf).0;
        let row =
            |title: &str| vectors.get(self.corpus.resolve(title).unwrap().unwrap()).map(<[f32]>::to_vec);
        ["Fish", "Io (moon)", "Jupiter", "Salmon"].into_iter().map(row).collect()
    }

    /// Problem and remedy, without the folder.
    fn error(&self, conf: &VectorsConf) -> String {
        let error = read(&self.corpus, conf, &mut Silent).unwrap_err();
        let folder = format!("{}/", self.desk.path("").display()).replace("//", "/");
        format!("{error}; {:?}", error.remedy().unwrap()).replace(&folder, "")
    }

    #[track_caller]
    fn refused(&self, conf: &VectorsConf, parts: &[&str]) {
        let error = self.error(conf);
        assert!(parts.iter().all(|part| error.contains(part)), "{parts:?} are not all in: {error}");
    }
}

/// A npy file of version 1 with that header.
fn npy_of(header: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{header:<117}\n");
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
}

fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    npy_of(&format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"), data)
}

fn f32s(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn f64s(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// Half-precision floats (3, 4), (0, −2) and the same as bfloat16.
const F16S: [u8; 8] = [0x00, 0x42, 0x00, 0x44, 0, 0, 0x00, 0xC0];
const BF16S: [u8; 8] = [0x40, 0x40, 0x80, 0x40, 0, 0, 0x00, 0xC0];

/// A safetensors file of these tensors: name, type, shape, bytes.
fn safetensors(tensors: &[(&str, &str, &[usize], Vec<u8>)]) -> Vec<u8> {
    let (mut header, mut data) = (serde_json::Map::new(), Vec::new());
    for (name, dtype, shape, bytes) in tensors {
        let offsets = [data.len(), data.len() + bytes.len()];
        let entry = serde_json::json!({ "dtype": dtype, "shape": shape, "data_offsets": offsets });
        header.insert((*name).to_owned(), entry);
        data.extend(bytes);
    }
    let header = serde_json::to_vec(&header).unwrap();
    [&(header.len() as u64).to_le_bytes()[..], &header, &data].concat()
}

/// Salmon and Jupiter have vectors, the other pages none.
fn expected() -> Vec<Option<Vec<f32>>> {
    vec![None, None, Some(vec![0.0, -1.0]), Some(vec![0.6, 0.8])]
}

const TITLES: &str = "Salmon\nJupiter\n";

#[test]
fn npy_of_every_precision_and_version() {
    let pages = Pages::new();
    let of = |bytes: Vec<u8>| pages.rows(&pages.conf("v.npy", bytes, TITLES));
    assert_eq!(of(npy("<f4", "(2, 2)", &f32s(&[3.0, 4.0, 0.0, -2.0]))), expected());
    assert_eq!(of(npy("<f8", "(2, 2)", &f64s(&[0.375, 0.5, 0.0, -2e30]))), expected());
    assert_eq!(of(npy("<f2", "(2,2,)", &F16S)), expected());
    let mut second = npy("<f4", "(2, 2)", &f32s(&[3.0, 4.0, 0.0, -2.0]));
    second[6] = 2;
    second.splice(10..10, [0, 0]);
    assert_eq!(of(second), expected());
}

#[test]
fn safetensors_of_every_precision() {
    let pages = Pages::new();
    let of = |dtype: &str, data: Vec<u8>| {
        let file = safetensors(&[("bias", "F32", &[1], f32s(&[7.0])), ("rows", dtype, &[2, 2], data)]);
        pages.rows(&pages.conf("v.safetensors", file, TITLES))
    };
    assert_eq!(of("F32", f32s(&[3.0, 4.0, 0.0, -2.0])), expected());
    assert_eq!(of("F64", f64s(&[3.0, 4.0, 0.0, -2.0])), expected());
    assert_eq!(of("F16", F16S.to_vec()), expected());
    assert_eq!(of("BF16", BF16S.to_vec()), expected());
}

#[test]
fn a_tensor_is_chosen_by_name() {
    let pages = Pages::new();
    let [one, two] = [[1.0, 0.0, 1.0, 0.0], [3.0, 4.0, 0.0, -2.0]].map(|rows| f32s(&rows));
    let file = safetensors(&[
        ("a", "F32", &[2, 2], one),
        ("b", "F32", &[2, 2], two),
        ("c", "I32", &[1], vec![0; 4]),
        ("d", "F32", &[1], vec![0; 4]),
    ]);
    let conf = pages.conf("v.safetensors", file, TITLES);
    pages.refused(&conf, &["v.safetensors: holds a (F32, [2, 2]), b (F32", "expected one tensor", "tensor"]);
    let named = |name: &str| VectorsConf { tensor: Some(name.into()), ..conf.clone() };
    assert_eq!(pages.rows(&named("b")), expected());
    pages.refused(&named("x"), &["expected the tensor “x” of two dimensions", "c (I32, [1])"]);
    pages.refused(&named("c"), &["expected the tensor “c” of two dimensions, F16, BF16, F32 or F64"]);
    pages.refused(&named("d"), &["numbers in the shape [1], expected [rows, dimensions]"]);
}

#[test]
fn many_rows_are_read_one_by_one() {
    let pages = Pages::new();
    let titles: String = (0..5000).map(|row| format!("Page {row}\n")).chain(["Salmon".into()]).collect();
    let rows = npy("<f4", "(5001, 2)", &f32s(&[3.0, 4.0].repeat(5001)));
    let conf = pages.conf("v.npy", rows, &titles);
    let (vectors, account) = pages.read(&conf);
    let salmon = pages.corpus.resolve("Salmon").unwrap().unwrap();
    assert_eq!(vectors.get(salmon), Some(&[0.6f32, 0.8][..]));
    assert_eq!((account.vectors, account.pages, account.unknown.rows), (5001, 1, 5000));
    assert_eq!(account.unknown.examples, ["Page 0", "Page 1", "Page 2", "Page 3", "Page 4"]);
}

#[test]
fn titles_are_found_as_everywhere_and_all_rows_are_accounted_for() {
    let pages = Pages::new();
    let numbers = f32s(&[1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 5.0, 5.0]);
    let titles = "\u{feff}io_(Moon)\r\nDevil fish\r\nJupiter\r\nMars";
    let conf = pages.conf("v.npy", npy("<f4", "(4, 2)", &numbers), titles);
    assert_eq!(pages.rows(&conf), [Some(vec![0.0, 1.0]), Some(vec![1.0, 0.0]), None, None]);
    let account = pages.read(&conf).1;
    assert_eq!((account.vectors, account.dimensions), (4, 2));
    assert_eq!((account.pages, account.pages_without), (2, 2));
    assert_eq!((account.unknown.rows, &account.unknown.examples[..]), (1, &["Mars".to_owned()][..]));
    // Of length 0: counts as none.
    assert_eq!((account.empty.rows, &account.empty.examples[..]), (1, &["Jupiter".to_owned()][..]));
}

#[test]
fn the_row_under_the_own_title_of_a_page_counts() {
    let pages = Pages::new();
    let numbers = npy("<f4", "(2, 2)", &f32s(&[3.0, 4.0, 0.0, -2.0]));
    for (titles, fish) in [("Fish\nDevil fish\n", [0.6, 0.8]), ("FISH\nFish\n", [0.0, -1.0])] {
        let conf = pages.conf("v.npy", &numbers, titles);
        assert_eq!(pages.rows(&conf)[0], Some(fish.to_vec()), "{titles}");
        assert_eq!(pages.read(&conf).1.other_titles.examples, ["Fish"]);
    }
    for titles in ["Fish\nFish\n", "Devil fish\nFISH\n"] {
        let twice = "the page “Fish” comes a second time, after row 1";
        pages.refused(&pages.conf("v.npy", &numbers, titles), &["v.npy: row 2 (“F", twice, "keep one"][1..]);
    }
}

#[test]
fn titles_and_vectors_must_be_of_the_same_number() {
    let pages = Pages::new();
    let numbers = npy("<f4", "(2, 2)", &f32s(&[3.0, 4.0, 0.0, -2.0]));
    for (titles, count) in [("Salmon\n", 1), ("title\nSalmon\nJupiter\n", 3), ("Salmon\nJupiter\n\n", 3)] {
        let found = format!("titles.txt: {count} titles for the 2 vectors of v.npy");
        pages.refused(&pages.conf("v.npy", &numbers, titles), &[&found, "one title a line"]);
    }
    pages.refused(&pages.conf("v.npy", &numbers, ""), &["titles.txt: 0 titles for the 2 vectors of v.npy"]);
    let mut conf = pages.conf("v.npy", &numbers, TITLES);
    conf.titles = pages.desk.file("titles.txt", b"Salmon\nJ\xFF\n");
    pages.refused(&conf, &["titles.txt: line 2: ", "UTF-8"]);
    conf.titles = pages.desk.path("nope.txt");
    pages.refused(&conf, &["nope.txt: no such file"]);
}

#[test]
fn numbers_must_be_finite() {
    let pages = Pages::new();
    for (bad, said) in [(f32::NAN, "NaN"), (f32::INFINITY, "inf"), (f32::NEG_INFINITY, "-inf")] {
        let numbers = npy("<f4", "(2, 2)", &f32s(&[3.0, 4.0, 0.0, bad]));
        let found =
            format!("v.npy: row 2 (“Jupiter”): the vector has the number {said}, which is not finite");
        pages.refused(&pages.conf("v.npy", &numbers, TITLES), &[&found, "leave it out"]);
        // A row that is not used does no harm.
        pages.read(&pages.conf("v.npy", &numbers, "Salmon\nMars\n"));
    }
    let too_large = npy("<f8", "(1, 2)", &f64s(&[1e300, 1.0]));
    pages.refused(&pages.conf("v.npy", too_large, "Salmon"), &["row 1 (“Salmon”)", "not finite"]);
}

#[test]
fn titles_of_other_pages_are_refused() {
    let pages = Pages::new();
    let numbers = npy("<f4", "(2, 2)", &f32s(&[3.0, 4.0, 0.0, -2.0]));
    let found = "v.npy: no page gets a vector: of its 2 rows, 2 have titles that are not in the corpus (it has “Mars”, \
                 the corpus “Fish”), 0 are 0";
    pages.refused(&pages.conf("v.npy", &numbers, "Mars\nVenus\n"), &[found, "compare the titles"]);
    let zeroes = npy("<f4", "(2, 2)", &f32s(&[0.0; 4]));
    let found = "of its 2 rows, 0 have titles that are not in the corpus, 2 are 0";
    pages.refused(&pages.conf("v.npy", zeroes, TITLES), &[found]);
}

#[test]
fn other_kinds_of_npy_are_refused() {
    let pages = Pages::new();
    let refused =
        |bytes: Vec<u8>, part: &str| pages.refused(&pages.conf("v.npy", bytes, TITLES), &[part, "numpy"]);
    refused(b"no npy".to_vec(), "v.npy: not a npy file");
    refused(Vec::new(), "v.npy: not a npy file");
    refused(npy("<f4", "(2, 2)", &[])[..60].to_vec(), "a npy file whose header is damaged or cut off");
    refused(npy("<f4", "(2, x)", &[]), "a npy file whose header is damaged or cut off");
    refused(npy_of("{}", &[]), "a npy file whose header is damaged or cut off");
    refused(npy(">f4", "(2, 2)", &[0; 16]), "an array of >f4, expected <f2, <f4 or <f8");
    refused(npy("<i8", "(2, 2)", &[0; 32]), "an array of <i8, expected <f2, <f4 or <f8");
    refused(npy("|O", "(2, 2)", &[0; 32]), "an array of |O");
    let structure = "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,), }";
    refused(npy_of(structure, &[0; 8]), "an array of structures");
    let fortran = "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }";
    refused(npy_of(fortran, &[0; 16]), "in the order of Fortran");
    for shape in ["(4,)", "()", "(2, 2, 1)", "(0, 4)", "(4, 0)", "(1, 70000)"] {
        refused(npy("<f4", shape, &[0; 16]), "numbers in the shape [");
    }
}

#[test]
fn files_that_are_cut_off_are_refused() {
    let pages = Pages::new();
    let whole = npy("<f4", "(2, 2)", &f32s(&[3.0, 4.0, 0.0, -2.0]));
    let conf = |file: &str, bytes: &[u8]| pages.conf(file, bytes, TITLES);
    let cut = conf("v.npy", &whole[..whole.len() - 1]);
    pages.refused(&cut, &["v.npy: cut off: it has 143 bytes, its header says 144", "make the file again"]);
    let longer = [&whole[..], &[0]].concat();
    pages.refused(&conf("v.npy", &longer), &["v.npy: too long: it has 145 bytes"]);
    let huge = npy("<f4", "(9223372036854775807, 65536)", &[0; 16]);
    pages.refused(&conf("v.npy", &huge), &["v.npy: cut off"]);
    let whole = safetensors(&[("rows", "F32", &[2, 2], f32s(&[3.0, 4.0, 0.0, -2.0]))]);
    pages.refused(&conf("v.safetensors", &whole[..whole.len() - 1]), &["v.safetensors: cut off: it has"]);
    for length in [0, 7, 8, 20] {
        pages.refused(
            &conf("v.safetensors", &whole[..length]),
            &["not a safetensors file, or one whose header"],
        );
    }
    pages.refused(&conf("v.safetensors", &[255; 64]), &["not a safetensors file"]);
}

#[test]
fn a_tensor_of_npy_is_refused() {
    let pages = Pages::new();
    let conf = pages.conf("v.npy", npy("<f4", "(2, 2)", &f32s(&[3.0, 4.0, 0.0, -2.0])), TITLES);
    let conf = VectorsConf { tensor: Some("rows".to_owned()), ..conf };
    pages.refused(&conf, &["v.npy: not a safetensors file", "tensor"]);
}

#[test]
fn a_file_of_another_kind_or_none_is_refused() {
    let pages = Pages::new();
    for file in ["v.npz", "v.parquet", "v"] {
        let found = format!("{file}: not a known format of vectors");
        pages.refused(&pages.conf(file, b"PK", TITLES), &[&found, ".npy or .safetensors"]);
    }
    let file = PathBuf::from("nope.npy");
    pages.refused(&VectorsConf { file, ..VectorsConf::default() }, &["nope.npy: no such file"]);
}
