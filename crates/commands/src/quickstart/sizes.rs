//! Which configurations are measured, so that all runs together take about as long as they may.

use super::kernel;

/// Sizes to train with, as multiples of the smallest: powers of the cube root of 2.
const SMALL: [f64; 7] = [1.0, 1.26, 1.587, 2.0, 2.52, 3.175, 4.0];
/// Sizes to predict, as multiples of the smallest.
const LARGE: [f64; 2] = [8.0, 16.0];
/// Times that each small configuration is run: these runs are short, and the forecast rests on them.
const SMALL_REPETITIONS: u32 = 5;
/// Times that each large configuration is run.
pub const LARGE_REPETITIONS: u32 = 3;
/// More threads make the small runs too short to measure.
const MOST_THREADS: usize = 8;
/// What starting the program and filling its arrays costs, roughly.
const START_S: f64 = 0.02;
/// Sizes are multiples of this.
const MULTIPLE: f64 = 8.0;

/// The options of `plan` for this machine: small sizes to train with, large ones to predict, each on one thread up to
/// all cores.
pub fn options(budget_s: f64) -> Vec<String> {
    let threads = thread_counts(std::thread::available_parallelism().map_or(1, usize::from));
    let smallest = smallest_size(budget_s, &threads);
    let grid = |factors: &[f64]| {
        let sizes = factors.iter().map(|factor| ((smallest * factor / MULTIPLE).round() * MULTIPLE).to_string());
        let threads = threads.iter().map(ToString::to_string);
        format!("p={}; N={}", threads.collect::<Vec<_>>().join(","), sizes.collect::<Vec<_>>().join(","))
    };
    let words = ["--grid", &grid(&SMALL), "--target-processes", &grid(&LARGE), "--repetitions"];
    words.into_iter().map(str::to_owned).chain([SMALL_REPETITIONS.to_string()]).collect()
}

/// 1, 2, 4, .. and all cores, as far as that makes sense.
fn thread_counts(cores: usize) -> Vec<usize> {
    let most = cores.clamp(1, MOST_THREADS);
    let mut counts: Vec<usize> = (0..).map(|power| 1 << power).take_while(|&count| count < most).collect();
    counts.push(most);
    counts
}

/// Sizes, as multiples of the smallest, and their repetitions: to train with, and to predict.
fn sets() -> [(&'static [f64], u32); 2] {
    [(&SMALL, SMALL_REPETITIONS), (&LARGE, LARGE_REPETITIONS)]
}

/// The size with which all runs together take as long as they may on this machine, as busy as it is now.
fn smallest_size(budget_s: f64, threads: &[usize]) -> f64 {
    let (mut size, mut iteration_s) = (1024_usize, 0.0);
    while iteration_s < 0.02 && size < 1 << 20 {
        size *= 2;
        iteration_s = kernel::iterate(size, 1).0;
    }
    let operations = |size: f64| size * size.log2();
    let operation_s = iteration_s / operations(size as f64);
    let values = 1 << 22;
    let unknown_s = kernel::sweep(values, 1).0 / values as f64 * kernel::VALUES_PER_UNKNOWN as f64;
    let total_s = |smallest: f64| -> f64 {
        let run_s = |size: f64, p: usize| START_S + (operation_s * operations(size) + unknown_s * size) / p as f64;
        let of_set = |(factors, repetitions): (&[f64], u32)| -> f64 {
            let of_threads = |&p: &usize| factors.iter().map(|factor| run_s(factor * smallest, p)).sum::<f64>();
            f64::from(repetitions) * threads.iter().map(of_threads).sum::<f64>()
        };
        sets().into_iter().map(of_set).sum()
    };
    let (mut low, mut high) = (64.0, 1e6);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if total_s(middle) < budget_s { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use runcast_core::plan::{PlanSpec, TARGET, TRAIN};

    #[test]
    fn threads_are_powers_of_two_and_all_cores() {
        assert_eq!(thread_counts(1), [1]);
        assert_eq!(thread_counts(2), [1, 2]);
        assert_eq!(thread_counts(6), [1, 2, 4, 6]);
        assert_eq!(thread_counts(64), [1, 2, 4, 8]);
    }

    #[test]
    fn targets_are_four_times_as_large_as_the_largest_run() {
        let words = options(1.0);
        let mut spec = PlanSpec::default();
        for pair in words.chunks(2) {
            let key = if pair[0] == "--target-processes" { "targets" } else { &pair[0] };
            spec.set(key, &pair[1]).expect("a key of a plan");
        }
        let plan = spec.solve().expect("a plan");
        let sizes = |set: &str| -> Vec<f64> {
            plan.configurations.iter().filter(|c| c.set == set).filter_map(|c| c.at.get("N")).collect()
        };
        let most = |set: &str| sizes(set).into_iter().fold(0.0, f64::max);
        let ratio = most(TARGET) / most(TRAIN);
        assert!((3.8..4.2).contains(&ratio), "{ratio}");
    }
}
