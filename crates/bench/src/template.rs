//! Command templates: `./prog --size {N} --threads {2*p}`.
//!
//! What is in braces is a formula over the parameters of the plan, `rep` and `seed`; whole numbers are written
//! without a point. `{{` and `}}` are braces.

use runcast_core::{Configuration, Problem};
use runcast_formula::Formula;

/// The templates of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    /// The program and its arguments.
    pub argv: Vec<TextTemplate>,
    /// Variables added to the environment.
    pub env: Vec<(String, TextTemplate)>,
    /// The folder it runs in.
    pub workdir: Option<TextTemplate>,
    /// The file that it reads from.
    pub stdin: Option<TextTemplate>,
}

/// Text with formulas in it.
#[derive(Debug, Clone, PartialEq)]
pub struct TextTemplate {
    source: String,
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Literal(String),
    Formula(Formula),
}

/// The values for a template.
#[derive(Debug, Clone, Copy)]
pub struct Filling<'a> {
    pub at: &'a Configuration,
    /// The repetition, `{rep}`.
    pub rep: u32,
    /// The seed, `{seed}`.
    pub seed: u64,
}

/// A template filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct Filled {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Variables added to the environment.
    pub env: Vec<(String, String)>,
    /// The folder it runs in.
    pub workdir: Option<String>,
    /// The file that it reads from.
    pub stdin: Option<String>,
}

impl Template {
    /// A template of the program and its arguments alone.
    ///
    /// # Errors
    /// `empty_command`, `bad_template`.
    pub fn new<S: AsRef<str>>(argv: &[S]) -> Result<Self, Problem> {
        if argv.is_empty() {
            return Err(Problem::new("empty_command", "no command was given")
                .hint("write it after --, as in: -- ./prog --size {N} --threads {p}"));
        }
        let argv = argv.iter().map(|text| TextTemplate::parse(text.as_ref())).collect::<Result<_, _>>()?;
        Ok(Template { argv, env: Vec::new(), workdir: None, stdin: None })
    }

    /// Adds a variable to the environment, `NAME=TEMPLATE`.
    ///
    /// # Errors
    /// `bad_environment`, `bad_template`.
    pub fn add_env(&mut self, assignment: &str) -> Result<(), Problem> {
        let (name, value) = assignment.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(|| {
            Problem::new("bad_environment", format!("{assignment:?} does not set a variable"))
                .at("--env")
                .value(assignment)
                .hint("write NAME=VALUE, as in OMP_NUM_THREADS={p}")
        })?;
        self.env.push((name.to_owned(), TextTemplate::parse(value)?));
        Ok(())
    }

    /// Checks that every name is known.
    ///
    /// # Errors
    /// `unknown_name`, with the names that are known.
    pub fn check_names(&self, parameters: &[String]) -> Result<(), Problem> {
        self.texts().try_for_each(|text| text.check_names(parameters))
    }

    /// Whether the seed is used.
    pub fn uses_seed(&self) -> bool {
        self.texts().any(|text| text.names().iter().any(|name| name == "seed"))
    }

    /// Fills in a configuration.
    ///
    /// # Errors
    /// `not_finite`: a formula gives no number here.
    pub fn fill(&self, filling: Filling<'_>) -> Result<Filled, Problem> {
        Ok(Filled {
            argv: self.argv.iter().map(|text| text.fill(filling)).collect::<Result<_, _>>()?,
            env: self
                .env
                .iter()
                .map(|(name, text)| Ok((name.clone(), text.fill(filling)?)))
                .collect::<Result<_, Problem>>()?,
            workdir: self.workdir.as_ref().map(|text| text.fill(filling)).transpose()?,
            stdin: self.stdin.as_ref().map(|text| text.fill(filling)).transpose()?,
        })
    }

    fn texts(&self) -> impl Iterator<Item = &TextTemplate> {
        let env = self.env.iter().map(|(_, text)| text);
        self.argv.iter().chain(env).chain(&self.workdir).chain(&self.stdin)
    }
}

