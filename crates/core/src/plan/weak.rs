//! Weak scaling: the sizes that keep the work per process constant.

use super::axis::{Axis, AxisMaker};
use super::combine::{self, Choice, Request};
use super::layout::Layout;
use super::monotone;
use super::solve::{Candidate, Draft, processes, thinned};
use super::spec::{Constant, Multiple, PlanSpec, Rounding};
use super::work::{Budget, Function, Work};
use super::{MOST_COMBINATIONS, PROCESSES, TARGET, TRAIN};
use crate::problem::{Problem, Warning};

pub(super) fn solve(spec: &PlanSpec, layout: &Layout, budget: &Budget) -> Result<Draft, Problem> {
    let work = Work::new(spec, &layout.names, budget)?.ok_or_else(|| {
        spec.problem("complexity", "missing", "weak scaling needs the sequential complexity")
            .hint("--complexity '2/3*N^3', say")
    })?;
    if spec.fixed.contains_key(PROCESSES) {
        return Err(spec
            .problem("fixed/p", "contradiction", "weak scaling varies p, so it cannot be fixed")
            .hint("--processes sets the values of p; --scaling wide fixes p"));
    }
    layout.check_free(spec)?;
    let constant = constant(spec, layout, &work)?;
    let mut train = processes(spec, "processes", spec.processes.as_ref(), spec.min_p, spec.max_p)?;
    let targets = processes(spec, "targets", spec.targets.as_ref(), None, None)?;
    if train.is_empty() && targets.is_empty() {
        let message = "weak scaling needs numbers of processes";
        return Err(spec
            .problem("processes", "missing", message)
            .hint("--processes 4,8,16 or squares --max-p 196, say"));
    }
    // Where nothing is dropped later, only the configurations that remain are solved.
    if let Some(count) = spec.count
        && spec.keep.is_none()
        && spec.max_deviation.is_none()
        && spec.round == Rounding::Nearest
    {
        train = thinned(train, count);
    }
    let mut chooser = Chooser::new(spec, layout, &work, constant, budget)?;
    let train_set = chooser.all(&train, TRAIN)?;
    let target_set = chooser.all(&targets, TARGET)?;
    chooser.check_monotone()?;
    let warnings = chooser.warnings();
    Ok(Draft { constant: Some(constant), train: train_set, targets: target_set, warnings })
}

/// Minimum number of evaluations of a search.
const LEAST_LOOKS: usize = 4;

/// The work per process to keep.
pub(super) fn constant(spec: &PlanSpec, layout: &Layout, work: &Work<'_>) -> Result<f64, Problem> {
    let at = match &spec.constant {
        None => {
            return Err(spec
                .problem("constant", "missing", "weak scaling needs the work per process")
                .hint("--constant 'p=8,N=20000' or a number"));
        }
        Some(Constant::Number(value)) => return Ok(*value),
        Some(Constant::At(at)) => at,
    };
    let arguments = layout.arguments_at(spec, "constant", at)?;
    work.checked(&arguments).map_err(|found| spec.place("constant", found))
}

/// Chooses the sizes for one number of processes after another.
pub(super) struct Chooser<'a> {
    spec: &'a PlanSpec,
    layout: &'a Layout,
    work: &'a Work<'a>,
    constant: f64,
    makers: Vec<AxisMaker<'a>>,
    /// The axes, where they are the same for all processes.
    axes: Option<Vec<Axis>>,
    /// Where the last search ended: the next starts there.
    hints: Vec<Option<i64>>,
    /// For each free size, the range of values in which the complexity must grow.
    searched: Vec<Option<(f64, f64)>>,
    combinations: u64,
    notes: Notes,
}

/// Notes, with the `p` concerned.
#[derive(Default)]
struct Notes {
    rounded_multiple: Vec<f64>,
    at_bound: Vec<f64>,
    none_allowed: Vec<f64>,
}

impl<'a> Chooser<'a> {
    pub(super) fn new(
        spec: &'a PlanSpec,
        layout: &'a Layout,
        work: &'a Work<'a>,
        constant: f64,
        budget: &'a Budget,
    ) -> Result<Self, Problem> {
        let makers = layout
            .free
            .iter()
            .map(|&index| {
                let name = layout.names[index].as_str();
                let size = spec.sizes.get(name).cloned().unwrap_or_default();
                let multiple = match &size.multiple {
                    Some(Multiple::Formula(formula)) => Some(
                        Function::new(formula, &[PROCESSES], budget)
                            .map_err(|problem| spec.place(&format!("size/{name}/multiple"), problem))?,
                    ),
                    _ => None,
                };
                Ok(AxisMaker { name, size, multiple })
            })
            .collect::<Result<Vec<_>, Problem>>()?;
        let sizes = makers.len();
        let mut chooser = Chooser {
            spec,
            layout,
            work,
            constant,
            makers,
            axes: None,
            hints: vec![None; sizes],
            searched: vec![None; sizes],
            combinations: MOST_COMBINATIONS,
            notes: Notes::default(),
        };
        if chooser.makers.iter().all(|maker| maker.multiple.is_none()) {
            chooser.axes = Some(chooser.make_axes(1.0)?);
        }
        Ok(chooser)
    }

