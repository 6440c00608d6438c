//! The numbers of section 5 of the specification, and what must hold for every program.

use super::*;
use crate::skeleton::{CollectiveChoice, Limits, Place, Status};

const WORKERS: [usize; 4] = [1, 2, 3, 7];
const BACKENDS: [Backend; 2] = [Backend::Serial, Backend::Threads];

fn program(name: &str, settings: &[(&str, &str)]) -> Program {
    let settings = settings.iter().fold(Settings::new(), |all, (name, text)| all.set(*name, text));
    Program::new(name, &settings).expect("a good program")
}

/// As the command runs it.
fn options(program: &Program, backend: Backend, workers: usize) -> RunOptions {
    let limits = Limits { iterations: program.default_iterations(), ..Limits::default() };
    RunOptions { backend, workers, limits, ..RunOptions::default() }
}

fn run(program: &Program, options: &RunOptions) -> Report {
    program.run(options).expect("it runs").expect("this is the master")
}

/// Runs on both backends with all numbers of workers; both must give the same bits. Checks each report.
fn everywhere(name: &str, settings: &[(&str, &str)], check: impl Fn(&Report)) {
    let program = program(name, settings);
    for workers in WORKERS.into_iter().filter(|workers| *workers as u64 <= program.list_length()) {
        let reports = BACKENDS.map(|backend| run(&program, &options(&program, backend, workers)));
        reports.iter().for_each(&check);
        assert_eq!(reports[0].result_digest, reports[1].result_digest, "{name} {settings:?}, {workers} workers");
    }
}

#[track_caller]
fn near(actual: f64, expected: f64, relative: f64) {
    assert!((actual - expected).abs() <= relative * expected.abs(), "actual {actual}, expected {expected}");
}

#[test]
fn jacobi_triangular_takes_20_and_14_iterations() {
    everywhere("jacobi", &[("size", "1500"), ("system", "triangular")], |report| {
        assert_eq!((report.status, report.iterations, report.counter), (Status::Converged, 20, 1500));
        assert!(report.error_max.expect("known") < 1e-10);
        assert!(report.step_norm.expect("known") < 1e-9);
    });
    everywhere("jacobi", &[("size", "1500"), ("system", "triangular"), ("norm", "l2-squared")], |report| {
        assert_eq!((report.status, report.iterations), (Status::Converged, 14));
        assert!(report.error_max.expect("known") < 1e-6);
    });
}

#[test]
fn jacobi_dominant_takes_46_and_25_iterations_for_11_unknowns() {
    for (norm, iterations) in [("l2", 46), ("l2-squared", 25)] {
        everywhere("jacobi", &[("size", "11"), ("norm", norm)], |report| {
            assert_eq!((report.status, report.iterations), (Status::Converged, iterations));
        });
    }
}

#[test]
fn jacobi_dominant_takes_68_and_40_iterations_for_1500_unknowns_and_grows_by_ln_2() {
    for (norm, iterations) in [("l2", 68), ("l2-squared", 40)] {
        everywhere("jacobi", &[("size", "1500"), ("norm", norm)], |report| {
            assert_eq!((report.status, report.iterations), (Status::Converged, iterations));
            near(report.growth_rate.expect("known"), 0.6925, 1e-3);
        });
    }
}

#[test]
fn jacobi_published_converges_for_2_unknowns_and_diverges_from_3_on() {
    everywhere("jacobi", &[("size", "2"), ("system", "published")], |report| {
        assert_eq!(report.status, Status::Converged);
        near(report.growth_rate.expect("known"), 0.5_f64.sqrt(), 1e-3);
    });
    everywhere("jacobi", &[("size", "3"), ("system", "published")], |report| {
        assert_eq!(report.status, Status::Diverged);
        assert!(report.iterations <= 200);
        near(report.growth_rate.expect("known"), 1.13716, 1e-3);
    });
    everywhere("jacobi", &[("size", "1500"), ("system", "published")], |report| {
        assert_eq!(report.status, Status::Diverged);
        assert!(report.iterations <= 20);
    });
}

