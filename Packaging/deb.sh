#!/usr/bin/env bash
# Packs the built program as a Debian package, and says where that is. The folder for it may be the one argument.
set -euo pipefail
cd "$(dirname "$0")/.."
. Packaging/facts.sh

packages=${1:-$packages}
root=$place/root
documents=$root/usr/share/doc/cblite

stage /usr "$root"
# Where Debian's zsh looks for what packages bring.
mkdir "$root/usr/share/zsh/vendor-completions"
mv "$root/usr/share/zsh/site-functions/_cblite" "$root/usr/share/zsh/vendor-completions"
rmdir "$root/usr/share/zsh/site-functions"
gzip -9n "$root/usr/share/man/man1/cblite.1"

# Whoever packs it is responsible for the package, as elsewhere in Debian.
maintainer="${DEBFULLNAME:-$(git log -1 --format=%an)} <${DEBEMAIL:-$(git log -1 --format=%ae)}>"
cat > "$place/changelog" <<TEXT
cblite ($version-1) unstable; urgency=medium

  * Version $version: what is new is told in changelog.gz.

 -- $maintainer  $(date --rfc-email --date "@$SOURCE_DATE_EPOCH")
TEXT
install -Dm644 Packaging/copyright "$documents/copyright"
install -Dm644 Packaging/lintian-overrides "$root/usr/share/lintian/overrides/cblite"
gzip -9n < CHANGELOG.md > "$documents/changelog.gz"
gzip -9n < "$place/changelog" > "$documents/changelog.Debian.gz"

mkdir "$root/DEBIAN"
(cd "$root" && find usr -type f -print0 | sort --zero-terminated | xargs -0 md5sum) > "$root/DEBIAN/md5sums"
linked=$(linked_packages)
sources=$(linked_sources | paste --serial --delimiters=, | sed 's/,/, /g')
loaded=$(loaded_packages | paste --serial --delimiters=, | sed 's/,/, /g')
dpkg-gencontrol -cPackaging/control -l"$place/changelog" -f"$place/files" -P"$root" \
    -Vmaintainer="$maintainer" -Vlinked="$linked" -Vloaded="$loaded" -Vsources="$sources"

find "$root" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +
mkdir -p "$packages"
# With several threads the bytes would depend on how many there are.
dpkg-deb --root-owner-group -Zxz --threads-max=1 --build "$root" "$packages/cblite_$version-1_$architecture.deb" > /dev/null
echo "$packages/cblite_$version-1_$architecture.deb"
