/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/report/page_calls.h"
#include "sim/report/page_detail.h"
#include "sim/report/page_plots.h"
#include "sim/report/svg.h"

/* Two columns when there is room, one on a phone and in print; colours of Okabe and Ito, told apart by all. */
static const char style[] =
    ":root{--bg:#fff;--fg:#1a1a1a;--dim:#666;--grid:#ddd;--win:#0072b2;--lose:#d55e00;--card:#f6f6f4}\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#161618;--fg:#e8e8e6;--dim:#a5a5a5;--grid:#3a3a3c;"
    "--win:#56b4e9;--lose:#e69f00;--card:#1f1f22}}\n"
    "@media print{:root{--bg:#fff;--fg:#000;--dim:#444;--grid:#ccc;--win:#0072b2;--lose:#d55e00;"
    "--card:#fff}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:1rem;max-width:84rem;background:var(--bg);color:var(--fg);"
    "font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}\n"
    "h1{font-size:1.5rem;margin:.2em 0}h2{font-size:1.15rem;margin:.2em 0}h3{font-size:1rem;margin:.8em 0 0}\n"
    "main{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,34rem),1fr));"
    "align-items:start}\n"
    "section{background:var(--card);border-radius:.5rem;padding:1rem;min-width:0}\n"
    ".verdict{font-size:1.15rem;border-left:.3rem solid var(--win);padding-left:.8rem}\n"
    "svg.plot{width:100%;max-width:40rem;height:auto;display:block;margin:.3rem auto}\n"
    "svg text{font:12px system-ui,sans-serif;fill:var(--fg)}.middle{text-anchor:middle}.end{text-anchor:end}\n"
    ".grid{stroke:var(--grid);fill:none}.line{fill:none;stroke-width:2}.band{opacity:.2;stroke:none}\n"
    ".mark{stroke:var(--dim);stroke-width:1}.band.mark{fill:var(--dim);stroke:none}.line.mark{fill:none}\n"
    ".border{stroke:var(--fg);stroke-width:2;fill:none}.win{fill:var(--win)}.lose{fill:var(--lose)}\n"
    ".whole{fill:var(--dim)}.heat{fill:var(--win)}rect.none{fill:var(--grid);fill-opacity:.35}\n"
    ".c0{--c:#0072b2}.c1{--c:#d55e00}.c2{--c:#009e73}.c3{--c:#cc79a7}.c4{--c:#b58900}.c5{--c:#56b4e9}"
    ".c6{--c:#7a5195}.c7{--c:#888}\n"
    ".line[class*=' c']{stroke:var(--c)}.dot,.band[class*=' c']{fill:var(--c)}\n"
    ".legend span{display:inline-block;margin-right:1em}.legend i{display:inline-block;width:.8em;height:.8em;"
    "background:var(--c);margin-right:.3em}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}"
    "td,th{text-align:left;padding:.15em .6em;border-bottom:1px solid var(--grid);overflow-wrap:normal}\n"
    "summary h2{display:inline}a{color:var(--win)}code{font-size:.85rem}\n"
    // on paper: one column, plots and their headings in one piece, wide tables broken instead of cut
    "@media print{main{display:block}section{padding:.6rem 0}body{font-size:13px;padding:0}svg.plot{max-width:27rem;"
    "break-inside:avoid;break-after:avoid}h2,h3,h2+p{break-after:avoid}p,tr,.legend{break-inside:avoid}"
    ".wide{overflow:visible}td:last-child{overflow-wrap:anywhere}details:not(.fold),a[download]{display:none}}";

/* --- verdict --------------------------------------------------------------------------------------- */

struct count {
    size_t known, wins;
    double low, high;
};

static void add(struct count *c, struct page_number gain) {
    if (!gain.known)
        return;
    c->low = c->known ? fmin(c->low, gain.value) : gain.value;
    c->high = c->known ? fmax(c->high, gain.value) : gain.value;
    c->known++;
    c->wins += gain.value > 1;
}

static void say(struct buf *out, const char *of, const char *on, const struct count *c, size_t points) {
    svg_escape(out, of);
    if (c->known == 1 && points == 1)
        buf_printf(out, " %s one hop on %s (gain %.3f)", c->wins ? "beats" : "does not beat", on, c->low);
    else
        buf_printf(out, " beats one hop at %zu of %zu points on %s (gain %.3f to %.3f)", c->wins, c->known, on,
                   c->low, c->high);
}

/* Far above the bound it may be the order of messages that decides, not the strategy. */
static const double far_above = 1.15;

