//! The protocol over two streams, such as stdin and stdout: one message per line. A line that is no JSON is answered by
//! an error, where the transport behind would not answer.

use super::LARGEST_BODY;
use super::failure::no_json;
use serde::de::IgnoredAny;
use std::io;
use std::sync::Arc;
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader,
    DuplexStream, duplex,
};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

/// Two streams for lines of JSON.
pub(super) struct Lines {
    /// The input without the lines that are no JSON.
    pub(super) input: DuplexStream,
    /// The output to write.
    pub(super) output: DuplexStream,
    /// Task that ends when everything is written.
    pub(super) written: JoinHandle<io::Result<()>>,
}

/// Inserts a check between two streams and the transport.
pub(super) fn checked(
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> Lines {
    let (passed, inner_input) = duplex(LARGEST_BODY);
    let (inner_output, answers) = duplex(LARGEST_BODY);
    let output = Arc::new(Mutex::new(output));
    tokio::spawn(pass(BufReader::new(input), passed, output.clone()));
    let written = tokio::spawn(async move {
        let (mut answers, mut line) = (BufReader::new(answers), Vec::new());
        while answers.read_until(b'\n', &mut line).await? > 0 {
            write(&output, &line).await?;
            line.clear();
        }
        Ok(())
    });
    Lines { input: inner_input, output: inner_output, written }
}

/// Forwards lines of JSON, and answers the others.
async fn pass(
    mut input: impl AsyncBufRead + Unpin,
    mut passed: DuplexStream,
    output: Arc<Mutex<impl AsyncWrite + Unpin>>,
) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        let most = LARGEST_BODY as u64 + 1;
        if (&mut input).take(most).read_until(b'\n', &mut line).await? == 0 {
            return Ok(());
        }
        let is_whole = line.len() <= LARGEST_BODY;
        if !is_whole && !line.ends_with(b"\n") {
            skip_line(&mut input).await?;
        }
        let message = line.trim_ascii();
        if is_whole && message.is_empty() {
            continue;
        }
        if is_whole && serde_json::from_slice::<IgnoredAny>(message).is_ok() {
            passed.write_all(message).await?;
            passed.write_all(b"\n").await?;
        } else {
            write(&output, format!("{}\n", no_json()).as_bytes()).await?;
        }
    }
}

/// Reads the rest of a line, whatever its length.
async fn skip_line(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<()> {
    loop {
        let bytes = input.fill_buf().await?;
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let num = end.map_or(bytes.len(), |end| end + 1);
        input.consume(num);
        if end.is_some() || num == 0 {
            return Ok(());
        }
    }
}

async fn write(output: &Mutex<impl AsyncWrite + Unpin>, line: &[u8]) -> io::Result<()> {
    let mut output = output.lock().await;
    output.write_all(line).await?;
    output.flush().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_that_are_no_json_are_answered_and_the_others_passed_on() {
        let long = "x".repeat(3 * LARGEST_BODY);
        let said = format!("{{\"a\": 1}}\nGET / HTTP/1.1\n\n{long}\n[2]\n\u{0}\n{{\"unfinished\": \n3");
        let (output, mut heard) = duplex(1 << 20);
        let Lines { mut input, output: answers, written } =
            checked(io::Cursor::new(said.into_bytes()), output);
        let mut passed = String::new();
        input.read_to_string(&mut passed).await.unwrap();
        assert_eq!(passed, "{\"a\": 1}\n[2]\n3\n");
        drop(answers);
        written.await.unwrap().unwrap();
        let mut errors = String::new();
        heard.read_to_string(&mut errors).await.unwrap();
        assert_eq!(errors, format!("{}\n", no_json()).repeat(4));
        assert!(errors.contains("-32700") && errors.contains("\"id\":null"));
    }
}
