/* SPDX-License-Identifier: BSD-2-Clause */
/* Any sequence of accesses to a unit's registers, of resets, power states and locks, in between what a
 * PE does. Whatever happens: each answer is one that the access can have, TRCSTATR says what Table D8.2
 * says, a unit is enabled exactly while EN, the lock and power say so, a register that was written holds
 * what it can hold of that, and all bytes that the unit counts are the sink's. Then the same as a register
 * script. */
#include <stdlib.h>
#include <string.h>

#include "unit/scripts/run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    MOST = 1 << 20, /* bytes of trace after which nothing more is told */
    REGISTERS_MOST = 400,
    ALL_CHOICES = 0x7ff,
};

struct input {
    const uint8_t *at;
    size_t left;
};

struct run {
    struct input input;
    struct cairn_unit *unit;
    const struct cairn_unit_register_info *registers;
    size_t count;
    uint64_t written; /* bytes */
    uint64_t address;
};

static uint8_t byte(struct input *input)
{
    if (input->left == 0)
        return 0;
    input->left--;
    return *input->at++;
}

static uint64_t number(struct input *input)
{
    static const uint8_t sizes[] = {0, 1, 1, 1, 1, 2, 4, 8};
    const uint8_t first = byte(input);
    uint64_t value = 0;

    for (unsigned n = sizes[first % sizeof sizes]; n > 0; n--)
        value = value << 8 | byte(input);
    return first & 0x80 ? ~value : value;
}

static cairn_status take(void *context, const uint8_t *bytes, size_t size)
{
    struct run *r = context;

    (void)bytes;
    r->written += size;
    return CAIRN_OK;
}

static const struct cairn_unit_register_info *any_register(struct run *r)
{
    const unsigned low = byte(&r->input);

    return &r->registers[(low | (unsigned)byte(&r->input) << 8) % r->count];
}

/* --- what must hold at any time --- */

static void check_state(struct run *r)
{
    const enum cairn_session state = cairn_unit_session(r->unit);
    uint64_t STATR = 0, EN = 0;

    if (cairn_unit_read(r->unit, "TRCSTATR", &STATR) != CAIRN_OK ||
        cairn_unit_read(r->unit, "TRCPRGCTLR", &EN) != CAIRN_OK || EN > 1)
        abort();
    switch (state) {
    case CAIRN_SESSION_IDLE:
        if (STATR != 3)
            abort();
        break;
    case CAIRN_SESSION_ENABLING:
        if (!(STATR & 1) || !EN)
            abort();
        break;
    case CAIRN_SESSION_RUNNING:
        if ((STATR & 1) || !EN)
            abort();
        break;
    case CAIRN_SESSION_UNSTABLE:
        if (STATR != 0)
            abort();
        break;
    case CAIRN_SESSION_STABLE:
        if (STATR != 2)
            abort();
        break;
    }
    if (cairn_unit_status(r->unit) != CAIRN_OK)
        abort();
}

static void check_bytes(struct run *r)
{
    struct cairn_unit_counters counters = {.size = sizeof counters};

    cairn_unit_flush(r->unit);
    cairn_unit_counters(r->unit, &counters);
    if (counters.bytes != r->written)
        abort();
}

/* --- accesses --- */

static bool is_answer(enum cairn_answer answer)
{
    return (unsigned)answer <= CAIRN_ANSWER_UNDEFINED;
}

static void by_instruction(struct run *r)
{
    const struct cairn_unit_register_info *info = any_register(r);
    const uint8_t how = byte(&r->input);
    const unsigned EL = how & 3;
    uint32_t sysreg = info->sysreg;
    struct cairn_error why = {.text = ""};
    enum cairn_answer answer;
    uint64_t value = 0;

    if (how & 0x80)
        sysreg = (uint32_t)number(&r->input);
    if (how & 0x40) {
        answer = cairn_unit_mrs(r->unit, sysreg, EL, &value, &why);
        if (!is_answer(answer) || answer == CAIRN_ANSWER_IGNORED || answer == CAIRN_ANSWER_RES0)
            abort();
    } else {
        value = number(&r->input);
        answer = cairn_unit_msr(r->unit, sysreg, EL, value, &why);
        if (!is_answer(answer) || answer == CAIRN_ANSWER_RES0)
            abort();
    }
    if ((answer != CAIRN_ANSWER_OK) != (why.text[0] != '\0'))
        abort();
    if (EL == 0 && answer != CAIRN_ANSWER_UNDEFINED)
        abort();
}

