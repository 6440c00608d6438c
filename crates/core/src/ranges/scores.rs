//! Scores of a method on points that were kept from it.

use crate::problem::Problem;
use std::collections::HashMap;

/// Fewer scores than this are no basis for a range.
const LEAST_SCORES: usize = 20;
/// Nor are those of fewer clusters.
const LEAST_CLUSTERS: usize = 5;
/// Sums of weights are compared within this share of all.
const ROUNDING: f64 = 1e-12;

/// A score with its cluster: what one more point does not repeat, such as an application or a session of a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    pub cluster: String,
    /// `ln(measured/predicted)/s`: above 0 where the run was worse than forecast.
    pub d: f64,
}

/// Scores of one class, in ascending order with their weights: each cluster weighs 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// `(score, weight)`; equal scores are one entry.
    sorted: Vec<(f64, f64)>,
    count: usize,
    clusters: usize,
}

/// Two quantiles of scores, at `(1 -+ level)/2`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantiles {
    pub low: f64,
    pub high: f64,
    /// The level that the scores support, where it is below the one asked for: the outermost scores were taken.
    pub capped: Option<f64>,
}

impl Scores {
    /// These scores; those that are not finite are left out.
    pub fn new(scores: &[Score]) -> Scores {
        let finite = || scores.iter().filter(|score| score.d.is_finite());
        let mut counts: HashMap<&str, f64> = HashMap::new();
        for score in finite() {
            *counts.entry(score.cluster.as_str()).or_default() += 1.0;
        }
        let weighted = finite().map(|score| (score.d, 1.0 / counts[score.cluster.as_str()])).collect();
        Scores::weighted(weighted, finite().count(), counts.len())
    }

    /// The scores of a file: `cluster series h s e`, a line a score; lines that begin with `#` are its header, one of
    /// which, `# scale: ID`, names the scale.
    ///
    /// # Errors
    /// A line that is none, an error or a scale that is no number, another scale than the one claimed today.
    ///
    /// # Examples
    /// ```
    /// use runcast_core::ranges::Scores;
    /// let text = "# scale: pieces-1\nlulesh\ttime\t0.7\t0.1\t0.05\nmilc\ttime\t0\t0.2\t-0.1\n";
    /// let scores = Scores::parse(text, "pieces-1")?;
    /// assert_eq!((scores.len(), scores.clusters()), (2, 2));
    /// assert!(Scores::parse(text, "pieces-2").is_err());
    /// # Ok::<(), runcast_core::Problem>(())
    /// ```
    pub fn parse(text: &str, scale: &str) -> Result<Scores, Problem> {
        let found = text.lines().find_map(|line| line.strip_prefix("# scale:")).map_or("", str::trim);
        if found != scale {
            let problem = Problem::new("scale", "the scores are in units of another scale").value(found);
            return Err(problem.allowed(scale).hint("make the scores anew with this version"));
        }
        let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
        let scores: Result<Vec<Score>, Problem> = lines.map(|(index, line)| score_of(index as u64 + 1, line)).collect();
        Ok(Scores::new(&scores?))
    }

    fn weighted(mut list: Vec<(f64, f64)>, count: usize, clusters: usize) -> Scores {
        list.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut sorted: Vec<(f64, f64)> = Vec::with_capacity(list.len());
        for (score, weight) in list {
            match sorted.last_mut() {
                Some(last) if last.0 == score => last.1 += weight,
                _ => sorted.push((score, weight)),
            }
        }
        Scores { sorted, count, clusters }
    }

    /// Number of scores.
    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Number of clusters.
    pub fn clusters(&self) -> usize {
        self.clusters
    }

    /// Whether there are enough for a range: 20 scores of 5 clusters.
    pub fn suffice(&self) -> bool {
        self.count >= LEAST_SCORES && self.clusters >= LEAST_CLUSTERS
    }

    fn total(&self) -> f64 {
        self.sorted.iter().map(|(_, weight)| weight).sum()
    }

    /// What a new point weighs.
    fn of_new(&self) -> f64 {
        self.total() / self.count as f64
    }

