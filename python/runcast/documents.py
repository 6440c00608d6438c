"""Fields of the documents that `to_dict` gives, for type checkers: `document: FitDocument = fit.to_dict()`.

Made by python/stubs.py of their examples in the documentation. More fields are allowed, and any but kind and version may be missing.
"""

from typing import Any, Literal, Required, TypedDict


class Warning_(TypedDict, total=False):
    """A warning of an answer."""

    code: str
    message: str
    file: str
    line: int


class PlanConfigurations(TypedDict, total=False):
    """A part: set, at, exact, work_per_process."""

    set: str | None
    at: dict[str, Any]
    exact: dict[str, Any]
    work_per_process: int | float | None
    deviation_pct: int | float | None
    repetitions: int | float | None


class PlanInverse(TypedDict, total=False):
    """A part: of, limit."""

    of: str | None
    limit: int | float | None


class PlanRows(TypedDict, total=False):
    """A part: at, exact, low, high."""

    at: dict[str, Any]
    exact: int | float | None
    low: int | float | None
    high: int | float | None
    time_s: int | float | None
    time_low_s: int | float | None
    time_high_s: int | float | None
    verdict: str | None


class PlanDocument(TypedDict, total=False):
    """The document `plan`."""

    kind: Required[Literal["plan"]]
    version: Required[int]
    scaling: str | None
    complexity: str | None
    constant: int | float | None
    max_deviation_pct: int | float | None
    warnings: list[Warning_]
    configurations: list[PlanConfigurations]
    inverse: PlanInverse | None
    level: int | float | None
    parameter: str | None
    safe_p: Any
    rows: list[PlanRows]


class BenchConfigurations(TypedDict, total=False):
    """A part: at, ok, failed, metrics."""

    at: dict[str, Any]
    ok: int | float | None
    failed: int | float | None
    metrics: dict[str, Any]


class BenchDocument(TypedDict, total=False):
    """The document `bench`."""

    kind: Required[Literal["bench"]]
    version: Required[int]
    table: str | None
    journal: str | None
    total: int | float | None
    ok: int | float | None
    failed: int | float | None
    skipped: int | float | None
    interrupted: bool
    warnings: list[Warning_]
    configurations: list[BenchConfigurations]


class ImportFiles(TypedDict, total=False):
    """A part: file, format, rows."""

    file: str | None
    format: str | None
    rows: int | float | None


class ImportDocument(TypedDict, total=False):
    """The document `import`."""

    kind: Required[Literal["import"]]
    version: Required[int]
    warnings: list[Warning_]
    files: list[ImportFiles]
    rows: int | float | None
    columns: list[str]
    parameters: list[str]
    labels: list[str]
    metrics: list[dict[str, Any]]
    fit_options: list[Any]


class FitTable(TypedDict, total=False):
    """A part: files, rows, configurations, parameters."""

    files: list[str]
    rows: int | float | None
    configurations: int | float | None
    parameters: list[str]


class FitModelsTermsFactors(TypedDict, total=False):
    """A part: parameter, power, log_power."""

    parameter: str | None
    power: int | float | None
    log_power: int | float | None


class FitModelsTerms(TypedDict, total=False):
    """A part: coefficient, factors."""

    coefficient: int | float | None
    factors: list[FitModelsTermsFactors]


class FitModelsQuality(TypedDict, total=False):
    """A part: smape_pct, validation_smape_pct, median_error_pct, max_error_pct."""

    smape_pct: int | float | None
    validation_smape_pct: int | float | None
    median_error_pct: int | float | None
    max_error_pct: int | float | None
    r2: int | float | None
    noise_pct: int | float | None


class FitModelsTrainingPoints(TypedDict, total=False):
    """A part: at, values."""

    at: dict[str, Any]
    values: list[int | float]


class FitModelsTraining(TypedDict, total=False):
    """A part: process_parameter, points, options."""

    process_parameter: str | None
    points: list[FitModelsTrainingPoints]
    options: dict[str, Any]


FitModels = TypedDict("FitModels", {"group": dict[str, Any], "metric": str | None, "unit": str | None, "direction": str | None, "model": str | None, "formula": str | None, "class": str | None, "terms": list[FitModelsTerms], "coefficients": dict[str, Any], "rank": int | float | None, "condition": int | float | None, "scaling": str | None, "points": int | float | None, "repetitions": int | float | None, "range": dict[str, Any], "aggregate": str | None, "dropped": list[Any], "members": list[Any], "warnings": list[Any], "quality": FitModelsQuality | None, "training": FitModelsTraining | None}, total=False)


class FitDocument(TypedDict, total=False):
    """The document `fit`."""

    kind: Required[Literal["fit"]]
    version: Required[int]
    table: FitTable | None
    warnings: list[Warning_]
    failed: list[Any]
    models: list[FitModels]


class PredictPredictionsIntervalsConformal(TypedDict, total=False):
    """A part: low, high."""

    low: int | float | None
    high: int | float | None


class PredictPredictionsIntervals(TypedDict, total=False):
    """A part: conformal, parametric."""

    conformal: PredictPredictionsIntervalsConformal | None
    parametric: Any


class PredictPredictionsDistance(TypedDict, total=False):
    """A part: p, N."""

    p: int | float | None
    N: int | float | None


class PredictPredictions(TypedDict, total=False):
    """A part: method, group, metric, unit."""

    method: str | None
    group: dict[str, Any]
    metric: str | None
    unit: str | None
    model: str | None
    at: dict[str, Any]
    value: int | float | None
    low: int | float | None
    high: int | float | None
    level: int | float | None
    interval: str | None
    intervals: PredictPredictionsIntervals | None
    extrapolates: bool
    distance: PredictPredictionsDistance | None
    horizon: int | float | None
    verdict: str | None
    members: list[dict[str, Any]]
    warnings: list[str]


class PredictDocument(TypedDict, total=False):
    """The document `predict`."""

    kind: Required[Literal["predict"]]
    version: Required[int]
    level: int | float | None
    warnings: list[Warning_]
    failed: list[Any]
    predictions: list[PredictPredictions]


class EvaluateModels(TypedDict, total=False):
    """A part: method, model, count, failed."""

    method: str | None
    model: str | None
    count: int | float | None
    failed: int | float | None
    mean_error_pct: int | float | None
    median_error_pct: int | float | None
    p90_error_pct: int | float | None
    max_error_pct: int | float | None
    smape_pct: int | float | None
    mean_re_log_pct: int | float | None
    bias_factor: int | float | None
    coverage_pct: int | float | None
    covered: int | float | None
    no_range: int | float | None
    coverage_low_pct: int | float | None
    coverage_high_pct: int | float | None
    runs: int | float | None
    covered_runs: int | float | None
    runs_coverage_pct: int | float | None
    runs_coverage_low_pct: int | float | None
    runs_coverage_high_pct: int | float | None
    design_effect: int | float | None
    coverage_level: int | float | None
    interval_factor: int | float | None


class EvaluatePoints(TypedDict, total=False):
    """A part: method, model, group, metric."""

    method: str | None
    model: str | None
    group: dict[str, Any]
    metric: str | None
    unit: str | None
    at: dict[str, Any]
    measured: int | float | None
    predicted: int | float | None
    error_pct: int | float | None
    re_log_pct: int | float | None
    low: int | float | None
    high: int | float | None
    level: int | float | None
    covered: bool
    runs: int | float | None
    covered_runs: int | float | None


class EvaluateHistogram(TypedDict, total=False):
    """A part: method, model, from_pct, to_pct."""

    method: str | None
    model: str | None
    from_pct: int | float | None
    to_pct: int | float | None
    count: int | float | None


