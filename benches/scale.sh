#!/usr/bin/env bash
# Speed at scale: whole commands, from the text of a script, schedule or trace to the answer, in CPU seconds; beside SimGrid's
# SMPI (Debian's packages simgrid and libsimgrid-dev) where it can do the same. Prints the rows of docs/benchmarks.md.
#
#   bash benches/scale.sh [RUNCAST [WORK..]]      target/release/runcast unless given; all work, or dissemination, halo,
#                                                 million, trace, gradient-210, gradient-1400, crowd, calibration
set -euo pipefail

runcast=$(realpath "${1:-target/release/runcast}")
all=" ${*:2} "
# Whether a work is wanted.
wanted() { [[ $all == *[![:space:]]* ]] || return 0; [[ $all == *" $1 "* ]]; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
TIMEFORMAT='%U %S'

# cpu COMMAND..: CPU seconds of a command, user and system, on one of its threads.
cpu() { { time "$@" > out.txt 2> err.txt; } 2>&1 | awk '{ printf "%.2f", $1 + $2 }'; }
# row WORK GOAL OURS THEIRS
row() {
    awk -v work="$1" -v goal="$2" -v ours="$3" -v theirs="$4" 'BEGIN {
        printf "| %s | %s | %s, %s | %s | %s |\n", work, ours, goal, (ours <= goal ? "met" : "missed"), theirs,
            (theirs + 0 > 0 ? sprintf("%.0f", theirs/ours) : "-") }'
}

