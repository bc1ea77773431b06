//! Limits of servers as the kernel keeps them: of a recipe of this test, whose server sleeps.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use dbdyno_lab::{
    Installation, InstanceRequest, Keep, LOG_DIRECTORY_OPTION, Lab, LabError, LabErrorKind, LabHome,
    LaunchContext, Progress, Recipe, RecipeInfo, ServerRequest, ServerSpec, Software, Store, log_directory,
    up,
};
use dbdyno_machine::{CpuList, own_groups};
use tempfile::TempDir;

struct Sleeper;

impl Recipe for Sleeper {
    fn info(&self) -> RecipeInfo {
        RecipeInfo {
            name: "sleeper",
            product: "Sleeper",
            summary: "it sleeps",
            versions: &["1"],
            options: &[LOG_DIRECTORY_OPTION],
            software: Software {
                home: "SLEEPER_HOME",
                program: None,
                further: &[],
                fetched: None,
                otherwise: "built by hand",
            },
            durability_by: None,
            encrypts_files: None,
            scans_by_key: None,
            usual_start: Duration::from_secs(1),
            usual_warmup: Duration::ZERO,
        }
    }

    fn install(&self, _: &ServerRequest, _: &Store, _: &mut dyn Progress) -> Result<Installation, LabError> {
        Ok(Installation {
            path: "/bin/sleep".into(),
            origin: "there".to_owned(),
        })
    }

    fn memory_bytes(&self, _: &ServerRequest) -> Result<u64, LabError> {
        Ok(0)
    }

    fn start(
        &self,
        request: &ServerRequest,
        installation: &Installation,
        context: &mut LaunchContext<'_>,
    ) -> Result<String, LabError> {
        let base = log_directory(request)?;
        for name in ["node1", "node2"] {
            let log = base.as_deref().map(|base| context.log_directory(base, name));
            let mut spec = ServerSpec::new(name, &installation.path).arguments(["600"]);
            spec.log_directory = log.transpose()?;
            context.spawn(spec)?;
        }
        Ok("sleeper://nowhere".to_owned())
    }
}

fn start(options: &str) -> (TempDir, Result<Lab, LabError>) {
    let place = tempfile::Builder::new()
        .permissions(PermissionsExt::from_mode(0o711))
        .tempdir_in("/var/tmp")
        .unwrap();
    let home = LabHome::at(place.path()).unwrap();
    let request = ServerRequest::parse(&format!("sleeper?{options}")).unwrap();
    let instance = InstanceRequest {
        recipe: &Sleeper,
        request: &request,
        home: &home,
        keep: Keep::UntilDropped,
    };
    let lab = up(&instance, &mut (), &|| false);
    (place, lab)
}

/// The lab's groups of this instance, in any hierarchy that this process may be in.
fn groups_of(instance: &str) -> Vec<std::path::PathBuf> {
    let own = [own_groups(""), own_groups("cpu")].concat();
    let above = own
        .iter()
        .filter_map(|own| own.parent())
        .map(Path::to_owned)
        .collect();
    let entries = [own, above]
        .concat()
        .into_iter()
        .filter_map(|place| std::fs::read_dir(place).ok());
    let is_own = |path: &std::path::PathBuf| path.to_string_lossy().contains(&format!("dbdyno.{instance}."));
    entries
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(is_own)
        .collect()
}

#[test]
fn a_share_of_a_cpu_is_kept_by_the_kernel_or_refused() {
    let (_place, lab) = start("cpus=0.5");
    let lab = match lab {
        Ok(lab) => lab,
        // Without the right to make a control group.
        Err(error) => {
            assert_eq!(error.kind, LabErrorKind::Request, "{error}");
            assert!(error.message.contains("needs a control group"), "{error}");
            return;
        }
    };
    let resources = lab.resources().unwrap().clone();
    assert_eq!(resources.limits(), "0.5 CPUs' time by control group");
    let name = lab.instance().name.clone();
    for server in lab.servers() {
        let groups = std::fs::read_to_string(format!("/proc/{}/cgroup", server.process.id)).unwrap();
        assert!(
            groups.contains(&format!("dbdyno.{name}.{}", server.name)),
            "{groups}"
        );
        let command = std::fs::read_to_string(format!("/proc/{}/comm", server.process.id)).unwrap();
        assert_eq!(command, "sleep\n", "what held it back has become the server");
    }
    assert_eq!(groups_of(&name).len(), 2);
    drop(lab);
    assert!(groups_of(&name).is_empty(), "nothing is left");
}

#[test]
fn servers_and_the_load_generator_run_on_cpus_of_their_own() {
    let allowed = CpuList::of_this_process().unwrap();
    let (_place, lab) = start("client=apart");
    if allowed.len() == 1 {
        assert!(lab.err().unwrap().message.contains("servers need one, too"));
        return;
    }
    let lab = lab.unwrap();
    let resources = lab.resources().unwrap();
    let client: CpuList = resources.client_cpus.as_deref().unwrap().parse().unwrap();
    for server in lab.servers() {
        let seen = CpuList::of_process(server.process.id).unwrap();
        assert_eq!(seen, allowed.without(&client), "{}", server.name);
    }
    assert!(
        resources
            .limits()
            .contains(&format!("load generator apart on CPU {client}"))
    );
}

#[test]
fn servers_that_outlive_a_run_have_no_load_generator() {
    let place = tempfile::tempdir().unwrap();
    let home = LabHome::at(place.path()).unwrap();
    let request = ServerRequest::parse("sleeper?client=apart").unwrap();
    let instance = InstanceRequest {
        recipe: &Sleeper,
        request: &request,
        home: &home,
        keep: Keep::Detached,
    };
    let error = up(&instance, &mut (), &|| false).err().unwrap();
    assert_eq!(error.kind, LabErrorKind::Request, "{error}");
    assert!(
        dbdyno_lab::instances(&home).unwrap().is_empty(),
        "nothing was started"
    );
}

#[test]
fn logs_of_writes_lie_on_the_disk_that_is_named_and_go_with_the_instance() {
    let logs = tempfile::Builder::new()
        .permissions(PermissionsExt::from_mode(0o711))
        .tempdir_in("/var/tmp")
        .unwrap();
    let (_place, lab) = start(&format!("commitlog_directory={}", logs.path().display()));
    let lab = lab.unwrap();
    let entries = || std::fs::read_dir(logs.path()).unwrap().count();
    assert_eq!(entries(), 2);
    let servers = &lab.resources().unwrap().servers;
    assert_eq!(
        servers[0].log_device, servers[0].data_device,
        "both lie in /var/tmp"
    );
    assert!(servers[0].log_device.is_some());
    drop(lab);
    assert_eq!(entries(), 0);
}
