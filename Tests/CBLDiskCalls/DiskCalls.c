#define _GNU_SOURCE
#include "CBLDiskCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// A symbol of the program comes before that of a library, also for libraries that call it.

static int (*watch_before)(struct disk_call *);
static void (*watch_after)(const struct disk_call *);
static _Thread_local int is_inside;

void disk_watch(int (*before)(struct disk_call *), void (*after)(const struct disk_call *)) {
    // A call that is being made still asks for it.
    if (after) __atomic_store_n(&watch_after, after, __ATOMIC_RELEASE);
    __atomic_store_n(&watch_before, before, __ATOMIC_RELEASE);
}

// Makes a call whose number and arguments are those of the system's, or has it fail.
#define WATCHED(call, made)                                                                                                                \
    do {                                                                                                                                   \
        int (*before)(struct disk_call *) = __atomic_load_n(&watch_before, __ATOMIC_ACQUIRE);                                              \
        if (!before || is_inside) return (made);                                                                                           \
        void (*after)(const struct disk_call *) = __atomic_load_n(&watch_after, __ATOMIC_ACQUIRE);                                         \
        is_inside = 1;                                                                                                                     \
        int failure = before(&(call));                                                                                                     \
        if (failure) {                                                                                                                     \
            is_inside = 0;                                                                                                                 \
            errno = failure;                                                                                                               \
            return -1;                                                                                                                     \
        }                                                                                                                                  \
        (call).result = (long)(made);                                                                                                      \
        int code = errno;                                                                                                                  \
        after(&(call));                                                                                                                    \
        is_inside = 0;                                                                                                                     \
        errno = code;                                                                                                                      \
        return (call).result;                                                                                                              \
    } while (0)

static int opened(int folder, const char *path, int flags, mode_t mode) {
    struct disk_call call = {.kind = disk_open, .descriptor = folder, .path = path, .flags = flags};
    WATCHED(call, (int)syscall(SYS_openat, folder, path, flags, mode));
}

static int makes_file(int flags) { return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE; }

static mode_t mode_of(int flags, va_list list) { return makes_file(flags) ? va_arg(list, mode_t) : 0; }