cat > dissemination.luau <<'END'
local p = param("p", 65536)
label{ "cell", count = p, run = function(rank)
  local requests, distance = {}, 1
  while distance < p do
    requests[#requests + 1] = irecv{ from = (rank - distance + p) % p }
    distance = 2*distance
  end
  distance = 1
  for round = 1, #requests do
    send{ to = (rank + distance) % p, size = 8 }
    wait(requests[round])
    distance = 2*distance
  end
end }
END
cat > halo.luau <<'END'
local side, iterations = param("side", 20), param("iterations", 10)
local plane = side*side
label{ "cell", count = side^3, run = function(rank)
  local x, y, z = rank % side, rank // side % side, rank // plane
  local near = {
    (x + 1) % side + y*side + z*plane, (x + side - 1) % side + y*side + z*plane,
    x + (y + 1) % side * side + z*plane, x + (y + side - 1) % side * side + z*plane,
    x + y*side + (z + 1) % side * plane, x + y*side + (z + side - 1) % side * plane,
  }
  loop(iterations, function()
    local requests = {}
    for d = 0, 5 do requests[d + 1] = irecv{ from = near[d + 1], tag = bit32.bxor(d, 1) } end
    for d = 0, 5 do requests[d + 7] = isend{ to = near[d + 1], size = 8192, tag = d } end
    waitall(requests)
    compute{ ops = 1e5 }
  end)
end }
END
# Conjugate gradient: all neighbors of a grid in three dimensions, and two sums over all processes.
cat > gradient.luau <<'END'
local nx, ny, nz, points = param("nx", 5), param("ny", 6), param("nz", 7), 32
label{ "cell", count = nx*ny*nz, run = function(rank)
  local x, y, z = rank % nx, rank // nx % ny, rank // (nx*ny)
  local near = {}
  for k = -1, 1 do for j = -1, 1 do for i = -1, 1 do
    local inside = x + i >= 0 and x + i < nx and y + j >= 0 and y + j < ny and z + k >= 0 and z + k < nz
    if inside and (i ~= 0 or j ~= 0 or k ~= 0) then
      near[#near + 1] = { x + i + (y + j)*nx + (z + k)*nx*ny, 8*points^(3 - math.abs(i) - math.abs(j) - math.abs(k)) }
    end
  end end end
  loop(10, function()
    local requests = {}
    for _, one in near do requests[#requests + 1] = irecv{ from = one[1] } end
    for _, one in near do requests[#requests + 1] = isend{ to = one[1], size = one[2] } end
    waitall(requests)
    compute{ ops = 2e5 }
    allreduce{ size = 8 }
    allreduce{ size = 8 }
  end)
end }
END
# Panels of a matrix go around along the rows of a grid of q x q processes; then all update what is theirs.
cat > dense.luau <<'END'
local q, n, width = param("q", 4), param("n", 8192), 128
label{ "cell", count = q*q, run = function(rank)
  local x, y = rank % q, rank // q
  local left, right = (x + q - 1) % q + y*q, (x + 1) % q + y*q
  for panel = 0, n/width - 1 do
    local rest, owner = (n - panel*width)/q, panel % q
    if x == owner then compute{ type = "panel", ops = rest*width^2 } end
    if q > 1 then
      if x ~= owner then recv{ from = left, tag = 1 } end
      if (x + 1) % q ~= owner then send{ to = right, size = 8*rest*width, tag = 1 } end
      local up = isend{ to = x + ((y + 1) % q)*q, size = 8*rest*width, tag = 2 }
      recv{ from = x + ((y + q - 1) % q)*q, tag = 2 }
      wait(up)
    end
    compute{ type = "swap", size = 8*rest*width }
    compute{ type = "update", ops = 2*rest^2*width }
  end
end }
END

# tree FILE BELOW LEAVES: machines of one core, 1 Gflop/s, on a fat tree of two levels with half of the up-links.
tree() {
    cat > "$1" <<END
format = "runcast-system/1"
name = "tree"
component = [ { id = "tree", kind = "group" }, { id = "node", kind = "machine", parent = "tree", count = $(($2 * $3)) },
  { id = "cpu", kind = "cpu", parent = "node", set = { cores = 1, flops_double = 1e9 } } ]
[[network]]
of = "tree"
topology = { kind = "fat_tree", down = [$2, $3], up = [1, $(($2 / 2))], links = [1, 1] }
set = { bandwidth = "1.25GB/s", latency = "1us" }
END
}

# smpi COUNT TOPOLOGY PARAMETERS: CPU seconds of SMPI for the traces, without factors and overheads.
smpi() {
    command -v smpirun > /dev/null || { echo -n '-'; return; }
    cat > platform.xml <<END
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
 <config>
  <prop id="smpi/lat-factor" value="0:1"/><prop id="smpi/bw-factor" value="0:1"/>
  <prop id="smpi/os" value="0:0:0"/><prop id="smpi/or" value="0:0:0"/><prop id="smpi/ois" value="0:0:0"/>
  <prop id="smpi/async-small-thresh" value="65536"/><prop id="network/crosstraffic" value="0"/>
  <prop id="network/TCP-gamma" value="1e18"/>
 </config>
 <zone id="AS0" routing="Full">
  <cluster id="c" prefix="n" suffix="" radical="0-$(($1 - 1))" speed="1Gf" bw="1.25GBps" lat="1us" sharing_policy="SPLITDUPLEX"
    topology="$2" topo_parameters="$3"/>
 </zone>
</platform>
END
    seq 0 $(($1 - 1)) | sed 's/^/n/' > hosts
    local seconds
    if seconds=$(cd traces && cpu smpirun -np "$1" -platform ../platform.xml -hostfile ../hosts --cfg=smpi/host-speed:1Gf \
        --cfg=smpi/display-timing:1 -replay traces.txt); then echo -n "$seconds"; else echo -n '-'; fi
}

echo '| work | runcast: CPU s | goal | SMPI: CPU s | times less |'
echo '|---|--:|--:|--:|--:|'
loggops=L=2500ns,o=1500ns,g=1000ns,G=6ns,S=65535
one="--threads 1"
for work in "dissemination 65536 0.23 0.23" "halo 8000 0.25 0.2"; do
    read -r name ranks text script <<< "$work"
    wanted "$name" || continue
    "$runcast" sim run --app "$name.luau" --loggops $loggops --tick 1ns --export goal -o goal > out.txt 2>&1
    row "$name, $ranks ranks: GOAL text of $(($(wc -c < "goal/$name.goal") / 1000000)) MB" "$text" \
        "$(cpu "$runcast" sim replay "goal/$name.goal" --loggops $loggops $one)" '-'
    row "$name, $ranks ranks: script" "$script" "$(cpu "$runcast" sim run --app "$name.luau" --loggops $loggops --tick 1ns $one)" '-'
    rm -r goal
done
if wanted million; then
    row "halo, 10^6 ranks: script" 15 "$(cpu "$runcast" sim run --app halo.luau --loggops $loggops --tick 1ns --set side=100 $one)" '-'
fi

cat > torus.toml <<'END'
format = "runcast-system/1"
name = "torus"
component = [ { id = "torus", kind = "group" }, { id = "node", kind = "machine", parent = "torus", count = 1000 },
  { id = "cpu", kind = "cpu", parent = "node", set = { cores = 1, flops_double = 1e9 } } ]
[[network]]
of = "torus"
topology = { kind = "torus", dims = [10, 10, 10] }
set = { bandwidth = "1.25GB/s", latency = "1us" }
END
if wanted trace; then
    "$runcast" sim run --app halo.luau --system torus.toml --set side=10 --export ti -o traces > out.txt 2>&1
    row "halo, 1,000 ranks on a torus: $(cat traces/* | grep -c '^[0-9]') actions of traces" 0.1 \
        "$(cpu "$runcast" sim replay traces/traces.txt --system torus.toml $one)" "$(smpi 1000 TORUS 10,10,10)"
    rm -r traces
fi
for work in "210 5 6 7 42 5 3" "1400 10 10 14 70 20 4"; do
    read -r ranks nx ny nz below leaves goal <<< "$work"
    wanted "gradient-$ranks" || continue
    tree tree.toml "$below" "$leaves"
    grid="--set nx=$nx --set ny=$ny --set nz=$nz"
    "$runcast" sim run --app gradient.luau --system tree.toml $grid --export ti -o traces > out.txt 2>&1
    ours=$(cpu "$runcast" sim replay traces/traces.txt --system tree.toml $one)
    messages=$("$runcast" sim replay traces/traces.txt --system tree.toml --json 2> err.txt | grep -o '"messages": *[0-9]*' | head -1 | grep -o '[0-9]*$')
    each=$(awk -v s="$ours" -v n="$messages" 'BEGIN { printf "%.2f", 1e6*s/n }')
    theirs=$(smpi "$ranks" FAT_TREE "2;$below,$leaves;1,$((below / 2));1,1")
    row "conjugate gradient, $ranks ranks on a fat tree, $messages messages, microseconds a message" "$goal" "$each" \
        "$(awk -v s="$theirs" -v n="$messages" 'BEGIN { if (s == "-") print s; else printf "%.2f", 1e6*s/n }')"
    rm -r traces
done
tree tree.toml 184 529
wanted crowd && row "halo, 97,336 ranks on a fat tree, 3 iterations, at flow" 60 \
    "$(cpu "$runcast" sim run --app halo.luau --system tree.toml --set side=46 --set iterations=3 --fidelity flow $one)" '-'

wanted calibration || exit 0
tree tree.toml 16 16
model() {
    sed 's/^name = "tree"/&\ndefault_model = "dense"/' tree.toml
    cat <<END
[model.dense]
extends = "default"
rule = [
  { on = "compute", type = "panel", value = "c.panel * ops" },
  { on = "compute", type = "swap", value = "c.swap * size" },
  { on = "compute", type = "update", value = "c.update * ops" },
]
[model.dense.coeff]
panel = { value = "$1", scales = "none" }
swap = { value = "$2", scales = "none" }
update = { value = "$3", scales = "none" }
END
}
model 0.4ns 0.25ns 0.11ns > true.toml
model 1ns 1ns 1ns > start.toml
"$runcast" sim sweep --app dense.luau --system true.toml --vary q=1,2,4,8,16 --vary n=4096,8192 -o runs.csv > out.txt 2>&1
cut -d, -f"$(head -1 runs.csv | tr , '\n' | grep -nE '^(q|n|time_s)$' | cut -d: -f1 | paste -sd,)" runs.csv > table.csv
row "calibrating 3 coefficients on 10 runs of up to 256 processes, at flow" 60 \
    "$(cpu "$runcast" sim calibrate --app dense.luau --system start.toml --table table.csv --params q,n --free c.panel,c.swap,c.update $one)" '-'
