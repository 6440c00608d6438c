//! The session: named tables and models, and what each command does to them.

use super::files;
use super::grammar::{Command, Scheme};
use super::outcome::Outcome;
use super::runs::Runs;
use super::{eval, inspect, load, model, plot, save, show};
use crate::context::Context;
use crate::failure::Failure;
use indexmap::IndexMap;
use model::Kept;
use runcast_core::Problem;
use runcast_core::problem::shorten;
use std::path::{Path, PathBuf};

/// Named tables and models.
#[derive(Debug, Default)]
pub struct Session {
    pub tables: IndexMap<String, Runs>,
    pub models: IndexMap<String, Kept>,
    /// Seed of everything random.
    pub seed: u64,
    /// Commands run, too, after one that was refused.
    pub continues: bool,
    /// Models whose fit was refused, and why: they are undefined, not what they were before.
    refused: IndexMap<String, String>,
    /// The table that was made last.
    last_table: Option<String>,
    /// The model that was made last.
    last_model: Option<String>,
    /// What was done so far, as it can be typed again.
    log: Vec<Logged>,
}

/// A command that was done.
#[derive(Debug, Clone)]
pub struct Logged {
    /// The command, with all names that were left to defaults.
    pub command: Command,
    /// Where the files that it names are looked up.
    pub folder: PathBuf,
}

/// Either kind of thing with a name.
#[derive(Debug, Clone, Copy)]
pub enum Named<'s> {
    /// A table.
    Table(&'s str, &'s Runs),
    /// A model.
    Model(&'s str, &'s Kept),
}

impl Session {
    /// Runs a command. `source` is none of its business: whoever reads scripts does that.
    ///
    /// # Errors
    /// Why it was not done; the session is then as it was.
    pub fn run(&mut self, command: &Command, folder: &Path, context: &mut Context) -> Result<Outcome, Failure> {
        let mut command = command.clone();
        let outcome = self.perform(&mut command, folder, context)?;
        if !matches!(command, Command::Save { .. } | Command::Help(_) | Command::Quit | Command::Source { .. }) {
            self.log.push(Logged { command, folder: folder.to_owned() });
        }
        Ok(outcome)
    }

    /// A fit was refused: its model, and the last one, is undefined.
    pub fn refuse(&mut self, name: Option<&str>, line: u64, why: &str) {
        let name = name.map_or_else(|| self.free_model(), str::to_owned);
        if self.tables.contains_key(&name) {
            return;
        }
        self.models.shift_remove(&name);
        self.refused.insert(name.clone(), format!("{name} was refused at line {line}: {why}"));
        self.last_model = Some(name);
    }

    fn free_model(&self) -> String {
        free('m', |name| self.is_taken(name))
    }

    fn is_taken(&self, name: &str) -> bool {
        self.tables.contains_key(name) || self.models.contains_key(name)
    }

    /// What was done so far.
    pub fn log(&self) -> &[Logged] {
        &self.log
    }

