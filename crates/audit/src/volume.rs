//! Whether the volume below a directory encrypts it: the protection of the volume, which is another than the engine's.

use std::path::Path;

use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags, statx};

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
    match statx(CWD, &path, AtFlags::empty(), StatxFlags::BASIC_STATS) {
        // fscrypt, the kernel's encryption of ext4, f2fs and others (statx(2): STATX_ATTR_ENCRYPTED).
        Ok(status) if status.stx_attributes.contains(StatxAttributes::ENCRYPTED) => {
            return VolumeProtection::Encrypted("fscrypt, by the file system".to_owned());
        }
        Ok(_) => {}
        Err(error) => return VolumeProtection::Unknown(format!("{}: {error}", path.display())),
    }
    match std::fs::read_to_string("/proc/self/mountinfo") {
        Ok(mounts) => of_mount(&mounts, &path, &is_crypt_device),
        Err(error) => VolumeProtection::Unknown(format!("/proc/self/mountinfo: {error}")),
    }
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

/// Whether a block device is one of dm-crypt: the device mapper says so in its identifier.
fn is_crypt_device(source: &str) -> bool {
    let Ok(device) = Path::new(source).canonicalize() else {
        return false;
    };
    let name = device.file_name().map(|name| name.to_string_lossy().into_owned());
    let Some(name) = name.filter(|_| device.starts_with("/dev")) else {
        return false;
    };
    std::fs::read_to_string(format!("/sys/class/block/{name}/dm/uuid"))
        .is_ok_and(|identifier| identifier.starts_with("CRYPT-"))
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
}
