//! The encoding of what a Parquet file says about itself: the compact protocol of Apache Thrift.

/// Structures are nested at most so deep.
const DEEPEST: u32 = 32;

/// Reads a structure; none where the bytes end early or mean nothing.
pub(super) struct Compact<'b> {
    bytes: &'b [u8],
    at: usize,
}

/// The kinds of values.
const STOP: u8 = 0;
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCT: u8 = 12;

/// A field of a structure: its number, and the kind of its value.
pub(super) struct Field {
    pub(super) id: i64,
    kind: u8,
}

impl<'b> Compact<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Compact { bytes, at: 0 }
    }

    /// Number of bytes read.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Reads a structure. `take` returns whether it read the value of the field, which is left out otherwise.
    pub(super) fn structure(&mut self, mut take: impl FnMut(&mut Self, &Field) -> Option<bool>) -> Option<()> {
        let mut id = 0;
        loop {
            let head = self.byte()?;
            if head == STOP {
                return Some(());
            }
            id = if head >> 4 == 0 { self.integer()? } else { id + i64::from(head >> 4) };
            let field = Field { id, kind: head & 15 };
            if !take(self, &field)? {
                self.skip(field.kind, DEEPEST)?;
            }
        }
    }

    /// Reads the structures of a list.
    pub(super) fn structures(&mut self, field: &Field, mut take: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        let (kind, count) = if field.kind == LIST { self.list()? } else { return None };
        if kind != STRUCT {
            return None;
        }
        (0..count).try_for_each(|_| take(self))
    }

    /// Reads the structure of a field.
    pub(super) fn structure_of(
        &mut self,
        field: &Field,
        take: impl FnMut(&mut Self, &Field) -> Option<bool>,
    ) -> Option<()> {
        if field.kind == STRUCT { self.structure(take) } else { None }
    }

    /// Reads a whole number.
    pub(super) fn integer_of(&mut self, field: &Field) -> Option<i64> {
        if (4..=6).contains(&field.kind) { self.integer() } else { None }
    }

    /// Reads bytes that say how many they are.
    pub(super) fn bytes_of(&mut self, field: &Field) -> Option<&'b [u8]> {
        if field.kind == BINARY { self.binary() } else { None }
    }

    /// A number without sign, seven bits a byte.
    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Some(number);
            }
        }
        None
    }

    /// Goes on behind so many bytes.
    pub(super) fn pass(&mut self, count: u64) -> Option<()> {
        let end = self.at.checked_add(usize::try_from(count).ok()?)?;
        (end <= self.bytes.len()).then(|| self.at = end)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    /// A number whose last bit is the sign.
    fn integer(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    fn binary(&mut self) -> Option<&'b [u8]> {
        let length = self.number()?;
        let start = self.at;
        self.pass(length)?;
        Some(&self.bytes[start..self.at])
    }

    /// The kind and the number of what a list holds.
    fn list(&mut self) -> Option<(u8, u64)> {
        let head = self.byte()?;
        let count = if head >> 4 == 15 { self.number()? } else { u64::from(head >> 4) };
        // Each takes a byte at least.
        (count <= (self.bytes.len() - self.at) as u64).then_some((head & 15, count))
    }

    fn skip(&mut self, kind: u8, deepest: u32) -> Option<()> {
        let deeper = deepest.checked_sub(1)?;
        match kind {
            TRUE | FALSE => Some(()),
            BYTE => self.pass(1),
            4..=6 => self.number().map(|_| ()),
            DOUBLE => self.pass(8),
            BINARY => self.binary().map(|_| ()),
            LIST | SET => {
                let (kind, count) = self.list()?;
                (0..count).try_for_each(|_| self.skip_element(kind, deeper))
            }
            MAP => {
                let count = self.number()?;
                let kinds = if count == 0 { 0 } else { self.byte()? };
                (0..count).try_for_each(|_| {
                    self.skip_element(kinds >> 4, deeper)?;
                    self.skip_element(kinds & 15, deeper)
                })
            }
            STRUCT => loop {
                let head = self.byte()?;
                if head == STOP {
                    return Some(());
                }
                if head >> 4 == 0 {
                    self.number()?;
                }
                self.skip(head & 15, deeper)?;
            },
            _ => None,
        }
    }

    /// In a list, true and false take a byte.
    fn skip_element(&mut self, kind: u8, deepest: u32) -> Option<()> {
        if kind == TRUE || kind == FALSE { self.pass(1) } else { self.skip(kind, deepest) }
    }
}
