//! lcsnap: take, check, compare and reconcile snapshots.
#![forbid(unsafe_code)]

mod check;
mod cli;
mod diff;
mod reconcile;
mod records;
mod take;

use std::process::ExitCode;

use lctools::pump::{self, BrokenPipe, Settings, Step};

use crate::cli::{Cli, InputArgs, Verb};

fn main() -> ExitCode {
    let cli: Cli = lctools::cli::parse("lcsnap");
    lctools::exit::run("lcsnap", || {
        let (input, mut step): (InputArgs, Box<dyn Step>) = match cli.verb {
            Verb::Take(args) => (args.input.clone(), Box::new(take::Take::new(&args))),
            Verb::Check(args) => (args.input, Box::new(check::Check)),
            Verb::Diff(args) => (diff::input(&args), Box::new(diff::Diff::new(&args))),
            Verb::Reconcile(args) => (
                args.input.clone(),
                Box::new(reconcile::Reconcile::new(args)),
            ),
        };
        let settings = Settings {
            program: "lcsnap",
            cap: input.reading.max_line_bytes,
            findings: input.reading.findings.options(false),
            broken_pipe: BrokenPipe::Die,
            files: input.files,
        };
        Ok(pump::run(settings, &mut *step))
    })
}
