//! What a campaign found, as a document.

use super::super::document::OperatorEntry;
use super::super::predicted;
use super::{Campaign, Course};
use crate::context::Context;
use crate::failure::Failure;
use crate::wavefront::solve::answer;
use crate::wavefront::solve::document::ModelEntry;
use runcast_core::Warning;
use runcast_core::statistics::{mean, sample_variance};
use runcast_wavefront::Model;
use runcast_wavefront::run::Reached;
use runcast_wavefront::solve::rates;
use serde::Serialize;
use std::sync::Arc;

/// Bars of a histogram, at most.
const BARS: usize = 12;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Document {
    kind: &'static str,
    version: u32,
    pub status: &'static str,
    pub model: ModelEntry,
    pub backend: &'static str,
    pub emulated: bool,
    pub work_s: Option<f64>,
    /// Decimal digits that were to be gained.
    pub digits: f64,
    /// Phases of a run at first; one that is too short is made again.
    pub phases: u64,
    pub runs: u64,
    pub seed: u64,
    pub operator: OperatorEntry,
    pub degrees: Vec<DegreeEntry>,
    pub files: Vec<String>,
    pub warnings: Vec<Warning>,
}

/// The runs of a degree, and what was estimated of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct DegreeEntry {
    pub name: String,
    #[serde(rename = "A")]
    pub alpha_updates: Vec<u32>,
    #[serde(rename = "B")]
    pub beta_updates: Vec<u32>,
    /// Runs that were made, and those that gained the digits; the means are of these.
    pub runs: u64,
    pub reached: u64,
    pub phases_mean: Option<f64>,
    pub iterations_mean: Option<f64>,
    pub time_mean_s: Option<f64>,
    pub time_sd_s: Option<f64>,
    /// Digits gained an iteration, observed.
    pub rate_per_iteration: Option<f64>,
    /// Time of each run that gained the digits, and when it began, from the beginning of the campaign.
    pub times_s: Vec<f64>,
    pub starts_s: Vec<f64>,
    pub histogram: Vec<BarEntry>,
    pub estimates: Vec<EstimateEntry>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct BarEntry {
    pub from_s: f64,
    pub to_s: f64,
    pub count: u64,
}

/// An estimate against the runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct EstimateEntry {
    pub name: &'static str,
    pub rate_per_iteration: Option<f64>,
    /// |R - R_observed| / R_observed.
    pub rate_error: Option<f64>,
    pub time_s: Option<f64>,
    /// Time over the observed mean, less 1.
    pub time_error: Option<f64>,
    pub sd_published_s: Option<f64>,
    pub sd_autocov_s: Option<f64>,
}

impl Document {
    pub fn of(campaign: Campaign, context: &Context) -> Result<Document, Failure> {
        let Campaign { job, digits, courses, is_interrupted, .. } = campaign;
        let mut warnings = job.warnings.clone();
        let (mut degrees, mut files) = (Vec::new(), Vec::new());
        for course in courses {
            degrees.push(degree(course, job.args.seed.seed, &mut files, &mut warnings, context)?);
        }
        Ok(Document {
            kind: "wavefront-campaign",
            version: 1,
            status: if is_interrupted { "interrupted" } else { "done" },
            model: answer::model(&job.model),
            backend: job.args.backend().name(),
            emulated: job.args.emulate,
            work_s: job.work_s(),
            digits,
            phases: job.args.phases,
            runs: job.args.runs,
            seed: job.args.seed.seed,
            operator: OperatorEntry { kind: job.program.kind, dimension: job.program.operator.dimension() },
            degrees,
            files,
            warnings,
        })
    }
}

