/* SPDX-License-Identifier: BSD-2-Clause */
/* Any register values as branch records, and any calls of a Branch Record Buffer under any programming.
 * Whatever happens: valid records are a prefix, of no more than there are, none that was generated has a
 * finding, nothing is recorded while paused, and what is saved and restored is the same. */
#include <stdlib.h>
#include <string.h>

#include "pe/brbe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    const uint8_t *at;
    size_t left;
};

struct run {
    struct input input;
    struct cairn_pe_features features;
    struct cairn_pe_registers registers;
    struct cairn_pe_state state;
    struct cairn_brbe brbe;
    uint64_t captured;
    bool injected; /* records may hold anything from now on */
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
    static const uint8_t sizes[] = {0, 1, 1, 2, 4, 8};
    const uint8_t first = byte(input);
    uint64_t value = 0;

    for (unsigned n = sizes[first % sizeof sizes]; n > 0; n--)
        value = value << 8 | byte(input);
    return first & 0x80 ? ~value : value;
}

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void captured(void *context, const struct cairn_pe_state *where, bool exception_related)
{
    struct run *r = context;

    (void)exception_related;
    require(where->EL < 4);
    r->captured++;
    if (byte(&r->input) % 16 == 0) {
        const struct cairn_brbe_side now = {&r->registers, &r->state};
        cairn_brbe_overflow(&r->brbe, &now, number(&r->input));
    }
}

static bool loses(void *context)
{
    struct run *r = context;

    return byte(&r->input) == 0x55;
}

static void finding(void *context, enum cairn_brbe_finding found)
{
    (void)context;
    require(found <= CAIRN_BRBE_NO_TARGET);
}

static uint64_t count(void *context)
{
    struct run *r = context;

    return number(&r->input);
}

/* --- records of any values --- */

static void decode(struct input *input)
{
    struct cairn_branch_registers registers[4], back;
    struct cairn_branch branches[4] = {{.size = sizeof *branches}};
    struct cairn_branch_entry entries[4];
    uint32_t findings;

    for (size_t i = 0; i < 4; i++)
        registers[i] = (struct cairn_branch_registers){number(input), number(input), number(input)};
    const size_t valid = cairn_branch_stack(registers, 4, branches, &findings);
    require(valid <= 4 && findings < CAIRN_BRANCH_BAD_HOLE * 2);
    require(cairn_branch_mark_rolled_back(branches, valid) <= valid);
    require(cairn_branch_entries(branches, valid, byte(input) & 1, entries) == CAIRN_OK);
    for (size_t i = 0; i < valid; i++) {
        struct cairn_branch one = {.size = sizeof one}, other = {.size = sizeof other};

        require(cairn_branch_type_name(branches[i].type)[0]);
        require(cairn_branch_entry_word(&entries[i]) >> 33 == 0);
        require(cairn_branch_decode(&registers[i], &one, &findings) == CAIRN_OK);
        require(!findings == !cairn_branch_finding_text(findings)[0]);
        /* once told right, it is told the same again */
        require(cairn_branch_encode(&one, &back) == CAIRN_OK);
        require(findings || memcmp(&back, &registers[i], sizeof back) == 0);
        require(cairn_branch_decode(&back, &other, NULL) == CAIRN_OK);
        require(one.source == other.source && one.target == other.target &&
                one.type == other.type && one.EL == other.EL);
    }
}

/* --- a buffer --- */

static void check(struct run *r)
{
    unsigned valid = 0;

    for (unsigned n = 0; n < 64; n++) {
        const struct cairn_branch_registers record = cairn_brbe_record(&r->brbe, n);
        struct cairn_branch branch = {.size = sizeof branch};
        uint32_t findings;

        require(cairn_branch_decode(&record, &branch, &findings) == CAIRN_OK);
        require(r->injected || findings == 0);
        require(cairn_brbe_read(&r->brbe, n / 32, n % 32, CAIRN_BRBE_INF) == record.BRBINF);
        if ((record.BRBINF & 3) == 0)
            require(record.BRBINF == 0 && record.BRBSRC == 0 && record.BRBTGT == 0);
        else
            require(valid++ == n);
    }
    require(valid <= r->features.records);
}

