//! evosci2lc: EvoScientist's stream-json in, lifecycle events out.
//!
//! The walk of a line: [`native`] reads it, [`run`] decides what it means, [`emit`] writes what
//! is to be said; [`step`] hands it from one to the other.

mod calls;
mod check;
mod children;
pub mod cli;
mod clock;
mod details;
mod emit;
mod excerpt;
mod identity;
mod native;
mod run;
mod step;

use std::process::ExitCode;

fn main() -> ExitCode {
    let cli: cli::Cli = lctools::cli::parse("evosci2lc");
    if cli.files.len() > 1 && (cli.child_id.is_some() || cli.source_epoch.is_some()) {
        let message = "--child-id and --source-epoch name one run; give them with one FILE only";
        lctools::cli::conflict::<cli::Cli>("evosci2lc", message);
    }
    lctools::exit::run("evosci2lc", || {
        let settings = step::settings(&cli);
        Ok(lctools::pump::run(
            settings,
            &mut step::Convert::new(cli, std::process::id()),
        ))
    })
}
