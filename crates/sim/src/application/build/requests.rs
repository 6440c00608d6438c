//! Open requests: numbers are reused, so that engines keep few.

use runcast_core::Problem;

/// Purpose of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Made {
    Send,
    Recv,
    Collective,
    /// A task of a device.
    Task,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    serial: u32,
    /// The loop body that it was made in, and whether it is open.
    frame: u32,
    open: bool,
    made: Made,
}

/// Requests of one process.
#[derive(Debug, Clone, Default)]
pub(crate) struct Requests {
    slots: Vec<Slot>,
    /// No number below is free.
    low: usize,
    serial: u32,
}

impl Requests {
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.low = 0;
        self.serial = 0;
    }

    /// Number of allocated numbers.
    pub(crate) fn numbers(&self) -> u32 {
        self.slots.len() as u32
    }

    /// Number of open requests that a process should wait for: what its devices do ends before it does.
    pub(crate) fn open(&self) -> usize {
        self.slots.iter().filter(|slot| slot.open && slot.made != Made::Task).count()
    }

    /// Opens the lowest free number.
    pub(crate) fn make(&mut self, made: Made, frame: u32) -> super::Request {
        while self.slots.get(self.low).is_some_and(|slot| slot.open) {
            self.low += 1;
        }
        self.serial = self.serial.wrapping_add(1);
        let slot = Slot { serial: self.serial, frame, open: true, made };
        let number = self.low;
        match self.slots.get_mut(number) {
            Some(old) => *old = slot,
            None => self.slots.push(slot),
        }
        self.low += 1;
        super::Request { number: number as u32, serial: self.serial }
    }

    /// Whether a request is open.
    pub(crate) fn check(&self, request: super::Request) -> Result<(), Problem> {
        self.slots
            .get(request.number as usize)
            .filter(|slot| slot.serial == request.serial && slot.open)
            .map(|_| ())
            .ok_or_else(closed)
    }

    /// Closes a request that is waited for in the body `frame`.
    pub(crate) fn close(&mut self, request: super::Request, frame: u32) -> Result<Made, Problem> {
        let Some(slot) =
            self.slots.get_mut(request.number as usize).filter(|slot| slot.serial == request.serial && slot.open)
        else {
            return Err(closed());
        };
        if slot.frame != frame {
            return Err(Problem::new(
                "request_in_loop",
                "a request is made on one side of a loop(..) and waited for on the other, which would repeat it in every iteration",
            )
            .hint("wait for it where it was made, or write the loop with `for`"));
        }
        slot.open = false;
        self.low = self.low.min(request.number as usize);
        Ok(slot.made)
    }

    /// Forgets those of a loop body that has ended: the next iteration makes its own. Returns their number.
    pub(crate) fn leave(&mut self, frame: u32) -> usize {
        let mut left = 0;
        for slot in &mut self.slots {
            left += usize::from(slot.open && slot.frame == frame && slot.made != Made::Task);
        }
        left
    }
}

fn closed() -> Problem {
    Problem::new("request_closed", "this request was waited for before, or belongs to another process")
        .hint("take what is over out of a list, `list[i] = nil`: holes are left out")
}