class EvaluateDocument(TypedDict, total=False):
    """The document `evaluate`."""

    kind: Required[Literal["evaluate"]]
    version: Required[int]
    warnings: list[Warning_]
    models: list[EvaluateModels]
    points: list[EvaluatePoints]
    histogram: list[EvaluateHistogram]


class CompareConfigurationsMeasured(TypedDict, total=False):
    """A part: value, low, high, runs."""

    value: int | float | None
    low: int | float | None
    high: int | float | None
    runs: int | float | None


class CompareConfigurationsForecasts(TypedDict, total=False):
    """A part: input, method, model, value."""

    input: str | None
    method: str | None
    model: str | None
    value: int | float | None
    low: int | float | None
    high: int | float | None
    error_pct: int | float | None
    covered: bool
    covered_runs: int | float | None
    seen: bool
    extrapolates: bool
    horizon: Any
    verdict: str | None
    warnings: list[Any]


class CompareConfigurations(TypedDict, total=False):
    """A part: at, group, measured, forecasts."""

    at: dict[str, Any]
    group: dict[str, Any]
    measured: CompareConfigurationsMeasured | None
    forecasts: list[CompareConfigurationsForecasts]


class CompareInputsNeeds(TypedDict, total=False):
    """A part: runs, core_hours, files, machine_measured."""

    runs: Any
    core_hours: Any
    files: list[str]
    machine_measured: Any


class CompareInputsAssumptions(TypedDict, total=False):
    """A part: cache, messages."""

    cache: str | None
    messages: str | None


CompareInputs = TypedDict("CompareInputs", {"input": str | None, "file": str | None, "method": str | None, "model": str | None, "count": int | float | None, "..": str | None, "asked": int | float | None, "answered": int | float | None, "refused": int | float | None, "reasons": list[Any], "held_out": int | float | None, "covered_runs_pct": int | float | None, "needs": CompareInputsNeeds | None, "range": dict[str, Any], "assumptions": CompareInputsAssumptions | None, "warnings": list[Any]}, total=False)


class CompareRanking(TypedDict, total=False):
    """A part: order, tied, points, not_comparable."""

    order: list[str]
    tied: list[Any]
    points: int | float | None
    not_comparable: list[Any]
    median_error_pct: list[int | float]


class CompareAgreement(TypedDict, total=False):
    """A part: a, b, at, z."""

    a: str | None
    b: str | None
    at: dict[str, Any]
    z: int | float | None
    agree: bool
    independent: bool
    assumed_range: bool


class CompareDifferencesAssumptions(TypedDict, total=False):
    """A part: code, modeled_by, effect_pct."""

    code: str | None
    modeled_by: str | None
    effect_pct: Any


class CompareDifferencesRun(TypedDict, total=False):
    """A part: at, separation, core_hours."""

    at: dict[str, Any]
    separation: int | float | None
    core_hours: int | float | None


class CompareDifferences(TypedDict, total=False):
    """A part: a, b, at, ratio."""

    a: str | None
    b: str | None
    at: dict[str, Any]
    ratio: int | float | None
    assumptions: list[CompareDifferencesAssumptions]
    run: CompareDifferencesRun | None


class CompareCombined(TypedDict, total=False):
    """A part: members, predictions."""

    members: list[dict[str, Any]]
    predictions: list[str]


class CompareDocument(TypedDict, total=False):
    """The document `compare`."""

    kind: Required[Literal["compare"]]
    version: Required[int]
    metric: str | None
    unit: str | None
    level: int | float | None
    parameters: list[str]
    warnings: list[Warning_]
    configurations: list[CompareConfigurations]
    inputs: list[CompareInputs]
    ranking: CompareRanking | None
    agreement: list[CompareAgreement]
    differences: list[CompareDifferences]
    combined: CompareCombined | None


AdviseProcessesRecommended = TypedDict("AdviseProcessesRecommended", {"p": int | float | None, "..": str | None}, total=False)


class AdviseProcessesChoices(TypedDict, total=False):
    """A part: p, at, time_s, low_s."""

    p: int | float | None
    at: dict[str, Any]
    time_s: int | float | None
    low_s: int | float | None
    high_s: int | float | None
    speedup: int | float | None
    speedup_against_p: int | float | None
    efficiency: int | float | None
    probability: Any
    core_hours: int | float | None
    energy_j: Any
    money: Any
    on_front: bool
    cost: Any
    input: Any
    verdict: str | None


class AdviseProcessesDocument(TypedDict, total=False):
    """The document `advise-processes`."""

    kind: Required[Literal["advise-processes"]]
    version: Required[int]
    objective: str | None
    recommended: AdviseProcessesRecommended | None
    near_best_p: int | float | None
    safe_p: Any
    choices: list[AdviseProcessesChoices]
    front: list[int | float]
    members: list[dict[str, Any]]
    warnings: list[Warning_]


class AdviseNextCandidates(TypedDict, total=False):
    """A part: at, cost_core_hours, cost_high_core_hours, factor_after."""

    at: dict[str, Any]
    cost_core_hours: int | float | None
    cost_high_core_hours: int | float | None
    factor_after: int | float | None
    gain_per_core_hour: int | float | None


class AdviseNextDocument(TypedDict, total=False):
    """The document `advise-next`."""

    kind: Required[Literal["advise-next"]]
    version: Required[int]
    target: dict[str, Any]
    factor_now: int | float | None
    candidates: list[AdviseNextCandidates]
    chosen: list[Any]
    factor_after_chosen: Any
    cost_chosen_core_hours: Any
    cost_chosen_high_core_hours: Any
    warnings: list[Warning_]


AdviseRegionsRegions = TypedDict("AdviseRegionsRegions", {"rank": int | float | None, "group": dict[str, Any], "class": str | None, "value": int | float | None, "low": int | float | None, "high": int | float | None, "growth": int | float | None, "share_pct": int | float | None, "share_measured_pct": int | float | None, "formula": str | None, "minor": bool}, total=False)


class AdviseRegionsDocument(TypedDict, total=False):
    """The document `advise-regions`."""

    kind: Required[Literal["advise-regions"]]
    version: Required[int]
    regions: list[AdviseRegionsRegions]
    warnings: list[Warning_]


class AdviseCompareRegions(TypedDict, total=False):
    """A part: group, metric, before, after."""

    group: dict[str, Any]
    metric: str | None
    before: int | float | None
    after: int | float | None
    ratio: int | float | None
    low: int | float | None
    high: int | float | None
    class_before: str | None
    class_after: str | None
    change: str | None
    crosses_at: Any


class AdviseCompareDocument(TypedDict, total=False):
    """The document `advise-compare`."""

    kind: Required[Literal["advise-compare"]]
    version: Required[int]
    regions: list[AdviseCompareRegions]
    warnings: list[Warning_]


class BsfPredictKMaxInterval(TypedDict, total=False):
    """A part: low, high, level."""

    low: int | float | None
    high: int | float | None
    level: int | float | None


class BsfPredictKMaxBounds(TypedDict, total=False):
    """A part: low, high."""

    low: int | float | None
    high: int | float | None


class BsfPredictCurvesPoints(TypedDict, total=False):
    """A part: workers, processes, time_s, time_low_s."""

    workers: int | float | None
    processes: int | float | None
    time_s: int | float | None
    time_low_s: int | float | None
    time_high_s: int | float | None
    speedup: int | float | None
    speedup_serial: int | float | None
    efficiency: int | float | None


class BsfPredictCurves(TypedDict, total=False):
    """A part: form, collective, serial_time_s, best_workers."""

    form: str | None
    collective: str | None
    serial_time_s: int | float | None
    best_workers: int | float | None
    best_time_s: int | float | None
    best_speedup: int | float | None
    points: list[BsfPredictCurvesPoints]