int open(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, list);
    va_end(list);
    return opened(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int openat(int folder, const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, list);
    va_end(list);
    return opened(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) __attribute__((alias("openat")));

ssize_t pread(int file, void *target, size_t count, off_t offset) {
    struct disk_call call = {.kind = disk_read, .descriptor = file, .count = count, .offset = offset};
    WATCHED(call, syscall(SYS_pread64, file, target, count, offset));
}

ssize_t pread64(int file, void *target, size_t count, off_t offset) __attribute__((alias("pread")));

ssize_t read(int file, void *target, size_t count) {
    struct disk_call call = {.kind = disk_read, .descriptor = file, .count = count, .offset = -1};
    WATCHED(call, syscall(SYS_read, file, target, count));
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    struct disk_call call = {.kind = disk_write, .descriptor = file, .bytes = bytes, .count = count, .offset = offset};
    WATCHED(call, syscall(SYS_pwrite64, file, bytes, call.count ? call.count : count, offset));
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off_t offset) __attribute__((alias("pwrite")));

ssize_t write(int file, const void *bytes, size_t count) {
    struct disk_call call = {.kind = disk_write, .descriptor = file, .bytes = bytes, .count = count, .offset = -1};
    WATCHED(call, syscall(SYS_write, file, bytes, call.count ? call.count : count));
}

// By hand, so that what is written is seen.
ssize_t sendfile(int target, int source, off_t *offset, size_t count) {
    if (!__atomic_load_n(&watch_before, __ATOMIC_ACQUIRE) || !offset) return syscall(SYS_sendfile, target, source, offset, count);
    char piece[1 << 15];
    ssize_t found = pread(source, piece, count < sizeof piece ? count : sizeof piece, *offset);
    if (found <= 0) return found;
    ssize_t written = write(target, piece, (size_t)found);
    if (written > 0) *offset += written;
    return written;
}

int ftruncate(int file, off_t size) {
    struct disk_call call = {.kind = disk_truncate, .descriptor = file, .offset = size};
    WATCHED(call, (int)syscall(SYS_ftruncate, file, size));
}

int ftruncate64(int file, off_t size) __attribute__((alias("ftruncate")));

int fsync(int file) {
    struct disk_call call = {.kind = disk_sync, .descriptor = file};
    WATCHED(call, (int)syscall(SYS_fsync, file));
}

int fdatasync(int file) {
    struct disk_call call = {.kind = disk_sync, .descriptor = file};
    WATCHED(call, (int)syscall(SYS_fdatasync, file));
}

// `flags` says that it is about all there is.
int syncfs(int file) {
    struct disk_call call = {.kind = disk_sync, .descriptor = file, .flags = 1};
    WATCHED(call, (int)syscall(SYS_syncfs, file));
}

int fcntl(int file, int operation, ...) {
    va_list list;
    va_start(list, operation);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (operation != F_SETLK && operation != F_SETLKW && operation != F_GETLK) return (int)syscall(SYS_fcntl, file, operation, argument);
    struct disk_call call = {.kind = disk_lock, .descriptor = file, .flags = ((struct flock *)argument)->l_type};
    WATCHED(call, (int)syscall(SYS_fcntl, file, operation, argument));
}

int fcntl64(int file, int operation, ...) __attribute__((alias("fcntl")));

int flock(int file, int operation) {
    struct disk_call call = {.kind = disk_lock, .descriptor = file};
    WATCHED(call, (int)syscall(SYS_flock, file, operation));
}

static void *mapped(void *address, size_t count, int protection, int flags, int file, off_t offset) {
    return (void *)syscall(SYS_mmap, address, count, protection, flags, file, offset);
}

static long mapped_file(void *address, size_t count, int protection, int flags, int file, off_t offset) {
    struct disk_call call = {.kind = disk_map, .descriptor = file, .count = count, .offset = offset};
    WATCHED(call, (long)mapped(address, count, protection, flags, file, offset));
}

// Without a file it is only memory.
void *mmap(void *address, size_t count, int protection, int flags, int file, off_t offset) {
    if (file < 0) return mapped(address, count, protection, flags, file, offset);
    return (void *)mapped_file(address, count, protection, flags, file, offset);
}

void *mmap64(void *address, size_t count, int protection, int flags, int file, off_t offset) __attribute__((alias("mmap")));

int mkdirat(int folder, const char *path, mode_t mode) {
    struct disk_call call = {.kind = disk_make_folder, .descriptor = folder, .path = path};
    WATCHED(call, (int)syscall(SYS_mkdirat, folder, path, mode));
}

int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

// Who waits for others waits less: nobody is there, and a lock that fails is asked for a hundred times.
int usleep(useconds_t time) {
    if (__atomic_load_n(&watch_before, __ATOMIC_ACQUIRE) && time > 100) time = 100;
    struct timespec pause = {.tv_sec = time / 1000000, .tv_nsec = (long)(time % 1000000) * 1000};
    return nanosleep(&pause, NULL);
}

// That of the library makes its folder by a call that nobody sees.
char *mkdtemp(char *template) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    size_t length = 0;
    while (template[length]) length++;
    for (int attempt = 0; attempt < 100; attempt++) {
        unsigned char random[6];
        if (syscall(SYS_getrandom, random, sizeof random, 0) != sizeof random) return NULL;
        for (int place = 0; place < 6; place++) template[length - 6 + (size_t)place] = letters[random[place] % 36];
        if (mkdir(template, 0700) == 0) return template;
        if (errno != EEXIST) return NULL;
    }
    return NULL;
}

int linkat(int folder, const char *path, int new_folder, const char *new_path, int flags) {
    struct disk_call call = {
        .kind = disk_link, .descriptor = folder, .path = path, .other_descriptor = new_folder, .other_path = new_path, .flags = flags};
    WATCHED(call, (int)syscall(SYS_linkat, folder, path, new_folder, new_path, flags));
}

int link(const char *path, const char *new_path) { return linkat(AT_FDCWD, path, AT_FDCWD, new_path, 0); }

int renameat2(int folder, const char *path, int new_folder, const char *new_path, unsigned int flags) {
    struct disk_call call = {
        .kind = disk_rename, .descriptor = folder, .path = path, .other_descriptor = new_folder, .other_path = new_path,
        .flags = (int)flags};
    WATCHED(call, (int)syscall(SYS_renameat2, folder, path, new_folder, new_path, flags));
}

int renameat(int folder, const char *path, int new_folder, const char *new_path) {
    return renameat2(folder, path, new_folder, new_path, 0);
}

int rename(const char *path, const char *new_path) { return renameat2(AT_FDCWD, path, AT_FDCWD, new_path, 0); }

int unlinkat(int folder, const char *path, int flags) {
    struct disk_call call = {
        .kind = flags & AT_REMOVEDIR ? disk_remove_folder : disk_remove, .descriptor = folder, .path = path, .flags = flags};
    WATCHED(call, (int)syscall(SYS_unlinkat, folder, path, flags));
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }

int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
