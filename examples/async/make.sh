#!/bin/sh
# One iteration, every method that can say something of it, and the runs.
#
#   sh examples/async/make.sh [FOLDER]
#
# Makes all but the measurements, which stand in this folder (measure.sh), and compares: a table, a picture and a page in FOLDER
# (default: async-compared). $RUNCAST names the program.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
runcast=${RUNCAST:-runcast}
mkdir -p "${1:-async-compared}"
cd "${1:-async-compared}"
cp -r "$here"/matrix.csv "$here"/samples.csv "$here"/model.toml "$here"/runs.csv "$here"/phases.toml "$here"/simulated .

# Which degree of asynchronism is best; what the recursion says of so many phases, played 200 times.
"$runcast" wavefront solve model.toml --degrees 1/0,1/1,1/2 > degrees.txt
"$runcast" wavefront simulate model.toml --phases 400 --repetitions 200 > played.txt
# Regression over the runs themselves, the chain of wavefronts, supersteps and a simulation with the mean of the samples.
"$runcast" compare runs.csv --train 'phases <= 100' --predictions model.toml --predictions phases.toml \
    --predictions simulated/experiment.toml --name model=wavefront --name phases=supersteps --name experiment=simulated \
    --at phases=800,processes=2 --combine --plot async.svg --report async.html -o forecasts.csv
