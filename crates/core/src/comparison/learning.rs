//! The value of a run: how far differing forecasts are expected to be apart once it is made.

/// A forecast of the target that may be the true one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expert {
    /// How likely it is; weights need not sum to 1.
    pub weight: f64,
    /// Logarithm of what it says of the target.
    pub target: f64,
    /// Its own standard deviation there, of the logarithm.
    pub sd: f64,
}

/// A run that could be made, as each expert sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// Logarithm of what each expert expects.
    pub expected: Vec<f64>,
    /// Standard deviation of the logarithm of what would be measured, for each expert: its own and the noise of runs.
    pub sd: Vec<f64>,
}

/// Nodes of Gauss-Hermite quadrature for a standard normal distribution, those that are not negative.
const NODES: [f64; 5] = [0.0, 1.023255663789133, 2.07684797867783, 3.20542900285647, 4.512745863399783];
/// Their weights.
const WEIGHTS: [f64; 5] =
    [0.4063492063492063, 0.2440975028949395, 0.04991640676521791, 0.00278914132123177, 2.234584400774652e-5];

/// Most runs that are looked at together: the work is 9 to this power.
const MOST_TOGETHER: usize = 4;
/// A run that leaves more than this share of the standard deviation teaches nothing.
const LEAST_GAIN: f64 = 0.005;
/// What is measured is never known better than this.
const LEAST_SD: f64 = 1e-6;

/// Standard deviation of the logarithm at the target at present:
///
/// ```text
/// sd^2(w) = sum w ((z - mean)^2 + t^2)      mean = sum w z,  w normalized
/// ```
///
/// None without an expert of positive weight.
pub fn sd_now(experts: &[Expert]) -> Option<f64> {
    sd(experts, experts.iter().map(|expert| expert.weight))
}

/// The same as it is expected after these runs:
///
/// ```text
/// E = sum_e w_e sum_i g_i sd( w_f prod N(y_e + s_e x_i; y_f, s_f) )      x_i, g_i: 9 nodes for each run
/// ```
///
/// None without an expert of positive weight, for runs that not every expert forecasts, and for more than four.
///
/// # Examples
/// ```
/// use runcast_core::comparison::{Expert, Observation, sd_after, sd_now};
/// let expert = |weight, target| Expert { weight, target, sd: 0.05 };
/// let experts = [expert(0.5, 0.0), expert(0.3, 0.4), expert(0.2, -0.3)];
/// let run = Observation { expected: vec![0.0, 0.1, -0.15], sd: vec![0.05; 3] };
/// assert!((sd_now(&experts).expect("three") - 0.254755).abs() < 5e-7);
/// assert!((sd_after(&experts, &[&run]).expect("three") - 0.129805).abs() < 5e-7);
/// ```
pub fn sd_after(experts: &[Expert], runs: &[&Observation]) -> Option<f64> {
    let is_known = |run: &&Observation| run.expected.len() == experts.len() && run.sd.len() == experts.len();
    if runs.len() > MOST_TOGETHER || !runs.iter().all(is_known) {
        return None;
    }
    let sum: f64 = experts.iter().map(|expert| expert.weight).sum();
    let mut expected = 0.0;
    for (truth, expert) in experts.iter().enumerate().filter(|(_, expert)| expert.weight > 0.0) {
        let likelihoods = vec![0.0; experts.len()];
        expected += expert.weight / sum * over_nodes(experts, truth, runs, &likelihoods)?;
    }
    (sum > 0.0).then_some(expected)
}

/// The runs that are worth their prices within a budget, by their places: from none on, the run that gains most for its price
/// as long as one gains more than half a percent; or the one run that leaves less, the largest that can be paid among them.
///
/// ```text
/// gain = (ln sd_before - ln sd_after)/price
/// ```
pub fn choose(experts: &[Expert], runs: &[Observation], prices: &[f64], budget: f64) -> Vec<usize> {
    let left = |set: &[usize]| sd_after(experts, &set.iter().map(|place| &runs[*place]).collect::<Vec<_>>());
    let Some(now) = sd_now(experts) else { return Vec::new() };
    let (mut set, mut sd, mut spent) = (Vec::new(), now, 0.0);
    while set.len() < MOST_TOGETHER {
        let can_be_paid = |place: &usize| !set.contains(place) && spent + prices[*place] <= budget;
        let with = |place: usize| {
            let after = left(&[set.as_slice(), &[place]].concat())?;
            Some(((sd.ln() - after.ln()) / prices[place], after, place))
        };
        let longer = (0..runs.len()).filter(can_be_paid).filter_map(with);
        match longer.max_by(|a, b| a.0.total_cmp(&b.0).then(b.2.cmp(&a.2))) {
            Some((_, after, place)) if sd.ln() - after.ln() > LEAST_GAIN => {
                set.push(place);
                (sd, spent) = (after, spent + prices[place]);
            }
            _ => break,
        }
    }
    let affordable = (0..runs.len()).filter(|place| prices[*place] <= budget);
    let singles = affordable.filter_map(|place| Some((left(&[place])?, place)));
    match singles.min_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((after, place)) if after < sd => vec![place],
        _ => set,
    }
}

