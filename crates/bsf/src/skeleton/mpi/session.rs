//! MPI, from its initialization to its end.

use super::world::{MpiFamily, World, under_launcher};
use crate::skeleton::error::RunError;
use mpi::Threading;
use mpi::environment::Universe;
use mpi::topology::{Communicator, SimpleCommunicator};
use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::{Rc, Weak};

/// MPI, initialized. It ends when the last clone is dropped; a process can have one session in its life. In a program
/// that has initialized MPI by itself a session only uses it, any number of times.
///
/// [`run`](crate::skeleton::run) opens a session and ends it. To run several algorithms one after the other, open one
/// before the first run and keep it:
///
/// ```no_run
/// use runcast_bsf::skeleton::mpi::Session;
/// let session = Session::open()?;
/// // run(..)?; run(..)?;
/// drop(session);
/// # Ok::<(), runcast_bsf::skeleton::RunError>(())
/// ```
///
/// A session stays in the thread that opened it: MPI is initialized for calls from that thread alone, and the threads
/// of workers make none.
///
/// # Standard section(s)
/// 11.2.1, 11.2.2, 11.6
#[derive(Clone)]
pub struct Session(Rc<Open>);

struct Open {
    /// Taken when the session ends; none when the program had initialized MPI, which then also ends it.
    universe: Option<Universe>,
    world: SimpleCommunicator,
    /// Whether a message is in transit that no rank waits for any more.
    is_broken: Cell<bool>,
}

std::thread_local! {
    /// The session of this thread, while it is held.
    static CURRENT: RefCell<Weak<Open>> = const { RefCell::new(Weak::new()) };
}

impl Session {
    /// The session of this thread; opens it if there is none.
    ///
    /// # Errors
    /// [`RunError::Usage`]: the program is linked with a different MPI than its launcher's, it has one rank, or an
    /// earlier session has ended.
    pub fn open() -> Result<Session, RunError> {
        if let Some(open) = CURRENT.with_borrow(Weak::upgrade) {
            return Ok(Session(open));
        }
        let session = Session(Rc::new(Open::start()?));
        CURRENT.set(Rc::downgrade(&session.0));
        Ok(session)
    }

    /// This rank, from 0.
    pub fn rank(&self) -> usize {
        usize::try_from(self.0.world.rank()).unwrap_or(0)
    }

    /// Number of ranks.
    pub fn size(&self) -> usize {
        usize::try_from(self.0.world.size()).unwrap_or(1)
    }

    pub(super) fn world(&self) -> &SimpleCommunicator {
        &self.0.world
    }

    /// From now on the program must not wait for MPI.
    pub(super) fn breaks(&self) {
        self.0.is_broken.set(true);
    }

    pub(super) fn is_broken(&self) -> bool {
        self.0.is_broken.get()
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Session(rank {} of {})", self.rank(), self.size())
    }
}

impl Open {
    fn start() -> Result<Open, RunError> {
        let launcher = under_launcher();
        if mpi::environment::is_initialized() && !mpi::environment::is_finalized() {
            return Open { universe: None, world: SimpleCommunicator::world(), is_broken: Cell::new(false) }
                .large_enough(launcher);
        }
        refuse_hydra(launcher)?;
        let (universe, provided) = mpi::initialize_with_threading(Threading::Funneled).ok_or_else(|| {
            RunError::usage("mpi_twice", "MPI was initialized before, which is possible only once per process", None)
        })?;
        let world = universe.world();
        let open = Open { universe: Some(universe), world, is_broken: Cell::new(false) };
        if provided < Threading::Funneled {
            let message = format!("{} does not work in a process with threads", library());
            return Err(RunError::usage("mpi_threads", message, None));
        }
        open.large_enough(launcher)
    }

    fn large_enough(self, launcher: Option<World>) -> Result<Open, RunError> {
        if self.world.size() < 2 { Err(too_small(launcher)) } else { Ok(self) }
    }
}

impl Drop for Open {
    /// Ends MPI if all is well. If not, other ranks may never come to MPI_Finalize, which waits for all of them: MPI is
    /// then left as it is, this process can report the error and end, and the launcher ends the others.
    ///
    /// # Standard section(s)
    /// 11.2.2
    fn drop(&mut self) {
        if self.is_broken.get() || std::thread::panicking() {
            std::mem::forget(self.universe.take());
        }
    }
}

/// Open MPI, started by the launcher of MPICH, would start a daemon for each process; so this is checked in advance.
fn refuse_hydra(launcher: Option<World>) -> Result<(), RunError> {
    let is_hydra = launcher.is_some_and(|launcher| launcher.family == MpiFamily::Mpich && launcher.size > Some(1));
    if is_hydra && super::library_family() == Some(MpiFamily::OpenMpi) {
        return Err(too_small(launcher));
    }
    Ok(())
}

/// The error for a world of one rank.
fn too_small(launcher: Option<World>) -> RunError {
    let library = library();
    let Some((launcher, size)) = launcher.and_then(|it| Some((it, it.size.filter(|&size| size > 1)?))) else {
        let message = "an MPI run of 1 process has no worker";
        return RunError::usage("one_process", message, "2 processes or more: the master and its workers".to_owned());
    };
    let whose = match launcher.family {
        MpiFamily::Other => "a launcher that does not support it".to_owned(),
        family => format!("the launcher of {family}"),
    };
    let message = format!(
        "this program is built for {library}, but was started by {whose}: each of its {size} processes is alone"
    );
    RunError::usage("mpi_mismatch", message, format!("the launcher of {library}, or a program built for the other MPI"))
}

fn library() -> String {
    super::library_version().unwrap_or_else(|| "an unknown MPI".to_owned())
}
