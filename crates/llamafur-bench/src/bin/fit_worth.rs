//! The weights of what makes a row worth reading, fitted to judged rows.
//!
//! Usage: `cargo run --release -p llamafur-bench --bin fit_worth -- CORPUS=LABELS[,LABELS]…`, each corpus with a model, each file of
//! labels as `llamafur evaluate --rows` reads it. Rows whose link is in prose or a caption are learnt from.
//!
//! The area under the curve of each corpus is given by oddity alone, by weights fitted to the other corpora, by those of ten folds of
//! pages, and by those in use. Then, of the rows of each corpus, the share of each letter among those above a level, by the weights of the
//! folds. Last come the lines of `crates/llamafur/src/worth/weights.rs`. With `--table` first, the features of all rows are printed instead.

#![allow(clippy::print_stdout, reason = "a benchmark prints")]

use llamafur::worth::{WORTH_FEATURES, worth};
use llamafur::{Engine, EngineConf, RankConf};
use llamafur_eval::fit_worth::{FittedWorth, WorthExample, area_under_curve};
use llamafur_eval::rows::{RowLabels, RowLetter};
use std::collections::BTreeSet;
use std::fs::File;

type AnyError = Box<dyn std::error::Error>;

/// Folds of pages.
const FOLDS: usize = 10;

/// Levels that are looked at.
const LEVELS: [f64; 9] = [-1.5, -1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75];

/// A judged row and where it is from.
struct Row {
    corpus: usize,
    /// The titles of both pages.
    link: [String; 2],
    fold: usize,
    example: WorthExample,
}

fn main() -> Result<(), AnyError> {
    let mut corpora: Vec<String> = std::env::args().skip(1).collect();
    let is_table = corpora.first().is_some_and(|first| first == "--table");
    corpora.drain(..usize::from(is_table));
    let mut rows = Vec::new();
    for (number, argument) in corpora.iter().enumerate() {
        let (corpus, files) = argument.split_once('=').ok_or("give CORPUS=LABELS")?;
        read(&mut rows, number, corpus, files)?;
    }
    if is_table {
        let names: Vec<&str> = WORTH_FEATURES.iter().map(|feature| feature.name).collect();
        println!("corpus\tpage\ttarget\tletter\t{}", names.join("\t"));
        for Row { corpus, link, example, .. } in &rows {
            let value = |value: &Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
            let values: Vec<String> = example.values.iter().map(value).collect();
            println!("{corpus}\t{}\t{}\t{}", link.join("\t"), example.letter.name(), values.join("\t"));
        }
        return Ok(());
    }
    let fitted_to = |wanted: &dyn Fn(&Row) -> bool| {
        let chosen: Vec<WorthExample> =
            rows.iter().filter(|row| wanted(row)).map(|row| row.example.clone()).collect();
        FittedWorth::of(&chosen)
    };
    let folds: Vec<FittedWorth> = (0..FOLDS).map(|fold| fitted_to(&|row| row.fold != fold)).collect();
    let by_folds = |row: &Row| folds[row.fold].worth(&row.example.values);
    println!("corpus  rows  A or B: oddity  others  folds  in use | A: oddity  others  folds  in use");
    for (number, corpus) in corpora.iter().enumerate() {
        let of: Vec<&Row> = rows.iter().filter(|row| row.corpus == number).collect();
        let others = fitted_to(&|row| row.corpus != number);
        let area = |value: &dyn Fn(&Row) -> f64, is_good: fn(RowLetter) -> bool| {
            let worths: Vec<(f64, RowLetter)> =
                of.iter().map(|row| (value(row), row.example.letter)).collect();
            area_under_curve(&worths, is_good)
        };
        let values: [&dyn Fn(&Row) -> f64; 4] = [
            &|row| row.example.values[0].unwrap_or_default(),
            &|row| others.worth(&row.example.values),
            &by_folds,
            &|row| worth(&row.example.values),
        ];
        let goods: [fn(RowLetter) -> bool; 2] =
            [|letter| letter <= RowLetter::B, |letter| letter == RowLetter::A];
        let areas =
            goods.map(|is_good| values.map(|value| format!("{:.3}", area(value, is_good))).join("  "));
        println!("{}  {}  {}", corpus.split('=').next().unwrap_or_default(), of.len(), areas.join(" | "));
        for level in LEVELS {
            let above: Vec<RowLetter> =
                of.iter().filter(|row| by_folds(row) >= level).map(|row| row.example.letter).collect();
            let share = |is: &dyn Fn(RowLetter) -> bool| {
                above.iter().filter(|letter| is(**letter)).count() as f64 / above.len().max(1) as f64
            };
            let shares = RowLetter::ALL
                .map(|letter| format!("{} {:.2}", letter.name(), share(&|other| other == letter)));
            println!("  level {level:5.2}: {:4} rows, {}", above.len(), shares.join(", "));
        }
    }
    let FittedWorth { bias, features } = fitted_to(&|_| true);
    println!("pub(super) const BIAS: f64 = {bias:.3};");
    for (feature, (mean, deviation, weight)) in WORTH_FEATURES.iter().zip(features) {
        println!("    feature(\"{}\", {mean:.3}, {deviation:.3}, {weight:.3}),", feature.name);
    }
    Ok(())
}

/// Reads the judged rows of a corpus.
fn read(rows: &mut Vec<Row>, number: usize, corpus: &str, files: &str) -> Result<(), AnyError> {
    let engine = Engine::open(corpus, EngineConf::default())?;
    let mut labels = RowLabels::default();
    for file in files.split(',') {
        labels.read(File::open(file)?, file)?;
    }
    let pages: BTreeSet<&str> = labels.pages().collect();
    for (at, page) in pages.into_iter().enumerate() {
        let judged: Vec<_> = labels.of_page(page).collect();
        let targets: Vec<&str> = judged.iter().map(|row| &row.target[..]).collect();
        let found = engine.worth_features(page, &targets, &RankConf::default())?;
        for (row, values) in judged.iter().zip(found) {
            let Some(values) = values else { continue };
            let example = WorthExample { values, letter: row.letter };
            let link = [page.to_owned(), row.target.clone()];
            rows.push(Row { corpus: number, link, fold: at % FOLDS, example });
        }
    }
    Ok(())
}
