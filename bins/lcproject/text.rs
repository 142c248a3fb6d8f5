//! Texts of strangers on a screen: made harmless, measured, cut.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The text with everything escaped that does something to a screen instead of showing: control
/// characters, line separators, and the marks that turn the direction of writing.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    if !text.contains(acts_on_the_screen) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if acts_on_the_screen(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

fn acts_on_the_screen(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
        )
}

/// How many columns a harmless text takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// The longest beginning of a text that takes at most so many columns.
pub(crate) fn beginning(text: &str, columns: usize) -> &str {
    let mut taken = 0;
    for (at, character) in text.char_indices() {
        taken += character.width().unwrap_or(0);
        if taken > columns {
            return text.split_at(at).0;
        }
    }
    text
}

/// The longest end of a text that takes at most so many columns.
pub(crate) fn end(text: &str, columns: usize) -> &str {
    let mut taken = 0;
    for (at, character) in text.char_indices().rev() {
        taken += character.width().unwrap_or(0);
        if taken > columns {
            return text.split_at(at + character.len_utf8()).1;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_the_screen_is_escaped() {
        assert_eq!(harmless("a\u{1b}[2Jb\n"), "a\\u{1b}[2Jb\\n");
        assert_eq!(harmless("\u{202e}evil\u{2028}"), "\\u{202e}evil\\u{2028}");
        assert_eq!(harmless("\u{9b}31m"), "\\u{9b}31m");
        assert!(matches!(harmless("plain é 漢字"), Cow::Borrowed(_)));
    }

    #[test]
    fn wide_characters_are_measured_and_never_halved() {
        assert_eq!(width("漢字a"), 5);
        assert_eq!(beginning("漢字a", 3), "漢");
        assert_eq!(beginning("漢字a", 9), "漢字a");
        assert_eq!(end("a漢字", 3), "字");
        assert_eq!(
            beginning("e\u{301}x", 1),
            "e\u{301}",
            "an accent takes no column"
        );
        assert_eq!((beginning("", 0), end("x", 0)), ("", ""));
    }
}
