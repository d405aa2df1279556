//! Vectors from elsewhere by the command: brought, listed, ranked by, removed, and what is refused.

use crate::common::{Desk, TOY, rounded};
use insta::assert_snapshot;
use std::fs;

const ADD: [&str; 8] = ["vectors", "add", TOY, "toy.npy", "--titles", "titles.txt", "--name", "toy"];

/// Writes `toy.npy` and `titles.txt`: two numbers for each title.
fn write(desk: &Desk, rows: &[(&str, [f32; 2])]) {
    let shape = format!("({}, 2)", rows.len());
    let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n");
    let length = (header.len() as u16).to_le_bytes();
    let numbers: Vec<u8> = rows.iter().flat_map(|(_, row)| row.map(f32::to_le_bytes)).flatten().collect();
    desk.write("toy.npy", [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), &numbers].concat());
    desk.write("titles.txt", rows.iter().map(|(title, _)| format!("{title}\n")).collect::<String>());
}

/// Planets and moons point one way, animals another; Titan's vector is 0, Mars and Venus are not in the corpus.
const TOY_ROWS: [(&str, [f32; 2]); 9] = [
    ("Jupiter", [3.0, 0.0]),
    ("saturn", [3.0, 1.0]),
    ("Io_(moon)", [4.0, 1.0]),
    ("Titan (moon)", [0.0, 0.0]),
    ("Galileo Galilei", [2.0, 2.0]),
    ("Fish", [-1.0, 2.0]),
    ("Salmon", [-1.0, 3.0]),
    ("Mars", [3.0, 0.5]),
    ("Venus", [3.0, 0.4]),
];

#[test]
fn vectors_are_brought_listed_ranked_by_and_removed() {
    let desk = Desk::with_corpus();
    write(&desk, &TOY_ROWS);
    let add = |form: &str| desk.llamafur(ADD.iter().chain(&["--overwrite", "--format", form])).fine();
    assert_snapshot!("add_table", add("table"));
    assert_snapshot!("add_tsv", add("tsv"));
    assert_snapshot!("add_json", add("json"));
    let list = |form: &str| desk.llamafur(["vectors", "list", TOY, "--header", "--format", form]).fine();
    assert_snapshot!("list_table", list("table"));
    assert_eq!(list("tsv").stdout, "name\tdimensions\tpages\tproblem\ntoy\t2\t6\t\n");
    for scorer in ["cosine", "company", "peers"] {
        let scorer = format!("{scorer}:toy");
        let run = desk.llamafur(["rank", TOY, "Jupiter", "--scorer", &scorer, "--format", "table"]).fine();
        assert_snapshot!(format!("rank_{}", scorer.replace(':', "_")), rounded(&run.stdout));
    }
    assert!(desk.llamafur(["verify", TOY]).fine().stdout.contains("file\tvectors/toy.safetensors\twhole"));
    let run = desk.llamafur(["vectors", "remove", TOY, "toy"]).fine();
    assert_eq!(run.stderr, "toy.corpus/vectors/toy.safetensors: removed\n");
    assert_eq!(list("tsv").stdout, "name\tdimensions\tpages\tproblem\n");
    desk.refused(
        ["rank", TOY, "Jupiter", "--scorer", "cosine:toy"],
        2,
        &["toy.safetensors: no such vectors; run `llamafur vectors add toy.corpus FILE --name toy`"],
    );
    desk.refused(["vectors", "remove", TOY, "toy"], 2, &["no such vectors"]);
}

#[test]
fn vectors_are_replaced_only_if_asked() {
    let desk = Desk::with_corpus();
    write(&desk, &TOY_ROWS);
    desk.llamafur(ADD).fine();
    desk.refused(ADD, 2, &["toy.safetensors: exists already; pass `--overwrite` to replace it"]);
    write(&desk, &TOY_ROWS[..3]);
    desk.llamafur(ADD.iter().chain(&["--overwrite"])).fine();
    assert_eq!(desk.llamafur(["vectors", "list", TOY]).fine().stdout, "toy\t2\t3\t\n");
}

#[test]
fn wrong_vectors_are_refused_with_their_place_and_a_way_out() {
    let desk = Desk::with_corpus();
    let mut rows = TOY_ROWS;
    rows[5].1[1] = f32::NAN;
    write(&desk, &rows);
    let not_finite = "toy.npy: row 6 (“Fish”): the vector has the number NaN, which is not finite; correct";
    desk.refused(ADD, 2, &[not_finite]);
    rows = TOY_ROWS;
    rows[8].0 = "Jupiter";
    write(&desk, &rows);
    let twice = "row 9 (“Jupiter”): the page “Jupiter” comes a second time, after row 1";
    desk.refused(ADD, 2, &[twice, "keep one for each page"]);
    write(&desk, &TOY_ROWS);
    desk.write("titles.txt", "Jupiter\n");
    desk.refused(ADD, 2, &["titles.txt: 1 titles for the 9 vectors of toy.npy; write one title a line"]);
    desk.llamafur(["vectors", "add", TOY, "toy.npy", "--name", "toy"]).misused(&["--titles <FILE>"]);
    write(&desk, &TOY_ROWS[7..]);
    desk.refused(
        ADD,
        2,
        &["no page gets a vector: of its 2 rows, 2 have", "it has “Mars”, the corpus “Alpaca”"],
    );
    let whole = desk.read("toy.npy");
    desk.write("toy.npy", &whole[..whole.len() - 3]);
    desk.refused(ADD, 2, &["toy.npy: cut off: it has", "make the file again"]);
    desk.write("toy.npy", "no numbers");
    desk.refused(ADD, 2, &["toy.npy: not a npy file; save it by numpy.save"]);
    let add = |file: &str, name: &str, option: &[&str], parts: &[&str]| {
        let args = ["vectors", "add", TOY, file, "--titles", "titles.txt", "--name", name];
        desk.refused([&args[..], option].concat(), 2, parts);
    };
    for other in ["titles.txt", "v.parquet"] {
        desk.write("v.parquet", "PAR1");
        add(other, "toy", &[], &[&format!("{other}: not a known format"), "save the vectors as .npy"]);
    }
    // An option for another format is refused, not ignored.
    let tensor = ["toy.npy: not a safetensors file", "leave out `--tensor`"];
    add("toy.npy", "toy", &["--tensor", "a"], &tensor);
    add("toy.npy", "a/b", &[], &["the name of vectors must be 1 to 100 letters"]);
}

#[test]
fn a_flipped_byte_of_vectors_is_noticed() {
    let desk = Desk::with_corpus();
    write(&desk, &TOY_ROWS);
    desk.llamafur(ADD).fine();
    let path = desk.path("toy.corpus/vectors/toy.safetensors");
    let mut bytes = fs::read(&path).unwrap();
    let last = bytes.len() - 2;
    bytes[last] ^= 4;
    fs::write(&path, bytes).unwrap();
    let said = ["toy.safetensors: damaged: ", "vectors add toy.corpus FILE --name toy`"];
    desk.refused(["verify", TOY], 2, &said);
    desk.refused(["rank", TOY, "Jupiter", "--scorer", "company:toy"], 2, &said);
    let listed = desk.llamafur(["vectors", "list", TOY]).fine().stdout;
    assert!(listed.starts_with("toy\t\t\t") && listed.contains("changed vectors"), "{listed}");
}
