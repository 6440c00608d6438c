"""Keywords of calls: the options of the commands. Made by python/stubs.py."""

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypedDict

from ._call import Progress

# A value of an option, or several.
Scalar = str | int | float | os.PathLike[str]
Value = Scalar | Iterable[Scalar] | Mapping[str, Any]
# A path, or data that become a file: a frame, an answer, a dict of columns.
Data = Any

class Waiting(TypedDict, total=False):
    """Keywords of every call."""

    threads: int | None
    progress: bool | Callable[[Progress], object] | None
    cancel: threading.Event | None
    timeout_s: float | None

class FitOptions(Waiting, total=False):
    """Options of `runcast fit`: fit models to runs."""

    # Models to fit, or all (those that apply); see the list below
    models: Value | None
    # Columns that are fitted apart and added: compute_s,communication_s[=MODEL,MODEL]
    sum: Value | None
    # The table that uv completes: rows=app;columns=p,N;factors=0..3;ridge=0.1 [default: all labels, all parameters]
    uv: Value | None
    # Signs of the coefficients of formula and ka-* [default: nonneg]
    signs: Literal["free", "nonneg"] | None
    # How many times less each smaller run counts [default: 1; power: 4]
    recency: Value | None
    # Loss that outliers do not rule [default: none]
    loss: Literal["auto", "none", "huber", "tukey", "lad"] | None
    # Loss that outliers do not rule [default: none]
    robust: Literal["auto", "none", "huber", "tukey", "lad"] | None
    # Try negative powers too, whatever the series (pmnf)
    negative: bool
    # Count sizes in this unit (mokrov) [default: 1]
    size_unit: Value | None
    # Count a rate in this unit, or in so many SI units (mokrov) [default: the column's own]
    metric_unit: Value | None
    # Terms to try, all pairs of the exponents of p and log2(p): i=0,1/2,1;j=0,1 (pmnf)
    terms: Value | None
    # Drop a column within this share of the others' span (weak) [default: 3%]
    collinear_tol: Value | None
    # Leave out runs on fewer processes
    min_p: Value | None
    # Ranks on a node: runs inside one node are another regime
    ranks_per_node: Value | None
    # What to do with runs inside one node [default: warn]
    regime: Literal["warn", "drop"] | None
    # The columns that make groups [default: all columns of text]
    by: Value | None
    # The parameter that counts processes [default: p, processes, ranks, ..]
    process_param: Value | None
    # Take only rows for which this holds: 'region == "main" and p <= 64'
    where: Value | None
    # Which values of the metric are better [default: by its unit]
    direction: Literal["lower", "higher"] | None
    # How repetitions become one number [default: by the model]
    aggregate: Literal["median", "min", "max", "mean", "best"] | None
    # Leave out repetitions that lie far from the others
    drop_outliers: bool
    # Roles of columns: processes, parameter, metric, metric:UNIT, label, repetition, key, status, ignore
    roles: Value | None
    # What separates the cells of CSV [default: a comma]
    delimiter: Value | None
    # A parameter and the attribute that holds it (Caliper)
    param: Value | None
    # Samples a second of the profiler (folded stacks)
    frequency: Value | None
    # Format of the input [default: recognized by content]
    format: Value | None
    # The parameters; other columns of numbers then serve filters only
    params: Value | None
    # Set sum, uv, signs, recency, negative, size-unit, metric-unit, terms, collinear-tol
    set: Value | None

class PredictOptions(Waiting, total=False):
    """Options of `runcast predict`: predict runs that were not made, with intervals."""

    # A plan or table whose configurations are the targets
    targets: Data
    # Make ranges as wide as the scores in FILE need, which evaluate --write-ranges has written
    ranges: Data
    # Exit with 1 when members of a model disagree or a prediction is refused
    strict: bool
    # Models to fit, or all (those that apply); see the list below
    model: Value | None
    # Models to fit, or all (those that apply); see the list below
    models: Value | None
    # Your own terms, for the model formula: 'a*p + b*N^3/p + c'
    formula: Value | None
    # Names of the unknown coefficients of --formula
    unknown: Value | None
    # Columns that are fitted apart and added: compute_s,communication_s[=MODEL,MODEL]
    sum: Value | None
    # The table that uv completes: rows=app;columns=p,N;factors=0..3;ridge=0.1 [default: all labels, all parameters]
    uv: Value | None
    # Signs of the coefficients of formula and ka-* [default: nonneg]
    signs: Literal["free", "nonneg"] | None
    # How many times less each smaller run counts [default: 1; power: 4]
    recency: Value | None
    # Loss that outliers do not rule [default: none]
    loss: Literal["auto", "none", "huber", "tukey", "lad"] | None
    # Loss that outliers do not rule [default: none]
    robust: Literal["auto", "none", "huber", "tukey", "lad"] | None
    # Try negative powers too, whatever the series (pmnf)
    negative: bool
    # Count sizes in this unit (mokrov) [default: 1]
    size_unit: Value | None
    # Count a rate in this unit, or in so many SI units (mokrov) [default: the column's own]
    metric_unit: Value | None
    # Terms to try, all pairs of the exponents of p and log2(p): i=0,1/2,1;j=0,1 (pmnf)
    terms: Value | None
    # Drop a column within this share of the others' span (weak) [default: 3%]
    collinear_tol: Value | None
    # Leave out runs on fewer processes
    min_p: Value | None
    # Ranks on a node: runs inside one node are another regime
    ranks_per_node: Value | None
    # What to do with runs inside one node [default: warn]
    regime: Literal["warn", "drop"] | None
    # A metric [default: each column named like one]; may be repeated
    metric: Value | None
    # The columns that make groups [default: all columns of text]
    by: Value | None
    # The parameter that counts processes [default: p, processes, ranks, ..]
    process_param: Value | None
    # Take only rows for which this holds: 'region == "main" and p <= 64'
    where: Value | None
    # Which values of the metric are better [default: by its unit]
    direction: Literal["lower", "higher"] | None
    # How repetitions become one number [default: by the model]
    aggregate: Literal["median", "min", "max", "mean", "best"] | None
    # Leave out repetitions that lie far from the others
    drop_outliers: bool
    # Roles of columns: processes, parameter, metric, metric:UNIT, label, repetition, key, status, ignore
    roles: Value | None
    # What separates the cells of CSV [default: a comma]
    delimiter: Value | None
    # A parameter and the attribute that holds it (Caliper)
    param: Value | None
    # Samples a second of the profiler (folded stacks)
    frequency: Value | None
    # Format of the input [default: recognized by content]
    format: Value | None
    # The parameters; other columns of numbers then serve filters only
    params: Value | None
    # Set sum, uv, signs, recency, negative, size-unit, metric-unit, terms, collinear-tol
    set: Value | None

