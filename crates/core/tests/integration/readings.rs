//! How texts that people published are read: names in other languages, headers that are none, logs, wide tables of
//! speedups. The numbers are made up; the shapes are those of public tables.

use runcast_core::Table;
use runcast_core::roles::TableOptions;
use runcast_core::series::{SeriesSet, series_of};

fn series(text: &str) -> SeriesSet {
    let table = Table::read("runs", text.as_bytes(), &Default::default()).unwrap_or_else(|p| panic!("{text}: {p}"));
    series_of(&table, &TableOptions::default()).unwrap_or_else(|problems| panic!("{text}: {problems}"))
}

fn roles(text: &str) -> String {
    let columns = series(text).read_as.columns;
    let roles: Vec<String> = columns.iter().map(|column| format!("{}={}", column.column, column.role.word())).collect();
    roles.join(" ")
}

#[test]
fn names_in_other_languages_are_known() {
    for (text, wanted) in [
        (
            "Versao,N_Threads,Repeticao,Tempo_Comp_ms,Contador_Final\na,1,1,9.34,1310\na,1,2,9.28,1310\na,2,1,5.11,1310\n\
             a,2,2,5.02,1310\nb,1,1,8.93,2620\nb,1,2,8.91,2620\nb,2,1,4.82,2620\nb,2,2,4.87,2620\n",
            "Versao=label N_Threads=processes Repeticao=repetition Tempo_Comp_ms=metric Contador_Final=ignored",
        ),
        ("ilosc watkow,czas\n1,55.44\n2,29.95\n6,10.66\n12,5.47\n20,3.53\n", "ilosc watkow=processes czas=metric"),
        (
            "pop,slaves,tempo,speedup\n10,1,33.95,1\n10,2,22.41,1.515\n10,3,15.92,2.133\n20,1,66.1,1\n20,2,44.4,1.489\n20,3,31.9,2.072\n",
            "pop=parameter slaves=processes tempo=metric speedup=ignored",
        ),
        // Hilos: every number from 1 on, and shorter times.
        ("H,Tiempo\n1,18.17\n2,10.98\n3,11.06\n4,10.24\n5,10.31\n6,10.43\n", "H=processes Tiempo=metric"),
        ("L,Tiempo\n1,18.17\n2,20.98\n3,21.06\n4,30.24\n5,30.31\n6,40.43\n", "L=parameter Tiempo=metric"),
    ] {
        assert_eq!(roles(text), wanted, "{text}");
    }
}

#[test]
fn how_many_runs_there_were_is_no_input() {
    let text = "n,nprocs,repetitions,time_sec\n128,1,7,0.52\n128,2,7,0.28\n128,4,7,0.17\n256,1,3,4.11\n256,2,3,2.16\n256,4,3,1.14\n\
                512,1,1,33.2\n512,2,1,17.1\n512,4,1,9.4\n";
    assert_eq!(roles(text), "n=parameter nprocs=processes repetitions=ignored time_sec=metric");
    let numbered = "p,runs,time_sec\n1,1,0.52\n1,2,0.53\n2,1,0.28\n2,2,0.27\n4,1,0.17\n4,2,0.16\n";
    assert_eq!(roles(numbered), "p=processes runs=repetition time_sec=metric");
}

#[test]
fn iterations_until_a_residual_is_small_are_no_input() {
    let text = "N,cg_iterations,cg_time,cg_residual\n32,105,0.000589,9.08e-09\n64,220,0.004768,9.06e-09\n128,454,0.033666,9.85e-09\n";
    assert_eq!(roles(text), "N=parameter cg_iterations=ignored cg_time=metric cg_residual=ignored");
    // Here they were set.
    let set = "N,iterations,time_s,residual\n32,100,0.58,9e-3\n32,200,1.17,8e-4\n64,100,2.33,9e-3\n64,200,4.68,7e-4\n";
    assert_eq!(roles(set), "N=parameter iterations=parameter time_s=metric residual=ignored");
}

#[test]
fn rounds_are_repetitions() {
    let text = "threads,round,tour_length,time_ms\n1,1,727,754\n1,2,772,673\n2,1,731,402\n2,2,749,391\n4,1,738,231\n4,2,719,244\n";
    assert_eq!(roles(text), "threads=processes round=repetition tour_length=ignored time_ms=metric");
}

