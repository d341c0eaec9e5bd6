#include "CBLCipherKernels.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

enum { pairs = cblcipher_lanes / 2, most_rounds = 14 };

int cblcipher_is_possible(void) { return __builtin_cpu_supports("vaes") && __builtin_cpu_supports("avx2"); }

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

#else

int cblcipher_is_possible(void) { return 0; }

void cblcipher_chain(const uint32_t *round_keys, int rounds, uint8_t *blocks, size_t steps, uint8_t *stream) {}

#endif
