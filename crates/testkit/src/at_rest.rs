//! What the tests of encryption at rest share: a canary in the raw image below a server's files, before and after.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use dbdyno_audit::{Auditor, Canary};
use dbdyno_driver::{Driver, Key, Row, Session};
use dbdyno_lab::{Lab, Recipe};
use dbdyno_machine::mounts_below;
use dbdyno_record::AtRest;
use dbdyno_record::audit::{Feature, ProtectionLevel, Scope};
use memchr::memmem;
use rustix::fs::{SeekFrom as Seeking, seek, syncfs};
use rustix::io::Errno;

use crate::audit::{Expected, assert_audit_of};
use crate::live::{block_on, start, table, target};

/// Servers in an encrypted volume and in the same one without encryption. An audit sees that the volume protects the first, and of the
/// second what the server itself does (`without`). Once the servers have ended, what a driver stored is in the raw image of the second and
/// not in that of the first. Nothing stays mounted. Without root there is no volume, and nothing is tried.
///
/// # Panics
/// When something else is seen.
#[track_caller]
pub fn assert_volume_protects<D: Driver>(
    auditor: &dyn Auditor,
    recipe: &dyn Recipe,
    wanted: &str,
    without: Expected,
) {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let with = (Feature::EncryptionAtRest, ProtectionLevel::Enforced, None);
    let more = if wanted.contains('?') { '&' } else { '?' };
    for (level, expected, scope, is_found) in [
        ("plain-volume", without, Scope::Engine, true),
        ("volume", with, Scope::Volume, false),
    ] {
        let mut lab = start(recipe, &format!("{wanted}{more}at_rest={level}"));
        assert_eq!(lab.at_rest().map(AtRest::name), Some(level));
        let record = assert_audit_of(auditor, &lab, &[expected]);
        let finding = record.finding(Feature::EncryptionAtRest);
        assert_eq!(finding.map(|finding| finding.scope), Some(scope), "{finding:#?}");
        let canary = Canary::new();
        store::<D>(lab.address(), &canary);
        let image = image_of_ended(&mut lab);
        assert_eq!(
            is_in(&image, canary.text()),
            is_found,
            "{wanted}, {level}: {}",
            image.display()
        );
        let directory = lab.directory().to_owned();
        assert_eq!(mounts_below(&directory).len(), 1);
        drop(lab);
        assert_eq!(mounts_below(&directory), [] as [PathBuf; 0]);
        assert!(!directory.exists());
    }
}

/// Stores a canary in a table of its own.
fn store<D: Driver>(address: &str, canary: &Canary) {
    block_on(async {
        let driver = D::connect(&target(address))
            .await
            .unwrap_or_else(|error| panic!("{error}"));
        let table = table("canaries", 1);
        driver
            .create_table(&table)
            .await
            .unwrap_or_else(|error| panic!("{error}"));
        let mut session = driver
            .session(&table)
            .await
            .unwrap_or_else(|error| panic!("{error}"));
        let mut row = Row::new();
        row.push(0, canary.text().as_bytes());
        let stored = session.insert(&Key::new(1, "canary"), &row).await;
        stored.unwrap_or_else(|error| panic!("{error}"));
    });
}

/// Ends the servers in good order; the image of their volume, with everything that they wrote.
fn image_of_ended(lab: &mut Lab) -> PathBuf {
    for server in lab.servers().to_vec() {
        lab.signal(&server.name, server.stop)
            .unwrap_or_else(|error| panic!("{error}"));
        let directory = File::open(&server.directory).unwrap_or_else(|error| panic!("{error}"));
        syncfs(&directory).unwrap_or_else(|error| panic!("{error}"));
    }
    lab.volume_image().expect("it has a volume").to_owned()
}

/// Whether a text is in a sparse file, whose holes are passed over.
fn is_in(image: &Path, text: &str) -> bool {
    let mut file = File::open(image).unwrap_or_else(|error| panic!("{error}"));
    let mut end = 0;
    let mut read = 0;
    loop {
        let start = match seek(&file, Seeking::Data(end)) {
            Ok(start) => start,
            Err(Errno::NXIO) => break,
            Err(error) => panic!("{error}"),
        };
        end = seek(&file, Seeking::Hole(start)).unwrap_or_else(|error| panic!("{error}"));
        file.seek(SeekFrom::Start(start))
            .unwrap_or_else(|error| panic!("{error}"));
        let mut data = Vec::new();
        (&mut file)
            .take(end - start)
            .read_to_end(&mut data)
            .unwrap_or_else(|error| panic!("{error}"));
        read += data.len();
        if memmem::find(&data, text.as_bytes()).is_some() {
            return true;
        }
    }
    assert!(read > 1 << 20, "the image was hardly written to: {read} bytes");
    false
}
