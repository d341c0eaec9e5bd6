#include "Runner.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Arrays as deep and long as keys are in practice are written item by item; all else is JSON by the engine, which knows cycles, dates and toJSON.
static const int deepest_array = 4;
static const size_t longest_array = 256;

static void reserve(struct cblite_runner *runner, struct cblite_output *output, size_t more) {
    if (output->capacity - output->count >= more) return;
    size_t capacity = output->capacity ? output->capacity * 2 : 4096;
    while (capacity - output->count < more) capacity *= 2;
    uint8_t *bytes = capacity <= runner->memory.limit * 2 ? realloc(output->bytes, capacity) : NULL;
    if (!bytes) {
        output->is_full = true;
        cblite_duktape.error_raw(runner->context, DUK_ERR_RANGE_ERROR, NULL, 0, "the results are too large");
    }
    output->bytes = bytes;
    output->capacity = capacity;
}

static void append(struct cblite_runner *runner, struct cblite_output *output, const void *bytes, size_t count) {
    reserve(runner, output, count);
    memcpy(output->bytes + output->count, bytes, count);
    output->count += count;
}

static void write_bytes(struct cblite_runner *runner, const void *bytes, size_t count) { append(runner, &runner->output, bytes, count); }
static void write_count(struct cblite_runner *runner, uint32_t count) { write_bytes(runner, &count, sizeof count); }
void cblite_write_byte(struct cblite_runner *runner, uint8_t byte) { write_bytes(runner, &byte, 1); }

static bool is_ascii(const uint8_t *text, size_t count) {
    uint8_t bits = 0;
    for (size_t index = 0; index < count; index++) bits |= text[index];
    return bits < 0x80;
}

// The surrogate at `text`, or 0.
static uint32_t surrogate(const uint8_t *text, size_t count) {
    if (count < 3 || text[0] != 0xED || text[1] < 0xA0 || text[1] > 0xBF || (text[2] & 0xC0) != 0x80) return 0;
    return 0xD000u | (text[1] & 0x3Fu) << 6 | (text[2] & 0x3Fu);
}

// How long a sequence is that begins with this byte. The engine writes no others than these.
static size_t length_of(uint8_t first) { return first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4; }

void cblite_write_text(struct cblite_runner *runner, struct cblite_output *output, const char *text, size_t count) {
    const uint8_t *source = (const uint8_t *)text;
    size_t place = output->count;
    uint32_t written = (uint32_t)count;
    append(runner, output, &written, sizeof written);
    // Two surrogates of three bytes each become four bytes, and one alone three: it never grows.
    reserve(runner, output, count);
    uint8_t *start = output->bytes + output->count, *target = start;
    if (is_ascii(source, count)) {
        memcpy(start, source, count);
        output->count += count;
        return;
    }
    for (size_t index = 0; index < count;) {
        uint32_t high = surrogate(source + index, count - index);
        if (high == 0) {
            size_t length = length_of(source[index]);
            if (length > count - index) length = count - index;
            memcpy(target, source + index, length);
            target += length;
            index += length;
            continue;
        }
        uint32_t low = surrogate(source + index + 3, count - index - 3);
        bool is_pair = high < 0xDC00 && low >= 0xDC00;
        uint32_t scalar = is_pair ? 0x10000 + ((high & 0x3FF) << 10 | (low & 0x3FF)) : 0;
        uint8_t four[4] = {(uint8_t)(0xF0 | scalar >> 18), (uint8_t)(0x80 | (scalar >> 12 & 63)), (uint8_t)(0x80 | (scalar >> 6 & 63)),
            (uint8_t)(0x80 | (scalar & 63))};
        memcpy(target, is_pair ? four : (const uint8_t[]){0xEF, 0xBF, 0xBD}, is_pair ? 4 : 3);
        target += is_pair ? 4 : 3;
        index += is_pair ? 6 : 3;
    }
    written = (uint32_t)(target - start);
    memcpy(output->bytes + place, &written, sizeof written);
    output->count += written;
}

// JSON nested deeper is read by nobody.
static const int deepest_json = 90;

static bool is_too_deep(const char *text, size_t count) {
    int depth = 0;
    bool is_in_text = false;
    for (size_t index = 0; index < count; index++) {
        char byte = text[index];
        if (is_in_text) {
            if (byte == '\\') index++; else if (byte == '"') is_in_text = false;
        } else if (byte == '"') {
            is_in_text = true;
        } else if (byte == '[' || byte == '{') {
            if (++depth > deepest_json) return true;
        } else if (byte == ']' || byte == '}') {
            depth--;
        }
    }
    return false;
}

