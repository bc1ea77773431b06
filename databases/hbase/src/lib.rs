//! HBase.