/// Numbers grow until the norm is none any more: it ends all the same, and nothing that is not a number is reported.
#[test]
fn what_is_no_number_is_divergence() {
    let program = program("jacobi", &[("size", "40"), ("system", "published")]);
    let mut options = options(&program, Backend::Serial, 3);
    options.limits.divergence_factor = f64::MAX;
    let report = run(&program, &options);
    assert_eq!((report.status, report.step_norm), (Status::Diverged, None));
    assert!(report.result_head.iter().flatten().all(|x| x.is_finite()));
}

#[test]
fn exactly_so_many_iterations_are_made() {
    let program = program("jacobi", &[("size", "11")]);
    for iterations in [1, 60] {
        let mut options = options(&program, Backend::Threads, 2);
        options.limits.iterations = Some(iterations);
        let report = run(&program, &options);
        assert_eq!((report.status, report.iterations), (Status::Finished, iterations));
    }
    let mut options = options(&program, Backend::Serial, 1);
    options.limits.max_iterations = 10;
    assert_eq!(run(&program, &options).status, Status::IterationLimit);
}

#[test]
fn cimmino_after_100_iterations() {
    for (size, projection, expected) in [
        ("10", "equality", 100.0),
        ("10", "inequality", 190.007),
        ("1500", "equality", 332.827),
        ("1500", "inequality", 376.202),
    ] {
        everywhere("cimmino", &[("size", size), ("projection", projection)], |report| {
            ends_at_100_with_all(report, expected);
        });
    }
}

fn ends_at_100_with_all(report: &Report, expected: f64) {
    assert_eq!((report.status, report.iterations), (Status::Finished, 100));
    report.result_head.iter().for_each(|x| near(x.expect("a number"), expected, 3e-6));
}

