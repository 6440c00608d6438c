//! The extension module once more, as a part of `cargo test`.

#[path = "../src/lib.rs"]
mod module;
