//! `llamafur explain`: explains the rank of a link, and shows the category pairs behind it.

use super::link_rows::{RankingArgs, percent_of};
use crate::output::{Grid, OutputArgs, Render, counted, print, say_taken, signed};
use anyhow::Result;
use clap::Args;
use llamafur::categories::Feature;
use llamafur::engine::{
    Engine, EngineConf, Evidence, ExplainConf, LinkExplanation, MatrixAccount, PairEvidence,
};
use llamafur::progress::Progress;
use llamafur::score::{Reason, Side};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Options of `explain`.
#[derive(Debug, Args)]
#[command(after_help = "\
First the verdict of the ranking, then what speaks against it, then the account of each matrix of the model, over categories \
and over words. The weights of all pairs add up exactly to the expectedness; unexpectedness is minus that, normalised; the \
matrices add up to the scorer llamafur.

TSV has a row for each pair: over, source, target, weight, links, typical_links; and after those, the same in each row, verdict, rank, of, \
unexpectedness, odder_than, odd and expected (what speaks for each), sentence. Without pairs there is one row.

Examples:
  llamafur explain my.corpus Jupiter Fish
  llamafur explain my.corpus Jupiter Fish --all
  llamafur explain my.corpus Jupiter Fish --scorer llamafur:paper")]
pub struct ExplainArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    /// The page that links.
    source: String,
    /// The page that is linked to; a link that does not exist is explained too.
    target: String,
    /// Show what each signal says, and all pairs of categories or words instead of five, 1,000 of each matrix at most.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    ranking: RankingArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &ExplainArgs, progress: &mut dyn Progress) -> Result<()> {
    let engine = Engine::open(&args.corpus, EngineConf::default())?;
    // A wrong title should come to light before the work.
    engine.page(&args.source)?;
    engine.page(&args.target)?;
    let RankingArgs { places, scorer, .. } = &args.ranking;
    let conf = ExplainConf::default().scorer(scorer.name()).score(scorer.conf()?);
    let mut conf = conf.places(*places).order(args.ranking.order());
    if args.all {
        conf = conf.pairs(0);
    }
    args.ranking.scorer.prepare_ranking(&engine, progress)?;
    let explanation = engine.explain(&args.source, &args.target, &conf)?;
    say_taken(&args.source, &explanation.source);
    say_taken(&args.target, &explanation.target);
    print(&Shown { link: explanation, all: args.all }, &args.output)
}

#[derive(Serialize)]
#[serde(transparent)]
struct Shown {
    link: LinkExplanation,
    /// True if the signals are shown.
    #[serde(skip)]
    all: bool,
}

/// Describes the ranking's verdict on the link, and its rank.
fn verdict(link: &LinkExplanation) -> String {
    let LinkExplanation { source, target, scorer, rank, of, .. } = link;
    let (Some(score), Some(percent)) = (link.unexpectedness, link.odder_than) else {
        return format!("{source} → {target}: {scorer} has no data about it");
    };
    let (is, itself) = if link.ranked { ("is", "") } else { ("would be", ", itself included") };
    let no_link = match (link.linked, link.ranked) {
        (false, _) => " (no such link in the graph)",
        (true, false) => " (in no place that is ranked)",
        (true, true) => "",
    };
    let odd = match link.verdict {
        _ if link.surprising => "surprising",
        Some(Side::Odd) => "odd",
        _ => "expected",
    };
    format!(
        "{source} → {target}{no_link}: {odd}, odder than {}% of all links; it {is} row {rank} of the {of} of \
         {source}{itself}, by {scorer} ({})",
        percent_of(percent),
        signed(score)
    )
}

/// Writes the evidence of a side, one text per line.
fn evidence(out: &mut dyn Write, head: &str, evidence: &[Evidence]) -> io::Result<()> {
    for Evidence { text, .. } in evidence {
        writeln!(out, "{head}: {text}")?;
    }
    Ok(())
}

/// Joins the reasons of a side into one sentence, if there are any.
fn sentence(head: &str, reasons: &[Reason]) -> Option<String> {
    let texts: Vec<&str> = reasons.iter().map(|reason| &reason.text[..]).collect();
    (!texts.is_empty()).then(|| format!("{head}: {}.", texts.join("; ")))
}

fn typical(pair: &PairEvidence, between: &str) -> String {
    let links: Vec<String> = pair.typical.iter().map(|l| format!("{} → {}", l.source, l.target)).collect();
    links.join(between)
}

/// Returns the singular and plural of a matrix's rows.
fn rows(over: Feature) -> (&'static str, &'static str) {
    match over {
        Feature::Categories => ("category", "categories"),
        Feature::Words => ("word", "words"),
        Feature::Lead => ("lead", "words in the lead"),
    }
}

