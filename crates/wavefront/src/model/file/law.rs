//! Tables that describe the law of a time: `{ ticks = .., prob = .. }` and its kin.

pub(super) mod samples;

use super::sources::Sources;
use crate::model::binning::{Binning, MOST_TICKS};
use crate::model::distribution::{Bounds, Distribution, NAMES, Named, Shape, Smooth, clipped};
use crate::model::file::refused;
use crate::model::law::{NoLaw, SUM_TOLERANCE};
use runcast_core::Problem;
use runcast_core::problem::shorten;
use runcast_core::toml::{Node, Place, Reader, Table, out_of_range};

const KINDS: [&str; 6] = ["ticks", "values", "constant", "pmf", "samples", "dist"];
const BOUNDS: [&str; 5] = ["shift", "lower", "upper", "clip", "bin"];
/// The default of `clip` of a named law.
const DEFAULT_CLIP: f64 = 0.999;
pub(super) const WANTED: &str = "a table with one of ticks, values, constant, pmf, samples, dist";

/// The law of a time as it is described, and by whom.
pub(super) struct Described {
    pub distribution: Distribution,
    pub place: Place,
    /// `process ws1`, `link ws1 -> ws2`.
    pub who: String,
}

/// All laws of a file, in the order of the file.
pub(super) struct Laws<'s, 'l> {
    pub all: Vec<Described>,
    pub sources: &'s mut Sources<'l>,
    normalize: bool,
}

impl<'s, 'l> Laws<'s, 'l> {
    /// `normalize`: probabilities are divided by their sum everywhere.
    pub(super) fn new(sources: &'s mut Sources<'l>, normalize: bool) -> Self {
        Laws { all: Vec::new(), sources, normalize }
    }

    /// Reads the law at a value; its number in `all`.
    pub(super) fn read(
        &mut self,
        reader: &mut Reader<'_>,
        node: Node<'_, '_>,
        pointer: &str,
        who: String,
    ) -> Option<usize> {
        let table = reader.table(node, pointer.to_owned(), WANTED)?;
        let given: Vec<&str> = KINDS.into_iter().filter(|kind| table.has(kind)).collect();
        let [kind] = given[..] else {
            let problem = match given.is_empty() {
                true => Problem::new("missing", format!("the times of {who} are not given")),
                false => Problem::new("conflict", format!("{} are both given for {who}", given.join(" and "))),
            };
            reader.wrong(&table.place, problem.allowed(KINDS.join(", ")));
            if given.is_empty() {
                let keys: Vec<&str> = KINDS.into_iter().chain(BOUNDS).collect();
                reader.allow(&table, &keys, "the law of a time");
            }
            return None;
        };
        let before = reader.problem_count();
        let distribution = match kind {
            "ticks" => self.ticks(reader, &table, &who),
            "values" => self.values(reader, &table, &who),
            "constant" => constant(reader, &table),
            "pmf" => self.pmf(reader, &table, &who),
            "samples" => samples::read(reader, &table, self.sources, &who),
            _ => named(reader, &table, &who),
        };
        let distribution = distribution.filter(|_| reader.problem_count() == before)?;
        self.all.push(Described { distribution, place: table.place.clone(), who });
        Some(self.all.len() - 1)
    }

    /// The law at `update`, which must be there.
    pub(super) fn update(&mut self, reader: &mut Reader<'_>, table: &Table<'_, '_>, who: String) -> Option<usize> {
        let node = reader.required(table, "update", "update = { ticks = [4, 5], prob = [0.5, 0.5] } and the like")?;
        self.read(reader, node, &table.at("update"), who)
    }

    fn ticks(&self, reader: &mut Reader<'_>, table: &Table<'_, '_>, who: &str) -> Option<Distribution> {
        reader.allow(table, &["ticks", "prob", "normalize"], "a law by ticks");
        let pointer = table.at("ticks");
        let nodes = reader.list(table.get("ticks")?, &pointer, "a list of whole numbers of ticks")?;
        let ticks = reader
            .each(nodes, &pointer, |reader, node, pointer| reader.whole_at(node, pointer, "ticks", 0, MOST_TICKS));
        let probabilities = self.probabilities(reader, table, who);
        let (ticks, probabilities) = (ticks?, probabilities?);
        same_length(reader, table, "ticks", ticks.len(), probabilities.len(), who)?;
        Some(Distribution::plain(Shape::Ticks(ticks.into_iter().zip(probabilities).collect())))
    }

    fn values(&self, reader: &mut Reader<'_>, table: &Table<'_, '_>, who: &str) -> Option<Distribution> {
        reader.allow(table, &keys(&["values", "prob", "normalize"]), "a law by values");
        let pointer = table.at("values");
        let nodes = reader.list(table.get("values")?, &pointer, "a list of times")?;
        let values = reader
            .each(nodes, &pointer, |reader, node, pointer| reader.time_at(node, pointer).map(|(seconds, _)| seconds));
        let probabilities = self.probabilities(reader, table, who);
        let (values, probabilities) = (values?, probabilities?);
        same_length(reader, table, "values", values.len(), probabilities.len(), who)?;
        discrete(reader, table, values.into_iter().zip(probabilities).collect(), false)
    }

