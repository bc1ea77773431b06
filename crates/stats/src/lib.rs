//! WHAT it means: pure functions over checked samples.
