//! The circumstances of a benchmark: machine, environment, versions.

use crate::bench::Bench;
use crate::clock;
use crate::figures::Figure;
use crate::journal::{CommandRecord, GitRevision, PlanRecord, Session};
use crate::machine::{self, Machine};
use crate::template::TextTemplate;
use indexmap::IndexMap;
use runcast_core::Warning;
use runcast_core::plan::PlannedConfiguration;
use std::path::Path;
use std::time::SystemTime;

/// Beginnings of the names of variables that change how programs run.
const VARIABLES: [&str; 17] = [
    "OMP_",
    "GOMP_",
    "KMP_",
    "MKL_",
    "OPENBLAS_",
    "BLIS_",
    "MPICH_",
    "OMPI_",
    "PRTE_",
    "I_MPI_",
    "UCX_",
    "FI_",
    "SLURM_JOB",
    "SLURM_NTASKS",
    "SLURM_CPUS",
    "CUDA_VISIBLE",
    "LD_",
];

/// The session that begins now.
pub(crate) fn begin(bench: &Bench, parameters: &[String], runs: usize, warnings: &mut Vec<Warning>) -> Session {
    let options = &bench.options;
    let mut recorded = IndexMap::new();
    for (name, command) in &options.record {
        let line = machine::said(&["sh", "-c", command]);
        if line.is_none() {
            warnings.push(Warning::new(
                "not_recorded",
                format!("{command:?} printed nothing to record as {name}, or failed"),
            ));
        }
        recorded.insert(name.clone(), line);
    }
    let git = options.git.as_deref().and_then(|folder| {
        let revision = git_revision(folder);
        if revision.is_none() {
            warnings.push(Warning::new("no_revision", format!("git knows no revision of {}", folder.display())));
        }
        revision
    });
    Session {
        kind: "bench-journal".to_owned(),
        version: 1,
        runcast: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: clock::rfc3339(SystemTime::now()),
        command: command(bench),
        parameters: parameters.to_vec(),
        plan: PlanRecord { configurations: bench.plan.len(), runs, digest: digest(&plan_text(&bench.plan)) },
        seed: options.seed,
        warmup: options.warmup,
        time_limit_s: options.time_limit.map(|limit| limit.as_secs_f64()),
        machine: Machine::observe(),
        environment: environment(),
        recorded,
        git,
    }
}

/// A short name for a text: 64 bits of FNV-1a in hexadecimal digits after a letter, so that it never reads as a number.
pub(crate) fn digest(text: &str) -> String {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("r{hash:016x}")
}

fn command(bench: &Bench) -> CommandRecord {
    let template = &bench.template;
    let source = |text: &TextTemplate| text.source().to_owned();
    CommandRecord {
        argv: template.argv.iter().map(source).collect(),
        env: template.env.iter().map(|(name, text)| (name.clone(), source(text))).collect(),
        workdir: template.workdir.as_ref().map(source),
        stdin: template.stdin.as_ref().map(source),
        launcher: bench.launcher.record(),
        figures: bench.options.figures.iter().map(Figure::record).collect(),
        seed: template.uses_seed().then_some(bench.options.seed),
    }
}

fn plan_text(plan: &[PlannedConfiguration]) -> String {
    plan.iter().map(|planned| format!("{} {} {}\n", planned.set, planned.at, planned.repetitions)).collect()
}

fn environment() -> IndexMap<String, String> {
    let mut variables: Vec<(String, String)> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.to_string_lossy().into_owned())))
        .filter(|(name, _)| VARIABLES.iter().any(|beginning| name.starts_with(beginning)))
        .collect();
    variables.sort();
    variables.into_iter().collect()
}

fn git_revision(folder: &Path) -> Option<GitRevision> {
    let folder = folder.to_str()?;
    let revision = machine::said(&["git", "-C", folder, "rev-parse", "HEAD"])?;
    let modified = machine::said(&["git", "-C", folder, "status", "--porcelain"]).is_some();
    Some(GitRevision { revision, modified })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_fnv_and_never_numbers() {
        // Test vectors of the FNV reference code.
        assert_eq!(digest(""), "rcbf29ce484222325");
        assert_eq!(digest("foobar"), "r85944171f73967e8");
    }
}
