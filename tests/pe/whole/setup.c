/* SPDX-License-Identifier: BSD-2-Clause */
/* The PE programmed as the settings have it, by a register script. */
#include "runner.h"

#include <stdarg.h>
#include <stdio.h>

struct whole_script {
    const struct whole_settings *settings;
    char text[4096];
    size_t length;
};

static void say(struct whole_script *s, const char *format, ...)
{
    va_list list;
    int length;

    va_start(list, format);
    length = vsnprintf(s->text + s->length, sizeof s->text - s->length, format, list);
    va_end(list);
    s->length += (size_t)length;
}

static void program_EL3(struct whole_script *script)
{
    const struct whole_settings *s = script->settings;
    const uint64_t MDCR = (uint64_t)s->E3BRE << 37 | (uint64_t)s->SBRBE << 32 |
                          (s->secure ? 1u : 3u) << 24 | 1u << 18 | 1u << 17;

    say(script, "msr SCR_EL3, 0x%x\n", s->secure ? 0x400u : 0x401u);
    say(script, "msr MDCR_EL3, 0x%llx\n", (unsigned long long)MDCR);
}

/* BRBCR_EL1 or BRBCR_EL2, but for the two bits that let levels record. */
static unsigned BRBCR(const struct whole_settings *s, unsigned level)
{
    return (unsigned)s->EXCEPTION[level] << 23 | (unsigned)s->ERTN[level] << 22 |
           (unsigned)s->FZP[level] << 8 | (s->physical ? 3u : 1u) << 5 |
           (unsigned)s->MPRED[level] << 4 | (unsigned)s->CC[level] << 3;
}

static void program_EL2(struct whole_script *script)
{
    const struct whole_settings *s = script->settings;

    say(script, "msr HCR_EL2, 0x%llx\n",
        s->TGE ? 1ull << 34 | 1ull << 31 | 1ull << 27 : 1ull << 31);
    say(script, "msr MDCR_EL2, 0x%x\n", (s->owner_is_EL1 ? 3u : 0u) << 24 | 1u << 7 | s->HPMN);
    say(script, "msr TRFCR_EL2, 0x%x\n", whole_bit(s->traced, 2) << 1 | whole_bit(s->traced, 0));
    say(script, "msr BRBCR_EL2, 0x%x\n",
        BRBCR(s, 2) | whole_bit(s->recorded, 2) << 1 | whole_bit(s->recorded, 0));
    say(script, "msr CNTVOFF_EL2, %u\n", s->offset);
}

/* Where EL0 is EL2's, EL1's controls of it say the opposite, and do not count. */
static void program_EL1(struct whole_script *script)
{
    const struct whole_settings *s = script->settings;
    const unsigned other = s->TGE;

    say(script, "msr TRFCR_EL1, 0x%x\n",
        whole_bit(s->traced, 1) << 1 | (whole_bit(s->traced, 0) ^ other));
    say(script, "msr BRBCR_EL1, 0x%x\n",
        BRBCR(s, 1) | whole_bit(s->recorded, 1) << 1 | (whole_bit(s->recorded, 0) ^ other));
    say(script, "msr BRBFCR_EL1, 0x%x\n", s->filters << 16);
}

bool whole_setup(struct whole_runner *r, struct cairn_error *error)
{
    /* INST_RETIRED, BR_RETIRED, EXC_TAKEN, BRB_FILTRATE twice, BR_MIS_PRED_RETIRED */
    static const unsigned events[] = {0x08, 0x21, 0x09, 0x811f, 0x811f, 0x22};
    const struct whole_settings *s = r->settings;
    static struct whole_script script;

    script.settings = s;
    script.length = 0;
    program_EL3(&script);
    say(&script, "isb\n%s", s->at_their_levels ? "enter EL2n\n" : "");
    program_EL2(&script);
    say(&script, "isb\n%s", s->at_their_levels ? "enter EL1n\n" : "");
    program_EL1(&script);
    say(&script, "msr TRCCONFIGR, 0x%x\nmsr TRCVICTLR, 0x201\nmsr TRCSYNCPR, %u\n",
        1u | (unsigned)s->return_stack << 12, s->sync_period);
    say(&script, "isb\n%s", s->at_their_levels ? "enter EL3\n" : "");
    if (s->buffered)
        say(&script, "msr TRBBASER_EL1, 0x80000000\nmsr TRBPTR_EL1, 0x80000000\n"
                     "msr TRBLIMITR_EL1, 0x80100001\nisb\n");
    say(&script, "msr TRCPRGCTLR, 1\nsys BRB_IALL\n");
    for (unsigned n = 0; n < sizeof events / sizeof events[0]; n++) /* NSH: at EL2, too */
        say(&script, "msr PMEVTYPER%u_EL0, 0x%x\nmsr PMEVCNTR%u_EL0, 0\n", n, 1u << 27 | events[n],
            n);
    say(&script, "msr PMCNTENSET_EL0, 63\nmsr PMCR_EL0, 1\nisb\n");
    return cairn_pe_script(r->pe, "setup", script.text, script.length, NULL, NULL, error) ==
           CAIRN_OK;
}
