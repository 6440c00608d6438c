//! What a curve tells while a system is edited, on a small machine.

use super::*;
use crate::remote::InMemory;
use std::cell::RefCell;
use std::sync::Arc;

const SYSTEM: &str = r#"format = "runcast-system/1"
name = "lab"
component = [
  { id = "lab", kind = "group" },
  { id = "node", kind = "machine", parent = "lab", count = 4 },
  { id = "cpu", kind = "cpu", parent = "node", set = { cores = 4, flops_double = "32Gflop/s" } },
  { id = "spare", kind = "machine", parent = "lab" },
  { id = "old", kind = "cpu", parent = "spare", set = { cores = 2, flops_double = "8Gflop/s" } },
]
[[network]]
of = "lab"
set = { bandwidth = "10GB/s", latency = "2us" }
"#;
const SCRIPT: &str = r#"local p = param("p", 8, "processes")
label{ "worker", count = p, on = "node", run = function(rank)
  compute{ ops = 1e9 / p }
  local to, from = (rank + 1) % p, (rank - 1) % p
  if p > 1 then
    if rank % 2 == 0 then send{ to = to, size = 8 }; recv{ from = from } else recv{ from = from }; send{ to = to, size = 8 } end
  end
end }
"#;
const EXPERIMENT: &str = "format = \"runcast-experiment/1\"\nsystem = \"lab.toml\"\n[[app]]\nfile = \"app.luau\"\n";

fn lines(system: &str, asked: &Asked) -> Result<Vec<Line>, Failure> {
    let file = |name: &str, text: &str| (name.to_owned(), Arc::<[u8]>::from(text.as_bytes()));
    let files = [file("lab.toml", system), file("app.luau", SCRIPT), file("lab-run.toml", EXPERIMENT)];
    let mut context = Context::of_files(Box::new(InMemory::new(files)));
    let told = RefCell::new(Vec::new());
    let argv = ["sim", "run", "lab-run.toml"].map(str::to_owned).to_vec();
    answer(&Asked { argv, budget_ms: 20_000, ..asked.clone() }, &mut context, &|line| {
        told.borrow_mut().push(line.clone())
    })?;
    Ok(told.into_inner())
}

fn points(lines: &[Line]) -> Vec<(f64, String, Known, bool)> {
    let point = |line: &Line| match line {
        Line::Point { at, key, known: Some(known), is_cached, .. } => {
            Some((at["p"], key.clone(), known.clone(), *is_cached))
        }
        _ => None,
    };
    lines.iter().filter_map(point).collect()
}

fn codes(lines: &[Line]) -> Vec<String> {
    let items = lines.iter().find_map(|line| match line {
        Line::Remarks { items } => Some(items.clone()),
        _ => None,
    });
    items.expect("remarks").into_iter().map(|item| item.code).collect()
}

#[test]
fn the_curve_begins_where_the_experiment_is_and_what_is_known_is_not_computed() {
    let first = lines(SYSTEM, &Asked::default()).expect("a curve");
    let found = points(&first);
    assert_eq!(found.iter().map(|point| point.0).collect::<Vec<_>>()[..3], [8.0, 1.0, 128.0]);
    assert!(found.iter().all(|(.., is_cached)| !is_cached));
    // 1e9 flop on a core of 8 Gflop/s.
    let alone = found.iter().find(|point| point.0 == 1.0).expect("p = 1");
    assert!((alone.2.time_s - 0.125).abs() < 1e-6, "{}", alone.2.time_s);

    let known = found.iter().map(|(_, key, known, _)| (key.clone(), known.clone())).collect();
    let asked = Asked { known, ..Asked::default() };
    // Nothing runs on the spare machine: another clock of it is the same curve.
    let again = points(&lines(&SYSTEM.replace("8Gflop/s", "9Gflop/s"), &asked).expect("a curve"));
    assert!(again.iter().all(|(.., is_cached)| *is_cached), "{again:?}");
    // A faster processor is another one.
    let other = points(&lines(&SYSTEM.replace("32Gflop/s", "64Gflop/s"), &asked).expect("a curve"));
    assert!(other.iter().all(|(.., is_cached)| !is_cached));
    let alone = other.iter().find(|point| point.0 == 1.0).expect("p = 1");
    assert!((alone.2.time_s - 0.0625).abs() < 1e-6, "{}", alone.2.time_s);
}

