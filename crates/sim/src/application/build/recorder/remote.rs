//! Windows: memory that other processes access.

use super::{Outcome, Recorder, at_most_2_53};
use crate::application::{Access, CollectiveKind, Op};
use crate::build::CollectiveCall;
use runcast_core::Problem;

/// What a process may access of a window: everything between two fences, and what it has locked.
#[derive(Debug, Default)]
pub(crate) struct Window {
    fenced: bool,
    locked: Vec<u64>,
}

impl Recorder {
    /// A window: the n-th of a process belongs to the n-th of the others.
    pub(crate) fn window(&mut self) -> Outcome<u32> {
        self.charge(size_of::<Window>())?;
        self.windows.push(Window::default());
        Ok(self.windows.len() as u32 - 1)
    }

    fn window_of(&mut self, window: u32) -> Outcome<&mut Window> {
        let missing = || Problem::new("no_window", "this window belongs to another process").hint("call win{} in each");
        self.windows.get_mut(window as usize).ok_or_else(missing)
    }

    /// Accesses the memory of a process.
    pub(crate) fn access(&mut self, access: Access, window: u32, to: u64, size: u64) -> Outcome<()> {
        let known = self.window_of(window)?;
        if !known.fenced && !known.locked.contains(&to) {
            return Err(Problem::new("outside_epoch", "no fence and no lock came before this access")
                .hint("call fence{ win = } in all processes, or lock{ win =, to = } here"));
        }
        let op = Op::Remote { access, to: self.peer(to), size: at_most_2_53(size)?, window };
        self.push(op)
    }

    /// All accesses of all processes are done.
    pub(crate) fn fence(&mut self, window: u32) -> Outcome<()> {
        self.window_of(window)?.fenced = true;
        self.push(Op::Flush { window, to: None, answer: false })?;
        let call = CollectiveCall { algorithm: Some("dissemination"), ..CollectiveCall::default() };
        self.collective(CollectiveKind::Barrier, &call)
    }

    /// The own accesses are done, to one process or to all.
    pub(crate) fn flush(&mut self, window: u32, to: Option<u64>) -> Outcome<()> {
        self.window_of(window)?;
        let to = to.map(|to| self.peer(to));
        self.push(Op::Flush { window, to, answer: true })
    }

    pub(crate) fn lock(&mut self, window: u32, to: u64) -> Outcome<()> {
        let locked = &mut self.window_of(window)?.locked;
        if locked.contains(&to) {
            return Err(Problem::new("locked_twice", "this process holds the lock already"));
        }
        locked.push(to);
        let to = self.peer(to);
        self.push(Op::Lock { window, to })
    }

    /// Gives a lock back, when the own accesses there are done.
    pub(crate) fn unlock(&mut self, window: u32, to: u64) -> Outcome<()> {
        let locked = &mut self.window_of(window)?.locked;
        let Some(at) = locked.iter().position(|known| *known == to) else {
            return Err(Problem::new("not_locked", "this process does not hold the lock")
                .hint("call lock{ win =, to = } before"));
        };
        locked.swap_remove(at);
        let to = self.peer(to);
        self.push(Op::Flush { window, to: Some(to), answer: true })?;
        self.push(Op::Unlock { window, to })
    }
}
