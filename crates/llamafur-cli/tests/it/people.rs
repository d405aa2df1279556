//! What people see: nothing that a terminal obeys, nothing left out without a word, nothing too narrow to read.

use crate::common::{Desk, Run, TOY};
use std::fmt::Write as _;

/// Sets the title of a window, clears the screen, and turns the direction of the text after it.
const HOSTILE: &str = "\u{1B}]0;x\u{7}\u{9B}2J\u{202E}\u{2066}";

/// HOSTILE as XML has it.
const HOSTILE_XML: &str = "&#27;]0;x&#7;&#155;2J&#8238;&#8294;";

fn is_unsafe(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
        || ('\u{202A}'..='\u{202E}').contains(&c)
        || ('\u{2066}'..='\u{2069}').contains(&c)
}

#[track_caller]
fn expect_clean(run: &Run) {
    let all = format!("{}{}", run.stdout, run.stderr);
    assert!(!all.contains(is_unsafe), "{all:?}");
}

/// The corpus `w` of a dump with hostile titles, categories, texts and a hostile name.
fn hostile() -> (Desk, Run) {
    let desk = Desk::new();
    let mut xml = format!(
        "<mediawiki xml:lang=\"en\"><siteinfo><sitename>{HOSTILE_XML}</sitename><dbname>{HOSTILE_XML}</dbname></siteinfo>\n"
    );
    for page in 0..4 {
        let next = (page + 1) % 4;
        writeln!(
            xml,
            "<page><title>{HOSTILE_XML}{page}</title><ns>0</ns><id>{page}</id><revision><text>A sentence with {HOSTILE_XML} \
             and [[{HOSTILE_XML}{next}]] and [[Page {next}]]. [[Category:C {page}]]</text></revision></page>\n\
             <page><title>Page {page}</title><ns>0</ns><revision><text>A sentence with {HOSTILE_XML} and \
             [[Page {next}]]. [[Category:C {page}]]</text></revision></page>"
        )
        .unwrap();
    }
    xml += &format!("<page><title>{HOSTILE_XML}</title><ns>0</ns><a></page>\n</mediawiki>\n");
    desk.write("dump.xml", xml);
    let run = desk.llamafur(["import", "wiki", "dump.xml", "--out", "w", "--format", "table"]).fine();
    (desk, run)
}

#[test]
fn escape_sequences_of_a_dump_do_not_reach_people() {
    let (desk, import) = hostile();
    expect_clean(&import);
    assert!(import.stderr.contains("skipped 1 of 9 pages"), "{import}");
    let page = format!("{HOSTILE}0");
    for args in [
        &["info", "w"][..],
        &["rank", "w", "Page 0", "--scorer", "random"],
        &["rank", "w", &page, "--scorer", "random"],
        &["explain", "w", &page, "Page 1", "--scorer", "random"],
        &["top", "w", "--scorer", "random"],
    ] {
        let run = desk.llamafur([args, &["--format", "table"]].concat()).fine();
        expect_clean(&run);
    }
    let shown = desk.llamafur(["rank", "w", &page, "--scorer", "random", "--format", "table"]);
    assert!(shown.stdout.starts_with("�]0;x��2J��0: "), "{shown}");
    // A pipe gets what there is.
    let piped = desk.llamafur(["top", "w", "--scorer", "random"]).fine();
    assert!(piped.stdout.contains(&page), "{piped}");
}

#[test]
fn escape_sequences_of_arguments_do_not_reach_people() {
    let (desk, _) = hostile();
    let option = format!("--{HOSTILE}");
    let line = format!("{HOSTILE}\nerror: forged");
    for args in [
        &["rank", "w", HOSTILE][..],
        &["rank", "w", &line],
        &["rank", HOSTILE, "x"],
        &["rank", "w", "Page 0", &option],
        &["rank", "w", "Page 0", "--top", HOSTILE],
        &["rank", "w", "Page 0", "--scorer", HOSTILE],
        &[HOSTILE],
        &["import", "table", "--links", HOSTILE, "--out", "c"],
    ] {
        let run = desk.llamafur(args);
        assert!(run.code == 1 || run.code == 2, "{run}");
        assert_eq!(run.stderr.lines().filter(|line| line.starts_with("error: ")).count(), 1, "{run}");
        expect_clean(&run);
    }
}

#[test]
fn progress_none_still_says_which_signals_are_missing() {
    let desk = Desk::with_corpus();
    let missing = "blend leaves out categories";
    for format in ["tsv", "json", "table"] {
        let run = desk.llamafur(["rank", TOY, "Jupiter", "--format", format]).fine();
        assert!(run.stderr.contains(missing), "{run}");
        assert!(run.stderr.contains("llamafur train toy.corpus"), "{run}");
    }
    desk.llamafur(["train", TOY]).fine();
    let run = desk.llamafur(["rank", TOY, "Jupiter"]).fine();
    assert!(!run.stderr.contains(missing), "{run}");
}

#[test]
fn an_explanation_in_a_pipe_has_the_verdict_its_reasons_and_the_sentence() {
    for (desk, scorer, has_pairs) in
        [(Desk::with_model(), "blend", true), (Desk::with_corpus(), "random", false)]
    {
        let args = ["explain", TOY, "Jupiter", "Fish", "--header", "--scorer", scorer];
        let json = desk.llamafur([&args[..4], &args[5..], &["--format", "json"]].concat()).fine().json();
        let run = desk.llamafur(args).fine();
        let mut rows = run.stdout.lines().map(|line| line.split('\t').collect::<Vec<_>>());
        let names = rows.next().unwrap();
        let rows: Vec<Vec<&str>> = rows.collect();
        assert!(!rows.is_empty() && has_pairs != (rows.len() == 1 && rows[0][0].is_empty()), "{run}");
        for row in &rows {
            let field = |name: &str| row[names.iter().position(|column| *column == name).unwrap()];
            let verdict =
                if json["surprising"] == true { "surprising" } else { json["verdict"].as_str().unwrap() };
            assert_eq!(field("verdict"), verdict, "{run}");
            assert_eq!(field("rank"), json["rank"].to_string(), "{run}");
            assert_eq!(field("of"), json["of"].to_string(), "{run}");
            assert_eq!(field("sentence"), json["snippet"].as_str().unwrap_or_default(), "{run}");
            for side in ["odd", "expected"] {
                let texts =
                    json[side].as_array().unwrap().iter().map(|reason| reason["text"].as_str().unwrap());
                assert_eq!(field(side), texts.collect::<Vec<_>>().join("; "), "{run}");
            }
        }
        assert!(rows[0].last().unwrap().contains("like the fish of our seas"), "{run}");
    }
}

#[test]
fn a_terminal_that_says_it_is_0_wide_gets_a_table_that_can_be_read() {
    let desk = Desk::with_model();
    let table = |columns: &str| {
        let mut command = desk.command();
        command.args(["rank", TOY, "Jupiter", "--format", "table"]).env("COLUMNS", columns);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    assert_eq!(table("0"), table("100"));
    assert_eq!(table("1"), table("100"));
    assert_ne!(table("40"), table("100"));
}
