//! Tables of what must vanish and what must stay, and properties that hold for any input.

mod properties;
mod tables;
