//! Operations between labels by formula (docs/theory/sim.md).
//!
//! ```text
//! pair(n) = 2o + L + w*max(O,G)    sigma = max(g + w*G, o + w*O)    rho = max(o + w*max(O,G), g + w*G)    w = max(n,1) - 1
//! sender free at t + o + w*O + (k_s-1)*sigma
//! receivers done at t + pair(n) + max((k_s-1)*sigma, (k_r-1)*rho)
//! ```
//!
//! A receiver that comes late takes its messages one after the other from then on: at least `o + w*max(O,G) + (k_r-1)*rho`.
//! Between unlike places the most expensive of three pairs counts: the representative with the first, the middle and the last process
//! of the other label.

use super::wiring::Between;
use crate::application::{Application, Op};
use crate::job::Job;
use crate::platform::LogGops;
use crate::tick::Tick;
use crate::world::{LabelCall, Place};
use runcast_core::Problem;

/// A call of a sender.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Call {
    /// Bytes of a message.
    pub size: u64,
    /// Messages of a sender, and of a receiver.
    pub each: (u64, u64),
    /// Messages in total.
    pub all: u64,
}

/// What a call takes, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Times {
    /// Until the sender is free.
    pub sender: Tick,
    /// Until its NIC is free.
    pub sender_nic: Tick,
    /// From the sender's start until a receiver that waited is done.
    pub receiver: Tick,
    /// From a receiver's start until it is done when all messages are there.
    pub late: Tick,
    /// Work of the receiver's processor.
    pub takes: Tick,
    /// Whether senders wait for receivers: `n > S`.
    pub rendezvous: bool,
}

/// The call of a sending operation; none: it sends nothing.
pub fn call(application: &Application, kind: Between, from: u32, to: u32, op: &Op) -> Option<Call> {
    let (senders, receivers) = (application.labels[from as usize].count, application.labels[to as usize].count);
    let (size, all) = match *op {
        Op::P2pSend { size, .. } | Op::ScatterSend { size, .. } | Op::GatherSend { size, .. } => {
            (size, senders.saturating_mul(receivers))
        }
        Op::One2OneSend { size, count, .. } => (size, count),
        _ => return None,
    };
    let each = match kind {
        Between::One2One => (all.div_ceil(senders.max(1)), all.div_ceil(receivers.max(1))),
        _ => (receivers, senders),
    };
    Some(Call { size, each, all })
}

/// What a call between two labels takes, from the point of view of a sender at a place.
///
/// # Errors
/// `time_overflow`; those of rules of the user.
pub fn times(
    application: &Application,
    job: &Job<'_>,
    kind: Between,
    labels: (u32, u32),
    call: &Call,
    from: &Place,
) -> Result<Times, Problem> {
    let (senders, to) = (application.labels[labels.0 as usize].count, &application.labels[labels.1 as usize]);
    if call.all == 0 || to.count == 0 {
        return Ok(Times::default());
    }
    let tick = job.tick;
    let asked = LabelCall { kind: kind.name(), size: call.size, messages: call.all, senders };
    if let Some(seconds) = job.world.between_labels(&asked, from)? {
        let all = tick.of(seconds)?;
        return Ok(Times { sender: all, receiver: all, ..Times::default() });
    }
    let concurrent = senders.max(to.count).min(call.all);
    let mut dearest: Option<(f64, LogGops, f64)> = None;
    let mut links = Vec::new();
    for at in [0, to.count / 2, to.count - 1] {
        let place = job.world.place(to.first + at);
        let (parameters, recv_o) = if let Some(seconds) = job.world.message(call.size, from, &place)? {
            (LogGops { L: seconds, o: 0.0, g: 0.0, G: 0.0, O: 0.0, S: u64::MAX }, 0.0)
        } else {
            let way = job.platform.way(*from, place, &mut links);
            let (mut parameters, recv_o) = job.platform.loggops(&way, call.size);
            if job.world.has_contention_rule() {
                parameters.G *= job.world.contention(concurrent, call.size, from, &place)?;
            }
            (parameters, recv_o)
        };
        let w = call.size.max(1) as f64 - 1.0;
        let pair = parameters.o + parameters.L + recv_o + w * parameters.O.max(parameters.G);
        if dearest.is_none_or(|(most, ..)| pair > most) {
            dearest = Some((pair, parameters, recv_o));
        }
    }
    let Some((pair, LogGops { o, g, G, O, S, .. }, recv_o)) = dearest else { return Ok(Times::default()) };
    let w = call.size.max(1) as f64 - 1.0;
    let (sigma, take) = ((g + w * G).max(o + w * O), recv_o + w * O.max(G));
    let rho = take.max(g + w * G);
    let (sends, receives) = (call.each.0.max(1) as f64 - 1.0, call.each.1.max(1) as f64 - 1.0);
    Ok(Times {
        sender: tick.of(o + w * O + sends * sigma)?,
        sender_nic: tick.of(g + w * G + sends * sigma)?,
        receiver: tick.of(pair + (sends * sigma).max(receives * rho))?,
        late: tick.of(take + receives * rho)?,
        takes: tick.of((receives + 1.0) * take)?,
        rendezvous: call.size > S,
    })
}
