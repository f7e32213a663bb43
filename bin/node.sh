#!/bin/sh
# Stands in node_modules/.bin for the Node that npm installs on Linux: runs the Node in PATH if it has that version.
wanted=$(cat "$(dirname "$0")/../../.nvmrc")
IFS=:
for folder in $PATH; do
  case $folder in */node_modules/.bin) continue ;; esac
  [ -x "$folder/node" ] || continue
  version=$("$folder/node" --version)
  case $version in "v$wanted."*) exec "$folder/node" "$@" ;; esac
  echo "npm scripts need Node $wanted, and PATH has $version. Install it, for example with: nvm install" >&2
  exit 1
done
echo "npm scripts need Node $wanted, and PATH has none. Install it, for example with: nvm install" >&2
exit 1
