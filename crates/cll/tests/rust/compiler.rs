//! Sources given to the compiler, with the crate as it is with the feature `trace` or without.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;

/// The crate, compiled.
pub struct Library {
    file: PathBuf,
    folder: PathBuf,
}

/// A complaint of the compiler.
#[derive(Debug)]
pub struct Complaint {
    pub line: u64,
    /// Of the tokens that are marked, counted from 1.
    pub column: u64,
    pub text: String,
}

/// The crate with or without the feature `trace`, as cargo builds it.
pub fn library(trace: bool) -> &'static Library {
    static WITH: OnceLock<Library> = OnceLock::new();
    static WITHOUT: OnceLock<Library> = OnceLock::new();
    if trace { WITH.get_or_init(|| build(&[])) } else { WITHOUT.get_or_init(|| build(&["--no-default-features"])) }
}

/// Cargo, as it runs this test, with nothing to be fetched.
pub fn cargo(command: &str) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.arg(command).arg("--offline").current_dir(env!("CARGO_MANIFEST_DIR"));
    // A flag such as those of a coverage tool would build everything once more.
    cargo.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    cargo
}

/// The folder that cargo builds into: TARGET/PROFILE/deps/this-test.
fn target() -> PathBuf {
    let test = env::current_exe().expect("this test");
    test.ancestors().nth(3).expect("a target folder").to_owned()
}

fn build(features: &[&str]) -> Library {
    let mut cargo = cargo("build");
    cargo.args(["--lib", "--package", "runcast-cll", "--message-format=json", "--target-dir"]).arg(target());
    let output = cargo.args(features).output().expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let messages = String::from_utf8(output.stdout).expect("text");
    let file = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == "runcast_cll")
        .filter_map(|message| {
            let files = message["filenames"].as_array()?;
            // The one beside the dependencies: its name depends on the features.
            let metadata = files.iter().filter_map(Value::as_str).find(|file| file.ends_with(".rmeta"))?;
            Some(Path::new(metadata).with_extension("rlib"))
        })
        .next_back()
        .expect("the crate's file");
    Library { file, folder: target().join("debug/deps") }
}

impl Library {
    /// Runs the compiler on a source in a folder; what it writes goes there, too.
    pub fn rustc(&self, folder: &Path, source: &str, arguments: &[&str]) -> Output {
        fs::write(folder.join("source.rs"), source).expect("a source");
        let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        rustc.args(["source.rs", "--error-format=json"]).current_dir(folder).env_remove("RUSTFLAGS");
        rustc.arg("--extern").arg(format!("runcast_cll={}", self.file.display()));
        rustc.arg("-L").arg(format!("dependency={}", self.folder.display()));
        rustc.args(arguments).output().expect("the compiler starts")
    }

    /// What the compiler says about a source; nothing when it is content.
    pub fn complaints(&self, source: &str, arguments: &[&str]) -> Vec<Complaint> {
        let folder = TempDir::new().expect("a folder");
        let all = [&["--emit=metadata", "--edition=2024"], arguments].concat();
        complaints(&self.rustc(folder.path(), source, &all))
    }
}

/// The compiler's complaints, without its closing count.
pub fn complaints(output: &Output) -> Vec<Complaint> {
    String::from_utf8_lossy(&output.stderr)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|message| {
            let spans = message["spans"].as_array()?;
            let span = spans.iter().find(|span| span["is_primary"] == true)?;
            // Of what a macro made, the place where the macro stands.
            let mut place = span;
            while place["file_name"] != "source.rs" && place["expansion"]["span"].is_object() {
                place = &place["expansion"]["span"];
            }
            Some(Complaint {
                line: place["line_start"].as_u64()?,
                column: place["column_start"].as_u64()?,
                text: message["message"].as_str()?.to_owned(),
            })
        })
        .collect()
}
