#!/bin/sh
# Measures an iteration on two threads, into this folder: samples of updates and messages, and runs of 50 to 400 phases.
#
#   sh examples/async/measure.sh
#
# $RUNCAST names the program. The update of the simulation and of phases.toml is the mean of the samples: put it there by hand.
set -eu
cd -- "$(dirname -- "$0")"
runcast=${RUNCAST:-runcast}
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT

"$runcast" wavefront sample --processes 2 --operator matrix.csv --work 2ms --set updates=600,messages=600 \
    -o samples.csv --write-model model.toml
for phases in 50 100 200 400; do
    "$runcast" wavefront run model.toml --phases "$phases" --repetitions 3 --work 2ms -o "$room/$phases"
done
head -n 1 "$room/50/runs.csv" > runs.csv
for phases in 50 100 200 400; do
    tail -n +2 "$room/$phases/runs.csv" >> runs.csv
done
