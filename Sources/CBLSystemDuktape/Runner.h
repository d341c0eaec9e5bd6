#pragma once
#include "CBLSystemDuktape.h"
#include "Entry.h"
#include "Library.h"
#include "Memory.h"

#define CBLITE_NUMBERED_KEYS 2048

struct cblite_output {
    uint8_t *bytes;
    size_t count, capacity;
    // Whether something found no place: what is there is cut.
    bool is_full;
};

struct cblite_runner {
    // First: the engine knows a heap by its memory.
    struct cblite_memory memory;
    struct cblite_entry entry;
    // Of processor time, for a call.
    int64_t nanoseconds;
    duk_context *context;

    // The object that has what a script assigns to without declaring it.
    void *scope;
    // The object with all that scripts find. It cannot be changed.
    void *globals;
    // An array that keeps the functions alive.
    void *kept;
    // The same for names of keys that have numbers; NULL if there is none.
    void *names;

    void **functions;
    uint32_t *parameters;
    uint32_t function_count;
    void *keys[CBLITE_NUMBERED_KEYS];

    struct cblite_output output;
    // What functions log, each with its count.
    struct cblite_output log;

    // The call under way.
    uint32_t function;
    enum cblite_script_mode mode;
    const struct cblite_script_item *items;
    size_t item_count;
    const char *text;
    size_t text_count;
    const char *name;
    size_t name_count;
    // The object that was the first argument.
    void *argument;
    bool is_thrown;
    // Whether a row is being written.
    bool is_writing;
    uint32_t rows;
};

// Globals.c
void cblite_make_globals(struct cblite_runner *runner);
void cblite_clear_scope(struct cblite_runner *runner);

// Has an object of the heap's keep the value at the top alive, and pops that.
void *cblite_keep(struct cblite_runner *runner, void *array, uint32_t index);

// Arguments.c: pushes what the items make, and returns how many values that is.
int cblite_push_items(struct cblite_runner *runner);
void cblite_push_text(duk_context *context, const uint8_t *text, size_t count);

// Results.c
void cblite_write_byte(struct cblite_runner *runner, uint8_t byte);
void cblite_write_value(struct cblite_runner *runner, duk_idx_t index);
void cblite_write_text(struct cblite_runner *runner, struct cblite_output *output, const char *text, size_t count);
// Describes the value at the top, which was thrown, and does not throw itself.
void cblite_write_error(struct cblite_runner *runner);
