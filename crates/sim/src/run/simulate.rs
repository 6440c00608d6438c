//! One call: simulates what was prepared, with all repetitions, and reports it.

use super::accounts::{self, Accounts};
use super::bottleneck;
use super::check;
use super::faults::{REPLAYS, Spans};
use super::inputs::look;
use super::measure::Measured;
use super::omissions;
use super::prepare::Prepared;
use super::repetitions;
use super::result::{AppResult, LinkResult, RangeFrom, RunResult, Stopped, Unallocated, Volunteers};
use super::stage::Stage;
use crate::applications::Account;
use crate::budget;
use crate::cost::cost;
use crate::explain::Watch;
use crate::outcome::{Blind, Delivered, Interval, Observer, Outcome};
use crate::reliability::Reliability;
use crate::tick::Tick;
use crate::timeline::{Recorder, Wanted};
use runcast_core::{Problems, Warning};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

/// Default level of intervals.
pub const LEVEL: f64 = 0.9;

/// The caller's requests besides the result, and its means to stop the work.
#[derive(Clone)]
pub struct RunControl<'c> {
    /// Set from outside to stop.
    pub interrupt: &'c AtomicBool,
    /// Threads that may be used.
    pub threads: usize,
    /// Is notified how many simulations are done, of how many.
    pub progress: &'c (dyn Fn(u64, u64) + Sync),
    /// Whether to report the bottleneck, and why.
    pub explain: bool,
    /// Whether to compare the fidelities, at up to this many processes.
    pub check: Option<u64>,
    /// What to keep of the first repetition for a timeline.
    pub timeline: Option<Wanted>,
    /// Where the account goes of a simulation that is stopped before its end.
    pub partial: Option<&'c Mutex<Option<Box<RunResult>>>>,
}

impl<'c> RunControl<'c> {
    /// The result alone, on one thread.
    pub fn new(interrupt: &'c AtomicBool) -> Self {
        RunControl {
            interrupt,
            threads: 1,
            progress: &|_, _| {},
            explain: false,
            check: None,
            timeline: None,
            partial: None,
        }
    }
}

/// The result, with what was asked for beside it.
#[derive(Debug)]
pub struct Simulated {
    pub result: RunResult,
    /// What a timeline shows.
    pub timeline: Option<Recorder>,
    /// End of each process in the first repetition; empty beyond [`MOST_ENDS`], and at the label level.
    pub finish: Vec<Tick>,
}

/// Processes whose ends are kept.
pub const MOST_ENDS: usize = 65_536;

/// Simulates.
///
/// # Errors
/// Problems of places, formulas and programs; a deadlock, a limit that was reached, ticks that do not reach, an interrupt.
pub fn simulate(prepared: &Prepared, control: &RunControl<'_>) -> Result<Simulated, Problems> {
    let tick = prepared.inputs.settings.tick;
    let first_stage = prepared.stage(0)?;
    // Without anything random, one repetition represents all.
    let distinct = if first_stage.is_random() { first_stage.repetitions() } else { 1 };
    let watchers = Mutex::new(Watchers::new(control, tick)?);
    let kept = Mutex::new(None);
    let one = |repetition: u64, threads: usize| {
        look(control.interrupt)?;
        let budget = prepared.budget(control.interrupt);
        let keep = |problems| {
            if let Some(outcome) = budget.kept() {
                *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
            }
            problems
        };
        if repetition == 0 {
            let mut watchers = watchers.lock().unwrap_or_else(PoisonError::into_inner);
            return first_stage
                .run(&budget, threads, watchers.observer())
                .map_err(keep)
                .and_then(|outcome| Ok(Told { measured: first_stage.measure(&outcome)?, outcome, links: None }));
        }
        let stage = prepared.stage(repetition)?;
        let outcome = stage.run(&budget, threads, &mut Blind).map_err(keep)?;
        // What grows with the number of processes is not kept.
        let measured = stage.measure(&outcome)?;
        Ok(Told { measured, outcome: Outcome { finish: Vec::new(), devices: Vec::new(), ..outcome }, links: None })
    };
    let (mut told, ended) = repetitions::run(distinct, control.threads, control.interrupt, control.progress, &one);
    if let Err(problems) = ended {
        let kept = kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some((into, problem)) = control.partial.zip(problems.0.iter().find(|problem| budget::is_stop(problem))) {
            let partial = partial(prepared, &first_stage, told, kept, &problem.code);
            *into.lock().unwrap_or_else(PoisonError::into_inner) = partial.map(Box::new);
        }
        return Err(problems);
    }
    let watchers = watchers.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(first) = told.first_mut() {
        first.links = Some(accounts::links(&first.outcome, &first_stage.platform, tick));
    }

    let ends = told.first().map(|first| first.outcome.finish.as_slice()).filter(|ends| ends.len() <= MOST_ENDS);
    let finish = ends.map(<[Tick]>::to_vec).unwrap_or_default();
    let spans: Vec<Spans> = told.iter().map(|one| spans(prepared, &one.outcome)).collect();
    let (mut result, left_out) = assemble(prepared, &first_stage, told);
    let level = prepared.inputs.experiment.level.unwrap_or(LEVEL);
    let replays = prepared.inputs.experiment.repetitions.unwrap_or(REPLAYS);
    result.faults = first_stage.replay(&spans, replays, level, control.interrupt, &mut result.warnings)?;
    if control.explain {
        result.bottleneck = bottleneck::find(prepared, &first_stage, &watchers.watch, &mut result, control)?;
    }
    if let Some(processes) = control.check {
        result.check = Some(check::check(prepared, processes, control)?);
    }
    if let Some(recorder) = watchers.recorder.as_ref().filter(|recorder| recorder.left_out() > 0) {
        let message = format!(
            "the timeline shows {} intervals and messages and leaves {} out: choose fewer with --timeline-ranks or \
             --timeline-span",
            recorder.kept(),
            recorder.left_out()
        );
        result.warnings.push(Warning::new("timeline_cut", message));
    }
    result.not_modelled = omissions::not_modelled(prepared, &first_stage, left_out, &result);
    Ok(Simulated { result, timeline: watchers.recorder, finish })
}

