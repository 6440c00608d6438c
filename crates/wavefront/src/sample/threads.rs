//! Measuring on the threads of one machine: a thread a process, one clock for all.
//!
//! **Updates** are measured while all processes make them: who has made enough continues, unmeasured, until all have.
//! **Messages** are copied by the sender and go through a channel to a receiver that sleeps on it. Two processes at a
//! time exchange them, there and back, 100 us apart; the others compute meanwhile, unless [`Others::Wait`].

use super::clock::Clock;
use super::measured::{Host, Measured, Own, Timed, gather};
use super::plan::{Others, Plan, Turn, pause};
use super::work::Work;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Interval of checks for a request to stop, and of progress reports.
const TICK: Duration = Duration::from_millis(50);
/// Updates before the first one that counts.
const WARM_UP: usize = 3;

/// Progress: samples taken, and their total.
pub type OnProgress<'a> = &'a mut (dyn FnMut(u64) + Send);

/// A running message.
struct Message {
    sent_s: f64,
    payload: Vec<u8>,
}

/// State shared by all threads.
struct Shared<'a> {
    plan: &'a Plan,
    turns: Vec<Turn>,
    /// The clock of all.
    epoch: Instant,
    /// All are there.
    barrier: Barrier,
    /// Processes that run.
    running: AtomicUsize,
    /// Processes that have made their updates.
    finished: AtomicUsize,
    turn: AtomicUsize,
    /// Samples so far.
    done: AtomicUsize,
    /// A thread has given up or panicked, or a stop was asked for.
    halt: AtomicBool,
}

struct Process<'a> {
    shared: &'a Shared<'a>,
    me: usize,
    work: Box<dyn Work + 'a>,
    /// To each other process.
    to: Vec<Sender<Message>>,
    /// From each other process.
    from: Vec<Receiver<Message>>,
    own: Own,
}

/// Raises the flag when a thread ends by a panic, so that no other waits for it.
struct HaltOnPanic<'a>(&'a AtomicBool);

impl Drop for HaltOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// Measures; `work` makes what a process (counted from 0) does in an update.
///
/// # Errors
/// The process whose work has panicked.
pub fn measure<'w>(
    plan: &Plan,
    host: &Host,
    work: &dyn Fn(usize) -> Box<dyn Work + 'w>,
    on_progress: OnProgress<'_>,
) -> Result<Measured, usize> {
    let shared = Shared {
        plan,
        turns: plan.turns(),
        epoch: Instant::now(),
        barrier: Barrier::new(plan.processes),
        running: AtomicUsize::new(0),
        finished: AtomicUsize::new(0),
        turn: AtomicUsize::new(0),
        done: AtomicUsize::new(0),
        halt: AtomicBool::new(false),
    };
    let made: Vec<Box<dyn Work + 'w>> = (0..plan.processes).map(work).collect();
    let all = std::thread::scope(|scope| {
        let processes: Vec<Process<'_>> = connected(&shared, made);
        let threads: Vec<_> = processes.into_iter().map(|process| scope.spawn(|| process.run())).collect();
        while threads.iter().any(|thread| !thread.is_finished()) {
            std::thread::sleep(TICK.min(Duration::from_millis(5 + 5 * shared.epoch.elapsed().as_secs())));
            if plan.is_interrupted() {
                shared.halt.store(true, Ordering::Relaxed);
            }
            on_progress(shared.done.load(Ordering::Relaxed) as u64);
        }
        threads.into_iter().enumerate().map(|(me, thread)| thread.join().map_err(|_| me)).collect::<Result<Vec<_>, _>>()
    })?;
    let processes = plan.processes;
    let is_interrupted =
        shared.halt.load(Ordering::Relaxed) && shared.done.load(Ordering::Relaxed) as u64 != plan.samples();
    let (hosts, clocks) = (vec![host.name.clone(); processes], vec![Clock::reference(); processes]);
    Ok(gather(&all, hosts, clocks, vec![host.cores; processes], is_interrupted))
}

