//! Weak, strong and wide plans, filters, and the ways in and out.

use super::{refused, sizes, solve, spec};
use runcast_core::plan::{PlanSpec, configurations_from};
use serde_json::{Value, json};

const EXAMPLE: &str = include_str!("../../../../testdata/plans/weak.toml");

#[test]
fn the_example_gives_eight_to_train_and_two_targets() {
    let plan = solve(EXAMPLE);
    let p: Vec<f64> = sizes(&plan, "p");
    assert_eq!(p, [4.0, 16.0, 25.0, 49.0, 81.0, 121.0, 144.0, 196.0, 400.0, 576.0]);
    let sets: Vec<&str> = plan.configurations.iter().map(|planned| planned.set.as_str()).collect();
    assert_eq!((&sets[..8], &sets[8..]), (&["train"; 8][..], &["target"; 2][..]));
    // N^3 = 1e12 p in multiples of 100.
    assert_eq!(sizes(&plan, "N")[..4], [15900.0, 25200.0, 29200.0, 36600.0]);
    assert!(plan.configurations.iter().all(|planned| planned.repetitions == 5));
    assert!(plan.warnings.is_empty(), "{:?}", plan.warnings);
}

#[test]
fn the_document_has_the_documented_shape() {
    let mut spec = spec("scaling = 'weak'\ncomplexity = 'N^3'\nprocesses = [8]\nrepetitions = 5\n");
    spec.set("--constant", "p=8,N=20000").expect("a constant");
    let document = serde_json::to_value(spec.solve().expect("a plan")).expect("JSON");
    let expected = json!({
        "kind": "plan", "version": 1, "scaling": "weak", "complexity": "N^3", "constant": 1_000_000_000_000_i64,
        "max_deviation_pct": 0, "warnings": [],
        "configurations": [{"set": "train", "at": {"p": 8, "N": 20000}, "exact": {"N": 20000},
            "work_per_process": 1_000_000_000_000_i64, "deviation_pct": 0, "repetitions": 5}]
    });
    assert_eq!(document, expected);
}

#[test]
fn csv_goes_out_and_comes_back() {
    let plan = solve(
        "complexity = '2^SC*(1+EF)'\nconstant = {p = 14, SC = 25, EF = 16}\nprocesses = [14, 28]\ntargets = 280\nrepetitions = 3\n[size.SC]\n[size.EF]\nmin = 14\nmax = 29",
    );
    let mut csv = Vec::new();
    plan.write_csv(&mut csv).expect("a string");
    let text = String::from_utf8(csv).expect("UTF-8");
    let header = text.lines().next();
    assert_eq!(header, Some("set,p,SC,EF,reps,work_per_process,deviation_pct"));
    let read = configurations_from("plan.csv", text.as_bytes()).expect("configurations");
    assert_eq!(read.len(), 3);
    for (read, planned) in read.iter().zip(&plan.configurations) {
        assert_eq!((&read.set, &read.at, read.repetitions), (&planned.set, &planned.at, 3));
    }
    let document = serde_json::to_vec(&plan).expect("JSON");
    assert_eq!(configurations_from("-", &document).expect("configurations"), read);
}

#[test]
fn a_plan_file_is_solved_where_configurations_are_wanted() {
    assert_eq!(configurations_from("plan.toml", EXAMPLE.as_bytes()).expect("configurations").len(), 10);
    assert_eq!(configurations_from("-", EXAMPLE.as_bytes()).expect("by its content").len(), 10);
    let problems = configurations_from("plan.toml", b"processes = [4]\ncomplexty = 'N'").expect_err("a slip");
    assert!(problems.to_string().starts_with("plan.toml:2:1: /complexty"));
}

