//! Solving (D - low I - N) x = v approximately, where an elimination would be too large.

use runcast_core::numeric::dot;

/// BiCGSTAB (H. van der Vorst, SIAM J. Sci. Stat. Comput. 13, 1992) until the residual is `tolerance` of v, at most
/// `most` times. An approximation is enough: what it is good for shows in the bracket that it gives.
pub(super) fn solved(
    product: impl Fn(&[f64], &mut [f64]),
    v: &[f64],
    tolerance: f64,
    most: usize,
) -> (Vec<f64>, usize) {
    let size = v.len();
    let mut x = vec![0.0; size];
    let mut residual = v.to_vec();
    let shadow = residual.clone();
    let (mut rho, mut alpha, mut omega) = (1.0, 1.0, 1.0);
    let (mut direction, mut moved, mut turned) = (vec![0.0; size], vec![0.0; size], vec![0.0; size]);
    let goal = tolerance * dot(v, v).sqrt();
    for step in 1..=most {
        let next = dot(&shadow, &residual);
        let beta = next / rho * (alpha / omega);
        rho = next;
        for i in 0..size {
            direction[i] = residual[i] + beta * (direction[i] - omega * moved[i]);
        }
        product(&direction, &mut moved);
        alpha = rho / dot(&shadow, &moved);
        for i in 0..size {
            residual[i] -= alpha * moved[i];
        }
        product(&residual, &mut turned);
        omega = dot(&turned, &residual) / dot(&turned, &turned);
        for i in 0..size {
            x[i] += alpha * direction[i] + omega * residual[i];
            residual[i] -= omega * turned[i];
        }
        let left = dot(&residual, &residual).sqrt();
        // What is not finite has broken down.
        if left <= goal || !left.is_finite() || omega == 0.0 {
            return (x, step);
        }
    }
    (x, most)
}
