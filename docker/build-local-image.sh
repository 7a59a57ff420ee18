#!/usr/bin/env bash
# Builds leitong/elasticsearch:VERSION or leitong/opensearch:VERSION on a machine that cannot pull
# an image: a Debian base from debootstrap, this machine's JDK, the official build from Maven
# Central. See docs/docker.md. Needs root, Docker, debootstrap, a JDK, Maven, Python 3.
#
#   docker/build-local-image.sh elasticsearch|elasticsearch8|opensearch|opensearch2|web
#
# `web` builds leitong/python:CODENAME, which docker/web/Dockerfile can stand on instead of the
# official Python: the base and the packages that the page needs, fetched by this machine's pip.
#
# A Python of another version than the base's cannot fetch for it: exit code 3.
#
# An image that is there already is kept; LEITONG_REBUILD=1 builds it anew.
set -euo pipefail

name=${1:-}
case $name in
elasticsearch | elasticsearch8 | opensearch | opensearch2 | web) ;;
*)
    echo "usage: $0 elasticsearch|elasticsearch8|opensearch|opensearch2|web" >&2
    exit 2
    ;;
esac
top=$(cd "$(dirname "$0")/.." && pwd)
python=${PYTHON:-python3}
servers() { (cd "$top" && "$python" -m tests.servers "$@"); }
say() { echo "build-local-image: $*" >&2; }

codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
if [[ $name == web ]]; then
    image=leitong/python:$codename
else
    build=$(servers build "$name")
    java=$(servers java "$name")
    product=${name%[0-9]}
    version=${build##*-}
    image=leitong/$product:$version
fi

if [[ -z ${LEITONG_REBUILD:-} ]] && docker image inspect "$image" >/dev/null 2>&1; then
    say "$image is there"
    exit 0
fi

context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT

docker_build() {
    if ! DOCKER_BUILDKIT=${DOCKER_BUILDKIT:-0} docker build --tag "$image" "$@" "$context/image" \
        >"$context/build.log" 2>&1; then
        cat "$context/build.log" >&2
        exit 1
    fi
    say "$image is built"
}

# The base: Debian's smallest with a Python, from the mirror that this machine's apt uses.
base=leitong/base:$codename-python
if ! docker image inspect "$base" >/dev/null 2>&1; then
    say "making $base with debootstrap"
    mirror=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
        awk -v codename="$codename" '$1 == codename { print $2; exit }')
    proxy=$(apt-config dump --format '%v' Acquire::http::Proxy)
    if [[ -n $proxy && $proxy != DIRECT ]]; then export http_proxy=$proxy; fi
    if ! debootstrap --variant=minbase --include=python3-pip "$codename" "$context/tree" ${mirror:+"$mirror"} \
        >"$context/debootstrap.log" 2>&1; then
        tail -n 20 "$context/debootstrap.log" >&2
        exit 1
    fi
    # Neither the mirror's address nor what only a package manager needs goes into the image.
    rm -rf "$context"/tree/{var/cache/apt,var/lib/apt,usr/share/doc,usr/share/man,usr/share/locale}
    rm -f "$context"/tree/etc/apt/sources.list "$context"/tree/var/log/*.log
    rm -rf "$context"/tree/dev && mkdir "$context/tree/dev"
    tar -C "$context/tree" -c . | docker import - "$base" >/dev/null
    rm -rf "$context/tree"
fi

if [[ $name == web ]]; then
    say "building $image"
    mkdir "$context/image" "$context/image/wheels"
    "$python" - "$top/pyproject.toml" >"$context/needed" <<'PYTHON'
import sys
import tomllib

with open(sys.argv[1], "rb") as file:
    asked = tomllib.load(file)
extras = asked["project"]["optional-dependencies"]
both = asked["build-system"]["requires"] + asked["project"]["dependencies"]
print(*both, *extras["web"], *extras["elasticsearch"], *extras["opensearch"], "wheel", sep="\n")
PYTHON
    there=$(docker run --rm "$base" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    here=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    if [[ $there != "$here" ]]; then
        echo "build-local-image: $codename has Python $there; name one of that version with PYTHON=…" >&2
        exit 3
    fi
    "$python" -m pip wheel --quiet --wheel-dir "$context/image/wheels" --requirement "$context/needed"
    docker_build --file "$top/docker/local/python.Dockerfile" --build-arg BASE="$base"
    exit
fi

say "building $image with $java"
mkdir "$context/image" "$context/image/empty"
mkdir "$context/image/java" "$context/image/server"
# A distribution's JDK is full of links to elsewhere: files instead, and never mind a dead link.
tar -C "$java" --dereference --ignore-failed-read --warning=no-failed-read \
    --exclude=./{man,include,jmods,docs,lib/src.zip} -c . | tar -C "$context/image/java" -x
tar -C "$build" --exclude=./{config,logs,data} -c . | tar -C "$context/image/server" -x
cp -r "$build/config" "$context/image/config"
# Log files beside the server's own, in places it may not write to.
sed -i -E '/-Xlog:gc|-XX:ErrorFile|HeapDump/d' "$context/image/config/jvm.options"
echo 'network.host: 0.0.0.0' >>"$context/image/config/$product.yml"
cp "$top/docker/local/entrypoint.sh" "$context/image/entrypoint.sh"
chmod 755 "$context/image/entrypoint.sh"

docker_build --file "$top/docker/local/Dockerfile" --build-arg BASE="$base" \
    --build-arg PRODUCT="$product" --build-arg VERSION="$version"
