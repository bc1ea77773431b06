//! Where a collector is, and one request to it.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HOST};
use axum::http::{Request, Uri};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use thiserror::Error;
use tokio::net::TcpStream;

/// The port of OTLP over HTTP.
const PORT: u16 = 4318;
/// For everything from the connection to the answer; shorter than what the end of the server waits for.
const DEADLINE: Duration = Duration::from_millis(1500);

/// A collector's address: `http://HOST[:PORT][/PATH]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Host and port.
    authority: String,
    /// What precedes `/v1/metrics`.
    path: String,
}

/// Why an address is none of a collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadEndpoint {
    /// It is no address.
    #[error("not an address; write http://HOST:4318")]
    NoAddress,
    /// Its scheme is not `http`.
    #[error(
        "only http:// is supported; for TLS, run a collector on this machine that forwards what it receives"
    )]
    Scheme,
    /// It contains a login.
    #[error("logins are not supported; run a collector on this machine that adds them to what it forwards")]
    Login,
    /// It contains `?`.
    #[error("an address with a query is not supported; write http://HOST:4318")]
    Query,
}

impl FromStr for Endpoint {
    type Err = BadEndpoint;

    fn from_str(text: &str) -> Result<Self, BadEndpoint> {
        let uri: Uri = text.parse().map_err(|_| BadEndpoint::NoAddress)?;
        match uri.scheme_str() {
            Some("http") => {}
            Some(_) => return Err(BadEndpoint::Scheme),
            None => return Err(BadEndpoint::NoAddress),
        }
        let authority = uri.authority().ok_or(BadEndpoint::NoAddress)?;
        if authority.as_str().contains('@') {
            return Err(BadEndpoint::Login);
        }
        if uri.query().is_some() {
            return Err(BadEndpoint::Query);
        }
        if authority.host().is_empty() {
            return Err(BadEndpoint::NoAddress);
        }
        // Not the library's port, which is none where it is no number.
        let port = match &authority.as_str()[authority.host().len()..] {
            "" | ":" => PORT,
            after => after
                .strip_prefix(':')
                .and_then(|port| port.parse().ok())
                .ok_or(BadEndpoint::NoAddress)?,
        };
        Ok(Self {
            authority: format!("{}:{port}", authority.host()),
            path: uri.path().trim_end_matches('/').to_owned(),
        })
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "http://{}{}", self.authority, self.path)
    }
}

/// Sends one message, on a connection of its own: a push is rare, and the collector may have been replaced since.
pub(super) async fn send(endpoint: &Endpoint, path: &str, body: Vec<u8>) -> Result<(), String> {
    match tokio::time::timeout(DEADLINE, exchange(endpoint, path, body)).await {
        Ok(outcome) => outcome,
        Err(_) => Err(format!("no answer within {} s", DEADLINE.as_secs_f64())),
    }
}

async fn exchange(endpoint: &Endpoint, path: &str, body: Vec<u8>) -> Result<(), String> {
    let stream = TcpStream::connect(&endpoint.authority)
        .await
        .map_err(|error| error.to_string())?;
    let (mut sender, connection) = http1::handshake::<_, Body>(TokioIo::new(stream))
        .await
        .map_err(|error| error.to_string())?;
    let request = Request::post(format!("{}{path}", endpoint.path))
        .header(HOST, &endpoint.authority)
        .header(CONTENT_TYPE, "application/x-protobuf")
        .body(Body::from(body))
        .map_err(|error| error.to_string())?;
    let mut answer = std::pin::pin!(sender.send_request(request));
    let answer = tokio::select! {
        answer = &mut answer => answer,
        // It hands the answer over before it ends.
        _ = connection => answer.await,
    };
    let answer = answer.map_err(|error| error.to_string())?;
    if answer.status().is_success() {
        Ok(())
    } else {
        Err(format!("the collector answered {} to {path}", answer.status()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_with_its_defaults() {
        for (text, shown) in [
            ("http://localhost", "http://localhost:4318"),
            ("http://localhost:", "http://localhost:4318"),
            ("http://127.0.0.1:9000/", "http://127.0.0.1:9000"),
            ("http://[::1]:9000/otlp/", "http://[::1]:9000/otlp"),
            ("http://collector/api", "http://collector:4318/api"),
        ] {
            assert_eq!(text.parse::<Endpoint>().unwrap().to_string(), shown);
        }
    }

    #[test]
    fn what_is_no_address_of_a_collector_is_refused() {
        for (text, wanted) in [
            ("", BadEndpoint::NoAddress),
            ("localhost:4318", BadEndpoint::NoAddress),
            ("/v1/metrics", BadEndpoint::NoAddress),
            ("http://collector:99999", BadEndpoint::NoAddress),
            ("http://[::1]:port", BadEndpoint::NoAddress),
            ("https://collector:4318", BadEndpoint::Scheme),
            ("http://user:secret@collector:4318", BadEndpoint::Login),
            ("http://collector:4318/?key=secret", BadEndpoint::Query),
        ] {
            assert_eq!(text.parse::<Endpoint>(), Err(wanted), "{text}");
        }
    }
}
