//! A load generator that waits for work: `dbdyno agent`.
//!
//! An agent belongs to one coordinator at a time, under a lease that each heartbeat of the coordinator renews. Where none comes for two
//! seconds, the agent sends no more load: it cannot know whether anybody still wants it.

mod lease;
mod link;
mod outgoing;
mod running;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_nats::{Client, Message, Subscriber};
use dbdyno_driver::{DriverInfo, Target};
use dbdyno_engine::Stop;
use dbdyno_machine::usable_cpus;
use dbdyno_vocabulary::words::plural;
use futures_util::StreamExt;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::address::{AgentsAddress, Labels};
use crate::allow::Allowed;
use crate::bus::{self, FIND, of_agent, of_fleet};
use crate::clock::{Clock, ticks};
use crate::error::{AgentsError, AgentsErrorKind, not_sent};
use crate::identity;
use crate::order::TrialOrder;
use crate::wire::{Answer, Ask, Card, Notice, Report, VERSION};
use lease::{Heard, Lease};
use outgoing::Outgoing;
use running::{Running, leave_result};

/// How often the agent looks at its lease and at its own end.
const LOOK: Duration = Duration::from_millis(100);
/// Between two tries to connect for the first time.
const TRY_AGAIN: Duration = Duration::from_millis(500);
/// How long the look-up of a target's name may take: less than a lease lasts.
const LOOK_UP: Duration = Duration::from_secs(1);
/// Shares that an agent has at once: the systems of a study that take turns.
const MOST_SHARES: usize = 256;

/// An agent.
#[derive(Clone, Debug)]
pub struct AgentOptions {
    /// The server where it can be found.
    pub server: AgentsAddress,
    /// Its name; by default that of the machine, with the process.
    pub name: Option<String>,
    /// Its number among those that were started together.
    pub number: Option<u32>,
    /// What coordinators can choose by.
    pub labels: Labels,
    /// The databases to which it sends load.
    pub allowed: Allowed,
    /// How long it waits for the server to be there.
    pub wait: Duration,
    /// It ends when the first command has released it.
    pub once: bool,
}

impl AgentOptions {
    /// Whether its name and labels fit into a line.
    fn check(&self) -> Result<(), AgentsError> {
        let labels = self.labels.iter().flat_map(|(name, value)| [name, value]);
        let mut texts = self.name.iter().chain(labels.filter(|text| !text.is_empty()));
        match texts.find(|text| !identity::is_name(text)) {
            None => Ok(()),
            Some(text) => Err(
                AgentsError::request(format!("{text:?} is not a valid agent name or label")).help(
                    "use up to 64 characters on one line, with no space at either end (--name, --label)",
                ),
            ),
        }
    }
}

/// An agent at work.
struct Agent<'a> {
    client: Client,
    card: Card,
    clock: Clock,
    allowed: Allowed,
    lease: Option<Lease>,
    /// What its coordinator says to all.
    notices: Option<Subscriber>,
    shares: BTreeMap<String, Running>,
    /// Trials that it has begun: an order that comes again is refused.
    begun: BTreeSet<String>,
    sender: UnboundedSender<Outgoing>,
    once: bool,
    /// A command released it, and it was started for one.
    is_over: bool,
    say: &'a mut dyn FnMut(&str),
}

/// Serves coordinators until a stop is requested. `say` hears what happens, in sentences.
///
/// # Errors
/// When the server cannot be reached or refuses.
pub fn serve(options: &AgentOptions, stop: &Stop, say: &mut dyn FnMut(&str)) -> Result<(), AgentsError> {
    options.check()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("agent")
        .enable_all()
        .build()
        .map_err(|error| not_sent("no runtime", &error))?;
    let served = runtime.block_on(serve_there(options, stop, say));
    runtime.shutdown_timeout(Duration::from_secs(1));
    served
}

