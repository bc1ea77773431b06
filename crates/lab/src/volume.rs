//! The file system that holds the files of an instance's servers: an ext4 image, mounted through a loop device, encrypted by fscrypt or
//! not.
//!
//! The image is sparse and removed with the instance. The key is made for one start and never lies on a disk: fscrypt hands it to the
//! kernel, which forgets it with the mount. Facts: the documents of fscrypt and of ext4 in the kernel's source.

use std::fs::{DirBuilder, File};
use std::io::{Seek, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use dbdyno_machine::{kernel_cipher, mounts_below, processor_has_aes};
use dbdyno_record::{AtRest, VolumeEncryption};
use rustix::fs::statvfs;

use crate::at_rest::AtRestLevel;
use crate::debian::debian_package;
use crate::error::{LabError, LabErrorKind};
use crate::home::VARIABLE;
use crate::machine_lock;
use crate::packages::SystemPackages;
use crate::progress::Progress;
use crate::source::{on_path, output_of, tool};
use crate::store::set_mode;

/// The image in the directory of an instance.
const IMAGE: &str = "volume.img";
/// Where it is mounted.
const MOUNT: &str = "volume";
/// The directory in it that holds those of the servers.
const SERVERS: &str = "servers";
/// Less is no room for a server.
const SMALLEST_BYTES: u64 = 1 << 30;
const LARGEST_BYTES: u64 = 256 << 30;
/// A volume with less room counts as full: servers preallocate files of this size.
const FULL_BYTES: u64 = 64 << 20;
/// Where programs of the system lie that ordinary users do not call.
const SYSTEM: [&str; 2] = ["/usr/sbin", "/sbin"];
/// `fscrypt setup` writes it once for the machine.
const CONFIGURATION: &str = "/etc/fscrypt.conf";
/// How long what ended may keep a file open.
const PATIENCE: Duration = Duration::from_secs(2);

/// A mounted volume.
#[derive(Clone, Debug)]
pub(crate) struct Volume {
    pub(crate) image: PathBuf,
    /// The directory of the servers' directories.
    pub(crate) servers: PathBuf,
    pub(crate) facts: AtRest,
}

/// Whether this machine can have a volume, before anything is fetched. `is_root`: with the rights of the machine's root.
pub(crate) fn check(level: AtRestLevel, is_root: bool) -> Result<(), LabError> {
    let kernel = Path::new("/sys/fs/ext4/features/encryption").exists();
    let loops = Path::new("/dev/loop-control").exists();
    match obstacle(level, is_root, loops, kernel) {
        None => Ok(()),
        Some(obstacle) => Err(LabError::new(
            LabErrorKind::Machine,
            format!("at_rest={} {obstacle}", level.name()),
        )
        .help(format!(
            "run dbdyno as root on a Linux machine with loop devices and fscrypt, or leave out at_rest and name a directory on an \
             encrypted disk in {VARIABLE}"
        ))),
    }
}

fn obstacle(level: AtRestLevel, is_root: bool, loops: bool, kernel: bool) -> Option<&'static str> {
    if !level.has_image() {
        None
    } else if !is_root {
        Some("needs root, because it mounts an image file")
    } else if !loops {
        Some("needs loop devices, and this machine has no /dev/loop-control")
    } else if !kernel && level == AtRestLevel::Volume {
        Some("needs a kernel whose ext4 encrypts (CONFIG_FS_ENCRYPTION), and this one's does not")
    } else {
        None
    }
}

impl Volume {
    /// Makes and mounts the volume of an instance.
    ///
    /// # Errors
    /// When a tool is missing and cannot be installed, the disk has no room, or the machine does not let an image be mounted.
    pub(crate) fn make(
        instance: &Path,
        level: AtRestLevel,
        progress: &mut dyn Progress,
    ) -> Result<Self, LabError> {
        let size = size(instance)?;
        Self::of_size(instance, size, level, progress)
    }

