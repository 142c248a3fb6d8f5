//! Secrets that are known by their own shape, whatever stands around them: the prefixes of
//! well-known keys, JSON web tokens, PEM private keys.

use std::ops::Range;

use memchr::memmem;

/// A kind of key that begins in a fixed way.
pub(super) struct Prefix {
    pub(super) head: &'static str,
    /// The bytes that may follow.
    alphabet: fn(u8) -> bool,
    /// How many of them make a key.
    least: usize,
    /// A last doubt about what follows.
    plausible: fn(&[u8]) -> bool,
}

const fn prefix(head: &'static str, alphabet: fn(u8) -> bool, least: usize) -> Prefix {
    Prefix {
        head,
        alphabet,
        least,
        plausible: |_| true,
    }
}

/// The well-known prefixes. The lengths are below those of real keys, above those of words.
pub(super) const PREFIXES: [Prefix; 23] = [
    Prefix {
        plausible: is_no_phrase,
        ..prefix("sk-", is_url_safe, 16)
    },
    prefix("ghp_", is_alphanumeric, 20),
    prefix("gho_", is_alphanumeric, 20),
    prefix("ghu_", is_alphanumeric, 20),
    prefix("ghs_", is_alphanumeric, 20),
    prefix("ghr_", is_alphanumeric, 20),
    prefix("github_pat_", is_url_safe, 20),
    Prefix {
        plausible: |tail| tail[1] == b'-' && tail.iter().any(u8::is_ascii_digit),
        ..prefix("xox", is_url_safe, 10)
    },
    prefix("xapp-", is_url_safe, 16),
    prefix("AKIA", is_capital, 16),
    prefix("ASIA", is_capital, 16),
    prefix("AIza", is_url_safe, 30),
    prefix("glpat-", is_url_safe, 16),
    prefix("sk_live_", is_url_safe, 16),
    prefix("sk_test_", is_url_safe, 16),
    prefix("rk_live_", is_url_safe, 16),
    prefix("hf_", is_alphanumeric, 30),
    prefix("gsk_", is_alphanumeric, 30),
    prefix("npm_", is_alphanumeric, 30),
    prefix("tvly-", is_url_safe, 20),
    prefix("xai-", is_alphanumeric, 30),
    prefix("lsv2_", is_url_safe, 30),
    prefix("nvapi-", is_url_safe, 30),
];

fn is_alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn is_capital(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn is_url_safe(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

/// `sk-learn-contrib-packages` is words with hyphens; a key has digits, capitals or one long row.
fn is_no_phrase(tail: &[u8]) -> bool {
    let telling = |byte: &u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
    tail.iter().any(telling)
        || tail
            .split(|byte| !byte.is_ascii_alphanumeric())
            .any(|row| row.len() >= 16)
}

pub(super) fn run(bytes: &[u8], at: usize, alphabet: fn(u8) -> bool) -> usize {
    at + bytes[at..]
        .iter()
        .take_while(|byte| alphabet(**byte))
        .count()
}

/// Whether a new word may begin here: not inside a word, but after an escaped line break (`\n`)
/// or the end of a terminal's colour sequence.
pub(super) fn begins(bytes: &[u8], at: usize) -> bool {
    let Some((last, front)) = bytes[..at].split_last() else {
        return true;
    };
    if !last.is_ascii_alphanumeric() {
        return true;
    }
    match last {
        b'n' | b't' | b'r' if front.ends_with(b"\\") => true,
        b'm' => {
            let digits = front.iter().rev().take(16);
            let digits = digits
                .take_while(|byte| byte.is_ascii_digit() || **byte == b';')
                .count();
            front[..front.len() - digits].ends_with(b"\x1b[")
        }
        _ => false,
    }
}

/// The search for shapes, from left to right. Each kind remembers how far it has looked, so that
/// a run of bytes is read once per kind, however many triggers it contains.
#[derive(Default)]
pub(super) struct Shapes {
    prefix_from: [usize; PREFIXES.len()],
    web_token_from: usize,
    pem_from: usize,
}

impl Shapes {
    /// The key that begins here with the prefix of this number.
    pub(super) fn key(&mut self, bytes: &[u8], at: usize, number: usize) -> Option<Range<usize>> {
        let kind = &PREFIXES[number];
        if at < self.prefix_from[number]
            || !bytes[at..].starts_with(kind.head.as_bytes())
            || !begins(bytes, at)
        {
            return None;
        }
        let tail = at + kind.head.len();
        let end = run(bytes, tail, kind.alphabet);
        self.prefix_from[number] = end;
        (end - tail >= kind.least && (kind.plausible)(&bytes[tail..end])).then_some(at..end)
    }

    /// The JSON web token that begins here: a header, a payload, perhaps more.
    pub(super) fn web_token(&mut self, bytes: &[u8], at: usize) -> Option<Range<usize>> {
        if at < self.web_token_from || !bytes[at..].starts_with(b"eyJ") || !begins(bytes, at) {
            return None;
        }
        let mut end = run(bytes, at, is_url_safe);
        self.web_token_from = end;
        let dotted = bytes.get(end) == Some(&b'.');
        if !dotted || end - at < 10 || run(bytes, end + 1, is_url_safe) < end + 4 {
            return None;
        }
        while bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(|b| is_url_safe(*b)) {
            end = run(bytes, end + 1, is_url_safe);
        }
        self.web_token_from = end;
        Some(at..end)
    }

    /// The private key whose `-----BEGIN` contains the trigger here; to the end of the text if
    /// it has no end.
    pub(super) fn private_key(&mut self, bytes: &[u8], at: usize) -> Option<Range<usize>> {
        if at < self.pem_from {
            return None;
        }
        let label = run(bytes, at, |byte| byte == b'-' || byte == b' ');
        let label = label
            + bytes[label..]
                .starts_with(b"BEGIN ")
                .then_some("BEGIN ".len())?;
        let body = run(bytes, label_end(bytes, label)?, |byte| byte == b'-');
        let start = at
            - bytes[self.pem_from..at]
                .iter()
                .rev()
                .take_while(|b| **b == b'-')
                .count();
        let mut end = None;
        let mut from = body;
        while let (None, Some(offset)) = (end, memmem::find(&bytes[from..], b"END ")) {
            from += offset + "END ".len();
            end = label_end(bytes, from).map(|end| run(bytes, end, |byte| byte == b'-'));
        }
        self.pem_from = end.unwrap_or(bytes.len());
        // Code that looks for keys has the first line in quotes and nothing after it.
        let only_named = end.is_none() && bytes.get(body).is_some_and(|b| b"\"'`".contains(b));
        (!only_named).then_some(start..self.pem_from)
    }
}

/// Where the label of a private key that begins here ends, before its dashes.
fn label_end(bytes: &[u8], at: usize) -> Option<usize> {
    let label = bytes[at..].iter().take(64);
    let length = label
        .take_while(|byte| is_capital(**byte) || **byte == b' ')
        .count();
    let label = &bytes[at..at + length];
    let dashed = bytes.get(at + length) == Some(&b'-');
    (dashed && memmem::find(label, b"PRIVATE KEY").is_some()).then_some(at + length)
}
