/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/sanity.h"

#include "platforms/base/unit.h"

/* Rates above those of any machine of 2026, per rank and direction. Typical slips are 400 Gb/s written as 400GBps, and
 * both directions of a fabric added up. */
static const struct {
    enum plat_class tier;
    double above_Bps;
    const char *hint;
} bands[] = {{CLASS_SLOW, 200e9, "400 Gb/s is 50 GB/s; a unit of bits is written Gbps"},
             {CLASS_FAST, 2e12, "state one direction, per rank"}};

void plat_sanity(const struct platform *p, struct buf *warnings) {
    for (int t = p->n_tiers - 1; t >= 0; t--) {
        size_t i = p->tier[t].counts_as == CLASS_FAST;
        double rate_Bps = p->tier[t].bandwidth_Bps.value;
        char found[UNIT_TEXT], usual[UNIT_TEXT];
        if (rate_Bps > bands[i].above_Bps)
            buf_printf(warnings, "%s.bandwidth %s is above %s a rank; %s\n", p->tier[t].name,
                       unit_format(rate_Bps, UNIT_RATE, found),
                       unit_format(bands[i].above_Bps, UNIT_RATE, usual), bands[i].hint);
    }
}
