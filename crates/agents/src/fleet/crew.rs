//! The agents that a command has: taken under leases, and held by heartbeats, which compare the clocks as well.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::{self, stream};
use dbdyno_driver::Target;
use dbdyno_driver::remote::HostPort;
use dbdyno_engine::{EngineError, EngineErrorClass};
use dbdyno_record::GeneratorClock;
use futures_util::StreamExt;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

use super::FleetRequest;
use super::roll_call::{ask, call};
use crate::bus::{self, ALL_RESULTS, STREAM, all_of, of_fleet};
use crate::clock::{Clock, Exchange, Offsets};
use crate::error::{AgentsError, AgentsErrorKind, not_sent};
use crate::identity;
use crate::order::SentTarget;
use crate::wire::{Answer, Ask, Card, Notice, NoticeKind, Report, VERSION};

/// How often an agent hears that it is still wanted.
const HEARTBEAT: Duration = Duration::from_millis(400);
/// An agent that has not answered for so long is gone.
pub(super) const SILENT_NS: u64 = 2_000_000_000;
/// One that has not answered for so long does not come back.
const FORGOTTEN_NS: u64 = 30_000_000_000;
/// Exchanges by which an agent's clock is known before its first trial.
const EXCHANGES: usize = 8;
/// How long results are kept for a coordinator that does not fetch them.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// The agents of a command, and its way to them.
pub(super) struct Crew {
    client: Client,
    /// Its name, which no other command has.
    coordinator: String,
    clock: Clock,
    request: FleetRequest,
    /// Whether nobody else can read what it sends: it is encrypted, or stays on this machine.
    is_private: bool,
    agents: Mutex<Vec<Agent>>,
    /// Agents that may not send load to one of the command's databases, by id, with the reason: they are not taken again.
    passed_over: Mutex<BTreeMap<String, String>>,
    /// What was said to all agents so far.
    said: AtomicU64,
    /// Who hears the reports of a trial.
    trials: Mutex<BTreeMap<String, UnboundedSender<Report>>>,
}

/// An agent that was taken.
struct Agent {
    card: Card,
    offsets: Offsets,
    /// When it answered last.
    seen_ns: u64,
    /// It said that it is another's, or free.
    lost: bool,
}

/// An agent that is there.
#[derive(Clone, Debug)]
pub(super) struct Present {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) host: String,
    pub(super) boot: String,
    pub(super) process: u32,
    pub(super) cpus: u32,
    /// What its clock shows more than this one's.
    pub(super) offset_ns: Option<i64>,
    pub(super) round_trip_ns: u64,
}

impl Present {
    /// Whether it runs on the command's machine.
    pub(super) fn is_here(&self) -> bool {
        let boot = identity::boot();
        !boot.is_empty() && self.boot == boot
    }
}

/// An agent that is there and was not taken, with the reason.
pub(super) struct Refused {
    pub(super) name: String,
    pub(super) reason: String,
}

impl Crew {
    /// Without agents yet.
    pub(super) async fn new(client: Client, request: FleetRequest) -> Result<Self, AgentsError> {
        let context = jetstream::new(client.clone());
        let kept = stream::Config {
            name: STREAM.to_owned(),
            subjects: vec![ALL_RESULTS.to_owned()],
            max_age: KEPT,
            ..stream::Config::default()
        };
        context.get_or_create_stream(kept).await.map_err(|error| {
            not_sent("results cannot be kept", &error)
                .help("start nats-server with JetStream: `nats-server -js`")
        })?;
        let remote = request.server.read()?;
        let is_here = |host: &HostPort| {
            host.host
                .parse()
                .is_ok_and(|address: IpAddr| address.is_loopback())
        };
        let is_private = remote.tls.is_some() || remote.hosts.iter().all(is_here);
        Ok(Self {
            is_private,
            client,
            coordinator: identity::random_id(),
            clock: Clock::start(),
            request,
            agents: Mutex::default(),
            passed_over: Mutex::default(),
            said: AtomicU64::new(0),
            trials: Mutex::default(),
        })
    }

    pub(super) fn clock(&self) -> &Clock {
        &self.clock
    }

