//! Kernels with a known truth, as files in Extra-P's text format: the same for the same seed, everywhere.

use crate::random::Random;
use runcast_fit::terms::{DEFAULT_TERMS, PmnfTerm};
use std::fmt::Write as _;

/// The processes of every file, least first.
pub const PROCESSES: [f64; 5] = [4.0, 8.0, 16.0, 32.0, 64.0];
/// The second parameter, in the files that have two.
pub const SIZES: [f64; 5] = [100.0, 200.0, 400.0, 800.0, 1600.0];
/// The powers of the wide search space; with the three powers of the logarithm some of its terms are not among the
/// default terms of any tool.
const POWERS: [f64; 20] = [
    0.0,
    1.0 / 4.0,
    1.0 / 3.0,
    1.0 / 2.0,
    2.0 / 3.0,
    3.0 / 4.0,
    4.0 / 5.0,
    1.0,
    5.0 / 4.0,
    4.0 / 3.0,
    3.0 / 2.0,
    5.0 / 3.0,
    7.0 / 4.0,
    2.0,
    9.0 / 4.0,
    7.0 / 3.0,
    5.0 / 2.0,
    8.0 / 3.0,
    11.0 / 4.0,
    3.0,
];

/// `c0 + c1 * p^i * log2(p)^j`
#[derive(Debug, Clone, Copy)]
pub struct Truth {
    /// The constant.
    pub c0: f64,
    /// The factor of the term.
    pub c1: f64,
    /// The power of p.
    pub i: f64,
    /// The power of its logarithm.
    pub j: f64,
}

impl Truth {
    /// A constant and a factor for this term: the term is 0.01 to 10 times the constant at 16 processes.
    fn new([i, j]: [f64; 2], random: &mut Random) -> Self {
        let c0 = log_uniform(0.1, 100.0, random);
        let c1 = c0 * log_uniform(0.01, 10.0, random) / term(16.0, [i, j]);
        Truth { c0, c1, i, j }
    }

    /// The value at p, without noise.
    pub fn at(&self, p: f64) -> f64 {
        self.c0 + self.c1 * term(p, [self.i, self.j])
    }
}

/// A file and, where it has one parameter, what each of its kernels truly is.
pub struct Synthetic {
    /// The file.
    pub text: String,
    /// In the order of the kernels.
    pub truth: Vec<Truth>,
}

/// Kernels of one parameter with powers from the wide search space, five values a point, within 2 % of the truth.
pub fn wide_terms(kernels: usize, seed: u64) -> Synthetic {
    let mut random = Random::new(seed);
    let truth = (0..kernels)
        .map(|_| {
            let mut exponents = [0.0, 0.0];
            while exponents == [0.0, 0.0] {
                exponents = [POWERS[below(POWERS.len(), &mut random)], below(3, &mut random) as f64];
            }
            Truth::new(exponents, &mut random)
        })
        .collect();
    one_parameter(truth, 5, 0.02, &mut random)
}

/// Ten kernels for each of the 42 default terms.
pub fn default_terms(repetitions: usize, noise: f64, seed: u64) -> Synthetic {
    let mut random = Random::new(seed);
    let truth = (0..10 * DEFAULT_TERMS.len())
        .map(|kernel| Truth::new(exponents(DEFAULT_TERMS[kernel % DEFAULT_TERMS.len()]), &mut random))
        .collect();
    one_parameter(truth, repetitions, noise, &mut random)
}

/// Kernels on a 5 x 5 grid of two parameters, five values a point, within 2 % of the truth: a constant and the sum or,
/// in every other kernel, the product of a default term of each parameter.
pub fn two_parameters(kernels: usize, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = String::from("PARAMETER p\nPARAMETER n\nPOINTS");
    for p in PROCESSES {
        for n in SIZES {
            let _ = write!(text, " ({p} {n})");
        }
    }
    text.push_str("\n\nMETRIC time\n");
    for kernel in 0..kernels {
        let mut pick = || exponents(DEFAULT_TERMS[below(DEFAULT_TERMS.len(), &mut random)]);
        let (of_p, of_n) = (pick(), pick());
        let c0 = log_uniform(0.1, 100.0, &mut random);
        let mut share = || log_uniform(0.1, 10.0, &mut random);
        let (p_share, n_share) = (share(), share());
        let truth = |p: f64, n: f64| {
            let (p, n) = (p_share * term(p, of_p) / term(16.0, of_p), n_share * term(n, of_n) / term(400.0, of_n));
            c0 * (1.0 + if kernel % 2 == 0 { p + n } else { p * n })
        };
        let _ = writeln!(text, "REGION main->kernel{kernel}");
        for p in PROCESSES {
            for n in SIZES {
                data(truth(p, n), 5, 0.02, &mut random, &mut text);
            }
        }
    }
    text
}

fn one_parameter(truth: Vec<Truth>, repetitions: usize, noise: f64, random: &mut Random) -> Synthetic {
    let mut text = String::from("PARAMETER p\nPOINTS");
    for p in PROCESSES {
        let _ = write!(text, " ({p})");
    }
    text.push_str("\n\nMETRIC time\n");
    for (kernel, truth) in truth.iter().enumerate() {
        let _ = writeln!(text, "REGION main->kernel{kernel}");
        for p in PROCESSES {
            data(truth.at(p), repetitions, noise, random, &mut text);
        }
    }
    Synthetic { text, truth }
}

/// A line of repetitions, each within `noise` of the truth.
fn data(truth: f64, repetitions: usize, noise: f64, random: &mut Random, text: &mut String) {
    text.push_str("DATA");
    for _ in 0..repetitions {
        let value = truth * (1.0 + noise * (2.0 * random.uniform() - 1.0));
        let _ = write!(text, " {value:.11e}");
    }
    text.push('\n');
}

fn term(x: f64, [i, j]: [f64; 2]) -> f64 {
    x.powf(i) * x.log2().powf(j)
}

fn exponents(term: PmnfTerm) -> [f64; 2] {
    [f64::from(term.numerator) / f64::from(term.denominator), f64::from(term.log_power)]
}

fn below(count: usize, random: &mut Random) -> usize {
    (random.uniform() * count as f64) as usize
}

fn log_uniform(least: f64, most: f64, random: &mut Random) -> f64 {
    least * (most / least).powf(random.uniform())
}
