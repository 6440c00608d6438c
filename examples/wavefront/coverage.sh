#!/bin/sh
# How often runs fall into their "90 %" range on a machine that is shared: sessions at several loads, each with samples, a
# forecast of the time of a run, and runs that are held against it:
#
#   sh examples/wavefront/coverage.sh [FOLDER [SESSIONS [UPDATES [PHASES [RUNS]]]]]
#
# The program is $RUNCAST, or `runcast`. Everything is written into FOLDER (default: wavefront-coverage): a folder for each
# of the SESSIONS (20) with samples of UPDATES updates (2000) and RUNS runs (10) of PHASES phases (300), and sessions.csv.
# Beside every session 0, 1 or 2 processes compute that have nothing to do with it.
set -eu
runcast=${RUNCAST:-runcast}
matrix=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)/matrix.csv
folder=${1:-wavefront-coverage}
sessions=${2:-20}
updates=${3:-2000}
phases=${4:-300}
runs=${5:-10}
mkdir -p "$folder"
cd "$folder"
echo "session,load,low_s,high_s,covered,runs" > sessions.csv
others=
trap 'for other in $others; do kill "$other" 2> /dev/null || :; done' EXIT INT TERM

session=1
while [ "$session" -le "$sessions" ]; do
    load=$(((session - 1) % 3))
    others=
    other=0
    while [ "$other" -lt "$load" ]; do
        sh -c 'while :; do :; done' &
        others="$others $!"
        other=$((other + 1))
    done
    mkdir -p "session-$session"
    cp "$matrix" "session-$session/matrix.csv"
    (
        cd "session-$session"
        "$runcast" wavefront sample --processes 2 --operator matrix.csv --work 2ms --set as=loop,updates="$updates" \
            -o samples.csv --write-model model.toml > sample.txt 2>&1
        "$runcast" wavefront solve model.toml --phases "$phases" --level 0.9 -o predicted.csv > solve.txt 2>&1
        "$runcast" wavefront run model.toml --phases "$phases" --repetitions "$runs" --work 2ms -o runs > run.txt 2>&1
    )
    for other in $others; do
        kill "$other"
        wait "$other" 2> /dev/null || :
    done
    # The row of the law of the run time is that of the model `phases`.
    awk -F, -v session="$session" -v load="$load" '
        FNR == 1 { for (i = 1; i <= NF; i++) column[FILENAME, $i] = i; next }
        FILENAME ~ /predicted/ && $column[FILENAME, "model"] == "phases" {
            low = $column[FILENAME, "time_low_s"]; high = $column[FILENAME, "time_high_s"]
        }
        FILENAME ~ /runs/ {
            time = $column[FILENAME, "time_s"]; runs++; covered += time >= low && time <= high
        }
        END { print session "," load "," low "," high "," covered + 0 "," runs }
    ' "session-$session/predicted.csv" "session-$session/runs/runs.csv" | tee -a sessions.csv
    session=$((session + 1))
done
awk -F, 'FNR > 1 { covered += $5; runs += $6; sessions++ }
    END { printf "%d of %d runs in %d sessions are within their 90 %% range: %.1f %%\n", covered, runs, sessions, 100 * covered / runs }' \
    sessions.csv