static void write_slack(const struct page *page, struct buf *out) {
    size_t calls = 0, far = 0;
    const struct page_call *worst = NULL;
    for (size_t i = 0; i < page->n; i++)
        for (int k = 0; k < page->points[i].n_calls; k++) {
            const struct page_call *c = &page->points[i].calls[k];
            calls += c->slack.known;
            far += c->slack.known && c->slack.value > far_above;
            if (c->slack.known && (!worst || c->slack.value > worst->slack.value))
                worst = c;
        }
    if (!far)
        return;
    buf_printf(out, "<p>%zu of %zu calls take over %g times the lower bound of their wire time, at most %.2f times (",
               far, calls, far_above, worst->slack.value);
    svg_escape(out, page->names.items[worst->name]);
    buf_text(out, "): order and window of messages weigh in these gains; try others.</p>\n");
}

static void write_verdict(const struct page *page, struct buf *out) {
    struct count time = {0}, wire = {0}, closed = {0};
    for (size_t i = 0; i < page->n; i++) {
        add(&time, page->points[i].gain);
        add(&wire, page->points[i].wire_gain);
        add(&closed, page->points[i].analytic_gain);
    }
    const char *of = page_text(page->first, "gain of");
    if (!*of)
        of = "the strategy";
    size_t n = page->n - page->failed;
    buf_text(out, "<p class=\"verdict\">");
    if (n == 0) {
        buf_text(out, "No point has a result.</p>\n");
        return;
    }
    if (time.known)
        say(out, of, "call time", &time, n);
    else if (wire.known)
        say(out, of, "wire time", &wire, n);
    else if (closed.known)
        say(out, of, "the closed form's time", &closed, n);
    else if (strcmp(page_text(page->first, "engine name"), "bound") == 0)
        buf_text(out, "Lower bounds only: nothing was simulated, and no gain is stated");
    else
        buf_text(out, "No gain can be stated: one strategy only, or nothing known");
    if (time.known && time.known < n)
        buf_printf(out, "; the call time is withheld at %zu points", n - time.known);
    else if (!time.known && (wire.known || closed.known))
        buf_text(out, wire.known ? "; call times are withheld" : "; nothing was simulated");
    svg_wrap(out,
             time.known && !page->conditional
                 ? ". Open: the call times lie in the scope of a passed test gate; weakest constant: "
                 : ". Conditional: it holds if the constants hold; weakest: ",
             page_text(page->first, "weakest constant"), "");
    svg_wrap(out, " (", page_text(page->first, "weakest status"), ").</p>\n");
    write_slack(page, out);
}

/* --- sections that are folded away ------------------------------------------------------------------ */

static void begin_fold(struct buf *out, const char *id, const char *title) {
    buf_printf(out, "<section id=\"%s\"><details class=\"fold\"><summary><h2>%s</h2></summary>\n", id, title);
}

static void end_fold(struct buf *out) {
    buf_text(out, "</details></section>\n");
}

/* --- what is withdrawn ----------------------------------------------------------------------------- */

static void page_write_withdrawn(const struct page *page, struct buf *out) {
    begin_fold(out, "withdrawn", "What is withheld, and why");
    buf_text(out, "<ul>\n");
    for (size_t i = 0; i < page->withdrawn.n && i < 20; i++) {
        const char *text = page->withdrawn.items[i], *bar = strchr(text, '|');
        char *key = mem_printf("%.*s", (int)(bar - text), text);
        svg_wrap(out, "<li><code>", key, "</code>");
        free(key);
        buf_printf(out, " (%d times): ", page->withdrawn.counts[i]);
        svg_wrap(out, "", bar + 1, "</li>\n");
    }
    if (page->withdrawn.n == 0)
        buf_text(out, "<li>No number that was asked for is withheld.</li>\n");
    if (page->withdrawn.n > 20)
        buf_printf(out, "<li>and %zu further reasons</li>\n", page->withdrawn.n - 20);
    buf_text(out, "<li>Step times and training throughput: never stated by this program.</li>\n</ul>\n");
    if (page->failed) {
        buf_printf(out, "<p>%zu points have no result:</p>\n<ul>\n", page->failed);
        for (size_t i = 0; i < page->errors.n && i < 10; i++) {
            buf_printf(out, "<li>%d times: ", page->errors.counts[i]);
            svg_escape(out, page->errors.items[i]);
            buf_text(out, "</li>\n");
        }
        buf_text(out, "</ul>\n");
    }
    if (page->truncated)
        buf_text(out, "<p>The last line of the file was cut off and is left out.</p>\n");
    end_fold(out);
}

/* --- gates ----------------------------------------------------------------------------------------- */

