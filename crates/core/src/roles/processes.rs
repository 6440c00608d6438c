//! Columns that count processes, threads or machines, by their names.

use super::sizes::{is_case, is_size};
use crate::spelling::words_of;
use crate::table::{Numbers, Table};

/// What a name may count, the finest unit first. Columns of the earlier kinds are preferred.
const COUNTED: [&[&str]; 10] = [
    &["p", "np"],
    &[
        "processes",
        "procs",
        "tasks",
        "procesos",
        "processos",
        "processus",
        "prozesse",
        "processi",
        "procesow",
        "процессов",
        "процессы",
    ],
    &["ranks"],
    &["pes", "cores", "cpus", "nucleos", "coeurs", "cours", "kerne", "rdzeni", "rdzenie", "ядер", "ядра"],
    &["workers", "slaves", "parallelism", "trabajadores", "trabalhadores", "escravos", "esclavos"],
    &["processors", "procesadores", "processadores", "processeurs"],
    &["gpus", "devices", "accelerators"],
    &["nodes", "noeuds", "nodos", "knoten"],
    THREADS,
    &["units"],
];

const THREADS: &[&str] = &["threads", "hilos", "watkow", "watki", "потоки", "потоков"];

/// Words that say of which kind the things counted are: `CPU cores`, `OpenMP threads`.
const KINDS: [&str; 14] = [
    "cpu", "gpu", "openmp", "open", "mp", "pthread", "pthreads", "worker", "compute", "parallel", "physical",
    "logical", "hardware", "slurm",
];

/// Words beside the thing counted that do not change its meaning: `Num MPI ranks`, `OMP_NUM_THREADS`, `Total_Cores`.
const FILLERS: [&str; 22] = [
    "n",
    "no",
    "nr",
    "num",
    "number",
    "of",
    "the",
    "count",
    "total",
    "mpi",
    "omp",
    "parameter",
    "degree",
    "numero",
    "nombre",
    "nb",
    "anzahl",
    "cantidad",
    "ilosc",
    "liczba",
    "число",
    "de",
];

/// Words that turn what follows into a count.
const COUNTERS: [&str; 3] = ["n", "num", "number"];

/// Beginnings of names that count, in scripts that write no blanks between words.
const UNSPACED: [(&str, &str); 9] = [
    ("进程", "processes"),
    ("線程", "threads"),
    ("线程", "threads"),
    ("核心", "cores"),
    ("核数", "cores"),
    ("节点", "nodes"),
    ("プロセス", "processes"),
    ("スレッド", "threads"),
    ("스레드", "threads"),
];

/// The rank of a name among those that may count processes, preferred ones first; none if it counts something else.
/// Case, punctuation and a unit in brackets do not matter.
pub fn preference(name: &str) -> Option<usize> {
    let words = words_of(name);
    if let [of, size] = words.as_slice()
        && size == "size"
        && ["mpi", "world", "comm", "communicator"].contains(&of.as_str())
    {
        return kind("ranks");
    }
    // How the parallel program was started says what is counted.
    match words.concat().as_str() {
        "mpi" => return kind("ranks"),
        "omp" | "openmp" => return kind("threads"),
        joined => {
            // 数, 수: how many of them.
            let rest = |(beginning, _): &&(&str, &str)| {
                joined.strip_prefix(beginning).is_some_and(|rest| ["", "数", "数量", "數", "수"].contains(&rest))
            };
            if let Some((_, counted)) = UNSPACED.iter().find(rest) {
                return kind(counted);
            }
        }
    }
    // `MPI x OMP`: the processes times the threads of each.
    if let [first, times, second] = words.as_slice()
        && times == "x"
    {
        return preference(first).and(preference(second)).and(kind("ranks"));
    }
    let mut left: Vec<&str> = words.iter().map(String::as_str).filter(|word| !FILLERS.contains(word)).collect();
    if left.len() > 1 {
        left.retain(|word| !KINDS.contains(word));
    }
    let [word] = left[..] else { return None };
    // A leading `n` means a number of things, even with a singular noun: `proc` alone is one process.
    let counted = |word: &str| kind(word).or_else(|| kind(&format!("{word}s"))).or_else(|| kind(&format!("{word}es")));
    let is_counted = words.last().is_some_and(|last| last == "count");
    if is_counted || words.first().is_some_and(|first| COUNTERS.contains(&first.as_str())) {
        return counted(word);
    }
    kind(word)
        .or_else(|| COUNTERS.iter().find_map(|counter| counted(word.strip_prefix(counter)?)))
        .or_else(|| kind(word.strip_prefix("mpi").or_else(|| word.strip_prefix("omp"))?))
}

/// Whether a column is called `proc` and counts from 1 on: the number of one process begins at 0.
pub(super) fn is_proc(name: &str, values: &Numbers) -> bool {
    words_of(name) == ["proc"] && counts(values).is_some_and(|numbers| numbers[0] == 1.0 && numbers.len() <= 256)
}

/// Whether a column of `nodes` is that of a graph or a mesh, beside its edges or elements: the size of a problem, not
/// machines.
pub(super) fn is_of_graph(table: &Table, index: usize) -> bool {
    const PARTS: [&str; 12] = [
        "edges",
        "arcs",
        "links",
        "vertices",
        "elements",
        "triangles",
        "tetrahedra",
        "faces",
        "density",
        "degree",
        "dofs",
        "graph",
    ];
    let are_nodes = |words: &[String]| words.last().is_some_and(|last| last == "nodes" || last == "node");
    are_nodes(&words_of(&table.columns[index].name))
        && table.columns.iter().any(|column| words_of(&column.name).iter().any(|word| PARTS.contains(&word.as_str())))
}

