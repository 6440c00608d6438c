//! Collectives that choose as another library does, beside that library's own answer.

#![cfg(feature = "luau")]

mod support;

use support::run_experiment;

/// The platform `ethernet` of `testdata/sim/PROVENANCE.md`, one process a machine.
const SYSTEM: &str = r#"format = "runcast-system/1"
name = "ethernet"
component = [ { id = "eth", kind = "group" }, { id = "node", kind = "machine", parent = "eth", count = 104 },
  { id = "cpu", kind = "cpu", parent = "node", set = { cores = 1, flops_double = "4Gflop/s" } } ]
[[network]]
of = "eth"
topology = { kind = "star", backbone = { bandwidth = "10GB/s", latency = "4us" } }
set = { bandwidth = "125MB/s", latency = "18us", eager_limit = 65536, detach_limit = 65536, window = 16777216 }
segments = [
  { from = 0, latency_factor = 1.0, bandwidth_factor = 0.62, overhead = "6us", overhead_per_byte = "1ns", isend_overhead = "0.2us", isend_overhead_per_byte = 0 },
  { from = 1420, latency_factor = 1.6, bandwidth_factor = 0.74 },
  { from = 32768, latency_factor = 2.4, bandwidth_factor = 0.86 },
  { from = 65536, latency_factor = 3.5, bandwidth_factor = 0.92 },
  { from = 327680, latency_factor = 5.5, bandwidth_factor = 0.945 },
]
"#;

fn time_s(script: &str, parameters: &str) -> f64 {
    let experiment = format!(
        "format = \"runcast-experiment/1\"\nsystem = \"s.toml\"\nfidelity = \"flow\"\nselector = \"smpi\"\n\
         collectives = \"expanded\"\n[[app]]\nfile = \"a.luau\"\nparams = {parameters}\n"
    );
    run_experiment(&experiment, &[("s.toml", SYSTEM), ("a.luau", script)]).expect("runs").time_s
}

/// Percent that a time is off.
fn difference(seen: f64, expected: &str) -> f64 {
    100.0 * (seen / expected.parse::<f64>().expect("a time") - 1.0)
}

/// `testdata/sim/simgrid/collectives.csv`: SMPI of SimGrid 3.32 with its own choice. Its messages are 16 bytes longer: small ones
/// take longer there.
#[test]
fn collectives_take_as_long_as_in_smpi() {
    let rows = include_str!("../../../testdata/sim/simgrid/collectives.csv");
    let (mut bad, mut checked) = (Vec::new(), 0);
    for row in rows.lines().filter(|row| !row.starts_with('#')).skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let [operation, processes, size, time] = cells[..] else { panic!("{row}") };
        let run = format!("{operation}{{ size = {size} }}");
        let script = format!("label{{ \"p\", count = {processes}, run = function() {run} end }}");
        let off = difference(time_s(&script, "{}"), time);
        let most = if size == "240" { 6.0 } else { 1.5 };
        if off.abs() > most {
            bad.push(format!("{row}: {off:.2} %"));
        }
        checked += 1;
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
    assert_eq!(checked, 124);
}

/// A dense factorization, as its messages go: pivots of a panel by columns, the panel along rows, swapped rows along columns.
const PANELS: &str = r#"
local P, Q, N, B = param("P", 4), param("Q", 4), param("N", 4096), param("B", 128)
label{ "cell", count = P*Q, run = function(rank)
  local i, j = rank // Q, rank % Q
  local rows, cols = {}, {}
  for x = 0, Q - 1 do rows[#rows + 1] = i*Q + x end
  for y = 0, P - 1 do cols[#cols + 1] = y*Q + j end
  local row, col = comm(rows), comm(cols)
  for k = 0, N // B - 1 do
    local left = N - (k + 1)*B
    local m, n = left // P, left // Q
    if left <= 0 then break end
    if j == k % Q then
      for s = 1, 4 do allreduce{ size = 8*B, comm = col } end
      compute{ ops = m*B*B }
    end
    bcast{ size = 8*m*B, root = k % Q, comm = row }
    local w = n*B // P
    scatter{ size = 8*w*P, root = k % P, comm = col }
    allgather{ size = 8*w*P, comm = col }
    compute{ ops = 2*m*n*B }
  end
end }
"#;

/// The same program in C under SMPI of SimGrid 3.32.
#[test]
fn panels_and_row_swaps_take_as_long_as_in_smpi() {
    for (rows, columns, order, time) in [
        (2, 2, 2048, "0.506654855190"),
        (2, 2, 8192, "25.211159641605"),
        (4, 4, 2048, "0.246735258923"),
        (4, 4, 8192, "7.934326056280"),
        (4, 6, 2048, "0.242584564662"),
        (4, 6, 8192, "6.366716957138"),
    ] {
        let seen = time_s(PANELS, &format!("{{ P = {rows}, Q = {columns}, N = {order} }}"));
        let off = difference(seen, time);
        println!("{rows} x {columns}, {order}: {seen} {off:.2} %");
        assert!(off.abs() < 1.0, "{rows} x {columns}, {order}: {seen}, {off:.2} %");
    }
}
