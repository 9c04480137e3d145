/* SPDX-License-Identifier: BSD-2-Clause */
#include "expect.h"

#include <inttypes.h>

struct teller {
    FILE *file;
    const struct sw_run *run;
    const struct sw_trace *trace;
};

static const char *what_of(const struct sw_slot *slot)
{
    switch (slot->what) {
    case SW_BL_FIRST: return "first";
    case SW_BL_SECOND: return "second";
    case SW_DIRECT:
    case SW_INDIRECT: return "branch";
    case SW_LOAD: return slot->loads_pc ? "branch" : "other";
    default: return "other";
    }
}

/* Whether an exception's branch behind this entry cancels the instruction. */
static bool is_cancelled(const struct sw_trace *trace, uint32_t at)
{
    for (uint32_t i = at + 1; i < trace->said_count; i++) {
        if (trace->said[i].kind == SW_SAID_CANCELLED)
            return trace->said[i].number == trace->said[at].number;
        if (trace->said[i].kind == SW_SAID_INSTRUCTION || trace->said[i].kind == SW_SAID_ON)
            return false;
    }
    return false;
}

static void tell_instruction(struct teller *t, uint32_t at)
{
    const struct sw_said *said = &t->trace->said[at];
    const struct sw_insn *insn = &t->run->instructions[said->number];
    const bool is_periodic = at + 1 < t->trace->said_count && said[1].kind == SW_SAID_PERIODIC;

    fprintf(t->file, "insn %" PRIx32 " %s %c %s %" PRIu32 "%s%s%s\n", insn->place.address,
            insn->place.is_thumb ? "thumb" : "arm", insn->has_passed ? 'E' : 'N',
            what_of(insn->slot), said->cycles, is_cancelled(t->trace, at) ? " cancelled" : "",
            insn->has_aborted ? " aborted" : "", is_periodic ? " periodic" : "");
}

static void tell_transfer(struct teller *t, const struct sw_said *said)
{
    const struct sw_settings *settings = &t->run->settings;
    const struct sw_item *item = &t->run->items[said->number];
    const bool is_miss = said->kind == SW_SAID_MISS;

    fprintf(t->file, "%s %" PRIx32, is_miss ? "miss" : "data",
            t->run->instructions[item->owner].place.address);
    if (!settings->has_addresses || item->is_register)
        fputs(" -", t->file);
    else
        fprintf(t->file, " %s%" PRIx32, said->value ? "" : "+", item->address);
    if (is_miss)
        fprintf(t->file, " %u %" PRIu32, item->tag, said->number);
    else if (settings->has_values)
        fprintf(t->file, " %" PRIx32, item->value);
    else
        fputs(" -", t->file);
    fputs(t->run->instructions[item->owner].has_aborted ? " aborted\n" : "\n", t->file);
}

static void tell_context(struct teller *t, uint32_t context)
{
    const unsigned bytes = t->run->settings.context_bytes;

    fprintf(t->file, "context %" PRIx32 "\n",
            bytes == 4 ? context : context & ((UINT32_C(1) << (8 * bytes)) - 1));
}

static void tell(struct teller *t, uint32_t at)
{
    static const char *const reasons[] = {"periodic", "trace", "overflow", "debug"};
    const struct sw_said *said = &t->trace->said[at];
    const struct sw_item *item = &t->run->items[said->number < SW_MOST_ITEMS ? said->number : 0];

    if (said->kind == SW_SAID_PERIODIC)
        return;
    fprintf(t->file, "%" PRIu32 " ", said->sample);
    switch (said->kind) {
    case SW_SAID_ON: fprintf(t->file, "on %s\n", reasons[said->value]); break;
    case SW_SAID_INSTRUCTION: tell_instruction(t, at); break;
    case SW_SAID_BRANCH:
    case SW_SAID_CANCELLED:
        fprintf(t->file, "%s %" PRIx32 " %" PRIx32 "\n",
                said->kind == SW_SAID_BRANCH ? "branch" : "exception",
                t->run->instructions[said->number].place.address, said->value);
        break;
    case SW_SAID_TRANSFER:
    case SW_SAID_MISS: tell_transfer(t, said); break;
    case SW_SAID_RETURN:
        fprintf(t->file, "late %" PRIu32 " %u %" PRIx32 "\n", said->number, item->tag, item->value);
        break;
    case SW_SAID_NOT_TRACED:
        fprintf(t->file, "untraced %" PRIx32 "\n", t->run->instructions[item->owner].place.address);
        break;
    case SW_SAID_CONTEXT: tell_context(t, said->value); break;
    case SW_SAID_TRIGGER: fputs("trigger\n", t->file); break;
    case SW_SAID_LOST: fputs("lost\n", t->file); break;
    case SW_SAID_OFF: fputs("off\n", t->file); break;
    case SW_SAID_PERIODIC: break;
    }
}

void sw_expect_write(FILE *file, const struct sw_run *run, const struct sw_trace *trace)
{
    struct teller t = {.file = file, .run = run, .trace = trace};

    for (uint32_t i = 0; i < trace->said_count; i++)
        tell(&t, i);
}
