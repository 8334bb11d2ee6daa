/* SPDX-License-Identifier: BSD-3-Clause */
/* Man pages and completion name every command and option that --help names, and bash completes by them. */
#include "tests/support/folder.h"
#include "tests/support/program.h"

#include <ctype.h>

static const char *const shells[] = {"bash", "zsh", "fish"};
enum { SHELLS = 3, COMMANDS_LEAST = 10 };

/* Every shell's script, and how many words the last walk has looked at. */
static struct buf scripts[SHELLS];
static int n_commands, n_options;

static void needs(const struct buf *text, const char *where, const char *word) {
    if (!strstr(text->text, word))
        fail_msg("%s: nothing says '%s'", where, word);
}

/* Calls seen() for each line of a help text that begins with two blanks and a word. */
static void each_row(const char *help, const char *first, void (*seen)(const char *word, void *context),
                     void *context) {
    for (const char *at = strstr(help, first); at && *at; at += strcspn(at, "\n"), at += *at == '\n') {
        char word[64];
        if (sscanf(at, "  %63s", word) == 1 && at[0] == ' ' && at[1] == ' ' && at[2] != ' ')
            seen(word, context);
    }
}

static char *roff(const char *text) {
    struct buf out = {0};
    for (; *text; text++)
        buf_printf(&out, "%s%c", *text == '-' ? "\\" : "", *text);
    return out.text;
}

static void option_is_known(const char *word, void *page) {
    if (strncmp(word, "--", 2) != 0)
        return;
    char *escaped = roff(word), *fish = mem_printf("-l %s ", word + 2);
    needs(page, "man page", escaped);
    needs(&scripts[0], "bash", word);
    needs(&scripts[1], "zsh", word);
    needs(&scripts[2], "fish", fish);
    free(escaped);
    free(fish);
    n_options++;
}

static void command_is_known(const char *word, void *context) {
    (void)context;
    struct buf help = {0}, page = {0};
    if (!islower((unsigned char)*word) || !strcmp(word, "help") || !strcmp(word, "man") ||
        !strcmp(word, "completion") || !strcmp(word, "failed"))
        return;
    char *line = mem_printf("%s --help", word), *man = mem_printf("man %s", word);
    assert_int_equal(program_text(line, &help), 0);
    assert_int_equal(program_text(man, &page), 0);
    each_row(help.text, "Options:", option_is_known, &page);
    for (int i = 0; i < SHELLS; i++)
        needs(&scripts[i], shells[i], word);
    n_commands++;
    free(line);
    free(man);
    buf_clear(&help);
    buf_clear(&page);
}

static void every_word_of_help_is_in_the_manual(void **state) {
    (void)state;
    struct buf help = {0};
    for (int i = 0; i < SHELLS; i++) {
        char *line = mem_printf("completion %s", shells[i]);
        assert_int_equal(program_text(line, &scripts[i]), 0);
        free(line);
    }
    assert_int_equal(program_text("help", &help), 0);
    each_row(help.text, "  simulate", command_is_known, NULL);
    assert_true(n_commands >= COMMANDS_LEAST && n_options > 5 * COMMANDS_LEAST);
    for (int i = 0; i < SHELLS; i++)
        buf_clear(&scripts[i]);
    buf_clear(&help);
}

/* What bash offers for a line whose last word is being typed, sorted, one a line. */
static void completes(const char *words, const char *expected) {
    struct buf out = {0};
    char *command = mem_printf("PATH=%.*s:$PATH bash -c '. <(moesim completion bash); COMP_WORDS=(%s); "
                               "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _moesim; printf \"%%s\\n\" "
                               "\"${COMPREPLY[@]}\" | sort | tr \"\\n\" \" \"' 2>&1",
                               (int)(strrchr(MOESIM_BINARY, '/') - MOESIM_BINARY), MOESIM_BINARY, words);
    assert_int_equal(program_shell(command, &out), 0);
    if (strcmp(out.text, expected) != 0)
        fail_msg("%s\n'%s' found, expected '%s'", words, out.text, expected);
    buf_clear(&out);
    free(command);
}

static void bash_completes(void **state) {
    (void)state;
    completes("moesim si", "simulate ");
    completes("moesim help comp", "compare ");
    completes("moesim simulate --pl", "--platform ");
    completes("moesim simulate --platform terrace-a-", "terrace-a-boundary terrace-a-boundary-12 ");
    completes("moesim simulate --platform = terrace-a-", "terrace-a-boundary terrace-a-boundary-12 ");
    completes("moesim simulate --schedule x", "xor ");
    completes("moesim compare --strategy two-hop-", "two-hop-inside-first two-hop-pipelined ");
    completes("moesim simulate --set platform.slow.bandw", "platform.slow.bandwidth= ");
    completes("moesim platform x", "xml ");
    completes("moesim platform show terrace-a-", "terrace-a-boundary terrace-a-boundary-12 ");
    completes("moesim sweep --jo", "--jobs ");
    completes("moesim completion z", "zsh ");
}

static void pages_hold_no_stray_requests(void **state) {
    (void)state;
    static const char *const requests[] = {".TH ", ".SH ", ".TP", ".B ", ".BR ", ".I ", ".nf", ".fi", ".\\\" "};
    const size_t n_requests = sizeof requests / sizeof *requests;
    struct buf page = {0};
    assert_int_equal(program_text("man simulate", &page), 0);
    for (char *rest = page.text, *line; (line = strtok_r(rest, "\n", &rest));) {
        size_t k = 0;
        assert_true(*line != '\'');
        while (k < n_requests && strncmp(line, requests[k], strlen(requests[k])))
            k++;
        if (*line == '.' && k == n_requests)
            fail_msg("%s", line);
    }
    buf_clear(&page);
    assert_int_equal(program_text("man nonsense", NULL), 2);
    assert_int_equal(program_text("man simulate compare", NULL), 2);
    assert_int_equal(program_text("completion", NULL), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_of_help_is_in_the_manual),
        cmocka_unit_test(bash_completes),
        cmocka_unit_test(pages_hold_no_stray_requests),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_drop);
}
