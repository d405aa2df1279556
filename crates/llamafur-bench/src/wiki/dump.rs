//! The wiki as a dump: made on all threads, written in order, in the memory of a few thousand pages.

use super::text::Article;
use super::{CATEGORIES_OF_TEN, MAINTENANCE, Target, Wiki};
use bzip2::Compression;
use bzip2::write::BzEncoder;
use rayon::prelude::*;
use std::fmt::{Arguments, Write as _};
use std::io::{self, Write};

/// Articles of a piece, which is made by one thread and packed by itself.
const PIECE: u64 = 256;
/// Pieces for each thread that are made before they are written.
const PIECES_A_THREAD: usize = 8;

const HEAD: &str = "<mediawiki version=\"0.11\" xml:lang=\"en\">\n<siteinfo><dbname>benchwiki</dbname><namespaces>\
    <namespace key=\"14\" case=\"first-letter\">Category</namespace></namespaces></siteinfo>\n";
const TAIL: &str = "</mediawiki>\n";

/// How a dump is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// Not at all.
    Plain,
    /// The quickest to write.
    Zstd,
    /// Many streams, as Wikimedia does.
    Bzip2,
}

impl Packing {
    fn pack(self, text: String) -> io::Result<Vec<u8>> {
        match self {
            Packing::Plain => Ok(text.into_bytes()),
            Packing::Zstd => zstd::bulk::compress(text.as_bytes(), 1),
            Packing::Bzip2 => {
                let mut encoder = BzEncoder::new(Vec::new(), Compression::best());
                encoder.write_all(text.as_bytes())?;
                encoder.finish()
            }
        }
    }
}

impl Wiki {
    /// Writes the wiki as MediaWiki would export it, page after page in the order of their numbers; gives the bytes of
    /// XML.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write_dump(&self, packing: Packing, out: &mut (dyn Write + Send)) -> io::Result<u64> {
        out.write_all(&packing.pack(HEAD.into())?)?;
        let mut bytes = (HEAD.len() + TAIL.len()) as u64;
        let at_once = PIECES_A_THREAD * rayon::current_num_threads();
        let pieces: Vec<u64> = (0..self.articles).step_by(PIECE as usize).collect();
        let mut made: Vec<(usize, Vec<u8>)> = Vec::new();
        for pieces in pieces.chunks(at_once) {
            let make = || {
                let pieces = pieces.par_iter().map(|&first| {
                    let xml = self.piece(first);
                    Ok((xml.len(), packing.pack(xml)?))
                });
                pieces.collect::<io::Result<Vec<_>>>()
            };
            let write = || made.iter().try_for_each(|(_, packed)| out.write_all(packed));
            let (next, written) = rayon::join(make, write);
            written?;
            made = next?;
            bytes += made.iter().map(|(bytes, _)| *bytes as u64).sum::<u64>();
        }
        made.iter().try_for_each(|(_, packed)| out.write_all(packed))?;
        out.write_all(&packing.pack(TAIL.into())?)?;
        out.flush()?;
        Ok(bytes)
    }

    /// Some articles, and redirects and categories between them.
    fn piece(&self, first: u64) -> String {
        let mut xml = String::new();
        if first == 0 {
            (0..MAINTENANCE).for_each(|category| self.category(category, &mut xml));
        }
        for number in first..(first + PIECE).min(self.articles) {
            self.article(number, &mut xml);
            self.push_redirect(number, &mut xml);
            for category in number * CATEGORIES_OF_TEN / 10..(number + 1) * CATEGORIES_OF_TEN / 10 {
                self.category(MAINTENANCE + category, &mut xml);
            }
        }
        xml
    }

    fn article(&self, number: u64, xml: &mut String) {
        let title = |xml: &mut String| self.push_title(Target::Article(number), xml);
        page(0, number, title, None, |xml| Article::write(self, number, xml), xml);
    }

    fn push_redirect(&self, number: u64, xml: &mut String) {
        let mut target = String::new();
        self.push_title(Target::Article(self.redirect(number)), &mut target);
        let title = |xml: &mut String| self.push_title(Target::Redirect(number), xml);
        let text = |xml: &mut String| push(xml, format_args!("#REDIRECT [[{target}]]"));
        page(0, self.articles + number, title, Some(&target), text, xml);
    }

    fn category(&self, category: u64, xml: &mut String) {
        let name = |xml: &mut String| {
            xml.push_str("Category:");
            self.push_category(category, xml);
        };
        let text = |xml: &mut String| {
            if Wiki::is_hidden(category) {
                xml.push_str("__HIDDENCAT__\n");
            }
            for parent in self.parents(category) {
                xml.push_str("[[Category:");
                self.push_category(parent, xml);
                xml.push_str("]]\n");
            }
        };
        page(14, 2 * self.articles + category, name, None, text, xml);
    }
}

/// Appends a page with what a dump says about its revision.
fn page(
    namespace: u32,
    id: u64,
    title: impl FnOnce(&mut String),
    redirect: Option<&str>,
    text: impl FnOnce(&mut String),
    xml: &mut String,
) {
    xml.push_str("  <page>\n    <title>");
    title(xml);
    push(xml, format_args!("</title>\n    <ns>{namespace}</ns>\n    <id>{id}</id>\n"));
    if let Some(target) = redirect {
        push(xml, format_args!("    <redirect title=\"{target}\" />\n"));
    }
    let hash = (id + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    push(xml, format_args!("    <revision>\n      <id>{}</id>\n", 1_000_000_000 + id));
    push(xml, format_args!("      <timestamp>20{}-05-17T10:23:45Z</timestamp>\n", 10 + hash % 15));
    push(xml, format_args!("      <contributor><username>User {}</username></contributor>\n", hash % 9_973));
    xml.push_str("      <model>wikitext</model>\n      <format>text/x-wiki</format>\n");
    xml.push_str("      <text xml:space=\"preserve\">");
    text(xml);
    push(xml, format_args!("</text>\n      <sha1>{hash:031x}</sha1>\n    </revision>\n  </page>\n"));
}

fn push(xml: &mut String, text: Arguments<'_>) {
    xml.write_fmt(text).expect("a string takes all");
}
