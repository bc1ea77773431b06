//! One trial at all agents: orders go out, agents meet, and what they report becomes one outcome.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use dbdyno_driver::Target;
use dbdyno_engine::{
    Disbanded, EngineError, EngineErrorClass, Event, Observer, Outcome, Phase, PreparedTrial, Said,
    SliceOutcome, Stop, TurnReport,
};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinSet;

use super::crew::{Crew, Present};
use super::intervals::Course;
use super::meetings::Meetings;
use super::result::{Part, whole};
use super::roll_call::ask;
use crate::clock::ticks;
use crate::identity;
use crate::order::{TrialOrder, places};
use crate::wire::{Answer, Ask, Ended, Failure, NoticeKind, Report, ReportKind};

/// How often agents and the request to stop are looked at.
const LOOK: Duration = Duration::from_millis(100);
/// From the message that says when a phase begins until then: agents must have it, and their clients the work.
const LEAD: Duration = Duration::from_millis(150);
/// How long agents may take to end once one of them cannot go on.
const LAST_WAIT_NS: u64 = 5_000_000_000;
/// Agents of which nothing is heard for so long may have left their results with the server while nobody listened.
const LOOK_FOR_RESULT_NS: u64 = 2_000_000_000;

/// Carries a trial out.
///
/// # Errors
/// When an agent refuses, fails or is gone.
pub(super) async fn carry_out(
    crew: &Arc<Crew>,
    target: &Target,
    plan: &PreparedTrial,
    observer: &mut dyn Observer,
    stop: &Stop,
) -> Result<Outcome, EngineError> {
    let trial = identity::random_id();
    let agents = willing(crew, target, observer).await?;
    let reports = crew.reports_of(&trial);
    let mut conversation = Conversation {
        crew,
        trial: &trial,
        plan,
        stop,
        meetings: Meetings::new(0),
        course: Course::new(Vec::new()),
        turns: Turns::default(),
        ended: BTreeMap::new(),
        heard_ns: crew.clock().now_ns(),
        looked_ns: 0,
        heard: BTreeMap::new(),
        parts: Vec::new(),
        is_warm: false,
        one_has_ended: false,
        told_to_stop: false,
        all_are_lost: false,
        broken: None,
    };
    let outcome = match conversation.begin(agents, target).await {
        Ok(()) => conversation.follow(reports, observer).await,
        Err(error) => {
            crew.say(
                &trial,
                NoticeKind::Disband("another agent refused the trial".to_owned()),
            )
            .await;
            Err(error)
        }
    };
    crew.forget(&trial);
    outcome
}

/// The agents that are there and may send load to the database. Whoever may not is passed over, where the others are enough.
async fn willing(
    crew: &Arc<Crew>,
    target: &Target,
    observer: &mut dyn Observer,
) -> Result<Vec<Present>, EngineError> {
    let agents = crew.alive();
    check_reach(crew, &agents, target)?;
    let (able, passed_over) = crew.that_may_serve(agents, target).await?;
    for agent in passed_over {
        let why = format!("agent {} is passed over: {}", agent.name, agent.reason);
        observer.event(&Event::Preparing(why));
    }
    Ok(able)
}

/// The slices of a trial that takes turns with others.
#[derive(Default)]
struct Turns {
    /// What each agent has reported since the last slice began.
    reports: BTreeMap<usize, TurnReport>,
    /// All are parked, and wait for a turn.
    parked: bool,
    over: bool,
}

/// A trial in progress.
struct Conversation<'a> {
    crew: &'a Arc<Crew>,
    trial: &'a str,
    plan: &'a PreparedTrial,
    stop: &'a Stop,
    /// The agents, in the order of their shares.
    parts: Vec<(Present, u32)>,
    meetings: Meetings,
    course: Course,
    turns: Turns,
    ended: BTreeMap<usize, Ended>,
    /// When an agent reported something last.
    heard_ns: u64,
    /// When results were looked for last.
    looked_ns: u64,
    /// The number of the last report of each agent.
    heard: BTreeMap<usize, u64>,
    is_warm: bool,
    /// An agent has sent its share of a number of operations, and all have heard of it.
    one_has_ended: bool,
    told_to_stop: bool,
    /// Nobody is left whose end could be waited for.
    all_are_lost: bool,
    /// Why it cannot go on, and since when.
    broken: Option<(EngineError, u64)>,
}

