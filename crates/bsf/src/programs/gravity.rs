//! The path of a small body among large ones that do not move.
//!
//! ```text
//! V' = V + alpha(X) dt      X' = X + V' dt                                                        [S, section 6]
//!
//! newton       alpha = sum G m_i (Y_i - X)/|Y_i - X|^3            published    alpha = sum G m_i (Y_i - X)/|Y_i - X|^2
//! G = 6.67408e-11 m^3/(kg s^2)
//! ```
//!
//! The list are the large bodies: `Y_i` and `m_i`. The scheme (symplectic Euler) keeps the angular momentum around a
//! single body exactly, up to rounding, and the energy approximately.
//!
//! Erratum \[S\], Eq. 37, 41, 44: `(Y_i - X)/|Y_i - X|^2` is a force that falls with the distance; Newton's law has the
//! cube in the divisor. `--force published` is what is printed.
//!
//! Erratum, the published program: it has the same force, and it never moves the attracted body when it computes forces,
//! so that the acceleration is constant. Its generator cannot make a number of bodies that is not a multiple of 3, though
//! \[S\] reports such numbers.

mod bodies;
mod force;

pub use bodies::{Bodies, Body};
pub use force::{Force, G};

use super::memory::room;
use super::{Judgement, Kind, OptionInfo, Problem, Program, ProgramInfo, Settings};
use crate::skeleton::{Algorithm, Element, Iteration, Job, JobError, Presence, Step};
use runcast_core::{Problems, Warning};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::ops::Range;

/// Three coordinates.
pub type Vector = [f64; 3];

/// Its entry in the list of programs.
pub(super) const INFO: ProgramInfo = ProgramInfo {
    name: "gravity",
    summary: "The path of a small body among large ones",
    options: &[SIZE, FORCE, DT, SPACING, MASS, POSITION, VELOCITY, BODIES],
    cost_model: Some("gravity"),
    build,
};

const SIZE: OptionInfo = OptionInfo { name: "size", help: "large bodies", default: None, kind: Kind::Count };
const FORCE: OptionInfo =
    OptionInfo { name: "force", help: "law of the force", default: Some("newton"), kind: Kind::Choice(&Force::NAMES) };
const DT: OptionInfo = OptionInfo { name: "dt", help: "time step in s", default: Some("1"), kind: Kind::Number };
const SPACING: OptionInfo =
    OptionInfo { name: "spacing", help: "distance between bodies in m", default: Some("100"), kind: Kind::Number };
const MASS: OptionInfo =
    OptionInfo { name: "mass", help: "mass of a body in kg", default: Some("1e12"), kind: Kind::Number };
const POSITION: OptionInfo =
    OptionInfo { name: "position", help: "where it starts, in m", default: Some("0,0,0"), kind: Kind::Vector };
const VELOCITY: OptionInfo =
    OptionInfo { name: "velocity", help: "how it starts, in m/s", default: Some("1,1,1"), kind: Kind::Vector };
const BODIES: OptionInfo = OptionInfo {
    name: "bodies",
    help: "the bodies, a table with the columns x_m, y_m, z_m and mass_kg",
    default: None,
    kind: Kind::File,
};

/// Default number of iterations.
const ITERATIONS: u64 = 10;

/// A small body among large ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Gravity {
    pub bodies: Bodies,
    pub force: Force,
    /// Time step \[s\].
    pub dt_s: f64,
    /// Position and velocity of the small body.
    pub start: State,
}

/// Position and velocity of the small body.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// `X` \[m\].
    pub position: Vector,
    /// `V` \[m/s\].
    pub velocity: Vector,
}

fn build(settings: &Settings) -> Result<Program, Problems> {
    let bodies = match settings.file(&BODIES) {
        Some((file, content)) => listed(settings, file, content)?,
        None => Bodies::OnAxes {
            size: settings.count(&SIZE)?,
            spacing_m: settings.number(&SPACING, "a number above 0", |spacing| spacing > 0.0)?,
            mass_kg: settings.number(&MASS, "a number above 0", |mass| mass > 0.0)?,
        },
    };
    Ok(Program::Gravity(Gravity {
        bodies,
        force: settings.choice(&FORCE, &Force::ALL)?,
        dt_s: settings.number(&DT, "a number above 0", |dt| dt > 0.0)?,
        start: State { position: settings.vector(&POSITION)?, velocity: settings.vector(&VELOCITY)? },
    }))
}

