//! What every driver of a server understands in an address, whatever the database.

/// The options that every server's driver understands, with a line of help each.
pub const OPTIONS: [(&str, &str); 10] = [
    ("user", "user name, if not in the URL"),
    ("password_file", "file whose first line is the password"),
    ("password_env", "environment variable that holds the password"),
    (
        "tls",
        "on or off: encrypt the connection (default off; on with any tls_ option)",
    ),
    (
        "tls_ca",
        "PEM file of the certificate authorities to trust (default: the system's)",
    ),
    ("tls_cert", "PEM file of the client's certificate"),
    ("tls_key", "PEM file of the client's key"),
    ("connect_timeout", "connection timeout (default 10s)"),
    ("timeout", "timeout of one operation (default 10s)"),
    (
        SERVER_PIDS,
        "process IDs of its servers on this machine, separated by commas, to measure their resource usage",
    ),
];

/// The option that names a server's processes. Drivers have no use for it.
pub const SERVER_PIDS: &str = "server_pids";
