#!/usr/bin/env bash
# Makes the picture of a run in README.md anew: runs its commands in an empty folder, and writes
# down what they print. A test of the command line compares the picture with a run of its own.
#
#   cargo build -p memlith-cli && docs/picture.sh target/debug/memlith
set -euo pipefail

memlith=$(realpath "${1:-target/release/memlith}")
readme=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../README.md")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir home
memlith() { env -i HOME="$folder/home" USER=ana TMPDIR="$folder" "$memlith" "$@"; }

# The commands are the lines of the block that begin with a prompt.
block() { awk '/^```console$/ { on = 1; next } /^```$/ { on = 0 } on' "$readme"; }

block | sed -n 's/^\$ //p' | while IFS= read -r line; do
    printf '$ %s\n' "$line"
    eval "$line" 2>err </dev/null
    cat err
done >picture

awk -v picture=picture '
    /^```console$/ { print; while ((getline line < picture) > 0) print line; on = 1; next }
    /^```$/ { on = 0 }
    !on
' "$readme" >new
cat new >"$readme"
