# Functions of the start scripts. A script gets CACHE (its directory for downloads and
# data, kept between runs), SHARED (this directory) and PORT. It installs the product if
# CACHE is empty, fills it with content, and becomes the server on 127.0.0.1:PORT.
set -euo pipefail
mkdir -p "$CACHE"
cd "$CACHE"

# Runs a function once: `once seed` creates the file `seed.done`.
once() {
  [ -e "$1.done" ] && return
  ( "$@" ) >"$1.log" 2>&1
  touch "$1.done"
}

# Installs Python packages into a virtual environment of the product.
venv() {
  [ -e venv.done ] && return
  rm -rf venv
  python3 -m venv venv
  venv/bin/pip install --quiet "$@"
  touch venv.done
}

# Installs packages of npm.
npm_install() {
  [ -e npm.done ] && return
  [ -e package.json ] || echo '{"private": true}' >package.json
  npm install --silent --no-fund --no-audit "$@"
  touch npm.done
}

# Installs Debian packages unless a program or file of them exists.
need() {
  local sign=$1
  shift
  if [ -e "$sign" ] || command -v "$sign" >/dev/null; then return; fi
  local sudo
  sudo=$([ "$(id -u)" = 0 ] || echo sudo)
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -yqq --no-install-recommends "$@"
}

# Unpacks Debian packages into `root` without configuring them.
unpack() {
  [ -e root ] && return
  apt-get download "$@"
  mkdir root.new
  for package in ./*.deb; do dpkg -x "$package" root.new; done
  mv root.new root
}

# Creates a git repository with commits that have the same ids everywhere.
git_repository() {
  rm -rf "$1"
  git init --quiet --initial-branch main "$1"
  local day=1 name
  for name in README.md notes/oak.txt notes/birch.txt src/main.c; do
    mkdir -p "$(dirname "$1/$name")"
    printf 'Text of %s\nIt describes how trees grow in gardens and parks.\n' "$name" >"$1/$name"
    git -C "$1" add "$name"
    GIT_AUTHOR_DATE="2024-03-0${day}T10:00:00Z" GIT_COMMITTER_DATE="2024-03-0${day}T10:00:00Z" \
      git -C "$1" -c user.name=Ann -c user.email=ann@example.org commit --quiet -m "Add $name"
    day=$((day + 1))
  done
  git -C "$1" -c user.name=Ann -c user.email=ann@example.org tag v1.0
  echo "A repository about trees" >"$1/.git/description"
}
