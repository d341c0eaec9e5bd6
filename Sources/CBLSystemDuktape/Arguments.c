#include "Runner.h"
#include <string.h>

static const uint8_t replacement[3] = {0xEF, 0xBF, 0xBD};

// The length of the UTF-8 sequence at `text`, or 0 if it is not one: overlong, a surrogate, beyond U+10FFFF, or cut.
static int sequence_length(const uint8_t *text, size_t count) {
    uint8_t first = text[0];
    if (first < 0x80) return 1;
    if (first < 0xC2) return 0;
    if (first < 0xE0) return count >= 2 && (text[1] & 0xC0) == 0x80 ? 2 : 0;
    if (first < 0xF0) {
        if (count < 3 || (text[1] & 0xC0) != 0x80 || (text[2] & 0xC0) != 0x80) return 0;
        if ((first == 0xE0 && text[1] < 0xA0) || (first == 0xED && text[1] >= 0xA0)) return 0;
        return 3;
    }
    if (first > 0xF4 || count < 4 || (text[1] & 0xC0) != 0x80 || (text[2] & 0xC0) != 0x80 || (text[3] & 0xC0) != 0x80) return 0;
    if ((first == 0xF0 && text[1] < 0x90) || (first == 0xF4 && text[1] >= 0x90)) return 0;
    return 4;
}

static uint8_t *put_unit(uint8_t *place, uint32_t unit) {
    place[0] = (uint8_t)(0xE0 | unit >> 12);
    place[1] = (uint8_t)(0x80 | (unit >> 6 & 0x3F));
    place[2] = (uint8_t)(0x80 | (unit & 0x3F));
    return place + 3;
}

static bool is_ascii(const uint8_t *text, size_t count) {
    uint64_t bits = 0;
    for (; count >= 8; text += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, text, 8);
        bits |= word;
    }
    while (count > 0) bits |= text[--count];
    return (bits & 0x8080808080808080) == 0;
}

// Writes the text as the engine has it: characters beyond the basic plane as two surrogates, and nothing that is not UTF-8, as texts that
// begin with certain other bytes are names of hidden members to it. Without a place it only counts.
static size_t convert(const uint8_t *text, size_t count, uint8_t *target) {
    size_t total = 0;
    for (size_t index = 0; index < count;) {
        int length = sequence_length(text + index, count - index);
        uint8_t units[6];
        const uint8_t *source = text + index;
        size_t taken = (size_t)length, given = (size_t)length;
        if (length == 0) {
            source = replacement;
            taken = 1;
            given = 3;
        } else if (length == 4) {
            uint32_t scalar = (source[0] & 7u) << 18 | (source[1] & 63u) << 12 | (source[2] & 63u) << 6 | (source[3] & 63u);
            put_unit(put_unit(units, 0xD800 + ((scalar - 0x10000) >> 10)), 0xDC00 + ((scalar - 0x10000) & 0x3FF));
            source = units;
            given = 6;
        }
        if (target) memcpy(target + total, source, given);
        total += given;
        index += taken;
    }
    return total;
}

void cblite_push_text(duk_context *context, const uint8_t *text, size_t count) {
    if (is_ascii(text, count)) {
        cblite_duktape.push_lstring(context, (const char *)text, count);
        return;
    }
    size_t needed = convert(text, count, NULL);
    uint8_t near[256];
    // A large one is put together in memory of the heap, which is freed with it whatever happens.
    uint8_t *target = needed <= sizeof near ? near : cblite_duktape.push_buffer_raw(context, needed, 0);
    convert(text, count, target);
    cblite_duktape.push_lstring(context, (const char *)target, needed);
    if (target != near) cblite_duktape.remove(context, -2);
}

static uint64_t count_of(const struct cblite_script_item *item) { return item->head >> 8; }

static void make_names(struct cblite_runner *runner) {
    duk_context *context = runner->context;
    cblite_duktape.push_heap_stash(context);
    cblite_duktape.push_array(context);
    void *names = cblite_duktape.get_heapptr(context, -1);
    cblite_duktape.put_prop_lstring(context, -2, "names", 5);
    cblite_duktape.pop(context);
    runner->names = names;
}

static void push_numbered_key(struct cblite_runner *runner, const struct cblite_script_item *item) {
    size_t length = count_of(item) & 0xFFFF, number = (count_of(item) >> 16) % CBLITE_NUMBERED_KEYS;
    if (!runner->keys[number]) {
        if (!runner->names) make_names(runner);
        cblite_push_text(runner->context, (const uint8_t *)(uintptr_t)item->bits, length);
        runner->keys[number] = cblite_keep(runner, runner->names, (uint32_t)number);
    }
    cblite_duktape.push_heapptr(runner->context, runner->keys[number]);
}

static void push_scalar(struct cblite_runner *runner, const struct cblite_script_item *item) {
    duk_context *context = runner->context;
    switch (item->head & 0xFF) {
    case cblite_item_null: cblite_duktape.push_null(context); break;
    case cblite_item_false: cblite_duktape.push_boolean(context, 0); break;
    case cblite_item_true: cblite_duktape.push_boolean(context, 1); break;
    case cblite_item_number: {
        double number;
        memcpy(&number, &item->bits, sizeof number);
        cblite_duktape.push_number(context, number);
        break;
    }
    case cblite_item_text: cblite_push_text(context, (const uint8_t *)(uintptr_t)item->bits, count_of(item)); break;
    default: cblite_duktape.push_undefined(context);
    }
}

// The next index of each array that is open, and of objects this.
static const uint32_t is_object = UINT32_MAX;

int cblite_push_items(struct cblite_runner *runner) {
    duk_context *context = runner->context;
    // Whoever makes items goes no deeper.
    uint32_t next[300];
    int depth = 0, arguments = 0;
    for (size_t position = 0; position < runner->item_count; position++) {
        const struct cblite_script_item *item = &runner->items[position];
        uint8_t kind = item->head & 0xFF;
        if (kind == cblite_item_key) {
            cblite_push_text(context, (const uint8_t *)(uintptr_t)item->bits, count_of(item));
            continue;
        }
        if (kind == cblite_item_numbered_key) {
            push_numbered_key(runner, item);
            continue;
        }
        if (kind == cblite_item_array || kind == cblite_item_object) {
            if (depth == sizeof next / sizeof *next) {
                cblite_duktape.error_raw(context, DUK_ERR_RANGE_ERROR, NULL, 0, "the document is nested too deep");
            }
            cblite_duktape.require_stack(context, 8);
            if (kind == cblite_item_array) cblite_duktape.push_array(context); else cblite_duktape.push_object(context);
            next[depth++] = kind == cblite_item_array ? 0 : is_object;
            continue;
        }
        if (kind == cblite_item_end) {
            if (depth-- == 0) break;
        } else {
            push_scalar(runner, item);
        }
        // The value is complete: it goes where it belongs.
        if (depth == 0) arguments++;
        else if (next[depth - 1] == is_object) cblite_duktape.put_prop(context, -3);
        else cblite_duktape.put_prop_index(context, -2, next[depth - 1]++);
    }
    if (depth != 0) cblite_duktape.error_raw(context, DUK_ERR_TYPE_ERROR, NULL, 0, "the arguments are not complete");
    return arguments;
}

void cblite_runner_forget_keys(struct cblite_runner *runner) {
    memset(runner->keys, 0, sizeof runner->keys);
    runner->names = NULL;
}
