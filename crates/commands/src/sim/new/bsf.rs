//! An application model of a BSF costs file: `K_max` by formula and by simulation stand side by side.
//!
//! The parts of a message in which a process is busy are computing blocks; what remains of the latency, `L - o`, is the
//! system's, half on each of the two links of the way. At one worker the time of an iteration is that of the cost model in
//! its granular form; beyond it is never above when messages are flat, since the first workers compute while the master
//! still sends. Along a tree it may be above by one fold: the longest way up has `d` of them, the model counts `d - 1`.

use crate::context::Context;
use crate::failure::Failure;
use crate::tables;
use runcast_bsf::cost::file::CostSpec;
use runcast_bsf::cost::{Collective, Form};
use runcast_sim::templates::BSF;
use std::path::Path;

/// Machines of the system, at least.
const LEAST_MACHINES: u64 = 1024;
/// Machines of the system, at most; whoever needs more changes the number.
const MOST_MACHINES: u64 = 1_000_000;

/// Application, system and experiment of a costs file.
pub(super) fn files(path: &Path, context: &mut Context) -> Result<[String; 3], Failure> {
    let name = tables::name_of(path);
    let described = CostSpec::from_toml(&name, &context.read_text(path)?)?.resolve()?;
    let costs = *described.model.costs();
    let best = costs.best(Form::Granular, Collective::Flat).workers;
    let free = costs.latency_s - costs.overhead_s;
    let most = (best.saturating_mul(2)).min(costs.list_length).clamp(1, MOST_MACHINES - 1);
    let values = [
        ("source", name.replace('\n', " ")),
        ("workers", best.min(most).to_string()),
        ("list_length", costs.list_length.to_string()),
        ("overhead", number(costs.overhead_s)),
        ("send", number(costs.send_s)),
        ("receive", number(costs.receive_s)),
        ("work", number(costs.work_s)),
        ("fold", number(costs.fold_s)),
        ("compute", number(costs.compute_s)),
        ("free", number(free)),
        ("link", number(free / 2.0)),
        ("machines", (most + 1).max(LEAST_MACHINES).to_string()),
        ("list", workers(most)),
    ];
    Ok([BSF.app, BSF.system, BSF.experiment]
        .map(|text| values.iter().fold(text.to_owned(), |text, (key, value)| text.replace(&format!("@{key}@"), value))))
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
