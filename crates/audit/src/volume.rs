//! Whether the volume below a directory encrypts it: the protection of the volume, which is another than the engine's.

use std::path::Path;

/// Devices on devices are followed this deep.
const DEEPEST: usize = 16;

/// What lies between a directory and the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VolumeProtection {
    /// It is encrypted, by what.
    Encrypted(String),
    /// Nothing here encrypts it. A disk that encrypts itself shows nothing.
    None,
    /// It could not be seen.
    Unknown(String),
}

/// What encrypts a directory below the file system's surface.
#[must_use]
pub fn volume_protection(directory: &Path) -> VolumeProtection {
    let path = match directory.canonicalize() {
        Ok(path) => path,
        Err(error) => return VolumeProtection::Unknown(format!("{}: {error}", directory.display())),
    };
    match is_encrypted_by_file_system(&path) {
        Ok(true) => return VolumeProtection::Encrypted("fscrypt, by the file system".to_owned()),
        Ok(false) => {}
        Err(error) => return VolumeProtection::Unknown(format!("{}: {error}", path.display())),
    }
    match std::fs::read_to_string("/proc/self/mountinfo") {
        Ok(mounts) => of_mount(&mounts, &path, &is_crypt_device),
        Err(error) => VolumeProtection::Unknown(format!("/proc/self/mountinfo: {error}")),
    }
}

/// Whether fscrypt, the kernel's encryption of ext4, f2fs and others, is at work (statx(2): STATX_ATTR_ENCRYPTED).
#[cfg(target_os = "linux")]
fn is_encrypted_by_file_system(path: &Path) -> std::io::Result<bool> {
    use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags, statx};

    let status = statx(CWD, path, AtFlags::empty(), StatxFlags::BASIC_STATS)?;
    Ok(status.stx_attributes.contains(StatxAttributes::ENCRYPTED))
}

#[cfg(not(target_os = "linux"))]
fn is_encrypted_by_file_system(_: &Path) -> std::io::Result<bool> {
    Err(std::io::Error::new(
        std::io::ErrorKind::Unsupported,
        "dbdyno sees the encryption of volumes on Linux only",
    ))
}

/// Reads the lines of `mountinfo` (proc_pid_mountinfo(5)): the last mount whose point is above the path counts.
fn of_mount(mounts: &str, path: &Path, is_crypt_device: &dyn Fn(&str) -> bool) -> VolumeProtection {
    let mut best: Option<(usize, &str, &str)> = None;
    for line in mounts.lines() {
        let Some((before, after)) = line.split_once(" - ") else {
            continue;
        };
        let Some(point) = before.split(' ').nth(4) else {
            continue;
        };
        let point = point.replace("\\040", " ");
        let mut words = after.split(' ');
        let (Some(kind), Some(source)) = (words.next(), words.next()) else {
            continue;
        };
        let depth = Path::new(&point).components().count();
        if path.starts_with(&point) && best.is_none_or(|(deepest, ..)| depth >= deepest) {
            best = Some((depth, kind, source));
        }
    }
    match best {
        Some((_, "fuse.gocryptfs", _)) => VolumeProtection::Encrypted("gocryptfs".to_owned()),
        Some((_, "fuse.encfs", _)) => VolumeProtection::Encrypted("EncFS".to_owned()),
        Some((_, "fuse.cryfs", _)) => VolumeProtection::Encrypted("CryFS".to_owned()),
        Some((_, "ecryptfs", _)) => VolumeProtection::Encrypted("eCryptfs".to_owned()),
        Some((_, _, source)) if is_crypt_device(source) => {
            VolumeProtection::Encrypted(format!("dm-crypt, {source}"))
        }
        Some(_) => VolumeProtection::None,
        None => VolumeProtection::Unknown("no mount is above it".to_owned()),
    }
}

/// Whether everything that reaches a block device's disks goes through dm-crypt.
fn is_crypt_device(source: &str) -> bool {
    let Ok(device) = Path::new(source).canonicalize() else {
        return false;
    };
    let name = device.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.filter(|_| device.starts_with("/dev"));
    name.is_some_and(|name| is_encrypted_below(Path::new("/sys"), &name, 0))
}

