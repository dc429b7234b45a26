#!/usr/bin/env bash
# Tests the Python package against a driver that is built: test-python.sh DRIVER VENV
set -euo pipefail
cd "$(dirname "$0")/.."
driver=$(realpath "$1") venv=$2
[[ -x $venv/bin/pytest ]] || {
    python3 -m venv "$venv"
    "$venv/bin/pip" install -q numpy pytest
}
LANEWISE_DRIVER=$driver PYTHONPATH=python/src "$venv/bin/python" -m pytest -q -p no:cacheprovider python/tests/test_lanewise.py
