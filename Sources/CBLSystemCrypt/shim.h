#pragma once
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

// The system's own library for passwords, which every Debian has. Its header does not come with it, and is not needed: it is loaded when a file
// with hashed passwords is read.
struct cblite_crypt_library {
    // The hash of a phrase by a setting, in the memory that is given; a text that begins with '*' or nothing if it cannot be made.
    char *(*hash)(const char *phrase, const char *setting, void **data, int *size);
    // A setting with the salt that is given, or with one by chance.
    char *(*setting)(const char *prefix, unsigned long rounds, const char *random, int count, char *output, int size);
};

// Fills the table; false if the library or one of its functions is missing.
static inline bool cblite_crypt_load(struct cblite_crypt_library *library) {
    void *handle = dlopen("libcrypt.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return false;
    *(void **)&library->hash = dlsym(handle, "crypt_ra");
    *(void **)&library->setting = dlsym(handle, "crypt_gensalt_rn");
    return library->hash && library->setting;
}
