//! Caches, compression and the partitioner, read back from a live node; and a node that does not start.

use dbdyno_database_cassandra::CassandraDriver;
use dbdyno_driver::{Driver, ErrorClass, Fields, Key, Row, Rows, ScanOrder, Session};
use dbdyno_lab::{InstanceRequest, Keep, LabErrorKind, LabHome, ServerRequest, instances, up};
use dbdyno_server_cassandra::CassandraRecipe;
use dbdyno_testkit::live::{block_on, table, with_options};

use crate::{SMALL, begun};

#[test]
fn a_node_states_the_options_that_it_was_asked_for() {
    let lab = begun("row_cache=16M&key_cache=8M&partitioner=byte-ordered&cpus=1&memory=800M");
    // One CPU, by its control group or by the CPU's number; and the heap of the request, which the memory holds.
    let resources = lab.resources().unwrap();
    assert!(resources.limits().contains("CPU"), "{resources}");
    assert_eq!(resources.own_limits, ["heap=256M"]);
    block_on(async {
        let target = with_options(lab.address(), "compression=zstd");
        let driver = CassandraDriver::connect(&target).await.unwrap();
        let facts = driver.facts().await.unwrap();
        assert_eq!(facts.settings["row_cache_size"], "16MiB");
        assert_eq!(facts.settings["key_cache_size"], "8MiB");
        let table = table("options", 1);
        driver.create_table(&table).await.unwrap();
        let of_table = driver.table_facts(&table).await.unwrap();
        assert!(
            of_table.settings["compression"].starts_with("zstd ("),
            "{of_table:?}"
        );
        assert_eq!(of_table.settings["caching"], "all");
        assert!(of_table.settings["partitioner"].ends_with(".ByteOrderedPartitioner"));
        assert_eq!(of_table.scan_order, Some(ScanOrder::Key));

        let mut session = driver.session(&table).await.unwrap();
        let mut row = Row::new();
        row.push(0, b"x");
        for name in ["user3", "user1", "user9", "user2", "user10"] {
            session.insert(&Key::new(0, name), &row).await.unwrap();
        }
        let mut rows = Rows::new();
        let from = Key::new(0, "user10");
        session.scan(&from, 10, Fields::All, &mut rows).await.unwrap();
        let names: Vec<String> = rows
            .iter()
            .map(|(key, _)| String::from_utf8_lossy(key.as_bytes()).into_owned())
            .collect();
        assert_eq!(
            names,
            ["user10", "user2", "user3", "user9"],
            "in the order of keys"
        );

        let other = CassandraDriver::connect(&with_options(lab.address(), "compression=lz4"))
            .await
            .unwrap();
        let error = other.create_table(&table).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Rejected, "{error}");
        assert!(error.message.contains("has compression zstd"), "{error}");
    });
}

#[test]
fn a_node_that_does_not_start_names_the_error_of_its_log_and_leaves_nothing() {
    let home = LabHome::for_tests().unwrap();
    let planted = "-Dcassandra.config=file:///no/such/cassandra.yaml";
    let request = ServerRequest::parse(&format!("cassandra?{SMALL} {planted}")).unwrap();
    let instance = InstanceRequest {
        recipe: &CassandraRecipe,
        request: &request,
        home: &home,
        keep: Keep::UntilDropped,
    };
    let error = up(&instance, &mut (), &|| false).err().unwrap();
    assert_eq!(error.kind, LabErrorKind::Server, "{error}");
    let first = error
        .message
        .lines()
        .find(|line| line.contains("/no/such/cassandra.yaml"));
    assert!(first.is_some(), "{error}");
    let left = instances(&home).unwrap();
    assert!(
        left.iter().all(|instance| !instance.request.contains(planted)),
        "{left:?}"
    );
}
