//! A connection that fails when a client takes too long to read an answer, whether it stops or reads a few bytes a
//! second: the answer would stay in memory meanwhile. Also detects that a client has left while its request is
//! processed.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

/// Longest time until a client's leaving is noticed.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Completes when the client has closed its side of the connection.
///
/// Hyper notices that by itself, but not while it holds bytes of a further request.
pub(crate) async fn client_left(stream: Arc<TcpStream>) {
    while let Ok(state) = stream.ready(Interest::READABLE).await
        && !state.is_read_closed()
    {
        // There are bytes that hyper has not read yet, so it is ready at once as long as they are there.
        sleep(LOOK_EVERY).await;
    }
    // An answer that is just being written may leave.
    sleep(LOOK_EVERY).await;
}

/// A stream with a time limit, from the first byte of an answer until the client sends something again.
pub(crate) struct TimedStream {
    stream: Arc<TcpStream>,
    longest: Duration,
    /// The deadline for the answer being written.
    end: Pin<Box<Sleep>>,
    is_writing: bool,
}

impl TimedStream {
    pub(crate) fn new(stream: Arc<TcpStream>, longest: Duration) -> TimedStream {
        TimedStream { stream, longest, end: Box::pin(sleep(longest)), is_writing: false }
    }

    fn timed(
        &mut self,
        context: &mut Context<'_>,
        write: impl Fn(&TcpStream) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        if !self.is_writing {
            self.is_writing = true;
            self.end.as_mut().reset(Instant::now() + self.longest);
        }
        if self.end.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        loop {
            ready!(self.stream.poll_write_ready(context))?;
            match write(&self.stream) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                written => return Poll::Ready(written),
            }
        }
    }
}

impl AsyncRead for TimedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            ready!(self.stream.poll_read_ready(context))?;
            match self.stream.try_read_buf(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Ok(0) => return Poll::Ready(Ok(())),
                read => {
                    self.is_writing = false;
                    return Poll::Ready(read.map(drop));
                }
            }
        }
    }
}

impl AsyncWrite for TimedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.timed(context, |stream| stream.try_write(bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.timed(context, |stream| stream.try_write_vectored(slices))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    /// Does nothing: the stream is closed when it is dropped, which is next.
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
