//! The tests that run the real programs, one crate. Unit tests stand beside the code.
//!
//! * `cases`: golden folders, one command each, that a person can run by hand.
//! * `manners`: what every filter owes a pipeline: full disks, leaving readers, signals.
//! * `live`: lcproject while its input is silent.
//! * `pipeline`: the programs piped into each other, live.
//! * `schema`: the JSON Schemas, held against what is written and what is read.
//! * `docs`: the examples of README and man pages are run, the pages and completions current.

mod harness;

mod cases;
mod docs;
mod live;
mod manners;
mod pages;
mod pipeline;
mod schema;