/// One repetition alone, counted from 0: the times and joules of the result are those of the repetition.
///
/// # Errors
/// As [`simulate`].
pub fn repetition(prepared: &Prepared, number: u64, interrupt: &AtomicBool) -> Result<RunResult, Problems> {
    look(interrupt)?;
    let stage = prepared.stage(number)?;
    let outcome = stage.run(&prepared.budget(interrupt), 1, &mut Blind)?;
    let measured = stage.measure(&outcome)?;
    let spans = spans(prepared, &outcome);
    let mut result = assemble(prepared, &stage, vec![Told { measured, outcome, links: None }]).0;
    let level = prepared.inputs.experiment.level.unwrap_or(LEVEL);
    result.faults = stage.replay(&[spans], REPLAYS, level, interrupt, &mut result.warnings)?;
    Ok(result)
}

/// When each application begins and ends.
fn spans(prepared: &Prepared, outcome: &Outcome) -> Spans {
    let apps = &prepared.recorded.apps;
    let ends = accounts::ends(outcome, &prepared.recorded.application, apps.len());
    let tick = prepared.inputs.settings.tick;
    apps.iter().zip(ends).map(|(app, end)| (app.start_s, tick.to_seconds(end))).collect()
}

/// The account of a simulation that was stopped: of the repetitions that came to their end, else of the one that did not.
fn partial(
    prepared: &Prepared,
    stage: &Stage<'_>,
    done: Vec<Told>,
    kept: Option<Outcome>,
    reason: &str,
) -> Option<RunResult> {
    let repetitions = done.len() as u64;
    let told = match (repetitions, kept) {
        (0, None) => return None,
        (0, Some(outcome)) => vec![Told { measured: Measured::default(), outcome, links: None }],
        _ => done,
    };
    let mut result = assemble(prepared, stage, told).0;
    result.repetitions = repetitions.max(1);
    if result.repetitions == 1 {
        (result.times_s, result.time_sd_s, result.level) = (Vec::new(), None, None);
        (result.time_low_s, result.time_high_s, result.range_from) = (None, None, None);
    }
    result.stopped = Some(Stopped { reason: reason.to_owned(), repetitions });
    Some(result)
}

/// Result of a repetition.
struct Told {
    measured: Measured,
    outcome: Outcome,
    links: Option<Vec<LinkResult>>,
}