#[test]
fn plain_tables_are_plans() {
    let read = |text: &str| configurations_from("runs.csv", text.as_bytes());
    let planned = read("p,N\n8,20000\n16,25200\n").expect("configurations");
    assert_eq!((planned[0].set.as_str(), planned[0].repetitions, planned.len()), ("train", 1, 2));
    let planned = read("app,p,N,rep,time_s\nhpl,6,18000,0,52.1\nhpl,6,18000,1,51.8\nhpl,8,20000,0,53\n").expect("runs");
    assert_eq!((planned.len(), planned[0].repetitions, planned[1].repetitions), (2, 2, 1));
    assert_eq!(planned[0].at.to_string(), "p=6, N=18000");
    let planned = read("p,reps,set\n4,2,target\n8,,\n").expect("empty cells have defaults");
    assert_eq!((planned[0].repetitions, planned[0].set.as_str()), (2, "target"));
    assert_eq!((planned[1].repetitions, planned[1].set.as_str()), (1, "train"));

    let problem = |text: &str| read(text).expect_err("a problem").to_string();
    assert!(problem("p,N\n8,\n").starts_with("runs.csv:2: N: N has no value"));
    let damaged = problem("p,N\n8,20000\n16,\"25,2\"\n");
    assert!(damaged.starts_with("runs.csv:3: N: "), "{damaged}");
    assert!(problem("p,reps\n8,0.5\n").starts_with("runs.csv:2: reps: "));
    assert!(problem("app\nhpl\n").contains("no numeric column"));
    assert!(read("").is_err() && read("p,N\n").is_err());
}

#[test]
fn options_override_the_file() {
    let mut spec = spec(EXAMPLE);
    for (key, text) in [
        ("--processes", "4,9"),
        ("--targets", "625"),
        ("--size", "N:multiple=1"),
        ("--keep", "p > 4"),
        ("--constant", "1e9"),
        ("--complexity", "N^3"),
        ("--repetitions", "1"),
        ("--round", "down"),
    ] {
        spec.set(key, text).expect(key);
    }
    let plan = spec.solve().expect("a plan");
    assert_eq!(sizes(&plan, "p"), [9.0, 625.0]);
    assert_eq!(sizes(&plan, "N"), [2080.0, 8549.0]);
}

#[test]
fn strong_scaling_fixes_the_problem() {
    let mut spec = PlanSpec::default();
    for (key, text) in [
        ("scaling", "strong"),
        ("complexity", "2/3*N^3"),
        ("fixed", "N=50000"),
        ("processes", "1,2,4,8"),
        ("targets", "64"),
    ] {
        spec.set(key, text).expect(key);
    }
    let plan = spec.solve().expect("a plan");
    assert_eq!(sizes(&plan, "N"), [50000.0; 5]);
    assert_eq!(plan.constant, None);
    let work = 2.0 / 3.0 * 50000f64.powi(3);
    for planned in &plan.configurations {
        let p = planned.at.get("p").expect("p");
        assert!((planned.work_per_process.expect("work") * p / work - 1.0).abs() < 1e-14);
        assert_eq!(planned.deviation_pct, Some(0.0));
    }
}

#[test]
fn strong_scaling_needs_no_complexity() {
    let mut spec = PlanSpec::default();
    spec.set("processes", "powers:2").expect("a list");
    spec.set("max-p", "16").expect("a number");
    spec.set("fixed", "N=100,I=3").expect("sizes");
    let plan = spec.solve().expect("a plan");
    assert_eq!(sizes(&plan, "p"), [1.0, 2.0, 4.0, 8.0, 16.0]);
    let document = serde_json::to_value(&plan).expect("JSON");
    assert_eq!(document["scaling"], "strong");
    assert_eq!(document["configurations"][0]["at"], json!({"p": 1, "N": 100, "I": 3}));
    assert_eq!(document["configurations"][0]["deviation_pct"], Value::Null);
    assert_eq!(document["max_deviation_pct"], Value::Null);
}

