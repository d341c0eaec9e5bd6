#include "CBLCipherKernels.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

enum { block_size = 16, pairs = cblcipher_lanes / 2, most_rounds = 14, blocks_in_piece = cblcipher_piece / block_size };

// The loader knows already: see `CBLVectorKernels`.
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
int cblcipher_is_possible(void) { return CPU_FEATURE_ACTIVE(VAES) && CPU_FEATURE_ACTIVE(AVX2); }
#else
int cblcipher_is_possible(void) { return __builtin_cpu_supports("vaes") && __builtin_cpu_supports("avx2"); }
#endif

__attribute__((target("vaes,avx2")))
void cblcipher_chain(const uint32_t *round_keys, int rounds, uint8_t *blocks, size_t steps, uint8_t *stream) {
    __m256i keys[most_rounds + 1], pair[pairs];
    for (int round = 0; round <= rounds; round++) {
        keys[round] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)round_keys + round));
    }
    for (int i = 0; i < pairs; i++) pair[i] = _mm256_loadu_si256((const __m256i *)blocks + i);
    for (size_t step = 0; step < steps; step++) {
        for (int i = 0; i < pairs; i++) pair[i] = _mm256_xor_si256(pair[i], keys[0]);
        for (int round = 1; round < rounds; round++) {
            for (int i = 0; i < pairs; i++) pair[i] = _mm256_aesenc_epi128(pair[i], keys[round]);
        }
        for (int i = 0; i < pairs; i++) {
            pair[i] = _mm256_aesenclast_epi128(pair[i], keys[rounds]);
            _mm256_storeu_si256((__m256i *)stream + step * pairs + i, pair[i]);
        }
    }
    for (int i = 0; i < pairs; i++) _mm256_storeu_si256((__m256i *)blocks + i, pair[i]);
    // There are more keys than registers: none is left on the stack.
    memset(keys, 0, sizeof keys);
    __asm__ volatile("" : : "r"(keys) : "memory");
}

// Adds a piece of one stream to its text. The blocks of a stream are as far from each other as all of them make room for.
__attribute__((target("vaes,avx2"), always_inline))
static inline void add_piece(const uint8_t *stream, uint8_t *text) {
    enum { step = cblcipher_lanes * block_size };
    for (int i = 0; i < blocks_in_piece; i += 2) {
        __m128i low = _mm_loadu_si128((const __m128i *)(stream + i * step));
        __m128i high = _mm_loadu_si128((const __m128i *)(stream + (i + 1) * step));
        __m256i *two = (__m256i *)(text + i * block_size);
        _mm256_storeu_si256(two, _mm256_xor_si256(_mm256_set_m128i(high, low), _mm256_loadu_si256(two)));
    }
}

__attribute__((target("vaes,avx2")))
void cblcipher_add_chains(
    const uint32_t *round_keys, int rounds, uint8_t *blocks, uint8_t *texts, size_t stride, int count, size_t pieces
) {
    __m256i keys[most_rounds + 1], pair[pairs];
    // While one piece of each stream is made, the one before is added: the processor does both at once, as they have nothing to wait for from each
    // other. Lane by lane, since the texts' lines share a few places in the cache.
    uint8_t streams[2][cblcipher_lanes * cblcipher_piece] __attribute__((aligned(64)));
    for (int round = 0; round <= rounds; round++) {
        keys[round] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)round_keys + round));
    }
    for (int i = 0; i < pairs; i++) pair[i] = _mm256_loadu_si256((const __m256i *)blocks + i);
    for (size_t piece = 0; piece < pieces; piece++) {
        __m256i *next = (__m256i *)streams[piece & 1];
        const uint8_t *last = streams[~piece & 1];
        for (int step = 0; step < blocks_in_piece; step++) {
            for (int i = 0; i < pairs; i++) pair[i] = _mm256_xor_si256(pair[i], keys[0]);
            for (int round = 1; round < rounds; round++) {
                for (int i = 0; i < pairs; i++) pair[i] = _mm256_aesenc_epi128(pair[i], keys[round]);
            }
            for (int lane = 2 * step; piece > 0 && lane < 2 * step + 2 && lane < count; lane++) {
                add_piece(last + lane * block_size, texts + (piece - 1) * cblcipher_piece + lane * stride);
            }
            for (int i = 0; i < pairs; i++) {
                pair[i] = _mm256_aesenclast_epi128(pair[i], keys[rounds]);
                _mm256_storeu_si256(next++, pair[i]);
            }
        }
    }
    for (int lane = 0; pieces > 0 && lane < count; lane++) {
        add_piece(streams[~pieces & 1] + lane * block_size, texts + (pieces - 1) * cblcipher_piece + lane * stride);
    }
    for (int i = 0; i < pairs; i++) _mm256_storeu_si256((__m256i *)blocks + i, pair[i]);
    memset(keys, 0, sizeof keys);
    __asm__ volatile("" : : "r"(keys) : "memory");
}

#else

int cblcipher_is_possible(void) { return 0; }

void cblcipher_chain(const uint32_t *round_keys, int rounds, uint8_t *blocks, size_t steps, uint8_t *stream) {}

void cblcipher_add_chains(
    const uint32_t *round_keys, int rounds, uint8_t *blocks, uint8_t *texts, size_t stride, int count, size_t pieces
) {}

#endif