/// The processes, with a channel between each two.
fn connected<'a>(shared: &'a Shared<'a>, work: Vec<Box<dyn Work + 'a>>) -> Vec<Process<'a>> {
    let size = work.len();
    let own = |_| Own { updates: Vec::new(), messages: vec![Vec::new(); size] };
    let mut to: Vec<Vec<Sender<Message>>> = (0..size).map(|_| Vec::new()).collect();
    let mut from: Vec<Vec<Receiver<Message>>> = (0..size).map(|_| Vec::new()).collect();
    for sender in &mut to {
        for receiver in &mut from {
            let (tx, rx) = channel();
            sender.push(tx);
            receiver.push(rx);
        }
    }
    let parts = work.into_iter().zip(to).zip(from).enumerate();
    parts.map(|(me, ((work, to), from))| Process { shared, me, work, to, from, own: own(me) }).collect()
}

impl Process<'_> {
    fn run(mut self) -> Own {
        let _guard = HaltOnPanic(&self.shared.halt);
        self.own.updates.reserve(self.shared.plan.updates);
        self.shared.barrier.wait();
        // Not before the barrier: a panic there would leave the others waiting at it.
        self.warm_up();
        self.updates();
        self.messages();
        self.own
    }

    fn now(&self) -> f64 {
        self.shared.epoch.elapsed().as_secs_f64()
    }

    fn halts(&self) -> bool {
        self.shared.halt.load(Ordering::Relaxed)
    }

    /// Some updates, and as many more as it takes until all processes run.
    fn warm_up(&mut self) {
        (0..WARM_UP).for_each(|_| self.work.update());
        self.shared.running.fetch_add(1, Ordering::Relaxed);
        while self.shared.running.load(Ordering::Relaxed) < self.shared.plan.processes && !self.halts() {
            self.work.update();
        }
    }

    fn updates(&mut self) {
        let (wanted, processes) = (self.shared.plan.updates, self.shared.plan.processes);
        if wanted == 0 {
            return;
        }
        while self.shared.finished.load(Ordering::Relaxed) < processes && !self.halts() {
            let start_s = self.now();
            self.work.update();
            let time_s = self.now() - start_s;
            if self.own.updates.len() < wanted {
                self.own.updates.push(Timed { start_s, time_s });
                self.shared.done.fetch_add(1, Ordering::Relaxed);
                if self.own.updates.len() == wanted {
                    self.shared.finished.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    }

    fn messages(&mut self) {
        for (index, turn) in self.shared.turns.iter().enumerate() {
            let is_mine = turn.first == self.me || turn.second == self.me;
            if !is_mine {
                continue;
            }
            if !self.wait_for(index) || self.exchange(turn).is_none() {
                return;
            }
            if turn.first == self.me {
                self.shared.turn.store(index + 1, Ordering::Release);
            }
        }
        // Until the last turn is over the others still need company.
        self.wait_for(self.shared.turns.len());
    }

    /// Does as the plan says until a turn is on; false when everything halts.
    fn wait_for(&mut self, turn: usize) -> bool {
        while self.shared.turn.load(Ordering::Acquire) < turn {
            if self.halts() {
                return false;
            }
            match self.shared.plan.others {
                Others::Compute => self.work.update(),
                Others::Wait => std::thread::sleep(Duration::from_micros(200)),
            }
        }
        !self.halts()
    }

    /// The messages of a turn, there and back; none when it was cut short. The first two wake the partner and do not
    /// count.
    fn exchange(&mut self, turn: &Turn) -> Option<()> {
        for number in turn.from..=turn.to {
            let counts = number > turn.from;
            if turn.first == self.me {
                self.send(turn.second)?;
                self.receive(turn.second, counts)?;
            } else {
                self.receive(turn.first, counts)?;
                self.send(turn.first)?;
            }
            if self.halts() {
                return None;
            }
        }
        Some(())
    }

    fn send(&self, to: usize) -> Option<()> {
        pause();
        let sent_s = self.now();
        let payload = vec![1u8; self.shared.plan.bytes];
        self.to[to].send(Message { sent_s, payload }).ok()
    }

    fn receive(&mut self, from: usize, counts: bool) -> Option<()> {
        let message = loop {
            match self.from[from].recv_timeout(TICK) {
                Ok(message) => break message,
                Err(RecvTimeoutError::Timeout) if !self.halts() => {}
                Err(_) => return None,
            }
        };
        let received_s = self.now();
        std::hint::black_box(&message.payload);
        if counts {
            let timed = Timed { start_s: message.sent_s, time_s: received_s - message.sent_s };
            self.own.messages[from].push(timed);
            self.shared.done.fetch_add(1, Ordering::Relaxed);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::series::{Subject, series_of};
    use crate::sample::work::Busy;
    use std::sync::Arc;

    fn plan(processes: usize, updates: usize, messages: usize) -> Plan {
        Plan { processes, updates, messages, bytes: 800, others: Others::Compute, interrupt: None }
    }

    fn host(name: &str) -> Host {
        Host { name: name.to_owned(), cores: 1 }
    }

    fn busy(_: usize) -> Box<dyn Work> {
        Box::new(Busy::new(20_000))
    }

    #[test]
    fn every_process_and_every_link_has_its_samples() {
        let mut last = 0;
        let measured = measure(&plan(3, 40, 25), &host("here"), &busy, &mut |done| last = done).expect("no panic");
        let series = series_of(&measured.samples);
        assert_eq!((series.len(), measured.is_interrupted, measured.negative), (9, false, 0));
        for series in &series {
            let is_process = matches!(series.subject, Subject::Process(_));
            assert_eq!(series.time_s.len(), if is_process { 40 } else { 25 }, "{:?}", series.subject);
            assert!(series.time_s.iter().all(|time| *time > 0.0), "{:?}", series.subject);
            assert!(series.start_s.windows(2).all(|pair| pair[0] <= pair[1]));
            assert_eq!(series.host, "here");
        }
        assert_eq!(last, 3 * 40 + 6 * 25);
    }

    #[test]
    fn who_has_made_enough_updates_goes_on_until_all_have() {
        struct Counting<'a>(&'a AtomicUsize, Duration);
        impl Work for Counting<'_> {
            fn update(&mut self) {
                self.0.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(self.1);
            }
        }
        let made = [AtomicUsize::new(0), AtomicUsize::new(0)];
        let work = |me: usize| -> Box<dyn Work + '_> {
            Box::new(Counting(&made[me], Duration::from_micros(if me == 0 { 100 } else { 20_000 })))
        };
        let measured = measure(&plan(2, 10, 0), &host(""), &work, &mut |_| ()).expect("no panic");
        assert_eq!(measured.samples.rows.len(), 20);
        // The slow one takes 200 ms for its updates, in which the other makes far more than 10.
        let [fast, slow] = made.map(AtomicUsize::into_inner);
        assert!(fast > 50 && slow < 30, "{fast} {slow}");
    }

    #[test]
    fn one_process_has_no_links_and_counts_may_be_zero() {
        let measured = measure(&plan(1, 5, 5), &host(""), &busy, &mut |_| ()).expect("no panic");
        assert_eq!(measured.samples.rows.len(), 5);
        let quiet = Plan { others: Others::Wait, ..plan(3, 0, 2) };
        let measured = measure(&quiet, &host(""), &busy, &mut |_| ()).expect("no panic");
        assert_eq!(measured.samples.rows.len(), 12);
        assert!(measure(&plan(2, 0, 0), &host(""), &busy, &mut |_| ()).expect("no panic").samples.rows.is_empty());
    }

    #[test]
    fn an_interrupt_keeps_what_was_measured() {
        for (updates, messages) in [(10_000_000, 10), (5, 100_000_000)] {
            let flag = Arc::new(AtomicBool::new(false));
            let plan = Plan { interrupt: Some(Arc::clone(&flag)), ..plan(3, updates, messages) };
            let measured = measure(&plan, &host(""), &busy, &mut |done| {
                if done > 30 {
                    flag.store(true, Ordering::Relaxed);
                }
            });
            let measured = measured.expect("no panic");
            assert!(measured.is_interrupted && measured.samples.rows.len() > 30);
        }
    }

    #[test]
    fn a_panic_stops_all_and_is_told() {
        struct Breaks(u32);
        impl Work for Breaks {
            fn update(&mut self) {
                self.0 += 1;
                assert!(self.0 < 50, "as it is meant to");
            }
        }
        let work = |me: usize| if me == 1 { Box::new(Breaks(0)) as Box<dyn Work> } else { busy(me) };
        assert_eq!(measure(&plan(3, 1000, 10), &host(""), &work, &mut |_| ()), Err(1));
    }
}
