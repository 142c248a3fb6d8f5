//! The rules one by one, each kept and each broken; what always holds, over random events.

mod laws;
mod rules;
mod told;