    /// The list at `prob`, which sums to 1.
    fn probabilities(&self, reader: &mut Reader<'_>, table: &Table<'_, '_>, who: &str) -> Option<Vec<f64>> {
        let normalize = reader.flag(table, "normalize").unwrap_or(self.normalize);
        let node = reader.required(table, "prob", "a list of probabilities that sum to 1")?;
        let pointer = table.at("prob");
        let place = reader.place(node, &pointer);
        let probabilities = reader.numbers(node, &pointer, "a list of probabilities")?;
        reader.found(&place, sound(probabilities, normalize, who))
    }

    fn pmf(&mut self, reader: &mut Reader<'_>, table: &Table<'_, '_>, who: &str) -> Option<Distribution> {
        reader.allow(table, &keys(&["pmf", "normalize"]), "a law in a file");
        let normalize = reader.flag(table, "normalize").unwrap_or(self.normalize);
        let (name, place) = reader.text(table, "pmf", "the name of a file with the header value,prob")?;
        let found = self.sources.table(&name).and_then(|file| {
            let columns = ["value", "prob"].map(|column| samples::numbers(&file, column, &name));
            let [values, probabilities] = columns;
            let (values, probabilities) = (values?, probabilities?);
            if let Some(row) = values.iter().position(|value| value.is_nan() || *value < 0.0) {
                let problem = out_of_range("value", &values[row].to_string(), "a time in seconds, 0 or more");
                return Err(file.problem_at(row, problem.at("value")));
            }
            let probabilities =
                sound(probabilities.to_vec(), normalize, who).map_err(|problem| problem.in_file(&name))?;
            Ok(values.iter().copied().zip(probabilities).collect())
        });
        let pairs = reader.found(&place, found)?;
        discrete(reader, table, pairs, false)
    }
}

/// Probabilities that are some, and sum to 1 or are made to.
fn sound(mut probabilities: Vec<f64>, normalize: bool, who: &str) -> Result<Vec<f64>, Problem> {
    let limit = if normalize { f64::MAX } else { 1.0 };
    if let Some(wrong) = probabilities.iter().find(|probability| !(0.0..=limit).contains(*probability)) {
        let problem = Problem::new("not_a_probability", format!("{} of {who}", NoLaw::Probability(*wrong)));
        return Err(problem.value(wrong.to_string()).allowed("0 to 1"));
    }
    let sum: f64 = probabilities.iter().sum();
    if !(sum > 0.0 && sum.is_finite()) {
        return Err(Problem::new("empty", format!("{who}: {}", NoLaw::Empty)).allowed("probabilities that sum to 1"));
    }
    if !normalize && (sum - 1.0).abs() > SUM_TOLERANCE {
        let problem = Problem::new("sum", format!("{who}: {}", NoLaw::Sum(sum))).value(sum.to_string());
        let hint = "correct them, or divide them by their sum: normalize = true";
        return Err(problem.allowed("probabilities that sum to 1 within 1e-9").hint(hint));
    }
    if normalize {
        probabilities.iter_mut().for_each(|probability| *probability /= sum);
    }
    Ok(probabilities)
}

fn same_length(
    reader: &mut Reader<'_>,
    table: &Table<'_, '_>,
    key: &str,
    values: usize,
    probabilities: usize,
    who: &str,
) -> Option<()> {
    if values == probabilities {
        return Some(());
    }
    let problem = Problem::new("length", format!("{who} has {values} {key} and {probabilities} probabilities"));
    refused(reader, &table.place, problem.allowed("equally many of both"))
}

fn constant(reader: &mut Reader<'_>, table: &Table<'_, '_>) -> Option<Distribution> {
    reader.allow(table, &["constant", "bin"], "a constant time");
    let value = reader.time(table, "constant")?;
    let binning = binning(reader, table);
    Some(Distribution { binning, ..Distribution::plain(Shape::Values(vec![(value, 1.0)])) })
}

/// A law by values, with what the table says of bounds.
fn discrete(
    reader: &mut Reader<'_>,
    table: &Table<'_, '_>,
    pairs: Vec<(f64, f64)>,
    merges: bool,
) -> Option<Distribution> {
    let bounds = bounds(reader, table, 1.0)?;
    let binning = binning(reader, table);
    let (values, [raised_s, lost_s]) = clipped(pairs, &bounds);
    if let Some((least, _)) = values.first().filter(|(least, _)| *least < 0.0) {
        let problem = Problem::new("out_of_range", format!("with shift, a time of {least} s"));
        return refused(reader, &table.place, problem.allowed("times of 0 or more"));
    }
    Some(Distribution { shape: Shape::Values(values), binning, merges, lost_s, raised_s })
}

