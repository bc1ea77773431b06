use std::net::SocketAddr;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::routing::get;
use futures_util::stream;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::mpsc;

use super::*;

/// Nobody in these tests waits for so long.
const LONG: Duration = Duration::from_secs(600);
const FEW: Limits = Limits {
    most: 2,
    head_patience: LONG,
    read_patience: LONG,
};

/// Answers with these limits while `test` runs. `/` lets a client in, `/endless` never ends and tells when it is given up.
fn served<F: Future<Output = ()>>(
    limits: Limits,
    test: impl FnOnce(SocketAddr, mpsc::UnboundedReceiver<()>) -> F,
) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (given_up, is_given_up) = mpsc::unbounded_channel();
        let endless = move || {
            // Closed when the body is dropped.
            let until_dropped = given_up.clone();
            async move {
                let piece = Bytes::from(vec![b'x'; 1 << 16]);
                let pieces = stream::unfold(TellsItsEnd(until_dropped), move |tells| {
                    let piece = piece.clone();
                    async move { Some((Ok::<_, std::convert::Infallible>(piece), tells)) }
                });
                Body::from_stream(pieces)
            }
        };
        let let_in = |Extension(admission): Extension<Admission>| async move {
            admission.grant();
            "in"
        };
        let router = Router::new()
            .route("/", get(let_in))
            .route("/endless", get(endless));
        let (end, ending) = watch::channel(false);
        let serving = tokio::spawn(serve(listener, router, limits, ending));
        test(address, is_given_up).await;
        end.send(true).unwrap();
        serving.abort();
    });
}

struct TellsItsEnd(mpsc::UnboundedSender<()>);

impl Drop for TellsItsEnd {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

async fn sending(address: SocketAddr, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    stream
}

async fn first_line(stream: &mut TcpStream) -> String {
    let mut bytes = [0; 256];
    let count = stream.read(&mut bytes).await.unwrap();
    let text = String::from_utf8_lossy(&bytes[..count]).into_owned();
    text.lines().next().unwrap_or_default().to_owned()
}

const HALF: &str = "GET / HTTP/1.1\r\nHost: localhost\r\n";
const WHOLE: &str = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

#[test]
fn strangers_who_ask_nothing_make_room_for_those_who_do() {
    served(FEW, |address, _| async move {
        let strangers = [sending(address, HALF).await, sending(address, HALF).await];
        let mut clients = Vec::new();
        for mut stranger in strangers {
            let mut client = sending(address, WHOLE).await;
            assert_eq!(first_line(&mut client).await, "HTTP/1.1 200 OK");
            assert_eq!(stranger.read(&mut [0; 16]).await.unwrap_or(0), 0, "it is closed");
            clients.push(client);
        }
        for mut client in clients {
            client.write_all(WHOLE.as_bytes()).await.unwrap();
            assert_eq!(
                first_line(&mut client).await,
                "HTTP/1.1 200 OK",
                "it kept its place"
            );
        }
    });
}

#[test]
fn with_no_place_left_the_answer_says_so() {
    served(FEW, |address, _| async move {
        let mut clients = vec![sending(address, WHOLE).await, sending(address, WHOLE).await];
        for client in &mut clients {
            assert_eq!(first_line(client).await, "HTTP/1.1 200 OK");
        }
        let mut refused = TcpStream::connect(address).await.unwrap();
        let mut text = String::new();
        refused.read_to_string(&mut text).await.unwrap();
        assert!(
            text.starts_with("HTTP/1.1 503 ") && text.ends_with("at once\n"),
            "{text}"
        );
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let length = format!("Content-Length: {}", body.len());
        assert!(head.contains(&length), "{head}");
    });
}

#[test]
fn who_sends_half_a_request_or_nothing_more_is_not_waited_for() {
    let limits = Limits {
        head_patience: Duration::from_millis(50),
        ..FEW
    };
    served(limits, |address, _| async move {
        let mut half = sending(address, HALF).await;
        let _ = half.read_to_end(&mut Vec::new()).await;
        let mut idle = sending(address, WHOLE).await;
        let mut text = String::new();
        idle.read_to_string(&mut text).await.unwrap();
        assert!(text.ends_with("in"), "{text}");
    });
}

#[test]
fn who_reads_nothing_is_given_up() {
    let limits = Limits {
        read_patience: Duration::from_millis(50),
        ..FEW
    };
    served(limits, |address, mut is_given_up| async move {
        let request = WHOLE.replace("GET /", "GET /endless");
        let client = sending(address, &request).await;
        assert_eq!(is_given_up.recv().await, Some(()));
        drop(client);
    });
}
