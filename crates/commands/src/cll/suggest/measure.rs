//! Formulas from counts: a copy of the folder gets counters in its loops, is built and run by the user's command at several
//! configurations, and the counts say how loops grow.

use super::{Found, SuggestArgs};
use crate::cll::scratch::Scratch;
use crate::cll::started;
use crate::context::Context;
use crate::failure::Failure;
use runcast_call::loops::{COUNT_HEADER, Counts, counted};
use runcast_core::{Problem, Warning};
use std::path::{Path, PathBuf};

/// Fewer configurations distinguish no formulas.
const FEWEST: usize = 4;
/// A formula whose turns are further off than this is not taken.
const WITHIN: f64 = 0.03;
/// What is copied at most.
const MOST_BYTES: u64 = 4 << 30;
const EXAMPLE: &str = "--at N=100,200,400,800 -- sh -c 'make && ./app {N}'";

/// Counts how often loops turn, and gives those that a product of names follows their formula.
///
/// # Errors
/// The command is missing or cannot be started, there are too few configurations, or nothing was counted.
pub(super) fn measure(
    args: &SuggestArgs,
    found: &mut [Found<'_>],
    warnings: &mut Vec<Warning>,
    context: &mut Context,
) -> Result<(), Failure> {
    let configurations = started::configurations(&args.at, &args.command, EXAMPLE)?;
    if configurations.len() < FEWEST {
        let message = format!("there are {} configurations, and {FEWEST} tell formulas apart", configurations.len());
        return Err(Problem::new("few_configurations", message).at("--at").allowed(EXAMPLE).into());
    }
    let here = std::env::current_dir().map_err(|error| Failure::reading(Path::new("."), &error))?;
    let copy = Copy::of(&here)?;
    instrument(found, &here, &copy)?;
    for configuration in &configurations {
        let mut program = started::at(&args.command, configuration);
        program.workdir = Some(copy.folder.clone());
        program.env.push(("CLL_COUNTS".into(), copy.counts.clone().into_os_string()));
        started::watch(&program, &args.command, warnings, context)?;
    }
    let counts = copy.counted()?;
    if counts.is_empty() {
        let problem = Problem::new("nothing_counted", "no loop with a counter was reached").at("--measure");
        return Err(problem.hint(format!("the command has to build the program, too: {EXAMPLE}")).into());
    }
    for (number, one) in found.iter_mut().enumerate() {
        one.learn(&counts, number);
    }
    Ok(())
}

/// Puts counters into the sources of the copy. A nest has the number that it has among all.
fn instrument(found: &[Found<'_>], here: &Path, copy: &Copy) -> Result<(), Failure> {
    let header = copy.counts.join("cll_count.h");
    write(&header, COUNT_HEADER.as_bytes())?;
    let mut from = 0;
    while from < found.len() {
        let source = found[from].source;
        let to = from + found[from..].iter().take_while(|one| std::ptr::eq(one.source, source)).count();
        let name = Path::new(&source.input.name);
        let path = std::fs::canonicalize(name).map_err(|error| Failure::reading(name, &error))?;
        let within = std::fs::canonicalize(here).unwrap_or_else(|_| here.to_path_buf());
        let relative = path.strip_prefix(&within).map_err(|_| {
            let problem =
                Problem::new("outside", "the source is not in the current folder, of which a copy is counted");
            problem.in_file(source.input.name.clone()).hint("run it in the folder that holds the sources and the build")
        })?;
        let nests: Vec<_> = found[from..to].iter().map(|one| one.nest.clone()).collect();
        let text = counted(&source.input.text, &nests, &header.display().to_string(), from);
        write(&copy.folder.join(relative), &text)?;
        from = to;
    }
    Ok(())
}

impl Found<'_> {
    /// Takes the formula that counts give, where it is close.
    fn learn(&mut self, counts: &Counts, number: usize) {
        if !self.nest.is_countable() || (self.nest.size.is_ok() && self.terms.is_empty()) {
            return;
        }
        let names: Vec<String> = self.nest.known().iter().map(|(name, _)| name.clone()).collect();
        let unknown = self.nest.size.is_err();
        match counts.growth(number, &names) {
            Ok(growth) if growth.rms <= WITHIN => {
                self.rms_pct = Some(100.0 * growth.rms);
                self.nest.variables =
                    self.nest.known().iter().filter(|(name, _)| growth.names.contains(name)).cloned().collect();
                self.terms = vec![growth.term];
                self.degree = growth.degree;
                self.is_measured = true;
                if unknown {
                    self.reason = (!self.nest.alone).then(|| super::NOT_ALONE.to_owned());
                }
            }
            Ok(growth) if unknown => {
                self.rms_pct = Some(100.0 * growth.rms);
                let best = format!(
                    "no product of names gives its turns; the best, {}, is {:.0} % off",
                    growth.term,
                    100.0 * growth.rms
                );
                self.reason = Some(best);
            }
            Err(why) if unknown => {
                let reason = self.reason.take().unwrap_or_default();
                self.reason = Some(format!("{reason}; measured: {why}"));
            }
            _ => {}
        }
    }
}

/// A copy of a folder that is removed at the end.
struct Copy {
    folder: PathBuf,
    counts: PathBuf,
    _all: Scratch,
}

impl Copy {
    fn of(here: &Path) -> Result<Copy, Failure> {
        let all = Scratch::new()?;
        let copy = Copy { folder: all.path().join("copy"), counts: all.path().join("counts"), _all: all };
        for folder in [&copy.folder, &copy.counts] {
            std::fs::create_dir(folder).map_err(|error| Failure::writing(folder, &error))?;
        }
        copy_folder(here, &copy.folder, &mut 0)?;
        Ok(copy)
    }

    /// What the runs have counted.
    fn counted(&self) -> Result<Counts, Failure> {
        let mut counts = Counts::default();
        let entries = std::fs::read_dir(&self.counts).map_err(|error| Failure::reading(&self.counts, &error))?;
        for path in
            entries.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "txt"))
        {
            counts.add(&std::fs::read_to_string(&path).map_err(|error| Failure::reading(&path, &error))?);
        }
        Ok(counts)
    }
}

