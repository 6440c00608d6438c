//! Phases by the recursion of the model.

use super::small::halves;
use super::tables::{Alpha, ModeTables, Network, Rule, Tables};
use super::{Each, Engine, Phase, See};
use crate::model::{Model, Tie};
use runcast_core::random::SplitMix;
use std::sync::Arc;

/// Number of updates of subphase beta that are always drawn, whether or not there is time for them: no branch to predict.
const DRAWN_AHEAD: u32 = 2;

/// Phases by the recursion
///
/// ```text
/// Y_i = X_i + alpha_i      W_i = max over j != i of (Y_j + n_{j->i})      T_i' = max(Y_i, W_i)      X_i' = T_i' - T_1'
/// ```
///
/// (\[C\] Eq. 6, 7), with the updates of subphase beta, both semantics, both rules for ties, and modes.
///
/// # Examples
/// ```
/// use runcast_wavefront::cases;
/// use runcast_wavefront::simulate::Recursion;
/// let mut recursion = Recursion::new(&cases::barrier(), 0, 0);
/// let ticks: u64 = (0..10_000).map(|_| recursion.phase().ticks).sum();
/// // Phi = 1 + 2 Bernoulli(3/4): mean 2.5, standard error 0.009.
/// assert!((ticks as f64 / 1e4 - 2.5).abs() < 0.04);
/// ```
#[derive(Debug, Clone)]
pub struct Recursion {
    pub(super) tables: Arc<Tables>,
    random: SplitMix,
    last_mode: usize,
    /// Of the phase to come.
    mode: usize,
    offsets: Vec<i64>,
    alpha_ends: Vec<i64>,
    arrivals: Vec<i64>,
    updates: Vec<u32>,
    discarded: Vec<u32>,
}

/// Where [`step`] writes; times are relative to the start of the phase on process 1.
struct Slots<'s> {
    /// In: the offsets at the start; out: those at the end.
    offsets: &'s mut [i64],
    /// Y_i.
    alpha_ends: &'s mut [i64],
    /// When the message from j to i arrives, by receiver, then sender.
    arrivals: Option<&'s mut [i64]>,
    /// A_i + N_i.
    updates: &'s mut [u32],
    /// Updates of subphase beta that were thrown away.
    discarded: &'s mut [u32],
}

impl Recursion {
    /// At the start of the model, with random numbers of a stream of its own.
    pub fn new(model: &Model, seed: u64, stream: u64) -> Recursion {
        Recursion::of_tables(&Tables::new(model), seed, stream)
    }

    /// The same for tables that are there already.
    pub fn of_tables(tables: &Arc<Tables>, seed: u64, stream: u64) -> Recursion {
        let mut random = SplitMix::new(seed, stream);
        let mode = tables.first_mode(&mut random);
        let size = tables.size();
        Recursion {
            tables: Arc::clone(tables),
            random,
            last_mode: mode,
            mode,
            offsets: tables.offsets.clone(),
            alpha_ends: vec![0; size],
            arrivals: Vec::new(),
            updates: vec![0; size],
            discarded: vec![0; size],
        }
    }

    /// With another mode for the first phase.
    #[must_use]
    pub fn starting_in(mut self, mode: usize) -> Recursion {
        (self.last_mode, self.mode) = (mode, mode);
        self
    }

    pub fn phase(&mut self) -> Phase {
        self.one(false)
    }

    /// The next phase, keeping when each message arrived; the same numbers as [`Recursion::phase`].
    pub fn phase_with_arrivals(&mut self) -> Phase {
        self.arrivals.resize(self.offsets.len() * self.offsets.len(), 0);
        self.one(true)
    }

    /// Many phases; `see` gets each, with the updates and the offsets at its end and the mode of the next one. The same
    /// numbers as [`Recursion::phase`], several times faster for few processes.
    pub fn run(&mut self, phases: u64, see: impl FnMut(Phase, &[u32], &[i64], usize)) {
        self.play(phases, Each(see));
    }

    /// A_i + N_i of the last phase.
    pub fn updates(&self) -> &[u32] {
        &self.updates
    }

    /// Updates of subphase beta of the last phase that were thrown away, of each process.
    pub fn discarded(&self) -> &[u32] {
        &self.discarded
    }

    /// Where the processes are against process 1: before the first phase the start, after a phase its end, in ticks.
    pub fn offsets(&self) -> &[i64] {
        &self.offsets
    }

    /// The mode of the phase to come.
    pub fn mode(&self) -> usize {
        self.mode
    }

    /// The mode of the last phase.
    pub fn last_mode(&self) -> usize {
        self.last_mode
    }

    /// Y_i of the last phase, in ticks after it began on process 1.
    pub fn alpha_ends(&self) -> &[i64] {
        &self.alpha_ends
    }

