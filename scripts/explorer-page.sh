#!/usr/bin/env bash
# Bundles the page of `lanewise explore` from crates/explorer/web into crates/explorer/assets. With --check nothing is written: the
# types are checked, and the bundle is compared with the committed one.
set -euo pipefail
cd "$(dirname "$0")/../crates/explorer/web"

# The exact versions of package-lock.json, without scripts of theirs.
npm ci --ignore-scripts --silent
npx --no-install tsc --noEmit

if [[ ${1:-} == --check ]]; then
    out=$(mktemp -d)
    trap 'rm -rf "$out"' EXIT
    npm run --silent build -- --outfile="$out/page.js" --log-level=warning
    for file in page.js page.css; do
        cmp --silent "$out/$file" "../assets/$file" || {
            echo "crates/explorer/assets/$file is not what crates/explorer/web makes: run scripts/explorer-page.sh and commit it" >&2
            exit 1
        }
    done
    echo "explorer page: the committed bundle is what its source makes"
else
    npm run --silent build -- --outfile=../assets/page.js
fi
