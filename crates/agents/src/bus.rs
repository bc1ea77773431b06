//! The connection to the NATS server, and the subjects of its messages.

use std::time::Duration;

use async_nats::{Client, ConnectErrorKind, ConnectOptions, ServerAddr};
use dbdyno_driver::remote::{Remote, client_configuration};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::address::AgentsAddress;
use crate::error::{AgentsError, AgentsErrorKind, not_sent, whole};

/// Agents answer whoever looks for them.
pub(crate) const FIND: &str = "dbdyno.find";
/// Where results are kept until the coordinator has them.
pub(crate) const STREAM: &str = "DBDYNO_RESULTS";
/// The subjects of results.
pub(crate) const ALL_RESULTS: &str = "dbdyno.report.*.result.>";

/// A message larger than this is none of ours: a histogram of all latencies that there can be takes a tenth of it.
const LARGEST_MESSAGE: usize = 8 << 20;
/// How long an answer may take, from an agent that is there.
pub(crate) const ANSWER: Duration = Duration::from_secs(2);

/// The subject of one agent.
pub(crate) fn of_agent(id: &str) -> String {
    format!("dbdyno.agent.{id}")
}

/// Where a coordinator speaks to all of its agents.
pub(crate) fn of_fleet(coordinator: &str) -> String {
    format!("dbdyno.fleet.{coordinator}")
}

/// Where agents report to a coordinator.
pub(crate) fn of_reports(coordinator: &str) -> String {
    format!("dbdyno.report.{coordinator}.now")
}

/// Where an agent leaves the result of a trial.
pub(crate) fn of_result(coordinator: &str, trial: &str, agent: &str) -> String {
    format!("dbdyno.report.{coordinator}.result.{trial}.{agent}")
}

/// Everything that agents report to a coordinator.
pub(crate) fn all_of(coordinator: &str) -> String {
    format!("dbdyno.report.{coordinator}.>")
}

/// Connects, once.
pub(crate) async fn connect(address: &AgentsAddress, name: &str) -> Result<Client, AgentsError> {
    let remote = address.read()?;
    let servers: Result<Vec<ServerAddr>, _> = remote
        .hosts
        .iter()
        .map(|host| format!("nats://{host}").parse::<ServerAddr>())
        .collect();
    let servers = servers.map_err(|error| AgentsError::request(format!("{address}: {}", whole(&error))))?;
    let options = options(address, &remote, name)?;
    options
        .connect(servers)
        .await
        .map_err(|error| refused(address, error.kind(), &whole(&error)))
}

fn options(address: &AgentsAddress, remote: &Remote, name: &str) -> Result<ConnectOptions, AgentsError> {
    let mut options = ConnectOptions::new()
        .name(name)
        .connection_timeout(remote.connect_timeout)
        .request_timeout(Some(ANSWER))
        // A server that restarts is waited for.
        .max_reconnects(None)
        .reconnect_delay_callback(|_| Duration::from_millis(250))
        .ping_interval(Duration::from_secs(2));
    let password = remote
        .password
        .as_ref()
        .map(|password| password.reveal().to_owned());
    options = match (&remote.user, password) {
        (Some(user), Some(password)) => options.user_and_password(user.clone(), password),
        // In the URLs of NATS, what stands alone before the `@` is a token.
        (Some(token), None) => options.token(token.clone()),
        (None, Some(token)) => options.token(token),
        (None, None) => options,
    };
    if let Some(file) = address.credentials_file() {
        let text = std::fs::read_to_string(file)
            .map_err(|error| AgentsError::request(format!("`credentials_file={file}`: {error}")))?;
        options = options
            .credentials(&text)
            .map_err(|error| AgentsError::request(format!("`credentials_file={file}`: {error}")))?;
    }
    if let Some(tls) = &remote.tls {
        let configuration = client_configuration(tls).map_err(|error| AgentsError::request(error.message))?;
        options = options
            .tls_client_config((*configuration).clone())
            .require_tls(true);
    }
    Ok(options)
}

fn refused(address: &AgentsAddress, kind: ConnectErrorKind, text: &str) -> AgentsError {
    let (own, help) = match kind {
        ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => (
            AgentsErrorKind::Server,
            "give a token (`nats://TOKEN@HOST`, or `?password_env=NAME`), a user and a password (`?user=NAME&password_env=NAME`), or \
             `?credentials_file=FILE`",
        ),
        ConnectErrorKind::Tls => (
            AgentsErrorKind::Server,
            "`?tls_ca=FILE` names the authority that signed the server's certificate",
        ),
        ConnectErrorKind::Io | ConnectErrorKind::TimedOut | ConnectErrorKind::Dns => (
            AgentsErrorKind::Unreachable,
            "start one with `nats-server -js`, and look at host and port; with TLS, add `?tls=on`",
        ),
        _ => (AgentsErrorKind::Server, ""),
    };
    AgentsError::new(own, format!("no connection to the NATS server {address}: {text}")).help(help)
}

/// Waits until the server has what was sent. A connection that is lost would wait for the server for ever.
///
/// # Errors
/// When the server is away, or does not take it in time.
pub(crate) async fn reach(client: &Client) -> Result<(), AgentsError> {
    let unreachable = |why: &str| AgentsError::new(AgentsErrorKind::Unreachable, format!("NATS: {why}"));
    match tokio::time::timeout(ANSWER, client.flush()).await {
        Ok(flushed) => flushed.map_err(|error| unreachable(&whole(&error))),
        Err(_) => Err(unreachable(&format!(
            "the server did not answer within {} s",
            ANSWER.as_secs()
        ))),
    }
}

/// Publishes a message.
pub(crate) async fn publish(
    client: &Client,
    subject: String,
    message: &impl Serialize,
) -> Result<(), AgentsError> {
    let payload = written(message)?;
    client
        .publish(subject, payload.into())
        .await
        .map_err(|error| not_sent("a message was not sent", &error))
}

/// A message as text.
pub(crate) fn written(message: &impl Serialize) -> Result<Vec<u8>, AgentsError> {
    serde_json::to_vec(message).map_err(|error| not_sent("a message cannot be written", &error))
}

/// Reads a message; `None` where it is none of ours. Anybody may send anything.
pub(crate) fn read<T: DeserializeOwned>(payload: &[u8]) -> Option<T> {
    if payload.len() > LARGEST_MESSAGE {
        return None;
    }
    serde_json::from_slice(payload).ok()
}