class BsfPredictSizes(TypedDict, total=False):
    """A part: size, k_max, best_workers, best_time_s."""

    size: int | float | None
    k_max: int | float | None
    best_workers: int | float | None
    best_time_s: int | float | None
    speedup: int | float | None
    growth: int | float | None


class BsfPredictGrowthLaw(TypedDict, total=False):
    """A part: constant, exponent, half_size."""

    constant: int | float | None
    exponent: int | float | None
    half_size: int | float | None


class BsfPredictDocument(TypedDict, total=False):
    """The document `bsf-predict`."""

    kind: Required[Literal["bsf-predict"]]
    version: Required[int]
    algorithm: str | None
    parameters: dict[str, Any]
    list_length: int | float | None
    latency_s: int | float | None
    overhead_s: int | float | None
    send_s: int | float | None
    map_s: int | float | None
    fold_s: int | float | None
    work_s: int | float | None
    receive_s: int | float | None
    compute_s: int | float | None
    k_max: int | float | None
    k_max_clamped: int | float | None
    k_max_tree: int | float | None
    k_max_interval: BsfPredictKMaxInterval | None
    k_max_bounds: BsfPredictKMaxBounds | None
    applicable: bool
    best_collective: str | None
    crossover_workers: int | float | None
    warnings: list[Warning_]
    curves: list[BsfPredictCurves]
    level: int | float | None
    sizes: list[BsfPredictSizes]
    growth_law: BsfPredictGrowthLaw | None


class BsfRunDocument(TypedDict, total=False):
    """The document `bsf-run`."""

    kind: Required[Literal["bsf-run"]]
    version: Required[int]
    program: str | None
    parameters: dict[str, Any]
    backend: str | None
    workers: int | float | None
    threads: int | float | None
    collective: str | None
    reproducible: bool
    list_length: int | float | None
    status: str | None
    iterations: int | float | None
    counter: int | float | None
    step_norm: int | float | None
    growth_rate: int | float | None
    error_max: int | float | None
    result_head: list[int | float]
    result_digest: str | None
    time_s: int | float | None
    iteration_time_s: int | float | None
    first_iteration_time_s: int | float | None
    map_fold_cpu_s: int | float | None
    resumed_from: Any
    restarts: int | float | None
    checks: dict[str, Any]
    warnings: list[Warning_]


class BsfCalibrateTimesLatencyS(TypedDict, total=False):
    """A part: value, low, high."""

    value: int | float | None
    low: int | float | None
    high: int | float | None


class BsfCalibrateTimes(TypedDict, total=False):
    """A part: latency_s."""

    latency_s: BsfCalibrateTimesLatencyS | None


class BsfCalibrateMessages(TypedDict, total=False):
    """A part: size_bytes, time_s, time_low_s, time_high_s."""

    size_bytes: int | float | None
    time_s: int | float | None
    time_low_s: int | float | None
    time_high_s: int | float | None


class BsfCalibrateDocument(TypedDict, total=False):
    """The document `bsf-calibrate`."""

    kind: Required[Literal["bsf-calibrate"]]
    version: Required[int]
    times: BsfCalibrateTimes | None
    messages: list[BsfCalibrateMessages]
    origin: dict[str, Any]
    warnings: list[Warning_]


class BsfValidateCurvesKMaxInterval(TypedDict, total=False):
    """A part: low, high, level."""

    low: int | float | None
    high: Any
    level: int | float | None


class BsfValidateCurvesTrain(TypedDict, total=False):
    """A part: count, mean_error_pct, max_error_pct, coverage_pct."""

    count: int | float | None
    mean_error_pct: int | float | None
    max_error_pct: int | float | None
    coverage_pct: int | float | None


class BsfValidateCurvesTest(TypedDict, total=False):
    """A part: count, mean_error_pct, max_error_pct, coverage_pct."""

    count: int | float | None
    mean_error_pct: int | float | None
    max_error_pct: int | float | None
    coverage_pct: int | float | None


class BsfValidateCurvesPoints(TypedDict, total=False):
    """A part: workers, part, measured_s, predicted_s."""

    workers: int | float | None
    part: str | None
    measured_s: int | float | None
    predicted_s: int | float | None
    low_s: int | float | None
    high_s: int | float | None
    error_pct: int | float | None
    extrapolates: bool


class BsfValidateCurves(TypedDict, total=False):
    """A part: form, collective, loss, coefficients."""

    form: str | None
    collective: str | None
    loss: str | None
    coefficients: dict[str, Any]
    k_max: Any
    k_max_interval: BsfValidateCurvesKMaxInterval | None
    train: BsfValidateCurvesTrain | None
    test: BsfValidateCurvesTest | None
    points: list[BsfValidateCurvesPoints]


class BsfValidateDocument(TypedDict, total=False):
    """The document `bsf-validate`."""

    kind: Required[Literal["bsf-validate"]]
    version: Required[int]
    source: str | None
    list_length: int | float | None
    warnings: list[Warning_]
    curves: list[BsfValidateCurves]


class CllTranslateFilesExperimentsSites(TypedDict, total=False):
    """A part: begin_line, end_line."""

    begin_line: int | float | None
    end_line: int | float | None


class CllTranslateFilesExperiments(TypedDict, total=False):
    """A part: name, formula, constants, names."""

    name: str | None
    formula: str | None
    constants: int | float | None
    names: list[str]
    sites: list[CllTranslateFilesExperimentsSites]


class CllTranslateFilesWarnings(TypedDict, total=False):
    """A part: code, message, file, line."""

    code: str | None
    message: str | None
    file: str | None
    line: int | float | None


class CllTranslateFiles(TypedDict, total=False):
    """A part: input, outputs, parallel, experiments."""

    input: str | None
    outputs: list[str]
    parallel: str | None
    experiments: list[CllTranslateFilesExperiments]
    warnings: list[CllTranslateFilesWarnings]


class CllTranslateErrors(TypedDict, total=False):
    """A part: file, line, column, code."""

    file: str | None
    line: int | float | None
    column: int | float | None
    code: str | None
    message: str | None
    hint: str | None


class CllTranslateDocument(TypedDict, total=False):
    """The document `cll-translate`."""

    kind: Required[Literal["cll-translate"]]
    version: Required[int]
    files: list[CllTranslateFiles]
    runtime: list[str]
    warnings: list[Warning_]
    errors: list[CllTranslateErrors]


class CllRuntimeDocument(TypedDict, total=False):
    """The document `cll-runtime`."""

    kind: Required[Literal["cll-runtime"]]
    version: Required[int]
    files: list[str]


class RecordDocument(TypedDict, total=False):
    """The document `record`."""

    kind: Required[Literal["record"]]
    version: Required[int]
    path: str | None
    command: list[str]
    exit_code: int | float | None
    p: int | float | None
    ranks_found: int | float | None
    time_s: int | float | None
    overhead_s: int | float | None
    bytes_file: int | float | None
    events: int | float | None
    partial: bool
    warnings: list[Warning_]


RecordShowRecordingsFactors = TypedDict("RecordShowRecordingsFactors", {"load_balance": int | float | None, "communication": int | float | None, "serialization": int | float | None, "transfer": int | float | None, "parallel": int | float | None, "computation_scaling": int | float | None, "instruction_scaling": Any, "ipc_scaling": Any, "frequency_scaling": Any, "global": int | float | None}, total=False)


class RecordShowRecordingsSites(TypedDict, total=False):
    """A part: site, where, call, calls."""

    site: int | float | None
    where: str | None
    call: str | None
    calls: int | float | None
    bytes: int | float | None
    block_time_s: int | float | None
    call_time_s: int | float | None
    share: int | float | None


