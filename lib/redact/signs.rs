//! The small marks between a key and its value in free text: separators, opening quotes, blanks
//! and the decoration of Markdown and terminals.

use super::values::Quote;

/// What stands between a key and its value.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Separator {
    Equals,
    Colon,
    Comma,
    Space,
    Tag,
}

/// Whether a quotation is open, counted forward line by line and never back.
#[derive(Default)]
pub(super) struct OpenQuotes {
    counted: usize,
    double: bool,
    single: bool,
}

impl OpenQuotes {
    pub(super) fn open(&mut self, bytes: &[u8], at: usize, mark: u8) -> bool {
        for byte in bytes.get(self.counted..at).unwrap_or_default() {
            match byte {
                b'\n' => (self.double, self.single) = (false, false),
                b'"' => self.double = !self.double,
                b'\'' => self.single = !self.single,
                _ => {}
            }
        }
        self.counted = self.counted.max(at);
        if mark == b'"' {
            self.double
        } else {
            self.single
        }
    }
}

/// An opening quote, after what languages write before one: `b"…"`, `f'…'`, `&"…"`, `$'…'`.
pub(super) fn opening(bytes: &[u8], at: usize) -> Option<(usize, Quote)> {
    let before = |byte: &&u8| b"bfruBFRU&*$@".contains(byte);
    let length = bytes[at..].iter().take(2).take_while(before).count();
    let quote = Quote::at(bytes, at + length)?;
    // An apostrophe after an ampersand begins a lifetime.
    let lifetime = quote.mark == b'\'' && bytes[at..at + length].contains(&b'&');
    (length == 0 || (quote.escapes == 0 && !lifetime)).then_some((at + length, quote))
}

/// An equals sign or a colon, in the forms that assign: `=`, `==`, `=>`, `:=`, `:`, full width.
pub(super) fn sign(bytes: &[u8], at: usize) -> Option<(Separator, usize)> {
    let rest = &bytes[at..];
    if rest.starts_with("：".as_bytes()) || rest.starts_with("＝".as_bytes()) {
        return Some((Separator::Colon, at + "：".len()));
    }
    match rest.first()? {
        b'=' => {
            let signs = rest
                .iter()
                .take(3)
                .take_while(|byte| **byte == b'=')
                .count();
            let arrow = usize::from(rest.get(signs) == Some(&b'>'));
            Some((Separator::Equals, at + signs + arrow))
        }
        b':' if rest.starts_with(b":=") => Some((Separator::Equals, at + 2)),
        b':' if rest.starts_with(b"::") || rest.starts_with(b"://") => None,
        b':' => Some((Separator::Colon, at + 1)),
        _ => None,
    }
}

pub(super) fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..]
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count()
}

/// After `name: Type`, the place after the equals sign of `name: Type = value`.
pub(super) fn assigned(bytes: &[u8], at: usize) -> Option<usize> {
    let kind = |byte: &&u8| byte.is_ascii_alphanumeric() || b" _&'<>[]:.*|".contains(byte);
    let length = bytes[at..].iter().take(48).take_while(kind).count();
    let (before, after) = bytes.split_at(at + length);
    (before.ends_with(b" ") && after.starts_with(b"= ")).then_some(at + length + 1)
}

/// After a bare value, the string that a program takes instead of it: `… || "…"`, `… or '…'`.
pub(super) fn fallback(bytes: &[u8], at: usize) -> Option<(usize, Quote)> {
    let operator = skip_blanks(bytes, at);
    let signs: [&[u8]; 3] = [b"||", b"??", b"or "];
    let sign = signs
        .iter()
        .find(|sign| bytes[operator..].starts_with(sign))?;
    opening(bytes, skip_blanks(bytes, operator + sign.len())).filter(|_| operator > at)
}

/// Past line breaks too, if a string, an object or an array follows.
pub(super) fn skip_lines(bytes: &[u8], at: usize) -> usize {
    let blanks = bytes[at..]
        .iter()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count();
    let opens = matches!(bytes.get(at + blanks), Some(b'"' | b'\'' | b'{' | b'['));
    if opens { at + blanks } else { at }
}

/// Past ` is` when a sign follows it: `the password is: …`.
pub(super) fn skip_is(bytes: &[u8], at: usize) -> usize {
    let Some(rest) = bytes[at..].strip_prefix(b"is") else {
        return at;
    };
    let after = skip_blanks(bytes, bytes.len() - rest.len());
    if matches!(bytes.get(after), Some(b':' | b'=')) {
        after
    } else {
        at
    }
}

/// Past blanks, the stars of Markdown and the colours of a terminal.
pub(super) fn skip_decoration(bytes: &[u8], mut at: usize) -> usize {
    while let Some(byte) = bytes.get(at) {
        match byte {
            b' ' | b'\t' | b'*' => at += 1,
            _ => match colour(bytes, at) {
                Some(end) => at = end,
                None => break,
            },
        }
    }
    at
}

/// Past blanks, colours, and the stars that close `**Password:** …`.
pub(super) fn skip_to_value(bytes: &[u8], mut at: usize) -> usize {
    if bytes[at..].starts_with(b"** ") {
        at += 2;
    }
    at = skip_blanks(bytes, at);
    while let Some(end) = colour(bytes, at) {
        at = skip_blanks(bytes, end);
    }
    at
}

/// The end of a terminal's colour sequence that begins here.
fn colour(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes[at..].strip_prefix(b"\x1b[")?;
    let digits = rest
        .iter()
        .take_while(|byte| byte.is_ascii_digit() || **byte == b';')
        .count();
    (rest.get(digits)? == &b'm').then_some(at + 2 + digits + 1)
}
