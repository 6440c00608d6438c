//! `send`, `broadcast` and `order`: what it costs a process to send its piece to each of the others.
//!
//! After alpha a process is busy for (p-1) sends, and only then goes on:
//!
//! ```text
//! T_i' >= Y_i + (p-1) send_i
//! staggered   the message to the k-th receiver leaves at Y_i + k send_i
//! together    all of them leave at Y_i + (p-1) send_i
//! ```
//!
//! The model carries this in its laws, so that every engine sees it: the update ends with the first departure, messages to
//! later receivers take as much longer, and what is left of the sends is a message to oneself.

use super::Parts;
use super::names::Names;
use crate::model::binning::on_tick;
use crate::model::file::refused;
use crate::model::law::Law;
use crate::model::{Laws, Model};
use runcast_core::Problem;
use runcast_core::toml::{Place, Reader, Table};
use std::sync::Arc;

/// How messages are sent.
pub(super) struct Sending {
    /// The time of one send of each process, where it has its own \[s\].
    pub each_s: Vec<Option<f64>>,
    /// Of the others \[s\].
    default_s: f64,
    is_staggered: bool,
    /// Receivers in this order, oneself left out; none: from the next process on, around.
    order: Option<Vec<usize>>,
    place: Place,
}

/// `[network]` with its keys, and what the processes have.
pub(super) fn read(
    reader: &mut Reader<'_>,
    network: Option<&Table<'_, '_>>,
    each_s: Vec<Option<f64>>,
    names: &Names,
    place: &Place,
) -> Sending {
    let mut sending = Sending { each_s, default_s: 0.0, is_staggered: false, order: None, place: place.clone() };
    let Some(table) = network else { return sending };
    sending.default_s = reader.time(table, "send").unwrap_or(0.0);
    sending.is_staggered = reader.choice(table, "broadcast", &["together", "staggered"]) == Some(1);
    sending.order = order(reader, table, names);
    sending
}

/// `"cyclic"`, `"file"`, or a list of all names.
fn order(reader: &mut Reader<'_>, table: &Table<'_, '_>, names: &Names) -> Option<Vec<usize>> {
    let node = table.get("order")?;
    let pointer = table.at("order");
    if node.value.get_ref().as_str().is_some() {
        return (reader.choice(table, "order", &["cyclic", "file"]) == Some(1)).then(|| (0..names.count()).collect());
    }
    let wanted = "\"cyclic\", \"file\", or a list of the names of all processes";
    let nodes = reader.list(node, &pointer, wanted)?;
    let found = reader.each(nodes, &pointer, |reader, node, pointer| {
        let (name, place) = reader.text_at(node, pointer, "the name of a process")?;
        names.find(reader, &name, &place)
    })?;
    let order: Vec<usize> = found.into_iter().flatten().collect();
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if sorted.into_iter().eq(0..names.count()) {
        return Some(order);
    }
    let place = reader.place(node, &pointer);
    refused(reader, &place, Problem::new("order", "the order does not have each process once").allowed(wanted))
}

/// Puts sends into the laws of the model.
pub(super) fn apply(reader: &mut Reader<'_>, parts: &Parts<'_, '_>, model: &mut Model) {
    let sending = &parts.sending;
    let size = model.size();
    let seconds: Vec<f64> = sending.each_s.iter().map(|own| own.unwrap_or(sending.default_s)).collect();
    if size < 2 || seconds.iter().all(|send_s| *send_s == 0.0) {
        return;
    }
    if model.processes.iter().any(|process| process.alpha_updates != 1 || process.beta_updates != 0) {
        let problem = Problem::new("send_degree", "the cost of sending is known for A = 1 and B = 0 alone");
        return reader.wrong(&sending.place, problem.hint("without send, or with A = 1 and B = 0"));
    }
    let step_s = model.step_s;
    if let Some(off) = seconds.iter().find(|send_s| on_tick(**send_s / step_s).is_none()) {
        let message = format!("a send of {off} s is {} ticks, the nearest", (off / step_s).round());
        reader.warn(&sending.place, "rounded", message);
    }
    let ticks: Vec<u64> = seconds.iter().map(|send_s| (send_s / step_s).round() as u64).collect();
    let modes = model.modes.laws.iter().map(|laws| sending.put(laws, &ticks)).collect();
    model.modes.laws = modes;
    model.has_sends = true;
}

