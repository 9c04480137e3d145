/* SPDX-License-Identifier: BSD-2-Clause */
/* A register script of a PE (unit/script.h), executed: each line at its place, and between them a
 * program that does nothing but branch, for something has to be traced. */
#include "unit/script.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "pe/pe.h"
#include "pe/sysreg.h"
#include "unit/fields/fields.h"

#define POLLS 1000u
#define RUN_MOST (UINT64_C(1) << 24)
#define CODE 0x10000u /* of each level, 64 KiB further */
#define BLOCK 4u      /* instructions */
#define BLOCKS 64u    /* of a level, then it begins again */

struct run {
    struct cairn_pe *pe;
    cairn_pe_told *told;
    void *context;
    struct cairn_error *error;
    struct cairn_script script;
    struct cairn_script_access access;
    uint64_t executed;
};

static cairn_status fail(const struct run *run, const char *what, const char *why)
{
    return cairn_fail(run->error, CAIRN_E_CONFIG, "%s:%u: %s %s", run->script.name,
                      run->access.line, what, why);
}

static cairn_status check(const struct run *run, enum cairn_pe_answer answer)
{
    static const char *const why[] = {NULL,
                                      "is UNDEFINED here",
                                      "is trapped to EL1",
                                      "is trapped to EL2",
                                      "is trapped to EL3",
                                      "fails the transaction"};

    if (answer == CAIRN_PE_ANSWER_OK)
        return CAIRN_OK;
    return fail(run, run->access.name, why[answer]);
}

static void code(const struct cairn_pe *pe, uint64_t number, struct cairn_block *block)
{
    const uint64_t base = CODE * (1 + (uint64_t)pe->state.EL);

    *block = (struct cairn_block){.address = base + 4 * BLOCK * (number % BLOCKS),
                                  .size = 4 * BLOCK,
                                  .count = BLOCK,
                                  .isa = CAIRN_ISA_A64,
                                  .kind = CAIRN_INSN_BRANCH_DIRECT,
                                  .flags = CAIRN_INSN_CONDITIONAL,
                                  .last_size = 4,
                                  .target_isa = CAIRN_ISA_A64,
                                  .target = base};
}

static void execute(struct run *run, uint64_t instructions)
{
    struct cairn_block block;

    for (uint64_t n = 0; n < instructions; n += BLOCK) {
        code(run->pe, run->executed, &block);
        run->executed++;
        cairn_pe_execute(run->pe, &block, run->executed % BLOCKS == 0);
        cairn_pe_cycles(run->pe, BLOCK);
    }
}

/* --- levels --- */

static bool level_of(const char *name, struct cairn_context *context)
{
    static const char letters[] = "snr";
    static const uint8_t states[] = {CAIRN_SECURE, CAIRN_NONSECURE, CAIRN_REALM};
    const char *letter;

    if (strncasecmp(name, "EL", 2) != 0 || name[2] < '0' || name[2] > '3')
        return false;
    context->EL = (uint8_t)(name[2] - '0');
    context->SF = 1;
    context->security = CAIRN_SECURE;
    if (context->EL == 3)
        return name[3] == '\0';
    letter = name[3] ? strchr(letters, name[3] | 0x20) : NULL;
    if (!letter || name[4])
        return false;
    context->security = states[letter - letters];
    return true;
}

static cairn_status enter(struct run *run)
{
    struct cairn_context to = run->pe->context;
    struct cairn_block block;

    if (!level_of(run->access.name, &to))
        return fail(run, run->access.name, "is no level: EL0n, EL1s, EL2r, EL3 ...");
    code(run->pe, run->executed, &block);
    if (to.EL >= run->pe->state.EL) {
        const struct cairn_pe_exception exception = {.size = sizeof exception,
                                                     .type = CAIRN_EXCEPTION_IRQ,
                                                     .address = block.address,
                                                     .vector = CODE * (1 + (uint64_t)to.EL),
                                                     .isa = CAIRN_ISA_A64,
                                                     .to = to};

        cairn_pe_exception(run->pe, &exception);
    } else {
        block.kind = CAIRN_INSN_BRANCH_INDIRECT;
        block.flags = CAIRN_INSN_ERET;
        block.target = 0;
        cairn_pe_execute(run->pe, &block, true);
        cairn_pe_return(run->pe, CODE * (1 + (uint64_t)to.EL), &to);
    }
    run->executed = 0; /* at the beginning of that level's code */
    return CAIRN_OK;
}

