//! Processes as threads of this program: pieces go through slots in memory.

use super::error::RunError;
use super::fixed_point::FixedPoint;
use super::link::{Incoming, Link, Outgoing};
use super::process::{self, Process};
use super::record::{Recording, Rows};
use super::settings::Settings;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// All threads are there before the first phase starts.
const START: Duration = Duration::from_millis(5);

/// Runs an operator with a thread for each process.
///
/// # Errors
/// The pieces do not fit the operator or the processes, or its code panics.
pub fn threads(operator: &dyn FixedPoint, settings: &Settings) -> Result<Recording, RunError> {
    let pieces = settings.pieces(operator)?;
    let shared = Shared {
        epoch: Instant::now() + START,
        inboxes: pieces.iter().map(|_| Inbox::new(&pieces)).collect(),
        is_broken: AtomicBool::new(false),
    };
    let results: Vec<Result<Rows, RunError>> = std::thread::scope(|scope| {
        let work = |me: usize| {
            let (shared, pieces) = (&shared, &pieces);
            move || {
                shared.guarded(me, || Process::new(operator, settings, pieces, me).run(&mut Thread::new(shared, me)))
            }
        };
        let handles: Vec<_> = (0..pieces.len()).map(|me| scope.spawn(work(me))).collect();
        let lost = || Err(RunError::Message("a thread was lost".to_owned()));
        handles.into_iter().map(|handle| handle.join().unwrap_or_else(|_| lost())).collect()
    });
    recording(results, process::semantics(operator, settings), settings)
}

/// Puts together what the processes give; where one has panicked, that is the reason, and not what the others say.
fn recording(
    results: Vec<Result<Rows, RunError>>,
    held: crate::model::Semantics,
    settings: &Settings,
) -> Result<Recording, RunError> {
    let panicked = |result: &&Result<Rows, RunError>| matches!(result, Err(RunError::Panicked { .. }));
    if let Some(Err(error)) = results.iter().find(panicked) {
        return Err(error.clone());
    }
    let processes = results.into_iter().collect::<Result<Vec<Rows>, RunError>>()?;
    Ok(Recording::of(processes, held, settings))
}

/// State shared by the threads.
struct Shared {
    epoch: Instant,
    inboxes: Vec<Inbox>,
    /// A thread has failed: the others must not wait for it.
    is_broken: AtomicBool,
}

/// Two slots for each sender, one a parity.
struct Inbox {
    slots: Mutex<Vec<[Slot; 2]>>,
    changed: Condvar,
    /// Slots that are full, and when the last of their messages is there; so that polling takes no lock.
    full: [AtomicUsize; 2],
    latest: [AtomicU64; 2],
}

struct Slot {
    is_full: bool,
    piece: Vec<f64>,
    sent: u64,
    arrived: u64,
    is_last: bool,
}

/// A thread's hold on the slots.
struct Thread<'a> {
    shared: &'a Shared,
    me: usize,
    /// At the last look all pieces of the phase had been sent.
    is_complete: bool,
}

impl Shared {
    fn guarded(&self, me: usize, work: impl FnOnce() -> Result<Rows, RunError>) -> Result<Rows, RunError> {
        let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Err(RunError::Panicked { process: me + 1, message: text.unwrap_or_default() })
        });
        if result.is_err() {
            self.is_broken.store(true, Ordering::SeqCst);
            for inbox in &self.inboxes {
                // With the lock: no thread is between looking and waiting.
                let _slots = inbox.lock();
                inbox.changed.notify_all();
            }
        }
        result
    }

    fn check(&self) -> Result<(), RunError> {
        if !self.is_broken.load(Ordering::Relaxed) {
            return Ok(());
        }
        Err(RunError::Message("another process has failed".to_owned()))
    }
}

