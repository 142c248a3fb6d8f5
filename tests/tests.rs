//! The tests that run the real programs, one crate. Unit tests stand beside the code.
//!
//! * `cases`: golden folders, one command each, that a person can run by hand.
//! * `manners`: what every filter owes a pipeline: full disks, leaving readers, signals.
//! * `live`: lcproject while its input is silent.
//! * `pipeline`: the programs piped into each other, live.
//! * `schema`: the JSON Schemas, held against what is written and what is read.
//! * `contention`: many writers at one journal, some killed (`make contention`).
//! * `faults`: every system call of an append failed in turn, by strace (`make crash`).
//! * `fuzz`: anything at all into the readers.
//! * `docs`: the examples of README and man pages are run, the pages and completions current.

mod harness;

mod cases;
mod contention;
mod docs;
mod faults;
mod fuzz;
mod live;
mod manners;
mod pages;
mod pipeline;
mod schema;
