//! Where the bytes of a table come from.

use crate::problem::Problem;
use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

/// Bytes that can be read more than once, such as a file: a table need not be in memory as text.
pub trait Source {
    /// Reads from the beginning.
    ///
    /// # Errors
    /// Those of the system.
    fn open(&self) -> io::Result<Box<dyn Read + '_>>;

    /// Number of bytes.
    fn size(&self) -> u64;

    /// All bytes, where they are in memory.
    fn bytes(&self) -> Option<&[u8]> {
        None
    }
}

impl Source for &[u8] {
    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(*self))
    }

    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn bytes(&self) -> Option<&[u8]> {
        Some(self)
    }
}

impl Source for Vec<u8> {
    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(self.as_slice()))
    }

    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn bytes(&self) -> Option<&[u8]> {
        Some(self)
    }
}

/// A file compressed by gzip may hold so many bytes.
const MOST_UNPACKED: u64 = 4 << 30;

/// What a source holds, unpacked where it is compressed by gzip, and how much of it was taken.
pub(super) struct Unpacked<'s> {
    reader: Box<dyn Read + 's>,
    is_packed: bool,
    size: u64,
    taken: Rc<Cell<u64>>,
    given: u64,
}

impl<'s> Unpacked<'s> {
    pub(super) fn open(source: &'s dyn Source) -> Result<Self, Problem> {
        let mut plain = source.open().map_err(|error| unreadable(&error))?;
        let mut first = [0; 2];
        let length = fill(&mut plain, &mut first).map_err(|error| unreadable(&error))?;
        let is_packed = first[..length] == [0x1f, 0x8b];
        let taken = Rc::new(Cell::new(0));
        let all = Counted { inner: io::Cursor::new(first).take(length as u64).chain(plain), taken: Rc::clone(&taken) };
        let reader: Box<dyn Read + 's> =
            if is_packed { Box::new(flate2::read::MultiGzDecoder::new(all)) } else { Box::new(all) };
        Ok(Unpacked { reader, is_packed, size: source.size(), taken, given: 0 })
    }

    /// Reads until the buffer is full or the end; returns how much there is.
    pub(super) fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, Problem> {
        let length = fill(&mut self.reader, buffer).map_err(|error| {
            if !self.is_packed {
                return unreadable(&error);
            }
            Problem::new("gzip", format!("the file is compressed by gzip, and damaged: {error}"))
                .hint("gunzip --test FILE says more")
        })?;
        self.given += length as u64;
        if self.is_packed && self.given > MOST_UNPACKED {
            let problem = Problem::new("gzip", "the file holds more than 4 GiB when it is unpacked");
            return Err(problem.hint("choose rows before"));
        }
        Ok(length)
    }

    /// Which share of the source was read.
    pub(super) fn share(&self) -> f64 {
        self.taken.get() as f64 / (self.size.max(1)) as f64
    }

    /// Number of bytes read so far, unpacked.
    pub(super) fn given(&self) -> u64 {
        self.given
    }
}

fn unreadable(error: &io::Error) -> Problem {
    Problem::new("unreadable", format!("the file could not be read to its end: {error}"))
}

fn fill(reader: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match reader.read(&mut buffer[length..]) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

/// Counts what goes through.
struct Counted<R> {
    inner: R,
    taken: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.taken.set(self.taken.get() + length as u64);
        Ok(length)
    }
}
