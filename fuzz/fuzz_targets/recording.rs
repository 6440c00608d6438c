//! Any bytes as a recording: an error, or a recording that is written and read again, and whose calls can be shown.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runcast_record::container::{Header, seal};
use runcast_record::dump::programs;
use runcast_record::{join, read, write};

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    // Checksums would stop most changes: the same bytes as sections that are intact.
    let (length, rest) = bytes.split_at(bytes.len().min(1));
    let (programs, stats) = rest.split_at(length.first().map_or(0, |length| usize::from(*length).min(rest.len())));
    let header = Header { p: 64, ranks: 64, ..Header::default() };
    check(&seal(header, &[(b"PROG", programs.to_vec()), (b"STAT", stats.to_vec())]));
});

fn check(bytes: &[u8]) {
    let Ok(recording) = read(bytes) else { return };
    for program in &recording.programs {
        assert_eq!(program.stats.len(), runcast_record::tree::leaves(&program.tree).len());
    }
    assert!(programs(&recording, None, &[]).len() <= recording.programs.len());
    let again = read(&write(&recording).expect("bytes")).expect("its own bytes");
    assert_eq!(again.programs.len(), recording.programs.len());
    let _ = join(vec![recording]);
}
