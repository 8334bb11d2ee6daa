/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/report/json_parts.h"

void json_messages(struct json *j, const struct platform *p, const struct result_messages *m) {
    if (!m->items)
        return;
    json_key_open(j, "messages", '{');
    json_key_open(j, "largest", '[');
    for (size_t i = 0; i < m->n; i++) {
        const struct result_message *x = &m->items[i];
        json_open(j, '{');
        json_key_text(j, "stage", x->stage);
        json_key_int(j, "from", x->src);
        json_key_int(j, "to", x->dst);
        json_key_text(j, "tier", p->tier[x->tier].name);
        json_key_number(j, "bytes", x->bytes);
        claim_json_key(j, "start_s", x->start);
        claim_json_key(j, "end_s", x->end);
        json_close(j);
    }
    json_close(j);
    json_key_number(j, "left_out", m->left);
    json_key_number(j, "left_out_bytes", m->left_bytes);
    json_close(j);
}
