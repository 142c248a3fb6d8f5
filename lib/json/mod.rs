//! JSON as text: checked, split and quoted without building a tree.
//!
//! Records of this toolkit pass through; whatever is not ours keeps its bytes, its key order, its
//! duplicate keys and the digits of its numbers. So nothing here parses into values: [`Object`]
//! proves that a line is one JSON object while it walks its members, [`Raw`] is the proved text
//! of one value and reads the one scalar that is asked for. Nothing allocates, except to decode a
//! string that holds escapes.
//!
//! Two dialects ([`Dialect`]): the strict one of RFC 8259, which also refuses lone surrogates,
//! and what Python's `json.dumps` really writes, where bare `NaN` and `Infinity` and lone
//! surrogate escapes occur. Nesting is bounded by [`MAX_DEPTH`] and costs no stack.

mod containers;
mod plain;
mod scan;
mod string;

use std::borrow::Cow;

use scan::Scanner;
pub use string::{compact, push_str, strict};

/// The deepest nesting that is read (SPEC section 2): `[]` is one level.
pub const MAX_DEPTH: usize = 1_024;

/// Which texts count as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// RFC 8259, and every `\u` escape part of a Unicode scalar value.
    Strict,
    /// Also what Python writes: `NaN`, `Infinity`, `-Infinity`, lone surrogate escapes.
    Python,
}

/// Why a text is not JSON that we read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    /// Malformed, something else than an object, or just too deep.
    pub kind: ErrorKind,
    /// Byte offset in the text, from 0, at which it became clear.
    pub offset: usize,
    /// What is wrong there.
    pub message: &'static str,
}

/// The kinds of [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Not JSON in the dialect asked for.
    Malformed,
    /// Well-formed JSON, but not an object.
    NotAnObject,
    /// Nested over [`MAX_DEPTH`] levels.
    TooDeep,
}

/// The kinds of JSON values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Kind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

/// One JSON value: its text, already proved well-formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw<'a> {
    text: &'a str,
    /// Whether it is a string that holds escapes: most do not, and are not searched again.
    escaped: bool,
}

impl<'a> Raw<'a> {
    /// Proves that `text` is one JSON value of the strict dialect, white space around it allowed.
    ///
    /// # Errors
    ///
    /// Malformed or too deep; `offset` says where.
    ///
    /// # Examples
    ///
    /// ```
    /// use lctools::json::Raw;
    /// let raw = Raw::parse(r#"{"id":"a\u0062","n":7.0}"#).unwrap();
    /// assert_eq!(raw.get("id").unwrap().as_str().unwrap(), "ab");
    /// assert_eq!(raw.get("n").unwrap().as_u53(), None, "7.0 is not written as an integer");
    /// ```
    pub fn parse(text: &'a str) -> Result<Raw<'a>, Error> {
        let mut scanner = Scanner::new(text, Dialect::Strict);
        let value = scanner.value(0)?;
        scanner.end()?;
        Ok(value)
    }

    /// The text of the value, byte for byte as it was read.
    #[must_use]
    pub fn text(self) -> &'a str {
        self.text
    }

