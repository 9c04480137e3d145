/* SPDX-License-Identifier: BSD-2-Clause */
/* What software does to the Branch Record Buffer while a program runs: pauses, filters, invalidation, injection,
 * the records of one process saved and restored, a counter that freezes it, its overflow flag. */
#include "runner.h"

#include <stdio.h>
#include <string.h>

#define PAUSED (UINT64_C(1) << 7)
#define LASTFAILED (UINT64_C(1) << 6)
#define VALID UINT64_C(3)
#define BANK_RECORDS 32u

enum { OVERFLOWS_MOST = 12 };

static void write_register(struct whole_runner *r, const char *name, uint64_t value)
{
    whole_must(r, cairn_pe_msr(r->pe, cairn_pe_encoding(name), value));
}

static uint64_t read_record(struct whole_runner *r, const char *name, unsigned n)
{
    char full[24];
    uint64_t value = 0;

    snprintf(full, sizeof full, "%s%u_EL1", name, n % BANK_RECORDS);
    whole_must(r, cairn_pe_mrs(r->pe, cairn_pe_encoding(full), &value));
    return value;
}

static void isb(struct whole_runner *r)
{
    cairn_pe_barrier(r->pe, CAIRN_PE_BARRIER_ISB);
    whole_note(r, WHOLE_SYNC);
}

static void write_control(struct whole_runner *r, bool last_failed, unsigned bank)
{
    struct whole_event *event;

    write_register(r, "BRBFCR_EL1",
                   (uint64_t)bank << 28 | (uint64_t)r->filters << 16 | (r->pauses ? PAUSED : 0) |
                       (last_failed ? LASTFAILED : 0));
    event = whole_note(r, WHOLE_CONTROL);
    event->pauses = r->pauses;
    event->filters = (uint8_t)r->filters;
    event->last_failed = last_failed;
    isb(r);
}

void whole_invalidate(struct whole_runner *r)
{
    whole_must(r, cairn_pe_sys(r->pe, CAIRN_PE_BRB_IALL, 0));
    whole_note(r, WHOLE_IALL);
}

static void inject(struct whole_runner *r, const struct cairn_branch_registers *record)
{
    write_register(r, "BRBINFINJ_EL1", record->BRBINF);
    write_register(r, "BRBSRCINJ_EL1", record->BRBSRC);
    write_register(r, "BRBTGTINJ_EL1", record->BRBTGT);
    whole_must(r, cairn_pe_sys(r->pe, CAIRN_PE_BRB_INJ, 0));
}

static void inject_any(struct whole_runner *r)
{
    static const uint8_t types[] = {CAIRN_BRANCH_DIRECT, CAIRN_BRANCH_RETURN, CAIRN_BRANCH_IRQ,
                                    CAIRN_BRANCH_CALL, CAIRN_BRANCH_EXCEPTION_RETURN};
    struct cairn_branch_registers record;
    struct cairn_branch branch = {.size = sizeof branch,
                                  .type = types[whole_below(&r->state, 5)],
                                  .flags = 1 + whole_below(&r->state, 3)};

    if (branch.flags & CAIRN_BRANCH_SOURCE)
        branch.source = whole_draw(&r->state);
    if (branch.flags & CAIRN_BRANCH_TARGET) {
        branch.target = whole_draw(&r->state);
        branch.EL = (uint8_t)whole_below(&r->state, 4);
    }
    branch.flags |= whole_below(&r->state, 2) ? CAIRN_BRANCH_LAST_FAILED : 0;
    branch.cycles = whole_below(&r->state, 512); /* exact */
    if (cairn_branch_encode(&branch, &record) != CAIRN_OK)
        snprintf(r->run->error, sizeof r->run->error, "a record cannot be encoded");
    inject(r, &record);
    whole_note(r, WHOLE_INJECT)->record = branch;
}

/* Another process runs: its records are not this one's. */
static void save(struct whole_runner *r)
{
    unsigned n = 0;

    r->pauses = true;
    for (; n < r->settings->records; n++) {
        struct cairn_branch_registers *record = &r->process.records[n];

        if (n % BANK_RECORDS == 0)
            write_control(r, false, n / BANK_RECORDS);
        record->BRBINF = read_record(r, "BRBINF", n);
        record->BRBSRC = read_record(r, "BRBSRC", n);
        record->BRBTGT = read_record(r, "BRBTGT", n);
        if (!(record->BRBINF & VALID))
            break;
    }
    r->process.count = n;
    r->process.there = true;
    whole_note(r, WHOLE_SAVE);
    whole_invalidate(r);
    r->pauses = false;
    write_control(r, false, 0);
}

static void restore(struct whole_runner *r)
{
    isb(r);
    whole_invalidate(r);
    for (unsigned n = r->process.count; n-- > 0;)
        inject(r, &r->process.records[n]);
    r->process.there = false;
    whole_note(r, WHOLE_RESTORE);
    isb(r);
}

/* Counters of EL2 are not EL1's to write. */
static bool has_counter(const struct whole_runner *r)
{
    return r->level > 1 || r->settings->HPMN > 4;
}

static void set_counter(struct whole_runner *r)
{
    const uint32_t count = 1 + whole_below(&r->state, OVERFLOWS_MOST);

    write_register(r, "PMEVCNTR4_EL0", (UINT64_C(1) << 32) - count);
    write_register(r, "PMOVSCLR_EL0", WHOLE_FREEZER);
    whole_note(r, WHOLE_COUNTER)->count = count;
}

static void set_flag(struct whole_runner *r)
{
    const bool flag = whole_percent(&r->state, 50);

    write_register(r, flag ? "PMOVSSET_EL0" : "PMOVSCLR_EL0", WHOLE_FREEZER);
    whole_note(r, WHOLE_FLAG)->flag = flag;
}

bool whole_controls(const struct whole_runner *r)
{
    return r->level == 3 || (r->level > 0 && r->settings->SBRBE == 3);
}

static void control_once(struct whole_runner *r)
{
    switch (whole_below(&r->state, 11)) {
    case 0:
    case 1:
        r->pauses = !r->pauses;
        write_control(r, whole_percent(&r->state, 20), 0);
        break;
    case 2:
        r->filters = whole_below(&r->state, 128);
        write_control(r, whole_percent(&r->state, 20), 0);
        break;
    case 3:
        isb(r);
        whole_invalidate(r);
        break;
    case 4: whole_invalidate(r); break;
    case 5:
        inject_any(r);
        if (whole_percent(&r->state, 30)) /* with no event in between */
            whole_invalidate(r);
        break;
    case 6:
    case 7:
        if (r->process.there)
            restore(r);
        else
            save(r);
        break;
    case 8:
    case 9:
        if (has_counter(r))
            set_counter(r);
        break;
    default:
        if (has_counter(r))
            set_flag(r);
        break;
    }
}

/* Several things, at times, without anything executed in between. */
void whole_control(struct whole_runner *r)
{
    do
        control_once(r);
    while (whole_percent(&r->state, 40));
}
