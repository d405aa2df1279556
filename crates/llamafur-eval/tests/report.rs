//! A report with every kind of block, from made-up data. With `LLAMAFUR_REPORT_DIR` set, it is written there to be
//! looked at.

#[path = "../../llamafur-figures/tests/common/mod.rs"]
mod common;

use common::{CUTS, Lcg, boxes, category, curves, dots, name, panels, sizes, well_formed};
use llamafur::storage::Existing::{Refuse, Replace};
use llamafur_eval::report::{Cell, Column, Figure, HtmlReport, Section, Table, Text};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

const EVIL: &str = "</script><b>&\"' ]]> <!-- \u{1}";
const SCORERS: usize = 12;

fn report() -> HtmlReport {
    HtmlReport::new("How well LlamaFur finds unexpected links")
        .lede("LlamaFur ranks the links of a page by how unexpected they are. Here it is measured against 3,698 judgments of the paper, beside the scorers the paper compares it with.")
        .section(results())
        .section(classes())
        .section(learning())
        .section(hostile())
        .section(provenance())
}

fn results() -> Section {
    let lead = Text::from("The averages of bpref are in ")
        .table("bpref")
        .plain(". A link is ")
        .emphasis("relevant")
        .plain(" if it was judged ")
        .code("U")
        .plain(" or ")
        .code("TU")
        .plain("; links that nobody judged do not count. The measure is described by ")
        .link("Buckley and Voorhees", "https://doi.org/10.1145/1008992.1009000")
        .plain(".");
    Section::new("Results")
        .paragraph(lead)
        .table(bpref())
        .figure(Figure::new(
            "bpref",
            "Average bpref with 95 % intervals; the band is chance ± one standard deviation.",
            |width| dots(SCORERS, width),
        ))
        .paragraph("At each cut, precision and recall are averaged over the pages.")
        .figure(Figure::new("precision-recall", "Precision by recall, averaged over pages.", |width| {
            curves(SCORERS, width)
        }))
        .table(cuts())
}

fn bpref() -> Table {
    let mut random = Lcg(3);
    let mut table = Table::new(
        "bpref",
        "Average bpref of each scorer over 117 pages, with 95 % intervals by bootstrap over pages.",
    )
    .column(Column::text("Scorer"))
    .column(Column::text("Input"))
    .column(Column::number("bpref").note("average"))
    .column(Column::number("Interval").note("95 %"))
    .column(Column::number("Pages"));
    for number in 0..SCORERS {
        let value = 0.2 + 0.2 * random.next();
        let bpref = Cell::number(value, 3).bar(value / 0.4);
        table = table.row([
            Cell::new(name(number)),
            Cell::new(["graph", "graph, categories", "bag of words"][number % 3]),
            if number == 0 { bpref.best() } else { bpref },
            Cell::new(format!("{:.3}–{:.3}", value - 0.05, value + 0.05)),
            if number == 4 { Cell::missing() } else { Cell::count(117 + 1000 * number as u64) },
        ]);
    }
    table
}

/// A table that is wider than a phone.
fn cuts() -> Table {
    let mut random = Lcg(9);
    let mut table = Table::new("precision", "Precision after the first part of each page's links.")
        .column(Column::text("Scorer"));
    for cut in CUTS {
        table = table.column(Column::number(cut));
    }
    for number in 0..5 {
        let numbers = CUTS.map(|_| Cell::number(random.next(), 3));
        table = table.row([Cell::new(name(number))].into_iter().chain(numbers));
    }
    table
}

fn classes() -> Section {
    Section::new("Scores by class")
        .paragraph("A scorer that knows expected links from unexpected ones has boxes that rise from left to right.")
        .figure(Figure::new("classes", "Scores by class: quartiles, median (red) and whiskers of 1.5 times the distance of the quartiles.", |width| {
            boxes(6, width)
        }))
}

fn learning() -> Section {
    let table = Table::new("cross-validation", "Ten-fold cross-validation: average and standard deviation.")
        .column(Column::text("Measure"))
        .column(Column::number("Result"))
        .row(["Accuracy", "87.3 % ± 0.06"].map(Cell::new))
        .row(["F-measure", "86.9 % ± 0.07"].map(Cell::new));
    Section::new("Learning")
        .paragraph("More categories need more memory: a dense matrix grows with their square.")
        .table(table)
        .figure(Figure::new(
            "categories",
            "F-measure by the number of categories, and what a dense matrix takes.",
            |width| sizes(3, width),
        ))
        .figure(Figure::new(
            "truth",
            "How much of a known matrix is found, by the number of links.",
            |width| panels(2, width),
        ))
}

