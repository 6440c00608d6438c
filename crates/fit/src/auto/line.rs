//! `auto` along one parameter: what was measured where it was, the mixture of forms beyond.

use super::calibration::{self, Class};
use super::expert::{Expert, Setting};
use super::law::Law;
use super::points::Points;
use crate::fitted::{Answer, Fitted, NoFit, Predictor, Spread};
use crate::models::log_linear::check_logs;
use crate::models::one_term::Transform;
use crate::models::pmnf::terms_for;
use crate::models::power::RECENCY;
use crate::options::FitOptions;
use crate::sample::{Sample, Scaling};
use crate::text::{name, number};
use runcast_core::Warning;
use runcast_core::model::Member;
use runcast_core::prediction::MemberValue;
use runcast_formula::units;

/// Beyond this factor the last measured value no longer pulls the forecast towards itself.
const PULL_ENDS: f64 = 1.4;

/// Points a doubling at which a rising forecast is kept from falling.
const LATTICE: f64 = 8.0;

/// Fits the forms and describes them.
pub fn fit(sample: &Sample<'_>, options: &FitOptions) -> Result<Fitted, NoFit> {
    let x = name(sample.series.parameters.get(sample.axis).map_or("p", String::as_str));
    let line = Line::fit(sample, options)?;
    let Some(law) = &line.law else {
        let (x, y) = line.points.last();
        let value = number(line.back(x, y));
        let fitted = Fitted::new("auto", value, "constant".to_owned(), Box::new(line));
        return Ok(fitted.along_axis(sample));
    };
    let of_metric = |formula: String| line.transform.formula(&formula, &x);
    let formula = of_metric(law.formula(&x));
    let members = law
        .members()
        .into_iter()
        .map(|form| Member {
            model: form.kind.name().to_owned(),
            formula: of_metric(form.formula(&x)),
            class: form.class(&x, line.transform),
        })
        .collect();
    let class = law.leader().class(&x, line.transform);
    let mut fitted = Fitted::new("auto", formula, class, Box::new(line));
    fitted.members = members;
    Ok(fitted.along_axis(sample))
}

/// The noise of repeated runs.
#[derive(Debug, Clone)]
struct Noise {
    /// Standard deviation of ln y, pooled over all configurations.
    sd: f64,
    /// Its degrees of freedom.
    freedom: usize,
    /// Number of runs at each x.
    counts: Vec<f64>,
}

/// A fitted line.
///
/// A rate is forecast as the time of a constant work: as its reciprocal; in weak scaling, where each process has constant
/// work, as `p / rate`.
#[derive(Debug, Clone)]
pub struct Line {
    axis: usize,
    axis_name: String,
    unit: String,
    transform: Transform,
    /// The metric, transformed into times.
    points: Points,
    /// None for a single configuration.
    law: Option<Law>,
    noise: Option<Noise>,
    /// Whether ideal scaling bounds the forecast: a time or a rate over processes.
    bounded: bool,
}

/// Where an x lies among the measured ones.
enum Place {
    At(usize),
    /// Between this one and the next.
    Inside(usize),
    Below,
    Beyond,
}

/// A forecast beyond the runs.
struct Beyond {
    /// `ln(value/y_n)`
    z: f64,
    /// The same before it was cut to the envelope, if it was.
    uncut: Option<f64>,
}

impl Line {
    /// Fits the forms.
    pub fn fit(sample: &Sample<'_>, options: &FitOptions) -> Result<Line, NoFit> {
        check_logs(sample, "auto", [sample.axis])?;
        let metric = &sample.series.metric;
        let transform = match () {
            () if !metric.is_rate() => Transform::None,
            () if sample.along_processes && sample.scaling == Scaling::Weak => Transform::XOverRate,
            () => Transform::Reciprocal,
        };
        let points = Points::of(sample, transform);
        let scales = metric.is_time() || metric.is_rate();
        let times_x = scales && sample.along_processes;
        let falling = !scales && (options.negative || points.falls());
        let setting = Setting { times_x, terms: terms_for(sample, sample.axis, falling).0, robust: options.robust };
        let law = match points.len() {
            1 => None,
            _ => Some(
                Law::fit(&points, &setting, options.recency.unwrap_or(RECENCY))
                    .ok_or_else(|| NoFit::Unsuitable("auto has no finite solution".to_owned()))?,
            ),
        };
        Ok(Line {
            axis: sample.axis,
            axis_name: sample.series.parameters.get(sample.axis).cloned().unwrap_or_default(),
            unit: metric.unit.clone(),
            transform,
            noise: noise(sample, &points),
            bounded: times_x,
            points,
            law,
        })
    }

