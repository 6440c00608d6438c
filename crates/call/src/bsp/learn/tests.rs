//! Recordings are made here by programs of a few lines; what is learned is compared with numbers of the publication.

use super::*;
use crate::bsp::{Assignment, Limits, Model, Models, Program};
use std::fmt::Write;

/// A rank that writes its events, 10 ns apart.
struct Rank {
    text: String,
    now: u64,
}

impl Rank {
    fn new(rank: usize, processes: usize) -> Self {
        Rank { text: format!("# cll-bsp: 1 rank {rank} processes {processes}\n"), now: 0 }
    }

    fn event(&mut self, what: &str) {
        self.now += 10;
        let _ = writeln!(self.text, "{} {what}", self.now);
    }

    fn region(&mut self, name: &str, values: &[(&str, usize)], inside: impl FnOnce(&mut Rank)) {
        self.now += 10;
        let start = self.now;
        inside(self);
        let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
        let names = if names.is_empty() { "-".to_owned() } else { names.join(",") };
        let numbers: String = values.iter().map(|(_, value)| format!(" {value}")).collect();
        self.event(&format!("R {name} {start} 10 {names}{numbers}"));
    }

    fn exchange(&mut self, to: &[usize], bytes: usize, kind: &str) {
        for to in to {
            self.event(&format!("S {to} {bytes}"));
        }
        self.event("W");
        self.event(&format!("Y {kind} {}", to.len()));
    }
}

/// The program of the publication.
fn fft(rank: &mut Rank, me: usize, procs: usize, n: usize) {
    if procs == 1 {
        return rank.region("G", &[("n", n)], |_| {});
    }
    let half = procs / 2;
    rank.region("A", &[], |_| {});
    rank.region("B", &[], |rank| rank.event(&format!("P {half} {procs}")));
    fft(rank, me % half, half, n / 2);
    rank.region("C", &[], |rank| rank.event("D"));
    rank.region("D", &[("size", 8 * n)], |rank| {
        rank.exchange(&[if me < half { me + half } else { me - half }], 8 * n, "oblivious");
    });
    rank.region("E", &[("size", 8 * n)], |_| {});
    rank.region("F", &[("half", n / 2)], |_| {});
}

/// Two visits of a region `all` of N elements, with a barrier before each.
fn runs(sizes: &[(usize, usize)], program: impl Fn(&mut Rank, usize, usize, usize)) -> Vec<Run> {
    let run = |&(processes, n): &(usize, usize)| {
        let ranks: Vec<Recorded> = (0..processes)
            .map(|me| {
                let mut rank = Rank::new(me, processes);
                for _ in 0..2 {
                    rank.exchange(&[], 0, "barrier");
                    rank.region("all", &[("N", n)], |rank| program(rank, me, processes, n));
                }
                Recorded::parse("r.txt", &rank.text).unwrap()
            })
            .collect();
        if processes > 1 {
            assert_eq!(procedure(&ranks).as_deref(), Some("all"));
        }
        Run::of(&ranks, "all").unwrap()
    };
    sizes.iter().flat_map(run).collect()
}

/// A formula as a model.
struct Of(Vec<String>, fn(&[f64]) -> f64);

impl Model for Of {
    fn parameters(&self) -> &[String] {
        &self.0
    }

    fn predict(&self, at: &[f64]) -> Result<f64, String> {
        Ok(self.1(at))
    }
}

fn model(parameter: &str, formula: fn(&[f64]) -> f64) -> Box<dyn Model> {
    let parameters = Some(parameter).filter(|parameter| !parameter.is_empty()).map(str::to_owned);
    Box::new(Of(parameters.into_iter().collect(), formula))
}

/// The constants of testdata/bsp/fft.toml.
fn of_the_transform(name: &str) -> Box<dyn Model> {
    match name {
        "A" => model("", |_| 1.0),
        "B" => model("", |_| 2.0),
        "C" => model("", |_| 3.0),
        "D" => model("size", |at| 5.0 + 0.5 * at[0]),
        "E" => model("size", |_| 7.0),
        "F" => model("half", |at| 11.0 + 0.25 * at[0]),
        _ => model("n", |at| 13.0 + 0.125 * at[0] * at[0].log2()),
    }
}

