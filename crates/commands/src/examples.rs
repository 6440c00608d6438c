//! The examples at the end of each `--help`.

#[cfg(feature = "methods")]
mod methods;

use crate::models;
#[cfg(feature = "methods")]
pub(crate) use methods::*;

pub(crate) const PLAN: &str = "\
Examples:
  Weak scaling of a program that does 2/3 N^3 operations:
    runcast plan --complexity '2/3*N^3' --constant p=8,N=20000 --size N:multiple=100 \\
      --processes squares --max-p 196 --target-processes 400,576 -o plan.csv
  Strong scaling of one problem:
    runcast plan --scaling strong --fixed N=50000 --processes powers:2 --max-p 64
  All combinations of processes and sizes, as far as 2 core-hours pay for them:
    runcast plan --grid 'p=2,4,8,16; N=1000,2000,4000' --targets p=64,N=8000 \\
      --complexity 'N^2' --measured p=4,N=1000:12s --budget 2 -o plan.csv
  How far runs that were chosen by hand are from constant work per process:
    runcast plan --complexity 'N^3' --constant 1e12 --examine runs.csv";

pub(crate) const IMPORT: &str = "\
Examples:
  runcast import measurements.txt -o runs.csv
  runcast import hyperfine.json | runcast fit - --params threads
  runcast import run-*.cali.json --format caliper --params p=mpi.world.size \\
    --metric 'time=avg#inclusive#sum#time.duration:s' -o runs.csv";

const FIT: &str = "\
Examples:
  runcast fit runs.csv
  runcast fit runs.csv --model all -o models.json
  runcast fit runs.csv --where 'region == \"main\" and p <= 64' --metric time:s --params p,N
  runcast fit runs.csv --formula 'a*p + b*N^3/p + c' --unknown a,b,c";

const PREDICT: &str = "\
Examples:
  runcast predict runs.csv --at p=1024
  runcast predict models.json --at p=1024,N=100000 --at p=2048,N=100000 --level 0.95
  runcast predict runs.csv --targets plan.csv -o predictions.csv";

const EVALUATE: &str = "\
Examples:
  runcast evaluate runs.csv --model auto,weak,pmnf --hold-out factor:4
  runcast evaluate runs.csv --train 'p <= 64' --test 'p > 64' --show layout=thesis
  runcast evaluate --predictions predictions.csv --runs new-runs.csv";

pub(crate) const COMPARE: &str = "\
Examples:
  runcast compare runs.csv --train 'p <= 8' --predictions costs.toml --at p=64
  runcast compare runs.csv --predictions model.json --predictions experiment.toml --combine
  runcast compare runs.csv --predictions closed.csv --rename closed:p=workers --plot curves.svg";

pub(crate) const ADVISE_PROCESSES: &str = "\
Examples:
  runcast advise processes runs.csv --max-p 4096
  runcast advise processes runs.csv --processes range:1..64:1 --objective efficiency:0.7
  runcast advise processes runs.csv --objective deadline:10min@0.9 --fixed N=50000
  runcast advise processes runs.csv costs.toml heat/experiment.toml --combine --objective front --plot front.svg";

pub(crate) const ADVISE_NEXT: &str = "\
Examples:
  runcast advise next runs.csv --at p=4096 --processes powers:2 --max-p 512 --budget 50
  runcast advise next runs.csv costs.toml --at p=4096 --budget 50";

pub(crate) const ADVISE_REGIONS: &str = "\
Examples:
  runcast advise regions runs.csv --at p=4096
  runcast advise regions runs.csv --at p=4096 --order class --min-share 5%";

pub(crate) const ADVISE_COMPARE: &str = "\
Examples:
  runcast advise compare before.csv after.csv --at p=4096";

pub(crate) const BENCH: &str = "\
Examples:
  runcast bench plan.csv -o runs.csv -- ./solver --threads {p} --size {N}
  runcast bench plan.csv -o runs.csv --launcher mpirun --limit time=10min \\
    --figure 'solve_s=^solved in ([0-9.]+) s' -- ./solver {N}
  runcast bench plan.csv -o runs.csv --launcher slurm --job-step srun \\
    --sbatch-option=--partition=short -- ./solver {N}
Every run is on disk before the next one starts: after an interruption, the same command goes on.";

/// What stands at the end of `runcast fit --help`.
pub(crate) fn fit() -> String {
    with_models(FIT)
}

/// What stands at the end of `runcast predict --help`.
pub(crate) fn predict() -> String {
    with_models(PREDICT)
}

/// What stands at the end of `runcast evaluate --help`.
pub(crate) fn evaluate() -> String {
    with_models(EVALUATE)
}

/// The models by name, and the examples.
fn with_models(examples: &str) -> String {
    format!("{}\n{examples}", models::list())
}

pub(crate) const REPORT: &str = "\
Examples:
  runcast report runs.csv --at p=1024 -o report.html
  runcast report runs.csv --model all --hold-out top:2 --plot pictures -o report.html
  runcast report models.json evaluation.json --title 'Solver on 1,024 nodes' -o report.html
  runcast report report.toml -o report.html
    with title = \"..\" and for each part [[item]] text = \"..\" or [[item]] path = \"runs.csv\"";

pub(crate) const QUICKSTART: &str = "\
Examples:
  runcast quickstart
  runcast quickstart -o /tmp/first-try --limit time=5s";
