//! lctools: what the filters share.
//!
//! # The walk of a line
//!
//! ```text
//! fd 0 → line::Lines (one buffer) → Line { number, bytes }
//!      → event::EventView borrowing the line → pump::Step → bytes appended to out
//!      → pump writes out when it is full or before it would block → fd 1
//! finding → said on fd 2, counted, next line
//! failure → what is done is flushed, then the exit table
//! ```

pub mod cli;
pub mod event;
pub mod exit;
pub mod finding;
pub mod journal;
pub mod json;
pub mod line;
pub mod projection;
pub mod pump;
pub mod record;
pub mod redact;
pub mod schema;
pub mod snapshot;
pub mod time;
