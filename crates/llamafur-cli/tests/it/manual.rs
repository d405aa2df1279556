//! Completions, manual pages and help.

use crate::common::{Desk, names_in};

#[test]
fn every_shell_gets_completions() {
    let desk = Desk::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = desk.llamafur(["completions", shell]).fine().stdout;
        assert!(script.contains("llamafur") && script.contains("cross-validate"), "{shell}: {script}");
    }
    desk.llamafur(["completions", "cmd"]).misused(&["bash"]);
}

#[test]
fn there_is_a_manual_page_for_each_command() {
    let desk = Desk::new();
    let page = desk.llamafur(["man"]).fine().stdout;
    assert!(page.contains(".TH llamafur 1") && page.contains("Exit codes"), "{page}");
    desk.llamafur(["man", "--out", "man/man1"]).fine();
    let pages = names_in(&desk.path("man/man1"));
    for page in ["llamafur.1", "llamafur-rank.1", "llamafur-import-wiki.1"] {
        assert!(pages.contains(&page.to_owned()), "{pages:?}");
    }
}

#[test]
fn help_is_wrapped_once() {
    let desk = Desk::new();
    let help = desk.llamafur(["train", "--help"]).fine().stdout;
    // A line is full, or ends a paragraph: the next word would not fit.
    let lines: Vec<&str> = help.lines().collect();
    let broken = lines.windows(2).filter(|pair| {
        let next = pair[1].split(' ').next().unwrap_or_default();
        let is_text = |line: &str| line.starts_with(|first: char| first.is_ascii_alphabetic());
        is_text(pair[0]) && is_text(pair[1]) && pair[0].chars().count() + 1 + next.chars().count() <= 100
    });
    assert_eq!(broken.collect::<Vec<_>>(), Vec::<&[&str]>::new());
    assert!(lines.iter().all(|line| line.chars().count() <= 100), "{help}");
}
