//! The pages of a column, and the lengths that they state.
//!
//! The decoder of the crate makes room for what a page says that it holds, and a length of gigabytes that is not true
//! would end the program. So all lengths are compared with each other and with the file before they are believed.

use super::compact::Compact;
use super::damaged;
use crate::problem::Problem;
use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;
use std::sync::Arc;

/// What the pages of a column in one group of rows say of themselves.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Survey {
    /// Values, nulls among them.
    values: u64,
    /// Different values, where all pages refer to a list of them.
    pub(super) distinct: Option<u64>,
    /// Bytes of that list.
    pub(super) distinct_bytes: u64,
    /// Bytes of the longest page.
    pub(super) longest: u64,
}

/// What is said at the head of a page.
#[derive(Default)]
struct Head {
    kind: i64,
    bytes: i64,
    packed_bytes: i64,
    values: i64,
    encoding: i64,
}

/// Kinds of pages.
const DATA: i64 = 0;
const INDEX: i64 = 1;
const DICTIONARY: i64 = 2;
const DATA_2: i64 = 3;

/// Goes through the pages of a column in one group of rows.
///
/// # Errors
/// They are not in the file, or do not hold a value for each row.
pub(super) fn survey(file: &[u8], chunk: &ColumnChunkMetaData, rows: u64) -> std::result::Result<Survey, Problem> {
    let start = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
    let within = |start: i64, length: i64| {
        let start = usize::try_from(start).ok()?;
        file.get(start..start.checked_add(usize::try_from(length).ok()?)?)
    };
    let pages = within(start, chunk.compressed_size()).ok_or_else(|| damaged("it ends early"))?;
    let survey = survey_pages(pages).ok_or_else(|| damaged("a page cannot be read"))?;
    if survey.values != rows {
        return Err(damaged(format!("a column has {} values for {rows} rows", survey.values)));
    }
    Ok(survey)
}

fn survey_pages(pages: &[u8]) -> Option<Survey> {
    let mut survey = Survey { distinct: Some(0), ..Survey::default() };
    let mut at = 0;
    while at < pages.len() {
        let mut compact = Compact::new(&pages[at..]);
        let head = head(&mut compact)?;
        compact.pass(u64::try_from(head.packed_bytes).ok()?)?;
        at += compact.at();
        let (bytes, values) = (u64::try_from(head.bytes).ok()?, u64::try_from(head.values).ok()?);
        survey.longest = survey.longest.max(bytes);
        match head.kind {
            INDEX => {}
            DICTIONARY => {
                // Those of two, four, eight or more bytes: a text has its length before it.
                if 2 * values > bytes {
                    return None;
                }
                survey.distinct = survey.distinct.map(|distinct| distinct + values);
                survey.distinct_bytes += bytes;
            }
            DATA | DATA_2 => {
                survey.values = survey.values.checked_add(values)?;
                let refers = [Encoding::PLAIN_DICTIONARY as i64, Encoding::RLE_DICTIONARY as i64];
                if !refers.contains(&head.encoding) {
                    survey.distinct = None;
                }
            }
            _ => return None,
        }
    }
    Some(survey)
}

fn head(compact: &mut Compact<'_>) -> Option<Head> {
    let mut head = Head::default();
    compact.structure(|compact, field| {
        match field.id {
            1 => head.kind = compact.integer_of(field)?,
            2 => head.bytes = compact.integer_of(field)?,
            3 => head.packed_bytes = compact.integer_of(field)?,
            // The head of its kind, whose fields have the same order but for the second version.
            5 | 7 | 8 => {
                let encoding = if field.id == 8 { 4 } else { 2 };
                compact.structure_of(field, |compact, inner| {
                    match inner.id {
                        1 => head.values = compact.integer_of(inner)?,
                        id if id == encoding => head.encoding = compact.integer_of(inner)?,
                        _ => return Some(false),
                    }
                    Some(true)
                })?;
            }
            _ => return Some(false),
        }
        Some(true)
    })?;
    Some(head)
}

/// The pages of a column, each looked at before it is decoded.
pub(super) struct Checked {
    pages: SerializedPageReader<Bytes>,
    has_nulls: bool,
}

impl Checked {
    /// The pages of a column that was surveyed.
    pub(super) fn new(file: &Arc<Bytes>, chunk: &ColumnChunkMetaData, rows: usize) -> Result<Self> {
        let pages = SerializedPageReader::new(Arc::clone(file), chunk, rows, None)?;
        Ok(Checked { pages, has_nulls: chunk.column_descr().max_def_level() > 0 })
    }
}

