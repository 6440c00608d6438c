//! Everything that was asked, solved and put together.

use super::document::{DegreeEntry, Document, TimeEntry};
use super::lasting::{self, Wanted};
use super::table::Run;
use super::{Shown, SolveArgs, answer, limits, ranking, warnings};
use crate::failure::Failure;
use runcast_core::{Problem, Warning};
use runcast_wavefront::Model;
use runcast_wavefront::model::{Contraction, Degree, Read};
use runcast_wavefront::solve::growth::{self, NoEstimate, OperatorEstimate, OperatorOptions};
use runcast_wavefront::solve::rates;
use runcast_wavefront::solve::{self, SolveError, SolveOptions, Solved};
use serde::Serialize;

/// Wavefronts reported by default.
const WAVEFRONTS: usize = 20;

/// The document, and what pictures and tables need beside it.
#[derive(Serialize)]
pub(super) struct Found {
    #[serde(flatten)]
    pub document: Document,
    /// The law of the time, where there is one, asked for or not.
    #[serde(skip)]
    pub time: Option<TimeEntry>,
    /// The run of a given number of phases.
    #[serde(skip)]
    pub run: Option<Run>,
}

/// A model, solved.
struct One {
    solved: Solved,
    operator: Option<OperatorEstimate>,
    rates: rates::Estimates,
    warnings: Vec<Warning>,
}

impl Found {
    /// Solves the model and its degrees.
    ///
    /// # Errors
    /// The exact method was demanded and does not fit; what was asked makes no sense here.
    pub fn of(
        args: &SolveArgs,
        read: &Read,
        degrees: Option<&[Degree]>,
        initial: Option<&[f64]>,
    ) -> Result<Found, Failure> {
        let model = &read.model;
        let one = One::of(model, args, initial)?;
        let solution = &one.solved.solution;
        let (step_s, phase) = (model.step_s, solution.phase);
        let mut all_warnings = read.warnings.clone();
        all_warnings.extend(warnings::of(model));
        all_warnings.extend(warnings::of_method(solution));
        all_warnings.extend(one.warnings.iter().cloned());

        let of_operator = one.operator.as_ref().and_then(|operator| operator.phases);
        let needed = of_operator.or(one.rates.phases_needed);
        let asks_time = args.asked.phases.is_some() || !args.asked.quantiles.is_empty() || !args.asked.tail.is_empty();
        let draws_time = args.output.plot.is_some() && degrees.is_none();
        let lasting = match asks_time || draws_time || args.output.table.is_some() {
            true => lasting::phases(&args.asked, needed)?.map(|phases| {
                let chain = one.solved.chain.as_ref();
                let (level, seed) = (args.level.level, args.seed.seed);
                lasting::found(&Wanted { model, solution, chain, phases, level, seed }, &args.asked)
            }),
            false => None,
        };
        let lasting = lasting.transpose()?.flatten();
        let sensitivity = match args.asked.sensitivity {
            true => Some(limits::of(model, &one.solved, args, &mut all_warnings)?),
            false => None,
        };
        let entry = answer::model(model);
        let mut entries: Vec<DegreeEntry> = Vec::new();
        for degree in degrees.into_iter().flatten() {
            entries.push(of_degree(degree, model, (args, initial), &mut all_warnings)?);
        }
        let ranking = degrees.map(|_| ranking::ranking(&entry, &entries));
        let estimates = answer::estimates(&one.rates, one.operator.as_ref());
        if let Some(lasting) = &lasting {
            all_warnings.extend(lasting.warnings.iter().cloned());
        }
        let document = Document {
            kind: "wavefront-solve".to_owned(),
            version: 1,
            schema: "runcast.wavefront.solve/1".to_owned(),
            method: solution.method,
            why: one.solved.why.clone(),
            extremes: solution.extremes,
            model: entry,
            states: answer::states(&solution.states),
            classes: answer::classes(solution, step_s),
            phase_mean_s: step_s * phase.phase_mean,
            phase_var_s2: step_s * step_s * phase.phase_var,
            iterations_mean: phase.iterations_mean,
            iterations_var: phase.iterations_var,
            iterations_min: solution.iterations_min,
            iterations_max: solution.iterations_max,
            cov_iterations_phase_s: step_s * phase.cov,
            iterations_mean_ties: solution.ties,
            updates_mean: solution.updates_mean.clone(),
            speed_per_s: one.rates.speed_per_s,
            phases_needed: one.rates.phases_needed.and_then(answer::finite),
            sd_fixed_phases_s: one.rates.sd_fixed_phases_s.and_then(answer::finite),
            asymptotic: answer::asymptotic(solution, step_s),
            estimates,
            wavefront: answer::wavefronts(model, solution, args.asked.wavefront.unwrap_or(Shown::Most(WAVEFRONTS))),
            iterations_pmf: answer::iterations(solution),
            phase_pmf: if args.asked.pmf { answer::phase(solution) } else { None },
            time: lasting.as_ref().filter(|_| asks_time).map(|lasting| lasting.entry.clone()),
            degrees: degrees.map(|_| entries),
            ranking,
            sensitivity,
            ci: answer::intervals(solution, step_s),
            seed: args.seed.seed,
            warnings: warnings::each_once(all_warnings),
        };
        let run = lasting.as_ref().map(|lasting| lasting.run);
        Ok(Found { document, time: lasting.map(|lasting| lasting.entry), run })
    }
}

