# For the scripts that pack the program: sourced in the folder of the project, it says which program was built and what that needs, and has a
# temporary folder $place and one for the results, $packages.
program=.build/release/cblite
packages=$PWD/.build/packages
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
umask 022
export LC_ALL=C TZ=UTC

fail() { echo "$0: $1" >&2; exit 1; }

version=$(sed -nE 's/.* static let version = "(.*)"$/\1/p' Sources/CBLShell/Shell.swift)
architecture=$(dpkg --print-architecture)
libraries=/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
[ -x "$program" ] || fail "$program is not there: make build"
[ "$("$program" --version)" = "cblite $version" ] || fail "$program is not of version $version: make build"

# Nothing in what is packed is younger than the last commit: so its bytes depend on the sources alone.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)} || fail "outside of a repository SOURCE_DATE_EPOCH has to be set"
export SOURCE_DATE_EPOCH

# PREFIX DIRECTORY: puts there what `make install` does, without building again.
stage() { make --no-print-directory --old-file=build install PREFIX="$1" DESTDIR="$2" > /dev/null; }

# The packages with the libraries that it is linked with.
linked_packages() {
    local found known
    mkdir -p "$place/linked/debian" "$place/linked/root/DEBIAN"
    install -s "$program" "$place/linked/root"
    echo "Source: cblite" > "$place/linked/debian/control"
    found=$(cd "$place/linked" && dpkg-shlibdeps -O root/cblite) || return 1
    # Relative relocations that are packed ask for a C library that knows them, which dpkg-shlibdeps does not see: it looks at symbols alone.
    if readelf --version-info --wide "$program" | grep -q GLIBC_ABI_DT_RELR; then
        known=$(sed -nE 's/.*libc6 \(>= ([^)]*)\).*/\1/p' <<< "$found")
        dpkg --compare-versions "$known" ge 2.36 || found=${found/"libc6 (>= $known)"/"libc6 (>= 2.36)"}
    fi
    echo "${found#shlibs:Depends=}"
}

# The sources of what is linked into it, with their versions: who updates one of them has to build it again.
linked_sources() {
    local linked archive name
    linked=$(objdump -p "$program" | awk '$1 == "NEEDED" { print $2 }')
    for archive in .build/static*/*.a; do
        name=${archive##*/}
        grep -qF "${name%.a}.so." <<< "$linked" || dpkg-query --search "$(realpath "$archive")" | sed 's/: .*//' || return 1
    done | sort -u | xargs dpkg-query --show --showformat '${source:Package} (= ${source:Version})\n' | sort -u
}

# The libraries that it loads when they are first needed: those whose names stand in it, and which it is not linked with.
loaded_libraries() {
    local linked
    linked=$(objdump -p "$program" | awk '$1 == "NEEDED" { print $2 }')
    strings -n 6 "$program" | grep -xE 'lib[a-z0-9+-]+\.so\.[a-z0-9.%]+' | sort -u | grep -vxF "$linked" | while IFS= read -r name; do
        case $name in
            # It fills in the number of the headers that it was built with, which the link beside them leads to.
            *.%d) objdump -p "$libraries/${name%.%d}" | awk '$1 == "SONAME" { print $2 }' ;;
            *) echo "$name" ;;
        esac
    done
}

# The packages that these come from.
loaded_packages() {
    local multiarch=${libraries##*/}
    loaded_libraries | while IFS= read -r name; do
        dpkg-query --search "*/$multiarch/$name" | cut -d: -f1 || exit 1
    done | sort -u
}
