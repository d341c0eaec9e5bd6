#!/usr/bin/env bash
# Whether the Debian package and the tarball are right: packed twice they are the same byte by byte, and the package installs into a minimal Debian,
# works there, names what it recommends when that is missing, and leaves nothing behind when it is removed. `make package-check` builds them before.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=$PWD/.build/packages
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
fail() { echo "Tests/packages.sh: $1" >&2; exit 1; }
expect() { [ "$1" = "$2" ] || { printf 'expected: %s\nbut it is: %s\n' "$2" "$1" >&2; exit 1; }; }

# What the maker's machine is like does not show.
(umask 077 && TZ=Asia/Tokyo LC_ALL=C.UTF-8 Packaging/deb.sh "$place/again" && Packaging/dist.sh "$place/again") > "$place/names"
mapfile -t made < "$place/names"
for file in "${made[@]}"; do
    cmp "$file" "$packages/${file##*/}" || fail "${file##*/} is another one each time it is made"
done
package=${made[0]} tarball=${made[1]}

version=$(dpkg-deb --field "$package" Version)
tar --extract --file "$tarball" --directory "$place"
unpacked=$place/$(basename "$tarball" .tar.gz)
expect "$("$unpacked/bin/cblite" --version)" "cblite ${version%-*}"
cmp "$unpacked/share/man/man1/cblite.1" man/cblite.1
grep -q libc6 "$unpacked/INSTALL"

# Every file that loads a library has its package among the recommended ones.
recommended=$(dpkg-deb --field "$package" Recommends)
expect "$(tr , '\n' <<< "$recommended" | wc -l)" "$(grep -rl --include='*.[ch]' 'dlopen(' Sources | wc -l)"
dpkg-deb --field "$package" Built-Using | grep -q "sqlite3 (= .*zlib (= " || fail "it does not say what is linked into it"
expect "$(dpkg-deb --contents "$package" | awk '{ print $2 }' | sort -u)" root/root

# The rest needs a Debian of its own.
skip() { echo "The packages are the same each time they are made. Not tried in a minimal Debian: $1."; exit 0; }
command -v mmdebstrap > /dev/null || skip "mmdebstrap is not installed"
[ "$(id -u)" = 0 ] || command -v newuidmap > /dev/null || skip "nobody but root can, unless the package uidmap is installed"
. /etc/os-release
[ "$ID" = debian ] || skip "this is $PRETTY_NAME, whose libraries are others than Debian's"

cp "$package" "$place/cblite.deb"
cat > "$place/try.sh" <<'END_OF_TRY'
set -eu
export HOME=/root DEBIAN_FRONTEND=noninteractive
cd /root

fail() { echo "in the minimal Debian: $1" >&2; exit 1; }
# TEXT COMMAND…: what the command says has the text in it.
says() {
    text=$1; shift
    said=$("$@" 2>&1) || true
    case $said in *"$text"*) ;; *) fail "'$*' does not say '$text' but: $said" ;; esac
}
# All there is, with its kind, rights and size. Of what others keep in order only what is about the package counts.
inventory() {
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /run -o -path /var/cache -o -path /var/log \
        -o -path /var/lib/apt -o -path /cblite.deb -o -path /try.sh \) -prune -o -printf '%p %y %m %U %G ' \
        \( -path '/var/lib/dpkg/*' -o -type d \) -printf '\n' -o -printf '%s\n' | grep -vE '^/var/lib/dpkg/(lock|triggers/Lock|status-old|available)' | sort
    dpkg-query --show
}
# What is installed satisfies the dependencies in the package's FIELD, and nothing else was installed.
install_what_it() {
    apt-get satisfy --yes --no-install-recommends "$(dpkg-deb --field /cblite.deb "$1")" > /tmp/apt.log 2>&1 || { cat /tmp/apt.log >&2; exit 1; }
}

