//! Input that cannot be planned: a problem each time, at once, with its place.

use super::{refused, spec};
use runcast_core::plan::{PlanSpec, configurations_from};
use std::time::{Duration, Instant};

fn code(toml: &str) -> String {
    let begun = Instant::now();
    let problems = refused(toml);
    assert!(begun.elapsed() < Duration::from_secs(60), "{toml} took {:?}", begun.elapsed());
    problems.0[0].code.clone()
}

fn weak(complexity: &str, rest: &str) -> String {
    format!("complexity = '{complexity}'\n{rest}")
}

#[test]
fn constants_out_of_reach() {
    let list = "processes = [1, 8]\n";
    assert_eq!(code(&weak("N", &format!("constant = 1e308\n{list}"))), "unsolvable");
    assert_eq!(code(&weak("N", &format!("constant = -1.0\n{list}"))), "out_of_range");
    assert_eq!(code(&weak("N", &format!("constant = 0\n{list}"))), "out_of_range");
    assert_eq!(code(&weak("N", &format!("constant = nan\n{list}"))), "not_a_number");
    assert_eq!(code(&weak("N", &format!("constant = inf\n{list}"))), "not_a_number");
    assert_eq!(code(&weak("N", &format!("constant = {{p = 0, N = 3}}\n{list}"))), "out_of_range");
    assert_eq!(code(&weak("N", &format!("constant = {{p = 1, N = -3}}\n{list}"))), "out_of_range");
    assert_eq!(code(&weak("N", &format!("constant = {{p = 1}}\n{list}"))), "missing");
    assert_eq!(code(&weak("N", &format!("constant = {{p = 1, N = 3, M = 3}}\n{list}"))), "unknown_parameter");
    assert_eq!(code(&weak("exp(N)", &format!("constant = {{p = 1, N = 1000}}\n{list}"))), "out_of_range");
    assert_eq!(code(&weak("N", &format!("constant = 1e-300\nround = 'down'\n{list}"))), "empty_plan");
    assert_eq!(code(&weak("5 + 0*N", &format!("constant = 7\n{list}"))), "unsolvable");
    assert_eq!(code(&weak("1 - 1/N", &format!("constant = 7\n{list}"))), "unsolvable");
    let real = format!("constant = 1e308\n{list}[size.N]\nreal = true");
    assert_eq!(code(&weak("N", &real)), "unsolvable");
}

#[test]
fn complexities_that_fall() {
    let rest = "constant = 500\nprocesses = [1, 8]\n";
    let problems = refused(&weak("abs(N - 1000)", rest));
    let problem = &problems.0[0];
    assert_eq!(problem.code, "not_monotone");
    assert!(problem.message.starts_with("the complexity falls from 999 at p="), "{}", problem.message);
    assert!(problem.message.ends_with("to 998 at N=2"), "{}", problem.message);
    assert_eq!((problem.line, problem.pointer.as_deref()), (Some(1), Some("/complexity")));
    assert_eq!(code(&weak("1e9/N", rest)), "not_monotone");
    assert_eq!(code(&weak("-N", rest)), "not_monotone");
    assert_eq!(code(&weak("N*(1 - N/1e4)", &format!("{rest}[size.N]\nmax = 9999"))), "not_monotone");
    assert_eq!(code(&weak("(N - 1000)^2", &format!("{rest}[size.N]\nmin = -5\nreal = true"))), "not_monotone");
    assert_eq!(code(&weak("A*abs(B - 10)", &format!("{rest}[size.A]\nmax = 9\n[size.B]\nmax = 99"))), "not_monotone");
    assert_eq!(code(&weak("abs(N - 10*p)", rest)), "not_monotone");
    // Where it grows, it can be planned.
    assert!(spec(&weak("abs(N - 1000)", &format!("{rest}[size.N]\nmin = 1000"))).solve().is_ok());
}

#[test]
fn complexities_without_a_value() {
    let rest = "constant = 500\nprocesses = [1, 8]\n";
    assert_eq!(code(&weak("sqrt(N - 1000)", rest)), "not_a_number");
    assert_eq!(code(&weak("0/0*N", rest)), "not_a_number");
    assert_eq!(code(&weak("N^3 +", rest)), "formula");
    assert_eq!(code(&weak("sin(N)", rest)), "formula");
    assert_eq!(code(&weak("", rest)), "formula");
    assert_eq!(code(&weak("N + if(N == \"a\", 1, 2)", rest)), "formula");
    assert_eq!(code(rest), "missing");
    assert_eq!(code("complexity = 'N'\nprocesses = [1]\nscaling = 'weak'"), "missing");
    assert_eq!(code("complexity = 'N'\nconstant = 3"), "missing");
    assert_eq!(code(&weak("p", rest)), "nothing_to_choose");
    assert_eq!(code(&weak("5", rest)), "nothing_to_choose");
    assert_eq!(code(&weak("N", &format!("{rest}[size.M]"))), "unused_size");
}

