//! Writes the dump of the demo's encyclopedia to stdout. To ship a new one:
//!
//! ```text
//! cargo run --package llamafur-bench --bin demo_dump | zstd --ultra -22 >crates/llamafur-cli/demo/encyclopedia.xml.zst
//! ```
#![forbid(unsafe_code)]

use llamafur_bench::encyclopedia::Encyclopedia;
use std::io;

fn main() -> io::Result<()> {
    Encyclopedia::build().write_dump(&mut io::stdout().lock())
}
