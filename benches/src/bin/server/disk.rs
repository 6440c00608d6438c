//! How often a second the disk can be waited for.

use crate::served::{folder, said};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::time::{Duration, Instant};

/// Bytes of a write, as a page of PostgreSQL's log.
const PAGE: usize = 8 << 10;

/// Writes of 8 kB into one file a second, each waited for (`fdatasync`), where the databases of the benchmark are.
pub fn syncs_per_s() -> Result<f64, String> {
    let folder = folder()?;
    let mut file = std::fs::File::create(folder.path().join("pages")).map_err(said)?;
    let page = [7_u8; PAGE];
    // Its length does not change while it is measured.
    file.write_all(&vec![0; 64 * PAGE]).and_then(|()| file.sync_all()).map_err(said)?;
    let (begin, mut count) = (Instant::now(), 0_u32);
    while begin.elapsed() < Duration::from_secs(1) {
        if count.is_multiple_of(64) {
            file.seek(SeekFrom::Start(0)).map_err(said)?;
        }
        file.write_all(&page).and_then(|()| file.sync_data()).map_err(said)?;
        count += 1;
    }
    Ok(f64::from(count) / begin.elapsed().as_secs_f64())
}
