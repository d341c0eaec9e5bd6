#include "Runner.h"
#include <string.h>

// What scripts find. The engine's own doors are taken out: it would give them bytes as text, finalizers, threads and bytecode. What is left
// cannot be changed, so that nothing of one document reaches the next: all objects are frozen, and what all others inherit may still be given
// to an object of one's own.
static const char preparation[] =
    "(function (global, scope) {\n"
    "    'use strict';\n"
    "    var define = Object.defineProperty, describe = Object.getOwnPropertyDescriptor, stringify = JSON.stringify;\n"
    "    function names(object) { return Object.getOwnPropertyNames(object).concat(Object.getOwnPropertySymbols(object)); }\n"
    "    function add(name, value) { define(global, name, {value: value, writable: true, configurable: true, enumerable: false}); }\n"
    "    ['Duktape', 'Buffer', 'CBOR', 'Proxy', 'Reflect', 'TextEncoder', 'TextDecoder', 'performance', 'ArrayBuffer', 'DataView', 'Int8Array',\n"
    "        'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array', 'Float32Array', 'Float64Array'\n"
    "    ].forEach(function (name) { delete global[name]; });\n"
    "    delete String.fromBufferRaw;\n"
    "    delete Object.prototype.__proto__;\n"
    "    ['preventExtensions', 'seal', 'freeze', 'setPrototypeOf'].forEach(function (name) {\n"
    "        var original = Object[name];\n"
    "        Object[name] = function (object, prototype) {\n"
    "            if (object === scope) throw new TypeError('not configurable');\n"
    "            return original(object, prototype);\n"
    "        };\n"
    "    });\n"
    "    add('isArray', Array.isArray);\n"
    "    add('toJSON', function toJSON(value) { return stringify(value); });\n"
    "    add('sum', function sum(values) {\n"
    "        var total = 0;\n"
    "        for (var index = 0; index < values.length; index++) total += values[index];\n"
    "        return total;\n"
    "    });\n"
    "    function allowOwn(object) {\n"
    "        names(object).forEach(function (name) {\n"
    "            var description = describe(object, name), value = description.value;\n"
    "            if (!('value' in description)) return;\n"
    "            define(object, name, {configurable: false, enumerable: false, get: function () { return value; }, set: function (own) {\n"
    "                if (this === object || this === undefined) throw new TypeError('not writable');\n"
    "                define(this, name, {value: own, writable: true, configurable: true, enumerable: true});\n"
    "            }});\n"
    "        });\n"
    "    }\n"
    "    function freeze(object) {\n"
    "        if (object === null || (typeof object !== 'object' && typeof object !== 'function') || Object.isFrozen(object)) return;\n"
    "        Object.freeze(object);\n"
    "        names(object).forEach(function (name) {\n"
    "            var description = describe(object, name);\n"
    "            freeze(description.value);\n"
    "            freeze(description.get);\n"
    "            freeze(description.set);\n"
    "        });\n"
    "        freeze(Object.getPrototypeOf(object));\n"
    "    }\n"
    "    allowOwn(Object.prototype);\n"
    "    allowOwn(Error.prototype);\n"
    "    freeze(global);\n"
    "})";

static void write_row(struct cblite_runner *runner, duk_context *context) {
    size_t start = runner->output.count;
    cblite_write_byte(runner, cblite_record_row);
    cblite_write_value(runner, 0);
    // 1.x had no row for a key that is not there; nor is there one for what JSON does not know, such as a function.
    if (runner->output.bytes[start + 1] == cblite_value_undefined) {
        runner->output.count = start;
        return;
    }
    if (runner->argument && cblite_duktape.get_heapptr(context, 1) == runner->argument) cblite_write_byte(runner, cblite_value_argument);
    cblite_write_value(runner, 1);
    runner->rows++;
}

static duk_ret_t write_row_protected(duk_context *context, void *owner) {
    write_row(owner, context);
    return 0;
}

