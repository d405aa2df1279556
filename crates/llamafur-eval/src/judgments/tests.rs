//! Reading, and what becomes of every record.

use super::*;
use llamafur::Error;
use llamafur::Remedy;
use llamafur::progress::Silent;
use numbered::{Numbered, alone};
use proptest::prelude::*;

/// Judgments without a corpus.
mod numbered {
    use super::{Form, JudgmentError, Judgments, Pages};
    include!("../../tests/common/numbered.rs");
}

const FORMS: [Form; 3] = [Form::Auto, Form::Authors, Form::Qrels];

fn read_as(name: &str, content: &[u8], form: Form) -> Result<(Judgments, Numbered), JudgmentError> {
    alone(content, name, form)
}

fn read(content: &str) -> (Judgments, Numbered) {
    let (judgments, titles) = read_as("judged.tsv", content.as_bytes(), Form::Auto).unwrap();
    assert_sums(&judgments.account);
    (judgments, titles)
}

fn assert_sums(account: &Account) {
    let left: u64 = account.left_out().iter().map(|(_, left)| left.records).sum();
    assert_eq!(account.records, left + account.found, "{account:?}");
}

fn message(content: &[u8], form: Form) -> String {
    let error = read_as("judged.tsv", content, form).err().unwrap().to_string();
    error.split_once("judged.tsv: ").unwrap().1.to_owned()
}

/// Returns all links, as text.
fn links((judgments, titles): &(Judgments, Numbered)) -> Vec<String> {
    let of_query = |query: &Query| -> Vec<String> {
        let text = |link: &JudgedLink| {
            format!("{} > {}: {}", titles.title(query.page), titles.title(link.target), link.class)
        };
        query.links.iter().map(text).collect()
    };
    judgments.queries.iter().flat_map(of_query).collect()
}

#[test]
fn blank_lines_a_mark_of_byte_order_and_windows_line_ends_are_fine() {
    let found = read("\u{feff}\r\n\r\nA b\tC\tTE\r\nA b\tD\ttu\r\n\r\nE\tA b\tu");
    assert_eq!(links(&found), ["A b > C: TE", "A b > D: TU", "E > A b: U"]);
    assert_eq!((found.0.account.records, found.0.account.found), (3, 3));
}

#[test]
fn a_header_is_not_a_record() {
    assert_eq!(links(&read("page\tlink\tClass\nA\tB\tE\n")), ["A > B: E"]);
    assert_eq!(links(&read("source\ttarget\tclass\tjudge\nA\tB\tE\tanna\n")), ["A > B: E"]);
}

#[test]
fn a_table_that_was_filled_in_is_read_as_it_is() {
    let table = "class\tsource\tparagraph\ttarget\tsnippet\n\
                 TE\tA\t\"He said \"\"no\"\".\nAnd\twent.\"\tB\t\"\"\n\
                 \tA\tplain\tC\t\n\
                 u\tA\t\"unclosed\tD\tx\n\
                 TU\tA\n";
    let error = message(table.as_bytes(), Form::Auto);
    assert!(
        error.starts_with("line 6: 2 columns (\"TU\\tA\"), expected source, target and class"),
        "{error}"
    );
    let found = read(table.strip_suffix("TU\tA\n").unwrap());
    assert_eq!(links(&found), ["A > B: TE", "A > D: U"]);
    let left = &found.0.account.not_yet_judged;
    assert_eq!((left.records, left.examples[0].line, left.examples[0].target.as_str()), (1, 4, "C"));
}

#[test]
fn a_line_without_a_class_at_its_end_is_not_judged_yet_where_there_is_a_header() {
    let found = read("source\ttarget\tclass\nA\tB\nA\tC\tE\n");
    assert_eq!(found.0.account.not_yet_judged.records, 1);
    assert!(message(b"A\tC\tE\nA\tB\n", Form::Auto).starts_with("line 2: 2 columns"));
}

#[test]
fn qrels_are_recognised_by_their_first_line() {
    let found =
        read("Kim_Jong-il 0 Malta 2\nKim_Jong-il 0 Korea 0\nKim_Jong-il Q0 Film -1\nB\t0\tC\t1\nB 0 D 7\n");
    let expected = ["Kim Jong-il > Malta: TU", "Kim Jong-il > Korea: E", "B > C: U", "B > D: TU"];
    assert_eq!(links(&found), expected);
    assert_eq!((found.0.account.unjudged.records, found.0.account.unjudged.examples[0].line), (1, 3));
    // A judge may be a number; then the class decides.
    assert_eq!(links(&read("A\tB\tTE\t7\n")), ["A > B: TE"]);
    // The form that is set overrides the look.
    let (judgments, _) = read_as("q", b"A\tB\tTE\t1\n", Form::Qrels).unwrap();
    assert_eq!(judgments.queries[0].links[0].class, Class::U);
}

