#!/usr/bin/env bash
# Makes testdata/sim/heat.csv, mslave.csv and simgrid/collectives.csv again: bash benches/peers/simgrid/runs.sh GALERA.xml ETHERNET.xml FOLDER
#
# Needs Debian's libsimgrid-dev. Repetition 0 is without noise. About two minutes.
set -euo pipefail

galera=$1 ethernet=$2 folder=$3
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for program in heat mslave collectives; do smpicc -O2 "$here/$program.c" -o "$work/$program" -lm; done

# smpi PLATFORM PROCESSES PROCESSES_A_MACHINE PROGRAM ARGUMENTS: the simulated time
smpi() {
    local platform=$1 processes=$2 per=$3
    shift 3
    for ((rank = 0; rank < processes; rank++)); do echo "n$((rank / per))"; done >"$work/hosts"
    smpirun -np "$processes" -hostfile "$work/hosts" -platform "$platform" --cfg=smpi/simulate-computation:no \
        --cfg=smpi/display-timing:no --log=root.thres:error "$@" | sed -n 's/^RESULT [0-9]* //p'
}

{
    echo "app,set,p,n,iters,rep,time_s"
    for side in 1 2 3 4 5 6 7 8 9 10; do
        p=$((side * side * side))
        per=$(((p + 31) / 32))
        ((per < 12)) && per=12
        set=train
        ((p > 64)) && set=holdout
        for rep in 0 1 2; do
            echo "heat,$set,$p,2000,10,$rep,$(smpi "$galera" "$p" "$per" "$work/heat" 2000 10 "$per" "$rep" 20)"
        done
    done
} >"$folder/heat.csv"
{
    echo "app,set,slaves,rep,time_s"
    for slaves in 1 2 4 6 8 12 16 20 24 32 48 64; do
        set=train
        ((slaves > 8)) && set=holdout
        for rep in 0 1 2; do
            echo "mslave,$set,$slaves,$rep,$(smpi "$ethernet" $((slaves + 1)) 1 "$work/mslave" 1275 "$rep" 0.15 2e-4)"
        done
    done
} >"$folder/mslave.csv"
{
    echo "# Time from a common start to the end of the last process of one collective, one process a machine, on the platform ethernet: SimGrid SMPI"
    echo "# 3.32 with no smpi/coll-selector, computing not simulated, smpi/wtime 0. Sizes as runcast counts them."
    echo "operation,processes,size_bytes,time_s"
    for operation in bcast scatter gather allgather alltoall reduce reduce_scatter allreduce scan exscan barrier; do
        for p in 5 8 16 24; do
            for size in 240 24000 2400000; do
                [[ $operation == barrier && $size != 240 ]] && continue
                echo "$operation,$p,$size,$(smpi "$ethernet" "$p" 1 --cfg=smpi/wtime:0 "$work/collectives" "$operation" "$size")"
            done
        done
    done
} >"$folder/simgrid/collectives.csv"
