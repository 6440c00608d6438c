//! The sizes of a plan: which are to be chosen, and which are held fixed.

use super::PROCESSES;
use super::spec::{PlanSpec, Scaling};
use crate::configuration::Configuration;
use crate::problem::{Problem, shorten};

/// Maximum number of sizes of a plan.
pub(super) const MOST_SIZES: usize = 64;

/// The sizes in the order of the configurations.
#[derive(Debug)]
pub(super) struct Layout {
    /// Their names: first those of `size`, then those of the complexity, then the fixed ones.
    pub names: Vec<String>,
    /// Which of them are chosen, in the order in which ties are broken.
    pub free: Vec<usize>,
    /// The values of the others.
    pub held: Vec<Option<f64>>,
}

impl Layout {
    pub(super) fn new(spec: &PlanSpec) -> Result<Self, Problem> {
        let mut names: Vec<String> = Vec::new();
        let complexity = spec.complexity.iter().flat_map(|formula| formula.names());
        for name in spec
            .sizes
            .keys()
            .chain(complexity)
            .chain(spec.start.keys())
            .chain(spec.grid.keys())
            .chain(spec.fixed.keys())
        {
            if name != PROCESSES && !names.contains(name) {
                names.push(name.clone());
            }
            if names.len() > MOST_SIZES {
                return Err(spec
                    .problem("complexity", "too_many_sizes", "the plan has too many sizes")
                    .allowed(format!("at most {MOST_SIZES}")));
            }
        }
        let held: Vec<Option<f64>> = names.iter().map(|name| spec.fixed.get(name).copied()).collect();
        let free = (0..names.len()).filter(|&index| held[index].is_none()).collect();
        Ok(Layout { names, free, held })
    }

    /// The arguments of the complexity: `p`, then the sizes, zero for those that are not held.
    pub(super) fn arguments(&self, p: f64) -> Vec<f64> {
        std::iter::once(p).chain(self.held.iter().map(|held| held.unwrap_or(0.0))).collect()
    }

    /// `p` and the sizes of a configuration that a key gives; what it leaves out must be held.
    pub(super) fn arguments_at(&self, spec: &PlanSpec, key: &str, at: &Configuration) -> Result<Vec<f64>, Problem> {
        let problem = |code: &str, message: String| spec.problem(key, code, message);
        let names: Vec<&str> = self.parameters().collect();
        if let Some(name) = at.0.keys().find(|name| !names.contains(&name.as_str())) {
            return Err(problem("unknown_parameter", format!("{name} is not a parameter of the complexity"))
                .value(name)
                .one_of(name, names.iter().copied()));
        }
        let held = std::iter::once(None).chain(self.held.iter().copied());
        let arguments: Vec<f64> = names
            .iter()
            .zip(held)
            .map(|(name, held)| {
                let value = at.get(name).or(held);
                value.ok_or_else(|| {
                    problem("missing", format!("`{key}` does not say which {name}")).allowed(names.join(", "))
                })
            })
            .collect::<Result<_, _>>()?;
        if arguments[0] <= 0.0 {
            let problem = problem("out_of_range", format!("p is {}", arguments[0]));
            return Err(problem.allowed("a positive number of processes"));
        }
        Ok(arguments)
    }

    /// Checks that all sizes are held but those listed.
    pub(super) fn check_held(&self, spec: &PlanSpec, scaling: Scaling, but: &[&str]) -> Result<(), Problem> {
        match self.free.iter().map(|&index| &self.names[index]).find(|name| !but.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => Err(spec
                .problem(
                    &format!("size/{name}"),
                    "missing",
                    match scaling {
                        Scaling::Grid => format!("the grid has no values of {name}"),
                        _ => format!("{} scaling holds {name}, but it has no value", scaling.name()),
                    },
                )
                .hint(match scaling {
                    Scaling::Grid => format!("--grid {name}=.. lists values of it, --fixed {name}=.. gives it one"),
                    _ => format!("--fixed {name}=.. gives it one"),
                })),
        }
    }

    /// Checks that there is something to choose, and that the complexity depends on it.
    pub(super) fn check_free(&self, spec: &PlanSpec) -> Result<(), Problem> {
        let used = spec.complexity.as_ref().map_or(&[][..], |formula| formula.names());
        if self.free.is_empty() {
            let complexity = spec.complexity.as_ref().map_or("", |formula| formula.text());
            return Err(spec
                .problem(
                    "complexity",
                    "nothing_to_choose",
                    format!("no size is left to choose in \"{}\"", shorten(complexity, 60)),
                )
                .hint("weak scaling chooses sizes; name one in the complexity, or ask for --scaling strong"));
        }
        match self.free.iter().map(|&index| &self.names[index]).find(|name| !used.contains(name)) {
            None => Ok(()),
            Some(name) => Err(spec
                .problem(&format!("size/{name}"), "unused_size", format!("the complexity does not depend on {name}"))
                .hint(format!("--fixed {name}=.. holds it at a value"))),
        }
    }
}
