//! `llamafur import wiki`: converts a dump to a corpus.

use crate::cmd::args::ThreadArgs;
use crate::output::{Grid, OutputArgs, Render, print, say, thousands};
use anyhow::Result;
use clap::Args;
use llamafur::corpus::Counts;
use llamafur::human_bytes;
use llamafur::progress::Progress;
use llamafur::storage::Existing;
use llamafur_import::wiki::{self, Damage, Hidden, Imported, Text, WikiAccount, WikiConf};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

/// Options of `import wiki`.
#[derive(Debug, Args)]
#[command(after_help = "\
The dump is the file that Wikimedia calls pages-articles, with or without multistream; its parts
can be given in any order. All cores decompress and scan. While it runs, the import needs some disk
beside the corpus: half of the bytes of the articles' wikitext (none with --no-text) and 16 bytes a
link.

The SQL dumps of a wiki's tables do as well: page, pagelinks, categorylinks, redirect, linktarget, and page_props for hidden
categories. They have the links that templates make, and no text. So do the dumps of CirrusSearch's index (cirrus_search_index, cirrussearch),
which have plain text. Files of one kind go into one call.

Examples:
  llamafur import wiki simplewiki-latest-pages-articles-multistream.xml.bz2 --out simple.corpus
  llamafur import wiki enwiki-*-pages-articles*.xml-p*.bz2 --out en.corpus
  llamafur import wiki enwiki-latest-{page,pagelinks,linktarget,categorylinks,redirect,page_props}.sql.gz --out en.corpus
  llamafur import wiki enwiki_content-*.json.bz2 enwiki_general-*.json.bz2 --out en.corpus
  7z x -so history.7z | llamafur import wiki - --out my.corpus")]
pub struct WikiArgs {
    /// The dump: one file or several, or - for the standard input.
    #[arg(value_name = "DUMP", required = true)]
    dump: Vec<PathBuf>,
    /// The corpus to write.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Store the wikitext, for snippets and for scorers that use text; the default.
    #[arg(long, overrides_with = "no_text")]
    text: bool,
    /// Do not store the wikitext.
    #[arg(long, overrides_with = "text")]
    no_text: bool,
    /// Import hidden categories, too.
    #[arg(long)]
    keep_hidden: bool,
    /// Import the undamaged pages of a damaged dump, and list what was lost.
    #[arg(long)]
    keep_going: bool,
    /// Replace an existing corpus.
    #[arg(long)]
    overwrite: bool,
    /// Memory for sorting the links, in MiB; what does not fit goes to disk.
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    buffer: u32,
    #[command(flatten)]
    threads: ThreadArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: WikiArgs, progress: &mut dyn Progress) -> Result<()> {
    args.threads.apply()?;
    let started = Instant::now();
    let conf = WikiConf::new(args.dump)
        .existing(if args.overwrite { Existing::Replace } else { Existing::Refuse })
        .text(if args.no_text { Text::LeaveOut } else { Text::Keep })
        .hidden(if args.keep_hidden { Hidden::Keep } else { Hidden::LeaveOut })
        .damage(if args.keep_going { Damage::KeepGoing } else { Damage::Stop })
        .buffer_bytes(args.buffer as usize * (1 << 20));
    let imported = wiki::import(&conf, &args.out, progress)?;
    for warning in &imported.warnings {
        say(&format!("warning: {warning}"));
    }
    print(
        &WikiReport::new(imported, args.out.display().to_string(), started.elapsed().as_secs_f64()),
        &args.output,
    )
}

/// A name, its count, and the parts of that count.
type Line = (&'static str, u64, Vec<(&'static str, u64)>);

#[derive(Serialize)]
struct WikiReport {
    corpus: String,
    #[serde(flatten)]
    counts: Counts,
    account: BTreeMap<String, u64>,
    warnings: Vec<String>,
    seconds: f64,
    bytes: u64,
    bytes_per_second: f64,
    peak_memory_bytes: Option<u64>,
    #[serde(skip)]
    details: WikiAccount,
}

impl WikiReport {
    fn new(imported: Imported, corpus: String, seconds: f64) -> WikiReport {
        let bytes = imported.manifest.provenance.inputs.iter().map(|input| input.bytes).sum();
        WikiReport {
            corpus,
            counts: imported.manifest.counts,
            account: imported.account.counts(),
            warnings: imported.warnings,
            seconds,
            bytes,
            bytes_per_second: bytes as f64 / seconds.max(1e-9),
            peak_memory_bytes: peak_memory(),
            details: imported.account,
        }
    }

    /// Returns the counts of the dump's contents, a line for each kind.
    fn lines(&self) -> [Line; 4] {
        let WikiAccount { pages, redirects, links, categories, .. } = &self.details;
        let others = self.details.all_pages() - pages.articles.min(self.details.all_pages());
        [
            (
                "pages",
                self.details.all_pages(),
                vec![
                    ("articles", pages.articles),
                    ("redirects and other namespaces", others),
                    ("without categories", pages.uncategorised),
                    ("seen again", pages.repeated),
                    ("deleted texts", pages.deleted),
                    ("not UTF-8", pages.not_utf8),
                    ("unreadable", pages.bad),
                ],
            ),
            (
                "redirects",
                redirects.all,
                vec![
                    ("followed", redirects.followed),
                    ("chained", redirects.chained),
                    ("looping", redirects.looping),
                    ("broken", redirects.broken),
                    ("to no article", redirects.elsewhere),
                ],
            ),
            (
                "links",
                self.details.all_links(),
                vec![
                    ("kept", links.kept),
                    ("duplicate", links.repeated),
                    ("red", links.red),
                    ("self", links.own),
                    ("to sections", links.sections),
                    ("to dead redirects", links.dead),
                    ("to files and other namespaces", links.elsewhere),
                    ("to other wikis", links.interwiki),
                    ("no title", links.invalid),
                    ("of old revisions", links.superseded),
                ],
            ),
            (
                "categories",
                categories.kept,
                vec![
                    ("with a page", categories.described),
                    ("hidden, left out", categories.hidden),
                    ("moved", categories.moved),
                    ("page categories", categories.carried),
                    ("hidden page categories", categories.carried_hidden),
                    ("tree edges", categories.tree_edges),
                ],
            ),
        ]
    }
}

impl Render for WikiReport {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        for (name, count, parts) in self.lines() {
            let parts = parts.iter().filter(|(_, count)| *count > 0);
            let parts: Vec<String> =
                parts.map(|(name, count)| format!("{} {name}", thousands(*count))).collect();
            writeln!(out, "{name:<10} {:>12}  {}", thousands(count), parts.join(", "))?;
        }
        let spaces =
            self.details.namespaces.iter().map(|(key, count)| format!("{key}: {}", thousands(*count)));
        writeln!(out, "{:<10} {:>12}  {}", "namespaces", "", spaces.collect::<Vec<_>>().join(", "))?;
        let rate = human_bytes(self.bytes_per_second as u64);
        let memory = self
            .peak_memory_bytes
            .map_or(String::new(), |bytes| format!(", peak memory {}", human_bytes(bytes)));
        writeln!(out, "{} in {:.1} s, {rate} a second{memory}", human_bytes(self.bytes), self.seconds)?;
        super::write_summary(&self.corpus, &self.counts, out)
    }

    fn grid(&self) -> Grid {
        super::count_grid(&self.counts, &self.account)
    }
}

/// Returns the peak memory of this process, if the system reports it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
