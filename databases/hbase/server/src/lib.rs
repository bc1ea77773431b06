//! The lab's recipe for HBase: one Java process that holds everything, or a cluster of ZooKeeper, masters and region
//! servers in processes of their own. Either keeps its files on the local file system, or on an HDFS of the lab's own.

mod hadoop;
mod hdfs;
mod heap;
mod java;
mod kerberos;
mod process;
mod quorum;
mod rights;
mod setup;
mod shares;
mod site;

use std::path::PathBuf;
use std::time::Duration;

use dbdyno_lab::{
    ADMINISTRATOR, APPLICATION, AT_REST_OPTION, AtRestLevel, Installation, LabError, LabErrorKind,
    LaunchContext, Missing, NodeMemory, Progress, Recipe, RecipeInfo, RecipeOption, SECURITY_OPTION,
    Security, ServerRequest, Software, Store, TLS_OPTION, maven_jars, named_home, read_log, with_options,
};

use dbdyno_record::EngineEncryption;
use hdfs::{Hdfs, Size, Zone};
use java::Java;
use kerberos::{CLIENT, Kerberos};
use setup::{Topology, kerberos, start_all, tls};
use site::Site;

/// How long the servers may take until the master says that it is ready; a busy machine takes a multiple of the usual
/// ten seconds.
const DEADLINE: Duration = Duration::from_secs(180);

/// What the versions of HBase that bring Hadoop's client of version 3 end in. That of version 2 misreads the tokens by which a DataNode
/// of version 3 knows who may read a block, and cannot write in an encryption zone.
const OF_HADOOP_3: &str = "-hadoop3";

/// The recipe.
pub struct HbaseRecipe;

/// The options that an address may have.
const OPTIONS: &[RecipeOption] = &[
    RecipeOption::new(
        "home",
        "directory with lib (HBase's jars) and client/lib (those of hbase-shaded-client)",
        "$DBDYNO_HBASE_HOME, Maven Central",
    ),
    RecipeOption::new(
        "nodes",
        "region servers: 1 in one process with all else, or 2 to 4 in processes of their own",
        "1",
    ),
    RecipeOption::new(
        "masters",
        "1, or 2 to 3 of which all but one stand by; with several nodes",
        "1",
    ),
    RecipeOption::new(
        "zookeeper",
        "servers of ZooKeeper: 1, 3 or 5; with several nodes",
        "1",
    ),
    RecipeOption::new(
        "hdfs",
        "DataNodes of an HDFS that holds all files, up to 4; 0: the local file system does",
        "0",
    ),
    RecipeOption::new(
        "replication",
        "copies of each block on HDFS",
        "3, or as many as there are DataNodes",
    ),
    RecipeOption::new(
        "heap",
        "Java heap of each server",
        "512M; 256M with several nodes; half of `memory`",
    ),
    RecipeOption::new(
        "block_cache",
        "share of the heap for blocks that were read; 0: none",
        "0.4",
    ),
    RecipeOption::new(
        "memstore",
        "share of the heap for what was written and is in no file yet",
        "0.4",
    ),
    RecipeOption::new(
        "java_options",
        "further options of Java for each server, separated by blanks",
        "",
    ),
    RecipeOption::new(
        "settings",
        "further settings of hbase-site.xml, NAME:VALUE, separated by blanks",
        "",
    ),
    TLS_OPTION,
    RecipeOption::new(
        "auth",
        "none, or kerberos: everybody must log in, with a Kerberos server of the lab's own",
        "none",
    ),
    SECURITY_OPTION,
    AT_REST_OPTION,
    hdfs::ZONE_OPTION,
];

impl Recipe for HbaseRecipe {
    fn info(&self) -> RecipeInfo {
        RecipeInfo {
            name: "hbase",
            product: "Apache HBase",
            summary: "HBase on the local file system or on HDFS, fetched from Maven Central",
            versions: &["2.6.4"],
            options: OPTIONS,
            software: Software {
                program: None,
                further: &[],
                home: "DBDYNO_HBASE_HOME",
                fetched: Some("hbase-"),
                otherwise: "fetched from Maven Central when it is first used; needs Java and Maven",
            },
            durability_by: None,
            encrypts_files: Some("tables and the log of writes"),
            scans_by_key: None,
            usual_start: Duration::from_secs(6),
            usual_warmup: Duration::from_secs(55),
        }
    }

    fn install(
        &self,
        request: &ServerRequest,
        store: &Store,
        progress: &mut dyn Progress,
    ) -> Result<Installation, LabError> {
        // What cannot be is refused before anything is fetched.
        topology(request)?;
        let with_login = is_with_login(request)?;
        if let Some(home) = named_home(request, "DBDYNO_HBASE_HOME")? {
            return Ok(Installation {
                path: home.path,
                origin: home.origin,
            });
        }
        let version = request.version(&self.info())?;
        let has_hdfs = Size::of(request)?.is_some();
        let build = match has_hdfs && (with_login || Zone::is_asked(request, has_hdfs)?) {
            true => format!("{version}{OF_HADOOP_3}"),
            false => version.to_owned(),
        };
        let server = format!("org.apache.hbase:hbase-server:{build}");
        let path = maven_jars(store, &format!("hbase-{build}"), &[&server], progress)?;
        let client = format!("org.apache.hbase:hbase-shaded-client:{version}");
        maven_jars(store, &format!("hbase-client-{version}"), &[&client], progress)?;
        if with_login {
            kerberos::install(store, progress)?;
        }
        if has_hdfs {
            hdfs::install(store, progress)?;
        }
        Ok(Installation {
            path,
            origin: "fetched from Maven Central".to_owned(),
        })
    }

