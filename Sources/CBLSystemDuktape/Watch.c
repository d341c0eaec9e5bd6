#define _GNU_SOURCE
#include "Watch.h"
#include "Entry.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition;
static struct cblite_watch *watches;
static int chosen_signal;
static atomic_bool is_asleep;
// Its address goes with the signals.
static char token;

static const int64_t millisecond = 1000000;
// Rounds without anybody inside after which the thread goes to sleep.
static const int idle_rounds = 3;

int cblite_watch_signal(void) { return chosen_signal; }
void *cblite_watch_token(void) { return &token; }

void cblite_watch_unblock(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, chosen_signal);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static int64_t nanoseconds(clockid_t clock) {
    struct timespec time;
    if (clock_gettime(clock, &time) != 0) return -1;
    return (int64_t)time.tv_sec * 1000 * millisecond + time.tv_nsec;
}

// The kernel's number for the clock of the processor time that a thread took. It needs no thread handle, which might be of one that is gone.
static clockid_t clock_of(int thread) { return (clockid_t)((~(unsigned)thread << 3) | 6); }

static void ask(struct cblite_watch *watch) {
    // Answered at once as a rule. A signal may be blocked, though, and would be queued each time.
    int64_t now = nanoseconds(CLOCK_MONOTONIC);
    if (atomic_load(&watch->is_asked) && now - watch->asked < 1000 * millisecond) return;
    watch->asked = now;
    atomic_store(&watch->is_asked, true);
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_signo = chosen_signal;
    info.si_code = SI_QUEUE;
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_ptr = &token;
    syscall(SYS_rt_tgsigqueueinfo, getpid(), atomic_load(&watch->thread), chosen_signal, &info);
}

// Looks at one; false if nobody is inside. `pause` becomes how long to wait until the next look, if that is less.
static bool look(struct cblite_watch *watch, int64_t *pause) {
    unsigned entries = atomic_load(&watch->entries);
    if (entries % 2 == 0) return false;
    int64_t limit = atomic_load(&watch->limit);
    int64_t tick = limit / 8;
    if (tick > 100 * millisecond) tick = 100 * millisecond;
    if (tick < millisecond) tick = millisecond;
    int64_t now = nanoseconds(clock_of(atomic_load(&watch->thread)));
    if (entries != watch->seen) {
        watch->seen = entries;
        watch->since = now;
    } else if (now >= 0 && now - watch->since >= limit) {
        atomic_store(&watch->overdue, entries);
        ask(watch);
        tick = millisecond;
    }
    if (tick < *pause) *pause = tick;
    return true;
}

static bool look_at_all(int64_t *pause) {
    bool is_anybody_inside = false;
    for (struct cblite_watch *watch = watches; watch; watch = watch->next) {
        if (look(watch, pause)) is_anybody_inside = true;
    }
    return is_anybody_inside;
}

static void *watch_all(void *unused) {
    (void)unused;
    int idle = 0;
    pthread_mutex_lock(&mutex);
    for (;;) {
        int64_t pause = 100 * millisecond;
        idle = look_at_all(&pause) ? 0 : idle + 1;
        if (idle >= idle_rounds) {
            atomic_store(&is_asleep, true);
            // Who goes in after this look sees that it sleeps.
            if (!look_at_all(&pause)) pthread_cond_wait(&condition, &mutex);
            atomic_store(&is_asleep, false);
            idle = 0;
            continue;
        }
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += pause;
        until.tv_sec += until.tv_nsec / (1000 * millisecond);
        until.tv_nsec %= 1000 * millisecond;
        pthread_cond_timedwait(&condition, &mutex, &until);
    }
    return NULL;
}

// A signal that nobody has a use for so far. The last ones, as others begin with the first.
static bool choose_signal(void) {
    for (int candidate = SIGRTMAX - 2; candidate > SIGRTMIN; candidate--) {
        struct sigaction present;
        if (sigaction(candidate, NULL, &present) != 0 || present.sa_flags & SA_SIGINFO || present.sa_handler != SIG_DFL) continue;
        chosen_signal = candidate;
        return cblite_entry_handle(candidate);
    }
    return false;
}

static void start(void) {
    if (!choose_signal()) return;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&condition, &monotonic);
    pthread_condattr_destroy(&monotonic);

    // The thread is nobody's: it takes no signal that is meant for the program.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    if (pthread_create(&thread, &attributes, watch_all, NULL) != 0) chosen_signal = 0;
    else pthread_setname_np(thread, "script watch");
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

bool cblite_watch_add(struct cblite_watch *watch) {
    pthread_once(&once, start);
    if (!chosen_signal) return false;
    pthread_mutex_lock(&mutex);
    watch->previous = NULL;
    watch->next = watches;
    if (watches) watches->previous = watch;
    watches = watch;
    pthread_mutex_unlock(&mutex);
    return true;
}

void cblite_watch_remove(struct cblite_watch *watch) {
    pthread_mutex_lock(&mutex);
    if (watch->previous) watch->previous->next = watch->next; else watches = watch->next;
    if (watch->next) watch->next->previous = watch->previous;
    pthread_mutex_unlock(&mutex);
}

void cblite_watch_begin(struct cblite_watch *watch, int thread, int64_t limit) {
    atomic_store_explicit(&watch->limit, limit, memory_order_relaxed);
    atomic_store_explicit(&watch->thread, thread, memory_order_relaxed);
    atomic_fetch_add(&watch->entries, 1);
    if (!atomic_load(&is_asleep)) return;
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
}

void cblite_watch_end(struct cblite_watch *watch) { atomic_fetch_add_explicit(&watch->entries, 1, memory_order_release); }
