//! Measuring how far given configurations deviate from a plan.

use super::axis::Axis;
use super::cross::Line;
use super::layout::Layout;
use super::parse::shown;
use super::read::{Row, rows_from};
use super::spec::{PlanSpec, Scaling};
use super::weak;
use super::work::{Budget, Work};
use super::{PROCESSES, Plan, PlannedConfiguration, deviation_pct};
use crate::problem::{Problem, Problems, Warning};

impl PlanSpec {
    /// How far given configurations deviate, in the same document as a plan. Nothing is chosen, rounded or dropped;
    /// those that deviate by more than `max_deviation` raise a warning.
    ///
    /// The file is any that [`configurations_from`](super::configurations_from) reads; it needs a column `p` and one
    /// for each size of the complexity that `fixed` does not hold. Reference of the deviation: weak, the constant;
    /// strong, the fixed problem (without one, that of the first row); wide, the nearest step of the ratio from the
    /// start (without one, from the first row).
    ///
    /// # Errors
    /// The file is invalid; the complexity or the constant is missing or not positive.
    pub fn check(&self, name: &str, bytes: &[u8]) -> Result<Plan, Problems> {
        let mut rows = rows_from(name, bytes)?.rows;
        if let Some(repetitions) = self.repetitions {
            rows.iter_mut().for_each(|row| row.planned.repetitions = repetitions);
        }
        Ok(self.checked(name, rows)?)
    }

    fn checked(&self, file: &str, rows: Vec<Row>) -> Result<Plan, Problem> {
        if self.scaling() == Scaling::Grid {
            let message = "a grid holds nothing constant, so nothing deviates from it";
            return Err(self.problem("grid", "contradiction", message).hint("examine weak, strong or wide scaling"));
        }
        let budget = Budget::new();
        let layout = Layout::new(self)?;
        let work = Work::new(self, &layout.names, &budget)?.ok_or_else(|| {
            self.problem("complexity", "missing", "deviations need the sequential complexity")
                .hint("--complexity 'N^3', say")
        })?;
        let mut constant = None;
        let mut reference = None;
        let mut worst: Option<(f64, Option<u64>)> = None;
        let mut deviating = 0usize;
        let mut configurations = Vec::with_capacity(rows.len());
        for Row { line, planned } in rows {
            let place = |problem: Problem| match line {
                Some(line) => problem.in_file(file).at_line(line),
                None => problem.in_file(file),
            };
            let arguments = self.arguments(&layout, &planned).map_err(place)?;
            let reference = match reference {
                Some(reference) => reference,
                None => {
                    let found = self.reference(&layout, &work, &arguments)?;
                    constant = found.constant();
                    *reference.insert(found)
                }
            };
            let per_process = work.checked(&arguments).map_err(place)?;
            let wanted = reference.per_process(per_process, arguments[0]);
            let deviation = deviation_pct(per_process, wanted);
            if self.max_deviation.is_some_and(|most| deviation.abs() > 100.0 * most) {
                deviating += 1;
                if worst.is_none_or(|(worst, _)| deviation.abs() > worst.abs()) {
                    worst = Some((deviation, line));
                }
            }
            configurations.push(PlannedConfiguration {
                exact: layout.exact(exact(&layout, &work, wanted, arguments)),
                work_per_process: Some(per_process),
                deviation_pct: Some(deviation),
                ..planned
            });
        }
        let warnings = match (worst, self.max_deviation) {
            (Some((worst, line)), Some(most)) => {
                let message = format!(
                    "{deviating} of {} configurations deviate by more than {} %, the worst by {worst:+.2} %",
                    configurations.len(),
                    100.0 * most
                );
                vec![Warning { file: Some(file.to_owned()), line, ..Warning::new("deviation", message) }]
            }
            _ => Vec::new(),
        };
        Ok(self.plan(constant, configurations, None, warnings))
    }