/* --- accesses --- */

static cairn_status read_one(struct run *run, uint64_t *value)
{
    const uint32_t encoding = cairn_pe_encoding(run->access.name);
    const bool by_instruction = run->access.by_instruction;

    if (by_instruction && encoding)
        return check(run, cairn_pe_mrs(run->pe, encoding, value));
    if (by_instruction && run->pe->unit) {
        struct cairn_unit_register_info info = {.size = sizeof info};

        if (cairn_unit_register_find(run->pe->unit, run->access.name, &info) == CAIRN_OK)
            return check(run, cairn_pe_mrs(run->pe, info.sysreg, value));
    } else if (!by_instruction && cairn_pe_read(run->pe, run->access.name, value) == CAIRN_OK) {
        return CAIRN_OK;
    }
    return fail(run, run->access.name, "is no register of this PE");
}

static cairn_status write_one(struct run *run)
{
    const uint32_t encoding = cairn_pe_encoding(run->access.name);
    const uint64_t value = run->access.value;

    if (run->access.by_instruction && encoding)
        return check(run, cairn_pe_msr(run->pe, encoding, value));
    if (run->access.by_instruction && run->pe->unit) {
        struct cairn_unit_register_info info = {.size = sizeof info};

        if (cairn_unit_register_find(run->pe->unit, run->access.name, &info) == CAIRN_OK)
            return check(run, cairn_pe_msr(run->pe, info.sysreg, value));
    } else if (!run->access.by_instruction &&
               cairn_pe_write(run->pe, run->access.name, value) == CAIRN_OK) {
        return CAIRN_OK;
    }
    return fail(run, run->access.name, "is no register of this PE");
}

static cairn_status wait_for(struct run *run)
{
    const unsigned of = CAIRN_OF_ETE;
    const struct cairn_register_field *field = NULL;

    if (run->access.field[0]) {
        field = cairn_register_field_of(of, cairn_register_place_of(of, run->access.name),
                                        run->access.field);
        if (!field)
            return fail(run, run->access.field, "is no field of that register");
    }
    for (unsigned poll = 0; poll < POLLS; poll++) {
        uint64_t value;
        cairn_status status;

        if (run->access.by_instruction)
            cairn_pe_barrier(run->pe, CAIRN_PE_BARRIER_ISB);
        status = read_one(run, &value);
        if (status != CAIRN_OK)
            return status;
        if ((field ? cairn_field_value(field, value) : value) == run->access.value)
            return CAIRN_OK;
    }
    return fail(run, run->access.name, "never has that value");
}

/* What software reads or clears, a page at a time: each has its own translation. */
static cairn_status touch(struct run *run)
{
    static const uint8_t zeros[CAIRN_PE_TABLES_PAGE];
    const bool stores = run->access.kind == CAIRN_SCRIPT_STORE;
    const bool translates = cairn_pe_translates(run->pe);
    uint64_t address = run->access.value, left = run->access.size;

    if (left > RUN_MOST && (stores || translates))
        return fail(run, stores ? "store:" : "load:", "that is more than 16 MiB");
    if (!stores && !translates) {
        cairn_pe_load(run->pe, address, left);
        return CAIRN_OK;
    }
    while (left > 0) {
        const uint64_t page = sizeof zeros - address % sizeof zeros;
        const size_t part = (size_t)(left < page ? left : page);
        struct cairn_pe_translation to = {.address = address};

        if (translates &&
            !cairn_pe_software_address(run->pe, address,
                                       stores ? CAIRN_PE_MEMORY_WRITE : CAIRN_PE_MEMORY_READ, &to))
            return cairn_fail(run->error, CAIRN_E_CONFIG,
                              "%s:%u: %s at 0x%" PRIx64 " is a fault at stage %u, FSC 0x%02x; "
                              "`map` says what is where",
                              run->script.name, run->access.line, stores ? "store" : "load",
                              address, to.stage, to.FSC);
        if (stores)
            cairn_pe_store(run->pe, to.address, zeros, part);
        else
            cairn_pe_load(run->pe, to.address, part);
        address += part;
        left -= part;
    }
    return CAIRN_OK;
}

/* --- translation --- */

