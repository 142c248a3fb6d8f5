//! The state machine as a function: native lines in, events out, no pump.

mod calls;
mod ends;
mod identity;
mod player;
mod real;
mod words;

mod any;
