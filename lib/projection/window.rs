//! The recent sequences of a child, each with the hash of its event's content (SPEC section 5,
//! rule 1).
//!
//! Memory: 16 bytes for each sequence remembered, taken in steps of eight as they come, at most
//! the window's size.

/// How many entries are made room for at once.
const STEP: usize = 8;

/// A ring of accepted sequences, the oldest overwritten first.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    entries: Vec<Entry>,
    /// Where the oldest entry is, once the ring is full.
    oldest: usize,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    sequence: u64,
    hash: u64,
}

impl Window {
    /// The hash under which a sequence is remembered.
    pub(super) fn get(&self, sequence: u64) -> Option<u64> {
        let mut entries = self.entries.iter();
        entries
            .find(|entry| entry.sequence == sequence)
            .map(|entry| entry.hash)
    }

    /// Remembers a sequence that is not remembered yet, at most `size` of them.
    pub(super) fn insert(&mut self, sequence: u64, hash: u64, size: usize) {
        let entry = Entry { sequence, hash };
        if self.entries.len() < size {
            if self.entries.len() == self.entries.capacity() {
                self.entries
                    .reserve_exact(STEP.min(size - self.entries.len()));
            }
            self.entries.push(entry);
        } else if let Some(oldest) = self.entries.get_mut(self.oldest) {
            *oldest = entry;
            self.oldest = (self.oldest + 1) % self.entries.len();
        }
    }

    /// Forgets everything: another epoch counts anew.
    pub(super) fn clear(&mut self) {
        *self = Window::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_forgotten_first_and_only_when_full() {
        let mut window = Window::default();
        for sequence in 1..=3 {
            window.insert(sequence, sequence * 10, 3);
        }
        assert_eq!(window.get(1), Some(10));
        window.insert(7, 70, 3);
        assert_eq!(
            (window.get(1), window.get(2), window.get(7)),
            (None, Some(20), Some(70))
        );
        window.insert(8, 80, 3);
        assert_eq!(
            (window.get(2), window.get(3), window.get(8)),
            (None, Some(30), Some(80))
        );
        window.clear();
        assert_eq!(window.get(8), None);
    }

    #[test]
    fn room_is_made_for_what_comes_not_for_the_whole_window() {
        let mut window = Window::default();
        for sequence in 0..9 {
            window.insert(sequence, 0, 64);
        }
        assert!(window.entries.capacity() < 32);
        let mut none = Window::default();
        none.insert(1, 1, 0);
        assert_eq!(none.get(1), None);
    }
}
