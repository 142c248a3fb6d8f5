//! The journal.

pub mod lock;
