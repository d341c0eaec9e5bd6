#pragma once
#include "Watch.h"
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

// The one way into the engine. What is done there runs on a stack of its own, whose size is known to suffice for the deepest recursion that the
// engine allows, whatever thread calls; and it can be left at any instruction of the engine's, when it took too long or when it gives up.
//
// Leaving like that is sound because nothing is between the instruction and the way in but the engine and the functions beside this one: the
// engine's memory is its own and is thrown away, and a lock of the C library is held only while its instructions run, which are let finish.

enum cblite_left { cblite_left_normally, cblite_left_by_time, cblite_left_by_failure };

struct cblite_entry {
    struct cblite_watch watch;
    sigjmp_buf escape;
    // The signals that were blocked when the engine was left by one.
    sigset_t mask;
    volatile enum cblite_left left;
    char *stack;
    size_t stack_size;
    void (*job)(void *owner);
    void *owner;
    int64_t limit;
};

bool cblite_entry_open(struct cblite_entry *entry);
void cblite_entry_close(struct cblite_entry *entry);
enum cblite_left cblite_entry_run(struct cblite_entry *entry, void (*job)(void *), void *owner, int64_t nanoseconds);

// Leaves the engine, which can go on no more.
_Noreturn void cblite_entry_fail(struct cblite_entry *entry);

// The owner of the job that this thread is at.
void *cblite_entry_owner(void);

// Has this signal end calls that are overdue.
bool cblite_entry_handle(int signal);

// How many bytes of the stack were ever written to.
size_t cblite_entry_stack_used(const struct cblite_entry *entry);