class EvaluateOptions(Waiting, total=False):
    """Options of `runcast evaluate`: compare predictions with runs that the models have not seen."""

    # What the runs call K the predictions call workers; may be repeated
    rename: Value | None
    # Layout of the result: thesis is a table for each group, as papers on weak scaling print it
    layout: Literal["summary", "thesis"] | None
    # Mean errors by labels and parameters, such as app,p, and over all
    means: Value | None
    # Show how often which error occurred
    histogram: bool
    # Probability that an interval holds
    level: Value | None
    # Make ranges as wide as the scores in FILE need, which evaluate --write-ranges has written
    ranges: Data
    # Write how the ranges did on these runs, for --ranges
    write_ranges: Data
    # Models to fit, or all (those that apply); see the list below
    models: Value | None
    # Your own terms, for the model formula: 'a*p + b*N^3/p + c'
    formula: Value | None
    # Names of the unknown coefficients of --formula
    unknown: Value | None
    # Columns that are fitted apart and added: compute_s,communication_s[=MODEL,MODEL]
    sum: Value | None
    # The table that uv completes: rows=app;columns=p,N;factors=0..3;ridge=0.1 [default: all labels, all parameters]
    uv: Value | None
    # Signs of the coefficients of formula and ka-* [default: nonneg]
    signs: Literal["free", "nonneg"] | None
    # How many times less each smaller run counts [default: 1; power: 4]
    recency: Value | None
    # Loss that outliers do not rule [default: none]
    loss: Literal["auto", "none", "huber", "tukey", "lad"] | None
    # Loss that outliers do not rule [default: none]
    robust: Literal["auto", "none", "huber", "tukey", "lad"] | None
    # Try negative powers too, whatever the series (pmnf)
    negative: bool
    # Count sizes in this unit (mokrov) [default: 1]
    size_unit: Value | None
    # Count a rate in this unit, or in so many SI units (mokrov) [default: the column's own]
    metric_unit: Value | None
    # Terms to try, all pairs of the exponents of p and log2(p): i=0,1/2,1;j=0,1 (pmnf)
    terms: Value | None
    # Drop a column within this share of the others' span (weak) [default: 3%]
    collinear_tol: Value | None
    # Leave out runs on fewer processes
    min_p: Value | None
    # Ranks on a node: runs inside one node are another regime
    ranks_per_node: Value | None
    # What to do with runs inside one node [default: warn]
    regime: Literal["warn", "drop"] | None
    # A metric [default: each column named like one]; may be repeated
    metric: Value | None
    # The columns that make groups [default: all columns of text]
    by: Value | None
    # The parameter that counts processes [default: p, processes, ranks, ..]
    process_param: Value | None
    # Take only rows for which this holds: 'region == "main" and p <= 64'
    where: Value | None
    # Which values of the metric are better [default: by its unit]
    direction: Literal["lower", "higher"] | None
    # How repetitions become one number [default: by the model]
    aggregate: Literal["median", "min", "max", "mean", "best"] | None
    # Leave out repetitions that lie far from the others
    drop_outliers: bool
    # Roles of columns: processes, parameter, metric, metric:UNIT, label, repetition, key, status, ignore
    roles: Value | None
    # What separates the cells of CSV [default: a comma]
    delimiter: Value | None
    # A parameter and the attribute that holds it (Caliper)
    param: Value | None
    # Samples a second of the profiler (folded stacks)
    frequency: Value | None
    # Format of the input [default: recognized by content]
    format: Value | None
    # The parameters; other columns of numbers then serve filters only
    params: Value | None
    # Set sum, uv, signs, recency, negative, size-unit, metric-unit, terms, collinear-tol
    set: Value | None
    # Also show layout, histogram
    show: Value | None

class CompareOptions(Waiting, total=False):
    """Options of `runcast compare`: forecasts of any methods and the runs, side by side."""

    # A plan or table whose configurations are the targets
    targets: Data
    # What an input is called; may be repeated
    name: Value | None
    # Processes among which a run is chosen that would tell two forecasts apart
    candidates: Value | None
    # What that run may cost, in core-hours [default: what the largest run has cost]
    budget: Value | None
    # What that run may cost, in core-hours [default: what the largest run has cost]
    budget_core_hours: Value | None
    # Cores that a process takes
    cores_per_process: Value | None
    # Simulations at once [default: as many as --threads]
    jobs: Value | None
    # Probability that an interval holds
    level: Value | None
    # Make ranges as wide as the scores in FILE need, which evaluate --write-ranges has written
    ranges: Data
    # Seed of everything random
    seed: Value | None
    # Models to fit, or all (those that apply); see the list below
    model: Value | None
    # Models to fit, or all (those that apply); see the list below
    models: Value | None
    # Your own terms, for the model formula: 'a*p + b*N^3/p + c'
    formula: Value | None
    # Names of the unknown coefficients of --formula
    unknown: Value | None
    # Columns that are fitted apart and added: compute_s,communication_s[=MODEL,MODEL]
    sum: Value | None
    # The table that uv completes: rows=app;columns=p,N;factors=0..3;ridge=0.1 [default: all labels, all parameters]
    uv: Value | None
    # Signs of the coefficients of formula and ka-* [default: nonneg]
    signs: Literal["free", "nonneg"] | None
    # How many times less each smaller run counts [default: 1; power: 4]
    recency: Value | None
    # Loss that outliers do not rule [default: none]
    loss: Literal["auto", "none", "huber", "tukey", "lad"] | None
    # Loss that outliers do not rule [default: none]
    robust: Literal["auto", "none", "huber", "tukey", "lad"] | None
    # Try negative powers too, whatever the series (pmnf)
    negative: bool
    # Count sizes in this unit (mokrov) [default: 1]
    size_unit: Value | None
    # Count a rate in this unit, or in so many SI units (mokrov) [default: the column's own]
    metric_unit: Value | None
    # Terms to try, all pairs of the exponents of p and log2(p): i=0,1/2,1;j=0,1 (pmnf)
    terms: Value | None
    # Drop a column within this share of the others' span (weak) [default: 3%]
    collinear_tol: Value | None
    # Leave out runs on fewer processes
    min_p: Value | None
    # Ranks on a node: runs inside one node are another regime
    ranks_per_node: Value | None
    # What to do with runs inside one node [default: warn]
    regime: Literal["warn", "drop"] | None
    # A metric [default: each column named like one]; may be repeated
    metric: Value | None
    # The columns that make groups [default: all columns of text]
    by: Value | None
    # The parameter that counts processes [default: p, processes, ranks, ..]
    process_param: Value | None
    # Take only rows for which this holds: 'region == "main" and p <= 64'
    where: Value | None
    # Which values of the metric are better [default: by its unit]
    direction: Literal["lower", "higher"] | None
    # How repetitions become one number [default: by the model]
    aggregate: Literal["median", "min", "max", "mean", "best"] | None
    # Leave out repetitions that lie far from the others
    drop_outliers: bool
    # Roles of columns: processes, parameter, metric, metric:UNIT, label, repetition, key, status, ignore
    roles: Value | None
    # What separates the cells of CSV [default: a comma]
    delimiter: Value | None
    # A parameter and the attribute that holds it (Caliper)
    param: Value | None
    # Samples a second of the profiler (folded stacks)
    frequency: Value | None
    # Write a page, too
    report: Data
    # Format of the input [default: recognized by content]
    format: Value | None
    # The parameters; other columns of numbers then serve filters only
    params: Value | None
    # A value of an input for a parameter that it lacks; may be repeated
    set: Value | None

class PlanOptions(Waiting, total=False):
    """Options of `runcast plan`: choose configurations to run: weak, strong or wide scaling, grids."""

    # What stays constant: work per process, the problem, p, or nothing
    scaling: Value | None
    # Sequential complexity over the sizes (and p, if it must)
    complexity: Value | None
    # Work per process, or a configuration that has it
    constant: Value | None
    # How many times to run each configuration [default: 1]
    repetitions: Value | None
    # Numbers of processes: 4,8,16, range:14..210:14, squares, powers:2, ..
    processes: Value | None
    # All combinations of these: 'p=2,4,8,16; N=1000,2000,4000'
    grid: Value | None
    # The smallest number of processes
    min_p: Value | None
    # The largest number of processes
    max_p: Value | None
    # How many of the allowed ones to take, evenly spread, including the first and the last
    count: Value | None
    # Numbers of processes to predict; of a grid also p=64,N=8000
    target_processes: Value | None
    # Keep configurations where this holds: '8*N^2/p <= 2e9'
    keep: Value | None
    # How exact sizes become allowed ones [default: nearest]
    round: Value | None
    # A size and its allowed values: multiple=, min=, max=, real
    size: Value | None
    # Parameters that do not vary
    fixed: Value | None
    # The first size of wide scaling
    start: Value | None
    # Growth factor of the work in each step of wide scaling [default: 2]
    ratio: Value | None
    # Drop configurations that deviate more from the constant: 5% or 0.05
    max_deviation: Value | None
    # A configuration and how long it takes, to price the others: p=4,N=1000:12s
    measured: Value | None
    # The most that the training runs may cost, in core-hours; needs what was measured
    budget: Value | None
    # Examine this table, and choose nothing: how far its configurations deviate
    examine: Data
    # Examine this table, and choose nothing: how far its configurations deviate
    check: Data
    # Find the sizes whose run takes so long
    for_time: Value | None
    # Find the sizes that need so much memory a process
    for_memory: Value | None
    # Memory of a process in bytes, as a formula over the processes and sizes: '8*N^2/p'
    memory: Value | None
    # Find the fewest processes that take no longer; with @0.9 with that probability
    deadline: Value | None
    # What forecasts: models, tables of runs to fit, BSF costs, BSP programs, experiments
    models: Data
    # Probability that an interval holds
    level: Value | None

