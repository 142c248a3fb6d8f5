//! The command line of lcjournal; the doc comments are the man page.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use lctools::cli::{FindingArgs, SchemaArgs};
use lctools::event::Kind;
use lctools::time::parse_duration;

/// Keep lifecycle events in a journal nobody can quietly break
///
/// A journal is a file of events, one a line, each with a journalSequence 1, 2, 3 … as its last
/// field. Several programs may append to one journal at once: PATH.lock keeps them apart. A
/// journal that is damaged is never written to.
#[derive(Parser, Debug)]
#[command(name = "lcjournal", version, max_term_width = 100)]
#[command(disable_help_subcommand = true, args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  evosci2lc run.log | lcjournal append run.jsonl | lcproject --tree
  lcjournal replay --kind terminal --events run.jsonl | jq -r .childId")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub verb: Verb,

    /// Answered before anything else.
    #[command(flatten)]
    pub _schema: SchemaArgs,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Verb {
    /// Store the events of the input and echo them as stored
    ///
    /// Reads events and writes each into the journal, then to stdout, with its journalSequence.
    /// What else is in the input (snapshots, partial views, the toolkit's own lines) is echoed in
    /// its place and not stored. An entry is echoed only once it is stored. The journal is
    /// checked before anything is read. A reader of the echo that leaves does not end the work.
    #[command(after_help = "Examples:
  evosci2lc run.log | lcjournal append run.jsonl | lcproject --tree
  lcjournal append --quiet --sync entry run.jsonl events.jsonl")]
    Append(AppendArgs),

    /// Write a journal's entries
    ///
    /// The entries come as they are stored, in order. Of a damaged journal come those before the
    /// first damage; then it ends with 65. With --follow it waits for more, also for a journal
    /// that is not there yet, until a signal ends it or the entry of --to has come.
    #[command(after_help = "Examples:
  lcjournal replay run.jsonl | lcproject --tree
  lcjournal replay --from 100 --to 199 --child run-1/coder.0a1b2c3d run.jsonl")]
    Replay(ReplayArgs),

    /// Check journals and sum them up
    ///
    /// One JSON line for each PATH: journal, ok, entries, bytes, firstSequence, lastSequence,
    /// children, crlf (lines that end in CR LF), damage (offset in bytes, line, code, message; the
    /// first 1,000) and damageCount. A missing or empty journal is sound and has no entries.
    #[command(after_help = "Examples:
  lcjournal verify *.jsonl | jq -r 'select(.ok | not).journal'
  lcjournal verify run.jsonl | jq -r '.damage[] | [.line, .offset, .code] | @tsv'")]
    Verify(VerifyArgs),

    /// Mend a damaged journal, keeping aside what is taken out
    ///
    /// A damaged end is moved to PATH.damaged-N; a whole last line that lacks its LF gets it.
    /// Damage that entries follow needs --drop-damaged. What was done is said: one JSON line on
    /// stdout (journal, action, entries, renumbered, removedLines, removedBytes, movedTo, damage)
    /// and words on stderr. A sound journal is left as it is.
    #[command(after_help = "Examples:
  lcjournal repair --dry-run run.jsonl
  lcjournal repair --drop-damaged run.jsonl | jq -r .movedTo")]
    Repair(RepairArgs),

    /// Say who holds a journal's lock, and whether it could be taken over
    ///
    /// One JSON line: lock, held, owner, ageMs, reclaimable, reason. Nothing is changed.
    #[command(after_help = "Examples:
  lcjournal lock run.jsonl | jq .reason
  lcjournal lock --stale-lock 60s run.jsonl | jq .reclaimable")]
    Lock(LockVerbArgs),
}

#[derive(Args, Debug)]
pub(crate) struct AppendArgs {
    /// The journal; it is made if it is missing, readable by its owner alone
    #[arg(value_name = "PATH")]
    pub path: PathBuf,

