//! The transition matrix of the chain, for `--matrix`.

use crate::failure::Failure;
use runcast_core::Problem;
use runcast_core::table::{Column, Origins, Table};
use runcast_wavefront::Model;
use runcast_wavefront::solve::bound::Bound;
use runcast_wavefront::solve::chain::{Chain, Limits, State};
use serde::Serialize;
use std::collections::BTreeMap;

/// More states than this make a matrix too large to read.
const MOST_STATES: u64 = 2_000;

/// States and the transitions between them.
#[derive(Debug, Clone, Serialize)]
pub(super) struct TransitionMatrix {
    /// Offsets of the processes from the second on against the first, in ticks, joined by `;`; before them the mode of the
    /// machine and a colon, where there are several.
    states: Vec<String>,
    /// Those of a probability above 0, by state.
    rows: Vec<Transition>,
}

#[derive(Debug, Clone, Serialize)]
struct Transition {
    from: String,
    to: String,
    probability: f64,
    /// Of a phase that begins in the state `from`.
    phase_mean_s: f64,
}

impl TransitionMatrix {
    /// That of the states that are reached from the start.
    ///
    /// # Errors
    /// There are too many.
    pub fn of(model: &Model) -> Result<TransitionMatrix, Failure> {
        let limits = Limits { max_states: MOST_STATES, lump: false, ..Limits::default() };
        let chain = Chain::build(model, &limits).map_err(|_| too_large(model))?;
        let has_modes = model.modes.count() > 1;
        let states: Vec<String> = chain.states.iter().map(|state| name(state, has_modes)).collect();
        let mut rows = Vec::new();
        for (from, state) in states.iter().enumerate() {
            let (next, phase_ticks) = transitions(&chain, from);
            rows.extend(next.into_iter().map(|(to, probability)| Transition {
                from: state.clone(),
                to: states[to].clone(),
                probability,
                phase_mean_s: phase_ticks * model.step_s,
            }));
        }
        Ok(TransitionMatrix { states, rows })
    }

    /// `from,to,probability,phase_mean_s`
    pub fn csv(&self) -> Result<Vec<u8>, Failure> {
        let numbers =
            |name: &str, of: fn(&Transition) -> f64| Column::numbers(name, self.rows.iter().map(of).collect());
        let columns = vec![
            Column::text("from", self.rows.iter().map(|row| row.from.as_str())),
            Column::text("to", self.rows.iter().map(|row| row.to.as_str())),
            numbers("probability", |row| row.probability),
            numbers("phase_mean_s", |row| row.phase_mean_s),
        ];
        let table = Table { columns, origins: Origins::unknown(self.rows.len()), ..Table::default() };
        let mut csv = Vec::new();
        table.write_csv(&mut csv).map_err(|error| Failure::writing("the matrix".as_ref(), &error))?;
        Ok(csv)
    }
}

fn too_large(model: &Model) -> Failure {
    let bound = super::told_bound(&Bound::of(model));
    let problem = Problem::new("too_large", format!("the matrix has too many states: {bound}")).at("--matrix");
    problem.allowed(format!("at most {MOST_STATES} states")).into()
}

fn name(state: &State, has_modes: bool) -> String {
    let offsets: Vec<String> = state.offsets.iter().skip(1).map(i64::to_string).collect();
    let mode = if has_modes { format!("{}:", state.mode + 1) } else { String::new() };
    format!("{mode}{}", offsets.join(";"))
}

/// The probability of each next state, and the mean phase on process 1 in ticks.
fn transitions(chain: &Chain, from: usize) -> (BTreeMap<usize, f64>, f64) {
    let mut next = BTreeMap::new();
    let mut phase_ticks = 0.0;
    for departure in chain.departures(from) {
        for arrival in chain.arrivals(departure.meeting) {
            let probability = departure.probability * arrival.probability;
            *next.entry(arrival.state).or_insert(0.0) += probability;
            phase_ticks += probability * (departure.ticks as f64 + arrival.ticks as f64);
        }
    }
    (next, phase_ticks)
}
