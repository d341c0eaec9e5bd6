#pragma once
#include <stdbool.h>
#include <stddef.h>

// The memory of one heap of scripts: limited, and freed at one go, whatever state the heap is in.
//
// Small blocks come from chunks and go to lists by size, as no lock is needed and scripts make millions of them; large ones are malloc's, and
// linked so that they can be found.

#define CBLITE_SMALL_CLASSES 65

struct cblite_memory {
    size_t limit;
    size_t taken;
    // Whether a request was refused.
    bool is_exhausted;
    // Requests from a stack that grew below this are refused as well. The engine counts its recursions, but some of them multiply, such as a
    // toJSON deep inside of what JSON.stringify is at, which calls that again; none goes on for long without memory.
    const char *lowest_stack;

    struct cblite_chunk *chunks;
    char *next;
    char *end;
    struct cblite_free *freed[CBLITE_SMALL_CLASSES];
    struct cblite_large *large;
};

void *cblite_memory_allocate(void *memory, size_t size);
void *cblite_memory_resize(void *memory, void *block, size_t size);
void cblite_memory_free(void *memory, void *block);
void cblite_memory_free_all(struct cblite_memory *memory);
