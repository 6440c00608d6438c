//! Operations of a program, and what they name.

/// A place in the script: an index into [`Application::sites`](crate::Application::sites).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Site(pub u32);

/// Partner of a message: relative within the own label, so that ranks share programs.
///
/// The recorder writes [`Peer::Offset`] for partners in the own label, except its rank 0; all others are [`Peer::Process`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Peer {
    /// The own process number plus this.
    Offset(i64),
    /// The process of this number among all processes.
    Process(u64),
}

impl Peer {
    /// Number of the partner of process `own`.
    #[inline]
    pub fn of(self, own: u64) -> u64 {
        match self {
            Peer::Offset(offset) => own.wrapping_add_signed(offset),
            Peer::Process(process) => process,
        }
    }
}

/// A tag of a message. Tags of users are not negative; expansions of collectives and farms use negative ones.
pub type Tag = i64;
/// Fits every tag of a user.
pub const ANY_TAG: Tag = Tag::MIN;

/// Source of an awaited message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// From one process.
    Peer(Peer),
    Any,
}

/// An operation of a program. Sizes in bytes, at most 2^53.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// The next `len` operations, `count` times over (0: never).
    Repeat {
        count: u64,
        /// Number of operations of the body, including those of inner loops.
        len: u32,
    },
    /// A computing block: an index into [`Application::blocks`](crate::Application::blocks).
    Compute(u32),
    /// Blocking send.
    Send {
        to: Peer,
        /// Bytes.
        size: u64,
        tag: Tag,
    },
    /// Blocking receive.
    Recv {
        from: Source,
        /// Tag or [`ANY_TAG`].
        tag: Tag,
    },
    /// Non-blocking send.
    Isend {
        to: Peer,
        /// Bytes.
        size: u64,
        tag: Tag,
        /// Number of the request.
        request: u32,
        /// Whether it was prepared before.
        persistent: bool,
    },
    /// Non-blocking receive.
    Irecv {
        from: Source,
        /// Tag or [`ANY_TAG`].
        tag: Tag,
        /// Number of the request.
        request: u32,
    },
    /// Waits for some of several requests, or looks whether all are complete; in live processes alone.
    Several {
        /// Index into [`Application::sets`](crate::Application::sets).
        set: u32,
        wanted: Wanted,
    },
    /// Waits for a request; several in a row are a `waitall`.
    Wait {
        /// Number of the request.
        request: u32,
    },
    /// To each process of a label, starting with receiver `own rank mod R`.
    P2pSend {
        /// Receiving label.
        label: u32,
        /// Bytes of each message.
        size: u64,
    },
    /// One message from each process of a label, in order of arrival.
    P2pRecv {
        /// Sending label.
        label: u32,
    },
    /// `count` messages spread evenly: message i from sender i mod S to receiver i mod R.
    One2OneSend {
        /// Receiving label.
        label: u32,
        /// Bytes of each message.
        size: u64,
        /// Messages in total.
        count: u64,
    },
    /// The receiving side.
    One2OneRecv {
        /// Sending label.
        label: u32,
        /// Messages in total, from the matching sends.
        count: u64,
    },
    /// To each process of one label among those of a scatter; several labels are several operations in a row.
    ScatterSend {
        /// Receiving label.
        label: u32,
        /// Bytes for each receiver.
        size: u64,
    },
    /// One message from each process of a label.
    ScatterRecv {
        /// Sending label.
        label: u32,
    },
    /// A message to each process of a label.
    GatherSend {
        /// Receiving label.
        label: u32,
        /// Bytes of each message.
        size: u64,
    },
    /// One message from each process of one label.
    GatherRecv {
        /// Sending label.
        label: u32,
    },
    /// A collective: an index into [`Application::collectives`](crate::Application::collectives).
    Collective(u32),
    /// The same, non-blocking.
    Icollective {
        /// Index into [`Application::collectives`](crate::Application::collectives).
        collective: u32,
        /// Number of the request.
        request: u32,
    },
    /// Hands out tasks: an index into [`Application::farms`](crate::Application::farms).
    Farm(u32),
    /// Takes tasks of that farm until there are none left.
    FarmWorker(u32),
    /// One side alone moves bytes to or from the memory of another process; the process goes on.
    Remote {
        access: Access,
        to: Peer,
        /// Bytes.
        size: u64,
        /// Number of the window.
        window: u32,
    },
    /// Waits until the own accesses to a window are done: to one process, or to all.
    Flush {
        window: u32,
        to: Option<Peer>,
        /// Whether the other side's answer is waited for.
        answer: bool,
    },
    /// Waits for the lock of a window at a process, which it then holds.
    Lock { window: u32, to: Peer },
    /// Gives it back.
    Unlock { window: u32, to: Peer },
    /// To or from a device: an index into [`Application::copies`](crate::Application::copies).
    Copy(u32),
    /// A device begins a task, behind those before it in the same stream; the process goes on.
    Launch {
        task: Task,
        /// Number of the request.
        request: u32,
    },
    /// From a storage.
    Read {
        /// Which storage, in [`Application::names`](crate::Application::names); none: the nearest.
        storage: Option<u32>,
        /// Bytes.
        size: u64,
    },
    /// To a storage.
    Write {
        /// Which storage, in [`Application::names`](crate::Application::names); none: the nearest.
        storage: Option<u32>,
        /// Bytes.
        size: u64,
    },
    /// Sleeps for this many seconds (bits of an `f64`).
    Sleep(u64),
    /// Begins a phase: an index into [`Application::phases`](crate::Application::phases).
    Phase(u32),
}

/// What one side alone does with the memory of another process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    Put,
    Get,
    /// A put whose bytes are summed up there.
    Accumulate,
}

/// How many of several requests are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// The first that is complete.
    Any,
    /// Those that are complete when one is.
    Some,
    /// All, if they are complete now; it does not wait.
    AllNow,
}

/// What a device does by itself, one after the other in each stream of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Task {
    /// A computing block: an index into [`Application::blocks`](crate::Application::blocks).
    Block(u32),
    /// An index into [`Application::copies`](crate::Application::copies).
    Copy(u32),
}

/// A copy between the memory of a machine and a device of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DeviceCopy {
    /// Which device, in [`Application::names`](crate::Application::names).
    pub device: u32,
    pub direction: Direction,
    /// Bytes.
    pub size: u64,
    /// The stream of the device that it is in.
    pub stream: u32,
}

/// Which way a copy goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    ToDevice,
    FromDevice,
}
