#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the missing dependencies of third_party/manifest.txt: Debian packages (as root or with sudo), and
# wheels, which are unpacked into build/deps. The script can be run again; it then takes less than a second.
#   third_party/setup.sh [--cuda | --cudnn | --peer]
# --cuda also fetches the wheels of NVIDIA with which the kernels of the backend `cuda` are checked without a
# GPU (0.2 GB). --cudnn also fetches those with which its convolutions by cuDNN are built and checked (1.1 GB
# in all). --peer also fetches ONNX Runtime, with which tests/onnx/list_onnxruntime.py makes its list (0.1
# GB).
set -euo pipefail
cd "$(dirname "$0")/.."
deps=build/deps
wheels='wheel'
case ${1:-} in
  --cuda) wheels='wheel cuda' ;;
  --cudnn) wheels='wheel cuda cudnn' ;;
  --peer) wheels='wheel peer' ;;
  '') ;;
  *) echo "usage: third_party/setup.sh [--cuda | --cudnn | --peer]" >&2; exit 2 ;;
esac
mkdir -p "$deps"

rows() { grep "^$1 " third_party/manifest.txt | sed 's/ *| */|/g'; }

missing=()
while IFS='|' read -r _ name _; do
  dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q '^install ok installed' || missing+=("$name")
done < <(rows apt)
if [ ${#missing[@]} -gt 0 ]; then
  echo "installing ${#missing[@]} packages: ${missing[*]}"
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "error: run this as root, or install sudo" >&2; exit 1; }
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
fi

# Debian forbids pip to install into the system's python3, so pip comes from a virtual environment, which is
# made once.
fetch_wheel() {  # NAME VERSION FOLDER
  [ -x "$deps/venv/bin/pip" ] || python3 -m venv "$deps/venv"
  "$deps/venv/bin/pip" download -q --no-deps --only-binary :all: -d "$3.wheel" "$1==$2"
  mkdir -p "$3"
  unzip -qo "$3.wheel"/*.whl -d "$3"
  rm -rf "$3.wheel"
}
while IFS='|' read -r _ name version _; do
  stamp="$deps/.$name-$version"
  [ -e "$stamp" ] && continue
  echo "fetching $name $version"
  rm -rf "$deps/tmp-$name"
  fetch_wheel "$name" "$version" "$deps/tmp-$name"
  case $name in
    onednn*) mkdir -p "$deps/onednn"; cp -r "$deps/tmp-$name"/*.data/data/* "$deps/onednn/" ;;
    *) rm -rf "${deps:?}/$name"; mv "$deps/tmp-$name" "$deps/$name" ;;
  esac
  rm -rf "$deps/tmp-$name"
  touch "$stamp"
done < <(for kind in $wheels; do rows "$kind"; done)
echo "all dependencies are installed"