#[test]
fn the_times_of_a_speedup_are_no_inputs() {
    let text = "size,Ts,Tp,speedup\n256,0.0185327,0.0473547,0.391360\n512,0.0767986,0.0579162,1.326030\n1024,0.3077576,0.0956732,3.216759\n";
    assert_eq!(roles(text), "size=parameter Ts=metric Tp=metric speedup=ignored");
}

#[test]
fn dates_under_the_name_of_a_time_are_none() {
    let text = "time,rows,numpy time (ms),cpp time (ms)\n20190102-121928,1007,2117,22857\n20190102-162950,1618,2497,15361\n\
                20190102-163101,1341,2523,17771\n20190102-163210,1208,1915,11557\n";
    assert_eq!(roles(text), "time=ignored rows=parameter numpy time (ms)=metric cpp time (ms)=metric");
}

#[test]
fn times_in_whole_numbers_stand_beside_the_only_plan() {
    assert_eq!(
        roles("n,Plain,Strassen\n32,32,30\n64,246,252\n128,2008,2014\n256,15695,16010\n"),
        "n=parameter Plain=metric Strassen=metric"
    );
}

#[test]
fn ways_to_run_a_program_name_its_times() {
    let text = "Device,OpenMP,Kokkos,CUDA\nA,376.2,462.7,X\nB,249.8,665.8,X\nC,376.4,544.2,120.5\nD,210.1,480.3,99.1\n";
    assert_eq!(roles(text), "Device=label OpenMP=metric Kokkos=metric CUDA=metric");
    // Numbers of ranks and threads are none.
    assert_eq!(
        roles("mpi,omp,time_s\n1,1,8\n1,2,4.5\n2,1,4.4\n2,2,2.6\n"),
        "mpi=processes omp=parameter time_s=metric"
    );
}

#[test]
fn wide_tables_of_speedups_are_no_times() {
    for text in [
        "level,core1,core2,core4,core8\n0.5,1.0,1.789,2.937,3.821\n1.5,1.0,1.768,2.871,3.048\n",
        "size/number_of_threads,1.0,2.0,4.0,8.0\n100,1.0,1.789,2.937,3.821\n200,1.0,1.768,2.871,3.048\n",
    ] {
        let set = series(text);
        assert_eq!((set.series[0].metric.name.as_str(), set.series[0].metric.unit.as_str()), ("speedup", ""), "{text}");
        assert!(set.series[0].process_parameter.is_some());
    }
    let times = series("size/number_of_threads,1.0,2.0,4.0,8.0\n100,3.41,1.93,1.07,0.821\n200,7.1,3.768,2.071,1.448\n");
    assert_eq!(times.series[0].metric.name, "time");
    assert_eq!(times.series[0].points.len(), 8);
}

#[test]
fn a_row_of_labels_and_measurements_is_no_header() {
    let text = "Sequential, 86.2, 84.1, 85.3, 84.3\nThreads, 28.4, 28.7, 28.6, 28.1\nGPU, 4.05, 4.16, 4.11, 4.3\n";
    let table = Table::read("runs", text.as_bytes(), &Default::default()).expect("a table");
    assert_eq!((table.rows(), table.columns[0].name.as_str()), (3, "0"));
    assert_eq!(table.warnings[0].code, "no_header");
}

#[test]
fn a_log_of_keys_and_values_is_a_table() {
    let text = "N_Dimension: 500\nN_Threads: 1\nTime -- elapsed: 1.203\n-----\nN_Dimension: 500\nN_Threads: 2\nTime -- elapsed: 0.756\n-----\n\
                N_Dimension: 1000\nN_Threads: 1\nTime -- elapsed: 9.731\n-----\nN_Dimension: 1000\nN_Threads: 2\nTime -- elapsed: 5.316\n-----\n";
    let set = series(text);
    assert_eq!(*set.series[0].parameters, ["N_Dimension", "N_Threads"]);
    assert_eq!(set.series[0].points.len(), 4);
    assert_eq!(set.warnings[0].code, "keys_and_values");
}

#[test]
fn words_in_place_of_a_time_are_missing() {
    let text = "cores,scene,time (ms)\n1,old,347.6\n2,old,181.9\n4,old,96.1\n8,old,55.2\n16,old,gave up\n";
    let set = series(text);
    assert_eq!(set.series[0].points.len(), 4);
    assert!(set.warnings.iter().any(|warning| warning.code == "words_for_numbers"), "{:?}", set.warnings);
    let damaged = "cores,time (ms)\n1,347.6\n2,181.9\n4,96.1\n8,55.2\n16,3l.5\n";
    let table = Table::read("runs", damaged.as_bytes(), &Default::default()).expect("a table");
    assert!(series_of(&table, &TableOptions::default()).is_err(), "a damaged number is none");
}