static duk_ret_t emit(duk_context *context) {
    struct cblite_runner *runner = cblite_entry_owner();
    if (runner->mode != cblite_script_map) {
        cblite_duktape.error_raw(context, DUK_ERR_TYPE_ERROR, NULL, 0, "only map functions may emit");
    }
    if (runner->is_writing) cblite_duktape.error_raw(context, DUK_ERR_TYPE_ERROR, NULL, 0, "a value that is emitted may not emit");
    if (!cblite_duktape.is_object(context, 0) && !cblite_duktape.is_object(context, 1)) {
        write_row(runner, context);
        return 0;
    }
    // Objects may have functions that are called now, and throw. Whoever catches that finds no half row.
    size_t start = runner->output.count;
    runner->is_writing = true;
    bool is_written = cblite_duktape.safe_call(context, write_row_protected, runner, 0, 1) == DUK_EXEC_SUCCESS;
    runner->is_writing = false;
    if (is_written) return 0;
    runner->output.count = start;
    cblite_duktape.throw_raw(context);
    return 0;
}

static duk_ret_t write_log(duk_context *context) {
    struct cblite_runner *runner = cblite_entry_owner();
    if (cblite_duktape.is_object(context, 0) && !cblite_duktape.is_function(context, 0)) cblite_duktape.json_encode(context, 0);
    size_t count = 0;
    const char *text = cblite_duktape.safe_to_lstring(context, 0, &count);
    cblite_write_text(runner, &runner->log, text, count);
    return 0;
}

static void add_function(duk_context *context, const char *name, duk_c_function function, duk_idx_t parameters) {
    cblite_duktape.push_c_function(context, function, parameters);
    cblite_duktape.put_prop_lstring(context, -2, name, strlen(name));
}

void cblite_make_globals(struct cblite_runner *runner) {
    duk_context *context = runner->context;
    cblite_duktape.push_global_object(context);
    runner->globals = cblite_duktape.get_heapptr(context, -1);
    add_function(context, "emit", emit, 2);
    add_function(context, "log", write_log, 1);

    // Kept alive by a place that scripts do not reach: the globals, the scope, and the array.
    cblite_duktape.push_heap_stash(context);
    cblite_duktape.dup(context, -2);
    cblite_duktape.put_prop_lstring(context, -2, "globals", 7);
    cblite_duktape.push_bare_object(context);
    runner->scope = cblite_duktape.get_heapptr(context, -1);
    cblite_duktape.push_heapptr(context, runner->globals);
    cblite_duktape.set_prototype(context, -2);
    cblite_duktape.put_prop_lstring(context, -2, "scope", 5);
    cblite_duktape.push_array(context);
    runner->kept = cblite_duktape.get_heapptr(context, -1);
    cblite_duktape.put_prop_lstring(context, -2, "kept", 4);

    cblite_duktape.push_lstring(context, "preparation", strlen("preparation"));
    cblite_duktape.compile_raw(context, preparation, strlen(preparation), 1 | DUK_COMPILE_EVAL | DUK_COMPILE_NOSOURCE);
    cblite_duktape.call(context, 0);
    cblite_duktape.push_heapptr(context, runner->globals);
    cblite_duktape.push_heapptr(context, runner->scope);
    cblite_duktape.call(context, 2);
    // What functions find, and where their assignments go, is the scope from now on, which inherits from the globals.
    cblite_duktape.push_heapptr(context, runner->scope);
    cblite_duktape.set_global_object(context);
    cblite_duktape.set_top(context, 0);
}

// Forgets what a script assigned to without declaring it. If something cannot be deleted this throws, and the heap is given up.
void cblite_clear_scope(struct cblite_runner *runner) {
    duk_context *context = runner->context;
    cblite_duktape.push_heapptr(context, runner->scope);
    cblite_duktape.enumerate(context, -1, DUK_ENUM_INCLUDE_NONENUMERABLE | DUK_ENUM_INCLUDE_SYMBOLS | DUK_ENUM_OWN_PROPERTIES_ONLY);
    while (cblite_duktape.next(context, -1, 0)) cblite_duktape.del_prop(context, -3);
    cblite_duktape.pop_n(context, 2);
}
