//! The command line of lcsnap. A leaf: its doc comments are the manual.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use lctools::cli::{FindingArgs, SchemaArgs};

/// Take, check, compare and reconcile snapshots of agents' lives
///
/// A snapshot says which children a source has and in which states; a partial view says so of
/// some, and proves nothing by what it leaves out.
#[derive(Parser, Debug)]
#[command(name = "lcsnap", version, max_term_width = 100)]
#[command(disable_help_subcommand = true, args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  lcproject run.jsonl | lcsnap take --complete >snapshot.jsonl
  lcsnap reconcile --against states.jsonl snapshot.jsonl | lcjournal append run.jsonl")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,

    /// Answered before anything else.
    #[command(flatten)]
    pub(crate) _schema: SchemaArgs,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Verb {
    /// Make a snapshot from progress records
    ///
    /// Reads what lcproject writes, records or --updates, and writes one line for each source and
    /// epoch when the input ends, first seen first; its observedAt is the newest of its records.
    /// Without --complete that is a partial view: only who knows that nothing is missing can say
    /// that a snapshot is complete.
    #[command(after_help = "Examples:
  lcproject run.jsonl | lcsnap take --complete >snapshot.jsonl
  lcproject --updates run.jsonl | lcsnap take --coverage listed")]
    Take(TakeArgs),

    /// Check snapshots and partial views
    ///
    /// What is wrong is said on stderr, a finding for each line, and the exit status is 1. Valid
    /// events and the toolkit's own lines may be in between.
    #[command(after_help = "Examples:
  lcsnap check snapshot.jsonl && echo sound
  hermes2lc run.log | lcsnap check")]
    Check(CheckArgs),

    /// Tell what differs between snapshots
    ///
    /// Each snapshot is held against the last of the same source; with OLD and NEW, those of NEW
    /// against those of OLD. One line for each difference: type (diff), change (added, removed,
    /// state, sequence), source, childId, from, to, snapshotId, previousSnapshotId. A child that
    /// a partial view leaves out is not removed. The exit status is 1 if anything differs.
    #[command(after_help = "Examples:
  lcsnap diff yesterday.jsonl today.jsonl
  lcsnap diff <snapshots.jsonl | jq -r 'select(.change == \"removed\").childId'")]
    Diff(DiffArgs),

    /// Tell what snapshots correct, as events for a journal
    ///
    /// Holds snapshots against progress records, by the rules of lcproject. Writes an event for
    /// each state that is corrected, each child that is added and each that is lost, the intents
    /// and the diagnostics.
    #[command(after_help = "Examples:
  lcsnap reconcile --against states.jsonl snapshot.jsonl | lcjournal append run.jsonl
  lcsnap reconcile --against states.jsonl <snapshot.jsonl | jq -c 'select(.type == \"intent\")'")]
    Reconcile(ReconcileArgs),
}

/// What is read.
#[derive(Args, Clone, Debug)]
pub(crate) struct InputArgs {
    /// Inputs, read one after the other; none or `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// How it is read.
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// How input is read.
#[derive(Args, Clone, Debug)]
pub(crate) struct ReadingArgs {
    /// Longest line that is read; events have at most 65536 bytes in any case
    #[arg(long, value_name = "N", default_value_t = lctools::pump::MAX_MIXED_BYTES)]
    pub(crate) max_line_bytes: NonZeroUsize,

    /// How findings are said.
    #[command(flatten)]
    pub(crate) findings: FindingArgs,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct TakeArgs {
    /// Nothing is missing: write snapshots, not partial views
    #[arg(long)]
    pub(crate) complete: bool,

    /// What is covered: every child of the source and epoch, or exactly those listed
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Covers::All)]
    pub(crate) coverage: Covers,

    /// The id of what is written (default: made from its content)
    #[arg(long, value_name = "ID", value_parser = id)]
    pub(crate) snapshot_id: Option<String>,

    /// What is read.
    #[command(flatten)]
    pub(crate) input: InputArgs,
}

/// What a snapshot covers.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Covers {
    /// Every child of the source and epoch
    All,
    /// Exactly those listed
    Listed,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct CheckArgs {
    /// What is read.
    #[command(flatten)]
    pub(crate) input: InputArgs,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct DiffArgs {
    /// The snapshots before; without OLD and NEW standard input is read
    #[arg(value_name = "OLD", requires = "new")]
    pub(crate) old: Option<PathBuf>,

    /// The snapshots after
    #[arg(value_name = "NEW")]
    pub(crate) new: Option<PathBuf>,

    /// How it is read.
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct ReconcileArgs {
    /// The progress records that the snapshots are held against
    #[arg(long, value_name = "RECORDS")]
    pub(crate) against: PathBuf,

    /// N complete snapshots in a row leave a child out before it is stale, N more: lost
    #[arg(long, value_name = "N", default_value_t = 2,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) omission_grace: u32,

    /// What is read.
    #[command(flatten)]
    pub(crate) input: InputArgs,
}

fn id(text: &str) -> Result<String, String> {
    match lctools::event::check_id("the id", text) {
        Ok(()) => Ok(text.to_owned()),
        Err(problem) => Err(problem.message.to_string()),
    }
}
