use std::time::Duration;

use super::*;
use crate::control_group::GroupLimits;
use crate::launch::LaunchContext;
use crate::progress::Progress;
use crate::recipe_info::{Installation, RecipeInfo, Software};
use crate::store::Store;

/// A product that limits itself, or cannot.
struct Product {
    limits_itself: bool,
}

impl Recipe for Product {
    fn info(&self) -> RecipeInfo {
        RecipeInfo {
            name: "store",
            product: "Store",
            summary: "a store",
            versions: &["1"],
            options: const { &[RecipeOption::new("heap", "memory", "512M")] },
            software: Software {
                home: "STORE_HOME",
                program: None,
                further: &[],
                fetched: None,
                otherwise: "built by hand",
            },
            durability_by: None,
            encrypts_files: None,
            scans_by_key: None,
            usual_start: Duration::ZERO,
            usual_warmup: Duration::ZERO,
        }
    }

    fn install(&self, _: &ServerRequest, _: &Store, _: &mut dyn Progress) -> Result<Installation, LabError> {
        unreachable!("nothing is installed")
    }

    fn memory_bytes(&self, request: &ServerRequest) -> Result<u64, LabError> {
        Ok(u64::from(request.mebibytes("heap", 512)?) << 20)
    }

    fn within_memory(&self, request: &ServerRequest, mebibytes: u32) -> Result<NodeMemory, LabError> {
        if !self.limits_itself {
            return Ok(NodeMemory::default());
        }
        if mebibytes < 256 {
            return Err(LabError::new(
                LabErrorKind::Request,
                format!("{} starts with 256M", request.name),
            ));
        }
        Ok(NodeMemory {
            options: vec![("heap", format!("{}M", mebibytes / 2))],
            arguments: Vec::new(),
        })
    }

    fn start(
        &self,
        _: &ServerRequest,
        _: &Installation,
        _: &mut LaunchContext<'_>,
    ) -> Result<String, LabError> {
        unreachable!("nothing is started")
    }
}

fn ask(options: &str, cpus: &str, groups: bool, limits_itself: bool) -> Result<Granted, LabError> {
    let allowed = cpus.parse().unwrap();
    let means = Means {
        allowed: Some(&allowed),
        cpu_groups: groups,
        memory_groups: groups,
    };
    let request = ServerRequest::parse(&format!("store?{options}")).unwrap();
    request.check(&Product { limits_itself }.info())?;
    granted_by(&means, &Product { limits_itself }, &request)
}

fn list(text: &str) -> Option<CpuList> {
    Some(text.parse().unwrap())
}

#[test]
fn a_share_is_the_groups_and_whole_cpus_need_none() {
    let by_group = ask("cpus=0.5", "0-3", true, true).unwrap();
    assert_eq!(by_group.group.cpus, Some(0.5));
    assert_eq!(by_group.cpus_of(0), None);
    let by_affinity = ask("cpus=1", "1-3", false, true).unwrap();
    assert_eq!(by_affinity.group, GroupLimits::default());
    let of_four: Vec<_> = (0..4).map(|place| by_affinity.cpus_of(place)).collect();
    assert_eq!(of_four, [list("1"), list("2"), list("3"), list("1")]);
    let two = ask("cpus=2", "0-3", false, true).unwrap();
    assert_eq!([two.cpus_of(0), two.cpus_of(1)], [list("0-1"), list("2-3")]);
    let listed = ask("cpus=1,3", "0-3", true, true).unwrap();
    assert_eq!([listed.cpus_of(0), listed.cpus_of(1)], [list("1,3"), list("1,3")]);
    assert!(ask("client=shared", "0", false, true).unwrap().is_plain());
}

#[test]
fn the_load_generator_has_cpus_of_its_own() {
    let apart = ask("client=apart", "0-3", false, true).unwrap();
    assert_eq!((&apart.client, apart.cpus_of(0)), (&list("0-1"), list("2-3")));
    let both = ask("client=0&cpus=1", "0-1", true, true).unwrap();
    assert_eq!((&both.client, both.cpus_of(0)), (&list("0"), list("1")));
    assert_eq!(both.group.cpus, Some(1.0));
}

#[test]
fn memory_is_limited_by_the_group_and_the_product_or_by_one_of_them() {
    let both = ask("memory=1G", "0", true, true).unwrap();
    assert_eq!(both.group.memory_bytes, Some(1 << 30));
    assert_eq!(both.own.options, [("heap", "512M".to_owned())]);
    let own = ask("memory=1G", "0", false, true).unwrap();
    assert_eq!(own.group.memory_bytes, None);
    let request = ServerRequest::parse("store?memory=1G").unwrap();
    assert_eq!(sized(&request, &own.own).option("heap"), Some("512M"));
    let set = ServerRequest::parse("store?memory=1G&heap=300M").unwrap();
    assert_eq!(
        sized(&set, &own.own).option("heap"),
        Some("300M"),
        "the address has the last word"
    );
    let product = Product { limits_itself: true };
    let large = ServerRequest::parse("store?memory=4G").unwrap();
    assert_eq!(memory_bytes(&product, &large).unwrap(), 2 << 30);
    assert_eq!(
        ask("memory=1G", "0", true, false).unwrap().own,
        NodeMemory::default()
    );
}

#[test]
fn limits_that_cannot_be_say_why_and_what_can() {
    for (options, cpus, expected, help) in [
        ("cpus=0.5", "0-1", "needs a control group", "whole CPUs"),
        ("cpus=3", "0-1", "can have 2 CPUs: CPU 0-1", "2 at most"),
        (
            "cpus=2&client=apart",
            "0-1",
            "can have 1 CPU beside CPU 0 of the load generator: CPU 1",
            "1 at most",
        ),
        ("cpus=0-2", "0-1", "on CPU 0-1", "among these"),
        ("cpus=0,1&client=0", "0-1", "beside CPU 0", "among these"),
        ("cpus=all", "0-1", "neither a share", "cpus=0.5"),
        ("cpus=0", "0-1", "neither a share", "cpus=0.5"),
        ("cpus=-1", "0-1", "neither a share", "cpus=0.5"),
        ("client=apart", "0", "CPU 0 alone", "two CPUs"),
        ("client=0-1", "0-1", "need one of them", "fewer"),
        ("client=5", "0-1", "may use CPU 0-1", "fewer"),
        ("client=far", "0-1", "a list of CPU numbers", "client=apart"),
        ("memory=much", "0", "not an amount", "512M"),
        ("memory=100M", "0", "starts with 256M", ""),
    ] {
        let error = ask(options, cpus, false, true).unwrap_err();
        assert!(error.message.contains(expected), "{options}: {error}");
        assert!(error.help.contains(help), "{options}: {}", error.help);
    }
    let error = ask("memory=1G", "0", false, false).unwrap_err();
    assert!(error.message.contains("control group of version 2"), "{error}");
    assert!(error.help.contains("systemd-run"), "{}", error.help);
}
