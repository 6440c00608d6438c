//! Places of a source as lines and columns.

/// Where the lines of a source begin.
#[derive(Debug, Clone)]
pub struct Lines {
    starts: Vec<u32>,
}

impl Lines {
    pub fn of(source: &[u8]) -> Self {
        let mut starts = vec![0];
        starts.extend((0u32..).zip(source).filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1));
        Lines { starts }
    }

    /// The line of a byte, counted from 1.
    pub fn line(&self, at: usize) -> u64 {
        self.starts.partition_point(|&start| start as usize <= at) as u64
    }

    /// The character of a byte in its line, counted from 1.
    pub fn column(&self, source: &[u8], at: usize) -> u64 {
        let line = self.line(at) as usize;
        let start = self.starts.get(line.saturating_sub(1)).map_or(0, |&start| start as usize);
        let before = source.get(start..at.min(source.len())).unwrap_or_default();
        before.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() as u64 + 1
    }
}
