//! HOW it is asked and timed.
