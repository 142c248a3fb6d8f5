//! What this program says of itself: who it is, what its source cannot tell, how it fares.

use lctools::event::MAX_SEQUENCE;
use lctools::json::Raw;

use super::Run;
use crate::details::Details;
use crate::native::Native;

/// What the source cannot tell, in so many words.
const LIMITS: [&str; 4] = [
    "no times in the stream: observedAt is the time of receipt",
    "no sequence in the stream: lines lost before this program are not noticed",
    "no heartbeat, no snapshot, no cancel",
    "texts are excerpts, redacted",
];

/// The adapter's own health up to a line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Health {
    /// The number of the last line.
    pub(crate) lines: u64,
    /// How many findings were counted.
    pub(crate) findings: u64,
}

/// Who tells all this, and what it cannot tell.
pub(super) fn introduction() -> Details {
    Details::new()
        .object("adapter", adapter())
        .object("agent", Details::new().text("name", Some("EvoScientist")))
}

pub(super) fn adapter() -> Details {
    Details::new()
        .text("name", Some("evosci2lc"))
        .text("version", Some(env!("CARGO_PKG_VERSION")))
        .texts("limits", LIMITS)
}

impl Run {
    /// Usage may come in several lines: the run's is their sum.
    pub(super) fn usage(&mut self, line: &Native<'_>) {
        let add = |sum: u64, raw: Option<Raw<'_>>| {
            let count = raw.and_then(Raw::as_u53).unwrap_or(0);
            (sum + count).min(MAX_SEQUENCE)
        };
        self.input_tokens = add(self.input_tokens, line.input_tokens);
        self.output_tokens = add(self.output_tokens, line.output_tokens);
    }

    pub(super) fn usage_details(&self) -> Details {
        Details::new()
            .number("input_tokens", Some(self.input_tokens))
            .number("output_tokens", Some(self.output_tokens))
    }

    pub(super) fn health_details(&self) -> Details {
        Details::new()
            .number("lines", Some(self.health.lines))
            .number("findings", Some(self.health.findings))
            .number("ignored", Some(self.ignored))
    }
}
