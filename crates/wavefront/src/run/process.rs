//! The phases of one process.
//!
//! ```text
//! A updates; stamp; send the piece to all others without waiting
//! while not all pieces have come:
//!     fewer than B updates done?  one update, then look again
//!     else                        wait
//! install all pieces; the next phase
//! ```
//!
//! Under abort the update in progress checks whether all has arrived, and is then discarded.

use super::emulate::Draws;
use super::error::{RunError, held};
use super::fixed_point::{FixedPoint, Poll, Updated};
use super::link::{Link, NAP, Outgoing, SPIN};
use super::record::{Message, Phase, Rows, Update};
use super::settings::{Pace, Settings};
use crate::model::Semantics;
use crate::sample::work::{Busy, Work};
use std::sync::atomic::Ordering;

/// Operations between two checks of whether an update is still wanted: about a microsecond.
const OPERATIONS_A_LOOK: u64 = 256;
/// Looks between two questions whether the run is to stop, which may cost a call of MPI.
const LOOKS_A_QUESTION: u64 = 256;

/// A process with its part of the work.
pub(super) struct Process<'a> {
    operator: &'a dyn FixedPoint,
    settings: &'a Settings,
    pieces: &'a [Vec<usize>],
    me: usize,
    is_abort: bool,
    draws: Option<Draws>,
    /// Its own newest piece, and those of the others as of the start of the phase.
    vector: Vec<f64>,
    fixed_point: Option<Vec<f64>>,
    new: Vec<f64>,
    delays: Vec<u64>,
    rows: Rows,
}

/// The semantics that will hold: emulated updates sleep, and who sleeps can look.
pub(super) fn semantics(operator: &dyn FixedPoint, settings: &Settings) -> Semantics {
    let is_emulated = matches!(settings.pace, Pace::Emulated { .. });
    held(settings.semantics, is_emulated || operator.polls())
}

impl<'a> Process<'a> {
    pub(super) fn new(
        operator: &'a dyn FixedPoint,
        settings: &'a Settings,
        pieces: &'a [Vec<usize>],
        me: usize,
    ) -> Self {
        let draws = match &settings.pace {
            Pace::Emulated { model, seed, run } => Some(Draws::new(model, me, *seed, *run)),
            Pace::Work(_) => None,
        };
        let (alpha, beta) = settings.updates[me];
        let updates = u64::from(alpha) + u64::from(beta).min(8);
        Process {
            operator,
            settings,
            pieces,
            me,
            is_abort: semantics(operator, settings) == Semantics::Abort,
            draws,
            vector: operator.start(),
            fixed_point: operator.fixed_point(),
            new: vec![0.0; pieces[me].len()],
            delays: vec![0; pieces.len()],
            rows: Rows::with_room(settings.phases, updates, pieces.len() - 1, settings.rows_most),
        }
    }

    /// Goes through all phases, or those until a stop is asked for.
    ///
    /// # Errors
    /// Another process has failed, or messages are not as they must be.
    pub(super) fn run(mut self, link: &mut impl Link) -> Result<Rows, RunError> {
        link.await_start();
        let mut start = self.draws.as_ref().map_or(0, Draws::offset);
        while link.now() < start && !self.is_hurried(link) {
            let (_, now) = (link.last_arrival(1)?, link.now());
            pause(link, 1, now, start)?;
        }
        start = start.max(link.now());
        for phase in 1..=self.settings.phases {
            let (row, is_last) = self.phase(link, phase, start)?;
            self.rows.phases.push(row);
            start = row.end;
            if let Some(told) = self.settings.on_phase.as_ref().filter(|_| self.me == 0) {
                told(phase);
            }
            if is_last {
                break;
            }
            if let Some(draws) = &mut self.draws {
                draws.next_phase();
            }
        }
        Ok(self.rows)
    }

