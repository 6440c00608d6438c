//! `--entry`: a component as measured, as an entry of the catalogue.

use super::CalibrateArgs;
use super::document::Document;
use super::file::toml_key;
use super::runs::Configuration;
use runcast_core::Problem;
use runcast_sim::run::Prepared;
use runcast_sim::system::attributes::{Attribute, Attributes, Value, known};
use std::fmt::Write;

/// The id of the new entry and its text: what was found, with where it comes from, and what is known besides.
///
/// # Errors
/// There is no such component or network, or nothing of it was found.
pub(super) fn entry(
    args: &CalibrateArgs,
    id: &str,
    prepared: &Prepared,
    document: &Document,
    configurations: &[Configuration],
) -> Result<(String, String), Problem> {
    let wrong = |message: String| Problem::new("no_entry", message).at("--entry").value(id);
    let prefix = format!("{id}.");
    let found = |key: &str| document.coefficients.iter().find(|one| one.name.strip_prefix(&prefix) == Some(key));
    if !document.coefficients.iter().any(|one| one.name.starts_with(&prefix)) {
        let message = format!("nothing of {id} was found");
        return Err(wrong(message).hint(format!("--free {id}.mem_bandwidth, or another of its attributes")));
    }
    let Some(read) = &prepared.system else { return Err(wrong(format!("there is no system with {id}"))) };
    let system = &read.system;
    let (kind, hardware, attributes): (&str, Option<&str>, &Attributes) =
        match system.networks.iter().find(|network| network.id == id) {
            Some(network) => ("network", network.hardware.as_deref(), &network.attributes),
            None => {
                let component = system.components.iter().find(|component| component.id == id);
                let component = component.ok_or_else(|| wrong(format!("there is no component {id}")))?;
                (component.kind.word(), component.hardware.as_deref(), &component.attributes)
            }
        };
    let new: String = format!("{}-measured", hardware.unwrap_or(id)).to_lowercase();
    let new: String =
        new.chars().map(|c| if c.is_ascii_alphanumeric() || "._+-".contains(c) { c } else { '-' }).collect();
    let rows = configurations.iter().filter(|one| !one.is_held_out).count();
    let source = format!("runcast sim calibrate, {rows} configurations of {}", args.table.display());
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let mut text = format!("[{}]\nkind = \"{kind}\"\n", toml_key(&new));
    let _ = writeln!(text, "source = {}\nquality = \"measured\"", quoted(&source));
    let keys = attributes.iter().map(|(key, _)| key.to_owned());
    let more = document.coefficients.iter().filter_map(|one| one.name.strip_prefix(&prefix)).map(str::to_owned);
    let mut all: Vec<String> = keys.collect();
    for key in more {
        if !all.contains(&key) {
            all.push(key);
        }
    }
    for key in all {
        let unit = known(&key).map_or("", |known| known.unit());
        if let Some(one) = found(&key) {
            let range = format!("{:.4e} to {:.4e}{unit} at {}", one.low, one.high, document.level);
            let source = quoted(&format!("{source}: {range}"));
            let _ = writeln!(text, "{} = {{ value = \"{:e}{unit}\", source = {source} }}", toml_key(&key), one.value);
        } else if let Some(attribute) = attributes.attribute(&key) {
            let _ = writeln!(text, "{} = {}", toml_key(&key), known_before(attribute));
        }
    }
    Ok((new, text))
}

/// An attribute as it was, with where it came from.
fn known_before(attribute: &Attribute) -> String {
    let value = match &attribute.value {
        Value::Number(number) => format!("\"{number:e}{}\"", attribute.unit),
        Value::Flag(flag) => flag.to_string(),
        Value::Word(word) => toml::Value::String(word.clone()).to_string(),
        Value::Curve(points) => {
            let points: Vec<String> =
                points.iter().map(|(threads, watts)| format!("[{threads:?}, {watts:?}]")).collect();
            format!("[{}]", points.join(", "))
        }
        Value::States(states) => {
            let states: Vec<String> = states.iter().map(runcast_sim::system::state_line).collect();
            format!("[{}]", states.join(", "))
        }
    };
    let quality = match attribute.quality.word() {
        "given" => "assumed",
        // Its formula stays where it was.
        "derived" => "assumed",
        word => word,
    };
    let source = if attribute.source.is_empty() { "the system file" } else { &attribute.source };
    format!("{{ value = {value}, quality = \"{quality}\", source = {} }}", toml::Value::String(source.to_owned()))
}
