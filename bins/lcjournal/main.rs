//! lcjournal: keep lifecycle events in a journal nobody can quietly break.

#![forbid(unsafe_code)]

mod append;
mod cli;
mod common;
mod follow;
mod lock;
mod progress;
mod repair;
mod replay;
mod verify;

use std::process::ExitCode;

use cli::{Cli, Verb};

fn main() -> ExitCode {
    let cli: Cli = lctools::cli::parse(common::PROGRAM);
    lctools::exit::run(common::PROGRAM, || match cli.verb {
        Verb::Append(args) => append::run(args),
        Verb::Replay(args) => Ok(replay::run(args)),
        Verb::Verify(args) => Ok(verify::run(args)),
        Verb::Repair(args) => Ok(repair::run(args)),
        Verb::Lock(args) => Ok(lock::run(args)),
    })
}