#[test]
fn marks_for_runs_that_failed_are_missing() {
    let text =
        "Device,nodes,time_s,kokkos_s\nA,1,8.7,12.9\nA,2,4.4,6.8\nA,4,X,3.9\nB,1,9.1,X\nB,2,4.9,7.2\nB,4,2.7,4.3\n";
    let set = series(text);
    assert_eq!(set.warnings.iter().filter(|warning| warning.code == "words_for_numbers").count(), 2);
    let runs: usize = set.series.iter().filter(|series| series.metric.name == "time_s").map(|s| s.points.len()).sum();
    assert_eq!(runs, 5);
    assert_eq!(roles("x,p,t_s\nX,1,3\nY,1,4\nX,2,2\nY,2,3\nX,4,1.5\nY,4,2\n"), "x=label p=processes t_s=metric");
}

#[test]
fn hashes_and_successes_are_results() {
    let text = "Size,MPI Tasks,Time,CRC,Isoefficiency,successes\n1024,1,32.38,06a8ad906dc8a3bb,1.000,50\n1024,2,17.26,06a8ad906dc8a3bb,0.89,49\n\
                2048,1,130.1,1e2bad906dc8a3bb,1.0,50\n2048,2,67.01,1e2bad906dc8a3bb,0.97,50\n";
    assert_eq!(
        roles(text),
        "Size=parameter MPI Tasks=processes Time=metric CRC=ignored Isoefficiency=ignored successes=ignored"
    );
}

#[test]
fn factors_and_changes_in_percent_are_results() {
    let text = "Impl,np=1,np=2,np=4,Scaling\na,12.148s,6.551s,2.597s,4.7x\nb,12.122s,6.548s,2.624s,4.6x\n";
    assert_eq!(roles(text), "Impl=label np=1=metric np=2=metric np=4=metric Scaling=ignored");
    // Where there is nothing else, they are what was measured.
    assert_eq!(roles("cores,gain\n1,1.0x\n2,1.93x\n4,3.71x\n8,6.62x\n"), "cores=processes gain=metric");
    let text = "nodes,old_s,new_s,change [%]\n1,10.1,9.7,-4\n2,5.2,5.3,2\n4,2.9,2.8,-3\n";
    assert_eq!(roles(text), "nodes=processes old_s=metric new_s=metric change [%]=ignored");
}

#[test]
fn powers_and_products_of_counts_are_read() {
    let text =
        "Array length,Threads,Time\n2^20,1,2.51\n2^20,2,1.25\n2^20,4,0.71\n2^22,1,10.1\n2^22,2,5.2\n2^22,4,2.8\n";
    let set = series(text);
    assert_eq!(*set.series[0].parameters, ["Array length", "Threads"]);
    assert_eq!(set.series[0].points.len(), 6);
    let grouped = "Input Size;Threads;Time\n1,000;1;2.51\n1,000;2;1.25\n10,000;1;24.1\n10,000;2;12.4\n";
    assert_eq!(roles(grouped), "Input Size=parameter Threads=processes Time=metric");
    let text =
        "Ranks (p),Threads (t),p * t,Time (s)\n1,1,1,20.6\n1,2,2,11.27\n1,4,4,6.1\n2,1,2,10.4\n2,2,4,5.7\n4,1,4,5.5\n";
    assert_eq!(roles(text), "Ranks (p)=processes Threads (t)=parameter p * t=parameter Time (s)=metric");
    let reason = &series(text).read_as.columns[2].reason;
    assert_eq!(reason, "Ranks (p) Threads (t)");
}

