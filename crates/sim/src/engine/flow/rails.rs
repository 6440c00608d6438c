//! Which of several rails a message takes.

use crate::platform::{RailChoice, Rails};
use runcast_core::hash::MixMap;

/// Bytes under way on each rail, by what sends and by what receives.
#[derive(Debug, Default)]
pub struct RailLoads {
    sent: MixMap<u64, Vec<u64>>,
    taken: MixMap<u64, Vec<u64>>,
}

/// The rails of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// The one that its ends usually take.
    Usual,
    /// This one; whether its bytes count as load.
    One { rail: u32, counts: bool },
    /// Each of these carries a part.
    Parts(Vec<u32>),
}

impl RailLoads {
    /// The rails of a message between processes of these numbers. `wanted`: those that it is to be spread over, by bits; 0: as
    /// the network chooses.
    pub fn choose(&self, rails: &Rails, (from, to): (u64, u64), size: u64, wanted: u64) -> Taken {
        let all = || (0..rails.count).collect();
        if wanted != 0 {
            return Taken::Parts((0..rails.count.min(64)).filter(|rail| wanted >> rail & 1 == 1).collect());
        }
        match rails.choice {
            RailChoice::Affinity => Taken::Usual,
            RailChoice::Hash => {
                let count = u64::from(rails.count);
                Taken::One { rail: ((from % count + to % count) % count) as u32, counts: false }
            }
            RailChoice::Stripe(least) if size >= least => Taken::Parts(all()),
            RailChoice::Load | RailChoice::Stripe(_) => Taken::One { rail: self.least(rails), counts: true },
        }
    }

    fn least(&self, rails: &Rails) -> u32 {
        let load = |loads: &MixMap<u64, Vec<u64>>, port: u64, rail: u32| {
            loads.get(&port).and_then(|loads| loads.get(rail as usize)).copied().unwrap_or(0)
        };
        let both = |rail: &u32| load(&self.sent, rails.ports.0, *rail) + load(&self.taken, rails.ports.1, *rail);
        (0..rails.count).min_by_key(both).unwrap_or(0)
    }

    /// A message is under way.
    pub fn begin(&mut self, rails: &Rails, rail: u32, bytes: u64) {
        for (loads, port) in [(&mut self.sent, rails.ports.0), (&mut self.taken, rails.ports.1)] {
            let loads = loads.entry(port).or_default();
            loads.resize(rails.count as usize, 0);
            loads[rail as usize] += bytes;
        }
    }

    /// It has arrived.
    pub fn end(&mut self, rails: &Rails, rail: u32, bytes: u64) {
        for (loads, port) in [(&mut self.sent, rails.ports.0), (&mut self.taken, rails.ports.1)] {
            if let Some(load) = loads.get_mut(&port).and_then(|loads| loads.get_mut(rail as usize)) {
                *load = load.saturating_sub(bytes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAILS: Rails = Rails { count: 3, choice: RailChoice::Load, usual: 0, ports: (7, 8) };

    #[test]
    fn load_takes_the_emptiest_and_the_first_of_equals() {
        let mut loads = RailLoads::default();
        let mut taken = Vec::new();
        for size in [10, 20, 5, 5, 5, 1] {
            let Taken::One { rail, counts: true } = loads.choose(&RAILS, (0, 1), size, 0) else { panic!("by load") };
            loads.begin(&RAILS, rail, size);
            taken.push(rail);
        }
        assert_eq!(taken, [0, 1, 2, 2, 0, 2]);
        loads.end(&RAILS, 1, 20);
        assert_eq!(loads.choose(&RAILS, (0, 1), 1, 0), Taken::One { rail: 1, counts: true });
        // What another machine receives on a rail counts there as well.
        let other = Rails { ports: (9, 8), ..RAILS };
        assert_eq!(loads.choose(&other, (0, 1), 1, 0), Taken::One { rail: 1, counts: true });
    }

    #[test]
    fn the_other_choices_look_at_no_load() {
        let loads = RailLoads::default();
        let by = |choice| Rails { choice, ..RAILS };
        assert_eq!(loads.choose(&by(RailChoice::Affinity), (4, 4), 9, 0), Taken::Usual);
        assert_eq!(loads.choose(&by(RailChoice::Hash), (4, 4), 9, 0), Taken::One { rail: 2, counts: false });
        assert_eq!(loads.choose(&by(RailChoice::Stripe(9)), (4, 4), 9, 0), Taken::Parts(vec![0, 1, 2]));
        assert_eq!(loads.choose(&by(RailChoice::Stripe(10)), (4, 4), 9, 0), Taken::One { rail: 0, counts: true });
        assert_eq!(loads.choose(&RAILS, (4, 4), 9, 0b101), Taken::Parts(vec![0, 2]));
    }
}