    /// Does it, and fills in the names that it leaves to defaults.
    fn perform(&mut self, command: &mut Command, folder: &Path, context: &mut Context) -> Result<Outcome, Failure> {
        match command {
            Command::Load { files, name } => {
                let new = self.new_table(name)?;
                let runs = load::load(files, folder, context)?;
                self.add_table(new, runs)
            }
            Command::Merge { tables, name } => {
                let new = self.new_table(name)?;
                if let Some(twice) = (1..tables.len()).find(|&index| tables[..index].contains(&tables[index])) {
                    let message = format!("{} is named twice: its samples would count twice", tables[twice]);
                    return Err(Problem::new("table_twice", message).value(tables[twice].as_str()).into());
                }
                let parts = tables.iter().map(|table| self.table(table).map(|(_, runs)| runs.clone()));
                let parts = parts.collect::<Result<Vec<Runs>, Failure>>()?;
                self.add_table(new, Runs::concatenate(parts)?)
            }
            Command::Subset { table, filter, name } => {
                let new = self.new_table(name)?;
                let runs = self.table(table)?.1.subset(filter)?;
                self.add_table(new, runs)
            }
            Command::Transform { table, column, formula, filter } if column == "status" => {
                let (name, runs) = self.table(table)?;
                let name = name.to_owned();
                let (changed, count) = runs.with_status(formula, filter.as_deref())?;
                let mut outcome = self.add_table(name, changed)?;
                if let serde_json::Value::Object(fields) = &mut outcome.result {
                    fields.insert("changed".to_owned(), count.into());
                }
                Ok(outcome.noted(format!("the status of {count} rows is {formula}")))
            }
            Command::Transform { table, column, formula, .. } => {
                let (name, runs) = self.table(table)?;
                let (changed, warnings) = runs.transform(column, formula)?;
                let name = name.to_owned();
                Ok(self.add_table(name, changed)?.warned(warnings))
            }
            Command::Show { name, rows } => match self.named(name, true)? {
                Named::Table(name, runs) => show::table(name, runs, *rows, context),
                Named::Model(name, kept) => show::model(name, kept, context),
            },
            Command::Fit(fit) => {
                let (table, runs) = match &fit.table {
                    Some(table) => self.table(table)?,
                    None => self.last_table()?,
                };
                let table = table.to_owned();
                let name = self.new_model(&mut fit.name)?;
                let kept = model::fit(fit, &table, runs, self.seed, context)?;
                fit.table = Some(table);
                let outcome = inspect::fitted(&name, &kept, context)?;
                self.refused.shift_remove(&name);
                self.last_model = Some(name.clone());
                self.models.insert(name, kept);
                Ok(outcome)
            }
            Command::Segments { model } => inspect::segments(self.fill_model(model)?, context),
            Command::Constants { model } => inspect::constants(self.fill_model(model)?, context),
            Command::Predict { model, at, level } => inspect::predict(self.fill_model(model)?, at, *level, context),
            Command::Validate { model, scheme } => {
                let scheme: &Scheme = scheme;
                inspect::validate(self.fill_model(model)?, scheme, context)
            }
            Command::Suggest { model, runs, to } => {
                let path = to.as_deref().map(|to| files::resolve(folder, to));
                inspect::suggest(self.fill_model(model)?, *runs, path.as_deref(), context)
            }
            Command::Plot { name, x, by, to } => {
                let named = self.named(name, false)?;
                let path = to.as_deref().map(|to| files::resolve(folder, to));
                plot::plot(named, x.as_deref(), by.as_deref(), path.as_deref(), context)
            }
            Command::Save { what, to } => {
                let path = files::resolve(folder, to);
                if what == "session" {
                    return save::session(self, &path, context);
                }
                save::named(self.named(&mut Some(what.clone()), false)?, &path, context)
            }
            Command::Eval { expression, at, table } => {
                if let Some((_, why)) = self.refused.iter().find(|(name, _)| names_in(expression).contains(name)) {
                    return Err(Failure::undone(Problem::new("refused", why.as_str()).at("eval")));
                }
                let runs = table.as_ref().map(|table| self.table(table).map(|(_, runs)| runs)).transpose()?;
                eval::eval(expression, at, runs, &self.models, context)
            }
            Command::SetErrors { continues } => {
                self.continues = *continues;
                let word = if *continues { "continue" } else { "stop" };
                Outcome::of(&serde_json::json!({ "errors": word }))
            }
            Command::SetSeed(seed) => {
                self.seed = *seed;
                Outcome::of(&serde_json::json!({ "seed": *seed }))
            }
            Command::Help(of) => show::help(of.as_deref(), context),
            Command::Quit => Ok(Outcome { quits: true, ..Outcome::default() }),
            Command::Source { file } => {
                let problem = Problem::new("internal", "a script is run by whoever reads scripts");
                Err(Failure::undone(problem.value(file.as_str())))
            }
        }
    }

    /// The name of a table to come.
    fn new_table(&self, name: &mut Option<String>) -> Result<String, Failure> {
        let new = match name.take() {
            Some(name) => name,
            None => free('t', |name| self.is_taken(name)),
        };
        if self.models.contains_key(&new) {
            let problem = Problem::new("name_taken", format!("{new} is a model, and cannot name a table, too"));
            let free = free('t', |name| self.is_taken(name));
            return Err(problem.at("as").value(new).hint(format!("another name: as {free}")).into());
        }
        *name = Some(new.clone());
        Ok(new)
    }

    /// The name of a model to come.
    fn new_model(&self, name: &mut Option<String>) -> Result<String, Failure> {
        let new = match name.take() {
            Some(name) => name,
            None => self.free_model(),
        };
        if self.tables.contains_key(&new) {
            let problem = Problem::new("name_taken", format!("{new} is a table, and cannot name a model, too"));
            return Err(problem.at("as").value(new).hint(format!("another name: as {}", self.free_model())).into());
        }
        *name = Some(new.clone());
        Ok(new)
    }

    fn add_table(&mut self, name: String, runs: Runs) -> Result<Outcome, Failure> {
        let outcome = show::loaded(&name, &runs)?;
        self.last_table = Some(name.clone());
        self.tables.insert(name, runs);
        Ok(outcome)
    }

    fn table(&self, name: &str) -> Result<(&str, &Runs), Failure> {
        match self.tables.get_key_value(name) {
            Some((name, runs)) => Ok((name, runs)),
            None => Err(unknown("table", name, self.tables.keys(), "load FILE as T reads one")),
        }
    }

