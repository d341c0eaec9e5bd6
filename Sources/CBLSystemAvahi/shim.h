#pragma once
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>

// Avahi's library for clients, which is loaded when peers are first looked for, or told of. Its headers do not come with it, and are not needed: what
// is used of its interface, which has been the same since 2005, is declared here. The functions for lists and errors are in a library that it brings along.

#define CBLITE_AVAHI_LIBRARY "libavahi-client.so.3"

struct cblite_avahi_threads;
struct cblite_avahi_timer;
struct cblite_avahi_client;
struct cblite_avahi_group;
struct cblite_avahi_browser;
struct cblite_avahi_resolver;
struct cblite_avahi_texts;
struct cblite_avahi_address;

// Any interface, and any version of IP.
enum { cblite_avahi_any = -1 };

enum { cblite_avahi_waits_for_daemon = 2 };

enum {
    cblite_avahi_client_registering = 1,
    cblite_avahi_client_running = 2,
    cblite_avahi_client_collision = 3,
    cblite_avahi_client_failure = 100,
    cblite_avahi_client_connecting = 101,
};

enum {
    cblite_avahi_group_established = 2,
    cblite_avahi_group_collision = 3,
    cblite_avahi_group_failure = 4,
};

enum {
    cblite_avahi_browser_new = 0,
    cblite_avahi_browser_remove = 1,
    cblite_avahi_browser_all_for_now = 3,
    cblite_avahi_browser_failure = 4,
};

enum { cblite_avahi_resolver_found = 0 };

enum {
    cblite_avahi_error_collision = -8,
    cblite_avahi_error_bus = -22,
    cblite_avahi_error_disconnected = -23,
    cblite_avahi_error_no_daemon = -26,
};

// Room for an IPv6 address in letters, and its end.
enum { cblite_avahi_address_size = 40 };

// What a thread of Avahi's waits for.
struct cblite_avahi_poll {
    void *owner;
    void *(*watch_new)(void);
    void (*watch_update)(void);
    int (*watch_events)(void);
    void (*watch_free)(void);
    struct cblite_avahi_timer *(*timer_new)(
        const struct cblite_avahi_poll *poll, const struct timeval *time, void (*callback)(struct cblite_avahi_timer *timer, void *owner),
        void *owner);
    void (*timer_update)(struct cblite_avahi_timer *timer, const struct timeval *time);
    void (*timer_free)(struct cblite_avahi_timer *timer);
};

typedef void (*cblite_avahi_client_callback)(struct cblite_avahi_client *client, int state, void *owner);
typedef void (*cblite_avahi_group_callback)(struct cblite_avahi_group *group, int state, void *owner);
typedef void (*cblite_avahi_browser_callback)(
    struct cblite_avahi_browser *browser, int interface, int protocol, int event, const char *name, const char *type, const char *domain,
    int flags, void *owner);
typedef void (*cblite_avahi_resolver_callback)(
    struct cblite_avahi_resolver *resolver, int interface, int protocol, int event, const char *name, const char *type, const char *domain,
    const char *host, const struct cblite_avahi_address *address, uint16_t port, struct cblite_avahi_texts *texts, int flags, void *owner);

struct cblite_avahi {
    struct cblite_avahi_threads *(*threads_new)(void);
    void (*threads_free)(struct cblite_avahi_threads *threads);
    const struct cblite_avahi_poll *(*threads_get)(struct cblite_avahi_threads *threads);
    int (*threads_start)(struct cblite_avahi_threads *threads);
    int (*threads_stop)(struct cblite_avahi_threads *threads);
    void (*threads_lock)(struct cblite_avahi_threads *threads);
    void (*threads_unlock)(struct cblite_avahi_threads *threads);

    struct cblite_avahi_client *(*client_new)(
        const struct cblite_avahi_poll *poll, int flags, cblite_avahi_client_callback callback, void *owner, int *error);
    void (*client_free)(struct cblite_avahi_client *client);
    int (*client_error)(struct cblite_avahi_client *client);

