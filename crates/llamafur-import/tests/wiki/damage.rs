//! Damaged and cut files: an error with the place, or with `KeepGoing` all that is whole and a list of what is not.

use crate::common::{Desk, gz, zst};
use crate::dump::{Made, bz2, error, import_files, large};
use llamafur_import::wiki::{Damage, WikiConf};

const PAGES: u32 = 300;

fn keep_going(desk: &Desk, name: &str, content: &[u8]) -> Made {
    let file = desk.file(name, content);
    import_files(desk, WikiConf::new([file]).damage(Damage::KeepGoing)).unwrap()
}

#[test]
fn a_damaged_block_is_reported_with_its_place_and_the_last_good_page() {
    let desk = Desk::new();
    let mut packed = bz2(large(PAGES).xml().as_bytes(), 1);
    let at = packed.len() / 2;
    packed[at] ^= 0x10;
    let file = desk.file("damaged.xml.bz2", &packed);
    let message = error(&desk, WikiConf::new([file]));
    for part in [
        "damaged.xml.bz2: bytes ",
        "checksum",
        "the last good page is \"Page ",
        "keep_going",
        "nothing was written",
    ] {
        assert!(message.contains(part), "{part:?} is not in: {message}");
    }
    let made = keep_going(&desk, "again.xml.bz2", &packed);
    let account = &made.imported.account;
    let loss = &account.losses[0];
    assert_eq!(account.losses.len(), 1);
    assert!((loss.from..=loss.to).contains(&(at as u64)), "{loss:?} without {at}");
    let number = |title: &Option<String>| -> u32 { title.as_ref().unwrap()[5..].parse().unwrap() };
    let (last, next) = (number(&loss.last_good), number(&loss.next_good));
    assert!(last < next);
    // Exactly the pages between the last good one and the next are missing.
    let expected =
        (0..PAGES).filter(|page| *page <= last || *page >= next).map(|page| format!("Page {page}"));
    assert!(made.contents.pages.iter().eq(expected.collect::<std::collections::BTreeSet<_>>().iter()));
    assert!(made.imported.warnings[0].contains("lost: again.xml.bz2: bytes"), "{:?}", made.imported.warnings);
}

#[test]
fn a_cut_file_is_an_error_wherever_it_is_cut() {
    let desk = Desk::new();
    let xml = large(PAGES).xml();
    let packed = bz2(xml.as_bytes(), 3);
    let (gz, zst) = (gz(xml.as_bytes()), zst(xml.as_bytes()));
    for (name, bytes) in [("a.xml", xml.as_bytes()), ("a.bz2", &packed), ("a.gz", &gz), ("a.zst", &zst)] {
        for share in [1, 3, 5, 8, 9, 10] {
            // The very end of plain XML is a line break, which nobody misses.
            let cut = (bytes.len() * share / 10).min(bytes.len() - 3);
            let file = desk.file(name, &bytes[..cut]);
            let message = error(&desk, WikiConf::new([file]));
            assert!(
                message.contains(name) && message.contains("nothing was written"),
                "{name} at {cut}: {message}"
            );
        }
    }
}

#[test]
fn what_is_whole_of_a_cut_file_comes_in() {
    let desk = Desk::new();
    let xml = large(PAGES).xml();
    let made = keep_going(&desk, "cut.xml", &xml.as_bytes()[..xml.len() / 2]);
    let pages = made.contents.pages.len() as u32;
    assert!(pages > PAGES / 3 && pages < PAGES * 2 / 3, "{pages}");
    let loss = &made.imported.account.losses[0];
    assert_eq!(loss.last_good.as_deref(), Some(format!("Page {}", pages - 1).as_str()));
    assert_eq!(loss.why, "the file ends in the middle of a page");
    let packed = gz(xml.as_bytes());
    let made = keep_going(&desk, "cut.xml.gz", &packed[..packed.len() / 2]);
    assert!(made.contents.pages.len() > 50);
    assert_eq!(made.imported.account.losses.len(), 1);
}

#[test]
fn damage_of_a_gz_or_zst_file_is_reported_where_it_is_and_not_at_the_end() {
    let desk = Desk::new();
    let xml = large(PAGES).xml();
    for (name, mut packed) in [("a.xml.gz", gz(xml.as_bytes())), ("a.xml.zst", zst(xml.as_bytes()))] {
        let (length, at) = (packed.len(), packed.len() / 4);
        packed[at..at + 64].fill(0xFF);
        let made = keep_going(&desk, name, &packed);
        let [loss] = &made.imported.account.losses[..] else { panic!("{:?}", made.imported.warnings) };
        assert!(loss.from < length as u64 / 2 && loss.to == length as u64, "{name}: {loss}");
        assert!(loss.why.starts_with("the compressed data is damaged"), "{name}: {loss}");
    }
    // A checksum that is wrong says nothing about the place.
    let mut packed = gz(xml.as_bytes());
    let checksum = packed.len() - 8;
    packed[checksum] ^= 1;
    let made = keep_going(&desk, "b.xml.gz", &packed);
    let loss = &made.imported.account.losses[0];
    assert!(loss.from == 0 && loss.why.contains("a place that cannot be known"), "{loss}");
}

#[test]
fn any_flipped_byte_is_an_error_or_changes_nothing() {
    let desk = Desk::new();
    let packed = bz2(large(12).xml().as_bytes(), 2);
    let whole = keep_going(&desk, "whole.bz2", &packed).contents;
    for at in (0..packed.len()).step_by(packed.len() / 60) {
        let mut flipped = packed.clone();
        flipped[at] ^= 1 << (at % 8);
        let file = desk.file("flipped.bz2", &flipped);
        match import_files(&desk, WikiConf::new([file])) {
            Ok(made) => assert_eq!(made.contents, whole, "byte {at}"),
            Err(error) => assert!(error.to_string().contains("flipped.bz2"), "byte {at}: {error}"),
        }
    }
}

#[test]
fn one_damaged_part_of_several_is_named() {
    let desk = Desk::new();
    let parts = large(PAGES).parts(3);
    let files: Vec<_> = parts
        .iter()
        .enumerate()
        .map(|(i, part)| {
            let mut packed = bz2(part.as_bytes(), 1);
            if i == 1 {
                packed.truncate(packed.len() * 2 / 3);
            }
            desk.file(&format!("part{i}.bz2"), packed)
        })
        .collect();
    let message = error(&desk, WikiConf::new(files.clone()));
    assert!(message.starts_with("part1.bz2: bytes ") && message.contains("the last good page"), "{message}");
    let made = import_files(&desk, WikiConf::new(files).damage(Damage::KeepGoing)).unwrap();
    assert!(made.contents.pages.contains("Page 299") && made.contents.pages.contains("Page 0"));
}
