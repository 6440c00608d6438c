//! What limits my program?

use super::fields::{Fields, at};
use super::network::Experiment;
use super::shell::Shell;
use super::{Bar, Picture, Told, caveats, samples};
use crate::failure::Failure;
use crate::human;

/// Causes reported by default.
const CAUSES: f64 = 3.0;

pub fn answer(fields: &mut Fields<'_>, shell: &mut Shell<'_>) -> Result<Told, Failure> {
    fields.only(&["source", "p", "causes"])?;
    let path = fields.text("source", samples::EXPERIMENT)?;
    let experiment = Experiment::look(&path, fields.number("p")?, shell).map_err(at("source"))?;
    if let Some(count) = experiment.processes {
        fields.fill("p", count);
    }
    let causes = fields.number("causes")?.unwrap_or(CAUSES);
    fields.fill("causes", causes);
    let mut line = experiment.line();
    line.push("--explain".to_owned());
    let document = shell.run(&line).map_err(at("source"))?;
    let path = document["bottleneck"]["path"].as_array().into_iter().flatten().take(causes as usize);
    let bars: Vec<Bar> = path
        .filter_map(|step| Some(Bar { name: step["what"].as_str()?.to_owned(), value: step["share"].as_f64()? }))
        .collect();
    let why = bars.iter().map(|bar| format!("{} %: {}", human::significant(100.0 * bar.value, 3), bar.name)).collect();
    Ok(Told {
        value: bars.first().map(|bar| bar.value),
        assumptions: caveats(&document),
        view: "view=why".to_owned(),
        why,
        picture: Picture { x: "cause".to_owned(), y: "share of the time".to_owned(), bars, ..Picture::default() },
        ..Told::of(&document)?
    })
}
