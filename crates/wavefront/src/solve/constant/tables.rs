//! Updates in beta by the length of the wait.

use crate::solve::chain::TooLarge;
use crate::solve::phase::Phase;

/// Values that all tables may have together.
const MOST_VALUES: u64 = 20_000_000;

/// Tables by mode, then process.
pub(super) struct Tables(Vec<Vec<Table>>);

/// Updates of one process.
pub(super) struct Table {
    /// By wait; longer ones are as good as the last.
    laws: Vec<Updates>,
}

/// Updates after one wait.
pub(super) struct Updates {
    pub mean: f64,
    /// P(N_i <= m) and P(N_i > m) for m = 0, 1, ..
    sums: Vec<(f64, f64)>,
}

impl Tables {
    pub fn new(phase: &Phase<'_>) -> Result<Tables, TooLarge> {
        let model = phase.model();
        let mut values = 0;
        let mut table = |mode: usize, process: usize| {
            let longest =
                if model.processes[process].beta_updates == 0 { 0 } else { phase.longest_wait(mode, process) };
            let laws = (0..=longest).map(|wait| {
                let law = phase.updates_in(mode, process, wait);
                values += law.len() as u64;
                if values > MOST_VALUES { None } else { Some(Updates::new(&law)) }
            });
            let laws = laws.collect::<Option<Vec<_>>>();
            laws.map(|laws| Table { laws }).ok_or(TooLarge::new("waits with their updates", MOST_VALUES))
        };
        let modes = 0..model.modes.count();
        let tables = modes.map(|mode| (0..model.size()).map(|process| table(mode, process)).collect());
        Ok(Tables(tables.collect::<Result<_, _>>()?))
    }

    pub fn of(&self, mode: usize, process: usize) -> &Table {
        &self.0[mode][process]
    }
}

impl Table {
    pub fn after(&self, wait: i64) -> &Updates {
        let wait = usize::try_from(wait.max(0)).unwrap_or(usize::MAX);
        &self.laws[wait.min(self.laws.len() - 1)]
    }
}

impl Updates {
    fn new(law: &[f64]) -> Updates {
        let mut sums = vec![(0.0, 0.0); law.len()];
        let (mut up_to, mut above) = (0.0, 0.0);
        for (sum, probability) in sums.iter_mut().zip(law) {
            up_to += probability;
            sum.0 = up_to;
        }
        for (sum, probability) in sums.iter_mut().zip(law).rev() {
            sum.1 = above;
            above += probability;
        }
        let mean = (0..).zip(law).map(|(updates, probability)| f64::from(updates) * probability).sum();
        Updates { mean, sums }
    }

    /// P(N_i <= m), P(N_i > m).
    pub fn split(&self, most: u64) -> (f64, f64) {
        usize::try_from(most).ok().and_then(|most| self.sums.get(most)).copied().unwrap_or((1.0, 0.0))
    }

    /// The largest N_i.
    pub fn most(&self) -> u64 {
        self.sums.len() as u64 - 1
    }
}
