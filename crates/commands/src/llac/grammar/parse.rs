//! From the words of a line to a command.

use super::help;
use super::lexer::{self, Word};
use super::{Command, Fit, Scheme, Seg};
use crate::targets::{self, Targets};
use runcast_core::Problem;
use runcast_core::problem::shorten;

/// A longer line is a slip.
const LONGEST: usize = 1 << 20;

/// Options of `fit`.
const FIT: [&str; 11] =
    ["in", "formula", "metric", "seg", "method", "signs", "weights", "aggregate", "ranks", "level", "as"];

/// Reads one command.
///
/// # Errors
/// What cannot be understood, with the column in the text of the command, and how the command is written.
///
/// # Examples
/// ```
/// use runcast_commands::llac::grammar::{Command, parse};
/// let command = parse("fit F in t seg N/P, N signs free as m")?;
/// assert_eq!(command.to_string(), "fit F in t seg \"N/P\",\"N\" signs free as m");
/// assert_eq!(parse(&command.to_string())?, command);
/// # Ok::<(), runcast_core::Problem>(())
/// ```
pub fn parse(text: &str) -> Result<Command, Problem> {
    if text.len() > LONGEST {
        return Err(Problem::new("too_long", format!("a command has more than {LONGEST} bytes")));
    }
    let words = lexer::words(text)?;
    let Some((verb, rest)) = words.split_first() else {
        return Err(Problem::new("usage", "there is no command"));
    };
    let mut reader = Reader { text, verb: &verb.text, words: rest, next: 0 };
    match verb.text.as_str() {
        "load" => {
            let name = reader.trailing("as")?;
            let files = reader.all_words("a file")?;
            Ok(Command::Load { files, name })
        }
        "merge" => {
            let name = reader.trailing("as")?;
            let tables = reader.all_words("a table")?;
            Ok(Command::Merge { tables, name })
        }
        "subset" => {
            let name = reader.trailing("as")?;
            let table = reader.word("a table")?;
            reader.keyword("where")?;
            let filter = reader.slice(&[], "a filter")?;
            reader.end()?;
            Ok(Command::Subset { table, filter, name })
        }
        "transform" => reader.transform(),
        "show" => {
            let name = reader.word_unless(&["rows"]);
            let rows = match reader.option("rows") {
                true => Some(reader.count("rows", 1_000_000)?),
                false => None,
            };
            reader.end()?;
            Ok(Command::Show { name, rows })
        }
        "fit" => reader.fit().map(Command::Fit),
        "segments" => reader.only_model().map(|model| Command::Segments { model }),
        "constants" => reader.only_model().map(|model| Command::Constants { model }),
        "predict" => reader.predict(),
        "validate" => reader.validate(),
        "suggest" => reader.suggest(),
        "plot" => reader.plot(),
        "save" => {
            let what = reader.word("a table, a model, or session")?;
            reader.keyword("to")?;
            let to = reader.word("a file")?;
            reader.end()?;
            Ok(Command::Save { what, to })
        }
        "source" => {
            let file = reader.word("a file")?;
            reader.end()?;
            Ok(Command::Source { file })
        }
        "eval" => reader.eval(),
        "set" if reader.option("errors") => {
            let continues = reader.choice("errors", &["stop", "continue"])? == "continue";
            reader.end()?;
            Ok(Command::SetErrors { continues })
        }
        "set" => {
            reader.keyword("seed")?;
            let word = reader.word("a whole number")?;
            reader.end()?;
            let seed = word.parse().map_err(|_| {
                reader.problem("usage", format!("\"{}\" is not a seed", shorten(&word, 40))).allowed("0, 1, 2, ..")
            })?;
            Ok(Command::SetSeed(seed))
        }
        "help" | "?" => {
            let command = reader.word_unless(&[]);
            reader.end()?;
            Ok(Command::Help(command))
        }
        "quit" | "exit" => reader.end().map(|()| Command::Quit),
        _ if is_expression(&words) => Reader { words: &words, verb: "eval", ..reader }.eval(),
        other => Err(unknown(other, verb)),
    }
}

/// Whether a line that begins with no command can only be an expression: `m*4 at N=1e6`, `2 + 3`, `m at n=4`.
fn is_expression(words: &[Word]) -> bool {
    let is_operator = |letter: char| "+-*/^<>=!(".contains(letter);
    let [first, rest @ ..] = words else { return false };
    let calculates = first.text.contains(is_operator) || first.text.starts_with(|letter: char| letter.is_ascii_digit());
    let goes_on = rest.first().is_some_and(|next| next.text.starts_with(is_operator) || next.text == "at");
    !first.quoted && (calculates || goes_on)
}