class ReportOptions(Waiting, total=False):
    """Options of `runcast report`: write an HTML page from tables, models and evaluations."""

    # Predictions of any method (tables, documents), or saved models; may be repeated
    predictions: Data
    # What the runs call K the predictions call workers; may be repeated
    rename: Value | None
    # Targets: p=1024,N=50000, or p=32,64 or p=1..1024*2, all combinations; may be repeated
    at: Value | None
    # A plan or table whose configurations are the targets
    targets: Data
    # Probability that an interval holds
    level: Value | None
    # Judge the models on runs they have not seen: top:K or factor:X, as in evaluate
    hold_out: Value | None
    # Judge the models on the rows for which this does not hold: 'p <= 64'
    train: Value | None
    # With --train: judge them on these rows only
    test: Value | None
    # Models to fit, or all (those that apply); see the list below
    model: Value | None
    # Models to fit, or all (those that apply); see the list below
    models: Value | None
    # Your own terms, for the model formula: 'a*p + b*N^3/p + c'
    formula: Value | None
    # Names of the unknown coefficients of --formula
    unknown: Value | None
    # Columns that are fitted apart and added: compute_s,communication_s[=MODEL,MODEL]
    sum: Value | None
    # The table that uv completes: rows=app;columns=p,N;factors=0..3;ridge=0.1 [default: all labels, all parameters]
    uv: Value | None
    # Signs of the coefficients of formula and ka-* [default: nonneg]
    signs: Literal["free", "nonneg"] | None
    # How many times less each smaller run counts [default: 1; power: 4]
    recency: Value | None
    # Loss that outliers do not rule [default: none]
    loss: Literal["auto", "none", "huber", "tukey", "lad"] | None
    # Loss that outliers do not rule [default: none]
    robust: Literal["auto", "none", "huber", "tukey", "lad"] | None
    # Try negative powers too, whatever the series (pmnf)
    negative: bool
    # Count sizes in this unit (mokrov) [default: 1]
    size_unit: Value | None
    # Count a rate in this unit, or in so many SI units (mokrov) [default: the column's own]
    metric_unit: Value | None
    # Terms to try, all pairs of the exponents of p and log2(p): i=0,1/2,1;j=0,1 (pmnf)
    terms: Value | None
    # Drop a column within this share of the others' span (weak) [default: 3%]
    collinear_tol: Value | None
    # Leave out runs on fewer processes
    min_p: Value | None
    # Ranks on a node: runs inside one node are another regime
    ranks_per_node: Value | None
    # What to do with runs inside one node [default: warn]
    regime: Literal["warn", "drop"] | None
    # A metric [default: each column named like one]; may be repeated
    metric: Value | None
    # The columns that make groups [default: all columns of text]
    by: Value | None
    # The parameter that counts processes [default: p, processes, ranks, ..]
    process_param: Value | None
    # Take only rows for which this holds: 'region == "main" and p <= 64'
    where: Value | None
    # Which values of the metric are better [default: by its unit]
    direction: Literal["lower", "higher"] | None
    # How repetitions become one number [default: by the model]
    aggregate: Literal["median", "min", "max", "mean", "best"] | None
    # Leave out repetitions that lie far from the others
    drop_outliers: bool
    # Roles of columns: processes, parameter, metric, metric:UNIT, label, repetition, key, status, ignore
    roles: Value | None
    # What separates the cells of CSV [default: a comma]
    delimiter: Value | None
    # A parameter and the attribute that holds it (Caliper)
    param: Value | None
    # Samples a second of the profiler (folded stacks)
    frequency: Value | None
    # Write each picture as SVG and PNG into this folder, too
    plots: Value | None
    # Every value of each picture, however many there are
    all_data: bool
    # Format of the input [default: recognized by content]
    format: Value | None
    # The parameters; other columns of numbers then serve filters only
    params: Value | None
    # Set sum, uv, signs, recency, negative, size-unit, metric-unit, terms, collinear-tol
    set: Value | None

class AdviseProcessesOptions(Waiting, total=False):
    """Options of `runcast advise processes`: how many processes to ask for."""

    # Numbers of processes to choose from: 1,2,4 or powers:2 or range:1..64:1
    processes: Value | None
    # Values of the other parameters: N=50000
    fixed: Value | None
    # Cores that a process takes
    cores_per_process: Value | None
    # Power of a process, in watts
    watts_per_process: Value | None
    # Price of a core-hour, in any currency
    price_per_core_hour: Value | None
    # What a run costs besides
    fixed_price: Value | None
    # Whether the problem is constant or grows with the processes [default: as in the runs]
    scaling: Literal["strong", "weak"] | None
    # Of several inputs, the one to go by [default: the best on runs that it has not seen]
    pick: Value | None
    # Combine the forecasts into one, by their errors on runs that they have not seen
    combine: bool
    # What the runs call K the predictions call workers, or one of the inputs (INPUT:K=workers); may be repeated
    rename: Value | None
    # Models to fit, or all (those that apply); see the list below
    model: Value | None
    # Models to fit, or all (those that apply); see the list below
    models: Value | None
    # Your own terms, for the model formula: 'a*p + b*N^3/p + c'
    formula: Value | None
    # Names of the unknown coefficients of --formula
    unknown: Value | None
    # Columns that are fitted apart and added: compute_s,communication_s[=MODEL,MODEL]
    sum: Value | None
    # The table that uv completes: rows=app;columns=p,N;factors=0..3;ridge=0.1 [default: all labels, all parameters]
    uv: Value | None
    # Signs of the coefficients of formula and ka-* [default: nonneg]
    signs: Literal["free", "nonneg"] | None
    # How many times less each smaller run counts [default: 1; power: 4]
    recency: Value | None
    # Loss that outliers do not rule [default: none]
    loss: Literal["auto", "none", "huber", "tukey", "lad"] | None
    # Loss that outliers do not rule [default: none]
    robust: Literal["auto", "none", "huber", "tukey", "lad"] | None
    # Try negative powers too, whatever the series (pmnf)
    negative: bool
    # Count sizes in this unit (mokrov) [default: 1]
    size_unit: Value | None
    # Count a rate in this unit, or in so many SI units (mokrov) [default: the column's own]
    metric_unit: Value | None
    # Terms to try, all pairs of the exponents of p and log2(p): i=0,1/2,1;j=0,1 (pmnf)
    terms: Value | None
    # Drop a column within this share of the others' span (weak) [default: 3%]
    collinear_tol: Value | None
    # Leave out runs on fewer processes
    min_p: Value | None
    # Ranks on a node: runs inside one node are another regime
    ranks_per_node: Value | None
    # What to do with runs inside one node [default: warn]
    regime: Literal["warn", "drop"] | None
    # A metric [default: each column named like one]; may be repeated
    metric: Value | None
    # The columns that make groups [default: all columns of text]
    by: Value | None
    # The parameter that counts processes [default: p, processes, ranks, ..]
    process_param: Value | None
    # Take only rows for which this holds: 'region == "main" and p <= 64'
    where: Value | None
    # Which values of the metric are better [default: by its unit]
    direction: Literal["lower", "higher"] | None
    # How repetitions become one number [default: by the model]
    aggregate: Literal["median", "min", "max", "mean", "best"] | None
    # Leave out repetitions that lie far from the others
    drop_outliers: bool
    # Roles of columns: processes, parameter, metric, metric:UNIT, label, repetition, key, status, ignore
    roles: Value | None
    # What separates the cells of CSV [default: a comma]
    delimiter: Value | None
    # A parameter and the attribute that holds it (Caliper)
    param: Value | None
    # Samples a second of the profiler (folded stacks)
    frequency: Value | None
    # Format of the input [default: recognized by content]
    format: Value | None
    # The parameters; other columns of numbers then serve filters only
    params: Value | None
    # A value of an input for a parameter that it lacks; may be repeated
    set: Value | None