impl One {
    fn of(model: &Model, args: &SolveArgs, initial: Option<&[f64]>) -> Result<One, Failure> {
        let options = SolveOptions {
            method: args.how.method,
            max_states: args.how.max_states,
            lump: !args.how.no_lump,
            phase_pmf: args.asked.pmf,
            seed: args.seed.seed,
            interrupt: None,
        };
        let solved = solve::solve(model, &options).map_err(|error| failure(&error))?;
        let mut warnings = solved.warnings.clone();
        let mut told = |warning| {
            warnings.push(warning);
            None
        };
        let mut operator = operator(model, &solved, args).unwrap_or_else(&mut told);
        if let Some(initial) = initial {
            let found = operator.map(|found| over_initial(found, model, &solved, initial));
            operator = found.and_then(|found| found.map_or_else(&mut told, Some));
        }
        warnings.extend(operator.iter().flat_map(|operator| operator.warnings.iter().cloned()));
        let rates = rates::estimates(model, &solved.solution);
        Ok(One { solved, operator, rates, warnings })
    }
}

/// The rate of the operator, where there is one; what else it may be is a warning.
fn operator(model: &Model, solved: &Solved, args: &SolveArgs) -> Result<Option<OperatorEstimate>, Warning> {
    if !matches!(model.contraction, Contraction::Operator(_)) {
        return Ok(None);
    }
    let options = OperatorOptions { seed: args.seed.seed, interrupt: None };
    match growth::operator_estimate(model, solved.chain.as_ref(), &solved.solution, &options) {
        Ok(estimate) => Ok(Some(estimate)),
        Err(NoEstimate::NoOperator) => Ok(None),
        Err(error) => Err(Warning::new("no_operator_rate", error.to_string())),
    }
}

/// The model under another degree of asynchronism.
/// The estimate over the phases that this error takes.
fn over_initial(
    found: OperatorEstimate,
    model: &Model,
    solved: &Solved,
    initial: &[f64],
) -> Result<OperatorEstimate, Warning> {
    match growth::phases_from(model, solved.chain.as_ref(), initial, &OperatorOptions::default()) {
        Ok(phases) => Ok(found.over(phases as f64, model, &solved.solution)),
        Err(error) => Err(Warning::new("no_initial_error", format!("the error at the start is not followed: {error}"))),
    }
}

fn of_degree(
    degree: &Degree,
    model: &Model,
    (args, initial): (&SolveArgs, Option<&[f64]>),
    warnings: &mut Vec<Warning>,
) -> Result<DegreeEntry, Failure> {
    let model = degree.of(model);
    let one = One::of(&model, args, initial)?;
    let solution = &one.solved.solution;
    warnings.extend(one.warnings.iter().cloned());
    Ok(DegreeEntry {
        name: degree.name.clone(),
        alpha_updates: degree.alpha.clone(),
        beta_updates: degree.beta.clone(),
        method: solution.method,
        phase_mean_s: model.step_s * solution.phase.phase_mean,
        iterations_mean: solution.phase.iterations_mean,
        estimates: answer::estimates(&one.rates, one.operator.as_ref()),
        ci_time_s: one.operator.as_ref().and_then(|operator| answer::time_interval(solution, operator)),
    })
}

fn failure(error: &SolveError) -> Failure {
    if *error == SolveError::Interrupted {
        return Failure::interrupted();
    }
    let problem = Problem::new("too_large", error.to_string()).at("--method");
    Failure::undone(problem.hint("raise --max-states, take a coarser --step, or --method monte-carlo"))
}
