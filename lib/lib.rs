//! lctools: the library shared by the filters.

pub mod journal;
pub mod redact;
