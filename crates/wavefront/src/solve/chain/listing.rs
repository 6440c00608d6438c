//! The states that are reached from the start, and the ways between them.

use super::iterations::{Joint, extremes};
use super::{Arrival, Departure, Limits, Sparse, State};
use crate::Model;
use crate::solve::phase::{End, Meeting, Phase, TooLarge};
use std::collections::HashMap;

/// Rows whose mean length is typical of all.
const TYPICAL: usize = 4;

/// Foreseen entries that are too many for sure, as a multiple of those allowed.
const SURE: f64 = 2.5;

pub(super) struct Listing {
    pub states: Vec<State>,
    pub start: Vec<(usize, f64)>,
    pub meetings: Vec<Meeting>,
    pub departures: Sparse<Departure>,
    pub arrivals: Sparse<Arrival>,
    pub ends: Sparse<Vec<End>>,
}

/// Lists states in the order in which they are found, as far as the limits allow.
pub(super) fn list(model: &Model, limits: &Limits) -> Result<Listing, TooLarge> {
    let phase = Phase::new(model)?;
    let mut lister = Lister::new(&phase, model, limits);
    let offsets: Vec<i64> = model.start.iter().map(|offset| offset.saturating_sub(model.start[0])).collect();
    let mut start = Vec::new();
    for (mode, probability) in model.modes.start.iter().enumerate().filter(|(_, probability)| **probability > 0.0) {
        start.push((lister.states.place(mode, &offsets)?, *probability));
    }
    // All known states first: their departures are few, and show early how many meetings there are.
    while lister.departures.rows() < lister.states.list.len() || lister.arrivals.rows() < lister.meetings.list.len() {
        while lister.departures.rows() < lister.states.list.len() {
            lister.depart(lister.departures.rows())?;
            lister.foresee(&lister.departures, lister.states.list.len())?;
        }
        let known = lister.meetings.list.len();
        while lister.arrivals.rows() < known {
            lister.arrive(lister.arrivals.rows())?;
            lister.foresee(&lister.arrivals, known)?;
        }
    }
    Ok(Listing {
        states: lister.states.list,
        start,
        meetings: lister.meetings.list,
        departures: lister.departures,
        arrivals: lister.arrivals,
        ends: lister.ends,
    })
}

struct Lister<'m> {
    phase: &'m Phase<'m>,
    limits: Limits,
    states: States,
    meetings: Meetings,
    departures: Sparse<Departure>,
    arrivals: Sparse<Arrival>,
    ends: Sparse<Vec<End>>,
    ends_count: usize,
}

impl<'m> Lister<'m> {
    fn new(phase: &'m Phase<'m>, model: &Model, limits: &Limits) -> Lister<'m> {
        Lister {
            phase,
            limits: *limits,
            states: States::new(model, limits.max_states),
            meetings: Meetings { places: vec![HashMap::new(); model.modes.count()], list: Vec::new() },
            departures: Sparse::new(),
            arrivals: Sparse::new(),
            ends: Sparse::new(),
            ends_count: 0,
        }
    }

    fn left(&self) -> u64 {
        let used = self.departures.entries.len() + self.arrivals.entries.len() + self.ends_count;
        self.limits.max_entries.saturating_sub(used as u64)
    }

    /// Stops where the rows that are known make it clear that all of them are too many.
    fn foresee<T>(&self, rows: &Sparse<T>, known: usize) -> Result<(), TooLarge> {
        let mean = rows.entries.len() as f64 / rows.rows() as f64;
        if rows.rows() >= TYPICAL && mean * known as f64 > SURE * self.limits.max_entries as f64 {
            return Err(TooLarge::new("transitions", self.limits.max_entries));
        }
        Ok(())
    }

    fn depart(&mut self, state: usize) -> Result<(), TooLarge> {
        let left = self.left();
        let State { mode, offsets } = &self.states.list[state];
        let (meetings, departures) = (&mut self.meetings, &mut self.departures);
        let (phase, limits) = (self.phase, &self.limits);
        phase.departures_within(*mode, offsets, left, |ticks, rows| {
            // With many processes a single meeting shows that there is too much, before all meetings are listed.
            if let (true, Some((behind, _))) = (meetings.list.is_empty(), rows.iter().next()) {
                let meeting = Meeting { mode: *mode, behind: behind.to_vec() };
                affordable(phase, &ends(phase, &meeting), left, limits)?;
            }
            for (behind, probability) in rows.iter() {
                departures.entries.push(Departure { meeting: meetings.place(*mode, behind), ticks, probability });
            }
            Ok(())
        })?;
        departures.end_row();
        Ok(())
    }

    fn arrive(&mut self, meeting: usize) -> Result<(), TooLarge> {
        let place = &self.meetings.list[meeting];
        let ends = ends(self.phase, place);
        let joint = affordable(self.phase, &ends, self.left(), &self.limits)?;
        let next: Vec<(usize, f64)> = (self.phase.model().modes.transition[place.mode].iter().copied().enumerate())
            .filter(|(_, probability)| *probability > 0.0)
            .collect();
        if joint.count().saturating_mul(next.len() as u64) > self.left() {
            return Err(TooLarge::new("transitions", self.limits.max_entries));
        }
        let mut offsets = vec![0; ends.len()];
        joint.visit(|after, probability, iterations| {
            for (offset, own) in offsets.iter_mut().zip(after) {
                *offset = *own as i64 - after[0] as i64;
            }
            for (mode, share) in &next {
                let state = self.states.place(*mode, &offsets)?;
                let (probability, iterations) = (probability * share, iterations * share);
                if probability > 0.0 {
                    self.arrivals.entries.push(Arrival { state, ticks: after[0], probability, iterations });
                }
            }
            Ok(())
        })?;
        self.arrivals.end_row();
        self.ends_count += ends.iter().map(Vec::len).sum::<usize>();
        self.ends.entries.extend(ends);
        self.ends.end_row();
        Ok(())
    }
}

