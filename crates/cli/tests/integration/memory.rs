//! What does not fit into memory is refused with what it would need.

use std::fs::File;
use std::io::Write;
use std::process::Command;

#[test]
fn a_file_larger_than_the_memory_is_an_error_with_its_size() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("runs.json");
    let mut file = File::create(&path).expect("created");
    file.write_all(b"[{\"p\":1,\"time_s\":2}").expect("written");
    // Nothing of it is on the disk.
    file.set_len(8 << 30).expect("sparse");
    let limited = format!("ulimit -v 4000000; exec {} import {}", env!("CARGO_BIN_EXE_runcast"), path.display());
    let output = Command::new("sh").args(["-c", &limited]).output().expect("a shell");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("the table needs about 17.2 GB of memory"), "{told}");
    assert!(told.contains("hint:"), "{told}");
}
