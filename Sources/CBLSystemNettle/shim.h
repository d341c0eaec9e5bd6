#pragma once
#include <nettle/aes.h>
#include <nettle/cbc.h>
#include <nettle/ctr.h>
#include <nettle/gcm.h>
#include <nettle/hmac.h>
#include <nettle/md5.h>
#include <nettle/memops.h>
#include <nettle/pbkdf2.h>
#include <nettle/sha1.h>
#include <nettle/sha2.h>
#include <string.h>

// A key of 16 or 32 bytes, made ready for both directions. The library has a type for each length and direction, and takes a cipher as a function
// over any of them, which Swift cannot say.
struct cblite_aes {
    int is_long;
    struct aes128_ctx encrypt_short, decrypt_short;
    struct aes256_ctx encrypt_long, decrypt_long;
};

static inline void cblite_aes_set_key(struct cblite_aes *aes, int is_long, const uint8_t *key) {
    aes->is_long = is_long;
    if (is_long) {
        aes256_set_encrypt_key(&aes->encrypt_long, key);
        aes256_invert_key(&aes->decrypt_long, &aes->encrypt_long);
    } else {
        aes128_set_encrypt_key(&aes->encrypt_short, key);
        aes128_invert_key(&aes->decrypt_short, &aes->encrypt_short);
    }
}

// Blocks that have nothing to do with each other: the processor works on several of them at once.
static inline void cblite_aes_encrypt(const struct cblite_aes *aes, size_t count, uint8_t *target, const uint8_t *source) {
    if (aes->is_long) aes256_encrypt(&aes->encrypt_long, count, target, source);
    else aes128_encrypt(&aes->encrypt_short, count, target, source);
}

// The key of each round, as many more than there are rounds as one.
static inline const uint32_t *cblite_aes_round_keys(const struct cblite_aes *aes) {
    return aes->is_long ? aes->encrypt_long.keys : aes->encrypt_short.keys;
}

static inline int cblite_aes_rounds(const struct cblite_aes *aes) { return aes->is_long ? _AES256_ROUNDS : _AES128_ROUNDS; }

static inline void cblite_aes_cbc_decrypt(
    const struct cblite_aes *aes, uint8_t *chain, size_t count, uint8_t *target, const uint8_t *source)
{
    if (aes->is_long) {
        cbc_decrypt(&aes->decrypt_long, (nettle_cipher_func *)aes256_decrypt, AES_BLOCK_SIZE, chain, count, target, source);
    } else {
        cbc_decrypt(&aes->decrypt_short, (nettle_cipher_func *)aes128_decrypt, AES_BLOCK_SIZE, chain, count, target, source);
    }
}

static inline void cblite_aes_cbc_encrypt(
    const struct cblite_aes *aes, uint8_t *chain, size_t count, uint8_t *target, const uint8_t *source)
{
    if (aes->is_long) cbc_aes256_encrypt(&aes->encrypt_long, chain, count, target, source);
    else cbc_aes128_encrypt(&aes->encrypt_short, chain, count, target, source);
}

static inline void cblite_aes_ctr(
    const struct cblite_aes *aes, uint8_t *counter, size_t count, uint8_t *target, const uint8_t *source)
{
    if (aes->is_long) {
        ctr_crypt(&aes->encrypt_long, (nettle_cipher_func *)aes256_encrypt, AES_BLOCK_SIZE, counter, count, target, source);
    } else {
        ctr_crypt(&aes->encrypt_short, (nettle_cipher_func *)aes128_encrypt, AES_BLOCK_SIZE, counter, count, target, source);
    }
}