    pub(super) fn coordinator(&self) -> &str {
        &self.coordinator
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// Whether the address of a database may be sent: a password only where nobody can read it.
    pub(super) fn check_secrets(&self, target: &Target) -> Result<(), EngineError> {
        if self.is_private || !target.holds_secret() {
            return Ok(());
        }
        Err(EngineError::Generator {
            generator: "none".to_owned(),
            class: EngineErrorClass::Input,
            message: format!(
                "the address {target} holds a secret, and the connection to {} is not encrypted: add `?tls=on` to it, or let the agents read the password from their own environment (`password_env=NAME`)",
                self.request.server
            ),
        })
    }

    fn agents(&self) -> MutexGuard<'_, Vec<Agent>> {
        self.agents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn passed_over(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.passed_over.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn trials(&self) -> MutexGuard<'_, BTreeMap<String, UnboundedSender<Report>>> {
        self.trials.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The agents that are there, in the order of their numbers and names.
    pub(super) fn alive(&self) -> Vec<Present> {
        let now_ns = self.clock.now_ns();
        let agents = self.agents();
        let mut alive: Vec<&Agent> = agents.iter().filter(|agent| agent.is_there(now_ns)).collect();
        alive.sort_by(|a, b| (a.card.number, &a.card.name).cmp(&(b.card.number, &b.card.name)));
        alive.into_iter().map(Agent::present).collect()
    }

    /// Those of these agents that are gone.
    pub(super) fn gone<'a>(&self, of: &'a [Present]) -> Vec<&'a Present> {
        let now_ns = self.clock.now_ns();
        let agents = self.agents();
        let is_there = |present: &Present| {
            agents
                .iter()
                .any(|agent| agent.card.id == present.id && agent.is_there(now_ns))
        };
        of.iter().filter(|present| !is_there(present)).collect()
    }

    /// How well an agent's clock is known now.
    pub(super) fn clock_of(&self, agent: &Present) -> GeneratorClock {
        let agents = self.agents();
        let own = agents.iter().find(|own| own.card.id == agent.id);
        own.map_or_else(GeneratorClock::default, |own| {
            own.offsets.known_since(agent.offset_ns)
        })
    }

