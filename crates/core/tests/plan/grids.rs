//! Grids, and what a budget pays for.

use super::{refused, sizes, solve, spec};
use runcast_core::plan::{Plan, configurations_from};

/// `(p, N)` of the configurations of a set.
fn pairs(plan: &Plan, set: &str) -> Vec<(f64, f64)> {
    let of_set = plan.configurations.iter().filter(|planned| planned.set == set);
    of_set.map(|planned| (planned.at.get("p").expect("p"), planned.at.get("N").expect("N"))).collect()
}

/// A run of `N` elements on `p` processes costs 0.01 (N/1000)^2 core-hours.
const PRICED: &str = "complexity = 'N^2'\nmeasured = 'p=4,N=1000:9s'\nrepetitions = 2\n";

#[test]
fn a_grid_is_all_combinations_sorted_by_processes() {
    let plan = solve("grid = 'p=8,2,4; N=2000,1000'\ntargets = [16]\nrepetitions = 3\n");
    let expected = [(2.0, 1e3), (2.0, 2e3), (4.0, 1e3), (4.0, 2e3), (8.0, 1e3), (8.0, 2e3)];
    assert_eq!(pairs(&plan, "train"), expected);
    assert_eq!(pairs(&plan, "target"), [(16.0, 1e3), (16.0, 2e3)], "at every size of the grid");
    assert!(plan.configurations.iter().all(|planned| planned.repetitions == 3 && planned.deviation_pct.is_none()));
    assert_eq!(plan.scaling.name(), "grid");
    assert!(plan.price.is_none() && plan.warnings.is_empty());
}

#[test]
fn a_grid_is_written_in_several_ways() {
    let expected = solve("grid = 'p=2,4,8; N=1000,2000,4000'").configurations;
    for text in [
        "grid = { p = [2, 4, 8], N = [1000, 2000, 4000] }",
        "[grid]\np = '2..8*2'\nN = '1000..4000*2'",
        "grid = 'p=2,4,8,N=1000,2000,4000'",
        "scaling = 'grid'\nprocesses = [2, 4, 8]\n[grid]\nN = [1000, 2000, 4000]",
        "grid = 'p=powers:2; N=1000,2000..4000*2'\nmin_p = 2\nmax_p = 8",
        "grid = 'p=2,4,8,16,32; N=10^3,2*10^3,4*10^3'\nmax_p = 8",
        "grid = 'p=2,4,8; N=1000,2000,4000,8000'\nkeep = 'N <= 4000'",
    ] {
        assert_eq!(solve(text).configurations, expected, "{text}");
    }
    let mut options = spec("grid = 'p=2,4,8; N=7'");
    options.set("--grid", "N=1000..4000*2").expect("a list");
    assert_eq!(options.solve().expect("a plan").configurations, expected, "an option replaces one list of the file");
}

#[test]
fn several_sizes_and_full_targets() {
    let plan = solve("grid = 'p=2,4; N=10,20; M=1,2,3'\nfixed = { K = 7 }\ntargets = { p = 64, N = [40, 80] }\n");
    assert_eq!(plan.configurations.len(), 2 * 2 * 3 + 2 * 3);
    assert_eq!(sizes(&plan, "K"), [7.0; 18]);
    let targets: Vec<String> = plan.configurations[12..].iter().map(|planned| planned.at.to_string()).collect();
    assert_eq!(targets[0], "p=64, N=40, M=1, K=7");
    assert_eq!(targets[5], "p=64, N=80, M=3, K=7");
    let sizes_only = solve("grid = 'p=2,4; N=10,20'\ntargets = 'N=80'");
    assert_eq!(pairs(&sizes_only, "target"), [(2.0, 80.0), (4.0, 80.0)], "at the numbers of processes of the grid");
}

#[test]
fn a_complexity_adds_the_work() {
    let plan = solve("complexity = 'N^2'\ngrid = 'p=2,4; N=10,20'");
    let work: Vec<_> = plan.configurations.iter().map(|planned| planned.work_per_process).collect();
    assert_eq!(work, [Some(50.0), Some(200.0), Some(25.0), Some(100.0)]);
    assert_eq!(plan.max_deviation_pct(), None);
}