#[test]
fn formulas_with_unknown_names() {
    let rest = "complexity = 'N'\nconstant = 500\nprocesses = [1, 8]\n";
    let problems = refused(&format!("{rest}keep = 'Nn < 5'"));
    assert_eq!(problems.0[0].code, "formula");
    assert!(problems.0[0].hint.as_ref().is_some_and(|hint| hint.contains('N')), "{problems}");
    assert_eq!((problems.0[0].line, problems.0[0].column), (Some(4), Some(9)), "the name, not its quote");
    assert_eq!(code(&format!("{rest}[size.N]\nmultiple = 'N'")), "formula");
    assert_eq!(code(&format!("{rest}[size.N]\nmultiple = 'q'")), "formula");
    assert_eq!(code(&format!("{rest}[size.N]\nmultiple = '0*p'")), "out_of_range");
    assert_eq!(code(&format!("{rest}[size.N]\nmultiple = '-p'")), "out_of_range");
    assert_eq!(code(&format!("{rest}[size.N]\nmultiple = '0/0*p'")), "out_of_range");
    assert_eq!(code(&format!("{rest}[size.N]\nmultiple = 0")), "out_of_range");
    assert_eq!(code(&format!("{rest}[size.N]\nmultiple = 2.5")), "not_whole");
    assert_eq!(code(&format!("{rest}[size.N]\nmultiple = 1e300")), "out_of_range");
    assert_eq!(code(&format!("{rest}[size.N]\nmultiple = 100\nmin = 110\nmax = 190")), "no_allowed_size");
    assert_eq!(code(&format!("{rest}[size.N]\nmin = 10\nmax = 9")), "no_allowed_size");
    assert_eq!(code(&format!("{rest}[size.N]\nmin = 10\nmax = 9\nreal = true")), "no_allowed_size");
}

#[test]
fn lists_that_are_none() {
    let rest = "complexity = 'N'\nconstant = 500\n";
    for list in ["[]", "''", "'squares'", "'range:5..1:1'", "'list:a,b'", "[0]", "[-4]", "[2.5]", "[1e300]", "'cubs'"] {
        let problems = refused(&format!("{rest}processes = {list}"));
        let problem = &problems.0[0];
        assert!(problem.line == Some(3) && problem.file.is_some(), "{list}: {problems}");
    }
    assert_eq!(code(&format!("{rest}processes = 'squares'\nmin_p = 5\nmax_p = 8")), "empty_list");
    assert_eq!(code(&format!("{rest}targets = 'powers:2'")), "list");
    let problems = refused(&format!("{rest}processes = 'squares'"));
    assert_eq!(problems.0[0].hint.as_deref(), Some("--max-p sets the end"));
}

#[test]
fn contradictions() {
    let rest = "complexity = 'N'\nprocesses = [1, 8]\n";
    assert_eq!(code(&format!("{rest}scaling = 'strong'")), "missing");
    assert_eq!(code(&format!("{rest}scaling = 'strong'\nfixed = {{p = 4, N = 4}}")), "contradiction");
    assert_eq!(code(&format!("{rest}scaling = 'weak'\nconstant = 4\nfixed = {{p = 4}}")), "contradiction");
    assert_eq!(code(&format!("{rest}scaling = 'weak'\nconstant = 4\nfixed = {{N = 4}}")), "nothing_to_choose");
    assert_eq!(code("scaling = 'strong'\nfixed = {N = 4}"), "missing");
    let wide = "scaling = 'wide'\ncomplexity = 'N*M'\n";
    assert_eq!(code(wide), "missing");
    assert_eq!(code(&format!("{wide}start = {{N = 4}}")), "missing");
    assert_eq!(code(&format!("{wide}start = {{N = 4}}\nfixed = {{p = 4}}\ncount = 3")), "missing");
    assert_eq!(code(&format!("{wide}start = {{N = 4, M = 3}}\nfixed = {{p = 4}}\ncount = 3")), "contradiction");
    assert_eq!(code(&format!("{wide}start = {{N = 4}}\nfixed = {{p = 4, M = 1}}")), "missing");
    assert_eq!(code(&format!("{wide}start = {{N = 4}}\nfixed = {{p = 4, M = 1}}\ncount = 5000")), "unsolvable");
    let real = "count = 5000\n[size.N]\nreal = true";
    assert_eq!(code(&format!("{wide}start = {{N = 4}}\nfixed = {{p = 1, M = 1}}\n{real}")), "out_of_range");
    assert_eq!(code(&format!("{wide}start = {{N = 4}}\nfixed = {{p = 0.5, M = 1}}\ncount = 5")), "out_of_range");
    assert_eq!(code(&format!("{wide}start = {{N = 0}}\nfixed = {{p = 4, M = 1}}\ncount = 5")), "out_of_range");
    assert_eq!(code(&format!("{wide}start = {{p = 4}}\nfixed = {{N = 4, M = 1}}\ncount = 5")), "contradiction");
}