static cairn_status map(struct run *run)
{
    const struct cairn_script_access *access = &run->access;
    const bool maps = access->kind == CAIRN_SCRIPT_MAP;
    const char *const verb = maps ? "map:" : "unmap:";
    const uint64_t size = maps ? access->third : access->size;
    const uint64_t PA = maps ? access->size : 0;
    const enum cairn_pe_page kind = !maps                                 ? CAIRN_PE_PAGE_NONE
                                    : strcasecmp(access->name, "ro") == 0 ? CAIRN_PE_PAGE_READ_ONLY
                                    : strcasecmp(access->name, "noaf") == 0
                                        ? CAIRN_PE_PAGE_UNUSED
                                        : CAIRN_PE_PAGE_WRITABLE;
    cairn_status status;

    if ((access->value | PA | size) % CAIRN_PE_TABLES_PAGE)
        return fail(run, verb, "addresses and size have to be multiples of 4096");
    if (size == 0 || size > RUN_MOST)
        return fail(run, verb, "the size has to be from 4096 bytes to 16 MiB");
    if (!cairn_pe_tables_hold(access->value) || !cairn_pe_tables_hold(access->value + size - 1) ||
        access->value + size - 1 < access->value || (PA | (PA + size - 1)) >> 48)
        return fail(run, verb,
                    "virtual addresses are below 0x1000000000000 or from 0xffff000000000000 on, "
                    "physical ones below 0x1000000000000");
    status = cairn_pe_map(run->pe, access->value, PA, size, kind);
    if (status == CAIRN_E_LIMIT)
        return fail(run, verb, "that takes more than 1024 tables of translation");
    return status;
}

static cairn_status maintain(struct run *run)
{
    const uint32_t encoding = cairn_pe_TLBI_encoding(run->access.name);

    if (!encoding)
        return fail(
            run, run->access.name,
            "is no TLBI that is known: VMALLE1, VAE1, VAAE1, ASIDE1, ALLE1, ALLE2 ..., with IS or "
            "OS behind it");
    return check(run, cairn_pe_sys(run->pe, encoding, run->access.value));
}

/* --- power, resets, aborts --- */

static bool word_of(const char *name, const char *const words[], unsigned count, unsigned *number)
{
    for (*number = 0; *number < count; ++*number)
        if (strcasecmp(words[*number], name) == 0)
            return true;
    return false;
}

static cairn_status reset_by(struct run *run)
{
    static const char *const words[] = {[CAIRN_RESET_WARM] = "warm",
                                        [CAIRN_RESET_TRACE_UNIT] = "trace",
                                        [CAIRN_RESET_COLD] = "cold"};
    struct cairn_block block;
    unsigned kind;

    if (!word_of(run->access.name, words, 3, &kind))
        return fail(run, run->access.name, "is no reset: cold, warm, trace");
    code(run->pe, run->executed, &block);
    cairn_pe_reset(run->pe, (enum cairn_reset)kind, block.address, CAIRN_ISA_A64);
    if (kind != CAIRN_RESET_TRACE_UNIT)
        run->executed = 0;
    return CAIRN_OK;
}

static cairn_status change_power(struct run *run)
{
    static const char *const words[] = {[CAIRN_POWER_NORMAL] = "normal",
                                        [CAIRN_POWER_STANDBY] = "standby",
                                        [CAIRN_POWER_RETENTION] = "retention",
                                        [CAIRN_POWER_DOWN] = "down",
                                        [CAIRN_POWER_SAVED] = "saved"};
    const enum cairn_power was = run->pe->power;
    unsigned power;

    if (!word_of(run->access.name, words, 5, &power))
        return fail(run, run->access.name,
                    "is no state of power: normal, standby, retention, down, saved");
    cairn_pe_power(run->pe, (enum cairn_power)power);
    if (run->pe->power != (enum cairn_power)power)
        return fail(run, run->access.name, "cannot be behind `power down`: what is gone is gone");
    if (was == CAIRN_POWER_DOWN)
        run->executed = 0;
    return CAIRN_OK;
}

static cairn_status trigger(struct run *run)
{
    if (run->access.value > UINT32_MAX ||
        cairn_pe_trigger(run->pe, (unsigned)run->access.value) != CAIRN_OK)
        return fail(run, "trigger:", "outputs 4 to 7 of the CTI go to the trace unit");
    return CAIRN_OK;
}

