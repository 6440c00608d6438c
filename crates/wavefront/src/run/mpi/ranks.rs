//! Pieces as messages of MPI: two posted receives for each other rank, tagged with the parity of the phase.
//!
//! ```text
//! a message    number of the phase, when it was sent, when it is to be delivered (or -1: when it comes), 1 where the
//!              phase is to be the last one; then the piece
//! ```

use super::clock::Clock;
use super::slot::Slot;
use crate::run::error::RunError;
use crate::run::link::{Incoming, Link, NAP, Outgoing};
use mpi::topology::{Communicator, SimpleCommunicator};
use std::time::Duration;

/// Tag of the one message from rank 0 to each other rank that ends a run: 1 where it is to stop early, else 0. Pieces have
/// the tags 0 and 1.
const STOP: i32 = 4;
/// Numbers before the piece.
const HEAD: usize = 4;
/// Initial time without a pause \[ns\]: a message in transit arrives within it.
const EAGER: u64 = 30_000;
/// The first pause and the longest one.
const FIRST: Duration = Duration::from_micros(5);
const LONGEST: Duration = Duration::from_micros(100);

/// The messages of one rank.
pub(super) struct Ranks<'a> {
    world: &'a SimpleCommunicator,
    clock: Clock,
    peers: Vec<Peer>,
    /// At the last look all pieces of the phase had come.
    is_complete: bool,
    /// At rank 0 the messages that end the run, in the order of the peers; elsewhere the one that comes from it.
    stops: Vec<Slot>,
    /// The request to stop was passed on, or has arrived.
    is_stopping: bool,
}

/// Messages from and to another rank, one a parity each.
struct Peer {
    rank: usize,
    incoming: [Slot; 2],
    arrived: [Option<u64>; 2],
    outgoing: [Slot; 2],
}

impl<'a> Ranks<'a> {
    /// Posts the receives for the first two phases.
    pub(super) fn new(world: &'a SimpleCommunicator, clock: Clock, lengths: &[usize]) -> Self {
        let me = usize::try_from(world.rank()).unwrap_or(0);
        let slots = |length: usize| [Slot::new(HEAD + length), Slot::new(HEAD + length)];
        let peer = |rank: usize| Peer {
            rank,
            incoming: slots(lengths[rank]),
            arrived: [None; 2],
            outgoing: slots(lengths[me]),
        };
        let peers: Vec<Peer> = (0..lengths.len()).filter(|rank| *rank != me).map(peer).collect();
        let stops = if me == 0 { peers.len() } else { 1 };
        let stops = (0..stops).map(|_| Slot::new(1)).collect();
        let mut ranks = Ranks { world, clock, peers, is_complete: false, stops, is_stopping: false };
        for peer in &mut ranks.peers {
            (0..2).for_each(|side| peer.post(world, side));
        }
        if me > 0 {
            ranks.stops[0].receive(&world.process_at_rank(0), STOP);
        }
        ranks
    }

    fn send_stops(&mut self, number: f64) {
        for (slot, peer) in self.stops.iter_mut().zip(&self.peers) {
            if let Some(numbers) = slot.numbers_mut() {
                numbers[0] = number;
                slot.send(&self.world.process_at_rank(peer.rank as i32), STOP);
            }
        }
    }

    /// Cancels the receives that no message will match: all messages of the run have been taken.
    pub(super) fn close(mut self) {
        if self.world.rank() == 0 && !self.is_stopping {
            self.send_stops(0.0);
        }
        while !self.stops.iter_mut().all(Slot::is_complete) {
            std::thread::sleep(FIRST);
        }
        for peer in &mut self.peers {
            for side in 0..2 {
                peer.incoming[side].cancel();
                while !peer.outgoing[side].is_complete() {
                    std::thread::sleep(FIRST);
                }
            }
        }
    }
}

/// Its parity: which slot its pieces go to.
fn side(phase: u64) -> usize {
    (phase & 1) as usize
}

impl Peer {
    fn post(&mut self, world: &SimpleCommunicator, side: usize) {
        self.arrived[side] = None;
        self.incoming[side].receive(&world.process_at_rank(self.rank as i32), side as i32);
    }