class AdviseNextOptions(Waiting, total=False):
    """Options of `runcast advise next`: what to run next: which runs within a budget make the forecast better."""

    # Numbers of processes that could be run
    processes: Value | None
    # Numbers of processes that could be run
    candidates: Value | None
    # The largest of them, where the list has no end [default: half of the target]
    max_p: Value | None
    # Values of the other parameters of the candidates: N=50000
    fixed: Value | None
    # Repetitions of each new configuration
    repetitions: Value | None
    # Cores that a process takes
    cores_per_process: Value | None
    # Of several inputs, the one to go by [default: the best on runs that it has not seen]
    pick: Value | None
    # Combine the forecasts into one, by their errors on runs that they have not seen
    combine: bool
    # What the runs call K the predictions call workers, or one of the inputs (INPUT:K=workers); may be repeated
    rename: Value | None
    # Probability that an interval holds
    level: Value | None
    # Models to fit, or all (those that apply); see the list below
    model: Value | None
    # Models to fit, or all (those that apply); see the list below
    models: Value | None
    # Your own terms, for the model formula: 'a*p + b*N^3/p + c'
    formula: Value | None
    # Names of the unknown coefficients of --formula
    unknown: Value | None
    # Columns that are fitted apart and added: compute_s,communication_s[=MODEL,MODEL]
    sum: Value | None
    # The table that uv completes: rows=app;columns=p,N;factors=0..3;ridge=0.1 [default: all labels, all parameters]
    uv: Value | None
    # Signs of the coefficients of formula and ka-* [default: nonneg]
    signs: Literal["free", "nonneg"] | None
    # How many times less each smaller run counts [default: 1; power: 4]
    recency: Value | None
    # Loss that outliers do not rule [default: none]
    loss: Literal["auto", "none", "huber", "tukey", "lad"] | None
    # Loss that outliers do not rule [default: none]
    robust: Literal["auto", "none", "huber", "tukey", "lad"] | None
    # Try negative powers too, whatever the series (pmnf)
    negative: bool
    # Count sizes in this unit (mokrov) [default: 1]
    size_unit: Value | None
    # Count a rate in this unit, or in so many SI units (mokrov) [default: the column's own]
    metric_unit: Value | None
    # Terms to try, all pairs of the exponents of p and log2(p): i=0,1/2,1;j=0,1 (pmnf)
    terms: Value | None
    # Drop a column within this share of the others' span (weak) [default: 3%]
    collinear_tol: Value | None
    # Leave out runs on fewer processes
    min_p: Value | None
    # Ranks on a node: runs inside one node are another regime
    ranks_per_node: Value | None
    # What to do with runs inside one node [default: warn]
    regime: Literal["warn", "drop"] | None
    # A metric [default: each column named like one]; may be repeated
    metric: Value | None
    # The columns that make groups [default: all columns of text]
    by: Value | None
    # The parameter that counts processes [default: p, processes, ranks, ..]
    process_param: Value | None
    # Take only rows for which this holds: 'region == "main" and p <= 64'
    where: Value | None
    # Which values of the metric are better [default: by its unit]
    direction: Literal["lower", "higher"] | None
    # How repetitions become one number [default: by the model]
    aggregate: Literal["median", "min", "max", "mean", "best"] | None
    # Leave out repetitions that lie far from the others
    drop_outliers: bool
    # Roles of columns: processes, parameter, metric, metric:UNIT, label, repetition, key, status, ignore
    roles: Value | None
    # What separates the cells of CSV [default: a comma]
    delimiter: Value | None
    # A parameter and the attribute that holds it (Caliper)
    param: Value | None
    # Samples a second of the profiler (folded stacks)
    frequency: Value | None
    # Format of the input [default: recognized by content]
    format: Value | None
    # The parameters; other columns of numbers then serve filters only
    params: Value | None
    # A value of an input for a parameter that it lacks; may be repeated
    set: Value | None

class AdviseRegionsOptions(Waiting, total=False):
    """Options of `runcast advise regions`: which regions will hurt at scale."""

    # How to rank
    order: Literal["growth", "value", "class"] | None
    # Regions below this share of the sum at the target come last
    min_share: Value | None
    # Probability that an interval holds
    level: Value | None
    # Models to fit, or all (those that apply); see the list below
    model: Value | None
    # Models to fit, or all (those that apply); see the list below
    models: Value | None
    # Your own terms, for the model formula: 'a*p + b*N^3/p + c'
    formula: Value | None
    # Names of the unknown coefficients of --formula
    unknown: Value | None
    # Columns that are fitted apart and added: compute_s,communication_s[=MODEL,MODEL]
    sum: Value | None
    # The table that uv completes: rows=app;columns=p,N;factors=0..3;ridge=0.1 [default: all labels, all parameters]
    uv: Value | None
    # Signs of the coefficients of formula and ka-* [default: nonneg]
    signs: Literal["free", "nonneg"] | None
    # How many times less each smaller run counts [default: 1; power: 4]
    recency: Value | None
    # Loss that outliers do not rule [default: none]
    loss: Literal["auto", "none", "huber", "tukey", "lad"] | None
    # Loss that outliers do not rule [default: none]
    robust: Literal["auto", "none", "huber", "tukey", "lad"] | None
    # Try negative powers too, whatever the series (pmnf)
    negative: bool
    # Count sizes in this unit (mokrov) [default: 1]
    size_unit: Value | None
    # Count a rate in this unit, or in so many SI units (mokrov) [default: the column's own]
    metric_unit: Value | None
    # Terms to try, all pairs of the exponents of p and log2(p): i=0,1/2,1;j=0,1 (pmnf)
    terms: Value | None
    # Drop a column within this share of the others' span (weak) [default: 3%]
    collinear_tol: Value | None
    # Leave out runs on fewer processes
    min_p: Value | None
    # Ranks on a node: runs inside one node are another regime
    ranks_per_node: Value | None
    # What to do with runs inside one node [default: warn]
    regime: Literal["warn", "drop"] | None
    # A metric [default: each column named like one]; may be repeated
    metric: Value | None
    # The columns that make groups [default: all columns of text]
    by: Value | None
    # The parameter that counts processes [default: p, processes, ranks, ..]
    process_param: Value | None
    # Take only rows for which this holds: 'region == "main" and p <= 64'
    where: Value | None
    # Which values of the metric are better [default: by its unit]
    direction: Literal["lower", "higher"] | None
    # How repetitions become one number [default: by the model]
    aggregate: Literal["median", "min", "max", "mean", "best"] | None
    # Leave out repetitions that lie far from the others
    drop_outliers: bool
    # Roles of columns: processes, parameter, metric, metric:UNIT, label, repetition, key, status, ignore
    roles: Value | None
    # What separates the cells of CSV [default: a comma]
    delimiter: Value | None
    # A parameter and the attribute that holds it (Caliper)
    param: Value | None
    # Samples a second of the profiler (folded stacks)
    frequency: Value | None
    # Format of the input [default: recognized by content]
    format: Value | None
    # The parameters; other columns of numbers then serve filters only
    params: Value | None
    # Set sum, uv, signs, recency, negative, size-unit, metric-unit, terms, collinear-tol
    set: Value | None

