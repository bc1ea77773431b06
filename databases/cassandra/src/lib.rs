//! Cassandra: everything about it, in one folder.
