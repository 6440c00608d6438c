#!/bin/sh
# How often runs fall into their "90 %" range on a machine that is shared: sessions at several loads, each with samples of the
# real loop, and runs that are held against the forecast of their time:
#
#   sh examples/wavefront/coverage.sh [FOLDER [SESSIONS [UPDATES [PHASES [RUNS]]]]]
#
# The program is $RUNCAST, or `runcast`. Everything is written into FOLDER (default: wavefront-coverage): a folder for each
# of the SESSIONS (20) with samples of UPDATES phases (2000) and RUNS runs (10) of PHASES phases (300), each forecast from when
# it began, and two tables of a row a run: covered.csv with its 90 % range, and sessions.csv with the quantiles of its law, by
# which the ranges that ship are calibrated. Beside every session 0, 1 or 2 processes compute that have nothing to do with it.
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
echo "session,load,start_in_s,low_s,high_s,time_s" | tee covered.csv > sessions.csv
others=
trap 'for other in $others; do kill "$other" 2> /dev/null || :; done' EXIT INT TERM

# The cell of a column in the last row of a table that has another cell, if that is asked for: cell TABLE COLUMN [COLUMN CELL].
cell() {
    awk -F, -v column="$2" -v other="${3:-}" -v wanted="${4:-}" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        other == "" || $at[other] == wanted { found = $at[column] }
        END { print found }' "$1"
}

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
        "$runcast" wavefront sample --processes 2 --operator matrix.csv --work 2ms --set updates="$updates" \
            -o samples.csv --write-model model.toml > sample.txt 2>&1
        sampled=$(date +%s.%N)
        run=1
        while [ "$run" -le "$runs" ]; do
            echo "$(date +%s.%N) $sampled" | awk '{ printf "%.3f\n", $1 - $2 }' > "start-$run.txt"
            "$runcast" wavefront run model.toml --phases "$phases" -o "run-$run" > "run-$run.txt" 2>&1
            run=$((run + 1))
        done
    )
    for other in $others; do
        kill "$other"
        wait "$other" 2> /dev/null || :
    done
    others=
    # Forecasts once the runs are over, so that they do not disturb them; the law of the run time is that of the model `phases`.
    run=1
    while [ "$run" -le "$runs" ]; do
        start=$(cat "session-$session/start-$run.txt")
        predicted=session-$session/predicted-$run.csv
        "$runcast" wavefront solve "session-$session/model.toml" --phases "$phases" --start-in "${start}s" --level 0.9 \
            --show quantiles=0.05,0.95 --json -o "$predicted" > "session-$session/solve-$run.json" 2> /dev/null
        low=$(cell "$predicted" time_low_s model phases)
        high=$(cell "$predicted" time_high_s model phases)
        time=$(cell "session-$session/run-$run/runs.csv" time_s)
        law=$(tr -d ' \n' < "session-$session/solve-$run.json" |
            sed 's/.*"time":{[^[]*"quantiles":\[{"q":0.05,"time_s":\([^}]*\)},{"q":0.95,"time_s":\([^}]*\)}.*/\1,\2/')
        echo "$session,$load,$start,$law,$time" >> sessions.csv
        echo "$session,$load,$start,$low,$high,$time" | tee -a covered.csv
        run=$((run + 1))
    done
    session=$((session + 1))
done
awk -F, 'FNR > 1 { covered += $6 >= $4 && $6 <= $5; runs++; if ($1 > sessions) sessions = $1 }
    END { printf "%d of %d runs in %d sessions are within their 90 %% range: %.1f %%\n", covered, runs, sessions, 100 * covered / runs }' \
    covered.csv
