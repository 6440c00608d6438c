//! Which machine shall I buy?

use super::fields::{Fields, at, pointer};
use super::shell::{Shell, argv};
use super::{Bar, Picture, Told, caveats, samples};
use crate::failure::Failure;
use crate::human;
use crate::sentence::fastest::{self, By, Machine};
use runcast_core::Problem;
use serde_json::Value;

/// Systems that are compared at most.
const MOST: usize = 8;

/// What must be read.
pub fn reads(fields: &mut Fields<'_>) -> Result<Vec<Vec<String>>, Failure> {
    let application = fields.text("application", samples::APPLICATION)?;
    Ok(systems(fields)?.iter().map(|system| line(&application, system)).collect())
}

pub fn answer(fields: &mut Fields<'_>, shell: &mut Shell<'_>) -> Result<Told, Failure> {
    fields.only(&["application", "systems", "by"])?;
    let application = fields.text("application", samples::APPLICATION)?;
    let systems = systems(fields)?;
    let word = fields.text("by", By::Time.word())?;
    let by = By::ALL.into_iter().find(|by| by.word() == word).ok_or_else(|| {
        let problem = Problem::new("invalid_value", "machines are not compared by this").at(pointer("by"));
        problem.value(word.as_str()).allowed(By::WORDS.join(", "))
    })?;
    let mut machines = Vec::new();
    for system in &systems {
        let document = shell.run(&line(&application, system)).map_err(at("systems"))?;
        machines.push(machine(&document, system)?);
    }
    let none = || {
        let problem = Problem::new("no_figure", format!("a system gives no {word}")).at(pointer("by"));
        problem.allowed("time").hint("give its parts power and a price of energy, or compare by time")
    };
    let sentence = fastest::of(&machines, by).ok_or_else(none)?;
    let value = |machine: &Machine| match by {
        By::Time => Some(machine.time_s),
        By::Energy => machine.energy_j,
        By::Price => machine.price,
    };
    let unit = match by {
        By::Time => "s",
        By::Energy => "J",
        By::Price => "",
    };
    let bars = machines.iter().filter_map(|machine| Some(Bar { name: machine.name.clone(), value: value(machine)? }));
    let bars: Vec<Bar> = bars.collect();
    let mut assumptions: Vec<String> = Vec::new();
    for caveat in shell.documents.iter().flat_map(caveats) {
        if !assumptions.contains(&caveat) {
            assumptions.push(caveat);
        }
    }
    let why = machines.iter().map(|machine| {
        let energy = machine.energy_j.map_or(String::new(), |energy| format!(", {}", human::quantity(energy, "J")));
        format!("{}: {}{energy}", machine.name, human::quantity(machine.time_s, "s"))
    });
    Ok(Told {
        value: bars.iter().map(|bar| bar.value).reduce(f64::min),
        unit: unit.to_owned(),
        assumptions,
        view: "view=dots".to_owned(),
        why: why.collect(),
        picture: Picture { x: "system".to_owned(), y: word, unit: unit.to_owned(), bars, ..Picture::default() },
        ..Told::saying(sentence)
    })
}

fn systems(fields: &mut Fields<'_>) -> Result<Vec<String>, Failure> {
    let systems = fields.list("systems", &samples::SYSTEMS)?;
    if !(2..=MOST).contains(&systems.len()) {
        let problem = Problem::new("invalid_value", "this is no choice of machines").at(pointer("systems"));
        return Err(problem.value(systems.join(", ")).allowed(format!("2 to {MOST} systems")).into());
    }
    Ok(systems)
}

fn line(application: &str, system: &str) -> Vec<String> {
    argv(["sim", "run", "--app", application, "--system", system])
}

fn machine(document: &Value, system: &str) -> Result<Machine, Failure> {
    let none = || Failure::undone(Problem::new("no_time", "the simulation gave no time"));
    let range_s = document["time_low_s"].as_f64().zip(document["time_high_s"].as_f64());
    Ok(Machine {
        name: document["system"].as_str().unwrap_or(system).to_owned(),
        time_s: document["time_s"].as_f64().ok_or_else(none)?,
        range_s: range_s.map(|(low, high)| [low, high]),
        energy_j: document["energy_j"].as_f64(),
        price: document["cost"].as_f64(),
    })
}
