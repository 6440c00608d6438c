//! Laws of the force, and quantities conserved along a path.

use super::{Body, Gravity, State, Vector};

/// The gravitational constant that the source uses \[m^3/(kg s^2)\].
pub const G: f64 = 6.67408e-11;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Force {
    /// With the square of the distance: `alpha = G m (Y-X)/r^3`, potential `-G m/r`.
    Newton,
    /// As printed in \[S\]: `alpha = G m (Y-X)/r^2`, potential `G m ln r`.
    Published,
}

impl Force {
    pub(super) const ALL: [Force; 2] = [Force::Newton, Force::Published];
    pub(super) const NAMES: [&str; 2] = ["newton", "published"];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// Acceleration of a small body at `x` by a body \[m/s^2\]; none where it is undefined.
    pub(super) fn acceleration(self, body: &Body, x: &Vector) -> Option<Vector> {
        let way = difference(&body.position, x);
        let square = dot(&way, &way);
        let divisor = match self {
            Force::Newton => square * square.sqrt(),
            Force::Published => square,
        };
        let factor = G * body.mass_kg / divisor;
        (divisor > 0.0 && factor.is_finite()).then(|| way.map(|way| factor * way))
    }

    /// The energy of a small body at `x` in the field of a body, by its mass \[m^2/s^2\].
    fn potential(self, body: &Body, x: &Vector) -> f64 {
        let way = difference(&body.position, x);
        let distance = length(&way);
        match self {
            Force::Newton => -G * body.mass_kg / distance,
            Force::Published => G * body.mass_kg * distance.ln(),
        }
    }
}

/// Relative change of the energy since the start.
pub(super) fn energy_drift(problem: &Gravity, now: &State) -> Option<f64> {
    let energy = |state: &State| {
        let potential: f64 = problem.bodies.iter().map(|body| problem.force.potential(&body, &state.position)).sum();
        dot(&state.velocity, &state.velocity) / 2.0 + potential
    };
    let start = energy(&problem.start);
    relative(energy(now) - start, start)
}

/// Change of the angular momentum around the center of mass since the start, relative to its maximum there: distance
/// from the center times velocity, its value on a circle.
///
/// It is constant where there is a single body; several that do not move exert a torque.
pub(super) fn angular_momentum_drift(problem: &Gravity, now: &State) -> Option<f64> {
    let center = center_of_mass(problem);
    let arm = |state: &State| difference(&state.position, &center);
    let momentum = |state: &State| cross(&arm(state), &state.velocity);
    let change = difference(&momentum(now), &momentum(&problem.start));
    relative(length(&change), length(&arm(&problem.start)) * length(&problem.start.velocity))
}

fn center_of_mass(problem: &Gravity) -> Vector {
    let mass_kg: f64 = problem.bodies.iter().map(|body| body.mass_kg).sum();
    [0, 1, 2].map(|axis| problem.bodies.iter().map(|body| body.mass_kg * body.position[axis]).sum::<f64>() / mass_kg)
}

/// None if the reference is zero.
fn relative(change: f64, whole: f64) -> Option<f64> {
    Some((change / whole).abs()).filter(|drift| drift.is_finite())
}

fn difference(a: &Vector, b: &Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: &Vector, b: &Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn length(a: &Vector) -> f64 {
    dot(a, a).sqrt()
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::super::Bodies;
    use super::*;

    /// Section 5 of the specification: G m/100^2 (1 + 1/4 + 1/9 + 1/16) and G m/100 (1 + 1/2 + 1/3 + 1/4).
    #[test]
    fn the_first_acceleration_of_twelve_bodies_is_that_of_the_formula() {
        let bodies = Bodies::OnAxes { size: 12, spacing_m: 100.0, mass_kg: 1e12 };
        for (force, expected) in [(Force::Newton, 0.009_501_29), (Force::Published, 1.390_43)] {
            let mut sum = [0.0; 3];
            for body in bodies.iter() {
                let pull = force.acceleration(&body, &[0.0; 3]).expect("elsewhere");
                sum = [0, 1, 2].map(|axis| sum[axis] + pull[axis]);
            }
            for axis in sum {
                assert!((axis / expected - 1.0).abs() < 3e-6, "{force:?}: {axis}, expected {expected}");
            }
        }
    }

    #[test]
    fn at_a_body_there_is_no_force() {
        for force in Force::ALL {
            let body = Body { position: [1.0, 2.0, 3.0], mass_kg: 1.0 };
            assert_eq!(force.acceleration(&body, &body.position), None);
            assert_eq!(force.acceleration(&body, &[f64::NAN, 0.0, 0.0]), None);
        }
    }
}
