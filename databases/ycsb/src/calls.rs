//! The numbers of the operations that `YcsbChannel.java` answers.

pub const CONNECT: u32 = 0;
pub const SESSION: u32 = 1;
pub const INIT: u32 = 2;
pub const CLEANUP: u32 = 3;
pub const FACTS: u32 = 4;
pub const READ: u32 = 10;
pub const SCAN: u32 = 11;
pub const INSERT: u32 = 12;
pub const UPDATE: u32 = 13;
pub const DELETE: u32 = 14;

/// In place of a field: none but the key.
pub const KEY_ONLY: u32 = (-3_i32).cast_unsigned();