/// An input that fails after its first line, as a cut compressed file does.
struct Cut<'a>(&'a [u8]);

impl Read for Cut<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err(std::io::Error::other("ends early")),
            num => Ok(num),
        }
    }
}

#[test]
fn an_input_that_fails_is_an_error() {
    let cut = alone(Cut(b"A\tB\tTE\n"), "judged.tsv.gz", Form::Auto);
    assert_eq!(cut.err().unwrap().to_string(), "judged.tsv.gz: ends early");
}

/// Returns the words of a remedy.
fn advice(content: &[u8]) -> String {
    let remedy = read_as("judged.tsv", content, Form::Auto).err().unwrap().remedy().unwrap();
    match remedy {
        Remedy::Advice { words } => words.into_owned(),
        Remedy::Either { remedies } => format!("{remedies:?}"),
        other => format!("{other:?}"),
    }
}

#[test]
fn errors_have_a_place_what_was_found_and_a_remedy() {
    let wrong_class: &[u8] = b"A\tB\tTE\nA\tC\tX\n";
    assert_eq!(message(wrong_class, Form::Auto), "line 2: class \"X\", expected TE, E, U or TU");
    assert_eq!(advice(wrong_class), "correct the class, or leave it empty for a link that is not judged yet");
    let not_utf8: &[u8] = b"A\tB\tTE\n\xff\tC\tE\n";
    assert_eq!(message(not_utf8, Form::Auto), "line 2: not UTF-8");
    assert_eq!(advice(not_utf8), "save the file as UTF-8 text");
    let short = message(b"hello\n", Form::Auto);
    assert!(short.starts_with("line 1: 1 column (\"hello\"), expected source, target and class"), "{short}");
    assert!(short.contains("or query, iteration"), "{short}");
    assert!(advice(b"hello\n").contains("judgments_form"));
    assert!(message(b"a b c\n", Form::Qrels).contains("3 columns"));
    assert!(message(b"a b c d\n", Form::Qrels).contains("relevance \"d\", expected a whole number"));
    assert!(message(b"", Form::Auto).starts_with("no judged link: 0 records"));
    assert!(message(b"A\tB\t\n", Form::Auto).starts_with("no judged link: 1 records"));
}

#[test]
fn an_input_without_end_is_an_error_and_does_not_fill_memory() {
    assert_eq!(message(&vec![b'a'; 20 << 20], Form::Auto), "larger than 16777216 bytes");
    let endless = alone(std::io::repeat(b'\n'), "judged.tsv", Form::Auto);
    assert!(matches!(endless, Err(JudgmentError::TooLarge { .. })));
}

#[test]
fn the_same_again_counts_once_and_a_contradiction_not_at_all() {
    let found = read("A\tB\tTE\nA\tC\tE\nA\tB\tTE\nA\tC\tU\nA\tB\tte\nA\tD\tU\nA\tC\tE\n");
    assert_eq!(links(&found), ["A > B: TE", "A > D: U"]);
    let account = &found.0.account;
    assert_eq!((account.duplicates.records, account.contradictory.records, account.found), (2, 3, 2));
    assert_eq!(account.contradictory.examples[0].why, "E at line 2, but U at line 4");
    assert_eq!(account.duplicates.examples[0].why, "judged again at line 5: TE");
}

#[test]
fn of_several_judges_the_last_record_counts() {
    let found = read(
        "A\tB\tTE\tx\nA\tB\tTU\ty\nA\tC\tTU\ty\nA\tC\tU\tz\nA\tC\tE\tx\nA\tD\tU\tx\nA\tD\tU\ty\nA\tD\tTE\tx\n",
    );
    assert_eq!(links(&found), ["A > B: TU", "A > C: E"]);
    let account = &found.0.account;
    assert_eq!((account.found, account.duplicates.records, account.contradictory.records), (2, 3, 3));
    let why: Vec<&str> = account.duplicates.examples.iter().map(|example| example.why.as_str()).collect();
    assert_eq!(why, ["judged again at line 2: TU", "judged again at line 5: E"]);
    assert_eq!(account.contradictory.examples[0].why, "U at line 6, but TE at line 8");
}

#[test]
fn records_without_a_judge_are_all_by_one() {
    let found = read("A\tB\tTE\nA\tB\tU\tx\nA\tC\tTE\nA\tC\tU\n");
    assert_eq!((links(&found), found.0.account.contradictory.records), (vec!["A > B: U".to_owned()], 2));
}

