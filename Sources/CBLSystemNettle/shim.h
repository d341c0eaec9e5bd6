#pragma once
#include <nettle/aes.h>
#include <nettle/cbc.h>
#include <nettle/hmac.h>
#include <nettle/md5.h>
#include <nettle/memops.h>
#include <nettle/md5.h>
#include <nettle/pbkdf2.h>
#include <nettle/sha1.h>
#include <nettle/sha2.h>

// The library takes any cipher as a function over its own kind of key, which Swift cannot say.
static inline void cblite_aes256_cbc_decrypt(
    const struct aes256_ctx *key, uint8_t *chain, size_t count, uint8_t *target, const uint8_t *source)
{
    cbc_decrypt(key, (nettle_cipher_func *)aes256_decrypt, AES_BLOCK_SIZE, chain, count, target, source);
}
