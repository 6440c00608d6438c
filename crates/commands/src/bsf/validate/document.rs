//! The document of kind `bsf-validate`.

use super::curves::{Curve, Found, Leveled, Predicted};
use super::text;
use super::times::{Run, Times};
use crate::answer::Answer;
use crate::context::Screen;
use crate::failure::Failure;
use crate::own_ranges::Widen;
use runcast_bsf::fit::{Coefficients, Member};
use runcast_core::accuracy::relative_error;
use runcast_core::ranges::RangeEntry;
use runcast_core::{Configuration, Prediction, Warning, json, statistics};
use runcast_report::bsf_report::{self, Validation};
use runcast_report::plot::Plot;
use serde::Serialize;

/// The document of kind `bsf-validate`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Document {
    pub kind: &'static str,
    pub version: u32,
    pub source: &'static str,
    pub level: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draws: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    pub list_length: Option<u64>,
    pub warnings: Vec<Warning>,
    pub curves: Vec<CurveEntry>,
}

/// The document with what its text and its picture need.
#[derive(Serialize)]
pub(super) struct Validated {
    #[serde(flatten)]
    pub document: Document,
    #[serde(skip)]
    pub summary: String,
    #[serde(skip)]
    pub validation: Validation,
}

/// A curve beside the measured times.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct CurveEntry {
    pub form: &'static str,
    pub collective: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coefficients: Option<CoefficientsEntry>,
    #[serde(serialize_with = "json::as_optional_number")]
    pub k_max: Option<f64>,
    pub k_max_interval: Option<IntervalEntry>,
    /// The forms of a mixture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub members: Option<Vec<MemberEntry>>,
    pub train: Option<Errors>,
    pub test: Option<Errors>,
    pub points: Vec<PointEntry>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct CoefficientsEntry {
    pub fixed_s: f64,
    pub work_s: f64,
    pub per_worker_s: f64,
}

/// An interval; an open end is null.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct IntervalEntry {
    #[serde(serialize_with = "json::as_optional_number")]
    pub low: Option<f64>,
    #[serde(serialize_with = "json::as_optional_number")]
    pub high: Option<f64>,
    pub level: f64,
}

/// How far off a part of the points is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Errors {
    pub count: usize,
    #[serde(serialize_with = "json::as_number")]
    pub mean_error_pct: f64,
    #[serde(serialize_with = "json::as_number")]
    pub max_error_pct: f64,
    /// Null where there are no intervals.
    #[serde(serialize_with = "json::as_optional_number")]
    pub coverage_pct: Option<f64>,
}

/// A number of workers, what was measured with it, and what the curve says.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct PointEntry {
    pub workers: u64,
    pub part: &'static str,
    #[serde(serialize_with = "json::as_optional_number")]
    pub measured_s: Option<f64>,
    #[serde(serialize_with = "json::as_number")]
    pub predicted_s: f64,
    #[serde(serialize_with = "json::as_optional_number")]
    pub low_s: Option<f64>,
    #[serde(serialize_with = "json::as_optional_number")]
    pub high_s: Option<f64>,
    #[serde(serialize_with = "json::as_optional_number")]
    pub error_pct: Option<f64>,
    pub extrapolates: bool,
    /// How many times beyond the fitted numbers of workers; 1 within.
    #[serde(serialize_with = "json::as_optional_number")]
    pub distance: Option<f64>,
    /// What the range of a mixture comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<RangeEntry>,
    #[serde(skip)]
    covered: Option<bool>,
}

/// A form of a mixture.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct MemberEntry {
    pub form: &'static str,
    pub collective: &'static str,
    /// Mean `|ln(predicted/measured)|` on points kept from it.
    #[serde(serialize_with = "json::as_optional_number")]
    pub score: Option<f64>,
    #[serde(serialize_with = "json::as_number")]
    pub weight: f64,
    pub coefficients: CoefficientsEntry,
    /// Where a step of the cache was looked for: what was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<StepEntry>,
}

/// A step of the cache.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct StepEntry {
    /// The largest block that fits, in elements; null where no step was seen.
    pub size: Option<u64>,
    pub factor: f64,
}

impl MemberEntry {
    fn of(member: &Member) -> Self {
        let step = member.step();
        MemberEntry {
            form: member.shape().form().name(),
            collective: member.shape().collective().name(),
            score: member.score,
            weight: member.weight,
            coefficients: member.coefficients().into(),
            step: member
                .has_step()
                .then(|| StepEntry { size: step.map(|step| step.size), factor: step.map_or(1.0, |step| step.factor) }),
        }
    }
}

impl From<Coefficients> for CoefficientsEntry {
    fn from(found: Coefficients) -> Self {
        let Coefficients { fixed_s, work_s, per_worker_s } = found;
        CoefficientsEntry { fixed_s, work_s, per_worker_s }
    }
}

/// Names of the parts of the points.
pub(super) const TRAIN: &str = "train";
pub(super) const TEST: &str = "test";
pub(super) const REQUESTED: &str = "requested";

impl Document {
    /// What was found, as a document.
    pub(super) fn of(times: &Times, found: &Found) -> Self {
        Document {
            kind: "bsf-validate",
            version: 1,
            source: found.source,
            level: found.level,
            draws: found.draws.map(|(draws, _)| draws),
            seed: found.draws.map(|(_, seed)| seed),
            list_length: found.list_length,
            warnings: found.warnings.clone(),
            curves: found.curves.iter().map(|curve| CurveEntry::of(curve, times, found)).collect(),
        }
    }
}

