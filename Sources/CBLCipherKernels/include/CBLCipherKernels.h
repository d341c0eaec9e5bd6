// The loop over AES that takes the time of reading encrypted pages, for processors that work on two blocks in one instruction (VAES): twice as quick
// as Nettle, which does so with one.
//
// In C, because a Swift function is compiled for one processor. It takes a key as Nettle has got it ready; `AES` makes sure that both give the same.
#ifndef CBL_CIPHER_KERNELS_H
#define CBL_CIPHER_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/// How many streams are made at once, and how many bytes of each `cblcipher_add_chains` makes before it goes on to the next.
enum { cblcipher_lanes = 16, cblcipher_piece = 128 };

/// Whether this processor can run the other two.
int cblcipher_is_possible(void);

/// Encrypts each of sixteen blocks again and again, in its place, and writes what it was after each time: `steps` times all sixteen.
void cblcipher_chain(const uint32_t *round_keys, int rounds, uint8_t *blocks, size_t steps, uint8_t *stream);

/// The same, and adds the streams to `count` texts, up to sixteen, which begin `stride` bytes from each other: `pieces` pieces of each.
void cblcipher_add_chains(
    const uint32_t *round_keys, int rounds, uint8_t *blocks, uint8_t *texts, size_t stride, int count, size_t pieces);

#endif
