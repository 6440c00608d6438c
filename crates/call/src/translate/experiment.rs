//! Regions of one name as one experiment.

use super::clause::{self, At, Exits, Mode};
use super::fault::Fault;
use super::nest;
use super::source::Source;
use super::{Experiment as Told, Site};
use indexmap::IndexMap;
use runcast_formula::template::Template;
use std::rc::Rc;

/// The formula of each experiment, over all sources.
#[derive(Debug, Default)]
pub struct Formulas(IndexMap<String, Known>);

#[derive(Debug)]
struct Known {
    /// Its position, with its names as written: `a->b` for `a.b`.
    begin: Rc<clause::Experiment>,
    file: String,
    line: u64,
}

/// An experiment of a source.
#[derive(Debug)]
pub struct Experiment {
    pub told: Told,
    pub sites: Vec<nest::Site>,
    pub seg: Vec<String>,
    pub metric: Vec<String>,
    pub at: At,
    pub every: u32,
    pub mode: Mode,
    pub exits: Exits,
    /// For each region, the expressions of its names.
    pub values: Vec<Vec<String>>,
}

impl Known {
    fn template(&self) -> Option<&Template> {
        self.begin.template.as_ref()
    }

    /// The formula in readable form.
    fn told(&self) -> String {
        self.template().map(Template::to_string).unwrap_or_default()
    }
}

