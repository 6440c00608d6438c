//! Archives that are refused before anything of them is stored.

use super::{MOST_BYTES, Refused, read};
use crate::archive::Writer;
use std::io::{Cursor, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default()).expect("an entry");
        zip.write_all(bytes).expect("bytes");
    }
    zip.finish().expect("an archive").into_inner()
}

fn codes(bytes: &[u8]) -> Vec<String> {
    match read(bytes) {
        Ok(files) => files.into_iter().map(|(name, _)| format!("ok {name}")).collect(),
        Err(Refused::TooLarge(problem)) => vec![format!("413 {}", problem.code)],
        Err(Refused::Wrong(problems)) => problems.into_iter().map(|problem| problem.code).collect(),
    }
}

#[test]
fn what_is_written_is_read_and_the_same_each_time() {
    let write = || {
        let mut writer = Writer::new(Cursor::new(Vec::new()));
        writer.add("b/x.toml", b"a = 1\n").expect("written");
        writer.add("a.csv", &[7; 100_000]).expect("written");
        writer.finish().expect("written").into_inner()
    };
    assert_eq!(write(), write());
    let files = read(&write()).expect("harmless");
    let expected = [("a.csv".to_owned(), vec![7; 100_000]), ("b/x.toml".to_owned(), b"a = 1\n".to_vec())];
    assert_eq!(files, expected);
}

#[test]
fn paths_that_leave_or_are_none_are_refused() {
    for name in
        ["../a", "a/../../b", "/etc/passwd", "C:\\a", "a\\b", "..", "a/b/c/d/e", ".hidden", "a b", "a\0b", "é", "a//b"]
    {
        assert_eq!(codes(&archive(&[("fine.toml", b""), (name, b"x")])), ["path"], "{name:?}");
    }
}

#[test]
fn doubles_are_refused_by_name_and_by_case() {
    assert_eq!(codes(&archive(&[("a/b.toml", b"1"), ("A/B.toml", b"2")])), ["duplicate"]);
    assert_eq!(codes(&archive(&[("a", b"1"), ("a/b.toml", b"2")])), ["path"]);
    // The writer refuses two entries of one name: one is renamed in the bytes.
    let mut twice = archive(&[("aaaa.toml", b"1"), ("bbbb.toml", b"2")]);
    for at in 0..twice.len() - 4 {
        if &twice[at..at + 4] == b"bbbb" {
            twice[at..at + 4].copy_from_slice(b"aaaa");
        }
    }
    assert_eq!(codes(&twice), ["archive"]);
}

#[test]
fn links_and_devices_are_refused() {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.add_symlink("link.toml", "/etc/passwd", SimpleFileOptions::default()).expect("a link");
    assert_eq!(codes(&zip.finish().expect("an archive").into_inner()), ["link"]);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.add_directory("folder", SimpleFileOptions::default()).expect("a folder");
    zip.start_file("folder/a.toml", SimpleFileOptions::default()).expect("an entry");
    assert_eq!(codes(&zip.finish().expect("an archive").into_inner()), ["ok folder/a.toml"]);
}

#[test]
fn bombs_are_refused_however_small_they_come() {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let block = vec![0u8; 1 << 20];
    for number in 0..5 {
        zip.start_file(format!("zero{number}"), SimpleFileOptions::default()).expect("an entry");
        (0..60).for_each(|_| zip.write_all(&block).expect("zeros"));
    }
    let bomb = zip.finish().expect("an archive").into_inner();
    assert!((bomb.len() as u64) < MOST_BYTES / 100, "{} bytes", bomb.len());
    assert_eq!(codes(&bomb), ["413 too_large"]);

    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("one", SimpleFileOptions::default()).expect("an entry");
    (0..65).for_each(|_| zip.write_all(&block).expect("zeros"));
    let mut liar = zip.finish().expect("an archive").into_inner();
    assert_eq!(codes(&liar), ["413 too_large"]);
    // The same with heads that tell of 5 bytes: what counts is what comes out.
    let size = (65u32 << 20).to_le_bytes();
    for at in 0..liar.len() - 4 {
        if liar[at..at + 4] == size {
            liar[at..at + 4].copy_from_slice(&5u32.to_le_bytes());
        }
    }
    assert!(matches!(codes(&liar).as_slice(), [one] if one == "413 too_large" || one == "archive"));
}

#[test]
fn many_entries_are_refused_before_they_are_read() {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for number in 0..10_001 {
        zip.start_file(format!("f{number}"), SimpleFileOptions::default()).expect("an entry");
    }
    assert_eq!(codes(&zip.finish().expect("an archive").into_inner()), ["413 too_large"]);
}

#[test]
fn what_is_no_archive_is_an_error_and_no_panic() {
    assert_eq!(codes(b""), ["archive"]);
    assert_eq!(codes(&[b'x'; 5000]), ["archive"]);
    let whole = archive(&[("a.toml", b"a = 1\n"), ("b.toml", &[1; 3000])]);
    for cut in 0..whole.len() {
        let _ = read(&whole[..cut]);
        let mut bent = whole.clone();
        bent[cut] ^= 0x55;
        let _ = read(&bent);
    }
}
