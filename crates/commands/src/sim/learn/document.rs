//! The document of kind `sim-learn`.

use super::Read;
use super::files::Files;
use runcast_core::{Problem, Warning};
use runcast_record::learn::{Checked, Item, Learnt, Reach};
use runcast_record::vocabulary::shown;
use serde::Serialize;
use std::collections::BTreeMap;

/// Everything that was learnt.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Document {
    kind: &'static str,
    version: u32,
    pub(super) recordings: Vec<ShownRecording>,
    pub(super) grid: Option<ShownGrid>,
    pub(super) classes: Vec<ShownClass>,
    pub(super) peers: Vec<ShownPeer>,
    pub(super) formulas: Vec<ShownFormula>,
    pub(super) coverage: Coverage,
    pub(super) unexplained: Vec<Unexplained>,
    pub(super) check: Vec<ShownCheck>,
    pub(super) forecast: Vec<ShownForecast>,
    pub(super) files: Vec<String>,
    warnings: Vec<Warning>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct ShownRecording {
    pub(super) path: String,
    pub(super) p: u32,
    pub(super) params: BTreeMap<String, f64>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct ShownGrid {
    pub(super) dims: usize,
    pub(super) wrap: bool,
    order: &'static str,
    pub(super) sizes: Vec<String>,
    from: &'static str,
    far: usize,
    pub(super) offsets: usize,
}

/// Ranks in like positions.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ShownClass {
    signature: String,
    guard: String,
    counts: BTreeMap<String, u32>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct ShownPeer {
    site: usize,
    pub(super) r#where: String,
    pub(super) function: &'static str,
    pub(super) offset: Option<Vec<i64>>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct ShownFormula {
    pub(super) name: String,
    site: Option<usize>,
    pub(super) what: &'static str,
    pub(super) text: String,
    pub(super) status: &'static str,
    configurations: usize,
    range_pct: Option<f64>,
}

/// Shares of what was recorded that the model has.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(super) struct Coverage {
    pub(super) calls: f64,
    pub(super) time: f64,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Unexplained {
    site: Option<usize>,
    pub(super) r#where: Option<String>,
    pub(super) call: Option<String>,
    pub(super) calls: Option<u64>,
    pub(super) share: Option<f64>,
    pub(super) why: String,
    sample: Option<String>,
}

/// A recording beside the model.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ShownCheck {
    pub(super) p: u32,
    params: BTreeMap<String, f64>,
    pub(super) recorded_s: Option<f64>,
    /// `measured`; `replayed` where ranks shared cores.
    basis: Option<&'static str>,
    pub(super) simulated_s: Option<f64>,
    low_s: Option<f64>,
    high_s: Option<f64>,
    pub(super) difference_pct: Option<f64>,
    pub(super) calls: u64,
    pub(super) calls_right: u64,
    /// Right ones that the script makes, too.
    #[serde(skip)]
    calls_modelled: u64,
    pub(super) calls_equal: bool,
    pub(super) bytes_equal: bool,
    pub(super) held_out: bool,
}

/// A time for a configuration.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ShownForecast {
    pub(super) p: u64,
    pub(super) params: BTreeMap<String, f64>,
    pub(super) time_s: f64,
    pub(super) time_low_s: f64,
    pub(super) time_high_s: f64,
    pub(super) level: f64,
    pub(super) extrapolates: bool,
}

impl Document {
    pub(super) fn new(
        learnt: &Learnt,
        reads: &[Read],
        files: &Files,
        check: Vec<ShownCheck>,
        forecast: Vec<ShownForecast>,
        warnings: Vec<Warning>,
        names: Vec<String>,
    ) -> Self {
        let mut document = Document { grid: grid(learnt), classes: classes(learnt), ..Document::blank(reads) };
        walk(&learnt.items, learnt, &mut document);
        document.unexplained.extend(learnt.left.iter().map(|one| Unexplained {
            site: Some(one.key.site),
            r#where: learnt.sites.get(one.key.site).cloned(),
            call: Some(shown(one.key.call, one.key.flags)),
            calls: Some(one.calls),
            share: Some(one.share),
            why: format!("unexplained: {}", one.why),
            sample: None,
        }));
        for one in &learnt.unforeseen {
            document.formulas.push(ShownFormula {
                name: one.name.clone(),
                site: None,
                what: "trips",
                text: one.rule.text(&learnt.symbols, "k"),
                status: "fitted",
                configurations: one.rule.configurations(),
                range_pct: None,
            });
        }
        let own = || check.iter().filter(|one| !one.held_out);
        let all: u64 = own().map(|one| one.calls).sum();
        let right: u64 = own().map(|one| one.calls_modelled).sum();
        document.coverage = Coverage { calls: right as f64 / all.max(1) as f64, time: files.time_share };
        Document { check, forecast, warnings, files: names, ..document }
    }

    /// What stands in the way of a model.
    pub(super) fn refused(reads: &[Read], problem: &Problem) -> Self {
        Document::blank(reads).with(std::slice::from_ref(problem))
    }