class RecordShowRecordingsCalls(TypedDict, total=False):
    """A part: call, calls, bytes, time_s."""

    call: str | None
    calls: int | float | None
    bytes: int | float | None
    time_s: int | float | None


RecordShowRecordingsClasses = TypedDict("RecordShowRecordingsClasses", {"class": int | float | None, "ranks": list[int | float], "count": int | float | None, "useful_s": int | float | None}, total=False)


class RecordShowRecordingsMatrix(TypedDict, total=False):
    """A part: ranks, bytes."""

    ranks: list[int | float]
    bytes: list[list[int | float]]


class RecordShowRecordings(TypedDict, total=False):
    """A part: path, p, params, program."""

    path: str | None
    p: int | float | None
    params: dict[str, Any]
    program: str | None
    mpi: str | None
    partial: bool
    time_s: int | float | None
    basis: str | None
    useful_mean_s: int | float | None
    useful_max_s: int | float | None
    ideal_time_s: int | float | None
    off_core_share: int | float | None
    io_share: int | float | None
    polling_share: int | float | None
    events: int | float | None
    nodes: int | float | None
    factors: RecordShowRecordingsFactors | None
    speedup: int | float | None
    sites: list[RecordShowRecordingsSites]
    calls: list[RecordShowRecordingsCalls]
    classes: list[RecordShowRecordingsClasses]
    matrix: RecordShowRecordingsMatrix | None
    limits: str | None
    replay_error_pct: Any


class RecordShowForecastFactorsTransfer(TypedDict, total=False):
    """A part: value, low, high, form."""

    value: int | float | None
    low: int | float | None
    high: int | float | None
    form: str | None


class RecordShowForecastFactors(TypedDict, total=False):
    """A part: transfer."""

    transfer: RecordShowForecastFactorsTransfer | None


class RecordShowForecast(TypedDict, total=False):
    """A part: p, factors, time_s, time_low_s."""

    p: int | float | None
    factors: RecordShowForecastFactors | None
    time_s: int | float | None
    time_low_s: int | float | None
    time_high_s: int | float | None
    level: int | float | None


class RecordShowDocument(TypedDict, total=False):
    """The document `record-show`."""

    kind: Required[Literal["record-show"]]
    version: Required[int]
    recordings: list[RecordShowRecordings]
    reference_p: int | float | None
    scaling: str | None
    forecast: list[RecordShowForecast]
    warnings: list[Warning_]


class RecordDumpProgramsNodesNodesFields(TypedDict, total=False):
    """A part: peer, size, tag."""

    peer: str | None
    size: str | None
    tag: str | None


class RecordDumpProgramsNodesNodes(TypedDict, total=False):
    """A part: call, flags, site, where."""

    call: str | None
    flags: list[str]
    site: int | float | None
    where: str | None
    comm: int | float | None
    fields: RecordDumpProgramsNodesNodesFields | None
    executions: int | float | None
    block_mean_s: int | float | None
    call_mean_s: int | float | None


class RecordDumpProgramsNodes(TypedDict, total=False):
    """A part: trips, nodes."""

    trips: str | None
    nodes: list[RecordDumpProgramsNodesNodes]


RecordDumpPrograms = TypedDict("RecordDumpPrograms", {"class": int | float | None, "ranks": list[int | float], "rank": int | float | None, "thread": int | float | None, "nodes": list[RecordDumpProgramsNodes]}, total=False)


class RecordDumpDocument(TypedDict, total=False):
    """The document `record-dump`."""

    kind: Required[Literal["record-dump"]]
    version: Required[int]
    path: str | None
    p: int | float | None
    partial: bool
    programs: list[RecordDumpPrograms]
    warnings: list[Warning_]


class RecordImportDocument(TypedDict, total=False):
    """The document `record-import`."""

    kind: Required[Literal["record-import"]]
    version: Required[int]
    path: str | None
    format: str | None
    files: list[str]
    p: int | float | None
    events: int | float | None
    time_s: int | float | None
    lost: list[str]
    warnings: list[Warning_]


class RecordExportDocument(TypedDict, total=False):
    """The document `record-export`."""

    kind: Required[Literal["record-export"]]
    version: Required[int]
    path: str | None
    format: str | None
    p: int | float | None
    files: list[str]
    warnings: list[Warning_]


class RecordEnvVariables(TypedDict, total=False):
    """A part: name, value."""

    name: str | None
    value: str | None


class RecordEnvDocument(TypedDict, total=False):
    """The document `record-env`."""

    kind: Required[Literal["record-env"]]
    version: Required[int]
    path: str | None
    mpicc: str | None
    variables: list[RecordEnvVariables]
    warnings: list[Warning_]


class RecordFlagsDocument(TypedDict, total=False):
    """The document `record-flags`."""

    kind: Required[Literal["record-flags"]]
    version: Required[int]
    mpicc: str | None
    flags: list[str]
    warnings: list[Warning_]


class CllCcSourcesExperimentsSites(TypedDict, total=False):
    """A part: file, begin_line, end_line."""

    file: str | None
    begin_line: int | float | None
    end_line: int | float | None


class CllCcSourcesExperiments(TypedDict, total=False):
    """A part: name, formula, sites."""

    name: str | None
    formula: str | None
    sites: list[CllCcSourcesExperimentsSites]


class CllCcSourcesRefused(TypedDict, total=False):
    """A part: name, line, code."""

    name: str | None
    line: int | float | None
    code: str | None


class CllCcSources(TypedDict, total=False):
    """A part: file, objects, experiments, refused."""

    file: str | None
    objects: list[str]
    experiments: list[CllCcSourcesExperiments]
    refused: list[CllCcSourcesRefused]
    whole: bool


class CllCcDocument(TypedDict, total=False):
    """The document `cll-cc`."""

    kind: Required[Literal["cll-cc"]]
    version: Required[int]
    shadow: str | None
    compilers: list[str]
    sources: list[CllCcSources]
    warnings: list[Warning_]


class CllRunRuns(TypedDict, total=False):
    """A part: run, status, wall_s, cpu_s."""

    run: int | float | None
    status: str | None
    wall_s: int | float | None
    cpu_s: int | float | None
    traces: list[str]


class CllRunOverheadRegions(TypedDict, total=False):
    """A part: name, at, full_s, depth1_s."""

    name: str | None
    at: dict[str, Any]
    full_s: int | float | None
    depth1_s: int | float | None
    ratio_pct: int | float | None
    visits_inside: int | float | None
    verdict: str | None


class CllRunOverhead(TypedDict, total=False):
    """A part: rounds, wall_pct, depth1_pct, regions."""

    rounds: int | float | None
    wall_pct: int | float | None
    depth1_pct: int | float | None
    regions: list[CllRunOverheadRegions]


class CllRunDocument(TypedDict, total=False):
    """The document `cll-run`."""

    kind: Required[Literal["cll-run"]]
    version: Required[int]
    runs: list[CllRunRuns]
    overhead: CllRunOverhead | None
    warnings: list[Warning_]


class CllSuggestLoops(TypedDict, total=False):
    """A part: file, line, function, formula."""

    file: str | None
    line: int | float | None
    function: str | None
    formula: str | None
    variables: list[str]
    leading: str | None
    trips: str | None
    rms_pct: Any
    calls_unknown: list[Any]
    placed: bool
    reason: Any


class CllSuggestDocument(TypedDict, total=False):
    """The document `cll-suggest`."""

    kind: Required[Literal["cll-suggest"]]
    version: Required[int]
    loops: list[CllSuggestLoops]
    patch: str | None
    warnings: list[Warning_]


