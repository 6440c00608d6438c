//! Runs the program in a folder of its own.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// A folder with some files in it.
pub struct Folder(tempfile::TempDir);

impl Folder {
    /// With these files.
    pub fn with(files: &[(&str, &[u8])]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, bytes) in files {
            std::fs::write(folder.path().join(name), bytes).expect("written");
        }
        Folder(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Runs the program there.
    pub fn run(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_runcast")).args(args).current_dir(self.path()).output().expect("it starts")
    }

    /// Runs it with `--json` and gives the document and the exit code.
    pub fn json(&self, args: &[&str]) -> (Value, i32) {
        let output = self.run(&[args, &["--json"]].concat());
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let document = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{args:?}: {error}: {text}"));
        (document, output.status.code().expect("an exit code"))
    }
}

/// Strong scaling in six doublings.
pub const STRONG: &[u8] = b"p,time_s\n1,100\n2,51\n4,26\n8,13.5\n16,7.5\n32,4.6\n";

/// Two regions, three repetitions, weak scaling with a size.
pub fn regions() -> Vec<u8> {
    let mut csv = String::from("region,p,N,rep,time_s,perf_gflops\n");
    for (region, scale, exponent) in [("main", 10.0, 0.25), ("halo", 0.1, 0.5)] {
        for p in [2.0f64, 4.0, 8.0, 16.0, 32.0] {
            for rep in 0..3 {
                let time = scale * (p.powf(exponent) + 0.1 / p) * (1.0 + 0.01 * f64::from(rep));
                csv.push_str(&format!("{region},{p},{},{rep},{time},{}\n", 1000.0 * p, 50.0 * p / time));
            }
        }
    }
    csv.into_bytes()
}

/// A number of a document.
pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// Whether every key is there.
pub fn has(value: &Value, keys: &str) {
    for key in keys.split_whitespace() {
        assert!(value.get(key).is_some(), "{key} is missing in {value}");
    }
}
