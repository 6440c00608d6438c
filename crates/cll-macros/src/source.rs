//! The source file around the macro: which version of it a trace came from.

use proc_macro2::Span;

/// A number that changes when the source file does, in hexadecimal; empty where the file cannot be read.
pub fn hash() -> String {
    if !proc_macro::is_available() {
        return String::new();
    }
    let file = Span::call_site().unwrap().local_file();
    let bytes = file.and_then(|file| std::fs::read(file).ok());
    bytes.map_or_else(String::new, |bytes| format!("{:016x}", fnv1a(&bytes)))
}

/// 64-bit FNV-1a.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_published_test_vectors_hold() {
        assert_eq!(super::fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(super::fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(super::fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
