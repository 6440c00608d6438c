//! The container: a header and sections, each with its checksum.
//!
//! ```text
//! 0 "RUNCREC1"   8 u16 version 1   10 u16 flags (1 partial 2 joined 4 profile)   12 u32 ranks   16 u32 first rank
//! 20 u32 p   24 u32 0   28 u32 CRC-32C of 0..27
//! section: 4-letter tag, u32 encoding (0 plain 1 zlib), u64 stored, u64 plain bytes, payload,
//!          u32 CRC-32C of the section so far
//! ```
//!
//! Unknown sections are skipped. `END ` holds how many bytes come before it; without it the file is truncated.

use crate::crc::crc32c;
use crate::wire::Input;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use runcast_core::Problem;
use std::borrow::Cow;
use std::io::{Read, Write};

/// How a recording begins.
pub const MAGIC: &[u8; 8] = b"RUNCREC1";

/// The version that is written, and the only one that is read.
pub const VERSION: u16 = 1;

/// The file holds what was there before the program ended abnormally.
pub const PARTIAL: u16 = 1;
/// The file holds all ranks.
pub const JOINED: u16 = 2;
/// The order of calls is lost.
pub const PROFILE: u16 = 4;

const HEADER: usize = 32;
const PLAIN: u32 = 0;
const ZLIB: u32 = 1;

/// Packed bytes may grow by this factor at most; that of zlib is 1,032.
const MOST_GROWTH: u64 = 1_100;

/// The first bytes of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Header {
    /// Bits [`PARTIAL`], [`JOINED`], [`PROFILE`].
    pub flags: u16,
    /// How many ranks are in the file.
    pub ranks: u32,
    /// The least of them.
    pub first_rank: u32,
    /// Processes of the run.
    pub p: u32,
}

/// A section that has been unpacked.
#[derive(Debug, Clone)]
pub struct Section<'a> {
    /// Four letters.
    pub tag: [u8; 4],
    /// What it holds.
    pub plain: Cow<'a, [u8]>,
    /// Where its payload begins in the file.
    pub offset: u64,
}

/// Sections up to the first one that is damaged, and what is wrong with that.
#[derive(Debug, Clone)]
pub struct Opened<'a> {
    /// The header.
    pub header: Header,
    /// The intact sections.
    pub sections: Vec<Section<'a>>,
    /// Why the rest cannot be read.
    pub damage: Option<Problem>,
}

/// Writes a header and sections.
pub fn seal(header: Header, sections: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend(MAGIC);
    out.extend(VERSION.to_le_bytes());
    out.extend(header.flags.to_le_bytes());
    for number in [header.ranks, header.first_rank, header.p, 0] {
        out.extend(number.to_le_bytes());
    }
    out.extend(crc32c(&out).to_le_bytes());
    for (tag, plain) in sections {
        put_section(&mut out, tag, plain);
    }
    let before = out.len() as u64;
    put_section(&mut out, b"END ", &before.to_le_bytes());
    out
}

fn put_section(out: &mut Vec<u8>, tag: &[u8; 4], plain: &[u8]) {
    let packed = packed(plain).filter(|packed| packed.len() < plain.len());
    let (encoding, payload) = packed.as_deref().map_or((PLAIN, plain), |packed| (ZLIB, packed));
    let start = out.len();
    out.extend(tag);
    out.extend(encoding.to_le_bytes());
    out.extend((payload.len() as u64).to_le_bytes());
    out.extend((plain.len() as u64).to_le_bytes());
    out.extend(payload);
    let checksum = crc32c(&out[start..]);
    out.extend(checksum.to_le_bytes());
}

fn packed(plain: &[u8]) -> Option<Vec<u8>> {
    if plain.len() < 64 {
        return None;
    }
    let mut encoder = ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(plain).ok()?;
    encoder.finish().ok()
}

/// Reads the header and all intact sections.
///
/// # Errors
/// It is no recording, or one of another version, or its header is damaged.
pub fn open(bytes: &[u8]) -> Result<Opened<'_>, Problem> {
    let header = open_header(bytes)?;
    let mut opened = Opened { header, sections: Vec::new(), damage: None };
    let mut input = Input::new(&bytes[HEADER..], HEADER as u64, "the file");
    loop {
        let start = bytes.len() - input.left();
        if input.left() == 0 {
            opened.damage = Some(input.problem("the end is missing: the file is truncated"));
            return Ok(opened);
        }
        match open_section(&mut input, bytes, start) {
            Ok(section) if &section.tag == b"END " => {
                let is_end = *section.plain == (start as u64).to_le_bytes();
                opened.damage = (!is_end).then(|| input.problem("the end of the file is somewhere else"));
                return Ok(opened);
            }
            Ok(section) => opened.sections.push(section),
            Err(problem) => {
                opened.damage = Some(problem);
                return Ok(opened);
            }
        }
    }
}

