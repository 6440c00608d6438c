//! An application model of a file of BSF costs: `K_max` by formula and by simulation stand side by side.
//!
//! The parts of a message in which a process is busy are computing blocks; what remains of its time is the system's, half
//! on each of the two links of the way. At one worker the time of an iteration is that of the cost model in
//! its granular form; beyond it is never above when messages are flat, since the first workers compute while the master
//! still sends. Along a tree it may be above by one fold: the longest way up has `d` of them, the model counts `d - 1`.

use crate::context::Context;
use crate::failure::Failure;
use crate::tables;
use runcast_bsf::cost::file::CostSpec;
use runcast_bsf::cost::{Collective, Costs, Form};
use runcast_bsf::fit::{Auto, Member, file};
use runcast_bsf::pieces::{self, Pieces, Route};
use runcast_sim::templates::BSF;
use std::path::Path;

/// Machines of the system, at least.
const LEAST_MACHINES: u64 = 1024;
/// Machines of the system, at most; whoever needs more changes the number.
const MOST_MACHINES: u64 = 1_000_000;
/// Elements of a list whose length a fit does not know: so many that blocks are even.
const FINE_LIST: u64 = 1_000_000;

/// An iteration as the application model plays it; times in seconds.
struct Iteration {
    collective: Collective,
    /// The number of workers with the least time.
    best: u64,
    list_length: u64,
    /// Part of each message in which its sender, then its receiver is busy, beside the transfer.
    overhead_s: f64,
    send_s: f64,
    receive_s: f64,
    work_s: f64,
    fold_s: f64,
    compute_s: f64,
    /// What a message takes while nobody is busy with it.
    free_s: f64,
    /// Elements that fit into a cache, and the work over the whole list in such blocks.
    cached: Option<(u64, f64)>,
}

/// Application, system and experiment of a file of costs.
pub(super) fn files(path: &Path, context: &mut Context) -> Result<[String; 3], Failure> {
    let name = tables::name_of(path);
    let text = context.read_text(path)?;
    let one = if let Some(pieces) = pieces::read(&name, &text)? {
        Iteration::of_pieces(&pieces)
    } else if let Some(auto) = file::read(&name, &text)? {
        Iteration::of_fit(&auto)
    } else {
        Iteration::of_costs(CostSpec::from_toml(&name, &text)?.resolve()?.model.costs())
    };
    Ok(one.filled(&name))
}

impl Iteration {
    fn of_costs(costs: &Costs) -> Iteration {
        Iteration {
            collective: Collective::Flat,
            best: costs.best(Form::Granular, Collective::Flat).workers,
            list_length: costs.list_length,
            overhead_s: costs.overhead_s,
            send_s: costs.send_s,
            receive_s: costs.receive_s,
            work_s: costs.work_s,
            fold_s: costs.fold_s,
            compute_s: costs.compute_s,
            free_s: costs.latency_s - costs.overhead_s,
            cached: None,
        }
    }

    /// Messages have their size for good, so their time and how long they occupy are two numbers each. The system has one
    /// latency: the mean of both ways, which leaves the sum as it is.
    fn of_pieces(pieces: &Pieces) -> Iteration {
        let (send, receive) = (pieces.send_bytes, pieces.receive_bytes);
        let (send_s, receive_s) = (pieces.messages.busy_s(send), pieces.messages.busy_s(receive));
        let both = pieces.messages.time_s(send) + pieces.messages.time_s(receive);
        let whole = |element: f64| element * pieces.list_length as f64;
        let fitting = pieces.map.cache_bytes / pieces.element_bytes;
        let has_step = pieces.map.cache_bytes.is_finite() && fitting.is_finite();
        Iteration {
            collective: Collective::Flat,
            best: pieces.best(Route::Flat),
            list_length: pieces.list_length,
            overhead_s: 0.0,
            send_s,
            receive_s,
            work_s: whole(if has_step { pieces.map.out_of_cache_s } else { pieces.map.in_cache_s }),
            fold_s: pieces.fold_s,
            compute_s: pieces.compute_s,
            free_s: (0.5 * (both - send_s - receive_s)).max(0.0),
            cached: has_step.then(|| (fitting as u64, whole(pieces.map.in_cache_s))),
        }
    }

    /// The curve with the largest weight. A flat master spends `per_worker` on an order and what its workers can hide,
    /// `hidden per_worker`, on a result; along a tree both ways are alike.
    fn of_fit(auto: &Auto) -> Iteration {
        let weight = |member: &&Member| member.weight;
        // A fit has at least one member.
        let heaviest = auto.members().iter().max_by(|a, b| weight(a).total_cmp(&weight(b)));
        let found = heaviest.map(|member| (member.shape().collective(), member.coefficients(), member.hidden()));
        let (collective, coefficients, hidden) = found.unwrap_or((Collective::Flat, Default::default(), 0.0));
        let message = coefficients.per_worker_s;
        let (send_s, receive_s) = match collective {
            Collective::Flat => (message, hidden * message),
            Collective::Tree => (0.5 * message, 0.5 * message),
        };
        // What the model counts once more for each worker, the last result is not: it comes after the work.
        let once = if collective == Collective::Flat { receive_s } else { 0.0 };
        let measured = auto.points().last().map_or(1, |point| point.workers);
        let factor = heaviest.and_then(Member::step).map(|step| (step.size, step.factor));
        Iteration {
            collective,
            best: auto.k_max().unwrap_or(2 * measured),
            list_length: auto.list_length().unwrap_or(FINE_LIST),
            overhead_s: 0.0,
            send_s,
            receive_s,
            work_s: coefficients.work_s * factor.map_or(1.0, |(_, factor)| factor),
            fold_s: 0.0,
            compute_s: (coefficients.fixed_s - once).max(0.0),
            free_s: 0.0,
            cached: factor.map(|(size, _)| (size, coefficients.work_s)),
        }
    }

    fn filled(&self, source: &str) -> [String; 3] {
        let most = self.best.saturating_mul(2).min(self.list_length).clamp(1, MOST_MACHINES - 1);
        let (fits, fitting_s) = self.cached.unwrap_or((0, self.work_s));
        let values = [
            ("source", source.replace('\n', " ")),
            ("workers", self.best.min(most).to_string()),
            ("collective", self.collective.name().to_owned()),
            ("list_length", self.list_length.to_string()),
            ("overhead", number(self.overhead_s)),
            ("send", number(self.send_s)),
            ("receive", number(self.receive_s)),
            ("work", number(self.work_s)),
            ("fits", fits.to_string()),
            ("work_fitting", number(fitting_s)),
            ("fold", number(self.fold_s)),
            ("compute", number(self.compute_s)),
            ("free", number(self.free_s)),
            ("link", number(self.free_s / 2.0)),
            ("machines", (most + 1).max(LEAST_MACHINES).to_string()),
            ("list", workers(most)),
        ];
        let filled = |text: &str| {
            values.iter().fold(text.to_owned(), |text, (key, value)| text.replace(&format!("@{key}@"), value))
        };
        [BSF.app, BSF.system, BSF.experiment].map(filled)
    }
}

/// A number that TOML and Luau read back to the same bits.
fn number(value: f64) -> String {
    format!("{value:e}").replace("e0", "")
}

/// Powers of two up to the most, and the most.
fn workers(most: u64) -> String {
    let powers = std::iter::successors(Some(1u64), |count| count.checked_mul(2)).take_while(|&count| count < most);
    powers.chain([most]).map(|count| count.to_string()).collect::<Vec<_>>().join(", ")
}
