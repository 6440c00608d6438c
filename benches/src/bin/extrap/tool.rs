//! The two programs, each started as a user starts it.

use runcast_bench::Supervised;
use runcast_bench::supervise::{Finished, Stream};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

/// A program that fits models.
pub struct Tool {
    path: PathBuf,
    /// Its name and version, as it tells them.
    pub version: String,
    /// What comes before the file to time it.
    before: &'static [&'static str],
    /// What comes after the file.
    after: &'static [&'static str],
    /// The same to get its models in a form that can be read.
    before_to_read: &'static [&'static str],
    after_to_read: &'static [&'static str],
}

impl Tool {
    /// runcast with the model that it recommends.
    pub fn runcast_auto(path: &Path) -> Result<Self, String> {
        let tool = Tool::runcast(path)?;
        Ok(Tool { after: &["--model", "auto"], before_to_read: &["fit", "--json", "--model", "auto"], ..tool })
    }

    /// runcast, fitting the models that Extra-P fits.
    pub fn runcast(path: &Path) -> Result<Self, String> {
        Tool {
            path: path.to_owned(),
            version: String::new(),
            before: &["fit"],
            after: &["--model", "pmnf"],
            before_to_read: &["fit", "--json", "--model", "pmnf"],
            after_to_read: &[],
        }
        .with_version("cargo build --release makes it, --runcast PATH names another")
    }

    /// Extra-P.
    pub fn extrap(path: &Path) -> Result<Self, String> {
        Tool {
            path: path.to_owned(),
            version: String::new(),
            before: &["--text"],
            after: &[],
            before_to_read: &["--disable-progress", "--print", "functions-python", "--text"],
            after_to_read: &[],
        }
        .with_version(
            "python3 -m venv .venv && .venv/bin/pip install extrap==4.2.5 installs it, --extrap PATH names another",
        )
    }

    fn with_version(mut self, hint: &str) -> Result<Self, String> {
        let (_, lines) = self.run(&["--version".to_owned()]).map_err(|error| format!("{error}\nhint: {hint}"))?;
        self.version = lines.first().cloned().unwrap_or_default();
        Ok(self)
    }

    /// The command that is timed, with FILE for the file and without its folder.
    pub fn command(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        [&[name.as_str()], self.before, &["FILE"], self.after].concat().join(" ")
    }

    /// Reads, fits and prints.
    pub fn time(&self, file: &Path) -> Result<Finished, String> {
        Ok(self.run(&arguments(self.before, file, self.after))?.0)
    }

    /// The models of a file, as text.
    pub fn models(&self, file: &Path) -> Result<Vec<String>, String> {
        Ok(self.run(&arguments(self.before_to_read, file, self.after_to_read))?.1)
    }

    fn run(&self, arguments: &[String]) -> Result<(Finished, Vec<String>), String> {
        let mut argv = vec![self.path.clone().into_os_string()];
        argv.extend(arguments.iter().map(Into::into));
        let lines = Mutex::new(Vec::new());
        let finished = Supervised::new(argv).run(&AtomicBool::new(false), &|stream, line| {
            if let (Stream::Stdout, Ok(mut lines)) = (stream, lines.lock()) {
                lines.push(line.to_owned());
            }
        });
        if !finished.end.is_ok() {
            return Err(format!("{}: {:?}\n{}", self.path.display(), finished.end, finished.stderr_tail));
        }
        Ok((finished, lines.into_inner().unwrap_or_default()))
    }
}

fn arguments(before: &[&str], file: &Path, after: &[&str]) -> Vec<String> {
    let file = file.display().to_string();
    [before, &[file.as_str()], after].concat().into_iter().map(str::to_owned).collect()
}