    /// When each message of the last phase arrived, in ticks after it began on process 1: by receiver, then sender; what
    /// stands on the diagonal means nothing. Empty before [`Recursion::phase_with_arrivals`].
    pub fn arrivals(&self) -> &[i64] {
        &self.arrivals
    }

    fn one(&mut self, keeps_arrivals: bool) -> Phase {
        self.last_mode = self.mode;
        let slots = Slots {
            offsets: &mut self.offsets,
            alpha_ends: &mut self.alpha_ends,
            arrivals: keeps_arrivals.then_some(&mut self.arrivals[..]),
            updates: &mut self.updates,
            discarded: &mut self.discarded,
        };
        let phase = step(&self.tables, self.last_mode, &mut self.random, slots);
        self.mode = self.tables.next_mode(self.last_mode, &mut self.random);
        phase
    }

    fn run_unsized(&mut self, phases: u64, mut see: impl See) {
        for _ in 0..phases {
            let phase = self.one(false);
            see.see(phase, &self.updates, &self.offsets, self.mode);
        }
    }

    /// With all that changes in registers and on the stack.
    fn run_sized<const SIZE: usize>(&mut self, phases: u64, mut see: impl See) {
        let mut offsets = [0; SIZE];
        offsets.copy_from_slice(&self.offsets);
        let (mut alpha_ends, mut updates, mut discarded) = ([0; SIZE], [0; SIZE], [0; SIZE]);
        let mut random = self.random.clone();
        let (mut last_mode, mut mode) = (self.last_mode, self.mode);
        for _ in 0..phases {
            last_mode = mode;
            let slots = Slots {
                offsets: &mut offsets,
                alpha_ends: &mut alpha_ends,
                arrivals: None,
                updates: &mut updates,
                discarded: &mut discarded,
            };
            let phase = step(&self.tables, mode, &mut random, slots);
            mode = self.tables.next_mode(mode, &mut random);
            see.see(phase, &updates, &offsets, mode);
        }
        if phases > 0 {
            self.alpha_ends.copy_from_slice(&alpha_ends);
            self.updates.copy_from_slice(&updates);
            self.discarded.copy_from_slice(&discarded);
        }
        self.offsets.copy_from_slice(&offsets);
        (self.random, self.last_mode, self.mode) = (random, last_mode, mode);
    }
}

impl Engine for Recursion {
    fn phase(&mut self) -> Phase {
        Recursion::phase(self)
    }

    fn last(&self) -> (&[u32], &[i64], usize) {
        (&self.updates, &self.offsets, self.mode)
    }

    fn follow(&mut self, mut row: impl FnMut(i64, i64, i64, u32, u32)) -> Phase {
        let begins = self.offsets.clone();
        let phase = self.phase();
        for (process, begin) in begins.into_iter().enumerate() {
            let end = self.offsets[process] + phase.ticks as i64;
            row(begin, self.alpha_ends[process], end, self.updates[process], self.discarded[process]);
        }
        phase
    }

    fn play(&mut self, phases: u64, see: impl See) {
        match self.offsets.len() {
            1 => self.run_sized::<1>(phases, see),
            2 => self.run_sized::<2>(phases, see),
            3 => self.run_sized::<3>(phases, see),
            4 => self.run_sized::<4>(phases, see),
            5 => self.run_sized::<5>(phases, see),
            6 => self.run_sized::<6>(phases, see),
            7 => self.run_sized::<7>(phases, see),
            8 => self.run_sized::<8>(phases, see),
            _ => self.run_unsized(phases, see),
        }
    }
}

/// One phase. Inlined with slices of known lengths, its loops are unrolled.
#[inline(always)]
fn step(tables: &Tables, mode: usize, random: &mut SplitMix, slots: Slots<'_>) -> Phase {
    let laws = &tables.modes[mode];
    let Slots { offsets, alpha_ends, arrivals, updates, discarded } = slots;
    let size = offsets.len();
    begin(&laws.alpha, random, offsets, alpha_ends);
    meet(laws, random, alpha_ends, offsets, arrivals);
    let (mut iterations, mut iterations_other) = (0, 0);
    match tables.rule {
        Rule::Wait => {
            let alpha_updates = &tables.alpha_updates[..size];
            for process in 0..size {
                updates[process] = alpha_updates[process];
                discarded[process] = 0;
            }
            iterations = tables.most_alpha_updates;
            iterations_other = iterations;
        }
        Rule::Abort(tie) => {
            for process in 0..size {
                let wait = offsets[process] - alpha_ends[process];
                let beta = aborted(laws, process, tables.beta_updates[process], wait, random);
                let alpha = tables.alpha_updates[process];
                let (own, other) = match tie {
                    Tie::Counts => (beta.counts, beta.discards),
                    Tie::Discards => (beta.discards, beta.counts),
                };
                updates[process] = alpha + own;
                discarded[process] = u32::from(wait > 0 && beta.begun > own);
                iterations = iterations.max(alpha + own);
                iterations_other = iterations_other.max(alpha + other);
            }
        }
        Rule::Complete => {
            for process in 0..size {
                let (begin, met) = (alpha_ends[process], offsets[process]);
                let (end, count) = completed(laws, process, tables.beta_updates[process], begin, met, random);
                offsets[process] = end;
                updates[process] = tables.alpha_updates[process] + count;
                discarded[process] = 0;
                iterations = iterations.max(updates[process]);
            }
            iterations_other = iterations;
        }
    }
    let ticks = offsets[0];
    for offset in offsets.iter_mut() {
        *offset -= ticks;
    }
    Phase { ticks: ticks as u64, iterations, iterations_other }
}

