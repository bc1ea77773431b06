//! Constant facts about this driver, known before any connection.

use dbdyno_driver::{Capabilities, DriverInfo, Durability, Execution, ScanOrder, Values};

/// The constant facts about `hbase`.
pub(crate) const INFO: DriverInfo = DriverInfo {
    name: "hbase",
    summary: "wide-column store on Hadoop, one server or a cluster (its own Java client)",
    schemes: &["hbase"],
    example: "hbase://ZOOKEEPER:2181",
    options: &[
        (
            "class_path",
            "jars of hbase-shaded-client, or a directory of them (default: $HBASE_CLASS_PATH)",
        ),
        (
            "columnfamily",
            "the column family of the records (default family)",
        ),
        (
            "encryption",
            "of new tables' files: none (default) or aes, which needs a key provider in the servers (hbase.crypto.keyprovider)",
        ),
        (
            "compression",
            "of new tables' files: none, gz, snappy, lz4 or zstd; all but gz need libraries that the lab's servers lack (default: the server's, none)",
        ),
        ("regions", "regions that a new table is split into (default 1)"),
        (
            "principal",
            "who logs in by Kerberos, with `keytab`: NAME@REALM (default: no login)",
        ),
        ("keytab", "file with the principal's key"),
        (
            "server_principal",
            "the servers' principal (default hbase/_HOST@ with the realm of `principal`)",
        ),
        (
            "do_as",
            "user to act as, where the servers let `principal` (hadoop.proxyuser.*; default: itself)",
        ),
        (
            "krb5_conf",
            "configuration of Kerberos (default: what Java finds, /etc/krb5.conf as a rule)",
        ),
        (
            "storage",
            "file (default) or hdfs: what the log lies on; durability synced exists on hdfs only",
        ),
        (
            "webhdfs",
            "[https://]HOST:PORT/DIRECTORY: the web server of HDFS's NameNode and HBase's files there, which says how many copies it keeps",
        ),
        (
            "webhdfs_principal",
            "who asks that server, where it lets nobody in without a login of Kerberos, with `webhdfs_keytab`: NAME@REALM",
        ),
        ("webhdfs_keytab", "file with the key of that principal"),
    ],
    remote: true,
    default_port: Some(2181),
    execution: Execution::Blocking,
    capabilities: Capabilities {
        scan: ScanOrder::Key,
        persistent: true,
        stores_records: true,
        durabilities: &[Durability::None, Durability::Buffered, Durability::Synced],
        consistencies: &[],
        values: Values::Bytes,
    },
};
