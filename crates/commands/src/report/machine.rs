//! The machine on which a table was measured, and the command that measured it: from the journal beside the table.

use crate::context::Context;
use crate::report::typed;
use runcast_bench::journal::{Entry, Session};
use runcast_bench::{Machine, journal_path};
use runcast_formula::units::format_quantity_digits;
use std::path::Path;

/// What the journal beside a table tells: facts of the machine, and commands.
pub fn beside(table: &Path, context: &mut Context) -> (Vec<(String, String)>, Vec<String>) {
    let Some(bytes) = context.read_if_there(&journal_path(table)) else { return Default::default() };
    let entries = bytes.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice::<Entry>(line).ok());
    let mut facts = Vec::new();
    let mut commands = Vec::new();
    for entry in entries {
        match entry {
            Entry::Session(session) => {
                facts = of_session(&session);
                let command = format!("runcast bench PLAN -o {} -- {}", table.display(), typed(&session.command.argv));
                if !commands.contains(&command) {
                    commands.push(command);
                }
            }
            // Compute nodes tell more than the one that gave out the jobs.
            Entry::Machine(machine) => facts = of_machine(&machine),
            _ => {}
        }
    }
    (facts, commands)
}

/// Adds the facts of a table; where they differ from those of another table, they tell whose they are.
pub fn add(all: &mut Vec<(String, String)>, facts: Vec<(String, String)>, table: &Path) {
    for (name, value) in facts {
        match all.iter().find(|(known, _)| *known == name) {
            None => all.push((name, value)),
            Some((_, known)) if *known == value => {}
            Some(_) => all.push((format!("{name} ({})", table.display()), value)),
        }
    }
}

/// A machine in words.
pub fn of_machine(machine: &Machine) -> Vec<(String, String)> {
    let count = |number: Option<u32>| number.map(|number| number.to_string());
    let facts = [
        ("host", machine.host.clone()),
        ("system", machine.os.clone()),
        ("kernel", machine.kernel.clone()),
        ("processor", machine.cpu.clone()),
        ("architecture", Some(machine.architecture.clone()).filter(|name| !name.is_empty())),
        ("sockets", count(machine.sockets)),
        ("cores", count(machine.cores)),
        ("usable threads", count(machine.usable_threads)),
        ("memory", machine.memory_bytes.map(|bytes| format_quantity_digits(bytes as f64, "B", 3))),
        ("frequency governor", machine.governor.clone()),
        ("virtual machine", machine.virtual_machine.map(|is| if is { "yes" } else { "no" }.to_owned())),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

fn of_session(session: &Session) -> Vec<(String, String)> {
    let mut facts = of_machine(&session.machine);
    facts.push(("measured".to_owned(), session.started_at.clone()));
    for (name, value) in &session.recorded {
        facts.extend(value.clone().map(|value| (name.clone(), value)));
    }
    if let Some(git) = &session.git {
        let modified = if git.modified { ", modified" } else { "" };
        facts.push(("revision".to_owned(), format!("{}{modified}", git.revision)));
    }
    facts
}
