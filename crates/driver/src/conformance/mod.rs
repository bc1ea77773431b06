//! One suite for every database: each promise of the contract has a named check.