#[test]
fn wide_scaling_grows_the_work_by_the_ratio() {
    let mut spec = PlanSpec::default();
    for (key, text) in [
        ("scaling", "wide"),
        ("complexity", "N^3"),
        ("fixed", "p=64"),
        ("start", "N=1000"),
        ("ratio", "2"),
        ("count", "6"),
    ] {
        spec.set(key, text).expect(key);
    }
    let plan = spec.solve().expect("a plan");
    assert_eq!(sizes(&plan, "p"), [64.0; 6]);
    assert_eq!(sizes(&plan, "N"), [1000.0, 1260.0, 1587.0, 2000.0, 2520.0, 3175.0]);
    assert!(plan.max_deviation_pct().expect("deviations") < 0.1);
    spec.set("targets", "8000").expect("a list");
    spec.set("ratio", "0.5").expect("a number");
    let plan = spec.solve().expect("a plan");
    assert_eq!(sizes(&plan, "N")[..2], [1000.0, 794.0]);
    assert_eq!(plan.configurations.last().map(|planned| planned.at.to_string()).as_deref(), Some("p=64, N=8000"));
}

#[test]
fn a_multiple_may_follow_p() {
    let plan = solve(
        "complexity = 'N^3'\nconstant = 1e12\nprocesses = 'squares'\nmax_p = 100\n[size.N]\nmultiple = '50*sqrt(p)'",
    );
    for planned in &plan.configurations {
        let (p, n) = (planned.at.get("p").expect("p"), planned.at.get("N").expect("N"));
        assert_eq!(n % (50.0 * p.sqrt()), 0.0, "{}", planned.at);
    }
    assert!(plan.warnings.is_empty());
    let plan = solve("complexity = 'N^3'\nconstant = 1e12\nprocesses = [8]\n[size.N]\nmultiple = '50*sqrt(p)'");
    assert_eq!(sizes(&plan, "N")[0] % 141.0, 0.0, "50 sqrt 8 = 141.4 is not a whole number");
    assert_eq!(plan.warnings[0].code, "multiple_rounded");
}

#[test]
fn real_sizes_are_exact_or_decimal_multiples() {
    let dns = "complexity = 'N^3'\nconstant = 91.125\nprocesses = 'cubes'\nmax_p = 216\n[size.N]\nreal = true\n";
    assert_eq!(sizes(&solve(dns), "N"), [4.5, 9.0, 13.5, 18.0, 22.5, 27.0]);
    assert_eq!(sizes(&solve(&format!("{dns}multiple = 0.1")), "N"), [4.5, 9.0, 13.5, 18.0, 22.5, 27.0]);
    let third = solve("complexity = 'N'\nconstant = 0.31\nprocesses = [1]\n[size.N]\nreal = true\nmultiple = 0.1");
    assert_eq!(sizes(&third, "N"), [0.3], "not 0.30000000000000004");
}

#[test]
fn complexity_may_depend_on_p() {
    let plan = solve("complexity = 'N*log2(N) + 10*p'\nconstant = 1000\nprocesses = [1, 2, 4]");
    for planned in &plan.configurations {
        assert!(planned.deviation_pct.expect("a deviation").abs() < 0.6);
    }
}

#[test]
fn sizes_may_be_held_in_weak_scaling() {
    let plan = solve(
        "scaling = 'weak'\ncomplexity = 'I*N^2'\nconstant = {p = 1, N = 100, I = 10}\nfixed = {I = 10}\nprocesses = [1, 4]",
    );
    assert_eq!(plan.configurations[1].at.to_string(), "p=4, I=10, N=200");
    assert_eq!(plan.configurations[1].exact.as_ref().map(ToString::to_string).as_deref(), Some("N=200"));
}

#[test]
fn filters_drop_and_tell() {
    let base = "complexity = 'N^3'\nconstant = 1e6\nprocesses = 'range:1..16:1'\n";
    let plan = solve(&format!("{base}keep = 'N/p == floor(N/p)'"));
    assert!(
        plan.configurations
            .iter()
            .all(|planned| { planned.at.get("N").expect("N") % planned.at.get("p").expect("p") == 0.0 })
    );
    let plan = solve(&format!("{base}max_deviation = '2%'\n[size.N]\nmultiple = 10"));
    assert!(plan.max_deviation_pct().expect("deviations") <= 2.0);
    assert_eq!(plan.warnings[0].code, "deviation");
    assert!(refused(&format!("{base}keep = 'p < 0'")).to_string().starts_with("plan.toml:4:8: /keep: none of 16"));
    let plan = solve(&format!("{base}targets = [100]\nkeep = 'p < 50'"));
    assert_eq!(plan.warnings[0].code, "target_left_out");
    let plan = solve(&format!("{base}count = 20"));
    assert_eq!((plan.warnings[0].code.as_str(), plan.configurations.len()), ("fewer_configurations", 16));
    // The allowed ones are thinned out, not the listed ones.
    let plan = solve(&format!("{base}keep = 'p > 3'\ncount = 3"));
    assert_eq!(sizes(&plan, "p"), [4.0, 10.0, 16.0]);
}