    /// Files to read instead of stdin; - is stdin
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// When entries are brought to the disk before they are echoed
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = SyncWhen::Batch)]
    pub sync: SyncWhen,

    /// Write nothing to stdout
    #[arg(long)]
    pub quiet: bool,

    /// Store details, activity and fields outside the contract as they are, secrets and all
    #[arg(long)]
    pub no_redact: bool,

    /// Read the whole journal at the start, whatever PATH.state says
    #[arg(long)]
    pub full_replay: bool,

    /// After a failure read on to the input's end, so that its writer is not ended by it
    #[arg(long)]
    pub drain: bool,

    /// Mend a damaged end as repair does, and go on; for unattended use
    #[arg(long)]
    pub repair_tail: bool,

    #[command(flatten)]
    pub cap: CapArgs,
    #[command(flatten)]
    pub lock: LockArgs,
    #[command(flatten)]
    pub findings: FindingArgs,
}

#[derive(Args, Debug)]
pub(crate) struct ReplayArgs {
    /// The journal
    #[arg(value_name = "PATH")]
    pub path: PathBuf,

    /// Only entries from this journalSequence on
    #[arg(long, value_name = "N")]
    pub from: Option<u64>,

    /// Only entries up to this journalSequence
    #[arg(long, value_name = "N")]
    pub to: Option<u64>,

    /// Only entries of this child
    #[arg(long, value_name = "ID")]
    pub child: Option<String>,

    /// Only entries of this source
    #[arg(long, value_name = "S")]
    pub source: Option<String>,

    /// Only entries of this kind
    #[arg(long, value_name = "K", value_parser = parse_kind)]
    pub kind: Option<Kind>,

    /// Write events: leave journalSequence out
    #[arg(long)]
    pub events: bool,

    /// Wait for more; a journal that is truncated or replaced ends it with 1, =name begins anew
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "descriptor")]
    pub follow: Option<FollowBy>,

    #[command(flatten)]
    pub cap: CapArgs,
    #[command(flatten)]
    pub lock: LockArgs,
    #[command(flatten)]
    pub findings: FindingArgs,
}

#[derive(Args, Debug)]
pub(crate) struct VerifyArgs {
    /// The journals
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,

    #[command(flatten)]
    pub cap: CapArgs,
    #[command(flatten)]
    pub lock: LockArgs,
    #[command(flatten)]
    pub findings: FindingArgs,
}

#[derive(Args, Debug)]
pub(crate) struct RepairArgs {
    /// The journal
    #[arg(value_name = "PATH")]
    pub path: PathBuf,

    /// Only say what would be done
    #[arg(long)]
    pub dry_run: bool,

    /// Move damaged lines aside although entries follow, and renumber these
    #[arg(long)]
    pub drop_damaged: bool,

    #[command(flatten)]
    pub cap: CapArgs,
    #[command(flatten)]
    pub lock: LockArgs,
    #[command(flatten)]
    pub findings: FindingArgs,
}

#[derive(Args, Debug)]
pub(crate) struct LockVerbArgs {
    /// The journal; it need not be there
    #[arg(value_name = "PATH")]
    pub path: PathBuf,

    #[command(flatten)]
    pub stale: StaleArgs,
    #[command(flatten)]
    pub findings: FindingArgs,
}

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct CapArgs {
    /// The longest entry, in bytes without LF; other readers may not take more than 65536
    #[arg(long, value_name = "N", default_value = "65536")]
    pub max_line_bytes: NonZeroUsize,
}

#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Lock")]
pub(crate) struct LockArgs {
    /// Give up (75) when the lock's holder has not changed for this long; 20 times this in all
    #[arg(long, value_name = "D", default_value = "15s", value_parser = parse_duration)]
    pub lock_timeout: Duration,

    #[command(flatten)]
    pub stale: StaleArgs,
}

#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Lock")]
pub(crate) struct StaleArgs {
    /// Least age at which a dead holder that left no more than its pid loses the lock
    #[arg(long, value_name = "D", default_value = "300s", value_parser = parse_duration)]
    pub stale_lock: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FollowBy {
    /// The file that is there now
    Descriptor,
    /// Whatever file has the name
    Name,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SyncWhen {
    /// Once for each batch: all input that is ready, up to 1 MiB
    Batch,
    /// After each entry
    Entry,
    /// Never: entries survive this program, but perhaps not the machine
    None,
}

fn parse_kind(text: &str) -> Result<Kind, String> {
    Kind::from_word(text).ok_or_else(|| {
        let kinds: Vec<_> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
        format!("expected one of {}", kinds.join(", "))
    })
}