impl Document {
    /// With the ranges that scores need.
    pub(super) fn widen(&mut self, with: &Widen<'_>) {
        for curve in &mut self.curves {
            for point in &mut curve.points {
                let range = with.time(point.predicted_s, self.level, &mut point.low_s, &mut point.high_s);
                if let (Some(range), Some(entry)) = (range, &mut point.range) {
                    *entry = RangeEntry::of(&range, entry.class, &entry.parts.parts, entry.parts.g, Some(with.scores));
                }
                point.judge();
            }
            (curve.train, curve.test) = (Errors::of(&curve.points, TRAIN), Errors::of(&curve.points, TEST));
        }
    }
}

impl Answer for Validated {
    fn predictions(&self) -> Vec<Prediction> {
        let of_curve = |curve: &CurveEntry| {
            let loss = curve.loss.map_or(String::new(), |loss| format!("-{loss}"));
            let model = match curve.members {
                Some(_) => curve.form.to_owned(),
                None => format!("{}-{}{loss}", curve.form, curve.collective),
            };
            let prediction = |point: &PointEntry| {
                let at = Configuration([("workers".to_owned(), point.workers as f64)].into_iter().collect());
                Prediction::new("bsf", model.as_str(), "time_s", at, Some(point.predicted_s))
                    .within(self.document.level, point.low_s, point.high_s)
                    .beyond(point.distance.unwrap_or(f64::NAN))
            };
            curve.points.iter().map(prediction).collect::<Vec<_>>()
        };
        self.document.curves.iter().flat_map(of_curve).collect()
    }

    fn text(&self, screen: Screen) -> String {
        text::text(&self.summary, &self.document, &self.validation, screen)
    }

    fn warnings(&self) -> Vec<Warning> {
        self.document.warnings.clone()
    }

    fn plot(&self) -> Result<Plot, Failure> {
        Ok(bsf_report::plot(&self.validation))
    }
}

impl CurveEntry {
    fn of(curve: &Curve, times: &Times, found: &Found) -> Self {
        let level = found.level;
        let leveled = curve.at_level(level);
        let compared = |run: &Run, part| PointEntry::compared(&leveled, run, part);
        let mut points: Vec<PointEntry> = times.train.iter().map(|run| compared(run, TRAIN)).collect();
        points.extend(times.test.iter().map(|run| compared(run, TEST)));
        points.extend(found.requested.iter().map(|&workers| PointEntry::at(&leveled, workers)));
        points.sort_by_key(|point| point.workers);
        let interval = curve.k_max_range(level).map(|(low, high)| IntervalEntry { low, high, level });
        CurveEntry {
            form: curve.form_name(),
            collective: curve.collective_name(),
            members: curve.auto().map(|auto| auto.members().iter().map(MemberEntry::of).collect()),
            loss: curve.fitted().map(|(loss, _)| loss.name()),
            coefficients: curve.fitted().map(|(_, found)| found.into()),
            k_max: curve.k_max(),
            k_max_interval: interval,
            train: Errors::of(&points, TRAIN),
            test: Errors::of(&points, TEST),
            points,
        }
    }
}

impl PointEntry {
    fn at(leveled: &Leveled<'_>, workers: u64) -> Self {
        let Predicted { time_s, range_s } = leveled.time(workers);
        let distance = leveled.curve.distance(workers);
        PointEntry {
            workers,
            part: REQUESTED,
            measured_s: None,
            predicted_s: time_s,
            low_s: range_s.map(|range| range.0),
            high_s: range_s.map(|range| range.1).filter(|high| high.is_finite()),
            error_pct: None,
            extrapolates: distance.is_some_and(|distance| distance > 1.0),
            distance,
            range: leveled.range_entry(workers),
            covered: None,
        }
    }

    fn compared(leveled: &Leveled<'_>, run: &Run, part: &'static str) -> Self {
        let measured_s = run.measured.time_s;
        let point = PointEntry::at(leveled, run.measured.workers);
        let error_pct = Some(100.0 * relative_error(point.predicted_s, measured_s));
        let mut compared = PointEntry { part, measured_s: Some(measured_s), error_pct, ..point };
        compared.judge();
        compared
    }

    /// Whether what was measured lies in the range.
    fn judge(&mut self) {
        let is_within = |measured: f64, low: f64| low <= measured && self.high_s.is_none_or(|high| measured <= high);
        self.covered = self.measured_s.zip(self.low_s).map(|(measured, low)| is_within(measured, low));
    }
}

impl Errors {
    /// The errors of a part; none where it has no point.
    fn of(points: &[PointEntry], part: &str) -> Option<Self> {
        let points: Vec<&PointEntry> = points.iter().filter(|point| point.part == part).collect();
        let errors: Vec<f64> = points.iter().filter_map(|point| point.error_pct).collect();
        let covered: Vec<f64> = points.iter().filter_map(|point| point.covered).map(f64::from).collect();
        (!errors.is_empty()).then(|| Errors {
            count: errors.len(),
            mean_error_pct: statistics::mean(&errors),
            max_error_pct: errors.iter().copied().fold(0.0, f64::max),
            coverage_pct: (!covered.is_empty()).then(|| 100.0 * statistics::mean(&covered)),
        })
    }
}
