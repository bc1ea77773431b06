//! Agents that send no load: what many of them cost the coordinator, on one machine.
//!
//! To the coordinator each of them is an agent. In a trial they meet, report an interval every second with a histogram of a thousand
//! latencies, and end.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_nats::{Client, Message};
use dbdyno_driver::{Durability, ScanOrder, SystemFacts};
use dbdyno_engine::{Event, Interval, IntervalOperation, Outcome, Phase, Ran, Said, TableState};
use dbdyno_record::{ClientCost, Drain, Floor, Latency, MeasureRecord, OperationRecord};
use dbdyno_workload::OperationKind;
use futures_util::StreamExt;
use tokio::sync::watch;

use crate::address::{AgentsAddress, Labels};
use crate::bus::{self, FIND, of_agent, of_fleet, of_reports, of_result};
use crate::clock::Clock;
use crate::error::{AgentsError, not_sent};
use crate::identity;
use crate::wire::{Answer, Ask, Card, Ended, Notice, NoticeKind, Report, ReportKind, SentEvent, VERSION};

/// Latencies in each interval.
const LATENCIES: u64 = 1_000;
/// How often each reports.
const INTERVAL: Duration = Duration::from_secs(1);

/// All agents of this process.
struct Crowd {
    client: Client,
    clock: Clock,
    /// Intervals of a trial.
    intervals: u64,
    /// Meetings that have come about.
    met: watch::Sender<u32>,
    latency: Latency,
}

/// Serves one trial after the other, of so many intervals, until the process ends.
///
/// # Errors
/// When the server cannot be reached.
pub async fn serve(address: &AgentsAddress, count: u32, intervals: u64) -> Result<(), AgentsError> {
    let client = bus::connect(address, "simulated").await?;
    let mut latency = Latency::new();
    (0..LATENCIES).for_each(|number| latency.record(50_000 + number * number * 20));
    let crowd = Arc::new(Crowd {
        client: client.clone(),
        clock: Clock::start(),
        intervals,
        met: watch::Sender::new(0),
        latency,
    });
    let cards: BTreeMap<String, Card> = (0..count).map(card).map(|card| (card.id.clone(), card)).collect();
    let failed = |error: async_nats::SubscribeError| not_sent("no subscription", &error);
    let mut finds = client.subscribe(FIND).await.map_err(failed)?;
    let mut asks = client.subscribe(of_agent("*")).await.map_err(failed)?;
    let mut notices = client.subscribe(of_fleet("*")).await.map_err(failed)?;
    loop {
        tokio::select! {
            Some(message) = finds.next() => {
                for card in cards.values() {
                    crowd.reply(&message, &Answer::Card(card.clone())).await;
                }
            }
            Some(message) = asks.next() => {
                let id = message.subject.rsplit('.').next().unwrap_or_default().to_owned();
                if let Some(ask) = bus::read::<Ask>(&message.payload) {
                    let answer = crowd.answer(&cards, id, ask);
                    crowd.reply(&message, &answer).await;
                }
            }
            Some(message) = notices.next() => {
                if let Some(Notice { notice: NoticeKind::Met { meeting, .. }, .. }) = bus::read(&message.payload) {
                    crowd.met.send_replace(meeting + 1);
                }
            }
        }
    }
}

fn card(number: u32) -> Card {
    Card {
        id: identity::random_id(),
        name: format!("simulated-{number}"),
        number: Some(number),
        version: VERSION.to_owned(),
        host: identity::host(),
        boot: identity::boot(),
        process: std::process::id(),
        cpus: 1,
        labels: Labels::new(),
        study: None,
        wall_ns: 0,
    }
}

impl Crowd {
    async fn reply(&self, message: &Message, answer: &Answer) {
        if let (Some(reply), Ok(payload)) = (&message.reply, bus::written(answer)) {
            let _ = self.client.publish(reply.clone(), payload.into()).await;
        }
    }

