#!/usr/bin/env bash
# Starts the server with the settings of the environment, as the official images do: every variable
# with a dot in its name is a setting (discovery.type=single-node).
set -euo pipefail

settings=()
while IFS='=' read -r -d '' name value; do
    if [[ $name =~ ^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$ ]]; then
        settings+=("-E$name=$value")
    fi
done < <(env -0)

exec "/opt/server/bin/$LEITONG_PRODUCT" "${settings[@]}" "$@"