static struct cairn_pe_state any_state(struct input *input)
{
    const uint8_t bits = byte(input), more = byte(input);

    return (struct cairn_pe_state){.EL = bits & 3,
                                   .security = bits >> 2 & 3,
                                   .aarch32 = (more & 7) == 7,
                                   .debug = (more >> 3 & 7) == 7,
                                   .transactional = more >> 7};
}

static void any_branch(struct run *r, const struct cairn_brbe_side *now)
{
    const uint8_t bits = byte(&r->input);

    cairn_brbe_branch(&r->brbe, now,
                      &(struct cairn_brbe_branch){.source = number(&r->input),
                                                  .target = number(&r->input),
                                                  .flags = byte(&r->input),
                                                  .kind = byte(&r->input) % 9,
                                                  .prediction = bits & 3,
                                                  .taken = bits & 0xc,
                                                  .has_target = bits & 0x30});
}

static void any_write(struct run *r, const struct cairn_brbe_side *now)
{
    static const uint16_t which[] = {CAIRN_PE_BRBCR_EL1,   CAIRN_PE_BRBCR_EL2, CAIRN_PE_MDCR_EL3,
                                     CAIRN_PE_MDCR_EL2,    CAIRN_PE_HCR_EL2,   CAIRN_PE_SCR_EL3,
                                     CAIRN_PE_TCR_EL1,     CAIRN_PE_TCR_EL2,   CAIRN_PE_TCR_EL3,
                                     CAIRN_PE_CNTHCTL_EL2, CAIRN_PE_BRBFCR_EL1};
    const unsigned at = which[byte(&r->input) % (sizeof which / sizeof *which)];

    r->registers.value[at] = number(&r->input);
    if (at == CAIRN_PE_BRBFCR_EL1)
        cairn_brbe_write_control(&r->brbe, now, r->registers.value[at]);
    else {
        cairn_brbe_programmed(&r->brbe, (enum cairn_pe_register)at);
        cairn_brbe_look(&r->brbe, now);
    }
}

static void event(struct run *r)
{
    const struct cairn_pe_state left = r->state;
    const struct cairn_brbe_side before = {&r->registers, &left}, now = {&r->registers, &r->state};
    const uint64_t was = r->captured;
    const bool paused = r->brbe.paused;
    const uint8_t deed = byte(&r->input) % 20;

    switch (deed) {
    case 0:
        r->state = any_state(&r->input);
        cairn_brbe_exception(&r->brbe, &before, &now,
                             &(struct cairn_brbe_exception){
                                 number(&r->input), number(&r->input),
                                 (uint8_t)cairn_brbe_exception_type(
                                     (enum cairn_brbe_cause)(byte(&r->input) % 4),
                                     byte(&r->input) % 64, r->state.EL, byte(&r->input) & 1)});
        break;
    case 1:
        r->state = any_state(&r->input);
        cairn_brbe_return(
            &r->brbe, &before, &now,
            &(struct cairn_brbe_return){number(&r->input), number(&r->input), byte(&r->input) % 3});
        break;
    case 2:
        r->state.debug = true;
        cairn_brbe_debug_entry(&r->brbe, &before, &now, number(&r->input));
        break;
    case 3:
        r->state = any_state(&r->input);
        cairn_brbe_debug_exit(&r->brbe, &before, &now, number(&r->input));
        break;
    case 4: cairn_brbe_synchronize(&r->brbe); break;
    case 5: cairn_brbe_cycles(&r->brbe, number(&r->input)); break;
    case 6: cairn_brbe_overflow(&r->brbe, &now, number(&r->input)); break;
    case 7: cairn_brbe_transaction_start(&r->brbe, &now); break;
    case 8: cairn_brbe_transaction_commit(&r->brbe); break;
    case 9: cairn_brbe_transaction_fail(&r->brbe, &now); break;
    case 10: cairn_brbe_invalidate(&r->brbe, &now); break;
    case 11:
        cairn_brbe_write_injection(&r->brbe, (enum cairn_brbe_part)(byte(&r->input) % 3),
                                   number(&r->input));
        break;
    case 12:
        r->injected = true;
        cairn_brbe_inject(&r->brbe, &now);
        break;
    case 13: cairn_brbe_reset(&r->brbe, &r->registers, byte(&r->input) & 1); break;
    case 14: any_write(r, &now); break;
    case 15: cairn_brbe_target(&r->brbe, &now, number(&r->input)); break;
    case 16: cairn_brbe_withdraw(&r->brbe); break;
    case 17:
        cairn_brbe_read_control(&r->brbe, &now);
        cairn_brbe_read(&r->brbe, byte(&r->input), byte(&r->input), CAIRN_BRBE_TGT);
        break;
    default: any_branch(r, &now);
    }
    require(!paused || r->captured == was || deed == 12);
}

