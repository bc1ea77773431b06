//! Whether a write is synced before it is acknowledged: the proof of `synced` that needs no power failure.
//!
//! A seccomp filter makes every syncing system call of one thread fail. A database that syncs before it acknowledges
//! must then fail to write; one that acknowledges has not synced.

use std::collections::BTreeMap;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

use dbdyno_driver::{DbError, Driver, Durability, ErrorClass, Key, Row, Session, Table, Target};

use super::opening::temporary;
use super::{BlockOn, Ready};

/// At `synced` a write fails while no sync can succeed, and at the levels below it does not.
///
/// # Panics
/// When a level does otherwise, or the experiment itself fails.
#[track_caller]
pub fn assert_only_synced_waits_for_the_device<D: Driver>() {
    for level in Durability::ALL {
        let written = write_without_sync::<D>(&temporary::<D>(&format!("?durability={level}")));
        assert_eq!(
            written.as_ref().err().map(|error| error.class),
            (level == Durability::Synced).then_some(ErrorClass::Unavailable),
            "{level}: {written:?}"
        );
    }
}

/// Inserts a record into the store at `target`, then another one while no sync can succeed, and returns what became of
/// that second one.
///
/// The filter ends with the thread it is set for, which is this function's own: threads that the store started
/// before go on syncing.
fn write_without_sync<D: Driver>(target: &Target) -> Result<(), DbError> {
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
