//! The numbers of the operations that `HBaseChannel.java` answers.

pub const CONNECT: u32 = 0;
pub const CREATE_TABLE: u32 = 1;
pub const DROP_TABLE: u32 = 2;
pub const SESSION: u32 = 3;
pub const FACTS: u32 = 4;
pub const LOAD_MANIFEST: u32 = 5;
pub const STORE_MANIFEST: u32 = 6;
pub const DISCONNECT: u32 = 7;
/// How long the next call may take.
pub const LIMIT: u32 = 8;
pub const READ: u32 = 10;
pub const SCAN: u32 = 11;
pub const INSERT: u32 = 12;
pub const UPDATE: u32 = 13;
pub const DELETE: u32 = 14;
pub const END_SESSION: u32 = 15;
pub const GRANT: u32 = 16;
pub const REVOKE: u32 = 17;
pub const RIGHTS: u32 = 18;
pub const TABLE_FACTS: u32 = 19;
pub const BLOCKS: u32 = 20;