    fn answer(self: &Arc<Self>, cards: &BTreeMap<String, Card>, id: String, ask: Ask) -> Answer {
        match ask {
            Ask::Beat { .. } => Answer::Beat {
                now_ns: self.clock.now_ns(),
            },
            Ask::Describe => cards.get(&id).map_or_else(
                || Answer::Refused(String::new()),
                |card| Answer::Card(card.clone()),
            ),
            Ask::Lease { .. } | Ask::MayServe { .. } | Ask::Release { .. } => Answer::Done,
            Ask::Begin { coordinator, order } => {
                let crowd = Arc::clone(self);
                let leads = cards.get(&id).is_some_and(|card| card.number == Some(0));
                self.met.send_replace(0);
                tokio::spawn(async move { crowd.carry_out(&id, &coordinator, &order.trial, leads).await });
                Answer::Done
            }
        }
    }

    /// Goes through a trial.
    async fn carry_out(&self, agent: &str, coordinator: &str, trial: &str, leads: bool) {
        let mut met = self.met.subscribe();
        let state = TableState {
            load: false,
            records: 1,
        };
        let said = [
            Said::Connected(leads.then_some(state)),
            Said::Ready,
            Said::Ran(Ran::default()),
        ];
        let numbers = AtomicU64::new(0);
        let report = |report| Report {
            agent: agent.to_owned(),
            trial: trial.to_owned(),
            number: numbers.fetch_add(1, Ordering::Relaxed) + 1,
            report,
        };
        for (meeting, said) in (0..).zip(said) {
            if meeting == 2 {
                for number in 0..self.intervals {
                    tokio::time::sleep(INTERVAL).await;
                    let event = ReportKind::Event(self.interval(number));
                    let _ = bus::publish(&self.client, of_reports(coordinator), &report(event)).await;
                }
            }
            let came = report(ReportKind::Came { meeting, said });
            let _ = bus::publish(&self.client, of_reports(coordinator), &came).await;
            if met.wait_for(|met| *met > meeting).await.is_err() {
                return;
            }
        }
        let ended = report(ReportKind::Ended(Box::new(Ended {
            outcome: Ok(self.outcome()),
            late_ns: 0,
            machine: None,
        })));
        let _ = bus::publish(&self.client, of_result(coordinator, trial, agent), &ended).await;
    }

    fn interval(&self, number: u64) -> SentEvent {
        let operations = IntervalOperation {
            ok: LATENCIES,
            service: self.latency.clone(),
            ..IntervalOperation::default()
        };
        let interval_ns = 1_000_000_000;
        SentEvent::of(&Event::Interval(Interval {
            phase: Phase::Measure,
            start_ns: number * interval_ns,
            duration_ns: interval_ns,
            operations: BTreeMap::from([(OperationKind::Read, operations)]),
            client_cpu_seconds: 0.1,
            resident_memory_bytes: 1 << 25,
            late: false,
        }))
        .unwrap_or(SentEvent::SliceEnded)
    }

    fn outcome(&self) -> Outcome {
        let reads = OperationRecord {
            ok: LATENCIES * self.intervals,
            service: self.latency.clone(),
            ..OperationRecord::default()
        };
        Outcome {
            facts: SystemFacts {
                product: "simulated".to_owned(),
                version: String::new(),
                topology: String::new(),
                nodes: None,
                replicas: None,
                durability: Durability::None,
                durability_means: String::new(),
                consistency: None,
                consistency_means: String::new(),
                settings: BTreeMap::new(),
            },
            scan_order: ScanOrder::Other,
            records_before: 1,
            threads: 1,
            load: None,
            measure: Some(MeasureRecord {
                duration_ns: self.intervals * 1_000_000_000,
                tail: None,
                drain: Drain::default(),
                operations: BTreeMap::from([("read".to_owned(), reads)]),
                pacing: None,
                client: ClientCost::default(),
                server: None,
                clock_drift_ppm: None,
                error_samples: Vec::new(),
            }),
            interrupted: false,
            floor: Floor::default(),
            findings: Vec::new(),
            seen: None,
            generators: Vec::new(),
        }
    }
}
