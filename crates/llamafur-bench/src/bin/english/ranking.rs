//! Answers about one page, of a whole process and within one that runs.

use crate::Outcome;
use crate::process::{Ended, llamafur, load, quantile};
use llamafur::corpus::Corpus;
use llamafur::engine::{Engine, EngineConf, RankConf};
use llamafur::graph::PageId;
use llamafur::human_bytes;
use llamafur::learn::sampler::{Purpose, below, generator};
use llamafur::progress::Silent;
use llamafur::score::ScoreConf;
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// Pages that are asked about, a process each.
const PROCESSES: usize = 100;
/// Pages of each size that are ranked in this process, and how often.
const PAGES: usize = 50;
const TIMES: usize = 5;

/// Titles of pages with links, drawn at random.
pub(crate) fn random_titles(corpus: &Path, num: usize) -> Outcome<Vec<String>> {
    let corpus = Corpus::open(corpus)?;
    let mut draw = generator(5, Purpose::Synth, 0);
    let mut titles = Vec::new();
    for _ in 0..100 * num {
        let page = PageId(below(&mut draw, corpus.num_pages() as u64) as u32);
        if titles.len() < num && corpus.links(page)?.len() > 1 {
            titles.push(corpus.title(page)?.to_owned());
        }
    }
    Ok(titles)
}

/// What rankings of a corpus take.
pub(crate) fn table(scale: f64, corpus: &Path) -> Outcome<String> {
    let mut text = format!("## One page at scale {scale}\n\nLoad {} before.\n\n", load());
    let (mut milliseconds, mut peak, mut private) = (Vec::new(), 0, 0);
    for (number, title) in random_titles(corpus, PROCESSES + 1)?.iter().enumerate() {
        let ended = llamafur(&["rank"], corpus, &[title], Duration::from_millis(1))?;
        let Ended::Well(taken) = ended else { return Err("the program cannot rank".into()) };
        // The first one makes what is missing, and warms the files.
        if number > 0 {
            milliseconds.push(taken.seconds * 1e3);
            (peak, private) = (peak.max(taken.peak), private.max(taken.private));
        }
    }
    let _ = writeln!(
        text,
        "`llamafur rank PAGE`, {} processes: median {:.0} ms, 95th percentile {:.0} ms; peak memory {}, of it private, \
         seen, {}.\n",
        milliseconds.len(),
        quantile(&milliseconds, 0.5),
        quantile(&milliseconds, 0.95),
        human_bytes(peak),
        human_bytes(private),
    );
    let _ = writeln!(
        text,
        "| within a process, links of a page | pages | first, median | warm, median | warm, 95th |"
    );
    let _ = writeln!(text, "|---|---|---|---|---|");
    let engine = Engine::open(corpus, EngineConf::default())?;
    engine.prepare_ranking("blend", &ScoreConf::default(), &mut Silent)?;
    for num in [25, 2_000] {
        let pages = closest(engine.corpus(), num)?;
        let links =
            |page: Option<&PageId>| page.map_or(Ok(0), |&page| engine.corpus().links(page).map(<[_]>::len));
        let (fewest, most) = (links(pages.first())?, links(pages.last())?);
        let rank = |times: usize| -> Outcome<Vec<f64>> {
            let mut taken = Vec::new();
            for &page in std::iter::repeat_n(&pages, times).flatten() {
                let title = engine.corpus().title(page)?;
                let started = Instant::now();
                let ranking = engine.rank(title, &RankConf::default().top(10).snippets(true))?;
                taken.push(started.elapsed().as_secs_f64() * 1e3);
                drop(ranking);
            }
            Ok(taken)
        };
        let (first, warm) = (rank(1)?, rank(TIMES)?);
        let _ = writeln!(
            text,
            "| {fewest} to {most} | {} | {:.2} ms | {:.2} ms | {:.2} ms |",
            pages.len(),
            quantile(&first, 0.5),
            quantile(&warm, 0.5),
            quantile(&warm, 0.95),
        );
    }
    text.push('\n');
    Ok(text)
}

/// The pages whose number of links is the closest to a number, those with the fewest first.
fn closest(corpus: &Corpus, num: usize) -> Outcome<Vec<PageId>> {
    let links = corpus.all_links()?;
    let mut pages: Vec<(usize, usize)> = links.rows().map(<[PageId]>::len).zip(0..).collect();
    pages.sort_by_key(|&(links, page)| (links.abs_diff(num), page));
    pages.truncate(PAGES);
    pages.sort_unstable();
    Ok(pages.into_iter().map(|(_, page)| PageId(page as u32)).collect())
}
