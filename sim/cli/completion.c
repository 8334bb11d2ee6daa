/* SPDX-License-Identifier: BSD-3-Clause */
/* Scripts that complete command lines: words come from the rows of options, the tables of keys and the built-in
 * files. */
#include <stdlib.h>
#include <string.h>

#include "platforms/find.h"
#include "platforms/platform.h"
#include "sim/cli/manual.h"
#include "sim/cli/rows.h"
#include "workloads/implementation.h"
#include "workloads/strategy.h"
#include "workloads/workload.h"

/* --- what may stand behind an option ----------------------------------------------------------------- */

static void add_word(const char *word, struct buf *words) {
    buf_printf(words, "%s%s", words->n ? " " : "", word);
}

static void add_words(const char *const *list, struct buf *words) {
    for (; list && *list; list++)
        add_word(*list, words);
}

static void add_files(enum find_kind kind, struct buf *words) {
    struct find_names names;
    find_names(kind, &names);
    for (size_t i = 0; i < names.n; i++)
        add_word(names.names[i], words);
    find_names_free(&names);
}

/* Appends the keys that --set takes: those of maps, level after level, without lists of maps. */
static void add_keys(const struct key *table, const char *prefix, struct buf *words) {
    for (; table->name; table++) {
        char *path = mem_printf("%s.%s", prefix, table->name);
        if (table->kind == KEY_MAP)
            add_keys(table->table, path, words);
        else if (table->kind != KEY_LIST && table->kind != KEY_NODE && strcmp(table->name, "schema") != 0)
            buf_printf(words, "%s%s=", words->n ? " " : "", path);
        free(path);
    }
}

static const struct {
    const char *name;
    const struct key *keys;
} files[] = {{"platform", platform_keys}, {"workload", workload_keys}, {"implementation", implementation_keys}};
enum { FILES = sizeof files / sizeof *files };

/* Returns the choices of the key that an option sets; NULL: it has none. */
static const char *const *choices_of(const char *path) {
    for (size_t i = 0; i < FILES; i++) {
        size_t n = strlen(files[i].name);
        if (strncmp(path, files[i].name, n) != 0)
            continue;
        for (const struct key *key = files[i].keys; key->name; key++)
            if (strcmp(key->name, path + n + 1) == 0)
                return key->choices;
    }
    return NULL;
}

/* Appends the built-in files of the kind that a word names, if it names one. */
static void add_built_in(const char *name, struct buf *words) {
    static const enum find_kind kinds[FILES] = {FIND_PLATFORM, FIND_WORKLOAD, FIND_IMPLEMENTATION};
    for (size_t i = 0; i < FILES; i++)
        if (strcmp(name, files[i].name) == 0)
            add_files(kinds[i], words);
}

static void add_values(const struct option *row, struct buf *words) {
    add_built_in(row->name + 2, words);
    add_words(row->choices, words);
    if (row->word)
        add_word(row->word, words);
    if (row->kind == OPTION_KEY)
        add_words(choices_of(row->key), words);
    for (int i = 0; row->kind == OPTION_STRATEGY && i < STRATEGY_COUNT; i++)
        add_word(strategy_name((enum strategy)i), words);
    for (size_t i = 0; row->kind == OPTION_SETTING && i < FILES; i++)
        add_keys(files[i].keys, files[i].name, words);
}

static bool takes_file(const struct option *row) {
    return row->value && (strstr(row->value, "FILE") || strstr(row->value, "DIR"));
}

/* Appends the verbs of a command whose usage begins with them, "check|show [NAME|FILE]", and the names that may follow
 * them. */
static void add_verbs(const struct command *c, struct buf *words) {
    size_t n = strspn(c->usage, "abcdefghijklmnopqrstuvwxyz|");
    char *verbs = mem_printf("%.*s", (int)n, c->usage);
    if (c->usage[n] != ' ' || !strchr(verbs, '|'))
        n = 0;
    for (char *rest = n ? verbs : NULL, *verb; (verb = rest ? strtok_r(rest, "|", &rest) : NULL);)
        add_word(verb, words);
    if (n)
        add_built_in(c->name, words);
    free(verbs);
}