/// Y_i = X_i + alpha_i.
#[inline(always)]
fn begin(alpha: &Alpha, random: &mut SplitMix, offsets: &[i64], alpha_ends: &mut [i64]) {
    let size = alpha_ends.len();
    match alpha {
        Alpha::Small(tables) => {
            let tables = &tables[..size];
            let mut spare = 0;
            for process in 0..size {
                let bits = if process % 2 == 0 { halves(random, &mut spare) } else { spare };
                alpha_ends[process] = offsets[process] + tables[process].draw(bits);
            }
        }
        Alpha::Any(sums) => {
            for ((end, start), sum) in alpha_ends.iter_mut().zip(offsets).zip(sums) {
                *end = start + sum.draw(random);
            }
        }
    }
}

/// max(Y_i, W_i), and when each message arrives.
#[inline(always)]
fn meet(laws: &ModeTables, random: &mut SplitMix, alpha_ends: &[i64], met: &mut [i64], arrivals: Option<&mut [i64]>) {
    let size = met.len();
    let own = &laws.own[..size];
    match &laws.network {
        Network::Constant(times) => {
            let times = &times[..size * size];
            meet_by(own, alpha_ends, met, arrivals, |place, _| times[place]);
        }
        Network::Same(table) => {
            let mut spare = 0;
            meet_by(own, alpha_ends, met, arrivals, |_, is_first| {
                table.draw(if is_first { halves(random, &mut spare) } else { spare })
            });
        }
        Network::Small(tables) => {
            let tables = &tables[..size * size];
            let mut spare = 0;
            meet_by(own, alpha_ends, met, arrivals, |place, is_first| {
                tables[place].draw(if is_first { halves(random, &mut spare) } else { spare })
            });
        }
        Network::Any(tables, which) => {
            meet_by(own, alpha_ends, met, arrivals, |place, _| tables[which[place] as usize].draw(random));
        }
    }
}

/// The same for messages whose times `draw` gives: by place (receiver, then sender), and whether it is the first of two
/// that may share a random number.
#[inline(always)]
fn meet_by(
    own: &[i64],
    alpha_ends: &[i64],
    met: &mut [i64],
    mut arrivals: Option<&mut [i64]>,
    mut draw: impl FnMut(usize, bool) -> i64,
) {
    let size = met.len();
    for to in 0..size {
        let mut last = alpha_ends[to] + own[to];
        let mut receive = |other: usize, is_first: bool| {
            let from = if other < to { other } else { other + 1 };
            let arrival = alpha_ends[from] + draw(to * size + from, is_first);
            last = last.max(arrival);
            if let Some(arrivals) = &mut arrivals {
                arrivals[to * size + from] = arrival;
            }
        };
        let others = size - 1;
        for pair in 0..others / 2 {
            receive(2 * pair, true);
            receive(2 * pair + 1, false);
        }
        if others % 2 == 1 {
            receive(others - 1, true);
        }
        met[to] = last;
    }
}

/// N_i under abort.
struct Beta {
    /// Where an update counts that ends with the last message.
    counts: u32,
    /// Where it does not.
    discards: u32,
    /// Updates that were begun before the last message arrived.
    begun: u32,
}

#[inline(always)]
fn aborted(laws: &ModeTables, process: usize, most: u32, wait: i64, random: &mut SplitMix) -> Beta {
    let mut beta = Beta { counts: 0, discards: 0, begun: 0 };
    let mut spent = 0;
    for count in 0..most {
        if count >= DRAWN_AHEAD && spent >= wait {
            break;
        }
        beta.begun += u32::from(spent < wait);
        spent += laws.update[process].draw(random);
        beta.counts += u32::from(spent <= wait);
        beta.discards += u32::from(spent < wait);
    }
    beta
}