    /// The measured line, transformed.
    pub(crate) fn points(&self) -> &Points {
        &self.points
    }

    /// From a transformed value at x to the metric.
    pub fn back(&self, x: f64, y: f64) -> f64 {
        self.transform.back(x, y)
    }

    /// The forecast at x, transformed: measured, interpolated in log-log, or beyond.
    pub fn forecast(&self, x: f64) -> f64 {
        let Points { x: xs, y: ys } = &self.points;
        match self.place(x) {
            Place::At(k) => ys[k],
            Place::Inside(k) => {
                let share = (x / xs[k]).ln() / (xs[k + 1] / xs[k]).ln();
                ((1.0 - share) * ys[k].ln() + share * ys[k + 1].ln()).exp()
            }
            Place::Below => match &self.law {
                Some(law) => law.at(x) * (ys[0] / law.at(xs[0])).powf(pull(xs[0] / x)),
                None => ys[0],
            },
            Place::Beyond => self.points.last().1 * self.beyond(x).z.exp(),
        }
    }

    fn place(&self, x: f64) -> Place {
        let xs = &self.points.x;
        match xs.partition_point(|other| *other < x) {
            k if xs.get(k) == Some(&x) => Place::At(k),
            0 => Place::Below,
            k if k == xs.len() => Place::Beyond,
            k => Place::Inside(k - 1),
        }
    }

    fn beyond(&self, x: f64) -> Beyond {
        let Some(law) = &self.law else { return Beyond { z: 0.0, uncut: None } };
        let (last, _) = self.points.last();
        let offset = law.z(last);
        let at = |x: f64| {
            let z = law.z(x) - offset * pull(x / last);
            let cut = self.cut(law, z, (x / last).ln());
            (cut, (cut != z).then_some(z))
        };
        let (mut z, uncut) = at(x);
        if law.class == Class::Rising && self.points.rises_throughout() {
            // What rose at every step does not fall beyond.
            let steps = ((x / last).log2() * LATTICE).ceil().clamp(0.0, 50.0 * LATTICE) as u32;
            let before = (1..steps).map(|step| at(last * (f64::from(step) / LATTICE).exp2()).0);
            z = before.fold(z.max(0.0), f64::max);
        }
        Beyond { z, uncut }
    }

    /// Within ideal scaling and growth with the processes, unless two folds showed that the line leaves them.
    fn cut(&self, law: &Law, z: f64, h: f64) -> f64 {
        if !self.bounded {
            return z;
        }
        let shown = |leaves: &dyn Fn(f64, f64) -> bool| {
            law.folds.iter().filter(|fold| leaves(fold.truth, fold.reach)).count() >= 2
        };
        if z > h && !shown(&|truth, reach| truth > reach) {
            h
        } else if z < -h && !shown(&|truth, reach| truth < -reach) {
            -h
        } else {
            z
        }
    }

    fn spread(&self, x: f64) -> Spread {
        let Some(law) = self.law.as_ref().filter(|_| self.points.len() >= 3) else { return Spread::None };
        let xs = &self.points.x;
        let (spread, h) = match self.place(x) {
            Place::At(k) => {
                if let Some(Noise { sd, freedom, counts }) = &self.noise {
                    return Spread::Parametric { sd_ln: sd * (1.0 + 1.0 / counts[k]).sqrt(), freedom: *freedom };
                }
                (0.0, 0.0)
            }
            Place::Inside(k) => (0.0, (x / xs[k]).ln().min((xs[k + 1] / x).ln())),
            Place::Below => (law.spread(x), (xs[0] / x).ln()),
            Place::Beyond => (law.spread(x), (x / self.points.last().0).ln()),
        };
        Spread::Scored {
            scale: calibration::scale(spread, h),
            class: law.class,
            is_rate: self.transform != Transform::None,
        }
    }

    /// Scale of the scores at x, and the class: for calibration.
    pub fn scale(&self, x: f64) -> Option<(f64, Class)> {
        match self.spread(x) {
            Spread::Scored { scale, class, .. } => Some((scale, class)),
            _ => None,
        }
    }

