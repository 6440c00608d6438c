//! A calibration at `flow`: three coefficients of a dense factorization, from runs on up to 256 processes.

use super::fat_tree;
use runcast_core::{Problem, Problems};
use runcast_sim::calibrate::{Free, Options, calibrate};
use runcast_sim::experiment::{self, Value};
use runcast_sim::run::{Inputs, Prepared, RunControl, Settings, Variation, prepare, simulate};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Panels of a matrix go around along rows of a grid of q x q processes; then all update what is theirs.
const SCRIPT: &str = r#"
local q, n, width = param("q", 4), param("n", 8192), 128
label{ "cell", count = q*q, run = function(rank)
  local x, y = rank % q, rank // q
  local left, right = (x + q - 1) % q + y*q, (x + 1) % q + y*q
  for panel = 0, n/width - 1 do
    local rest = (n - panel*width)/q
    local owner = panel % q
    if x == owner then compute{ type = "panel", ops = rest*width^2 } end
    if q > 1 then
      if x ~= owner then recv{ from = left, tag = 1 } end
      if (x + 1) % q ~= owner then send{ to = right, size = 8*rest*width, tag = 1 } end
      local up = isend{ to = x + ((y + 1) % q)*q, size = 8*rest*width, tag = 2 }
      recv{ from = x + ((y + q - 1) % q)*q, tag = 2 }
      wait(up)
    end
    compute{ type = "swap", size = 8*rest*width }
    compute{ type = "update", ops = 2*rest^2*width }
  end
end }
"#;
const EXPERIMENT: &str = "format = \"runcast-experiment/1\"\nsystem = \"system.toml\"\nfidelity = \"flow\"\n[[app]]\n\
                          name = \"factorization\"\nfile = \"app.luau\"\n";
const MODEL: &str = r#"
[model.dense]
extends = "default"
rule = [
  { on = "compute", type = "panel", value = "c.panel * ops" },
  { on = "compute", type = "swap", value = "c.swap * size" },
  { on = "compute", type = "update", value = "c.update * ops" },
]
[model.dense.coeff]
panel = "1ns"
swap = "1ns/B"
update = "1ns"
"#;
/// What the runs are made with.
const TRUE: [(&str, f64); 3] = [("panel", 0.4e-9), ("swap", 0.25e-9), ("update", 0.11e-9)];
const GRIDS: [f64; 5] = [1.0, 2.0, 4.0, 8.0, 16.0];
const SIZES: [f64; 2] = [4096.0, 8192.0];

fn first(problems: Problems) -> String {
    problems.0.into_iter().next().map_or_else(String::new, |problem| problem.to_string())
}

fn time(prepared: &Prepared, values: &[f64]) -> Result<f64, Problem> {
    let mut variation = prepared.variation.clone();
    variation.coefficients.extend(TRUE.iter().map(|(name, _)| (*name).to_owned()).zip(values.iter().copied()));
    let simulated = prepared.again(&variation).and_then(|it| simulate(&it, &RunControl::new(&AtomicBool::new(false))));
    simulated.map(|simulated| simulated.result.time_s).map_err(|Problems(mut problems)| problems.remove(0))
}

pub fn part() -> Result<String, String> {
    let system = format!("{}{MODEL}", fat_tree(16, 16).replacen('\n', "\ndefault_model = \"dense\"\n", 1));
    let mut files = |path: &Path| match path.file_name().and_then(|name| name.to_str()) {
        Some("app.luau") => Ok(SCRIPT.to_owned()),
        _ => Ok(system.clone()),
    };
    let experiment = experiment::read(EXPERIMENT, "experiment.toml").map_err(first)?;
    let inputs = Arc::new(Inputs::read(experiment, Settings::default(), &mut files).map_err(first)?);
    let mut each = Vec::new();
    for (q, n) in GRIDS.into_iter().flat_map(|q| SIZES.map(|n| (q, n))) {
        let mut variation = Variation::default();
        for (name, value) in [("q", q), ("n", n)] {
            variation.set(name, Value::Number(value)).map_err(|problem| problem.to_string())?;
        }
        each.push(prepare(&inputs, &variation).map_err(first)?);
    }
    let all = |values: &[f64]| each.iter().map(|prepared| time(prepared, values)).collect::<Result<Vec<f64>, _>>();
    let real = all(&TRUE.map(|(_, value)| value)).map_err(|problem| problem.to_string())?;
    let free: Vec<Free> = TRUE
        .iter()
        .map(|(name, _)| Free { name: (*name).to_owned(), start: 1e-9, low: 0.0, high: f64::INFINITY })
        .collect();
    let begun = Instant::now();
    let found = calibrate(&real, &free, &Options::default(), &all).map_err(|problem| problem.to_string())?;
    let took_s = begun.elapsed().as_secs_f64();
    let worst = found.coefficients.iter().zip(TRUE).map(|(one, (_, value))| (one.value / value - 1.0).abs());
    let met = if took_s <= 60.0 { "met" } else { "missed" };
    Ok(format!(
        "\nCalibrating three coefficients of a dense factorization at `flow` on {} runs of up to 256 processes, on one thread, \
         from a start up to ten times off: {took_s:.1} s of wall time, {} simulations; the coefficients come out within {:.2} %. \
         Goal: 60 s on 2 cores, {met}.\n",
        real.len(),
        found.evaluations,
        100.0 * worst.fold(0.0, f64::max)
    ))
}
