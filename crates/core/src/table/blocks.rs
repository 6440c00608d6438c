//! The text of a table, some whole lines at a time.

use super::read::{OUT_OF_MEMORY, check_kind, utf8};
use super::source::Unpacked;
use crate::problem::Problem;

/// Bytes of a block, unless a row is longer. A shorter text is one block.
pub(super) const BLOCK: usize = 1 << 20;

/// The text of a table in blocks that end with a line; the last one ends with the text.
pub(super) enum Blocks<'s> {
    /// All of it, in memory.
    Whole(&'s str),
    Stream(Box<Stream<'s>>),
}

pub(super) struct Stream<'s> {
    source: Unpacked<'s>,
    buffer: Vec<u8>,
    /// The block ends here; what follows is the beginning of a line.
    end: usize,
    is_last: bool,
    /// Line on which the block begins.
    line: u64,
    /// Bytes asked for.
    target: usize,
    /// Bytes that a block may take.
    memory: Option<u64>,
}

impl<'s> Blocks<'s> {
    /// The first block of a source.
    ///
    /// # Errors
    /// It cannot be read, or is no text.
    pub(super) fn of(source: Unpacked<'s>, memory: Option<u64>) -> Result<Self, Problem> {
        let buffer = Vec::new();
        let mut stream = Stream { source, buffer, end: 0, is_last: false, line: 1, target: BLOCK, memory };
        stream.read_on()?;
        check_kind(&stream.buffer)?;
        Ok(Blocks::Stream(Box::new(stream)))
    }

    /// The block, without the byte order mark of the text.
    ///
    /// # Errors
    /// It is not UTF-8.
    pub(super) fn text(&self) -> Result<&str, Problem> {
        match self {
            Blocks::Whole(text) => Ok(text),
            Blocks::Stream(stream) => {
                let text = utf8(&stream.buffer[..stream.end], stream.line)?;
                Ok(if stream.line == 1 { text.strip_prefix('\u{feff}').unwrap_or(text) } else { text })
            }
        }
    }

    /// Whether the text ends with this block.
    pub(super) fn is_last(&self) -> bool {
        match self {
            Blocks::Whole(_) => true,
            Blocks::Stream(stream) => stream.is_last,
        }
    }

    /// Goes on behind so many bytes of the block's text; none of them: the block becomes longer.
    ///
    /// # Errors
    /// The source cannot be read.
    pub(super) fn go_on(&mut self, used: usize) -> Result<(), Problem> {
        let bom = self.bom();
        let Blocks::Stream(stream) = self else { return Ok(()) };
        if used == 0 {
            stream.target *= 2;
        } else {
            stream.target = BLOCK;
            let used = used + bom;
            stream.line += count_lines(&stream.buffer[..used]) as u64;
            stream.buffer.drain(..used);
        }
        stream.read_on()
    }

    /// Number of lines of the block.
    pub(super) fn lines(&self) -> usize {
        match self {
            Blocks::Whole(text) => count_lines(text.as_bytes()) + 1,
            Blocks::Stream(stream) => count_lines(&stream.buffer[..stream.end]) + 1,
        }
    }

    /// Which share of the source was read, and how many bytes of text that gave; none where all is in memory.
    pub(super) fn read_so_far(&self) -> Option<(f64, u64)> {
        match self {
            Blocks::Whole(_) => None,
            Blocks::Stream(stream) => Some((stream.source.share(), stream.source.given())),
        }
    }

    /// Looks through the rest of the text for bytes that are not UTF-8.
    ///
    /// # Errors
    /// There are such bytes, or the source cannot be read.
    pub(super) fn check_rest(&mut self) -> Result<(), Problem> {
        loop {
            let length = self.text()?.len();
            if self.is_last() {
                return Ok(());
            }
            self.go_on(length)?;
        }
    }

    fn bom(&self) -> usize {
        match self {
            Blocks::Stream(stream) if stream.line == 1 && stream.buffer.starts_with(b"\xef\xbb\xbf") => 3,
            _ => 0,
        }
    }
}

impl Stream<'_> {
    /// Fills the buffer, and ends the block behind its last whole line; a longer line makes a longer block.
    fn read_on(&mut self) -> Result<(), Problem> {
        loop {
            let held = self.buffer.len();
            if self.memory.is_some_and(|memory| self.target > BLOCK && self.target as u64 > memory) {
                return Err(too_long(self.target));
            }
            if held < self.target {
                self.buffer.try_reserve_exact(self.target - held).map_err(|_| too_long(self.target))?;
                self.buffer.resize(self.target, 0);
                let length = self.source.fill(&mut self.buffer[held..])?;
                self.buffer.truncate(held + length);
                self.is_last = self.buffer.len() < self.target;
            }
            let end = self.buffer.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
            self.end = if self.is_last { self.buffer.len() } else { end };
            if self.end > 0 || self.is_last {
                return Ok(());
            }
            self.target *= 2;
        }
    }
}

fn too_long(bytes: usize) -> Problem {
    let megabytes = bytes / 1_000_000;
    Problem::new(OUT_OF_MEMORY, format!("a row of the file is longer than {megabytes} MB, and the memory is used up"))
        .hint("a quote that is never closed makes a row of all that follows it")
}

fn count_lines(bytes: &[u8]) -> usize {
    // In portions, so that a byte counts many lines at a time.
    bytes.chunks(192).map(|chunk| usize::from(chunk.iter().map(|byte| u8::from(*byte == b'\n')).sum::<u8>())).sum()
}

#[cfg(test)]
mod tests {
    use super::super::source::Source;
    use super::*;

    #[test]
    fn blocks_end_with_lines_and_lose_nothing() {
        let mut text = String::from("\u{feff}p,time_s\n");
        for row in 0..200_000_u32 {
            text.push_str(&format!("{row},{}\n", "1".repeat(row as usize % 17)));
        }
        text.push_str("5,6");
        let bytes = text.clone().into_bytes();
        let source: &dyn Source = &bytes;
        let mut blocks = Blocks::of(Unpacked::open(source).expect("opens"), None).expect("text");
        let mut read = String::new();
        let mut count = 0;
        loop {
            let block = blocks.text().expect("text");
            assert!(block.ends_with('\n') || blocks.is_last());
            read.push_str(block);
            count += 1;
            let length = block.len();
            if blocks.is_last() {
                break;
            }
            blocks.go_on(length).expect("reads");
        }
        assert!(count > 2 && read == text.trim_start_matches('\u{feff}'));
    }

    #[test]
    fn a_byte_that_is_not_utf8_has_its_line() {
        let mut bytes = "p,time_s\n1,2\n".repeat(200_000).into_bytes();
        bytes.extend(b"f\xfcr,2\n");
        let source: &dyn Source = &bytes;
        let mut blocks = Blocks::of(Unpacked::open(source).expect("opens"), None).expect("text");
        let problem = blocks.check_rest().expect_err("a problem");
        assert_eq!((problem.line, problem.column), (Some(400_001), Some(2)));
    }
}
