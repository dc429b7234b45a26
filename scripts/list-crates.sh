#!/usr/bin/env bash
# The crates that are linked into the driver, with their licences.
set -euo pipefail
cd "$(dirname "$0")/.."
echo 'Crates that are linked in, with their versions and licences:'
cargo tree --package lanewise-opencl --edges normal --prefix none --format '{p} {l}' |
    sed 's| (/.*)||; s| (\*)||; s| (proc-macro)||' | grep -v '^lanewise' | sort -u
