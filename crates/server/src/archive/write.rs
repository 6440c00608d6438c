//! Writing an archive, entry by entry.

use std::io::{self, Seek, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// An archive that is being written. Times are left out: the same files give the same bytes.
pub struct Writer<Out: Write + Seek> {
    zip: ZipWriter<Out>,
}

impl<Out: Write + Seek> Writer<Out> {
    /// An empty one.
    pub fn new(out: Out) -> Self {
        Writer { zip: ZipWriter::new(out) }
    }

    /// Adds a file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&mut self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .unix_permissions(0o644);
        self.zip.start_file(path, options)?;
        self.zip.write_all(bytes)
    }

    /// The whole archive.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(self) -> io::Result<Out> {
        Ok(self.zip.finish()?)
    }
}
