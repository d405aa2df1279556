//! Imports links (and categories, if given) and prints what came of it, how fast, and in how much memory:
//! `cargo run --release --example import_table -- OUT LINKS [CATEGORIES]`.
#![allow(clippy::print_stdout)] // it is a program

use llamafur::corpus::Existing;
use llamafur::progress::Progress;
use llamafur_import::table::{TableConf, import};
use std::time::Instant;

/// Prints how long each phase took.
struct Phases {
    what: String,
    since: Instant,
}

impl Progress for Phases {
    fn start(&mut self, what: &str, _: Option<u64>) {
        (self.what, self.since) = (what.into(), Instant::now());
    }

    fn finish(&mut self) {
        println!("{}: {:.2} s", self.what, self.since.elapsed().as_secs_f64());
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(out), Some(links)) = (arguments.next(), arguments.next()) else {
        return Err("usage: import_table OUT LINKS [CATEGORIES]".into());
    };
    let mut conf = TableConf::new(links).existing(Existing::Replace);
    if let Some(categories) = arguments.next() {
        conf = conf.categories(categories);
    }
    let start = Instant::now();
    let imported = import(&conf, out.as_ref(), &mut Phases { what: String::new(), since: start })?;
    let seconds = start.elapsed().as_secs_f64();
    let rows: u64 = imported.account.tables.iter().map(|table| table.rows).sum();
    println!("{:#?}", imported.manifest.counts);
    println!("{rows} rows in {seconds:.2} s: {:.0} a second", rows as f64 / seconds);
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        status.lines().filter(|line| line.starts_with("VmHWM")).for_each(|line| println!("{line}"));
    }
    Ok(())
}
