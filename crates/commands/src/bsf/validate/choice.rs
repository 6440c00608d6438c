//! Which curves and numbers of workers are meant.

use super::ModelArgs;
use super::times::Times;
use crate::bsf::predict::FormArg;
use crate::failure::Failure;
use runcast_bsf::cost::{Collective, Form, MOST_ELEMENTS};
use runcast_bsf::fit::{FitError, Loss};
use runcast_core::Problem;

/// More numbers of workers than this make no useful table.
const MOST_REQUESTED: usize = 10_000;

/// Whether forms are weighed by what they predict: unless a form or a collective is named, or the other loss, which the
/// weights do not know.
pub(super) fn is_auto(args: &ModelArgs) -> bool {
    let is_default = args.form.is_empty() && args.loss == Loss::LeastSquares;
    (is_default || args.form.contains(&FormArg::Auto)) && args.collectives().is_empty()
}

/// The forms that a fit can tell apart; those that were chosen must be among them, unless they are all.
pub(super) fn fitted_forms(chosen: &[FormArg], list_length: Option<u64>) -> Result<Vec<Form>, Problem> {
    if chosen.contains(&FormArg::Exact) {
        let error = FitError::ExactIsSmooth;
        let problem = Problem::new("not_fitted", error.to_string()).at("--form").value("exact");
        return Err(problem.allowed(error.allowed()));
    }
    if chosen.contains(&FormArg::Granular) && list_length.is_none() {
        let problem = Problem::new("missing_list_length", FitError::NoListLength.to_string()).at("--form");
        return Err(problem.value("granular").hint("give it: --list-length L, or as a column list_length"));
    }
    let is_wanted = |form: &Form| *form != Form::Exact && (*form == Form::Smooth || list_length.is_some());
    Ok(chosen_forms(chosen).into_iter().filter(is_wanted).collect())
}

/// The forms that were chosen: smooth and granular where nothing was.
pub(super) fn chosen_forms(chosen: &[FormArg]) -> Vec<Form> {
    let is_default = chosen.is_empty() || *chosen == [FormArg::Auto];
    let wanted = |form: &Form| match form {
        _ if chosen.contains(&FormArg::All) => true,
        Form::Smooth => is_default || chosen.contains(&FormArg::Smooth),
        Form::Exact => chosen.contains(&FormArg::Exact),
        Form::Granular => is_default || chosen.contains(&FormArg::Granular),
    };
    Form::ALL.into_iter().filter(wanted).collect()
}

/// The collectives that were chosen; else the one that the table states; else flat.
pub(super) fn collectives(chosen: &[Collective], told: Option<Collective>) -> Vec<Collective> {
    let wanted = |collective: &Collective| match collective {
        _ if chosen.is_empty() => *collective == told.unwrap_or(Collective::Flat),
        one => chosen.contains(one),
    };
    Collective::ALL.into_iter().filter(wanted).collect()
}

/// The numbers of workers of `--workers` that were not measured.
pub(super) fn requested(times: &Times, args: &ModelArgs, list_length: Option<u64>) -> Result<Vec<u64>, Failure> {
    let Some(list) = &args.workers else { return Ok(Vec::new()) };
    let wrong = |message: String| Problem::new("workers", message).at("--workers").value(list.to_string());
    let most = list_length.filter(|_| list.is_unbounded()).map(|length| length as f64);
    let most_allowed = list_length.unwrap_or(MOST_ELEMENTS);
    let measured = times.workers();
    let mut workers = Vec::new();
    let values = list.expand(None, most).map_err(|error| wrong(error.to_string()))?;
    if values.is_empty() || values.len() > MOST_REQUESTED {
        let message = format!("{} numbers of workers", values.len());
        return Err(wrong(message).allowed(format!("1 to {MOST_REQUESTED}")).into());
    }
    for value in values {
        if value.fract() != 0.0 || !(1.0..=most_allowed as f64).contains(&value) {
            let problem = wrong(format!("{value} workers")).value(value.to_string());
            return Err(problem.allowed(format!("whole numbers from 1 to {most_allowed}")).into());
        }
        workers.push(value as u64);
    }
    workers.sort_unstable();
    workers.dedup();
    workers.retain(|count| measured.binary_search(count).is_err());
    Ok(workers)
}