impl Inbox {
    fn new(pieces: &[Vec<usize>]) -> Self {
        let slot =
            |length: usize| Slot { is_full: false, piece: vec![0.0; length], sent: 0, arrived: 0, is_last: false };
        Inbox {
            slots: Mutex::new(pieces.iter().map(|piece| [slot(piece.len()), slot(piece.len())]).collect()),
            changed: Condvar::new(),
            full: Default::default(),
            latest: Default::default(),
        }
    }

    /// A thread that has panicked leaves nothing half done here: it does not panic while it holds the lock.
    fn lock(&self) -> MutexGuard<'_, Vec<[Slot; 2]>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> Thread<'a> {
    fn new(shared: &'a Shared, me: usize) -> Self {
        Thread { shared, me, is_complete: false }
    }

    fn peers(&self) -> usize {
        self.shared.inboxes.len() - 1
    }
}

fn parity(phase: u64) -> usize {
    (phase & 1) as usize
}

impl Link for Thread<'_> {
    fn await_start(&self) {
        std::thread::sleep(self.shared.epoch.saturating_duration_since(Instant::now()));
    }

    fn now(&self) -> u64 {
        Instant::now().saturating_duration_since(self.shared.epoch).as_nanos() as u64
    }

    fn send(&mut self, phase: u64, outgoing: &Outgoing<'_>) -> Result<(), RunError> {
        let side = parity(phase);
        for (to, inbox) in self.shared.inboxes.iter().enumerate().filter(|(to, _)| *to != self.me) {
            let mut slots = inbox.lock();
            let slot = &mut slots[self.me][side];
            if slot.is_full {
                return Err(RunError::Message(format!("process {} is two phases ahead of {}", self.me + 1, to + 1)));
            }
            slot.piece.copy_from_slice(outgoing.piece);
            slot.sent = outgoing.sent;
            slot.arrived =
                outgoing.delays.map_or_else(|| self.now(), |delays| outgoing.sent.saturating_add(delays[to]));
            slot.is_last = outgoing.is_last;
            slot.is_full = true;
            inbox.latest[side].fetch_max(slot.arrived, Ordering::Relaxed);
            inbox.full[side].fetch_add(1, Ordering::Release);
            drop(slots);
            inbox.changed.notify_one();
        }
        Ok(())
    }

    fn last_arrival(&mut self, phase: u64) -> Result<Option<u64>, RunError> {
        self.shared.check()?;
        let (inbox, side) = (&self.shared.inboxes[self.me], parity(phase));
        self.is_complete = inbox.full[side].load(Ordering::Acquire) == self.peers();
        Ok(self.is_complete.then(|| inbox.latest[side].load(Ordering::Relaxed)))
    }

    fn wait(&mut self, phase: u64, until: Option<u64>) -> Result<(), RunError> {
        let inbox = &self.shared.inboxes[self.me];
        let slots = inbox.lock();
        self.shared.check()?;
        let is_complete = inbox.full[parity(phase)].load(Ordering::Acquire) == self.peers();
        if is_complete && !self.is_complete {
            return Ok(());
        }
        match until {
            Some(until) => {
                let left = Duration::from_nanos(until.saturating_sub(self.now()));
                drop(inbox.changed.wait_timeout(slots, left));
            }
            None if !is_complete => drop(inbox.changed.wait(slots)),
            None => {}
        }
        Ok(())
    }

    fn take(&mut self, phase: u64, install: &mut dyn FnMut(&Incoming<'_>)) -> Result<(), RunError> {
        let (inbox, side) = (&self.shared.inboxes[self.me], parity(phase));
        let mut slots = inbox.lock();
        for (from, slots) in slots.iter_mut().enumerate().filter(|(from, _)| *from != self.me) {
            let slot = &mut slots[side];
            slot.is_full = false;
            install(&Incoming {
                from,
                piece: &slot.piece,
                sent: slot.sent,
                arrived: slot.arrived,
                is_last: slot.is_last,
            });
        }
        inbox.latest[side].store(0, Ordering::Relaxed);
        inbox.full[side].store(0, Ordering::Release);
        Ok(())
    }
}
