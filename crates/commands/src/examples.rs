//! The examples at the end of each `--help`.

use crate::models;

pub(crate) const PLAN: &str = "\
Examples:
  Weak scaling of a program that does 2/3 N^3 operations:
    runcast plan --complexity '2/3*N^3' --constant p=8,N=20000 --size N:multiple=100 \\
      --processes squares --max-p 196 --targets 400,576 -o plan.csv
  Strong scaling of one problem:
    runcast plan --scaling strong --fixed N=50000 --processes powers:2 --max-p 64
  How far runs that were chosen by hand are from constant work per process:
    runcast plan --complexity 'N^3' --constant 1e12 --check runs.csv";

pub(crate) const IMPORT: &str = "\
Examples:
  runcast import measurements.txt -o runs.csv
  runcast import hyperfine.json | runcast fit - --params threads
  runcast import run-*.cali.json --format caliper --param p=mpi.world.size \\
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
  runcast evaluate runs.csv --models auto,weak,pmnf --hold-out factor:4
  runcast evaluate runs.csv --train 'p <= 64' --test 'p > 64' --layout thesis
  runcast evaluate --predictions predictions.csv --runs new-runs.csv";

pub(crate) const ADVISE_PROCESSES: &str = "\
Examples:
  runcast advise processes runs.csv --max-p 4096
  runcast advise processes runs.csv --processes range:1..64:1 --objective efficiency:0.7
  runcast advise processes runs.csv --objective deadline:10min --fixed N=50000";

pub(crate) const ADVISE_NEXT: &str = "\
Examples:
  runcast advise next runs.csv --at p=4096 --candidates powers:2 --max-p 512 --budget-core-hours 50";

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
  runcast bench plan.csv -o runs.csv --launcher mpirun --time-limit 10min \\
    --figure 'solve_s=^solved in ([0-9.]+) s' -- ./solver {N}
  runcast bench plan.csv -o runs.csv --launcher slurm --step srun \\
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
  runcast report runs.csv --model all --hold-out top:2 --plots pictures -o report.html
  runcast report models.json evaluation.json --title 'Solver on 1,024 nodes' -o report.html
  runcast report report.toml -o report.html
    with title = \"..\" and for each part [[item]] text = \"..\" or [[item]] path = \"runs.csv\"";

pub(crate) const BSF_PREDICT: &str = "\
Examples:
  runcast bsf predict --algorithm jacobi --size 1500 --latency 15us --op-time 29ns \\
    --transfer-time 190ns
  runcast bsf predict costs.toml --workers 1,2,4,8 --plot speedup.svg
  runcast bsf predict costs.toml --latency 15us,10us,20us --seed 1 -o predictions.csv";

pub(crate) const BSF_RUN: &str = "\
Examples:
  runcast bsf run jacobi --size 1500
  runcast bsf run jacobi --size 5000 --backend threads --workers 4 --timings times.csv
  runcast bsf run cimmino --size 1500 --projection equality --json
  runcast bsf run gravity --size 300 --iterations 100000 --checkpoint saved.bsf
  runcast bsf run gravity --size 300 --iterations 100000 --resume saved.bsf
  runcast bsf run jacobi --size 5000 --backend mpi --workers 4 --retries 3 --checkpoint saved.bsf";

pub(crate) const BSF_CALIBRATE: &str = "\
Examples:
  runcast bsf calibrate jacobi --size 5000 -o costs.toml
  runcast bsf calibrate jacobi --size 5000 --backend mpi --workers 64 -o costs.toml
  runcast bsf calibrate gravity --size 300 --wait spin --repeat 100 --messages messages.csv
  runcast bsf predict costs.toml";

pub(crate) const BSF_VALIDATE: &str = "\
Examples:
  runcast bsf validate runs.csv --fit --train 'workers <= 100'
  runcast bsf validate runs.csv --fit --list-length 400 --workers 512,1024 --plot curves.svg
  runcast bsf validate timings.csv --params costs.toml --report validation.html
  runcast bsf validate --run jacobi --size 5000 --workers 1,2,4 --params costs.toml";

pub(crate) const QUICKSTART: &str = "\
Examples:
  runcast quickstart
  runcast quickstart --dir /tmp/first-try --budget 5s";

pub(crate) const SIM_SYSTEM_CHECK: &str = "\
Examples:
  runcast sim system check galera.toml
  runcast sim system check galera.toml --hardware cpu=intel-xeon-x5680 --json";

pub(crate) const SIM_SYSTEM_SHOW: &str = "\
Examples:
  runcast sim system show galera.toml
  runcast sim system show galera.toml --attributes
  runcast sim system show platform.xml";

pub(crate) const SIM_SYSTEM_CONVERT: &str = "\
Examples:
  runcast sim system convert platform.xml -o system.toml
  runcast sim system convert system.toml -o platform.xml";

pub(crate) const SIM_HARDWARE_LIST: &str = "\
Examples:
  runcast sim hardware list
  runcast sim hardware list xeon --kind cpu
  runcast sim hardware list --catalogue mine.toml --json";

pub(crate) const SIM_HARDWARE_SHOW: &str = "\
Examples:
  runcast sim hardware show intel-xeon-l5640
  runcast sim hardware show infiniband-qdr-4x --json";

pub(crate) const SIM_HARDWARE_ADD: &str = "\
Examples:
  runcast sim hardware add new.toml -o mine.toml
  runcast sim system show galera.toml --catalogue mine.toml";
