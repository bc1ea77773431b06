//! One Java process of HBase.

use std::path::{Path, PathBuf};

use dbdyno_lab::{LabError, LabErrorKind, LaunchContext, ServerSpec, on_path};

use crate::hadoop::{configuration, logging};
use crate::java::Java;
use crate::kerberos::Kerberos;
use crate::site::{Role, Site};

/// What a process takes beyond its heap (measured: 30 to 130 MB).
pub(crate) const BEYOND_HEAP_MEBIBYTES: u32 = 150;

/// What HBase's own start script gives Java since version 11.
const MODULES: [&str; 10] = [
    "-Dorg.apache.hbase.thirdparty.io.netty.tryReflectionSetAccessible=true",
    "--add-modules=jdk.unsupported",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
    "--add-opens=java.base/java.util=ALL-UNNAMED",
    "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
    "--add-opens=java.base/jdk.internal.ref=ALL-UNNAMED",
    "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
];

/// One process.
pub struct Process {
    pub name: String,
    /// Its main class.
    pub class: &'static str,
    pub heap_mebibytes: u32,
    pub role: Role,
}

impl Process {
    pub fn memory_bytes(&self) -> u64 {
        u64::from(self.heap_mebibytes + BEYOND_HEAP_MEBIBYTES) << 20
    }

    /// How it is started; its configuration is written.
    pub fn specification(
        &self,
        context: &LaunchContext<'_>,
        site: &Site,
        java: &Java,
    ) -> Result<ServerSpec, LabError> {
        let directory = context.server_directory(&self.name)?;
        let write = |file: &str, text: String| context.write(&self.name, file, text).map(drop);
        write("hbase-site.xml", site.xml(&directory, self.role))?;
        if let Some(hdfs) = &site.hdfs {
            hdfs.write_password(context, &self.name)?;
        }
        if site.kerberos.is_some() {
            write("core-site.xml", configuration(&Kerberos::hadoop_settings()))?;
        }
        let log = log_of(&directory);
        write("log4j.properties", logging(&log))?;
        let mut specification = ServerSpec::new(&self.name, &java.program)
            .arguments([format!("-Xmx{}m", self.heap_mebibytes)])
            .arguments(collector(&java.options))
            .arguments(["-Djava.net.preferIPv4Stack=true"])
            .arguments(MODULES)
            .arguments(java.options.split_whitespace())
            .arguments(site.kerberos.iter().flat_map(Kerberos::java_options))
            .arguments(["-cp".to_owned()])
            .arguments([format!("{}:{}/*", directory.display(), java.jars.display())])
            .arguments([self.class, "start"]);
        specification.memory_bytes = self.memory_bytes();
        specification.log = Some(log);
        Ok(specification)
    }
}

/// The collector, where the options name none: Java ends at its start where two are named.
fn collector(options: &str) -> Option<&'static str> {
    (!names_collector(options)).then_some("-XX:+UseG1GC")
}

/// Whether options of Java name a collector.
pub fn names_collector(options: &str) -> bool {
    let names_one = |option: &str| option.starts_with("-XX:+Use") && option.ends_with("GC");
    options.split_whitespace().any(names_one)
}

/// The log of the process that has this directory.
pub fn log_of(directory: &Path) -> PathBuf {
    directory.join("hbase.log")
}

pub fn java() -> Result<PathBuf, LabError> {
    let home = std::env::var_os("JAVA_HOME").map(|home| PathBuf::from(home).join("bin/java"));
    home.filter(|path| path.is_file())
        .or_else(|| on_path("java", &[]))
        .ok_or_else(|| {
            LabError::new(LabErrorKind::Software, "there is no java, and HBase runs on it")
                .help("install it: sudo apt-get install default-jdk-headless")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn java_has_one_collector() {
        assert_eq!(
            collector("-XX:TieredStopAtLevel=1 -XX:+UseStringDeduplication"),
            Some("-XX:+UseG1GC")
        );
        assert_eq!(collector("-Xss1M -XX:+UseSerialGC"), None);
    }
}