#[test]
fn min_and_max_are_kept() {
    let base = "complexity = 'N^3'\nconstant = 1e6\nprocesses = [1, 8, 1000]\n[size.N]\nmin = 150\nmax = 500\n";
    let plan = solve(base);
    assert_eq!(sizes(&plan, "N"), [150.0, 200.0, 500.0]);
    assert_eq!(plan.warnings[0].code, "at_bound");
    let exact: Vec<_> = plan.configurations.iter().map(|planned| planned.exact.as_ref()?.get("N")).collect();
    assert_eq!(exact, [Some(100.0), Some(200.0), Some(1000.0)]);
    let down = solve(&format!("round = 'down'\n{base}"));
    assert_eq!(sizes(&down, "N"), [200.0, 500.0]);
    assert_eq!(down.warnings.last().map(|warning| warning.code.as_str()), Some("no_allowed_size"));
    let up = solve(&format!("round = 'up'\n{base}"));
    assert_eq!(sizes(&up, "N"), [150.0, 200.0]);
}

#[test]
fn keys_without_use_are_told() {
    let plan = solve("scaling = 'strong'\nconstant = 5\nfixed = {N = 5}\nprocesses = [1]");
    assert_eq!(plan.warnings[0].message, "strong scaling does not use `constant`");
}

#[test]
fn checks_of_strong_and_wide_plans() {
    let checked = |toml: &str, csv: &str| -> Vec<f64> {
        let plan = spec(toml).check("given.csv", csv.as_bytes()).expect("deviations");
        plan.configurations.iter().map(|planned| planned.deviation_pct.expect("a deviation")).collect()
    };
    let strong = "scaling = 'strong'\ncomplexity = 'N'\n";
    assert_eq!(checked(strong, "p,N\n1,100\n2,100\n4,150\n"), [0.0, 0.0, 50.0]);
    assert_eq!(checked(&format!("{strong}fixed = {{N = 200}}"), "p\n1\n2\n"), [0.0, 0.0]);
    let wide = "scaling = 'wide'\ncomplexity = 'N'\nratio = 2\n";
    assert_eq!(checked(wide, "p,N\n4,100\n4,200\n4,440\n"), [0.0, 0.0, 10.0]);
}

#[test]
fn a_check_tells_its_lines() {
    let weak = "complexity = 'N^3'\nconstant = 1e6\nmax_deviation = '5%'";
    let plan =
        spec(weak).check("given.csv", b"# by hand\nset,p,N,reps\ntrain,1,100,2\ntarget,8,220,1\n").expect("a plan");
    assert_eq!(plan.configurations[1].set, "target");
    assert_eq!(plan.configurations[0].repetitions, 2);
    assert_eq!(plan.configurations[1].exact.as_ref().map(ToString::to_string).as_deref(), Some("N=200"));
    let warning = &plan.warnings[0];
    assert_eq!(
        (warning.code.as_str(), warning.line, warning.file.as_deref()),
        ("deviation", Some(4), Some("given.csv"))
    );
    let problem = |csv: &str| spec(weak).check("given.csv", csv.as_bytes()).expect_err("a problem").to_string();
    assert!(problem("p,M\n1,100\n").starts_with("given.csv:2: N: the configuration p=1, M=100 has no N"));
    assert!(problem("p,N\n1,100\n2,0\n").starts_with("given.csv:3"));
    assert!(problem("p,N\n0,100\n").starts_with("given.csv:2: p: 0 is not a number of processes"));
}