    fn phase(&mut self, link: &mut impl Link, phase: u64, start: u64) -> Result<(Phase, bool), RunError> {
        let (alpha, beta) = self.settings.updates[self.me];
        for number in 1..=alpha {
            self.update(link, Place { phase, number, is_beta: false })?;
        }
        let beta_start = link.now();
        let mut is_last = self.is_to_stop();
        self.send(link, phase, beta_start, is_last)?;
        let (mut done, mut discarded, mut was_looking) = (0, 0, false);
        let arrival = loop {
            let (arrival, now) = (link.last_arrival(phase)?, link.now());
            match arrival {
                Some(arrival) if arrival <= now || self.is_hurried(link) => break arrival,
                _ if done < beta => {
                    let is_done = self.update(link, Place { phase, number: alpha + done + 1, is_beta: true })?;
                    *(if is_done { &mut done } else { &mut discarded }) += 1;
                    was_looking = self.is_abort;
                }
                Some(arrival) => {
                    pause(link, phase, now, arrival)?;
                    was_looking = true;
                }
                None => {
                    link.wait(phase, None)?;
                    // Others may be in a long update: the first process receives the request here, and passes it on.
                    self.is_interrupted(link);
                    was_looking = true;
                }
            }
        };
        let end = link.now();
        // A process that slept until then, or looked now and then, takes the message a little later.
        let taken = if was_looking && self.draws.is_none() { end } else { arrival };
        is_last |= self.install(link, phase, was_looking && arrival > beta_start, (arrival, taken))?;
        let error_squared = self.error_squared();
        Ok((Phase { start, beta_start, end, updates: alpha + done, discarded, error_squared }, is_last))
    }

    /// Process 1 checks whether a stop was requested. All others learn of it with its piece, without which none of them
    /// ends this phase: so all end with the same one.
    fn is_to_stop(&self) -> bool {
        let interrupt = self.settings.interrupt.as_ref().filter(|_| self.me == 0);
        interrupt.is_some_and(|interrupt| interrupt.load(Ordering::Relaxed))
    }

    /// No process sleeps through a request to stop; the phases affected are dropped at the end.
    fn is_hurried(&self, link: &mut impl Link) -> bool {
        self.draws.is_some() && self.is_interrupted(link)
    }

    fn is_interrupted(&self, link: &mut impl Link) -> bool {
        let interrupt = self.settings.interrupt.as_ref();
        link.is_to_stop(interrupt.is_some_and(|interrupt| interrupt.load(Ordering::Relaxed)))
    }

    fn send(&mut self, link: &mut impl Link, phase: u64, sent: u64, is_last: bool) -> Result<(), RunError> {
        for (number, index) in self.new.iter_mut().zip(&self.pieces[self.me]) {
            *number = self.vector[*index];
        }
        if let Some(draws) = &mut self.draws {
            draws.messages(&mut self.delays);
        }
        let delays = self.draws.is_some().then_some(self.delays.as_slice());
        link.send(phase, &Outgoing { piece: &self.new, sent, delays, is_last })
    }

    /// Takes the pieces of all others; returns whether one of them wants this phase to be the last one.
    fn install(
        &mut self,
        link: &mut impl Link,
        phase: u64,
        was_looking: bool,
        (arrival, taken): (u64, u64),
    ) -> Result<bool, RunError> {
        let mut is_last = false;
        let Process { vector, rows, pieces, settings, draws, .. } = self;
        link.take(phase, &mut |incoming| {
            for (index, number) in pieces[incoming.from].iter().zip(incoming.piece) {
                vector[*index] = *number;
            }
            is_last |= incoming.is_last;
            if rows.messages.len() >= settings.rows_most {
                rows.left_out += 1;
                return;
            }
            let took_effect = was_looking && incoming.arrived == arrival;
            rows.messages.push(Message {
                phase,
                from: incoming.from,
                sent: incoming.sent,
                arrived: if took_effect { taken } else { incoming.arrived },
                is_exact: took_effect || draws.is_some(),
            });
        })?;
        Ok(is_last)
    }

    fn error_squared(&self) -> f64 {
        let Some(fixed_point) = &self.fixed_point else { return f64::NAN };
        self.pieces[self.me].iter().map(|index| (self.vector[*index] - fixed_point[*index]).powi(2)).sum()
    }