class LlacResults(TypedDict, total=False):
    """A part: command, text, line, ok."""

    command: str | None
    text: str | None
    line: int | float | None
    ok: bool
    result: dict[str, Any]
    warnings: list[Any]
    problem: dict[str, Any]


class LlacDocument(TypedDict, total=False):
    """The document `llac`."""

    kind: Required[Literal["llac"]]
    version: Required[int]
    warnings: list[Warning_]
    results: list[LlacResults]


class BspLearnTasks(TypedDict, total=False):
    """A part: name, args, steps."""

    name: str | None
    args: list[str]
    steps: int | float | None


class BspLearnFormulas(TypedDict, total=False):
    """A part: task, step, key, formula."""

    task: str | None
    step: str | None
    key: str | None
    formula: str | None
    holds: str | None
    observations: int | float | None


class BspLearnUnlearned(TypedDict, total=False):
    """A part: what, where."""

    what: str | None
    where: str | None


class BspLearnCheck(TypedDict, total=False):
    """A part: at, held_out, measured_s, obsp_time_s."""

    at: dict[str, Any]
    held_out: bool
    measured_s: int | float | None
    obsp_time_s: int | float | None
    low_s: int | float | None
    high_s: int | float | None
    error_pct: int | float | None
    finish_error_pct: int | float | None


class BspLearnDocument(TypedDict, total=False):
    """The document `bsp-learn`."""

    kind: Required[Literal["bsp-learn"]]
    version: Required[int]
    program: str | None
    models: list[str]
    tasks: list[BspLearnTasks]
    formulas: list[BspLearnFormulas]
    unlearned: list[BspLearnUnlearned]
    check: list[BspLearnCheck]
    warnings: list[Warning_]


class BspPredictPredictionsSteps(TypedDict, total=False):
    """A part: path, name, task, depth."""

    path: str | None
    name: Any
    task: str | None
    depth: int | float | None
    first_rank: int | float | None
    processors: int | float | None
    sync: str | None
    obsp_finish_s: list[int | float]
    bsp_finish_s: list[int | float]
    wait_s: list[int | float]
    h_bytes: list[int | float]


class BspPredictPredictionsCriticalPath(TypedDict, total=False):
    """A part: rank, path, kind, from_s."""

    rank: int | float | None
    path: str | None
    kind: str | None
    from_s: int | float | None
    to_s: int | float | None


class BspPredictPredictions(TypedDict, total=False):
    """A part: at, processors, obsp_time_s, low_s."""

    at: dict[str, Any]
    processors: int | float | None
    obsp_time_s: int | float | None
    low_s: Any
    high_s: Any
    level: Any
    draws: int | float | None
    bsp_time_s: int | float | None
    raw_bsp_time_s: Any
    gain: int | float | None
    start_s: list[int | float]
    obsp_finish_s: list[int | float]
    bsp_finish_s: list[int | float]
    work_s: list[int | float]
    wait_s: list[int | float]
    comm_s: list[int | float]
    steps: list[BspPredictPredictionsSteps]
    critical_path: list[BspPredictPredictionsCriticalPath]


class BspPredictDocument(TypedDict, total=False):
    """The document `bsp-predict`."""

    kind: Required[Literal["bsp-predict"]]
    version: Required[int]
    program: str | None
    file: str | None
    warnings: list[Warning_]
    predictions: list[BspPredictPredictions]


class WavefrontSolveModel(TypedDict, total=False):
    """A part: name, processes, process_names, step_s."""

    name: str | None
    processes: int | float | None
    process_names: list[str]
    step_s: int | float | None
    omega: int | float | None
    rho: int | float | None
    contraction_log10: int | float | None
    semantics: str | None
    tie: str | None
    A: list[int | float]
    B: list[int | float]
    x0_ticks: list[int | float]
    modes: list[Any]


class WavefrontSolveStates(TypedDict, total=False):
    """A part: bound, bound_log10, reachable, recurrent."""

    bound: int | float | None
    bound_log10: int | float | None
    reachable: int | float | None
    recurrent: int | float | None
    closed_classes: int | float | None
    period: int | float | None
    solved: int | float | None


class WavefrontSolveClasses(TypedDict, total=False):
    """A part: weight, states, period, phase_mean_s."""

    weight: int | float | None
    states: int | float | None
    period: int | float | None
    phase_mean_s: int | float | None
    iterations_mean: int | float | None


class WavefrontSolveIterationsMeanTies(TypedDict, total=False):
    """A part: counts, discards."""

    counts: int | float | None
    discards: int | float | None


class WavefrontSolveAsymptotic(TypedDict, total=False):
    """A part: phase_var_s2, iterations_var, cov_s."""

    phase_var_s2: int | float | None
    iterations_var: int | float | None
    cov_s: int | float | None


class WavefrontSolveEstimatesAverage(TypedDict, total=False):
    """A part: rate_per_iteration, rate_per_phase, phases, time_s."""

    rate_per_iteration: int | float | None
    rate_per_phase: int | float | None
    phases: int | float | None
    time_s: int | float | None
    sd_published_s: int | float | None
    sd_autocov_s: int | float | None


WavefrontSolveEstimatesOperator = TypedDict("WavefrontSolveEstimatesOperator", {"rate_per_iteration": int | float | None, "..": str | None, "kind": str | None, "bound_rate_per_phase": int | float | None, "ci_rate_per_phase": Any}, total=False)


class WavefrontSolveEstimates(TypedDict, total=False):
    """A part: average, worst, best, baudet."""

    average: WavefrontSolveEstimatesAverage | None
    worst: dict[str, Any]
    best: dict[str, Any]
    baudet: dict[str, Any]
    operator: WavefrontSolveEstimatesOperator | None


class WavefrontSolveWavefront(TypedDict, total=False):
    """A part: x_ticks, prob, mode."""

    x_ticks: list[int | float]
    prob: int | float | None
    mode: Any


class WavefrontSolveIterationsPmf(TypedDict, total=False):
    """A part: iterations, prob."""

    iterations: int | float | None
    prob: int | float | None


class WavefrontSolvePhasePmf(TypedDict, total=False):
    """A part: ticks, prob."""

    ticks: int | float | None
    prob: int | float | None


class WavefrontSolveTimeQuantiles(TypedDict, total=False):
    """A part: q, time_s."""

    q: int | float | None
    time_s: int | float | None


class WavefrontSolveTimeTails(TypedDict, total=False):
    """A part: threshold_s, probability, rate, theta_per_tick."""

    threshold_s: int | float | None
    probability: int | float | None
    rate: int | float | None
    theta_per_tick: int | float | None
    chernoff: int | float | None


class WavefrontSolveTimeCdf(TypedDict, total=False):
    """A part: time_s, probability."""

    time_s: int | float | None
    probability: int | float | None


class WavefrontSolveTime(TypedDict, total=False):
    """A part: method, phases, mean_s, sd_s."""

    method: str | None
    phases: int | float | None
    mean_s: int | float | None
    sd_s: int | float | None
    quantiles: list[WavefrontSolveTimeQuantiles]
    tails: list[WavefrontSolveTimeTails]
    cdf: list[WavefrontSolveTimeCdf]


class WavefrontSolveDegrees(TypedDict, total=False):
    """A part: name, A, B, method."""

    name: str | None
    A: list[int | float]
    B: list[int | float]
    method: str | None
    phase_mean_s: int | float | None
    iterations_mean: int | float | None
    estimates: dict[str, Any]
    ci_time_s: Any


class WavefrontSolveRanking(TypedDict, total=False):
    """A part: by, order, time_ratio, tied."""

    by: str | None
    order: list[str]
    time_ratio: list[int | float]
    tied: list[bool]
    reason: Any


