//! Reading a table from bytes, in any format.

use super::blocks::Blocks;
use super::source::{Source, Unpacked};
use super::{Table, cells, counted, csv, layout, merge, parquet, tidy, wide};
use crate::import::{self, Format, Probe};
use crate::problem::{Problem, Problems};
use std::borrow::Cow;

/// How to read a table.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Name of the format ([`import::FORMATS`]); recognized by content when absent.
    pub format: Option<String>,
    /// Separator of CSV cells; a comma when absent.
    pub delimiter: Option<char>,
    /// `NAME=ATTRIBUTE`: a parameter taken from an attribute of the file, where the format has many (caliper).
    pub params: Vec<String>,
    /// `NAME=ATTRIBUTE[:UNIT]`: a metric taken from an attribute of the file (caliper).
    pub metrics: Vec<String>,
    /// Samples a second of a sampling profiler (folded).
    pub frequency: Option<f64>,
    /// Bytes that a table may take; without it, what the system gives.
    pub memory: Option<u64>,
}

impl Table {
    /// Reads a table; the format is recognized by content unless the options name it.
    ///
    /// # Errors
    /// File and line of the error in the input.
    ///
    /// # Examples
    /// ```
    /// use runcast_core::Table;
    /// let table = Table::read("runs.csv", b"p,time_s\n8,1.5\n16,0.9\n", &Default::default())?;
    /// assert_eq!(table.rows(), 2);
    /// # Ok::<(), runcast_core::Problems>(())
    /// ```
    pub fn read(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Table, Problems> {
        if bytes.starts_with(&GZIP) {
            return Table::read_from(name, &bytes, options);
        }
        read_unpacked(name, bytes.into(), options)
    }

    /// Reads a table from a source, whose text need not fit into memory: CSV is read a block at a time, packed by gzip or
    /// not, with the same result as [`Table::read`]. Other formats are read as a whole.
    ///
    /// # Errors
    /// File and line of the error in the input; `out_of_memory` where the table would take more than
    /// [`ReadOptions::memory`], with what it needs.
    ///
    /// # Examples
    /// ```
    /// use runcast_core::Table;
    /// let table = Table::read_from("runs.csv", &b"p,time_s\n8,1.5\n16,0.9\n".to_vec(), &Default::default())?;
    /// assert_eq!(table.rows(), 2);
    /// # Ok::<(), runcast_core::Problems>(())
    /// ```
    pub fn read_from(name: &str, source: &dyn Source, options: &ReadOptions) -> Result<Table, Problems> {
        if let Some(bytes) = source.bytes().filter(|bytes| !bytes.starts_with(&GZIP)) {
            return Table::read(name, bytes, options);
        }
        let in_file = |problem: Problem| Problems(vec![problem.in_file(name)]);
        let start = start_of(source).map_err(in_file)?;
        if begins_like_json(&start) || parquet::is_parquet(&start) || import::binary(&start).is_some() {
            return read_unpacked(name, whole(source, options).map_err(in_file)?.into(), options);
        }
        let blocks = || Blocks::of(Unpacked::open(source)?, options.memory);
        let first = blocks().map_err(in_file)?;
        let csv = match first.text() {
            Ok(text) if !first.is_last() && reaches_far(text) => {
                format_of(text, options).ok().filter(|format| format.name == "csv")
            }
            _ => None,
        };
        let Some(csv) = csv else {
            let bytes = whole(source, options).map_err(in_file)?;
            return read_unpacked(name, bytes.into(), options);
        };
        let has_commas = has_commas(first.text().unwrap_or_default(), options);
        drop(first);
        let mut table = csv::read_blocks(&blocks, options).map_err(in_file)?;
        cells::turn(&mut table, !has_commas);
        finished(table, csv.name, name)
    }

    /// Reads several files into one table: the union of their columns, with empty cells where a file lacks one.
    ///
    /// # Errors
    /// All errors in any of the files.
    pub fn read_many<S: Source>(files: &[(String, S)], options: &ReadOptions) -> Result<Table, Problems> {
        let mut tables = Vec::with_capacity(files.len());
        let mut problems = Vec::new();
        for (name, source) in files {
            match Table::read_from(name, source, options) {
                Ok(table) => tables.push(table),
                Err(found) => problems.extend(found.0),
            }
        }
        if !problems.is_empty() {
            return Err(Problems(problems));
        }
        if tables.is_empty() {
            return Err(Problem::new("empty_table", "no file is given").into());
        }
        Ok(merge::concatenate(tables))
    }
}

/// Reads bytes that are not compressed.
fn read_unpacked(name: &str, bytes: Cow<'_, [u8]>, options: &ReadOptions) -> Result<Table, Problems> {
    if parquet::is_parquet(&bytes) && options.format.as_deref().is_none_or(|format| format == parquet::NAME) {
        let table = parquet::read(bytes.into_owned(), options);
        return finished(table.map_err(|problem| problem.in_file(name))?, parquet::NAME, name);
    }
    let chosen = |name: &str| options.format.as_deref().is_none_or(|format| format == name);
    if let Some(binary) = import::binary(&bytes).filter(|binary| chosen(binary.name)) {
        return finished((binary.read)(name, &bytes, options)?, binary.name, name);
    }
    let text = decode(&bytes).map_err(|problem| Problems(vec![problem.in_file(name)]))?;
    if text.trim_ascii().is_empty() {
        return Err(Problem::new("empty_table", "the file is empty").in_file(name).into());
    }
    let format = format_of(text, options).map_err(|problem| named(problem, name, options))?;
    if format.name != "csv" {
        return finished((format.read)(name, text, options)?, format.name, name);
    }
    let (text, warning) = if options.delimiter.is_some() { (text.into(), None) } else { tidy::table_of(text) };
    let mut table = (format.read)(name, &text, options)?;
    table.warnings.extend(warning);
    cells::turn(&mut table, !has_commas(&text, options));
    finished(table, format.name, name)
}

/// Whether commas separate the cells.
fn has_commas(text: &str, options: &ReadOptions) -> bool {
    options.delimiter.map_or_else(|| layout::has_commas(text), |delimiter| delimiter == ',')
}

/// How a file compressed by gzip begins.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The format of a text, by the options or by content.
fn format_of(text: &str, options: &ReadOptions) -> Result<&'static Format, Problem> {
    match &options.format {
        Some(format) => import::format(format),
        None => import::recognize(&Probe::new(text)),
    }
}