    /// The scores between which a share `level` of new runs stays, by split-conformal quantiles; none without scores.
    ///
    /// ```text
    /// q_high = least d_i with sum{ w_j : d_j <= d_i } >= (1+L)/2 (W + w_new)      q_low = -(q_high of -d)
    /// ```
    ///
    /// With equal weights: the `ceil((m+1)(1+L)/2)`-th smallest score. Where none is large enough, the outermost.
    pub fn quantiles(&self, level: f64) -> Option<Quantiles> {
        let (first, last) = (self.sorted.first()?, self.sorted.last()?);
        let total = self.total();
        let needed = 0.5 * (1.0 + level) * (total + self.of_new()) - ROUNDING * total;
        let high = reached(self.sorted.iter(), needed);
        let low = reached(self.sorted.iter().rev(), needed);
        let most = 2.0 * total / (total + self.of_new()) - 1.0;
        let capped = (high.is_none() || low.is_none()).then_some(most);
        Some(Quantiles { low: low.unwrap_or(first.0), high: high.unwrap_or(last.0), capped })
    }
}

/// The first score, in this order, at which the weights add up to what is needed.
fn reached<'s>(scores: impl Iterator<Item = &'s (f64, f64)>, needed: f64) -> Option<f64> {
    let mut passed = 0.0;
    for (score, weight) in scores {
        passed += weight;
        if passed >= needed {
            return Some(*score);
        }
    }
    None
}

fn score_of(line: u64, text: &str) -> Result<Score, Problem> {
    let seen: String = text.chars().take(80).collect();
    let wrong = |message: &str, allowed: &str| {
        Problem::new("scores", message).at_line(line).value(seen.as_str()).allowed(allowed)
    };
    let fields: Vec<&str> = text.split('\t').collect();
    let numbers: Vec<f64> = fields.iter().skip(2).filter_map(|field| field.trim().parse().ok()).collect();
    match (fields.as_slice(), numbers.as_slice()) {
        ([cluster, ..], &[_, s, e]) if fields.len() == 5 => match s > 0.0 && (e / s).is_finite() {
            true => Ok(Score { cluster: (*cluster).to_owned(), d: e / s }),
            false => Err(wrong("these make no score", "a scale s above 0 and a finite error e")),
        },
        _ => Err(wrong("this is no line of scores", "cluster, series, h, s and e, separated by tabs")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(list: &[(&str, f64)]) -> Scores {
        let score = |(cluster, d): &(&str, f64)| Score { cluster: (*cluster).to_owned(), d: *d };
        Scores::new(&list.iter().map(score).collect::<Vec<_>>())
    }

    /// Computed with an independent script.
    #[test]
    fn equal_weights_count_scores() {
        let names: Vec<(String, f64)> = (-9..=9).map(|k| (k.to_string(), f64::from(k))).collect();
        let nineteen = scores(&names.iter().map(|(name, d)| (name.as_str(), *d)).collect::<Vec<_>>());
        for (level, expected) in [(0.5, 5.0), (0.8, 8.0), (0.9, 9.0)] {
            let found = nineteen.quantiles(level).expect("scores");
            assert_eq!((found.low, found.high, found.capped), (-expected, expected, None), "{level}");
        }
        let capped = nineteen.quantiles(0.95).expect("scores");
        assert_eq!((capped.low, capped.high), (-9.0, 9.0));
        assert!((capped.capped.expect("capped") - 0.9).abs() < 1e-12);
        assert!(!nineteen.suffice(), "19 are too few");
    }

    #[test]
    fn each_cluster_weighs_one() {
        let list = [-2.0, -1.1, -0.6, -0.3].map(|d| ("a", d));
        let rest = [("b", 0.1), ("b", 0.2), ("b", 0.5), ("c", 0.9), ("c", 1.4), ("d", 3.0)];
        let found = scores(&[&list[..], &rest].concat());
        for (level, low, capped) in [(0.5, -0.6, false), (0.6, -1.1, false), (0.8, -2.0, false), (0.9, -2.0, true)] {
            let found = found.quantiles(level).expect("scores");
            assert_eq!((found.low, found.high, found.capped.is_some()), (low, 3.0, capped), "{level}");
        }
    }

    #[test]
    fn a_wrong_line_is_named() {
        let read = |line: &str| Scores::parse(&format!("# scale: x\n{line}\n"), "x").expect_err("wrong").line;
        for line in ["a\tb\t0\t0.1", "a\tb\t0\t0\t1", "a\tb\t0\t1\tNaN", "a\tb\tx\t1\t1"] {
            assert_eq!(read(line), Some(2), "{line:?}");
        }
    }
}
