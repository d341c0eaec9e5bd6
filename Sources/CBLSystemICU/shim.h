#pragma once
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unicode/uvernum.h>

// ICU is loaded when text first needs it: linking it would cost every start of the program more than a millisecond.
//
// Its own headers are not used but for its version, which is in the names of its functions: who imports a library that stands on this one may
// import Foundation as well, which has an ICU of its own, and the compiler would see two definitions of every type.

struct cblite_case_map;
struct cblite_collator;
struct cblite_regex;
// Where a pattern is wrong, as far as that is known, and some of the text around it.
struct cblite_parse_error { int32_t line, offset; uint16_t before[16], after[16]; };

// What functions report: above zero it is an error.
static const int32_t cblite_icu_no_error = 0;
static const int32_t cblite_icu_regex_bad_property = 66308;
static const int32_t cblite_icu_regex_mismatched_parentheses = 66310;
static const int32_t cblite_icu_regex_bad_interval = 66313;
static const int32_t cblite_icu_regex_no_such_group = 66314;
static const int32_t cblite_icu_regex_endless_look_behind = 66316;
static const int32_t cblite_icu_regex_bad_group_name = 66325;
static const int32_t cblite_icu_regex_stack_overflow = 66321;
static const int32_t cblite_icu_regex_time_out = 66322;

// How regular expressions compare letters.
static const uint32_t cblite_icu_regex_case_insensitive = 2;

// Attributes of collators and their values.
static const int32_t cblite_icu_case_level = 3;
static const int32_t cblite_icu_strength = 5;
static const int32_t cblite_icu_primary = 0;
static const int32_t cblite_icu_secondary = 1;
static const int32_t cblite_icu_tertiary = 2;
static const int32_t cblite_icu_on = 17;

#define CBLITE_ICU_COMMON(F) \
    F(struct cblite_case_map *, case_map_open, ucasemap_open, (const char *, uint32_t, int32_t *)) \
    F(int32_t, lower, ucasemap_utf8ToLower, (const struct cblite_case_map *, char *, int32_t, const char *, int32_t, int32_t *)) \
    F(int32_t, upper, ucasemap_utf8ToUpper, (const struct cblite_case_map *, char *, int32_t, const char *, int32_t, int32_t *))

#define CBLITE_ICU_I18N(F) \
    F(struct cblite_collator *, collator_open, ucol_open, (const char *, int32_t *)) \
    F(void, collator_close, ucol_close, (struct cblite_collator *)) \
    F(void, collator_set_attribute, ucol_setAttribute, (struct cblite_collator *, int32_t, int32_t, int32_t *)) \
    F(int32_t, collator_compare, ucol_strcollUTF8, (const struct cblite_collator *, const char *, int32_t, const char *, int32_t, int32_t *)) \
    F(struct cblite_regex *, regex_open, uregex_open, (const uint16_t *, int32_t, uint32_t, struct cblite_parse_error *, int32_t *)) \
    F(void, regex_close, uregex_close, (struct cblite_regex *)) \
    F(void, regex_set_text, uregex_setText, (struct cblite_regex *, const uint16_t *, int32_t, int32_t *)) \
    F(void, regex_set_time_limit, uregex_setTimeLimit, (struct cblite_regex *, int32_t, int32_t *)) \
    F(void, regex_set_stack_limit, uregex_setStackLimit, (struct cblite_regex *, int32_t, int32_t *)) \
    F(int8_t, regex_find, uregex_find, (struct cblite_regex *, int32_t, int32_t *)) \
    F(int8_t, regex_find_next, uregex_findNext, (struct cblite_regex *, int32_t *)) \
    F(int32_t, regex_group_count, uregex_groupCount, (struct cblite_regex *, int32_t *)) \
    F(int32_t, regex_start, uregex_start, (struct cblite_regex *, int32_t, int32_t *)) \
    F(int32_t, regex_end, uregex_end, (struct cblite_regex *, int32_t, int32_t *))

#define CBLITE_ICU_FIELD(result, field, function, parameters) result (*field) parameters;
struct cblite_icu {
    CBLITE_ICU_COMMON(CBLITE_ICU_FIELD)
    CBLITE_ICU_I18N(CBLITE_ICU_FIELD)
};

#define CBLITE_ICU_QUOTE_EXPANDED(name) #name
#define CBLITE_ICU_QUOTE(name) CBLITE_ICU_QUOTE_EXPANDED(name)
#define CBLITE_ICU_VERSION CBLITE_ICU_QUOTE(U_ICU_VERSION_MAJOR_NUM)

// Fills the table; false if a library or a function is missing, with a sentence about it in `message`.
static inline bool cblite_icu_load(struct cblite_icu *icu, char *message, size_t size) {
    const char *names[2] = {"libicuuc.so." CBLITE_ICU_VERSION, "libicui18n.so." CBLITE_ICU_VERSION};
    void *common = dlopen(names[0], RTLD_LAZY | RTLD_LOCAL);
    void *i18n = common ? dlopen(names[1], RTLD_LAZY | RTLD_LOCAL) : NULL;
    if (!i18n) {
        snprintf(message, size, "the Unicode library %s is not installed (Debian package libicu" CBLITE_ICU_VERSION ")", names[common ? 1 : 0]);
        return false;
    }
    const char *missing = NULL;
#define CBLITE_ICU_LOAD(library, field, name) \
    *(void **)&icu->field = dlsym(library, name); \
    if (!icu->field) missing = name;
#define CBLITE_ICU_LOAD_COMMON(result, field, function, parameters) CBLITE_ICU_LOAD(common, field, #function "_" CBLITE_ICU_VERSION)
#define CBLITE_ICU_LOAD_I18N(result, field, function, parameters) CBLITE_ICU_LOAD(i18n, field, #function "_" CBLITE_ICU_VERSION)
    CBLITE_ICU_COMMON(CBLITE_ICU_LOAD_COMMON)
    CBLITE_ICU_I18N(CBLITE_ICU_LOAD_I18N)
    if (missing) snprintf(message, size, "the Unicode library %s has no function %s", names[1], missing);
    return !missing;
}