static void restore(struct run *r)
{
    static struct run other;
    const uint32_t records = r->features.records;

    other = *r;
    other.state.debug = true;
    other.state.transactional = false;
    const struct cairn_brbe_side now = {&other.registers, &other.state};
    const struct cairn_brbe_host none = {.context = NULL};
    require(cairn_brbe_begin(&other.brbe, &other.features, NULL, &none) == CAIRN_OK);
    for (unsigned n = records; n-- > 0;) {
        const struct cairn_branch_registers record = cairn_brbe_record(&r->brbe, n);
        cairn_brbe_write_injection(&other.brbe, CAIRN_BRBE_INF, record.BRBINF);
        cairn_brbe_write_injection(&other.brbe, CAIRN_BRBE_SRC, record.BRBSRC);
        cairn_brbe_write_injection(&other.brbe, CAIRN_BRBE_TGT, record.BRBTGT);
        require(cairn_brbe_inject(&other.brbe, &now) == 0);
    }
    for (unsigned n = 0; n < records; n++) {
        const struct cairn_branch_registers a = cairn_brbe_record(&r->brbe, n);
        const struct cairn_branch_registers b = cairn_brbe_record(&other.brbe, n);
        require(memcmp(&a, &b, sizeof a) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct run r;
    struct input *input = &r.input;

    if (size > 1u << 16)
        return 0;
    memset(&r, 0, sizeof r);
    r.input = (struct input){data, size};
    decode(input);
    const uint8_t bits = byte(input);
    r.features = (struct cairn_pe_features){.EL2 = bits & 1,
                                            .EL3 = bits & 2,
                                            .secure_EL2 = bits & 4,
                                            .realms = bits & 8,
                                            .brbe = bits & 16 ? 2 : 1,
                                            .records = (uint8_t)(8u << (bits >> 6)),
                                            .counters = byte(input) % 32};
    const struct cairn_brbe_options options = {.flags = byte(input) & 31,
                                               .invalidate_shift = (int8_t)byte(input),
                                               .skid = byte(input) % 8,
                                               .unknown = number(input),
                                               .reserved_TS = byte(input) & 3};
    const struct cairn_brbe_host host = {&r, count, captured, loses, finding};
    require(cairn_brbe_begin(&r.brbe, &r.features, &options, &host) == CAIRN_OK);
    r.registers.value[CAIRN_PE_BRBCR_EL1] = r.registers.value[CAIRN_PE_BRBCR_EL2] = 0xc0017b;
    r.registers.value[CAIRN_PE_BRBFCR_EL1] = 0x10000;
    r.registers.value[CAIRN_PE_MDCR_EL3] = UINT64_C(0x4300000000);
    for (unsigned i = 0; input->left > 0; i++) {
        event(&r);
        if (i % 64 == 0)
            check(&r);
    }
    check(&r);
    restore(&r);
    return 0;
}
