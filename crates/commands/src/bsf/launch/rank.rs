//! Runs this process as a rank.

use super::LaunchArgs;
use super::attempt::{HELLO, STOP};
use super::envelope;
use super::signs::{self, Sign};
use crate::context::{Context, NoProgress, Progress, Screen};
use crate::failure::Failure;
use crate::output::Output;
use runcast_bsf::skeleton::mpi::World;
use runcast_bsf::skeleton::{Iteration, OnIteration};
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Signs of life come at most so often.
const SIGN_EVERY: Duration = Duration::from_millis(200);

/// This process as a rank: of a run that another runcast watches, or one that speaks for itself.
pub struct Rank {
    world: World,
    /// How often the run was started before, when another runcast watches.
    launched: Option<u32>,
    resume_instead: Option<PathBuf>,
    signs: Arc<Signs>,
}

/// Where signs of life go: the progress of this process, for whoever shows it writes it to the standard error.
struct Signs {
    to: Option<Mutex<Box<dyn Progress + Send>>>,
    last: Mutex<Last>,
}

/// The progress that others in this process see: their lines go the same way, and the bar is that of whoever watches.
struct Lines(Arc<Signs>);

struct Last {
    /// When the last iteration ended; of the first one this counts the set-up, too.
    ended: Instant,
    /// When the last sign was given.
    told: Option<Instant>,
    longest: Duration,
}

impl Rank {
    /// Reports to whoever watches, and listens for the wish to stop.
    pub(super) fn new(world: World, args: &LaunchArgs, context: &mut Context) -> Self {
        let to = args.launched.map(|_| Mutex::new(std::mem::replace(&mut context.progress, Box::new(NoProgress))));
        let last = Last { ended: Instant::now(), told: None, longest: Duration::ZERO };
        let signs = Arc::new(Signs { to, last: Mutex::new(last) });
        if args.launched.is_some() {
            context.progress = Box::new(Lines(Arc::clone(&signs)));
            // Open MPI gives its ranks a terminal that nobody looks at.
            context.screen = Screen::default();
        }
        signs.give(&Sign::Here { rank: world.rank, pid: std::process::id(), host: signs::host() });
        if args.launched.is_some() && world.rank == 0 {
            listen(Arc::clone(&context.interrupt));
        }
        Rank { world, launched: args.launched, resume_instead: args.resume_instead.clone(), signs }
    }

    /// Whether this is the master, the one that has results.
    pub fn is_master(&self) -> bool {
        self.world.rank == 0
    }

    /// How often the run was started before.
    pub fn restarts(&self) -> u32 {
        self.launched.unwrap_or(0)
    }

    /// The file to go on from; `given` is the one that the user has named.
    pub fn resume(&self, given: Option<&Path>) -> Option<PathBuf> {
        self.resume_instead.clone().or_else(|| given.map(Path::to_owned))
    }

    /// What is to be called after each iteration, if there is an observer.
    pub fn on_iteration(&self) -> Option<OnIteration> {
        let signs = Arc::clone(&self.signs);
        signs.to.is_some().then(|| OnIteration(Arc::new(move |at| signs.iteration(at))))
    }

    /// Gives a line to the process that watches, which shows it; false if there is none.
    pub fn line(&self, text: &str) -> bool {
        let Some(to) = &self.signs.to else { return false };
        to.lock().unwrap_or_else(PoisonError::into_inner).line(text);
        true
    }

    /// Says that the iterations are over. From here on only this process is watched, as long as it writes its results.
    pub fn over(&self) {
        if self.is_master() {
            self.signs.give(&Sign::Over {});
        }
    }

    /// What this rank gives its caller: the master its result, in an envelope where another runcast waits for it;
    /// other ranks nothing but an exit code.
    ///
    /// # Errors
    /// That of the result, where this rank is the one to tell it.
    pub fn finish(self, result: Result<Output, Failure>) -> Result<Output, Failure> {
        self.over();
        if self.is_master() {
            return if self.launched.is_some() { result.and_then(envelope::seal) } else { result };
        }
        let failure = match result {
            Ok(output) => return Ok(Output::default().exit(output.exit)),
            Err(failure) => failure,
        };
        let exit = failure.exit;
        if self.launched.is_none() && exit != 2 {
            return Err(failure);
        }
        // Wrong input is wrong at every rank, and the launcher ends all of them when one of them has ended.
        let problems = failure.problems.0;
        self.signs.give(&Sign::Failed { rank: self.world.rank, problems, exit });
        let_the_master_speak();
        Ok(Output::default().exit(exit))
    }
}

impl Signs {
    fn give(&self, sign: &Sign) {
        self.line(&sign.line());
    }

    fn line(&self, text: &str) {
        if let Some(to) = &self.to {
            to.lock().unwrap_or_else(PoisonError::into_inner).line(text);
        }
    }

    fn iteration(&self, at: &Iteration) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        last.longest = last.longest.max(now - last.ended);
        last.ended = now;
        if last.told.is_none_or(|told| now - told >= SIGN_EVERY) {
            last.told = Some(now);
            self.give(&Sign::Iteration { number: at.number, longest_s: last.longest.as_secs_f64() });
        }
    }
}

impl Progress for Lines {
    fn begin(&mut self, _: &str, _: u64) {}
    fn step(&mut self, _: u64, _: &str) {}
    fn end(&mut self) {}

    fn line(&mut self, text: &str) {
        self.0.line(text);
    }
}

/// Raises the flag when whoever watches says so, or has gone away. Launchers that pass nothing on are told from it by
/// the first line.
fn listen(interrupt: Arc<AtomicBool>) {
    std::thread::spawn(move || {
        let mut lines = std::io::stdin().lock().lines().map_while(Result::ok);
        if lines.next().as_deref() == Some(HELLO) {
            let _ = lines.find(|line| line == STOP);
            interrupt.store(true, Ordering::Relaxed);
        }
    });
}

/// Gives rank 0 the time to tell what is wrong, before the launcher sees this rank end and ends all.
pub fn let_the_master_speak() {
    std::thread::sleep(Duration::from_millis(500));
}
