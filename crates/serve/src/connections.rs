//! The connections of the server. The pages of a study can be served by the process that measures it: a stranger who opens connections
//! and sends nothing, or asks and reads nothing, must take neither the file descriptors and the memory that its results need, nor the
//! places of those who may see the pages.

use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Sleep;

/// How much of the process the connections may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Connections at a time: a browser keeps about six for each address, and one of them for each open page.
    pub most: usize,
    /// How long a client may take to send the head of a request, also of a later one on the same connection.
    pub head_patience: Duration,
    /// How long a client may read nothing of an answer that waits for it.
    pub read_patience: Duration,
}

/// The limits of the pages.
pub(crate) const LIMITS: Limits = Limits {
    most: 256,
    head_patience: Duration::from_secs(10),
    read_patience: Duration::from_secs(30),
};

/// What is kept of an answer that the client does not read, bytes.
const MOST_BUFFERED: usize = 64 << 10;
/// After the operating system had no descriptor left for a connection.
const PAUSE_WITHOUT_DESCRIPTORS: Duration = Duration::from_millis(100);

/// The whole answer to whom there is no place for.
const NO_PLACE: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nContent-Length: 50\r\nRetry-After: 5\r\n\
    Connection: close\r\n\r\nToo many pages of `dbdyno serve` are open at once\n";

/// Whether a client of a connection was let in: until then its place is given to the next one who needs it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Admission(Arc<AtomicBool>);

impl Admission {
    /// Lets it in.
    pub fn grant(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_granted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A connection that is being answered.
struct Held {
    task: AbortHandle,
    admission: Admission,
}

/// Answers until the end, and then until all that was asked is answered. Requests carry the [`Admission`] of their connection.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    mut ending: watch::Receiver<bool>,
) {
    let mut tasks = JoinSet::new();
    // From the oldest on.
    let mut held: Vec<Held> = Vec::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = tasks.join_next() => continue,
            _ = ending.changed() => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) if is_of_the_client(&error) => continue,
            Err(_) => {
                tokio::time::sleep(PAUSE_WITHOUT_DESCRIPTORS).await;
                continue;
            }
        };
        held.retain(|held| !held.task.is_finished());
        if held.len() >= limits.most {
            let Some(stranger) = held.iter().position(|held| !held.admission.is_granted()) else {
                // It fits into the buffer of a new connection, or the client learns nothing.
                let _ = stream.try_write(NO_PLACE);
                continue;
            };
            held.remove(stranger).task.abort();
        }
        let admission = Admission::default();
        let answering = answer(stream, router.clone(), limits, admission.clone(), ending.clone());
        let task = tasks.spawn(answering);
        held.push(Held { task, admission });
    }
    while tasks.join_next().await.is_some() {}
}

fn is_of_the_client(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionRefused | ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset
    )
}

async fn answer(
    stream: TcpStream,
    router: Router,
    limits: Limits,
    admission: Admission,
    mut ending: watch::Receiver<bool>,
) {
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(admission.clone());
        router.call(request)
    });
    let stream = Impatient {
        stream,
        patience: limits.read_patience,
        waiting: None,
    };
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_patience)
        .max_buf_size(MOST_BUFFERED)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    // A client that goes away, or speaks no HTTP, is nobody's concern.
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = ending.changed() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// A connection that fails when its client reads nothing for too long.
struct Impatient {
    stream: TcpStream,
    patience: Duration,
    /// Since the client should read.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl Impatient {
    fn written<T>(&mut self, context: &mut Context<'_>, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.waiting = None;
            return polled;
        }
        let patience = self.patience;
        let waiting = self
            .waiting
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        match waiting.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for Impatient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Impatient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.written(context, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.written(context, polled)
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
#[path = "connections_tests.rs"]
mod tests;
