#pragma once
#include <duktape.h>
#include <stdbool.h>
#include <stdint.h>

// The functions of the library that are used. They are looked up, not linked: to link it would cost every start of the program.
#define CBLITE_DUKTAPE(F) \
    F(create_heap) F(safe_call) F(pcall) F(call) F(compile_raw) F(error_raw) F(throw_raw) \
    F(get_top) F(set_top) F(require_stack) F(dup) F(pop) F(pop_n) F(remove) F(insert) \
    F(push_undefined) F(push_null) F(push_boolean) F(push_number) F(push_lstring) F(push_object) F(push_bare_object) F(push_array) \
    F(push_heapptr) F(push_heap_stash) F(push_global_object) F(push_c_function) F(push_buffer_raw) \
    F(put_prop) F(put_prop_index) F(put_prop_lstring) F(get_prop_index) F(get_prop_lstring) F(del_prop) \
    F(next) F(get_heapptr) F(get_type) F(get_boolean) F(get_number) F(get_lstring) F(get_length) F(get_pointer) F(get_int) \
    F(is_array) F(is_function) F(is_ecmascript_function) F(is_object) \
    F(to_boolean) F(safe_to_lstring) F(json_encode) F(json_decode) F(freeze) F(set_prototype) F(set_global_object)

#define CBLITE_DUKTAPE_FIELD(name) __typeof__(duk_##name) *name;
struct cblite_duktape {
    CBLITE_DUKTAPE(CBLITE_DUKTAPE_FIELD)
    // Its own name is a keyword.
    __typeof__(duk_enum) *enumerate;
};

// Filled by loading, and never changed after that.
extern struct cblite_duktape cblite_duktape;

// Whether this is an address of the library's own instructions.
bool cblite_is_in_duktape(uintptr_t address);
