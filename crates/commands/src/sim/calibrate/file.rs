//! The file that `--coeff` reads: coefficients and laws by model, sizes of noise, what is uncertain, and where it comes from.

use super::document::{Document, Errors, Size};
use super::laws::Chosen;
use super::names::Wanted;
use super::runs::Configuration;
use super::{CalibrateArgs, MetricArg};
use runcast_core::Problems;
use runcast_sim::calibrate::blocks::measured_on;
use runcast_sim::model::Uncertainty;
use runcast_sim::run::Prepared;
use std::fmt::Write;
use std::sync::Arc;

/// The text of the file.
///
/// # Errors
/// What is wrong with the first configuration.
pub(super) fn text(
    args: &CalibrateArgs,
    document: &Document,
    wanted: &Wanted,
    laws: &Chosen,
    uncertainty: &Uncertainty,
    base: &Prepared,
) -> Result<String, Problems> {
    let mut text = String::from("# Coefficients of computational models, written by `runcast sim calibrate`.\n");
    let mut models: Vec<&String> = wanted.models.iter().flat_map(|(_, models)| models).collect();
    models.sort();
    models.dedup();
    let mut variation = base.variation.clone();
    variation.laws.extend(laws.trials.iter().map(|law| Arc::clone(&law.file)));
    let prepared = base.again(&variation)?;
    for model in models {
        let rules: Vec<&str> = laws.rules.iter().filter(|(of, _)| of == model).map(|(_, rule)| rule.as_str()).collect();
        if !rules.is_empty() {
            let _ = writeln!(text, "\n[model.{}]\nrule = [\n  {},\n]", toml_key(model), rules.join(",\n  "));
        }
        let _ = writeln!(text, "\n[model.{}.coeff]", toml_key(model));
        for (name, _) in wanted.models.iter().filter(|(_, of)| of.contains(model)) {
            let full = format!("c.{name}");
            let unit = laws.units.iter().find(|(known, _)| *known == full).map_or("", |(_, unit)| unit);
            let number =
                |value: f64| if unit.is_empty() { format!("{value:e}") } else { format!("\"{value:e}{unit}\"") };
            let found = document.coefficients.iter().find(|one| one.name == full);
            let fixed = wanted.fixed.iter().find(|(fixed, _)| *fixed == full).map(|(_, value)| value);
            if let Some(one) = found {
                let [value, low, high] = [one.value, one.low, one.high].map(number);
                let origin = origin(&prepared, model, name)?;
                let _ =
                    writeln!(text, "{} = {{ value = {value}, low = {low}, high = {high}{origin} }}", toml_key(name));
            } else if let Some(value) = fixed {
                let _ = writeln!(text, "{} = {value:e}", toml_key(name));
            }
        }
    }
    let sizes: Vec<&Size> = document.noise.iter().filter(|one| one.value.is_some()).collect();
    if !sizes.is_empty() {
        text += "\n[noise]\n";
    }
    for Size { name, value, low, high } in sizes {
        let name = toml::Value::String(name.trim_start_matches("noise.").to_owned());
        let [value, low, high] = [value, low, high].map(|number| number.unwrap_or(0.0));
        let _ = writeln!(text, "{name} = {{ value = {value:e}, low = {low:e}, high = {high:e} }}");
    }
    if args.metric == MetricArg::Time {
        text += &of_uncertainty(uncertainty);
    }
    let _ = writeln!(text, "\n[origin]");
    let _ = writeln!(text, "program = \"runcast {}\"", env!("CARGO_PKG_VERSION"));
    let _ = writeln!(text, "table = {}", toml::Value::String(args.table.display().to_string()));
    let _ = writeln!(text, "metric = \"{}\"", args.metric.name());
    let _ = writeln!(text, "level = {}", document.level);
    let errors = |name: &str, errors: &Errors| {
        format!(
            "{name} = {{ rows = {}, d_avg_pct = {:.4}, d_max_pct = {:.4} }}\n",
            errors.rows, errors.d_avg_pct, errors.d_max_pct
        )
    };
    text += &errors("train", &document.train);
    text += &document.holdout.as_ref().map(|holdout| errors("holdout", holdout)).unwrap_or_default();
    Ok(text)
}

/// Where a coefficient was measured, and what it depends on if the system says so.
fn origin(prepared: &Prepared, model: &str, name: &str) -> Result<String, Problems> {
    let quoted = |text: String| toml::Value::String(text);
    let on = measured_on(prepared, model, name)?.map(|on| format!(", on = {}", quoted(on))).unwrap_or_default();
    let models = prepared.models()?;
    let coefficient = models.iter().find(|known| known.name == model).and_then(|known| known.coefficients.get(name));
    let scales = coefficient.and_then(|known| known.scales);
    Ok(on + &scales.map(|scale| format!(", scales = \"{}\"", scale.word())).unwrap_or_default())
}

/// With the spread of single runs that is not simulated: that of the repetitions, of which the means hold a part already.
pub(super) fn beyond(of: Uncertainty, configurations: &[Configuration], has_noise: bool) -> Uncertainty {
    if has_noise {
        return of;
    }
    let training = configurations.iter().filter(|one| !one.is_held_out).map(|one| &one.observed);
    let (mut squares, mut degrees, mut in_means, mut count) = (0.0, 0.0, 0.0, 0.0);
    for one in training {
        let runs = one.runs as f64;
        squares += (runs - 1.0) * (one.sd / one.mean).powi(2);
        degrees += runs - 1.0;
        in_means += 1.0 / runs;
        count += 1.0;
    }
    let pooled = if degrees > 0.0 { squares / degrees } else { 0.0 };
    Uncertainty { spread: (pooled * (1.0 - in_means / count)).max(0.0).sqrt(), ..of }
}

fn of_uncertainty(of: &Uncertainty) -> String {
    let list = |names: &[String]| toml::Value::from(names.to_vec()).to_string();
    let mut text = String::from(
        "\n# Relative errors: of what was found, of means of runs, of a single run beside them.\n[uncertainty]\n",
    );
    let _ = writeln!(text, "names = {}", list(&of.names));
    if !of.signed.is_empty() {
        let _ = writeln!(text, "signed = {}", list(&of.signed));
    }
    let row = |row: &Vec<f64>| {
        let parts: Vec<String> = row.iter().map(|part| format!("{part:e}")).collect();
        format!("[{}]", parts.join(", "))
    };
    let rows: Vec<String> = of.covariance.iter().map(row).collect();
    let _ = writeln!(text, "covariance = [{}]", rows.join(", "));
    let _ = writeln!(text, "degrees = {}\nmisfit = {:e}\nspread = {:e}", of.degrees, of.misfit, of.spread);
    text
}

pub(super) fn toml_key(name: &str) -> String {
    let is_bare = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    if is_bare { name.to_owned() } else { toml::Value::String(name.to_owned()).to_string() }
}
