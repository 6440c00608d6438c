//! How counted turns of a nest grow by the integers that are known before it.

use std::collections::BTreeMap;

/// What programs have counted: for each nest, how often it was visited and its loops turned, by the values of its names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Counts(BTreeMap<usize, BTreeMap<Vec<u64>, Counted>>);

#[derive(Debug, Clone, Default, PartialEq)]
struct Counted {
    visits: f64,
    turns: Vec<f64>,
}

/// The product by which the turns of a nest grow.
#[derive(Debug, Clone, PartialEq)]
pub struct Growth {
    /// As a term of a formula.
    pub term: String,
    /// The names in it.
    pub names: Vec<String>,
    /// The sum of its powers, and that of its logarithms.
    pub degree: (i32, i32),
    /// The root of the mean square of relative differences.
    pub rms: f64,
}

const POWERS: [(f64, &str); 5] = [(1.0, ""), (2.0, "^2"), (3.0, "^3"), (0.5, "sqrt"), (1.5, "^1.5")];
/// A factor more has to be worth so much.
const FACTOR: f64 = 0.02;
/// Fewer different sizes tell no products apart, and more tell no more.
const FEWEST: usize = 4;
const MOST_POINTS: usize = 256;

impl Counts {
    /// Adds the lines of a file: `nest visits value .. | turns ..`. A line that is cut off is left out.
    pub fn add(&mut self, text: &str) {
        for line in text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')) {
            let Some((nest, values, visits, turns)) = parse(line) else { continue };
            let known = self.0.entry(nest).or_default().entry(values).or_default();
            known.visits += visits;
            known.turns.resize(turns.len().max(known.turns.len()), 0.0);
            known.turns.iter_mut().zip(turns).for_each(|(sum, more)| *sum += more);
        }
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How the loop of a nest grows that turns most often.
    ///
    /// # Errors
    /// Why that cannot be said.
    pub fn growth(&self, nest: usize, names: &[String]) -> Result<Growth, String> {
        let all = self.0.get(&nest).ok_or("it was not reached")?;
        let loops = all.values().map(|counted| counted.turns.len()).max().unwrap_or(0);
        let total = |at: usize| all.values().filter_map(|counted| counted.turns.get(at)).sum::<f64>();
        let most = (0..loops).max_by(|&a, &b| total(a).total_cmp(&total(b)).then(b.cmp(&a))).unwrap_or(0);
        let points: Vec<(Vec<f64>, f64)> = all
            .iter()
            .filter_map(|(bits, counted)| {
                let turns = counted.turns.get(most).copied()? / counted.visits;
                (turns > 0.0).then(|| (bits.iter().map(|bits| f64::from_bits(*bits)).collect(), turns))
            })
            .collect();
        growth(&points, names)
    }
}

fn parse(line: &str) -> Option<(usize, Vec<u64>, f64, Vec<f64>)> {
    let (before, turns) = line.split_once(" |")?;
    let mut words = before.split(' ');
    let nest = words.next()?.parse().ok()?;
    let visits: f64 = words.next()?.parse().ok().filter(|visits| *visits > 0.0)?;
    let values = words.map(|word| Some(word.parse::<f64>().ok()?.to_bits())).collect::<Option<_>>()?;
    let turns =
        turns.split(' ').filter(|word| !word.is_empty()).map(|word| word.parse().ok()).collect::<Option<_>>()?;
    Some((nest, values, visits, turns))
}