/// Whatever the data hold, it must stay text.
fn hostile() -> Section {
    let table = Table::new(EVIL, EVIL)
        .column(Column::text(EVIL).note(EVIL))
        .row([EVIL].map(Cell::new))
        .row(["tab\there\nnewline"].map(Cell::new));
    Section::new(&format!("Names that try to break out {EVIL}"))
        .paragraph(
            Text::from(EVIL).code(EVIL).emphasis(EVIL).link(EVIL, EVIL).link(EVIL, "javascript:alert(1)"),
        )
        .table(table.clone())
        .table(table)
        .figure(Figure::new("dots 1", EVIL, |width| dots(1, width)))
        .figure(Figure::new("category", EVIL, |width| category(12, width)))
        .settings([(EVIL, EVIL)])
}

fn provenance() -> Section {
    let settings = [
        ("Corpus", Text::from("enwiki-20140203, 4,514,662 pages, 110,699,703 links")),
        (
            "Command",
            Text::default()
                .code("a command with many words and a rather long name of a file: unexpectedness.tsv"),
        ),
        (
            "Checksum",
            Text::default().code("b3:8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4"),
        ),
        ("Seed", Text::from("7")),
    ];
    Section::new("Settings and provenance").settings(settings)
}

/// The report's folder, written once for all tests.
fn written() -> PathBuf {
    static FOLDER: OnceLock<(PathBuf, Option<tempfile::TempDir>)> = OnceLock::new();
    let write = || {
        let (folder, kept) = match std::env::var_os("LLAMAFUR_REPORT_DIR") {
            Some(folder) => (PathBuf::from(folder), None),
            None => {
                let folder = tempfile::tempdir().expect("a temporary folder");
                (folder.path().to_owned(), Some(folder))
            }
        };
        report().write(&folder, Refuse).expect("it can be written");
        (folder, kept)
    };
    FOLDER.get_or_init(write).0.clone()
}

fn read(path: PathBuf) -> String {
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_document_is_well_formed_and_needs_nothing_from_elsewhere() {
    let folder = written();
    let html = read(folder.join("index.html"));
    let ids = well_formed(&html);
    let distinct: BTreeSet<&String> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len(), "an id is there twice: {ids:?}");
    for wrong in
        ["<script", "<link", "<img", "<iframe", " src=", "@import", "url(", " onload", "javascript:", "<b>&"]
    {
        assert!(!html.contains(wrong), "{wrong}");
    }
    // Addresses stand in links only, which wait for the reader, and in names of formats.
    for (at, _) in html.match_indices("http") {
        let before = &html[..at];
        assert!(
            before.ends_with("<a href=\"") || before.ends_with("xmlns=\""),
            "{}",
            &html[at - 40..at + 40]
        );
    }
    for place in html.split("href=\"#").skip(1).map(|rest| rest.split('"').next().unwrap_or_default()) {
        assert!(ids.iter().any(|id| id == place), "nothing is called {place}");
    }
    for text in [">Table\u{a0}1</a>", "<b>Table\u{a0}5.</b>", "<b>Figure\u{a0}6.</b>"] {
        assert!(html.contains(text), "{text}");
    }
}

#[test]
fn the_style_of_figures_is_there_once_and_within_them() {
    let html = report().html();
    assert_eq!(html.matches("<style>").count(), 1);
    let style = llamafur_figures::style();
    assert!(html.contains(&style));
    let rules = style.split('{').filter_map(|part| part.rsplit('}').next()).map(str::trim);
    for selector in
        rules.filter(|rule| !rule.is_empty() && !rule.starts_with('@')).flat_map(|rule| rule.split(", "))
    {
        assert!(selector.starts_with(".plot"), "{selector}");
    }
}

#[test]
fn each_figure_and_table_is_a_file_that_stands_alone() {
    let folder = written();
    let html = read(folder.join("index.html"));
    let mut files = 0;
    for file in html.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap_or_default()) {
        if file.ends_with(".svg") {
            let svg = read(folder.join(file));
            well_formed(&svg);
            assert!(svg.starts_with("<svg xmlns=") && svg.contains("<style>"));
            files += 1;
        } else if file.ends_with(".tsv") {
            let tsv = read(folder.join(file));
            let widths: BTreeSet<usize> = tsv.lines().map(|line| line.split('\t').count()).collect();
            assert_eq!(widths.len(), 1, "{file}: {tsv}");
            files += 1;
        }
    }
    assert_eq!(files, 7 + 5);
    let bpref = read(folder.join("tables/bpref.tsv"));
    assert!(
        bpref.starts_with("Scorer\tInput\tbpref\tInterval\tPages\n") && bpref.lines().count() == SCORERS + 1
    );
    assert!(folder.join("tables/script-b.tsv").exists() && folder.join("tables/script-b-2.tsv").exists());
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn the_same_report_gives_the_same_bytes_and_other_files_are_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    report().write(folder.path(), Refuse).expect("it can be written");
    let first = read(folder.path().join("index.html"));
    fs::write(folder.path().join("notes.txt"), "mine").expect("it can be written");
    report().write(folder.path(), Refuse).expect("it can be written again");
    assert_eq!(first, read(folder.path().join("index.html")));
    assert_eq!(read(folder.path().join("notes.txt")), "mine");
}

