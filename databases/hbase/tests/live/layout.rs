//! Records lie as YCSB's binding lays them: the row key is the key, fields are columns of one family.

use std::path::Path;
use std::process::Command;

use dbdyno_database_hbase::HbaseDriver;
use dbdyno_driver::{Driver, ErrorClass, Key, Row, Session};
use dbdyno_testkit::live::{assert_reads, block_on, table, target, with_options};

use crate::shared;

/// Runs a Java program that uses the plain client of HBase, in a process of its own. Returns what it prints.
fn program(file: &str, arguments: &[&str]) -> String {
    let home = std::env::var("JAVA_HOME").map(|home| home + "/bin/java");
    let output = Command::new(home.unwrap_or_else(|_| "java".to_owned()))
        .args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"])
        .args(["-cp", &format!("{}/*", target(shared()).options["class_path"])])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(file))
        .args(arguments)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

fn port() -> String {
    target(shared()).place.rsplit(':').next().unwrap().to_owned()
}

fn other_tool(arguments: &[&str]) -> String {
    program("tests/live/OtherTool.java", &[&[&*port()], arguments].concat())
}

#[test]
fn ycsbs_layout_is_written_and_read() {
    // Nobody but the other tool has made the table yet.
    other_tool(&["put", "user1", "field1", "two", "field0", "one", "unknown", "x"]);
    block_on(async {
        let usertable = table("usertable", 2);
        let driver = HbaseDriver::connect(&target(shared())).await.unwrap();
        let mut session = driver.session(&usertable).await.unwrap();
        let mut row = Row::new();
        assert_reads(&mut session, "user1", &[(0, "one"), (1, "two")]).await;

        row.clear();
        row.push(1, b"by dbdyno");
        session.insert(&Key::new(2, "user2"), &row).await.unwrap();
        assert_eq!(other_tool(&["get", "user2"]), "family:field1=by dbdyno\n");
        driver.drop_table(&usertable).await.unwrap();
    });
}

#[test]
fn a_plain_java_loop_reads_what_the_driver_wrote() {
    block_on(async {
        let table = table("plain_loop", 3);
        let driver = HbaseDriver::connect(&target(shared())).await.unwrap();
        driver.create_table(&table).await.unwrap();
        let mut session = driver.session(&table).await.unwrap();
        let mut row = Row::new();
        for index in 0..3 {
            row.push(index, b"value");
        }
        for number in 0..20 {
            let key = Key::new(number, &format!("user{number}"));
            session.insert(&key, &row).await.unwrap();
        }
        let arguments = ["127.0.0.1", &port(), "plain_loop", "family", "2", "0", "2"];
        let stated = program("java/PlainLoop.java", &arguments);
        assert!(stated.contains("\"failed\": 0,"), "{stated}");
        assert!(!stated.contains("\"operations\": 0,"), "{stated}");
        driver.drop_table(&table).await.unwrap();
    });
}

#[test]
fn a_table_states_its_compression_and_keeps_it() {
    block_on(async {
        let table = table("compressed", 1);
        let with = |options: &str| with_options(shared(), options);
        let driver = HbaseDriver::connect(&with("compression=gz&regions=3"))
            .await
            .unwrap();
        driver.create_table(&table).await.unwrap();
        let facts = driver.table_facts(&table).await.unwrap();
        assert_eq!(facts.settings["compression"], "gz");
        assert_eq!(facts.settings["regions_of_table"], "3");

        let plain = HbaseDriver::connect(&with("compression=none")).await.unwrap();
        let error = plain.create_table(&table).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Rejected, "{error}");
        assert!(error.message.contains("has compression gz, not none"), "{error}");
        driver.drop_table(&table).await.unwrap();

        // A codec that the servers lack ends with their own word, and leaves no table behind.
        let lacking = HbaseDriver::connect(&with("compression=snappy")).await.unwrap();
        let error = lacking.create_table(&table).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Rejected, "{error}");
        assert!(error.message.to_lowercase().contains("snappy"), "{error}");
        assert!(driver.table_facts(&table).await.is_err());
    });
}
