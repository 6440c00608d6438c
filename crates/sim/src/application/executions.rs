//! How often blocks are executed, as far as programs are known in advance.

use super::{Application, Op, Programs, Task};
use std::collections::BTreeMap;

impl Application {
    /// How often the processes of a label execute each block, together; those that run live are not known in advance.
    pub fn executions(&self, label: usize) -> BTreeMap<u32, f64> {
        let mut all = BTreeMap::new();
        let label = &self.labels[label];
        let mut programs: Vec<(u32, f64)> = match &label.programs {
            Programs::Same(program) => vec![(*program, label.count as f64)],
            Programs::PerRank(programs) => programs.iter().map(|program| (*program, 1.0)).collect(),
            Programs::Live => Vec::new(),
        };
        programs.sort_unstable_by_key(|(program, _)| *program);
        programs.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            kept.1 += if is_same { next.1 } else { 0.0 };
            is_same
        });
        for (program, processes) in programs {
            let Some(program) = self.programs.get(program as usize) else { continue };
            program.each(|op, times| match *op {
                Op::Compute(block) | Op::Launch { task: Task::Block(block), .. } => {
                    *all.entry(block).or_insert(0.0) += times * processes
                }
                Op::Farm(farm) => {
                    let farm = &self.farms[farm as usize];
                    if let Some(block) = farm.master_work {
                        *all.entry(block).or_insert(0.0) += times * farm.tasks as f64;
                    }
                }
                Op::FarmWorker(farm) => {
                    let farm = &self.farms[farm as usize];
                    *all.entry(farm.work).or_insert(0.0) += times * farm.tasks as f64;
                }
                _ => {}
            });
        }
        all
    }
}
