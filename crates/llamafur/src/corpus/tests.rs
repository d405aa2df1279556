//! Files whose checksums are in order and whose contents are not, as another program might have written them.

use super::*;
use crate::storage::{Existing, MANIFEST, SummingWriter, columns};
use arrow_array::{
    ArrayRef, LargeListArray, LargeStringArray, RecordBatch, StringArray, UInt32Array, UInt64Array,
};
use arrow_buffer::OffsetBuffer;
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_schema::{DataType, Field, Schema};
use std::io::Write;
use std::sync::Arc;

fn strings(names: &[&str]) -> ArrayRef {
    Arc::new(LargeStringArray::from_iter_values(names))
}

fn lists(rows: &[&[u32]]) -> ArrayRef {
    let item = Arc::new(Field::new("item", DataType::UInt32, false));
    let offsets = OffsetBuffer::<i64>::from_lengths(rows.iter().map(|row| row.len()));
    Arc::new(LargeListArray::new(item, offsets, Arc::new(UInt32Array::from(rows.concat())), None))
}

/// Three pages and two categories, in order.
fn corpus(dir: &tempfile::TempDir) -> PathBuf {
    let out = dir.path().join("a.corpus");
    let mut writer = CorpusWriter::create(&out, Existing::Refuse).unwrap();
    let links = ListColumn::from_iter([vec![1, 2], vec![0], vec![]]);
    let categories = ListColumn::from_iter([vec![0], vec![0, 1], vec![1]]);
    writer.write_pages(StringColumn::from_iter(["Io", "Jupiter", "Saturn"]), links, categories).unwrap();
    let parents = ListColumn::from_iter([vec![1], vec![]]);
    writer.write_categories(StringColumn::from_iter(["Moons", "Worlds"]), parents).unwrap();
    writer.finish(Provenance::default()).unwrap();
    out
}

fn arrow_file(schema: &Schema, batches: &[Vec<ArrayRef>], compression: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let mut writer = FileWriter::try_new_with_options(Vec::new(), schema, options).unwrap();
    for columns in batches {
        writer.write(&RecordBatch::try_new(Arc::new(schema.clone()), columns.clone()).unwrap()).unwrap();
    }
    writer.into_inner().unwrap()
}

/// Puts a file in place of one of the corpus, with all checksums made to fit.
fn forge(path: &Path, name: &str, bytes: &[u8]) {
    let mut manifest = Manifest::read(path).unwrap();
    let mut sums = read_blocks(path, &manifest).unwrap();
    let mut put = |name: &str, bytes: &[u8]| {
        let mut writer = SummingWriter::new(std::io::sink(), BLOCK);
        writer.write_all(bytes).unwrap();
        let summed = writer.finish().1;
        fs::write(path.join(name), bytes).unwrap();
        manifest.files.insert(name.into(), FileEntry { bytes: summed.bytes, checksum: summed.checksum });
        summed.blocks
    };
    sums.insert(name.into(), put(name, bytes));
    let names = StringArray::from_iter_values(sums.keys());
    let item = Arc::new(Field::new("item", DataType::UInt64, false));
    let offsets = OffsetBuffer::<i64>::from_lengths(sums.values().map(Vec::len));
    let values = UInt64Array::from(sums.values().flatten().copied().collect::<Vec<_>>());
    let blocks = LargeListArray::new(item, offsets, Arc::new(values), None);
    put(BLOCKS, &arrow_file(&schemas::blocks(), &[vec![Arc::new(names), Arc::new(blocks)]], None));
    fs::write(path.join(MANIFEST), manifest.to_json()).unwrap();
}

fn pages(titles: &[&str], links: &[&[u32]], categories: &[&[u32]]) -> Vec<ArrayRef> {
    vec![strings(titles), lists(links), lists(categories)]
}

const TITLES: [&str; 3] = ["Io", "Jupiter", "Saturn"];
const LINKS: [&[u32]; 3] = [&[1, 2], &[0], &[]];
const CARRIED: [&[u32]; 3] = [&[0], &[0, 1], &[1]];

#[test]
fn a_forged_file_with_the_old_contents_is_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let path = corpus(&dir);
    forge(&path, PAGES, &arrow_file(&schemas::pages(), &[pages(&TITLES, &LINKS, &CARRIED)], None));
    let corpus = Corpus::open(&path).unwrap();
    corpus.verify().unwrap();
    assert_eq!(corpus.links(PageId(0)).unwrap(), [PageId(1), PageId(2)]);
}

#[test]
fn has_link_is_true_of_the_links_and_of_no_other_pair() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = Corpus::open(corpus(&dir)).unwrap();
    let all = || (0..3).map(PageId);
    for (source, target) in all().flat_map(|source| all().map(move |target| (source, target))) {
        let expected = corpus.links(source).unwrap().contains(&target);
        assert_eq!(corpus.has_link(source, target).unwrap(), expected, "{source:?} → {target:?}");
    }
}

