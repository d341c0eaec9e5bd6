#define _GNU_SOURCE
#include "Entry.h"
#include "Library.h"
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

// Only what is used of it takes memory. Tests measure how much that is at the worst.
static const size_t stack_size = 16 << 20;
static const size_t stack_guard = 64 << 10;

// What this thread is inside of.
static __thread struct cblite_entry *current;
static __thread int thread_number;

void *cblite_entry_owner(void) { return current->owner; }

static uintptr_t interrupted_instruction(const ucontext_t *context) {
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)context->uc_mcontext.pc;
#else
#error "where a signal came is read from the processor's registers: say which"
#endif
}

static void handle(int signal, siginfo_t *info, void *context) {
    (void)signal;
    if (info->si_code != SI_QUEUE || info->si_value.sival_ptr != cblite_watch_token()) return;
    struct cblite_entry *entry = current;
    if (!entry) return;
    atomic_store(&entry->watch.is_asked, false);
    // It may have been meant for a call that has returned.
    if (atomic_load(&entry->watch.entries) != atomic_load(&entry->watch.overdue)) return;
    if (!cblite_is_in_duktape(interrupted_instruction(context))) return;
    entry->mask = ((ucontext_t *)context)->uc_sigmask;
    entry->left = cblite_left_by_time;
    siglongjmp(entry->escape, 1);
}

bool cblite_entry_handle(int signal) {
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&action.sa_mask);
    return sigaction(signal, &action, NULL) == 0;
}

_Noreturn void cblite_entry_fail(struct cblite_entry *entry) {
    entry->left = cblite_left_by_failure;
    siglongjmp(entry->escape, 1);
}

static void run(void *argument) {
    struct cblite_entry *entry = argument;
    entry->left = cblite_left_normally;
    // The mask is not saved: that would be a call of the kernel for each document.
    if (sigsetjmp(entry->escape, 0) == 0) {
        current = entry;
        cblite_watch_begin(&entry->watch, thread_number, entry->limit);
        entry->job(entry->owner);
    }
    cblite_watch_end(&entry->watch);
    current = NULL;
    if (entry->left == cblite_left_by_time) pthread_sigmask(SIG_SETMASK, &entry->mask, NULL);
}

// Calls a function on another stack. The callee keeps the register that has the old one.
static __attribute__((noinline)) void call_on_stack(char *top, void (*function)(void *), void *argument) {
#if defined(__x86_64__)
    __asm__ volatile(
        "movq %%rsp, %%rbx\n\t"
        "movq %[top], %%rsp\n\t"
        "callq *%[function]\n\t"
        "movq %%rbx, %%rsp\n\t"
        : "+D"(argument)
        : [top] "r"(top), [function] "r"(function)
        : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
          "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
#elif defined(__aarch64__)
    register void *first __asm__("x0") = argument;
    __asm__ volatile(
        "mov x19, sp\n\t"
        "mov sp, %[top]\n\t"
        "blr %[function]\n\t"
        "mov sp, x19\n\t"
        : "+r"(first)
        : [top] "r"(top), [function] "r"(function)
        : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x19", "x30", "v0",
          "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20",
          "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "cc", "memory");
#endif
}

enum cblite_left cblite_entry_run(struct cblite_entry *entry, void (*job)(void *), void *owner, int64_t nanoseconds) {
    if (thread_number == 0) {
        thread_number = (int)syscall(SYS_gettid);
        cblite_watch_unblock();
    }
    entry->job = job;
    entry->owner = owner;
    entry->limit = nanoseconds;
    call_on_stack(entry->stack + entry->stack_size, run, entry);
    return entry->left;
}

bool cblite_entry_open(struct cblite_entry *entry) {
    size_t size = stack_guard + stack_size;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return false;
    if (mprotect(memory, stack_guard, PROT_NONE) != 0 || !cblite_watch_add(&entry->watch)) {
        munmap(memory, size);
        return false;
    }
    entry->stack = memory + stack_guard;
    entry->stack_size = stack_size;
    return true;
}

void cblite_entry_close(struct cblite_entry *entry) {
    cblite_watch_remove(&entry->watch);
    munmap(entry->stack - stack_guard, stack_guard + entry->stack_size);
}

size_t cblite_entry_stack_used(const struct cblite_entry *entry) {
    const char *lowest = entry->stack;
    const char *top = entry->stack + entry->stack_size;
    while (lowest < top && *lowest == 0) lowest++;
    return (size_t)(top - lowest);
}