    fn of_size(
        instance: &Path,
        size: u64,
        level: AtRestLevel,
        progress: &mut dyn Progress,
    ) -> Result<Self, LabError> {
        let image = instance.join(IMAGE);
        let mount = instance.join(MOUNT);
        let servers = mount.join(SERVERS);
        make_image(&image, size, progress)?;
        make_directory(&mount, 0o711)?;
        let help = "a container needs the right to mount (CAP_SYS_ADMIN) and the host's loop devices";
        let mut command = program("mount", "mount", progress)?;
        // The rest of a new file system is never written: background work would be measured.
        command.args(["-t", "ext4", "-o", "loop,nosuid,nodev,noinit_itable"]);
        run(command.arg(&image).arg(&mount), help)?;
        set_mode(&mount, 0o711)?;
        make_directory(&servers, 0o711)?;
        let facts = if level == AtRestLevel::Volume {
            AtRest::Volume(encrypt(&mount, &servers, progress)?)
        } else {
            AtRest::PlainVolume
        };
        // fscrypt makes a directory that is only root's.
        set_mode(&servers, 0o711)?;
        progress.say(&format!("files of the servers lie in a {facts}"));
        Ok(Self {
            image,
            servers,
            facts,
        })
    }

    /// The volume or the disk below it, in words, where it has no room left.
    pub(crate) fn full(&self) -> Option<String> {
        let room = |place: &Path| statvfs(place).map(|found| (found.f_bavail * found.f_frsize, found));
        let (left, found) = room(&self.servers).ok()?;
        if left < FULL_BYTES {
            return Some(format!(
                "the volume of the servers ({}, {} MiB) is full: {} MiB are left",
                self.image.display(),
                (found.f_blocks * found.f_frsize) >> 20,
                left >> 20
            ));
        }
        let (left, _) = room(&self.image).ok()?;
        (left < FULL_BYTES).then(|| {
            format!(
                "the disk that holds the volume of the servers ({}) is full: {} MiB are left",
                self.image.display(),
                left >> 20
            )
        })
    }
}

/// Half of what the disk has left: the image grows as it is filled, and others need room, too.
fn size(instance: &Path) -> Result<u64, LabError> {
    let found =
        statvfs(instance).map_err(|error| LabError::files("ask for the room of", instance, &error.into()))?;
    let left = found.f_bavail * found.f_frsize;
    if left / 2 < SMALLEST_BYTES {
        return Err(LabError::new(
            LabErrorKind::Machine,
            format!(
                "{} MiB are left where {} lies, too little for a volume of the servers",
                left >> 20,
                instance.display()
            ),
        )
        .help(format!(
            "make room for {} MiB, or name another directory in {VARIABLE}",
            (2 * SMALLEST_BYTES) >> 20
        )));
    }
    Ok((left / 2).min(LARGEST_BYTES))
}

fn make_image(image: &Path, size: u64, progress: &mut dyn Progress) -> Result<(), LabError> {
    let failed = |error: std::io::Error| LabError::files("make", image, &error);
    File::create_new(image)
        .and_then(|file| file.set_len(size))
        .map_err(failed)?;
    set_mode(image, 0o600)?;
    let mut command = program("mkfs.ext4", "e2fsprogs", progress)?;
    command
        .args(["-q", "-F", "-O", "encrypt", "-m", "0", "-i", "32768"])
        .args(["-E", "lazy_itable_init=1,lazy_journal_init=1,nodiscard"]);
    run(
        command.arg(image),
        "the volume needs mkfs.ext4 with the feature encrypt",
    )
}

fn make_directory(path: &Path, mode: u32) -> Result<(), LabError> {
    DirBuilder::new()
        .mode(mode)
        .create(path)
        .map_err(|error| LabError::files("make", path, &error))?;
    // The process's umask may have taken more away.
    set_mode(path, mode)
}

/// Encrypts an empty directory of a mounted file system with a new key, and reads back how.
fn encrypt(
    mount: &Path,
    directory: &Path,
    progress: &mut dyn Progress,
) -> Result<VolumeEncryption, LabError> {
    let help = "at_rest=plain-volume shows whether it is the encryption that fails";
    let fscrypt = |progress: &mut dyn Progress| program("fscrypt", "fscrypt", progress);
    // The file is empty for seconds while another process makes it.
    let alone = machine_lock::lock();
    if !Path::new(CONFIGURATION).exists() {
        progress.say(&format!(
            "setting up fscrypt on this machine ({CONFIGURATION} and /.fscrypt)"
        ));
        run(fscrypt(progress)?.args(["setup", "--quiet"]), help)?;
    }
    drop(alone);
    run(fscrypt(progress)?.args(["setup", "--quiet"]).arg(mount), help)?;
    let key = key()?;
    let mut command = fscrypt(progress)?;
    command
        .arg("encrypt")
        .arg(directory)
        .args(["--quiet", "--source=raw_key", "--name=dbdyno-lab"])
        .args(["--key=/dev/stdin"])
        .stdin(Stdio::from(key));
    output_of(&mut command, help)?;
    // Only a file with content makes the kernel choose an implementation of the contents' cipher.
    let probe = directory.join("probe");
    std::fs::write(&probe, "x").map_err(|error| LabError::files("write", &probe, &error))?;
    let status = output_of(
        fscrypt(progress)?
            .arg("status")
            .arg(directory)
            .stdin(Stdio::null()),
        help,
    );
    let read_back = read_back(&status?, directory);
    std::fs::remove_file(&probe).map_err(|error| LabError::files("remove", &probe, &error))?;
    read_back
}

