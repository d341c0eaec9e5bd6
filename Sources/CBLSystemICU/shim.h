#pragma once
#include <dlfcn.h>
#include <stdio.h>
#include <unicode/ucasemap.h>
#include <unicode/ucol.h>
#include <unicode/uregex.h>
#include <unicode/uvernum.h>

// ICU is loaded when text first needs it: linking it would cost every start of the program more than a millisecond.
// ICU's functions carry its version in their names, by macros that the quoting below expands first.

#define CBLITE_ICU_QUOTE_EXPANDED(name) #name
#define CBLITE_ICU_QUOTE(name) CBLITE_ICU_QUOTE_EXPANDED(name)

#define CBLITE_ICU_COMMON(F) \
    F(case_map_open, ucasemap_open) \
    F(lower, ucasemap_utf8ToLower) \
    F(upper, ucasemap_utf8ToUpper)

#define CBLITE_ICU_I18N(F) \
    F(collator_open, ucol_open) \
    F(collator_close, ucol_close) \
    F(collator_set_attribute, ucol_setAttribute) \
    F(collator_compare, ucol_strcollUTF8) \
    F(regex_open, uregex_open) \
    F(regex_close, uregex_close) \
    F(regex_set_text, uregex_setText) \
    F(regex_set_time_limit, uregex_setTimeLimit) \
    F(regex_set_stack_limit, uregex_setStackLimit) \
    F(regex_find, uregex_find) \
    F(regex_find_next, uregex_findNext) \
    F(regex_group_count, uregex_groupCount) \
    F(regex_start, uregex_start) \
    F(regex_end, uregex_end)

#define CBLITE_ICU_FIELD(field, function) __typeof__(&function) field;
struct cblite_icu {
    CBLITE_ICU_COMMON(CBLITE_ICU_FIELD)
    CBLITE_ICU_I18N(CBLITE_ICU_FIELD)
};

// Fills the table; false if a library or a function is missing, with a sentence about it in `message`.
static inline bool cblite_icu_load(struct cblite_icu *icu, char *message, size_t size) {
    const char *names[2] = {
        "libicuuc.so." CBLITE_ICU_QUOTE(U_ICU_VERSION_MAJOR_NUM), "libicui18n.so." CBLITE_ICU_QUOTE(U_ICU_VERSION_MAJOR_NUM)};
    void *common = dlopen(names[0], RTLD_LAZY | RTLD_LOCAL);
    void *i18n = common ? dlopen(names[1], RTLD_LAZY | RTLD_LOCAL) : NULL;
    if (!i18n) {
        snprintf(message, size, "the Unicode library %s is not installed (Debian package libicu%s)", names[common ? 1 : 0],
            CBLITE_ICU_QUOTE(U_ICU_VERSION_MAJOR_NUM));
        return false;
    }
    const char *missing = NULL;
#define CBLITE_ICU_LOAD(library, field, function) \
    *(void **)&icu->field = dlsym(library, CBLITE_ICU_QUOTE(function)); \
    if (!icu->field) missing = CBLITE_ICU_QUOTE(function);
#define CBLITE_ICU_LOAD_COMMON(field, function) CBLITE_ICU_LOAD(common, field, function)
#define CBLITE_ICU_LOAD_I18N(field, function) CBLITE_ICU_LOAD(i18n, field, function)
    CBLITE_ICU_COMMON(CBLITE_ICU_LOAD_COMMON)
    CBLITE_ICU_I18N(CBLITE_ICU_LOAD_I18N)
    if (missing) snprintf(message, size, "the Unicode library %s has no function %s", names[1], missing);
    return !missing;
}
