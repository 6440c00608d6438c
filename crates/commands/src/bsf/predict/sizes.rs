//! `bsf predict --size 1000,2000,4000`: the boundary over sizes, with its law.

use super::{PredictArgs, words, workers};
use crate::context::{Context, Screen};
use crate::document::Document as Written;
use crate::failure::Failure;
use crate::human::{self, Table, significant};
use crate::output::Output;
use crate::plots;
use runcast_bsf::cost::algorithm::GrowthLaw;
use runcast_bsf::cost::file::{CostSpec, Described};
use runcast_bsf::cost::{Algorithm, Collective, Form, Machine, Source};
use runcast_core::table::{Column, Origins, Table as Rows};
use runcast_core::{Problem, Warning};
use runcast_report::plot::{Axis, Line, Plot, Points};
use serde::Serialize;

/// The most sizes of a list.
const MOST_SIZES: usize = 1000;
/// Points of the line of the law.
const PLACES: u32 = 100;

/// The document of kind `bsf-predict` with its field `sizes`.
#[derive(Debug, Clone, Serialize)]
struct Document {
    kind: &'static str,
    version: u32,
    algorithm: String,
    level: f64,
    warnings: Vec<Warning>,
    sizes: Vec<Size>,
    growth_law: Option<GrowthLaw>,
}

/// A size of the problem.
#[derive(Debug, Clone, Serialize)]
struct Size {
    size: u64,
    /// [S, Eq. 17] as it comes; none where there is no boundary.
    k_max: Option<f64>,
    /// With messages flat and work evenly divided, as the fields that follow.
    best_workers: u64,
    best_time_s: f64,
    /// Against one worker.
    speedup: f64,
    /// `d ln K_max / d ln n`
    growth: Option<f64>,
}

/// The sizes, if a list of several was given.
pub(super) fn listed(args: &PredictArgs) -> Result<Option<Vec<u64>>, Failure> {
    let text = args.costs.values.iter().rfind(|(key, _)| *key == "size").map(|(_, text)| text.trim());
    // A single number is read, and its errors are reported, as before.
    let Some(text) = text.filter(|text| text.contains([',', ':', '.']) && text.parse::<f64>().is_err()) else {
        return Ok(None);
    };
    let problem = |message: String| Problem::new("bad_list", message).at("--size").value(text);
    let values =
        workers::list(text).map_err(problem)?.expand(None, None).map_err(|error| problem(error.to_string()))?;
    if values.is_empty() || values.len() > MOST_SIZES {
        return Err(problem(format!("{} sizes", values.len())).allowed(format!("1 to {MOST_SIZES} sizes")).into());
    }
    let is_size = |value: &f64| value.fract() == 0.0 && (1.0..=runcast_bsf::cost::MOST_ELEMENTS as f64).contains(value);
    if let Some(wrong) = values.iter().find(|value| !is_size(value)) {
        let problem = problem(format!("{} is not a size", human::parameter(*wrong)));
        return Err(problem.allowed("whole numbers from 1 on").into());
    }
    Ok(Some(values.into_iter().map(|value| value as u64).collect()))
}

/// Predicts for each size.
pub(super) fn run(
    args: &PredictArgs,
    spec: &mut CostSpec,
    sizes: &[u64],
    context: &mut Context,
) -> Result<Output, Failure> {
    let mut found: Vec<Size> = Vec::new();
    let (mut name, mut law) = (String::new(), None);
    for &size in sizes {
        spec.set("size", &size.to_string())?;
        let described = spec.resolve()?;
        let growing = Growing::of(&described);
        let costs = described.model.costs();
        let best = costs.best(Form::Smooth, Collective::Flat);
        found.push(Size {
            size,
            k_max: costs.k_max(),
            best_workers: best.workers,
            best_time_s: best.time_s,
            speedup: best.speedup,
            growth: growing.as_ref().and_then(|growing| growing.growth(size as f64)),
        });
        law = growing.as_ref().and_then(Growing::law);
        name.clone_from(&described.algorithm);
    }
    found.sort_by_key(|one| one.size);
    found.dedup_by_key(|one| one.size);
    let warnings = found.iter().any(|one| one.k_max.is_none()).then(|| {
        let message =
            "messages and folds cost nothing, so that each worker up to the length of the list makes it faster";
        Warning::new("no_boundary", message)
    });
    let document = Document {
        kind: "bsf-predict",
        version: 1,
        algorithm: name,
        level: args.level.level,
        warnings: warnings.into_iter().collect(),
        sizes: found,
        growth_law: law,
    };
    document.output(args, context.screen)
}