#[test]
fn ids_out_of_range_are_errors_where_they_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = corpus(&dir);
    let links: [&[u32]; 3] = [&[1, 3], &[0], &[]];
    let carried: [&[u32]; 3] = [&[0], &[0, 9], &[1]];
    forge(&path, PAGES, &arrow_file(&schemas::pages(), &[pages(&TITLES, &links, &carried)], None));
    let corpus = Corpus::open(&path).unwrap();
    assert!(corpus.links(PageId(0)).is_err() && corpus.categories(PageId(1)).is_err());
    assert_eq!(corpus.links(PageId(1)).unwrap(), [PageId(0)]);
    assert!(corpus.all_links().is_err() && corpus.all_categories().is_err() && corpus.verify().is_err());

    let parents = vec![strings(&["Moons", "Worlds"]), lists(&[&[7], &[]])];
    forge(&path, CATEGORIES, &arrow_file(&schemas::categories(), &[parents], None));
    let corpus = Corpus::open(&path).unwrap();
    assert!(corpus.parents(CategoryId(0)).is_err());

    // Folding “JUPITER” goes through the order of the folded titles.
    let order: ArrayRef = Arc::new(UInt32Array::from(vec![77, 78, 79]));
    forge(&path, FOLDED, &arrow_file(&schemas::folded(), &[vec![order]], None));
    let corpus = Corpus::open(&path).unwrap();
    assert!(corpus.find_page("JUPITER").is_err());
}

#[test]
fn what_is_out_of_order_is_found_by_verify() {
    let dir = tempfile::tempdir().unwrap();
    let path = corpus(&dir);
    let expect_disorder = |name: &str, schema: &Schema, columns: Vec<ArrayRef>, what: &str| {
        let before = fs::read(path.join(name)).unwrap();
        forge(&path, name, &arrow_file(schema, &[columns], None));
        let message = Corpus::open(&path).unwrap().verify().unwrap_err().to_string();
        assert!(message.contains(what) && message.contains(name), "{message}");
        forge(&path, name, &before);
        Corpus::open(&path).unwrap().verify().unwrap();
    };
    let pages_of =
        |titles: &[&str], links: [&[u32]; 3], carried: [&[u32]; 3]| pages(titles, &links, &carried);
    let schema = schemas::pages();
    expect_disorder(PAGES, &schema, pages_of(&TITLES, [&[2, 1], &[0], &[]], CARRIED), "out of order");
    expect_disorder(PAGES, &schema, pages_of(&TITLES, [&[1, 1], &[0], &[]], CARRIED), "out of order");
    expect_disorder(PAGES, &schema, pages_of(&TITLES, LINKS, [&[0], &[1, 0], &[1]]), "out of order");
    expect_disorder(PAGES, &schema, pages_of(&["Io", "Io", "X"], LINKS, CARRIED), "titles out of order");
    let names = vec![strings(&["Worlds", "Moons"]), lists(&[&[1], &[]])];
    expect_disorder(CATEGORIES, &schemas::categories(), names, "names out of order");
}

#[test]
fn tables_of_another_shape_are_not_opened() {
    let dir = tempfile::tempdir().unwrap();
    let path = corpus(&dir);
    let whole = pages(&TITLES, &LINKS, &CARRIED);
    let small_strings: ArrayRef = Arc::new(StringArray::from_iter_values(TITLES));
    let small_schema = Schema::new(vec![
        Field::new("title", DataType::Utf8, false),
        Field::new("links", columns::lists_type(), false),
        Field::new("categories", columns::lists_type(), false),
    ]);
    let two_columns = Schema::new(schemas::pages().fields()[..2].to_vec());
    let schema = schemas::pages();
    let forged = [
        (
            "title Utf8",
            arrow_file(&small_schema, &[vec![small_strings, whole[1].clone(), whole[2].clone()]], None),
        ),
        ("title LargeUtf8, links", arrow_file(&two_columns, &[whole[..2].to_vec()], None)),
        ("2 record batches", arrow_file(&schema, &[whole.clone(), whole.clone()], None)),
        ("0 record batches", arrow_file(&schema, &[], None)),
        ("another kind", arrow_file(&schema, std::slice::from_ref(&whole), Some(CompressionType::ZSTD))),
        ("2 pages", arrow_file(&schema, &[pages(&TITLES[..2], &LINKS[..2], &CARRIED[..2])], None)),
        ("2 links", arrow_file(&schema, &[pages(&TITLES, &[&[1], &[0], &[]], &CARRIED)], None)),
    ];
    for (what, bytes) in forged {
        forge(&path, PAGES, &bytes);
        let message = Corpus::open(&path).unwrap_err().to_string();
        assert!(message.contains(what) && message.contains(PAGES), "{what}: {message}");
    }
}
