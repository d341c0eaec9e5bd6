#pragma once
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// D-Bus's own library, which is loaded when a keyring is first asked for something. Its headers do not come with it, and are not needed: what is used of
// its interface, which has been the same since 2006, is declared here.

#define CBLITE_DBUS_LIBRARY "libdbus-1.so.3"

struct cblite_dbus_connection;
struct cblite_dbus_message;

// As large as the library's own, or larger: what is in it is its business.
struct cblite_dbus_iterator {
    void *room[16];
};

struct cblite_dbus_error {
    const char *name;
    const char *message;
    unsigned int flags;
    void *room;
};

// The letters of types, as they stand in signatures.
enum cblite_dbus_type {
    cblite_dbus_none = 0,
    cblite_dbus_array = 'a',
    cblite_dbus_boolean = 'b',
    cblite_dbus_byte = 'y',
    cblite_dbus_entry = 'e',
    cblite_dbus_path = 'o',
    cblite_dbus_string = 's',
    cblite_dbus_structure = 'r',
    cblite_dbus_variant = 'v',
};

struct cblite_dbus {
    // Otherwise it has the whole process ignore SIGPIPE.
    void (*change_sigpipe)(uint32_t does);
    void (*error_init)(struct cblite_dbus_error *error);
    void (*error_free)(struct cblite_dbus_error *error);

    struct cblite_dbus_connection *(*open)(const char *address, struct cblite_dbus_error *error);
    void (*close)(struct cblite_dbus_connection *connection);
    void (*unref)(struct cblite_dbus_connection *connection);
    struct cblite_dbus_message *(*call)(
        struct cblite_dbus_connection *connection, struct cblite_dbus_message *message, int milliseconds, struct cblite_dbus_error *error);
    // Waits until something comes or goes; false if nobody is there any more.
    uint32_t (*read_write)(struct cblite_dbus_connection *connection, int milliseconds);
    struct cblite_dbus_message *(*pop)(struct cblite_dbus_connection *connection);

    struct cblite_dbus_message *(*message_new)(const char *service, const char *path, const char *interface, const char *method);
    void (*message_unref)(struct cblite_dbus_message *message);
    uint32_t (*message_is_signal)(struct cblite_dbus_message *message, const char *interface, const char *name);
    const char *(*message_path)(struct cblite_dbus_message *message);

    void (*append_init)(struct cblite_dbus_message *message, struct cblite_dbus_iterator *iterator);
    uint32_t (*append_basic)(struct cblite_dbus_iterator *iterator, int type, const void *value);
    uint32_t (*append_bytes)(struct cblite_dbus_iterator *iterator, int type, const void *value, int count);
    uint32_t (*append_open)(
        struct cblite_dbus_iterator *iterator, int type, const char *signature, struct cblite_dbus_iterator *inner);
    uint32_t (*append_close)(struct cblite_dbus_iterator *iterator, struct cblite_dbus_iterator *inner);

    uint32_t (*read_init)(struct cblite_dbus_message *message, struct cblite_dbus_iterator *iterator);
    int (*read_type)(struct cblite_dbus_iterator *iterator);
    int (*read_element_type)(struct cblite_dbus_iterator *iterator);
    void (*read_basic)(struct cblite_dbus_iterator *iterator, void *value);
    void (*read_bytes)(struct cblite_dbus_iterator *iterator, void *value, int *count);
    void (*read_inner)(struct cblite_dbus_iterator *iterator, struct cblite_dbus_iterator *inner);
    uint32_t (*read_next)(struct cblite_dbus_iterator *iterator);
};

// Fills the table; false if the library or one of its functions is missing.
static inline bool cblite_dbus_load(struct cblite_dbus *dbus) {
    void *library = dlopen(CBLITE_DBUS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
    bool complete = true;
#define CBLITE_DBUS_LOAD(field, function) \
    *(void **)&dbus->field = dlsym(library, "dbus_" function); \
    complete = complete && dbus->field;
    CBLITE_DBUS_LOAD(change_sigpipe, "connection_set_change_sigpipe")
    CBLITE_DBUS_LOAD(error_init, "error_init")
    CBLITE_DBUS_LOAD(error_free, "error_free")
    CBLITE_DBUS_LOAD(open, "connection_open_private")
    CBLITE_DBUS_LOAD(close, "connection_close")
    CBLITE_DBUS_LOAD(unref, "connection_unref")
    CBLITE_DBUS_LOAD(call, "connection_send_with_reply_and_block")
    CBLITE_DBUS_LOAD(read_write, "connection_read_write")
    CBLITE_DBUS_LOAD(pop, "connection_pop_message")
    CBLITE_DBUS_LOAD(message_new, "message_new_method_call")
    CBLITE_DBUS_LOAD(message_unref, "message_unref")
    CBLITE_DBUS_LOAD(message_is_signal, "message_is_signal")
    CBLITE_DBUS_LOAD(message_path, "message_get_path")
    CBLITE_DBUS_LOAD(append_init, "message_iter_init_append")
    CBLITE_DBUS_LOAD(append_basic, "message_iter_append_basic")
    CBLITE_DBUS_LOAD(append_bytes, "message_iter_append_fixed_array")
    CBLITE_DBUS_LOAD(append_open, "message_iter_open_container")
    CBLITE_DBUS_LOAD(append_close, "message_iter_close_container")
    CBLITE_DBUS_LOAD(read_init, "message_iter_init")
    CBLITE_DBUS_LOAD(read_type, "message_iter_get_arg_type")
    CBLITE_DBUS_LOAD(read_element_type, "message_iter_get_element_type")
    CBLITE_DBUS_LOAD(read_basic, "message_iter_get_basic")
    CBLITE_DBUS_LOAD(read_bytes, "message_iter_get_fixed_array")
    CBLITE_DBUS_LOAD(read_inner, "message_iter_recurse")
    CBLITE_DBUS_LOAD(read_next, "message_iter_next")
    return complete;
}
