#!/bin/sh
# One program, every method, and the runs: Jacobi's method on 1 to 4 workers.
#
#   sh examples/jacobi/make.sh [FOLDER]
#
# Makes all but the measurements, which stand in this folder (measure.sh), and compares: a table, a picture and a page in FOLDER
# (default: jacobi-compared). $RUNCAST names the program.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
runcast=${RUNCAST:-runcast}
mkdir -p "${1:-jacobi-compared}"
cd "${1:-jacobi-compared}"
cp "$here"/runs.csv "$here"/costs.toml "$here"/wave.toml "$here"/samples.csv "$here"/block.*.csv .

# The closed form of the cost model, with figures of the machine as its data sheet could tell them.
"$runcast" bsf predict --algorithm jacobi --size 600 --latency 5us --op-time 0.4ns --transfer-time 0.4ns \
    --workers 1,2,3,4,8 -o closed.csv > closed.txt
# The same with measured costs, simulated; and the coefficients of the model from the runs themselves.
"$runcast" sim new bsf --costs costs.toml -o simulated --force > /dev/null
"$runcast" bsf validate runs.csv --list-length 600 --fit --train 'workers <= 3' -o fitted.toml > fitted.txt
# Regression over the same runs.
"$runcast" fit runs.csv --process-param workers --where 'workers <= 3' -o regression.json > regression.txt
# Constants of the formula in the source.
"$runcast" llac -e 'load block.*.csv as t; fit map in t as map; save map to formula.json' > formula.txt

"$runcast" compare runs.csv --process-param workers \
    --predictions closed.csv --predictions costs.toml --predictions fitted.toml --predictions regression.json \
    --predictions formula.json --predictions simulated/experiment.toml --predictions wave.toml \
    --set formula:size=600 --set wave:phases=1 --name closed.csv=paper --name experiment=simulated \
    --at workers=8 --combine --plot jacobi.svg --report jacobi.html -o forecasts.csv
