/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/scripts/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "unit/fields/fields.h"
#include "unit/model.h"
#include "unit/script.h"

#define TRFCR_E0TRE UINT64_C(1)
#define TRFCR_E1TRE UINT64_C(2) /* and E2TRE of TRFCR_EL2 */

enum pe_register { TRFCR_EL1, TRFCR_EL2, OTHERS };
static const char *const pe_names[CAIRN_SCRIPT_PE_REGISTERS] = {
    "TRFCR_EL1",  "TRFCR_EL2",    "ID_AA64DFR0_EL1", "TRBLIMITR_EL1",
    "TRBPTR_EL1", "TRBBASER_EL1", "TRBSR_EL1",       "TRBIDR_EL1",
};

/* A line that is being run. */
struct run {
    struct cairn_script_machine *machine;
    const char *name; /* of the script */
    const struct cairn_script_access *access;
    struct cairn_error *error;
};

static cairn_status fail(const struct run *run, const char *why)
{
    const struct cairn_script_access *access = run->access;

    return cairn_fail(run->error, CAIRN_E_CONFIG, "%s:%u: %s%s%s: %s", run->name, access->line,
                      access->name, access->field[0] ? "." : "", access->field, why);
}

/* --- the PE's --- */

static struct cairn_script_pe *find_pe(struct cairn_script_machine *machine, const char *name)
{
    for (unsigned i = 0; i < CAIRN_SCRIPT_PE_REGISTERS; i++)
        if (strcasecmp(pe_names[i], name) == 0)
            return &machine->pe[i];
    return NULL;
}

static bool is_TRFCR(const struct cairn_script_machine *machine, const struct cairn_script_pe *pe)
{
    return pe - machine->pe < OTHERS;
}

static bool is_prohibited(const struct cairn_script_machine *machine, unsigned EL)
{
    const struct cairn_script_pe *of_EL1 = &machine->pe[TRFCR_EL1];
    const struct cairn_script_pe *of_EL2 = &machine->pe[TRFCR_EL2];

    switch (EL) {
    case 0: return of_EL1->written && !(of_EL1->effective & TRFCR_E0TRE);
    case 1: return of_EL1->written && !(of_EL1->effective & TRFCR_E1TRE);
    case 2: return of_EL2->written && !(of_EL2->effective & TRFCR_E1TRE);
    default: return false;
    }
}

void cairn_script_level(struct cairn_script_machine *machine, unsigned EL)
{
    for (unsigned i = 0; i < CAIRN_SCRIPT_PE_REGISTERS; i++)
        machine->pe[i].effective = machine->pe[i].value;
    cairn_unit_prohibit(machine->unit, is_prohibited(machine, EL));
}

/* What the PE does is where the script is executed. */
static void synchronize(struct cairn_script_machine *machine)
{
    cairn_unit_synchronize_context(machine->unit);
    for (unsigned i = 0; i < CAIRN_SCRIPT_PE_REGISTERS; i++)
        machine->pe[i].effective = machine->pe[i].value;
    if (machine->pe[TRFCR_EL1].written || machine->pe[TRFCR_EL2].written)
        cairn_unit_prohibit(machine->unit, is_prohibited(machine, machine->script_EL));
}

static cairn_status access_pe(const struct run *run, struct cairn_script_pe *pe)
{
    const struct cairn_script_access *access = run->access;

    if (!access->by_instruction)
        return fail(run, "it is a register of the PE: only msr and mrs reach it");
    if (access->kind == CAIRN_SCRIPT_WRITE) {
        pe->written = true;
        pe->value = access->value;
        return CAIRN_OK;
    }
    if (access->has_value && is_TRFCR(run->machine, pe) && pe->written &&
        pe->value != access->value)
        return fail(run, "it has another value");
    return CAIRN_OK;
}

/* --- the unit's --- */

struct target {
    uint32_t offset;
    uint32_t sysreg;
    uint32_t bytes;
};

/* By name, by offset, or one of the two of the PE's OS Lock. */
static bool find_target(const struct run *run, struct target *target)
{
    struct cairn_unit_register_info info = {.size = sizeof info};
    const struct cairn_script_access *access = run->access;
    uint64_t offset;

    if (strcasecmp(access->name, "OSLAR_EL1") == 0 || strcasecmp(access->name, "OSLSR_EL1") == 0) {
        *target =
            (struct target){.sysreg = (access->name[3] | 0x20) == 'a' ? CAIRN_SYSREG_OSLAR_EL1
                                                                      : CAIRN_SYSREG_OSLSR_EL1};
        return access->by_instruction;
    }
    if (cairn_script_number(access->name, &offset) && offset < 0x1000) {
        for (size_t i = 0; cairn_unit_register_info(run->machine->unit, i, &info) == CAIRN_OK; i++)
            if (info.offset == offset) {
                *target = (struct target){info.offset, info.sysreg, info.bits / 8};
                return true;
            }
        *target = (struct target){.offset = (uint32_t)offset, .bytes = 4};
        return true;
    }
    if (cairn_unit_register_find(run->machine->unit, access->name, &info) != CAIRN_OK)
        return false;
    *target = (struct target){info.offset, info.sysreg, info.bits / 8};
    return true;
}

