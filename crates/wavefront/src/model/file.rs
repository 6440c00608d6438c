//! Reading a model file: TOML into entries with their places, then entries into laws once the step is known.

mod assemble;
mod head;
mod law;
mod level;
mod measured;
mod modes;
mod names;
mod network;
mod operator;
mod process;
mod sending;
mod sources;
mod step;

use super::{Overrides, Read, Work};
use crate::level::Level;
use runcast_core::toml::{Place, Reader, Source, Table, document};
use runcast_core::{Problem, Problems};
use sources::Sources;
use std::path::Path;

/// The largest file that is read, in bytes.
const LARGEST: usize = 4 << 20;
const TABLES: [&str; 8] = ["wavefront", "process", "network", "modes", "operator", "level", "pilot", "work"];

pub(super) fn read(
    text: &str,
    name: &str,
    lookup: &mut dyn FnMut(&Path) -> Result<Vec<u8>, Problem>,
    overrides: &Overrides,
) -> Result<Read, Problems> {
    let source = Source { name, text };
    let document = document(source, LARGEST)?;
    let mut reader = Reader::new(source);
    let top = reader.top(&document);
    reader.allow(&top, &TABLES, "a model");
    let mut sources = Sources::new(lookup);
    let parts = parts(&mut reader, &top, &mut sources);
    // Values that depend on other entries are checked only if these are valid: no problem is reported twice.
    if let Some(problems) = reader.take_problems() {
        return Err(problems);
    }
    let Some(parts) = parts else { return Err(Problem::new("empty", "there is no model").in_file(name).into()) };
    let read = assemble::assemble(&mut reader, parts, overrides, &mut sources);
    match (reader.take_problems(), read) {
        (None, Some(read)) => Ok(read),
        (Some(problems), _) => Err(problems),
        (None, None) => Err(Problem::new("empty", "there is no model").in_file(name).into()),
    }
}

/// The entries of a file.
struct Parts<'t, 'i> {
    head: head::Head<'t, 'i>,
    processes: Vec<process::Entry>,
    network: network::Network,
    modes: Vec<modes::Set>,
    operator: Option<Table<'t, 'i>>,
    level: Option<Level>,
    pilot: measured::Pilot,
    work: Option<Work>,
    sending: sending::Sending,
    laws: Vec<law::Described>,
}

impl Parts<'_, '_> {
    /// The laws of updates, by their number in `laws`, and what the pilot multiplies them by; each pair once.
    fn updates(&self) -> Vec<(usize, f64)> {
        let own = self.processes.iter().zip(&self.pilot.factors).map(|(process, factor)| (process.update, *factor));
        let overrides = self.modes.iter().flat_map(|set| &set.overrides);
        let of_modes = overrides.flat_map(|over| match &over.target {
            modes::Target::Updates(processes) => {
                processes.iter().map(|&process| (over.law, self.pilot.factors[process])).collect()
            }
            modes::Target::Messages(..) => Vec::new(),
        });
        once(own.chain(of_modes).collect())
    }

    /// The laws of updates and messages, as [`Parts::updates`] has them.
    fn multiplied(&self) -> Vec<(usize, f64)> {
        let links = self.network.default.into_iter().chain(self.network.links.iter().map(|(.., law)| *law));
        let overrides = self.modes.iter().flat_map(|set| &set.overrides);
        let of_modes = overrides.filter(|over| matches!(over.target, modes::Target::Messages(..)));
        let messages = links.chain(of_modes.map(|over| over.law)).map(|law| (law, self.pilot.messages));
        once(self.updates().into_iter().chain(messages).collect())
    }
}

/// Each pair once, in order.
fn once(mut all: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
    all.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    all.dedup();
    all
}

fn parts<'t, 'i>(reader: &mut Reader<'_>, top: &Table<'t, 'i>, sources: &mut Sources<'_>) -> Option<Parts<'t, 'i>> {
    let head = head::read(reader, top);
    let mut laws = law::Laws::new(sources, head.normalize);
    let processes = process::read(reader, top, &mut laws);
    let names = names::Names::new(&processes);
    let network = network::read(reader, top, &names, &mut laws);
    let each_s = processes.iter().map(|process| process.send_s).collect();
    let table = reader.table_at(top, "network");
    let sending = sending::read(reader, table.as_ref(), each_s, &names, &network.place);
    let modes = modes::read(reader, top, &names, &mut laws);
    let operator = reader.table_at(top, "operator");
    let level = level::read(reader, top);
    let (pilot, work) = (measured::pilot(reader, top, &names), measured::work(reader, top));
    Some(Parts { head, processes, network, modes, operator, level, pilot, work, sending, laws: laws.all })
}

/// Records a problem at a position: there is no value.
fn refused<T>(reader: &mut Reader<'_>, place: &Place, problem: Problem) -> Option<T> {
    reader.wrong(place, problem);
    None
}
