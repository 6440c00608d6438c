//! Values of a metric: `N.index` and `N.data`.

use super::anchor::{Anchor, Metric};
use super::archive::{Member, member};
use crate::problem::Problem;
use std::io::Read;

const INDEX: &[u8] = b"CUBEX.INDEX";
const DATA: &[u8] = b"CUBEX.DATA";
const PACKED: &[u8] = b"ZCUBEX.DATA";
/// Behind its marker: the number 1, a version, a kind, the count.
const HEAD: usize = 4 + 2 + 1 + 4;

/// A metric has at most so many values, half a gibibyte of them.
const MOST_VALUES: usize = 1 << 26;

/// How a file writes its numbers.
#[derive(Clone, Copy)]
struct Order {
    is_big: bool,
}

impl Order {
    fn number(self, bytes: &[u8]) -> u64 {
        let shifted = |sum: u64, byte: &u8| (sum << 8) | u64::from(*byte);
        if self.is_big { bytes.iter().fold(0, shifted) } else { bytes.iter().rev().fold(0, shifted) }
    }

    /// A value of a type of the format, with the width of that.
    fn value(self, kind: &str, bytes: &[u8]) -> f64 {
        let bits = self.number(bytes);
        let signed = |width: u32| ((bits << (64 - width)) as i64 >> (64 - width)) as f64;
        match (kind, bytes.len() as u32 * 8) {
            ("DOUBLE" | "MINDOUBLE" | "MAXDOUBLE", _) => f64::from_bits(bits),
            ("FLOAT", _) => f64::from(f32::from_bits(bits as u32)),
            (kind, width) if kind.starts_with("INT") || kind.starts_with("SIGNED") || kind.starts_with("SHORT") => {
                signed(width)
            }
            _ => bits as f64,
        }
    }
}

fn width(kind: &str) -> Option<usize> {
    Some(match kind {
        "DOUBLE" | "MINDOUBLE" | "MAXDOUBLE" | "UINT64" | "INT64" => 8,
        "FLOAT" | "UINT32" | "INT32" | "INT" | "INTEGER" | "UNSIGNED INT" | "UNSIGNED INTEGER" | "SIGNED INT"
        | "SIGNED INTEGER" => 4,
        "UINT16" | "INT16" | "SHORT INT" | "UNSIGNED SHORT INT" | "SIGNED SHORT INT" => 2,
        "UINT8" | "INT8" | "CHAR" => 1,
        _ => return None,
    })
}

/// For each node of the tree a value at each location; 0 where the profile has none.
///
/// # Errors
/// Files of the metric are missing, cut off, or do not fit to the tree.
pub(super) fn values(members: &[Member<'_>], metric: &Metric, anchor: &Anchor) -> Result<Vec<f64>, Problem> {
    let count = anchor.locations.len();
    let cells = anchor.nodes.len().saturating_mul(count);
    if cells > MOST_VALUES {
        let message = format!("{} nodes of the tree at {count} locations are too many values", anchor.nodes.len());
        let problem = Problem::new("too_large", message).value(cells.to_string());
        return Err(problem.allowed(format!("{MOST_VALUES}")).hint("cut the tree before: cube_cut of Score-P's tools"));
    }
    let mut values = vec![0.0; cells];
    let width = width(&metric.kind).ok_or_else(|| {
        let problem = Problem::new(
            "unknown_type",
            format!("values of the metric {} are of a type that is not read", metric.name),
        );
        problem.value(metric.kind.clone()).allowed("DOUBLE, FLOAT, and integers")
    })?;
    let file = |end: &str| {
        let name = format!("{}.{end}", metric.id);
        let missing =
            || Problem::new("missing_member", format!("the archive has no {name}, with the metric {}", metric.name));
        member(members, &name).ok_or_else(missing)
    };
    let wrong = |end: &str, what: &str| Problem::new("damaged_archive", format!("{}.{end}: {what}", metric.id));
    let index = file("index")?;
    let head = index.strip_prefix(INDEX).filter(|rest| rest.len() >= HEAD);
    let rest = head.ok_or_else(|| wrong("index", "it does not begin with CUBEX.INDEX and a count"))?;
    let order = match &rest[..4] {
        [1, 0, 0, 0] => Order { is_big: false },
        [0, 0, 0, 1] => Order { is_big: true },
        _ => return Err(wrong("index", "the order of its bytes is not known")),
    };
    let rows = order.number(&rest[7..11]) as usize;
    let ids = rows.checked_mul(4).and_then(|bytes| rest.get(HEAD..HEAD + bytes));
    let ids: Vec<usize> = ids
        .ok_or_else(|| wrong("index", "it is cut off"))?
        .chunks_exact(4)
        .map(|id| order.number(id) as usize)
        .collect();
    if rows > anchor.nodes.len() {
        return Err(wrong("index", &format!("it names {rows} nodes of {}", anchor.nodes.len())));
    }
    let data = file("data")?;
    let unpacked;
    let data = match (data.strip_prefix(DATA), data.strip_prefix(PACKED)) {
        (Some(data), _) => data,
        (None, Some(data)) => {
            let most = (rows as u64).saturating_mul(count as u64).saturating_mul(width as u64);
            unpacked = segments(data, order, most).ok_or_else(|| wrong("data", "a segment is cut off or damaged"))?;
            &unpacked
        }
        (None, None) => return Err(wrong("data", "it does not begin with CUBEX.DATA or ZCUBEX.DATA")),
    };
    let needed = rows.checked_mul(count).and_then(|values| values.checked_mul(width));
    if needed != Some(data.len()) {
        let what = format!(
            "{rows} nodes at {count} locations are expected, of {width} bytes each; it has {} bytes",
            data.len()
        );
        return Err(wrong("data", &what));
    }
    let walk = anchor.order(metric.is_inclusive);
    for (id, row) in ids.iter().zip(data.chunks_exact((count * width).max(1))) {
        let node = walk.get(*id).ok_or_else(|| wrong("index", &format!("there is no node {id}")))?;
        for (place, bytes) in row.chunks_exact(width).enumerate() {
            values[node * count + place] = order.value(&metric.kind, bytes);
        }
    }
    Ok(values)
}

/// A count, for each segment its places and its packed size, and then the segments.
fn segments(data: &[u8], order: Order, most: u64) -> Option<Vec<u8>> {
    let count = usize::try_from(order.number(data.get(..8)?)).ok()?;
    let heads = data.get(8..count.checked_mul(24)?.checked_add(8)?)?;
    let mut packed = &data[8 + heads.len()..];
    let mut unpacked = Vec::new();
    for head in heads.chunks_exact(24) {
        let size = usize::try_from(order.number(&head[16..])).ok()?;
        let (segment, rest) = packed.split_at_checked(size)?;
        packed = rest;
        if size > 0 {
            let left = (most + 1).checked_sub(unpacked.len() as u64)?;
            flate2::read::ZlibDecoder::new(segment).take(left).read_to_end(&mut unpacked).ok()?;
        }
    }
    Some(unpacked)
}
