//! An archive whose bytes depend on the files in it, and on nothing else.

use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};
use tar::{Builder, EntryType, Header};

use crate::process::Result;

/// A file in the archive.
pub struct Entry {
    /// Where it lies in the archive's folder.
    pub name: PathBuf,
    /// Where it comes from.
    pub from: PathBuf,
    pub is_program: bool,
}

/// Writes `NAME.tar.gz`, with everything in one folder NAME, and `NAME.tar.gz.sha256`, as sha256sum writes and checks it. Every
/// file has the same time, in seconds since 1970. Returns the archive's path.
pub fn write(
    into: &Path,
    name: &str,
    entries: &[Entry],
    changed_at: u64,
    level: Compression,
) -> Result<PathBuf> {
    let file_name = format!("{name}.tar.gz");
    let path = into.join(&file_name);
    let bytes =
        packed(name, entries, changed_at, level).map_err(|error| format!("{}: {error}", path.display()))?;
    let digest: String = Sha256::digest(&bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let checksum = into.join(format!("{file_name}.sha256"));
    let line = format!("{digest}  {file_name}\n");
    for (path, content) in [(&path, bytes.as_slice()), (&checksum, line.as_bytes())] {
        std::fs::write(path, content).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(path)
}

fn packed(folder: &str, entries: &[Entry], changed_at: u64, level: Compression) -> std::io::Result<Vec<u8>> {
    // Neither the time of packing nor a file name goes into the header.
    let mut archive = Builder::new(GzBuilder::new().write(Vec::new(), level));
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by(|left, right| left.name.cmp(&right.name));
    for entry in sorted {
        let content = std::fs::read(&entry.from).map_err(|error| {
            std::io::Error::new(error.kind(), format!("{}: {error}", entry.from.display()))
        })?;
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_size(content.len() as u64);
        header.set_mode(if entry.is_program { 0o755 } else { 0o644 });
        header.set_mtime(changed_at);
        header.set_uid(0);
        header.set_gid(0);
        archive.append_data(
            &mut header,
            Path::new(folder).join(&entry.name),
            content.as_slice(),
        )?;
    }
    let mut packed = archive.into_inner()?;
    packed.flush()?;
    packed.finish()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use flate2::read::GzDecoder;

    use super::*;

    fn entries(from: &Path) -> Vec<Entry> {
        let entry = |name: &str, is_program| Entry {
            name: name.into(),
            from: from.join(name.rsplit('/').next().unwrap()),
            is_program,
        };
        vec![entry("tool", true), entry("man/tool.1", false)]
    }

    #[test]
    fn the_same_files_give_the_same_bytes_whenever_and_in_whatever_order() {
        let place = crate::process::cache("archive-test").unwrap();
        let (one, other) = (place.join("one"), place.join("other"));
        for folder in [&one, &other] {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(folder.join("tool.1"), ".TH tool 1\n").unwrap();
            std::fs::write(folder.join("tool"), "#!/bin/sh\necho works\n").unwrap();
        }
        let mode = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(other.join("tool"), mode).unwrap();
        let first = write(&one, "tool-1.0", &entries(&one), 5, Compression::fast()).unwrap();
        let mut reversed = entries(&other);
        reversed.reverse();
        let second = write(&other, "tool-1.0", &reversed, 5, Compression::fast()).unwrap();
        let bytes = std::fs::read(&first).unwrap();
        assert_eq!(bytes, std::fs::read(second).unwrap());

        let unpacked = place.join("unpacked");
        tar::Archive::new(GzDecoder::new(bytes.as_slice()))
            .unpack(&unpacked)
            .unwrap();
        let tool = std::process::Command::new(unpacked.join("tool-1.0/tool"))
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&tool.stdout), "works\n");
        assert!(unpacked.join("tool-1.0/man/tool.1").is_file());

        std::fs::write(other.join("tool"), "#!/bin/sh\n").unwrap();
        write(&other, "tool-1.0", &entries(&other), 5, Compression::fast()).unwrap();
        let checksum = |folder: &Path| std::fs::read(folder.join("tool-1.0.tar.gz.sha256")).unwrap();
        assert_ne!(checksum(&one), checksum(&other));
    }
}