/// The closed forms of the specification, of an iteration k.
#[test]
fn cimmino_follows_its_closed_forms() {
    let (scale, lambda) = (200.0, 1.9);
    for size in [1_u32, 2, 5, 10, 33, 400] {
        let n = f64::from(size);
        let limit = scale * (1.0 - 1.0 / (4.0 * n));
        let falling = |rate: f64, k: i32| limit + (2.0 * scale - limit) * (1.0 - rate * lambda / (n + 1.0)).powi(k);
        type Closed<'a> = &'a dyn Fn(i32) -> f64;
        let cases: [(&str, &str, Closed<'_>); 3] = [
            ("equality", "all", &|k| scale / 2.0 + 1.5 * scale * (1.0 - 2.0 * lambda / (n + 1.0)).powi(k)),
            ("inequality", "all", &|k| falling(1.0, k)),
            ("inequality", "violated", &|k| falling(2.0, k)),
        ];
        for (projection, divisor, closed) in cases {
            for k in [1, 2, 3, 7, 20] {
                // Of inequalities the forms hold while all x_j > S, up to the step before.
                if projection == "inequality" && (0..k).any(|before| closed(before) <= scale) {
                    continue;
                }
                let size = size.to_string();
                let program = program("cimmino", &[("size", &size), ("projection", projection), ("divisor", divisor)]);
                let mut options = options(&program, Backend::Serial, 1);
                options.limits.iterations = Some(k as u64);
                options.limits.divergence_factor = 1e300;
                let report = run(&program, &options);
                assert_eq!(report.status, Status::Finished, "{projection} {divisor} n = {n}, k = {k}");
                for x in report.result_head {
                    near(x.expect("a number"), closed(k), 1e-9);
                }
            }
        }
    }
}

#[test]
fn cimmino_stops_when_nothing_is_violated() {
    everywhere("cimmino", &[("size", "10"), ("divisor", "violated")], |report| {
        assert_eq!((report.status, report.counter, report.error_max), (Status::Feasible, 0, Some(0.0)));
        assert!(report.iterations < 100);
    });
}

#[test]
fn cimmino_with_epsilon_converges() {
    everywhere("cimmino", &[("size", "10"), ("projection", "equality"), ("epsilon", "1e-6")], |report| {
        assert_eq!(report.status, Status::Converged);
        assert!(report.step_norm.expect("known") < 1e-6);
    });
}

#[test]
fn gravity_of_twelve_bodies_after_ten_steps() {
    for (force, position, velocity) in
        [("newton", 10.518_227_94, 1.093_459_95), ("published", 68.539_606_63, 8.638_253_91)]
    {
        everywhere("gravity", &[("size", "12"), ("force", force)], |report| {
            assert_eq!((report.status, report.iterations, report.counter), (Status::Finished, 10, 12));
            let state: Vec<f64> = report.result_head.iter().map(|x| x.expect("a number")).collect();
            state[..3].iter().for_each(|x| near(*x, position, 1e-9));
            state[3..].iter().for_each(|v| near(*v, velocity, 1e-8));
            assert_eq!(report.checks["position_m"][2], state[2]);
        });
    }
}

/// Steps around a body.
const STEPS: u64 = 10_000;

/// A circular orbit around a single body, in this many steps; the report, and how far from the start it ends.
fn orbit(force: &str, radius_m: f64, period_s: f64, speed_m_per_s: f64) -> (Report, f64) {
    let body = b"x_m,y_m,z_m,mass_kg\n0,0,0,1e12\n".to_vec();
    let settings = Settings::new()
        .set_file("bodies", "sun.csv", body)
        .set("force", force)
        .set("dt", period_s / STEPS as f64)
        .set("position", format!("{radius_m},0,0"))
        .set("velocity", format!("0,{speed_m_per_s},0"));
    let program = Program::new("gravity", &settings).expect("good");
    let mut options = options(&program, Backend::Serial, 1);
    options.limits.iterations = Some(STEPS);
    let report = run(&program, &options);
    let x: Vec<f64> = report.result_head[..3].iter().map(|x| x.expect("a number")).collect();
    let away = ((x[0] - radius_m).powi(2) + x[1] * x[1] + x[2] * x[2]).sqrt();
    (report, away / radius_m)
}

#[test]
fn a_circular_orbit_closes_and_keeps_its_angular_momentum() {
    let turn = 2.0 * std::f64::consts::PI;
    let gm = gravity::G * 1e12;
    for radius_m in [50.0_f64, 200.0] {
        // Four times the radius: 8 times the period for newton, 4 times for published.
        let newton = (turn * (radius_m.powi(3) / gm).sqrt(), (gm / radius_m).sqrt(), 2e-6);
        let published = (turn * radius_m / gm.sqrt(), gm.sqrt(), 1e-3);
        for (force, (period_s, speed, most)) in [("newton", newton), ("published", published)] {
            let (report, away) = orbit(force, radius_m, period_s, speed);
            assert!(away < most, "{force}, r = {radius_m}: {away} of the radius away");
            let drift = report.checks["angular_momentum_drift"].as_f64().expect("a number");
            assert!(drift < 1e-12, "{force}: {drift}");
            assert!(report.checks["energy_drift"].as_f64().expect("a number") < 1e-3);
        }
    }
}

#[test]
fn drifts_that_relate_to_nothing_are_null_with_a_warning() {
    let program = program("gravity", &[("size", "3"), ("velocity", "0,0,0")]);
    let report = run(&program, &options(&program, Backend::Serial, 1));
    assert!(report.checks["angular_momentum_drift"].is_null() && report.checks["energy_drift"].is_number());
    assert_eq!(report.warnings[0].code, "undefined");
}

#[test]
fn a_position_at_a_body_is_an_error_that_names_body_and_step() {
    let program = program("gravity", &[("size", "12"), ("position", "0,200,0")]);
    for backend in BACKENDS {
        let error = program.run(&options(&program, backend, 2)).expect_err("there is body 4");
        let RunError::User(user) = &error else { panic!("{error}") };
        assert_eq!((user.place, user.iteration, user.element), (Place::MapFold, 1, Some(4)));
        assert!(user.message.contains("body 4"), "{error}");
        assert!(!error.is_usage());
    }
}

#[test]
fn stats_of_ten_numbers_without_multiples_of_three() {
    everywhere("stats", &[("size", "10")], |report| {
        assert_eq!((report.status, report.iterations, report.counter), (Status::Finished, 2, 7));
        near(report.checks["mean"].as_f64().expect("a number"), 37.0 / 7.0, 1e-14);
        near(report.checks["variance"].as_f64().expect("a number"), 9.061_224_49, 1e-8);
    });
}

#[test]
fn stats_of_nothing_has_no_mean_and_says_so() {
    everywhere("stats", &[("size", "10"), ("skip", "1")], |report| {
        assert_eq!((report.status, report.counter), (Status::Finished, 0));
        assert!(report.checks["mean"].is_null() && report.checks["variance"].is_null());
        assert_eq!(report.warnings[0].code, "all_absent");
        assert_eq!(report.result_head, [None, None]);
    });
}

#[test]
fn reproducible_runs_have_the_same_bits_for_any_workers_threads_and_collective() {
    let cases = [
        program("jacobi", &[("size", "300")]),
        program("cimmino", &[("size", "123")]),
        program("gravity", &[("size", "100")]),
        program("stats", &[("size", "1000")]),
    ];
    for program in &cases {
        let mut digests = Vec::new();
        for backend in BACKENDS {
            for (workers, threads) in [(1, 1), (2, 1), (3, 2), (7, 3)] {
                for collective in [CollectiveChoice::Flat, CollectiveChoice::Tree] {
                    let options =
                        RunOptions { threads, collective, reproducible: true, ..options(program, backend, workers) };
                    digests.push(run(program, &options).result_digest);
                }
            }
        }
        digests.dedup();
        assert_eq!(digests.len(), 1, "{}", program.name());
    }
}

#[test]
fn memory_that_nobody_has_is_refused_before_it_is_asked_for() {
    for (name, size) in [("jacobi", "1e7"), ("jacobi", "9e15"), ("cimmino", "1e7"), ("gravity", "1e14")] {
        let program = program(name, &[("size", size)]);
        let error = program.run(&RunOptions::default()).expect_err(name);
        assert_eq!(error.code(), "not_enough_memory");
        assert!(error.is_usage());
    }
}

#[test]
fn more_workers_than_elements_are_refused() {
    let program = program("jacobi", &[("size", "3")]);
    assert!(program.run(&options(&program, Backend::Threads, 4)).expect_err("four").is_usage());
}

#[test]
fn unknown_programs_and_options_of_others_are_refused() {
    let error = Program::new("jacobbi", &Settings::new()).expect_err("unknown").to_string();
    assert_eq!(error, "there is no program \"jacobbi\" (allowed: jacobi, cimmino, gravity, stats)");
    let error = Program::new("jacobi", &Settings::new().set("size", 3).set("lambda", 1)).expect_err("cimmino's");
    assert_eq!(error.0[0].code, "not_an_option");
}

/// What documents show can be given back.
#[test]
fn every_program_tells_its_parameters() {
    for info in &PROGRAMS {
        let program = program(info.name, &[("size", "12")]);
        assert_eq!((program.name(), program.size()), (info.name, 12));
        assert_eq!(program.parameters()["size"], 12);
        for option in info.options.iter().filter(|option| option.default.is_some()) {
            let names: Vec<String> = program.parameters().keys().cloned().collect();
            assert!(names.iter().any(|name| name.starts_with(option.name)), "{}: {}", info.name, option.name);
        }
    }
    assert_eq!(program("cimmino", &[("size", "12")]).list_length(), 26);
}

#[test]
fn approximations_are_shown_on_the_way() {
    let program = program("stats", &[("size", "10")]);
    let mut seen = Vec::new();
    program
        .run_watched(&options(&program, Backend::Serial, 1), 1, |look| seen.push((look.at.number, look.numbers[0])))
        .expect("it runs");
    assert_eq!(seen, [(1, 37.0 / 7.0), (2, 37.0 / 7.0)]);
}