impl Iterator for Checked {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Checked {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        match page {
            Some(page) if !states_true_counts(&page, self.has_nulls) => {
                Err(ParquetError::General("a page says that it holds more than it does".to_owned()))
            }
            page => Ok(page),
        }
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}

/// Whether a page whose encoding counts its texts once more counts them as its head does.
fn states_true_counts(page: &Page, has_nulls: bool) -> bool {
    let (bytes, values, encoding, levels) = match page {
        Page::DictionaryPage { .. } => return true,
        Page::DataPage { buf, num_values, encoding, def_level_encoding, .. } => (
            buf,
            *num_values,
            *encoding,
            if has_nulls { levels(buf, *num_values, *def_level_encoding) } else { Some(0) },
        ),
        Page::DataPageV2 { buf, num_values, encoding, def_levels_byte_len, rep_levels_byte_len, .. } => {
            let levels = def_levels_byte_len.checked_add(*rep_levels_byte_len);
            (buf, *num_values, *encoding, levels.map(|levels| levels as usize))
        }
    };
    let lists = match encoding {
        Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
        Encoding::DELTA_BYTE_ARRAY => 2,
        _ => return true,
    };
    let Some(mut rest) = levels.and_then(|levels| bytes.get(levels..)) else { return false };
    (0..lists).all(|_| pass_lengths(&mut rest, values).is_some())
}

/// Bytes that say which values are null.
fn levels(page: &[u8], values: u32, encoding: Encoding) -> Option<usize> {
    match encoding {
        Encoding::RLE => Some(4 + u32::from_le_bytes(*page.first_chunk()?) as usize),
        _ => Some(values.div_ceil(8) as usize),
    }
}

/// Passes a list of at most so many lengths in the encoding `DELTA_BINARY_PACKED`: blocks of differences, packed into
/// as many bits as the largest in a part of a block needs.
fn pass_lengths(bytes: &mut &[u8], most: u32) -> Option<()> {
    let mut compact = Compact::new(bytes);
    let (block, parts, count) = (compact.number()?, compact.number()?, compact.number()?);
    compact.number()?;
    if count > most.into() {
        return None;
    }
    let part = block.checked_div(parts)?;
    // The first stands at the head.
    let mut left = count.saturating_sub(1);
    while left > 0 {
        compact.number()?;
        let widths = (0..parts).map(|_| compact.byte()).collect::<Option<Vec<u8>>>()?;
        for width in widths {
            if left == 0 {
                break;
            }
            compact.pass(u64::from(width).checked_mul(part)? / 8)?;
            left = left.saturating_sub(part.max(1));
        }
        if parts == 0 {
            return None;
        }
    }
    *bytes = &bytes[compact.at()..];
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The head of a list of so many values, and ten bytes.
    fn dictionary(values: &[u8]) -> Vec<u8> {
        let mut page = vec![0x15, 4, 0x15, 20, 0x15, 20, 0x4c, 0x15];
        page.extend(values);
        page.extend([0x15, 0, 0, 0]);
        page.extend([7; 10]);
        page
    }

    #[test]
    fn counts_that_cannot_be_true_are_refused() {
        let page = dictionary(&[4]);
        let survey = survey_pages(&page).expect("two values");
        assert_eq!((survey.distinct, survey.distinct_bytes, survey.longest), (Some(2), 10, 10));
        assert!(survey_pages(&dictionary(&[0x80, 0x80, 0x80, 0x80, 8])).is_none(), "a billion values");
        assert!(survey_pages(&page[..page.len() - 1]).is_none(), "a byte is missing");
        assert!(survey_pages(&[0x15, 1, 0x15, 20, 0x15, 20, 0]).is_none(), "a kind below zero");
    }

    #[test]
    fn packed_lengths_are_counted_before_they_are_read() {
        // Blocks of 128 in four parts; two lengths, the second three more than the first, in two bits.
        let lengths = [0x80, 1, 4, 2, 2, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, b'x'];
        let mut rest = &lengths[..];
        assert_eq!((pass_lengths(&mut rest, 2), rest), (Some(()), &b"x"[..]));
        assert_eq!(pass_lengths(&mut &lengths[..], 1), None);
        assert_eq!(pass_lengths(&mut &lengths[..12], 2), None);
        assert_eq!(pass_lengths(&mut &[0x80, 1, 0, 2, 2][..], 2), None, "no parts");
    }
}
