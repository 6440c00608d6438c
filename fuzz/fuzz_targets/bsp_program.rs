//! Any text as a program of supersteps, and as the value of `--set`: times that add up, or a problem with its place.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runcast_call::bsp::{Assignments, Detail, Limits, Models, Outcome, Prepared, Program};
use runcast_core::Problem;

const PROGRAM: &str = "parameters = { P = 4, n = 64, x = 'n/P' }
machine = { processors = 'P', task = 'main', args = { m = 'x' } }
instruction = { flop = '1 ns' }
block.b = { g = '0.8 ns/B', L = '2 us' }
bsp = { g = '1 ns/B', L = '1 us', instruction = '2 ns' }
task.main.step = [
    { if = 'procs > 1', before = { flop = 'm' }, partition = ['floor(procs/2)', 'procs'], call = 'main', args = { m = 'm/2' },
      work = 'm*1e-9', send = [ { to = 'procs - 1 - me', bytes = 'x' } ], block = 'b' },
    { repeat = 2, send = [ { to = 'all', bytes = 8, if = 'me == 0' } ], block = 'b' },
]
";

fuzz_target!(|text: &str| {
    if let Ok(program) = Program::from_toml("program.toml", text) {
        run(program, &[]);
    }
    for set in [format!("P={text}"), format!("x={text}")] {
        let program = Program::from_toml("program.toml", PROGRAM).expect("a good program");
        run(program, &[set]);
    }
});

fn run(program: Program, set: &[String]) {
    let models = Models::default();
    let (Ok(prepared), Ok(sets)) = (program.prepare(&models), Assignments::parse(set)) else { return };
    let Ok(sets) = sets.combinations() else { return };
    for set in sets.iter().take(3) {
        let limits = Limits { steps: 3_000, detail: Detail::Picture, interrupt: None };
        match prepared.run(set, &models, &limits) {
            Ok(outcome) => check(&prepared, &outcome),
            Err(problem) => told(&problem),
        }
    }
}

fn told(problem: &Problem) {
    assert!(
        problem.pointer.is_some()
            || problem.code == "too_deep"
            || problem.code == "too_much_detail"
            || problem.code == "too_many",
        "{problem:?}"
    );
    assert!(!problem.message.is_empty());
}

fn check(_: &Prepared, outcome: &Outcome<'_>) {
    let latest = outcome.obsp_finish_s().iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for (rank, finish) in outcome.obsp_finish_s().iter().enumerate() {
        assert!(finish.is_finite() && *finish <= outcome.bsp_finish_s()[rank]);
        let sum = outcome.start_s()[rank] + outcome.work_s()[rank] + outcome.wait_s()[rank] + outcome.comm_s()[rank];
        assert!((sum - finish).abs() <= 1e-9 * finish.abs(), "{sum} is not {finish}");
    }
    let path = outcome.critical_path();
    assert!(path.windows(2).all(|pair| pair[0].to_s == pair[1].from_s));
    assert!(path.last().is_none_or(|last| last.to_s == latest));
    assert!(path.first().is_none_or(|first| first.from_s == outcome.start_s()[first.rank as usize]));
    assert!(outcome.steps().all(|step| step.wait_s.iter().chain(step.h_bytes).all(|value| *value >= 0.0)));
}