/// Writes the account of one matrix: its score, the pairs, and the changes that would affect their sum.
fn matrix(link: &LinkExplanation, account: &MatrixAccount, out: &mut dyn Write) -> io::Result<()> {
    let MatrixAccount { model, method, .. } = account;
    let (one, several) = rows(account.over);
    let head = format!("The {one} matrix of {model} ({method})");
    let Some(unexpectedness) = account.unexpectedness else {
        return writeln!(out, "{head}: no {several} on one side");
    };
    let state = match account.explained {
        Some(true) => "explains the link",
        Some(false) => "does not explain the link",
        None => "says nothing by its sign",
    };
    let divided = match account.divisor {
        1.0 => String::new(),
        divisor => format!(" / {divisor:.2} ({})", account.normalise),
    };
    let (e, score) = (signed(account.expectedness), signed(unexpectedness));
    writeln!(out, "{head} {state}: unexpectedness {score} = −({e}){divided}")?;
    let of = if account.over == Feature::Categories { "category" } else { "word" };
    let mut grid = Grid::new(&format!("source_{of} target_{of} weight links typical_links"));
    for pair in &account.pairs {
        let typical = match link.linked && pair.links == 1 {
            true => "only this one".into(),
            false => typical(pair, "\n"),
        };
        let (weight, links) = (signed(pair.weight), pair.links.to_string());
        grid.row([pair.source.clone(), pair.target.clone(), weight, links, typical]);
    }
    let more = account.num_pairs - account.pairs.len();
    if more > 0 {
        let shown: f64 = account.pairs.iter().map(|pair| pair.weight).sum();
        let others = counted(more as u64, "other pair");
        grid.row([
            others,
            "".into(),
            signed(account.expectedness - shown),
            "".into(),
            if account.pairs.len() < ExplainConf::MOST_PAIRS { "--all shows them" } else { "" }.into(),
        ]);
    }
    grid.row(["".into(), "sum".into(), signed(account.expectedness), "".into(), "".into()]);
    grid.write_table("weight links", out)?;
    for origin in &account.milestones {
        let (milestone, page) = (&origin.milestone, &origin.page);
        match &origin.categories[..] {
            [] => writeln!(out, "{milestone} is further up from the categories of {page}")?,
            own => writeln!(out, "{milestone} replaces {} (of {page})", own.join(", "))?,
        }
    }
    // What would change the sum is only known of categories.
    if account.explained != Some(false) || account.over != Feature::Categories {
        return Ok(());
    }
    let source = &link.source;
    if account.would_explain.is_empty() {
        return writeln!(out, "No single further category of {source} would make the link expected.");
    }
    let changes = account.would_explain.iter();
    let changes: Vec<String> =
        changes.map(|change| format!("{} ({})", change.category, signed(change.expectedness))).collect();
    let changes = changes.join(", ");
    writeln!(out, "The matrix would expect it if {source} also carried one of these (sum then): {changes}")
}

impl Render for Shown {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let link = &self.link;
        writeln!(out, "{}", verdict(link))?;
        if let Some(snippet) = &link.snippet {
            let section = link.section.as_ref().map(|section| format!(" ({section})")).unwrap_or_default();
            writeln!(out, "“{snippet}”{section}")?;
        }
        if !link.also.is_empty() {
            writeln!(out, "Also in this sentence: {}", link.also.join(", "))?;
        }
        let sides = [
            ("Odd", &link.odd, &link.odd_signals, Side::Odd),
            ("Expected", &link.expected, &link.expected_signals, Side::Expected),
        ];
        let (first, second): (Vec<_>, Vec<_>) =
            sides.into_iter().partition(|(_, _, _, side)| Some(*side) == link.verdict);
        for (head, said, ..) in first.iter().chain(&second) {
            evidence(out, head, said)?;
        }
        for (head, _, signals, _) in first.iter().chain(&second).filter(|_| self.all) {
            if let Some(sentence) = sentence(&format!("Signals, {}", head.to_lowercase()), signals) {
                writeln!(out, "{sentence}")?;
            }
        }
        if let [_, _, ..] = &link.matrices[..] {
            let of = |account: &MatrixAccount| {
                Some(format!("{} {}", account.over, signed(account.unexpectedness?)))
            };
            let parts: Vec<String> = link.matrices.iter().filter_map(of).collect();
            let sum: f64 = link.matrices.iter().filter_map(|account| account.unexpectedness).sum();
            writeln!(out, "\nLlamaFur {} = {}", signed(sum), parts.join(" + "))?;
        }
        for account in &link.matrices {
            writeln!(out)?;
            matrix(link, account, out)?;
        }
        Ok(())
    }

    /// Returns a row for each pair, or one without a pair, each with the verdict at its end.
    fn grid(&self) -> Grid {
        let link = &self.link;
        let mut grid = Grid::new(
            "over source target weight links typical_links verdict rank of unexpectedness odder_than odd expected sentence",
        );
        let verdict = match (link.unexpectedness, link.verdict) {
            (None, _) => "",
            _ if link.surprising => "surprising",
            (_, Some(Side::Odd)) => "odd",
            _ => "expected",
        };
        let reasons = |reasons: &[Evidence]| {
            reasons.iter().map(|reason| &reason.text[..]).collect::<Vec<_>>().join(" ")
        };
        let verdict = [
            verdict.to_owned(),
            link.rank.to_string(),
            link.of.to_string(),
            link.unexpectedness.map(|score| score.to_string()).unwrap_or_default(),
            link.odder_than.map(|percent| percent.to_string()).unwrap_or_default(),
            reasons(&link.odd),
            reasons(&link.expected),
            link.snippet.clone().unwrap_or_default(),
        ];
        let mut row = |pair: [String; 6]| grid.row([&pair[..], &verdict[..]].concat());
        let mut num_pairs = 0;
        for account in &link.matrices {
            for pair in &account.pairs {
                let (weight, links) = (pair.weight.to_string(), pair.links.to_string());
                let (over, typical) = (account.over.to_string(), typical(pair, "; "));
                row([over, pair.source.clone(), pair.target.clone(), weight, links, typical]);
                num_pairs += 1;
            }
        }
        if num_pairs == 0 {
            row(Default::default());
        }
        grid
    }
}