    /// What kind of value it is. Python's `NaN` and `Infinity` count as null, which is what they
    /// are repaired to.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self.text.as_bytes() {
            [b'{', ..] => Kind::Object,
            [b'[', ..] => Kind::Array,
            [b'"', ..] => Kind::String,
            [b't' | b'f', ..] => Kind::Bool,
            [b'-', b'I', ..] => Kind::Null,
            [b'-' | b'0'..=b'9', ..] => Kind::Number,
            _ => Kind::Null,
        }
    }

    /// The decoded string, if it is one. Lone surrogates, which only Python's dialect lets
    /// through, become U+FFFD.
    #[must_use]
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        let inner = self.text.strip_prefix('"')?.strip_suffix('"')?;
        Some(string::decode(inner, self.escaped))
    }

    /// The beginning of the decoded string, if it is one: all of it, or at least the first
    /// `enough` bytes as far as whole characters go. What a long string costs is bounded so.
    ///
    /// # Examples
    ///
    /// ```
    /// use lctools::json::Raw;
    /// let raw = Raw::parse(r#""\u2603 and more""#).unwrap();
    /// assert_eq!(raw.as_str_prefix(5).unwrap(), "\u{2603} a");
    /// ```
    #[must_use]
    pub fn as_str_prefix(self, enough: usize) -> Option<Cow<'a, str>> {
        let inner = self.text.strip_prefix('"')?.strip_suffix('"')?;
        Some(string::decode_prefix(inner, enough))
    }

    /// The boolean, if it is one.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self.text {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// The number, if it is written with digits alone and at most 2^53 − 1: the only integers
    /// that every JSON reader takes alike.
    #[must_use]
    pub fn as_u53(self) -> Option<u64> {
        let short = (1..=16).contains(&self.text.len());
        if !short || !self.text.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        self.text.parse().ok().filter(|number| *number < 1 << 53)
    }

    /// The members of the object in order, none if it is not one.
    pub fn members(self) -> impl Iterator<Item = Member<'a>> {
        let mut object = match self.kind() {
            Kind::Object => Object::open(self.text, Dialect::Python).ok(),
            _ => None,
        };
        std::iter::from_fn(move || object.as_mut()?.member().ok().flatten())
    }

    /// The elements of the array in order, none if it is not one.
    pub fn elements(self) -> impl Iterator<Item = Raw<'a>> {
        let mut scanner = Scanner::new(self.text, Dialect::Python);
        let mut more = self.kind() == Kind::Array && scanner.first_element();
        std::iter::from_fn(move || {
            let element = more.then(|| scanner.value(1).ok()).flatten()?;
            more = scanner.next_element();
            Some(element)
        })
    }

    /// The value of the first member of that name, if this is an object that has one.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Raw<'a>> {
        self.members()
            .find(|member| member.key == key)
            .map(|member| member.value)
    }
}

/// One member of an object.
#[derive(Clone, Debug)]
pub struct Member<'a> {
    /// The decoded key.
    pub key: Cow<'a, str>,
    /// The value.
    pub value: Raw<'a>,
    /// Key, colon and value as read, from the key's opening quote to the value's last byte.
    pub text: &'a str,
    /// Where `text` begins in the object's text, in bytes.
    pub offset: usize,
}

/// Proves a text to be one JSON object while walking its members: one pass.
///
/// # Examples
///
/// ```
/// use lctools::json::{Dialect, Object};
/// let mut object = Object::open(r#"{"type":"text","n":NaN}"#, Dialect::Python).unwrap();
/// assert_eq!(object.member().unwrap().unwrap().key, "type");
/// assert_eq!(object.member().unwrap().unwrap().value.text(), "NaN");
/// assert!(object.member().unwrap().is_none());
/// assert!(object.nonstandard());
/// ```
#[derive(Clone, Debug)]
pub struct Object<'a> {
    scanner: Scanner<'a>,
    state: Walk,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Walk {
    Opened,
    Within,
    Ended,
}

impl<'a> Object<'a> {
    /// Begins at the opening brace. A text that begins as another value is checked whole, so that
    /// its error says whether it is JSON at all.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotAnObject`], [`ErrorKind::Malformed`], [`ErrorKind::TooDeep`].
    pub fn open(text: &'a str, dialect: Dialect) -> Result<Object<'a>, Error> {
        let mut scanner = Scanner::new(text, dialect);
        if scanner.open_object() {
            return Ok(Object {
                scanner,
                state: Walk::Opened,
            });
        }
        scanner.value(0)?;
        scanner.end()?;
        Err(Error {
            kind: ErrorKind::NotAnObject,
            offset: 0,
            message: "not a JSON object",
        })
    }

    /// The next member; `None` once the object has ended and nothing but white space follows.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Malformed`] or [`ErrorKind::TooDeep`]; the walk is over then.
    #[inline]
    pub fn member(&mut self) -> Result<Option<Member<'a>>, Error> {
        let more = match self.state {
            Walk::Opened => self.scanner.first_member(),
            Walk::Within => self.scanner.next_member(),
            Walk::Ended => return Ok(None),
        };
        self.state = Walk::Ended;
        if !more? {
            self.scanner.end()?;
            return Ok(None);
        }
        let offset = self.scanner.position();
        let (key, escaped) = self.scanner.key()?;
        let value = self.scanner.value(1)?;
        self.state = Walk::Within;
        Ok(Some(Member {
            key: string::decode(key, escaped),
            value,
            text: self.scanner.since(offset),
            offset,
        }))
    }

    /// Whether something that only Python's dialect allows has been met so far.
    #[must_use]
    pub fn nonstandard(&self) -> bool {
        self.scanner.nonstandard()
    }
}

#[cfg(test)]
mod tests;
