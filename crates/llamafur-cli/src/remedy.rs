//! Remedies in terms of the command line: the command to run, the option to change.

use llamafur::{Remedy, Step};
use llamafur_eval::judging::JudgingError;
use llamafur_eval::judgments::JudgmentError;
use llamafur_eval::planted::PlantError;
use llamafur_eval::rows::RowError;
use llamafur_eval::synth::SynthError;
use llamafur_import::table::ImportError;
use llamafur_import::wiki::WikiError;
use std::borrow::Cow;
use std::error::Error;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The corpus of the command line, as written there: commands in remedies name it.
pub(crate) static CORPUS: OnceLock<PathBuf> = OnceLock::new();

/// The words that name the running command: `["import", "table"]`. Remedies may name its options.
pub(crate) static COMMAND: OnceLock<Vec<String>> = OnceLock::new();

/// Returns the user's options to fix an error, if one of its causes has a remedy.
pub(crate) fn of(error: &anyhow::Error) -> Option<String> {
    let of_cause = |cause: &(dyn Error + 'static)| {
        #[cfg(feature = "fetch")]
        if let Some(error) = cause.downcast_ref::<llamafur_import::fetch::FetchError>() {
            return error.remedy();
        }
        #[cfg(feature = "serve")]
        if let Some(error) = cause.downcast_ref::<llamafur_serve::ServeError>() {
            return error.remedy();
        }
        let of_core = cause.downcast_ref::<llamafur::Error>().and_then(llamafur::Error::remedy);
        let of_tables = || cause.downcast_ref().and_then(ImportError::remedy);
        let of_dump = || cause.downcast_ref().and_then(WikiError::remedy);
        let of_judgments = || cause.downcast_ref().and_then(JudgmentError::remedy);
        let of_judging = || cause.downcast_ref().and_then(JudgingError::remedy);
        let of_plant = || cause.downcast_ref().and_then(PlantError::remedy);
        let of_rows = || cause.downcast_ref().and_then(RowError::remedy);
        let of_synth = || cause.downcast_ref().and_then(SynthError::remedy);
        let of_import = of_core.or_else(of_tables).or_else(of_dump);
        of_import
            .or_else(of_judgments)
            .or_else(of_judging)
            .or_else(of_plant)
            .or_else(of_rows)
            .or_else(of_synth)
    };
    error.chain().find_map(of_cause).as_ref().and_then(in_words)
}

/// Formats an error of the library with its remedy, in one line.
pub(crate) fn with_remedy(error: &llamafur::Error) -> String {
    match error.remedy().as_ref().and_then(in_words) {
        Some(remedy) => format!("{error}; {remedy}"),
        None => error.to_string(),
    }
}

/// Formats a remedy as a clause in the imperative; empty if the running command has none.
#[cfg(feature = "serve")]
pub(crate) fn words(remedy: &Remedy) -> String {
    in_words(remedy).unwrap_or_default()
}

/// Formats a remedy as a clause in the imperative; `None` if it is about an option that the command lacks.
pub(crate) fn in_words(remedy: &Remedy) -> Option<String> {
    Some(match remedy {
        Remedy::Run { step, settings } => {
            // A value that only the user knows, a file, is not made up: the option is named beside the command.
            let (unknown, known): (Vec<_>, Vec<_>) = settings.iter().partition(|(_, value)| value.is_empty());
            let given: Vec<&str> = settings.iter().map(|(setting, _)| *setting).collect();
            let mut command = format!("llamafur {}", command(*step, &given));
            if matches!(step, Step::Cleanse | Step::Train | Step::Words | Step::AddVectors) {
                let corpus = CORPUS.get().map(|path| path.display().to_string());
                command.extend(corpus.map(|path| format!(" {}", quoted(&path))));
            }
            match step {
                Step::AddVectors => command.push_str(" FILE"),
                Step::ImportWiki if given.is_empty() => command.push_str(" DUMP --out DIR"),
                _ => {}
            }
            for (setting, value) in known {
                command.push_str(&format!(" {} {}", long(setting), quoted(value)));
            }
            let unknown: Vec<_> = unknown.iter().map(|(setting, _)| format!("`{}`", long(setting))).collect();
            match unknown.is_empty() {
                true => format!("run `{command}`"),
                false => format!("run `{command}` again with {}", unknown.join(" and ")),
            }
        }
        Remedy::Set { setting, to } => match &to[..] {
            [] => format!("choose another `{}`", option(setting)?),
            [one] if one.is_empty() => format!("pass `{}`", option(setting)?),
            [one] => format!("pass `{} {}`", option(setting)?, quoted(one)),
            several => format!("pass `{}` with one of: {}", option(setting)?, several.join(", ")),
        },
        Remedy::Lower { setting } => format!("lower `{}`", option(setting)?),
        Remedy::Omit { setting } => format!("leave out `{}`", option(setting)?),
        Remedy::Advice { words } => words.to_string(),
        Remedy::Either { remedies } => {
            let all: Vec<String> = remedies.iter().filter_map(in_words).collect();
            return (!all.is_empty()).then(|| all.join(", or "));
        }
        other => format!("{other:?}"),
    })
}