/// The ends of all processes after a meeting.
fn ends(phase: &Phase<'_>, meeting: &Meeting) -> Vec<Vec<End>> {
    (0..phase.model().size()).map(|process| phase.ends(meeting, process)).collect()
}

/// What can come of the ends of one meeting, where that is at most so much.
fn affordable(phase: &Phase<'_>, ends: &[Vec<End>], left: u64, limits: &Limits) -> Result<Joint, TooLarge> {
    let (least, most) = extremes(phase.model(), ends);
    let values = ends.iter().map(Vec::len).sum::<usize>() as u64;
    if values.saturating_mul(most - least + 1) > left {
        return Err(TooLarge::new("transitions with their iterations", limits.max_entries));
    }
    let joint = Joint::new(phase.model(), ends);
    if joint.count() > left {
        return Err(TooLarge::new("transitions", limits.max_entries));
    }
    Ok(joint)
}

struct States {
    /// By mode.
    places: Vec<HashMap<Vec<i64>, usize>>,
    list: Vec<State>,
    most: u64,
}

impl States {
    fn new(model: &Model, most: u64) -> States {
        States { places: vec![HashMap::new(); model.modes.count()], list: Vec::new(), most }
    }

    fn place(&mut self, mode: usize, offsets: &[i64]) -> Result<usize, TooLarge> {
        if let Some(place) = self.places[mode].get(offsets) {
            return Ok(*place);
        }
        if self.list.len() as u64 >= self.most {
            return Err(TooLarge::new("states", self.most));
        }
        self.places[mode].insert(offsets.to_vec(), self.list.len());
        self.list.push(State { mode, offsets: offsets.to_vec() });
        Ok(self.list.len() - 1)
    }
}

struct Meetings {
    /// By mode.
    places: Vec<HashMap<Vec<u32>, usize>>,
    list: Vec<Meeting>,
}

impl Meetings {
    fn place(&mut self, mode: usize, behind: &[u32]) -> usize {
        if let Some(place) = self.places[mode].get(behind) {
            return *place;
        }
        self.places[mode].insert(behind.to_vec(), self.list.len());
        self.list.push(Meeting { mode, behind: behind.to_vec() });
        self.list.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Law;
    use crate::cases;

    #[test]
    fn one_meeting_tells_that_there_is_too_much() {
        // 3^14 ways to meet, each with some 30^14 ways on: listing the former alone takes seconds.
        let law = Law::new([(4, 0.5), (5, 0.3), (8, 0.2)]).expect("a law");
        let messages = Law::new((1..=30).map(|ticks| (ticks, 1.0 / 30.0))).expect("a law");
        let model = cases::plain(0.1, 0.9, vec![law; 14], messages);
        let limits = Limits { max_entries: 20_000_000, ..Limits::default() };
        let phase = Phase::new(&model).expect("few values of each law");
        let mut lister = Lister::new(&phase, &model, &limits);
        lister.states.place(0, &[0; 14]).expect("a state");
        assert_eq!(lister.depart(0), Err(TooLarge::new("transitions", 20_000_000)));
        assert!(lister.meetings.list.is_empty(), "nothing is listed in vain");
    }
}
