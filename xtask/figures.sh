#!/usr/bin/env bash
# Prints what a checkout weighs: lines by crate, names at the root, lines a page, packages, and
# the installed command where it is built. Run it in two checkouts to compare them:
#
#   xtask/figures.sh [FOLDER]
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}"

# code, comments and tests of the files of a folder; a file is a test from its first
# `#[cfg(test)] mod`, or where its name or folder says so.
count() {
    find "$1" -name '*.rs' -not -path '*/target/*' -print0 | sort -z | xargs -0 -r awk '
        FNR == 1 { test = FILENAME ~ /\/tests?(\/|\.rs$)|_tests\.rs$/ }
        /^#\[cfg\(test\)\]$/ { test = 1 }
        /^[[:space:]]*$/ { next }
        test { tests++; next }
        /^[[:space:]]*\/\// { comments++; next }
        { code++ }
        END { printf "%7d %7d %7d", code, comments, tests }'
}

echo "   code comment   tests"
for crate in crates/* tests/* benches/* fuzz xtask; do
    [ -d "$crate" ] && printf '%s  %s\n' "$(count "$crate")" "$crate"
done
printf '%s  %s\n' "$(count crates)" "all that ships"
printf '%s  %s\n' "$(count .)" "all"

echo
echo "lines a page"
wc -l README.md ARCHITECTURE.md CONTRIBUTING.md docs/*.md docs/model/*.md 2>/dev/null

echo
names=$(sed -n '/^pub use/,/;/p' crates/memlith/src/lib.rs | tr -d '\n' | tr ';,{}' '\n' | grep -cE '^ *(pub use .*::)?[A-Za-z_]+ *$' || true)
echo "names at the root of memlith: $names"
echo "packages of the command: $(cargo tree --package memlith-cli --edges normal --prefix none 2>/dev/null | sed 's/ (\*)$//' | sort -u | wc -l)"
for built in target/dist/memlith target/release/memlith; do
    if [ -e "$built" ]; then echo "$built: $(stat -c %s "$built") bytes"; fi
done
