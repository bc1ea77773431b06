//! Whether a write is synced before it is acknowledged: the proof of `synced` that needs no power failure.
//!
//! A seccomp filter makes every syncing system call of one thread fail. A database that syncs before it acknowledges
//! must then fail to write; one that acknowledges has not synced.

use std::collections::BTreeMap;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

use crate::{DbError, Driver, Key, Row, Session, Table, Target};

use super::{BlockOn, Ready};

/// Inserts a record into the store at `target`, then another one while no sync can succeed, and returns what became of
/// that second one.
///
/// The filter ends with the thread it is set for, which is this function's own: threads that the store started
/// before go on syncing.
///
/// # Panics
/// When the first insert fails, or the filter cannot be set.
pub fn write_without_sync<D: Driver>(target: &Target) -> Result<(), DbError> {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let table = Table {
                name: "unsynced".to_owned(),
                field_names: vec!["field0".to_owned()],
            };
            let mut row = Row::new();
            row.push(0, b"value");
            Ready.block_on(async {
                let driver = D::connect(target).await.expect("the store opens");
                driver.create_table(&table).await.expect("the table can be made");
                let mut session = driver.session(&table).await.expect("there is a session");
                session
                    .insert(&Key::new(0, "first"), &row)
                    .await
                    .expect("a write works while syncs do");
                let filter = filter().expect("the filter is sound");
                apply_filter(&filter).expect("the kernel takes a filter for this thread");
                session.insert(&Key::new(1, "second"), &row).await
            })
        });
        thread.join().expect("the store does not panic when a sync fails")
    })
}

/// Fails the system calls that make a file durable, and lets all others pass.
fn filter() -> Result<BpfProgram, seccompiler::BackendError> {
    let calls = [
        libc::SYS_fsync,
        libc::SYS_fdatasync,
        libc::SYS_sync_file_range,
        libc::SYS_msync,
        libc::SYS_syncfs,
        libc::SYS_sync,
    ];
    let rules: BTreeMap<i64, Vec<seccompiler::SeccompRule>> =
        calls.into_iter().map(|call| (call, Vec::new())).collect();
    SeccompFilter::new(
        rules,
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EIO as u32),
        std::env::consts::ARCH.try_into()?,
    )?
    .try_into()
}