class BsfPredictOptions(Waiting, total=False):
    """Options of `runcast bsf predict`: time, speedup and the scalability boundary from counts or measured costs."""

    # Level of the intervals of the inputs [default: 0.9]
    input_level: Value | None
    # Size of jacobi, cimmino, gravity; several show how the boundary grows: 1000,2000
    size: Value | None
    # Inequalities of cimmino [default: 2 N + 2]
    inequalities: Value | None
    # Names for the formulas of counts: numbers or formulas
    parameters: Value | None
    # Length of the list; a formula with counts
    list_length: Value | None
    # Length of the list; a formula with counts
    count_list_length: Value | None
    # Numbers of 8 bytes sent to each worker
    count_send: Value | None
    # Operations of the map over the list
    count_map: Value | None
    # Operations of one fold
    count_fold: Value | None
    # Numbers of 8 bytes from each worker
    count_receive: Value | None
    # Operations of the master's part
    count_compute: Value | None
    # Latency of a message
    latency: Value | None
    # The part of it that keeps the master busy [default: all]
    overhead: Value | None
    # An average operation
    op_time: Value | None
    # Transfer of one 8-byte number
    transfer_time: Value | None
    # Transfer to one worker, without latency
    send: Value | None
    # Transfer from one worker, without latency
    receive: Value | None
    # The map over the whole list, without folds
    map: Value | None
    # Map and fold over the whole list, together
    work: Value | None
    # One fold; 0 for an algorithm that only maps
    fold: Value | None
    # Next approximation and stop condition
    compute: Value | None
    # Make ranges as wide as the scores in FILE need, which evaluate --write-ranges has written
    ranges: Data
    # Draws of uncertain inputs, for the intervals
    draws: Value | None
    # Seed of everything random
    seed: Value | None

class BsfCalibrateOptions(Waiting, total=False):
    """Options of `runcast bsf calibrate`: the costs of a program on this machine, measured with one worker."""

    # A parameter of the program: size=1500, or --size 1500 for short; may be repeated
    set: Value | None
    # jacobi, cimmino: unknowns; gravity: large bodies; stats: numbers
    size: Value | None
    # jacobi: which system [default: dominant]
    system: Literal["dominant", "triangular", "published"] | None
    # jacobi: stop at steps below this [default: 1e-9]; cimmino: stop at steps below this [default: 0]
    epsilon: Value | None
    # jacobi: norm of a step that is compared with epsilon [default: l2]
    norm: Literal["l2", "l2-squared"] | None
    # cimmino: on violated rows, or on all hyperplanes [default: inequality]
    projection: Literal["inequality", "equality"] | None
    # cimmino: number of rows that a step is divided by [default: all]
    divisor: Literal["all", "violated"] | None
    # cimmino: relaxation [default: 1.9]
    lambda_: Value | None
    # cimmino: bound S of the unknowns [default: 200]
    scale: Value | None
    # gravity: law of the force [default: newton]
    force: Literal["newton", "published"] | None
    # gravity: time step in s [default: 1]
    dt: Value | None
    # gravity: distance between bodies in m [default: 100]
    spacing: Value | None
    # gravity: mass of a body in kg [default: 1e12]
    mass: Value | None
    # gravity: where it starts, in m [default: 0,0,0]
    position: Value | None
    # gravity: how it starts, in m/s [default: 1,1,1]
    velocity: Value | None
    # gravity: the bodies, a table with the columns x_m, y_m, z_m and mass_kg
    bodies: Data
    # stats: multiples of this are absent [default: 3]
    skip: Value | None
    # In place of PROGRAM: one of your own on the skeleton, which takes --workers and --timings
    run: Value | None
    # Where the worker is: a thread of this process, or a process of MPI [default: threads; as a rank of MPI: mpi]
    backend: Literal["threads", "mpi"] | None
    # What is written: times, or pieces: blocks with the step of a cache, messages with protocols, collectives
    form: Literal["times", "pieces"] | None
    # What those do who have nothing to do: lowest latency, or leave the core to others
    wait: Literal["spin", "sleep"] | None
    # Workers of the runs to be predicted: so many partial results their master holds [default: cores of this machine]
    workers: Value | None
    # Round trips for every size of a message, and folds over all partial results
    repetitions: Value | None
    # Round trips for every size of a message, and folds over all partial results
    repeat: Value | None
    # Write the times of messages over their size as a table; - is the standard output
    timings: Data
    # Write the times of messages over their size as a table; - is the standard output
    messages: Data
    # What starts the processes; {processes} is the number of workers and one more
    launcher: Value | None
    # Give up when no iteration ends in so long [default: 10 times the longest one, at least 60 s]
    stall_timeout: Value | None
    # Start again so often from the last checkpoint when a process is lost
    retries: Value | None
    # Given to the ranks by the process that watches them: how often it has started them again
    launched: Value | None
    # Given to the ranks that go on after a restart: wins over the file that the user has named
    resume_instead: Data
    # Limit stall
    limit: Value | None

class BsfValidateOptions(Waiting, total=False):
    """Options of `runcast bsf validate`: predicted against measured times: how good the cost model is."""

    # Predict from the costs in FILE, as bsf predict does
    params: Data
    # Which rows to fit, such as 'workers <= 100'; the others are the test [default: all]
    train: Value | None
    # How the work of a block is counted; auto weighs forms by what they predict [default: auto, with smooth, and granular where
    form: Literal["smooth", "exact", "granular", "all", "auto"] | Iterable[Literal["smooth", "exact", "granular", "all", "auto"]] | None
    # How messages travel: flat, tree; auto weighs both [default: auto, and as the table says, else flat]
    collective: Literal["flat", "tree", "auto"] | Iterable[Literal["flat", "tree", "auto"]] | None
    # What is made least: l2, the squares of relative errors, or l1, which outliers do not move
    loss: Literal["l2", "l1"] | None
    # Length of the list, where the table has no column list_length
    list_length: Value | None
    # Numbers of workers to predict beside those of the table: 1,2,4 or powers:2; of --run: those to run with [default: powers o
    workers: Value | None
    # Draws of uncertain costs, for the intervals
    draws: Value | None
    # Seed of everything random
    seed: Value | None
    # Probability that an interval holds
    level: Value | None
    # Make ranges as wide as the scores in FILE need, which evaluate --write-ranges has written
    ranges: Data
    # The column with the times [default: time_s]
    metric: Value | None
    # The parameter that counts processes [default: workers]
    process_param: Value | None
    # Take only rows for which this holds: 'app == "rnd400-0"'
    where: Value | None
    # Leave out repetitions that lie far from the others
    drop_outliers: bool
    # What separates the cells of CSV [default: a comma]
    delimiter: Value | None
    # A parameter and the attribute that holds it (Caliper)
    param: Value | None
    # Samples a second of the profiler (folded stacks)
    frequency: Value | None
    # The time in the output of a program of your own: 'solve_s=^solved in ([0-9.]+) s'
    figure: Value | None
    # Where the workers are [default: threads]
    backend: Literal["threads", "mpi"] | None
    # What those do who have nothing to do [default: sleep]
    wait: Literal["spin", "sleep"] | None
    # Iterations of each run [default: as many as take 1 s, at least 20]
    iterations: Value | None
    # Runs with each number of workers [default: 3]
    repetitions: Value | None
    # Runs with each number of workers [default: 3]
    repeat: Value | None
    # Write the times of the runs, a table that can be given again; - is the standard output
    timings: Data
    # A parameter of the program: size=1500, or --size 1500 for short; may be repeated
    set: Value | None
    # jacobi, cimmino: unknowns; gravity: large bodies; stats: numbers
    size: Value | None
    # jacobi: which system [default: dominant]
    system: Literal["dominant", "triangular", "published"] | None
    # jacobi: stop at steps below this [default: 1e-9]; cimmino: stop at steps below this [default: 0]
    epsilon: Value | None
    # jacobi: norm of a step that is compared with epsilon [default: l2]
    norm: Literal["l2", "l2-squared"] | None
    # cimmino: on violated rows, or on all hyperplanes [default: inequality]
    projection: Literal["inequality", "equality"] | None
    # cimmino: number of rows that a step is divided by [default: all]
    divisor: Literal["all", "violated"] | None
    # cimmino: relaxation [default: 1.9]
    lambda_: Value | None
    # cimmino: bound S of the unknowns [default: 200]
    scale: Value | None
    # gravity: law of the force [default: newton]
    force: Literal["newton", "published"] | None
    # gravity: time step in s [default: 1]
    dt: Value | None
    # gravity: distance between bodies in m [default: 100]
    spacing: Value | None
    # gravity: mass of a body in kg [default: 1e12]
    mass: Value | None
    # gravity: where it starts, in m [default: 0,0,0]
    position: Value | None
    # gravity: how it starts, in m/s [default: 1,1,1]
    velocity: Value | None
    # gravity: the bodies, a table with the columns x_m, y_m, z_m and mass_kg
    bodies: Data
    # stats: multiples of this are absent [default: 3]
    skip: Value | None
    # What starts the processes; {processes} is the number of workers and one more
    launcher: Value | None
    # Give up when no iteration ends in so long [default: 10 times the longest one, at least 60 s]
    stall_timeout: Value | None
    # Start again so often from the last checkpoint when a process is lost
    retries: Value | None
    # Given to the ranks by the process that watches them: how often it has started them again
    launched: Value | None
    # Given to the ranks that go on after a restart: wins over the file that the user has named
    resume_instead: Data
    # Write a page with the curves, their picture and all points
    report: Data
    # Format of the input [default: recognized by content]
    format: Value | None
    # Limit stall
    limit: Value | None