#[cfg(target_os = "linux")]
fn file_in_memory() -> std::io::Result<File> {
    use rustix::fs::{MemfdFlags, memfd_create};

    let memory = memfd_create("dbdyno-lab-key", MemfdFlags::CLOEXEC)?;
    Ok(File::from(memory))
}

/// No key may touch a disk. No server starts here anyway (`platform.rs`).
#[cfg(not(target_os = "linux"))]
fn file_in_memory() -> std::io::Result<File> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// 32 random bytes in a file of the memory, which nobody else can open.
fn key() -> Result<File, LabError> {
    let failed = |why: String| {
        LabError::new(
            LabErrorKind::Machine,
            format!("cannot make the key of the servers' volume: {why}"),
        )
    };
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| failed(error.to_string()))?;
    let mut file = file_in_memory().map_err(|error| failed(error.to_string()))?;
    file.write_all(&bytes)
        .and_then(|()| file.rewind())
        .map_err(|error| failed(error.to_string()))?;
    Ok(file)
}

/// The line `Options:  padding:32 contents:AES_256_XTS filenames:AES_256_CTS policy_version:2` of `fscrypt status`.
fn read_back(status: &str, directory: &Path) -> Result<VolumeEncryption, LabError> {
    let option = |name: &str| {
        let words = status
            .lines()
            .find_map(|line| line.trim().strip_prefix("Options:"))?;
        let mut words = words.split_whitespace().filter_map(|word| word.split_once(':'));
        words.find(|(known, _)| *known == name).map(|(_, value)| value)
    };
    let facts = || {
        let contents = option("contents")?.replace('_', "-");
        let implementation = kernel_name(&contents).and_then(kernel_cipher);
        Some(VolumeEncryption {
            means: "ext4 with fscrypt".to_owned(),
            names: option("filenames")?.replace('_', "-"),
            policy_version: option("policy_version")?.parse().ok()?,
            uses_aes_instructions: implementation
                .as_ref()
                .and_then(|found| found.uses_aes_instructions),
            implementation: implementation.map(|found| found.driver),
            processor_has_aes: processor_has_aes(),
            contents,
        })
    };
    facts().ok_or_else(|| {
        LabError::new(
            LabErrorKind::Machine,
            format!(
                "fscrypt does not say how it encrypts {}:\n{}",
                directory.display(),
                status.trim()
            ),
        )
    })
}

/// The kernel's name of a cipher of fscrypt's.
fn kernel_name(cipher: &str) -> Option<&'static str> {
    match cipher {
        "AES-256-XTS" => Some("xts(aes)"),
        "AES-128-CBC" => Some("essiv(cbc(aes),sha256)"),
        "Adiantum" => Some("adiantum(xchacha12,aes)"),
        _ => None,
    }
}

/// Installs the programs that make a volume of this level, where they are missing.
///
/// # Errors
/// When one is missing and cannot be installed.
pub(crate) fn install_tools(level: AtRestLevel, progress: &mut dyn Progress) -> Result<(), LabError> {
    let has_image = level.has_image();
    let is_encrypted = level == AtRestLevel::Volume;
    for (name, package, is_needed) in [
        ("mkfs.ext4", "e2fsprogs", has_image),
        ("mount", "mount", has_image),
        ("fscrypt", "fscrypt", is_encrypted),
    ] {
        if is_needed {
            program(name, package, progress)?;
        }
    }
    Ok(())
}

/// A program of the system, installed if need be and permitted.
fn program(name: &str, package: &str, progress: &mut dyn Progress) -> Result<Command, LabError> {
    let found = on_path(name, &SYSTEM);
    let path = match found {
        Some(path) => path,
        None => {
            let missing = SystemPackages {
                software: name,
                names: &[package],
                otherwise: "leave out at_rest",
            };
            debian_package(&missing, progress)?;
            on_path(name, &SYSTEM).ok_or_else(|| {
                LabError::new(
                    LabErrorKind::Software,
                    format!("Debian's package {package} brought no {name}"),
                )
            })?
        }
    };
    Ok(Command::new(path))
}

