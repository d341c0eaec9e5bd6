#include "CBLVectorKernels.h"

#include <float.h>
#include <string.h>

typedef float Lanes __attribute__((vector_size(32)));
typedef int32_t Choices __attribute__((vector_size(32)));
typedef uint8_t Codes __attribute__((vector_size(8)));

enum { lanes = 8 };

#define NAMED(name) plain_##name
#include "Loops.h"

#if defined(__x86_64__)

#undef NAMED
#define NAMED(name) avx2_##name
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#include "Loops.h"
#pragma clang attribute pop

// The loader knows already. To ask the processor, as the compiler's own way of choosing does, takes long in a virtual machine, and at every start.
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
static inline int has_avx2(void) { return CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(FMA); }
#else
static inline int has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#endif

#define BY_PROCESSOR(name, ...) (has_avx2() ? avx2_##name(__VA_ARGS__) : plain_##name(__VA_ARGS__))

#else

#define BY_PROCESSOR(name, ...) plain_##name(__VA_ARGS__)

#endif

void cblvec_squared_distances(const float *query, const void *rows, size_t count, size_t dimensions, float *results) {
    BY_PROCESSOR(squared_distances, query, rows, count, dimensions, results);
}

void cblvec_dot_products(const float *query, const void *rows, size_t count, size_t dimensions, float *results) {
    BY_PROCESSOR(dot_products, query, rows, count, dimensions, results);
}

void cblvec_code_squared_distances(
    const float *offset, const float *scale, const uint8_t *codes, size_t count, size_t dimensions, float *results) {
    BY_PROCESSOR(code_squared_distances, offset, scale, codes, count, dimensions, results);
}

void cblvec_code_dot_products(const float *weight, const uint8_t *codes, size_t count, size_t dimensions, float *results) {
    BY_PROCESSOR(code_dot_products, weight, codes, count, dimensions, results);
}

void cblvec_unpack_levels(const uint8_t *packed, size_t bits, size_t count, size_t dimensions, uint8_t *levels) {
    BY_PROCESSOR(unpack_levels, packed, bits, count, dimensions, levels);
}

void cblvec_nearest(
    const float *rows, size_t count, size_t dimensions, const float *panels, const float *half_norms, size_t panel_count,
    uint32_t *nearest, float *distances) {
    BY_PROCESSOR(nearest, rows, count, dimensions, panels, half_norms, panel_count, nearest, distances);
}

void cblvec_table_sums(
    const float *tables, size_t width, const uint16_t *indexes, size_t count, size_t parts, float *results) {
    for (size_t row = 0; row < count; row++, indexes += parts) {
        const float *table = tables;
        float even = 0, odd = 0;
        size_t part = 0;
        for (; part + 2 <= parts; part += 2, table += 2 * width) {
            even += table[indexes[part]];
            odd += table[width + indexes[part + 1]];
        }
        if (part < parts) even += table[indexes[part]];
        results[row] = even + odd;
    }
}

void cblvec_unpack_indexes(const uint8_t *packed, size_t bits, size_t count, size_t parts, uint16_t *indexes) {
    const size_t size = (parts * bits + 7) / 8;
    const uint32_t mask = (1u << bits) - 1;
    for (size_t row = 0; row < count; row++, packed += size, indexes += parts) {
        if (bits == 8) {
            for (size_t part = 0; part < parts; part++) indexes[part] = packed[part];
            continue;
        }
        uint32_t word = 0;
        size_t held = 0, next = 0;
        for (size_t part = 0; part < parts; part++) {
            for (; held < bits; held += 8) word |= (uint32_t)packed[next++] << held;
            indexes[part] = word & mask;
            word >>= bits;
            held -= bits;
        }
    }
}