/// A problem of the format; one of an option concerns no file.
fn named(problem: Problem, name: &str, options: &ReadOptions) -> Problems {
    Problems(vec![if options.format.is_some() { problem } else { problem.in_file(name) }])
}

/// How a source begins, unpacked.
fn start_of(source: &dyn Source) -> Result<Vec<u8>, Problem> {
    let mut start = vec![0; 1024];
    let length = Unpacked::open(source)?.fill(&mut start)?;
    start.truncate(length);
    Ok(start)
}

/// Whether a file may be a document of JSON, which may stand on one line.
fn begins_like_json(start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    matches!(start.trim_ascii_start().first(), Some(b'{' | b'['))
}

/// Whether the beginning of a text tells its format as the whole would: the formats look at eight lines at most.
fn reaches_far(text: &str) -> bool {
    Probe::new(text).first_lines(16).count() == 16
}

/// What remains to be done with a table of any format.
fn finished(mut table: Table, format: &str, name: &str) -> Result<Table, Problems> {
    if wide::FORMATS.contains(&format) {
        counted::split(&mut table);
        table = wide::turn(table).map_err(|problem| Problems(vec![problem.in_file(name)]))?;
        table.wide.doubt = table.wide.doubt.map(|doubt| doubt.in_file(name));
    }
    if table.origins.is_empty() {
        return Err(Problem::new("empty_table", "the file has no runs").in_file(name).into());
    }
    table.files = vec![name.to_owned()];
    for warning in &mut table.warnings {
        warning.file.get_or_insert_with(|| name.to_owned());
    }
    Ok(table)
}

/// All bytes of a source, unpacked.
fn whole(source: &dyn Source, options: &ReadOptions) -> Result<Vec<u8>, Problem> {
    let mut unpacked = Unpacked::open(source)?;
    let mut bytes = Vec::new();
    let mut more = usize::try_from(source.size()).unwrap_or(usize::MAX).saturating_add(1).max(1 << 16);
    loop {
        let held = bytes.len();
        // The text and the table that is made of it.
        let needed = 2 * (held as u64).saturating_add(more as u64);
        if options.memory.is_some_and(|memory| needed > memory) || bytes.try_reserve_exact(more).is_err() {
            return Err(needs(needed as f64, options.memory));
        }
        bytes.resize(held + more, 0);
        let length = unpacked.fill(&mut bytes[held..])?;
        bytes.truncate(held + length);
        if length < more {
            return Ok(bytes);
        }
        more = bytes.len();
    }
}

