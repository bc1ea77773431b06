//! Clients of async drivers: few threads, many clients on each, nothing of a client ever leaves its thread.

use std::rc::Rc;

use dbdyno_driver::Driver;
use tokio::runtime::Builder;
use tokio::task::LocalSet;

use super::blocking::PanicReport;
use super::{Crew, Hands};
use crate::client::Client;
use crate::clock::{MonotonicTime, TaskClock, Timers};
use crate::error::EngineError;
use crate::recorder::Recorder;
use crate::report::{Report, Reports};
use crate::thread_name::thread_name;

pub(super) fn start<D: Driver>(crew: Crew<D>, time: MonotonicTime) -> Result<Hands, EngineError> {
    let threads = (crew.threads as usize).clamp(1, crew.orders.len().max(1));
    let reports = crew.reports.clone();
    let mut shares: Vec<Vec<Client<D>>> = (0..threads).map(|_| Vec::new()).collect();
    for (number, client) in crew.clients().enumerate() {
        shares[number % threads].push(client);
    }
    let mut hands = Hands::default();
    for (number, share) in shares.into_iter().enumerate() {
        let reports = reports.clone();
        let life = move || {
            let _panic = PanicReport(reports.clone());
            let carried = carry(share, &reports, time);
            if let Err(error) = carried {
                reports.send(Report::Refused(error));
            }
        };
        let thread = std::thread::Builder::new()
            .name(thread_name(&format!("clients-{number}")))
            .spawn(life)
            .map_err(|error| EngineError::System {
                what: "a thread for clients",
                error,
            })?;
        hands.0.push(thread);
    }
    Ok(hands)
}

fn carry<D: Driver>(share: Vec<Client<D>>, reports: &Reports, time: MonotonicTime) -> std::io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let tasks = LocalSet::new();
    let work = async {
        let timers = Timers::new(time)?;
        let waker = tokio::task::spawn_local(Rc::clone(&timers).run());
        let recorder = Rc::new(Recorder::new(reports.clone()));
        let clients: Vec<_> = share
            .into_iter()
            .map(|client| {
                let recorder = Rc::clone(&recorder);
                let clock = TaskClock::new(Rc::clone(&timers));
                tokio::task::spawn_local(async move { client.live(&clock, &recorder).await })
            })
            .collect();
        for client in clients {
            if let Err(error) = client.await {
                reports.send(Report::Broken(error.to_string()));
            }
        }
        waker.abort();
        Ok(())
    };
    runtime.block_on(tasks.run_until(work))
}