class BspPredictOptions(Waiting, total=False):
    """Options of `runcast bsp predict`: when each processor finishes each superstep: BSP and OBSP*."""

    # Tell supersteps and the critical path, too
    detail: bool
    # Most supersteps times processors
    max_steps: Value | None
    # Make ranges as wide as the scores in FILE need, which evaluate --write-ranges has written
    ranges: Data
    # Draw who works, waits and communicates when: FILE.svg
    svg: Data
    # Limit steps
    limit: Value | None

class WavefrontSolveOptions(Waiting, total=False):
    """Options of `runcast wavefront solve`: how long a phase and a run take, how sure that is, which degree of asynchronism is best."""

    # Updates before the broadcast: a number for all processes, or one each: 1,2,1
    A: Value | None
    # Most updates while waiting: a number for all processes, or one each
    B: Value | None
    # What happens to an update that the last message overtakes
    semantics: Literal["abort", "complete"] | None
    # Whether an update that ends with the last message counts
    tie: Literal["counts", "discards"] | None
    # Wanted accuracy in decimal digits
    omega: Value | None
    # Lattice step, such as 0.1s
    step: Value | None
    # Spectral radius of the contraction, between 0 and 1
    rho: Value | None
    # How it is solved
    method: Literal["auto", "exact", "monte-carlo"] | None
    # Most states of the exact method
    max_states: Value | None
    # Keep processes apart that are alike
    no_lump: bool
    # What limits: processes and links on the critical path
    sensitivity: bool
    # The error of each row at the start, in a file: its phases until omega digits are gained, in place of omega over the rate o
    initial_error: Data
    # Time from the last sample to the start of the run, where processes slow down together [default: 0s]
    start_in: Value | None
    # How the time of a run is found where processes slow down together
    law: Literal["auto", "recursion", "level-normal", "base"] | None
    # Simulated runs under the level, for its law
    draws: Value | None
    # Probability to take longer than a time, or than a multiple of the mean: 160s,1.1x
    tail: Value | None
    # How many wavefronts to tell, the most frequent first [default: 20]
    wavefront: Value | None
    # Law of the duration of a phase
    pmf: bool
    # Probability that an interval holds
    level: Value | None
    # Seed of everything random
    seed: Value | None
    # Write the predicted times as a table, for evaluate
    table: Data
    # Write the transition matrix of the wavefronts
    matrix: Data
    # Limit states
    limit: Value | None
    # Set A, B, semantics, tie, omega, step, rho, initial-error
    set: Value | None
    # Also show sensitivity, quantiles, tail, wavefronts, pmf
    show: Value | None

class WavefrontSimulateOptions(Waiting, total=False):
    """Options of `runcast wavefront simulate`: phases played event by event, without the solver."""

    # Phases; with --repetitions, of each run
    phases: Value | None
    # Runs from the start of the model, whose times are told
    repetitions: Value | None
    # Runs from the start of the model, whose times are told
    runs: Value | None
    # What plays the phases
    engine: Literal["recursion", "events"] | None
    # Iterate the error of the model's operator from random starts: its rate, and the time to the wanted accuracy
    converge: bool
    # Seed of everything random
    seed: Value | None
    # Updates before the broadcast: a number for all processes, or one each: 1,2,1
    A: Value | None
    # Most updates while waiting: a number for all processes, or one each
    B: Value | None
    # What happens to an update that the last message overtakes
    semantics: Literal["abort", "complete"] | None
    # Whether an update that ends with the last message counts
    tie: Literal["counts", "discards"] | None
    # Wanted accuracy in decimal digits
    omega: Value | None
    # Lattice step, such as 0.1s
    step: Value | None
    # Write what each process did in each phase, as CSV; - is the standard output
    trace: Data
    # Set A, B, semantics, tie, omega, step
    set: Value | None

class WavefrontSampleOptions(Waiting, total=False):
    """Options of `runcast wavefront sample`: times of updates and messages on this machine, and whether they suit the model."""

    # What the processes are: threads, or ranks of MPI [default: threads; as a rank of MPI: mpi]
    backend: Literal["threads", "mpi"] | None
    # Processes [default: one a piece, else 3; under the launcher of MPI as many as it has started]
    processes: Value | None
    # An update is the sweep of a process over its piece of this matrix (.mtx, .csv), or of "polynomial"
    operator: Data
    # Rows of each process, in order [default: as even as can be]
    pieces: Value | None
    # Variables of the polynomial
    variables: Value | None
    # So much work an update, calibrated where nothing disturbs it; beside an operator it is added [default: 2ms]
    work: Value | None
    # Updates of each process, all at the same time
    updates: Value | None
    # Messages from each process to each other, as=busy [default: 2000]; the loop has one a phase
    messages: Value | None
    # Size of a message: 800, 64KiB
    bytes: Value | None
    # The phases of the real loop, where processes wait (loop), or each update and message for itself (busy) [default: loop; und
    as_: Literal["busy", "loop"] | None
    # Degree of asynchronism of the loop: B, or A/B; the model gets it [default: 0, processes wait]
    degrees: Value | None
    # Rounds of --updates, so long from one start to the next, each added to the table of -o; go on by the same command
    every: Value | None
    # Rounds for so long, such as 7d
    for_: Value | None
    # What the others do while two exchange messages, as=busy [default: compute]
    others: Literal["compute", "wait"] | None
    # Examine this table, and measure nothing
    examine: Data
    # Examine this table, and measure nothing
    check: Data
    # Look for 2 or 3 modes of the machine, such as calm and busy
    fit_modes: Value | None
    # Updates in a window of time that has one mode
    window: Value | None
    # Whether the model gets a slowdown that processes share [default: auto, with modes, by the Bayesian criterion]
    level_model: Literal["auto", "none", "level"] | None
    # Windows of time in which it is looked for [default: of 25 updates, 6 to 200]
    windows: Value | None
    # Seed of everything random
    seed: Value | None
    # Write the samples as a table; - is the standard output
    out: Data
    # Write a model with the laws of the samples, which wavefront solve takes
    write_model: Data
    # What starts the processes; {processes} is the number of workers and one more
    launcher: Value | None
    # Give up when no iteration ends in so long [default: 10 times the longest one, at least 60 s]
    stall_timeout: Value | None
    # Start again so often from the last checkpoint when a process is lost
    retries: Value | None
    # Given to the ranks by the process that watches them: how often it has started them again
    launched: Value | None
    # Given to the ranks that go on after a restart: wins over the file that the user has named
    resume_instead: Data
    # Limit stall
    limit: Value | None
    # Set pieces, variables, updates, messages, bytes, as, every, for, others, window, level-model, windows
    set: Value | None

