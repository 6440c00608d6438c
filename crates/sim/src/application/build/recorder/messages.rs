//! Messages, and operations between labels.

use super::{Outcome, Own, Recorder, at_most_2_53, rank_outside};
#[cfg(feature = "luau")]
use crate::application::Wanted;
use crate::application::{Op, Peer, Source, Tag};
use crate::build::arguments::{FittingTag, From_, Partner, Request};
use crate::build::requests::Made;
use runcast_core::Problem;
#[cfg(feature = "luau")]
use runcast_core::hash::hash_of;

impl Recorder {
    /// Process number of a partner.
    pub(crate) fn process(&self, partner: Partner<'_>) -> Outcome<u64> {
        let (label, rank) = match partner {
            Partner::Rank(rank) => {
                if !self.own.running {
                    return Err(Problem::new(
                        "outside_process",
                        "a bare rank refers to the own label, and no process is running",
                    ));
                }
                if rank < self.own.count {
                    return Ok(self.own.first + rank);
                }
                (self.own.label, rank)
            }
            Partner::Of(label, rank) => (self.label_named(label)?, rank),
        };
        let label = &self.app.labels[label as usize];
        if rank < label.count {
            return Ok(label.first + rank);
        }
        Err(rank_outside(&label.name, label.count, &rank.to_string()))
    }

    /// Process numbers of partners; none: any.
    pub(crate) fn sender(&self, from: From_<'_>) -> Outcome<Option<u64>> {
        match from {
            From_::Any => Ok(None),
            From_::One(partner) => self.process(partner).map(Some),
        }
    }

    #[inline]
    pub(super) fn peer(&self, process: u64) -> Peer {
        let Own { first, count, rank, ranked, .. } = self.own;
        if ranked && process > first && process - first < count {
            Peer::Offset(process as i64 - (first + rank) as i64)
        } else {
            Peer::Process(process)
        }
    }

    #[inline]
    fn source(&self, from: Option<u64>) -> Source {
        from.map_or(Source::Any, |process| Source::Peer(self.peer(process)))
    }

    /// Blocking send to a process.
    #[inline]
    pub(crate) fn send(&mut self, to: u64, size: u64, tag: Tag) -> Outcome<()> {
        let to = self.peer(to);
        self.push(Op::Send { to, size: at_most_2_53(size)?, tag: users(tag)? })
    }

    /// Blocking receive from a process; none: from any.
    #[inline]
    pub(crate) fn recv(&mut self, from: Option<u64>, tag: FittingTag) -> Outcome<()> {
        let from = self.source(from);
        self.push(Op::Recv { from, tag: fitting(tag)? })
    }

    /// Non-blocking send.
    pub(crate) fn isend(&mut self, to: u64, size: u64, tag: Tag) -> Outcome<Request> {
        self.isend_as(to, size, tag, false)
    }

    pub(crate) fn isend_as(&mut self, to: u64, size: u64, tag: Tag, persistent: bool) -> Outcome<Request> {
        self.isend_with(to, size, users(tag)?, persistent)
    }

    /// The same with a tag that users do not have.
    #[cfg(feature = "luau")]
    pub(crate) fn isend_tagged(&mut self, to: u64, size: u64, tag: Tag) -> Outcome<Request> {
        self.isend_with(to, size, tag, false)
    }

    fn isend_with(&mut self, to: u64, size: u64, tag: Tag, persistent: bool) -> Outcome<Request> {
        let (to, size) = (self.peer(to), at_most_2_53(size)?);
        let request = self.request(Made::Send)?;
        self.push(Op::Isend { to, size, tag, request: request.number, persistent })?;
        Ok(request)
    }

    /// Non-blocking receive.
    pub(crate) fn irecv(&mut self, from: Option<u64>, tag: FittingTag) -> Outcome<Request> {
        let tag = fitting(tag)?;
        self.irecv_tagged(from, tag)
    }

    /// The same with a tag that users do not have.
    pub(crate) fn irecv_tagged(&mut self, from: Option<u64>, tag: Tag) -> Outcome<Request> {
        let from = self.source(from);
        let request = self.request(Made::Recv)?;
        self.push(Op::Irecv { from, tag, request: request.number })?;
        Ok(request)
    }

    pub(super) fn request(&mut self, made: Made) -> Outcome<Request> {
        if self.requests.numbers() >= crate::cursor::FIRST_OWN_REQUEST - 1 {
            return Err(Problem::new("too_many_requests", "there are more than 2^30 open requests"));
        }
        Ok(self.requests.make(made, self.frames.last().map_or(0, |frame| frame.serial)))
    }