fn assemble(prepared: &Prepared, stage: &Stage<'_>, told: Vec<Told>) -> (RunResult, Vec<String>) {
    let experiment = &prepared.inputs.experiment;
    let settings = &prepared.inputs.settings;
    let tick = settings.tick;
    let application = &prepared.recorded.application;
    let names: Vec<String> = prepared.recorded.apps.iter().map(|app| app.name.clone()).collect();
    let repetitions = stage.repetitions();
    let count = told.len().max(1) as f64;

    let mut sums = Accounts::default();
    let mut times: Vec<f64> = Vec::with_capacity(repetitions as usize);
    let mut app_ends = vec![0.0; names.len()];
    for one in &told {
        sums.add(&one.outcome);
        times.push(tick.to_seconds(one.outcome.end));
        for (end, ticks) in app_ends.iter_mut().zip(accounts::ends(&one.outcome, application, names.len())) {
            *end += tick.to_seconds(ticks) / count;
        }
    }
    if times.len() == 1 && repetitions > 1 {
        times.resize(repetitions as usize, times[0]);
    }
    let level = experiment.level.unwrap_or(LEVEL);
    let spread = accounts::spread(&times, level);
    let measured = Measured::mean(told.iter().map(|one| &one.measured));
    let time_s = spread.mean;
    let first = told.first();
    let mut warnings: Vec<Warning> = prepared.recorded.warnings.clone();
    warnings.extend(prepared.system.iter().flat_map(|system| system.warnings.iter().cloned()));
    warnings.extend(stage.warnings());
    warnings.extend(first.map(|one| one.outcome.warnings.clone()).unwrap_or_default());
    warnings.dedup();
    if warnings.iter().any(|warning| warning.code == "never_waited") {
        // The recorder counts in the script, the engine what happened: once is enough.
        warnings.retain(|warning| warning.code != "requests_not_waited");
    }

    let reliability = Reliability::of(measured.failure_rate_per_s, time_s, experiment.checkpoint.as_ref());
    for note in &reliability.notes {
        warnings.push(Warning::new("does_not_finish", note.clone()));
    }
    let left_out = measured.not_modelled.clone();
    let result = RunResult {
        system: stage.system_name(),
        fidelity: prepared.fidelity.word(),
        tick_s: tick.seconds(),
        seed: experiment.seed,
        repetitions,
        processes: prepared.processes(),
        apps: apps(prepared, &app_ends, &measured),
        unallocated: Unallocated {
            energy_j: measured.accounts.unallocated.idle_j,
            cost: cost_of(&Account { load_j: Some(0.0), ..measured.accounts.unallocated }, settings.energy_price),
        },
        time_s,
        time_low_s: spread.interval.map(|(low, _)| low),
        time_high_s: spread.interval.map(|(_, high)| high),
        level: spread.interval.map(|_| level),
        range_from: spread.interval.map(|_| RangeFrom::Repetitions),
        time_min_s: spread.min,
        time_max_s: spread.max,
        time_sd_s: spread.sd,
        time_ticks: first.map_or(0, |one| one.outcome.end).to_string(),
        times_s: if repetitions > 1 { times } else { Vec::new() },
        energy_j: measured.energy_j,
        power_mean_w: measured.energy_j.filter(|_| time_s > 0.0).map(|energy| energy / time_s),
        cost: cost(measured.price_per_hour, time_s, measured.energy_j, settings.energy_price),
        price: measured.price,
        reliability,
        faults: None,
        labels: sums.labels(application, &names, tick),
        phases: sums.phases(application, tick),
        components: measured.components.clone(),
        links: first.and_then(|one| one.links.clone()).unwrap_or_default(),
        bottleneck: None,
        check: None,
        volunteers: Volunteers::of(told.iter().map(|one| one.outcome.volunteers.as_slice())),
        counts: first.map(|one| accounts::counts(&one.outcome.counts)).unwrap_or_default(),
        not_modelled: Vec::new(),
        assumed: measured.assumed,
        exchange: Vec::new(),
        scaled: stage.system_world().map(|world| world.scaled().to_vec()).unwrap_or_default(),
        warnings,
        stopped: None,
        cost_of_simulation: None,
    };
    (result, left_out)
}

fn apps(prepared: &Prepared, ends: &[f64], measured: &Measured) -> Vec<AppResult> {
    let kwh_price = prepared.inputs.settings.energy_price;
    prepared
        .recorded
        .apps
        .iter()
        .enumerate()
        .map(|(number, app)| {
            let account = measured.accounts.apps.get(number).copied();
            let used = account.unwrap_or_default();
            let time_s = (ends.get(number).copied().unwrap_or(0.0) - app.start_s).max(0.0);
            AppResult {
                app: app.name.clone(),
                params: app.params.iter().map(|(name, value)| (name.clone(), serde_json::json!(value))).collect(),
                processes: app.processes,
                start_s: app.start_s,
                time_s,
                energy_j: energy_of(&used),
                energy_idle_j: used.idle_j,
                energy_load_j: used.load_j,
                cost: cost_of(&used, kwh_price),
                failure_rate_per_s: used.failure_rate_per_s,
                failure_probability: used.failure_rate_per_s.map(|rate| -(-rate * time_s).exp_m1()),
                core_s: account.map(|account| account.core_s),
            }
        })
        .collect()
}

fn energy_of(account: &Account) -> Option<f64> {
    account.idle_j.zip(account.load_j).map(|(idle, load)| idle + load)
}

/// The price of what is held, and of its energy where that has one.
fn cost_of(account: &Account, kwh_price: Option<f64>) -> Option<f64> {
    match kwh_price {
        Some(price) => Some(account.price.unwrap_or(0.0) + energy_of(account)? / 3.6e6 * price),
        None => account.price,
    }
}

/// Those who watch the first repetition.
struct Watchers {
    explain: bool,
    watch: Watch,
    recorder: Option<Recorder>,
    blind: Blind,
}

impl Watchers {
    fn new(control: &RunControl<'_>, tick: crate::tick::TickLength) -> Result<Watchers, Problems> {
        let recorder = control.timeline.as_ref().map(|wanted| Recorder::new(wanted, tick)).transpose()?;
        Ok(Watchers { explain: control.explain, watch: Watch::new(), recorder, blind: Blind })
    }

    fn observer(&mut self) -> &mut dyn Observer {
        if self.explain || self.recorder.is_some() { self } else { &mut self.blind }
    }
}

impl Observer for Watchers {
    fn interval(&mut self, process: u32, interval: Interval) {
        if self.explain {
            self.watch.interval(process, interval);
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.interval(process, interval);
        }
    }

    fn delivered(&mut self, message: Delivered) {
        if self.explain {
            self.watch.delivered(message);
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.delivered(message);
        }
    }
}