static cairn_status abort_at(struct run *run)
{
    static const char *const words[] = {[CAIRN_PE_ABORT_SYNCHRONOUS] = "sync",
                                        [CAIRN_PE_ABORT_ASYNCHRONOUS] = "async",
                                        [CAIRN_PE_ABORT_SYSTEM_ERROR] = "serror",
                                        "none"};
    const struct cairn_script_access *access = &run->access;
    unsigned how = CAIRN_PE_ABORT_SYNCHRONOUS;

    if (access->name[0] && !word_of(access->name, words, 4, &how))
        return fail(run, access->name, "is no kind of abort: sync, async, serror, none");
    if (access->size == 0 || access->value > UINT64_MAX - (access->size - 1))
        return fail(run, "abort:", "there are no such addresses");
    if (cairn_pe_abort_remove(run->pe, access->value, access->size) != CAIRN_OK ||
        (how <= CAIRN_PE_ABORT_SYSTEM_ERROR &&
         cairn_pe_abort_add(run->pe, access->value, access->size, (enum cairn_pe_abort)how) !=
             CAIRN_OK))
        return fail(run, "abort:", "there are 16 areas already, and no more");
    return CAIRN_OK;
}

/* Without power only that can change. */
static bool is_possible(const struct run *run)
{
    return !cairn_pe_is_off(run->pe->power) || run->access.kind == CAIRN_SCRIPT_POWER ||
           run->access.kind == CAIRN_SCRIPT_TRIGGER || run->access.kind == CAIRN_SCRIPT_ABORT;
}

static cairn_status step(struct run *run)
{
    const struct cairn_script_access *access = &run->access;
    uint64_t value;
    cairn_status status;

    if (!is_possible(run))
        return fail(run, "power:", "nothing is executed or reached until `power normal`");
    switch (access->kind) {
    case CAIRN_SCRIPT_WRITE: return write_one(run);
    case CAIRN_SCRIPT_READ:
        status = read_one(run, &value);
        if (status == CAIRN_OK && run->told)
            run->told(run->context, access->line, access->name, value);
        return status;
    case CAIRN_SCRIPT_WAIT: return wait_for(run);
    case CAIRN_SCRIPT_ISB: cairn_pe_barrier(run->pe, CAIRN_PE_BARRIER_ISB); return CAIRN_OK;
    case CAIRN_SCRIPT_DSB: cairn_pe_barrier(run->pe, CAIRN_PE_BARRIER_DSB); return CAIRN_OK;
    case CAIRN_SCRIPT_TSB: cairn_pe_barrier(run->pe, CAIRN_PE_BARRIER_TSB_CSYNC); return CAIRN_OK;
    case CAIRN_SCRIPT_SYS: {
        const bool all = strcasecmp(access->name, "BRB_IALL") == 0;

        if (!all && strcasecmp(access->name, "BRB_INJ") != 0)
            return fail(run, access->name, "is no system instruction: BRB_IALL, BRB_INJ");
        return check(run, cairn_pe_sys(run->pe, all ? CAIRN_PE_BRB_IALL : CAIRN_PE_BRB_INJ, 0));
    }
    case CAIRN_SCRIPT_ENTER: return enter(run);
    case CAIRN_SCRIPT_RUN:
        if (access->value > RUN_MOST)
            return fail(run, "run:", "that is more than 16,777,216 instructions");
        execute(run, access->value);
        return CAIRN_OK;
    case CAIRN_SCRIPT_LOAD:
    case CAIRN_SCRIPT_STORE: return touch(run);
    case CAIRN_SCRIPT_TLBI: return maintain(run);
    case CAIRN_SCRIPT_UNMAP:
    case CAIRN_SCRIPT_MAP: return map(run);
    case CAIRN_SCRIPT_TRIGGER: return trigger(run);
    case CAIRN_SCRIPT_RESET: return reset_by(run);
    case CAIRN_SCRIPT_POWER: return change_power(run);
    case CAIRN_SCRIPT_ABORT: return abort_at(run);
    }
    return CAIRN_OK;
}

cairn_status cairn_pe_script(struct cairn_pe *pe, const char *name, const char *text, size_t size,
                             cairn_pe_told *told, void *context, struct cairn_error *error)
{
    struct run run = {.pe = pe, .told = told, .context = context, .error = error};
    cairn_status status;

    cairn_script_begin(&run.script, name, text, size);
    run.script.of_pe = true;
    for (;;) {
        status = cairn_script_next(&run.script, &run.access, error);
        if (status == CAIRN_E_NOT_FOUND)
            return cairn_pe_status(pe);
        if (status != CAIRN_OK)
            return status;
        cairn_pe_at(pe, run.access.line);
        status = step(&run);
        if (status != CAIRN_OK)
            return status;
    }
}
