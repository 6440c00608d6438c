//! Numbers as bytes: little endian of fixed width, LEB128, zigzag.

use runcast_core::Problem;

/// A number of LEB128 takes no more bytes than this.
const MOST_BYTES: u32 = 10;

/// Appends an unsigned number as LEB128.
pub(crate) fn put_u(out: &mut Vec<u8>, mut value: u64) {
    while value >= 128 {
        out.push(value as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a signed number: zigzag, then LEB128.
pub(crate) fn put_s(out: &mut Vec<u8>, value: i64) {
    put_u(out, (value << 1 ^ value >> 63) as u64);
}

/// Bytes that are read from front to back. Every error names the offset in the file.
#[derive(Debug, Clone)]
pub(crate) struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where `bytes` begin in the file; within packed sections, in their plain bytes.
    base: u64,
    within: &'a str,
}

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8], base: u64, within: &'a str) -> Self {
        Input { bytes, at: 0, base, within }
    }

    /// A problem at the present place.
    pub(crate) fn problem(&self, message: impl std::fmt::Display) -> Problem {
        let offset = self.base + self.at as u64;
        Problem::new("bad_recording", format!("{message} at byte {offset} of {}", self.within))
    }

    pub(crate) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Problem> {
        let rest = &self.bytes[self.at..];
        let Some(taken) = rest.get(..count) else {
            return Err(self.problem(format_args!("{count} bytes are announced, {} are left", rest.len())));
        };
        self.at += count;
        Ok(taken)
    }

    pub(crate) fn fixed<const N: usize>(&mut self) -> Result<[u8; N], Problem> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N)?);
        Ok(bytes)
    }

    pub(crate) fn u(&mut self) -> Result<u64, Problem> {
        let mut value = 0_u64;
        for index in 0..MOST_BYTES {
            let [byte] = self.fixed()?;
            let part = u64::from(byte & 127);
            if index == MOST_BYTES - 1 && byte > 1 {
                return Err(self.problem("a number does not fit into 64 bits"));
            }
            value |= part << (7 * index);
            if byte < 128 {
                return Ok(value);
            }
        }
        Err(self.problem("a number is longer than 10 bytes"))
    }

    pub(crate) fn s(&mut self) -> Result<i64, Problem> {
        let value = self.u()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// A number that must fit into a narrower type.
    pub(crate) fn narrow<T: TryFrom<u64>>(&mut self, what: &str) -> Result<T, Problem> {
        let value = self.u()?;
        T::try_from(value).map_err(|_| self.problem(format_args!("{what} {value} is too large")))
    }

    /// How many things follow, each of which takes at least `least` bytes: no more than bytes are there for.
    pub(crate) fn count(&mut self, least: usize) -> Result<usize, Problem> {
        let value = self.u()?;
        match usize::try_from(value) {
            Ok(count) if count <= self.left() / least.max(1) => Ok(count),
            _ => Err(self.problem(format_args!("{value} elements are announced, {} bytes are left", self.left()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back(unsigned: u64, signed: i64) {
            let mut bytes = Vec::new();
            put_u(&mut bytes, unsigned);
            put_s(&mut bytes, signed);
            let mut input = Input::new(&bytes, 0, "a test");
            prop_assert_eq!(input.u().ok(), Some(unsigned));
            prop_assert_eq!(input.s().ok(), Some(signed));
            prop_assert_eq!(input.left(), 0);
        }
    }

    #[test]
    fn numbers_of_more_than_64_bits_are_refused() {
        let eleven = [0xff; 11];
        assert!(Input::new(&eleven, 0, "a test").u().is_err());
        let mut ten = [0xff; 10];
        ten[9] = 2;
        assert!(Input::new(&ten, 0, "a test").u().is_err());
        ten[9] = 1;
        assert_eq!(Input::new(&ten, 0, "a test").u().ok(), Some(u64::MAX));
    }

    #[test]
    fn zigzag_is_small_for_small_numbers() {
        let mut bytes = Vec::new();
        for value in [0, -1, 1, -64, 63] {
            put_s(&mut bytes, value);
        }
        assert_eq!(bytes, [0, 1, 2, 127, 126]);
    }
}
