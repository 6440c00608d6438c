//! What a file models that it could do without: it is asked again without that, and what changes is the effect.

use super::ask::{self, Competitor};
use super::document::Document;
use super::input::{Input, Said};
use super::rows::{Row, Rows};
use super::{CompareArgs, settings};
use crate::context::Context;
use crate::kinds::Kind;
use runcast_core::prediction::Rename;
use std::collections::HashMap;
use toml::{Table, Value};

/// What is in the file of a method and may be left out of it.
pub(super) fn features(kind: Kind, text: &str) -> Vec<&'static str> {
    let Ok(file) = text.parse::<Table>() else { return Vec::new() };
    let all: &[&'static str] = match kind {
        Kind::Bsf => &["cache", "protocol_switch"],
        Kind::Wavefront => &["shared_machine"],
        Kind::Experiment => &["noise", "contention"],
        _ => &[],
    };
    all.iter().copied().filter(|code| without(code, file.clone()).is_some()).collect()
}

/// Whether someone measured the machine for a file: then it says where its numbers come from.
pub(super) fn is_measured(kind: Kind, text: &str) -> Option<bool> {
    let file = text.parse::<Table>().ok()?;
    let levels = kind == Kind::Wavefront && file.contains_key("level");
    Some(file.contains_key("origin") || levels)
}

/// The file without something; none if it has none of it.
fn without(code: &str, mut file: Table) -> Option<Table> {
    match code {
        "cache" => {
            let map = file.get_mut("pieces")?.get_mut("map")?;
            // Alone, a worker has the whole list: what holds there is what a model without the step would know.
            let always = map.get("out_of_cache")?.clone();
            *map = always;
        }
        "protocol_switch" => {
            let switches = file.get_mut("messages")?.as_table_mut()?.remove("switches")?;
            switches.as_array().filter(|list| !list.is_empty())?;
        }
        "shared_machine" => drop(file.remove("level")?),
        "noise" => drop(file.remove("noise")?),
        "contention" => {
            let fidelity = file.get_mut("fidelity").filter(|word| word.as_str() == Some("flow"))?;
            *fidelity = Value::String("loggops".to_owned());
        }
        _ => return None,
    }
    Some(file)
}

/// Asks again without what explains differences, and sets the share of the gap that goes with it:
///
/// ```text
/// effect = (ln modeled - ln without)/(ln modeled - ln other)
/// ```
///
/// Assumptions then come by their effect, those without one as before.
pub(super) fn add_effects(
    args: &CompareArgs,
    document: &mut Document,
    inputs: &[Input],
    rows: &Rows,
    context: &mut Context,
) {
    let mut names = super::rename(args, inputs).unwrap_or_default();
    let mut known: HashMap<String, Option<f64>> = HashMap::new();
    for difference in &mut document.differences {
        let said = |name: &str| {
            let of_row = document.configurations.iter().find(|one| one.at == difference.at)?;
            of_row.forecasts.iter().find(|forecast| forecast.input == name)?.value
        };
        for assumption in &mut difference.assumptions {
            let other = if assumption.modeled_by == difference.a { &difference.b } else { &difference.a };
            let (Some(modeled), Some(other)) = (said(&assumption.modeled_by), said(other)) else { continue };
            let asked = document.inputs.iter().find(|one| one.input == assumption.modeled_by);
            let Some((asked, input)) = asked
                .and_then(|one| Some((one, inputs.iter().find(|input| input.file.display().to_string() == one.file)?)))
            else {
                continue;
            };
            let key = format!("{}\n{}\n{}", asked.input, assumption.code, difference.at);
            let without = *known.entry(key).or_insert_with(|| {
                let row = rows.list.iter().find(|row| row.at == difference.at)?;
                let renames = names.entry(input.name.clone()).or_default();
                let switched = Switched { input, code: &assumption.code, model: &asked.summary.model };
                switched.ask(row, renames, args, rows, context)
            });
            let gap = (modeled / other).ln();
            let effect = without.map(|without| 100.0 * (modeled / without).ln() / gap);
            assumption.effect_pct = effect.filter(|effect| effect.is_finite());
        }
        let size = |effect: Option<f64>| effect.map_or(-1.0, f64::abs);
        difference.assumptions.sort_by(|a, b| size(b.effect_pct).total_cmp(&size(a.effect_pct)));
    }
}

struct Switched<'a> {
    input: &'a Input,
    code: &'a str,
    model: &'a str,
}

impl Switched<'_> {
    /// What the input says of a row without something.
    fn ask(
        &self,
        row: &Row,
        renames: &[Rename],
        args: &CompareArgs,
        rows: &Rows,
        context: &mut Context,
    ) -> Option<f64> {
        let Said::Command(_) = self.input.says else { return None };
        let text = context.read_text(&self.input.file).ok()?;
        let file = without(self.code, text.parse::<Table>().ok()?)?;
        let text = toml::to_string(&file).ok()?;
        let one = Rows { list: vec![row.clone()], ..rows.clone() };
        context.pretend(&self.input.file, text.into_bytes());
        let said = ask::ask(self.input, renames, &settings(args, self.input), &one, args, context);
        context.end_pretending(&self.input.file);
        let same = |one: &&Competitor| one.model == self.model;
        said.ok()?.iter().find(same)?.answers.first()?.as_ref()?.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIECES: &str = "algorithm = 'pieces'\n[pieces]\nlist_length = 8\nelement_bytes = 8\nmap = { in_cache = '1us', out_of_cache = '2us', cache = '1KiB' }\n[messages]\nsize_bytes = [1, 8]\ntime_s = [1e-6, 2e-6]\nswitches = [1]\n";

    #[test]
    fn what_is_in_a_file_can_be_left_out() {
        assert_eq!(features(Kind::Bsf, PIECES), ["cache", "protocol_switch"]);
        let plain = without("cache", PIECES.parse().expect("TOML")).expect("a cache");
        assert_eq!(plain["pieces"]["map"].as_str(), Some("2us"));
        let open = without("protocol_switch", PIECES.parse().expect("TOML")).expect("a switch");
        assert!(open["messages"].get("switches").is_none());
        assert_eq!(features(Kind::Bsf, "algorithm = 'jacobi'"), [""; 0]);
        assert_eq!(features(Kind::Experiment, "fidelity = 'flow'\n[noise]\nrun = 1"), ["noise", "contention"]);
        assert_eq!(features(Kind::Experiment, "fidelity = 'loggops'"), [""; 0]);
        assert_eq!(features(Kind::Wavefront, "[level]\n"), ["shared_machine"]);
    }

    #[test]
    fn a_file_that_says_where_it_is_from_was_measured() {
        assert_eq!(is_measured(Kind::Bsf, "[origin]\nmachine = 'ws1'"), Some(true));
        assert_eq!(is_measured(Kind::Bsf, PIECES), Some(false));
        assert_eq!(is_measured(Kind::Wavefront, "[level]\n"), Some(true));
    }
}