class WavefrontRunOptions(Waiting, total=False):
    """Options of `runcast wavefront run`: a real iteration on threads or under MPI, against its prediction."""

    # Where the processes are [default: threads; started by an MPI launcher: mpi]
    backend: Literal["threads", "mpi"] | None
    # Phases of a run
    phases: Value | None
    # Runs, one after the other
    repetitions: Value | None
    # Runs, one after the other
    runs: Value | None
    # Times are drawn from the model: updates sleep, messages are delivered at their time
    emulate: bool
    # Degrees side by side until their digits are gained: B,.. or A/B,.., or model for those of the file
    degrees: Value | None
    # Runs go on until so many digits are gained, omega for those of the model; in at most 8 times --phases
    until: Value | None
    # Each update does work of so long more, as on a core that nobody disturbs [default: that of the model's samples]
    work: Value | None
    # Write phases.csv, updates.csv, messages.csv and runs.csv into DIR
    out: Value | None
    # Updates before the broadcast: a number for all processes, or one each: 1,2,1
    A: Value | None
    # Most updates while waiting: a number for all processes, or one each
    B: Value | None
    # What happens to an update that the last message overtakes
    semantics: Literal["abort", "complete"] | None
    # Whether an update that ends with the last message counts
    tie: Literal["counts", "discards"] | None
    # Wanted accuracy in decimal digits
    omega: Value | None
    # Lattice step, such as 0.1s
    step: Value | None
    # Spectral radius of the contraction, between 0 and 1
    rho: Value | None
    # Seed of everything random
    seed: Value | None
    # What starts the processes; {processes} is their number
    launcher: Value | None
    # Give up when no phase ends in so long [default: 10 times the longest one, at least 60 s]
    stall_timeout: Value | None
    # Given to the ranks by the process that watches them
    launched: Value | None
    # Limit stall
    limit: Value | None
    # Set until, A, B, semantics, tie, omega, step, rho
    set: Value | None

class SimRunOptions(Waiting, total=False):
    """Options of `runcast sim run`: simulate: time, energy, chance of failure, what limits and why."""

    # An application: a script; may be repeated
    app: Data
    # The system
    system: Data
    # LogGOPS parameters in place of a system: L=2us,o=1us,g=0,G=1ns,O=0,S=64KiB
    loggops: Value | None
    # A parameter of the applications, or an attribute ID.KEY of the system; may be repeated
    set: Value | None
    # Another catalogue entry for a component or network; may be repeated
    hardware: Value | None
    # Which network a group uses; may be repeated
    use: Value | None
    # Where a label goes: sorter=node:12:block; may be repeated
    map: Value | None
    # How closely to look (default: flow up to 4,096 processes, then loggops)
    fidelity: Literal["label", "loggops", "flow"] | None
    # How often
    repetitions: Value | None
    # Seed of everything random
    seed: Value | None
    # Probability of the interval of times (0.9)
    level: Value | None
    # Coefficients laid over those of the system, as calibrate writes them; may be repeated
    coeff: Data
    # A file that adds to the catalogue of hardware, or a folder's *.toml; may be repeated
    catalogue: Value | None
    # Collectives by formula, or as the messages of their algorithm
    collectives: Value | None
    # As which MPI library collectives choose their algorithms (runcast); a table of your own: selector in the experiment
    selector: Value | None
    # Components fail, by their mtbf: applications start over, or at their last checkpoint
    faults: bool
    # Count components that nobody uses
    include_unused: bool
    # Price of a kilowatt-hour, for the cost
    energy_price: Value | None
    # Length of a tick (1ps)
    tick: Value | None
    # Classes of the label level
    max_classes: Value | None
    # Events of a simulation (1e10)
    max_events: Value | None
    # Memory of the process (nine tenths of what is free)
    max_memory: Value | None
    # Steps of a script (1e9)
    script_steps: Value | None
    # Memory of a script (1GiB)
    script_memory: Value | None
    # Make ranges as wide as the scores in FILE need, which evaluate --write-ranges has written
    ranges: Data
    # Say what limits and why: the path back from the end, an ideal network, free computing
    explain: bool
    # Hold the fidelities against each other
    cross_check: bool
    # Hold the fidelities against each other
    check: bool
    # Processes that --cross-check simulates at most
    check_procs: Value | None
    # Processes of the timeline, such as 0-63 or 0,5,8-15
    timeline_ranks: Value | None
    # Part of the run in the timeline, such as 10ms-20ms
    timeline_span: Value | None
    # Write the recorded program as a GOAL schedule or SimGrid traces instead of simulating it
    export: Literal["goal", "ti"] | None
    # Limit classes, events, memory, script-steps, script-memory, cross-check
    limit: Value | None
    # Write what each process did when: FILE.json (Perfetto, Chrome) or FILE.paje
    timeline: Data

class SimSweepOptions(Waiting, total=False):
    """Options of `runcast sim sweep`: simulate all combinations of parameters and hardware into a table; resumes."""

    # An application: a script; may be repeated
    app: Data
    # The system
    system: Data
    # LogGOPS parameters in place of a system: L=2us,o=1us,g=0,G=1ns,O=0,S=64KiB
    loggops: Value | None
    # A parameter of the applications, or an attribute ID.KEY of the system; may be repeated
    set: Value | None
    # Another catalogue entry for a component or network; may be repeated
    hardware: Value | None
    # Which network a group uses; may be repeated
    use: Value | None
    # Where a label goes: sorter=node:12:block; may be repeated
    map: Value | None
    # How closely to look (default: flow up to 4,096 processes, then loggops)
    fidelity: Literal["label", "loggops", "flow"] | None
    # How often
    repetitions: Value | None
    # Seed of everything random
    seed: Value | None
    # Probability of the interval of times (0.9)
    level: Value | None
    # Coefficients laid over those of the system, as calibrate writes them; may be repeated
    coeff: Data
    # A file that adds to the catalogue of hardware, or a folder's *.toml; may be repeated
    catalogue: Value | None
    # Collectives by formula, or as the messages of their algorithm
    collectives: Value | None
    # As which MPI library collectives choose their algorithms (runcast); a table of your own: selector in the experiment
    selector: Value | None
    # Components fail, by their mtbf: applications start over, or at their last checkpoint
    faults: bool
    # Count components that nobody uses
    include_unused: bool
    # Price of a kilowatt-hour, for the cost
    energy_price: Value | None
    # Length of a tick (1ps)
    tick: Value | None
    # Classes of the label level
    max_classes: Value | None
    # Events of a simulation (1e10)
    max_events: Value | None
    # Memory of the process (nine tenths of what is free)
    max_memory: Value | None
    # Steps of a script (1e9)
    script_steps: Value | None
    # Memory of a script (1GiB)
    script_memory: Value | None
    # Simulations at once (all cores)
    jobs: Value | None
    # Add speedup and efficiency against the least value of this parameter
    speedup: Value | None
    # Limit classes, events, memory, script-steps, script-memory
    limit: Value | None