    /// Waits for a request; returns what it was for.
    pub(crate) fn wait(&mut self, request: Request) -> Outcome<Made> {
        let made = self.requests.close(request, self.frames.last().map_or(0, |frame| frame.serial))?;
        self.push(Op::Wait { request: request.number })?;
        Ok(made)
    }

    /// Waits for some of several requests, which have places in the script's list; [`Recorder::completed`] tells which.
    #[cfg(feature = "luau")]
    pub(crate) fn several(&mut self, asked: &[(u32, Request)], wanted: Wanted) -> Outcome<()> {
        for (_, request) in asked {
            self.requests.check(*request)?;
        }
        let numbers: Vec<u32> = asked.iter().map(|(_, request)| request.number).collect();
        let hash = hash_of(&numbers);
        let (set, new) = self.sets.intern(&mut self.app.sets, hash, |old| *old == numbers, || numbers.clone());
        if new {
            self.charge(64 + 4 * numbers.len())?;
        }
        self.asked.clear();
        self.asked.extend_from_slice(asked);
        self.push(Op::Several { set, wanted })
    }

    /// A request of the last [`Recorder::several`] is complete: its place in the script's list, and what it was for.
    #[cfg(feature = "luau")]
    pub(crate) fn completed(&mut self, place: u32) -> Option<(u32, Made)> {
        let (listed, request) = self.asked.get(place as usize).copied()?;
        let made = self.requests.close(request, 0).ok()?;
        Some((listed, made))
    }

    /// Sends and receives at once, and waits for both, the receive last.
    pub(crate) fn sendrecv(&mut self, to: u64, from: Option<u64>, size: u64, tag: Tag) -> Outcome<()> {
        let received = self.irecv(from, FittingTag(tag))?;
        let sent = self.isend(to, size, tag)?;
        self.wait(sent)?;
        self.wait(received)?;
        Ok(())
    }

    /// To each process of a label.
    pub(crate) fn p2p_send(&mut self, to: &str, size: u64) -> Outcome<()> {
        let op = Op::P2pSend { label: self.label_named(to)?, size: at_most_2_53(size)? };
        self.push(op)
    }

    /// One message from each process of a label.
    pub(crate) fn p2p_recv(&mut self, from: &str) -> Outcome<()> {
        let op = Op::P2pRecv { label: self.label_named(from)? };
        self.push(op)
    }

    /// Messages spread evenly over a label.
    pub(crate) fn one2one_send(&mut self, to: &str, size: u64, count: u64) -> Outcome<()> {
        let op = Op::One2OneSend { label: self.label_named(to)?, size: at_most_2_53(size)?, count };
        self.push(op)
    }

    /// The other side of it; [`crate::application::check`] fills in how many.
    pub(crate) fn one2one_recv(&mut self, from: &str) -> Outcome<()> {
        let op = Op::One2OneRecv { label: self.label_named(from)?, count: 0 };
        self.push(op)
    }

    /// To each process of some labels.
    pub(crate) fn scatter_send(&mut self, to: &[&str], size: u64) -> Outcome<()> {
        for label in to {
            let op = Op::ScatterSend { label: self.label_named(label)?, size: at_most_2_53(size)? };
            self.push(op)?;
        }
        Ok(())
    }

    /// One message from each process of some labels.
    pub(crate) fn scatter_recv(&mut self, from: &[&str]) -> Outcome<()> {
        for label in from {
            let op = Op::ScatterRecv { label: self.label_named(label)? };
            self.push(op)?;
        }
        Ok(())
    }

    /// A message to each process of some labels.
    pub(crate) fn gather_send(&mut self, to: &[&str], size: u64) -> Outcome<()> {
        for label in to {
            let op = Op::GatherSend { label: self.label_named(label)?, size: at_most_2_53(size)? };
            self.push(op)?;
        }
        Ok(())
    }

    /// One message from each process of some labels.
    pub(crate) fn gather_recv(&mut self, from: &[&str]) -> Outcome<()> {
        for label in from {
            let op = Op::GatherRecv { label: self.label_named(label)? };
            self.push(op)?;
        }
        Ok(())
    }
}

fn users(tag: Tag) -> Outcome<Tag> {
    if tag >= 0 {
        return Ok(tag);
    }
    Err(Problem::new("bad_tag", format!("`tag` is {tag}")).value(tag.to_string()).allowed("a whole number from 0"))
}

fn fitting(tag: FittingTag) -> Outcome<Tag> {
    if tag.0 == crate::application::ANY_TAG { Ok(tag.0) } else { users(tag.0) }
}
