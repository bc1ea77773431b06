//! Login by Kerberos.

use std::path::Path;

use dbdyno_driver::Target;
use dbdyno_driver::remote::check_file;

/// Who logs in, and how.
pub struct Login {
    principal: String,
    /// The file with the principal's key, which is the secret.
    keytab: String,
    /// Who the servers are.
    server_principal: String,
    /// `None`: what Java finds, which is `/etc/krb5.conf` as a rule.
    configuration: Option<String>,
    /// As whom the login acts; `None`: as itself.
    do_as: Option<String>,
}

impl Login {
    /// `None`, when the address names no principal.
    pub fn read(target: &Target) -> Result<Option<Self>, String> {
        let option = |name: &str| target.options.get(name).cloned();
        let (principal, keytab) = match (option("principal"), option("keytab")) {
            (Some(principal), Some(keytab)) => (principal, keytab),
            (None, None) => {
                return match ["server_principal", "krb5_conf", "do_as"]
                    .into_iter()
                    .find(|&name| option(name).is_some())
                {
                    Some(name) => Err(format!(
                        "has no use for `{name}` without `principal` and `keytab`"
                    )),
                    None => Ok(None),
                };
            }
            _ => return Err("needs `principal` and `keytab` together".to_owned()),
        };
        let configuration = option("krb5_conf");
        for (name, file) in [("keytab", Some(&keytab)), ("krb5_conf", configuration.as_ref())] {
            if let Some(file) = file
                && let Err(error) = check_file(Path::new(file))
            {
                return Err(format!("cannot read `{name}={file}`: {error}"));
            }
        }
        let Some((_, realm)) = principal.rsplit_once('@') else {
            return Err(format!(
                "finds no realm in `principal={principal}`; write e.g. `principal=me@EXAMPLE.COM`"
            ));
        };
        Ok(Some(Self {
            server_principal: option("server_principal").unwrap_or_else(|| format!("hbase/_HOST@{realm}")),
            principal,
            keytab,
            configuration,
            do_as: option("do_as"),
        }))
    }

    /// Names are those of hbase-default.xml, and of `Security.java`.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        let mut settings = vec![
            ("hbase.security.authentication", "kerberos".to_owned()),
            ("hadoop.security.authentication", "kerberos".to_owned()),
            ("hbase.master.kerberos.principal", self.server_principal.clone()),
            (
                "hbase.regionserver.kerberos.principal",
                self.server_principal.clone(),
            ),
            ("dbdyno.principal", self.principal.clone()),
            ("dbdyno.keytab", self.keytab.clone()),
        ];
        settings.extend(self.do_as.clone().map(|user| ("dbdyno.do_as", user)));
        settings.extend(self.configuration.clone().map(|file| ("dbdyno.krb5_conf", file)));
        settings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A regular file in place of a keytab: nothing here reads what is in it.
    const KEYTAB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        for (options, expected) in [
            ("principal=me@A".to_owned(), "together"),
            (format!("keytab={KEYTAB}"), "together"),
            (format!("krb5_conf={KEYTAB}"), "`krb5_conf`"),
            ("do_as=other".to_owned(), "`do_as`"),
            (format!("principal=me&keytab={KEYTAB}"), "`principal=me`"),
            ("principal=me@A&keytab=/no/such".to_owned(), "`keytab=/no/such`"),
            ("principal=me@A&keytab=/dev/null".to_owned(), "not a regular file"),
            (
                format!("principal=me@A&keytab={KEYTAB}&krb5_conf=/no/such"),
                "`krb5_conf=/no/such`",
            ),
        ] {
            let target = Target::parse(&format!("hbase://h?{options}")).unwrap();
            let error = Login::read(&target).err().unwrap();
            assert!(error.contains(expected), "{options}: {error}");
        }
    }

    #[test]
    fn servers_are_of_the_same_realm_unless_said_otherwise() {
        let expected = [("", "hbase/_HOST@A"), ("&server_principal=db/one@B", "db/one@B")];
        for (further, expected) in expected {
            let address = format!("hbase://h?principal=me@A&keytab={KEYTAB}{further}");
            let login = Login::read(&Target::parse(&address).unwrap()).unwrap().unwrap();
            assert_eq!(login.server_principal, expected);
        }
    }
}
