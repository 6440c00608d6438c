//! Options that mean the same in every command, each defined once.

pub(crate) mod bare;
pub mod parts;
pub mod paths;

use self::paths::OutputFile;
use crate::targets::Targets;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use runcast_core::words::Words;
use runcast_core::{Configuration, Problem};
use runcast_formula::units::{Dimension, parse_quantity};
use std::path::Path;

/// `-o FILE`
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Output")]
pub struct OutArgs {
    /// Write the result to FILE; - is the standard output
    #[arg(short = 'o', long = "output", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<OutputFile>,
}

impl OutArgs {
    /// Where to write, if anywhere.
    pub fn path(&self) -> Option<&Path> {
        self.output.as_deref()
    }
}

/// `--level L`
#[derive(Debug, Clone, PartialEq, Args)]
pub struct LevelArgs {
    /// Probability that an interval holds
    #[arg(long, value_name = "L", help_heading = None::<&str>, default_value = "0.9", value_parser = level)]
    pub level: f64,
}

impl Default for LevelArgs {
    fn default() -> Self {
        LevelArgs { level: 0.9 }
    }
}

/// `--seed N`
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct SeedArgs {
    /// Seed of everything random
    #[arg(long, value_name = "N", help_heading = None::<&str>, default_value_t = 0)]
    pub seed: u64,
}

/// `--at p=8,N=100`
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct AtArgs {
    /// Targets: p=1024,N=50000, or p=32,64 or p=1..1024*2, all combinations; may be repeated
    #[arg(long, value_name = "NAME=V,..", help_heading = None::<&str>, value_parser = targets)]
    pub at: Vec<Targets>,
}

/// What `--at` means to commands that run a program.
pub const RUNS_AT: &str = "Configurations to run: P=1,2,4,8 or n=100..800*2, all combinations; may be repeated";

impl AtArgs {
    /// All configurations, in the order in which they were given.
    ///
    /// # Errors
    /// They are too many.
    pub fn configurations(&self) -> Result<Vec<Configuration>, Problem> {
        Targets::all(&self.at)
    }
}

/// `--plot FILE`
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Output")]
pub struct PlotArgs {
    /// Draw a picture: FILE.svg or FILE.png
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub plot: Option<OutputFile>,
}

/// Reads a word of an enumeration.
pub fn word<T: Words>() -> impl TypedValueParser<Value = T> {
    let words = PossibleValuesParser::new(T::VALUES.iter().map(|(word, _)| *word));
    words.try_map(|word| T::of_word(&word).ok_or("there is no such word"))
}

/// Reads a probability between 0 and 1, or a percentage: `0.9`, `90%`.
///
/// # Errors
/// Says what is allowed.
pub fn level(text: &str) -> Result<f64, String> {
    let level = parse_quantity(text, Dimension::Share).map_err(|error| error.to_string())?;
    if level > 0.0 && level < 1.0 { Ok(level) } else { Err("allowed are 0 < L < 1, such as 0.9".to_owned()) }
}

/// Reads a share of one: `0.05`, `5%`.
///
/// # Errors
/// Says what is allowed.
pub fn share(text: &str) -> Result<f64, String> {
    let share = parse_quantity(text, Dimension::Share).map_err(|error| error.to_string())?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("allowed are 0 to 1, or 0% to 100%".to_owned()) }
}

/// Reads a positive duration, in seconds: `90`, `1.5h`, `10 min`.
///
/// # Errors
/// Says what is allowed.
pub fn duration_s(text: &str) -> Result<f64, String> {
    let seconds = parse_quantity(text, Dimension::Time).map_err(|error| error.to_string())?;
    if seconds > 0.0 { Ok(seconds) } else { Err("a duration must be positive".to_owned()) }
}

/// Reads a number of bytes, from a megabyte on: `64MiB`, `2 GB`.
///
/// # Errors
/// Says what is allowed.
pub fn megabytes(text: &str) -> Result<u64, String> {
    let bytes = parse_quantity(text, Dimension::Bytes).map_err(|error| error.to_string())?;
    if (1e6..=1e15).contains(&bytes) { Ok(bytes as u64) } else { Err("1MB to 1PB are allowed".to_owned()) }
}

/// Reads a number that is positive and finite.
///
/// # Errors
/// Says what is allowed.
pub fn positive(text: &str) -> Result<f64, String> {
    match number(text)? {
        value if value > 0.0 => Ok(value),
        _ => Err("a number above 0 is allowed".to_owned()),
    }
}

/// Reads a number that is 0 or more.
///
/// # Errors
/// Says what is allowed.
pub fn not_negative(text: &str) -> Result<f64, String> {
    match number(text)? {
        value if value >= 0.0 => Ok(value),
        _ => Err("a number of 0 or more is allowed".to_owned()),
    }
}

/// Reads a finite number.
///
/// # Errors
/// Says what was seen.
pub fn number(text: &str) -> Result<f64, String> {
    runcast_core::table::number::parse(text)
        .filter(|value| value.is_finite())
        .ok_or_else(|| runcast_core::table::number::not_a_number(text).message)
}

/// Reads `p=8,16,N=100`.
///
/// # Errors
/// Says which part is wrong and what is allowed.
pub fn targets(text: &str) -> Result<Targets, String> {
    Targets::parse(text).map_err(|problem| match problem.hint {
        Some(hint) => format!("{}; {hint}", problem.message),
        None => problem.message,
    })
}

/// Reads `p=8,N=100`.
///
/// # Errors
/// Says which part is wrong and what is allowed.
pub fn configuration(text: &str) -> Result<Configuration, String> {
    let mut at = Configuration::default();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (name, value) = part
            .split_once('=')
            .map(|(name, value)| (name.trim(), value.trim()))
            .filter(|(name, _)| !name.is_empty())
            .ok_or_else(|| format!("\"{part}\" is not NAME=VALUE, as in p=1024,N=50000"))?;
        let value = number(value).map_err(|message| format!("{name}: {message}"))?;
        if at.0.insert(name.to_owned(), value).is_some() {
            return Err(format!("{name} is given twice"));
        }
    }
    if at.0.is_empty() { Err("NAME=VALUE is needed, as in p=1024,N=50000".to_owned()) } else { Ok(at) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_names_with_numbers() {
        assert_eq!(configuration("p=8, N=1e3").expect("good").to_string(), "p=8, N=1000");
        for bad in ["", "p", "p=", "=8", "p=x", "p=1,p=2", "p=inf"] {
            assert!(configuration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn levels_are_between_0_and_1() {
        assert_eq!(level("0.9"), Ok(0.9));
        assert_eq!(level("95%"), Ok(0.95));
        assert!(level("90").is_err() && level("0").is_err());
        assert_eq!(duration_s("1.5h"), Ok(5400.0));
    }
}