#[test]
fn a_status_is_read_in_the_words_of_whoever_wrote_it() {
    let points = |text: &str| series(text).series[0].points.len();
    assert_eq!(points("threads,time_s,status\n1,8,SUCCESS\n2,4.3,Success\n4,2.2,FAILED\n8,1.2,SUCCESS\n"), 3);
    assert_eq!(points("threads,time_s,status\n1,8,0\n2,4.3,0\n4,2.2,137\n8,1.2,0\n"), 3);
    // Of a solver of waves, whose runs all count.
    let text = "threads,time_s,status\n1,8.1,STABLE\n2,4.3,STABLE\n4,2.2,UNSTABLE\n8,1.2,UNSTABLE\n";
    let set = series(text);
    assert_eq!(set.series.iter().map(|series| series.points.len()).sum::<usize>(), 4);
    assert!(set.warnings.iter().all(|warning| warning.code != "failed_runs"), "{:?}", set.warnings);
    assert_eq!(points("threads,time_s,status\n1,8,200\n2,4.3,200\n4,2.2,200\n"), 3);
}

#[test]
fn functions_of_the_processes_are_results() {
    // A comparison of laws of speedup, printed by a program that trains on several workers.
    let text = "workers  T_par(sec)  S(p)   E(p)   f(par)  e(KF)   G(p)\n1 730.982 1.000 1.000 N/A N/A 1.000\n\
                2 156.368 4.675 2.337 1.572 -0.572 2.572\n4 114.910 6.361 1.590 1.124 -0.124 4.371\n\
                8 100.059 7.306 0.913 0.986 0.014 7.905\n";
    assert_eq!(
        roles(text),
        "workers=processes T_par(sec)=metric S(p)=ignored E(p)=ignored f(par)=ignored e(KF)=ignored G(p)=ignored"
    );
}

#[test]
fn long_times_without_fractions_are_times_beside_others() {
    // A sparse product with a library and without it, by the density of the matrix; from 10^5 on six digits are printed.
    let text = "Density,CSR w/o MKL,CSR w/ MKL\n0.1,6982.4,1531.8\n0.2,12277.8,3058.8\n0.3,18434.7,4670.9\n1.3,102615,19379.8\n\
                1.4,112980,20837.7\n1.5,119353,22249.3\n1.6,117228,23845.5\n1.7,138846,25494.3\n";
    assert_eq!(roles(text), "Density=parameter CSR w/o MKL=metric CSR w/ MKL=metric");
}

#[test]
fn what_a_method_keeps_of_energy_is_a_result() {
    let text = "scheme,dt,energy_ratio,wall_time\nCN,0.04,1.0,0.198\nCN,0.02,1.002,0.397\nCN,0.01,1.0,0.856\nLF,0.04,1.1,0.1\n\
                LF,0.02,1.05,0.2\nLF,0.01,1.0,0.41\n";
    assert_eq!(roles(text), "scheme=label dt=parameter energy_ratio=ignored wall_time=metric");
}

#[test]
fn each_second_may_be_written_with_an_underscore() {
    use runcast_core::{Direction, Metric};
    for (name, unit, scale) in [
        ("throughput_mcells_s", "1/s", 1e6),
        ("mb_s", "B/s", 1e6),
        ("bandwidth_gb_s", "B/s", 1e9),
        ("gflops_s", "flop/s", 1e9),
        ("tokens_s", "1/s", 1.0),
    ] {
        let metric = Metric::from_name(name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!((metric.unit.as_str(), metric.scale, metric.direction), (unit, scale, Direction::Higher), "{name}");
    }
    // Parts of a program, whose times these are.
    for name in ["time_s", "wait_s", "communication_s", "messages_s", "steps_s", "path_compute_s", "init_s"] {
        assert!(Metric::from_name(name).is_some_and(|metric| metric.is_time()), "{name}");
    }
}

#[test]
fn delays_that_hardly_recur_are_results() {
    // What a halo exchange cost, in clock ticks, beside two ways of measuring.
    let text = "mpi_procs,domain,halo_delay,mode,total_time\n2,256,8077,1,1.32\n2,256,8156,2,1.49\n4,256,5173,1,0.81\n\
                4,256,6784,2,0.93\n2,512,28143,1,5.11\n2,512,29877,2,5.62\n4,512,15309,1,2.71\n4,512,16211,2,2.95\n";
    assert_eq!(roles(text), "mpi_procs=processes domain=parameter halo_delay=ignored mode=parameter total_time=metric");
    // Here it was set.
    let set = "mpi_procs,delay,total_time\n2,50,1.32\n2,100,1.49\n2,200,1.71\n4,50,0.81\n4,100,0.93\n4,200,1.11\n";
    assert_eq!(roles(set), "mpi_procs=processes delay=parameter total_time=metric");
}
