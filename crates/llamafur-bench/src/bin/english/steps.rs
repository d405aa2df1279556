//! From the dump to the first answer.

use crate::Outcome;
use crate::process::{Ended, Taken, llamafur, load};
use crate::ranking::random_titles;
use llamafur::corpus::Corpus;
use llamafur::human_bytes;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// A step, and what it took, if the program has the command.
pub(crate) struct Step {
    name: &'static str,
    taken: Option<Taken>,
    /// Bytes of the corpus's folder afterwards.
    on_disk: u64,
}

const EVERY: Duration = Duration::from_millis(10);

/// Runs all steps.
pub(crate) fn run(dump: &Path, corpus: &Path, train: &str, memory: Option<&str>) -> Outcome<Vec<Step>> {
    let mut steps = Vec::new();
    let mut step = |name, arguments: &[&str], more: &[&str]| -> Outcome<()> {
        let taken = match llamafur(arguments, corpus, more, EVERY)? {
            Ended::Well(taken) => Some(taken),
            Ended::Unknown => None,
        };
        steps.push(Step { name, taken, on_disk: folder_bytes(corpus)? });
        Ok(())
    };
    let dump = dump.to_str().ok_or("the dump's name is not UTF-8")?;
    step("import", &["import", "wiki", dump, "--overwrite", "--out"], &[])?;
    step("cleanse", &["cleanse"], &[])?;
    step("train", &["train"], &train.split_whitespace().collect::<Vec<_>>())?;
    let bounded: Vec<&str> = memory.iter().flat_map(|memory| ["--memory", memory]).collect();
    step("prepare", &["prepare"], &bounded)?;
    let title = random_titles(corpus, 1)?.pop().ok_or("no page has links")?;
    step("first rank", &["rank"], &[&title])?;
    Ok(steps)
}

/// All bytes of the files in a folder.
fn folder_bytes(folder: &Path) -> Outcome<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        bytes += if metadata.is_dir() { folder_bytes(&entry.path())? } else { metadata.len() };
    }
    Ok(bytes)
}

/// The table of one scale.
pub(crate) fn table(scale: f64, corpus: &Path, steps: &[Step]) -> Outcome<String> {
    let counts = Corpus::open(corpus)?.manifest().counts;
    let mut text = format!(
        "## Steps at scale {scale}\n\n{} pages, {} links, {} redirects, {} categories; load {} at the end.\n\n\
         | step | seconds | peak memory | of it private, seen | corpus on disk |\n|---|---|---|---|---|\n",
        counts.pages,
        counts.links,
        counts.redirects,
        counts.categories,
        load(),
    );
    for Step { name, taken, on_disk } in steps {
        let on_disk = human_bytes(*on_disk);
        let _ = match taken {
            Some(Taken { seconds, peak, private }) => {
                let (peak, private) = (human_bytes(*peak), human_bytes(*private));
                writeln!(text, "| {name} | {seconds:.1} | {peak} | {private} | {on_disk} |")
            }
            None => writeln!(text, "| {name} | no such command | | | {on_disk} |"),
        };
    }
    text.push('\n');
    Ok(text)
}

/// How seconds and memory grow from scale to scale.
pub(crate) fn growth(grown: &[(f64, Vec<Step>)]) -> String {
    let mut text = String::from("## Growth\n\nSeconds, and peak memory, at each scale.\n\n| step |");
    grown.iter().for_each(|(scale, _)| text.push_str(&format!(" {scale} |")));
    text.push_str(&format!("\n|---|{}\n", "---|".repeat(grown.len())));
    let steps = grown.first().map_or(&[][..], |(_, steps)| steps);
    for (place, step) in steps.iter().enumerate() {
        let _ = write!(text, "| {} |", step.name);
        for (_, steps) in grown {
            let _ = match steps[place].taken {
                Some(taken) => write!(text, " {:.1} s, {} |", taken.seconds, human_bytes(taken.peak)),
                None => write!(text, " |"),
            };
        }
        text.push('\n');
    }
    text.push('\n');
    text
}
