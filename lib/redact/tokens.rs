//! The two meanings of `token`: a credential, and a piece of text that a model counts.

use super::keys::{is_one_of, strip_end};

/// A `token` right after one of these is a piece of text that is counted or parsed.
const COUNTED_BEFORE: [&str; 41] = [
    "max",
    "maximum",
    "min",
    "minimum",
    "num",
    "n",
    "total",
    "input",
    "output",
    "prompt",
    "completion",
    "cached",
    "cache",
    "reasoning",
    "thinking",
    "context",
    "stop",
    "eos",
    "bos",
    "pad",
    "unk",
    "sep",
    "cls",
    "mask",
    "special",
    "added",
    "next",
    "prev",
    "previous",
    "first",
    "last",
    "per",
    "image",
    "audio",
    "word",
    "sub",
    "unexpected",
    "every",
    "page",
    "continuation",
    "generated",
];

/// A `token` right before one of these is described by the value, not given by it.
const COUNTED_AFTER: [&str; 52] = [
    "id",
    "ids",
    "count",
    "counts",
    "counter",
    "limit",
    "limits",
    "usage",
    "type",
    "types",
    "budget",
    "budgets",
    "length",
    "len",
    "size",
    "index",
    "indices",
    "num",
    "number",
    "numbers",
    "total",
    "totals",
    "cost",
    "costs",
    "price",
    "prices",
    "rate",
    "rates",
    "window",
    "position",
    "positions",
    "offset",
    "offsets",
    "stats",
    "estimate",
    "estimates",
    "estimator",
    "used",
    "remaining",
    "ratio",
    "per",
    "logprob",
    "logprobs",
    "span",
    "spans",
    "expiry",
    "expires",
    "expiration",
    "endpoint",
    "url",
    "uri",
    "name",
];

/// The plural `tokens` counts something, unless one of these stands right before it.
const CREDENTIAL_TOKENS: [&str; 4] = ["access", "auth", "oauth", "refresh"];

/// Whether this word before a separate `token` makes it a counted one: `next token`.
pub(super) fn is_counted_before(word: &str) -> bool {
    is_one_of(word, &COUNTED_BEFORE)
}

/// Whether this word is a `token` that is a secret, by itself and by its neighbours; what is
/// fused to it (`authtoken`) counts as the one before.
pub(super) fn is_credential_token(before: &str, word: &str, after: &str) -> bool {
    let singular = strip_end(word, "token");
    let Some(fused) = singular.or_else(|| strip_end(word, "tokens")) else {
        return false;
    };
    let before = if fused.is_empty() { before } else { fused };
    if is_one_of(after, &COUNTED_AFTER) {
        return false;
    }
    match singular {
        Some(_) => !is_counted_before(before),
        None => is_one_of(before, &CREDENTIAL_TOKENS),
    }
}