static const char *answer_text(enum cairn_answer answer)
{
    switch (answer) {
    case CAIRN_ANSWER_OK: break;
    case CAIRN_ANSWER_RES0: return "RES0";
    case CAIRN_ANSWER_IGNORED: return "ignored";
    case CAIRN_ANSWER_UNKNOWN: return "UNKNOWN";
    case CAIRN_ANSWER_ERROR: return "error";
    case CAIRN_ANSWER_UNDEFINED: return "UNDEFINED";
    }
    return "";
}

static cairn_status judge(const struct run *run, enum cairn_answer answer,
                          const struct cairn_error *why)
{
    char text[CAIRN_ERROR_TEXT];

    if (answer == CAIRN_ANSWER_OK)
        return CAIRN_OK;
    snprintf(text, sizeof text, "%s: %.*s", answer_text(answer), CAIRN_ERROR_TEXT - 64, why->text);
    return fail(run, text);
}

static cairn_status write_unit(const struct run *run, const struct target *target)
{
    struct cairn_script_machine *machine = run->machine;
    const uint64_t value = run->access->value;
    struct cairn_error why = {.text = ""};
    const enum cairn_answer answer =
        run->access->by_instruction
            ? cairn_unit_msr(machine->unit, target->sysreg, machine->script_EL, value, &why)
            : cairn_unit_store(machine->unit, target->offset, target->bytes, machine->external,
                               value, &why);

    machine->accesses++;
    return judge(run, answer, &why);
}

static cairn_status read_unit(const struct run *run, const struct target *target, uint64_t *value)
{
    struct cairn_script_machine *machine = run->machine;
    struct cairn_error why = {.text = ""};
    const enum cairn_answer answer =
        run->access->by_instruction
            ? cairn_unit_mrs(machine->unit, target->sysreg, machine->script_EL, value, &why)
            : cairn_unit_load(machine->unit, target->offset, target->bytes, machine->external,
                              value, &why);

    machine->accesses++;
    return judge(run, answer, &why);
}

static cairn_status expect(const struct run *run, uint64_t value)
{
    char text[96];

    if (!run->access->has_value || value == run->access->value)
        return CAIRN_OK;
    snprintf(text, sizeof text, "0x%" PRIx64 " is read, not 0x%" PRIx64, value, run->access->value);
    return fail(run, text);
}

static cairn_status wait_for(const struct run *run, const struct target *target)
{
    const unsigned of = cairn_of_protocol(run->machine->unit->model->protocol);
    const struct cairn_script_access *access = run->access;
    const struct cairn_register_field *field = NULL;
    char text[96];
    uint64_t value = 0;

    if (access->field[0]) {
        field =
            cairn_register_field_of(of, cairn_register_place_of(of, access->name), access->field);
        if (!field)
            return fail(run, "the register has no such field");
    }
    for (unsigned i = 0; i < run->machine->polls; i++) {
        cairn_status status;

        if (access->by_instruction)
            synchronize(run->machine);
        status = read_unit(run, target, &value);
        if (status != CAIRN_OK)
            return status;
        if (field)
            value = cairn_field_value(field, value);
        if (value == access->value)
            return CAIRN_OK;
    }
    snprintf(text, sizeof text, "it was read %u times, and is 0x%" PRIx64 ", not 0x%" PRIx64,
             run->machine->polls, value, access->value);
    return fail(run, text);
}

static cairn_status access_unit(const struct run *run)
{
    struct target target;
    uint64_t value = 0;
    cairn_status status;

    if (!find_target(run, &target))
        return fail(run, "this trace unit has no such register");
    if (run->access->by_instruction && target.sysreg == 0)
        return fail(run, "UNDEFINED: no instruction reaches it");
    switch (run->access->kind) {
    case CAIRN_SCRIPT_WRITE: return write_unit(run, &target);
    case CAIRN_SCRIPT_WAIT: return wait_for(run, &target);
    default: break;
    }
    status = read_unit(run, &target, &value);
    return status == CAIRN_OK ? expect(run, value) : status;
}

static cairn_status run_access(const struct run *run)
{
    struct cairn_script_pe *pe;

    switch (run->access->kind) {
    case CAIRN_SCRIPT_ISB: synchronize(run->machine); return CAIRN_OK;
    case CAIRN_SCRIPT_TSB: (void)cairn_unit_tsb(run->machine->unit); return CAIRN_OK;
    case CAIRN_SCRIPT_DSB: return CAIRN_OK;
    case CAIRN_SCRIPT_WRITE:
    case CAIRN_SCRIPT_READ:
    case CAIRN_SCRIPT_WAIT:
    default: break; /* those of a PE are not read here */
    }
    pe = find_pe(run->machine, run->access->name);
    return pe ? access_pe(run, pe) : access_unit(run);
}

cairn_status cairn_script_run(struct cairn_script_machine *machine, const char *name,
                              const char *text, size_t size, struct cairn_error *error)
{
    struct cairn_script_access access;
    struct cairn_script script;
    const struct run run = {machine, name, &access, error};
    cairn_status status;

    cairn_script_begin(&script, name, text, size);
    while ((status = cairn_script_next(&script, &access, error)) == CAIRN_OK) {
        status = run_access(&run);
        if (status != CAIRN_OK)
            return status;
    }
    return status == CAIRN_E_NOT_FOUND ? CAIRN_OK : status;
}
