//! Who is there: every agent answers, and what came within a moment is all of them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_nats::Client;
use futures_util::StreamExt;

use crate::address::{AgentsAddress, Labels};
use crate::bus::{self, ANSWER, FIND, of_agent};
use crate::clock::{Clock, Exchange, Offsets};
use crate::error::{AgentsError, not_sent};
use crate::identity;
use crate::wire::{Answer, Ask, Card};

/// Answers come within a round trip; after the first, so long a silence is the end of them.
const SILENCE: Duration = Duration::from_millis(300);
/// So long at most.
const LONGEST: Duration = Duration::from_secs(3);
/// Exchanges by which the clocks are compared for a list.
const EXCHANGES: usize = 8;

/// An agent, as a list shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// The machine on which it runs, as that calls itself.
    pub host: String,
    /// The version of dbdyno, and of its messages.
    pub version: String,
    /// Processors that it may use.
    pub cpus: u32,
    /// Its labels.
    pub labels: Labels,
    /// The study that it works for; `None`: it is free.
    pub study: Option<String>,
    /// The shortest round trip of a message to it and back; `None` where it did not answer alone.
    pub round_trip: Option<Duration>,
    /// How far its time of day is ahead of this machine's, nanoseconds, give or take half the round trip.
    pub wall_offset_ns: Option<i64>,
}

/// All agents that a server has, by name.
///
/// # Errors
/// When the server cannot be reached or refuses.
pub fn list(server: &AgentsAddress) -> Result<Vec<Listed>, AgentsError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| not_sent("no runtime", &error))?;
    runtime.block_on(async {
        let client = bus::connect(server, "dbdyno").await?;
        let mut listed = Vec::new();
        for card in call(&client).await? {
            listed.push(described(&client, card).await);
        }
        listed.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(listed)
    })
}

async fn described(client: &Client, card: Card) -> Listed {
    let clock = Clock::start();
    let wall_ns = |now: SystemTime| {
        let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
    };
    // The clock of this process, on the time of day at its start.
    let began_ns = wall_ns(SystemTime::now()).saturating_sub(clock.now_ns());
    let mut offsets = Offsets::default();
    for _ in 0..EXCHANGES {
        let sent_ns = clock.now_ns();
        let Ok(Answer::Card(answer)) = ask(client, &card.id, &Ask::Describe).await else {
            break;
        };
        offsets.learn(Exchange {
            sent_ns,
            received_ns: clock.now_ns(),
            theirs_ns: answer.wall_ns.wrapping_sub(began_ns),
        });
    }
    Listed {
        name: card.name,
        host: card.host,
        version: card.version,
        cpus: card.cpus,
        labels: card.labels,
        study: card.study,
        round_trip: offsets.round_trip_ns().map(Duration::from_nanos),
        wall_offset_ns: offsets.offset_ns(),
    }
}

/// The cards of all agents that answer.
///
/// # Errors
/// When the server refuses, or is away.
pub(super) async fn call(client: &Client) -> Result<Vec<Card>, AgentsError> {
    let inbox = client.new_inbox();
    let failed = |error: &dyn std::error::Error| not_sent("agents cannot be looked for", error);
    let mut answers = client
        .subscribe(inbox.clone())
        .await
        .map_err(|error| failed(&error))?;
    client
        .publish_with_reply(FIND, inbox, bytes::Bytes::new())
        .await
        .map_err(|error| failed(&error))?;
    bus::reach(client).await?;
    let mut cards: Vec<Card> = Vec::new();
    let collect = async {
        while let Ok(Some(message)) = tokio::time::timeout(SILENCE, answers.next()).await {
            if let Some(Answer::Card(card)) = bus::read(&message.payload)
                && cards.iter().all(|known| known.id != card.id)
                && can_be_shown(&card)
            {
                cards.push(card);
            }
        }
    };
    // A server with no end of answers is cut off.
    let _ = tokio::time::timeout(LONGEST, collect).await;
    Ok(cards)
}

/// Whether what a card says fits into a line: anybody may send one.
fn can_be_shown(card: &Card) -> bool {
    let labels = card.labels.iter().flat_map(|(name, value)| [name, value]);
    let others = [&card.host, &card.version].into_iter().chain(labels);
    let mut others = others.filter(|text| !text.is_empty());
    identity::is_random_id(&card.id)
        && identity::is_name(&card.name)
        && others.all(|text| identity::is_name(text))
}

/// Asks one agent.
///
/// # Errors
/// When no answer comes in time, with the reason.
pub(super) async fn ask(client: &Client, agent: &str, ask: &Ask) -> Result<Answer, String> {
    let payload = bus::written(ask).map_err(|error| error.message)?;
    let request = client.request(of_agent(agent), payload.into());
    let answer = tokio::time::timeout(ANSWER, request)
        .await
        .map_err(|_| "it does not answer".to_owned())?;
    let message = answer.map_err(|error| format!("it does not answer: {error}"))?;
    bus::read(&message.payload).ok_or_else(|| "its answer is none of dbdyno's".to_owned())
}