class SimOptimizeOptions(Waiting, total=False):
    """Options of `runcast sim optimize`: the best process counts and hardware: time, energy, reliability and cost."""

    # An application: a script; may be repeated
    app: Data
    # The system
    system: Data
    # LogGOPS parameters in place of a system: L=2us,o=1us,g=0,G=1ns,O=0,S=64KiB
    loggops: Value | None
    # A parameter of the applications, or an attribute ID.KEY of the system; may be repeated
    set: Value | None
    # Another catalogue entry for a component or network; may be repeated
    hardware: Value | None
    # Which network a group uses; may be repeated
    use: Value | None
    # Where a label goes: sorter=node:12:block; may be repeated
    map: Value | None
    # How closely to look (default: flow up to 4,096 processes, then loggops)
    fidelity: Literal["label", "loggops", "flow"] | None
    # How often
    repetitions: Value | None
    # Seed of everything random
    seed: Value | None
    # Probability of the interval of times (0.9)
    level: Value | None
    # Coefficients laid over those of the system, as calibrate writes them; may be repeated
    coeff: Data
    # A file that adds to the catalogue of hardware, or a folder's *.toml; may be repeated
    catalogue: Value | None
    # Collectives by formula, or as the messages of their algorithm
    collectives: Value | None
    # As which MPI library collectives choose their algorithms (runcast); a table of your own: selector in the experiment
    selector: Value | None
    # Components fail, by their mtbf: applications start over, or at their last checkpoint
    faults: bool
    # Count components that nobody uses
    include_unused: bool
    # Price of a kilowatt-hour, for the cost
    energy_price: Value | None
    # Length of a tick (1ps)
    tick: Value | None
    # Classes of the label level
    max_classes: Value | None
    # Events of a simulation (1e10)
    max_events: Value | None
    # Memory of the process (nine tenths of what is free)
    max_memory: Value | None
    # Steps of a script (1e9)
    script_steps: Value | None
    # Memory of a script (1GiB)
    script_memory: Value | None
    # What varies, over the experiment's own; may be repeated
    vary: Value | None
    # What is to be small (time,energy and whatever else the system tells)
    objective: Literal["time", "energy", "failure", "cost", "price"] | Iterable[Literal["time", "energy", "failure", "cost", "price"]] | None
    # What is to be small (time,energy and whatever else the system tells)
    objectives: Literal["time", "energy", "failure", "cost", "price"] | Iterable[Literal["time", "energy", "failure", "cost", "price"]] | None
    # What must hold, over results and what varies; may be repeated
    constraint: Value | None
    # Try everything up to so many simulations, else search
    budget: Value | None
    # What is searched: what varies, or with it all ways to share out the machines among several applications
    search: Literal["grid", "partitions"] | None
    # Of several applications: the time until all have ended, or the energy of all
    aim: Literal["makespan", "energy"] | None
    # Simulations at once (all cores)
    jobs: Value | None
    # Limit classes, events, memory, script-steps, script-memory
    limit: Value | None

class SimCalibrateOptions(Waiting, total=False):
    """Options of `runcast sim calibrate`: find the coefficients of a computational model in small real runs."""

    # An application: a script; may be repeated
    app: Data
    # The system
    system: Data
    # LogGOPS parameters in place of a system: L=2us,o=1us,g=0,G=1ns,O=0,S=64KiB
    loggops: Value | None
    # A parameter of the applications, or an attribute ID.KEY of the system; may be repeated
    set: Value | None
    # Another catalogue entry for a component or network; may be repeated
    hardware: Value | None
    # Which network a group uses; may be repeated
    use: Value | None
    # Where a label goes: sorter=node:12:block; may be repeated
    map: Value | None
    # How closely to look (default: flow up to 4,096 processes, then loggops)
    fidelity: Literal["label", "loggops", "flow"] | None
    # How often
    repetitions: Value | None
    # Seed of everything random
    seed: Value | None
    # Probability of the interval of times (0.9)
    level: Value | None
    # Coefficients laid over those of the system, as calibrate writes them; may be repeated
    coeff: Data
    # A file that adds to the catalogue of hardware, or a folder's *.toml; may be repeated
    catalogue: Value | None
    # Collectives by formula, or as the messages of their algorithm
    collectives: Value | None
    # As which MPI library collectives choose their algorithms (runcast); a table of your own: selector in the experiment
    selector: Value | None
    # Components fail, by their mtbf: applications start over, or at their last checkpoint
    faults: bool
    # Count components that nobody uses
    include_unused: bool
    # Price of a kilowatt-hour, for the cost
    energy_price: Value | None
    # Length of a tick (1ps)
    tick: Value | None
    # Classes of the label level
    max_classes: Value | None
    # Events of a simulation (1e10)
    max_events: Value | None
    # Memory of the process (nine tenths of what is free)
    max_memory: Value | None
    # Steps of a script (1e9)
    script_steps: Value | None
    # Memory of a script (1GiB)
    script_memory: Value | None
    # The runs; its columns are parameters by name
    table: Value | None
    # What to find, with bounds where there are: c.sort=1ns..10ns,noise.block.mean,law.sort
    free: Value | None
    # What keeps a value: c.split=1.333ns
    fixed: Value | None
    # What keeps a value: c.split=1.333ns
    fix: Value | None
    # The rows to calibrate on; the others are held out: 'set == "train"'
    train: Value | None
    # Take only rows for which this holds: 'app == "msort"'
    where: Value | None
    # How repetitions become one number
    aggregate: Literal["mean", "min", "median"] | None
    # How repetitions become one number
    stat: Literal["mean", "min", "median"] | None
    # What was measured: time_s or energy_j
    metric: Literal["time_s", "energy_j"] | None
    # Searches, each from a start of its own
    starts: Value | None
    # Write this component or network as an entry of the catalogue, with what was found of it
    entry: Value | None
    # The file of that entry
    entry_out: Data
    # Keep simulations in FILE, and take over those that it has
    resume: Data
    # What separates the cells of CSV [default: a comma]
    delimiter: Value | None
    # A parameter and the attribute that holds it (Caliper)
    param: Value | None
    # Samples a second of the profiler (folded stacks)
    frequency: Value | None
    # Format of the input [default: recognized by content]
    format: Value | None
    # Limit classes, events, memory, script-steps, script-memory
    limit: Value | None
    # The columns that are parameters, where others are numbers too
    params: Value | None

class SimReplayOptions(Waiting, total=False):
    """Options of `runcast sim replay`: replay a GOAL schedule or a SimGrid time-independent trace."""

    # What the file is (default: goal if it begins with num_ranks)
    format: Literal["goal", "ti", "recording"] | None
    # LogGOPS parameters; for a schedule those not named are L=2500ns,o=1500ns,g=1000ns,G=6ns,O=0,S=65535
    loggops: Value | None
    # Do as another simulator does, its slips included
    compat: Literal["loggopsim"] | None
    # The system that traces are replayed on
    system: Data
    # How closely to look (default: flow up to 4,096 ranks, then loggops)
    fidelity: Literal["label", "loggops", "flow"] | None
    # The algorithm of a collective: bcast=binomial; a list, may be repeated
    collective_algorithm: Value | None
    # The algorithm of a collective: bcast=binomial; a list, may be repeated
    collective: Value | None
    # As which MPI library collectives choose their algorithms (runcast)
    selector: Value | None
    # Where ranks go: rank=node:12:block
    map: Value | None
    # A file that adds to the catalogue of hardware, or a folder's *.toml; may be repeated
    catalogue: Data
    # Write what each rank did when: FILE.json (Perfetto, Chrome) or FILE.paje
    timeline: Data
    # Replays to compare: bandwidth=2, latency=0, balanced, ideal; a list
    what_if: Value | None
    # Scale blocks from one processor of the catalogue to another
    scale_compute: Value | None
    # What limits blocks that are scaled: cpu, memory or max, the slower of both
    bound: Literal["cpu", "memory", "max"] | None
    # Times of blocks: draw from their histogram, or mean
    blocks: Literal["draw", "mean"] | None
    # Receives from any source: recorded, or free, from whoever is first
    wildcards: Literal["recorded", "free"] | None
    # Events of the simulation (1e10)
    max_events: Value | None
    # Memory of the process (nine tenths of what is free)
    max_memory: Value | None
    # Collectives by formula, or as the messages of their algorithm
    collectives: Value | None
    # Limit events, memory
    limit: Value | None

class SimLearnOptions(Waiting, total=False):
    """Options of `runcast sim learn`: make an application model of recordings of small runs."""

    # Targets: p=1024,N=50000, or p=32,64 or p=1..1024*2, all combinations; may be repeated
    at: Value | None
    # A plan or table whose configurations are the targets
    targets: Data
    # What a number on the command line is called: N=arg2; may be repeated
    name: Value | None
    # Calls that may follow no structure [%]
    allow_unexplained: Value | None
    # The system to simulate on [default: cores as recorded on a network that is assumed]
    system: Data
    # How closely to look (default: flow up to 4,096 ranks, then loggops)
    fidelity: Literal["label", "loggops", "flow"] | None
    # Probability that an interval holds
    level: Value | None
    # Write over files that are there
    force: bool