/// Code of the problem that the memory does not suffice.
pub(super) const OUT_OF_MEMORY: &str = "out_of_memory";

/// The table does not fit: `bytes` is what it would take.
pub(super) fn needs(bytes: f64, memory: Option<u64>) -> Problem {
    let shown = |bytes: f64| match bytes {
        b if b < 9.5e8 => format!("{:.0} MB", (b / 1e6).max(1.0)),
        b => format!("{:.1} GB", b / 1e9),
    };
    let free = memory.map_or_else(String::new, |memory| format!(", and {} are free", shown(memory as f64)));
    Problem::new(OUT_OF_MEMORY, format!("the table needs about {} of memory{free}", shown(bytes)))
        .hint("choose rows or columns before (grep, cut), or take a machine with more memory")
}

/// The text of a file without its byte order mark.
fn decode(bytes: &[u8]) -> Result<&str, Problem> {
    check_kind(bytes)?;
    let text = utf8(bytes, 1)?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// A file that begins like this may be text.
///
/// # Errors
/// What it is instead.
pub(super) fn check_kind(bytes: &[u8]) -> Result<(), Problem> {
    let not_utf8 = |message: &str, hint: &str| Err(Problem::new("not_utf8", message).at_line(1).hint(hint));
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            return not_utf8("the file is UTF-16, not UTF-8", "convert it: iconv -f UTF-16 -t UTF-8 FILE > NEW");
        }
        [0x1f, 0x8b, ..] => return not_utf8("the file is compressed by gzip twice", "unpack it: gunzip FILE"),
        [b'P', b'K', 3, 4, ..] => {
            return not_utf8("the file is a ZIP archive, not text", "unpack it, or export it as CSV");
        }
        // Of no format, or of this one, it is not read as text.
        _ if parquet::is_parquet(bytes) => return not_utf8("the file is Parquet, not text", "leave out --format"),
        _ => {}
    }
    if let [first, second, ..] = bytes
        && (*first == 0) != (*second == 0)
    {
        return not_utf8(
            "the file is UTF-16 without a byte order mark, not UTF-8",
            "convert it: iconv -f UTF-16LE -t UTF-8 FILE > NEW",
        );
    }
    Ok(())
}

/// Bytes as text; the first is on this line.
pub(super) fn utf8(bytes: &[u8], first_line: u64) -> Result<&str, Problem> {
    std::str::from_utf8(bytes).map_err(|error| {
        let good = &bytes[..error.valid_up_to()];
        let line = good.iter().filter(|&&byte| byte == b'\n').count() as u64 + first_line;
        let start = good.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        let column = String::from_utf8_lossy(&good[start..]).chars().count() as u64 + 1;
        Problem::new("not_utf8", format!("the byte 0x{:02x} is not UTF-8", bytes[error.valid_up_to()]))
            .at_line(line)
            .at_column(column)
            .hint("convert it, for instance from Latin-1: iconv -f ISO-8859-1 -t UTF-8 FILE > NEW")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_compressed_by_gzip_is_read() {
        use std::io::Write;
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(b"p,time_s\n8,1.5\n16,0.9\n").expect("written");
        let packed = writer.finish().expect("finished");
        let table = Table::read("runs.csv.gz", &packed, &ReadOptions::default()).expect("a table");
        assert_eq!(table.rows(), 2);
        let cut = Table::read("runs.csv.gz", &packed[..packed.len() - 9], &ReadOptions::default());
        assert_eq!(cut.expect_err("an error").0[0].code, "gzip");
    }

    #[test]
    fn what_is_not_utf8_is_named() {
        let problem = |bytes: &[u8]| decode(bytes).expect_err("an error");
        assert!(problem(b"\xff\xfep\0,\0").message.contains("UTF-16"));
        assert!(problem(b"p\0,\0t\0").message.contains("UTF-16"));
        let latin = problem(b"p,time_s\n8,1\nf\xfcr,2\n");
        assert_eq!((latin.line, latin.column), (Some(3), Some(2)));
        assert_eq!(decode(b"\xef\xbb\xbfp"), Ok("p"));
    }
}
