#pragma once
#include <stddef.h>
#include <sys/types.h>

// The calls by which this process reaches its files, for who wants to see them or have them fail. While nobody watches they do what they always do.

enum disk_kind {
    disk_open,
    disk_read,
    disk_write,
    disk_truncate,
    disk_sync,
    disk_lock,
    disk_map,
    disk_make_folder,
    disk_link,
    disk_rename,
    disk_remove,
    disk_remove_folder,
};

struct disk_call {
    enum disk_kind kind;
    // The file, or the folder that `path` begins at.
    int descriptor;
    const char *path;
    int other_descriptor;
    const char *other_path;
    const void *bytes;
    // Of a write: it may be made less.
    size_t count;
    off_t offset;
    int flags;
    // For after the call: what `before` has left here, and what the call gave.
    int note;
    long result;
};

// `before` gives the error that a call fails with, without being made, or 0; `after` is told of all that were made, in the same thread. The calls that
// these two make are seen by nobody. Without `before` nobody watches any more.
void disk_watch(int (*before)(struct disk_call *), void (*after)(const struct disk_call *));
