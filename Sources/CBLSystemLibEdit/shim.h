#pragma once
#include <dlfcn.h>
#include <histedit.h>
#include <stdbool.h>
#include <stdio.h>

// libedit is loaded when somebody sits down at the interactive shell: it brings three more libraries, which every other start of the
// program would pay for. Its setters take a variable number of arguments, which Swift cannot pass: each use has a function here.

#define CBLITE_EDIT_LIBRARY "libedit.so.2"

#define CBLITE_EDIT_FUNCTIONS(F) \
    F(init, el_init) \
    F(end, el_end) \
    F(set, el_set) \
    F(get, el_get) \
    F(gets, el_gets) \
    F(line, el_line) \
    F(insert, el_insertstr) \
    F(erase, el_deletestr) \
    F(cursor, el_cursor) \
    F(source, el_source) \
    F(resize, el_resize) \
    F(beep, el_beep) \
    F(history_init, history_init) \
    F(history_end, history_end) \
    F(history, history)

#define CBLITE_EDIT_FIELD(field, function) __typeof__(&function) field;
struct cblite_edit {
    CBLITE_EDIT_FUNCTIONS(CBLITE_EDIT_FIELD)
};

typedef unsigned char (*cblite_edit_command)(EditLine *, int);
typedef char *(*cblite_edit_prompt)(EditLine *);
typedef int (*cblite_edit_reader)(EditLine *, wchar_t *);

// Fills the table; false if the library or a function is missing.
static inline bool cblite_edit_load(struct cblite_edit *edit) {
    void *library = dlopen(CBLITE_EDIT_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (!library) return false;
    bool complete = true;
#define CBLITE_EDIT_LOAD(field, function) \
    *(void **)&edit->field = dlsym(library, #function); \
    complete = complete && edit->field;
    CBLITE_EDIT_FUNCTIONS(CBLITE_EDIT_LOAD)
    return complete;
}

// The line is shown on standard output, or on standard error if the results go elsewhere.
static inline EditLine *cblite_edit_open(const struct cblite_edit *edit, const char *program, bool shows_on_errors) {
    return edit->init(program, stdin, shows_on_errors ? stderr : stdout, stderr);
}

static inline void cblite_edit_set_owner(const struct cblite_edit *edit, EditLine *line, void *owner) {
    edit->set(line, EL_CLIENTDATA, owner);
}

static inline void *cblite_edit_owner(const struct cblite_edit *edit, EditLine *line) {
    void *owner = NULL;
    edit->get(line, EL_CLIENTDATA, &owner);
    return owner;
}

// Between two bytes of value 1 the prompt may hold escape sequences that take no room.
static inline void cblite_edit_set_prompt(const struct cblite_edit *edit, EditLine *line, cblite_edit_prompt prompt) {
    edit->set(line, EL_PROMPT_ESC, prompt, '\1');
}

static inline void cblite_edit_set_reader(const struct cblite_edit *edit, EditLine *line, cblite_edit_reader reader) {
    edit->set(line, EL_GETCFN, reader);
}

static inline void cblite_edit_set_editor(const struct cblite_edit *edit, EditLine *line, const char *name) {
    edit->set(line, EL_EDITOR, name);
}

static inline bool cblite_edit_is_vi(const struct cblite_edit *edit, EditLine *line) {
    const char *name = NULL;
    return edit->get(line, EL_EDITOR, &name) == 0 && name && name[0] == 'v';
}

static inline void cblite_edit_add_command(
    const struct cblite_edit *edit, EditLine *line, const char *name, const char *help, cblite_edit_command command) {
    edit->set(line, EL_ADDFN, name, help, command);
}

// In vi's command mode, if `in_command_mode` says so.
static inline void cblite_edit_bind(
    const struct cblite_edit *edit, EditLine *line, const char *key, const char *command, bool in_command_mode) {
    if (in_command_mode) edit->set(line, EL_BIND, "-a", key, command, NULL);
    else edit->set(line, EL_BIND, key, command, NULL);
}

static inline void cblite_edit_refresh(const struct cblite_edit *edit, EditLine *line) { edit->set(line, EL_REFRESH); }

// Puts the terminal into the state that editing needs, or back.
static inline void cblite_edit_prepare_terminal(const struct cblite_edit *edit, EditLine *line, bool edits) {
    edit->set(line, EL_PREP_TERM, (int)edits);
}

static inline void cblite_edit_set_history(const struct cblite_edit *edit, EditLine *line, History *history, int size) {
    HistEvent event;
    edit->history(history, &event, H_SETSIZE, size);
    edit->set(line, EL_HIST, edit->history, history);
}

static inline void cblite_edit_clear_history(const struct cblite_edit *edit, History *history) {
    HistEvent event;
    edit->history(history, &event, H_CLEAR);
}

static inline void cblite_edit_enter_history(const struct cblite_edit *edit, History *history, const char *text) {
    HistEvent event;
    edit->history(history, &event, H_ENTER, text);
}
