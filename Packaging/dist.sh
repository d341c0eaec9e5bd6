#!/usr/bin/env bash
# Packs the built program for machines without a toolchain, and says where that is. The folder for it may be the one argument.
set -euo pipefail
cd "$(dirname "$0")/.."
. Packaging/facts.sh

packages=${1:-$packages}
name=cblite-$version-linux-$architecture
root=$place/$name

stage "" "$root"
install -m644 LICENSE CHANGELOG.md "$root"
linked=$(linked_packages)
loaded=$(loaded_packages)
files=$(cd "$root" && find bin share -type f | sort)
. /etc/os-release
cat > "$root/INSTALL" <<TEXT
cblite $version for Linux on $architecture, built on $PRETTY_NAME

bin/cblite runs from where it lies. This installs it for everybody, with its man page and completions for bash, zsh and fish:

    sudo cp -r bin share /usr/local

and this removes it again:

    cd /usr/local && sudo rm $(echo $files)

It cannot start without the libraries of these packages:

    $linked

It loads those of the following when it first needs them, for Unicode in queries and for indexes, the interactive shell, sync, passwords in
the files of Edge Server, and JavaScript, and says so if one is missing:

    $(echo $loaded)

The names are Debian's. Elsewhere other packages have these libraries, whose numbers have to be the same:

    $(loaded_libraries | paste --serial --delimiters=' ')

CHANGELOG.md tells what is new, "cblite help" and "man cblite" how it is used.
TEXT

mkdir -p "$packages"
tar --create --directory "$place" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu "$name" \
    | gzip -9n > "$place/tarball"
mv "$place/tarball" "$packages/$name.tar.gz"
echo "$packages/$name.tar.gz"