    struct cblite_avahi_group *(*group_new)(struct cblite_avahi_client *client, cblite_avahi_group_callback callback, void *owner);
    int (*group_reset)(struct cblite_avahi_group *group);
    int (*group_commit)(struct cblite_avahi_group *group);
    int (*group_add)(
        struct cblite_avahi_group *group, int interface, int protocol, int flags, const char *name, const char *type, const char *domain,
        const char *host, uint16_t port, struct cblite_avahi_texts *texts);

    struct cblite_avahi_browser *(*browser_new)(
        struct cblite_avahi_client *client, int interface, int protocol, const char *type, const char *domain, int flags,
        cblite_avahi_browser_callback callback, void *owner);
    struct cblite_avahi_resolver *(*resolver_new)(
        struct cblite_avahi_client *client, int interface, int protocol, const char *name, const char *type, const char *domain,
        int address_protocol, int flags, cblite_avahi_resolver_callback callback, void *owner);
    int (*resolver_free)(struct cblite_avahi_resolver *resolver);

    // Each puts a text in front of a list, and gives the list that begins with it.
    struct cblite_avahi_texts *(*texts_add)(struct cblite_avahi_texts *texts, const uint8_t *text, size_t size);
    struct cblite_avahi_texts *(*texts_next)(struct cblite_avahi_texts *texts);
    uint8_t *(*texts_bytes)(struct cblite_avahi_texts *texts);
    size_t (*texts_size)(struct cblite_avahi_texts *texts);
    void (*texts_free)(struct cblite_avahi_texts *texts);

    char *(*address_text)(char *text, size_t size, const struct cblite_avahi_address *address);
    char *(*another_name)(const char *name);
    void (*free)(void *memory);
    const char *(*error_text)(int error);
};

// Fills the table; false if the library or one of its functions is missing.
static inline bool cblite_avahi_load(struct cblite_avahi *avahi) {
    void *library = dlopen(CBLITE_AVAHI_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
    bool complete = true;
#define CBLITE_AVAHI_LOAD(field, function) \
    *(void **)&avahi->field = dlsym(library, "avahi_" function); \
    complete = complete && avahi->field;
    CBLITE_AVAHI_LOAD(threads_new, "threaded_poll_new")
    CBLITE_AVAHI_LOAD(threads_free, "threaded_poll_free")
    CBLITE_AVAHI_LOAD(threads_get, "threaded_poll_get")
    CBLITE_AVAHI_LOAD(threads_start, "threaded_poll_start")
    CBLITE_AVAHI_LOAD(threads_stop, "threaded_poll_stop")
    CBLITE_AVAHI_LOAD(threads_lock, "threaded_poll_lock")
    CBLITE_AVAHI_LOAD(threads_unlock, "threaded_poll_unlock")
    CBLITE_AVAHI_LOAD(client_new, "client_new")
    CBLITE_AVAHI_LOAD(client_free, "client_free")
    CBLITE_AVAHI_LOAD(client_error, "client_errno")
    CBLITE_AVAHI_LOAD(group_new, "entry_group_new")
    CBLITE_AVAHI_LOAD(group_reset, "entry_group_reset")
    CBLITE_AVAHI_LOAD(group_commit, "entry_group_commit")
    CBLITE_AVAHI_LOAD(group_add, "entry_group_add_service_strlst")
    CBLITE_AVAHI_LOAD(browser_new, "service_browser_new")
    CBLITE_AVAHI_LOAD(resolver_new, "service_resolver_new")
    CBLITE_AVAHI_LOAD(resolver_free, "service_resolver_free")
    CBLITE_AVAHI_LOAD(texts_add, "string_list_add_arbitrary")
    CBLITE_AVAHI_LOAD(texts_next, "string_list_get_next")
    CBLITE_AVAHI_LOAD(texts_bytes, "string_list_get_text")
    CBLITE_AVAHI_LOAD(texts_size, "string_list_get_size")
    CBLITE_AVAHI_LOAD(texts_free, "string_list_free")
    CBLITE_AVAHI_LOAD(address_text, "address_snprint")
    CBLITE_AVAHI_LOAD(another_name, "alternative_service_name")
    CBLITE_AVAHI_LOAD(free, "free")
    CBLITE_AVAHI_LOAD(error_text, "strerror")
    return complete;
}
