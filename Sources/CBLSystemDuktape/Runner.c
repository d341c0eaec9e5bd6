#include "Runner.h"
#include <stdlib.h>
#include <string.h>

// What the deepest recursion needs that takes no memory, and much more: a regular expression's takes 1.6 MB.
static const size_t stack_reserve = 6 << 20;

static void give_up(void *memory, const char *message) {
    (void)message;
    struct cblite_runner *runner = memory;
    cblite_entry_fail(&runner->entry);
}

// Throws the heap away, whatever state it is in.
static void close_heap(struct cblite_runner *runner) {
    cblite_memory_free_all(&runner->memory);
    runner->context = NULL;
    runner->function_count = 0;
    cblite_runner_forget_keys(runner);
}

// What a heap and a function may take that are made ready for calls, whatever these may. It is a thousandth of that as a rule.
static const int64_t preparation_time = 2000000000;

// Large results are not kept room for.
static const size_t kept_output = 1 << 20;

static void clear_output(struct cblite_output *output) {
    output->count = 0;
    output->is_full = false;
    if (output->capacity <= kept_output) return;
    free(output->bytes);
    *output = (struct cblite_output){0};
}

// Runs a job in the engine, and says what came of it.
static enum cblite_script_outcome run(struct cblite_runner *runner, void (*job)(void *), int64_t nanoseconds) {
    runner->is_thrown = false;
    runner->memory.is_exhausted = false;
    runner->argument = NULL;
    runner->is_writing = false;
    clear_output(&runner->output);
    clear_output(&runner->log);
    runner->rows = 0;
    enum cblite_left left = cblite_entry_run(&runner->entry, job, runner, nanoseconds);
    bool is_full = runner->output.is_full || runner->log.is_full;
    bool is_exhausted = runner->memory.is_exhausted || is_full;
    // What is full of small blocks of one size has no place for others.
    bool is_crowded = runner->memory.taken > runner->memory.limit / 2;
    if (left != cblite_left_normally || is_exhausted || is_crowded) close_heap(runner);
    switch (left) {
    case cblite_left_by_time: return cblite_script_out_of_time;
    case cblite_left_by_failure: return is_exhausted ? cblite_script_out_of_memory : cblite_script_broken;
    case cblite_left_normally: break;
    }
    if (is_full) return cblite_script_out_of_memory;
    if (!runner->is_thrown) return cblite_script_done;
    return is_exhausted ? cblite_script_out_of_memory : cblite_script_thrown;
}

// Calls a function of the engine's kind, protected; what it throws becomes a record.
static void protect(struct cblite_runner *runner, duk_safe_call_function function) {
    if (cblite_duktape.safe_call(runner->context, function, runner, 0, 1) == DUK_EXEC_SUCCESS) {
        cblite_duktape.pop(runner->context);
    } else {
        runner->is_thrown = true;
        cblite_write_error(runner);
    }
}

static duk_ret_t prepare(duk_context *context, void *owner) {
    (void)context;
    cblite_make_globals(owner);
    return 0;
}

static void open_heap(void *owner) {
    struct cblite_runner *runner = owner;
    runner->context = cblite_duktape.create_heap(
        cblite_memory_allocate, cblite_memory_resize, cblite_memory_free, &runner->memory, give_up);
    if (runner->context) protect(runner, prepare); else runner->is_thrown = runner->memory.is_exhausted = true;
}

void *cblite_keep(struct cblite_runner *runner, void *array, uint32_t index) {
    duk_context *context = runner->context;
    void *value = cblite_duktape.get_heapptr(context, -1);
    cblite_duktape.push_heapptr(context, array);
    cblite_duktape.insert(context, -2);
    cblite_duktape.put_prop_index(context, -2, index);
    cblite_duktape.pop(context);
    return value;
}

static void push_compiled(duk_context *context, const char *name, size_t name_count, const char *text, size_t count) {
    cblite_push_text(context, (const uint8_t *)name, name_count);
    cblite_duktape.compile_raw(context, text, count, 1 | DUK_COMPILE_FUNCTION | DUK_COMPILE_NOSOURCE);
}

struct text { const char *bytes; size_t count; };

static duk_ret_t compile_part(duk_context *context, void *part) {
    struct text *text = part;
    push_compiled(context, "", 0, text->bytes, text->count);
    return 0;
}

// The engine reads the function that a text begins with, and does not look at what follows. Whatever that is, the function is whole without the
// last brace then.
static bool ends_with_function(duk_context *context, const char *text, size_t count) {
    while (count > 0 && text[count - 1] != '}') count--;
    struct text part = {text, count - 1};
    bool is_whole = count > 0 && cblite_duktape.safe_call(context, compile_part, &part, 0, 1) == DUK_EXEC_SUCCESS;
    if (count > 0) cblite_duktape.pop(context);
    return !is_whole;
}

static duk_ret_t compile(duk_context *context, void *owner) {
    struct cblite_runner *runner = owner;
    cblite_push_text(context, (const uint8_t *)runner->text, runner->text_count);
    size_t count = 0;
    const char *text = cblite_duktape.get_lstring(context, -1, &count);
    push_compiled(context, runner->name, runner->name_count, text, count);
    if (!ends_with_function(context, text, count)) {
        cblite_duktape.error_raw(context, DUK_ERR_SYNTAX_ERROR, NULL, 0, "there is more than one function");
    }

    cblite_duktape.get_prop_lstring(context, -1, "length", 6);
    uint32_t parameters = (uint32_t)cblite_duktape.get_number(context, -1);
    cblite_duktape.pop(context);
    // Nothing is left in the function for the next call.
    cblite_duktape.get_prop_lstring(context, -1, "prototype", 9);
    if (cblite_duktape.is_object(context, -1)) cblite_duktape.freeze(context, -1);
    cblite_duktape.pop(context);
    cblite_duktape.freeze(context, -1);

    uint32_t number = runner->function_count;
    void **functions = realloc(runner->functions, (number + 1) * sizeof *functions);
    if (functions) runner->functions = functions;
    uint32_t *all_parameters = realloc(runner->parameters, (number + 1) * sizeof *all_parameters);
    if (all_parameters) runner->parameters = all_parameters;
    if (!functions || !all_parameters) return cblite_duktape.error_raw(context, DUK_ERR_RANGE_ERROR, NULL, 0, "out of memory"), 0;
    runner->functions[number] = cblite_keep(runner, runner->kept, number);
    runner->parameters[number] = parameters;
    runner->function_count = number + 1;
    return 0;
}