/// With the times of files, by which `make` knows what to build again: sources with counters are newer.
fn copy_folder(from: &Path, to: &Path, bytes: &mut u64) -> Result<(), Failure> {
    let reading = |error: &std::io::Error| Failure::reading(from, error);
    for entry in std::fs::read_dir(from).map_err(|error| reading(&error))? {
        let entry = entry.map_err(|error| reading(&error))?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(|error| reading(&error))?);
        let target = to.join(entry.file_name());
        let writing = |error: &std::io::Error| Failure::writing(&target, error);
        if kind.is_dir() {
            if entry.file_name() != ".git" {
                std::fs::create_dir(&target).map_err(|error| writing(&error))?;
                copy_folder(&path, &target, bytes)?;
            }
        } else if kind.is_symlink() {
            let aim = std::fs::read_link(&path).map_err(|error| reading(&error))?;
            std::os::unix::fs::symlink(aim, &target).map_err(|error| writing(&error))?;
        } else if kind.is_file() {
            let about = entry.metadata().map_err(|error| reading(&error))?;
            *bytes += about.len();
            if *bytes > MOST_BYTES {
                let problem =
                    Problem::new("too_large", "the current folder holds more than 4 GiB, and is copied to be counted");
                return Err(problem.hint("run it in the folder that holds the sources and the build").into());
            }
            std::fs::copy(&path, &target).map_err(|error| writing(&error))?;
            if let (Ok(modified), Ok(file)) = (about.modified(), std::fs::File::options().append(true).open(&target)) {
                // A file without its time is built once more.
                let _ = file.set_modified(modified);
            }
        }
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    // A source that others link to keeps its name.
    std::fs::write(path, bytes).map_err(|error| Failure::writing(path, &error))
}
