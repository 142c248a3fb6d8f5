//! The bounded line reader: bytes in, framed lines out. Every program reads through it.
//!
//! The rule is SPEC section 2. A line ends at byte 0x0A and nowhere else; one 0x0D before it is
//! dropped and noted; a UTF-8 BOM at byte 0 of the stream is dropped and noted. U+2028, U+0085
//! and NUL are content. A line over the cap is skipped in constant memory and told as such.
//!
//! This module does no input of its own: the caller reads into [`Lines::space`], says how much
//! came with [`Lines::filled`] and takes lines with [`Lines::next_line`] until it needs more.
//! Memory: the longest line met, at most the cap plus one read.

use std::num::NonZeroUsize;

/// How many bytes [`Lines::space`] offers at least.
const READ: usize = 64 * 1024;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// One line, framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Counted from 1, empty lines and skipped ones too.
    pub number: u64,
    /// Byte offset of the line's first byte in the stream, from 0.
    pub offset: u64,
    /// The content: no LF, no CR before it, no BOM. Empty when the line was oversized.
    pub bytes: &'a [u8],
    /// What else is known about the framing.
    pub frame: Frame,
}

/// How a line was framed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Ended by LF; false for the last bytes of a stream that has none.
    pub terminated: bool,
    /// A CR stood before the LF.
    pub crlf: bool,
    /// The stream began with a BOM, and this is its first line.
    pub bom: bool,
    /// Longer than the cap: its length in bytes, without LF.
    pub oversized: Option<u64>,
}

impl Line<'_> {
    /// Whether there is nothing to read: only white space.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.frame.oversized.is_none()
            && self
                .bytes
                .iter()
                .all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | 0x0B | 0x0C))
    }
}

/// The reader's buffer and place.
#[derive(Debug)]
pub struct Lines {
    buffer: Vec<u8>,
    /// The first byte not yet handed out.
    start: usize,
    /// Bytes from `start` already searched for LF.
    searched: usize,
    /// The end of what was read.
    end: usize,
    cap: usize,
    number: u64,
    offset: u64,
    /// Bytes of the oversized line being skipped, dropped from the buffer already.
    skipped: Option<u64>,
}

impl Lines {
    /// A reader for one stream whose lines may have up to `cap` bytes, LF not counted.
    #[must_use]
    pub fn new(cap: NonZeroUsize) -> Lines {
        Lines {
            buffer: Vec::new(),
            start: 0,
            searched: 0,
            end: 0,
            cap: cap.get(),
            number: 0,
            offset: 0,
            skipped: None,
        }
    }

    /// Begins another stream with the same buffer.
    pub fn restart(&mut self) {
        let buffer = std::mem::take(&mut self.buffer);
        let cap = NonZeroUsize::new(self.cap).unwrap_or(NonZeroUsize::MIN);
        *self = Lines {
            buffer,
            ..Lines::new(cap)
        };
    }