ask() { cblite query travel.cblite2 "SELECT name FROM inventory.hotel ORDER BY name COLLATE UNICODE LIMIT 1"; }
index() { cblite mkindex -C inventory.hotel --fts --language en travel.cblite2 words name; }
converse() { echo quit | script --quiet --return --command "cblite travel.cblite2" /dev/null; }
pull() { cblite pull travel.cblite2 ws://127.0.0.1:1/travel; }
peers() { cblite peers; }
script_view() { echo 'function map(doc) { emit(doc.guest) }' | cblite view define travel.cblite2 by_guest -; }

install_what_it Depends
inventory > /tmp/before
dpkg --install /cblite.deb > /tmp/dpkg.log 2>&1 || { cat /tmp/dpkg.log >&2; exit 1; }
[ -z "$(dpkg --verify cblite)" ] || fail "its files are not what the package says"

says "cblite $VERSION" cblite --version
says cblite head -5 /usr/share/bash-completion/completions/cblite
[ "$(zcat /usr/share/man/man1/cblite.1.gz | grep -c '^\.SH NAME')" = 1 ] || fail "there is no man page"
for file in zsh/vendor-completions/_cblite fish/vendor_completions.d/cblite.fish doc/cblite/copyright doc/cblite/changelog.gz; do
    [ -s "/usr/share/$file" ] || fail "/usr/share/$file is not there"
done

cblite generate sample travel.cblite2
says "no problems" cblite check travel.cblite2
says 3000 cblite query travel.cblite2 "SELECT count(*) FROM booking"
says "Created" cblite put travel.cblite2 greeting '{title: "Hello"}'
says "Hello" cblite cat travel.cblite2 greeting

# Who has not installed what it recommends is told its name.
for package in $(dpkg-deb --field /cblite.deb Recommends | tr -d ,); do
    # It shows a package that others only name, too.
    [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2> /dev/null)" != installed ] || continue
    case $package in
        libicu*) says "Debian package $package" ask ;;
        libstemmer*) says "Debian package $package" index ;;
        libedit*) says "Debian package $package" converse ;;
        libcurl*) says "Debian package $package" pull ;;
        libduktape*) says "Debian package $package" script_view ;;
        # Others bring it along as a rule.
        # Without a bus it would not be needed.
        libdbus*) says "Debian package $package" env DBUS_SESSION_BUS_ADDRESS=unix:path=/tmp/bus cblite passwords ;;
        libavahi*) says "Debian package $package" peers ;;
        # These are part of every Debian.
        *) fail "nobody tries what happens without $package" ;;
    esac
done
rm -r travel.cblite2
dpkg --purge cblite > /tmp/dpkg.log 2>&1 || { cat /tmp/dpkg.log >&2; exit 1; }
inventory > /tmp/after
diff /tmp/before /tmp/after || fail "the package leaves something behind"

# With all of it, as apt-get installs the package by itself.
install_what_it Recommends
inventory > /tmp/before
apt-get install --yes /cblite.deb > /tmp/apt.log 2>&1 || { cat /tmp/apt.log >&2; exit 1; }
cblite generate sample travel.cblite2
says "Acacia House" ask
says "Created index" index
says "travel>" converse
says "127.0.0.1" pull
says "the Avahi daemon does not run" peers
says "this session has no message bus" cblite passwords
script_view
says "(total)" cblite info travel.cblite2
cblite serve --tls --port 0 travel.cblite2 > /tmp/serve 2>&1 &
for moment in $(seq 600); do grep -q wss:// /tmp/serve && break; sleep 0.1; done
kill $!
wait
says "wss://" cat /tmp/serve
rm -r travel.cblite2 .local .config 2> /dev/null || true
apt-get purge --yes cblite > /tmp/apt.log 2>&1
inventory > /tmp/after
diff /tmp/before /tmp/after || fail "the package leaves something behind"
END_OF_TRY

# What was downloaded is kept for the next time.
mkdir -p "$packages/downloads"
mmdebstrap --quiet --variant=minbase --skip=download/empty --skip=essential/unlink \
    --setup-hook='mkdir -p "$1/var/cache/apt/archives"' --setup-hook="sync-in '$packages/downloads' /var/cache/apt/archives" \
    --customize-hook="copy-in '$place/cblite.deb' '$place/try.sh' /" \
    --customize-hook='chroot "$1" env VERSION='"'${version%-*}'"' sh /try.sh' \
    --customize-hook="sync-out /var/cache/apt/archives '$packages/downloads'" \
    "$VERSION_CODENAME" /dev/null > "$place/log" 2>&1 || { cat "$place/log" >&2; fail "the package does not do well in a minimal Debian"; }
echo "The packages are the same each time they are made; the Debian package works in a minimal $VERSION_CODENAME, and leaves nothing behind."
