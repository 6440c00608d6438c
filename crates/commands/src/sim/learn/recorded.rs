//! Recordings that `sim learn` makes itself: the program at each configuration of `--at`.

use super::LearnArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::record::{self, RecordArgs};
use clap::{Args, FromArgMatches};
use runcast_core::Problem;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The folders of all recordings, in `recordings` beside the model. Those that are there already are kept.
///
/// # Errors
/// A configuration has no p; the program failed at one.
pub(super) fn recordings(args: &LearnArgs, context: &mut Context) -> Result<Vec<PathBuf>, Failure> {
    let mut folders = Vec::new();
    for configuration in args.at.configurations()? {
        if !configuration.0.contains_key("p") {
            let problem = Problem::new("bad_target", "what is recorded has a number of processes").at("--at");
            return Err(problem.allowed("p=8,27,64").into());
        }
        let values: Vec<(&str, f64)> = configuration.0.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let name: Vec<String> = values.iter().map(|(name, value)| format!("{name}-{value}")).collect();
        let folder = args.output.join("recordings").join(name.join("-"));
        if !folder.join("recording.rcr").is_file() {
            one(args, &values, &folder, context)?;
        }
        folders.push(folder);
    }
    Ok(folders)
}

fn one(args: &LearnArgs, values: &[(&str, f64)], folder: &Path, context: &mut Context) -> Result<(), Failure> {
    let mut line: Vec<OsString> = ["record", "--force", "-o"].map(OsString::from).to_vec();
    line.push(folder.into());
    for (name, value) in values.iter().filter(|(name, _)| *name != "p") {
        line.extend(["--set".into(), format!("{name}={value}").into()]);
    }
    line.push("--".into());
    line.extend(args.command.iter().map(|word| filled(word, values).into()));
    let shown: Vec<String> = args.command.iter().map(|word| filled(word, values)).collect();
    context.progress.line(&format!("recording {}", shown.join(" ")));
    let matches = RecordArgs::augment_args(clap::Command::new("record")).try_get_matches_from(line);
    let parsed = matches.and_then(|matches| RecordArgs::from_arg_matches(&matches));
    let parsed = parsed.map_err(|error| Failure::input(Problem::new("bad_option", error.to_string())))?;
    let output = record::run(&parsed, context)?;
    if output.exit == 0 {
        return Ok(());
    }
    // The next run would take it for a whole one.
    let (from, to) = (folder.join("recording.rcr"), folder.join("failed.rcr"));
    if from.is_file() {
        std::fs::rename(&from, &to).map_err(|error| Failure::writing(&to, &error))?;
    }
    let problem = Problem::new("program_failed", "the program did not end as it should, and nothing is learnt from it");
    Err(Failure::undone(problem.value(shown.join(" ")).in_file(to.display().to_string())))
}

/// `{p}` and other names become their values.
fn filled(word: &str, values: &[(&str, f64)]) -> String {
    values.iter().fold(word.to_owned(), |word, (name, value)| word.replace(&format!("{{{name}}}"), &value.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_values() {
        assert_eq!(filled("-n{p}x{N}", &[("N", 0.5), ("p", 8.0)]), "-n8x0.5");
    }
}
