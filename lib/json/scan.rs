//! The scanner: one pass over a text, proving the grammar, building nothing.
//!
//! It works on a `&str`, so UTF-8 is settled before. Containers are remembered as one bit each in
//! a fixed array: neither the depth nor the length of a text costs stack or heap.

use super::containers::Containers;
use super::plain::plain_length;
use super::string::{EscapeError, escape};
use super::{Dialect, Error, ErrorKind, MAX_DEPTH, Raw};

#[derive(Clone, Debug)]
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    dialect: Dialect,
    nonstandard: bool,
    /// Whether the last string held escapes.
    escaped: bool,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str, dialect: Dialect) -> Scanner<'a> {
        Scanner {
            text,
            at: 0,
            dialect,
            nonstandard: false,
            escaped: false,
        }
    }

    pub(super) fn nonstandard(&self) -> bool {
        self.nonstandard
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or("")
    }

    /// Steps over the opening brace, if one comes.
    pub(super) fn open_object(&mut self) -> bool {
        self.white_space();
        self.eat(b'{')
    }

    /// After the brace: whether a member comes; else the closing brace is eaten.
    pub(super) fn first_member(&mut self) -> Result<bool, Error> {
        self.white_space();
        Ok(!self.eat(b'}'))
    }

    /// After a member: whether another one comes.
    pub(super) fn next_member(&mut self) -> Result<bool, Error> {
        self.white_space();
        if self.eat(b'}') {
            return Ok(false);
        }
        if self.eat(b',') {
            self.white_space();
            return Ok(true);
        }
        Err(self.unexpected("expected `,` or `}` after a member"))
    }

    /// For texts known to be well-formed: steps into an array that has elements.
    pub(super) fn first_element(&mut self) -> bool {
        self.white_space();
        let open = self.eat(b'[');
        self.white_space();
        open && !self.eat(b']')
    }

    /// For texts known to be well-formed: steps to the next element.
    pub(super) fn next_element(&mut self) -> bool {
        self.white_space();
        self.eat(b',')
    }

    /// A member's key and its colon; gives the text between the quotes, and whether it holds
    /// escapes.
    pub(super) fn key(&mut self) -> Result<(&'a str, bool), Error> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("expected a member's name in quotes"));
        }
        let key = (self.string()?, self.escaped);
        self.white_space();
        if !self.eat(b':') {
            return Err(self.unexpected("expected `:` after a member's name"));
        }
        Ok(key)
    }

    /// Nothing but white space may follow.
    pub(super) fn end(&mut self) -> Result<(), Error> {
        self.white_space();
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.malformed("something follows the end of the JSON value")),
        }
    }

    /// One value of any kind, `outside` containers being open around it.
    pub(super) fn value(&mut self, outside: usize) -> Result<Raw<'a>, Error> {
        self.white_space();
        let start = self.at;
        self.escaped = false;
        if !matches!(self.peek(), Some(b'{' | b'[')) {
            self.scalar()?;
            let (text, escaped) = (self.since(start), self.escaped);
            return Ok(Raw { text, escaped });
        }
        let mut open = Containers {
            bits: [0; MAX_DEPTH / 64],
            depth: 0,
            outside,
        };
        loop {
            let opened = self.scalar_or_opening(&mut open)?;
            if opened || self.after_value(&mut open)? {
                continue;
            }
            return Ok(Raw {
                text: self.since(start),
                escaped: false,
            });
        }
    }

    /// Reads a scalar or an empty container (false), or enters a container up to where its first
    /// value is expected (true).
    fn scalar_or_opening(&mut self, open: &mut Containers) -> Result<bool, Error> {
        self.white_space();
        match self.peek() {
            Some(bracket @ (b'{' | b'[')) => self.opening(bracket, open),
            _ => self.scalar().map(|()| false),
        }
    }

    fn scalar(&mut self) -> Result<(), Error> {
        match self.peek() {
            Some(b'"') => self.string().map(|_| ()),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.literal("true"),
            Some(b'f') => self.literal("false"),
            Some(b'n') => self.literal("null"),
            Some(b'N') => self.python_literal("NaN"),
            Some(b'I') => self.python_literal("Infinity"),
            _ => Err(self.unexpected("expected a JSON value")),
        }
    }

    fn opening(&mut self, bracket: u8, open: &mut Containers) -> Result<bool, Error> {
        let object = bracket == b'{';
        if !open.push(object) {
            let message = "nested over 1,024 levels deep";
            return Err(Error {
                kind: ErrorKind::TooDeep,
                offset: self.at,
                message,
            });
        }
        self.at += 1;
        self.white_space();
        if self.eat(if object { b'}' } else { b']' }) {
            open.depth -= 1;
            return Ok(false);
        }
        if object {
            self.key()?;
        }
        Ok(true)
    }

    /// Closes what ends here; true when another value is expected, false when the outermost value
    /// is complete.
    fn after_value(&mut self, open: &mut Containers) -> Result<bool, Error> {
        while let Some(object) = open.in_object() {
            self.white_space();
            if self.eat(b',') {
                self.white_space();
                if object {
                    self.key()?;
                }
                return Ok(true);
            }
            if !self.eat(if object { b'}' } else { b']' }) {
                return Err(self.unexpected(if object {
                    "expected `,` or `}` after a member"
                } else {
                    "expected `,` or `]` after an element"
                }));
            }
            open.depth -= 1;
        }
        Ok(false)
    }

    /// A string; gives the text between its quotes, escapes proved but not decoded.
    #[inline]
    fn string(&mut self) -> Result<&'a str, Error> {
        let start = self.at + 1;
        let bytes = self.text.as_bytes();
        let end = start + bytes.get(start..).map_or(0, plain_length);
        self.escaped = bytes.get(end) != Some(&b'"');
        self.at = end;
        if self.escaped {
            self.string_with_escapes()?;
        }
        self.at += 1;
        Ok(self.text.get(start..self.at - 1).unwrap_or(""))
    }

    /// The rest of a string from the first byte that is not plain, up to its closing quote.
    #[inline(never)]
    fn string_with_escapes(&mut self) -> Result<(), Error> {
        loop {
            match self.peek() {
                Some(b'"') => return Ok(()),
                Some(b'\\') => self.at += self.one_escape()?,
                Some(_) => return Err(self.malformed("a bare control character in a string")),
                None => return Err(self.malformed("the line ends inside a string")),
            }
            self.at += plain_length(&self.text.as_bytes()[self.at..]);
        }
    }

    /// The length of the escape that begins here.
    fn one_escape(&mut self) -> Result<usize, Error> {
        match escape(&self.text[self.at..]) {
            Ok((_, length)) => Ok(length),
            Err(EscapeError::LoneSurrogate) if self.dialect == Dialect::Python => {
                self.nonstandard = true;
                Ok(6)
            }
            Err(EscapeError::LoneSurrogate) => {
                Err(self.malformed("half of a surrogate pair in a string"))
            }
            Err(EscapeError::Invalid) => Err(self.malformed("no such escape in a JSON string")),
        }
    }

    fn number(&mut self) -> Result<(), Error> {
        self.eat(b'-');
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            Some(b'I') => return self.python_literal("Infinity"),
            _ => return Err(self.unexpected("expected a digit")),
        }
        if self.eat(b'.') {
            self.some_digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _ = self.eat(b'+') || self.eat(b'-');
            self.some_digits()?;
        }
        Ok(())
    }

    fn some_digits(&mut self) -> Result<(), Error> {
        let start = self.at;
        self.digits();
        if self.at == start {
            Err(self.unexpected("expected a digit"))
        } else {
            Ok(())
        }
    }

    fn digits(&mut self) {
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
    }

    fn literal(&mut self, word: &str) -> Result<(), Error> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.unexpected("expected a JSON value"));
        }
        self.at += word.len();
        Ok(())
    }

    fn python_literal(&mut self, word: &str) -> Result<(), Error> {
        if self.dialect == Dialect::Strict {
            return Err(self.malformed("NaN and Infinity are not JSON"));
        }
        self.nonstandard = true;
        self.literal(word)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    #[inline]
    fn white_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn malformed(&self, message: &'static str) -> Error {
        Error {
            kind: ErrorKind::Malformed,
            offset: self.at,
            message,
        }
    }

    fn unexpected(&self, message: &'static str) -> Error {
        let message = if self.peek().is_none() {
            "the line ends too early"
        } else {
            message
        };
        self.malformed(message)
    }
}
