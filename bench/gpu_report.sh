#!/usr/bin/env bash
# Tests a device and measures steps on it, and packs the results into one file that can be sent:
#
#   gpu_report.sh [DEVICE [REPORT.tar.gz]]
#
# DEVICE is cuda:0 by default. The script needs neither a compiler nor a network. It runs from the archive that
# `ninja package` writes, where the command cutset lies in ../../bin, and otherwise with the command that CUTSET names.
# Exits with 1 if an op of the device is not correct, or if a program cannot be run.
set -uo pipefail
device=${1:-cuda:0}
report=${2:-cutset-gpu-report.tar.gz}
here=$(cd "$(dirname "$0")" && pwd)
cutset=${CUTSET:-$here/../../bin/cutset}
runs=${CUTSET_REPORT_RUNS:-200}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# Runs a command, shows its output, and keeps it in the report under NAME.
keep() {
  local name=$1
  shift
  echo "--- $name: $*" | tee "$folder/$name.txt"
  "$@" 2>&1 | tee -a "$folder/$name.txt"
  local code=${PIPESTATUS[0]}
  [ "$code" -eq 0 ] || { echo "exit code $code" | tee -a "$folder/$name.txt"; failed=1; }
}

keep machine uname -srm
command -v nvidia-smi > /dev/null && keep nvidia-smi nvidia-smi
keep devices "$cutset" devices
keep selftest "$cutset" devices --selftest "$device" --json "$folder/selftest.json"
kind=${device%%:*}
for program in "$here"/programs/*-"$kind".cutset; do
  name=$(basename "$program" .cutset)
  keep "$name" "$cutset" benchmark "$program" --runs "$runs" --json "$folder/$name.json"
  [ "$kind" = cuda ] || continue
  for without in GRAPHS CUDNN BLAS; do
    keep "$name-no-$without" env "CUTSET_CUDA_NO_$without=1" "$cutset" benchmark "$program" --runs "$runs" \
      --json "$folder/$name-no-$without.json"
  done
done
tar -czf "$report" -C "$folder" .
echo "the report is $report"
exit $failed