    /// Notes how the clocks of these agents stand: a phase is about to begin.
    pub(super) fn compare_clocks<'a>(&self, of: impl Iterator<Item = &'a mut Present>) {
        let agents = self.agents();
        for present in of {
            if let Some(own) = agents.iter().find(|own| own.card.id == present.id) {
                present.offset_ns = own.offsets.offset_ns();
                present.round_trip_ns = own.offsets.round_trip_ns().unwrap_or(0);
            }
        }
    }

    pub(super) fn is_enough(&self) -> bool {
        self.alive().len() >= self.request.min as usize
    }

    /// Whether there are enough, and none that was taken is gone.
    pub(super) fn is_whole(&self) -> bool {
        let alive = self.alive().len();
        alive >= self.request.min as usize && alive == self.agents().len()
    }

    /// Takes all agents that are wanted and free. Returns those that were not to be had.
    pub(super) async fn recruit(self: &Arc<Self>) -> Result<Vec<Refused>, AgentsError> {
        let now_ns = self.clock.now_ns();
        self.agents()
            .retain(|agent| !agent.lost && now_ns.saturating_sub(agent.seen_ns) < FORGOTTEN_NS);
        let mut refused = Vec::new();
        let mut leases = JoinSet::new();
        let cards = match call(&self.client).await {
            // It may come back, as an agent may.
            Err(error) if error.kind == AgentsErrorKind::Unreachable => Vec::new(),
            cards => cards?,
        };
        for card in cards {
            let wanted = self.request.labels.iter();
            let is_wanted = wanted
                .clone()
                .all(|(name, value)| card.labels.get(name) == Some(value));
            if self.agents().iter().any(|own| own.card.id == card.id) {
                continue;
            }
            let reason = match is_wanted {
                false => Some("it has other labels".to_owned()),
                true => self.passed_over().get(&card.id).cloned(),
            };
            if let Some(reason) = reason {
                refused.push(Refused {
                    name: card.name,
                    reason,
                });
                continue;
            }
            let crew = Arc::clone(self);
            leases.spawn(async move { crew.lease(card).await });
        }
        while let Some(lease) = leases.join_next().await {
            if let Ok(Err(agent)) = lease {
                refused.push(agent);
            }
        }
        Ok(refused)
    }

    /// Asks these agents whether they may send load to a database, and lets those go that may not, if the others are enough. Returns
    /// the others, and who was let go.
    ///
    /// # Errors
    /// When too few are left, with what the first of the others said.
    pub(super) async fn that_may_serve(
        &self,
        agents: Vec<Present>,
        target: &Target,
    ) -> Result<(Vec<Present>, Vec<Refused>), EngineError> {
        let mut asked = JoinSet::new();
        for agent in &agents {
            let (client, id) = (self.client.clone(), agent.id.clone());
            let may_serve = Ask::MayServe {
                coordinator: self.coordinator.clone(),
                target: Box::new(SentTarget::of(target)),
            };
            asked.spawn(async move {
                let answer = ask(&client, &id, &may_serve).await;
                (id, answer)
            });
        }
        let mut reasons = BTreeMap::new();
        // Who does not answer is found by its silence.
        while let Some(answer) = asked.join_next().await {
            if let Ok((id, Ok(Answer::Refused(reason)))) = answer {
                reasons.insert(id, reason);
            }
        }
        let (unable, able): (Vec<Present>, Vec<Present>) = agents
            .into_iter()
            .partition(|agent| reasons.contains_key(&agent.id));
        let mut refused: Vec<Refused> = unable
            .iter()
            .map(|agent| Refused {
                name: agent.name.clone(),
                reason: reasons.get(&agent.id).cloned().unwrap_or_default(),
            })
            .collect();
        if able.len() < self.request.min as usize && !refused.is_empty() {
            let Refused { name, reason } = refused.remove(0);
            return Err(EngineError::Generator {
                generator: name,
                class: EngineErrorClass::Input,
                message: reason,
            });
        }
        self.agents()
            .retain(|agent| !reasons.contains_key(&agent.card.id));
        let ids: Vec<String> = reasons.keys().cloned().collect();
        self.passed_over().extend(reasons);
        self.release_these(ids).await;
        Ok((able, refused))
    }

    async fn lease(&self, card: Card) -> Result<(), Refused> {
        let wanted = Ask::Lease {
            coordinator: self.coordinator.clone(),
            study: self.request.study.clone(),
            version: VERSION.to_owned(),
        };
        let reason = match ask(&self.client, &card.id, &wanted).await {
            Ok(Answer::Done) => {
                let id = card.id.clone();
                self.take(card);
                for _ in 0..EXCHANGES {
                    self.beat_at(&id, self.offset_of(&id)).await;
                }
                return Ok(());
            }
            Ok(Answer::Refused(reason)) | Err(reason) => reason,
            Ok(_) => "its answer makes no sense".to_owned(),
        };
        Err(Refused {
            name: card.name,
            reason,
        })
    }

    fn offset_of(&self, id: &str) -> Option<i64> {
        let agents = self.agents();
        agents.iter().find(|own| own.card.id == id)?.offsets.offset_ns()
    }

    fn take(&self, mut card: Card) {
        let mut agents = self.agents();
        agents.retain(|agent| agent.card.id != card.id);
        // Findings and pages know agents by their names alone.
        let own = card.name.clone();
        for number in 2.. {
            if agents.iter().all(|agent| agent.card.name != card.name) {
                break;
            }
            card.name = format!("{own} ({number})");
        }
        agents.push(Agent {
            card,
            offsets: Offsets::default(),
            seen_ns: self.clock.now_ns(),
            lost: false,
        });
    }

    /// Why there are too few.
    pub(super) fn too_few(&self, refused: &[Refused]) -> AgentsError {
        let labels = self.request.labels.iter();
        let labels: String = labels
            .map(|(name, value)| format!(" --label {name}={value}"))
            .collect();
        let alive = self.alive();
        let mut message = format!(
            "{} of {} agents are there at {}",
            alive.len(),
            self.request.min,
            self.request.server
        );
        for agent in refused.iter().take(5) {
            message.push_str(&format!("; {}: {}", agent.name, agent.reason));
        }
        AgentsError::new(AgentsErrorKind::Agents, message).help(format!(
            "start more with `dbdyno agent --join {}{labels}`, or change `min=` or `where=`",
            self.request.server
        ))
    }

    /// Sends heartbeats and passes reports on until the runtime ends.
    pub(super) fn keep_alive(self: Arc<Self>) {
        tokio::spawn(Arc::clone(&self).beat());
        tokio::spawn(self.pass_on());
    }

    async fn beat(self: Arc<Self>) {
        loop {
            tokio::time::sleep(HEARTBEAT).await;
            for (agent, offset_ns) in self.held() {
                let crew = Arc::clone(&self);
                tokio::spawn(async move { crew.beat_at(&agent, offset_ns).await });
            }
        }
    }

    /// Those that get heartbeats, each with what its clock shows more than this one's.
    fn held(&self) -> Vec<(String, Option<i64>)> {
        let agents = self.agents();
        let held = agents.iter().filter(|agent| !agent.lost);
        held.map(|agent| (agent.card.id.clone(), agent.offsets.offset_ns()))
            .collect()
    }

    /// Sends every agent a heartbeat. Whether all that are there answered it.
    pub(super) async fn all_answer(self: &Arc<Self>) -> bool {
        let asked_ns = self.clock.now_ns();
        let mut beats = JoinSet::new();
        for (agent, offset_ns) in self.held() {
            let crew = Arc::clone(self);
            beats.spawn(async move { crew.beat_at(&agent, offset_ns).await });
        }
        while beats.join_next().await.is_some() {}
        let now_ns = self.clock.now_ns();
        let agents = self.agents();
        let mut there = agents.iter().filter(|agent| agent.is_there(now_ns));
        there.all(|agent| agent.seen_ns >= asked_ns)
    }

    async fn beat_at(&self, agent: &str, offset_ns: Option<i64>) {
        let beat = Ask::Beat {
            coordinator: self.coordinator.clone(),
            said: self.said.load(Ordering::SeqCst),
            offset_ns,
        };
        let sent_ns = self.clock.now_ns();
        let answer = ask(&self.client, agent, &beat).await;
        let received_ns = self.clock.now_ns();
        let mut agents = self.agents();
        let Some(own) = agents.iter_mut().find(|own| own.card.id == agent) else {
            return;
        };
        match answer {
            Ok(Answer::Beat { now_ns }) => {
                own.seen_ns = received_ns;
                own.offsets.learn(Exchange {
                    sent_ns,
                    received_ns,
                    theirs_ns: now_ns,
                });
            }
            Ok(Answer::Refused(_)) => own.lost = true,
            // It may answer the next one.
            Ok(_) | Err(_) => {}
        }
    }

    async fn pass_on(self: Arc<Self>) {
        let Ok(mut reports) = self.client.subscribe(all_of(&self.coordinator)).await else {
            return;
        };
        while let Some(message) = reports.next().await {
            let Some(report) = bus::read::<Report>(&message.payload) else {
                continue;
            };
            let trials = self.trials();
            if let Some(trial) = trials.get(&report.trial) {
                let _ = trial.send(report);
            }
        }
    }

    /// The reports of a trial, from now on until it is forgotten.
    pub(super) fn reports_of(&self, trial: &str) -> tokio::sync::mpsc::UnboundedReceiver<Report> {
        let (sender, receiver) = unbounded_channel();
        self.trials().insert(trial.to_owned(), sender);
        receiver
    }

    pub(super) fn forget(&self, trial: &str) {
        self.trials().remove(trial);
    }

    /// Says something to all agents.
    pub(super) async fn say(&self, trial: &str, notice: NoticeKind) {
        let notice = Notice {
            number: self.said.fetch_add(1, Ordering::SeqCst) + 1,
            trial: trial.to_owned(),
            notice,
        };
        // An agent that misses it learns so from the next heartbeats.
        let _ = bus::publish(&self.client, of_fleet(&self.coordinator), &notice).await;
    }

    /// Looks for the result of a trial that was kept while nobody could listen.
    pub(super) async fn kept_result(&self, trial: &str, agent: &str) -> Option<Report> {
        let context = jetstream::new(self.client.clone());
        let stream = context.get_stream(STREAM).await.ok()?;
        let subject = bus::of_result(&self.coordinator, trial, agent);
        let message = stream.get_last_raw_message_by_subject(&subject).await.ok()?;
        bus::read(&message.payload)
    }

    /// Lets all agents go.
    pub(super) async fn release(&self) {
        let ids: Vec<String> = self.agents().drain(..).map(|agent| agent.card.id).collect();
        self.release_these(ids).await;
        let _ = bus::reach(&self.client).await;
    }

    async fn release_these(&self, ids: Vec<String>) {
        let mut releases = JoinSet::new();
        for id in ids {
            let (client, coordinator) = (self.client.clone(), self.coordinator.clone());
            releases.spawn(async move {
                let release = Ask::Release { coordinator };
                let _ = ask(&client, &id, &release).await;
            });
        }
        while releases.join_next().await.is_some() {}
    }
}

impl Agent {
    fn is_there(&self, now_ns: u64) -> bool {
        !self.lost && now_ns.saturating_sub(self.seen_ns) < SILENT_NS
    }

    fn present(&self) -> Present {
        Present {
            id: self.card.id.clone(),
            name: self.card.name.clone(),
            host: self.card.host.clone(),
            boot: self.card.boot.clone(),
            process: self.card.process,
            cpus: self.card.cpus,
            offset_ns: self.offsets.offset_ns(),
            round_trip_ns: self.offsets.round_trip_ns().unwrap_or(0),
        }
    }
}
