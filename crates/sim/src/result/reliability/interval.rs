//! How long to compute between two checkpoints.

/// Young's estimate, `sqrt(2*C/Lambda)`, in the unit of the cost C.
///
/// ```
/// # use runcast_sim::reliability::young;
/// assert!((young(1000.0 / 43_800.0, 0.1) - 2.959_729_717_4).abs() < 1e-10);
/// ```
pub fn young(rate: f64, cost: f64) -> f64 {
    (2.0 * cost / rate).sqrt()
}

/// Daly's estimate of higher order, with M = 1/Lambda:
///
/// ```text
/// sqrt(2CM)*(1 + sqrt(C/(2M))/3 + C/(18M)) - C     for C < 2M,  else M
/// ```
///
/// ```
/// # use runcast_sim::reliability::daly;
/// assert!((daly(1000.0 / 43_800.0, 0.1) - 2.893_438_460_4).abs() < 1e-10);
/// ```
pub fn daly(rate: f64, cost: f64) -> f64 {
    let mean = 1.0 / rate;
    if cost >= 2.0 * mean {
        return mean;
    }
    let ratio = cost / (2.0 * mean);
    (2.0 * cost * mean).sqrt() * (1.0 + ratio.sqrt() / 3.0 + ratio / 9.0) - cost
}

/// The best computing time between checkpoints: `(1 + W0(-exp(-Lambda*C - 1)))/Lambda`.
///
/// It makes `(exp(Lambda*(tau + C)) - 1)/tau` least, whatever recovery and downtime cost. Near the branch point of W0, that
/// is for `Lambda*C` far below 1, the argument holds no digits of `Lambda*C`; so `y = Lambda*tau = 1 + W0` is found from
/// `y + ln(1 - y) = -Lambda*C`, which is the same equation.
///
/// ```
/// # use runcast_sim::reliability::exact;
/// assert!((exact(1000.0 / 43_800.0, 0.1) - 2.893_441_856_8).abs() < 1e-10);
/// ```
pub fn exact(rate: f64, cost: f64) -> f64 {
    one_plus_w0(rate * cost) / rate
}

/// `1 + W0(-exp(-1 - x))` for x >= 0: the root y of `-y - ln(1 - y) = x` in 0..1.
fn one_plus_w0(x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x > 18.0 {
        // y = 1 - exp(-1 - x) to all digits.
        return 1.0 - (-1.0 - x).exp();
    }
    // From the series at the branch point, or the asymptote; both lie close enough for Newton's method.
    let root = (2.0 * x).sqrt();
    let mut y = if x < 1.0 { root * (1.0 - root / 3.0 + root * root / 36.0) } else { 1.0 - (-1.0 - x).exp() };
    for _ in 0..50 {
        let step = (left(y) - x) * (1.0 - y) / y;
        let next = (y - step).clamp(0.5 * y, 0.5 * (1.0 + y));
        let done = (next - y).abs() <= 2e-16 * y;
        y = next;
        if done {
            break;
        }
    }
    y
}

/// `-y - ln(1 - y)` without cancellation: `y^2/2 + y^3/3 + ..` for small y.
fn left(y: f64) -> f64 {
    if y > 0.1 {
        return -y - (-y).ln_1p();
    }
    let mut power = y * y;
    let mut sum = 0.0;
    for exponent in 2..24 {
        sum += power / f64::from(exponent);
        power *= y;
    }
    sum
}
