//! The result of `train`.

use crate::output::{Grid, Render, counted, interval, links_and_non_links, thousands, three, with_checksum};
use llamafur::categories::Feature;
use llamafur::learn::held_out::HeldOut;
use llamafur::learn::{Method, Model, Origin};
use llamafur_eval::evaluation::remark_on_f;
use serde::Serialize;
use std::io::{self, Write};

/// One of several matrices.
#[derive(Serialize)]
pub(super) struct MatrixReport {
    /// The kind of rows that it was learnt over.
    over: Feature,
    /// Number of categories or words in its rows.
    rows: usize,
    /// The share of explained links, as in [`TrainReport::explained`].
    pub(super) explained: Option<f64>,
    held_out: Option<HeldOut>,
}

impl MatrixReport {
    pub(super) fn of(matrix: &Model) -> MatrixReport {
        let settings = matrix.settings();
        MatrixReport {
            over: settings.feature,
            rows: settings.categories,
            explained: settings.method.explains().then(|| settings.figures.explained.share()),
            held_out: settings.held_out.clone(),
        }
    }
}

#[derive(Serialize)]
pub(super) struct TrainReport {
    pub(super) method: Method,
    pub(super) pages: usize,
    pub(super) links: usize,
    pub(super) categories: usize,
    pub(super) examples: u64,
    pub(super) seconds: f64,
    pub(super) examples_per_second: f64,
    /// The share of links whose expectedness is positive, by the first of several matrices; `null` for the naive
    /// matrix, whose sign has no meaning.
    pub(super) explained: Option<f64>,
    /// The model that training continued from; left out if it began from nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) from: Option<Origin>,
    /// Figures on held-out links; `null` if nothing was held out.
    pub(super) held_out: Option<HeldOut>,
    /// Reports of the matrices, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) matrices: Vec<MatrixReport>,
    #[serde(skip)]
    pub(super) asked_for_none: bool,
    pub(super) model: String,
    pub(super) checksum: String,
    /// The cleansing whose milestones were used; left out for the categories of the corpus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cleansing: Option<String>,
    #[serde(skip)]
    pub(super) corpus: String,
    #[serde(skip)]
    pub(super) name: String,
}

/// The report as a row of TSV.
#[derive(Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    report: &'a TrainReport,
    held_out_links: u64,
}

impl Render for TrainReport {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        match (&self.held_out, &self.from) {
            (Some(held_out), _) => {
                writeln!(out, "{}", measured(held_out))?;
                if let Some(remark) = remark_on_f(self.method, held_out.f_measure) {
                    writeln!(out, "note: {remark}")?;
                }
            }
            (None, Some(Origin { model, passes, categories, .. })) => {
                let passes = if *passes == 1 { "1 pass".into() } else { format!("{passes} passes") };
                let of = counted(*categories as u64, "category");
                writeln!(out, "continued from “{model}” after {passes}, with {of} of {}", self.categories)?;
            }
            _ if self.asked_for_none => {}
            _ => writeln!(out, "held out nothing: there are too few links")?,
        }
        self.write_matrices(out)?;
        let explained = self.explained.filter(|_| self.matrices.is_empty());
        let explained = explained.map(|share| format!("; {:.1}% of the links are explained", 100.0 * share));
        writeln!(
            out,
            "{} examples in {:.2} s ({} a second){}",
            thousands(self.examples),
            self.seconds,
            thousands(self.examples_per_second as u64),
            explained.unwrap_or_default()
        )?;
        writeln!(out, "{}", with_checksum(&self.model, &self.checksum))?;
        // The default scorer, the blend, uses the model of the default name.
        let corpus = &self.corpus;
        match &self.name[..] {
            "llamafur" => writeln!(out, "next: llamafur prepare {corpus}, then llamafur rank {corpus} PAGE"),
            "naive" => writeln!(out, "next: llamafur rank {corpus} PAGE --scorer naive"),
            name => writeln!(out, "next: llamafur rank {corpus} PAGE --scorer llamafur:{name}"),
        }
    }

    fn grid(&self) -> Grid {
        let columns = "method pages links categories examples seconds examples_per_second explained model checksum cleansing \
                       held_out_links f_measure=held_out.f_measure f_measure_low=held_out.ci95.0 \
                       f_measure_high=held_out.ci95.1 precision=held_out.precision recall=held_out.recall \
                       accuracy=held_out.accuracy auc=held_out.auc";
        let held_out_links = self.held_out.as_ref().map_or(0, |held_out| held_out.links);
        Grid::of(columns, [Row { report: self, held_out_links }]).by_name()
    }
}

impl TrainReport {
    /// Writes the figures of each of several matrices.
    fn write_matrices(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.matrices.is_empty() {
            return Ok(());
        }
        let right = "rows F-measure 95%_interval AUC explained";
        let mut grid = Grid::new(&format!("over {right}"));
        for MatrixReport { over, rows, explained, held_out } in &self.matrices {
            let held_out = held_out.as_ref();
            grid.row([
                over.to_string(),
                thousands(*rows as u64),
                three(held_out.and_then(|held_out| held_out.f_measure)),
                held_out.and_then(|held_out| held_out.ci95).map(interval).unwrap_or_default(),
                three(held_out.and_then(|held_out| held_out.auc)),
                explained.map_or(String::new(), |share| format!("{:.1}%", 100.0 * share)),
            ]);
        }
        grid.write_table(right, out)
    }
}

/// Formats the learner's figures, for people.
fn measured(held_out: &HeldOut) -> String {
    let mut figures = Vec::new();
    if let (Some(f_measure), Some(ci95)) = (held_out.f_measure, held_out.ci95) {
        figures.push(format!("F-measure {f_measure:.3} [{}]", interval(ci95)));
    }
    let others = [("precision", held_out.precision), ("recall", held_out.recall), ("AUC", held_out.auc)];
    figures.extend(others.iter().filter_map(|(name, figure)| figure.map(|x| format!("{name} {x:.3}"))));
    let links = links_and_non_links(held_out.links, held_out.non_links);
    format!("held out {links}: {}", figures.join(", "))
}
