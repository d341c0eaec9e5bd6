// The loops over floats and codes that take the time of vector search.
//
// In C, because a Swift function is compiled for one processor: these are compiled twice on x86-64, and the processor picks (AVX2 with FMA or
// the baseline). They read and write what they are given, keep nothing, and check nothing: `CBLVectors` does.
#ifndef CBL_VECTOR_KERNELS_H
#define CBL_VECTOR_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/// For each of `count` rows of floats, which may lie at any address: the sum of (query - row)^2.
void cblvec_squared_distances(const float *query, const void *rows, size_t count, size_t dimensions, float *results);

/// For each of `count` rows: the sum of query * row.
void cblvec_dot_products(const float *query, const void *rows, size_t count, size_t dimensions, float *results);

/// For each of `count` rows of one byte a dimension: the sum of (offset - scale * code)^2.
void cblvec_code_squared_distances(
    const float *offset, const float *scale, const uint8_t *codes, size_t count, size_t dimensions, float *results);

/// For each of `count` rows of one byte a dimension: the sum of weight * code.
void cblvec_code_dot_products(const float *weight, const uint8_t *codes, size_t count, size_t dimensions, float *results);

/// For each of `count` rows of one index a part: the sum of what the part's table of `width` numbers has there.
void cblvec_table_sums(
    const float *tables, size_t width, const uint16_t *indexes, size_t count, size_t parts, float *results);

/// Numbers of 4, 6 or 8 bits, the lowest bits first, as a byte each. Rows begin at whole bytes.
void cblvec_unpack_levels(const uint8_t *packed, size_t bits, size_t count, size_t dimensions, uint8_t *levels);

/// Numbers of 4 to 12 bits as 16 bits each. Rows begin at whole bytes.
void cblvec_unpack_indexes(const uint8_t *packed, size_t bits, size_t count, size_t parts, uint16_t *indexes);

/// For each of `count` rows the nearest of the centroids by squared distance, and that distance. Centroids are in panels of 16, with all first
/// components of the sixteen, then all second ones, and so on; `half_norms` has half of each one's squared length, infinite beyond the last.
void cblvec_nearest(
    const float *rows, size_t count, size_t dimensions, const float *panels, const float *half_norms, size_t panel_count,
    uint32_t *nearest, float *distances);

#endif
