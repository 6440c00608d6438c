//! Reading a table from bytes, in any format.

use super::{Table, merge, wide};
use crate::import::{self, Probe};
use crate::problem::{Problem, Problems};
use std::io::Read;

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
        let unpacked = match bytes {
            [0x1f, 0x8b, ..] => Some(unpack(bytes).map_err(|problem| Problems(vec![problem.in_file(name)]))?),
            _ => None,
        };
        let bytes = unpacked.as_deref().unwrap_or(bytes);
        let text = decode(bytes).map_err(|problem| Problems(vec![problem.in_file(name)]))?;
        if text.trim_ascii().is_empty() {
            return Err(Problem::new("empty_table", "the file is empty").in_file(name).into());
        }
        let probe = Probe::new(text);
        let format = match &options.format {
            Some(format) => import::format(format)?,
            None => import::recognize(&probe).map_err(|problem| Problems(vec![problem.in_file(name)]))?,
        };
        let mut table = (format.read)(name, text, options)?;
        if wide::FORMATS.contains(&format.name) {
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

    /// Reads several files into one table: the union of their columns, with empty cells where a file lacks one.
    ///
    /// # Errors
    /// All errors in any of the files.
    pub fn read_many<B: AsRef<[u8]>>(files: &[(String, B)], options: &ReadOptions) -> Result<Table, Problems> {
        let mut tables = Vec::with_capacity(files.len());
        let mut problems = Vec::new();
        for (name, bytes) in files {
            match Table::read(name, bytes.as_ref(), options) {
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

/// A file compressed by gzip may hold so many bytes.
const MOST_UNPACKED: u64 = 4 << 30;

/// What a file compressed by gzip holds.
fn unpack(bytes: &[u8]) -> Result<Vec<u8>, Problem> {
    let mut unpacked = Vec::new();
    let mut reader = flate2::read::MultiGzDecoder::new(bytes).take(MOST_UNPACKED + 1);
    reader.read_to_end(&mut unpacked).map_err(|error| {
        Problem::new("gzip", format!("the file is compressed by gzip, and damaged: {error}"))
            .hint("gunzip --test FILE says more")
    })?;
    if unpacked.len() as u64 > MOST_UNPACKED {
        return Err(
            Problem::new("gzip", "the file holds more than 4 GiB when it is unpacked").hint("choose rows before")
        );
    }
    Ok(unpacked)
}

/// The text of a file without its byte order mark.
fn decode(bytes: &[u8]) -> Result<&str, Problem> {
    let not_utf8 = |message: &str, hint: &str| Err(Problem::new("not_utf8", message).at_line(1).hint(hint));
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            return not_utf8("the file is UTF-16, not UTF-8", "convert it: iconv -f UTF-16 -t UTF-8 FILE > NEW");
        }
        [0x1f, 0x8b, ..] => return not_utf8("the file is compressed by gzip twice", "unpack it: gunzip FILE"),
        [b'P', b'K', 3, 4, ..] => {
            return not_utf8("the file is a ZIP archive, not text", "unpack it, or export it as CSV");
        }
        [b'P', b'A', b'R', b'1', ..] => return not_utf8("the file is Parquet, not text", "export it as CSV"),
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
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let good = &bytes[..error.valid_up_to()];
        let line = good.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
        let start = good.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        let column = String::from_utf8_lossy(&good[start..]).chars().count() as u64 + 1;
        Problem::new("not_utf8", format!("the byte 0x{:02x} is not UTF-8", bytes[error.valid_up_to()]))
            .at_line(line)
            .at_column(column)
            .hint("convert it, for instance from Latin-1: iconv -f ISO-8859-1 -t UTF-8 FILE > NEW")
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
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
