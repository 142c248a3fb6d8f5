//! Which names announce a secret.
//!
//! A key is split into words and the words are judged; the value is never looked at here. The
//! lists below are SPEC section 8 and the few names beside it that people do use (`DB_PASS`,
//! `signing_key`). A word counts when it *ends* in a listed word too, for names written without
//! any border (`PGPASSWORD`, `authtoken`); `secretary` and `tokenizer` therefore do not.

use super::tokens::is_credential_token;
use super::words::{segments, words};

/// Words that name a secret wherever they stand, each also with a plural `s`.
const SECRETS: [&str; 7] = [
    "secret",
    "password",
    "passwd",
    "passphrase",
    "authorization",
    "credential",
    "cookie",
];

/// Words that name a secret only on their own, without anything fused to them.
const WHOLE: [&str; 2] = ["bearer", "creds"];

/// What makes a `key` a secret one when it stands right before it.
const KEY_KINDS: [&str; 8] = [
    "api",
    "private",
    "access",
    "secret",
    "signing",
    "encryption",
    "account",
    "subscription",
];

/// What makes a short `pass` or `pwd` the password of something.
const ACCOUNTS: [&str; 15] = [
    "db", "database", "user", "admin", "root", "mysql", "pg", "postgres", "redis", "mongo", "smtp",
    "mail", "email", "ftp", "ssh",
];

/// Options whose next argument is not the secret itself.
const INDIRECT: [&str; 9] = [
    "stdin", "file", "path", "env", "fd", "command", "cmd", "prompt", "name",
];

/// Whether the value under this key is a secret, judged by the words of the key alone
/// (SPEC section 8).
///
/// Words are split at everything that is neither letter nor digit, between letters and digits,
/// and at camelCase borders (`X-Api-Key`, `dbPassword2`, `APIKey`); the case of a letter matters
/// for nothing else. Secret are:
///
/// - `secret`, `password`, `passwd`, `passphrase`, `authorization`, `credential`, `cookie`,
///   their plurals, `bearer` and `creds`;
/// - `key` after `api`, `private`, `access` and the like, adjacent or fused (`apikey`);
/// - `pass` and `pwd` after the name of an account (`DB_PASS`), never alone;
/// - the singular `token`, unless a neighbour shows that tokens are counted or parsed here: one
///   of `max`, `input`, `stop`, `eos`, `next` … before it, one of `ids`, `count`, `limit`,
///   `type` … after it;
/// - the plural `tokens` only after `access`, `auth`, `oauth` or `refresh`.
///
/// # Examples
///
/// ```
/// use lctools::redact::is_secret_key;
///
/// assert!(is_secret_key("X-Api-Key"));
/// assert!(is_secret_key("githubToken"));
/// assert!(!is_secret_key("input_tokens"));
/// assert!(!is_secret_key("stop_token_ids"));
/// ```
#[must_use]
pub fn is_secret_key(key: &str) -> bool {
    // Once more without camelCase, of which aUtHoRiZaTiOn would be nothing but borders. Only
    // there is what is fused to a `token` no word.
    any_is_secret(key, words(key), |_| true)
        || any_is_secret(key, segments(key), |word| word.len() == "token".len())
}

fn any_is_secret<'k>(
    key: &str,
    words: impl Iterator<Item = (usize, &'k str)>,
    may_be_token: fn(&str) -> bool,
) -> bool {
    let mut before = "";
    let mut words = words.peekable();
    while let Some((end, word)) = words.next() {
        let after = words.peek().map_or("", |(_, word)| word);
        if is_plain_secret(word)
            || is_secret_kind_of_key(&key[..end], word)
            || (is_one_of(word, &["pass", "pwd"]) && is_one_of(before, &ACCOUNTS))
            || (may_be_token(word) && is_credential_token(before, word, after))
        {
            return true;
        }
        before = word;
    }
    false
}

/// Whether this is a command-line option whose next argument is a secret: `--password`.
pub(super) fn is_secret_option(text: &str) -> bool {
    text.starts_with('-')
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        && is_secret_key(text)
        && !last_word_is(text, &INDIRECT)
}

/// Whether this word before a separate `key` makes it a secret one: `api key`.
pub(super) fn is_key_kind(word: &str) -> bool {
    is_one_of(word, &KEY_KINDS)
}

/// Whether the last word of the key is one of these, whatever the case.
pub(super) fn last_word_is(key: &str, list: &[&str]) -> bool {
    let mut last = words(key).last().into_iter().chain(segments(key).last());
    last.any(|(_, word)| is_one_of(word, list))
}

pub(super) fn is_one_of(word: &str, list: &[&str]) -> bool {
    list.iter().any(|entry| entry.eq_ignore_ascii_case(word))
}

fn is_plain_secret(word: &str) -> bool {
    let singular = word.strip_suffix(['s', 'S']).unwrap_or(word);
    is_one_of(word, &WHOLE)
        || SECRETS.iter().any(|entry| strip_end(word, entry).is_some())
        || SECRETS
            .iter()
            .any(|entry| strip_end(singular, entry).is_some())
}

/// `key` preceded by its kind; `until` is the text up to the end of the word. Separators are
/// skipped and word borders ignored, so that `api_key`, `apikey` and `APIkey` are one.
fn is_secret_kind_of_key(until: &str, word: &str) -> bool {
    let singular = word.strip_suffix(['s', 'S']).unwrap_or(word);
    if strip_end(singular, "key").is_none() {
        return false;
    }
    let before = &until.as_bytes()[..until.len() - (word.len() - singular.len()) - "key".len()];
    let letters = before
        .iter()
        .rev()
        .filter(|byte| byte.is_ascii_alphanumeric() || **byte > 127);
    KEY_KINDS.iter().any(|kind| {
        let mut letters = letters.clone();
        let mut same = |byte: u8| {
            letters
                .next()
                .is_some_and(|it| it.eq_ignore_ascii_case(&byte))
        };
        kind.bytes().rev().all(&mut same)
    })
}

/// The word without this ASCII ending, whatever the case.
pub(super) fn strip_end<'w>(word: &'w str, ending: &str) -> Option<&'w str> {
    let (front, back) = word.split_at_checked(word.len().checked_sub(ending.len())?)?;
    back.eq_ignore_ascii_case(ending).then_some(front)
}