async fn serve_there(
    options: &AgentOptions,
    stop: &Stop,
    say: &mut dyn FnMut(&str),
) -> Result<(), AgentsError> {
    let card = card(options);
    let clock = Clock::start();
    let Some(client) = connect(options, &card.name, &clock, stop).await? else {
        return Ok(());
    };
    let failed = |error: async_nats::SubscribeError| not_sent("no subscription", &error);
    let mut finds = client.subscribe(FIND).await.map_err(failed)?;
    let mut asks = client.subscribe(of_agent(&card.id)).await.map_err(failed)?;
    say(&format!("{} waits for work at {}", card.name, options.server));
    let (sender, mut outgoing) = unbounded_channel();
    let mut agent = Agent {
        client,
        card,
        clock,
        allowed: options.allowed.clone(),
        lease: None,
        notices: None,
        shares: BTreeMap::new(),
        begun: BTreeSet::new(),
        sender,
        once: options.once,
        is_over: false,
        say,
    };
    agent.serve(&mut finds, &mut asks, &mut outgoing, stop).await;
    Ok(())
}

fn card(options: &AgentOptions) -> Card {
    let host = identity::host();
    let process = std::process::id();
    let name = match (&options.name, options.number) {
        (Some(name), _) => name.clone(),
        (None, Some(number)) => format!("{host}-{number}"),
        (None, None) => format!("{host}-{process}"),
    };
    Card {
        id: identity::random_id(),
        name,
        number: options.number,
        version: VERSION.to_owned(),
        host,
        boot: identity::boot(),
        process,
        cpus: usable_cpus(),
        labels: options.labels.clone(),
        study: None,
        wall_ns: 0,
    }
}

/// Connects, as soon as the server is there; `None` after a request to stop.
async fn connect(
    options: &AgentOptions,
    name: &str,
    clock: &Clock,
    stop: &Stop,
) -> Result<Option<Client>, AgentsError> {
    let until_ns = clock.now_ns() + u64::try_from(options.wait.as_nanos()).unwrap_or(u64::MAX / 2);
    loop {
        match bus::connect(&options.server, name).await {
            Ok(client) => return Ok(Some(client)),
            Err(_) if stop.is_requested() => return Ok(None),
            Err(error) if error.kind == AgentsErrorKind::Unreachable && clock.now_ns() < until_ns => {
                tokio::time::sleep(TRY_AGAIN).await;
            }
            Err(error) => return Err(error),
        }
    }
}

/// Whether a target is allowed. Its names may have to be looked up, and heartbeats wait no longer than this does.
async fn check(allowed: Allowed, target: &Target, info: &'static DriverInfo) -> Result<(), String> {
    let target = target.clone();
    let checked = tokio::task::spawn_blocking(move || allowed.check(&target, info));
    match tokio::time::timeout(LOOK_UP, checked).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) => Err("the check of the database's address failed".to_owned()),
        Err(_) => Err(format!(
            "the lookup of the database's host took more than {} s; `--allow` with the host name itself needs no lookup",
            LOOK_UP.as_secs()
        )),
    }
}

/// The next message of a subscription; never, without one.
async fn next(subscriber: Option<&mut Subscriber>) -> Option<Message> {
    match subscriber {
        Some(subscriber) => subscriber.next().await,
        None => std::future::pending().await,
    }
}