    fn memory_bytes(&self, request: &ServerRequest) -> Result<u64, LabError> {
        let (topology, size) = topology(request)?;
        shares::of(request)?;
        let login = match is_with_login(request)? {
            true => Kerberos::MEMORY_BYTES,
            false => 0,
        };
        let below = size.map_or(0, Size::memory_bytes);
        Ok(topology.memory_bytes(heap::mebibytes(request, topology)?) + login + below)
    }

    fn topology(&self, request: &ServerRequest) -> Result<dbdyno_lab::Topology, LabError> {
        let (topology, size) = topology(request)?;
        Ok(dbdyno_lab::Topology {
            nodes: topology.nodes,
            copies: size.map_or(1, |size| size.copies),
            shards: 1,
        })
    }

    fn within_memory(&self, request: &ServerRequest, mebibytes: u32) -> Result<NodeMemory, LabError> {
        let (topology, _) = topology(request)?;
        heap::within(request, topology, mebibytes)
    }

    fn start(
        &self,
        request: &ServerRequest,
        installation: &Installation,
        context: &mut LaunchContext<'_>,
    ) -> Result<String, LabError> {
        let (topology, size) = topology(request)?;
        let heap = heap::mebibytes(request, topology)?;
        let shares = shares::of(request)?;
        let java = Java {
            program: process::java()?,
            jars: installation.path.join("lib"),
            options: request.option("java_options").unwrap_or_default().to_owned(),
        };
        let client = client_jars(installation)?;
        // The files lie in the directory of the process that makes them, where their size is looked for.
        let maker = if topology.nodes == 1 { "hbase" } else { "master" };
        let home = context.server_directory(maker)?;
        let protection = context.protection(request)?;
        let kerberos = kerberos(request, &protection, context, &java, installation)?;
        let hdfs = match size {
            Some(size) => {
                let login = match &kerberos {
                    Some(kerberos) => Some(hdfs::Login::prepare(
                        context,
                        &java,
                        kerberos,
                        protection.tls.as_ref(),
                    )?),
                    None => None,
                };
                let zone = match Zone::is_asked(request, true)? {
                    true => Some(Zone::prepare(context)?),
                    false => None,
                };
                Some(Hdfs::start(context, &java, installation, size, (login, zone))?)
            }
            None => None,
        };
        let mut ports = |count: u32| (0..count).map(|_| context.port()).collect::<Result<Vec<_>, _>>();
        let site = Site {
            root: hdfs
                .as_ref()
                .map_or_else(|| format!("file://{}", home.join("data").display()), Hdfs::root),
            quorum: ports(topology.quorum)?,
            masters: ports(topology.masters)?,
            nodes: topology.nodes,
            hdfs,
            tls: tls(&protection, context, maker)?,
            kerberos,
            has_rights: protection.profile == Security::Hardened,
            keys: match request.at_rest()? {
                AtRestLevel::Engine => Some(context.key_store(&java.program)?),
                _ => None,
            },
            further: [shares.settings(), further_settings(request)?].concat(),
        };
        let encrypted = match &site {
            site if site.hdfs.as_ref().is_some_and(Hdfs::has_zone) => {
                Some(("all files of HBase, in an encryption zone of HDFS", hdfs::CIPHER))
            }
            Site { keys: Some(_), .. } => {
                Some(("the dbdyno driver's tables and the log of writes", "AES-128-CTR"))
            }
            _ => None,
        };
        if let Some((covers, cipher)) = encrypted {
            context.set_engine_encryption(EngineEncryption {
                covers: covers.to_owned(),
                cipher: cipher.to_owned(),
            });
        }
        start_all(context, &site, &java, heap)?;
        let logs = setup::logs_of_masters(context, topology)?;
        context.wait_until("an initialised master", DEADLINE, || {
            // Any of them may be the first, and the others then wait for its end.
            let mut stated = String::new();
            for log in &logs {
                stated += &read_log(log).map_err(|error| error.to_string())?;
            }
            initialised(&stated)
        })?;
        setup::check_shares(context, topology, shares, (heap, &java))?;
        let address = |user: &str| {
            let mut options = vec![("class_path", client.display().to_string())];
            if site.keys.is_some() {
                options.push(("encryption", "aes".to_owned()));
            }
            options.extend(site.kerberos.iter().flat_map(|login| login.address_options(user)));
            let files = protection.client_options().into_iter();
            // A login is a keytab here, and no password.
            options.extend(files.filter(|(name, _)| name.starts_with("tls_")));
            options.extend(site.hdfs.iter().flat_map(Hdfs::address_options));
            with_options(&format!("hbase://{}", site.quorum_address()), &options)
        };
        if protection.logins.is_none() {
            return Ok(address(CLIENT));
        }
        if let Some(kerberos) = site.kerberos.as_ref().filter(|_| site.has_rights) {
            rights::grant(context, &site, kerberos, &java, &client)?;
        }
        context.set_administrator(address(ADMINISTRATOR));
        Ok(address(APPLICATION))
    }
}

