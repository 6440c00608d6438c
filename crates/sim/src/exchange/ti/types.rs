//! Types of data in traces, by number.

/// Sizes in bytes: double, int, char, short, long, float, byte, long long, two more chars, unsigned short, unsigned,
/// unsigned long.
const SIZES: [u64; 13] = [8, 4, 1, 2, 8, 4, 1, 8, 1, 1, 2, 4, 8];

/// The number of bytes, as it is written.
pub const BYTE: u32 = 6;

/// Bytes of an item of a type.
pub fn size_of(number: usize) -> Option<u64> {
    SIZES.get(number).copied()
}
