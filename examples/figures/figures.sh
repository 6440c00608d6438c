#!/bin/sh
# The figures of the published applications, each by one `runcast sim sweep`: time, energy and speedup against processes on the
# systems of the publication, and on a processor and a network of today.
#
#   sh figures.sh [FOLDER]      writes FOLDER/NAME.csv (figures); $RUNCAST names the program
set -eu

runcast=${RUNCAST:-runcast}
folder=${1:-figures}
mkdir -p "$folder"
cd "$folder"

# figure NAME PROCESSES OPTION..: the template NAME over the values that its experiment varies.
figure() {
    name=$1 processes=$2
    shift 2
    [ -d "$name" ] || "$runcast" sim new "$name" -o "$name" > /dev/null
    "$runcast" sim sweep "$name/experiment.toml" --speedup "$processes" -o "$name.csv" "$@" > /dev/null
}

figure msort p --vary hardware.galera=infiniband-qdr-4x,ethernet-1g
figure mslave slaves --vary hardware.ethernet=ethernet-1g,ethernet-10g
figure heat p --vary p=1,8,27,64,125 --vary hardware.cpu=intel-xeon-l5640,amd-epyc-9654
