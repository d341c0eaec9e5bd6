# For scripts that use the package as strangers do: sourced, it makes a release of what lies here now, whether it is committed or not, as the
# repository $place/cblite with the version 99.0.0.
mkdir "$place/cblite"
git ls-files -z --cached --others --exclude-standard | tar --create --null --files-from=- --ignore-failed-read 2>/dev/null \
    | tar --extract --directory "$place/cblite"
git -C "$place/cblite" init --quiet
git -C "$place/cblite" add --all
git -C "$place/cblite" -c user.name=test -c user.email=test@localhost -c commit.gpgSign=false commit --quiet --message "Release"
git -C "$place/cblite" -c tag.gpgSign=false tag 99.0.0
