//! The command line of lcproject. A leaf: its doc comments are the manual.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ColorChoice, Parser};
use lctools::cli::{FindingArgs, SchemaArgs};
use lctools::event::State;
use lctools::time::{UtcTime, parse_duration};

const EXAMPLES: &str = "\
Examples:
  EvoSci -p \"…\" --output-format stream-json | evosci2lc | lcproject --tree
  lcjournal replay run.jsonl | lcproject --expect completed >states.jsonl";

/// Show what became of each child: state, times, last activity, cause
///
/// Reads lifecycle events, snapshots and partial views and keeps one record per child. When the
/// input ends, each child's record is written, first seen first.
#[derive(Parser, Debug)]
#[command(name = "lcproject", version, after_help = EXAMPLES)]
pub(crate) struct Cli {
    /// Inputs, read one after the other; none or `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// What is written.
    #[command(flatten)]
    pub(crate) view: ViewArgs,

    /// How events are judged.
    #[command(flatten)]
    pub(crate) rules: RuleArgs,

    /// How silence and snapshots are judged.
    #[command(flatten)]
    pub(crate) freshness: FreshnessArgs,

    /// What happens while the input is silent.
    #[command(flatten)]
    pub(crate) live: LiveArgs,

    /// How findings are said.
    #[command(flatten)]
    pub(crate) findings: FindingArgs,

    /// Answered before anything else.
    #[command(flatten)]
    pub(crate) _schema: SchemaArgs,
}

/// What is written.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "View")]
pub(crate) struct ViewArgs {
    /// Tell what became of each line as it comes, with the child's record after it
    #[arg(long, group = "view")]
    pub(crate) updates: bool,

    /// Show the children under their parents, for people
    #[arg(long, group = "view")]
    pub(crate) tree: bool,

    /// Show one row per child, for people
    #[arg(long, group = "view")]
    pub(crate) table: bool,

    /// Colour --tree and --table: on a terminal, always, never
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true
    )]
    pub(crate) color: ColorChoice,
}

/// How events are judged.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Rules")]
pub(crate) struct RuleArgs {
    /// Exit with 1 unless every root child is in STATE at the end, and there is one
    #[arg(long, value_name = "STATE", value_parser = state(), hide_possible_values = true)]
    pub(crate) expect: Option<State>,

    /// Only `created` starts a child; what is late, old or unobserved is a finding too
    #[arg(long)]
    pub(crate) strict: bool,

    /// Recent sequences remembered for each child, to tell repeats (1 to 65536)
    #[arg(long, value_name = "N", default_value_t = 64,
          value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub(crate) window: u32,

    /// Longest line that is read; events have at most 65536 bytes in any case
    #[arg(long, value_name = "N", default_value_t = lctools::pump::MAX_MIXED_BYTES)]
    pub(crate) max_line_bytes: NonZeroUsize,
}

/// How silence and snapshots are judged.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Freshness")]
pub(crate) struct FreshnessArgs {
    /// A child is stale when nothing was heard of it for D, by the clock of its source
    #[arg(long, value_name = "D", default_value = "120s", value_parser = parse_duration)]
    pub(crate) stale_after: Duration,

    /// N complete snapshots in a row leave a child out before it is stale, N more: lost
    #[arg(long, value_name = "N", default_value_t = 2,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) omission_grace: u32,

    /// A stale child is lost when nothing was heard of it for another D (default: never)
    #[arg(long, value_name = "D", value_parser = parse_duration)]
    pub(crate) lost_after: Option<Duration>,

    /// When the input has ended, judge silence as if it were TIME for every source
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) now: Option<UtcTime>,
}

/// What happens while the input is silent.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Live")]
pub(crate) struct LiveArgs {
    /// As --updates, but staleness goes by the time of receipt and is told while it is silent; with
    /// --tree on a terminal, the tree as it grows
    #[arg(long, conflicts_with_all = ["table", "now"])]
    pub(crate) live: bool,

    /// Ask CMD for a snapshot at the beginning, after gaps and reconnects, of stale children
    #[arg(long, value_name = "CMD ARG…", requires = "live", value_parser = words)]
    pub(crate) snapshot_cmd: Option<String>,

    /// Ask every D, too
    #[arg(long, value_name = "D", requires = "snapshot_cmd", value_parser = parse_duration)]
    pub(crate) snapshot_every: Option<Duration>,

    /// CMD has failed when it has not answered after D
    #[arg(long, value_name = "D", default_value = "30s", value_parser = parse_duration)]
    pub(crate) snapshot_timeout: Duration,
}

/// A command line that a shell would take, and that names a command.
fn words(text: &str) -> Result<String, &'static str> {
    match shlex::split(text) {
        Some(words) if !words.is_empty() => Ok(text.to_owned()),
        Some(_) => Err("expected a command"),
        None => Err("a quote is not closed"),
    }
}

fn time(text: &str) -> Result<UtcTime, &'static str> {
    UtcTime::parse(text).map_err(|_| "expected a time in UTC such as 2026-08-24T09:15:30Z")
}

fn state() -> impl TypedValueParser<Value = State> {
    let words = State::ALL.iter().map(|state| state.as_str());
    PossibleValuesParser::new(words)
        .try_map(|word| State::from_word(&word).ok_or("no state of the contract"))
}