/// Returns the option of a setting.
fn long(setting: &str) -> String {
    format!("--{}", setting.replace('_', "-"))
}

/// Returns a setting's name in the running command: an option, or an argument, `DUMP`; `None` if the command lacks it.
/// Clients of a server use the setting's own name.
fn option(setting: &str) -> Option<String> {
    let Some(words) = COMMAND.get() else { return Some(long(setting)) };
    if matches!(words[..], [ref server] if ["serve", "mcp"].contains(&&server[..])) && setting != "bind" {
        return Some(setting.to_owned());
    }
    let top = crate::definition();
    let command = words.iter().try_fold(&top, |command, word| command.find_subcommand(word))?;
    let mut arguments = top.get_arguments().chain(command.get_arguments());
    arguments.find_map(|argument| match argument.get_long() {
        Some(name) => (name == setting.replace('_', "-")).then(|| long(setting)),
        None => (argument.get_id() == setting).then(|| setting.to_uppercase()),
    })
}

/// Quotes a value for a shell.
fn quoted(value: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "-_=.,:/+@%".contains(c);
    if value.chars().all(is_plain) {
        value.into()
    } else {
        format!("'{}'", value.replace('\'', "'\\''")).into()
    }
}

/// Returns the command of a step that has options for these settings.
fn command(step: Step, settings: &[&str]) -> &'static str {
    match step {
        // Only tables have files of these.
        Step::Import if settings.iter().any(|setting| ["categories", "category_tree"].contains(setting)) => {
            "import table"
        }
        Step::Import if !settings.is_empty() => "import wiki` or `llamafur import table",
        Step::ImportWiki => "import wiki",
        Step::ImportTable => "import table",
        Step::Cleanse => "cleanse",
        Step::Train => "train",
        Step::Words => "words",
        Step::AddVectors => "vectors add",
        Step::Synth => "synth",
        _ => "import",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remedies_are_commands_and_options() {
        let remedy = Remedy::either([
            Remedy::run_with(Step::Train, "name", "paper"),
            Remedy::Lower { setting: "min_pages" },
            Remedy::another("out"),
            Remedy::set("overwrite", ""),
        ]);
        let expected = "run `llamafur train --name paper`, or lower `--min-pages`, or choose another `--out`, or \
                        pass `--overwrite`";
        assert_eq!(words(&remedy), expected);
        let with_text = Remedy::run_with(Step::Import, "text", "");
        assert_eq!(
            words(&with_text),
            "run `llamafur import wiki` or `llamafur import table` again with `--text`"
        );
        let with_tree = Remedy::run_with(Step::Import, "category_tree", "");
        assert_eq!(words(&with_tree), "run `llamafur import table` again with `--category-tree`");
        assert_eq!(words(&Remedy::set("delimiter", ";")), "pass `--delimiter ';'`");
        assert_eq!(
            words(&Remedy::set("columns", "links=who,to whom")),
            "pass `--columns 'links=who,to whom'`"
        );
    }
}