fn named(reader: &mut Reader<'_>, table: &Table<'_, '_>, who: &str) -> Option<Distribution> {
    let index = reader.choice(table, "dist", &NAMES)?;
    let parameters: [&str; 2] = match NAMES[index] {
        "uniform" => ["lower", "upper"],
        "normal" => ["mean", "sd"],
        "lognormal" => ["median", "sigma"],
        "exponential" => ["mean", "mean"],
        _ => ["shape", "scale"],
    };
    reader.allow(table, &keys(&["dist", parameters[0], parameters[1]]), &format!("a law {}", NAMES[index]));
    let [first, second] = parameters.map(|key| parameter(reader, table, key));
    let bounds = bounds(reader, table, DEFAULT_CLIP);
    let (first, second, mut bounds) = (first?, second?, bounds?);
    let law = match NAMES[index] {
        "uniform" => Named::Uniform { lower: first, upper: second },
        "normal" => Named::Normal { mean: first, sd: second },
        "lognormal" => Named::Lognormal { median: first, sigma: second },
        "exponential" => Named::Exponential { mean: first },
        "gamma" => Named::Gamma { shape: first, scale: second },
        _ => Named::Weibull { shape: first, scale: second },
    };
    if law.is_bounded() {
        // Its own bounds, which the shift moves, too; a quantile clips it only where that is written.
        let clip = if table.has("clip") { bounds.clip } else { 1.0 };
        bounds = Bounds { lower_s: None, upper_s: None, clip, ..bounds };
    }
    let binning = binning(reader, table);
    if !law.is_sound() {
        let problem = Problem::new("out_of_range", format!("the parameters of the {} law of {who}", NAMES[index]));
        let problem = problem.value(format!("{} = {first}, {} = {second}", parameters[0], parameters[1]));
        let allowed = match law {
            Named::Uniform { .. } => "lower < upper",
            Named::Gamma { .. } => "scale above 0, shape from 0.001 to 1e6",
            Named::Weibull { .. } => "scale above 0, shape from 0.01 to 1e4",
            _ => "numbers above 0 with a finite mean",
        };
        return refused(reader, &table.place, problem.allowed(allowed));
    }
    let Some((smooth, [raised_s, lost_s])) = Smooth::new(law, &bounds) else {
        let problem = Problem::new("out_of_range", format!("the law of {who} has no mass between its bounds"));
        let problem = problem.allowed("0 <= lower < upper, a finite clip point");
        reader.wrong(&table.place, problem.hint("shift is added first; times below 0 are moved to 0"));
        return None;
    };
    Some(Distribution { shape: Shape::Smooth(smooth), binning, merges: true, lost_s, raised_s })
}

/// A parameter of a named law: a time, or a number without a unit.
fn parameter(reader: &mut Reader<'_>, table: &Table<'_, '_>, key: &str) -> Option<f64> {
    let node = reader.required(table, key, "a number, or a time")?;
    match key {
        "sigma" | "shape" => reader.number_at(node, &table.at(key), "a number without a unit").map(|found| found.0),
        // Of a normal law it may be negative.
        "mean" if table.has("sd") => reader.signed_time_at(node, &table.at(key)).map(|found| found.0),
        _ => reader.time_at(node, &table.at(key)).map(|found| found.0),
    }
}

fn keys<'k>(own: &[&'k str]) -> Vec<&'k str> {
    own.iter().copied().chain(BOUNDS.into_iter().filter(|key| !own.contains(key))).collect()
}

/// `shift`, `lower`, `upper`, `clip`.
fn bounds(reader: &mut Reader<'_>, table: &Table<'_, '_>, clip: f64) -> Option<Bounds> {
    let before = reader.problem_count();
    let shift_s = match table.get("shift") {
        Some(node) => reader.signed_time_at(node, &table.at("shift")).map_or(0.0, |(shift, _)| shift),
        None => 0.0,
    };
    let (lower_s, upper_s) = (reader.time(table, "lower"), reader.time(table, "upper"));
    let clip = match table.has("clip") {
        true => reader.bounded(table, "clip", "0 < clip <= 1", |clip| clip > 0.0 && clip <= 1.0),
        false => Some(clip),
    };
    if let (Some(lower), Some(upper)) = (lower_s, upper_s)
        && lower >= upper
    {
        let problem = Problem::new("out_of_range", format!("lower is {lower} s, upper {upper} s"));
        reader.wrong(&table.place, problem.allowed("lower < upper"));
    }
    let clip = clip.filter(|_| reader.problem_count() == before)?;
    Some(Bounds { shift_s, lower_s, upper_s, clip })
}

fn binning(reader: &mut Reader<'_>, table: &Table<'_, '_>) -> Binning {
    match reader.choice(table, "bin", &["split", "nearest", "up"]) {
        Some(1) => Binning::Nearest,
        Some(2) => Binning::Up,
        _ => Binning::Split,
    }
}

/// The name as a message shows it.
fn quoted(name: &str) -> String {
    format!("\"{}\"", shorten(name, 60))
}