#[test]
fn remarks_know_physics() {
    let seen = |system: &str| codes(&lines(system, &Asked::default()).expect("a curve"));
    assert_eq!(seen(SYSTEM), ["unused_part"]);
    let alone = &SYSTEM[..SYSTEM.find("[[network]]").expect("there is one")];
    assert!(seen(alone).contains(&"no_network".to_owned()), "{:?}", seen(alone));
    let inside = SYSTEM.replace("of = \"lab\"\nset = {", "of = \"node\"\nset = { family = \"ethernet\",");
    assert!(seen(&inside).contains(&"fabric_inside_machine".to_owned()), "{:?}", seen(&inside));
    let absurd = SYSTEM.replace("latency = \"2us\"", "latency = \"2ns\"").replace("32Gflop/s", "32Tflop/s");
    assert_eq!(seen(&absurd).iter().filter(|code| *code == "implausible").count(), 2);
}

#[test]
fn a_network_that_only_more_processes_miss_is_told_with_them() {
    let alone = SYSTEM[..SYSTEM.find("[[network]]").expect("there is one")].replace("cores = 4", "cores = 8");
    // Eight processes are on one machine of eight cores; 32 are on four of them.
    let asked = Asked { param: Some("p".to_owned()), values: vec![8.0, 16.0, 32.0], ..Asked::default() };
    let told = lines(&alone, &asked).expect("a curve");
    assert!(!codes(&told).contains(&"no_network".to_owned()), "{told:?}");
    let last = told.iter().rev().find_map(|line| match line {
        Line::Remarks { items } => Some(items),
        _ => None,
    });
    let last = last.expect("remarks");
    let found: Vec<_> = last.iter().filter(|one| one.code == "no_network").collect();
    let [one] = found[..] else { panic!("{last:?}") };
    assert_eq!(one.message, "at p = 32: 4 machines of lab exchange messages, and no network joins them");
    assert!(last.iter().any(|one| one.code == "unused_part"), "the first ones stay: {last:?}");
}

#[test]
fn a_topology_that_became_too_small_grows_and_is_told() {
    let tree = SYSTEM.replace(
        "of = \"lab\"\n",
        "of = \"lab\"\ntopology = { kind = \"fat_tree\", down = [3, 2], up = [1, 2], links = [1, 1] }\n",
    );
    let found = lines(&tree.replace("count = 4", "count = 8"), &Asked::default()).expect("a curve");
    assert!(!points(&found).is_empty() && codes(&found)[0] == "topology_too_small", "{found:?}");
    let grown = |line: &Line| {
        matches!(line, Line::Remarks { items } if items.iter().any(|item|
        item.mend == Some(remarks::Mend::Topology { network: 0, value: "{ kind = \"fat_tree\", down = [3, 3], up = [1, 2], links = [1, 1] }".to_owned() })))
    };
    assert!(found.iter().any(grown), "{found:?}");
}

#[test]
fn an_endless_script_ends_with_the_budget() {
    let file = |name: &str, text: &str| (name.to_owned(), Arc::<[u8]>::from(text.as_bytes()));
    let script = SCRIPT.replace("compute{", "while true do end; compute{");
    let files = [file("lab.toml", SYSTEM), file("app.luau", &script), file("lab-run.toml", EXPERIMENT)];
    let mut context = Context::of_files(Box::new(InMemory::new(files)));
    let argv = ["sim", "run", "lab-run.toml"].map(str::to_owned).to_vec();
    let begun = std::time::Instant::now();
    let ended = answer(&Asked { argv, budget_ms: 50, ..Asked::default() }, &mut context, &|_| {});
    assert!(ended.is_err());
    assert!(begun.elapsed() < Duration::from_secs(20));
}
