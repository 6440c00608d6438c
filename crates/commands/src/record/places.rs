//! Names of call sites.

use runcast_record::Recording;
use runcast_record::tables::address;

/// A name for each call site: the file of code and the offset in it.
pub(crate) fn names(recording: &Recording) -> Vec<String> {
    recording.sites.iter().map(|site| address(site, &recording.modules)).collect()
}
