//! The names of a task, and how the models among them get their inputs.

use super::super::Models;
use super::super::program::{ModelFile, Program};
use super::cell::{Cell, Compiler, Trait};
use super::inputs;
use super::task::{InputCode, ModelCode, TaskCode};
use runcast_core::Problem;

/// A task without steps, and what compiles formulas for its names.
pub(super) fn scope<'p>(
    program: &'p Program,
    models: &Models,
    name: &str,
    args: &'p [String],
) -> (TaskCode, Compiler<'p>) {
    let parameters = program.parameters.keys();
    let all = args.iter().chain(parameters).chain(program.models.keys()).map(String::as_str);
    let mut compiler = Compiler::new(all);
    let first_model = compiler.names().len() - program.models.len();
    for (index, (name, file)) in program.models.iter().enumerate() {
        let inputs = models.get(name).map(|model| inputs(model.as_ref())).unwrap_or_default();
        let names = inputs.iter().flat_map(|input| match file.with.get(input) {
            Some(value) => value.names().to_vec(),
            None => vec![input.clone()],
        });
        let its: Vec<Trait> = names.filter_map(|name| Some(compiler.trait_of(compiler.slot(&name)?))).collect();
        let (is_own, uses_it) = (its.iter().any(|its| its.is_own), its.iter().any(|its| its.uses_it));
        compiler.set(first_model + index, Trait { is_own, uses_it, model: Some(index) });
    }
    let fallback = args.iter().map(|arg| program.parameters.get_index_of(arg)).collect();
    let task = TaskCode { fallback, ..TaskCode::empty(name) };
    (task, compiler)
}

/// The models among names.
pub(super) fn used_models(compiler: &Compiler<'_>, used: &[String]) -> Vec<String> {
    let is_model = |name: &&String| compiler.slot(name).is_some_and(|slot| compiler.trait_of(slot).model.is_some());
    used.iter().filter(is_model).cloned().collect()
}

/// How the models in use get their inputs.
pub(super) fn model_codes(
    program: &Program,
    models: &Models,
    compiler: &Compiler<'_>,
    problems: &mut Vec<Problem>,
    needed: &mut Vec<String>,
    args: &[String],
    used: &[String],
) -> Vec<Option<ModelCode>> {
    let mut codes = Vec::new();
    for (name, file) in &program.models {
        let is_used = used.contains(name);
        let (Some(slot), Some(model), true) = (compiler.slot(name), models.get(name), is_used) else {
            codes.push(None);
            continue;
        };
        let mut cells = Vec::new();
        for input in inputs(model.as_ref()) {
            let names: Vec<String> = match file.with.get(input) {
                Some(value) => value.names().to_vec(),
                None => vec![input.clone()],
            };
            for arg in args.iter().filter(|arg| names.contains(arg)) {
                if !needed.contains(arg) {
                    needed.push(arg.clone());
                }
            }
            match input_code(program, compiler, name, file, input) {
                Ok(code) => cells.push(code),
                Err(problem) => problems.push(problem),
            }
        }
        codes.push(Some(ModelCode { slot, inputs: cells }));
    }
    codes
}

fn input_code(
    program: &Program,
    compiler: &Compiler<'_>,
    name: &str,
    file: &ModelFile,
    input: &str,
) -> Result<InputCode, Problem> {
    let of_models = |cell: &Cell| !cell.models.is_empty();
    match (file.with.get(input), compiler.slot(input)) {
        (Some(value), _) => match compiler.cell(value, &format!("models {name}: ")) {
            Ok(cell) if of_models(&cell) => {
                let problem = Problem::new("formula", format!("models {name}: a model inside a model's inputs"));
                Err(value.place.locate(&program.source, problem.value(value.text())))
            }
            Ok(cell) => Ok(InputCode::Cell(Box::new(cell))),
            Err((problem, value)) => Err(value.place.locate(&program.source, problem)),
        },
        (None, Some(slot)) if compiler.trait_of(slot).model.is_none() => Ok(InputCode::Slot(slot)),
        (None, _) => {
            let message = format!("models {name}: there is no {input}, which the model needs");
            let problem = Problem::new("missing", message).allowed(compiler.names().join(", "));
            let problem = problem.hint(format!("with = {{ {input} = \"..\" }} gives it a value"));
            Err(file.place.locate(&program.source, problem))
        }
    }
}
