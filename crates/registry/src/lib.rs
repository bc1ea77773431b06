//! The list of databases, one line each.
