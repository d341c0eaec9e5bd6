#pragma once
#include <fcntl.h>
#include <pthread.h>
#include <sys/vfs.h>
#include <unistd.h>

// What the C library declares only to those who define _GNU_SOURCE, which Swift does not.

// A descriptor of a folder that is neither read nor written, but what is in it is reached by it.
static const int cblite_open_path = __O_PATH;

// A file that is in no folder, though in the file system of one.
static const int cblite_open_nameless = __O_TMPFILE;

// For `lseek`: the next byte that is stored, and the next that is not.
static const int cblite_seek_data = 3;
static const int cblite_seek_hole = 4;

extern int renameat2(int, const char *, int, const char *, unsigned int);

// Renames, and fails with EEXIST if there is something of the new name.
static inline int cblite_rename_to_free(const char *old_path, const char *new_path) {
    return renameat2(AT_FDCWD, old_path, AT_FDCWD, new_path, 1);
}

// Has two names change places, in one step.
static inline int cblite_exchange(const char *path, const char *other) { return renameat2(AT_FDCWD, path, AT_FDCWD, other, 2); }

// Has the disk take all that the file system of an open file holds back.
extern int syncfs(int);

// Names the thread that calls, for who looks at the process from outside; fifteen bytes at most.
extern int pthread_setname_np(unsigned long, const char *);
static inline void cblite_name_thread(const char *name) { pthread_setname_np((unsigned long)pthread_self(), name); }

// The number of the kind of file system that a path is on; 0 if that cannot be told.
static inline unsigned int cblite_file_system(const char *path) {
    struct statfs facts;
    return statfs(path, &facts) == 0 ? (unsigned int)facts.f_type : 0;
}

// The same of an open file or folder.
static inline unsigned int cblite_file_system_of(int descriptor) {
    struct statfs facts;
    return fstatfs(descriptor, &facts) == 0 ? (unsigned int)facts.f_type : 0;
}

// The kernel's generator of random bytes; sometimes not so many as asked for.
extern long getrandom(void *, unsigned long, unsigned int);
static inline long cblite_random_bytes(void *target, unsigned long count) { return getrandom(target, count, 0); }
