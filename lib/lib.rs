//! lctools: the library shared by the filters.

pub mod event;
pub mod exit;
pub mod finding;
pub mod journal;
pub mod json;
pub mod line;
pub mod record;
pub mod redact;
pub mod time;
