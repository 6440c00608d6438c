//! The expressions along which constants may change, and the method to find the changes.

use super::data::varies;
use super::error::NoFit;
use super::samples::Samples;
use super::segments::same;
use super::settings::{Method, Settings};
use runcast_formula::{Formula, is_name};

/// Maximum number of parameters whose products and ratios are tried.
const MOST_PARAMETERS: usize = 8;

/// The method by which pieces are searched for, and its expressions.
pub(super) fn choose(samples: &Samples, settings: &Settings) -> Result<(Method, Vec<Formula>), NoFit> {
    let given = || {
        let mut distinct: Vec<Formula> = Vec::new();
        for formula in &settings.segmentation {
            if !distinct.iter().any(|known| known.text() == formula.text()) {
                distinct.push(formula.clone());
            }
        }
        distinct
    };
    let wanted = || if settings.segmentation_auto { candidates(samples) } else { given() };
    match settings.method {
        Some(Method::Single) => Ok((Method::Single, Vec::new())),
        Some(method @ (Method::Segments | Method::Regimes)) => {
            let mut formulas = wanted();
            if formulas.is_empty() {
                formulas = varying(samples);
            }
            if formulas.len() != 1 {
                return Err(NoFit::Variables { method: method.name(), needs: "one expression" });
            }
            Ok((Method::Segments, formulas))
        }
        Some(Method::Steps) => {
            let mut formulas = wanted();
            if formulas.is_empty() {
                formulas = candidates(samples);
            }
            if formulas.is_empty() {
                return Err(NoFit::Variables { method: "steps", needs: "expressions that vary" });
            }
            Ok((Method::Steps, formulas))
        }
        None => {
            let formulas = wanted();
            let method = match formulas.len() {
                0 => Method::Single,
                1 => Method::Segments,
                _ => Method::Steps,
            };
            Ok((method, formulas))
        }
    }
}

/// The parameters that vary, the number of processes last.
fn varying(samples: &Samples) -> Vec<Formula> {
    let is_process = |name: &String| samples.process_parameter.as_ref() == Some(name);
    let mut places: Vec<usize> = (0..samples.parameters.len())
        .filter(|&place| is_name(&samples.parameters[place]) && varies(samples, place))
        .collect();
    places.sort_by_key(|&place| is_process(&samples.parameters[place]));
    places.iter().filter_map(|&place| Formula::parse(&samples.parameters[place]).ok()).collect()
}

/// Every parameter that varies and, where there are few, every product and ratio of two; none that is not finite somewhere, and none that
/// puts the configurations into the same order as one before it.
fn candidates(samples: &Samples) -> Vec<Formula> {
    let single = varying(samples);
    let mut formulas = single.clone();
    let pairs = if single.len() > MOST_PARAMETERS { &[][..] } else { &single[..] };
    for (index, a) in pairs.iter().enumerate() {
        for b in &pairs[index + 1..] {
            formulas.extend(["*", "/"].iter().filter_map(|sign| Formula::parse(&format!("{a}{sign}{b}")).ok()));
        }
    }
    let names: Vec<&str> = samples.parameters.iter().map(String::as_str).collect();
    let mut seen: Vec<Vec<usize>> = Vec::new();
    formulas.retain(|formula| {
        let Ok(program) = formula.compile(&names) else { return false };
        let values: Vec<f64> = samples.configurations.iter().map(|repeated| program.row(&repeated.at)).collect();
        if values.iter().any(|value| !value.is_finite()) {
            return false;
        }
        let ranks = ranks(&values);
        let most = ranks.iter().copied().max().unwrap_or(0);
        let reversed: Vec<usize> = ranks.iter().map(|rank| most - rank).collect();
        let is_new = most > 0 && !seen.contains(&ranks) && !seen.contains(&reversed);
        if is_new {
            seen.push(ranks);
        }
        is_new
    });
    formulas
}

/// The number of distinct smaller values, for each value.
fn ranks(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0; values.len()];
    let mut rank = 0;
    for pair in order.windows(2) {
        rank += usize::from(!same(values[pair[0]], values[pair[1]]));
        ranks[pair[1]] = rank;
    }
    ranks
}
