//! Tables with names and columns that their authors chose without knowing this program.

use runcast_core::Table;
use runcast_core::roles::{RoleOption, TableOptions};
use runcast_core::series::{SeriesSet, series_of};

fn series(file: &str, options: &TableOptions) -> SeriesSet {
    let path = format!("{}/../../testdata/strangers/{file}", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let table = Table::read(file, &bytes, &Default::default()).expect("a table");
    series_of(&table, options).unwrap_or_else(|problems| panic!("{problems}"))
}

/// The parameters, the one that counts processes, the columns left out, and the runs of the first configuration.
fn read_as(set: &SeriesSet) -> (Vec<&str>, &str, Vec<&str>, usize) {
    let first = &set.series[0];
    let left_out = set
        .warnings
        .iter()
        .filter(|warning| warning.code == "column_ignored")
        .filter_map(|warning| warning.message.split(' ').next());
    (
        first.parameters.iter().map(String::as_str).collect(),
        &first.parameters[first.process_parameter.expect("a number of processes")],
        left_out.collect(),
        first.points[0].values.len(),
    )
}

#[test]
fn processes_are_found_without_regard_to_case_and_results_are_no_parameters() {
    let capitals = series("capitals.csv", &TableOptions::default());
    assert_eq!(read_as(&capitals), (vec!["Processes", "Size"], "Processes", vec!["seed", "watts"], 3));
    assert_eq!(capitals.series.len(), 2, "one for each application");
    let unnumbered = series("unnumbered.csv", &TableOptions::default());
    assert_eq!(read_as(&unnumbered), (vec!["nprocs", "cells"], "nprocs", vec!["load"], 3));
    let grid = series("grid.csv", &TableOptions::default());
    assert_eq!(read_as(&grid), (vec!["MPI ranks", "Size"], "MPI ranks", vec!["residual"], 1));
    let wide = series("wide.csv", &TableOptions::default());
    assert_eq!(read_as(&wide), (vec!["Cores", "N"], "Cores", vec!["peak_rss"], 2));
}

/// The line that says how a table was read.
fn line(file: &str, options: &TableOptions) -> String {
    series(file, options).read_as.to_string()
}

#[test]
fn the_role_of_every_column_is_said_with_its_reason() {
    let said = |file: &str| line(file, &TableOptions::default());
    assert_eq!(
        said("blanks.txt"),
        "p = processes (column \"nprocs\"), Time(ms) = metric (lower is better); ignored: speedup (derived: t_1/t_p)"
    );
    assert_eq!(
        said("dated.csv"),
        "p = processes (column \"Num Threads\"), Mesh = parameter, Wall Time (s) = metric (lower is better), \
         MLUPS = metric (higher is better); ignored: index (identifier), commit (identifier), Start Time (timestamp), \
         iters (outcome), passed (outcome), hyperthreading (constant)"
    );
    assert_eq!(
        said("shares.csv"),
        "p = processes (column \"ranks\"), nx = parameter, total_time = metric (lower is better); ignored: \
         avg_comm_per_step (outcome), avg_compute_per_step (outcome), comm_fraction (outcome), us_mean_normed (outcome)"
    );
    let german = "p = processes (column \"Kerne\"), Laufzeit [ms] = metric (lower is better), Wiederholung = repetition; \
                  ignored: Größe (constant)";
    assert_eq!(said("german.tsv"), german);
    let set = series("german.tsv", &TableOptions::default());
    assert_eq!(set.series[0].points[0].values, [12.48, 12.51]);
    let dated = series("dated.csv", &TableOptions::default());
    assert!(dated.warnings.iter().any(|warning| warning.code == "repeated_header"));
    assert_eq!(dated.series[0].points.len(), 7, "a row has no time");
}

#[test]
fn what_a_run_counted_is_told_from_what_was_asked_of_it() {
    let said = |file: &str| line(file, &TableOptions::default());
    // The nodes of a graph are its size, beside its edges.
    assert_eq!(
        said("graph.csv"),
        "p = processes (column \"threads\"), nodes = parameter, edges = parameter, time_s = metric (lower is better), \
         dataset = label, rep = repetition; ignored: last_diff (outcome)"
    );
    // A program's own log: `Step` says when a row was written, and `Rank` how many there were.
    assert_eq!(
        said("log.csv"),
        "p = processes (column \"Rank\") by its values, Step = parameter, ElapsedTime [s] = metric (lower is better), \
         Perf_Overall (cells/s) = metric (higher is better); ignored: dt (constant), Perf_PerRank (outcome)"
    );
    // What was sent follows from the processes; what was set recurs with each number of them.
    assert_eq!(
        said("traffic.csv"),
        "p = processes (column \"procs\"), t_wall_s = metric (lower is better); ignored: bytes (outcome), msgs (outcome)"
    );
    assert_eq!(
        said("steps.csv"),
        "p = processes (column \"cores\"), steps = parameter, bytes = parameter, time_s = metric (lower is better)"
    );
}

#[test]
fn a_number_with_zero_for_off_makes_groups() {
    assert_eq!(
        line("switch.csv", &TableOptions::default()),
        "p = processes (column \"threads\"), time_s = metric (lower is better), algorithm = label, \
         threshold = label; ignored: work (outcome), Max_Pixel_Diff (outcome)"
    );
    let set = series("switch.csv", &TableOptions::default());
    assert_eq!((set.series.len(), set.series[0].points.len()), (3, 3), "a series for each threshold");
}

#[test]
fn a_flag_makes_groups_unless_the_other_inputs_decide_it() {
    let read = |csv: &str| {
        let table = Table::read("runs.csv", csv.as_bytes(), &Default::default()).expect("a table");
        series_of(&table, &TableOptions::default()).expect("series")
    };
    let follows = read("code,p,held,time_s\na,1,0,8\na,2,0,4.5\na,4,1,2.5\nb,1,0,9\nb,2,1,5\nb,4,1,3\n");
    assert_eq!(
        follows.read_as.to_string(),
        "p = processes, time_s = metric (lower is better), code = label; ignored: held (derived: the other inputs)"
    );
    assert_eq!(follows.series.len(), 2);
    let chosen = read("p,smt,time_s\n1,0,8\n2,0,4.5\n4,0,2.5\n1,1,9\n2,1,5\n4,1,3\n");
    assert_eq!(chosen.read_as.to_string(), "p = processes, time_s = metric (lower is better), smt = label");
    assert_eq!((chosen.series.len(), chosen.series[0].parameters.as_ref()), (2, &["p".to_owned()][..]));
}

#[test]
fn a_metric_named_by_an_option_keeps_the_unit_of_its_name() {
    let options = TableOptions { metrics: vec!["Laufzeit [ms]".to_owned()], ..TableOptions::default() };
    assert_eq!(series("german.tsv", &options).series[0].points[0].values, [12.48, 12.51]);
}

#[test]
fn an_option_gives_a_column_its_role() {
    let role = |text: &str| RoleOption::parse(text).unwrap_or_else(|problem| panic!("{problem}"));
    let options = |roles: &[&str]| TableOptions {
        roles: roles.iter().map(|text| role(text)).collect(),
        ..TableOptions::default()
    };
    let said = line("dated.csv", &options(&["iters=parameter", "MLUPS=ignore", "commit=label", "Mesh=processes"]));
    let wanted = "p = processes (column \"Mesh\"), Num Threads = parameter, iters = parameter, \
                  Wall Time (s) = metric (lower is better), commit = label; ignored: index (identifier), \
                  Start Time (timestamp), MLUPS (option), passed (outcome), hyperthreading (constant)";
    assert_eq!(said, wanted);
    let set = series("capitals.csv", &options(&["watts=metric:W", "seed=label"]));
    assert!(set.series.iter().any(|series| series.metric.unit == "W") && set.series[0].group.contains_key("seed"));
    assert_eq!(RoleOption::parse("x=rank").expect_err("an error").code, "roles");
    assert_eq!(RoleOption::parse("x").expect_err("an error").code, "roles");
}

#[test]
fn a_file_may_say_which_column_is_what() {
    let csv =
        "# roles: {\"processes\":\"width\",\"ignored\":[\"seconds\"]}\nwidth,time_s,seconds\n1,4,1\n2,2,2\n4,1,3\n";
    let table = Table::read("runs.csv", csv.as_bytes(), &Default::default()).expect("a table");
    let set = series_of(&table, &TableOptions::default()).expect("series");
    let wanted = "p = processes (column \"width\"), time_s = metric (lower is better); ignored: seconds (option)";
    assert_eq!(set.read_as.to_string(), wanted);
}

#[test]
fn a_column_that_is_named_is_a_parameter() {
    let params = Some(vec!["Processes".to_owned(), "watts".to_owned()]);
    let set = series("capitals.csv", &TableOptions { params, ..TableOptions::default() });
    assert_eq!(read_as(&set), (vec!["Processes", "watts"], "Processes", vec![], 1));
}

#[test]
fn forecasts_do_not_depend_on_the_name_of_the_process_column() {
    let points = |name: &str| {
        let csv = format!("{name},n,time_s\n1,100,10\n2,100,6\n4,100,4\n1,200,20\n2,200,12\n4,200,8\n");
        let table = Table::read("runs.csv", csv.as_bytes(), &Default::default()).expect("a table");
        let set = series_of(&table, &TableOptions::default()).unwrap_or_else(|problems| panic!("{name}: {problems}"));
        let first = &set.series[0];
        (
            first.process_parameter,
            first.points.iter().map(|point| (point.at.clone(), point.values.clone())).collect::<Vec<_>>(),
        )
    };
    let wanted = points("p");
    assert_eq!(wanted.0, Some(0));
    for name in [
        "P",
        "np",
        "nprocs",
        "n_procs",
        "nproc",
        "ntasks",
        "tasks",
        "procs",
        "processes",
        "Processes",
        "ranks",
        "mpi_ranks",
        "MPI ranks",
        "Num MPI ranks",
        "PEs",
        "cores",
        "Cores",
        "ncores",
        "threads",
        "Threads",
        "nthreads",
        "n_threads",
        "OMP_NUM_THREADS",
        "workers",
        "nodes",
        "Nodes",
        "nnodes",
        "gpus",
        "n_gpus",
        "devices",
        "Total_Cores",
    ] {
        assert_eq!(points(name), wanted, "{name}");
    }
}

#[test]
fn of_several_counts_the_one_that_varies_is_taken() {
    let csv = "nodes,ranks,threads,time_s\n1,8,1,10\n1,8,2,6\n1,8,4,4\n";
    let table = Table::read("runs.csv", csv.as_bytes(), &Default::default()).expect("a table");
    let set = series_of(&table, &TableOptions::default()).expect("series");
    assert_eq!(set.series[0].process_parameter, Some(2));
}

#[test]
fn a_time_goes_before_what_follows_from_it() {
    let csv = "Cores,Time(s),Speedup,Efficiency\n1,100,1,1\n2,52,1.92,0.96\n4,28,3.57,0.89\n";
    let table = Table::read("runs.csv", csv.as_bytes(), &Default::default()).expect("a table");
    let set = series_of(&table, &TableOptions::default()).expect("series");
    assert_eq!(set.series[0].parameters.as_ref(), ["Cores"]);
    assert!(set.series.iter().any(|series| series.metric.name == "Time(s)" && series.metric.unit == "s"));
    let csv = "threads,gflops,time_s\n1,1.5,2\n2,2.9,1.1\n";
    let table = Table::read("runs.csv", csv.as_bytes(), &Default::default()).expect("a table");
    let set = series_of(&table, &TableOptions::default()).expect("series");
    assert_eq!((set.series.len(), set.series[0].parameters.as_ref()), (2, &["threads".to_owned()][..]));
}

/// Shapes of tables as scripts write them, each with how its columns must be read: `column=role`.
#[test]
fn tables_are_read_as_scripts_write_them() {
    let cases: &[(&str, &str)] = &[
        // Job accounting: clocks.
        (
            "JobID,JobName,NNodes,NCPUS,Elapsed,State\n7,app,1,48,00:11:35,COMPLETED\n8,app,2,96,00:06:10,COMPLETED\n9,app,4,192,00:03:31,COMPLETED\n",
            "JobID=ignored JobName=label NNodes=parameter NCPUS=processes Elapsed=metric State=label",
        ),
        // The shell's time.
        (
            "cpus,real,user,sys\n1,0m52.5s,0m52.1s,0m0.2s\n2,0m27.4s,0m53.0s,0m0.3s\n4,0m14.9s,0m54.2s,0m0.4s\n",
            "cpus=processes real=metric user=metric sys=metric",
        ),
        // A table in a readme.
        (
            "| Threads | Time (s) | Speedup |\n|---|---|---|\n| 1 | 31.5 | 1.0x |\n| 2 | 16.4 | 1.92x |\n| 4 | 9.03 | 3.49x |\n",
            "Threads=processes Time (s)=metric Speedup=ignored",
        ),
        // A spreadsheet where fractions have commas.
        (
            "Number of cores;Elapsed time [sec];Max memory [GB]\n8;52,31;3,4\n16;27,02;3,9\n32;14,88;5,1\n",
            "Number of cores=processes Elapsed time [sec]=metric Max memory [GB]=metric",
        ),
        // Statistics of runs that are not named.
        (
            "#procs\tavg\tmin\tmax\tstd\n1\t31.512\t31.1\t32.02\t0.411\n2\t16.231\t16.01\t16.94\t0.312\n4\t8.973\t8.77\t9.41\t0.287\n",
            "procs=processes avg=metric min=ignored max=ignored std=ignored",
        ),
        // A spread beside its time.
        (
            "threads,time_mean,time_std\n1,31.512,0.411\n2,16.231,0.312\n4,8.973,0.287\n",
            "threads=processes time_mean=metric time_std=ignored",
        ),
        // A rate and its reciprocal.
        (
            "ranks,ns/day,hours/ns\n1,3.815,6.291\n2,7.264,3.304\n4,13.348,1.798\n8,22.857,1.05\n",
            "ranks=processes ns/day=metric hours/ns=ignored",
        ),
        // A solver: the size of the communicator, and iterations that change with it.
        (
            "mpi_size,N,dt,setup_time,total_wall_time,gmres_iters\n1,2000,0.01,5.312,84.02,1201\n2,2000,0.01,2.841,43.5,1207\n4,2000,0.01,1.622,23.1,1215\n",
            "mpi_size=processes N=ignored dt=ignored setup_time=metric total_wall_time=metric gmres_iters=ignored",
        ),
        (
            "n,nprocs,iters,time_setup,time_solve\n400,1,100,0.412,9.31\n400,2,123,0.251,5.02\n400,4,151,0.162,3.11\n800,1,100,0.822,18.6\n800,2,123,0.486,9.9\n800,4,151,0.305,6.02\n",
            "n=parameter nprocs=processes iters=ignored time_setup=metric time_solve=metric",
        ),
        // Messages that there are none of on one node.
        (
            "nodes,ranks_per_node,remote,total (s)\n1,1,0,90.21\n1,2,0,46.12\n2,1,8,47.33\n2,2,16,24.91\n4,1,8,25.13\n4,2,16,13.7\n",
            "nodes=processes ranks_per_node=parameter remote=ignored total (s)=metric",
        ),
        // No time at all.
        (
            "method,threads,speedup_mean\nomp,1,1.0\nomp,2,1.93\nomp,4,3.61\nstd,1,0.98\nstd,2,1.88\nstd,4,3.4\n",
            "method=label threads=processes speedup_mean=metric",
        ),
        // No header, and a delimiter at the end of each line.
        ("1;0.9524;\n2;1.8182;\n3;2.6087;\n4;3.3333;\n5;4.0;\n", "0=processes 1=metric"),
        (
            "200, 1, 0.0412\n200, 4, 0.0127\n200, 18, 0.0052\n500, 1, 0.2611\n500, 4, 0.0714\n500, 18, 0.0251\n",
            "0=parameter 1=processes 2=metric",
        ),
        // One run of each of several programs.
        (
            "Implementation,Size,Time(s),Speedup\nSerial,1000,10.42,1.0\nOpenMP-2T,1000,5.51,1.89\nOpenMP-4T,1000,2.93,3.56\nMPI-2P,1000,5.8,1.8\n",
            "Implementation=label Size=ignored Time(s)=metric Speedup=ignored",
        ),
        // Processes and threads, and their product.
        (
            "mpi_tasks;omp_threads;total_cores;time_per_step_s\n1;1;1;2.11\n1;2;2;1.12\n2;1;2;1.09\n2;2;4;0.61\n4;1;4;0.59\n4;2;8;0.34\n",
            "mpi_tasks=processes omp_threads=parameter total_cores=parameter time_per_step_s=metric",
        ),
        // Training on accelerators.
        (
            "nodes,gpus_per_node,total_gpus,global_batch_size,step_time_ms,mfu\n1,8,8,64,422.1,0.41\n2,8,16,128,427.2,0.4\n4,8,32,256,434.3,0.39\n",
            "nodes=parameter gpus_per_node=ignored total_gpus=processes global_batch_size=parameter step_time_ms=metric mfu=ignored",
        ),
        // Sizes of messages are set.
        (
            "test,processes,message_size_bytes,iterations,avg_latency_us,bandwidth_MBps\npp,2,1,1000,1.21,0.83\npp,2,64,1000,1.24,51.6\npp,2,4096,1000,1.61,2544.1\n",
            "test=label processes=processes message_size_bytes=parameter iterations=ignored avg_latency_us=metric bandwidth_MBps=metric",
        ),
        // A benchmark of messages with its header in a comment.
        (
            "# OSU MPI Allreduce Latency Test v5.6\n# Size       Avg Latency(us)\n4            1.11\n64           1.21\n1024         2.18\n",
            "Size=parameter Avg Latency(us)=metric",
        ),
        // Times of parts, of two ways, and the ideal.
        (
            "np,t_total,t_comm,t_comp\n1,30.21,0.31,29.9\n2,15.8,0.42,15.3\n4,8.41,0.61,7.7\n",
            "np=processes t_total=metric t_comm=metric t_comp=metric",
        ),
        (
            "Threads,Sequential,Parallel,Speedup\n1,31.21,31.42,0.993\n2,31.19,16.21,1.924\n4,31.24,8.93,3.498\n",
            "Threads=processes Sequential=metric Parallel=metric Speedup=ignored",
        ),
        ("Cores,Time,Ideal\n1,31.51,31.51\n2,16.41,15.76\n4,8.93,7.88\n", "Cores=processes Time=metric Ideal=ignored"),
        (
            "P,T(P),S(P),E(P)\n1,31.51,1.0,1.0\n2,16.41,1.92,0.96\n4,8.93,3.53,0.88\n",
            "P=processes T(P)=metric S(P)=ignored E(P)=ignored",
        ),
        // A table of another tool, and machines that differ from run to run.
        (
            "command,mean,stddev,median,user,system,min,max,parameter_threads\nOMP_NUM_THREADS=1 ./a,3.112,0.021,3.108,3.1,0.01,3.09,3.15,1\nOMP_NUM_THREADS=2 ./a,1.62,0.018,1.617,3.1,0.01,1.6,1.66,2\nOMP_NUM_THREADS=4 ./a,0.88,0.011,0.882,3.2,0.01,0.87,0.9,4\nOMP_NUM_THREADS=8 ./a,0.51,0.009,0.508,3.3,0.01,0.5,0.53,8\n",
            "command=ignored mean=metric stddev=ignored median=ignored user=ignored system=ignored min=ignored max=ignored parameter_threads=processes",
        ),
        (
            "ncpus,elapsed_secs,hostname\n1,31.21,n17\n1,31.32,n4\n2,16.4,n23\n2,16.2,n4\n4,8.91,n61\n4,8.83,n8\n",
            "ncpus=processes elapsed_secs=metric hostname=ignored",
        ),
        // Drawn lines, a rate for each node, versions that look like numbers, and iterations counted from 0.
        (
            "Threads   Time(s)   Speedup\n---------------------------\n1         31.51     1.00\n2         16.42     1.92\n4         8.93      3.53\n",
            "Threads=processes Time(s)=metric Speedup=ignored",
        ),
        (
            "+---------+----------+\n| threads | time (s) |\n+---------+----------+\n|       1 |   31.512 |\n|       2 |   16.231 |\n|       4 |    8.973 |\n+---------+----------+\n",
            "threads=processes time (s)=metric",
        ),
        (
            "Nodes,Cells,TimePerStep[s],MCells/s/node\n1,1e8,1.0512,95.12\n2,1e8,0.5541,90.23\n4,1e8,0.3122,80.11\n",
            "Nodes=processes Cells=ignored TimePerStep[s]=metric MCells/s/node=metric",
        ),
        (
            "nodes,version,fom\n1,1.0,99.01\n2,1.0,196.2\n4,1.0,384.1\n1,1.1,108.9\n2,1.1,215.7\n4,1.1,422.4\n",
            "nodes=processes version=label fom=metric",
        ),
        (
            "ranks,iter,evals,wtime\n1,0,0,30.21\n1,1,12,30.11\n2,0,0,15.83\n2,1,12,15.91\n4,0,0,8.42\n4,1,12,8.51\n",
            "ranks=processes iter=repetition evals=ignored wtime=metric",
        ),
        // Cores of a kind, the file that a run wrote to, and a density that was set in equal steps.
        (
            "CPU cores,Time to solution (s)\n80,1759.045\n160,1054.055\n320,799.8\n640,702.3\n",
            "CPU cores=processes Time to solution (s)=metric",
        ),
        (
            "procs,total_time_s,logfile\n1,0.7213,data/run_p1.log\n2,0.4612,data/run_p2.log\n4,0.3224,data/run_p4.log\n",
            "procs=processes total_time_s=metric logfile=ignored",
        ),
        (
            "Vertices,Density,plain,tuned\n1024,0.1,3563.18,1840.46\n1024,0.2,5840.71,3246.31\n1024,0.3,7921.44,4310.92\n1024,0.4,9987.03,5298.17\n",
            "Vertices=ignored Density=parameter plain=metric tuned=metric",
        ),
        (
            "thread_count,t_seq,t_par\n3,31.21,11.42\n5,31.19,7.21\n7,31.24,5.43\n",
            "thread_count=processes t_seq=metric t_par=metric",
        ),
        // Machines that the number of cores decides.
        (
            "Number of cores,Nodes,Elapsed time [sec]\n8,1,52.31\n32,1,14.88\n64,2,8.12\n128,4,4.51\n",
            "Number of cores=processes Nodes=parameter Elapsed time [sec]=metric",
        ),
        // A table in a log.
        (
            "==== Strong Scaling Run ====\nhost: node042\nrepeats: 10 trials: 5\n\nP      p90_e2e_ms   gflops_e2e\n1      102.3110     1.9548\n2      52.8411      3.7849\n4      27.9083      7.1663\n\nfinished\n",
            "P=processes p90_e2e_ms=metric gflops_e2e=metric",
        ),
        // A rate of cells and clocks, beside its time.
        (
            "Num MPI ranks,Num nodes,cpu time used,zone-cycles/cpu_second\n1,1,221.4,6.412e7\n2,1,238.1,1.193e8\n4,1,251.3,2.262e8\n8,2,255.2,4.451e8\n",
            "Num MPI ranks=processes Num nodes=parameter cpu time used=metric zone-cycles/cpu_second=metric",
        ),
        // Curves of laws beside what was measured.
        (
            "workers,measured_speedup,amdahl_estimated,amdahl_f_0_5,karp_flatt_fraction,gustafson_speedup\n1,1.0,1.0,1.0,N/A,1.0\n2,1.912,1.905,1.333,0.047,1.951\n4,3.521,3.478,1.602,0.045,3.853\n",
            "workers=processes measured_speedup=metric amdahl_estimated=ignored amdahl_f_0_5=ignored karp_flatt_fraction=ignored gustafson_speedup=ignored",
        ),
        (
            "nodes,size,time,expected_time\n1,100,43.91,43.91\n2,200,45.32,43.91\n4,400,47.74,43.91\n",
            "nodes=processes size=parameter time=metric expected_time=ignored",
        ),
        // Epochs as repetitions, and a calculation that went wrong.
        (
            "workers,epoch,wall_sec,parallel_fraction\n1,1,219.1,NaN\n1,2,190.2,NaN\n2,1,110.4,0.911\n2,2,101.2,0.934\n",
            "workers=processes epoch=repetition wall_sec=metric parallel_fraction=ignored",
        ),
        // Phases without a word for time, some near the resolution of the clock.
        (
            "Stars, Create, Sort , Alloc , Fill\n5000,0.001351,0.002459,0.00001,0.087697\n7000,0.002332,0.003713,0.00002,0.179842\n9000,0.002714,0.005058,0.000083,0.348089\n9500,0.003114,0.006058,0.00009,0.398089\n",
            "Stars=parameter Create=metric Sort=metric Alloc=metric Fill=metric",
        ),
        // Problems that are numbered.
        (
            "test,block_size,avg_time,std_dev\n1,8,3.3959,0.0365\n1,16,3.4102,0.0201\n2,8,18.4555,0.0374\n2,16,18.6021,0.0402\n4,8,30.1,0.1\n4,16,31.2,0.1\n",
            "test=label block_size=parameter avg_time=metric std_dev=ignored",
        ),
        // How the program was started.
        (
            "MPI,FOM,Time(s)\n1,5.67,2.463\n2,22.13,1.278\n3,31.2,0.911\n6,40.1,0.714\n",
            "MPI=processes FOM=metric Time(s)=metric",
        ),
        (
            "Algorithm,Sequential,OpenMP,MPI\ngauss,0.0123238,0.0053615,0.0062749\nedge,0.0121849,0.0033366,0.0049165\nhist,0.0017495,0.0011418,0.0015284\n",
            "Algorithm=label Sequential=metric OpenMP=metric MPI=metric",
        ),
        // Cores that decide ranks and threads.
        (
            "cores,mpi_ranks,omp_threads,time\n1,1,1,1.932\n2,2,1,1.686\n4,2,2,1.055\n8,4,2,0.713\n",
            "cores=processes mpi_ranks=parameter omp_threads=parameter time=metric",
        ),
        ("threads,time\n1x1,3.338\n2x1,1.713\n2x2,0.934\n4x2,0.516\n", "threads=processes time=metric"),
        ("threads,time\nserial,3.338\n2,1.713\n4,0.934\n8,0.516\n", "threads=processes time=metric"),
        // Square matrices, in runs with several numbers of threads.
        (
            "n_row,n_col,threads,time_s\n100,100,1,0.73\n100,100,2,0.41\n500,500,1,9.32\n500,500,2,4.9\n900,900,1,47.1\n900,900,2,24.4\n",
            "n_row=parameter n_col=parameter threads=processes time_s=metric",
        ),
        // Statistics and logarithms of a data frame.
        (
            ",time_s,nprocs,time_mean_ms,log_p,ms_normed\n0,0.808,1,812.5,0.0,0.00010156\n1,0.817,1,812.5,0.0,0.00010156\n2,0.421,2,423.0,1.0,0.00005287\n3,0.425,2,423.0,1.0,0.00005287\n4,0.231,4,233.0,2.0,0.00002912\n5,0.235,4,233.0,2.0,0.00002912\n",
            "index=ignored time_s=metric nprocs=processes time_mean_ms=metric log_p=ignored ms_normed=ignored",
        ),
        // The header in a comment, above clocks.
        (
            "# ranks ; dim ; time\n256 ; 90 ; 00:08:11.273410\n512 ; 90 ; 00:04:21.291112\n1024 ; 90 ; 00:02:31.1\n",
            "ranks=processes dim=ignored time=metric",
        ),
        // Lines of delimiters, titles of parts, a header that lacks the last name, a column that came later.
        (
            "case,cells,time_us\n,,\nA,1000,147\nA,8000,1020\nlarge ones\nA,27000,3391\n",
            "case=label cells=parameter time_us=metric",
        ),
        (
            "threads,time\n1,982.23,982.25\n2,498.15,498.17\n4,256.02,256.04\n",
            "threads=processes time=metric 2=ignored",
        ),
        ("p,time_s,note\n1,8.1\n2,4.2\n4,2.3\n8,1.4,warm\n", "p=processes time_s=metric note=label"),
        // Counts behind the names of programs.
        (
            "variant,time_ms\nfused-serial,41.2\nfused-2,22.4\nfused-4,12.9\nfused-8,8.1\nsplit-serial,55.3\nsplit-2,29.1\nsplit-4,16.2\nsplit-8,9.9\n",
            "variant=label time_ms=metric",
        ),
        // A row for each process.
        (
            "rank,seq_len,t_compute\n0,64,0.105\n1,64,0.116\n0,128,0.431\n1,128,0.442\n0,256,1.711\n1,256,1.723\n",
            "rank=ignored seq_len=parameter t_compute=metric",
        ),
        // Which execution it was, beside runs.
        (
            "Num Execution,Threads per Block,Run,Kernel Time (ms)\n1,32,1,26.01\n1,32,2,25.29\n2,64,1,25.11\n2,64,2,25.4\n3,128,1,24.2\n3,128,2,24.3\n",
            "Num Execution=ignored Threads per Block=parameter Run=repetition Kernel Time (ms)=metric",
        ),
        (
            "size,op,time,GBs\n1024,SUM,0.000366,0.0224\n8192,SUM,0.000498,0.1316\n65536,SUM,0.001271,0.4125\n",
            "size=parameter op=label time=metric GBs=metric",
        ),
        // In Spanish, and in capitals.
        (
            "dims,puntos,hilos,tiempo_promedio,speedup,eficiencia\n2,1000,1,0.13938,1.0,1.0\n2,1000,2,0.07312,1.9061,0.95307\n2,1000,8,0.03127,4.4573,0.55716\n3,1000,1,0.20941,1.0,1.0\n3,1000,2,0.11012,1.9017,0.95083\n3,1000,8,0.04527,4.6258,0.57823\n",
            "dims=parameter puntos=ignored hilos=processes tiempo_promedio=metric speedup=ignored eficiencia=ignored",
        ),
        (
            "procesos,q,tiempo_tot,tiempo_comm,tiempo_ejec\n1,10,0.00497,0.00447,0.00050\n2,10,0.00455,0.00430,0.00025\n4,10,0.00461,0.00448,0.00013\n",
            "procesos=processes q=ignored tiempo_tot=metric tiempo_comm=metric tiempo_ejec=metric",
        ),
        (
            "PARALLELISM DEGREE,COMPLETION TIME,MEAN LATENCY,SCALABILITY\n1.0,4567125.0,260.488,1.0\n2.0,2543616.0,252.209,1.796\n4.0,1443616.0,255.712,3.164\n",
            "PARALLELISM DEGREE=processes COMPLETION TIME=metric MEAN LATENCY=metric SCALABILITY=ignored",
        ),
        (
            "Procesos,N,Tiempo Promedio,Tiempo Promedio Calcular Fuerzas,Tiempo Promedio std\n1,500,0.11232,0.02173,0.00101\n2,500,0.06232,0.01273,0.00091\n4,500,0.03632,0.00773,0.00071\n",
            "Procesos=processes N=ignored Tiempo Promedio=metric Tiempo Promedio Calcular Fuerzas=metric Tiempo Promedio std=ignored",
        ),
        // What the machine was doing.
        (
            "Matrix Size,Execution Time (ms),Memory Used (MB),CPU Usage (%)\n50,3,0.3749,6.35\n100,4,0.7256,6.35\n200,31,2.8256,12.61\n400,221,9.1256,14.13\n",
            "Matrix Size=parameter Execution Time (ms)=metric Memory Used (MB)=metric CPU Usage (%)=ignored",
        ),
        // Names that tell machines and scenes apart, which runs share, and a file for nearly every run.
        (
            "machine_id,n,nprocs,time_sec,gflops_gemm_eq,output_image\na,512,1,1.162,0.231,o/1.ppm\na,512,2,0.601,0.447,o/2.ppm\na,512,4,0.324,0.829,o/3.ppm\nb,512,1,0.931,0.288,o/4.ppm\nb,512,2,0.502,0.535,o/5.ppm\nb,512,2,0.502,0.535,o/5.ppm\n",
            "machine_id=label n=ignored nprocs=processes time_sec=metric gflops_gemm_eq=metric output_image=ignored",
        ),
        (
            "scene_id,threads,time_s\n1,1,2.13\n1,2,1.61\n1,4,1.25\n2,1,2.95\n2,2,2.07\n2,4,1.43\n",
            "scene_id=label threads=processes time_s=metric",
        ),
        // How long the simulated world lasts, and the coefficient of its diffusion.
        (
            "Tasks,DiffCoeff,EndTime,WallTime\n1,1.5,10,36.05\n1,1.5,100,352.1\n2,1.5,10,18.41\n2,1.5,100,181.7\n4,1.5,10,9.62\n4,1.5,100,94.81\n8,1.5,10,5.33\n8,1.5,100,50.12\n",
            "Tasks=processes DiffCoeff=ignored EndTime=parameter WallTime=metric",
        ),
        (
            "p,simulated_time_s,wall_time_s\n1,12.312,90.11\n2,12.298,46.42\n4,12.305,24.37\n8,12.311,13.08\n",
            "p=processes simulated_time_s=ignored wall_time_s=metric",
        ),
        (
            "p,sim_time_s,io_time_s\n1,88.123,2.112\n2,45.017,1.431\n4,23.251,1.223\n8,12.642,1.318\n",
            "p=processes sim_time_s=metric io_time_s=metric",
        ),
        // A serial program beside the workers, whose time is no law of them.
        (
            "dataset,workers,train_time\nd,0,1292.3\nd,2,419.22\nd,4,250.17\nd,8,166.49\n",
            "dataset=label workers=processes train_time=metric",
        ),
        // Parts of a time, none of which was spent in one of them; what every rank sent.
        (
            "rank,seq_len,t_compute,t_comm,t_wait,msgs,bytes\n0,64,35.636,18.033,82.804,8,7320\n1,64,35.778,17.998,82.707,8,7320\n2,64,13.765,33.424,0.285,10,20742\n0,128,71.16,36.21,160.2,8,14640\n1,128,71.31,36.18,160.1,8,14640\n2,128,27.52,66.83,0.571,10,41484\n",
            "rank=ignored seq_len=parameter t_compute=metric t_comm=metric t_wait=metric msgs=ignored bytes=ignored",
        ),
        (
            "ProcessCount,gc_ms,ParallelTime\n1,0,2.93\n2,0,1.61\n4,0,0.94\n",
            "ProcessCount=processes gc_ms=ignored ParallelTime=metric",
        ),
        // Results of two digits, which recur.
        (
            "num_threads,time (s),work,batch\n1,8.773,2.84,10\n1,9.136,2.84,10\n1,8.998,2.85,10\n2,4.763,2.90,10\n2,4.829,2.91,10\n2,4.776,2.91,10\n4,2.612,2.95,10\n4,2.671,2.97,10\n4,2.655,2.95,10\n",
            "num_threads=processes time (s)=metric work=ignored batch=ignored",
        ),
        // `proc` from 1 on, beside threads of each.
        (
            "parts,proc,threads,accel\n1000,1,1,0.585\n1000,1,2,0.725\n1000,2,1,0.874\n1000,2,2,1.158\n1000,3,1,1.231\n1000,3,2,1.417\n",
            "parts=ignored proc=processes threads=parameter accel=metric",
        ),
        // Commas within the names of the header.
        (
            "Number of Tasks (p),Speedup = T(n, 1) / T(n, p) small,Speedup = T(n, 1) / T(n, p) large\n1,1,1\n2,1.70,1.64\n4,2.84,2.63\n",
            "Number of Tasks (p)=processes Speedup = T(n, 1) / T(n, p) small=metric Speedup = T(n, 1) / T(n, p) large=metric",
        ),
        (
            "Number of Tasks,MPI Time (seconds) N=10,000 * Tasks\n1,0.0378\n2,0.0457\n4,0.0558\n",
            "Number of Tasks=processes MPI Time (seconds) N=10,000 * Tasks=metric",
        ),
        // Sizes in the names, workers in the rows.
        (
            "units,512,1024,2048\n12,0.249,1.042,4.521\n8,0.286,1.102,4.863\n4,0.314,1.422,6.711\n2,0.669,2.991,13.902\n",
            "units=processes 512=metric 1024=metric 2048=metric",
        ),
        // Other languages and scripts, with accents and without.
        (
            "Tamaño de Matriz,Iteración,Hilos,Tiempo (s)\n400,1,1,9.131\n400,2,1,9.204\n400,1,2,4.811\n400,2,2,4.794\n800,1,1,71.31\n800,2,1,71.92\n800,1,2,36.42\n800,2,2,36.31\n",
            "Tamaño de Matriz=parameter Iteración=repetition Hilos=processes Tiempo (s)=metric",
        ),
        (
            "Núcleos,Tempo de Execução (s),memoria_MB,Aceleração,Eficiência\n1,52.31,40.5,1,1\n2,27.11,41.25,1.93,0.96\n4,14.82,42.1,3.53,0.88\n",
            "Núcleos=processes Tempo de Execução (s)=metric memoria_MB=metric Aceleração=ignored Eficiência=ignored",
        ),
        (
            "进程数,数据规模,运行时间(ms),加速比,效率\n1,1000,52.31,1,1\n2,1000,27.11,1.93,0.96\n1,8000,411.3,1,1\n2,8000,208.9,1.97,0.98\n",
            "进程数=processes 数据规模=parameter 运行时间(ms)=metric 加速比=ignored 效率=ignored",
        ),
        (
            "Потоки,Время (мс),Ускорение\n1,52.31,1\n2,27.11,1.93\n4,14.82,3.53\n",
            "Потоки=processes Время (мс)=metric Ускорение=ignored",
        ),
        (
            "Liczba procesów;Czas [s];Przyspieszenie;Wydajność\n1;52,314;1,00;1,00\n2;27,113;1,93;0,96\n4;14,824;3,53;0,88\n",
            "Liczba procesów=processes Czas [s]=metric Przyspieszenie=ignored Wydajność=ignored",
        ),
        (
            "run_num,num_gpus,images/sec,GPU Util (%),% of peak,wall time (hh:mm:ss)\n1,1,333.5,90%,95.1%,00:10:43\n2,1,334.1,90%,95.3%,00:10:41\n1,2,661.2,88%,94.2%,00:05:33\n2,2,660.4,87%,94.1%,00:05:34\n1,4,1301.5,86%,92.7%,00:02:59\n2,4,1298.8,85%,92.5%,00:03:01\n",
            "run_num=repetition num_gpus=processes images/sec=metric GPU Util (%)=ignored % of peak=ignored wall time (hh:mm:ss)=metric",
        ),
        // No header: counts of which some are left out, and cores of whole machines whose time falls.
        (
            "16 4.381\n13 4.484\n12 4.566\n11 4.633\n10 4.662\n9 4.749\n8 4.893\n7 4.7\n6 4.4\n5 3.9\n4 3.3\n3 2.6\n2 1.87\n1 1\n",
            "0=processes 1=metric",
        ),
        ("24  0.229951\n48  0.172555\n72  0.101197\n96  0.0819286\n", "0=processes 1=metric"),
        // Titles of as many words as there are columns.
        (
            "Strong scaling of a million particles\nnumber of cores\nspeed up (flops)\n1 1 323.917\n1 4 103.751\n1 16 66.2941\n1 64 44.082\n",
            "0=ignored 1=processes 2=metric",
        ),
    ];
    for (text, wanted) in cases {
        let table = Table::read("runs", text.as_bytes(), &Default::default()).unwrap_or_else(|p| panic!("{text}: {p}"));
        let set = series_of(&table, &TableOptions::default()).unwrap_or_else(|problems| panic!("{text}: {problems}"));
        let roles = set.read_as.columns.iter().map(|column| format!("{}={}", column.column, column.role.word()));
        assert_eq!(roles.collect::<Vec<_>>().join(" "), *wanted, "{text}");
    }
}

#[test]
fn runs_without_a_value_of_an_input_are_left_out() {
    let text = "solver,N,nnz,time_s\na,100,480,1.1\na,200,980,2.3\na,400,,4.9\nb,100,,1.7\nb,200,,3.6\nb,400,,7.7\n";
    let table = Table::read("runs", text.as_bytes(), &Default::default()).expect("a table");
    let set = series_of(&table, &TableOptions::default()).expect("series");
    // Solver b has no nnz in any run, so it has no such parameter; one run of a lacks it.
    let points: Vec<(usize, usize)> =
        set.series.iter().map(|series| (series.points.len(), series.parameters.len())).collect();
    assert_eq!(points, [(2, 2), (3, 1)]);
    assert!(set.warnings.iter().any(|warning| warning.code == "missing_parameter"), "{:?}", set.warnings);
    let named = TableOptions { params: Some(vec!["N".to_owned(), "nnz".to_owned()]), ..TableOptions::default() };
    assert_eq!(series_of(&table, &named).expect_err("a cell is empty").0[0].code, "missing_parameter");
}

#[test]
fn a_row_that_is_short_among_whole_ones_is_an_error() {
    let read = |text: &str| Table::read("runs", text.as_bytes(), &Default::default());
    let problems = read("p,N,time_s\n1,100,8.1\n2,100,4.2\n4,100\n8,100,1.4\n").expect_err("a short row");
    assert_eq!((problems.0[0].code.as_str(), problems.0[0].line), ("field_count", Some(4)));
    let table = read("p,N,time_s\n1,100,8.1\nsecond part\n2,100,4.2\n").expect("a title is left out");
    assert_eq!(table.rows(), 2);
    assert_eq!(table.warnings[0].code, "lines_left_out");
}

#[test]
fn an_input_that_is_zero_throughout_a_group_is_none_of_it() {
    let text = "cache,threads,threshold,time_s\nlru,1,0,8.1\nlru,2,0,4.2\nlru,4,0,2.3\nlate,1,0.5,7.7\nlate,2,0.5,4.0\nlate,1,0.8,7.1\nlate,2,0.8,3.7\n";
    let table = Table::read("runs", text.as_bytes(), &Default::default()).expect("a table");
    let set = series_of(&table, &TableOptions::default()).expect("series");
    let parameters: Vec<&[String]> = set.series.iter().map(|series| &*series.parameters).collect();
    assert_eq!(parameters, [&["threads"][..], &["threads", "threshold"]]);
}
