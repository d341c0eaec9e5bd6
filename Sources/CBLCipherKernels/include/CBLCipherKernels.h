// The loop over AES that takes the time of reading encrypted pages, for processors that work on two blocks in one instruction (VAES): twice as quick
// as Nettle, which does so with one.
//
// In C, because a Swift function is compiled for one processor. It takes a key as Nettle has got it ready; `AES` makes sure that both give the same.
#ifndef CBL_CIPHER_KERNELS_H
#define CBL_CIPHER_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/// How many streams are made at once.
enum { cblcipher_lanes = 16 };

/// Whether this processor can run `cblcipher_chain`.
int cblcipher_is_possible(void);

/// Encrypts each of sixteen blocks again and again, in its place, and writes what it was after each time: `steps` times all sixteen.
void cblcipher_chain(const uint32_t *round_keys, int rounds, uint8_t *blocks, size_t steps, uint8_t *stream);

#endif
