#!/bin/sh
# One program, every method that can say something of it, and the runs: a divide-and-conquer FFT on 1 to 8 processes.
#
#   sh examples/fft/make.sh [FOLDER]
#
# Makes all but the measurements, which stand in this folder, and compares: a table, a picture and a page in FOLDER (default:
# fft-compared). $RUNCAST names the program.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
runcast=${RUNCAST:-runcast}
mkdir -p "${1:-fft-compared}"
cd "${1:-fft-compared}"
cp -r "$here"/runs.csv "$here"/formula.csv "$here"/composed.csv "$here"/fft.toml "$here"/simulated .

# Supersteps on paper, for all configurations; a regression in the form of the formula, over the runs on up to 4 processes.
"$runcast" bsp predict fft.toml --set P=1,2,4,8 --set N=4096,16384,65536 -o obsp.csv > obsp.txt
"$runcast" fit runs.csv --process-param P --where 'P <= 4' --model formula --unknown a,b,c,d \
    --formula 'a + b*log2(P) + c*N/P*log2(N/P) + d*N*(P-1)/P' -o regression.json > regression.txt

"$runcast" compare runs.csv --process-param P --train 'P <= 4' \
    --predictions fft.toml --predictions formula.csv --predictions composed.csv --predictions regression.json \
    --predictions simulated/experiment.toml --name fft.toml=supersteps --name experiment=simulated \
    --combine --plot fft.svg --report fft.html -o forecasts.csv
