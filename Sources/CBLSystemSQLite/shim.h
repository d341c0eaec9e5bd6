#pragma once
#include <sqlite3.h>

// SQLite's destructor constants are casts of integers to function pointers, which Swift does not import.
static inline sqlite3_destructor_type cblite_sqlite_transient(void) { return SQLITE_TRANSIENT; }

// sqlite3_db_config is variadic, and Swift cannot call variadic C functions.
static inline int cblite_sqlite_db_config(sqlite3 *db, int option, int on) {
    return sqlite3_db_config(db, option, on, (int *)0);
}

// As is sqlite3_config.
static inline int cblite_sqlite_count_memory(int on) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, on); }
static inline int cblite_sqlite_pages_at_first(int count) { return sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, count); }
static inline int cblite_sqlite_sorted_pages(unsigned count) { return sqlite3_config(SQLITE_CONFIG_PMASZ, count); }

// sqlite3_vtab_config and sqlite3_mprintf are variadic too.
static inline int cblite_sqlite_vtab_innocuous(sqlite3 *db) { return sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS); }
static inline char *cblite_sqlite_copy_string(const char *text) { return sqlite3_mprintf("%s", text); }

// What SQLite's fts3_tokenizer.h declares, which Debian does not install: the interface of FTS3/FTS4 tokenizers, version 0.
// A tokenizer and a cursor begin with a pointer that FTS sets; what follows is ours.
struct cblite_tokenizer_module;
struct cblite_tokenizer {
    const struct cblite_tokenizer_module *module;
    void *object;
};
struct cblite_tokenizer_cursor {
    struct cblite_tokenizer *tokenizer;
    const unsigned char *text;
    int count, offset, position;
    int capacity;
    unsigned char *token;
};
struct cblite_tokenizer_module {
    int version;
    int (*create)(int argc, const char *const *argv, struct cblite_tokenizer **tokenizer);
    int (*destroy)(struct cblite_tokenizer *tokenizer);
    int (*open)(struct cblite_tokenizer *tokenizer, const char *text, int count, struct cblite_tokenizer_cursor **cursor);
    int (*close)(struct cblite_tokenizer_cursor *cursor);
    int (*next)(struct cblite_tokenizer_cursor *cursor, const char **token, int *count, int *start, int *end, int *position);
    int (*set_language)(struct cblite_tokenizer_cursor *cursor, int language);
};