impl TextTemplate {
    /// Reads a template.
    ///
    /// # Errors
    /// `bad_template`: a brace without its partner, or what is inside is not a formula.
    ///
    /// # Examples
    /// ```
    /// use runcast_bench::template::{Filling, TextTemplate};
    /// use runcast_core::Configuration;
    /// let at = Configuration::from_pairs(&["p".to_owned(), "N".to_owned()], &[8.0, 20000.0]);
    /// let text = TextTemplate::parse("--rows={N/p} {{{rep}}}")?;
    /// assert_eq!(text.fill(Filling { at: &at, rep: 2, seed: 0 })?, "--rows=2500 {2}");
    /// # Ok::<(), runcast_core::Problem>(())
    /// ```
    pub fn parse(source: &str) -> Result<Self, Problem> {
        let bad = |message: String| {
            Problem::new("bad_template", message).value(source).hint("write {{ and }} for the braces themselves")
        };
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut rest = source;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, from) = rest.split_at(at);
            literal.push_str(before);
            if let Some(after) = from.strip_prefix("{{") {
                literal.push('{');
                rest = after;
            } else if let Some(after) = from.strip_prefix("}}") {
                literal.push('}');
                rest = after;
            } else if let Some(inside) = from.strip_prefix('{') {
                let (formula, after) =
                    inside.split_once('}').ok_or_else(|| bad(format!("{source:?} has a {{ without its }}")))?;
                let formula = Formula::parse(formula.trim()).map_err(|error| bad(format!("{{{formula}}}: {error}")))?;
                if !literal.is_empty() {
                    pieces.push(Piece::Literal(std::mem::take(&mut literal)));
                }
                pieces.push(Piece::Formula(formula));
                rest = after;
            } else {
                return Err(bad(format!("{source:?} has a }} without its {{")));
            }
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            pieces.push(Piece::Literal(literal));
        }
        Ok(TextTemplate { source: source.to_owned(), pieces })
    }

    /// Text without formulas.
    pub fn literal(text: &str) -> Self {
        TextTemplate { source: text.to_owned(), pieces: vec![Piece::Literal(text.to_owned())] }
    }

    /// As it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Fills in a configuration.
    ///
    /// # Errors
    /// `not_finite`: a formula gives no number here.
    pub fn fill(&self, filling: Filling<'_>) -> Result<String, Problem> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Literal(literal) => text.push_str(literal),
                Piece::Formula(formula) => text.push_str(&number(evaluate(formula, filling).ok_or_else(|| {
                    let at = filling.at;
                    Problem::new("not_finite", format!("{{{formula}}} of the command has no finite value at {at}"))
                        .value(self.source.clone())
                })?)),
            }
        }
        Ok(text)
    }

    /// Checks that every name is a parameter, `rep` or `seed`.
    ///
    /// # Errors
    /// `unknown_name`, with the names that are known.
    pub fn check_names(&self, parameters: &[String]) -> Result<(), Problem> {
        for name in self.names() {
            if !parameters.contains(&name) && name != "rep" && name != "seed" {
                let known: Vec<&str> = parameters.iter().map(String::as_str).chain(["rep", "seed"]).collect();
                return Err(Problem::new(
                    "unknown_name",
                    format!("{:?} uses {name}, which is not a parameter of the plan", self.source),
                )
                .value(name)
                .allowed(known.join(", "))
                .hint("write {{ and }} for the braces themselves"));
            }
        }
        Ok(())
    }

    fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for piece in &self.pieces {
            if let Piece::Formula(formula) = piece {
                names.extend_from_slice(formula.names());
            }
        }
        names
    }
}

/// A number as it is in a command line: the shortest that reads back the same, whole ones without a point.
fn number(value: f64) -> String {
    let value = if value == 0.0 { 0.0 } else { value };
    value.to_string()
}

fn evaluate(formula: &Formula, filling: Filling<'_>) -> Option<f64> {
    let value_of = |name: &str| match filling.at.get(name) {
        Some(value) => Some(value),
        None if name == "rep" => Some(f64::from(filling.rep)),
        None if name == "seed" => Some(filling.seed as f64),
        None => None,
    };
    formula.evaluate(value_of).ok().filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(pairs: &[(&str, f64)]) -> Configuration {
        Configuration(pairs.iter().map(|&(name, value)| (name.to_owned(), value)).collect())
    }

    #[test]
    fn formulas_are_filled_in_and_whole_numbers_have_no_point() {
        let at = at(&[("p", 8.0), ("N", 20_001.0)]);
        let filling = Filling { at: &at, rep: 3, seed: 7 };
        for (template, expected) in [
            ("plain", "plain"),
            ("{p}", "8"),
            ("-n{2*p}-", "-n16-"),
            ("{N/p}", "2500.125"),
            ("{{p}}", "{p}"),
            ("r{rep}s{seed}", "r3s7"),
            ("{p-p}", "0"),
        ] {
            let text = TextTemplate::parse(template).expect("well formed");
            assert_eq!(text.fill(filling).expect("finite"), expected, "{template}");
        }
    }

    #[test]
    fn wrong_templates_are_told() {
        for template in ["{p", "p}", "{}", "}{"] {
            assert_eq!(TextTemplate::parse(template).expect_err(template).code, "bad_template");
        }
        let at = at(&[("p", 0.0)]);
        let text = TextTemplate::parse("{1/p}").expect("well formed");
        assert_eq!(text.fill(Filling { at: &at, rep: 0, seed: 0 }).expect_err("infinite").code, "not_finite");
    }

    #[test]
    fn unknown_names_come_with_the_known_ones() {
        let mut template = Template::new(&["prog", "{p}"]).expect("well formed");
        template.add_env("SIZE={M}").expect("well formed");
        let parameters = ["p".to_owned(), "N".to_owned()];
        let problem = template.check_names(&parameters).expect_err("M is unknown");
        assert_eq!(problem.code, "unknown_name");
        assert_eq!(problem.allowed.as_deref(), Some("p, N, rep, seed"));
        assert!(template.add_env("nothing").is_err());
        assert!(Template::new::<&str>(&[]).is_err());
    }
}