/// The product of at most two names, to the powers 1/2 to 3, and of the logarithm of one, with the least
/// `rms + 0.02 factors`, where rms is that of `1 - c phi/y` at its best c.
fn growth(points: &[(Vec<f64>, f64)], names: &[String]) -> Result<Growth, String> {
    let step = points.len().div_ceil(MOST_POINTS).max(1);
    let points: Vec<&(Vec<f64>, f64)> = points.iter().step_by(step).collect();
    if points.len() < FEWEST {
        return Err(format!("it was seen with {} different sizes, and {FEWEST} tell formulas apart", points.len()));
    }
    if points.iter().all(|(_, turns)| *turns == points[0].1) {
        return Err("it turns equally often for all sizes".to_owned());
    }
    let columns = columns(&points, names);
    let turns: Vec<f64> = points.iter().map(|(_, turns)| turns.ln()).collect();
    let mut best: Option<(f64, Growth)> = None;
    let mut consider = |factors: &[(&Column<'_>, usize)], log: Option<&Column<'_>>| {
        if log.is_some_and(|log| log.values.iter().any(|value| *value <= 0.0)) {
            return;
        }
        let phi = |at: usize| {
            let powers: f64 = factors.iter().map(|(column, power)| POWERS[*power].0 * column.values[at]).sum();
            powers + log.map_or(0.0, |log| log.values[at].ln())
        };
        let ratios: Vec<f64> = (0..turns.len()).map(|at| (phi(at) - turns[at]).exp()).collect();
        let Some(rms) = misfit(&ratios) else { return };
        let score = rms + FACTOR * (factors.len() + usize::from(log.is_some())) as f64;
        if best.as_ref().is_none_or(|(least, _)| score < *least - 1e-12) {
            best = Some((score, Growth::of(factors, log, rms)));
        }
    };
    for (place, column) in columns.iter().enumerate() {
        consider(&[], Some(column));
        for power in 0..POWERS.len() {
            consider(&[(column, power)], None);
            consider(&[(column, power)], Some(column));
            for other in &columns[place + 1..] {
                for second in 0..POWERS.len() {
                    let pair = [(column, power), (other, second)];
                    consider(&pair, None);
                    consider(&pair, Some(column));
                    consider(&pair, Some(other));
                }
            }
        }
    }
    best.map(|(_, growth)| growth).ok_or_else(|| "no integer that is known before it differs".to_owned())
}

/// `sqrt(mean (1 - c r)^2)` at the c that makes it least.
fn misfit(ratios: &[f64]) -> Option<f64> {
    let (one, two) = ratios.iter().fold((0.0, 0.0), |(one, two), ratio| (one + ratio, two + ratio * ratio));
    let rms = (1.0 - one * one / two / ratios.len() as f64).max(0.0).sqrt();
    rms.is_finite().then_some(rms)
}

/// The natural logarithms of a name's values.
struct Column<'n> {
    name: &'n str,
    values: Vec<f64>,
}

/// Names that are positive and differ, and not as another one does.
fn columns<'n>(points: &[&(Vec<f64>, f64)], names: &'n [String]) -> Vec<Column<'n>> {
    let mut columns: Vec<Column<'n>> = Vec::new();
    for (place, name) in names.iter().enumerate() {
        let values: Vec<f64> =
            points.iter().map(|(values, _)| values.get(place).copied().unwrap_or(0.0).ln()).collect();
        let differs = values.iter().any(|value| *value != values[0]);
        if differs && values.iter().all(|value| value.is_finite()) && columns.iter().all(|known| known.values != values)
        {
            columns.push(Column { name, values });
        }
    }
    columns
}

impl Growth {
    fn of(factors: &[(&Column<'_>, usize)], log: Option<&Column<'_>>, rms: f64) -> Self {
        let mut terms: Vec<String> = factors
            .iter()
            .map(|(column, power)| match POWERS[*power].1 {
                "sqrt" => format!("sqrt({})", column.name),
                raised => format!("{}{raised}", column.name),
            })
            .collect();
        terms.extend(log.map(|log| format!("log2({})", log.name)));
        let mut names: Vec<String> = factors.iter().map(|(column, _)| column.name.to_owned()).collect();
        names.extend(
            log.map(|log| log.name.to_owned()).filter(|name| !factors.iter().any(|(known, _)| known.name == *name)),
        );
        let powers: f64 = factors.iter().map(|(_, power)| POWERS[*power].0).sum();
        Growth { term: terms.join("*"), names, degree: (powers.ceil() as i32, i32::from(log.is_some())), rms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["n", "m", "seed"].map(str::to_owned).to_vec()
    }

    /// Counts that follow from a formula are given that formula.
    #[test]
    fn products_are_found_from_their_counts() {
        type Turns = fn(f64, f64) -> f64;
        let cases: [(&str, Turns); 7] = [
            ("n", |n, _| 27.0 * n),
            ("n^2", |n, _| n * (n + 1.0) / 2.0),
            ("n*m", |n, m| n * m),
            ("n*log2(n)", |n, _| n * n.log2()),
            ("log2(n)", |n, _| n.log2()),
            ("sqrt(n)", |n, _| n.sqrt().floor()),
            ("n^1.5*m", |n, m| 3.0 * n.powf(1.5) * m),
        ];
        for (term, turns) in cases {
            let points: Vec<(Vec<f64>, f64)> = (0..9)
                .map(|k| {
                    let (n, m) = (f64::from(1 << (2 * k % 7 + 9)), f64::from(100 + 37 * (k % 3)));
                    (vec![n, m, 4242.0], turns(n, m))
                })
                .collect();
            let found = growth(&points, &names()).expect(term);
            assert_eq!(found.term, term);
            assert!(found.rms < 0.03, "{term}: {}", found.rms);
        }
    }

    #[test]
    fn what_no_product_gives_is_far_off() {
        let points: Vec<(Vec<f64>, f64)> =
            (1..40).map(|k| (vec![f64::from(k), 1.0, 2.0], f64::from(k * 7919 % 101 + 1))).collect();
        assert!(growth(&points, &names()).expect("a product").rms > 0.2);
    }

    #[test]
    fn counts_of_several_files_are_added() {
        let mut counts = Counts::default();
        counts.add("0 2 8 nan | 2 16\n0 1 4 nan | 1 4\n0 1 16");
        counts.add("0 2 8 nan | 2 16\n0 1 16 nan | 1 16\n0 3 32 nan | 3 96\nnothing\n");
        let names = ["n".to_owned(), "x".to_owned()];
        assert_eq!(counts.growth(0, &names).expect("a product").term, "n");
        assert!(counts.growth(1, &names).expect_err("none").contains("not reached"));
        let few = Counts::default();
        assert!(few.is_empty());
    }
}
