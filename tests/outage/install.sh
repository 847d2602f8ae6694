#!/usr/bin/env bash
# Installs what the campaigns on the real machine and `cargo xtask gates` need beside Rust,
# where that can be done: as root on Debian or a relative of it. Elsewhere each says what
# it misses, is skipped, and is counted as skipped.
set -euo pipefail

packages=(strace xfsprogs e2fsprogs nbdkit nbdkit-plugin-python libnbd-bin fuse3 valgrind)
missing=()
for package in "${packages[@]}"; do
    dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null \
        | grep --quiet '^installed$' || missing+=("$package")
done
if [ "${#missing[@]}" -eq 0 ]; then
    exit 0
fi
if [ "$(id --user)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "SKIPPED: not installed, and this is no root on Debian: ${missing[*]}" >&2
    exit 0
fi
export DEBIAN_FRONTEND=noninteractive
if ! { apt-get update --quiet=2 \
    && apt-get install --quiet=2 --no-install-recommends "${missing[@]}"; } >/dev/null; then
    echo "SKIPPED: could not be installed: ${missing[*]}" >&2
fi
