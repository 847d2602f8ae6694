#!/usr/bin/env bash
# The suite of shared logs on moto (S3), s2-lite and PostgreSQL, all started here and stopped at the
# end. s2-lite is built at the first run: some ten minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

work=$(mktemp -d)
stop() {
    kill ${s3:-} ${s2:-} 2>/dev/null || true
    [ ! -d "$work/data" ] || as_owner pg_ctl -D "$work/data" -m immediate stop >/dev/null || true
    rm -rf "$work"
}
trap stop EXIT
# PostgreSQL refuses to run as root.
as_owner() { if [ "$(id -u)" = 0 ]; then su nobody -s /bin/sh -c "$(printf '%q ' "$@")"; else "$@"; fi; }
PATH="$PATH:$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1)"

python3 -m venv "$work/venv"
"$work/venv/bin/pip" --quiet install 'moto[server,s3]'
"$work/venv/bin/moto_server" -H 127.0.0.1 -p 38555 >"$work/s3.log" 2>&1 &
s3=$!
chmod 711 "$work"
mkdir "$work/data" "$work/socket"
[ "$(id -u)" != 0 ] || chown nobody "$work/data" "$work/socket"
as_owner "$(command -v initdb)" -D "$work/data" -U memlith -A trust >/dev/null
as_owner "$(command -v pg_ctl)" -D "$work/data" -w -l "$work/socket/log" \
    -o "-k $work/socket -h '' " start >/dev/null
tools=${XDG_CACHE_HOME:-$HOME/.cache}/memlith-stores
[ -x "$tools/bin/server" ] || cargo install --quiet --locked --debug --root "$tools" s2-lite@0.43.4
"$tools/bin/server" --port 38556 --no-dashboard --local-root "$work/s2" >"$work/s2.log" 2>&1 &
s2=$!
for _ in $(seq 100); do
    curl -s -o /dev/null http://127.0.0.1:38555 && curl -s -o /dev/null http://127.0.0.1:38556 && break
    sleep 0.2
done
curl -s -o /dev/null -X PUT http://127.0.0.1:38555/memlith
MEMLITH_TEST_S3=http://127.0.0.1:38555 MEMLITH_TEST_S2=http://127.0.0.1:38556 \
    MEMLITH_TEST_POSTGRES="host=$work/socket user=memlith dbname=postgres" cargo test "$@"
