//! What processes did with their time: intervals without gaps, and their sums.
//!
//! Why a process was idle is known only when its wait is over. Until then pieces are kept in order, and are told then.

use crate::application::Site;
use crate::outcome::{Activity, Cause, DeviceAccount, Interval, LabelAccount, Observer, PhaseAccount};
use crate::tick::Tick;

/// What an idle piece of a process was spent on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reason {
    /// A message that was sent at that time: before it is waiting, afterwards it is under way.
    Message { sender: u32, sent: Tick },
    /// The head of the own message was under way until that time; then its receive was not posted.
    Receiver { arrival: Tick, cause: Cause },
    /// This.
    As(Activity, Option<Cause>),
}

/// Intervals of a process that are not told yet.
#[derive(Debug, Default)]
pub struct Ledger {
    /// Up to here all is in the pieces, or told.
    pub up_to: Tick,
    pieces: Vec<Piece>,
    phase: Option<u32>,
    /// What idle time counts as while the process waits for nothing that decides it later.
    pub idle: Option<(Activity, Option<Cause>)>,
}

#[derive(Debug, Clone, Copy)]
struct Piece {
    from: Tick,
    to: Tick,
    /// None: idle.
    activity: Option<Activity>,
    collective: bool,
    site: Site,
}

/// Sums over processes.
#[derive(Debug, Default)]
pub struct Accounts {
    pub labels: Vec<LabelAccount>,
    phases: Vec<u128>,
    /// Thread-ticks blocked in communication, by device.
    pub blocked: Vec<u128>,
}

/// Whose intervals they are.
#[derive(Debug, Clone, Copy)]
pub struct Owner {
    pub process: u32,
    pub label: u32,
    pub device: u32,
    pub site: Site,
    pub collective: bool,
}

impl Ledger {
    /// The process was at work; before that it was idle.
    #[inline]
    pub fn work(&mut self, owner: &Owner, from: Tick, to: Tick, activity: Activity) {
        self.idle_until(owner, from);
        if to > from {
            self.pieces.push(Piece {
                from,
                to,
                activity: Some(activity),
                collective: owner.collective,
                site: owner.site,
            });
            self.up_to = to;
        }
    }

    /// The process was idle up to then.
    #[inline]
    pub fn idle_until(&mut self, owner: &Owner, to: Tick) {
        if to > self.up_to {
            self.pieces.push(Piece {
                from: self.up_to,
                to,
                activity: None,
                collective: owner.collective,
                site: owner.site,
            });
            self.up_to = to;
        }
    }

    /// Tells all pieces; idle ones were spent on this.
    #[inline]
    pub fn tell(&mut self, owner: &Owner, reason: Reason, accounts: &mut Accounts, observer: &mut dyn Observer) {
        let mut pieces = std::mem::take(&mut self.pieces);
        for piece in pieces.drain(..) {
            let Some(activity) = piece.activity else {
                self.tell_idle(owner, &piece, reason, accounts, observer);
                continue;
            };
            self.one(owner, &piece, piece.from, piece.to, activity, None, accounts, observer);
        }
        // Its memory is used again.
        self.pieces = pieces;
    }

    fn tell_idle(
        &self,
        owner: &Owner,
        piece: &Piece,
        reason: Reason,
        accounts: &mut Accounts,
        observer: &mut dyn Observer,
    ) {
        let (middle, first, second, cause, blocked) = match reason {
            Reason::Message { sender, sent } => {
                let cause = Some(Cause { process: sender, at: sent, link: None });
                (sent, Activity::Wait, Activity::Transfer, cause, true)
            }
            Reason::Receiver { arrival, cause } => (arrival, Activity::Transfer, Activity::Wait, Some(cause), true),
            Reason::As(activity, cause) => {
                let blocked = matches!(activity, Activity::Transfer | Activity::Collective);
                (piece.to, activity, activity, cause, blocked)
            }
        };
        let middle = middle.clamp(piece.from, piece.to);
        self.one(owner, piece, piece.from, middle, first, cause, accounts, observer);
        self.one(owner, piece, middle, piece.to, second, cause, accounts, observer);
        if blocked {
            accounts.blocked[owner.device as usize] += u128::from(piece.to - piece.from);
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn one(
        &self,
        owner: &Owner,
        piece: &Piece,
        from: Tick,
        to: Tick,
        activity: Activity,
        cause: Option<Cause>,
        accounts: &mut Accounts,
        observer: &mut dyn Observer,
    ) {
        if to == from {
            return;
        }
        let ticks = u128::from(to - from);
        let counted = if piece.collective { Activity::Collective } else { activity };
        let label = &mut accounts.labels[owner.label as usize];
        label.ticks[counted as usize] += ticks;
        if let Some(phase) = self.phase {
            let at = phase as usize * accounts.labels.len() + owner.label as usize;
            if accounts.phases.len() <= at {
                accounts.phases.resize(at + 1, 0);
            }
            accounts.phases[at] += ticks;
        }
        let collective = piece.collective;
        let (site, phase) = (piece.site, self.phase);
        observer.interval(owner.process, Interval { activity, collective, from, to, site, phase, cause });
    }

    /// What follows belongs to this phase. All before must be told.
    pub fn begin(&mut self, phase: u32) {
        self.phase = Some(phase);
    }
}

impl Accounts {
    pub fn new(labels: usize, devices: usize) -> Self {
        Accounts { labels: vec![LabelAccount::default(); labels], phases: Vec::new(), blocked: vec![0; devices] }
    }

    /// Phases in the order of phase and label.
    pub fn phases(&self) -> Vec<PhaseAccount> {
        let labels = self.labels.len().max(1);
        let of = |(at, ticks): (usize, &u128)| PhaseAccount {
            phase: (at / labels) as u32,
            label: (at % labels) as u32,
            ticks: *ticks,
        };
        self.phases.iter().enumerate().filter(|(_, ticks)| **ticks > 0).map(of).collect()
    }
}

/// Adds time at a number of computing threads; the numbers stay sorted.
pub fn add_computing(account: &mut DeviceAccount, threads: f64, ticks: Tick) {
    if threads <= 0.0 || ticks == 0 {
        return;
    }
    match account.computing.binary_search_by(|(known, _)| known.total_cmp(&threads)) {
        Ok(at) => account.computing[at].1 += u128::from(ticks),
        Err(at) => account.computing.insert(at, (threads, u128::from(ticks))),
    }
}
