//! Options that every program has, so that they are spelled and explained once.

use clap::Args;

use crate::finding::{Code, Options};

/// How findings are said.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Findings")]
pub struct FindingArgs {
    /// Show at most N findings in full; the rest are counted by code
    #[arg(long, value_name = "N", default_value_t = 32)]
    pub max_findings: u64,

    /// Write everything on stderr as JSONL
    #[arg(long)]
    pub findings_json: bool,

    /// Report findings of this code, but do not count them (repeatable)
    #[arg(long, value_name = "CODE")]
    pub allow: Vec<Code>,
}

impl FindingArgs {
    /// The options for [`crate::finding::Findings`]; `strict` where the program has `--strict`.
    #[must_use]
    pub fn options(&self, strict: bool) -> Options {
        Options {
            max: self.max_findings,
            json: self.findings_json,
            allow: self.allow.clone(),
            strict,
        }
    }
}