static void write_json(struct cblite_runner *runner, duk_idx_t index) {
    duk_context *context = runner->context;
    cblite_duktape.dup(context, index);
    cblite_duktape.json_encode(context, -1);
    size_t count = 0;
    const char *text = cblite_duktape.get_lstring(context, -1, &count);
    if (text && is_too_deep(text, count)) {
        cblite_duktape.error_raw(context, DUK_ERR_RANGE_ERROR, NULL, 0, "the value is nested too deep");
    } else if (text) {
        cblite_write_byte(runner, cblite_value_json);
        cblite_write_text(runner, &runner->output, text, count);
    } else {
        cblite_write_byte(runner, cblite_value_undefined);
    }
    cblite_duktape.pop(context);
}

static void write_nested(struct cblite_runner *runner, duk_idx_t index, int depth) {
    duk_context *context = runner->context;
    size_t count = 0;
    switch (cblite_duktape.get_type(context, index)) {
    case DUK_TYPE_NULL: return cblite_write_byte(runner, cblite_value_null);
    case DUK_TYPE_BOOLEAN: return cblite_write_byte(runner, cblite_duktape.get_boolean(context, index) ? cblite_value_true : cblite_value_false);
    case DUK_TYPE_NUMBER: {
        double number = cblite_duktape.get_number(context, index);
        if (!isfinite(number)) return cblite_write_byte(runner, cblite_value_null);
        cblite_write_byte(runner, cblite_value_number);
        return write_bytes(runner, &number, sizeof number);
    }
    case DUK_TYPE_STRING: {
        const char *text = cblite_duktape.get_lstring(context, index, &count);
        // Symbols are texts to the engine, which begin like no other.
        uint8_t first = count > 0 ? (uint8_t)text[0] : 0;
        if (first == 0xFF || (first & 0xC0) == 0x80) return cblite_write_byte(runner, cblite_value_undefined);
        cblite_write_byte(runner, cblite_value_text);
        return cblite_write_text(runner, &runner->output, text, count);
    }
    case DUK_TYPE_OBJECT: {
        if (depth == deepest_array || !cblite_duktape.is_array(context, index)) return write_json(runner, index);
        count = cblite_duktape.get_length(context, index);
        if (count > longest_array) return write_json(runner, index);
        cblite_write_byte(runner, cblite_value_array);
        write_count(runner, (uint32_t)count);
        cblite_duktape.require_stack(context, 4);
        for (uint32_t item = 0; item < count; item++) {
            cblite_duktape.get_prop_index(context, index, item);
            write_nested(runner, cblite_duktape.get_top(context) - 1, depth + 1);
            cblite_duktape.pop(context);
        }
        return;
    }
    default: return cblite_write_byte(runner, cblite_value_undefined);
    }
}

void cblite_write_value(struct cblite_runner *runner, duk_idx_t index) { write_nested(runner, index, 0); }

// How long the description of what was thrown may be.
static const size_t longest_message = 2000;

static duk_ret_t describe(duk_context *context, void *owner) {
    struct cblite_runner *runner = owner;
    uint32_t line = 0;
    if (cblite_duktape.is_object(context, -1)) {
        cblite_duktape.get_prop_lstring(context, -1, "lineNumber", 10);
        double number = cblite_duktape.get_number(context, -1);
        if (number >= 1 && number < 1e9) line = (uint32_t)number;
        cblite_duktape.pop(context);
        // Not an error object, as CouchDB's functions throw: its members are what it says.
        cblite_duktape.get_prop_lstring(context, -1, "message", 7);
        bool has_message = cblite_duktape.get_type(context, -1) == DUK_TYPE_STRING;
        cblite_duktape.pop(context);
        if (!has_message && !cblite_duktape.is_function(context, -1)) cblite_duktape.json_encode(context, -1);
    }
    size_t count = 0;
    const char *text = cblite_duktape.safe_to_lstring(context, -1, &count);
    if (count > longest_message) {
        count = longest_message;
        while (count > 0 && ((uint8_t)text[count] & 0xC0) == 0x80) count--;
    }
    cblite_write_byte(runner, cblite_record_error);
    cblite_write_text(runner, &runner->output, text, count);
    write_count(runner, line);
    return 0;
}

void cblite_write_error(struct cblite_runner *runner) {
    size_t start = runner->output.count;
    if (cblite_duktape.safe_call(runner->context, describe, runner, 1, 1) != DUK_EXEC_SUCCESS) runner->output.count = start;
    cblite_duktape.pop(runner->context);
}