/// The expected standard deviation over the nodes of the runs that are left, given logarithms of likelihoods so far.
fn over_nodes(experts: &[Expert], truth: usize, runs: &[&Observation], likelihoods: &[f64]) -> Option<f64> {
    let Some((run, rest)) = runs.split_first() else {
        // Only ratios count: the largest is taken out, so that not all of them vanish.
        let most = likelihoods.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let posterior = experts.iter().zip(likelihoods).map(|(expert, log)| expert.weight * (log - most).exp());
        return sd(experts, posterior);
    };
    let spread = |expert: usize| run.sd[expert].max(LEAST_SD);
    let mut sum = 0.0;
    for (node, weight) in nodes() {
        let measured = run.expected[truth] + spread(truth) * node;
        let log = |expert: usize| {
            let distance = (measured - run.expected[expert]) / spread(expert);
            -0.5 * distance * distance - spread(expert).ln()
        };
        let next: Vec<f64> = likelihoods.iter().enumerate().map(|(expert, so_far)| so_far + log(expert)).collect();
        sum += weight * over_nodes(experts, truth, rest, &next)?;
    }
    Some(sum)
}

fn nodes() -> impl Iterator<Item = (f64, f64)> {
    let positive = || NODES.into_iter().zip(WEIGHTS);
    positive().skip(1).map(|(node, weight)| (-node, weight)).chain(positive())
}

fn sd(experts: &[Expert], weights: impl Iterator<Item = f64> + Clone) -> Option<f64> {
    let sum: f64 = weights.clone().sum();
    let each = || experts.iter().zip(weights.clone()).map(|(expert, weight)| (expert, weight / sum));
    let mean: f64 = each().map(|(expert, weight)| weight * expert.target).sum();
    let square: f64 =
        each().map(|(expert, weight)| weight * ((expert.target - mean).powi(2) + expert.sd.powi(2))).sum();
    (sum > 0.0 && square.is_finite()).then(|| square.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn experts() -> Vec<Expert> {
        [(0.5, 0.0), (0.3, 0.4), (0.2, -0.3)]
            .into_iter()
            .map(|(weight, target)| Expert { weight, target, sd: 0.05 })
            .collect()
    }

    fn run(sd: f64) -> Observation {
        Observation { expected: vec![0.0, 0.1, -0.15], sd: vec![sd; 3] }
    }

    /// Computed apart, with numpy.
    #[test]
    fn sharper_runs_teach_more() {
        for (sd, expected) in [(0.01, 0.050000), (0.05, 0.129805), (0.2, 0.235415)] {
            let found = sd_after(&experts(), &[&run(sd)]).expect("three experts");
            assert!((found - expected).abs() < 5e-7, "{found} instead of {expected}");
        }
    }

    #[test]
    fn what_cannot_be_asked_has_no_answer() {
        let short = Observation { expected: vec![0.0], sd: vec![0.1] };
        assert_eq!(sd_after(&experts(), &[&short]), None);
        assert_eq!(sd_after(&experts(), &[&run(0.1); MOST_TOGETHER + 1]), None);
        assert_eq!((sd_now(&[]), sd_after(&[], &[])), (None, None));
        let none = [Expert { weight: 0.0, target: 1.0, sd: 0.1 }];
        assert_eq!(sd_now(&none), None);
    }

    #[test]
    fn one_large_run_beats_many_small_ones_where_it_leaves_less() {
        let runs = [run(0.3), run(0.3), run(0.02)];
        assert_eq!(choose(&experts(), &runs, &[1.0, 1.0, 9.0], 10.0), [2]);
        assert_eq!(choose(&experts(), &runs, &[1.0, 1.0, 9.0], 2.0), [0, 1]);
        assert!(choose(&experts(), &runs, &[1.0, 1.0, 9.0], 0.5).is_empty());
    }

    proptest! {
        #[test]
        fn no_run_teaches_nothing_and_two_teach_more_than_one(sd in 0.02..0.3f64) {
            let (experts, run) = (experts(), run(sd));
            let now = sd_now(&experts).expect("three");
            let [none, one, two] = [&[][..], &[&run], &[&run, &run]].map(|runs| sd_after(&experts, runs).expect("three"));
            prop_assert!((none - now).abs() < 1e-12);
            prop_assert!(one < now && two < one && two >= 0.05 - 1e-9);
        }
    }
}