class WavefrontSolveSensitivityProcesses(TypedDict, total=False):
    """A part: name, critical_share, own_share, critical_time_s."""

    name: str | None
    critical_share: int | float | None
    own_share: int | float | None
    critical_time_s: int | float | None
    gain_s: int | float | None


WavefrontSolveSensitivityLinks = TypedDict("WavefrontSolveSensitivityLinks", {"from": str | None, "to": str | None, "critical_share": int | float | None, "critical_time_s": int | float | None, "gain_s": int | float | None}, total=False)


class WavefrontSolveSensitivity(TypedDict, total=False):
    """A part: method, processes, links, overrun_time_s."""

    method: str | None
    processes: list[WavefrontSolveSensitivityProcesses]
    links: list[WavefrontSolveSensitivityLinks]
    overrun_time_s: int | float | None


class WavefrontSolveCi(TypedDict, total=False):
    """A part: level, phase_mean_s."""

    level: int | float | None
    phase_mean_s: list[int | float]


class WavefrontSolveDocument(TypedDict, total=False):
    """The document `wavefront-solve`."""

    kind: Required[Literal["wavefront-solve"]]
    version: Required[int]
    schema: str | None
    method: str | None
    why: str | None
    extremes: str | None
    model: WavefrontSolveModel | None
    states: WavefrontSolveStates | None
    classes: list[WavefrontSolveClasses]
    phase_mean_s: int | float | None
    phase_var_s2: int | float | None
    iterations_mean: int | float | None
    iterations_var: int | float | None
    iterations_min: int | float | None
    iterations_max: int | float | None
    cov_iterations_phase_s: int | float | None
    iterations_mean_ties: WavefrontSolveIterationsMeanTies | None
    updates_mean: list[int | float]
    speed_per_s: int | float | None
    phases_needed: int | float | None
    sd_fixed_phases_s: int | float | None
    asymptotic: WavefrontSolveAsymptotic | None
    estimates: WavefrontSolveEstimates | None
    wavefront: list[WavefrontSolveWavefront]
    iterations_pmf: list[WavefrontSolveIterationsPmf]
    phase_pmf: list[WavefrontSolvePhasePmf]
    time: WavefrontSolveTime | None
    degrees: list[WavefrontSolveDegrees]
    ranking: WavefrontSolveRanking | None
    sensitivity: WavefrontSolveSensitivity | None
    ci: WavefrontSolveCi | None
    seed: int | float | None
    warnings: list[Warning_]


class WavefrontCampaignModel(TypedDict, total=False):
    """A part: name."""

    name: str | None


class WavefrontCampaignOperator(TypedDict, total=False):
    """A part: kind, dimension."""

    kind: str | None
    dimension: int | float | None


class WavefrontCampaignDegreesHistogram(TypedDict, total=False):
    """A part: from_s, to_s, count."""

    from_s: int | float | None
    to_s: int | float | None
    count: int | float | None


class WavefrontCampaignDegreesEstimates(TypedDict, total=False):
    """A part: name, rate_per_iteration, rate_error, time_s."""

    name: str | None
    rate_per_iteration: int | float | None
    rate_error: int | float | None
    time_s: int | float | None
    time_error: int | float | None
    sd_published_s: int | float | None
    sd_autocov_s: int | float | None


class WavefrontCampaignDegrees(TypedDict, total=False):
    """A part: name, A, B, runs."""

    name: str | None
    A: list[int | float]
    B: list[int | float]
    runs: int | float | None
    reached: int | float | None
    phases_mean: int | float | None
    iterations_mean: int | float | None
    time_mean_s: int | float | None
    time_sd_s: int | float | None
    rate_per_iteration: int | float | None
    times_s: list[int | float]
    starts_s: list[int | float]
    histogram: list[WavefrontCampaignDegreesHistogram]
    estimates: list[WavefrontCampaignDegreesEstimates]


class WavefrontCampaignDocument(TypedDict, total=False):
    """The document `wavefront-campaign`."""

    kind: Required[Literal["wavefront-campaign"]]
    version: Required[int]
    status: str | None
    model: WavefrontCampaignModel | None
    backend: str | None
    emulated: bool
    work_s: int | float | None
    digits: int | float | None
    phases: int | float | None
    runs: int | float | None
    seed: int | float | None
    operator: WavefrontCampaignOperator | None
    degrees: list[WavefrontCampaignDegrees]
    files: list[str]
    warnings: list[Warning_]


class WavefrontRunModel(TypedDict, total=False):
    """A part: name, processes, process_names, step_s."""

    name: str | None
    processes: int | float | None
    process_names: list[str]
    step_s: int | float | None
    omega: int | float | None
    rho: int | float | None
    contraction_log10: int | float | None
    semantics: str | None
    tie: str | None
    A: list[int | float]
    B: list[int | float]
    x0_ticks: list[int | float]
    modes: list[Any]


class WavefrontRunOperator(TypedDict, total=False):
    """A part: kind, dimension."""

    kind: str | None
    dimension: int | float | None


class WavefrontRunMeasured(TypedDict, total=False):
    """A part: phase_mean_s, phase_var_s2, iterations_mean, iterations_var."""

    phase_mean_s: int | float | None
    phase_var_s2: int | float | None
    iterations_mean: int | float | None
    iterations_var: int | float | None
    updates_mean: list[int | float]
    discarded_mean: list[int | float]
    rate_per_phase: int | float | None
    time_s: int | float | None
    time_sd_s: Any


class WavefrontRunPredictedIterationsMeanTies(TypedDict, total=False):
    """A part: counts, discards."""

    counts: int | float | None
    discards: int | float | None


class WavefrontRunPredicted(TypedDict, total=False):
    """A part: method, phase_mean_s, iterations_mean, iterations_mean_ties."""

    method: str | None
    phase_mean_s: int | float | None
    iterations_mean: int | float | None
    iterations_mean_ties: WavefrontRunPredictedIterationsMeanTies | None
    updates_mean: list[int | float]
    rate_per_phase: int | float | None
    rate_kind: str | None
    time_s: int | float | None
    time_sd_s: int | float | None


class WavefrontRunRelativeError(TypedDict, total=False):
    """A part: phase_mean_s, iterations_mean, updates_mean, rate_per_phase."""

    phase_mean_s: int | float | None
    iterations_mean: int | float | None
    updates_mean: list[int | float]
    rate_per_phase: int | float | None
    time_s: int | float | None
    time_sd_s: Any


class WavefrontRunOvershoot(TypedDict, total=False):
    """A part: mean_s, max_s."""

    mean_s: int | float | None
    max_s: int | float | None


class WavefrontRunDocument(TypedDict, total=False):
    """The document `wavefront-run`."""

    kind: Required[Literal["wavefront-run"]]
    version: Required[int]
    status: str | None
    model: WavefrontRunModel | None
    backend: str | None
    emulated: bool
    work_s: Any
    phases: int | float | None
    runs: int | float | None
    seed: int | float | None
    operator: WavefrontRunOperator | None
    semantics: str | None
    semantics_asked: str | None
    validated: str | None
    validated_phases: int | float | None
    measured: WavefrontRunMeasured | None
    predicted: WavefrontRunPredicted | None
    relative_error: WavefrontRunRelativeError | None
    wavefront_tv: int | float | None
    wavefront_tv_chance: int | float | None
    overshoot: WavefrontRunOvershoot | None
    files: list[str]
    warnings: list[Warning_]


class SimRunApps(TypedDict, total=False):
    """A part: app, params, processes, start_s."""

    app: str | None
    params: dict[str, Any]
    processes: int | float | None
    start_s: int | float | None
    time_s: int | float | None
    energy_j: int | float | None
    energy_idle_j: int | float | None
    energy_load_j: int | float | None
    cost: Any
    failure_rate_per_s: int | float | None
    failure_probability: int | float | None
    core_s: int | float | None