impl Agent<'_> {
    async fn serve(
        &mut self,
        finds: &mut Subscriber,
        asks: &mut Subscriber,
        outgoing: &mut UnboundedReceiver<Outgoing>,
        stop: &Stop,
    ) {
        let mut looks = ticks(LOOK);
        loop {
            tokio::select! {
                message = asks.next() => match message {
                    Some(message) => self.answer(message).await,
                    None => return,
                },
                message = next(self.notices.as_mut()) => match message {
                    Some(message) => self.note(&message),
                    None => self.notices = None,
                },
                Some(message) = finds.next() => {
                    if let Some(reply) = message.reply {
                        self.reply(reply, Answer::Card(self.own_card())).await;
                    }
                }
                Some(outgoing) = outgoing.recv() => self.send(outgoing).await,
                _ = looks.recv() => {
                    if stop.is_requested() || self.is_over {
                        self.give_up("the agent was stopped");
                        self.wait_for_shares(outgoing).await;
                        return;
                    }
                    self.look_at_lease();
                }
            }
        }
    }

    /// Itself, as it is now.
    fn own_card(&self) -> Card {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Card {
            study: self.lease.as_ref().map(|lease| lease.study.clone()),
            wall_ns: u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX),
            ..self.card.clone()
        }
    }

    /// Answers what is asked of it alone.
    async fn answer(&mut self, message: Message) {
        let Some(reply) = message.reply.clone() else {
            return;
        };
        let answer = match bus::read::<Ask>(&message.payload) {
            // First of all: the round trip is what the clocks are compared by.
            Some(Ask::Beat {
                coordinator,
                said,
                offset_ns,
            }) => self.beat(&coordinator, said, offset_ns),
            Some(Ask::Describe) => Answer::Card(self.own_card()),
            Some(Ask::Lease {
                coordinator,
                study,
                version,
            }) => self.lease(coordinator, study, &version).await,
            Some(Ask::Release { coordinator }) => self.release(&coordinator),
            Some(Ask::MayServe { coordinator, target }) => self
                .may_serve(&coordinator, &target.target())
                .await
                .map_or_else(Answer::Refused, |()| Answer::Done),
            Some(Ask::Begin { coordinator, order }) => self
                .begin(&coordinator, *order)
                .await
                .map_or_else(Answer::Refused, |()| Answer::Done),
            None => Answer::Refused("the message is none of dbdyno's".to_owned()),
        };
        self.reply(reply, answer).await;
    }

    async fn reply(&self, subject: async_nats::Subject, answer: Answer) {
        if let Ok(payload) = bus::written(&answer) {
            // Who does not hear it asks again.
            let _ = self.client.publish(subject, payload.into()).await;
        }
    }

    fn beat(&mut self, coordinator: &str, said: u64, offset_ns: Option<i64>) -> Answer {
        let now_ns = self.clock.now_ns();
        match self
            .lease
            .as_mut()
            .filter(|lease| lease.coordinator == coordinator)
        {
            Some(lease) => {
                lease.renew(now_ns, offset_ns);
                if lease.has_missed(said) {
                    self.miss();
                }
                Answer::Beat { now_ns }
            }
            None => Answer::Refused("the lease has ended".to_owned()),
        }
    }

    async fn lease(&mut self, coordinator: String, study: String, version: &str) -> Answer {
        if !identity::is_random_id(&coordinator) {
            return Answer::Refused("its coordinator has no name of dbdyno's".to_owned());
        }
        if version != VERSION {
            return Answer::Refused(format!(
                "it is of version {VERSION}, and the command of {version}"
            ));
        }
        let now_ns = self.clock.now_ns();
        if let Some(lease) = self.lease.as_mut() {
            if lease.coordinator == coordinator {
                lease.renew(now_ns, None);
                return Answer::Done;
            }
            return Answer::Refused(format!("it works for study `{}`", lease.study));
        }
        if !self.shares.is_empty() {
            return Answer::Refused("its last trial has not ended yet".to_owned());
        }
        match self.client.subscribe(of_fleet(&coordinator)).await {
            Ok(notices) => self.notices = Some(notices),
            Err(error) => return Answer::Refused(format!("no subscription: {error}")),
        }
        (self.say)(&format!("works for study {study}"));
        self.lease = Some(Lease::new(coordinator, study, now_ns));
        Answer::Done
    }

    fn release(&mut self, coordinator: &str) -> Answer {
        if self
            .lease
            .as_ref()
            .is_some_and(|lease| lease.coordinator == coordinator)
        {
            self.give_up("the command released the agent");
            self.is_over = self.once;
        }
        Answer::Done
    }

    /// Messages of the coordinator were lost: no share can know what it should do.
    fn miss(&mut self) {
        for share in self.shares.values_mut() {
            share.disband("messages of the command were lost");
        }
    }

    fn look_at_lease(&mut self) {
        let now_ns = self.clock.now_ns();
        if self.lease.as_ref().is_some_and(|lease| lease.has_ended(now_ns)) {
            self.give_up("the command has been silent for two seconds");
        }
    }

    /// Ends the lease, and every share with it.
    fn give_up(&mut self, reason: &str) {
        for share in self.shares.values_mut() {
            share.disband(reason);
        }
        if self.lease.take().is_some() {
            self.notices = None;
            self.begun.clear();
            (self.say)(&format!("is free again: {reason}"));
        }
    }

    /// Shares end within a moment: their clients send nothing more.
    async fn wait_for_shares(&mut self, outgoing: &mut UnboundedReceiver<Outgoing>) {
        let patience = tokio::time::sleep(Duration::from_secs(5));
        tokio::pin!(patience);
        while !self.shares.is_empty() {
            tokio::select! {
                Some(outgoing) = outgoing.recv() => self.send(outgoing).await,
                () = &mut patience => return,
            }
        }
    }

    /// Refuses a database that this coordinator may not have load sent to.
    async fn may_serve(&self, coordinator: &str, target: &Target) -> Result<(), String> {
        self.lease_of(coordinator)?;
        let info = dbdyno_registry::find(&target.scheme).map_err(|error| error.to_string())?;
        check(self.allowed.clone(), target, info).await
    }

    fn lease_of(&self, coordinator: &str) -> Result<&Lease, String> {
        let lease = self.lease.as_ref();
        let own = lease.filter(|lease| lease.coordinator == coordinator);
        own.ok_or_else(|| "the lease has ended".to_owned())
    }

    async fn begin(&mut self, coordinator: &str, order: TrialOrder) -> Result<(), String> {
        let offset = self.lease_of(coordinator)?.offset();
        if self.shares.len() >= MOST_SHARES {
            return Err(format!("it has {MOST_SHARES} shares already"));
        }
        if !identity::is_random_id(&order.trial) {
            return Err("the trial has no name of dbdyno's".to_owned());
        }
        if !self.begun.insert(order.trial.clone()) {
            return Err("it has begun this trial before".to_owned());
        }
        let target: Target = order.target.target();
        self.may_serve(coordinator, &target).await?;
        (self.say)(&format!(
            "sends load to {target}: workload {}, {}",
            order.workload_name(),
            plural(order.clients(), "client", "clients")
        ));
        let trial = order.trial.clone();
        let running = Running::start(order, target, offset, self.clock, self.sender.clone())?;
        self.shares.insert(trial, running);
        Ok(())
    }

    /// Takes note of what the coordinator says to all.
    fn note(&mut self, message: &Message) {
        let Some(notice) = bus::read::<Notice>(&message.payload) else {
            return;
        };
        match self.lease.as_mut().map(|lease| lease.hear(notice.number)) {
            Some(Heard::Again) => return,
            Some(Heard::AfterGap) => self.miss(),
            Some(Heard::Next) | None => {}
        }
        if let Some(share) = self.shares.get_mut(&notice.trial) {
            share.note(notice.notice);
        }
    }

    /// Sends what a share has to say.
    async fn send(&mut self, outgoing: Outgoing) {
        let Outgoing { trial, report } = outgoing;
        let number = self.shares.get_mut(&trial).map_or(0, Running::next_report);
        let is_end = matches!(report, crate::wire::ReportKind::Ended(_));
        if is_end && let Some(running) = self.shares.remove(&trial) {
            running.join();
        }
        let Some(lease) = &self.lease else { return };
        let coordinator = lease.coordinator.clone();
        let report = Report {
            agent: self.card.id.clone(),
            trial,
            number,
            report,
        };
        if is_end {
            leave_result(self.client.clone(), coordinator, report);
        } else {
            // The coordinator sees by the next number that it was lost.
            let _ = bus::publish(&self.client, bus::of_reports(&coordinator), &report).await;
        }
    }
}
