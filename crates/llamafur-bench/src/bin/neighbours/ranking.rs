//! One page's ranking by the blend of all signals, at the size of the graph.
//!
//! The graph is written as a wiki (`topics::corpus`), a model is trained, and the blend is opened, each phase timed. Then pages
//! with about 20, 200 and 2,000 links are ranked: at first, when blocks of the files are checked, and again, warm. Every
//! signal by itself is timed on the same pages.

use super::{Outcome, close_to, load, median_and_high, status, timed};
use llamafur::corpus::Corpus;
use llamafur::graph::PageId;
use llamafur::learn::sampler::{Purpose, generator, shuffle};
use llamafur::progress::{Note, Progress, Task};
use llamafur::score::{Inputs, SIGNALS, Score, ScoreConf, open};
use llamafur_bench::topics::{self, Wiki};
use rustix::time::{ClockId, clock_gettime};
use std::fmt;
use std::fs::write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Pages of each size, and how often each is ranked when warm.
const PAGES: usize = 200;
const TIMES: usize = 5;

/// Ranks pages of the wiki, whose corpus is or will be in a folder.
pub(crate) fn ranking(wiki: &Wiki, folder: &Path) -> Outcome<()> {
    println!("one page's ranking by all signals, load {}", load());
    let (corpus, seconds) = timed(|| topics::corpus(folder, wiki));
    let trained = corpus?;
    let bytes = std::fs::metadata(trained.path().join("text.arrow"))?.len() as f64;
    println!("corpus: {:.1} s, {:.0} MB of texts on disk", seconds.wall, bytes / 1e6);
    let (model, seconds) = timed(|| topics::train(&trained, &mut Phases::default()));
    model?;
    println!("model trained, unless it was there: {:.1} s", seconds.wall);
    // Opened anew, since whatever training has read of the files would count as memory.
    let path = trained.path().to_owned();
    drop(trained);
    let corpus = Corpus::open(path)?;

    // Forgets the peak so far, where the system lets us.
    let _ = write("/proc/self/clear_refs", "5");
    let (inputs, conf) = (Inputs::new(&corpus), ScoreConf::default());
    let (blend, seconds) = timed(|| open("blend", &inputs, &conf, &mut Phases::default()));
    let blend = blend?;
    println!(
        "blend opened: {:.1} s, {:.1} s of processors, peak memory {:.0} MB",
        seconds.wall,
        seconds.processor,
        status("VmHWM:") / 1e6
    );
    let signals = SIGNALS
        .iter()
        .map(|signal| open(signal.name, &inputs, &conf, &mut Phases::default()))
        .collect::<Result<Vec<_>, _>>()?;
    for num in [20, 200, 2_000] {
        let pages = pages(&corpus, num)?;
        if !pages.is_empty() {
            measure(&corpus, &*blend, &signals, num, &pages)?;
        }
    }
    println!("memory {:.0} MB, load {}", status("VmRSS:") / 1e6, load());
    Ok(())
}

/// Some pages with about so many links.
fn pages(corpus: &Corpus, num: usize) -> Outcome<Vec<PageId>> {
    let mut pages = close_to(corpus.all_links()?, num);
    shuffle(&mut generator(2, Purpose::Synth, num as u64), &mut pages);
    pages.truncate(PAGES);
    Ok(pages)
}

fn measure(
    corpus: &Corpus,
    blend: &dyn Score,
    signals: &[Arc<dyn Score>],
    num: usize,
    pages: &[PageId],
) -> Outcome<()> {
    let ranked = |page| Ok(blend.details(page, corpus.links(page)?)?.scores.len());
    println!("{} pages with about {num} links, load {}", pages.len(), load());
    println!("  ranked at first: {}", Taken::by(1, pages, ranked)?);
    println!("  ranked, warm:    {}", Taken::by(TIMES, pages, ranked)?);
    let mut sum = 0u64;
    for signal in signals {
        let scores = |page| Ok(signal.score(page, corpus.links(page)?)?);
        for &page in pages {
            let bits = scores(page)?.into_iter().map(|score| score.unwrap_or(f64::NAN).to_bits());
            sum = bits.fold(sum, |sum, bits| sum.rotate_left(5).wrapping_add(bits));
        }
        println!("  {:<17}{}", signal.name(), Taken::by(TIMES, pages, scores)?);
    }
    println!("  checksum of all scores {sum:016x}");
    Ok(())
}

/// How many milliseconds something took, by the clock and by the processors; the latter do not know of other programs.
#[derive(Default)]
struct Taken {
    wall: Vec<f64>,
    processor: Vec<f64>,
}

impl Taken {
    /// By work with each of the pages, so many times.
    fn by<T>(times: usize, pages: &[PageId], work: impl Fn(PageId) -> Outcome<T>) -> Outcome<Taken> {
        let mut taken = Taken::default();
        for &page in std::iter::repeat_n(pages, times).flatten() {
            let start = (Instant::now(), processor());
            let done = work(page)?;
            taken.processor.push(processor() - start.1);
            taken.wall.push(start.0.elapsed().as_secs_f64() * 1e3);
            drop(done);
        }
        Ok(taken)
    }
}

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [wall, processor] = [&self.wall, &self.processor].map(|taken| median_and_high(taken.clone()));
        write!(f, "median {:.3} ms, 99th percentile {:.3} ms; ", wall.0, wall.1)?;
        write!(f, "of processors {:.3} and {:.3} ms", processor.0, processor.1)
    }
}

/// Milliseconds that all threads of this process have run.
fn processor() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

/// Prints how long each phase takes.
#[derive(Default)]
struct Phases(Option<(String, Instant)>);

impl Progress for Phases {
    fn start(&mut self, task: Task, _: Option<u64>) {
        self.0 = Some((format!("{task:?}"), Instant::now()));
    }

    fn finish(&mut self) {
        if let Some((what, start)) = self.0.take() {
            println!("  {what}: {:.1} s", start.elapsed().as_secs_f64());
        }
    }

    fn note(&mut self, note: Note) {
        println!("  {note:?}");
    }
}