#[test]
fn titles_with_quotes_and_underscores_stay_apart_or_come_together() {
    let found = read("\"Weird Al\" Yankovic\tParody\tE\n\"Weird_Al\" Yankovic\tParody\tE\n");
    assert_eq!(links(&found), ["\"Weird Al\" Yankovic > Parody: E"]);
    assert_eq!(found.0.account.duplicates.records, 1);
}

#[test]
fn no_page_with_both_kinds_is_an_error_when_one_is_needed() {
    let (judgments, _) = read("A\tB\tTE\nC\tB\tU\nD\tB\tE\n");
    let error = judgments.expect_queries().unwrap_err().to_string();
    assert!(error.contains("2 pages have only expected ones, 1 only unexpected ones"), "{error}");
}

#[test]
fn memory_grows_with_the_different_pairs() {
    let text: String = (0..200_000).map(|i| format!("A{}\tB{}\tTE\n", i % 7, i % 5)).collect();
    let (judgments, _) = read(&text);
    assert_eq!((judgments.account.found, judgments.account.duplicates.records), (35, 199_965));
}

/// Pages a to e that link to b and c only.
struct Few;

impl Pages for Few {
    fn page(&mut self, title: &str) -> Result<Option<PageId>, Error> {
        Ok(["a", "b", "c", "d", "e"].iter().position(|known| *known == title).map(|i| PageId(i as u32)))
    }

    fn has_link(&self, _: PageId, target: PageId) -> Result<bool, Error> {
        Ok(matches!(target.0, 1 | 2))
    }

    fn title(&self, page: PageId) -> Result<String, Error> {
        Ok(["a", "b", "c", "d", "e"][page.index()].into())
    }
}

#[test]
fn every_record_is_accounted_for() {
    let text = "a\tb\tTE\na\td\tE\nx\tb\tU\na\ty\tU\na\tc\t\na\tc\tU\na\tc\tU\nd\tc\tE\nd\tc\tU\n";
    let judgments =
        Judgments::read(text.as_bytes(), "judged.tsv", Form::Auto, &mut Few, &mut Silent).unwrap();
    let account = &judgments.account;
    assert_sums(account);
    let left = account.left_out().map(|(_, left)| left.records);
    assert_eq!((account.records, left, account.found), (9, [1, 0, 2, 1, 2, 1], 2));
    let why: Vec<&str> = account.page_missing.examples.iter().map(|example| example.why.as_str()).collect();
    assert_eq!(why, ["no page “x”", "no page “y”"]);
    assert_eq!(judgments.expect_queries().unwrap().len(), 1);
}

#[test]
fn no_more_than_ten_examples_are_kept() {
    let text: String = (0..30).map(|i| format!("A\tB{i}\t\n")).collect();
    let (judgments, _) = read(&(text + "A\tB\tTE\n"));
    assert_eq!(judgments.account.not_yet_judged.records, 30);
    assert_eq!(judgments.account.not_yet_judged.examples.len(), EXAMPLES);
}

#[test]
fn formats_have_names() {
    assert_eq!(["auto", "authors", "qrels"].map(str::parse), FORMS.map(Ok));
    assert!("csv".parse::<Form>().is_err());
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(
        pieces in proptest::collection::vec(0..16usize, 0..60), header in any::<bool>(),
    ) {
        let known: [&[u8]; 16] = [
            b"\t", b"\t", b"\t", b"\n", b"\n", b"\r\n", b"\"", b"A", b"B", b"TE", b"u", b" 0 ", b"1", b"-1", b"", b"\xe2",
        ];
        let mut text: Vec<u8> = pieces.into_iter().flat_map(|piece| known[piece].to_vec()).collect();
        if header {
            text.splice(..0, b"class\tsource\ttarget\n".iter().copied());
        }
        for form in FORMS {
            if let Ok((judgments, _)) = read_as("judged.tsv", &text, form) {
                assert_sums(&judgments.account);
            }
        }
    }

    #[test]
    fn what_is_written_is_read(classes in proptest::collection::vec((0..9u32, 0..9u32, 0..4usize), 1..60)) {
        let links: std::collections::BTreeMap<(u32, u32), Class> =
            classes.into_iter().map(|(source, target, class)| ((source, target), Class::ALL[class])).collect();
        let row = |((source, target), class): (&(u32, u32), &Class)| format!("p {source}\tp {target}\t{class}\n");
        let found = read(&links.iter().map(row).collect::<String>());
        let mut expected: Vec<String> =
            links.iter().map(|((s, t), class)| format!("p {s} > p {t}: {class}")).collect();
        let mut found = self::links(&found);
        expected.sort();
        found.sort();
        prop_assert_eq!(found, expected);
    }
}