    /// The number of processes (or the size) at which a run would tell the forms apart: the first doubling at which
    /// they are a fifth apart.
    fn decider(&self, law: &Law, x: f64) -> f64 {
        let mut at = 2.0 * self.points.last().0;
        while at < x {
            let z = law.panel_z(at);
            let [least, most] = z.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[l, m], z| [l.min(*z), m.max(*z)]);
            if most - least > 1.2_f64.ln() {
                return at;
            }
            at *= 2.0;
        }
        x
    }
}

impl Predictor for Line {
    fn predict(&self, at: &[f64]) -> Answer {
        let x = at[self.axis];
        let beyond = matches!(self.place(x), Place::Beyond).then(|| self.beyond(x));
        let time = beyond.as_ref().map_or_else(|| self.forecast(x), |beyond| self.points.last().1 * beyond.z.exp());
        let value = self.back(x, time);
        let Some(law) = &self.law else { return Answer { value, ..Answer::default() } };
        let value_of = |form: &Expert| {
            let value = self.back(x, form.at(x));
            MemberValue { model: form.kind.name().to_owned(), value: value.is_finite().then_some(value) }
        };
        let members = law.members().into_iter().map(value_of).collect();
        let outside = matches!(self.place(x), Place::Below | Place::Beyond);
        let disagree = outside && law.disagrees(x);
        let mut warnings = Vec::new();
        if let Some(Beyond { z, uncut: Some(uncut) }) = beyond
            && (z - uncut).abs() > 0.05
        {
            let told = |z: f64| units::format_quantity(self.back(x, self.points.last().1 * z.exp()), &self.unit);
            let bound = if uncut > z { "growth in proportion to the processes" } else { "ideal scaling" };
            warnings.push(Warning::new(
                "envelope",
                format!(
                    "the forms predict {}, beyond {bound}, which no two larger runs showed: {} is that bound",
                    told(uncut),
                    told(z)
                ),
            ));
        }
        let decider = disagree.then(|| format!("{} = {}", self.axis_name, number(self.decider(law, x))));
        Answer { value, spread: self.spread(x), members, disagree, decider, points: None, warnings }
    }

    fn value(&self, at: &[f64]) -> f64 {
        let x = at[self.axis];
        self.back(x, self.forecast(x))
    }

    fn law(&self, at: &[f64]) -> f64 {
        let x = at[self.axis];
        self.law.as_ref().map_or_else(|| self.value(at), |law| self.back(x, law.at(x)))
    }

    fn leader(&self, at: &[f64]) -> f64 {
        let x = at[self.axis];
        self.law.as_ref().map_or_else(|| self.value(at), |law| self.back(x, law.leader().at(x)))
    }
}

/// How much the last measured value counts at `factor` times beyond it: 1 there, 0 from 1.4 on.
fn pull(factor: f64) -> f64 {
    (1.0 - factor.ln() / PULL_ENDS.ln()).clamp(0.0, 1.0)
}

