//! `llamafur serve`: a page to type a title into, and an API, for one corpus or several.

use crate::clean::{Clean, Shown};
use crate::output::say;
use crate::{interrupt, remedy};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use llamafur::progress::Progress;
use llamafur::storage::{Existing, Temporary};
use llamafur_serve::{ServeConf, Server};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tracing::level_filters::LevelFilter;

/// Options of `serve`.
#[derive(Debug, Args)]
#[command(after_help = "\
Without DIR, the built-in encyclopedia of `llamafur demo` is served.

The server listens on this machine only. With --bind 0.0.0.0:8080 everybody who can reach the machine can read the corpora; \
there is no password and no encryption, so put a server that has both in front of it, and name it with --host. Judging then needs \
the token that is printed.

The server writes only what rankings need and the corpus does not keep yet, and, with --judge, judgments. A corpus that is \
replaced on disk is opened again. Ctrl-C ends the requests that have begun, then the server.

Examples:
  llamafur serve
  llamafur serve my.corpus --open
  llamafur serve my.corpus other.corpus --bind 127.0.0.1:9000
  llamafur serve my.corpus --judge")]
pub struct ServeArgs {
    /// The corpora; the first is shown first [default: a built-in encyclopedia].
    #[arg(value_name = "DIR")]
    corpora: Vec<PathBuf>,
    /// Where to listen; port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    bind: SocketAddr,
    /// A further name by which requests may call this server, such as wiki.example.org; can be given several times.
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// An origin whose scripts may read the answers, such as https://example.org; can be given several times [default: none].
    #[arg(long, value_name = "ORIGIN")]
    cors: Vec<String>,
    /// Let people judge links; the judgments are kept in the folder of the corpus.
    #[arg(long)]
    judge: bool,
    /// With --judge: the token that it needs [default: none on this machine, a random one elsewhere and with --host].
    #[arg(long, value_name = "TOKEN", env = "LLAMAFUR_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// The folder of a report by `llamafur evaluate --report` about the first corpus [default: `report` in its folder, if there].
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Open the page in the browser.
    #[arg(long)]
    open: bool,
    /// What to log on stderr; info is a line for each request.
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = LogLevel::Warn)]
    log: LogLevel,
    /// How to log.
    #[arg(long, value_enum, value_name = "HOW", default_value_t = LogFormat::Text)]
    log_format: LogFormat,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum LogLevel {
    Error,
    Warn,
    Info,
    Debug,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    Text,
    Json,
}

pub(super) fn run(args: &ServeArgs, progress: &mut dyn Progress) -> Result<()> {
    start_log(args.log, args.log_format);
    let mut corpora = args.corpora.clone();
    // Removed when the server has ended.
    let mut _scratch = None;
    if corpora.is_empty() {
        if args.judge {
            bail!(
                "the built-in encyclopedia is removed at the end, and judgments with it; keep it with `llamafur demo --out demo.corpus`, and serve that"
            );
        }
        let scratch = Temporary::made(tempfile::tempdir).context("cannot make a temporary folder")?;
        let place = scratch.0.path().join("demo.corpus");
        super::demo::make(scratch.0.path(), &place, Existing::Refuse)?;
        corpora.push(place);
        _scratch = Some(scratch);
    }
    let mut conf = ServeConf::new(corpora)
        .bind(args.bind)
        .hosts(args.host.clone())
        .cors(args.cors.clone())
        .judge(args.judge)
        .advice(remedy::words);
    if let Some(token) = args.token.as_ref().filter(|_| args.judge) {
        conf = conf.token(token);
    }
    if let Some(folder) = &args.report {
        conf = conf.report(folder);
    }
    let server = Server::open(conf, progress)?;
    let mut address = format!("http://{}/", server.address());
    say(&format!("serving {} at {address} (Ctrl-C ends)", server.corpora().join(", ")));
    if !server.address().ip().is_loopback() {
        say(
            "warning: everybody who can reach this address can read the corpora, without password or encryption",
        );
    }
    if let Some(token) = server.token() {
        address = format!("{address}#token={token}");
        say(&format!("judging needs the token: {address}"));
    }
    let stopper = server.stopper();
    interrupt::end_by(move || stopper.stop());
    if args.open
        && let Err(error) = open_browser(&address)
    {
        say(&format!("warning: cannot open a browser: {error}"));
    }
    Ok(server.run()?)
}

/// Opens an address with the system's command.
fn open_browser(address: &str) -> std::io::Result<()> {
    let (command, before): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let quiet = Stdio::null;
    let mut child = Command::new(command)
        .args(before)
        .arg(address)
        .stdin(quiet())
        .stdout(quiet())
        .stderr(quiet())
        .spawn()?;
    // Waited for, so that no dead process is left while the server runs.
    std::thread::spawn(move || child.wait());
    Ok(())
}

fn start_log(level: LogLevel, format: LogFormat) {
    let level = match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
    };
    let shown = if format == LogFormat::Json { Shown::Escaped } else { Shown::Replaced };
    let log = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(move || Clean::new(std::io::stderr(), shown))
        .with_ansi(false);
    // Only a test could have set another one before.
    let _ = match format {
        LogFormat::Text => log.try_init(),
        LogFormat::Json => log.json().try_init(),
    };
}
