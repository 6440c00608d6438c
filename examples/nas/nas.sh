#!/bin/sh
# The NAS kernels from small runs to a validated model, one after the other: calibrated in class W on up to 4 processes, judged in
# class A on 32 and 64 (BT and SP, which need squares: 36 and 64).
#
#   sh nas.sh [KERNEL..]        (all eight), with `runcast` on the PATH
#
# The runs are no measurements: they are simulated on a machine that the model does not know, with other coefficients, turbo,
# memory and latencies, and with noise. For runs of your own put a table runs-KERNEL.csv (columns set,class,p,rep,time_s) into
# the folder; it is then taken as it is.
set -eu

# stand_in KERNEL PROCESSES..: a table of runs on the machine that stands in for a real one.
stand_in() {
    kernel=$1 small=$2 large=$3
    mkdir -p "machine-$kernel"
    cp "nas-$kernel/app.luau" "machine-$kernel/"
    sed -e "s/^$kernel = .*/$kernel = \"1.13ns\"/" -e "s/^${kernel}_bytes = .*/${kernel}_bytes = \"1.6B\"/" \
        -e 's/turbo = 0.1/turbo = 0.07/' -e 's/mem_sharpness = 4/mem_sharpness = 3/' -e 's/latency = "0.4us"/latency = "0.5us"/' \
        "nas-$kernel/system.toml" > "machine-$kernel/system.toml"
    sed -e 's/^seed = 0/seed = 7\nnoise = { block = { kind = "exp", mean = 0.004 } }/' \
        "nas-$kernel/experiment.toml" > "machine-$kernel/experiment.toml"
    runcast sim sweep "machine-$kernel/experiment.toml" --vary class=W --vary "p=$small" --repetitions 3 \
        -o small.csv > /dev/null 2>&1
    runcast sim sweep "machine-$kernel/experiment.toml" --vary class=A --vary "p=$large" --repetitions 3 \
        -o large.csv > /dev/null 2>&1
    { echo 'set,class,p,rep,time_s'; rows train small.csv; rows large large.csv; } > "runs-$kernel.csv"
    rm small.csv large.csv
}

# rows SET TABLE: class, processes, repetition and time of a table of `sim sweep`.
rows() {
    awk -F, -v set="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { print set "," $at["class"] "," $at["p"] "," $at["rep"] "," $at["time_s"] }' "$2"
}

[ $# -gt 0 ] || set -- ep cg ft mg is lu bt sp
for kernel in "$@"; do
    small=1,2,4 large=32,64
    case $kernel in bt | sp) small=1,4 large=36,64 ;; esac
    [ -d "nas-$kernel" ] || runcast sim new "nas-$kernel" -o "nas-$kernel" > /dev/null 2>&1
    [ -f "runs-$kernel.csv" ] || stand_in "$kernel" "$small" "$large"
    echo "== $kernel"
    runcast sim calibrate "nas-$kernel/experiment.toml" --table "runs-$kernel.csv" --free "c.$kernel=0.1ns..10ns" \
        --train 'set == "train"' -o "$kernel.toml" 2> /dev/null | sed -n '/^Calibrated\|^Held out/p'
done
