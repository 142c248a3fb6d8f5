//! The command line. A leaf: nothing here but options and what each of them accepts; its
//! comments become the man page.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use lctools::cli::{FindingArgs, SchemaArgs};
use lctools::event::{MAX_SEQUENCE, check_id};
use lctools::pump::MAX_MIXED_BYTES;
use lctools::time::{UtcTime, parse_duration};

/// Turn EvoScientist's stream-json into lifecycle events
#[derive(Parser, Clone, Debug)]
#[command(
    name = "evosci2lc",
    version,
    after_help = "Examples:\n  \
        EvoSci -p \"…\" --output-format stream-json | evosci2lc | lcproject\n  \
        evosci2lc --check captured.jsonl"
)]
pub(crate) struct Cli {
    /// Streams, each a run of its own; none, or `-`, is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Only say what is in each FILE and how it ends
    #[arg(long)]
    pub check: bool,

    /// Skip lines longer than N bytes
    #[arg(long, value_name = "N", default_value_t = MAX_MIXED_BYTES)]
    pub max_line_bytes: NonZeroUsize,

    /// The name of the source
    #[arg(long, value_name = "NAME", default_value = "evosci", value_parser = id)]
    #[arg(help_heading = "Identity")]
    pub source: String,

    /// The run's epoch [default: start time and pid]
    #[arg(long, value_name = "ID", value_parser = id, help_heading = "Identity")]
    pub source_epoch: Option<String>,

    /// The run's child id [default: from the epoch]
    #[arg(long, value_name = "ID", value_parser = id, help_heading = "Identity")]
    pub child_id: Option<String>,

    /// Its topmost ancestor, shared by retries [default: itself]
    #[arg(long, value_name = "ID", value_parser = id, help_heading = "Identity")]
    pub root_child_id: Option<String>,

    /// Which attempt it is, from 0
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Identity")]
    #[arg(value_parser = clap::value_parser!(u64).range(0..=MAX_SEQUENCE))]
    pub attempt: u64,

    /// The child that started this run
    #[arg(long, value_name = "ID", value_parser = id, help_heading = "Identity")]
    pub parent_child_id: Option<String>,

    /// The next turn, in a new epoch, of a known run: no `created`
    #[arg(long, requires = "child_id", help_heading = "Identity")]
    pub resume: bool,

    /// Somebody else's run, joined late
    #[arg(long, conflicts_with = "resume", help_heading = "Identity")]
    pub adopted: bool,

    /// A clock that only events advance (STEP: 1ms)
    #[arg(long, value_name = "TIME[+STEP]", value_parser = fixed_clock)]
    #[arg(help_heading = "Output")]
    pub fixed_clock: Option<FixedClock>,

    /// Show N characters of a text, redacted; 0: none
    #[arg(long, value_name = "N", default_value_t = 160, help_heading = "Output")]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=4096))]
    pub excerpt: u32,

    /// One heartbeat in this time while text streams
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = parse_duration)]
    #[arg(help_heading = "Output")]
    pub heartbeat_every: Duration,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub findings: FindingArgs,

    /// Answered before anything else.
    #[command(flatten)]
    pub _schema: SchemaArgs,
}

/// A clock that only events advance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FixedClock {
    /// The time of the first event.
    pub start: UtcTime,
    /// From one event to the next.
    pub step: Duration,
}

fn id(text: &str) -> Result<String, String> {
    match check_id("ID", text) {
        Ok(()) => Ok(text.to_owned()),
        Err(problem) => Err(problem.message.into_owned()),
    }
}

fn fixed_clock(text: &str) -> Result<FixedClock, String> {
    let step = Duration::from_millis(1);
    if let Ok(start) = UtcTime::parse(text) {
        return Ok(FixedClock { start, step });
    }
    let (time, step) = text.rsplit_once('+').unwrap_or((text, "1ms"));
    let start = UtcTime::parse(time)
        .map_err(|_| "expected a time such as 2026-08-24T09:00:00Z, or TIME+STEP".to_owned())?;
    let step = parse_duration(step)?;
    Ok(FixedClock { start, step })
}