/// What grows with the size: the counts of a built-in algorithm.
struct Growing {
    algorithm: &'static Algorithm,
    inequalities: Option<f64>,
    machine: Machine,
}

impl Growing {
    fn of(described: &Described) -> Option<Growing> {
        let algorithm = Algorithm::find(&described.algorithm)?;
        let Source::Counts(counts, machine) = described.model.source() else { return None };
        let size = described.parameters.iter().find(|(name, _)| name == "size")?.1;
        // Those that are not given follow from the size.
        let given = counts.list_length as f64;
        let inequalities = (algorithm.has_inequalities && given != 2.0 * size + 2.0).then_some(given);
        Some(Growing { algorithm, inequalities, machine: machine.map(|uncertain| uncertain.value) })
    }

    fn growth(&self, size: f64) -> Option<f64> {
        self.algorithm.growth(size, self.inequalities, &self.machine)
    }

    fn law(&self) -> Option<GrowthLaw> {
        self.algorithm.growth_law(self.inequalities, &self.machine)
    }
}

impl Document {
    fn output(self, args: &PredictArgs, screen: Screen) -> Result<Output, Failure> {
        let mut csv = Vec::new();
        self.table().write_csv(&mut csv).map_err(|error| Failure::writing("the table".as_ref(), &error))?;
        let mut output = Output::default().human(self.text(screen)).warned(self.warnings.iter().cloned());
        if let Some(path) = args.plot.plot.as_deref() {
            output.files.push(plots::file(path, &self.plot())?);
        }
        let is_document = args.out.path().is_some_and(|path| path.extension().is_some_and(|ending| ending == "json"));
        output.document = Some(Written::new(self));
        Ok(if is_document {
            output.with_document_file(args.out.path())
        } else {
            output.with_file(args.out.path(), csv)
        })
    }

    fn table(&self) -> Rows {
        let numbers = |name: &str, of: &dyn Fn(&Size) -> Option<f64>| {
            Column::numbers(name, self.sizes.iter().map(|one| of(one).unwrap_or(f64::NAN)).collect())
        };
        let columns = vec![
            numbers("size", &|one| Some(one.size as f64)),
            numbers("k_max", &|one| one.k_max),
            numbers("best_workers", &|one| Some(one.best_workers as f64)),
            numbers("best_time_s", &|one| Some(one.best_time_s)),
            numbers("speedup", &|one| Some(one.speedup)),
            numbers("growth", &|one| one.growth),
        ];
        Rows { columns, origins: Origins::unknown(self.sizes.len()), ..Rows::default() }
    }

    fn text(&self, screen: Screen) -> String {
        let table = Table::new().number("size").number("K_max").number("best workers").number("time");
        let mut table = table.number("speedup").number("growth");
        let digits = |value: Option<f64>| value.map_or(human::DASH.to_owned(), |value| significant(value, 4));
        for one in &self.sizes {
            table.row([
                human::parameter(one.size as f64),
                digits(one.k_max),
                human::parameter(one.best_workers as f64),
                human::quantity(one.best_time_s, "s"),
                significant(one.speedup, 3),
                digits(one.growth),
            ]);
        }
        format!("{}{}\n\n{}", self.law(), words::SPEEDUP, table.render(screen))
    }

    /// `K_max grows as 0.377 n^0.5; ..`
    fn law(&self) -> String {
        let Some(law) = &self.growth_law else { return String::new() };
        let half = law.half_size.map_or(String::new(), |half| {
            format!("; below n = {} latency dominates, and it grows faster", significant(half, 3))
        });
        let (constant, exponent) = (significant(law.constant, 3), significant(law.exponent, 3));
        format!("{}: for large n, K_max grows as {constant} n^{exponent}{half}\n", self.algorithm)
    }

    /// The boundary over sizes, with its law.
    fn plot(&self) -> Plot {
        let mut plot = Plot::new(&self.algorithm, Axis::new("size", ""), Axis::new("K_max", ""));
        let known = self.sizes.iter().filter_map(|one| Some((one.size as f64, one.k_max?)));
        plot = plot.with(Points::new("K_max", known));
        let ends = self.sizes.first().zip(self.sizes.last());
        if let (Some(law), Some((first, last))) = (&self.growth_law, ends) {
            let (from, to) = (first.size as f64, last.size as f64);
            let at = |place: u32| from * (to / from).powf(f64::from(place) / f64::from(PLACES));
            let name = format!("{} n^{}", significant(law.constant, 3), significant(law.exponent, 3));
            let law = |place: u32| (at(place), law.constant * at(place).powf(law.exponent));
            plot = plot.with(Line::new(name, (0..=PLACES).map(law)));
        }
        plot
    }
}
