//! Methods that are asked as users ask them: by `runcast compare`, of models that its other commands make.

use super::{LEVEL, Row};
use crate::outcome::Outcome;
use crate::page::root;
use runcast_core::ranges::Scores;
use runcast_wavefront::level::sessions::{SESSIONS, scores, widened};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Sessions of a script in a folder of its own, each printing documents of `compare`. `$top` is the repository, `$data` the
/// public data, `$runcast` the program.
struct Case {
    method: &'static str,
    what: &'static str,
    scripts: &'static [&'static str],
}

const CASES: [Case; 6] = [
    Case {
        method: "`llac`",
        what: "two kernels over their sizes, new runs of the sizes that were fitted",
        scripts: &[
            "llac sum 'c[0] + c[1]*n'; asked sum 'rep > 4 and n <= 1e6'",
            "llac fft 'c[0] + c[1]*n*log2(n)'; asked fft 'rep > 4 and n <= 1e6'",
        ],
    },
    Case {
        method: "`llac`",
        what: "the same, sizes up to 4 times beyond",
        scripts: &[
            "llac sum 'c[0] + c[1]*n'; asked sum 'n > 1e6 and n <= 4.2e6'",
            "llac fft 'c[0] + c[1]*n*log2(n)'; asked fft 'n > 1e6 and n <= 4.2e6'",
        ],
    },
    Case {
        method: "`bsf predict`",
        what: "Jacobi on a machine of two cores, costs from runs with one worker, K = 1..4",
        scripts: &[r#"cp "$top"/examples/jacobi/costs.toml .
            "$runcast" compare "$top"/examples/jacobi/runs.csv --predictions costs.toml --json"#],
    },
    Case {
        method: "`wavefront solve`",
        what: "50 to 400 phases of two processes on a machine that others use, one session",
        scripts: &[r#"cp "$top"/examples/async/*.csv "$top"/examples/async/model.toml .
            "$runcast" compare runs.csv --predictions model.toml --json"#],
    },
    Case {
        method: "`sim`",
        what: "stencil, sorting and farm calibrated on small runs, larger ones",
        scripts: &[
            r#"simulated heat "$top"/testdata/sim/heat.csv --free c.stencil,c.pack"#,
            r#"simulated msort "$data"/sim/msort.csv --free c.sort,c.merge --fixed c.split=1.333ns"#,
            r#"simulated mslave "$top"/testdata/sim/mslave.csv --free c.similarity --fixed c.collect=200us"#,
        ],
    },
    Case {
        method: "`compare --combine`",
        what: "the sorting program: `auto` of its small runs and the simulation, larger ones",
        scripts: &[r#"calibrated msort "$data"/sim/msort.csv --free c.sort,c.merge --fixed c.split=1.333ns
            cut -d, -f1,3- "$data"/sim/msort.csv > runs.csv
            "$runcast" compare runs.csv --train 'p <= 32' --combine --json --predictions msort/experiment.toml"#],
    },
];

/// What the scripts use.
const WORDS: &str = r#"set -eu
llac() {
    "$runcast" llac -e "load $data/cll/$1.csv as t; subset t where rep <= 4 and n <= 1e6 as small" \
        -e "fit formula \"$2\" in small metric cpu_s seg bytes as m; save m to m.json" > llac.txt
}
asked() { "$runcast" compare "$data/cll/$1.csv" --metric cpu_s --where "$2" --predictions m.json --json; }
calibrated() {
    name=$1 table=$2; shift 2
    "$runcast" sim new "$name" -o "$name" > new.txt
    "$runcast" sim calibrate "$name/experiment.toml" --table "$table" --train 'set == "train"' \
        -o "$name/found.toml" "$@" > calibrate.txt
    { echo 'coeff = "found.toml"'; cat "$name/experiment.toml"; } > with
    mv with "$name/experiment.toml"
}
simulated() {
    calibrated "$@"
    "$runcast" compare "$2" --where 'set == "holdout"' --predictions "$1/experiment.toml" --json
}
"#;

/// Every case.
///
/// # Errors
/// The program is not there, or a script fails.
pub fn rows(data: &Path) -> Result<Vec<Row>, String> {
    let program = program()?;
    let row = |case: &Case| {
        let mut all = Outcome::default();
        for script in case.scripts {
            all.join(judged(&printed(script, &program, data)?)?);
        }
        Ok(Row::new(case.method, case.what, all))
    };
    let mut rows: Vec<Row> = CASES.iter().map(row).collect::<Result<_, String>>()?;
    rows.push(Row::new(
        "`wavefront solve`",
        "300 phases of two processes, 24 sessions with 0 to 2 others, each session left out",
        sessions(),
    ));
    Ok(rows)
}

/// Runs of many sessions, as `examples/wavefront/coverage.sh` measured them, beside the range that the other sessions calibrate.
fn sessions() -> Outcome {
    let rows: Vec<Vec<&str>> = SESSIONS.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let mut all = Outcome::default();
    for session in rows.chunk_by(|a, b| a[0] == b[0]) {
        let others = Scores::new(&scores(SESSIONS, |name| name != session[0][0]));
        let mut own = Outcome::default();
        for row in session {
            let [low_s, high_s, time_s] = [3, 4, 5].map(|cell| row.get(cell).and_then(|cell| cell.parse().ok()));
            let (Some(low_s), Some(high_s), Some(time_s)) = (low_s, high_s, time_s) else { continue };
            let range = widened(low_s, high_s, LEVEL, &others).map(|range| (range.low, range.high));
            own.take(f64::sqrt(low_s * high_s), range, time_s);
        }
        all.join(own);
    }
    all
}

/// `$RUNCAST`, or the neighbor of this program.
fn program() -> Result<PathBuf, String> {
    let beside = || std::env::current_exe().map(|path| path.with_file_name("runcast"));
    let path = match std::env::var_os("RUNCAST") {
        Some(path) => PathBuf::from(path),
        None => beside().map_err(|error| error.to_string())?,
    };
    path.canonicalize().map_err(|error| format!("{}: {error}; cargo build --release makes it", path.display()))
}

/// The document that a script prints.
fn printed(script: &str, program: &Path, data: &Path) -> Result<Value, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let absolute = |path: &Path| path.canonicalize().map_err(|error| format!("{}: {error}", path.display()));
    let output = Command::new("sh")
        .args(["-c", &format!("{WORDS}{script}")])
        .current_dir(folder.path())
        .env("top", absolute(&root())?)
        .env("data", absolute(data)?)
        .env("runcast", program)
        .output()
        .map_err(|error| format!("sh: {error}"))?;
    let fail = |why: String| format!("{script}: {why}\n{}", String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        return Err(fail(output.status.to_string()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| fail(error.to_string()))
}

/// The forecasts of a document of `compare` on runs that no input has seen: the combined ones where there are any, else those
/// of the first input.
fn judged(document: &Value) -> Result<Outcome, String> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let combined = list(&document["combined"]["predictions"]);
    let mut outcome = Outcome::default();
    for configuration in list(&document["configurations"]) {
        let forecasts = list(&configuration["forecasts"]);
        if forecasts.iter().any(|forecast| forecast["seen"] == true) {
            continue;
        }
        let together = combined.iter().find(|forecast| forecast["at"] == configuration["at"]);
        let forecast = together.or(forecasts.first()).ok_or("compare has no forecast")?;
        let (Some(value), Some(measured)) = (forecast["value"].as_f64(), configuration["measured"]["value"].as_f64())
        else {
            outcome.failed += 1;
            continue;
        };
        let range = forecast["low"].as_f64().zip(forecast["high"].as_f64());
        let count = |value: &Value| value.as_u64().and_then(|count| usize::try_from(count).ok());
        match count(&configuration["measured"]["runs"]).zip(count(&forecast["covered_runs"])) {
            Some(runs) => outcome.take_runs(value, range, measured, runs),
            None => outcome.take(value, range, measured),
        }
    }
    Ok(outcome)
}