#[test]
fn each_configuration_has_its_price() {
    let plan = solve(&format!("{PRICED}grid = 'p=2,4,8,16; N=1000,2000,4000'\ntargets = 'p=64,N=8000'"));
    let prices: Vec<f64> = plan.configurations.iter().filter_map(|planned| planned.core_hours).collect();
    // 2 runs x 4 processes x 9 s / 3600 = 0.02 core-hours at N = 1000, times 4 at twice the size, whatever p is.
    assert_eq!(prices[..3], [0.02, 0.08, 0.32]);
    assert_eq!(prices[3..6], [0.02, 0.08, 0.32]);
    assert_eq!(prices[12], 1.28);
    let price = plan.price.expect("a price");
    assert_eq!((price.train_core_hours, price.target_core_hours), (1.68, 1.28));
    assert!(price.left_out.is_empty() && price.budget_core_hours.is_none());
}

#[test]
fn a_budget_leaves_out_the_most_expensive_runs() {
    let plan = solve(&format!("{PRICED}grid = 'p=2,4,8,16; N=1000,2000,4000'\ntargets = [64]\nbudget = 1"));
    // Four at 0.02 and four at 0.08 are 0.4; one at 0.32 more is 0.72, two would be 1.04.
    assert_eq!(plan.configurations.iter().filter(|planned| planned.set == "train").count(), 9);
    assert_eq!(pairs(&plan, "target").len(), 3, "targets are no part of the budget");
    let price = plan.price.as_ref().expect("a price");
    assert_eq!(price.train_core_hours, 0.72);
    let left_out: Vec<String> = price.left_out.iter().map(ToString::to_string).collect();
    assert_eq!(left_out, ["p=2, N=4000", "p=4, N=4000", "p=8, N=4000"]);
    assert_eq!(plan.warnings[0].code, "over_budget");
    let document = serde_json::to_value(&plan).expect("JSON");
    assert_eq!(document["price"]["assumes"], "ideal scaling");
    assert_eq!(document["price"]["budget_core_hours"], 1);
    assert_eq!(document["configurations"][0]["core_hours"], 0.02);
}

#[test]
fn other_scalings_have_prices_too() {
    let strong = solve("scaling = 'strong'\nfixed = { N = 1000 }\nprocesses = [1, 2, 4]\nmeasured = 'p=1:3600s'");
    let price = strong.price.expect("a price");
    assert_eq!(price.train_core_hours, 3.0, "without a complexity: the problem is the same");
    let weak = solve(
        "complexity = 'N'\nconstant = 100\nprocesses = [1, 2, 4, 8, 16, 32]\nmeasured = 'p=1,N=100:1h'\nbudget = 40",
    );
    assert_eq!(weak.price.expect("a price").train_core_hours, 31.0, "32 would be one too many");
}

#[test]
fn the_table_has_the_prices_and_is_read_back() {
    let plan = solve(&format!("{PRICED}grid = 'p=2,4,8; N=1000,2000'"));
    let mut csv = Vec::new();
    plan.write_csv(&mut csv).expect("a string");
    assert!(csv.starts_with(b"set,p,N,reps,work_per_process,deviation_pct,core_hours\n"));
    let read = configurations_from("plan.csv", &csv).expect("configurations");
    assert_eq!(read.len(), 6);
    for (read, planned) in read.iter().zip(&plan.configurations) {
        assert_eq!((&read.at, read.repetitions), (&planned.at, 2));
    }
}