impl Formulas {
    /// Collects them; an experiment with two formulas is an error at the second.
    pub fn of(sources: &mut [Source<'_>]) -> Self {
        let mut known: IndexMap<String, Known> = IndexMap::new();
        for source in sources {
            let mut faults = Vec::new();
            for number in 0..source.clauses.len() {
                let Some(begin) = source.begin(number) else { continue };
                let Some(template) = &begin.template else { continue };
                match known.get(&begin.name) {
                    None => {
                        let line = source.line(number);
                        let (begin, file) = (Rc::clone(begin), source.input.name.clone());
                        known.insert(begin.name.clone(), Known { begin, file, line });
                    }
                    Some(first)
                        if !Rc::ptr_eq(&first.begin, begin) && first.begin.template.as_ref() != Some(template) =>
                    {
                        let message = format!(
                            "the formula of {} is {template} here, and {} in {}, line {}",
                            begin.name,
                            first.told(),
                            first.file,
                            first.line
                        );
                        let at = source.pragma(number).origin(begin.name_at);
                        let hint = "an experiment has one formula: choose another name, or drop this formula";
                        faults.push(Fault::new("formula-differs", at, message).hint(hint));
                    }
                    Some(_) => {}
                }
            }
            faults.into_iter().for_each(|fault| source.fault(fault));
        }
        Formulas(known)
    }
}

/// The experiments of a source, in the order of their first regions.
pub fn of_source(source: &mut Source<'_>, formulas: &Formulas) -> Vec<Experiment> {
    let mut sites = source.nested.sites.clone();
    sites.sort_by_key(|site| site.begin);
    let mut grouped: IndexMap<String, Vec<nest::Site>> = IndexMap::new();
    for site in sites {
        if let Some(begin) = source.begin(site.begin) {
            grouped.entry(begin.name.clone()).or_default().push(site);
        }
    }
    let mut faults = Vec::new();
    let made = grouped.into_iter().map(|(name, sites)| experiment(source, formulas, name, sites, &mut faults));
    let made = made.collect();
    faults.into_iter().for_each(|fault| source.fault(fault));
    made
}

fn experiment(
    source: &Source<'_>,
    formulas: &Formulas,
    name: String,
    sites: Vec<nest::Site>,
    faults: &mut Vec<Fault>,
) -> Experiment {
    let known = formulas.0.get(&name);
    let begins: Vec<(usize, &clause::Experiment)> =
        sites.iter().filter_map(|site| Some((site.begin, source.begin(site.begin)?.as_ref()))).collect();
    let mut merged = Merged { source, name: &name, faults };
    let seg = merged.option("seg", &begins, |begin| some(&begin.options.seg)).unwrap_or_default();
    let metric = merged.option("metric", &begins, |begin| some(&begin.options.metric)).unwrap_or_default();
    let at = merged.option("at", &begins, |begin| begin.options.at).unwrap_or(At::Begin);
    let every = merged.option("every", &begins, |begin| begin.options.every).unwrap_or(1);
    let mode = merged.option("mode", &begins, |begin| begin.options.mode).unwrap_or(Mode::Auto);
    let exits = merged.option("exits", &begins, |begin| begin.options.exits).unwrap_or(Exits::Drop);
    let names = names(source, known, &begins);
    let values = begins.iter().map(|(_, begin)| names.iter().map(|name| value(name, begin)).collect()).collect();
    let told_sites =
        sites.iter().map(|site| Site { begin_line: source.line(site.begin), end_line: source.line(site.end) });
    let told = Told {
        name: name.clone(),
        formula: known.map(Known::told),
        constants: known.and_then(Known::template).map_or(0, |template| template.factors().len()),
        names: names.iter().map(|name| name.name.clone()).collect(),
        sites: told_sites.collect(),
    };
    Experiment { told, sites, seg, metric, at, every, mode, exits, values }
}

fn some(list: &[String]) -> Option<Vec<String>> {
    (!list.is_empty()).then(|| list.to_vec())
}

/// All names of an experiment, each as it is written where it was first seen.
///
/// `P` is the number of processes, which is always recorded, unless the program has a P of its own.
fn names(source: &Source<'_>, known: Option<&Known>, begins: &[(usize, &clause::Experiment)]) -> Vec<clause::Name> {
    let mut names: Vec<clause::Name> = Vec::new();
    let of_formula = known.into_iter().flat_map(|known| {
        let written = known.template().map_or(&[][..], Template::names);
        let in_formula = move |name: &&clause::Name| written.contains(&name.name);
        known.begin.names.iter().filter(in_formula).cloned().map(|name| clause::Name { given: false, ..name })
    });
    for name in of_formula.chain(begins.iter().flat_map(|(_, begin)| begin.names.iter().cloned())) {
        let is_processes = name.name == "P" && !name.given && !source.scanned.has_p;
        match names.iter_mut().find(|known| known.name == name.name) {
            _ if is_processes => {}
            None => names.push(name),
            Some(known) if name.given && !known.given => *known = name,
            Some(_) => {}
        }
    }
    names
}

/// The expression of a name in a region: its own, or else that of the experiment.
fn value(name: &clause::Name, begin: &clause::Experiment) -> String {
    let own = begin.names.iter().find(|own| own.name == name.name);
    // A name of a formula that is written here is taken as written, regardless of what another region gives for it.
    own.unwrap_or(name).expression.clone()
}

struct Merged<'a, 's> {
    source: &'a Source<'s>,
    name: &'a str,
    faults: &'a mut Vec<Fault>,
}

impl Merged<'_, '_> {
    /// An option that is given at one region or at several alike.
    fn option<T: PartialEq>(
        &mut self,
        option: &str,
        begins: &[(usize, &clause::Experiment)],
        value: impl Fn(&clause::Experiment) -> Option<T>,
    ) -> Option<T> {
        let mut first: Option<(T, usize)> = None;
        for (number, begin) in begins {
            let Some(found) = value(begin) else { continue };
            match &first {
                None => first = Some((found, *number)),
                Some((known, other)) if *known != found => {
                    let message = format!("{option} of {} differs from line {}", self.name, self.source.line(*other));
                    let at = self.source.pragma(*number).origin(begin.name_at);
                    let hint = "an experiment has the same options everywhere; give them once";
                    self.faults.push(Fault::new("formula-differs", at, message).hint(hint));
                }
                Some(_) => {}
            }
        }
        first.map(|(found, _)| found)
    }
}