#[test]
fn a_folder_with_other_files_is_refused_unless_it_may_be_overwritten() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path();
    fs::write(path.join("notes.txt"), "mine").expect("it can be written");
    for error in [HtmlReport::check(path, Refuse), report().write(path, Refuse)] {
        let error = error.expect_err("it is another's folder");
        assert!(error.to_string().contains("files that are not of a report"), "{error}");
        assert!(format!("{:?}", error.remedy()).contains("overwrite"));
    }
    report().write(path, Replace).expect("it may be overwritten");
    assert_eq!(read(path.join("notes.txt")), "mine");
}

#[test]
fn a_file_that_is_not_of_a_report_is_not_replaced_by_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path();
    // A file of the same name that is not the list of a report.
    for (file, text) in [("index.html", "mine"), ("files.txt", "index.html\n"), ("tables/bpref.tsv", "mine")]
    {
        fs::create_dir_all(path.join("tables")).expect("it can be made");
        fs::write(path.join(file), text).expect("it can be written");
        for existing in [Refuse, Replace] {
            let error = report().write(path, existing).expect_err("it is another's file");
            let said = format!("{error} {:?}", error.remedy());
            let is_certain = existing == Replace || !file.contains('/');
            assert!(!is_certain || (said.contains(file) && !said.contains("overwrite")), "{said}");
        }
        assert_eq!(read(path.join(file)), text);
        fs::remove_file(path.join(file)).expect("it can be removed");
    }
    // Of a report that is there, too.
    report().write(path, Replace).expect("nothing is in the way");
    fs::write(path.join("more.txt"), "mine").expect("it can be written");
    let error =
        report().file("more.txt", "ours".to_owned()).write(path, Refuse).expect_err("it is in the way");
    assert!(error.to_string().contains("more.txt"), "{error}");
}

#[test]
fn the_files_of_the_earlier_report_are_removed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path();
    report().file("trec/qrels", "q".to_owned()).write(path, Refuse).expect("it can be written");
    fs::write(path.join("tables/mine.tsv"), "mine").expect("it can be written");
    let figure = Figure::new("bpref", "", |width| dots(1, width));
    let small = HtmlReport::new("Small").section(Section::new("A figure").figure(figure));
    small.write(path, Refuse).expect("it can be written again");
    assert_eq!(names_in(path), ["figures", "files.txt", "index.html", "tables"]);
    assert_eq!(names_in(&path.join("figures")), ["bpref.svg"]);
    assert_eq!(names_in(&path.join("tables")), ["mine.tsv"]);
    let list = read(path.join("files.txt"));
    assert_eq!(list.lines().skip(1).collect::<Vec<_>>(), ["figures/bpref.svg", "index.html"]);
}

#[test]
fn a_list_that_was_changed_leads_nowhere_else() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("report");
    report().write(&path, Refuse).expect("it can be written");
    let outside = folder.path().join("outside");
    fs::write(&outside, "mine").expect("it can be written");
    let list = read(path.join("files.txt")) + "../outside\n" + &outside.display().to_string() + "\n";
    fs::write(path.join("files.txt"), list).expect("it can be written");
    HtmlReport::new("Nothing").write(&path, Refuse).expect("it can be written again");
    assert_eq!(read(outside), "mine");
    assert_eq!(names_in(&path), ["files.txt", "index.html"]);
}

#[test]
fn errors_carry_the_path() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("figures"), "in the way").expect("it can be written");
    let error = report().write(folder.path(), Replace).expect_err("a file is in the way").to_string();
    assert!(error.contains("figures"), "{error}");
    assert!(!folder.path().join("index.html").exists());
}

#[test]
fn the_link_is_marked_in_its_sentence() {
    let table = Table::new("links", "").column(Column::text("sentence")).row([Cell::new(Text::marked(
        "A <b> is [[a & b]] here.",
        "[[",
        "]]",
    ))]);
    let html = HtmlReport::new("").section(Section::new("").table(table)).html();
    assert!(html.contains("A &lt;b&gt; is <mark>a &amp; b</mark> here."));
}

#[test]
fn an_empty_report_is_a_title() {
    let html = HtmlReport::new("Nothing").html();
    well_formed(&html);
    assert!(html.contains("<h1>Nothing</h1>") && !html.contains("<nav"));
}
