#!/bin/sh
# Shows what the program does to a database, one command after another.
#
#    tour.sh PROGRAM DATABASE
set -eu
cblite=$1
database=$2
name=$(basename "$database")

show() {
    printf '\n$ cblite'
    for word in "$@"; do
        case $word in
        "$database") printf ' %s' "$name" ;;
        *[\ \*\?\"\{]*) printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n'
    "$cblite" "$@"
}

show info "$database"
show lscoll "$database"
show ls -l "$database"
show ls -C inventory.hotel "$database" 'hotel_00?'
show cat -C inventory.airline "$database" airline_hk
show query "$database" 'SELECT name, city, price, rating FROM inventory.hotel ORDER BY rating DESC LIMIT 3'
show query --explain "$database" 'SELECT name FROM inventory.hotel WHERE city = "Porto"'
show revs "$database" packing-list
show changes "$database"
show blob ls "$database"
show check "$database"
printf '\nThe database is %s. Next: cblite help, or man cblite.\n' "$database"
