//! lcproject: lifecycle events in, what became of each child out.
#![forbid(unsafe_code)]

mod cli;
mod closing;
mod command;
mod expect;
mod explain;
mod forest;
mod live;
mod look;
mod names;
mod row;
mod screen;
mod step;
mod table;
mod text;
mod tree;
mod update;

#[cfg(test)]
mod tests;

use std::process::ExitCode;

use lctools::pump::{self, BrokenPipe, Settings};

use crate::cli::Cli;
use crate::step::Project;

fn main() -> ExitCode {
    lctools::exit::run("lcproject", || {
        let cli: Cli = lctools::cli::parse("lcproject");
        let mut step = Project::new(&cli);
        let settings = Settings {
            program: "lcproject",
            cap: cli.rules.max_line_bytes,
            findings: cli.findings.options(cli.rules.strict),
            broken_pipe: BrokenPipe::Die,
            files: cli.files,
        };
        Ok(pump::run(settings, &mut step))
    })
}