/// Whether a name is that of one process, core or machine, `Rank`, over numbers that are no list of them: 1, 2, 4, 8.
pub(super) fn is_count_of_one(name: &str, values: &Numbers) -> bool {
    let words = words_of(name);
    let is_one = matches!(words.as_slice(), [only] if kind(&format!("{only}s")).is_some_and(|place| place > 0));
    is_one
        && counts(values).is_some_and(|numbers| {
            numbers[0] <= 16.0 && 2 * powers_of_two(&numbers) >= numbers.len() && !is_every(&numbers)
        })
}

/// Whether a name counts threads: tools that count them report them for serial programs, too.
pub(super) fn is_threads(name: &str) -> bool {
    preference(name).is_some_and(|place| COUNTED[place] == THREADS)
}

/// Whether numbers look like counts of processes, where no name says so: whole, from 1 to 16 on, most of them powers of
/// two, under a name that is not that of a size.
pub(crate) fn look_like_counts(name: &str, values: &Numbers) -> bool {
    !is_size(name)
        && !is_case(name)
        && !is_moment(name)
        && counts(values).is_some_and(|numbers| numbers[0] <= 16.0 && 4 * powers_of_two(&numbers) >= 3 * numbers.len())
}

/// Whether a name says how far a run had come when a row was written.
fn is_moment(name: &str) -> bool {
    let words = words_of(name);
    words
        .last()
        .is_some_and(|last| ["step", "timestep", "iteration", "iter", "cycle", "round"].contains(&last.as_str()))
}

/// The same of columns without names, where less must do: from 1 or 2 on, more than half powers of two, or nearly every
/// number.
pub(super) fn may_be_counts(values: &Numbers) -> bool {
    counts(values).is_some_and(|numbers| {
        // One number in four may have been left out, as those where a job would not fit.
        let is_every = numbers.len() <= 256 && 4 * numbers.len() as u64 >= 3 * numbers[numbers.len() - 1] as u64;
        numbers[0] <= 2.0 && (2 * powers_of_two(&numbers) > numbers.len() || is_every)
    })
}

/// The different numbers in ascending order; none where they are not whole, not above zero, beyond ten million, or fewer
/// than three.
pub(crate) fn counts(values: &Numbers) -> Option<Vec<f64>> {
    let is_count = |value: &f64| *value >= 1.0 && value.fract() == 0.0 && *value <= 1e7;
    if !values.distinct().iter().all(is_count) {
        return None;
    }
    let mut numbers: Vec<f64> = values.distinct().to_vec();
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    (numbers.len() >= 3).then_some(numbers)
}

/// Whether numbers in ascending order leave none out between them.
pub(crate) fn is_every(numbers: &[f64]) -> bool {
    numbers.windows(2).all(|pair| pair[1] - pair[0] == 1.0)
}

fn powers_of_two(numbers: &[f64]) -> usize {
    numbers.iter().filter(|value| value.log2().fract() == 0.0).count()
}

fn kind(word: &str) -> Option<usize> {
    COUNTED.iter().position(|names| names.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_counts_are_known_in_any_spelling() {
        for name in [
            "p",
            "P",
            "np",
            "NP",
            "nproc",
            "nprocs",
            "n_procs",
            "num_procs",
            "NumProcs",
            "num_core",
            "mpiranks",
            "Processes",
            "n_processes",
            "ntasks",
            "tasks",
            "ranks",
            "mpi_ranks",
            "MPI ranks",
            "Num MPI ranks",
            "nRanks",
            "PEs",
            "npes",
            "cores",
            "Cores",
            "#cores",
            "ncores",
            "Total_Cores",
            "Number of cores",
            "n_threads",
            "# Threads",
            "OMP_NUM_THREADS",
            "nthreads",
            "numThreads",
            "workers",
            "Nodes",
            "nnodes",
            "gpus",
            "n_gpus",
            "GPUs",
            "devices",
            "cpus",
            "threads (count)",
            "hilos",
            "mpi_size",
            "thread_count",
            "parameter_threads",
            "world size",
            "Parallelism Degree",
            "núcleos",
            "CPU cores",
            "OpenMP threads",
            "Compute nodes",
            "n_worker_threads",
            "number of physical cores",
            "slaves",
            "número de hilos",
            "Anzahl Threads",
            "ilosc watkow",
            "ProcessCount",
            "units",
            "线程数",
            "进程数",
            "スレッド数",
            "스레드 수",
            "Число процессов",
            "MPI x OMP",
        ] {
            assert!(preference(name).is_some(), "{name}");
        }
    }

    #[test]
    fn names_of_other_things_are_not() {
        for name in [
            "n",
            "N",
            "num",
            "total",
            "size",
            "rank",
            "thread",
            "proc",
            "rank_no",
            "core number",
            "MPI rank",
            "node_id",
            "cores_per_node",
            "threads per rank",
            "tasks_done",
            "points",
            "",
            "step",
            "nx",
            "px",
            "passes",
            "K",
            "degree",
            "CPU time",
            "cpu",
            "GPU memory",
            "compute units per core",
        ] {
            assert_eq!(preference(name), None, "{name}");
        }
    }

    #[test]
    fn finer_counts_go_first() {
        let places =
            ["p", "nprocs", "MPI ranks", "Cores", "workers", "total_gpus", "nodes", "nthreads"].map(preference);
        assert!(places.is_sorted() && places.iter().all(Option::is_some), "{places:?}");
        assert!(is_threads("OMP_NUM_THREADS") && !is_threads("cores"));
    }
}
