//! `lcjournal lock`: who holds it.

use lctools::exit::{Exit, Failure};
use lctools::journal::JournalPath;
use lctools::journal::lock::inspect;
use lctools::pump::{Context, Source, pour};

use crate::cli::LockVerbArgs;
use crate::common;

pub(crate) fn run(args: LockVerbArgs) -> Exit {
    let settings = common::pour_settings(args.findings.options(false));
    pour(settings, &mut Look(args))
}

struct Look(LockVerbArgs);

impl Source for Look {
    fn pour(&mut self, cx: &mut Context<'_>) -> Result<Option<Exit>, Failure> {
        let path = JournalPath::resolve(&self.0.path);
        let path = path.map_err(|error| common::failure(&error, "", cx))?;
        let seen = inspect(path.real(), &common::stale_options(self.0.stale));
        let seen = seen.map_err(|error| Failure::io(format!("{}.lock", path.name()), error))?;
        let line =
            serde_json::to_vec(&seen).map_err(|error| Failure::new(Exit::Internal, error))?;
        cx.out.extend_from_slice(&line);
        cx.out.push(b'\n');
        Ok(Some(Exit::Done))
    }
}