fn unknown(name: &str, word: &Word) -> Problem {
    let names: Vec<&str> = help::COMMANDS.iter().map(|command| command.name).collect();
    let problem = Problem::new("unknown_command", format!("there is no command \"{}\"", shorten(name, 40)))
        .at_column(word.start as u64 + 1)
        .value(name)
        .allowed(names.join(", "));
    match names.iter().find(|known| known.starts_with(name) || (name.len() > 3 && name.starts_with(**known))) {
        Some(near) => problem.hint(format!("did you mean {near}?")),
        None => problem.hint("help lists the commands").or_near(name, names),
    }
}

struct Reader<'a> {
    text: &'a str,
    verb: &'a str,
    words: &'a [Word],
    next: usize,
}

impl<'a> Reader<'a> {
    /// A problem at the word that comes next.
    fn problem(&self, code: &str, message: String) -> Problem {
        let place = self.words.get(self.next).map_or(self.text.len(), |word| word.start);
        self.problem_at(place, code, message)
    }

    /// A problem at a place of the text.
    fn problem_at(&self, place: usize, code: &str, message: String) -> Problem {
        let column = self.text[..place].chars().count() as u64 + 1;
        let usage = help::find(self.verb).map_or("", |command| command.usage);
        Problem::new(code, message).at_column(column).hint(format!("it is written: {usage}"))
    }