/* Adds a text in single quotes of a shell. */
static void quote(const char *text, const char *quote_as, struct buf *out) {
    for (; *text; text++)
        if (*text == '\'')
            buf_text(out, quote_as);
        else
            buf_add(out, text, 1);
}

/* --- bash ----------------------------------------------------------------------------------------------- */

static void bash_option(const char *command, const struct option *row, struct buf *out) {
    struct buf words = {0};
    if (!row->value)
        return;
    add_values(row, &words);
    buf_printf(out, "    %s:%s) words='%s'; files=%d; open=%d ;;\n", command, row->name, words.n ? words.text : "",
               takes_file(row), row->kind == OPTION_SETTING);
    buf_clear(&words);
}

static void bash_command(const struct command *c, struct buf *out) {
    struct buf words = {0};
    for (const struct option *const *row = rows_of(c->name); *row; row++)
        bash_option(c->name, *row, out);
    add_verbs(c, &words);
    for (const struct option *const *row = rows_of(c->name); *row; row++)
        add_word((*row)->name, &words);
    buf_printf(out, "    %s:*) words='%s'; files=1 ;;\n", c->name, words.text);
    buf_clear(&words);
}

static void bash_script(const struct command_list *commands, struct buf *out) {
    buf_text(out, "# bash completion of moesim, written by moesim completion bash\n"
                  "_moesim() {\n"
                  "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                  "    local words='' files=0 open=0\n"
                  "    [ \"$prev\" != = ] || prev=${COMP_WORDS[COMP_CWORD-2]}\n"
                  "    [ \"$cur\" != = ] || cur=''\n"
                  "    [ \"$COMP_CWORD\" -gt 1 ] || prev=''\n"
                  "    case ${COMP_WORDS[1]}:$prev in\n"
                  "    *:'') words='");
    for (size_t i = 0; i < commands->n; i++)
        buf_printf(out, "%s ", commands->items[i]->name);
    buf_text(out, "help man completion' ;;\n");
    for (size_t i = 0; i < commands->n; i++)
        bash_command(commands->items[i], out);
    buf_text(out, "    help:* | man:*) words='");
    for (size_t i = 0; i < commands->n; i++)
        buf_printf(out, "%s%s", i ? " " : "", commands->items[i]->name);
    buf_text(out, "' ;;\n"
                  "    completion:*) words='bash zsh fish' ;;\n"
                  "    esac\n"
                  "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\"\n"
                  "        [ \"$files\" -eq 0 ] || compgen -f -- \"$cur\")\n"
                  "    [ \"$open\" -eq 0 ] || compopt -o nospace 2>/dev/null\n"
                  "    [ \"$files\" -eq 0 ] || compopt -o filenames 2>/dev/null\n"
                  "}\n"
                  "complete -F _moesim moesim\n");
}

/* --- zsh ------------------------------------------------------------------------------------------------- */

/* Appends a text as it stands inside '[..]' of _arguments. */
static void zsh_help(const char *text, struct buf *out) {
    for (; *text; text++) {
        if (strchr("[]:\\", *text))
            buf_text(out, "\\");
        if (*text == '\'')
            buf_text(out, "'\\''");
        else
            buf_add(out, text, 1);
    }
}

static void zsh_option(const struct option *row, struct buf *out) {
    struct buf words = {0};
    buf_printf(out, "      '*%s%s[", row->name, row->value ? "=" : "");
    zsh_help(row->help, out);
    buf_text(out, "]");
    if (row->value) {
        add_values(row, &words);
        buf_text(out, ":");
        zsh_help(row->value, out);
        if (words.n && takes_file(row))
            buf_printf(out, ":{ compadd -- %s; _files }", words.text);
        else if (words.n)
            buf_printf(out, ":{ compadd %s-- %s }", row->kind == OPTION_SETTING ? "-S \"\" " : "", words.text);
        else
            buf_text(out, takes_file(row) ? ":_files" : ": ");
    }
    buf_text(out, "' \\\n");
    buf_clear(&words);
}

