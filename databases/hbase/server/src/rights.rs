//! What the application may do, where rights are checked.

use std::path::Path;

use dbdyno_lab::{ADMINISTRATOR, APPLICATION, LabError, LaunchContext};

use crate::hadoop::configuration;
use crate::java::Java;
use crate::kerberos::Kerberos;
use crate::site::{Role, Site};

/// The directory of the tool's files.
const TOOL: &str = "rights";

/// Lets the application make tables of its own, and nothing else, as the administrator.
pub fn grant(
    context: &mut LaunchContext<'_>,
    site: &Site,
    kerberos: &Kerberos,
    java: &Java,
    client: &Path,
) -> Result<(), LabError> {
    let directory = context.server_directory(TOOL)?;
    context.write(TOOL, "Grant.java", include_str!("../java/Grant.java"))?;
    let role = Role {
        master_port: site.masters[0],
        region_port: None,
    };
    context.write(TOOL, "hbase-site.xml", site.xml(&directory, role))?;
    let hadoop = configuration(&Kerberos::hadoop_settings());
    context.write(TOOL, "core-site.xml", hadoop)?;
    context.hand_over(TOOL)?;
    let (principal, keytab) = kerberos.login(ADMINISTRATOR);
    let mut command = java.tool();
    command
        .args(kerberos.java_options())
        .arg("-cp")
        .arg(format!("{}:{}/*", directory.display(), client.display()))
        .arg(directory.join("Grant.java"))
        .args([principal, keytab.display().to_string(), APPLICATION.to_owned()]);
    context.run_tool(&mut command)
}