static void from_outside(struct run *r)
{
    static const uint32_t sizes[] = {4, 4, 4, 8, 8, 1, 2, 3, 16, 0, 64, UINT32_MAX};
    const struct cairn_unit_register_info *info = any_register(r);
    const uint8_t how = byte(&r->input);
    const uint32_t flags = how & 7;
    const uint32_t bytes = sizes[byte(&r->input) % (sizeof sizes / sizeof sizes[0])];
    uint32_t offset = info->offset;
    enum cairn_answer answer;
    uint64_t value = 0;

    if (how & 0x80)
        offset = (uint32_t)number(&r->input) & 0x1fff;
    if (how & 0x40) {
        answer = cairn_unit_load(r->unit, offset, bytes, flags, &value, NULL);
        if (!is_answer(answer) || answer == CAIRN_ANSWER_IGNORED ||
            answer == CAIRN_ANSWER_UNDEFINED)
            abort();
        if (answer == CAIRN_ANSWER_RES0 && value != 0)
            abort();
        return;
    }
    value = number(&r->input);
    answer = cairn_unit_store(r->unit, offset, bytes, flags, value, NULL);
    if (!is_answer(answer) || answer == CAIRN_ANSWER_UNDEFINED)
        abort();
}

/* A write that is taken is read back, by the same way in. */
static void write_and_read(struct run *r)
{
    const struct cairn_unit_register_info *info = any_register(r);
    const uint64_t value = number(&r->input);
    uint64_t first = 0, second = 0;

    if (!(info->flags & CAIRN_REGISTER_READABLE) || info->offset < 0x010 || info->offset >= 0x300)
        return;
    if (cairn_unit_store(r->unit, info->offset, info->bits / 8, 0, value, NULL) != CAIRN_ANSWER_OK)
        return;
    if (cairn_unit_load(r->unit, info->offset, info->bits / 8, 0, &first, NULL) != CAIRN_ANSWER_OK)
        abort();
    /* RES0 bits are 0; what reads as 1 is TRCCONFIGR's and TRCVICTLR's. */
    if ((first & ~value) && info->offset != 0x010 && info->offset != 0x080)
        abort();
    if (cairn_unit_store(r->unit, info->offset, info->bits / 8, 0, first, NULL) !=
            CAIRN_ANSWER_OK ||
        cairn_unit_load(r->unit, info->offset, info->bits / 8, 0, &second, NULL) !=
            CAIRN_ANSWER_OK ||
        first != second)
        abort();
}

/* A driver that waits comes to an end. */
static void wait_for_idle(struct run *r)
{
    unsigned polls = 0;

    cairn_unit_os_lock(r->unit, true);
    while (cairn_unit_session(r->unit) != CAIRN_SESSION_IDLE) {
        cairn_unit_cycles(r->unit, 1 << 12);
        if (++polls > 4096)
            abort();
    }
    if (byte(&r->input) & 1)
        cairn_unit_os_lock(r->unit, false);
}

/* --- what else happens --- */

static void execute(struct run *r)
{
    static const uint8_t kinds[] = {CAIRN_INSN_OTHER, CAIRN_INSN_BRANCH_DIRECT,
                                    CAIRN_INSN_BRANCH_INDIRECT, CAIRN_INSN_ISB};
    const uint8_t how = byte(&r->input);
    const struct cairn_block block = {
        .address = r->address,
        .target = 0x1000 + 4 * (uint64_t)byte(&r->input),
        .size = 4,
        .count = 1,
        .isa = CAIRN_ISA_A64,
        .kind = kinds[how & 3],
        .last_size = 4,
        .target_isa = (how & 3) == 1 ? CAIRN_ISA_A64 : CAIRN_ISA_UNKNOWN,
    };

    cairn_unit_execute(r->unit, &block, how & 4);
    r->address = (how & 4) && (how & 2) == 0 && (how & 1) ? block.target : r->address + 4;
}

