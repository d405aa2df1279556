//! Any bytes may be called judgments, the log of judging, or links to be judged.

use super::{sample, scratch};
use llamafur::{Engine, Silent};
use llamafur_eval::judging::{Judging, JudgingConf, log_path};
use llamafur_eval::judgments::{Class, Form, Judgments};
use std::fs;
use std::sync::Mutex;

/// The log of the sample has one place.
static JUDGING: Mutex<()> = Mutex::new(());

/// The first byte says what the rest is called.
pub fn check(bytes: &[u8]) {
    let Some((kind, rest)) = bytes.split_first() else { return };
    let mut corpus = sample::corpus();
    let form = [Form::Authors, Form::Qrels, Form::Log][usize::from(kind % 3)];
    if let Ok(read) = Judgments::read(rest, "judgments", form, &mut corpus, &mut Silent) {
        let links: usize = read.queries.iter().map(|query| query.links.len()).sum();
        assert!(links as u64 <= read.account.records, "{links} links of {:?}", read.account);
    }
    let _one = JUDGING.lock().unwrap();
    let engine = Engine::new(corpus, Default::default());
    let (log, pool) = match kind % 2 {
        0 => (rest, &b"source\ttarget\tclass\nMoon\tSun\t\nSun\tMoon\t\n"[..]),
        _ => (&b""[..], rest),
    };
    fs::create_dir_all(corpus.judgments()).unwrap();
    fs::write(log_path(corpus), log).unwrap();
    let conf = JudgingConf::default().pool(scratch::file("pool.tsv", pool));
    let Ok(judging) = Judging::open(&engine, &conf, &mut Silent) else { return };
    // The names of judges in a log may be as many as its lines: those of all together are a line each.
    let summary = judging.summary().unwrap();
    assert!(summary.judges.len() <= rest.len());
    let table = judging.export_tsv().unwrap();
    assert!(table.len() <= 8 * rest.len() + 100, "{} bytes of {}", table.len(), rest.len());
    judging.export_qrels().unwrap();
    let task = judging.next("Ada").unwrap();
    if let Some(link) = task.link {
        judging.judge("Ada", &link.source, &link.target, Class::TE).unwrap();
        assert!(fs::read(log_path(corpus)).unwrap().ends_with(b"\tTE\n"));
        assert!(judging.undo("Ada").is_ok());
    }
}
