//! The most surprising links of a corpus, each with its sentence and its reasons.
//!
//!     cargo run --release --package llamafur --example surprising_links -- my.corpus 10
#![allow(clippy::print_stdout)] // it is a program

use llamafur::{Engine, EngineConf, Error, RankConf, Silent, TopConf};

fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1);
    let path = args.next().unwrap_or_else(|| "my.corpus".into());
    let num = args.next().and_then(|num| num.parse().ok()).unwrap_or(10);

    let engine = Engine::open(path, EngineConf::default())?;
    let rank = RankConf::default().top(num).snippets(engine.corpus().has_text());
    let top = engine.top(&TopConf::default().rank(rank).per_page(1).min_links(5), &mut Silent)?;
    for found in top.links {
        println!("{} → {}", found.source, found.link.target);
        for reason in &found.link.reasons {
            println!("    {}", reason.text);
        }
        if let Some(sentence) = found.link.snippet {
            println!("    “{sentence}”");
        }
    }
    Ok(())
}