    /// Where the line that comes next begins: how many bytes of the stream are handed out.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.offset
    }

    /// Where the next read goes; never empty. Call it only after [`Lines::next_line`] gave
    /// `None`.
    pub fn space(&mut self) -> &mut [u8] {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        let wanted = self.end + READ;
        if self.buffer.len() < wanted {
            // Doubling keeps the copying linear; the cap bounds it, since longer lines are skipped.
            let doubled = (self.buffer.len() * 2).min(self.cap.saturating_add(2 * READ));
            self.buffer.resize(wanted.max(doubled), 0);
        }
        &mut self.buffer[self.end..]
    }

    /// Says that `count` bytes were read into [`Lines::space`].
    pub fn filled(&mut self, count: usize) {
        self.end = (self.end + count).min(self.buffer.len());
    }

    /// The next complete line, `None` when more must be read first.
    pub fn next_line(&mut self) -> Option<Line<'_>> {
        let fresh = &self.buffer[self.start + self.searched..self.end];
        match memchr::memchr(b'\n', fresh) {
            Some(found) => {
                let length = self.searched + found;
                Some(self.take(length, true))
            }
            None => {
                self.searched = self.end - self.start;
                self.skip_if_oversized();
                None
            }
        }
    }

    /// The bytes after the last LF, once the stream has ended; `None` if there are none.
    pub fn last_line(&mut self) -> Option<Line<'_>> {
        let rest = self.end - self.start;
        (rest > 0 || self.skipped.is_some()).then(|| self.take(rest, false))
    }

    /// Frames `length` bytes from `start` as the next line.
    fn take(&mut self, length: usize, terminated: bool) -> Line<'_> {
        let (from, to) = (self.start, self.start + length);
        let offset = self.offset;
        let whole = self.skipped.take().unwrap_or(0) + length as u64;
        self.number += 1;
        self.offset += whole + u64::from(terminated);
        self.start = to + usize::from(terminated);
        self.searched = 0;
        let mut frame = Frame {
            terminated,
            ..Frame::default()
        };
        let mut bytes = &self.buffer[from..to];
        if self.number == 1 && whole == length as u64 && bytes.starts_with(BOM) {
            frame.bom = true;
            bytes = &bytes[BOM.len()..];
        }
        if whole > self.cap as u64 {
            frame.oversized = Some(whole);
            bytes = &[];
        } else if terminated && bytes.last() == Some(&b'\r') {
            frame.crlf = true;
            bytes = &bytes[..bytes.len() - 1];
        }
        Line {
            number: self.number,
            offset,
            bytes,
            frame,
        }
    }

    /// Forgets the bytes of a line that is too long already.
    fn skip_if_oversized(&mut self) {
        let pending = self.end - self.start;
        if self.skipped.is_some() || pending > self.cap {
            self.skipped = Some(self.skipped.unwrap_or(0) + pending as u64);
            self.start = 0;
            self.end = 0;
            self.searched = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Feeds a stream in chunks of the given sizes (repeated) and keeps what comes out.
    fn read(stream: &[u8], cap: usize, chunks: &[usize]) -> Vec<(u64, u64, Vec<u8>, Frame)> {
        let mut lines = Lines::new(NonZeroUsize::new(cap).unwrap());
        let mut found = Vec::new();
        let mut rest = stream;
        let mut chunks = chunks.iter().copied().cycle();
        loop {
            while let Some(line) = lines.next_line() {
                found.push((line.number, line.offset, line.bytes.to_vec(), line.frame));
            }
            if rest.is_empty() {
                break;
            }
            let space = lines.space();
            let count = chunks.next().unwrap().clamp(1, rest.len().min(space.len()));
            space[..count].copy_from_slice(&rest[..count]);
            lines.filled(count);
            rest = &rest[count..];
        }
        if let Some(line) = lines.last_line() {
            found.push((line.number, line.offset, line.bytes.to_vec(), line.frame));
        }
        found
    }

    #[test]
    fn frames_on_lf_alone() {
        let stream = b"\xEF\xBB\xBFa\r\n\n b\r\r\nc\x00\xE2\x80\xA8d\nlast\r";
        let lines = read(stream, 100, &[1]);
        let contents: Vec<&[u8]> = lines.iter().map(|line| &line.2[..]).collect();
        assert_eq!(
            contents,
            [&b"a"[..], b"", b" b\r", b"c\x00\xE2\x80\xA8d", b"last\r"]
        );
        assert!(lines[0].3.bom && lines[0].3.crlf && !lines[3].3.crlf);
        assert!(!lines[4].3.terminated && !lines[4].3.crlf);
        assert_eq!(
            lines.iter().map(|line| line.1).collect::<Vec<_>>(),
            [0, 6, 7, 12, 19]
        );
    }

    #[test]
    fn the_cap_counts_content_without_lf_and_neighbours_are_kept() {
        let stream = b"12345\n123456\nok\n1234567";
        let lines = read(stream, 5, &[3]);
        let told: Vec<_> = lines
            .iter()
            .map(|line| (line.0, line.3.oversized))
            .collect();
        assert_eq!(told, [(1, None), (2, Some(6)), (3, None), (4, Some(7))]);
        assert_eq!(lines[2].2, b"ok");
    }

    #[test]
    fn a_line_without_end_is_skipped_in_constant_memory() {
        let mut lines = Lines::new(NonZeroUsize::new(1_000).unwrap());
        for _ in 0..1_000 {
            assert!(lines.next_line().is_none());
            let count = lines.space().len();
            lines.filled(count);
        }
        assert!(lines.next_line().is_none());
        assert!(
            lines.buffer.len() <= 1_000 + 2 * READ,
            "{}",
            lines.buffer.len()
        );
        assert!(lines.last_line().unwrap().frame.oversized.unwrap() > 60_000_000);
    }

    proptest! {
        #[test]
        fn any_chunking_frames_alike(
            stream in proptest::collection::vec(
                prop_oneof![Just(b'\n'), Just(b'\r'), Just(0xEF), Just(0xBB), Just(0xBF), any::<u8>()],
                0..200,
            ),
            chunks in proptest::collection::vec(1_usize..40, 1..5),
            cap in 1_usize..30,
        ) {
            let whole = read(&stream, cap, &[usize::MAX]);
            prop_assert_eq!(&read(&stream, cap, &chunks), &whole);
            let expected = stream.split(|byte| *byte == b'\n').count()
                - usize::from(stream.is_empty() || stream.ends_with(b"\n"));
            prop_assert_eq!(whole.len(), expected);
        }
    }
}
