//! The calls of one rank, as a trace has them.

use crate::Recording;
use crate::builder::Builder;
use crate::vocabulary::{Field, Flags, call};
use std::collections::HashMap;

/// One call.
#[derive(Debug, Clone, Default)]
pub(super) struct Call {
    pub code: u16,
    pub flags: Flags,
    pub fields: Vec<(Field, Vec<i64>)>,
}

/// From when to when, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Span {
    pub from_s: f64,
    pub to_s: f64,
    /// The same in processor time.
    pub processor_s: Option<(f64, f64)>,
}

/// Calls in order.
#[derive(Debug, Default)]
pub(super) struct Track {
    rank: u32,
    calls: Vec<Timed>,
    /// By the request that they made.
    posted: HashMap<u64, usize>,
    last: Option<Span>,
}

#[derive(Debug)]
struct Timed {
    call: Call,
    wall_s: f64,
    /// Processor time of the block before it.
    processor_s: Option<f64>,
    call_s: f64,
}

impl Track {
    pub fn of(rank: u32) -> Self {
        Track { rank, ..Track::default() }
    }

    /// Calls so far.
    pub fn len(&self) -> usize {
        self.calls.len()
    }

    /// Time that counts for no block, such as that of a call which is no event.
    pub fn skip(&mut self, span: Span) {
        self.last = Some(span);
    }

    pub fn push(&mut self, call: Call, span: Span) {
        let last = self.last.unwrap_or(Span { to_s: span.from_s, ..span });
        let processor_s = last.processor_s.zip(span.processor_s).map(|((_, before), (now, _))| now - before);
        let wall_s = (span.from_s - last.to_s).max(0.0);
        self.calls.push(Timed { call, wall_s, processor_s, call_s: (span.to_s - span.from_s).max(0.0) });
        self.last = Some(span);
    }

    /// A call that makes a request.
    pub fn post(&mut self, call: Call, request: u64, span: Span) {
        self.posted.insert(request, self.calls.len());
        self.push(call, span);
    }

    pub fn is_posted(&self, request: u64) -> bool {
        self.posted.contains_key(&request)
    }

    /// The call that made a request.
    pub fn poster(&mut self, request: u64) -> Option<&mut Call> {
        let place = *self.posted.get(&request)?;
        self.calls.get_mut(place).map(|timed| &mut timed.call)
    }

    /// A wait for requests. Those that nobody made count for nothing, and neither does a wait for none.
    pub fn wait(&mut self, code: u16, requests: &[u64], span: Span) {
        let number = self.calls.len();
        let places: Vec<usize> = requests.iter().filter_map(|request| self.posted.remove(request)).collect();
        if places.is_empty() {
            return self.skip(span);
        }
        let distances: Vec<i64> = places.iter().map(|place| (number - place) as i64).collect();
        let fields = vec![(Field::Count, vec![distances.len() as i64]), (Field::Reqs, distances)];
        self.push(Call { code, fields, ..Call::default() }, span);
    }

    /// The recording of the rank, one of `p`.
    pub fn recording(self, p: u32, format: &str) -> Recording {
        let mut builder = Builder::new(self.rank, p);
        builder.meta().program = format!("{format} trace");
        // A clock that says nothing of the blocks is none.
        let wall: f64 = self.calls.iter().map(|timed| timed.wall_s).sum();
        let processor: Option<f64> = self.calls.iter().skip(1).map(|timed| timed.processor_s).sum();
        let is_told = processor.is_some_and(|sum| sum > 0.05 * wall && sum < 1.1 * wall);
        let is_closed = self.calls.last().is_some_and(|timed| timed.call.code == call::FINALIZE);
        for Timed { call, wall_s, processor_s, call_s } in self.calls {
            let block_s = processor_s.filter(|time| is_told && *time >= 0.0).unwrap_or(wall_s);
            let fields: Vec<(Field, &[i64])> =
                call.fields.iter().map(|(field, values)| (*field, values.as_slice())).collect();
            let site = u64::from(call.code) << 8 | u64::from(call.flags.0 & 0xff);
            builder.call(call.code, call.flags, (site, 0), &fields, [block_s, call_s]);
        }
        if !is_closed {
            builder.call(call::FINALIZE, Flags::default(), (u64::from(call::FINALIZE) << 8, 0), &[], [0.0, 0.0]);
        }
        builder.finish()
    }
}
