//! Resources of labels: threads, devices, storages, derived from the recorded programs.

use crate::application::{Application, Op, Programs, Task};

/// The resources of a label's processes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LabelUse {
    pub name: String,
    /// Number of its first process.
    pub first: u64,
    pub count: u64,
    /// The most threads of a block on the processors; 1 if unknown in advance.
    pub threads: f64,
    /// Devices that its blocks name, with their most threads.
    pub devices: Vec<(String, f64)>,
    /// Its blocks, as far as they are known in advance.
    pub blocks: Vec<u32>,
    /// Storages that it reads or writes; none: the nearest.
    pub storages: Vec<Option<String>>,
}

impl LabelUse {
    fn device(&mut self, name: &str, threads: f64) {
        match self.devices.iter_mut().find(|(known, _)| known == name) {
            Some((_, most)) => *most = most.max(threads),
            None => self.devices.push((name.to_owned(), threads)),
        }
    }
}

/// The resources of every label. Programs that ranks share are examined once.
pub(super) fn uses(application: &Application) -> Vec<LabelUse> {
    let mut all = Vec::with_capacity(application.labels.len());
    for label in &application.labels {
        let mut found = LabelUse {
            name: label.name.clone(),
            first: label.first,
            count: label.count,
            threads: 1.0,
            devices: Vec::new(),
            blocks: Vec::new(),
            storages: Vec::new(),
        };
        let programs = match &label.programs {
            Programs::Same(program) => vec![*program],
            Programs::PerRank(programs) => {
                let mut distinct = programs.clone();
                distinct.sort_unstable();
                distinct.dedup();
                distinct
            }
            Programs::Live => Vec::new(),
        };
        let mut blocks = vec![false; application.blocks.len()];
        for program in programs {
            let Some(program) = application.programs.get(program as usize) else { continue };
            for (op, _) in &program.ops {
                look(application, op, &mut blocks, &mut found);
            }
        }
        for (number, block) in application.blocks.iter().enumerate().filter(|(number, _)| blocks[*number]) {
            found.blocks.push(number as u32);
            match block.device.as_str() {
                "" => found.threads = found.threads.max(block.threads),
                device => found.device(device, block.threads),
            }
        }
        all.push(found);
    }
    all
}

fn look(application: &Application, op: &Op, blocks: &mut [bool], found: &mut LabelUse) {
    let mut mark = |block: u32| {
        if let Some(used) = blocks.get_mut(block as usize) {
            *used = true;
        }
    };
    match *op {
        Op::Compute(block) | Op::Launch { task: Task::Block(block), .. } => mark(block),
        Op::Farm(farm) => {
            if let Some(block) = application.farms.get(farm as usize).and_then(|farm| farm.master_work) {
                mark(block);
            }
        }
        Op::FarmWorker(farm) => {
            if let Some(farm) = application.farms.get(farm as usize) {
                mark(farm.work);
            }
        }
        Op::Read { storage, .. } | Op::Write { storage, .. } => {
            let name = storage.and_then(|name| application.names.get(name as usize)).cloned();
            if !found.storages.contains(&name) {
                found.storages.push(name);
            }
        }
        _ => {}
    }
}
