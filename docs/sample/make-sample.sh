#!/bin/sh
# Makes the sample database: two collections of travel data, and one of notes with the things that happen to documents:
# several revisions, a deletion, an expiration, a blob.
#
#    make-sample.sh PROGRAM DATABASE
set -eu
cblite=$1
database=$2
here=$(dirname "$0")
staging=$database.partial.cblite2

rm -rf "$staging"
mkdir -p "$(dirname "$database")"
quietly() { "$cblite" "$@" >/dev/null 2>&1 || { "$cblite" "$@"; exit 1; }; }

quietly --create import -C inventory.airline "$staging" "$here/airlines.jsonl"
quietly import -C inventory.hotel "$staging" "$here/hotels.jsonl"
quietly put "$staging" welcome '{"title": "Welcome", "text": "Everything here was made by cblite itself."}'
quietly put "$staging" packing-list '{"title": "Packing list", "items": ["passport"]}'
quietly put "$staging" packing-list '{"title": "Packing list", "items": ["passport", "charger"]}'
quietly put "$staging" packing-list '{"title": "Packing list", "items": ["passport", "charger", "rain coat"], "done": false}'
quietly put "$staging" cancelled-trip '{"title": "Bergen in February", "nights": 4}'
quietly rm "$staging" cancelled-trip
quietly put "$staging" flash-sale '{"title": "Two nights for one", "hotel": "hotel_003"}'
quietly expire "$staging" flash-sale 30d
quietly blob put "$staging" welcome attachment "$here/airlines.jsonl"
mv "$staging" "$database"
