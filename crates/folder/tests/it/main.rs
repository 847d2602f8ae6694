//! The folder as a whole: its files byte for byte, its laws, the lint, the disk.

mod golden;
mod laws;
mod linting;
mod sample;
