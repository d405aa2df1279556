//! Dumps made by hand.

use crate::common::{Contents, Desk};
use llamafur::corpus::Corpus;
use llamafur::progress::Silent;
use llamafur_import::wiki::{Imported, WikiConf, WikiError, import};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

/// A dump in the making.
#[derive(Clone, Default)]
pub(crate) struct Dump {
    pages: Vec<String>,
}

pub(crate) const HEAD: &str = "<mediawiki xmlns=\"http://www.mediawiki.org/xml/export-0.11/\" version=\"0.11\" xml:lang=\"en\">\n\
    <siteinfo><sitename>Test</sitename><dbname>testwiki</dbname><case>first-letter</case><namespaces>\n\
    <namespace key=\"0\" case=\"first-letter\" /><namespace key=\"6\" case=\"first-letter\">File</namespace>\n\
    <namespace key=\"14\" case=\"first-letter\">Category</namespace></namespaces></siteinfo>\n";
pub(crate) const TAIL: &str = "</mediawiki>\n";

pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

impl Dump {
    pub(crate) fn new() -> Dump {
        Dump::default()
    }

    /// A page as it stands in the XML.
    pub(crate) fn raw(mut self, xml: impl Into<String>) -> Dump {
        self.pages.push(xml.into());
        self
    }

    /// A page of a namespace and a revision.
    pub(crate) fn revision(self, namespace: i32, title: &str, revision: u32, text: &str) -> Dump {
        let (title, text) = (escape(title), escape(text));
        self.raw(format!(
            "<page><title>{title}</title><ns>{namespace}</ns><id>{revision}</id><revision><id>{revision}</id>\
             <model>wikitext</model><text xml:space=\"preserve\">{text}</text></revision></page>\n"
        ))
    }

    /// An article.
    pub(crate) fn page(self, title: &str, text: &str) -> Dump {
        let revision = self.pages.len() as u32 + 1;
        self.revision(0, title, revision, text)
    }

    /// A category.
    pub(crate) fn category(self, name: &str, text: &str) -> Dump {
        let revision = self.pages.len() as u32 + 1;
        self.revision(14, &format!("Category:{name}"), revision, text)
    }

    /// A redirect.
    pub(crate) fn redirect(self, title: &str, target: &str) -> Dump {
        let (title, to, text) = (escape(title), escape(target), escape(&format!("#REDIRECT [[{target}]]")));
        self.raw(format!(
            "<page><title>{title}</title><ns>0</ns><redirect title=\"{to}\" /><revision><text>{text}</text></revision></page>\n"
        ))
    }

    /// The pages as a file.
    pub(crate) fn xml(&self) -> String {
        format!("{HEAD}{}{TAIL}", self.pages.concat())
    }

    /// The pages as several files, whatever comes of it.
    pub(crate) fn parts(&self, count: usize) -> Vec<String> {
        let size = self.pages.len().div_ceil(count).max(1);
        self.pages.chunks(size).map(|pages| format!("{HEAD}{}{TAIL}", pages.concat())).collect()
    }

    /// Imports the dump and reads the corpus.
    pub(crate) fn import(&self) -> Made {
        let desk = Desk::new();
        let file = desk.file("dump.xml", self.xml());
        import_files(&desk, WikiConf::new([file])).unwrap()
    }
}

/// A corpus that was made.
pub(crate) struct Made {
    pub imported: Imported,
    pub contents: Contents,
    pub redirects: BTreeMap<String, String>,
    /// The wikitext of each page.
    pub wikitext: BTreeMap<String, String>,
}

impl Made {
    /// The links of a page.
    pub(crate) fn links(&self, page: &str) -> Vec<&str> {
        let links = self.contents.links.iter().filter(|(source, _)| source == page);
        links.map(|(_, target)| target.as_str()).collect()
    }

    /// The categories of a page.
    pub(crate) fn categories(&self, page: &str) -> Vec<&str> {
        let categories = self.contents.categories.iter().filter(|(owner, _)| owner == page);
        categories.map(|(_, category)| category.as_str()).collect()
    }
}

/// Imports files into a new corpus, and reads it.
pub(crate) fn import_files(desk: &Desk, conf: WikiConf) -> Result<Made, WikiError> {
    let free = (0..).map(|n| desk.path(&format!("{n}.corpus"))).find(|path| !path.exists()).unwrap();
    let imported = import(&conf, &free, &mut Silent)?;
    let corpus = Corpus::open(&free).unwrap();
    let redirects = (0..corpus.num_redirects()).map(|row| {
        let (title, page) = corpus.redirect(row).unwrap();
        (title.to_owned(), corpus.title(page).unwrap().to_owned())
    });
    let pages = (0..corpus.num_pages() as u32).map(llamafur::graph::PageId);
    let wikitext = pages.filter_map(|page| {
        Some((corpus.title(page).unwrap().to_owned(), corpus.stored_text(page).unwrap()?))
    });
    Ok(Made {
        contents: Contents::read(&corpus),
        redirects: redirects.collect(),
        wikitext: wikitext.collect(),
        imported,
    })
}

/// Problem and remedy of an import that fails, which must leave nothing behind.
pub(crate) fn error(desk: &Desk, conf: WikiConf) -> String {
    let out = desk.path("refused.corpus");
    let error = import(&conf, &out, &mut Silent).unwrap_err();
    let message = format!("{error}; {:?}", error.remedy());
    let left = std::fs::read_dir(desk.path(""))
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok());
    let left: Vec<String> = left.filter(|name| name.contains("refused")).collect();
    assert!(left.is_empty(), "{left:?} left after: {message}");
    message
}

/// Compressed with bzip2, level 1 so that there are several blocks, in so many streams.
pub(crate) fn bz2(content: &[u8], streams: usize) -> Vec<u8> {
    let size = content.len().div_ceil(streams).max(1);
    let pack = |part: &[u8]| {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        encoder.write_all(part).unwrap();
        encoder.finish().unwrap()
    };
    content.chunks(size).flat_map(pack).collect()
}

/// A dump of some hundred pages, enough for several blocks, with text that does not compress to nothing.
pub(crate) fn large(pages: u32) -> Dump {
    let mut dump = Dump::new();
    let mut state = 1u32;
    let mut draw = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % below
    };
    for page in 0..pages {
        let mut text = String::new();
        for _ in 0..30 {
            let word = format!("{:x}", draw(1 << 24));
            text.push_str(&format!("word{word} [[page {}|{word}]], ", draw(pages + 3)));
        }
        text.push_str(&format!("[[Category:Kind {}]][[Category:Kind {}]]", draw(9), draw(9)));
        dump = dump.page(&format!("Page {page}"), &text);
    }
    (0..9).fold(dump, |dump, kind| {
        dump.category(&format!("Kind {kind}"), &format!("[[Category:Kind {}]]", kind / 2))
    })
}

/// Writes parts and gives their paths.
pub(crate) fn write_parts(desk: &Desk, parts: &[String]) -> Vec<PathBuf> {
    parts.iter().enumerate().map(|(i, part)| desk.file(&format!("part{i}.xml"), part)).collect()
}
