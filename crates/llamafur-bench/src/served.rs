//! `llamafur serve` as a process of its own, for benchmarks.

use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

/// A server, ended with this value.
#[derive(Debug)]
pub struct Server {
    child: Child,
    /// Where it listens: address and port.
    pub address: String,
    /// How long it took until it listened.
    pub started: Duration,
}

impl Server {
    /// Starts the program on a corpus, on a free port of the loopback interface.
    ///
    /// # Errors
    /// If the program does not start, or says no address.
    pub fn start(llamafur: &Path, corpus: &Path) -> io::Result<Server> {
        let begun = Instant::now();
        let mut command = Command::new(llamafur);
        command.arg("serve").arg(corpus).args(["--bind", "127.0.0.1:0", "--progress", "none"]);
        let mut child = command.stderr(Stdio::piped()).spawn()?;
        let stderr = child.stderr.take().ok_or_else(|| io::Error::other("no stderr"))?;
        let mut lines = BufReader::new(stderr).lines();
        let address = lines.by_ref().map_while(Result::ok).find_map(|line| {
            let (_, rest) = line.split_once("http://")?;
            Some(rest.split('/').next()?.to_owned())
        });
        let address = address.ok_or_else(|| io::Error::other("the server did not start"))?;
        // What it says later must go somewhere.
        thread::spawn(move || lines.for_each(drop));
        Ok(Server { child, address, started: begun.elapsed() })
    }

    /// A figure of the process, in MB.
    ///
    /// # Errors
    /// If the system does not say it.
    pub fn megabytes(&self, name: &str) -> io::Result<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        Ok(kilobytes.ok_or_else(|| io::Error::other("no such figure"))? / 1000.0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