#[test]
fn what_is_wrong_with_a_grid_is_told() {
    let problem = |text: &str| refused(text).to_string();
    assert!(problem("scaling = 'grid'").contains("--grid 'p=2,4,8,16; N=1000,2000,4000', say"));
    assert!(problem("grid = 'N=1000,2000'").contains("the grid needs numbers of processes"));
    assert!(problem("processes = 4\ngrid = 'p=2;N=1'").contains("the grid gives the values of p as well"));
    assert!(problem("grid = 'p=2;N=1'\nfixed = { N = 3 }").contains("the grid varies N"));
    assert!(problem("grid = 'p=2;N=1'\ncomplexity = 'N*M'").contains("the grid has no values of M"));
    assert!(problem("grid = 'p=0.5;N=1'").contains("0.5 is not a number of processes"));
    assert!(problem("grid = 'p=2;N=squares'").contains("`squares` has no end"));
    assert!(problem("grid = 'p=powers:2;N=1'").contains("--max-p sets the end"));
    assert!(problem("grid = 'p=2;p=4'").contains("p is given twice"));
    assert!(problem("grid = '2,4'").contains("\"2\" has no name before it"));
    assert!(problem("grid = ''").contains("the grid is empty"));
    assert!(problem("grid = 'p=2,x;N=1'").starts_with("plan.toml:1:8: /grid: "));
    assert!(problem("grid = { p = [2], N = '1;M=2' }").contains("is not a list of numbers"));
    assert!(problem("grid = { p = [2], N = ['1'] }").contains("where an array of numbers"));
    assert!(problem("grid = 5").contains("allowed: NAME=LIST; NAME=LIST"));
    assert!(problem("grid = 'p=2;N=1'\ntargets = 'Q=3'").contains("Q is not a parameter of the grid"));
    assert!(problem("processes = 4\ntargets = 'p=64,N=3'").contains("only a grid takes NAME=LIST"));
    assert!(problem("scaling = 'strong'\ngrid = 'p=2;N=1'").contains("strong scaling is no grid"));
    assert!(problem("grid = 'p=1..2000;N=1..2000'").contains("a grid of 2000 x 2000 configurations"));
    assert!(problem("grid = 'p=2,4;N=1'\nkeep = 'N > 5'").contains("none of 2 configurations satisfies it"));
}

#[test]
fn what_is_wrong_with_a_budget_is_told() {
    let problem = |rest: &str| refused(&format!("grid = 'p=2,4,8,16; N=1000,2000,4000'\n{rest}")).to_string();
    assert!(problem("budget = 1").contains("hint: --measured p=4,N=1000:12s"));
    let too_little = problem(&format!("{PRICED}budget = 0.15"));
    // Three numbers of processes and one more at 0.02, and one at 0.08.
    assert!(too_little.contains("5 configurations with 3 numbers of processes cost 0.16"), "{too_little}");
    assert!(too_little.starts_with("plan.toml:5:10: /budget: "), "{too_little}");
    assert!(too_little.contains("hint: "));
    assert!(problem("measured = 'p=4,N=1000:9s'").contains("need the sequential complexity"));
    assert!(problem("complexity = 'N'\nmeasured = 'p=4:9s'").contains("`measured` does not say which N"));
    assert!(problem("complexity = 'N'\nmeasured = 'p=4,M=3:9s'").contains("M is not a parameter"));
    assert!(problem("measured = 'p=4,N=1000'").contains("says no time"));
    assert!(problem("measured = 'p=4,N=1000:9m'").contains("unknown unit `m`"));
    assert!(problem("measured = 'p=4,N=1000:0'").contains("allowed: a positive time"));
    assert!(problem("budget = 0").contains("allowed: a positive number of core-hours"));
}

#[test]
fn a_grid_is_nothing_to_deviate_from() {
    let problems =
        spec("complexity = 'N'\ngrid = 'p=2,4;N=1'").check("runs.csv", b"p,N\n2,1\n").expect_err("a problem");
    assert!(problems.to_string().contains("a grid holds nothing constant"), "{problems}");
}

#[test]
fn keys_that_a_grid_does_not_use_are_told() {
    let plan = solve("grid = 'p=2,4;N=1'\ncount = 3\nround = 'up'\n[size.N]\nmultiple = 3\n");
    let told: Vec<&str> = plan.warnings.iter().map(|warning| warning.code.as_str()).collect();
    assert_eq!(told, ["unused"; 3]);
    assert_eq!(plan.configurations.len(), 2);
}