impl Sending {
    fn put(&self, laws: &Laws, ticks: &[u64]) -> Laws {
        let size = ticks.len();
        let last = (size - 1) as u64;
        let later = |law: &Arc<Law>, ticks: u64| match ticks {
            0 => Arc::clone(law),
            ticks => Arc::new(law.plus(&Law::constant(ticks))),
        };
        let first = |from: usize| ticks[from] * if self.is_staggered { 1 } else { last };
        let message = |from: usize, to: usize| -> Arc<Law> {
            if from == to {
                return Arc::new(Law::constant(last * ticks[from] - first(from)));
            }
            let rank = if self.is_staggered { self.rank(from, to, size) } else { 1 };
            later(&laws.message[from][to], (rank - 1) * ticks[from])
        };
        Laws {
            update: laws.update.iter().enumerate().map(|(process, law)| later(law, first(process))).collect(),
            message: (0..size).map(|from| (0..size).map(|to| message(from, to)).collect()).collect(),
        }
    }

    /// Which of its receivers, from 1, a process sends to.
    fn rank(&self, from: usize, to: usize, size: usize) -> u64 {
        let Some(order) = &self.order else { return ((to + size - from) % size) as u64 };
        let others = order.iter().filter(|other| **other != from);
        1 + others.take_while(|other| **other != to).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{Model, Overrides, read};
    use crate::simulate::Recursion;
    use crate::solve::{SolveOptions, Wanted, solve};

    fn model(updates: &[&str], network: &str) -> Model {
        let processes: Vec<String> = updates.iter().map(|law| format!("[[process]]\nupdate = {law}\n")).collect();
        let text = format!("[wavefront]\nstep = \"1s\"\nrho = 0.9\n{}[network]\n{network}\n", processes.concat());
        let mut none = |_: &std::path::Path| unreachable!("no file is named");
        read(&text, "model.toml", &mut none, &Overrides::default())
            .unwrap_or_else(|problems| panic!("{problems:?}"))
            .model
    }

    fn constant(ticks: [u64; 3], network: &str) -> Model {
        let laws = ticks.map(|ticks| format!("{{ ticks = [{ticks}], prob = [1.0] }}"));
        model(&laws.each_ref().map(String::as_str), network)
    }

    fn mean(model: &Model) -> f64 {
        let options = SolveOptions { method: Wanted::Exact, ..SolveOptions::default() };
        solve(model, &options).expect("solved").solution.phase.phase_mean
    }

    /// Enumerated by an independent script from T_i' = max(Y_i + (p-1) send, Y_j + k send + n).
    #[test]
    fn three_processes_with_constant_times() {
        let messages = "default = { constant = \"2s\" }\nbroadcast = \"staggered\"\n";
        for (updates, send, expected) in [
            ([4, 5, 6], "", vec![8, 7, 8, 7, 8, 7]),
            ([4, 5, 6], "send = \"1s\"\norder = \"cyclic\"", vec![9, 10, 8, 10, 9, 9, 9]),
            ([4, 5, 6], "send = \"3s\"", vec![13, 14, 12, 13, 14, 12]),
            ([5, 5, 5], "send = \"1s\"", vec![9, 9, 9, 9]),
        ] {
            let model = constant(updates, &format!("{messages}{send}"));
            let mut recursion = Recursion::new(&model, 0, 0);
            let phases: Vec<u64> = expected.iter().map(|_| recursion.phase().ticks).collect();
            assert_eq!(phases, expected, "{updates:?} {send}");
            let played: u64 = (0..6_000).map(|_| recursion.phase().ticks).sum();
            assert!((mean(&model) - played as f64 / 6_000.0).abs() < 2e-3, "{updates:?} {send}: {}", mean(&model));
        }
    }

    #[test]
    fn two_processes_by_hand() {
        let laws = ["{ ticks = [1, 3], prob = [0.5, 0.5] }", "{ ticks = [2], prob = [1.0] }"];
        let messages = "default = { constant = \"1s\" }\n";
        assert!((mean(&model(&laws, messages)) - 19.0 / 6.0).abs() < 1e-12);
        for how in ["", "broadcast = \"staggered\"", "order = [\"p2\", \"p1\"]"] {
            let with_send = model(&laws, &format!("{messages}send = \"1s\"\n{how}"));
            assert!((mean(&with_send) - 25.0 / 6.0).abs() < 1e-12, "{how}");
        }
    }

    #[test]
    fn orders_and_degrees_are_checked() {
        let text = |more: &str| {
            format!(
                "[wavefront]\nstep = \"1s\"\n[[process]]\ncount = 3\nname = \"p\"\n{more}update = {{ ticks = [2], prob = [1.0] }}\n\
                 [network]\ndefault = {{ constant = \"1s\" }}\nsend = \"1s\"\n"
            )
        };
        let refused = |text: String| {
            let mut none = |_: &std::path::Path| unreachable!("no file is named");
            read(&text, "model.toml", &mut none, &Overrides::default()).expect_err("refused").0[0].code.clone()
        };
        assert_eq!(refused(text("B = 1\n")), "send_degree");
        assert_eq!(refused(text("") + "order = [\"p-1\", \"p-2\"]\n"), "order");
    }
}
