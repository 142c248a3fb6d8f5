//! Where to look: the few short strings without which there is no secret this module could know.
//!
//! Text without a trigger is done, so this search is what redaction costs most of the time.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::packed::Searcher;
use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};
use memchr::memchr;

use super::shapes::PREFIXES;

/// What to look for at a trigger.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    /// A word of a key: `key=value`.
    Word,
    /// `Bearer`, a word of a key too.
    Bearer,
    Basic,
    WebToken,
    PrivateKey,
    Address,
    Curl,
    /// An escape of JSON that could hide any other trigger.
    Escape,
    /// The key prefix of this number.
    Prefix(usize),
}

/// The triggers but for the prefixes. Every secret key (`keys.rs`) contains one of them.
const NAMED: [(&str, Rule); 22] = [
    ("secret", Rule::Word),
    ("pass", Rule::Word),
    ("pwd", Rule::Word),
    ("authorization", Rule::Word),
    ("credential", Rule::Word),
    ("creds", Rule::Word),
    ("cookie", Rule::Word),
    ("token", Rule::Word),
    ("key", Rule::Word),
    ("sig=", Rule::Word),
    ("signature=", Rule::Word),
    ("auth=", Rule::Word),
    ("bearer", Rule::Bearer),
    ("basic", Rule::Basic),
    ("eyJ", Rule::WebToken),
    ("-BEGIN", Rule::PrivateKey),
    ("- BEGIN", Rule::PrivateKey),
    ("://", Rule::Address),
    (":\\/\\/", Rule::Address),
    ("curl", Rule::Curl),
    ("\\u", Rule::Escape),
    ("\\/", Rule::Escape),
];

struct Triggers {
    automaton: AhoCorasick,
    rules: Vec<Rule>,
    /// Looks for the beginnings of the triggers in text folded by [`fold`], several times as fast
    /// as the automaton; not to be had on every machine.
    beginnings: Option<Searcher>,
}

static TRIGGERS: LazyLock<Triggers> = LazyLock::new(|| {
    let prefixes = PREFIXES
        .iter()
        .enumerate()
        .map(|(at, it)| (it.head, Rule::Prefix(at)));
    let (patterns, rules): (Vec<&str>, Vec<Rule>) = NAMED.into_iter().chain(prefixes).unzip();
    let mut beginnings: Vec<Vec<u8>> = Vec::new();
    for pattern in patterns.iter().filter(|pattern| !pattern.starts_with('\\')) {
        let beginning: Vec<u8> = pattern.bytes().take(BEGINNING).map(fold).collect();
        if !beginnings.contains(&beginning) {
            beginnings.push(beginning);
        }
    }
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostLongest)
        .kind(Some(AhoCorasickKind::DFA))
        .build(patterns)
        .expect("a few short constant patterns make an automaton");
    Triggers {
        automaton,
        rules,
        beginnings: Searcher::new(beginnings),
    }
});

/// How many bytes of a trigger the fast search compares.
const BEGINNING: usize = 4;

/// How much text is folded at a time.
const PIECE: usize = 4096;

/// For a shorter text the automaton alone is faster.
const SHORT: usize = 64;

/// Makes the two cases of a letter one; other bytes may fall together too.
fn fold(byte: u8) -> u8 {
    byte | 0x20
}

/// Every trigger in the text, from left to right.
pub(super) fn all(text: &str) -> impl Iterator<Item = (Rule, Range<usize>)> {
    let from = first_beginning(text.as_bytes());
    let found = TRIGGERS.automaton.find_iter(Input::new(text).range(from..));
    found.map(|found| (TRIGGERS.rules[found.pattern().as_usize()], found.range()))
}

/// Whether there is any trigger at all; without one nothing here would be redacted.
pub(super) fn any(text: &str) -> bool {
    let from = first_beginning(text.as_bytes());
    from < text.len() && TRIGGERS.automaton.is_match(Input::new(text).range(from..))
}

/// A place before which no trigger begins; the end of the text if there is none at all.
fn first_beginning(bytes: &[u8]) -> usize {
    let Some(beginnings) = &TRIGGERS.beginnings else {
        return 0;
    };
    if bytes.len() < SHORT {
        return 0;
    }
    let escape = memchr(b'\\', bytes).unwrap_or(bytes.len());
    let mut folded = [0; PIECE];
    let mut start = 0;
    while start < escape {
        let piece = &bytes[start..bytes.len().min(start + PIECE)];
        let folded = &mut folded[..piece.len()];
        folded
            .iter_mut()
            .zip(piece)
            .for_each(|(to, from)| *to = fold(*from));
        if let Some(found) = beginnings.find(&*folded) {
            return escape.min(start + found.start());
        }
        if start + piece.len() == bytes.len() {
            break;
        }
        // A trigger may lie across the border.
        start += PIECE - (BEGINNING - 1);
    }
    escape
}
