//! A recording as an application of the simulator: each rank does what it did, and its blocks take what they took.
//!
//! Sends, receives and waits are those of the run; a wildcard receives what it received. Collectives are called in their
//! communicators; irregular ones become messages of their blocks. What has no counterpart is left out and named.

mod blocks;
mod player;

use crate::failure::Failure;
use player::Player;
use runcast_core::{Problem, Warning};
use runcast_record::Recording;
use runcast_sim::application::Application;
use runcast_sim::build::Builder;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Events above which a replay is refused: each becomes an operation of a program.
const MOST_EVENTS: u64 = 200_000_000;

/// The application, and what concerns it.
///
/// # Errors
/// The order of calls is not known, or ranks are missing; the recording contradicts itself.
pub(crate) fn application(
    recording: &Rc<Recording>,
    name: &str,
    seed: u64,
) -> Result<(Application, Vec<Warning>), Failure> {
    check(recording)?;
    let lost: Rc<RefCell<BTreeSet<String>>> = Rc::default();
    let mut builder = Builder::new(name);
    let (shared, counted) = (Rc::clone(recording), Rc::clone(&lost));
    builder.label("rank", recording.p.into(), move |process| {
        let rank = process.rank() as u32;
        let mut player = Player::new(&shared, rank, seed, process);
        for program in shared.programs.iter().filter(|program| program.thread == 0) {
            if let Ok(place) = program.ranks.binary_search(&rank) {
                player.play(program, place);
            }
        }
        counted.borrow_mut().append(&mut player.lost);
    });
    let application = builder.build().map_err(|problems| Failure { problems, exit: 1 })?;
    let mut warnings = Vec::new();
    let lost = lost.borrow();
    if !lost.is_empty() {
        let parts = lost.iter().cloned().collect::<Vec<_>>().join(", ");
        warnings.push(Warning::new("not_modelled", format!("left out of the replay: {parts}")));
    }
    if recording.programs.iter().any(|program| program.thread > 0) {
        let message = "only the first thread of each rank is replayed";
        warnings.push(Warning::new("threads", message));
    }
    Ok((application, warnings))
}

fn check(recording: &Recording) -> Result<(), Failure> {
    let refuse = |code: &str, message: String| Err(Failure::undone(Problem::new(code, message)));
    let events = recording
        .programs
        .iter()
        .map(|program| runcast_record::tree::events(&program.tree).saturating_mul(program.ranks.len() as u64));
    let events = events.fold(0_u64, u64::saturating_add);
    if recording.is_profile() {
        return refuse("profile", "the recording holds counts and sums only: the order of calls is not known".into());
    }
    if recording.missing() > 0 {
        return refuse("ranks_missing", format!("{} of {} ranks left no recording", recording.missing(), recording.p));
    }
    if events > MOST_EVENTS {
        return refuse("too_large", format!("a replay of {events} calls is more than {MOST_EVENTS}"));
    }
    Ok(())
}