    /// Candidates for these processes; none where no size is allowed.
    pub(super) fn all(&mut self, processes: &[f64], set: &'static str) -> Result<Vec<Candidate>, Problem> {
        self.work.expect(processes.len().saturating_mul(LEAST_LOOKS))?;
        let mut candidates = Vec::with_capacity(processes.len());
        for &p in processes {
            match self.at(p, self.constant)? {
                Some(candidate) => candidates.push(Candidate { set, ..candidate }),
                None => self.notes.none_allowed.push(p),
            }
        }
        Ok(candidates)
    }

    /// The configuration with `p` processes whose work per process is nearest to `wanted`.
    pub(super) fn at(&mut self, p: f64, wanted: f64) -> Result<Option<Candidate>, Problem> {
        let axes = match &self.axes {
            Some(axes) => axes.clone(),
            None => self.make_axes(p)?,
        };
        let mut request = Request {
            spec: self.spec,
            work: self.work,
            makers: &self.makers,
            axes: &axes,
            free: &self.layout.free,
            arguments: self.layout.arguments(p),
            wanted,
            hints: &mut self.hints,
            combinations: &mut self.combinations,
        };
        let Some(choice) = combine::choose(&mut request)? else { return Ok(None) };
        let arguments = request.arguments;
        if choice.at_bound {
            self.notes.at_bound.push(p);
        }
        self.remember(&axes, &choice);
        if self.work.depends_on_p {
            self.check_lines(p, &axes, &choice.searched)?;
        }
        let mut arguments = arguments;
        for (&index, &size) in self.layout.free.iter().zip(&choice.sizes) {
            arguments[index + 1] = size;
        }
        let work = self.work.checked(&arguments)?;
        Ok(Some(Candidate {
            set: TRAIN,
            exact: choice.exact,
            work: Some(work),
            wanted: Some(wanted),
            core_hours: None,
            p,
            sizes: arguments.split_off(1),
        }))
    }

    fn make_axes(&mut self, p: f64) -> Result<Vec<Axis>, Problem> {
        let mut axes = Vec::with_capacity(self.makers.len());
        for maker in &self.makers {
            let key = format!("size/{}/multiple", maker.name);
            let (axis, is_rounded) = maker.at(p).map_err(|problem| self.spec.place(&key, problem))?;
            if is_rounded {
                self.notes.rounded_multiple.push(p);
            }
            axes.push(axis);
        }
        Ok(axes)
    }

    /// Widens the searched ranges.
    fn remember(&mut self, axes: &[Axis], choice: &Choice) {
        for ((range, axis), &(first, last)) in self.searched.iter_mut().zip(axes).zip(&choice.searched) {
            let (from, to) = (axis.value(first), axis.value(last));
            *range = Some(range.map_or((from, to), |(least, most)| (least.min(from), most.max(to))));
        }
    }

    /// Checks on samples that the complexity grows with each size over all ranges searched.
    pub(super) fn check_monotone(&mut self) -> Result<(), Problem> {
        if self.work.depends_on_p {
            return Ok(());
        }
        let Some(ranges) = self.searched.iter().copied().collect::<Option<Vec<_>>>() else { return Ok(()) };
        // Where the multiples depend on p, the values in between are checked as well.
        let axes = self.axes.clone().unwrap_or_else(|| {
            let between = |(maker, &(from, to)): (&AxisMaker<'_>, &(f64, f64))| {
                if maker.size.real { Axis::continuous(from, to) } else { Axis::whole(from, to) }
            };
            self.makers.iter().zip(&ranges).map(between).collect()
        });
        let index = |(axis, &(from, to)): (&Axis, &(f64, f64))| (axis.index_of(from), axis.index_of(to));
        let indices: Vec<(i64, i64)> = axes.iter().zip(&ranges).map(index).collect();
        self.check_lines(1.0, &axes, &indices)
    }

    fn check_lines(&self, p: f64, axes: &[Axis], ranges: &[(i64, i64)]) -> Result<(), Problem> {
        monotone::check(self.work, &self.layout.free, &self.layout.arguments(p), axes, ranges)
    }

    pub(super) fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let mut note = |code: &str, at: &[f64], text: &str| {
            if !at.is_empty() {
                warnings.push(Warning::new(code, format!("{text} at p = {}", some(at))));
            }
        };
        note("multiple_rounded", &self.notes.rounded_multiple, "the multiple is not a whole number and was rounded");
        note(
            "at_bound",
            &self.notes.at_bound,
            "the exact size is beyond min or max, the nearest allowed one is far from it",
        );
        note(
            "no_allowed_size",
            &self.notes.none_allowed,
            "no allowed size keeps the work on the requested side; dropped",
        );
        warnings
    }
}

/// The first few of a list of numbers.
pub(super) fn some(values: &[f64]) -> String {
    const SHOWN: usize = 8;
    let mut text = values.iter().take(SHOWN).map(f64::to_string).collect::<Vec<_>>().join(", ");
    if values.len() > SHOWN {
        text.push_str(&format!(" and {} more", values.len() - SHOWN));
    }
    text
}