/// The error of a request that cannot be met.
fn refused(message: &str, help: &str) -> LabError {
    LabError::new(LabErrorKind::Request, message).help(help)
}

/// The processes that a request asks for, where they can be together.
///
/// # Errors
/// When they cannot: a login and encryption would end where HBase does, and what lies below be open.
fn topology(request: &ServerRequest) -> Result<(Topology, Option<Size>), LabError> {
    let topology = Topology::of(request)?;
    let size = Size::of(request)?;
    Zone::is_asked(request, size.is_some())?;
    let has_login = is_with_login(request)?;
    let has_tls = request.option(TLS_OPTION.name).is_some() || Security::of(request)?.has_tls();
    if topology.quorum > 1 && (has_login || has_tls) {
        let protection = if has_login { "a login" } else { "TLS" };
        return Err(refused(
            &format!("the lab cannot start hbase with {protection} and `zookeeper`"),
            "leave out `zookeeper`, or `security`, `auth` and `tls`",
        ));
    }
    if size.is_some() && has_tls && !has_login {
        return Err(refused(
            "the lab cannot start hbase with TLS and `hdfs` without a login: HDFS encrypts only connections that log in",
            "use security=hardened, add auth=kerberos to `tls`, or leave out `hdfs`",
        ));
    }
    Ok((topology, size))
}

/// The jars of clients, which lie beside those of the server.
fn client_jars(installation: &Installation) -> Result<PathBuf, LabError> {
    let fetched = installation
        .path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let fetched = fetched.replacen("hbase-", "hbase-client-", 1);
    let fetched = fetched.trim_end_matches(OF_HADOOP_3).to_owned();
    jars(
        installation,
        "client/lib",
        &fetched,
        "org.apache.hbase:hbase-shaded-client",
    )
}

/// The option `settings`.
fn further_settings(request: &ServerRequest) -> Result<Vec<(String, String)>, LabError> {
    let words = request.option("settings").unwrap_or_default().split_whitespace();
    words
        .map(|word| match word.split_once(':') {
            Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
            // What may be a value is not shown: it may be a password.
            _ => Err(refused(
                &format!(
                    "`{}` in settings of hbase has no value after a colon",
                    word.split(['=', ':']).next().unwrap_or_default()
                ),
                "write settings=NAME:VALUE, several separated by blanks",
            )),
        })
        .collect()
}

/// Whether everybody must log in.
fn is_with_login(request: &ServerRequest) -> Result<bool, LabError> {
    if Security::of(request)?.has_login() {
        return Ok(true);
    }
    match request.option("auth") {
        None | Some("none") => Ok(false),
        Some("kerberos") => Ok(true),
        Some(other) => Err(LabError::new(
            LabErrorKind::Request,
            format!("auth={other} of hbase is not valid"),
        )
        .help("write auth=kerberos or auth=none")),
    }
}

/// A directory of jars that servers do not need: inside a named directory, or an entry of its own beside theirs, where they
/// were fetched.
fn jars(
    installation: &Installation,
    inside: &str,
    fetched: &str,
    artefact: &str,
) -> Result<PathBuf, LabError> {
    let beside = installation.path.with_file_name(fetched).join("lib");
    [installation.path.join(inside), beside]
        .into_iter()
        .find(|path| path.is_dir())
        .ok_or_else(|| {
            let what = format!("{} holds no {inside}", installation.path.display());
            LabError::new(LabErrorKind::Software, what).help(format!("put the jars of {artefact} there"))
        })
}

/// What the master's log says of its start. A master that gives up leaves its process behind.
fn initialised(log: &str) -> Result<(), Missing> {
    if log.contains("Master has completed initialization") {
        return Ok(());
    }
    match log.lines().find(|line| line.contains("ABORTING master")) {
        Some(line) => Err(Missing::ForEver(line.trim().to_owned())),
        None => Err(Missing::Yet("its log does not say so yet".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_without_a_colon_is_refused_without_its_value() {
        let request = ServerRequest::parse("hbase?settings=a:1 ssl.password=hunter2").unwrap();
        let error = further_settings(&request).unwrap_err();
        assert_eq!(
            error.message,
            "`ssl.password` in settings of hbase has no value after a colon"
        );
    }

    #[test]
    fn a_master_that_gave_up_is_not_waited_for() {
        let aborted = "INFO starting\nERROR [main] ***** ABORTING master h,16000,1: Unhandled exception. Starting shutdown. *****\n";
        assert!(matches!(initialised(aborted), Err(Missing::ForEver(why)) if why.contains("Unhandled")));
        assert!(matches!(initialised("INFO starting"), Err(Missing::Yet(_))));
        assert_eq!(
            initialised("INFO Master has completed initialization 5.2sec"),
            Ok(())
        );
    }
}
