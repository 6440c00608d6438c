//! The document of `runcast sim jobs`, its text, its table and its picture.

use super::{JobsArgs, PolicyArg, Unit};
use crate::context::Screen;
use crate::human::{Table, optional_quantity, percent, quantity, significant};
use runcast_core::Warning;
use runcast_core::table::number;
use runcast_report::plot::{Axis, Layer, Line, Plot, Scale};
use runcast_sim::jobs::{Log, Scheduled, Statistics};
use runcast_sim::system::Totals;
use serde::Serialize;

/// The document of `runcast sim jobs`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Document {
    kind: &'static str,
    version: u32,
    policy: &'static str,
    unit: &'static str,
    /// Processors, or machines.
    size: u64,
    jobs: u64,
    /// Jobs that cannot run here, and lines that cannot be read.
    left_out: u64,
    makespan_s: f64,
    utilization: f64,
    wait_mean_s: f64,
    slowdown_bounded_mean: f64,
    /// Of the machines, idle ones included; none if a power is unknown.
    energy_j: Option<f64>,
    lost_core_s: f64,
    killed: u64,
    /// What should be known.
    pub warnings: Vec<Warning>,
}

impl Document {
    pub(super) fn new(
        args: &JobsArgs,
        size: u64,
        log: &Log,
        statistics: &Statistics,
        totals: &Totals,
        mut warnings: Vec<Warning>,
    ) -> Document {
        let power = totals.power_idle_w.zip(totals.power_load_w);
        if power.is_none() {
            let text = "the energy is unknown: a processor has no power_load".to_owned();
            warnings.push(Warning::new("no_energy", text));
        }
        let busy_s = statistics.used_core_s / size as f64;
        Document {
            kind: "sim-jobs",
            version: 1,
            policy: if args.policy == PolicyArg::Easy { "easy" } else { "fcfs" },
            unit: if args.unit == Unit::Core { "core" } else { "machine" },
            size,
            jobs: log.jobs.len() as u64,
            left_out: log.left_out,
            makespan_s: statistics.makespan_s,
            utilization: statistics.utilization,
            wait_mean_s: statistics.wait_mean_s,
            slowdown_bounded_mean: statistics.slowdown_bounded_mean,
            energy_j: power.map(|(idle, load)| idle * statistics.makespan_s + (load - idle) * busy_s),
            lost_core_s: statistics.lost_core_s,
            killed: statistics.killed,
            warnings,
        }
    }

    pub(super) fn text(&self, screen: Screen) -> String {
        let mut table = Table::new().text("").text("");
        let whole = |value: u64| significant(value as f64, 15);
        table.row([format!("{}s", self.unit), whole(self.size)]);
        table.row(["jobs".to_owned(), whole(self.jobs)]);
        if self.left_out > 0 {
            table.row(["left out".to_owned(), whole(self.left_out)]);
        }
        table.row(["makespan".to_owned(), quantity(self.makespan_s, "s")]);
        table.row(["utilization".to_owned(), percent(Some(100.0 * self.utilization))]);
        table.row(["mean wait".to_owned(), quantity(self.wait_mean_s, "s")]);
        table.row(["mean bounded slowdown".to_owned(), significant(self.slowdown_bounded_mean, 4)]);
        table.row(["energy".to_owned(), optional_quantity(self.energy_j, "J")]);
        if self.lost_core_s > 0.0 {
            table.row([format!("lost {} time", self.unit), quantity(self.lost_core_s, "s")]);
        }
        if self.killed > 0 {
            table.row(["killed at their requested time".to_owned(), whole(self.killed)]);
        }
        let policy = if self.policy == "easy" { "EASY backfilling" } else { "first come, first served" };
        format!("{policy}\n{}", table.render(screen))
    }
}

/// A row a job.
pub(super) fn table(jobs: &[Scheduled]) -> Vec<u8> {
    let mut text = String::from("job,submit_s,start_s,end_s,processors,status,wait_s\n");
    for one in jobs {
        let [submit, start, end, wait] = [one.job.submit_s, one.start_s, one.end_s, one.wait_s()].map(number::to_text);
        let (job, processors, status) = (one.job.number, one.job.processors, one.status().word());
        text += &format!("{job},{submit},{start},{end},{processors},{status},{wait}\n");
    }
    text.into_bytes()
}

/// Points of a curve in the picture.
const POINTS: usize = 600;

/// Processors that are busy, and that waiting jobs ask for, over time.
pub(super) fn plot(jobs: &[Scheduled], document: &Document) -> Plot {
    let first = jobs.iter().map(|one| one.job.submit_s).fold(f64::INFINITY, f64::min);
    let curve = |name: &str, span: &dyn Fn(&Scheduled) -> (f64, f64)| {
        let mut steps: Vec<(f64, f64)> = Vec::with_capacity(2 * jobs.len());
        for one in jobs {
            let (from, to) = span(one);
            let processors = one.job.processors as f64;
            steps.extend([(from, processors), (to, -processors)]);
        }
        steps.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut at, mut now) = (0, 0.0);
        let point = |step: usize| {
            let time = first + document.makespan_s * step as f64 / POINTS as f64;
            while at < steps.len() && steps[at].0 <= time {
                now += steps[at].1;
                at += 1;
            }
            (time, now)
        };
        Layer::Line(Line { name: name.to_owned(), points: (0..=POINTS).map(point).collect(), ..Line::default() })
    };
    let axis = |label: String, unit: &str| Axis { label, unit: unit.to_owned(), scale: Scale::Linear };
    Plot {
        title: "jobs on the system".to_owned(),
        subtitle: format!("{} {}s, {} jobs", document.size, document.unit, document.jobs),
        x: axis("time".to_owned(), "s"),
        y: axis(format!("{}s", document.unit), ""),
        layers: vec![
            curve("busy", &|one| (one.start_s, one.end_s)),
            curve("asked for by waiting jobs", &|one| (one.job.submit_s, one.start_s)),
        ],
    }
}
