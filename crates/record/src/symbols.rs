//! Names of functions in a program's file, for call sites: the symbol table of ELF files of 64 bits.
//!
//! Layout: System V Application Binary Interface, chapters 4 and 5 (object files, symbol tables, notes).

/// Functions of a file by address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Symbols {
    /// Identity of the file; empty if the linker gave none.
    pub build_id: Vec<u8>,
    /// Where the first segment is loaded: offsets of call sites count from there.
    base: u64,
    /// Address, size and name, ascending.
    functions: Vec<(u64, u64, String)>,
}

/// Sections and symbols of a file.
const MOST: u64 = 1 << 24;

const SYMBOLS: u32 = 2;
const NOTE: u32 = 7;
const DYNAMIC_SYMBOLS: u32 = 11;

impl Symbols {
    /// Those of a file; none where it is no such file, or damaged.
    pub fn read(file: &[u8]) -> Option<Symbols> {
        if file.get(..6)? != b"\x7fELF\x02\x01" {
            return None;
        }
        let sections = sections(file)?;
        let mut symbols = Symbols { base: base(file).unwrap_or(0), ..Symbols::default() };
        for kind in [SYMBOLS, DYNAMIC_SYMBOLS] {
            let table = sections.iter().find(|section| section.kind == kind);
            if let Some(table) = table.filter(|_| symbols.functions.is_empty()) {
                let names = sections.get(table.link as usize)?;
                symbols.functions = functions(table.of(file)?, names.of(file)?);
            }
        }
        symbols.functions.sort();
        symbols.functions.dedup_by_key(|function| function.0);
        let notes = sections.iter().filter(|section| section.kind == NOTE);
        symbols.build_id = notes.filter_map(|section| build_id(section.of(file)?)).next().unwrap_or_default();
        Some(symbols)
    }

    /// The function that holds an offset, such as that before a return address.
    pub fn function(&self, offset: u64) -> Option<&str> {
        let address = self.base.checked_add(offset)?;
        let after = self.functions.partition_point(|function| function.0 <= address);
        let (start, size, name) = self.functions.get(after.checked_sub(1)?)?;
        (address - start < (*size).max(1)).then_some(name.as_str())
    }
}

#[derive(Debug, Clone, Copy)]
struct Section {
    kind: u32,
    start: u64,
    size: u64,
    link: u32,
}

impl Section {
    fn of<'a>(&self, file: &'a [u8]) -> Option<&'a [u8]> {
        let start = usize::try_from(self.start).ok()?;
        file.get(start..start.checked_add(usize::try_from(self.size).ok()?)?)
    }
}

fn u16_at(bytes: &[u8], at: u64) -> Option<u64> {
    let at = usize::try_from(at).ok()?;
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?).into())
}

fn u32_at(bytes: &[u8], at: u64) -> Option<u32> {
    let at = usize::try_from(at).ok()?;
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: u64) -> Option<u64> {
    let at = usize::try_from(at).ok()?;
    Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

fn sections(file: &[u8]) -> Option<Vec<Section>> {
    let (start, size, count) = (u64_at(file, 40)?, u16_at(file, 58)?, u16_at(file, 60)?);
    let one = |number: u64| {
        let at = start.checked_add(number * size)?;
        let field = |offset: u64| u64_at(file, at.checked_add(offset)?);
        let (kind, link) = (u32_at(file, at.checked_add(4)?)?, u32_at(file, at.checked_add(40)?)?);
        Some(Section { kind, start: field(24)?, size: field(32)?, link })
    };
    (0..count.min(MOST)).map(one).collect()
}

/// The least address of a segment that is loaded.
fn base(file: &[u8]) -> Option<u64> {
    let (start, size, count) = (u64_at(file, 32)?, u16_at(file, 54)?, u16_at(file, 56)?);
    let one = |number: u64| {
        let at = start.checked_add(number * size)?;
        let address = u64_at(file, at.checked_add(16)?)?;
        (u32_at(file, at)? == 1).then_some(address)
    };
    (0..count).filter_map(one).min()
}

fn functions(table: &[u8], names: &[u8]) -> Vec<(u64, u64, String)> {
    let one = |entry: &[u8]| {
        let kind = entry[4] & 15;
        let address = u64_at(entry, 8)?;
        let name = names.get(u32_at(entry, 0)? as usize..)?;
        let name = name.split(|byte| *byte == 0).next()?;
        // 2 is a function.
        let is_one = kind == 2 && address > 0 && !name.is_empty();
        is_one.then(|| Some((address, u64_at(entry, 16)?, String::from_utf8_lossy(name).into_owned())))?
    };
    table.chunks_exact(24).filter_map(one).collect()
}

/// A note of the owner `GNU` of kind 3.
fn build_id(notes: &[u8]) -> Option<Vec<u8>> {
    let mut at = 0_u64;
    loop {
        let (owner, size, kind) = (u32_at(notes, at)?, u32_at(notes, at + 4)?, u32_at(notes, at + 8)?);
        let padded = |length: u32| u64::from(length).next_multiple_of(4);
        let start = at + 12 + padded(owner);
        if kind == 3 && owner == 4 {
            let start = usize::try_from(start).ok()?;
            return notes.get(start..start.checked_add(size as usize)?).map(<[u8]>::to_vec);
        }
        at = start + padded(size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_this_very_program() {
        let own = std::env::current_exe().expect("a path");
        let file = std::fs::read(own).expect("its file");
        let symbols = Symbols::read(&file).expect("an ELF file");
        // Where this function is, counted from where the file is loaded, is not known here: by its name, then.
        let named = |(_, _, name): &&(u64, u64, String)| name.contains("functions_of_this_very_program");
        let (start, size, name) = symbols.functions.iter().find(named).expect("this function");
        for offset in [0, size / 2, size - 1] {
            assert_eq!(symbols.function(start + offset - symbols.base), Some(name.as_str()));
        }
        let mut random = runcast_core::random::SplitMix::new(3, 1);
        for _ in 0..200 {
            let mut damaged = file[..file.len().min(4_096)].to_vec();
            for _ in 0..4 {
                let at = random.below(64);
                damaged[at] = random.below(256) as u8;
            }
            let _ = Symbols::read(&damaged);
        }
        assert_eq!(Symbols::read(b"\x7fELF"), None);
    }
}
