//! Login by Kerberos and TLS together, against a server that insists on both.

use dbdyno_database_hbase::HbaseDriver;
use dbdyno_driver::{Driver, ErrorClass};
use dbdyno_lab::Signal;
use dbdyno_server_hbase::HbaseRecipe;
use dbdyno_testkit::live::{assert_refuses, block_on, certificates, facts, read, start, table, with_options};

use crate::security::client;
use crate::{SERVER, kerberos};

/// That of the lab.
const REALM: &str = "DBDYNO.LAB";

#[test]
fn a_principal_logs_in_with_its_key() {
    let _turn = kerberos();
    let folder = tempfile::tempdir().unwrap();
    certificates(folder.path());
    let request = format!("{SERVER}&auth=kerberos&tls={}", folder.path().display());
    let mut lab = start(&HbaseRecipe, &request);
    let tls = client(folder.path(), folder.path());
    let address = with_options(lab.address(), &tls);
    block_on(async {
        let driver = HbaseDriver::connect(&address).await.unwrap();
        let table = table("logged_in", 1);
        driver.create_table(&table).await.unwrap();
        read(&mut driver.session(&table).await.unwrap()).await.unwrap();
    });
    let settings = facts::<HbaseDriver>(&address).settings;
    assert_eq!((&*settings["login"], &*settings["tls"]), ("kerberos", "on"));

    // Open while others try: they may not change Java's configuration of Kerberos under it.
    let open = block_on(HbaseDriver::connect(&address)).unwrap();
    let nobody = lab.address().split('&').next().unwrap();
    let keytab = &address.options["keytab"];
    let altered = folder.path().join("altered.keytab");
    std::fs::write(&altered, other_keys(std::fs::read(keytab).unwrap())).unwrap();
    let altered = altered.display();
    let realm = format!("krb5_conf={}", address.options["krb5_conf"]);
    let auth = ErrorClass::Auth;
    for (login, class, expected) in [
        // No login; one that the keytab is not for; a wrong key; servers of another name; another realm under an open connection.
        (String::new(), auth, "authentication is required"),
        (
            format!("&principal=stranger@{REALM}&keytab={keytab}&{realm}"),
            auth,
            "stranger",
        ),
        (
            format!("&principal=client@{REALM}&keytab={altered}&{realm}"),
            auth,
            "altered.keytab",
        ),
        (
            format!("&principal=client@{REALM}&keytab={keytab}&{realm}&server_principal=other/_HOST@{REALM}"),
            auth,
            "server_principal",
        ),
        (
            format!("&principal=client@{REALM}&keytab={keytab}&krb5_conf=/dev/null"),
            ErrorClass::Rejected,
            "krb5_conf=/dev/null",
        ),
    ] {
        let address = format!("{nobody}&{tls}{login}");
        assert_refuses::<HbaseDriver>(&address, class, expected, "");
    }
    drop(open);
    let elsewhere = folder.path().join("elsewhere.conf");
    std::fs::write(&elsewhere, "[libdefaults]\n").unwrap();
    let login = format!(
        "&principal=client@{REALM}&keytab={keytab}&krb5_conf={}",
        elsewhere.display()
    );
    let address_elsewhere = format!("{nobody}&{tls}{login}");
    assert_refuses::<HbaseDriver>(&address_elsewhere, ErrorClass::Rejected, "realm", "");
    facts::<HbaseDriver>(&address);
    lab.signal("kdc", Signal::Kill).unwrap();
    let address = address.to_string();
    assert_refuses::<HbaseDriver>(&address, ErrorClass::Unavailable, "Connection refused", "");
}

/// The keytab with other keys in its entries. A keytab is two bytes of version, then entries that follow their length; the key comes
/// last but for four bytes.
fn other_keys(mut keytab: Vec<u8>) -> Vec<u8> {
    let mut at = 2;
    while at + 4 <= keytab.len() {
        let length = u32::from_be_bytes(keytab[at..][..4].try_into().unwrap()) as usize;
        at += 4 + length;
        keytab[at - 8] ^= 0x55;
    }
    keytab
}
