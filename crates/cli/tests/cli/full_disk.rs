//! Embedded stores on a disk that becomes full.

use std::path::Path;
use std::process::Command;

use crate::common::{Ended, Place, ended};
use dbdyno_driver::{DriverInfo, Execution};

/// Every store that keeps its records on this machine's disk. What a hosted YCSB binding keeps, and where, only the binding knows.
fn stores() -> Vec<&'static DriverInfo> {
    let keeps = |info: &&DriverInfo| {
        let can = info.capabilities;
        info.execution == Execution::Blocking
            && !info.remote
            && info.name != "ycsb"
            && can.persistent
            && !can.durabilities.is_empty()
    };
    dbdyno_registry::databases().into_iter().filter(keeps).collect()
}

/// Runs a command on a disk of its own, mounted at `disk`, which nobody else sees and which ends with the command.
fn on_small_disk(place: &Place, disk: &Path, before: &str, line: &str) -> Ended {
    let script = format!("mount -t tmpfs -o size=4m tmpfs \"$0\" || exit 99; {before}; exec \"$@\"");
    let own = place.command(line);
    let mut command = Command::new("unshare");
    if !rustix::process::geteuid().is_root() {
        command.args(["--user", "--map-root-user"]);
    }
    command
        .args(["--mount", "sh", "-c", &script])
        .arg(disk)
        .arg(own.get_program())
        .args(own.get_args())
        .current_dir(place.path(""));
    let ended = ended(command.output().unwrap());
    assert_ne!(
        ended.code, 99,
        "no file system can be mounted here: {}",
        ended.stderr
    );
    ended
}

fn says_that_the_disk_is_full(what: &str, code: i32, ended: &Ended) {
    let shown = ended.stderr.replace(['│', '\n'], " ");
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(ended.code, code, "{what}: {shown}");
    assert!(shown.contains("full"), "{what}: {shown}");
    assert!(
        shown.contains("disk/db"),
        "{what} does not name the place: {shown}"
    );
    assert!(
        shown.contains("make room or name another path"),
        "{what}: {shown}"
    );
    assert!(!shown.contains("bug"), "{what}: {shown}");
}

#[test]
fn a_page_that_does_not_fit_leaves_the_earlier_one_as_it_was() {
    let place = Place::new();
    let disk = place.path("disk");
    std::fs::create_dir(&disk).unwrap();
    place.succeed("run memory --records 100 --operations 200 --warmup 0s --clients 1 -q --output r");
    let before = "echo earlier > \"$0\"/page.html; dd if=/dev/zero of=\"$0\"/fill bs=1k 2>/dev/null; \
                  \"$@\"; echo \"exit code $?\"; cat \"$0\"/page.html; ls \"$0\"; exit 0";
    let ended = on_small_disk(&place, &disk, before, "report r --output disk/page.html");
    let last: Vec<&str> = ended.stdout.lines().rev().take(4).collect();
    assert_eq!(last[..3], ["page.html", "fill", "earlier"], "{ended:?}");
    assert!(
        last[3].starts_with("exit code ") && last[3] != "exit code 0",
        "{ended:?}"
    );
    assert!(ended.stderr.contains("page.html"), "{}", ended.stderr);
}

#[test]
fn a_disk_that_becomes_full_is_named() {
    let names: Vec<&str> = stores().iter().map(|info| info.name).collect();
    assert_eq!(names, ["fjall", "redb", "sqlite"]);
    let place = Place::new();
    let disk = place.path("disk");
    std::fs::create_dir(&disk).unwrap();
    for info in stores() {
        for durability in info.capabilities.durabilities {
            let system = format!("'{}:disk/db?durability={durability}'", info.name);
            let rest = "--clients 64 --operations 100 --warmup 0s -q";
            let load = format!("run {system} --records 14000 {rest}");
            says_that_the_disk_is_full(&load, 2, &on_small_disk(&place, &disk, "true", &load));
            // Of fields of any length, nobody knows beforehand that they do not fit.
            let load = format!("run {system} --records 40k -p fieldlengthdistribution=uniform {rest}");
            says_that_the_disk_is_full(&load, 5, &on_small_disk(&place, &disk, "true", &load));
            let open = format!("run {system} --records 100 {rest}");
            let fill = "dd if=/dev/zero of=\"$0\"/fill bs=1k 2>/dev/null";
            says_that_the_disk_is_full(&open, 2, &on_small_disk(&place, &disk, fill, &open));
        }
    }
}