class SimRunUnallocated(TypedDict, total=False):
    """A part: energy_j, cost."""

    energy_j: int | float | None
    cost: Any


class SimRunReliability(TypedDict, total=False):
    """A part: failure_rate_per_s, failure_probability, expected_time_s, checkpoint."""

    failure_rate_per_s: int | float | None
    failure_probability: int | float | None
    expected_time_s: int | float | None
    checkpoint: Any


class SimRunFaults(TypedDict, total=False):
    """A part: count_mean, lost_s_mean, time_s, time_low_s."""

    count_mean: int | float | None
    lost_s_mean: int | float | None
    time_s: int | float | None
    time_low_s: int | float | None
    time_high_s: int | float | None
    replays: int | float | None


class SimRunVolunteers(TypedDict, total=False):
    """A part: jobs, copies, wrong, late."""

    jobs: int | float | None
    copies: int | float | None
    wrong: int | float | None
    late: int | float | None
    copies_per_job: int | float | None


class SimRunLabels(TypedDict, total=False):
    """A part: app, label, count, classes."""

    app: str | None
    label: str | None
    count: int | float | None
    classes: int | float | None
    time_s: int | float | None
    last_s: int | float | None
    compute_s: int | float | None
    overhead_s: int | float | None
    transfer_s: int | float | None
    wait_s: int | float | None
    collective_s: int | float | None
    io_s: int | float | None
    messages: int | float | None
    bytes_sent: int | float | None


class SimRunPhases(TypedDict, total=False):
    """A part: phase, label, time_s."""

    phase: str | None
    label: str | None
    time_s: int | float | None


class SimRunComponents(TypedDict, total=False):
    """A part: id, kind, count, used."""

    id: str | None
    kind: str | None
    count: int | float | None
    used: int | float | None
    busy_s: int | float | None
    utilization: int | float | None
    energy_idle_j: int | float | None
    energy_load_j: int | float | None
    failure_rate_per_s: Any


class SimRunLinks(TypedDict, total=False):
    """A part: network, link, bytes, busy_s."""

    network: str | None
    link: str | None
    bytes: int | float | None
    busy_s: int | float | None
    utilization: int | float | None


class SimRunBottleneckPath(TypedDict, total=False):
    """A part: kind, what, time_s, share."""

    kind: str | None
    what: str | None
    time_s: int | float | None
    share: int | float | None


class SimRunBottleneck(TypedDict, total=False):
    """A part: kind, what, share, path."""

    kind: str | None
    what: str | None
    share: int | float | None
    path: list[SimRunBottleneckPath]
    ideal_network_time_s: int | float | None
    free_compute_time_s: int | float | None
    text: str | None


class SimRunCheck(TypedDict, total=False):
    """A part: fidelity, processes, time_s, difference_pct."""

    fidelity: str | None
    processes: int | float | None
    time_s: int | float | None
    difference_pct: int | float | None


class SimRunCounts(TypedDict, total=False):
    """A part: operations, messages, bytes, collectives."""

    operations: int | float | None
    messages: int | float | None
    bytes: int | float | None
    collectives: int | float | None
    events: int | float | None


class SimRunExchangeSites(TypedDict, total=False):
    """A part: file, line, on, type."""

    file: str | None
    line: int | float | None
    on: str | None
    type: str | None
    text: str | None
    reason: Any
    value_from: int | float | None
    value_to: int | float | None
    share: int | float | None


SimRunExchange = TypedDict("SimRunExchange", {"name": str | None, "what": str | None, "from": str | None, "to": str | None, "effect": str | None, "share": int | float | None, "sites": list[SimRunExchangeSites]}, total=False)


class SimRunScaled(TypedDict, total=False):
    """A part: model, coefficient, on, to."""

    model: str | None
    coefficient: str | None
    on: str | None
    to: str | None
    figure: str | None
    ratio: int | float | None
    value: int | float | None
    low: int | float | None
    high: int | float | None
    file: str | None
    line: int | float | None


class SimRunCostOfSimulation(TypedDict, total=False):
    """A part: cpu_s, wall_s, peak_memory_bytes."""

    cpu_s: int | float | None
    wall_s: int | float | None
    peak_memory_bytes: int | float | None


class SimRunDocument(TypedDict, total=False):
    """The document `sim-run`."""

    kind: Required[Literal["sim-run"]]
    version: Required[int]
    system: str | None
    fidelity: str | None
    tick_s: int | float | None
    seed: int | float | None
    repetitions: int | float | None
    processes: int | float | None
    apps: list[SimRunApps]
    unallocated: SimRunUnallocated | None
    time_s: int | float | None
    time_low_s: int | float | None
    time_high_s: int | float | None
    level: int | float | None
    range_from: str | None
    time_min_s: int | float | None
    time_max_s: int | float | None
    time_sd_s: int | float | None
    time_ticks: str | None
    times_s: list[int | float]
    energy_j: int | float | None
    power_mean_w: int | float | None
    cost: Any
    price: Any
    reliability: SimRunReliability | None
    faults: SimRunFaults | None
    volunteers: SimRunVolunteers | None
    labels: list[SimRunLabels]
    phases: list[SimRunPhases]
    components: list[SimRunComponents]
    links: list[SimRunLinks]
    bottleneck: SimRunBottleneck | None
    check: list[SimRunCheck]
    counts: SimRunCounts | None
    not_modelled: list[str]
    assumed: list[str]
    exchange: list[SimRunExchange]
    scaled: list[SimRunScaled]
    warnings: list[Warning_]
    cost_of_simulation: SimRunCostOfSimulation | None


class SimNewTemplates(TypedDict, total=False):
    """A part: name, what."""

    name: str | None
    what: str | None


class SimNewDocument(TypedDict, total=False):
    """The document `sim-new`."""

    kind: Required[Literal["sim-new"]]
    version: Required[int]
    template: str | None
    files: list[str]
    templates: list[SimNewTemplates]


class SimCalibrateTrain(TypedDict, total=False):
    """A part: rows, d_avg_pct, d_max_pct."""

    rows: int | float | None
    d_avg_pct: int | float | None
    d_max_pct: int | float | None


class SimCalibrateHoldout(TypedDict, total=False):
    """A part: rows, d_avg_pct, d_max_pct."""

    rows: int | float | None
    d_avg_pct: int | float | None
    d_max_pct: int | float | None


class SimCalibrateRows(TypedDict, total=False):
    """A part: params, set, real_s, simulated_s."""

    params: dict[str, Any]
    set: str | None
    real_s: int | float | None
    simulated_s: int | float | None
    d_pct: int | float | None


class SimCalibrateNoise(TypedDict, total=False):
    """A part: name, value, low, high."""

    name: str | None
    value: int | float | None
    low: int | float | None
    high: int | float | None


class SimCalibrateLaws(TypedDict, total=False):
    """A part: type, law, score_pct, chosen."""

    type: str | None
    law: str | None
    score_pct: int | float | None
    chosen: bool
    why: str | None


class SimCalibrateDocument(TypedDict, total=False):
    """The document `sim-calibrate`."""

    kind: Required[Literal["sim-calibrate"]]
    version: Required[int]
    level: int | float | None
    coefficients: list[dict[str, Any]]
    train: SimCalibrateTrain | None
    holdout: SimCalibrateHoldout | None
    rows: list[SimCalibrateRows]
    condition: int | float | None
    evaluations: int | float | None
    converged: bool
    noise: list[SimCalibrateNoise]
    misfit_pct: int | float | None
    seeds: int | float | None
    rows_unplaced: int | float | None
    entry: Any
    laws: list[SimCalibrateLaws]
    warnings: list[Warning_]


