//! Members of a tar archive, by name.

use crate::problem::Problem;

const BLOCK: usize = 512;

/// Whether a file begins as an archive does.
pub(super) fn is_archive(bytes: &[u8]) -> bool {
    bytes.get(257..262) == Some(b"ustar") || (bytes.starts_with(b"anchor.xml\0") && bytes.len() >= BLOCK)
}

/// A member: its name and its content.
pub(super) type Member<'a> = (String, &'a [u8]);

/// All members that are files.
///
/// # Errors
/// The archive is cut off or damaged, with the byte where.
pub(super) fn members(bytes: &[u8]) -> Result<Vec<Member<'_>>, Problem> {
    let mut members = Vec::new();
    let mut long_name = None;
    let mut at = 0;
    while let Some(header) = bytes.get(at..at + BLOCK).filter(|header| header[0] != 0) {
        let damaged = |what: &str| {
            Problem::new("damaged_archive", format!("{what} in the archive, at byte {at}"))
                .hint("copy the profile again, or unpack and pack it with tar")
        };
        let size = size(&header[124..136]).ok_or_else(|| damaged("the size of a member is no number"))?;
        let from = at + BLOCK;
        let content = from.checked_add(size).and_then(|to| bytes.get(from..to));
        let content = content.ok_or_else(|| damaged("a member is cut off"))?;
        match header[156] {
            // A name of its own for the next one, longer than a header takes.
            b'L' => long_name = Some(text(content)),
            b'0' | 0 => {
                let name = long_name.take().unwrap_or_else(|| name(header));
                members.push((name.trim_start_matches("./").to_owned(), content));
            }
            _ => {}
        }
        at = from + size.div_ceil(BLOCK) * BLOCK;
    }
    if members.is_empty() {
        return Err(Problem::new("damaged_archive", "the archive has no files"));
    }
    Ok(members)
}

/// A member by its name; profiles may stand in a folder.
pub(super) fn member<'a>(members: &[Member<'a>], name: &str) -> Option<&'a [u8]> {
    let is_it = |known: &str| known == name || known.strip_suffix(name).is_some_and(|folder| folder.ends_with('/'));
    members.iter().find(|(known, _)| is_it(known)).map(|(_, content)| *content)
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

fn name(header: &[u8]) -> String {
    let (own, folder) = (text(&header[..100]), text(&header[345..500]));
    if header[257..262] == *b"ustar" && !folder.is_empty() { format!("{folder}/{own}") } else { own }
}

/// Octal digits, or the bytes of a number behind a first one of 128.
fn size(field: &[u8]) -> Option<usize> {
    if field[0] == 0x80 {
        let whole =
            field[1..].iter().try_fold(0usize, |sum, byte| sum.checked_mul(256)?.checked_add(usize::from(*byte)));
        return whole;
    }
    let digits = text(field);
    usize::from_str_radix(digits.trim_matches(' '), 8).ok()
}
