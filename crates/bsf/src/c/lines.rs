//! Bytes of callers in memory of our own, aligned as vectors and cache lines want it.

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::{Serialize, Serializer};
use std::ffi::c_void;
use std::fmt;

/// A fixed number of bytes at a multiple of 64.
#[derive(Clone)]
pub(super) struct Lines {
    lines: Vec<Line>,
    bytes: usize,
}

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

impl Lines {
    pub fn zeros(bytes: usize) -> Self {
        // A block without bytes has an address, too.
        Lines { lines: vec![Line([0; 64]); bytes.div_ceil(64).max(1)], bytes }
    }

    pub fn copy_of(bytes: &[u8]) -> Self {
        let mut lines = Lines::zeros(bytes.len());
        lines.as_mut_slice().copy_from_slice(bytes);
        lines
    }

    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: the lines are at least so many bytes, all of them initialized.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.bytes) }
    }

    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as above, and nobody else has them.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.bytes) }
    }

    pub fn address(&self) -> *const c_void {
        self.lines.as_ptr().cast()
    }

    pub fn address_mut(&mut self) -> *mut c_void {
        self.lines.as_mut_ptr().cast()
    }

    /// Adds the doubles of another block of the same size to those here.
    pub fn add_doubles(&mut self, other: &Lines) {
        let right = other.as_slice().as_chunks::<8>().0;
        for (left, right) in self.as_mut_slice().as_chunks_mut::<8>().0.iter_mut().zip(right) {
            *left = (f64::from_ne_bytes(*left) + f64::from_ne_bytes(*right)).to_ne_bytes();
        }
    }
}

impl Serialize for Lines {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.as_slice())
    }
}

impl<'de> Deserialize<'de> for Lines {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(Anew)
    }

    fn deserialize_in_place<D: Deserializer<'de>>(deserializer: D, place: &mut Self) -> Result<(), D::Error> {
        deserializer.deserialize_bytes(InPlace(place))
    }
}

struct Anew;

impl Visitor<'_> for Anew {
    type Value = Lines;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Lines, E> {
        Ok(Lines::copy_of(bytes))
    }
}

/// Sizes are fixed: a message of another one is not from the same program.
struct InPlace<'a>(&'a mut Lines);

impl Visitor<'_> for InPlace<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.bytes)
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<(), E> {
        if bytes.len() != self.0.bytes {
            return Err(E::invalid_length(bytes.len(), &self));
        }
        self.0.as_mut_slice().copy_from_slice(bytes);
        Ok(())
    }
}