impl Conversation<'_> {
    /// Sends every agent its share.
    async fn begin(&mut self, agents: Vec<Present>, target: &Target) -> Result<(), EngineError> {
        let places = places(self.plan.spec.clients, agents.len());
        let names = agents.iter().take(places.len());
        self.meetings = Meetings::new(places.len());
        self.course = Course::new(names.map(|agent| agent.name.clone()).collect());
        let mut orders = JoinSet::new();
        for (agent, place) in agents.into_iter().zip(places) {
            let order = TrialOrder::new(self.trial, target, self.plan, place)
                .map_err(|reason| refused(&agent.name, reason))?;
            self.parts.push((agent.clone(), place.clients));
            let crew = Arc::clone(self.crew);
            orders.spawn(async move {
                let begin = Ask::Begin {
                    coordinator: crew.coordinator().to_owned(),
                    order: Box::new(order),
                };
                match ask(crew.client(), &agent.id, &begin).await {
                    Ok(Answer::Done) => Ok(()),
                    Ok(Answer::Refused(reason)) => Err(refused(&agent.name, reason)),
                    Ok(_) => Err(refused(&agent.name, "its answer makes no sense".to_owned())),
                    Err(reason) => Err(gone(&agent.name, &reason)),
                }
            });
        }
        while let Some(answer) = orders.join_next().await {
            answer.map_err(|error| gone("an agent", &error.to_string()))??;
        }
        Ok(())
    }

    async fn follow(
        &mut self,
        mut reports: UnboundedReceiver<Report>,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, EngineError> {
        let mut looks = ticks(LOOK);
        let plan = self.plan;
        while self.ended.len() < self.parts.len() {
            let waits = self.turns.parked && !self.turns.over && self.broken.is_none();
            let next_turn = async {
                match plan.turns.as_ref().filter(|_| waits) {
                    Some(turns) => turns.next().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                report = reports.recv() => match report {
                    Some(report) => self.take(report, observer).await,
                    None => return Err(Disbanded("the connection to the agents has ended".to_owned()).into()),
                },
                slice = next_turn => match slice {
                    Some(slice) => {
                        self.turns.parked = false;
                        let at_ns = self.soon_ns();
                        self.say(NoticeKind::Slice { at_ns, slice }).await;
                    }
                    None => {
                        self.turns.over = true;
                        self.say(NoticeKind::NoMoreSlices).await;
                    }
                },
                _ = looks.recv() => {
                    self.look().await;
                    if self.is_given_up() {
                        break;
                    }
                }
            }
        }
        self.course.finish(observer);
        self.conclude()
    }

    async fn say(&self, notice: NoticeKind) {
        self.crew.say(self.trial, notice).await;
    }

    /// When what all agents begin together begins, on this clock.
    fn soon_ns(&self) -> u64 {
        let slowest_ns = self.parts.iter().map(|(agent, _)| agent.round_trip_ns).max();
        let lead_ns = u64::try_from(LEAD.as_nanos()).unwrap_or(0) + 2 * slowest_ns.unwrap_or(0);
        self.crew.clock().now_ns() + lead_ns
    }

    async fn take(&mut self, report: Report, observer: &mut dyn Observer) {
        let of = |(agent, _): &(Present, u32)| agent.id == report.agent;
        let Some(agent) = self.parts.iter().position(of) else {
            return;
        };
        if self.ended.contains_key(&agent) {
            // A result can come twice: sent, and kept by the server.
            return;
        }
        let before = self.heard.get(&agent).copied().unwrap_or(0);
        if report.number <= before {
            // A duplicate.
            return;
        }
        self.heard.insert(agent, report.number);
        if report.number != before + 1 {
            let name = self.parts[agent].0.name.clone();
            self.break_off(gone(&name, "messages of it were lost")).await;
        }
        self.heard_ns = self.crew.clock().now_ns();
        match report.report {
            ReportKind::Event(event) => {
                let has_warmed = self.course.take(agent, event, observer);
                if has_warmed && !self.is_warm && observer.warm() {
                    self.is_warm = true;
                    let at_ns = self.soon_ns();
                    self.say(NoticeKind::WarmAt { at_ns }).await;
                }
            }
            ReportKind::Came { meeting, said } => {
                match said {
                    Said::Loaded(_) => self.course.is_past(agent, Some(Phase::WarmUp), observer),
                    Said::Ran(_) => {
                        self.course.is_past(agent, None, observer);
                        self.end_common_span().await;
                    }
                    Said::Connected(_) | Said::Ready => {}
                }
                if let Some(said) = self.meetings.came(agent, meeting, said) {
                    let at_ns = match said {
                        Said::Ready => {
                            self.crew
                                .compare_clocks(self.parts.iter_mut().map(|(agent, _)| agent));
                            self.soon_ns()
                        }
                        _ => self.crew.clock().now_ns(),
                    };
                    self.say(NoticeKind::Met { meeting, said, at_ns }).await;
                }
            }
            ReportKind::Inserts(inserts) => {
                let all = self.meetings.inserts(agent, inserts);
                self.say(NoticeKind::Inserts(all)).await;
            }
            ReportKind::Turn(turn) => {
                self.turns.reports.insert(agent, turn);
                self.end_turn();
            }
            ReportKind::Ended(ended) => self.end(agent, *ended, observer).await,
        }
    }

    /// An agent has sent its share. Where the others go on, what they send is not measured any more: the schedule of a rate, a deadline and
    /// turns end at one time for all.
    async fn end_common_span(&mut self) {
        let spec = &self.plan.spec;
        let is_by_number =
            spec.limit.operations.is_some() && spec.pace.is_none() && self.plan.turns.is_none();
        if is_by_number && self.parts.len() > 1 && !std::mem::replace(&mut self.one_has_ended, true) {
            self.say(NoticeKind::OneHasEnded).await;
        }
    }

    /// Reports the end of a turn, when all agents have come to it.
    fn end_turn(&mut self) {
        if self.turns.reports.len() < self.parts.len() {
            return;
        }
        let reports = std::mem::take(&mut self.turns.reports);
        let clients = self.parts.iter().map(|(_, clients)| *clients);
        let outcomes: Vec<(SliceOutcome, u32)> = reports
            .into_values()
            .zip(clients)
            .filter_map(|(report, clients)| match report {
                TurnReport::Parked(outcome) => Some((outcome, clients)),
                TurnReport::Ready => None,
            })
            .collect();
        self.turns.parked = true;
        if let Some(turns) = &self.plan.turns {
            turns.report(match outcomes.is_empty() {
                true => TurnReport::Ready,
                false => TurnReport::Parked(super::result::slice(&outcomes)),
            });
        }
    }

    async fn end(&mut self, agent: usize, ended: Ended, observer: &mut dyn Observer) {
        self.course.is_past(agent, None, observer);
        // One that misses messages ends its share by itself, and the others would wait for it.
        if let Err(failure) = &ended.outcome {
            let (name, failure) = (self.parts[agent].0.name.clone(), failure.clone());
            self.break_off(failed(&name, failure)).await;
        }
        self.ended.insert(agent, ended);
    }

    /// Ends the trial at all agents: it cannot go on.
    async fn break_off(&mut self, error: EngineError) {
        if self.broken.is_none() {
            self.say(NoticeKind::Disband(error.to_string())).await;
            self.broken = Some((error, self.crew.clock().now_ns()));
        }
    }

    async fn look(&mut self) {
        if self.stop.is_requested() && !std::mem::replace(&mut self.told_to_stop, true) {
            self.say(NoticeKind::Stop).await;
        }
        let running: Vec<Present> = self
            .parts
            .iter()
            .enumerate()
            .filter(|(number, _)| !self.ended.contains_key(number))
            .map(|(_, (agent, _))| agent.clone())
            .collect();
        let lost = self.crew.gone(&running);
        self.all_are_lost = !running.is_empty() && lost.len() == running.len();
        if let Some(agent) = lost.first() {
            let silent = format!(
                "it has been silent for {} s",
                super::crew::SILENT_NS / 1_000_000_000
            );
            let error = gone(&agent.name, &silent);
            self.break_off(error).await;
        }
        // The connection may have been away when a result came.
        let waits = !running.is_empty() && lost.is_empty();
        if waits && self.looks_for_results() {
            for agent in &running {
                if let Some(report) = self.crew.kept_result(self.trial, &agent.id).await {
                    self.take(report, &mut ()).await;
                }
            }
        }
    }

    /// Whether results that did not come are looked for now: nothing has been heard for a while.
    fn looks_for_results(&mut self) -> bool {
        let now_ns = self.crew.clock().now_ns();
        let since_ns = self.heard_ns.max(self.looked_ns);
        let is_time = now_ns.saturating_sub(since_ns) > LOOK_FOR_RESULT_NS;
        if is_time {
            self.looked_ns = now_ns;
        }
        is_time
    }

    /// Whether those that have not ended are not waited for any longer.
    fn is_given_up(&self) -> bool {
        let now_ns = self.crew.clock().now_ns();
        self.broken
            .as_ref()
            .is_some_and(|(_, since_ns)| self.all_are_lost || now_ns.saturating_sub(*since_ns) > LAST_WAIT_NS)
    }

    fn conclude(&mut self) -> Result<Outcome, EngineError> {
        if let Some((error, _)) = self.broken.take() {
            return Err(error);
        }
        let ended = std::mem::take(&mut self.ended);
        let mut parts = Vec::new();
        for ((agent, clients), ended) in self.parts.iter().zip(ended.into_values()) {
            let outcome = ended.outcome.map_err(|failure| failed(&agent.name, failure))?;
            parts.push(Part {
                clock: self.crew.clock_of(agent),
                agent: agent.clone(),
                clients: *clients,
                late_ns: ended.late_ns,
                machine: ended.machine.filter(|_| !agent.is_here()),
                outcome,
            });
        }
        whole(parts, self.plan).ok_or_else(|| Disbanded("there are no agents".to_owned()).into())
    }
}

/// Whether agents can reach a target: a loopback address is another machine at each of them.
fn check_reach(crew: &Crew, agents: &[Present], target: &Target) -> Result<(), EngineError> {
    let boot = identity::boot();
    let far = agents.iter().find(|agent| agent.boot != boot);
    match far {
        Some(agent) if is_loopback(target) => Err(refused(
            &agent.name,
            format!(
                "it runs on {}, and {target} is an address of this machine alone; of a system of the lab, `listen=ADDRESS` names one that others reach",
                agent.host
            ),
        )),
        _ => crew.check_secrets(target),
    }
}

fn is_loopback(target: &Target) -> bool {
    let Some(rest) = target.place.strip_prefix("//") else {
        return false;
    };
    let hosts = rest.split('/').next().unwrap_or_default();
    let hosts = hosts.rsplit('@').next().unwrap_or_default();
    hosts.split(',').any(|host| {
        let bare = host.trim_start_matches('[');
        bare.starts_with("127.")
            || bare.starts_with("::1]")
            || bare == "localhost"
            || bare.starts_with("localhost:")
    })
}

fn refused(agent: &str, message: String) -> EngineError {
    EngineError::Generator {
        generator: agent.to_owned(),
        class: EngineErrorClass::Input,
        message,
    }
}

fn gone(agent: &str, why: &str) -> EngineError {
    Disbanded(format!("agent {agent} is gone: {why}")).into()
}

fn failed(agent: &str, failure: Failure) -> EngineError {
    match failure.disbanded {
        true => Disbanded(format!("agent {agent}: {}", failure.message)).into(),
        false => EngineError::Generator {
            generator: agent.to_owned(),
            class: failure.class,
            message: failure.message,
        },
    }
}
