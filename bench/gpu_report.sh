#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests a device and measures steps on it, and packs the results into one file that can be sent:
#
#   gpu_report.sh [DEVICE [REPORT.tar.gz]]
#
# DEVICE is cuda:0 by default and must be number 0 of its kind, because the programs are compiled for that
# number; the environment variable CUDA_VISIBLE_DEVICES chooses another GPU. The script needs neither a
# compiler nor a network. It runs from the archive that `ninja package` writes, where the command cutset lies
# in ../../bin and the programs in ./programs. CUTSET and CUTSET_PROGRAMS name another command and another
# folder. CUTSET_REPORT_RUNS is the number of measured runs. Exits with 1 if an op of the device is not
# correct, or if a program cannot be run within ten minutes.
set -uo pipefail
device=${1:-cuda:0}
report=${2:-cutset-gpu-report.tar.gz}
here=$(cd "$(dirname "$0")" && pwd)
cutset=${CUTSET:-$here/../../bin/cutset}
programs=${CUTSET_PROGRAMS:-$here/programs}
runs=${CUTSET_REPORT_RUNS:-200}
unset CUTSET CUTSET_PROGRAMS CUTSET_REPORT_RUNS  # the command would warn of variables that it does not know
case $device in
  *:0) ;;
  *) echo "$device: the programs are compiled for number 0; choose another GPU with CUDA_VISIBLE_DEVICES" >&2; exit 2 ;;
esac
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
for program in "$programs"/*-"$kind".cutset; do
  [ -e "$program" ] || continue
  name=$(basename "$program" .cutset)
  keep "$name" timeout 600 "$cutset" benchmark "$program" --runs "$runs" --json "$folder/$name.json"
  [ "$kind" = cuda ] || continue
  for without in GRAPHS CUDNN BLAS; do
    keep "$name-no-$without" env "CUTSET_CUDA_NO_$without=1" timeout 600 "$cutset" benchmark "$program" --runs "$runs" \
      --json "$folder/$name-no-$without.json"
  done
done
tar -czf "$report" -C "$folder" . || exit 1
echo "the report is $report"
exit $failed