    fn last_table(&self) -> Result<(&str, &Runs), Failure> {
        match &self.last_table {
            Some(name) => self.table(name),
            None => Err(Problem::new("no_table", "there is no table").hint("load FILE as T reads one").into()),
        }
    }

    /// The model that is named, or the last one, whose name is filled in.
    fn fill_model(&self, name: &mut Option<String>) -> Result<(&str, &Kept), Failure> {
        let wanted = name.clone().or_else(|| self.last_model.clone());
        let Some(wanted) = wanted else {
            let problem = Problem::new("no_model", "there is no model");
            return Err(problem.hint("fit EXPERIMENT in T as M makes one").into());
        };
        match self.models.get_key_value(&wanted) {
            Some((found, kept)) => {
                *name = Some(wanted);
                Ok((found, kept))
            }
            None if self.refused.contains_key(&wanted) => Err(self.was_refused(&wanted)),
            None => Err(self.no_model(&wanted)),
        }
    }

    /// There is no such model; there may be one of the table or of the experiment of that name.
    fn no_model(&self, name: &str) -> Failure {
        let is_table = self.tables.contains_key(name);
        let is_experiment = self.tables.values().any(|runs| runs.experiments().iter().any(|known| known == name));
        if !is_table && !is_experiment {
            return unknown("model", name, self.models.keys(), "fit EXPERIMENT in T as M makes one");
        }
        let is_of = |kept: &Kept| {
            is_table && kept.table == name || kept.model.samples().group.values().any(|label| label == name)
        };
        let of: Vec<&str> = self.models.iter().filter(|(_, kept)| is_of(kept)).map(|(name, _)| name.as_str()).collect();
        let (what, fit) = if is_table { ("a table", format!("in {name}")) } else { ("an experiment", name.to_owned()) };
        let hint = match of.as_slice() {
            [] => format!("{name} is {what}: fit {fit} as {} makes a model of it", self.free_model()),
            [model] => format!("{name} is {what}, and its model is {model}; fit {fit} as NAME names a model"),
            models => format!("{name} is {what}, and its models are {}", models.join(", ")),
        };
        let problem = Problem::new("unknown_name", format!("there is no model {}", shorten(name, 60)));
        Failure::input(problem.value(name).hint(hint))
    }

    fn was_refused(&self, name: &str) -> Failure {
        let why = self.refused.get(name).map_or_else(String::new, String::clone);
        Failure::undone(Problem::new("refused", why).value(name))
    }

    /// The table or model that is named, or the last one of the kind that comes first; its name is filled in.
    fn named(&self, name: &mut Option<String>, table_first: bool) -> Result<Named<'_>, Failure> {
        let last = || match table_first {
            true => self.last_table.clone().or_else(|| self.last_model.clone()),
            false => self.last_model.clone().or_else(|| self.last_table.clone()),
        };
        let Some(wanted) = name.clone().or_else(last) else {
            let problem = Problem::new("no_table", "there is no table and no model");
            return Err(problem.hint("load FILE as T reads a table").into());
        };
        *name = Some(wanted.clone());
        if let Some((name, runs)) = self.tables.get_key_value(&wanted) {
            return Ok(Named::Table(name, runs));
        }
        match self.models.get_key_value(&wanted) {
            Some((name, kept)) => Ok(Named::Model(name, kept)),
            None if self.refused.contains_key(&wanted) => Err(self.was_refused(&wanted)),
            None => {
                let names = self.tables.keys().chain(self.models.keys());
                Err(unknown("table or model", &wanted, names, "load FILE as T reads a table"))
            }
        }
    }
}

/// The names in an expression; none where it cannot be read.
fn names_in(expression: &str) -> Vec<String> {
    runcast_formula::Formula::parse(expression).map_or_else(|_| Vec::new(), |formula| formula.names().to_vec())
}

/// `t1`, `t2`, ..: the first that is free.
fn free(letter: char, is_taken: impl Fn(&str) -> bool) -> String {
    let names = (1usize..).map(|number| format!("{letter}{number}"));
    names.into_iter().find(|name| !is_taken(name)).unwrap_or_else(|| letter.to_string())
}

fn unknown<'n>(what: &str, name: &str, known: impl Iterator<Item = &'n String>, hint: &str) -> Failure {
    let known: Vec<&str> = known.map(String::as_str).collect();
    let problem = Problem::new("unknown_name", format!("there is no {what} {}", shorten(name, 60))).value(name);
    Failure::input(match known.is_empty() {
        true => problem.hint(hint),
        false => problem.allowed(shorten(&known.join(", "), 400)).or_near(name, known),
    })
}
