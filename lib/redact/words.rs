//! A key split into its words.

#[derive(Clone, Copy, PartialEq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Border,
}

fn class(letter: char) -> Class {
    match letter {
        _ if letter.is_numeric() => Class::Digit,
        _ if letter.is_uppercase() => Class::Upper,
        _ if letter.is_alphabetic() => Class::Lower,
        _ => Class::Border,
    }
}

/// The words of a key, each with the place where it ends.
pub(super) fn words(key: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = &key[at..];
        let start = at + rest.find(|letter| class(letter) != Class::Border)?;
        at = start + word_length(&key[start..]);
        Some((at, &key[start..at]))
    })
}

/// The pieces of a key between what is neither letter nor digit, each with the place where it
/// ends.
pub(super) fn segments(key: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let is_border = |letter: char| class(letter) == Class::Border;
        let rest = key[at..].trim_start_matches(is_border);
        let start = key.len() - rest.len();
        let length = rest.find(is_border).unwrap_or(rest.len());
        at = start + length;
        (length > 0).then(|| (at, &key[start..at]))
    })
}

/// How many bytes the word at the start of this text has.
fn word_length(text: &str) -> usize {
    let mut letters = text
        .char_indices()
        .map(|(at, letter)| (at, class(letter)))
        .peekable();
    let Some((_, mut last)) = letters.next() else {
        return 0;
    };
    while let Some((at, now)) = letters.next() {
        let ends = match (last, now) {
            (_, Class::Border) | (Class::Lower, Class::Upper) => true,
            (Class::Digit, other) | (other, Class::Digit) => other != Class::Digit,
            // The last capital of a row belongs to the word that follows it: API|Key.
            (Class::Upper, Class::Upper) => letters
                .peek()
                .is_some_and(|(_, after)| *after == Class::Lower),
            _ => false,
        };
        if ends {
            return at;
        }
        last = now;
    }
    text.len()
}