static void happen(struct run *r)
{
    const uint8_t what = byte(&r->input);

    switch (what & 15) {
    case 0: cairn_unit_os_lock(r->unit, what & 16); break;
    case 1: cairn_unit_reset(r->unit, (enum cairn_reset)(what >> 4 & 3)); break;
    case 2: cairn_unit_power(r->unit, (enum cairn_power)(what >> 4 & 7)); break;
    case 3: (void)cairn_unit_tsb(r->unit); break;
    case 4: cairn_unit_deny_external(r->unit, what & 16); break;
    case 5: (void)cairn_unit_denied(r->unit); break;
    case 6: cairn_unit_synchronize_context(r->unit); break;
    case 7: cairn_unit_prohibit(r->unit, what & 16); break;
    case 8: cairn_unit_authenticate(r->unit, what >> 3); break;
    case 9: cairn_unit_cycles(r->unit, number(&r->input) & 0xffff); break;
    case 10: cairn_unit_low_power(r->unit, what & 16); break;
    case 11: cairn_unit_exception(r->unit, byte(&r->input) & 31, r->address, CAIRN_ISA_A64); break;
    case 12:
        cairn_unit_context(r->unit, &(struct cairn_context){
                                        .EL = what >> 4 & 3, .security = what >> 6 & 3, .SF = 1});
        break;
    case 13: cairn_unit_inputs(r->unit, what >> 4); break;
    case 14:
        if (what & 16)
            cairn_unit_enable(r->unit);
        else
            cairn_unit_disable(r->unit);
        break;
    default: check_bytes(r); break;
    }
}

/* The registers of a unit of each kind: found once. */
static void find_registers(struct run *r, bool is_ete)
{
    static struct cairn_unit_register_info infos[2][REGISTERS_MOST];
    static size_t counts[2];
    struct cairn_unit_register_info *info = infos[is_ete];
    size_t *count = &counts[is_ete];

    for (info[*count].size = *count ? 0 : sizeof *info;
         info[*count].size && cairn_unit_register_info(r->unit, *count, &info[*count]) == CAIRN_OK;
         info[*count].size = sizeof *info)
        if (++*count >= REGISTERS_MOST)
            abort();
    r->registers = info;
    r->count = *count;
}

static bool make(struct run *r)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_access_options access = CAIRN_ACCESS_OPTIONS_INIT;
    const uint8_t kind = byte(&r->input);

    r->address = 0x1000;
    options.protocol = kind & 1 ? CAIRN_PROTOCOL_ETE : CAIRN_PROTOCOL_ETMV4;
    options.arch = cairn_arch_any_a();
    options.sink = take;
    options.sink_context = r;
    options.fifo_bytes = kind & 2 ? 128 : 0;
    options.fifo_drain = kind & 4 ? 3 : 0;
    options.choices |= (uint32_t)(byte(&r->input) & 0x7f) << 16;
    if (cairn_unit_new(&options, &r->unit, NULL) != CAIRN_OK)
        return false;
    access.choices = (byte(&r->input) | (uint32_t)byte(&r->input) << 8) & ALL_CHOICES;
    access.enabling = byte(&r->input) & 15;
    access.unstable = byte(&r->input) & 15;
    access.draining = byte(&r->input) & 15;
    access.unknown = number(&r->input);
    if (cairn_unit_access_options(r->unit, &access) != CAIRN_OK)
        abort();
    find_registers(r, kind & 1);
    return true;
}

/* Any text: lines are run until one is refused. */
static void run_script(const uint8_t *data, size_t size)
{
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_script_machine machine = CAIRN_SCRIPT_MACHINE_INIT;
    struct cairn_error error = {.text = ""};
    cairn_status status;

    options.arch = cairn_arch_any_a();
    if (cairn_unit_new(&options, &machine.unit, NULL) != CAIRN_OK)
        abort();
    machine.polls = 5;
    status = cairn_script_run(&machine, "fuzz", (const char *)data, size, &error);
    if (status != CAIRN_OK && status != CAIRN_E_FORMAT && status != CAIRN_E_CONFIG)
        abort();
    if ((status != CAIRN_OK) != (error.text[0] != '\0'))
        abort();
    cairn_unit_free(machine.unit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct run r;

    if (size < 4 || size > 1u << 16)
        return 0;
    if (memchr("wrmpidt", data[0], 7)) /* it may be text */
        run_script(data, size);
    memset(&r, 0, sizeof r);
    r.input = (struct input){data, size};
    if (!make(&r))
        abort();
    while (r.input.left > 0 && r.written < MOST) {
        switch (byte(&r.input) & 7) {
        case 0:
        case 1: by_instruction(&r); break;
        case 2: from_outside(&r); break;
        case 3: write_and_read(&r); break;
        case 4:
        case 5: execute(&r); break;
        case 6: happen(&r); break;
        default: wait_for_idle(&r); break;
        }
        check_state(&r);
    }
    check_bytes(&r);
    cairn_unit_free(r.unit);
    return 0;
}
