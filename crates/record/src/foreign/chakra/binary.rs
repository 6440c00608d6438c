//! Chakra execution traces in Protocol Buffers: messages, each after its length; the first is about the trace, the others are
//! nodes.
//!
//! ```text
//! node       1 id  2 name  3 type  4 ctrl_deps  5 data_deps  6 start  7 duration [us]  10 attributes
//! attribute  1 name  3 double  5 float  7 int32  9 int64  11 uint32  13 uint64  15 sint32  17 sint64  27 bool  29 string
//! ```

use runcast_core::Problem;
use serde_json::{Map, Value, json};

/// The nodes as the same objects that a trace in JSON has.
pub(super) fn nodes(bytes: &[u8], file: &str) -> Result<Vec<Value>, Problem> {
    let mut input = Input { bytes, at: 0 };
    let mut all = Vec::new();
    let mut is_first = true;
    while input.at < bytes.len() {
        let start = input.at;
        let found = input.block().and_then(|block| if is_first { Some(None) } else { node(block).map(Some) });
        let Some(found) = found else {
            let message = format!("this is neither JSON nor a node in Protocol Buffers at byte {start}");
            return Err(Problem::new("bad_trace", message).in_file(file));
        };
        is_first = false;
        all.extend(found);
    }
    Ok(all)
}

struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// What a field holds.
enum Held<'a> {
    Number(u64),
    Block(&'a [u8]),
    Eight(u64),
    Four(u32),
}

impl<'a> Input<'a> {
    fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..70).step_by(7) {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(length)?)?;
        self.at += length;
        Some(taken)
    }

    fn block(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.varint()?).ok()?;
        self.take(length)
    }

    /// Number and content of the next field.
    fn field(&mut self) -> Option<(u64, Held<'a>)> {
        let key = self.varint()?;
        let held = match key & 7 {
            0 => Held::Number(self.varint()?),
            1 => Held::Eight(u64::from_le_bytes(self.take(8)?.try_into().ok()?)),
            2 => Held::Block(self.block()?),
            5 => Held::Four(u32::from_le_bytes(self.take(4)?.try_into().ok()?)),
            _ => return None,
        };
        Some((key >> 3, held))
    }
}

fn text(block: &[u8]) -> Value {
    String::from_utf8_lossy(block).into_owned().into()
}

fn node(block: &[u8]) -> Option<Value> {
    let mut input = Input { bytes: block, at: 0 };
    let mut found = Map::new();
    let mut lists: [Vec<Value>; 3] = Default::default();
    while input.at < block.len() {
        match input.field()? {
            (1, Held::Number(id)) => drop(found.insert("id".to_owned(), id.into())),
            (2, Held::Block(name)) => drop(found.insert("name".to_owned(), text(name))),
            (3, Held::Number(kind)) => drop(found.insert("type".to_owned(), kind.into())),
            (7, Held::Number(time)) => drop(found.insert("duration_micros".to_owned(), time.into())),
            (number @ (4 | 5), Held::Number(id)) => lists[number as usize - 4].push(id.into()),
            (number @ (4 | 5), Held::Block(packed)) => {
                let mut ids = Input { bytes: packed, at: 0 };
                while ids.at < packed.len() {
                    lists[number as usize - 4].push(ids.varint()?.into());
                }
            }
            (10, Held::Block(one)) => lists[2].push(attribute(one)?),
            _ => {}
        }
    }
    for (name, list) in ["ctrl_deps", "data_deps", "attr"].into_iter().zip(lists) {
        found.insert(name.to_owned(), list.into());
    }
    Some(found.into())
}

fn attribute(block: &[u8]) -> Option<Value> {
    let mut input = Input { bytes: block, at: 0 };
    let (mut name, mut value) = (Value::Null, Value::Null);
    while input.at < block.len() {
        match input.field()? {
            (1, Held::Block(given)) => name = text(given),
            (29, Held::Block(given)) => value = text(given),
            (15 | 17, Held::Number(zigzag)) => value = ((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64)).into(),
            (7 | 9 | 27, Held::Number(signed)) => value = (signed as i64).into(),
            (11 | 13, Held::Number(number)) | (21 | 25, Held::Eight(number)) => value = number.into(),
            (3, Held::Eight(bits)) => value = json!(f64::from_bits(bits)),
            (5, Held::Four(bits)) => value = json!(f32::from_bits(bits)),
            (19 | 23, Held::Four(number)) => value = number.into(),
            _ => {}
        }
    }
    Some(json!({ "name": name, "val": value }))
}
