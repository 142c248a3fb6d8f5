//! The containers that are open around a value: one bit each, no stack, no heap.

use super::MAX_DEPTH;

/// The open containers, innermost last: a set bit is an object.
pub(super) struct Containers {
    pub(super) bits: [u64; MAX_DEPTH / 64],
    pub(super) depth: usize,
    pub(super) outside: usize,
}

impl Containers {
    pub(super) fn push(&mut self, object: bool) -> bool {
        if self.outside + self.depth >= MAX_DEPTH {
            return false;
        }
        let (word, bit) = (self.depth / 64, self.depth % 64);
        self.bits[word] = self.bits[word] & !(1 << bit) | u64::from(object) << bit;
        self.depth += 1;
        true
    }

    pub(super) fn in_object(&self) -> Option<bool> {
        let last = self.depth.checked_sub(1)?;
        Some(self.bits[last / 64] >> (last % 64) & 1 == 1)
    }
}