/// `None` where nothing was repeated.
fn noise(sample: &Sample<'_>, points: &Points) -> Option<Noise> {
    let runs = &sample.series.points;
    let freedom = runs.iter().map(|point| point.values.len().saturating_sub(1)).sum();
    let variance = sample.repetition_variance(f64::ln);
    let at = |x: f64| runs.iter().filter(move |point| point.at[sample.axis] == x);
    let counts = points.x.iter().map(|x| at(*x).map(|point| point.values.len() as f64).sum()).collect();
    (freedom >= 1 && variance.is_finite() && variance > 0.0).then(|| Noise { sd: variance.sqrt(), freedom, counts })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auto::Auto;
    use crate::fitted::Regression;
    use crate::testing::series;

    fn line(points: &[(f64, f64)]) -> Line {
        let runs = series(points);
        Line::fit(&Sample::new(&runs, Auto.aggregate(), &FitOptions::default()), &FitOptions::default()).expect("fits")
    }

    #[test]
    fn what_was_measured_is_answered_and_between_is_interpolated() {
        let line = line(&[(1.0, 64.0), (4.0, 30.0), (16.0, 12.0), (64.0, 9.0)]);
        assert_eq!(line.value(&[16.0]), 12.0);
        assert!((line.value(&[8.0]) / (30.0_f64 * 12.0).sqrt() - 1.0).abs() < 1e-12);
        for x in [2.0, 3.0, 20.0, 50.0] {
            assert!((9.0..=64.0).contains(&line.value(&[x])));
        }
    }

    #[test]
    fn neighboring_targets_have_neighboring_forecasts() {
        let noise = |k: usize| 1.0 + 0.05 * (13.0 * k as f64).sin();
        let shapes: [fn(f64) -> f64; 5] = [
            |p| 1.0 + 50.0 / p,
            |p| 50.0 / p + 0.3 * p,
            |p| 3.0 + p.sqrt(),
            |p| 2.0 + p.log2(),
            |p| 100.0 / p.powf(1.2),
        ];
        for shape in shapes {
            for last in [5, 6, 9] {
                let points: Vec<(f64, f64)> =
                    (0..last).map(|k| (f64::from(1 << k), shape(f64::from(1 << k)) * noise(k))).collect();
                let line = line(&points);
                let mut p = 32.0;
                while p < 4000.0 {
                    // 1/p^1.2 itself changes by 3.7 % at 32.
                    let step = (line.value(&[p + 1.0]) / line.value(&[p])).ln().abs();
                    assert!(step < 0.04 && (p < 64.0 || step < 0.02), "{step} from {p}, {points:?}");
                    p += 1.0;
                }
            }
        }
    }

    #[test]
    fn three_runs_promise_no_catastrophe() {
        // Times of a proxy application on 8, 27 and 64 processes, for which the normal form finds p^(5/4)*log2(p)^2.
        for y in [[10.0, 3.4, 4.2], [10.0, 9.0, 2.0], [10.0, 12.0, 20.0]] {
            let line = line(&[(8.0, y[0]), (27.0, y[1]), (64.0, y[2])]);
            for q in [100.0, 512.0, 5000.0] {
                let ratio = line.value(&[q]) / y[2];
                let z = ratio.ln() / (q / 64.0_f64).ln();
                assert!(z.abs() <= 1.0 + 1e-12, "{ratio} at {q}");
            }
        }
    }

    #[test]
    fn a_quadratic_law_is_believed_after_two_folds_and_cut_before() {
        let points: Vec<(f64, f64)> = [2.0, 4.0, 8.0, 16.0, 32.0].iter().map(|p| (*p, 3.0 * p * p)).collect();
        let cut = line(&points[..3]).predict(&[64.0]);
        assert!((cut.value / (3.0 * 64.0 * 8.0) - 1.0).abs() < 1e-9, "{}", cut.value);
        assert!(cut.warnings.iter().any(|warning| warning.code == "envelope"));
        let believed = line(&points).predict(&[64.0]);
        assert!((believed.value / (3.0 * 64.0 * 64.0) - 1.0).abs() < 1e-3, "{}", believed.value);
        assert!(believed.warnings.is_empty());
    }

    #[test]
    fn what_rose_at_every_step_does_not_fall() {
        let line = line(&[(8.0, 1.0), (27.0, 1.02), (64.0, 1.6), (125.0, 1.61), (216.0, 1.611)]);
        let mut before = 1.611;
        for p in 217..3000 {
            let value = line.value(&[f64::from(p)]);
            assert!(value >= before, "{before} {value} at {p}");
            before = value;
        }
    }

    #[test]
    fn the_rate_of_a_constant_work_per_process_is_forecast_as_its_time() {
        let times = [(1.0, 8.0), (2.0, 8.2), (4.0, 8.9), (8.0, 9.1)];
        let mut runs =
            crate::testing::over(&["p", "N"], times.iter().map(|(p, t)| (vec![*p, 50.0 * p], p / t)).collect());
        runs.metric = runcast_core::Metric::new("rate", "1/s", runcast_core::Direction::Higher);
        let sample = Sample::new(&runs, Auto.aggregate(), &FitOptions::default());
        let rates = Line::fit(&sample, &FitOptions::default()).expect("fits");
        for p in [4.0, 64.0] {
            assert!((rates.value(&[p, 50.0 * p]) * line(&times).value(&[p]) / p - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn rates_are_forecast_as_their_reciprocals() {
        let times = line(&[(1.0, 8.0), (2.0, 4.2), (4.0, 2.3), (8.0, 1.4)]);
        let mut runs = series(&[(1.0, 1.0 / 8.0), (2.0, 1.0 / 4.2), (4.0, 1.0 / 2.3), (8.0, 1.0 / 1.4)]);
        runs.metric = runcast_core::Metric::new("rate", "1/s", runcast_core::Direction::Higher);
        let sample = Sample::new(&runs, Auto.aggregate(), &FitOptions::default());
        let rates = Line::fit(&sample, &FitOptions::default()).expect("fits");
        assert!((rates.value(&[64.0]) * times.value(&[64.0]) - 1.0).abs() < 1e-12);
    }
}