class SimSweepVary(TypedDict, total=False):
    """A part: p."""

    p: list[int | float]


class SimSweepRows(TypedDict, total=False):
    """A part: p, rep, time_s, energy_j."""

    p: int | float | None
    rep: int | float | None
    time_s: int | float | None
    energy_j: int | float | None
    expected_time_s: int | float | None
    failure_probability: int | float | None
    cost: Any
    status: str | None
    key: str | None


class SimSweepDocument(TypedDict, total=False):
    """The document `sim-sweep`."""

    kind: Required[Literal["sim-sweep"]]
    version: Required[int]
    vary: SimSweepVary | None
    simulated: int | float | None
    taken_over: int | float | None
    failed: int | float | None
    rows: list[SimSweepRows]
    exchange: list[Any]
    scaled: list[Any]
    warnings: list[Warning_]


class SimOptimizeFrontHardware(TypedDict, total=False):
    """A part: cpu."""

    cpu: str | None


class SimOptimizeFrontUnallocated(TypedDict, total=False):
    """A part: energy_j, cost."""

    energy_j: int | float | None
    cost: Any


class SimOptimizeFront(TypedDict, total=False):
    """A part: params, hardware, processes, time_s."""

    params: dict[str, Any]
    hardware: SimOptimizeFrontHardware | None
    processes: int | float | None
    time_s: int | float | None
    energy_j: int | float | None
    failure_probability: int | float | None
    expected_time_s: int | float | None
    faults: Any
    cost: Any
    price: Any
    power_mean_w: int | float | None
    apps: list[Any]
    unallocated: SimOptimizeFrontUnallocated | None


class SimOptimizeDocument(TypedDict, total=False):
    """The document `sim-optimize`."""

    kind: Required[Literal["sim-optimize"]]
    version: Required[int]
    objectives: list[str]
    front: list[SimOptimizeFront]
    ties: list[list[int | float]]
    exchange: list[Any]
    scaled: list[Any]
    left_out: list[Any]
    schedule: Any
    schedule_way: Any
    schedule_value: Any
    schedule_other_value: Any
    evaluated: int | float | None
    exhaustive: bool
    combinations: int | float | None
    seed: int | float | None
    advice: list[str]
    warnings: list[Warning_]


class SimJobsDocument(TypedDict, total=False):
    """The document `sim-jobs`."""

    kind: Required[Literal["sim-jobs"]]
    version: Required[int]
    policy: str | None
    unit: str | None
    size: int | float | None
    jobs: int | float | None
    left_out: int | float | None
    makespan_s: int | float | None
    utilization: int | float | None
    wait_mean_s: int | float | None
    slowdown_bounded_mean: int | float | None
    energy_j: int | float | None
    lost_core_s: int | float | None
    killed: int | float | None
    warnings: list[Warning_]


class SimLearnRecordings(TypedDict, total=False):
    """A part: path, p, params."""

    path: str | None
    p: int | float | None
    params: dict[str, Any]


SimLearnGrid = TypedDict("SimLearnGrid", {"dims": int | float | None, "wrap": bool, "order": str | None, "sizes": list[str], "from": str | None, "far": int | float | None, "offsets": int | float | None}, total=False)


SimLearnClassesCounts = TypedDict("SimLearnClassesCounts", {"8": int | float | None, "27": int | float | None}, total=False)


class SimLearnClasses(TypedDict, total=False):
    """A part: signature, guard, counts."""

    signature: str | None
    guard: str | None
    counts: SimLearnClassesCounts | None


class SimLearnPeers(TypedDict, total=False):
    """A part: site, where, function, offset."""

    site: int | float | None
    where: str | None
    function: str | None
    offset: list[int | float]


class SimLearnFormulas(TypedDict, total=False):
    """A part: name, site, what, text."""

    name: str | None
    site: int | float | None
    what: str | None
    text: str | None
    status: str | None
    configurations: int | float | None
    range_pct: Any


class SimLearnCoverage(TypedDict, total=False):
    """A part: calls, time."""

    calls: int | float | None
    time: int | float | None


class SimLearnCheck(TypedDict, total=False):
    """A part: p, params, recorded_s, basis."""

    p: int | float | None
    params: dict[str, Any]
    recorded_s: int | float | None
    basis: str | None
    simulated_s: int | float | None
    low_s: int | float | None
    high_s: int | float | None
    difference_pct: int | float | None
    calls: int | float | None
    calls_right: int | float | None
    calls_equal: bool
    bytes_equal: bool
    held_out: bool


class SimLearnForecast(TypedDict, total=False):
    """A part: p, params, time_s, time_low_s."""

    p: int | float | None
    params: dict[str, Any]
    time_s: int | float | None
    time_low_s: int | float | None
    time_high_s: int | float | None
    level: int | float | None
    extrapolates: bool


class SimLearnDocument(TypedDict, total=False):
    """The document `sim-learn`."""

    kind: Required[Literal["sim-learn"]]
    version: Required[int]
    recordings: list[SimLearnRecordings]
    grid: SimLearnGrid | None
    classes: list[SimLearnClasses]
    peers: list[SimLearnPeers]
    formulas: list[SimLearnFormulas]
    coverage: SimLearnCoverage | None
    unexplained: list[Any]
    check: list[SimLearnCheck]
    forecast: list[SimLearnForecast]
    files: list[str]
    warnings: list[Warning_]


class SimSystemCheckTotals(TypedDict, total=False):
    """A part: machines, cores, accelerators, flops_double_per_s."""

    machines: int | float | None
    cores: int | float | None
    accelerators: int | float | None
    flops_double_per_s: int | float | None
    flops_single_per_s: int | float | None
    memory_bytes: Any
    power_idle_w: int | float | None
    power_load_w: int | float | None
    failure_rate_per_s: int | float | None
    price: Any
    price_hour: Any


class SimSystemCheckDocument(TypedDict, total=False):
    """The document `sim-system-check`."""

    kind: Required[Literal["sim-system-check"]]
    version: Required[int]
    system: str | None
    file: str | None
    ok: bool
    components: int | float | None
    networks: int | float | None
    models: list[str]
    totals: SimSystemCheckTotals | None
    assumed: list[Any]
    warnings: list[Warning_]


class SimHardwareShowEntryAttributes(TypedDict, total=False):
    """A part: attribute, value, unit, quality."""

    attribute: str | None
    value: int | float | None
    unit: str | None
    quality: str | None
    source: str | None
    formula: Any


class SimHardwareShowEntry(TypedDict, total=False):
    """A part: id, name, kind, origin."""

    id: str | None
    name: str | None
    kind: str | None
    origin: str | None
    note: Any
    attributes: list[SimHardwareShowEntryAttributes]


class SimHardwareShowDocument(TypedDict, total=False):
    """The document `sim-hardware-show`."""

    kind: Required[Literal["sim-hardware-show"]]
    version: Required[int]
    entry: SimHardwareShowEntry | None


class ReportDocument(TypedDict, total=False):
    """The document `report`."""

    kind: Required[Literal["report"]]
    version: Required[int]
    warnings: list[Warning_]
    title: str | None
    output: str | None
    sections: list[str]
    plots: list[Any]


class ErrorProblems(TypedDict, total=False):
    """A part: file, line, pointer, code."""

    file: str | None
    line: int | float | None
    pointer: str | None
    code: str | None
    message: str | None
    value: str | None
    hint: str | None


class ErrorDocument(TypedDict, total=False):
    """The document `error`."""

    kind: Required[Literal["error"]]
    version: Required[int]
    problems: list[ErrorProblems]
