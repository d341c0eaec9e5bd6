#pragma once
#include <curl/curl.h>
#include <dlfcn.h>
#include <stdbool.h>

// libcurl is loaded when a connection is first opened: it brings twenty more libraries, which every start of the program would pay for.
// Its setters take a variable number of arguments, which Swift cannot pass: each type of argument has a function here.

#define CBLITE_CURL_LIBRARY "libcurl-gnutls.so.4"

#define CBLITE_CURL_FUNCTIONS(F) \
    F(global_init, curl_global_init) \
    F(init, curl_easy_init) \
    F(cleanup, curl_easy_cleanup) \
    F(set, curl_easy_setopt) \
    F(get, curl_easy_getinfo) \
    F(send, curl_easy_send) \
    F(receive, curl_easy_recv) \
    F(error_text, curl_easy_strerror) \
    F(multi_init, curl_multi_init) \
    F(multi_cleanup, curl_multi_cleanup) \
    F(multi_add, curl_multi_add_handle) \
    F(multi_remove, curl_multi_remove_handle) \
    F(multi_set, curl_multi_setopt) \
    F(multi_act, curl_multi_socket_action) \
    F(multi_message, curl_multi_info_read)

// The header wraps some of the functions into macros that check types.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

#define CBLITE_CURL_FIELD(field, function) __typeof__(&function) field;
struct cblite_curl {
    CBLITE_CURL_FUNCTIONS(CBLITE_CURL_FIELD)
};

// Fills the table; false if the library or a function is missing.
static inline bool cblite_curl_load(struct cblite_curl *curl) {
    void *library = dlopen(CBLITE_CURL_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (!library) return false;
    bool complete = true;
#define CBLITE_CURL_LOAD(field, function) \
    *(void **)&curl->field = dlsym(library, #function); \
    complete = complete && curl->field;
    CBLITE_CURL_FUNCTIONS(CBLITE_CURL_LOAD)
    return complete && curl->global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

static inline CURLcode cblite_curl_set_text(const struct cblite_curl *curl, CURL *easy, CURLoption option, const char *text) {
    return curl->set(easy, option, text);
}

static inline CURLcode cblite_curl_set_number(const struct cblite_curl *curl, CURL *easy, CURLoption option, long number) {
    return curl->set(easy, option, number);
}

static inline CURLcode cblite_curl_set_pointer(const struct cblite_curl *curl, CURL *easy, CURLoption option, void *pointer) {
    return curl->set(easy, option, pointer);
}

static inline CURLcode cblite_curl_set_socket_callback(const struct cblite_curl *curl, CURL *easy, curl_sockopt_callback callback) {
    return curl->set(easy, CURLOPT_SOCKOPTFUNCTION, callback);
}

static inline long cblite_curl_number(const struct cblite_curl *curl, CURL *easy, CURLINFO info) {
    long number = 0;
    curl->get(easy, info, &number);
    return number;
}

static inline curl_socket_t cblite_curl_socket(const struct cblite_curl *curl, CURL *easy) {
    curl_socket_t active = CURL_SOCKET_BAD;
    curl->get(easy, CURLINFO_ACTIVESOCKET, &active);
    return active;
}

static inline void cblite_curl_observe(
    const struct cblite_curl *curl, CURLM *multi, curl_socket_callback sockets, curl_multi_timer_callback timer, void *owner) {
    curl->multi_set(multi, CURLMOPT_SOCKETFUNCTION, sockets);
    curl->multi_set(multi, CURLMOPT_SOCKETDATA, owner);
    curl->multi_set(multi, CURLMOPT_TIMERFUNCTION, timer);
    curl->multi_set(multi, CURLMOPT_TIMERDATA, owner);
}

// Whether the transfer has ended, and with what.
static inline bool cblite_curl_is_done(const struct cblite_curl *curl, CURLM *multi, CURLcode *result) {
    int left = 0;
    for (CURLMsg *message = curl->multi_message(multi, &left); message; message = curl->multi_message(multi, &left)) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return true;
        }
    }
    return false;
}
