//! A stream that ends with an error when the server sends more than one operation may take: the library keeps a message until all of
//! it has come, and the server says how long it is.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use dbdyno_driver::remote::LARGEST_ANSWER_BYTES;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The bytes that the server may still send.
#[derive(Clone)]
pub(crate) struct Allowance(Arc<AtomicUsize>);

impl Allowance {
    /// Enough for the first operation.
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicUsize::new(LARGEST_ANSWER_BYTES)))
    }

    /// The next operation begins.
    pub(crate) fn renew(&self) {
        self.0.store(LARGEST_ANSWER_BYTES, Ordering::Relaxed);
    }

    /// Whether so much more may come. One task reads and renews.
    fn take(&self, bytes: usize) -> bool {
        let left = self.0.load(Ordering::Relaxed).checked_sub(bytes);
        self.0.store(left.unwrap_or(0), Ordering::Relaxed);
        left.is_some()
    }
}

/// A connection's bytes.
pub(crate) struct Bounded<S> {
    stream: S,
    allowance: Allowance,
}

impl<S> Bounded<S> {
    pub(crate) fn new(stream: S, allowance: Allowance) -> Self {
        Self { stream, allowance }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Bounded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if self.allowance.take(buffer.filled().len() - before) {
            return read;
        }
        let mebibytes = LARGEST_ANSWER_BYTES >> 20;
        Poll::Ready(Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("an answer of more than {mebibytes} MiB"),
        )))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Bounded<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail by panicking")]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    #[test]
    fn an_operation_has_an_end_and_the_next_one_as_much() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let allowance = Allowance::new();
            let mut stream = Bounded::new(tokio::io::repeat(7), allowance.clone());
            let mut piece = vec![0; LARGEST_ANSWER_BYTES / 4];
            for _ in 0..4 {
                stream.read_exact(&mut piece).await.unwrap();
            }
            allowance.renew();
            for _ in 0..4 {
                stream.read_exact(&mut piece).await.unwrap();
            }
            let error = stream.read_exact(&mut piece).await.unwrap_err();
            assert!(error.to_string().contains("more than 128 MiB"), "{error}");
        });
    }
}