/// The time of a program whose models are formulas.
fn time(text: &str, model: fn(&str) -> Box<dyn Model>, set: &[(&str, f64)]) -> f64 {
    let program = Program::from_toml("program.toml", text).unwrap();
    let models: Models = program.models().keys().map(|name| (name.clone(), model(name))).collect();
    let program = program.prepare(&models).unwrap();
    let set: Vec<Assignment> = set.iter().map(|(name, value)| Assignment::number(*name, *value)).collect();
    program.run(&set, &models, &Limits::default()).unwrap().obsp_time_s()
}

fn text(learnt: &Learnt) -> String {
    learnt.to_toml("test", &|region| Ok(format!("{region}.json")))
}

#[test]
fn the_transform_of_the_publication_is_learned_from_up_to_four_processes() {
    let runs = runs(&[(1, 256), (2, 256), (4, 256), (4, 1024)], fft);
    let learnt = learn(&runs).unwrap();
    assert_eq!(learnt.unlearned, []);
    assert!(learnt.formulas.iter().all(|formula| formula.ambiguous.is_none()), "{:?}", learnt.formulas);
    let text = text(&learnt);
    // Equation (11), corrected.
    for (p, expected) in [(1.0, 6157.0), (2.0, 19754.0), (4.0, 26695.0), (8.0, 30244.0)] {
        assert_eq!(time(&text, of_the_transform, &[("P", p), ("N", 4096.0)]), expected, "{text}");
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/bsp/fft.toml");
    let by_hand = std::fs::read_to_string(path).unwrap();
    let far = [("P", 1024.0), ("N", 65536.0)];
    assert_eq!(time(&text, of_the_transform, &far), time(&by_hand, of_the_transform, &far));
}

/// Every process adds up over a hypercube; the work in a step halves what is sent next.
#[test]
fn a_hypercube_is_a_repeated_superstep() {
    let cube = |rank: &mut Rank, me: usize, procs: usize, n: usize| {
        let mut distance = 1;
        while distance < procs {
            rank.region("add", &[("n", n)], |_| {});
            rank.exchange(&[me ^ distance], 8 * n, "oblivious");
            distance *= 2;
        }
        rank.region("last", &[], |_| {});
    };
    let learnt = learn(&runs(&[(2, 100), (4, 100), (8, 100), (8, 300)], cube)).unwrap();
    assert_eq!(learnt.unlearned, []);
    let text = text(&learnt);
    assert!(text.contains("repeat = \"log2(procs)\""), "{text}");
    let of_cube = |name: &str| if name == "add" { model("n", |at| at[0]) } else { model("", |_| 0.0) };
    let cost = learnt.blocks[0].line;
    let expected = 6.0 * (500.0 + cost.0 + cost.1 * 4000.0);
    let found = time(&text, of_cube, &[("P", 64.0), ("N", 500.0)]);
    assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}");
}

