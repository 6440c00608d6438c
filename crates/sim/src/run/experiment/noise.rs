//! `noise`: random factors on computing times and bandwidths, and interruptions.

use super::{Experiment, named};
use crate::noise::{Detour, Distribution, NoiseSpec};
use runcast_core::Problem;
use runcast_core::toml::{Reader, Table};
use runcast_formula::units::Dimension;

pub(super) fn read(reader: &mut Reader<'_>, top: &Table<'_, '_>, experiment: &mut Experiment) {
    let Some(table) = reader.table_at(top, "noise") else { return };
    reader.allow(&table, &["run", "node", "block", "detour", "trace", "link"], "noise");
    experiment.noise = Some(NoiseSpec {
        run: law(reader, &table, "run"),
        node: law(reader, &table, "node"),
        block: law(reader, &table, "block"),
        detour: detour(reader, &table),
        link: law(reader, &table, "link"),
        types: Vec::new(),
        trace: None,
    });
    experiment.noise_trace = named(reader, &table, "trace");
    if table.has("detour")
        && let Some(node) = table.get("trace")
    {
        let place = reader.place(node, &table.at("trace"));
        reader.wrong(&place, Problem::new("conflict", "noise has a trace or detours, not both"));
    }
}

/// A law of a random factor.
fn law(reader: &mut Reader<'_>, noise: &Table<'_, '_>, key: &str) -> Option<Distribution> {
    let table = reader.table_at(noise, key)?;
    crate::model::file::law(reader, &table)
}

fn detour(reader: &mut Reader<'_>, noise: &Table<'_, '_>) -> Option<Detour> {
    let table = reader.table_at(noise, "detour")?;
    reader.allow(&table, &["rate", "mean"], "detours");
    for key in ["rate", "mean"] {
        if !table.has(key) {
            reader.missing(
                &table,
                key,
                if key == "rate" { "a rate such as \"0.05/s\"" } else { "a time such as \"4ms\"" },
            );
        }
    }
    let (rate_per_s, place) = reader.quantity(&table, "rate", Dimension::PerTime, "a rate such as \"0.05/s\"")?;
    let mean_s = reader.time(&table, "mean")?;
    if rate_per_s < 0.0 {
        let problem = Problem::new("out_of_range", "the rate is negative").value(rate_per_s.to_string());
        reader.wrong(&place, problem.allowed("a rate of 0 or more"));
        return None;
    }
    Some(Detour { rate_per_s, mean_s })
}