static void zsh_command(const struct command *c, struct buf *out) {
    struct buf words = {0};
    add_verbs(c, &words);
    buf_printf(out, "  %s)\n    _arguments -s \\\n", c->name);
    for (const struct option *const *row = rows_of(c->name); *row; row++)
        zsh_option(*row, out);
    if (words.n)
        buf_printf(out, "      '1:verb:(%s)' '2:name:(%s)' \\\n", words.text, words.text);
    buf_text(out, "      '*:file:_files' ;;\n");
    buf_clear(&words);
}

static void zsh_script(const struct command_list *commands, struct buf *out) {
    buf_text(out, "#compdef moesim\n# zsh completion of moesim, written by moesim completion zsh\n"
                  "_moesim() {\n  local -a commands\n  commands=(\n");
    for (size_t i = 0; i < commands->n; i++) {
        buf_printf(out, "    '%s:", commands->items[i]->name);
        quote(commands->items[i]->summary, "'\\''", out);
        buf_text(out, "'\n");
    }
    buf_text(out, "    'help:the text of a command' 'man:the page of a command' 'completion:of a shell')\n"
                  "  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
                  "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n");
    for (size_t i = 0; i < commands->n; i++)
        zsh_command(commands->items[i], out);
    buf_text(out, "  help|man) _describe command commands ;;\n  completion) compadd bash zsh fish ;;\n  esac\n}\n"
                  "_moesim \"$@\"\n");
}

/* --- fish -------------------------------------------------------------------------------------------------- */

static void fish_command(const struct command *c, struct buf *out) {
    struct buf words = {0};
    add_verbs(c, &words);
    if (words.n)
        buf_printf(out, "complete -c moesim -n '__fish_seen_subcommand_from %s' -a '%s'\n", c->name, words.text);
    for (const struct option *const *row = rows_of(c->name); *row; row++) {
        buf_cut(&words, 0);
        buf_printf(out, "complete -c moesim -n '__fish_seen_subcommand_from %s' -l %s", c->name, (*row)->name + 2);
        add_values(*row, &words);
        if ((*row)->value)
            buf_text(out, takes_file(*row) ? " -r" : " -x");
        if (words.n)
            buf_printf(out, " -a '%s'", words.text);
        buf_text(out, " -d '");
        quote((*row)->help, "\\'", out);
        buf_text(out, "'\n");
    }
    buf_clear(&words);
}

static void fish_script(const struct command_list *commands, struct buf *out) {
    buf_text(out, "# fish completion of moesim, written by moesim completion fish\n");
    for (size_t i = 0; i < commands->n; i++) {
        buf_printf(out, "complete -c moesim -n __fish_use_subcommand -f -a %s -d '", commands->items[i]->name);
        quote(commands->items[i]->summary, "\\'", out);
        buf_text(out, "'\n");
    }
    buf_text(out, "complete -c moesim -n __fish_use_subcommand -f -a 'help man completion'\n"
                  "complete -c moesim -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n");
    for (size_t i = 0; i < commands->n; i++)
        fish_command(commands->items[i], out);
}

enum rc completion_script(const struct command_list *commands, const char *shell, struct buf *out, struct err *e) {
    static const struct {
        const char *name;
        void (*write)(const struct command_list *commands, struct buf *out);
    } shells[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (shell && strcmp(shell, shells[i].name) == 0) {
            shells[i].write(commands, out);
            return RC_OK;
        }
    return err_set(e, RC_USAGE, "completion: '%.60s' found, expected bash, zsh or fish", shell ? shell : "nothing");
}
