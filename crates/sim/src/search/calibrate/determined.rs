//! Whether the runs determine the coefficients, and if not, which combination of them they do determine.

use super::{Free, MOST_CONDITION};
use nalgebra::DMatrix;
use runcast_core::Problem;

/// A part of a direction that counts: the others belong to coefficients that are determined.
const COUNTS: f64 = 1e-3;

/// The condition number of the Jacobian by relative changes.
///
/// # Errors
/// `not_determined`: it is above [`MOST_CONDITION`]; the coefficients along the weakest direction are named, and the
/// combination of them that the runs determine.
pub(super) fn check(jacobian: &DMatrix<f64>, values: &[f64], free: &[Free]) -> Result<f64, Problem> {
    let size = |index: usize| if values[index] == 0.0 { free[index].start.abs() } else { values[index].abs() };
    let scaled =
        DMatrix::from_fn(jacobian.nrows(), jacobian.ncols(), |row, column| jacobian[(row, column)] * size(column));
    if !super::minimize::is_finite(&scaled) {
        return Err(refused("simulated times are 0 or beyond all bounds".to_owned())
            .hint("give bounds in which they are not: --free NAME=LOW..HIGH"));
    }
    let largest = scaled.amax();
    let without: Vec<&str> = (0..free.len())
        .filter(|&column| scaled.column(column).amax() <= 1e-9 * largest)
        .map(|column| free[column].name.as_str())
        .collect();
    if !without.is_empty() || largest == 0.0 {
        let names = if without.is_empty() { free.iter().map(|one| one.name.as_str()).collect() } else { without };
        return Err(refused(format!("the runs do not depend on {}", listed(&names)))
            .hint("fix coefficients that the model's rules or these runs do not use: --fixed NAME=VALUE"));
    }
    let svd = scaled.svd(false, true);
    let (most, least) = (svd.singular_values.max(), svd.singular_values.min());
    let condition = most / least;
    if least > 0.0 && condition <= MOST_CONDITION {
        return Ok(condition);
    }
    let Some(v_t) = svd.v_t else { return Err(refused("the runs cannot separate the coefficients".to_owned())) };
    let weakest = svd.singular_values.imin();
    let direction: Vec<f64> = (0..free.len()).map(|column| v_t[(weakest, column)]).collect();
    let strongest = direction.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
    let involved: Vec<usize> = (0..free.len()).filter(|&index| direction[index].abs() > COUNTS * strongest).collect();
    let names: Vec<&str> = involved.iter().map(|&index| free[index].name.as_str()).collect();
    let problem = refused(format!("the runs cannot separate {}", listed(&names)));
    // In values, not in relative changes.
    let change = |index: usize| direction[index] * size(index);
    // The one that changes most stands first, so that the others have factors of 1 and more.
    let first = involved.iter().copied().max_by(|&a, &b| change(a).abs().total_cmp(&change(b).abs()));
    let first = first.unwrap_or(weakest);
    let combinations: Vec<String> = involved
        .iter()
        .filter(|&&other| other != first)
        .map(|&other| {
            let factor = -change(first) / change(other);
            let sign = if factor < 0.0 { '-' } else { '+' };
            format!("{} {sign} {}*{}", free[first].name, short(factor.abs()), free[other].name)
        })
        .collect();
    Err(problem.hint(format!(
        "only {} is determined; fix one of them: --fixed {}=VALUE",
        combinations.join(" and "),
        names[0]
    )))
}

fn refused(message: String) -> Problem {
    Problem::new("not_determined", message).at("--free")
}

fn listed(names: &[&str]) -> String {
    names.join(", ")
}

/// Four digits, without zeros at the end.
fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "0" { format!("{value:.3e}") } else { text.to_owned() }
}
