//! The files that are written beside the result.

use super::{SampleArgs, Sampled};
use crate::failure::Failure;
use crate::import::shell_word;
use crate::options::paths::OutputFile;
use crate::output::Output;
use runcast_core::Problem;
use runcast_wavefront::model::{self, Overrides};
use runcast_wavefront::sample::model_file::{self, OperatorTable, Wanted};
use runcast_wavefront::sample::pilot::{self, Pace, Pilot};
use runcast_wavefront::sample::series::process_names;
use std::path::{Component, Path, PathBuf};

/// The model with the laws of the samples, where it is wanted.
pub(super) fn model(sampled: &Sampled<'_>) -> Result<Option<String>, Failure> {
    let args = sampled.args;
    let (Some(model), Some(table)) = (&args.write_model, args.table()) else { return Ok(None) };
    let processes = process_names(&sampled.series).count();
    let wanted = Wanted {
        operator: operator(sampled, model),
        pilot: sampled.pilot.as_ref(),
        work: sampled.work,
        comment: comment(sampled),
        ..wanted(sampled, beside(model, table))
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

/// What the samples alone say.
fn wanted<'a>(sampled: &'a Sampled<'_>, samples: String) -> Wanted<'a> {
    Wanted {
        samples,
        modes: sampled.modes.as_ref(),
        level: sampled.level().filter(|_| sampled.writes_level),
        sigma_factor: sampled.sigma_factor,
        degree: sampled.degree.as_ref(),
        semantics: sampled.semantics,
        ..Wanted::default()
    }
}

/// By how much all times are longer in the loop that the samples are from than the model has them, and how much more its
/// phases spread.
///
/// Messages, too: those of one phase are long and short together, so that on a busy machine the latest of independent ones
/// may alone come later than the phases end.
pub(super) fn closing(sampled: &Sampled<'_>, pace: &Pace) -> Option<(Pilot, f64)> {
    let table = sampled.samples.to_csv().into_bytes();
    let text = model_file::text(&sampled.series, &wanted(sampled, "samples.csv".to_owned()))?;
    let read = model::read(&text, "model.toml", &mut |_| Ok(table.clone()), &Overrides::default()).ok()?;
    let expected = pilot::expected(&read.model)?;
    let factor = pace.phase_s() / expected.phase_s;
    let level = sampled.level().filter(|_| sampled.writes_level);
    let (log_sd, spread) = pace.doubts(level, expected);
    let factors = vec![factor; process_names(&sampled.series).count()];
    Some((Pilot { factors, messages: factor, log_sd }, spread))
}

fn comment(sampled: &Sampled<'_>) -> Vec<String> {
    let mut lines = vec![format!("made by runcast wavefront sample {}", crate::VERSION)];
    if let Some(measuring) = &sampled.origin.measuring {
        let bytes = measuring.size_bytes;
        let (updates, messages, backend) = (measuring.updates, measuring.messages, measuring.backend);
        lines.push(match measuring.how {
            "loop" => format!("{updates} phases of the real loop, messages of {bytes} bytes, on {backend}"),
            _ => format!("{updates} updates a process, {messages} messages of {bytes} bytes a link, on {backend}"),
        });
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
