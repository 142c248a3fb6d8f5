//! The lock beside a journal.