    /// One update; false if it was thrown away.
    fn update(&mut self, link: &mut impl Link, place: Place) -> Result<bool, RunError> {
        let start = link.now();
        let is_polled = self.is_abort && place.is_beta;
        let target = self.draws.as_mut().map(|draws| start.saturating_add(draws.update()));
        let mut is_done = self.compute(link, place.phase, is_polled && target.is_none())?;
        if is_done {
            is_done = match target {
                Some(target) => self.sleep(link, place.phase, target, is_polled)?,
                None => self.pad(link, place.phase, is_polled)?,
            };
        }
        let end = link.now();
        if is_done {
            for (number, index) in self.new.iter().zip(&self.pieces[self.me]) {
                self.vector[*index] = *number;
            }
        }
        if self.rows.updates.len() >= self.settings.rows_most {
            self.rows.left_out += 1;
        } else {
            let Place { phase, number, is_beta } = place;
            self.rows.updates.push(Update { phase, number, start, end, is_beta, is_discarded: !is_done });
        }
        Ok(is_done)
    }

    /// The work of an update, into `new`.
    fn compute(&mut self, link: &mut impl Link, phase: u64, is_polled: bool) -> Result<bool, RunError> {
        let mut failed = None;
        let mut is_over = || match link.last_arrival(phase) {
            Ok(arrival) => arrival.is_some_and(|arrival| arrival <= link.now()),
            Err(error) => {
                failed = Some(error);
                true
            }
        };
        let mut poll = if is_polled { Poll::with(&mut is_over) } else { Poll::never() };
        let updated = self.operator.update(self.me, &self.vector, &mut self.new, &mut poll);
        match (failed, updated) {
            (Some(error), _) => Err(error),
            (None, Updated::Done) => Ok(true),
            (None, Updated::GivenUp) if is_polled => Ok(false),
            (None, Updated::GivenUp) => {
                Err(RunError::Message("the operator stopped an update that was still wanted".to_owned()))
            }
        }
    }

    /// Lets an update last until its time has come; false if all pieces have come before.
    fn sleep(&mut self, link: &mut impl Link, phase: u64, target: u64, is_polled: bool) -> Result<bool, RunError> {
        loop {
            let (arrival, now) = (link.last_arrival(phase)?, link.now());
            if self.is_hurried(link) {
                return Ok(true);
            }
            let arrival = arrival.filter(|arrival| is_polled && *arrival < target);
            if arrival.is_some_and(|arrival| arrival <= now) {
                return Ok(false);
            }
            if now >= target {
                self.rows.overshoot.add(now - target);
                return Ok(true);
            }
            pause(link, phase, now, arrival.unwrap_or(target))?;
        }
    }

    /// The operations that are to be added to an update; false if all pieces have come before their end.
    fn pad(&self, link: &mut impl Link, phase: u64, is_polled: bool) -> Result<bool, RunError> {
        let Pace::Work(operations) = self.settings.pace else { return Ok(true) };
        let mut busy = Busy::new(OPERATIONS_A_LOOK);
        for look in 0..operations / OPERATIONS_A_LOOK {
            // No process works for an hour against a request to stop; the phases affected are dropped at the end.
            if look % LOOKS_A_QUESTION == 0 && self.is_interrupted(link) {
                return Ok(true);
            }
            busy.update();
            if is_polled && link.last_arrival(phase)?.is_some_and(|arrival| arrival <= link.now()) {
                return Ok(false);
            }
        }
        Busy::new(operations % OPERATIONS_A_LOOK).update();
        Ok(true)
    }
}

/// Where an update stands.
#[derive(Clone, Copy)]
struct Place {
    phase: u64,
    number: u32,
    is_beta: bool,
}

/// Sleeps almost until then, and spins the rest; may return earlier.
fn pause(link: &mut impl Link, phase: u64, now: u64, until: u64) -> Result<(), RunError> {
    if until.saturating_sub(now) > SPIN {
        return link.wait(phase, Some((until - SPIN).min(now + NAP)));
    }
    std::hint::spin_loop();
    Ok(())
}