#[test]
fn a_ring_with_a_master_has_conditions() {
    let ring = |rank: &mut Rank, me: usize, procs: usize, n: usize| {
        if me == 0 {
            rank.region("plan", &[], |_| {});
        }
        rank.exchange(&[(me + 1) % procs], 4 * n / procs, "oblivious");
        rank.exchange(&(0..procs).filter(|to| *to != me).collect::<Vec<_>>(), 16, "barrier");
    };
    let learnt = learn(&runs(&[(2, 96), (3, 96), (4, 96), (4, 192)], ring)).unwrap();
    let text = text(&learnt);
    assert_eq!(learnt.unlearned, [], "{text}");
    for part in
        ["if(me == 0, plan, 0)", "if(me == procs - 1, 0, me + 1)", "\"4*n/procs\"", "to = \"all\"", "\"barrier\""]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn two_processes_do_not_tell_partners_apart() {
    let swap = |rank: &mut Rank, me: usize, _: usize, n: usize| rank.exchange(&[1 - me], n, "oblivious");
    let learnt = learn(&runs(&[(2, 96), (2, 192)], swap)).unwrap();
    let to = learnt.formulas.iter().find(|formula| formula.key == "to").unwrap();
    assert!(to.ambiguous.is_some(), "{to:?}");
}

#[test]
fn what_cannot_be_learned_is_told() {
    let serial = |rank: &mut Rank, _: usize, _: usize, _: usize| rank.region("G", &[], |_| {});
    assert_eq!(learn(&runs(&[(1, 2)], serial)).unwrap_err().code, "no_supersteps");
    // Bytes that follow from nothing.
    let odd = |rank: &mut Rank, me: usize, procs: usize, n: usize| {
        rank.exchange(&[(me + 1) % procs], 7 * n + 13 * me * me, "oblivious");
    };
    let learnt = learn(&runs(&[(4, 10), (4, 20), (8, 10)], odd)).unwrap();
    assert!(learnt.unlearned.iter().any(|one| one.what.starts_with("bytes")), "{:?}", learnt.unlearned);
    // Machines in machines without end.
    let mut rank = Rank::new(0, 1);
    rank.region("all", &[], |rank| (0..10_000).for_each(|_| rank.event("P 1")));
    let rank = Recorded::parse("r.txt", &rank.text).unwrap();
    assert_eq!(Run::of(&[rank], "all").unwrap_err().code, "different");
    // One rank of two.
    let rank = Recorded::parse("r.txt", "# cll-bsp: 1 rank 0 processes 2\n").unwrap();
    assert_eq!(Run::of(&[rank], "all").unwrap_err().code, "missing_rank");
}

#[test]
fn files_of_events_are_read_with_care() {
    let bad = |text: &str| Recorded::parse("r.txt", text).unwrap_err();
    assert_eq!(bad("region,run\n").code, "not_events");
    for line in ["5 S 1", "5 P 2 1", "5 R F 1 2 n x", "5 Y both 1", "-5 W", "5 Q", "5 R F 1 inf -"] {
        let problem = bad(&format!("# cll-bsp: 1 rank 0 processes 1\n1 W\n{line}\n"));
        assert_eq!((problem.code.as_str(), problem.line), ("bad_line", Some(3)), "{line}");
    }
    // The run was killed while it wrote.
    let cut = Recorded::parse("r.txt", "# cll-bsp: 1 rank 0 processes 1\n1 W\n2 Y barr").unwrap();
    assert_eq!(cut.events.len(), 1);
}

/// Neighbors in a grid of the given extents, the last one varying fastest, with an edge or around it.
fn grid_neighbors(me: usize, extents: &[usize], is_around: bool) -> Vec<usize> {
    let mut to = Vec::new();
    let mut stride = 1;
    for extent in extents.iter().rev() {
        let place = me / stride % extent;
        let start = me - place * stride;
        if place + 1 < *extent || is_around {
            to.push(start + (place + 1) % extent * stride);
        }
        if place > 0 || is_around {
            to.push(start + (place + extent - 1) % extent * stride);
        }
        stride *= extent;
    }
    to
}

/// What each process of a learned program sends at a number of processes, read from its traffic: all times are those of the
/// longest queue, so the number of neighbors shows in h.
fn halo_of(extents: fn(usize) -> Vec<usize>, is_around: bool, processes: &[usize], far: usize) {
    let halo = |rank: &mut Rank, me: usize, procs: usize, n: usize| {
        rank.region("work", &[("n", n)], |_| {});
        rank.exchange(&grid_neighbors(me, &extents(procs), is_around), n, "oblivious");
    };
    let sizes: Vec<(usize, usize)> = processes.iter().flat_map(|procs| [(*procs, 100), (*procs, 300)]).collect();
    let learnt = learn(&runs(&sizes, halo)).unwrap();
    let text = text(&learnt);
    assert_eq!(learnt.unlearned, [], "{text}");
    // The same messages by hand, each with its own sender and receiver, on a machine that nobody has measured.
    let sends = (0..far).flat_map(|me| {
        let to = grid_neighbors(me, &extents(far), is_around);
        to.into_iter().map(move |to| format!("{{ to = {to}, bytes = \"n\", if = \"me == {me}\" }}"))
    });
    let by_hand = format!(
        "machine = {{ processors = {far}, task = \"main\", args = {{ n = 50 }} }}\nmodels.work = {{ file = \"work.json\" }}\n\
         block.x = {{ L = 1, g = 2 }}\n[[task.main.step]]\nwork = \"work\"\nsend = [ {} ]\nblock = \"x\"\n",
        sends.collect::<Vec<_>>().join(", ")
    );
    let start = text.find("block.").expect("a block");
    let end = start + text[start..].find('\n').expect("a line");
    let name = text[start + 6..].split(' ').next().expect("a name");
    let learned = format!("{}block.{name} = {{ L = 1, g = 2 }}{}", &text[..start], &text[end..]);
    let work = |_: &str| model("n", |_| 3.0);
    let set = [("P", far as f64), ("N", 50.0)];
    let steps = |text: &str, set: &[(&str, f64)]| {
        let program = Program::from_toml("program.toml", text).unwrap();
        let models: Models = program.models().keys().map(|name| (name.clone(), work(name))).collect();
        let program = program.prepare(&models).unwrap();
        let set: Vec<Assignment> = set.iter().map(|(name, value)| Assignment::number(*name, *value)).collect();
        let limits = Limits { detail: crate::bsp::Detail::Steps, ..Limits::default() };
        let outcome = program.run(&set, &models, &limits).unwrap();
        outcome.steps().next().map(|step| step.h_bytes.to_vec()).unwrap()
    };
    assert_eq!(steps(&learned, &set), steps(&by_hand, &[]), "{text}");
}

#[test]
fn neighbors_in_grids_are_learned() {
    let square = |procs: usize| vec![procs.isqrt(); 2];
    let even = |procs: usize| vec![1 << procs.ilog2().div_ceil(2), 1 << (procs.ilog2() / 2)];
    let cube = |procs: usize| {
        let k = procs.ilog2() as usize;
        vec![1 << k.div_ceil(3), 1 << ((k + 1) / 3), 1 << (k / 3)]
    };
    halo_of(square, false, &[4, 9, 16], 25);
    halo_of(square, true, &[9, 16, 25], 36);
    halo_of(even, false, &[4, 8, 16], 128);
    halo_of(even, true, &[8, 16, 32], 64);
    halo_of(cube, false, &[8, 16, 32], 64);
    halo_of(|procs| vec![procs], false, &[2, 3, 5], 9);
}

/// Rounds of two supersteps fold into a part that is repeated.
#[test]
fn rounds_of_several_supersteps_repeat() {
    let rounds = |rank: &mut Rank, me: usize, procs: usize, n: usize| {
        for _ in 0..n / 10 {
            rank.region("work", &[("n", n)], |_| {});
            rank.exchange(&[(me + 1) % procs], 8, "oblivious");
            rank.region("norm", &[], |_| {});
            rank.exchange(&[], 0, "barrier");
        }
        rank.region("last", &[], |_| {});
    };
    let learnt = learn(&runs(&[(2, 20), (3, 20), (4, 20), (4, 60)], rounds)).unwrap();
    let text = text(&learnt);
    assert_eq!(learnt.unlearned, [], "{text}");
    assert!(text.contains("repeat = \"n/10\"") && text.contains("call = \"part_1\""), "{text}");
    let of = |name: &str| match name {
        "work" => model("n", |_| 1.0),
        "norm" => model("", |_| 1.0),
        _ => model("", |_| 7.0),
    };
    let found = time(&text, of, &[("P", 6.0), ("N", 500.0)]);
    assert!((found / (50.0 * 2.0 + 7.0) - 1.0).abs() < 1e-6, "{found}");
}

/// In MPI those at an edge have nobody to wait for.
#[test]
fn ranks_that_wait_for_nobody_are_in_step() {
    let shift = |rank: &mut Rank, me: usize, procs: usize, n: usize| {
        rank.region("work", &[("n", n)], |_| {});
        if me + 1 < procs {
            rank.event(&format!("S {} {}", me + 1, 8 * n));
        }
        if me > 0 {
            rank.event("W");
            rank.event("Y received 1");
        }
        rank.region("after", &[], |_| {});
        rank.event("W");
        rank.event("Y barrier 0");
    };
    let learnt = learn(&runs(&[(2, 20), (3, 20), (4, 20), (4, 60)], shift)).unwrap();
    let text = text(&learnt);
    assert_eq!(learnt.unlearned, [], "{text}");
    assert!(text.contains("{ to = \"me + 1\", bytes = \"8*n\", if = \"me < procs - 1\" }"), "{text}");
    // Consecutive receives are one superstep, and what supersteps do not say is told.
    let joined = |rank: &mut Rank, me: usize, procs: usize, n: usize| {
        for to in [(me + 1) % procs, (me + procs - 1) % procs] {
            rank.event(&format!("S {to} {n}"));
        }
        for _ in 0..2 {
            rank.event("W");
            rank.event("Y received 1");
        }
        rank.event("U a probe");
    };
    let learnt = learn(&runs(&[(3, 20), (4, 20), (5, 20), (5, 60)], joined)).unwrap();
    assert_eq!(learnt.unlearned.iter().map(|one| one.what.as_str()).collect::<Vec<_>>(), ["a probe"]);
    assert_eq!(learnt.tasks[0].steps.len(), 1, "{:?}", learnt.tasks);
}
