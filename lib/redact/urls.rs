//! Passwords in addresses (`scheme://user:password@host`) and in the `-u user:password` of curl.

use std::ops::Range;

use memchr::{memchr, memrchr};

use super::values::{self, Quote, closes};

/// The password of the address whose `://` ends here; the user where there is no password to
/// speak of, since then it is the user that is the secret.
pub(super) fn password(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let slash = authority_end(bytes, start);
    let at = match memrchr(b'@', &bytes[start..slash]) {
        Some(offset) => start + offset,
        None => beyond_slash(bytes, start, slash)?,
    };
    let colon = start + memchr(b':', &bytes[start..at])?;
    match &bytes[colon + 1..at] {
        b"" | b"x-oauth-basic" => (colon > start).then_some(start..colon),
        _ => Some(colon + 1..at),
    }
}

/// A password may hold a `/`, `?` or `#` that should have been encoded. What follows the colon is
/// no port then, and an `@` follows in the same word.
fn beyond_slash(bytes: &[u8], start: usize, slash: usize) -> Option<usize> {
    if !matches!(bytes.get(slash), Some(b'/' | b'?' | b'#')) {
        return None;
    }
    let colon = start + memchr(b':', &bytes[start..slash])?;
    if bytes[start] == b'[' || bytes[colon + 1..slash].iter().all(u8::is_ascii_digit) {
        return None;
    }
    let mut word = slash;
    while bytes.get(word).is_some_and(|byte| !ends_word(*byte))
        && !bytes[word..].starts_with(b"://")
    {
        word += 1;
    }
    let first = slash + memchr(b'@', &bytes[slash..word])?;
    let host = first + memchr(b'/', &bytes[first..word]).unwrap_or(word - first);
    memrchr(b'@', &bytes[first..host]).map(|offset| first + offset)
}

fn authority_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(byte) = bytes.get(at) {
        let ends = match byte {
            b'/' | b'?' | b'#' | b'\\' => true,
            b'\'' => closes(bytes, at + 1),
            byte => ends_word(*byte),
        };
        if ends {
            return at;
        }
        at += 1;
    }
    at
}

fn ends_word(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b"\"`<>".contains(&byte)
}

/// The passwords given to curl on the rest of the line from here, and where the command ends.
pub(super) fn curl(bytes: &[u8], from: usize, mut found: impl FnMut(Range<usize>)) -> usize {
    let mut at = from;
    let mut wanted = false;
    while let Some(byte) = bytes.get(at) {
        if *byte == b'\n' && !bytes[..at].ends_with(b"\\") {
            break;
        }
        let end = at
            + bytes[at..]
                .iter()
                .take_while(|byte| !byte.is_ascii_whitespace())
                .count();
        if end == at {
            at += 1;
            continue;
        }
        let word = &bytes[at..end];
        if matches!(word, b"|" | b"||" | b"&&" | b";") {
            break;
        }
        let before = if wanted { Some(0) } else { attached(word) };
        wanted = !wanted && takes_login(word);
        at = end;
        if let Some(length) = before {
            let password = login(bytes, end - word.len() + length);
            at = at.max(password.end);
            found(password);
        }
    }
    at
}

/// Whether the next argument is `user:password`: `-u`, `-sSu`, `--user`.
fn takes_login(word: &[u8]) -> bool {
    match word {
        b"--user" | b"--proxy-user" | b"-U" => true,
        [b'-', letters @ .., b'u'] => letters.iter().all(u8::is_ascii_alphabetic),
        _ => false,
    }
}

/// The length of an option to which `user:password` is attached: `-uuser:…`, `--user=…`.
fn attached(word: &[u8]) -> Option<usize> {
    let options: [&[u8]; 3] = [b"--user=", b"--proxy-user=", b"-u"];
    let option = options.iter().find(|option| word.starts_with(option))?;
    (word.len() > option.len()).then_some(option.len())
}

/// What follows the colon of a `user:password` that begins here, quotes left out; empty at the
/// end of the argument if there is no colon.
fn login(bytes: &[u8], at: usize) -> Range<usize> {
    let argument = match Quote::at(bytes, at) {
        Some(quote) => values::quoted(bytes, at, quote),
        None => at..values::bare(bytes, at, false),
    };
    let colon = memchr(b':', &bytes[argument.clone()]);
    colon.map_or(argument.end, |colon| argument.start + colon + 1)..argument.end
}