/// The end of the phase and N_i under complete; `met` is max(Y_i, W_i).
#[inline(always)]
fn completed(laws: &ModeTables, process: usize, most: u32, begin: i64, met: i64, random: &mut SplitMix) -> (i64, u32) {
    let (mut now, mut done) = (begin, 0);
    for count in 0..most {
        if count >= DRAWN_AHEAD && now >= met {
            break;
        }
        let update = laws.update[process].draw(random);
        let begins = now < met;
        now += if begins { update } else { 0 };
        done += u32::from(begins);
    }
    (now.max(met), done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;
    use crate::model::Semantics;
    use crate::model::law::Law;

    /// The mean of Phi and of N over many phases.
    fn means(model: &Model, phases: u64) -> (f64, f64, f64) {
        let (mut ticks, mut iterations, mut other) = (0, 0, 0);
        Recursion::new(model, 5, 1).run(phases, |phase, _, _, _| {
            ticks += phase.ticks;
            iterations += u64::from(phase.iterations);
            other += u64::from(phase.iterations_other);
        });
        let mean = |sum: u64| sum as f64 / phases as f64;
        (mean(ticks), mean(iterations), mean(other))
    }

    #[test]
    fn three_processes_on_a_constant_network() {
        // Exact values of an independent enumeration: E[Phi] = 1.10848192944 s, E[N] = 1.79215214232 where ties count,
        // 1.59105514226 where they do not; asymptotic deviations a phase 0.276 s and 0.394.
        let phases = 400_000;
        let (ticks, counts, discards) = means(&cases::constant_network(1), phases);
        let error = 4.0 / (phases as f64).sqrt();
        assert!((ticks / 10.0 - 1.10848192944).abs() < 0.276 * error, "{ticks}");
        assert!((counts - 1.79215214232).abs() < 0.394 * error, "{counts}");
        assert!((discards - 1.59105514226).abs() < 0.6 * error, "{discards}");
    }

    #[test]
    fn a_tie_counts_or_not() {
        let mut model = cases::periodic();
        model.start = vec![0, 1];
        let mut recursion = Recursion::new(&model, 0, 0);
        // Updates of 3, messages of 2: Y = (3, 4), W = (6, 5), waits of 3 and 1; one update fits exactly into 3.
        assert_eq!(recursion.phase(), Phase { ticks: 6, iterations: 2, iterations_other: 1 });
        assert_eq!((recursion.updates(), recursion.offsets()), (&[2, 1][..], &[0, -1][..]));
        assert_eq!(recursion.discarded(), [0, 1]);
        model.tie = Tie::Discards;
        let mut recursion = Recursion::new(&model, 0, 0);
        assert_eq!(recursion.phase(), Phase { ticks: 6, iterations: 1, iterations_other: 2 });
        assert_eq!(recursion.discarded(), [1, 1]);
    }

    #[test]
    fn an_update_that_is_finished_makes_a_phase_longer() {
        // Two processes with constant 5 s and 4 s, messages of 3 s, A = 1: B = (1, 1) gives 8.75 s, B = (1, 2) 8 s.
        let mut model = cases::plain(1.0, 0.9, vec![Law::constant(5), Law::constant(4)], Law::constant(3));
        model.semantics = Semantics::Complete;
        let mean = |beta| means(&model.with_updates(&[(1, 1), (1, beta)]), 40_000).0;
        assert!((mean(1) - 8.75).abs() < 1e-3, "{}", mean(1));
        assert!((mean(2) - 8.0).abs() < 1e-3, "{}", mean(2));
    }

    #[test]
    fn long_runs_give_what_single_phases_give() {
        let mut model = cases::homogeneous(4, 1, 3).with_updates(&[(2, 0), (1, 1), (1, 2), (3, 5)]);
        for semantics in [Semantics::Abort, Semantics::Complete] {
            model.semantics = semantics;
            let (mut slow, mut fast) = (Recursion::new(&model, 9, 2), Recursion::new(&model, 9, 2));
            fast.run(1000, |phase, updates, offsets, mode| {
                assert_eq!(phase, slow.phase_with_arrivals());
                assert_eq!((updates, offsets, mode), (slow.updates(), slow.offsets(), slow.mode()));
            });
            assert_eq!(fast.phase(), slow.phase());
        }
    }

    #[test]
    fn one_process_waits_for_nobody() {
        let model = cases::plain(1.0, 0.9, vec![Law::constant(2)], Law::constant(5)).with_updates(&[(3, 4)]);
        let mut recursion = Recursion::new(&model, 0, 0);
        assert_eq!(recursion.phase(), Phase { ticks: 6, iterations: 3, iterations_other: 3 });
    }
}