    /// What was found beside the model.
    pub(super) fn with(mut self, findings: &[Problem]) -> Self {
        let place = |problem: &Problem| problem.pointer.clone().filter(|at| !at.starts_with("--"));
        let found = |problem: &Problem| {
            let why = format!("{}: {}", problem.code, problem.message);
            let (sample, r#where) = (problem.value.clone(), problem.value.clone().or_else(|| place(problem)));
            Unexplained { site: None, r#where, call: None, calls: None, share: None, why, sample }
        };
        self.unexplained.extend(findings.iter().map(found));
        self
    }

    fn blank(reads: &[Read]) -> Self {
        let shown = |read: &Read| ShownRecording {
            path: read.path.clone(),
            p: read.recording.p,
            params: read.params.iter().cloned().collect(),
        };
        Document {
            kind: "sim-learn",
            version: 1,
            recordings: reads.iter().map(shown).collect(),
            grid: None,
            classes: Vec::new(),
            peers: Vec::new(),
            formulas: Vec::new(),
            coverage: Coverage::default(),
            unexplained: Vec::new(),
            check: Vec::new(),
            forecast: Vec::new(),
            files: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

impl ShownCheck {
    pub(super) fn new(
        read: &Read,
        right: Checked,
        recorded: Option<(f64, &'static str)>,
        simulated: Option<&ShownForecast>,
    ) -> Self {
        let recorded_s = recorded.map(|(time_s, _)| time_s);
        let positive = recorded_s.filter(|time_s| *time_s > 0.0);
        let difference = simulated.zip(positive).map(|(one, time_s)| 100.0 * (one.time_s / time_s - 1.0));
        ShownCheck {
            recorded_s,
            basis: recorded.map(|(_, basis)| basis),
            simulated_s: simulated.map(|one| one.time_s),
            low_s: simulated.map(|one| one.time_low_s),
            high_s: simulated.map(|one| one.time_high_s),
            difference_pct: difference,
            held_out: false,
            ..ShownCheck::held_out(read, right)
        }
    }

    /// The logarithm of the simulated time over the recorded one.
    pub(super) fn log_difference(&self) -> Option<f64> {
        Some((self.simulated_s? / self.recorded_s?).ln()).filter(|log| log.is_finite())
    }

    /// The range of the simulated time, so wide in logarithms to either side.
    pub(super) fn within(&mut self, spread: f64) {
        self.low_s = self.simulated_s.map(|time| time * (-spread).exp());
        self.high_s = self.simulated_s.map(|time| time * spread.exp());
    }

    /// Calls alone.
    pub(super) fn held_out(read: &Read, right: Checked) -> Self {
        ShownCheck {
            p: read.recording.p,
            params: read.params.iter().cloned().collect(),
            recorded_s: None,
            basis: None,
            simulated_s: None,
            low_s: None,
            high_s: None,
            difference_pct: None,
            calls: right.calls,
            calls_right: right.calls_right,
            calls_modelled: right.calls_modelled,
            calls_equal: right.calls_right == right.calls,
            bytes_equal: right.bytes_right == right.calls,
            held_out: true,
        }
    }
}

fn grid(learnt: &Learnt) -> Option<ShownGrid> {
    let grid = learnt.grid.as_ref()?;
    let text = |sizes: &Vec<i64>| sizes.iter().map(i64::to_string).collect::<Vec<_>>().join(" x ");
    Some(ShownGrid {
        dims: grid.dims,
        wrap: grid.wrap,
        order: grid.order(),
        sizes: grid.sizes.iter().map(text).collect(),
        from: if grid.is_cart { "cart" } else { "inferred" },
        far: grid.far,
        offsets: grid.offsets,
    })
}

fn classes(learnt: &Learnt) -> Vec<ShownClass> {
    let shown = |(cell, counts): (&runcast_record::learn::Cell, &Vec<u32>)| {
        let counts = learnt.p.iter().zip(counts).filter(|(_, count)| **count > 0);
        ShownClass {
            signature: cell.text(),
            guard: cell.condition(),
            counts: counts.map(|(p, count)| (p.to_string(), *count)).collect(),
        }
    };
    learnt.cells.iter().map(shown).collect()
}

/// Peers and formulas of all items, in order.
fn walk(items: &[Item], learnt: &Learnt, document: &mut Document) {
    for item in items {
        let index = "k";
        let site = item.key.map(|key| key.site);
        let name = match item.key {
            Some(key) => format!("{}_{}", shown(key.call, key.flags), item.number),
            None => format!("loop_{}", item.number),
        };
        let mut add = |what, text, status, configurations, range_pct| {
            let name = name.clone();
            document.formulas.push(ShownFormula { name, site, what, text, status, configurations, range_pct });
        };
        if let Some(rule) = &item.told.trips {
            add("trips", rule.text(&learnt.symbols, index), rule.status(), rule.configurations(), None);
        }
        for (rule, what) in item.told.fields.iter().zip(["size", "tag", "root"]) {
            if let Some(rule) = rule {
                add(what, rule.text(&learnt.symbols, index), rule.status(), rule.configurations(), None);
            }
        }
        if let Some(block) = item.told.block.as_ref().filter(|block| block.factor_s > 0.0) {
            let known = block.means_s.iter().flatten().count();
            let text = block.text(&learnt.symbols);
            add("block", text, "fitted", known, Some(100.0 * block.misfit));
        }
        if let Some(key) = item.key.filter(|_| item.to != Reach::Nobody) {
            let offset = if let Reach::Grid(steps) = &item.to { Some(steps.clone()) } else { None };
            let r#where = learnt.sites.get(key.site).cloned().unwrap_or_default();
            document.peers.push(ShownPeer { site: key.site, r#where, function: item.to.name(), offset });
        }
        walk(&item.body, learnt, document);
    }
}
