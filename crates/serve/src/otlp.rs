//! Pushes metrics and marks to an OpenTelemetry collector (OTLP over HTTP). It reads what the pages read, so it disturbs no study; a
//! collector that is away costs one warning.

mod endpoint;
mod messages;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use prost::Message as _;
use tokio::sync::watch;

use self::endpoint::send;
use self::messages::{logs, metrics};
use crate::metrics::collect::Mark;
use crate::metrics::snapshot;
use crate::shared::{Shared, reading};

pub use self::endpoint::{BadEndpoint, Endpoint};

/// Between two pushes.
const PUSH_EVERY: Duration = Duration::from_secs(5);

/// Where metrics are pushed, and who hears of it when that fails.
pub struct Push {
    /// The collector.
    pub endpoint: Endpoint,
    /// Warns the user. It is called once at most.
    pub warn: Box<dyn Fn(&str) + Send>,
}

impl fmt::Debug for Push {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Push")
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}

/// Pushes every few seconds, and once more when the server ends.
pub(crate) async fn push(push: Push, shared: Arc<Shared>) {
    let mut ending = shared.ending.clone();
    let mut pusher = Pusher {
        push,
        shared,
        began: SystemTime::now(),
        sent: BTreeSet::new(),
        has_warned: false,
    };
    loop {
        let is_last = is_over(&mut ending).await;
        pusher.once().await;
        if is_last {
            return;
        }
    }
}

/// Waits until the next push is due; `true` when it is the last one.
async fn is_over(ending: &mut watch::Receiver<bool>) -> bool {
    tokio::select! {
        () = tokio::time::sleep(PUSH_EVERY) => false,
        _ = ending.changed() => true,
    }
}

struct Pusher {
    push: Push,
    shared: Arc<Shared>,
    began: SystemTime,
    /// Marks that the collector has.
    sent: BTreeSet<String>,
    has_warned: bool,
}

impl Pusher {
    async fn once(&mut self) {
        let shared = Arc::clone(&self.shared);
        let snapshot = reading(move || snapshot(&shared)).await;
        let now = SystemTime::now();
        let is_news =
            |mark: &&Mark| mark.at.is_none_or(|at| at >= self.began) && !self.sent.contains(&mark.id);
        let marks: Vec<&Mark> = snapshot.marks.iter().filter(is_news).collect();
        let body = metrics(&snapshot.families, now).encode_to_vec();
        let mut outcome = send(&self.push.endpoint, "/v1/metrics", body).await;
        if outcome.is_ok() && !marks.is_empty() {
            let body = logs(&marks, now).encode_to_vec();
            outcome = send(&self.push.endpoint, "/v1/logs", body).await;
            if outcome.is_ok() {
                let ids: Vec<String> = marks.iter().map(|mark| mark.id.clone()).collect();
                self.sent.extend(ids);
            }
        }
        if let Err(reason) = outcome
            && !self.has_warned
        {
            self.has_warned = true;
            (self.push.warn)(&format!(
                "cannot push metrics to {}: {reason}. Trying again every {} s without further warnings.",
                self.push.endpoint,
                PUSH_EVERY.as_secs()
            ));
        }
    }
}
