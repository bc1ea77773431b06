//! A dynamometer for databases.
fn main() {}
