#!/usr/bin/env bash
# Proves the testcontainers way and the compose file on a fresh Debian machine: Docker from the
# distribution, the images that build-local-image.sh makes, the tests of tests/servers that run them.
# Idempotent: what is installed or built already stays; a Docker that ran before goes on running.
#
#   PYTHON=.venv/bin/python docker/ci-testcontainers.sh [elasticsearch] [opensearch]
#
# With both servers the compose file is proved as well. Needs root, a JDK and Maven (or filled
# LEITONG_SERVER_CACHE), and a Python with pytest and testcontainers. TESTS names other tests to run in containers instead.
set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
export PYTHON=${PYTHON:-python3}
servers=("$@")
((${#servers[@]})) || servers=(elasticsearch opensearch)
began=$SECONDS
say() { echo "ci-testcontainers: $* ($((SECONDS - began)) s)"; }

missing=()
command -v dockerd >/dev/null || missing+=(docker.io)
command -v debootstrap >/dev/null || missing+=(debootstrap)
docker compose version >/dev/null 2>&1 || command -v docker-compose >/dev/null || missing+=(docker-compose)
if ((${#missing[@]})); then
    say "installing ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    apt-get -qq update
    apt-get -qq install --yes --no-install-recommends "${missing[@]}" iptables ca-certificates \
        >/dev/null
fi

work=$(mktemp -d)
daemon=
finish() {
    status=$?
    if [[ -n $daemon ]]; then
        kill "$daemon" 2>/dev/null || true
        wait "$daemon" 2>/dev/null || true
        say "Docker is stopped"
    fi
    rm -rf "$work"
    exit "$status"
}
trap finish EXIT

answers() { docker info >/dev/null 2>&1; }
if ! answers; then
    say "starting dockerd"
    # A pid file of a machine's earlier life stops a new daemon.
    if [[ -e /var/run/docker.pid ]] && ! kill -0 "$(cat /var/run/docker.pid)" 2>/dev/null; then
        rm -f /var/run/docker.pid
    fi
    dockerd >"$work/dockerd.log" 2>&1 &
    daemon=$!
    for _ in {1..60}; do
        answers && break
        kill -0 "$daemon" 2>/dev/null || break
        sleep 0.5
    done
    if ! answers; then
        tail -n 30 "$work/dockerd.log"
        echo "ci-testcontainers: dockerd does not run" >&2
        exit 1
    fi
fi
say "Docker runs"

cd "$top"
for server in "${servers[@]}"; do
    "$top/docker/build-local-image.sh" "$server"
done
tests=(tests/servers/test_servers.py::test_container)
page=0
if ((${#servers[@]} == 2)); then
    "$top/docker/build-local-image.sh" web || page=$?
    if ((page == 3)); then
        say "the compose file is NOT proved: this Python is not the distribution's version"
    elif ((page)); then
        exit "$page"
    else
        tests+=(tests/servers/test_compose.py)
        export LEITONG_TEST_COMPOSE=1 LEITONG_WEB_BASE=leitong/python:$(. /etc/os-release && echo "$VERSION_CODENAME")
        for server in "${servers[@]}"; do
            image=leitong/$server:$("$PYTHON" -c "from tests.servers import SPECS; print(SPECS['$server'].version)")
            export "LEITONG_${server^^}_IMAGE=$image" "LEITONG_${server^^}_DATA=/opt/server/data"
        done
    fi
fi
say "the images are there"

export LEITONG_TEST_SERVERS=container LEITONG_TEST_CONTAINERS="${servers[*]}"
# Its reaper is one more image to pull; our own keeper removes what a killed test leaves.
export TESTCONTAINERS_RYUK_DISABLED=true
if [[ -n ${TESTS:-} ]]; then read -ra tests <<<"$TESTS"; fi
"$PYTHON" -m pytest -p tests.servers.fixtures "${tests[@]}" --durations=3
say "done"
