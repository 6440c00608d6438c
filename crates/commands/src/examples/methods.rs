//! Examples of the commands that not every build has.

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
  runcast bsf calibrate gravity --size 300 --wait spin --repetitions 100 --timings messages.csv
  runcast bsf calibrate --run './kmeans 3000' -o costs.toml
  runcast bsf predict costs.toml";

pub(crate) const BSF_VALIDATE: &str = "\
Examples:
  runcast bsf validate runs.csv --fit --train 'workers <= 100'
  runcast bsf validate runs.csv --fit --list-length 400 --workers 512,1024 --plot curves.svg
  runcast bsf validate timings.csv --costs costs.toml --report validation.html
  runcast bsf validate --run jacobi --size 5000 --workers 1,2,4 --costs costs.toml";

pub(crate) const SIM_SYSTEM_CHECK: &str = "\
Examples:
  runcast sim system check galera.toml
  runcast sim system check galera.toml --hardware cpu=intel-xeon-x5680 --json";

pub(crate) const SIM_SYSTEM_SHOW: &str = "\
Examples:
  runcast sim system show galera.toml
  runcast sim system show galera.toml --detail
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
