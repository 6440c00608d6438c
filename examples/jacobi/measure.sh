#!/bin/sh
# Measures Jacobi's method on this machine, into this folder: costs of one worker, runs on 1 to 4 workers, the time of a block by
# the annotated C program, and samples of updates and messages of four processes.
#
#   sh examples/jacobi/measure.sh [SIZE]
#
# $RUNCAST names the program, $CC the compiler.
set -eu
cd -- "$(dirname -- "$0")"
runcast=${RUNCAST:-runcast}
size=${1:-600}
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT

"$runcast" bsf calibrate jacobi --size "$size" -o costs.toml
"$runcast" bsf validate --run jacobi --size "$size" --workers 1,2,3,4 --repetitions 5 --iterations 300 \
    --costs costs.toml --timings "$room/timings.csv"
# Of all regions and ranks the iterations of the master.
awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; print "workers,rep,time_s"; next }
    $at["region"] == "iteration" && $at["rank"] == 0 { print $at["workers"] "," $at["rep"] "," $at["time_s"] }' \
    "$room/timings.csv" > runs.csv

"$runcast" cll translate jacobi.c -o "$room"
"$runcast" cll runtime "$room/runtime"
"${CC:-cc}" -O2 -I "$room/runtime" "$room/jacobi.cll.c" -o "$room/block"
rm -f block.*.csv
for workers in 1 2 3; do
    (cd "$room" && CLL_FILE="$room/block.csv" ./block "$size" "$workers" 40)
done
for trace in "$room"/*.cll.*.csv; do
    cp "$trace" "block.$(basename "$trace" | sed 's/.*\.cll\.//')"
done

# The operator has half of its weight on the diagonal; what matters here is how many entries a sweep reads.
awk -v n="$size" 'BEGIN { for (i = 1; i <= n; i++) { for (j = 1; j <= n; j++) printf "%s%s", (j > 1 ? "," : ""), (i == j ? 0.5 : 0.3/n); print "" } }' \
    > "$room/operator.csv"
"$runcast" wavefront sample --operator "$room/operator.csv" --processes 4 \
    --set updates=200,messages=100,level-model=none -o samples.csv --write-model "$room/wave.toml"
# Without the operator, whose accuracy nobody asks for; samples stand beside the model.
sed -e '/^\[operator\]/,$d' -e 's|samples = "[^"]*samples.csv"|samples = "samples.csv"|' "$room/wave.toml" > wave.toml
