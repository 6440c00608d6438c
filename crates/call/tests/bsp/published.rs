//! The numbers of the paper, corrected where it errs.

use crate::{FFT, FIG1, GROUPS, near, outcome, prepared};

/// Figure 1: 10 s only where processor 0 receives nothing in superstep 1; with a two-way exchange OBSP* takes as long
/// as BSP.
#[test]
fn figure_1_takes_10_s_one_way_and_12_s_two_way() {
    let program = prepared(FIG1);
    let one_way = outcome(&program, &[]);
    near(&[one_way.obsp_time_s(), one_way.bsp_time_s()], &[10.0, 12.0]);
    let finishes: Vec<Vec<f64>> = one_way.steps().map(|step| step.obsp_finish_s.to_vec()).collect();
    assert_eq!(finishes, [[4.0, 6.0], [10.0, 10.0]]);
    let two_way = outcome(&program, &["two_way=1"]);
    near(&[two_way.obsp_time_s(), two_way.bsp_time_s()], &[12.0, 12.0]);
}

/// Equation (11), corrected, with the constants of the file.
fn fft(processors: f64, d1: f64, start: f64) -> f64 {
    let (n, p) = (4096.0f64, processors);
    13.0 + 29.0 * p.log2() + 0.125 * (n / p) * (n / p).log2() + (0.25 + 16.0 * d1) * n * (p - 1.0) / p + start
}

#[test]
fn the_recursion_of_the_fft_is_equation_11() {
    let program = prepared(FFT);
    for (p, expected) in [(1, 6157.0), (2, 19754.0), (4, 26695.0), (8, 30244.0)] {
        let outcome = outcome(&program, &[&format!("P={p}")]);
        near(outcome.obsp_finish_s(), &vec![expected; p]);
        near(outcome.bsp_finish_s(), &vec![expected; p]);
        near(&[fft(p as f64, 0.5, 0.0)], &[expected]);
    }
}

/// In and out add up: h is twice as large.
#[test]
fn half_duplex_costs_the_fft_twice_the_bytes() {
    let program = prepared(&FFT.replace("h = \"max\"", "h = \"sum\""));
    for (p, expected) in [(1, 6157.0), (2, 36138.0), (4, 51271.0), (8, 58916.0)] {
        near(outcome(&program, &[&format!("P={p}")]).obsp_finish_s(), &vec![expected; p]);
        near(&[fft(p as f64, 1.0, 0.0)], &[expected]);
    }
}

#[test]
fn one_late_processor_delays_every_rank_of_the_fft() {
    let program = prepared(&FFT.replace("h = \"max\",", "h = \"max\", start = \"if(rank == 1, 100, 0)\","));
    for (p, expected) in [(4, 26795.0), (8, 30344.0)] {
        near(outcome(&program, &[&format!("P={p}")]).obsp_finish_s(), &vec![expected; p]);
    }
}

#[test]
fn a_parameter_can_be_set_to_a_formula() {
    let program = prepared(FFT);
    near(outcome(&program, &["D1=1/3", "P=2"]).obsp_finish_s(), &[fft(2.0, 1.0 / 3.0, 0.0); 2]);
}

#[test]
fn unequal_groups_with_start_times() {
    let program = prepared(GROUPS);
    let outcome = outcome(&program, &[]);
    near(outcome.obsp_finish_s(), &[15.5, 12.5, 13.5]);
    near(outcome.bsp_finish_s(), &[15.5; 3]);
    let steps: Vec<(String, Vec<f64>)> =
        outcome.steps().map(|step| (step.path.clone(), step.obsp_finish_s.to_vec())).collect();
    let expected = [
        ("1".to_owned(), vec![14.5, 11.5, 12.5]),
        ("1:0/1".to_owned(), vec![7.0]),
        ("1:1/1".to_owned(), vec![6.5, 6.5]),
        ("2".to_owned(), vec![15.5, 12.5, 13.5]),
    ];
    assert_eq!(steps, expected);
}