    /// `p` and the sizes of a configuration.
    fn arguments(&self, layout: &Layout, planned: &PlannedConfiguration) -> Result<Vec<f64>, Problem> {
        let mut arguments = Vec::with_capacity(layout.names.len() + 1);
        for (index, name) in layout.parameters().enumerate() {
            let held = if index == 0 { self.fixed.get(PROCESSES).copied() } else { layout.held[index - 1] };
            let value = planned.at.get(name).or(held).ok_or_else(|| {
                Problem::new("missing", format!("the configuration {} has no {name}", planned.at))
                    .at(name)
                    .hint(format!("add a column {name}, or --fixed {name}=.."))
            })?;
            arguments.push(value);
        }
        if arguments[0] > 0.0 {
            return Ok(arguments);
        }
        let problem = Problem::new("out_of_range", format!("{} is not a number of processes", shown(arguments[0])));
        Err(problem.at(PROCESSES).value(shown(arguments[0])).allowed("a positive number"))
    }

    /// The reference of the configurations; `first` is the first of them.
    fn reference(&self, layout: &Layout, work: &Work<'_>, first: &[f64]) -> Result<Reference, Problem> {
        let total = |arguments: &[f64]| work.checked(arguments).map(|work| work * arguments[0]);
        Ok(match self.scaling() {
            Scaling::Weak => Reference::PerProcess(weak::constant(self, layout, work)?),
            Scaling::Strong | Scaling::Grid => Reference::Total(total(&held_over(layout, first, |_| None))?),
            Scaling::Wide => {
                let start = held_over(layout, first, |name| self.start.get(name).copied());
                Reference::Steps { first: total(&start)?, ratio: self.ratio.unwrap_or(super::wide::RATIO) }
            }
        })
    }
}

/// The arguments with the held values, or else `given`, in place of their own.
fn held_over(layout: &Layout, arguments: &[f64], given: impl Fn(&str) -> Option<f64>) -> Vec<f64> {
    let mut result = arguments.to_vec();
    for ((value, held), name) in result[1..].iter_mut().zip(&layout.held).zip(&layout.names) {
        *value = held.or_else(|| given(name)).unwrap_or(*value);
    }
    result
}

/// The target of the work.
#[derive(Debug, Clone, Copy)]
enum Reference {
    /// This much per process.
    PerProcess(f64),
    /// This much in total.
    Total(f64),
    /// The total of the first, times a power of the ratio.
    Steps { first: f64, ratio: f64 },
}

impl Reference {
    fn constant(self) -> Option<f64> {
        match self {
            Reference::PerProcess(constant) => Some(constant),
            _ => None,
        }
    }

    /// The work per process that a configuration with `p` processes and actual work `seen` should have.
    fn per_process(self, seen: f64, p: f64) -> f64 {
        match self {
            Reference::PerProcess(constant) => constant,
            Reference::Total(total) => total / p,
            Reference::Steps { first, ratio } => {
                let steps = ((seen * p / first).ln() / ratio.ln()).round();
                first * ratio.powf(steps) / p
            }
        }
    }
}

/// The exact value of the only size for the wanted work.
fn exact(layout: &Layout, work: &Work<'_>, wanted: f64, arguments: Vec<f64>) -> Option<f64> {
    let varies = match (&layout.free[..], layout.names.len()) {
        (&[only], _) => only + 1,
        (_, 1) => return arguments.get(1).copied(),
        _ => return None,
    };
    let size = arguments[varies];
    if size <= 0.0 {
        return None;
    }
    let axis = Axis::continuous(f64::MIN_POSITIVE, f64::MAX);
    let start = axis.index_of(size);
    let mut line = Line { work, axis: &axis, wanted, arguments, varies };
    let crossing = line.cross(start).ok()?;
    match crossing {
        super::cross::Crossing { below: Some(_), above: Some(_) } => line.exact(crossing),
        _ => None,
    }
}