static void cells(struct buf *out, const char *const *texts, size_t n, const char *element) {
    buf_text(out, "<tr>");
    for (size_t i = 0; i < n; i++) {
        buf_printf(out, "<%s>", element);
        svg_escape(out, texts[i]);
        buf_printf(out, "</%s>", element);
    }
    buf_text(out, "</tr>\n");
}

static void write_gates(const struct page *page, struct buf *out) {
    const json_t *record = page_get(page->detail, "gates") ? page->detail : page->first;
    static const char *const gate_head[] = {"gate", "kind", "passed"};
    static const char *const capability_head[] = {"capability", "state", "reason"};
    begin_fold(out, "gates", "Gates");
    buf_text(out, "<div class=\"wide\"><table>\n");
    cells(out, gate_head, 3, "th");
    const json_t *gates = page_get(record, "gates");
    for (size_t i = 0; i < json_array_size(gates); i++) {
        const json_t *gate = json_array_get(gates, i);
        const char *const texts[] = {page_text(gate, "id"), page_text(gate, "kind"),
                                     json_is_true(page_get(gate, "passed")) ? "yes" : "no"};
        cells(out, texts, 3, "td");
    }
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)(gates ? NULL : page_get(record, "gates_passed")), key, value) {
        const char *const texts[] = {key, "", json_is_true(value) ? "yes" : "no"};
        cells(out, texts, 3, "td");
    }
    buf_text(out, "</table>\n<table>\n");
    cells(out, capability_head, 3, "th");
    const json_t *capabilities = page_get(record, "capabilities");
    for (size_t i = 0; i < json_array_size(capabilities); i++) {
        const json_t *c = json_array_get(capabilities, i);
        const char *const texts[] = {page_text(c, "id"), page_text(c, "state"), page_text(c, "reason")};
        cells(out, texts, 3, "td");
    }
    json_object_foreach((json_t *)(uintptr_t)(capabilities ? NULL : page_get(record, "capability_states")), key,
                        value) {
        const char *const texts[] = {key, page_text(value, ""), ""};
        cells(out, texts, 3, "td");
    }
    buf_text(out, "</table></div>\n");
    end_fold(out);
}

/* --- provenance ------------------------------------------------------------------------------------ */

static void page_write_provenance(const struct page *page, struct buf *out) {
    const json_t *p = page_get(page->first, "provenance");
    begin_fold(out, "provenance", "Provenance");
    buf_text(out, "<p>");
    svg_escape(out, page->source);
    buf_printf(out, ": %zu records. moesim", page->n);
    svg_wrap(out, " ", page_text(p, "version"), "");
    svg_wrap(out, " (", page_text(p, "git"), ")");
    svg_wrap(out, ", SimGrid ", page_text(p, "simgrid_version"), ". The first point again:</p>\n<p><code>moesim");
    const json_t *arguments = page_get(p, "arguments");
    for (size_t i = 0; i < json_array_size(arguments); i++) {
        buf_text(out, " ");
        const char *word = json_string_value(json_array_get(arguments, i));
        svg_escape(out, word ? word : "");
    }
    buf_text(out, "</code></p>\n<div class=\"wide\"><table>\n");
    static const char *const head[] = {"input", "file", "sha256"};
    cells(out, head, 3, "th");
    const json_t *inputs = page_get(p, "inputs");
    for (size_t i = 0; i < json_array_size(inputs); i++) {
        const json_t *input = json_array_get(inputs, i);
        const char *const texts[] = {page_text(input, "role"), page_text(input, "file"), page_text(input, "sha256")};
        cells(out, texts, 3, "td");
    }
    buf_text(out, "</table></div>\n");
    end_fold(out);
}

void page_write(const struct page *page, struct buf *out) {
    const char *sweep = page_text(page->first, "sweep");
    const char *title = *sweep ? sweep : page_text(page->first, "platform name");
    buf_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n<title>moesim: ");
    svg_escape(out, title);
    buf_printf(out, "</title>\n<style>\n%s\n</style>\n</head>\n<body>\n<h1>", style);
    svg_escape(out, title);
    buf_text(out, "</h1>\n");
    write_verdict(page, out);
    buf_text(out, "<main>\n");
    page_calls(page, out);
    page_map(page, out);
    page_curves(page, out);
    page_scatter(page, out);
    page_waterfall(page, out);
    page_ranks(page, out);
    page_links(page, out);
    page_traffic(page, out);
    page_write_withdrawn(page, out);
    write_gates(page, out);
    page_write_provenance(page, out);
    buf_text(out, "</main>\n</body>\n</html>\n");
}

void page_write_result(const struct result *r, const char *name, struct buf *out) {
    struct page page;
    page_of_result(r, name, &page);
    page_write(&page, out);
    page_clear(&page);
}