fn open_header(bytes: &[u8]) -> Result<Header, Problem> {
    let mut input = Input::new(bytes, 0, "the file");
    let is_ours = input.fixed::<8>().is_ok_and(|magic| magic == *MAGIC);
    if !is_ours {
        return Err(Problem::new("bad_recording", "this is not a recording")
            .allowed("a file that begins with RUNCREC1")
            .hint("runcast record writes them"));
    }
    let version = u16::from_le_bytes(input.fixed()?);
    if version != VERSION {
        return Err(Problem::new("version", "a recording of another version")
            .value(version.to_string())
            .allowed(VERSION.to_string())
            .hint("read it with the version of runcast that wrote it"));
    }
    let flags = u16::from_le_bytes(input.fixed()?);
    let mut number = || input.fixed().map(u32::from_le_bytes);
    let (ranks, first_rank, p, _) = (number()?, number()?, number()?, number()?);
    if number()? != crc32c(&bytes[..HEADER - 4]) {
        return Err(Problem::new("bad_recording", "the checksum of the header (bytes 0 to 27) is wrong"));
    }
    Ok(Header { flags, ranks, first_rank, p })
}

fn open_section<'a>(input: &mut Input<'a>, bytes: &[u8], start: usize) -> Result<Section<'a>, Problem> {
    let tag = input.fixed()?;
    let encoding = u32::from_le_bytes(input.fixed()?);
    let stored = u64::from_le_bytes(input.fixed()?);
    let length = u64::from_le_bytes(input.fixed()?);
    let offset = (bytes.len() - input.left()) as u64;
    let Ok(stored) = usize::try_from(stored) else { return Err(input.problem("a section longer than any file")) };
    let payload = input.take(stored)?;
    let end = bytes.len() - input.left();
    if u32::from_le_bytes(input.fixed()?) != crc32c(&bytes[start..end]) {
        return Err(input.problem(format_args!("the checksum of section {} is wrong", tag.escape_ascii())));
    }
    let plain = match encoding {
        PLAIN if length == stored as u64 => Cow::Borrowed(payload),
        ZLIB if length <= (stored as u64).saturating_mul(MOST_GROWTH) => Cow::Owned(unpacked(payload, length, input)?),
        PLAIN | ZLIB => return Err(input.problem("a section whose lengths contradict each other")),
        other => return Err(input.problem(format_args!("a section in encoding {other}; allowed are 0 and 1"))),
    };
    Ok(Section { tag, plain, offset })
}

/// Room is taken as bytes come, so that an announced length costs nothing.
fn unpacked(payload: &[u8], length: u64, input: &Input<'_>) -> Result<Vec<u8>, Problem> {
    let mut plain = Vec::new();
    let read = ZlibDecoder::new(payload).take(length + 1).read_to_end(&mut plain);
    match read {
        Ok(_) if plain.len() as u64 == length => Ok(plain),
        Ok(_) => Err(input.problem("a section whose lengths contradict each other")),
        Err(error) => Err(input.problem(format_args!("a section cannot be unpacked ({error})"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_come_back_packed_or_not() {
        let header = Header { flags: JOINED, ranks: 3, first_rank: 0, p: 4 };
        let bytes = seal(header, &[(b"AAAA", vec![7; 5_000]), (b"BBBB", vec![1, 2, 3])]);
        assert!(bytes.len() < 300);
        let opened = open(&bytes).expect("a recording");
        assert_eq!((opened.header, opened.damage), (header, None));
        assert_eq!(opened.sections[0].plain, vec![7; 5_000]);
        assert_eq!(opened.sections[1].plain, vec![1, 2, 3]);
    }

    #[test]
    fn what_comes_before_damage_is_kept() {
        let bytes = seal(Header::default(), &[(b"AAAA", vec![1, 2, 3]), (b"BBBB", vec![4; 1_000])]);
        for length in 63..bytes.len() {
            let cut = open(&bytes[..length]).expect("the header");
            assert!(cut.damage.is_some(), "{length}");
            assert!(!cut.sections.is_empty());
        }
        let mut flipped = bytes;
        flipped[90] ^= 1;
        let opened = open(&flipped).expect("the header");
        assert_eq!(opened.sections.len(), 1);
        assert!(opened.damage.expect("damage").message.contains("BBBB"));
    }

    #[test]
    fn another_version_is_refused() {
        let mut bytes = seal(Header::default(), &[]);
        bytes[8] = 2;
        let problem = open(&bytes).expect_err("version 2");
        assert_eq!((problem.value.as_deref(), problem.allowed.as_deref()), (Some("2"), Some("1")));
        assert!(open(b"RUNC").is_err());
        assert!(open(&seal(Header::default(), &[])[..20]).is_err());
    }
}
