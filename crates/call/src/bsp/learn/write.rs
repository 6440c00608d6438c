//! A learned program as TOML.

use super::steps::Sync;
use super::tasks::{Learnt, Message, TaskStep};
use std::fmt::Write;

impl Learnt {
    /// The program. `file` names the file of a region's model; a region without one has a constant time \[s\].
    pub fn to_toml(&self, title: &str, file: &dyn Fn(&str) -> Result<String, f64>) -> String {
        let mut text = format!("# Learned from recorded runs by runcast bsp learn.\ntitle = {}\n", quoted(title));
        let mut parameters = vec![format!("P = {}", self.processes)];
        parameters.extend(self.parameters.iter().map(|(name, value)| format!("{name} = {value}")));
        let _ = writeln!(text, "parameters = {{ {} }}", parameters.join(", "));
        let top = self.tasks.first();
        let args = top.map_or(&[][..], |task| &task.args);
        let pairs = args.iter().zip(&self.parameters).map(|(arg, (name, _))| format!("{arg} = {}", quoted(name)));
        let task = top.map_or("main", |task| task.name.as_str());
        let _ = write!(text, "machine = {{ processors = \"P\", task = {}", quoted(task));
        let _ = writeln!(text, "{} }}", table(", args = ", &pairs.collect::<Vec<_>>()));
        let mut constants = String::new();
        for model in &self.models {
            match file(&model.region) {
                Ok(file) => {
                    let with: Vec<String> = model
                        .with
                        .iter()
                        .map(|(name, formula)| format!("{} = {}", key(name), quoted(formula)))
                        .collect();
                    let _ = writeln!(
                        text,
                        "models.{} = {{ file = {}{} }}",
                        model.name,
                        quoted(&file),
                        table(", with = ", &with)
                    );
                }
                Err(time_s) => {
                    let _ = write!(constants, ", {} = {time_s:e}", model.name);
                }
            }
        }
        if !constants.is_empty() {
            text = text.replacen(" }\nmachine", &format!("{constants} }}\nmachine"), 1);
        }
        for block in &self.blocks {
            let _ = match &block.model {
                Some(model) => writeln!(text, "block.{} = {{ L = {}, g = 0 }}", block.name, quoted(model)),
                None if block.doubling_s > 0.0 => {
                    let (start, doubling) = (block.line.0, block.doubling_s);
                    writeln!(text, "block.{} = {{ L = \"{start:e} + {doubling:e}*log2(procs)\", g = 0 }}", block.name)
                }
                None => writeln!(text, "block.{} = {{ L = {:e}, g = {:e} }}", block.name, block.line.0, block.line.1),
            };
        }
        for task in &self.tasks {
            for step in &task.steps {
                let _ = writeln!(text, "\n[[task.{}.step]]", task.name);
                self.step(&mut text, &task.name, &task.args, step);
            }
        }
        text
    }

    fn step(&self, text: &mut String, task: &str, args: &[String], step: &TaskStep) {
        let mut line = |key: &str, value: String| {
            let _ = writeln!(text, "{key} = {value}");
        };
        line("name", quoted(&step.name));
        if !step.condition.is_empty() {
            line("if", quoted(&step.condition));
        }
        if let Some(repeat) = &step.repeat {
            line("repeat", quoted(repeat));
        }
        if !step.before.is_empty() {
            line("before", quoted(&step.before.join(" + ")));
        }
        if !step.partition.is_empty() {
            line(
                "partition",
                format!("[{}]", step.partition.iter().map(|end| quoted(end)).collect::<Vec<_>>().join(", ")),
            );
        }
        if let Some((called, values)) = &step.call {
            line("call", quoted(called));
            if !args.is_empty() {
                let pairs: Vec<String> =
                    args.iter().zip(values).map(|(arg, value)| format!("{arg} = {}", quoted(value))).collect();
                line("args", format!("{{ {} }}", pairs.join(", ")));
            }
        }
        if !step.work.is_empty() {
            line("work", quoted(&step.work.join(" + ")));
        }
        if !step.sends.is_empty() {
            line("send", format!("[ {} ]", step.sends.iter().map(message).collect::<Vec<_>>().join(", ")));
        }
        match step.sync {
            Some(Sync::Barrier) => line("sync", quoted("barrier")),
            Some(Sync::Oblivious) if step.sends.is_empty() => line("sync", quoted("oblivious")),
            _ => {}
        }
        if let Some(block) = &step.block {
            line("block", quoted(block));
        }
        for found in self.formulas.iter().filter(|found| found.task == task && found.step == step.name) {
            if let Some(other) = &found.ambiguous {
                let _ = writeln!(text, "# ambiguous: {} could be {other}", found.key);
            }
        }
    }
}

fn message(message: &Message) -> String {
    let condition = match message.condition.as_str() {
        "" => String::new(),
        condition => format!(", if = {}", quoted(condition)),
    };
    format!("{{ to = {}, bytes = {}{condition} }}", quoted(&message.to), quoted(&message.bytes))
}

fn table(before: &str, pairs: &[String]) -> String {
    if pairs.is_empty() { String::new() } else { format!("{before}{{ {} }}", pairs.join(", ")) }
}

/// Names with dots are keys in quotes.
fn key(name: &str) -> String {
    if name.contains('.') { quoted(name) } else { name.to_owned() }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