/// Whether a block device is one of dm-crypt, which the device mapper says in its identifier, or all devices below it are: the usual
/// installation has logical volumes on an encrypted disk. `sys` is where sysfs is mounted.
fn is_encrypted_below(sys: &Path, name: &str, depth: usize) -> bool {
    let device = sys.join("class/block").join(name);
    let identifier = std::fs::read_to_string(device.join("dm/uuid")).unwrap_or_default();
    if identifier.starts_with("CRYPT-") {
        return true;
    }
    // What lies below a partition is known of its disk: the directory of the disk contains that of the partition.
    if device.join("partition").exists() {
        let disk = device.canonicalize().ok();
        let disk = disk.as_deref().and_then(Path::parent).and_then(Path::file_name);
        return depth < DEEPEST
            && disk.is_some_and(|disk| is_encrypted_below(sys, &disk.to_string_lossy(), depth + 1));
    }
    let slaves: Vec<_> = match device.join("slaves").read_dir() {
        Ok(entries) if depth < DEEPEST => entries.collect(),
        _ => return false,
    };
    let is_encrypted = |slave: &std::io::Result<std::fs::DirEntry>| {
        let name = slave.as_ref().map(|slave| slave.file_name());
        name.is_ok_and(|name| is_encrypted_below(sys, &name.to_string_lossy(), depth + 1))
    };
    !slaves.is_empty() && slaves.iter().all(is_encrypted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mount_nearest_to_the_directory_counts() {
        let mounts = "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
                      30 22 0:40 / /data rw - fuse.gocryptfs /cipher rw\n\
                      31 30 253:0 / /data/my\\040disk rw - xfs /dev/mapper/x rw\n";
        let protection = |path: &str| of_mount(mounts, Path::new(path), &|source| source.ends_with("x"));
        assert_eq!(protection("/srv"), VolumeProtection::None);
        assert_eq!(
            protection("/data/a"),
            VolumeProtection::Encrypted("gocryptfs".to_owned())
        );
        assert_eq!(
            protection("/data/my disk/a"),
            VolumeProtection::Encrypted("dm-crypt, /dev/mapper/x".to_owned())
        );
        assert_eq!(
            protection("/database"),
            VolumeProtection::None,
            "a name that only begins alike is another directory"
        );
    }

    #[test]
    fn what_is_not_there_is_not_called_unencrypted() {
        let protection = volume_protection(Path::new("/no/such/directory"));
        assert!(matches!(protection, VolumeProtection::Unknown(_)));
    }

    #[test]
    fn a_device_is_encrypted_if_everything_below_it_is() {
        let sys = tempfile::tempdir().unwrap();
        let block = sys.path().join("class/block");
        let device = |name: &str, identifier: &str, slaves: &[&str]| {
            std::fs::create_dir_all(block.join(name).join("dm")).unwrap();
            std::fs::write(block.join(name).join("dm/uuid"), identifier).unwrap();
            for slave in slaves {
                std::fs::create_dir_all(block.join(name).join("slaves").join(slave)).unwrap();
            }
        };
        device("dm-0", "CRYPT-LUKS2-0123-disk\n", &["sda3"]);
        device("dm-1", "LVM-of-one\n", &["dm-0"]);
        device("dm-2", "LVM-thin\n", &["dm-1", "dm-0"]);
        device("dm-3", "LVM-of-two\n", &["dm-0", "sdb1"]);
        device("dm-4", "LVM-alone\n", &[]);
        device("dm-5", "LVM-of-itself\n", &["dm-5"]);
        // The partition of an encrypted disk.
        let disk = sys.path().join("devices/md0");
        std::fs::create_dir_all(disk.join("md0p1")).unwrap();
        std::fs::create_dir_all(disk.join("slaves/dm-0")).unwrap();
        std::fs::write(disk.join("md0p1/partition"), "1\n").unwrap();
        std::os::unix::fs::symlink(&disk, block.join("md0")).unwrap();
        std::os::unix::fs::symlink(disk.join("md0p1"), block.join("md0p1")).unwrap();
        for (name, expected) in [
            ("dm-0", true),
            ("dm-1", true),
            ("dm-2", true),
            ("dm-3", false),
            ("dm-4", false),
            ("dm-5", false),
            ("md0", true),
            ("md0p1", true),
            ("sda3", false),
        ] {
            assert_eq!(is_encrypted_below(sys.path(), name, 0), expected, "{name}");
        }
    }
}
