#define _GNU_SOURCE
#include "Library.h"
#include "CBLSystemDuktape.h"
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>

struct cblite_duktape cblite_duktape;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char failure[200];
static uintptr_t first_instruction, last_instruction;

// Finds the segment of instructions that has the address in `data`.
static int look_at_object(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    uintptr_t wanted = *(uintptr_t *)data;
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[index];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)) continue;
        uintptr_t start = info->dlpi_addr + segment->p_vaddr;
        if (wanted < start || wanted - start >= segment->p_memsz) continue;
        first_instruction = start;
        last_instruction = start + segment->p_memsz - 1;
        return 1;
    }
    return 0;
}

static void load(void) {
    char name[32];
    // The interface's number, which is that of the headers: 2.7 is 207.
    int version = (int)(DUK_VERSION / 100);
    snprintf(name, sizeof name, "libduktape.so.%d", version);
    // All of its symbols are bound now: a script may be stopped anywhere in the library, but not while the dynamic linker is at work.
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(failure, sizeof failure, "the JavaScript library %s is not installed (Debian package libduktape%d)", name, version);
        return;
    }
    const char *missing = NULL;
#define CBLITE_DUKTAPE_LOAD_AS(field, function) \
    *(void **)&cblite_duktape.field = dlsym(library, function); \
    if (!cblite_duktape.field) missing = function;
#define CBLITE_DUKTAPE_LOAD(name) CBLITE_DUKTAPE_LOAD_AS(name, "duk_" #name)
    CBLITE_DUKTAPE(CBLITE_DUKTAPE_LOAD)
    CBLITE_DUKTAPE_LOAD_AS(enumerate, "duk_enum")
    if (missing) {
        snprintf(failure, sizeof failure, "the JavaScript library %s has no function %s", name, missing);
        return;
    }
    uintptr_t address = (uintptr_t)cblite_duktape.create_heap;
    if (!dl_iterate_phdr(look_at_object, &address)) {
        snprintf(failure, sizeof failure, "the instructions of the JavaScript library %s cannot be found", name);
    }
}

bool cblite_scripts_load(char *message, size_t size) {
    pthread_once(&once, load);
    if (failure[0]) snprintf(message, size, "%s", failure);
    return !failure[0];
}

bool cblite_is_in_duktape(uintptr_t address) { return address >= first_instruction && address <= last_instruction; }
