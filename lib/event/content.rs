//! One number for an event's content, so that two with one identity can be compared.

use xxhash_rust::xxh3::xxh3_64;

/// Folds fields into one number, each with its length, so that no two lists of fields run
/// together.
pub(super) struct ContentHash(pub(super) u64);

impl ContentHash {
    pub(super) fn number(&mut self, number: u64) {
        let mixed = (self.0 ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ mixed >> 32;
    }

    pub(super) fn text(&mut self, text: &str) {
        self.number(xxh3_64(text.as_bytes()));
    }

    pub(super) fn option(&mut self, text: Option<&str>) {
        match text {
            Some(text) => {
                self.number(1);
                self.text(text);
            }
            None => self.number(0),
        }
    }
}
