//! What the tests share.

use runcast_bench::journal::{self, Entry, Record};
use runcast_bench::{Bench, Launcher, Options, Template, journal_path};
use runcast_core::Configuration;
use runcast_core::plan::PlannedConfiguration;
use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// Configurations of one parameter `p`.
pub fn plan(values: &[f64], repetitions: u32) -> Vec<PlannedConfiguration> {
    let planned =
        |&p: &f64| PlannedConfiguration::new("train", Configuration::from_pairs(&["p".to_owned()], &[p]), repetitions);
    values.iter().map(planned).collect()
}

/// A shell script, run here.
pub fn shell(table: &Path, script: &str, plan: Vec<PlannedConfiguration>) -> Bench {
    Bench {
        plan,
        template: Template::new(&["sh", "-c", script]).expect("a good template"),
        launcher: Launcher::Local,
        options: Options::new(table),
    }
}

/// The rows of a table, each by column name.
pub fn rows(table: &Path) -> Vec<HashMap<String, String>> {
    let text = std::fs::read_to_string(table).expect("a table");
    assert!(text.ends_with('\n'), "whole lines: {text:?}");
    let mut lines = text.lines().skip_while(|line| line.starts_with('#'));
    let header: Vec<String> = lines.next().expect("a header").split(',').map(str::to_owned).collect();
    let row = |line: &str| {
        let cells: Vec<_> = line.split(',').map(str::to_owned).collect();
        assert_eq!(cells.len(), header.len(), "{line}");
        header.iter().cloned().zip(cells).collect()
    };
    lines.map(row).collect()
}

/// The records in the journal of a table, in their order, replaced ones included.
pub fn records(table: &Path) -> Vec<Record> {
    entries(table)
        .into_iter()
        .filter_map(|entry| match entry {
            Entry::Run(record) => Some(*record),
            _ => None,
        })
        .collect()
}

/// All entries; none if there is no journal yet.
pub fn entries(table: &Path) -> Vec<Entry> {
    if journal_path(table).exists() {
        journal::read(&journal_path(table)).expect("a readable journal")
    } else {
        Vec::new()
    }
}

/// Waits until something holds.
pub fn wait_for(what: &str, most: Duration, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < most, "waited {most:?} for {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether a test that needs these programs can run. On machines that must run all (`RUNCAST_REQUIRE_ALL=1`), a
/// program that is missing is a failure.
pub fn have(programs: &[&str]) -> bool {
    let folders: Vec<_> = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    let folders = || folders.iter().map(|folder| folder.as_path()).chain([Path::new("/usr/sbin"), Path::new("/sbin")]);
    let missing: Vec<_> =
        programs.iter().filter(|program| !folders().any(|folder| folder.join(program).is_file())).collect();
    if missing.is_empty() {
        return true;
    }
    assert!(std::env::var_os("RUNCAST_REQUIRE_ALL").is_none_or(|value| value != "1"), "missing: {missing:?}");
    eprintln!("NOT RUN: these programs are missing: {missing:?}");
    false
}

/// Whether a process whose command line holds this text is alive.
pub fn is_running(text: &str) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else { return false };
    processes.flatten().any(|entry| {
        let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&command).replace('\0', " ").contains(text)
    })
}
