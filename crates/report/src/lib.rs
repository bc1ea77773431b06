//! HOW it is told.
