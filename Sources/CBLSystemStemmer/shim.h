#pragma once
#include <dlfcn.h>
#include <libstemmer.h>
#include <stdbool.h>

#define CBLITE_STEMMER_LIBRARY "libstemmer.so.0d"

// Loaded when an index with a stemmer is first touched, as ICU is: few databases have one, and every start would pay for it.
struct cblite_stemmer_library {
    __typeof__(&sb_stemmer_new) open;
    __typeof__(&sb_stemmer_delete) close;
    __typeof__(&sb_stemmer_stem) stem;
    __typeof__(&sb_stemmer_length) length;
};

// Fills the table; false if the library or one of its functions is missing.
static inline bool cblite_stemmer_load(struct cblite_stemmer_library *library) {
    void *handle = dlopen(CBLITE_STEMMER_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (!handle) return false;
    *(void **)&library->open = dlsym(handle, "sb_stemmer_new");
    *(void **)&library->close = dlsym(handle, "sb_stemmer_delete");
    *(void **)&library->stem = dlsym(handle, "sb_stemmer_stem");
    *(void **)&library->length = dlsym(handle, "sb_stemmer_length");
    return library->open && library->close && library->stem && library->length;
}
