//! The arguments of a task: all that any of its callers supplies.

use super::super::program::{Place, Program};
use super::task;

/// The calls of tasks, with their arguments.
pub(super) struct Names {
    /// By task: the names of its arguments, in the order in which they are found.
    pub args: Vec<Vec<String>>,
    reached: Vec<bool>,
    pub sites: Vec<Site>,
}

/// A place where a task is called.
pub(super) struct Site {
    pub task: usize,
    pub args: Vec<String>,
    pub context: String,
    pub place: Place,
}

impl Names {
    /// From the machine's start on; the called tasks exist.
    pub(super) fn of(program: &Program) -> Self {
        let count = program.tasks.len();
        let mut names = Names { args: vec![Vec::new(); count], reached: vec![false; count], sites: Vec::new() };
        let machine = &program.machine;
        let mut waiting = Vec::new();
        let main = program.tasks.get_index_of(&machine.task.0);
        let args = machine.args.keys().cloned().collect();
        names.call(main, args, "machine: ".to_owned(), &machine.task.1, &mut waiting);
        while let Some(caller) = waiting.pop() {
            let Some((name, spec)) = program.tasks.get_index(caller) else { continue };
            for (index, step) in spec.steps.iter().enumerate() {
                let Some(call) = &step.call else { continue };
                for (task, _) in &call.tasks {
                    let args = call.args.keys().cloned().collect();
                    let context = task::context(name, index, step);
                    names.call(program.tasks.get_index_of(task), args, context, &call.place, &mut waiting);
                }
            }
        }
        names
    }

    pub(super) fn is_reached(&self, task: usize) -> bool {
        self.reached.get(task).copied().unwrap_or(false)
    }

    fn call(
        &mut self,
        task: Option<usize>,
        args: Vec<String>,
        context: String,
        place: &Place,
        waiting: &mut Vec<usize>,
    ) {
        let Some(task) = task else { return };
        for arg in &args {
            if !self.args[task].contains(arg) {
                self.args[task].push(arg.clone());
            }
        }
        if !std::mem::replace(&mut self.reached[task], true) {
            waiting.push(task);
        }
        self.sites.push(Site { task, args, context, place: place.clone() });
    }
}
