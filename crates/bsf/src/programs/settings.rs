//! Settings of a program: names and texts, from a command line or a file, and how programs read them.

use runcast_core::Problem;
use runcast_core::table::number;
use std::fmt::Display;

/// An option of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionInfo {
    /// Its name on the command line, without the dashes.
    pub name: &'static str,
    /// Short description.
    pub help: &'static str,
    /// The default; none if it must be set, or has no default.
    pub default: Option<&'static str>,
    pub kind: Kind,
}

/// Kind of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An integer from 1 on.
    Count,
    Number,
    /// Three numbers: `0,0,0`.
    Vector,
    Choice(&'static [&'static str]),
    /// The name of a file, which is passed along with its content.
    File,
}

/// Settings of a program: names and texts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    values: Vec<Setting>,
}

#[derive(Debug, Clone, PartialEq)]
struct Setting {
    name: String,
    text: String,
    content: Vec<u8>,
}

impl Settings {
    /// Nothing is set.
    pub fn new() -> Self {
        Settings::default()
    }

    /// Sets an option, whose name is without dashes.
    #[must_use]
    pub fn set(self, name: impl Into<String>, text: impl Display) -> Self {
        self.set_file(name, text, Vec::new())
    }

    /// Sets an option that names a file, with the content of the file.
    #[must_use]
    pub fn set_file(mut self, name: impl Into<String>, file: impl Display, content: Vec<u8>) -> Self {
        self.values.push(Setting { name: name.into(), text: file.to_string(), content });
        self
    }

    /// Refuses unknown options.
    pub(super) fn all_among(&self, options: &[OptionInfo], program: &str) -> Result<(), Problem> {
        let stray = self.values.iter().find(|set| options.iter().all(|option| option.name != set.name));
        stray.map_or(Ok(()), |stray| {
            let names: Vec<String> = options.iter().map(|option| format!("--{}", option.name)).collect();
            let problem = Problem::new("not_an_option", format!("this is not an option of {program}"));
            Err(problem.at(format!("--{}", stray.name)).value(stray.text.as_str()).allowed(names.join(", ")))
        })
    }

    /// An integer from 1 on that must be set.
    pub(super) fn count(&self, option: &OptionInfo) -> Result<u64, Problem> {
        self.optional_count(option)?.ok_or_else(|| {
            Problem::new("missing_option", "this option is needed").at(format!("--{}", option.name)).allowed(COUNT)
        })
    }

    /// An integer from 1 on.
    pub(super) fn optional_count(&self, option: &OptionInfo) -> Result<Option<u64>, Problem> {
        let read = |text: &str| {
            // Beyond this a double does not distinguish integers.
            let value =
                number::parse(text).filter(|value| value.fract() == 0.0 && (1.0..=2f64.powi(53)).contains(value));
            value.map(|value| value as u64).ok_or_else(|| refused(option, text, COUNT))
        };
        self.text(option).map(read).transpose()
    }

    /// A number for which `is_allowed` holds.
    pub(super) fn number(
        &self,
        option: &OptionInfo,
        allowed: &str,
        is_allowed: impl Fn(f64) -> bool,
    ) -> Result<f64, Problem> {
        let text = self.needed(option)?;
        let value = number::parse(text).filter(|value| is_allowed(*value));
        value.ok_or_else(|| refused(option, text, allowed))
    }

    /// Three numbers.
    pub(super) fn vector(&self, option: &OptionInfo) -> Result<[f64; 3], Problem> {
        let text = self.needed(option)?;
        let numbers: Option<Vec<f64>> = text.split(',').map(number::parse).collect();
        let vector = numbers.and_then(|numbers| <[f64; 3]>::try_from(numbers).ok());
        vector.ok_or_else(|| refused(option, text, "three numbers, as in 0,0,0"))
    }

    /// One of several; `choices` in the order of the option's.
    pub(super) fn choice<T: Copy>(&self, option: &OptionInfo, choices: &[T]) -> Result<T, Problem> {
        let text = self.needed(option)?;
        let Kind::Choice(names) = option.kind else { return Err(refused(option, text, "")) };
        let chosen = names.iter().zip(choices).find(|(name, _)| **name == text);
        chosen.map(|(_, choice)| *choice).ok_or_else(|| refused(option, text, &names.join(", ")))
    }

    /// Name and content of a file.
    pub(super) fn file(&self, option: &OptionInfo) -> Option<(&str, &[u8])> {
        let set = self.find(option)?;
        Some((&set.text, &set.content))
    }

    /// Whether it is set, other than by its default.
    pub(super) fn has(&self, option: &OptionInfo) -> bool {
        self.find(option).is_some()
    }

    /// The last one wins, as on a command line.
    fn find(&self, option: &OptionInfo) -> Option<&Setting> {
        self.values.iter().rev().find(|set| set.name == option.name)
    }

    fn text(&self, option: &OptionInfo) -> Option<&str> {
        self.find(option).map(|set| set.text.as_str()).or(option.default)
    }

    fn needed(&self, option: &OptionInfo) -> Result<&str, Problem> {
        self.text(option)
            .ok_or_else(|| Problem::new("missing_option", "this option is needed").at(format!("--{}", option.name)))
    }
}

const COUNT: &str = "an integer from 1 to 2^53";

fn refused(option: &OptionInfo, text: &str, allowed: &str) -> Problem {
    Problem::new("out_of_range", format!("\"{text}\" is not allowed here"))
        .at(format!("--{}", option.name))
        .value(text)
        .allowed(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: OptionInfo = OptionInfo { name: "size", help: "", default: None, kind: Kind::Count };
    const FORCE: OptionInfo =
        OptionInfo { name: "force", help: "", default: Some("newton"), kind: Kind::Choice(&["newton", "published"]) };
    const AT: OptionInfo = OptionInfo { name: "position", help: "", default: Some("0,0,0"), kind: Kind::Vector };

    #[test]
    fn counts_are_integers_from_one_on() {
        let count = |text: &str| Settings::new().set("size", text).count(&SIZE);
        assert_eq!(count("1500").ok(), Some(1500));
        assert_eq!(count("1e4").ok(), Some(10_000));
        for bad in ["0", "-3", "1.5", "nan", "many", "", "1e17"] {
            let problem = count(bad).expect_err(bad);
            assert_eq!((problem.pointer.as_deref(), problem.value.as_deref()), (Some("--size"), Some(bad)));
        }
        assert_eq!(Settings::new().count(&SIZE).expect_err("not set").code, "missing_option");
    }

    #[test]
    fn the_last_setting_counts_and_defaults_fill_in() {
        let settings = Settings::new().set("position", "1,2,3").set("position", "-1, 2.5, 0");
        assert_eq!(settings.vector(&AT), Ok([-1.0, 2.5, 0.0]));
        assert_eq!(Settings::new().vector(&AT), Ok([0.0; 3]));
        assert!(Settings::new().set("position", "1,2").vector(&AT).is_err());
        assert_eq!(Settings::new().choice(&FORCE, &[1, 2]), Ok(1));
        let problem = Settings::new().set("force", "weak").choice(&FORCE, &[1, 2]).expect_err("none of them");
        assert_eq!(problem.allowed.as_deref(), Some("newton, published"));
    }

    #[test]
    fn options_of_other_programs_are_refused() {
        let problem = Settings::new().set("lambda", 1.9).all_among(&[SIZE], "jacobi").expect_err("stray");
        assert_eq!(problem.to_string(), "--lambda: this is not an option of jacobi (allowed: --size)");
    }
}
