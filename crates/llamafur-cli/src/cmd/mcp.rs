//! `llamafur mcp`: the engine as tools of an assistant, over stdin and stdout.

use crate::remedy;
use anyhow::Result;
use clap::Args;
use llamafur::progress::Progress;
use llamafur_serve::{ServeConf, serve_stdio};
use std::path::PathBuf;

/// Options of `mcp`.
#[derive(Debug, Args)]
#[command(after_help = "\
A program that speaks the Model Context Protocol starts this command and calls its tools: search_pages, unexpected_links, \
explain_link, predict_links, suspicious_links, category_neighbours. Requests come on stdin, answers go to stdout, and all else to \
stderr. It ends when stdin does. `llamafur serve` has the same tools at /mcp.

Most such programs take a configuration like this one:
  {\"mcpServers\": {\"llamafur\": {\"command\": \"llamafur\", \"args\": [\"mcp\", \"/path/to/my.corpus\"]}}}

Examples:
  llamafur mcp my.corpus
  llamafur mcp my.corpus other.corpus")]
pub struct McpArgs {
    /// The corpora; the first is asked where a call names none.
    #[arg(value_name = "DIR", required = true)]
    corpora: Vec<PathBuf>,
}

pub(super) fn run(args: &McpArgs, progress: &mut dyn Progress) -> Result<()> {
    let conf = ServeConf::new(args.corpora.clone()).advice(remedy::words);
    Ok(serve_stdio(&conf, progress)?)
}