static void compile_job(void *owner) { protect(owner, compile); }

static void finish(struct cblite_runner *runner) {
    duk_context *context = runner->context;
    switch (runner->mode) {
    case cblite_script_map: break;
    case cblite_script_filter: {
        bool is_true = cblite_duktape.to_boolean(context, -1);
        cblite_write_byte(runner, cblite_record_result);
        cblite_write_byte(runner, is_true ? cblite_value_true : cblite_value_false);
        break;
    }
    case cblite_script_function:
        cblite_write_byte(runner, cblite_record_result);
        cblite_write_value(runner, cblite_duktape.get_top(context) - 1);
    }
}

static duk_ret_t call(duk_context *context, void *owner) {
    struct cblite_runner *runner = owner;
    cblite_duktape.push_heapptr(context, runner->functions[runner->function]);
    duk_idx_t first = cblite_duktape.get_top(context);
    int arguments = 0;
    if (runner->text) {
        cblite_duktape.push_lstring(context, runner->text, runner->text_count);
        cblite_duktape.json_decode(context, -1);
        arguments = 1;
    }
    arguments += cblite_push_items(runner);
    runner->argument = arguments > 0 ? cblite_duktape.get_heapptr(context, first) : NULL;
    cblite_duktape.call(context, arguments);
    finish(runner);
    return 0;
}

static duk_ret_t clear(duk_context *context, void *owner) {
    (void)context;
    cblite_clear_scope(owner);
    return 0;
}

static void call_job(void *owner) {
    struct cblite_runner *runner = owner;
    protect(runner, call);
    if (cblite_duktape.safe_call(runner->context, clear, runner, 0, 1) != DUK_EXEC_SUCCESS) runner->memory.is_exhausted = true;
    cblite_duktape.pop(runner->context);
}

struct cblite_runner *cblite_runner_create(size_t memory, int64_t nanoseconds) {
    char message[1];
    struct cblite_runner *runner = cblite_scripts_load(message, sizeof message) ? calloc(1, sizeof *runner) : NULL;
    if (!runner) return NULL;
    runner->memory.limit = memory;
    runner->nanoseconds = nanoseconds;
    if (cblite_entry_open(&runner->entry)) {
        runner->memory.lowest_stack = runner->entry.stack + stack_reserve;
        return runner;
    }
    free(runner);
    return NULL;
}

void cblite_runner_destroy(struct cblite_runner *runner) {
    close_heap(runner);
    cblite_entry_close(&runner->entry);
    free(runner->functions);
    free(runner->parameters);
    free(runner->output.bytes);
    free(runner->log.bytes);
    free(runner);
}

bool cblite_runner_is_open(const struct cblite_runner *runner) { return runner->context != NULL; }

enum cblite_script_outcome cblite_runner_open(struct cblite_runner *runner) {
    enum cblite_script_outcome outcome = run(runner, open_heap, preparation_time);
    if (outcome != cblite_script_done) close_heap(runner);
    return outcome;
}

enum cblite_script_outcome cblite_runner_compile(
    struct cblite_runner *runner, const char *name, size_t name_count, const char *source, size_t count) {
    if (!runner->context) return cblite_script_broken;
    runner->name = name;
    runner->name_count = name_count;
    runner->text = source;
    runner->text_count = count;
    return run(runner, compile_job, preparation_time);
}

uint32_t cblite_runner_parameters(const struct cblite_runner *runner, uint32_t function) {
    return function < runner->function_count ? runner->parameters[function] : 0;
}

enum cblite_script_outcome cblite_runner_call(
    struct cblite_runner *runner, uint32_t function, enum cblite_script_mode mode, const struct cblite_script_item *items, size_t count) {
    if (!runner->context || function >= runner->function_count) return cblite_script_broken;
    runner->function = function;
    runner->mode = mode;
    runner->items = items;
    runner->item_count = count;
    runner->text = NULL;
    return run(runner, call_job, runner->nanoseconds);
}

enum cblite_script_outcome cblite_runner_call_with_json(
    struct cblite_runner *runner, uint32_t function, enum cblite_script_mode mode, const char *json, size_t count) {
    if (!runner->context || function >= runner->function_count) return cblite_script_broken;
    runner->function = function;
    runner->mode = mode;
    runner->items = NULL;
    runner->item_count = 0;
    runner->text = json;
    runner->text_count = count;
    return run(runner, call_job, runner->nanoseconds);
}

const uint8_t *cblite_runner_output(const struct cblite_runner *runner, size_t *count) {
    *count = runner->output.count;
    return runner->output.bytes;
}

const uint8_t *cblite_runner_log(const struct cblite_runner *runner, size_t *count) {
    *count = runner->log.count;
    return runner->log.bytes;
}

uint32_t cblite_runner_rows(const struct cblite_runner *runner) { return runner->rows; }

void cblite_runner_stack(const struct cblite_runner *runner, size_t *used, size_t *size) {
    *used = cblite_entry_stack_used(&runner->entry);
    *size = runner->entry.stack_size;
}
