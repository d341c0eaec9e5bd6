#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// JavaScript, by Debian's Duktape, which is loaded when the first script runs. Nothing of its own interface is seen here: it leaves by longjmp
// whatever goes wrong, which must never cross a frame of Swift, and so all of it is behind these functions, none of which ever leaves like that.
//
// A runner is one heap of scripts. One thread may use it at a time.

struct cblite_runner;

// What an argument is made of: values in the order in which they would be written, each a record of this kind.
struct cblite_script_item {
    // One of the kinds below, and above these eight bits a count: bytes of a text or key.
    uint64_t head;
    // A number's bits, or the address of a text.
    uint64_t bits;
};

enum cblite_script_item_kind {
    cblite_item_undefined,
    cblite_item_null,
    cblite_item_false,
    cblite_item_true,
    cblite_item_number,
    cblite_item_text,
    cblite_item_array,
    cblite_item_object,
    // What ends an array or an object.
    cblite_item_end,
    // The name of the member that follows.
    cblite_item_key,
    // The same, which has a number: the count is 16 bits of length, and above them the number.
    cblite_item_numbered_key,
};

// What calls hand out: records that begin with one of these bytes.
enum cblite_script_record {
    // Two values follow, a key and a value.
    cblite_record_row = 'E',
    // A value follows.
    cblite_record_result = 'R',
    // A text follows, and a number: what was thrown, and in which line.
    cblite_record_error = 'X',
};

// Values in records begin with one of these bytes. Counts and numbers of lines are four bytes, in the machine's order.
enum cblite_script_value {
    cblite_value_undefined,
    cblite_value_null,
    cblite_value_false,
    cblite_value_true,
    // Eight bytes follow.
    cblite_value_number,
    // A count and bytes follow: UTF-8.
    cblite_value_text,
    // A count and values follow.
    cblite_value_array,
    // A count and bytes follow, which are JSON.
    cblite_value_json,
    // Like an undefined one before another value: that one is the first argument itself.
    cblite_value_argument,
};

enum cblite_script_outcome {
    cblite_script_done,
    // The output's last record says what was thrown.
    cblite_script_thrown,
    cblite_script_out_of_time,
    cblite_script_out_of_memory,
    // The engine gave up. It should not.
    cblite_script_broken,
};

enum cblite_script_mode {
    // Rows may be emitted; the result does not matter.
    cblite_script_map,
    // The result is true or false.
    cblite_script_filter,
    cblite_script_function,
};

// Loads the library; false if it is not there, with a sentence about it in `message`.
bool cblite_scripts_load(char *message, size_t size);

// NULL if there is no memory, or no library. Times are processor time of the thread that calls.
struct cblite_runner *cblite_runner_create(size_t memory, int64_t nanoseconds);
void cblite_runner_destroy(struct cblite_runner *runner);

// Whether there is a heap. After a script used up its time or memory there is none until somebody opens another, which has no functions.
bool cblite_runner_is_open(const struct cblite_runner *runner);
enum cblite_script_outcome cblite_runner_open(struct cblite_runner *runner);

// Compiles one function expression, and gives it the next number, from 0.
enum cblite_script_outcome cblite_runner_compile(
    struct cblite_runner *runner, const char *name, size_t name_count, const char *source, size_t count);

// How many parameters a function declares.
uint32_t cblite_runner_parameters(const struct cblite_runner *runner, uint32_t function);

// Calls a function with the arguments that the items make.
enum cblite_script_outcome cblite_runner_call(
    struct cblite_runner *runner, uint32_t function, enum cblite_script_mode mode, const struct cblite_script_item *items, size_t count);

// The records of the last compilation or call. Valid until the next.
const uint8_t *cblite_runner_output(const struct cblite_runner *runner, size_t *count);

// What it logged: texts, each after its count.
const uint8_t *cblite_runner_log(const struct cblite_runner *runner, size_t *count);

// How many rows the last call emitted.
uint32_t cblite_runner_rows(const struct cblite_runner *runner);

// Numbers of keys mean something else from now on.
void cblite_runner_forget_keys(struct cblite_runner *runner);

// How much of its stack was ever used, and how much there is: for tests.
void cblite_runner_stack(const struct cblite_runner *runner, size_t *used, size_t *size);

// A text through the engine's own JSON, then the function: what calls can be measured by. The items follow the parsed text as arguments.
enum cblite_script_outcome cblite_runner_call_with_json(
    struct cblite_runner *runner, uint32_t function, enum cblite_script_mode mode, const char *json, size_t count);
