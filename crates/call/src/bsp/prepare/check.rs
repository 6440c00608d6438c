//! Checks that everything a program names exists: tasks, blocks, instructions, models, arguments.

use super::super::program::Place;
use super::Checker;
use super::names::Names;
use super::task::{self, TaskCode};
use runcast_core::Problem;
use runcast_core::problem::shorten;
use runcast_formula::nearest;

impl Checker<'_> {
    /// The file names a parameter that the model does not have.
    pub(super) fn check_models(&mut self) {
        for (name, file) in &self.program.models {
            let Some(model) = self.models.get(name) else {
                let problem = Problem::new("missing", format!("the model {name} is not loaded"));
                self.problems.push(file.place.locate(&self.program.source, problem));
                continue;
            };
            let parameters = model.parameters();
            for (given, value) in &file.with {
                if !parameters.contains(given) {
                    let message = format!("models {name}: {given} is not a parameter of {}", shorten(&file.file, 60));
                    let mut problem = Problem::new("unknown_name", message).value(given.clone());
                    problem = problem.allowed(parameters.join(", "));
                    if let Some(near) = nearest(given, parameters.iter().map(String::as_str)) {
                        problem = problem.hint(format!("did you mean {near}?"));
                    }
                    self.problems.push(value.place.locate(&self.program.source, problem));
                }
            }
        }
    }

    /// Checks that every called task exists.
    pub(super) fn check_tasks(&mut self) {
        let program = self.program;
        let known = || program.tasks.keys().map(String::as_str);
        let main = std::iter::once(("machine: ".to_owned(), &program.machine.task));
        let calls = program.tasks.iter().flat_map(|(name, task)| {
            task.steps.iter().enumerate().flat_map(move |(index, step)| {
                let context = task::context(name, index, step);
                step.call.iter().flat_map(|call| &call.tasks).map(move |task| (context.clone(), task))
            })
        });
        let unknown = main.chain(calls).filter(|(_, (name, _))| !program.tasks.contains_key(name));
        for (context, (name, place)) in unknown {
            let message = format!("{context}there is no task \"{}\"", shorten(name, 60));
            let mut problem = Problem::new("unknown_task", message).value(name.clone());
            problem = problem.allowed(known().collect::<Vec<_>>().join(", "));
            if let Some(near) = nearest(name, known()) {
                problem = problem.hint(format!("did you mean {near}?"));
            }
            self.problems.push(place.locate(&program.source, problem));
        }
    }

    /// Checks that every block and every instruction class exists.
    pub(super) fn check_references(&mut self) {
        let program = self.program;
        for (task, spec) in &program.tasks {
            for (index, step) in spec.steps.iter().enumerate() {
                let context = task::context(task, index, step);
                let mut unknown = |what: &str, name: &str, place: &Place, known: Vec<&str>| {
                    let message = format!("{context}there is no {what} \"{}\"", shorten(name, 60));
                    let mut problem = Problem::new("unknown_name", message).value(name).allowed(known.join(", "));
                    if let Some(near) = nearest(name, known) {
                        problem = problem.hint(format!("did you mean {near}?"));
                    }
                    self.problems.push(place.locate(&program.source, problem));
                };
                if let Some((name, place)) =
                    step.closing.block.as_ref().filter(|(n, _)| !program.blocks.contains_key(n))
                {
                    unknown("block", name, place, program.blocks.keys().map(String::as_str).collect());
                }
                for (class, value) in step.before.iter().chain(&step.work).flat_map(|work| &work.counts) {
                    if !program.instructions.contains_key(class) {
                        let known = program.instructions.keys().map(String::as_str).chain(["time"]).collect();
                        unknown("instruction", class, &value.place, known);
                    }
                }
            }
        }
    }

    /// Checks that each caller of a task supplies the arguments it needs.
    pub(super) fn check_arguments(&mut self, names: &Names, tasks: &[TaskCode]) {
        for site in &names.sites {
            let Some(task) = tasks.get(site.task) else { continue };
            for needed in task.needed.iter().filter(|name| !self.program.parameters.contains_key(*name)) {
                if !site.args.contains(needed) {
                    let message = format!("{}the task {} needs the argument {needed}", site.context, task.name);
                    let problem = Problem::new("missing_argument", message).value(site.args.join(", "));
                    let problem = problem.hint(format!("args = {{ {needed} = .. }}"));
                    self.problems.push(site.place.locate(&self.program.source, problem));
                }
            }
        }
    }
}