    /// When the piece was there, if it is.
    fn arrival(&mut self, side: usize, clock: &Clock) -> Option<u64> {
        if self.arrived[side].is_none() && self.incoming[side].is_complete() {
            let delivery = self.incoming[side].numbers().map_or(-1.0, |numbers| numbers[2]);
            self.arrived[side] = Some(if delivery < 0.0 { clock.now() } else { delivery as u64 });
        }
        self.arrived[side]
    }
}

impl Link for Ranks<'_> {
    fn await_start(&self) {
        std::thread::sleep(Duration::from_nanos(self.clock.until_start()));
    }

    fn now(&self) -> u64 {
        self.clock.now()
    }

    fn send(&mut self, phase: u64, outgoing: &Outgoing<'_>) -> Result<(), RunError> {
        let side = side(phase);
        let delivery =
            |rank: usize| outgoing.delays.map_or(-1.0, |delays| outgoing.sent.saturating_add(delays[rank]) as f64);
        for peer in &mut self.peers {
            // What was in it was sent two phases ago, and the receiver has taken it: it has sent a piece since.
            while !peer.outgoing[side].is_complete() {
                std::hint::spin_loop();
            }
            let Some(numbers) = peer.outgoing[side].numbers_mut() else { continue };
            let head = [phase as f64, outgoing.sent as f64, delivery(peer.rank), f64::from(u8::from(outgoing.is_last))];
            numbers[..HEAD].copy_from_slice(&head);
            numbers[HEAD..].copy_from_slice(outgoing.piece);
            peer.outgoing[side].send(&self.world.process_at_rank(peer.rank as i32), side as i32);
        }
        Ok(())
    }

    fn last_arrival(&mut self, phase: u64) -> Result<Option<u64>, RunError> {
        let side = side(phase);
        let mut last = Some(0);
        for peer in &mut self.peers {
            // All are looked at, also after one that is missing: MPI works while it is asked.
            let arrival = peer.arrival(side, &self.clock);
            last = last.and_then(|last: u64| Some(last.max(arrival?)));
        }
        self.is_complete = last.is_some();
        Ok(last)
    }

    fn wait(&mut self, phase: u64, until: Option<u64>) -> Result<(), RunError> {
        let (start, was_complete) = (self.now(), self.is_complete);
        let mut pause = FIRST;
        loop {
            let is_news = self.last_arrival(phase)?.is_some() && !was_complete;
            let left = until.map_or(u64::MAX, |until| until.saturating_sub(self.now()));
            if is_news || left == 0 || self.now() - start > NAP {
                return Ok(());
            }
            if until.is_none() && self.now() - start < EAGER {
                std::hint::spin_loop();
                continue;
            }
            std::thread::sleep(pause.min(Duration::from_nanos(left)));
            pause = (pause * 3 / 2).min(LONGEST);
        }
    }

    fn is_to_stop(&mut self, wish: bool) -> bool {
        if self.world.rank() > 0 {
            // Once it has come it stays.
            self.is_stopping = self.stops[0].is_complete() && self.stops[0].numbers() == Some(&[1.0][..]);
            return wish || self.is_stopping;
        }
        if wish && !self.is_stopping {
            self.is_stopping = true;
            self.send_stops(1.0);
        }
        wish
    }

    fn take(&mut self, phase: u64, install: &mut dyn FnMut(&Incoming<'_>)) -> Result<(), RunError> {
        let side = side(phase);
        for peer in &mut self.peers {
            let arrived = peer.arrived[side];
            let (Some(arrived), Some(numbers)) = (arrived, peer.incoming[side].numbers()) else {
                return Err(RunError::Message(format!("rank {} has not sent its piece", peer.rank)));
            };
            if numbers[0] != phase as f64 {
                let message = format!("rank {} sent a piece of phase {} in phase {phase}", peer.rank, numbers[0]);
                return Err(RunError::Message(message));
            }
            let (sent, is_last) = (numbers[1] as u64, numbers[3] != 0.0);
            // Clocks of ranks agree to some microseconds only.
            let sent = sent.min(arrived);
            install(&Incoming { from: peer.rank, piece: &numbers[HEAD..], sent, arrived, is_last });
            peer.post(self.world, side);
        }
        Ok(())
    }
}
