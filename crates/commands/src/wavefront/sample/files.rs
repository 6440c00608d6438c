//! The files that are written beside the result.

use super::{SampleArgs, Sampled};
use crate::failure::Failure;
use crate::import::shell_word;
use crate::options::paths::OutputFile;
use crate::output::Output;
use runcast_core::Problem;
use runcast_wavefront::sample::model_file::{self, OperatorTable, Wanted};
use runcast_wavefront::sample::series::Subject;
use std::path::{Component, Path, PathBuf};

/// The model with the laws of the samples, where it is wanted.
pub(super) fn model(sampled: &Sampled<'_>) -> Result<Option<String>, Failure> {
    let args = sampled.args;
    let (Some(model), Some(table)) = (&args.write_model, args.table()) else { return Ok(None) };
    let processes = sampled.series.iter().filter(|series| matches!(series.subject, Subject::Process(_))).count();
    let wanted = Wanted {
        samples: beside(model, table),
        operator: operator(sampled, model),
        modes: sampled.modes.as_ref(),
        level: sampled.level().filter(|_| sampled.writes_level),
        sigma_factor: sampled.diagnostics.sigma_factor(),
        comment: comment(sampled),
    };
    let problem = || {
        let problem = Problem::new("no_law", "no model can be made: there are no updates, or one took no time");
        Failure::undone(problem.at("--write-model").hint("more --work an update, or --updates above 0"))
    };
    if processes == 0 {
        return Err(problem());
    }
    model_file::text(&sampled.series, &wanted).map(Some).ok_or_else(problem)
}

fn comment(sampled: &Sampled<'_>) -> Vec<String> {
    let mut lines = vec![format!("made by runcast wavefront sample {}", crate::VERSION)];
    if let Some(measuring) = &sampled.origin.measuring {
        let bytes = measuring.size_bytes;
        lines.push(format!(
            "{} updates a process, {} messages of {bytes} bytes a link, on {}",
            measuring.updates, measuring.messages, measuring.backend
        ));
    }
    lines
}

fn operator(sampled: &Sampled<'_>, model: &Path) -> Option<OperatorTable> {
    let args = sampled.args;
    let operator = args.operator.as_ref()?;
    let pieces = sampled.origin.measuring.as_ref()?.pieces.clone()?;
    Some(match super::operator::is_polynomial(operator) {
        true => OperatorTable::Polynomial { variables: args.variables, seed: args.seed.seed, pieces },
        false => OperatorTable::Matrix { path: beside(model, operator), pieces },
    })
}

/// A file as another file names it: relative to the folder of that file.
fn beside(of: &Path, file: &Path) -> String {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (of, file) = (absolute(of), absolute(file));
    let folder = of.parent().unwrap_or(Path::new(""));
    let common = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    let ups = folder.components().skip(common).map(|_| Component::ParentDir);
    let path: PathBuf = ups.chain(file.components().skip(common)).collect();
    path.display().to_string()
}

/// What was written, and what to type next.
pub(super) fn noted(mut output: Output, args: &SampleArgs) -> Output {
    let named = |path: &Option<OutputFile>| {
        path.as_ref().filter(|path| path.as_os_str() != "-").map(|path| path.display().to_string())
    };
    for file in [named(&args.out), named(&args.plot.plot)].into_iter().flatten() {
        output = output.noted(format!("wrote {file}"));
    }
    match named(&args.write_model) {
        Some(file) => output.noted(format!("wrote {file}; next: runcast wavefront solve {}", shell_word(&file))),
        None if args.check.is_none() && args.out.is_none() => {
            output.noted("with -o FILE.csv --write-model FILE.toml, runcast wavefront solve can go on from here")
        }
        None => output,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_from_where_the_model_is() {
        for (model, file, expected) in [
            ("model.toml", "samples.csv", "samples.csv"),
            ("models/model.toml", "samples.csv", "../samples.csv"),
            ("model.toml", "tables/samples.csv", "tables/samples.csv"),
            ("a/b/model.toml", "a/c/samples.csv", "../c/samples.csv"),
            ("/somewhere/model.toml", "/else/samples.csv", "../else/samples.csv"),
        ] {
            assert_eq!(beside(Path::new(model), Path::new(file)), expected);
        }
    }
}
