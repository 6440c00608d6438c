//! The example system of the specification, and what holds for all.

use super::*;
use crate::application::{Block, Collective, CollectiveKind, Label, Op, Parameter, Program, Programs, Site};
use crate::catalogue::Catalogue;
use crate::noise::Detour;
use crate::system::{Changes, read};
use crate::world::{Io, World};
use proptest::prelude::*;

mod galera;
mod random;
mod rules;

fn system(text: &str) -> System {
    let read = read(text, "galera.toml", Catalogue::builtin(), &Changes::default());
    read.unwrap_or_else(|problems| panic!("{problems:?}")).system
}

/// Labels with this many processes, each with one program of blocks.
fn application(labels: &[(&str, u64, Vec<Block>)]) -> Application {
    let mut application = Application { file: "app.luau".to_owned(), ..Application::default() };
    for (name, count, blocks) in labels {
        let first_block = application.blocks.len() as u32;
        application.blocks.extend(blocks.iter().cloned());
        let ops = (0..blocks.len() as u32).map(|block| (Op::Compute(first_block + block), Site::default())).collect();
        let program = application.programs.len() as u32;
        application.programs.push(Program { ops, requests: 0 });
        application.labels.push(Label::new(*name, application.processes(), *count, Programs::Same(program)));
    }
    application
}

fn block(kind: &str, size: f64, ops: f64) -> Block {
    Block { kind: kind.to_owned(), size, ops, ..Block::default() }
}

fn world(text: &str, application: &Application, entries: &[Entry]) -> SystemWorld {
    with(text, application, entries, &ModelOptions::default())
}

fn with(text: &str, application: &Application, entries: &[Entry], options: &ModelOptions) -> SystemWorld {
    SystemWorld::new(&system(text), application, entries, options).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn seconds(world: &SystemWorld, process: u64, block: &Block) -> f64 {
    world.compute(block, world.place(process).class).expect("a cost").seconds
}
