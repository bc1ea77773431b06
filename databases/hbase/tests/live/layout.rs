//! Records lie as YCSB's binding lays them: the row key is the key, fields are columns of one family.

use std::process::Command;

use dbdyno_database_hbase::HbaseDriver;
use dbdyno_driver::{Driver, Fields, Found, Key, Row, Session};
use dbdyno_live::{block_on, table, target};

use crate::shared;

/// Another tool: a Java program of its own that uses the plain client of HBase. Returns what it prints.
fn other_tool(arguments: &[&str]) -> String {
    let address = target(shared());
    let port = address.place.rsplit(':').next().unwrap().to_owned();
    let home = std::env::var("JAVA_HOME").map(|home| home + "/bin/java");
    let output = Command::new(home.unwrap_or_else(|_| "java".to_owned()))
        .args(["-cp", &format!("{}/*", address.options["class_path"])])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/live/OtherTool.java"))
        .arg(port)
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

#[test]
fn ycsbs_layout_is_written_and_read() {
    // Nobody but the other tool has made the table yet.
    other_tool(&["put", "user1", "field1", "two", "field0", "one", "unknown", "x"]);
    block_on(async {
        let usertable = table("usertable", 2);
        let driver = HbaseDriver::connect(&target(shared())).await.unwrap();
        let mut session = driver.session(&usertable).await.unwrap();
        let mut row = Row::new();
        let found = session.read(&Key::new(1, "user1"), Fields::All, &mut row).await;
        assert_eq!(found.unwrap(), Found::Yes);
        assert_eq!(
            row.iter().collect::<Vec<_>>(),
            [(0, &b"one"[..]), (1, &b"two"[..])]
        );

        row.clear();
        row.push(1, b"by dbdyno");
        session.insert(&Key::new(2, "user2"), &row).await.unwrap();
        assert_eq!(other_tool(&["get", "user2"]), "family:field1=by dbdyno\n");
        driver.drop_table(&usertable).await.unwrap();
    });
}
