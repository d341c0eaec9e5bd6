#include "Memory.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Eight bytes before each block: which class it is of; 0 means a large one, whose links are before these.
typedef uint64_t header;
struct cblite_free { struct cblite_free *next; };
struct cblite_chunk { struct cblite_chunk *next; uint64_t unused; };
struct cblite_large {
    struct cblite_large *previous, *next;
    size_t size;
    header header;
};

static const size_t unit = 16;
static const size_t chunk_size = 256 * 1024;

static header *header_of(void *block) { return (header *)block - 1; }
static struct cblite_large *large_of(void *block) { return (struct cblite_large *)block - 1; }

static bool is_deep(struct cblite_memory *memory) {
    if ((const char *)__builtin_frame_address(0) >= memory->lowest_stack) return false;
    memory->is_exhausted = true;
    return true;
}

static bool take(struct cblite_memory *memory, size_t size) {
    if (size > memory->limit || memory->taken > memory->limit - size) {
        memory->is_exhausted = true;
        return false;
    }
    memory->taken += size;
    return true;
}

static bool add_chunk(struct cblite_memory *memory) {
    if (!take(memory, chunk_size)) return false;
    struct cblite_chunk *chunk = malloc(chunk_size);
    if (!chunk) {
        memory->taken -= chunk_size;
        return false;
    }
    chunk->next = memory->chunks;
    memory->chunks = chunk;
    memory->next = (char *)(chunk + 1);
    memory->end = (char *)chunk + chunk_size;
    return true;
}

static void *allocate_small(struct cblite_memory *memory, size_t class) {
    struct cblite_free *freed = memory->freed[class];
    if (freed) {
        memory->freed[class] = freed->next;
        return freed;
    }
    size_t size = class * unit;
    if ((size_t)(memory->end - memory->next) < size && !add_chunk(memory)) return NULL;
    header *place = (header *)memory->next;
    memory->next += size;
    *place = class;
    return place + 1;
}

static void link_large(struct cblite_memory *memory, struct cblite_large *large, size_t size) {
    large->size = size;
    large->header = 0;
    large->previous = NULL;
    large->next = memory->large;
    if (large->next) large->next->previous = large;
    memory->large = large;
}

static void unlink_large(struct cblite_memory *memory, struct cblite_large *large) {
    if (large->previous) large->previous->next = large->next; else memory->large = large->next;
    if (large->next) large->next->previous = large->previous;
}

static void *allocate_large(struct cblite_memory *memory, size_t size) {
    if (!take(memory, size)) return NULL;
    struct cblite_large *large = malloc(sizeof *large + size);
    if (!large) {
        memory->taken -= size;
        return NULL;
    }
    link_large(memory, large, size);
    return large + 1;
}

void *cblite_memory_allocate(void *owner, size_t size) {
    struct cblite_memory *memory = owner;
    if (size == 0 || is_deep(memory)) return NULL;
    if (size <= (CBLITE_SMALL_CLASSES - 1) * unit - sizeof(header)) {
        return allocate_small(memory, (size + sizeof(header) + unit - 1) / unit);
    }
    // So much that the sums below cannot overflow.
    if (size > memory->limit) {
        memory->is_exhausted = true;
        return NULL;
    }
    return allocate_large(memory, size);
}

void cblite_memory_free(void *owner, void *block) {
    struct cblite_memory *memory = owner;
    if (!block) return;
    size_t class = *header_of(block);
    if (class) {
        struct cblite_free *freed = block;
        freed->next = memory->freed[class];
        memory->freed[class] = freed;
    } else {
        struct cblite_large *large = large_of(block);
        unlink_large(memory, large);
        memory->taken -= large->size;
        free(large);
    }
}

static void *resize_large(struct cblite_memory *memory, struct cblite_large *large, size_t size) {
    size_t old_size = large->size;
    if (size > old_size && !take(memory, size - old_size)) return NULL;
    unlink_large(memory, large);
    struct cblite_large *moved = realloc(large, sizeof *large + size);
    if (!moved) {
        if (size > old_size) memory->taken -= size - old_size;
        link_large(memory, large, old_size);
        return NULL;
    }
    if (size < old_size) memory->taken -= old_size - size;
    link_large(memory, moved, size);
    return moved + 1;
}

void *cblite_memory_resize(void *owner, void *block, size_t size) {
    struct cblite_memory *memory = owner;
    if (!block) return cblite_memory_allocate(owner, size);
    if (size == 0) {
        cblite_memory_free(owner, block);
        return NULL;
    }
    size_t class = *header_of(block);
    size_t old_size = class ? class * unit - sizeof(header) : large_of(block)->size;
    bool becomes_small = size <= (CBLITE_SMALL_CLASSES - 1) * unit - sizeof(header);
    if (class && size <= old_size) return block;
    if (!class && !becomes_small && size <= memory->limit) return resize_large(memory, large_of(block), size);
    void *moved = cblite_memory_allocate(owner, size);
    if (!moved) return NULL;
    memcpy(moved, block, size < old_size ? size : old_size);
    cblite_memory_free(owner, block);
    return moved;
}

void cblite_memory_free_all(struct cblite_memory *memory) {
    for (struct cblite_large *large = memory->large; large;) {
        struct cblite_large *next = large->next;
        free(large);
        large = next;
    }
    for (struct cblite_chunk *chunk = memory->chunks; chunk;) {
        struct cblite_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    *memory = (struct cblite_memory){.limit = memory->limit, .lowest_stack = memory->lowest_stack};
}
