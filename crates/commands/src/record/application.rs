//! A recording as an application of the simulator: each rank does what it did, and its blocks take what they took.
//!
//! Sends, receives and waits are those of the run; a wildcard receives what it received. Collectives are called in their
//! communicators; irregular ones become messages of their blocks. What has no counterpart is left out and named.

mod accesses;
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

/// How a recording is played.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Playing {
    pub seed: u64,
    /// Times of blocks are multiplied by it.
    pub scale: f64,
    /// What blocks of one call take.
    pub blocks: BlockTimes,
    /// From whom a receive from any source receives.
    pub wildcards: Wildcards,
    /// Whether every rank computes as long as the mean of all.
    pub is_balanced: bool,
}

impl Default for Playing {
    fn default() -> Self {
        let (blocks, wildcards) = (BlockTimes::default(), Wildcards::default());
        Playing { seed: 0, scale: 1.0, blocks, wildcards, is_balanced: false }
    }
}

/// Times of the blocks before one call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BlockTimes {
    /// Quantiles of their histogram in random order.
    #[default]
    Draw,
    /// All take the mean.
    Mean,
}

runcast_core::words!(BlockTimes::word: Draw = "draw", Mean = "mean");

/// From whom a receive from any source receives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Wildcards {
    /// From whom it received.
    #[default]
    Recorded,
    /// From whoever is first.
    Free,
}

runcast_core::words!(Wildcards::word: Recorded = "recorded", Free = "free");

/// The application, and what concerns it.
///
/// # Errors
/// The order of calls is not known, or ranks are missing; the recording contradicts itself.
pub(crate) fn application(
    recording: &Rc<Recording>,
    name: &str,
    playing: Playing,
) -> Result<(Application, Vec<Warning>), Failure> {
    check(recording)?;
    let lost: Rc<RefCell<BTreeSet<String>>> = Rc::default();
    let mut builder = Builder::new(name);
    let (shared, counted) = (Rc::clone(recording), Rc::clone(&lost));
    let factors = factors(recording, &playing);
    let accesses = accesses::by_target(recording);
    builder.label("rank", recording.p.into(), move |process| {
        let rank = process.rank() as u32;
        let factor = factors.get(rank as usize).copied().unwrap_or(playing.scale);
        let mut player = Player::new(&shared, rank, (playing, factor), process);
        player.expect(accesses.get(&rank).map_or(&[], Vec::as_slice));
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

/// What the blocks of each rank are multiplied by.
fn factors(recording: &Recording, playing: &Playing) -> Vec<f64> {
    let useful = recording.useful_s();
    let mean = useful.iter().sum::<f64>() / useful.len().max(1) as f64;
    let one = |own: &f64| if playing.is_balanced && *own > 0.0 { playing.scale * mean / own } else { playing.scale };
    useful.iter().map(one).collect()
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
