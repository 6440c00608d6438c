#!/bin/sh
# The whole way of a wavefront forecast, from measured times to predictions that are held against real runs:
#
#   sh examples/wavefront/forecast.sh [FOLDER [UPDATES [PHASES]]]
#
# The program is $RUNCAST, or `runcast`. Everything is written into FOLDER (default: wavefront-forecast): samples of
# UPDATES phases of the real loop (2000), and runs of PHASES phases (300).
set -eu
runcast=${RUNCAST:-runcast}
matrix=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)/matrix.csv
folder=${1:-wavefront-forecast}
updates=${2:-2000}
phases=${3:-300}
mkdir -p "$folder"
cp "$matrix" "$folder/matrix.csv"
cd "$folder"

say() {
    printf '\n== %s\n' "$*"
    "$@"
}

# 1. The laws of the times of an update and of a message, as they are on this machine now.
say "$runcast" wavefront sample --processes 2 --operator matrix.csv --work 2ms --set updates="$updates" \
    -o samples.csv --write-model model.toml
# 2. What they mean: which degree of asynchronism is best, and how long a run takes.
say "$runcast" wavefront solve model.toml --degrees 1/0,1/1,1/2
say "$runcast" wavefront solve model.toml --set B=1 --phases "$phases" --show quantiles=0.05,0.95 -o predicted.csv
# 3. Real runs, by the same operator.
say "$runcast" wavefront run model.toml --set B=1 --phases "$phases" --repetitions 3 --work 2ms -o runs
# 4. Predicted against measured.
say "$runcast" evaluate --predictions predicted.csv --runs runs/runs.csv
