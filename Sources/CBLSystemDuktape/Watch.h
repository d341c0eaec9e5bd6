#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// What one thread, for the whole process, looks at again and again while scripts run: whether each still runs the same call as before, and
// how much processor time that took. It sends a signal to a thread whose call took too long, and to no other; what the signal does is in
// Entry.c. While no script runs it sleeps.

struct cblite_watch {
    // Counts how often somebody went in or came out: odd while inside.
    atomic_uint entries;
    // The count at which a call was found to take too long; an even one never is.
    atomic_uint overdue;
    // Whether a signal is on its way.
    atomic_bool is_asked;
    // Who is inside.
    atomic_int thread;
    // Nanoseconds of that thread's processor time.
    atomic_llong limit;

    // The watching thread's own.
    unsigned seen;
    int64_t since;
    int64_t asked;
    struct cblite_watch *previous, *next;
};

// False if there is no thread, or no signal, for it.
bool cblite_watch_add(struct cblite_watch *watch);
void cblite_watch_remove(struct cblite_watch *watch);
void cblite_watch_begin(struct cblite_watch *watch, int thread, int64_t limit);
void cblite_watch_end(struct cblite_watch *watch);

// The signal that is sent, and what is sent with it, so that it is not taken for somebody else's.
int cblite_watch_signal(void);
void *cblite_watch_token(void);

// Has the signal arrive in the thread that calls.
void cblite_watch_unblock(void);