#[test]
fn searches_that_would_take_long() {
    let rest = "constant = 1e14\nprocesses = [1, 8]\n";
    assert_eq!(code(&weak("A*B", rest)), "too_many_combinations");
    assert_eq!(code(&weak("A*B*C*D", rest)), "too_many_combinations");
    let real = format!("{rest}[size.A]\nreal = true\n[size.B]\nreal = true");
    assert_eq!(code(&weak("A*B", &real)), "too_many_combinations");
    // A formula of 100,000 parts at 100,000 processes.
    let long = vec!["N"; 50_000].join("+");
    assert_eq!(code(&weak(&long, "constant = 1e9\nprocesses = 'range:1..100000:1'")), "too_much_work");
    let many: String = (0..100).map(|size| format!("[size.x{size}]\nmax = 2\n")).collect();
    assert_eq!(code(&weak("x1", &format!("constant = 1\nprocesses = [1]\n{many}"))), "too_many_sizes");
    assert!(refused(&weak("N", "constant = 1\nprocesses = 'range:1..10000000:1'")).0[0].line.is_some());
}

#[test]
fn a_million_configurations() {
    let begun = Instant::now();
    let plan = spec("complexity = 'N^3'\nconstant = 1e12\nprocesses = 'range:1..1000000:1'\ncount = 4")
        .solve()
        .expect("a plan");
    assert_eq!(plan.configurations.len(), 4);
    let plan =
        spec("complexity = 'N^3'\nconstant = 1e12\nprocesses = 'range:1..1000000:1'\nkeep = 'N > 999000'").solve();
    assert!(plan.expect("a plan").configurations.len() > 1000);
    assert!(begun.elapsed() < Duration::from_secs(120), "{:?}", begun.elapsed());
}

#[test]
fn files_that_are_no_plans() {
    for text in
        ["=", "[size.N", "a = ", "constant = {p = 8", "\u{0}", "processes = [[[[", "size = 3", "size.N = 3", "p,N\n1,2"]
    {
        let problems = PlanSpec::from_toml("plan.toml", text).expect_err(text);
        assert!(problems.0[0].line.is_some(), "{problems}");
    }
    let nested = format!("processes = {}", "[".repeat(100_000));
    assert!(PlanSpec::from_toml("plan.toml", &nested).is_err());
    let keys: String = (0..20_000).map(|key| format!("k{key} = 1\n")).collect();
    assert!(PlanSpec::from_toml("plan.toml", &keys).expect_err("unknown keys").0.len() <= 100);
    let fields: Vec<String> = (0..20_000).map(|key| format!("k{key} = 1")).collect();
    assert!(PlanSpec::from_toml("plan.toml", &format!("fixed = {{ {} }}", fields.join(", "))).is_err());
    for bytes in [&b""[..], b"\xff\xfe", b"{", b"{\"kind\":\"plan\"}", b"[", b"\"", b"p\n"] {
        assert!(configurations_from("plan", bytes).is_err(), "{bytes:?}");
    }
    let document = br#"{"kind":"plan","configurations":[{"at":{"p":8}},{"at":{"p":"x"}}]}"#;
    let problems = configurations_from("plan.json", document).expect_err("text for a number");
    assert_eq!(problems.0[0].pointer.as_deref(), Some("/configurations/1/at/p"));
}
