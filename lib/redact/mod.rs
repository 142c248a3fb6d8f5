//! Redaction of secrets: what guards everything that reaches a disk (SPEC section 8).
//!
//! Secrets are found by the name they stand under ([`is_secret_key`]), by a form of their own
//! (`sk-…`, a JSON web token, a PEM private key) or by what stands around them
//! (`https://user:password@host`, `Authorization: Bearer …`), and replaced by [`MARKER`]. Text is
//! always looked at decoded: [`redact_json`] decodes each string, redacts it as text, and encodes
//! it again only if that changed it; [`redact_text`] does the same with JSON it finds inside a
//! text. Everything else keeps its bytes.
//!
//! All of it is linear in its input, whatever the input: each rule looks forward from a trigger
//! and remembers how far it has looked. Text without a trigger is scanned once and not copied.
//! Redacting twice gives the same as redacting once. Nothing here touches a file, a clock or the
//! environment, and nothing panics.
//!
//! # What it cannot see
//!
//! - a secret split over two strings, two events or two chunks of a stream;
//! - a secret that is encoded (base64, percent, gzip), or in JSON that is escaped many times over;
//! - a secret under a name that does not say so (`pin`, `_auth`), under a name that stands apart
//!   from it (`{"name":"API_KEY","value":…}`, a value on the line after `Password:`), or without
//!   a name and a known form (`mysql -phunter2`, `ENV API_KEY abc`, `the password is hunter2`);
//! - the further words of a bare value with spaces in it (`password: correct horse`);
//! - a secret that is a number or a boolean in JSON: those stay, by the contract.
//!
//! It also hides some that are no secrets: in free text whatever follows `password:` goes, be it
//! a number or a type in source code. What is opened and never closed under a secret key (a
//! quote, a bracket, a private key) hides the rest of the text, which may have been cut there.

mod edits;
mod excerpt;
mod json;
mod keys;
mod names;
mod pairs;
mod scalars;
mod schemes;
mod shapes;
mod signs;
mod text;
mod tokens;
mod triggers;
mod urls;
mod values;
mod words;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

pub use excerpt::{excerpt, excerpt_bytes};
pub use keys::is_secret_key;

/// What stands in place of a secret.
pub const MARKER: &str = "[REDACTED]";

/// A text with its secrets replaced by [`MARKER`]; borrowed, without allocating, when there are
/// none that can be seen.
///
/// The rules are those of SPEC section 8: `Bearer …` and `Basic …`, the prefixes of well-known
/// keys, JSON web tokens, passwords in URLs, secret query parameters, `key=value` and
/// `key: value` under a secret key (headers, assignments, dictionaries, YAML, command-line
/// options; numbers too), PEM private keys, and JSON inside the text, by the rules of
/// [`redact_json`].
///
/// # Examples
///
/// ```
/// use lctools::redact::redact_text;
///
/// assert_eq!(redact_text("export API_KEY=abc123 && run"), "export API_KEY=[REDACTED] && run");
/// assert_eq!(redact_text("https://me:p@ss@host/x"), "https://me:[REDACTED]@host/x");
/// assert_eq!(redact_text("the bearer of news"), "the bearer of news");
/// ```
#[must_use]
pub fn redact_text(text: &str) -> Cow<'_, str> {
    text::redact(text)
}

/// The raw text of one JSON value with its secrets hidden; borrowed when there are none.
///
/// A string, array or object under a secret key becomes `"[REDACTED]"`; numbers, booleans and
/// null stay. So does the argument after an option such as `"--password"` in an array. All other
/// strings, keys among them, are redacted as text. What is not redacted keeps its bytes: digits,
/// order, white space, escapes, duplicate keys. The result is JSON whenever `raw` is, at any
/// depth of nesting. What is not JSON is redacted as text.
///
/// # Examples
///
/// ```
/// use lctools::redact::redact_json;
///
/// let raw = r#"{"api_key": "abc", "max_tokens": 1.50, "log": "run --token=xyz"}"#;
/// let redacted =
///     r#"{"api_key": "[REDACTED]", "max_tokens": 1.50, "log": "run --token=[REDACTED]"}"#;
/// assert_eq!(redact_json(raw), redacted);
/// ```
#[must_use]
pub fn redact_json(raw: &str) -> Cow<'_, str> {
    if !triggers::any(raw) {
        return Cow::Borrowed(raw);
    }
    json::redact(raw).unwrap_or_else(|| text::redact(raw))
}