    fn peek(&self) -> Option<&'a Word> {
        self.words.get(self.next)
    }

    /// The next word, which must be there.
    fn word(&mut self, what: &str) -> Result<String, Problem> {
        match self.peek() {
            Some(word) if !word.text.is_empty() => {
                self.next += 1;
                Ok(word.text.clone())
            }
            _ => Err(self.problem("usage", format!("{} needs {what}", self.verb))),
        }
    }

    /// The next word, unless it is one of these or there is none.
    fn word_unless(&mut self, keywords: &[&str]) -> Option<String> {
        let word = self.peek()?;
        if !word.quoted && keywords.contains(&word.text.as_str()) {
            return None;
        }
        self.next += 1;
        Some(word.text.clone())
    }

    fn is_keyword(&self, keyword: &str) -> bool {
        self.peek().is_some_and(|word| !word.quoted && word.text == keyword)
    }

    /// Whether the next word is this one, which then is passed.
    fn option(&mut self, keyword: &str) -> bool {
        let is = self.is_keyword(keyword);
        self.next += usize::from(is);
        is
    }

    fn keyword(&mut self, keyword: &str) -> Result<(), Problem> {
        if self.option(keyword) {
            return Ok(());
        }
        Err(self.problem("usage", format!("{} needs the word {keyword} here", self.verb)))
    }

    fn end(&self) -> Result<(), Problem> {
        match self.peek() {
            None => Ok(()),
            Some(word) => {
                let shown = shorten(&word.text, 40);
                Err(self.problem("usage", format!("\"{shown}\" has no meaning here")).value(word.text.clone()))
            }
        }
    }

    /// `as NAME` at the end; both are taken away.
    fn trailing(&mut self, keyword: &str) -> Result<Option<String>, Problem> {
        let Some(place) = self.words.len().checked_sub(2) else { return Ok(None) };
        let word = &self.words[place];
        if word.quoted || word.text != keyword || place < self.next {
            return Ok(None);
        }
        let name = &self.words[place + 1];
        let checked = self.name(name)?;
        self.words = &self.words[..place];
        Ok(Some(checked))
    }

    /// Checks the name of a table or a model.
    fn name(&self, word: &Word) -> Result<String, Problem> {
        let name = &word.text;
        let inside = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '-');
        let good = name.starts_with(|first: char| first.is_alphabetic() || first == '_') && name.chars().all(inside);
        if good && name != "session" && name.len() <= 200 {
            return Ok(name.clone());
        }
        Err(self
            .problem_at(word.start, "bad_name", format!("\"{}\" is not a name", shorten(name, 40)))
            .value(name.as_str())
            .allowed("letters, digits, _ . -; a letter first; not session"))
    }

    fn all_words(&mut self, what: &str) -> Result<Vec<String>, Problem> {
        let mut all = vec![self.word(what)?];
        while self.peek().is_some() {
            all.push(self.word(what)?);
        }
        Ok(all)
    }

    /// The text up to one of the keywords or the end; without its quotes, if it is one word in quotes.
    fn slice(&mut self, keywords: &[&str], what: &str) -> Result<String, Problem> {
        let first = self.next;
        while let Some(word) = self.peek() {
            if self.next > first && !word.quoted && keywords.contains(&word.text.as_str()) {
                break;
            }
            self.next += 1;
        }
        match &self.words[first..self.next] {
            [] => Err(self.problem("usage", format!("{} needs {what} here", self.verb))),
            [one] if one.text.trim().is_empty() => {
                self.next = first;
                Err(self.problem("usage", format!("{} needs {what} here", self.verb)))
            }
            [one] => Ok(one.text.clone()),
            [one, .., last] => Ok(self.text[one.start..last.end].to_owned()),
        }
    }

    fn number(&mut self, what: &str) -> Result<f64, Problem> {
        let word = self.word("a number")?;
        crate::options::number(&word).map_err(|message| {
            self.next -= 1;
            self.problem("usage", format!("{what}: {message}")).value(word.clone())
        })
    }

    fn count(&mut self, what: &str, most: usize) -> Result<usize, Problem> {
        let value = self.number(what)?;
        if value >= 1.0 && value.fract() == 0.0 && value <= most as f64 {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "whole, and between 1 and most"
            )]
            return Ok(value as usize);
        }
        self.next -= 1;
        Err(self.problem("usage", format!("{what}: {value} is no count")).allowed(format!("1 to {most}")))
    }

    fn level(&mut self) -> Result<f64, Problem> {
        let word = self.word("a probability")?;
        crate::options::level(&word).map_err(|message| {
            self.next -= 1;
            self.problem("usage", format!("level: {message}")).value(word.clone())
        })
    }

    fn choice(&mut self, option: &str, allowed: &[&'static str]) -> Result<&'static str, Problem> {
        let word = self.word(&format!("a choice for {option}"))?;
        allowed.iter().find(|name| **name == word).copied().ok_or_else(|| {
            self.next -= 1;
            self.problem("usage", format!("{option} \"{}\" is not known", shorten(&word, 40)))
                .value(word.clone())
                .allowed(allowed.join(", "))
                .or_near(&word, allowed.iter().copied())
        })
    }

    fn only_model(&mut self) -> Result<Option<String>, Problem> {
        let model = self.word_unless(&[]);
        self.end()?;
        Ok(model)
    }

    fn transform(&mut self) -> Result<Command, Problem> {
        let table = self.word("a table")?;
        let Some(first) = self.peek() else {
            return Err(self.problem("usage", "transform needs NAME = FORMULA".to_owned()));
        };
        let rest = &self.text[first.start..];
        let equals = rest.find('=').filter(|&place| !rest[place + 1..].starts_with('='));
        let Some(equals) = equals else {
            return Err(self.problem("usage", "transform needs NAME = FORMULA".to_owned()));
        };
        let (column, mut formula) = (rest[..equals].trim(), rest[equals + 1..].trim());
        let mut filter = None;
        if lexer::unquoted(column).as_deref().unwrap_or(column) == "status"
            && let Some(place) = self.words[self.next..].iter().position(|word| !word.quoted && word.text == "where")
        {
            let start = self.words[self.next + place].start;
            formula = self.text[first.start + equals + 1..start].trim();
            self.next += place + 1;
            filter = Some(self.slice(&[], "a filter")?);
        }
        let column = lexer::unquoted(column).unwrap_or_else(|| column.to_owned());
        let formula = lexer::unquoted(formula).unwrap_or_else(|| formula.to_owned());
        if column.is_empty() || column.contains(char::is_whitespace) {
            return Err(self.problem("usage", "transform needs NAME = FORMULA".to_owned()).value(column));
        }
        if formula.trim().is_empty() {
            return Err(self.problem("usage", "transform needs a formula behind the =".to_owned()));
        }
        Ok(Command::Transform { table, column, formula, filter })
    }

    fn fit(&mut self) -> Result<Fit, Problem> {
        let mut fit = Fit { experiment: self.word_unless(&FIT), ..Fit::default() };
        let mut given: Vec<&str> = Vec::new();
        while let Some(word) = self.peek() {
            let Some(option) = FIT.iter().find(|option| !word.quoted && **option == word.text) else {
                self.end()?;
                continue;
            };
            if given.contains(option) {
                return Err(self.problem("usage", format!("{option} is given twice")));
            }
            given.push(option);
            self.next += 1;
            match *option {
                "in" => fit.table = Some(self.word("a table")?),
                "formula" => fit.formula = Some(self.slice(&FIT, "a formula such as \"c[0] + c[1]*n\"")?),
                "metric" => fit.metric = Some(self.word("a metric")?),
                "seg" => fit.seg = Some(self.seg()?),
                "method" => {
                    fit.method = Some(self.choice("method", &["auto", "regimes", "segments", "steps", "single"])?)
                }
                "signs" => fit.signs = Some(self.choice("signs", &["auto", "nonneg", "free"])?),
                "weights" => fit.weights = Some(self.choice("weights", &["relative", "none", "sqrt"])?),
                "aggregate" => {
                    fit.aggregate = Some(self.choice("aggregate", &["median", "q25", "min", "max", "mean"])?);
                }
                "ranks" => fit.ranks = Some(self.choice("ranks", &["all", "max", "mean"])?),
                "level" => fit.level = Some(self.level()?),
                _ => {
                    let place = self.next;
                    self.word("a name")?;
                    fit.name = Some(self.name(&self.words[place])?);
                }
            }
        }
        Ok(fit)
    }

    fn seg(&mut self) -> Result<Seg, Problem> {
        let first = self.next;
        let text = self.slice(&FIT, "what to look for pieces along, or auto")?;
        if text == "auto" {
            return Ok(Seg::Auto);
        }
        let list: Vec<String> = targets::parts(&text)
            .into_iter()
            .map(|part| lexer::unquoted(part.trim()).unwrap_or_else(|| part.trim().to_owned()))
            .collect();
        if list.iter().any(|item| item.trim().is_empty()) {
            self.next = first;
            return Err(self.problem("usage", "an item of seg is empty".to_owned()).value(text));
        }
        Ok(Seg::By(list))
    }

    fn predict(&mut self) -> Result<Command, Problem> {
        let model = self.word_unless(&["at", "level"]);
        let (mut at, mut level) = (Vec::new(), None);
        while self.peek().is_some() {
            if self.option("at") {
                at.push(self.targets(&["at", "level"])?);
            } else if self.option("level") {
                level = Some(self.level()?);
            } else {
                self.end()?;
            }
        }
        if at.is_empty() {
            return Err(self.problem("usage", "predict needs targets".to_owned()));
        }
        Ok(Command::Predict { model, at, level })
    }

    fn validate(&mut self) -> Result<Command, Problem> {
        let model = self.word_unless(&["folds", "hold"]);
        let scheme = if self.option("hold") {
            Scheme::Hold(self.slice(&[], "a formula such as \"P > 8\"")?)
        } else if self.option("folds") {
            Scheme::Folds(self.count("folds", 10_000)?)
        } else {
            return Err(self.problem("usage", "validate needs folds K or hold FORMULA".to_owned()));
        };
        if scheme == Scheme::Folds(1) {
            return Err(self.problem("usage", "one fold leaves nothing to fit".to_owned()).allowed("2, 3, .."));
        }
        self.end()?;
        Ok(Command::Validate { model, scheme })
    }

    fn eval(&mut self) -> Result<Command, Problem> {
        let expression = self.slice(&["at", "in"], "an expression such as \"m*4\"")?;
        let (mut at, mut table) = (Vec::new(), None);
        while self.peek().is_some() {
            if self.option("at") {
                at.push(self.targets(&["at", "in"])?);
            } else if table.is_none() && self.option("in") {
                table = Some(self.word("a table")?);
            } else {
                self.end()?;
            }
        }
        Ok(Command::Eval { expression, at, table })
    }

    fn targets(&mut self, keywords: &[&str]) -> Result<Targets, Problem> {
        let place = self.next;
        let text = self.slice(keywords, "targets such as N=1e6,P=16")?;
        Targets::parse(&text).map_err(|problem| {
            self.next = place;
            let column = self.problem("", String::new()).column;
            Problem { column, pointer: Some("at".to_owned()), ..problem }
        })
    }

    fn suggest(&mut self) -> Result<Command, Problem> {
        let model = self.word_unless(&["runs", "to"]);
        let (mut runs, mut to) = (None, None);
        while self.peek().is_some() {
            if runs.is_none() && self.option("runs") {
                runs = Some(self.count("runs", 10_000)?);
            } else if to.is_none() && self.option("to") {
                to = Some(self.word("a file")?);
            } else {
                self.end()?;
            }
        }
        Ok(Command::Suggest { model, runs, to })
    }

    fn plot(&mut self) -> Result<Command, Problem> {
        let name = self.word_unless(&["x", "by", "to"]);
        let (mut x, mut by, mut to) = (None, None, None);
        while self.peek().is_some() {
            if x.is_none() && self.option("x") {
                x = Some(self.word("a parameter")?);
            } else if by.is_none() && self.option("by") {
                by = Some(self.word("a parameter")?);
            } else if to.is_none() && self.option("to") {
                to = Some(self.word("a file")?);
            } else {
                self.end()?;
            }
        }
        Ok(Command::Plot { name, x, by, to })
    }
}