/// The bodies of a file, with no options set that describe others.
fn listed(settings: &Settings, file: &str, content: &[u8]) -> Result<Bodies, Problems> {
    if let Some(option) = [SPACING, MASS].iter().find(|option| settings.has(option)) {
        let problem =
            runcast_core::Problem::new("conflict", "the bodies of --bodies already have positions and masses");
        return Err(problem.at(format!("--{}", option.name)).hint("drop it").into());
    }
    let bodies = Bodies::read(file, content)?;
    match settings.optional_count(&SIZE)? {
        Some(size) if size != bodies.len() => {
            let problem = runcast_core::Problem::new("conflict", format!("{file} has a different number of bodies"));
            Err(problem.at("--size").value(size.to_string()).allowed(bodies.len().to_string()).into())
        }
        _ => Ok(bodies),
    }
}

impl Job for Gravity {
    type Approximation = State;
    type Block = Vec<Body>;
    type Partial = Vector;

    fn list_length(&self) -> u64 {
        self.bodies.len()
    }

    fn set_up(&self, elements: Range<u64>) -> Result<Vec<Body>, JobError> {
        let mut block = room(elements.end - elements.start)?;
        block.extend(elements.map(|index| self.bodies.body(index)));
        Ok(block)
    }

    fn identity(&self) -> Vector {
        [0.0; 3]
    }

    fn map_fold(&self, at: Element<'_, Vec<Body>>, x: &State, sum: &mut Vector) -> Result<Presence, JobError> {
        let pull = self.force.acceleration(&at.block[at.offset], &x.position);
        let pull = pull.ok_or_else(|| {
            JobError::new(format!("the position is that of body {}, where the force has no value", at.index))
        })?;
        add(sum, &pull);
        Ok(Presence::Present)
    }

    fn combine(&self, left: &mut Vector, right: &Vector) {
        add(left, right);
    }

    fn compute(&self, x: &mut State, acceleration: &Vector, at: &Iteration) -> Result<Step, JobError> {
        for ((position, velocity), acceleration) in x.position.iter_mut().zip(&mut x.velocity).zip(acceleration) {
            *velocity += acceleration * self.dt_s;
            *position += *velocity * self.dt_s;
        }
        if x.position.iter().chain(&x.velocity).all(|number| number.is_finite()) {
            return Ok(Step::again());
        }
        Err(JobError::new(format!("step {} overflows; a smaller --dt may help", at.number)))
    }
}

fn add(left: &mut Vector, right: &Vector) {
    left.iter_mut().zip(right).for_each(|(left, right)| *left += right);
}

impl Problem for Gravity {
    type Approximation = State;

    fn parameters(&self) -> Map<String, Value> {
        let mut parameters = self.bodies.parameters();
        parameters.insert("force".to_owned(), json!(self.force.name()));
        parameters.insert("dt_s".to_owned(), json!(self.dt_s));
        parameters.insert("position_m".to_owned(), json!(self.start.position));
        parameters.insert("velocity_m_per_s".to_owned(), json!(self.start.velocity));
        parameters
    }

    fn size(&self) -> u64 {
        self.bodies.len()
    }

    fn default_iterations(&self) -> Option<u64> {
        Some(ITERATIONS)
    }

    fn memory_bytes(&self) -> f64 {
        size_of::<Body>() as f64 * self.bodies.len() as f64
    }

    fn algorithm(&self) -> Algorithm<'_, State> {
        Algorithm::new(INFO.name, self.start)
            .parameters(&Value::Object(self.parameters()).to_string())
            .job(self.clone())
    }

    fn numbers<'x>(&self, x: &'x State) -> Cow<'x, [f64]> {
        Cow::Owned([x.position, x.velocity].concat())
    }

    fn judge(&self, x: &State) -> Judgement {
        let drifts = [
            ("energy_drift", force::energy_drift(self, x)),
            ("angular_momentum_drift", force::angular_momentum_drift(self, x)),
        ];
        let mut judgement = Judgement::default();
        judgement.checks.insert("position_m".to_owned(), json!(x.position));
        judgement.checks.insert("velocity_m_per_s".to_owned(), json!(x.velocity));
        for (name, drift) in drifts {
            judgement.checks.insert(name.to_owned(), json!(drift));
            if drift.is_none() {
                let message = format!("{name} is a relative change, and its reference at the start is zero");
                judgement.warnings.push(Warning::new("undefined", message));
            }
        }
        judgement
    }
}