/// Runs a tool of the machine.
fn run(command: &mut Command, help: &str) -> Result<(), LabError> {
    tool(command, help).map_err(|error| LabError {
        kind: LabErrorKind::Machine,
        ..error
    })
}

/// Unmounts everything in the directory of an instance whose servers have ended.
///
/// # Errors
/// When something stays mounted.
pub(crate) fn unmount(instance: &Path) -> Result<(), LabError> {
    const STEP: Duration = Duration::from_millis(50);
    for point in mounts_below(instance) {
        let unmount = |words: &[&str]| {
            let mut command = program("umount", "mount", &mut ())?;
            run(
                command.args(words).arg(&point),
                "unmount it by hand: umount --lazy",
            )
        };
        let mut waited = Duration::ZERO;
        // A killed process closes its files a moment later.
        while let Err(error) = unmount(&[]) {
            if !rustix::process::geteuid().is_root() {
                return Err(error);
            }
            if waited >= PATIENCE {
                // It goes with the last who uses it.
                unmount(&["--lazy"])?;
                break;
            }
            std::thread::sleep(STEP);
            waited += STEP;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_is_missing_is_named_before_anything_is_fetched() {
        use AtRestLevel::{Engine, Off, PlainVolume, Volume};
        for level in [Off, Engine] {
            assert_eq!(obstacle(level, false, false, false), None);
        }
        for (level, is_root, loops, kernel, expected) in [
            (Volume, false, true, true, "needs root"),
            (PlainVolume, false, true, true, "needs root"),
            (Volume, true, false, true, "/dev/loop-control"),
            (Volume, true, true, false, "CONFIG_FS_ENCRYPTION"),
        ] {
            let why = obstacle(level, is_root, loops, kernel).unwrap();
            assert!(why.contains(expected), "{why}");
        }
        assert_eq!(obstacle(PlainVolume, true, true, false), None);
        let error = check(Volume, false).unwrap_err();
        assert_eq!(error.kind, LabErrorKind::Machine);
        assert!(error.message.starts_with("at_rest=volume needs root"), "{error}");
        assert!(error.help.contains("as root") && error.help.contains(VARIABLE));
    }

    #[test]
    fn the_ciphers_are_read_back() {
        let status = "\"m\" is encrypted with fscrypt.\n\nPolicy:   4953\nOptions:  padding:32 contents:AES_256_XTS \
                      filenames:AES_256_CTS policy_version:2 \nUnlocked: Yes\n";
        let facts = read_back(status, Path::new("m")).unwrap();
        assert_eq!(
            (
                facts.contents.as_str(),
                facts.names.as_str(),
                facts.policy_version
            ),
            ("AES-256-XTS", "AES-256-CTS", 2)
        );
        let error = read_back("m is not encrypted", Path::new("m")).unwrap_err();
        assert!(error.message.contains("is not encrypted"), "{error}");
    }

    #[test]
    fn a_key_is_used_once_and_readable_by_nobody_else() {
        use std::io::Read;
        let read = |mut file: File| {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).unwrap();
            bytes
        };
        let (first, second) = (read(key().unwrap()), read(key().unwrap()));
        assert_eq!((first.len(), second.len()), (32, 32));
        assert_ne!(first, second);
    }

    #[test]
    fn a_full_volume_is_named_and_nothing_stays_mounted() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let place = tempfile::tempdir_in("/var/tmp").unwrap();
        let volume = Volume::of_size(place.path(), 160 << 20, AtRestLevel::PlainVolume, &mut ()).unwrap();
        assert_eq!(volume.facts, AtRest::PlainVolume);
        assert_eq!(volume.full(), None);
        let mode = volume.image.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let large = volume.servers.join("large");
        File::create(&large)
            .and_then(|mut file| file.write_all(&vec![7; 100 << 20]))
            .unwrap();
        let full = volume.full().unwrap();
        assert!(full.contains("volume.img") && full.contains("is full"), "{full}");
        // Somebody who still has a file open keeps nobody from removing it.
        let open = File::open(&large).unwrap();
        unmount(place.path()).unwrap();
        assert_eq!(mounts_below(place.path()), [] as [PathBuf; 0]);
        drop(open);
    }
}