fn degree(
    course: Course,
    seed: u64,
    files: &mut Vec<String>,
    warnings: &mut Vec<Warning>,
    context: &Context,
) -> Result<DegreeEntry, Failure> {
    let Course { degree, model, sums, runs, .. } = course;
    let done = if runs.is_empty() { None } else { Some(sums.end()?) };
    files.extend(done.iter().flat_map(|done| done.files.iter().cloned()));
    let reached: Vec<Reached> = runs.iter().filter_map(|run| run.reached).collect();
    if reached.len() < runs.len() {
        let message = format!(
            "{} of {} runs of {} did not gain the digits: the means are of the others; give more --phases",
            runs.len() - reached.len(),
            runs.len(),
            degree.name
        );
        warnings.push(Warning::new("not_reached", message));
    }
    let of = |part: &dyn Fn(&Reached) -> f64| reached.iter().map(part).collect::<Vec<f64>>();
    let average = |values: &[f64]| (!values.is_empty()).then(|| mean(values));
    let times_s = of(&|it| it.time_s);
    let observed = Observed { rate: average(&of(&Reached::rate_per_iteration)), time_s: average(&times_s) };
    let held = done.as_ref().map_or(model.semantics, |done| done.held);
    let measured = done.and_then(|done| done.model).unwrap_or_else(|| Ok((*model).clone()));
    let estimates = measured
        .and_then(|measured| estimates(&Model { semantics: held, ..measured }, &observed, seed, warnings, context));
    let estimates = estimates.unwrap_or_else(|why| {
        warnings.push(Warning::new("no_prediction", format!("{}: {why}", degree.name)));
        Vec::new()
    });
    let starts = runs.iter().filter(|run| run.reached.is_some());
    Ok(DegreeEntry {
        runs: runs.len() as u64,
        reached: reached.len() as u64,
        phases_mean: average(&of(&|it| it.phases as f64)),
        iterations_mean: average(&of(&|it| it.iterations as f64)),
        time_mean_s: observed.time_s,
        time_sd_s: sample_variance(&times_s).map(f64::sqrt),
        rate_per_iteration: observed.rate,
        starts_s: starts.map(|run| run.start_s).collect(),
        histogram: histogram(&times_s),
        times_s,
        estimates,
        name: degree.name,
        alpha_updates: degree.alpha,
        beta_updates: degree.beta,
    })
}

/// Means over the runs that gained the digits.
struct Observed {
    rate: Option<f64>,
    time_s: Option<f64>,
}

fn estimates(
    model: &Model,
    observed: &Observed,
    seed: u64,
    warnings: &mut Vec<Warning>,
    context: &Context,
) -> Result<Vec<EstimateEntry>, String> {
    let interrupt = (!context.is_interrupted()).then(|| Arc::clone(&context.interrupt));
    let solved = predicted::solved(model, seed, interrupt)?;
    let operator = predicted::operator(model, &solved, seed, warnings);
    let found = answer::estimates(&rates::estimates(model, &solved.solution), operator.as_ref());
    let off = |estimated: Option<f64>, observed: Option<f64>| Some(estimated? / observed? - 1.0);
    let entry = |(name, of): (&'static str, &crate::wavefront::solve::document::Estimate)| EstimateEntry {
        name,
        rate_per_iteration: of.rate_per_iteration,
        rate_error: off(of.rate_per_iteration, observed.rate).map(f64::abs),
        time_s: of.time_s,
        time_error: off(of.time_s, observed.time_s),
        sd_published_s: of.sd_published_s,
        sd_autocov_s: of.sd_autocov_s,
    };
    Ok(found.named().into_iter().map(entry).collect())
}

/// Equally wide bars over all times.
fn histogram(times_s: &[f64]) -> Vec<BarEntry> {
    let (least, most) = times_s.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), time| (a.min(*time), b.max(*time)));
    let bars = if most > least { BARS.min((times_s.len() as f64).sqrt().ceil() as usize) } else { 1 };
    let width = (most - least) / bars as f64;
    let place = |time: f64| if width > 0.0 { (((time - least) / width) as usize).min(bars - 1) } else { 0 };
    let mut counts = vec![0; if times_s.is_empty() { 0 } else { bars }];
    times_s.iter().for_each(|time| counts[place(*time)] += 1);
    let bar = |(bar, count): (usize, u64)| BarEntry {
        from_s: least + width * bar as f64,
        to_s: if bar + 1 == bars { most } else { least + width * (bar + 1) as f64 },
        count,
    };
    counts.into_iter().enumerate().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_is_in_one_bar() {
        let bars = histogram(&[1.0, 2.0, 2.5, 5.0]);
        let counts: Vec<u64> = bars.iter().map(|bar| bar.count).collect();
        assert_eq!((counts, bars[0].from_s, bars[0].to_s, bars[1].to_s), (vec![3, 1], 1.0, 3.0, 5.0));
        assert_eq!(histogram(&[2.0, 2.0]).iter().map(|bar| bar.count).sum::<u64>(), 2);
        assert_eq!(histogram(&[]), []);
    }
}
