/* SPDX-License-Identifier: BSD-2-Clause */
/* Which exception type stands for what the architecture calls an exception: DDI0608 D3.5, as feeds
 * from logs map it. (A Debug halt is told as one; logs of running programs have none.) */
#include "bench.h"

#include "machine/tarmac/exception.h"

#define SVC_A64 0xd4000001u
#define LDR_A64 0xf9400000u
#define BRK_A64 0xd4200000u

/* The type of an exception whose preferred return address is 0x1000, where `opcode` is, or the
 * address behind it when `executed`. */
static unsigned type_of(struct cairn_tarmac_exception e, uint8_t isa, uint32_t opcode,
                        bool executed)
{
    const struct cairn_tarmac_before before = {
        .exists = true,
        .isa = isa,
        .size = 4,
        .opcode = opcode,
        .address = 0x1000,
        .has_next = true,
        .next = 0x1004,
    };
    struct cairn_tarmac_outcome outcome;

    e.has_elr = true;
    e.elr = executed ? 0x1004 : 0x1000;
    cairn_tarmac_exception_resolve(&e, &before, &outcome);
    assert_true(outcome.has_address);
    assert_int_equal(outcome.address, e.elr);
    assert_int_equal(outcome.executed, executed);
    return outcome.type;
}

static unsigned of_class(unsigned class, bool to_a32, uint32_t opcode, bool executed)
{
    return type_of((struct cairn_tarmac_exception){.cause = CAIRN_TARMAC_SYNC,
                                                   .to_a32 = to_a32,
                                                   .has_esr = true,
                                                   .esr_el = to_a32 ? 2 : 1,
                                                   .esr = (uint64_t) class << 26},
                   to_a32 ? CAIRN_ISA_A32 : CAIRN_ISA_A64, opcode, executed);
}

static unsigned of_cause(enum cairn_tarmac_cause cause, bool to_a32, uint32_t opcode, bool executed)
{
    return type_of((struct cairn_tarmac_exception){.cause = (uint8_t)cause, .to_a32 = to_a32},
                   to_a32 ? CAIRN_ISA_A32 : CAIRN_ISA_A64, opcode, executed);
}

static void test_to_aarch64(void **state)
{
    /* ESR_ELx.EC (Arm ARM) */
    static const struct {
        unsigned class, type;
        uint32_t opcode;
        bool executed;
    } classes[] = {
        {0x0d, CAIRN_EXCEPTION_INST_FAULT, LDR_A64, false}, /* Branch Target */
        {0x30, CAIRN_EXCEPTION_INST_DEBUG, LDR_A64, false}, /* Breakpoint */
        {0x31, CAIRN_EXCEPTION_INST_DEBUG, LDR_A64, false},
        {0x16, CAIRN_EXCEPTION_CALL, SVC_A64 + 1, true},    /* HVC */
        {0x0e, CAIRN_EXCEPTION_TRAP, LDR_A64, false},       /* Illegal execution state */
        {0x20, CAIRN_EXCEPTION_INST_FAULT, LDR_A64, false}, /* Instruction Abort */
        {0x21, CAIRN_EXCEPTION_INST_FAULT, LDR_A64, false},
        {0x18, CAIRN_EXCEPTION_TRAP, LDR_A64, false},        /* trapped MSR */
        {0x01, CAIRN_EXCEPTION_TRAP, LDR_A64, false},        /* trapped WFI */
        {0x07, CAIRN_EXCEPTION_TRAP, LDR_A64, false},        /* trapped floating point */
        {0x27, CAIRN_EXCEPTION_TRAP, LDR_A64, false},        /* MemCopy or MemSet */
        {0x22, CAIRN_EXCEPTION_ALIGNMENT, LDR_A64, false},   /* PC */
        {0x26, CAIRN_EXCEPTION_ALIGNMENT, LDR_A64, false},   /* SP */
        {0x1c, CAIRN_EXCEPTION_DATA_FAULT, LDR_A64, false},  /* PAC Fail */
        {0x2f, CAIRN_EXCEPTION_SYSTEM_ERROR, LDR_A64, true}, /* SError */
        {0x17, CAIRN_EXCEPTION_CALL, SVC_A64 + 2, true},     /* SMC */
        {0x15, CAIRN_EXCEPTION_CALL, SVC_A64, true},         /* SVC */
        {0x3c, CAIRN_EXCEPTION_INST_DEBUG, BRK_A64, false},  /* BRK */
        {0x38, CAIRN_EXCEPTION_INST_DEBUG, BRK_A64, false},  /* BKPT */
        {0x32, CAIRN_EXCEPTION_INST_DEBUG, LDR_A64, true},   /* Software Step */
        {0x33, CAIRN_EXCEPTION_INST_DEBUG, LDR_A64, true},
        {0x24, CAIRN_EXCEPTION_DATA_FAULT, LDR_A64, false}, /* Data Abort */
        {0x25, CAIRN_EXCEPTION_DATA_FAULT, LDR_A64, false},
        {0x00, CAIRN_EXCEPTION_TRAP, LDR_A64, false},       /* UNDEFINED */
        {0x34, CAIRN_EXCEPTION_DATA_DEBUG, LDR_A64, false}, /* Watchpoint */
        {0x35, CAIRN_EXCEPTION_DATA_DEBUG, LDR_A64, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(classes) / sizeof *classes; i++) {
        /* proves: D3.5.A64 */
        assert_int_equal(of_class(classes[i].class, false, classes[i].opcode, classes[i].executed),
                         classes[i].type);
    }
    /* proves: D3.5.A64 */
    assert_int_equal(of_cause(CAIRN_TARMAC_IRQ, false, LDR_A64, true), CAIRN_EXCEPTION_IRQ);
    /* proves: D3.5.A64 */
    assert_int_equal(of_cause(CAIRN_TARMAC_FIQ, false, LDR_A64, true), CAIRN_EXCEPTION_FIQ);
    /* proves: D3.5.A64 */
    assert_int_equal(of_cause(CAIRN_TARMAC_SERROR, false, LDR_A64, true),
                     CAIRN_EXCEPTION_SYSTEM_ERROR);
}

/* A vector of AArch32 is all that is known of most; Hyp mode has a syndrome register (HSR). */
static void test_to_aarch32(void **state)
{
    static const struct {
        unsigned cause, type;
        uint32_t opcode;
        bool executed;
    } vectors[] = {
        /* Prefetch Abort, Breakpoint, BKPT, Vector Catch */
        {CAIRN_TARMAC_PREFETCH, CAIRN_EXCEPTION_INST_FAULT, 0xe5900000, false},
        {CAIRN_TARMAC_PREFETCH, CAIRN_EXCEPTION_INST_FAULT, 0xe1200070, false},
        /* Data Abort, Watchpoint */
        {CAIRN_TARMAC_DATA, CAIRN_EXCEPTION_DATA_FAULT, 0xe5900000, false},
        {CAIRN_TARMAC_UNDEFINED, CAIRN_EXCEPTION_TRAP, 0xe7f000f0, false},
        {CAIRN_TARMAC_CALL, CAIRN_EXCEPTION_CALL, 0xef000000, true}, /* SVC */
        {CAIRN_TARMAC_CALL, CAIRN_EXCEPTION_CALL, 0xe1600070, true}, /* SMC */
        {CAIRN_TARMAC_IRQ, CAIRN_EXCEPTION_IRQ, 0xe5900000, true},
        {CAIRN_TARMAC_FIQ, CAIRN_EXCEPTION_FIQ, 0xe5900000, true},
        {CAIRN_TARMAC_SERROR, CAIRN_EXCEPTION_SYSTEM_ERROR, 0xe5900000, true},
    };
    static const struct {
        unsigned class, type;
        uint32_t opcode;
        bool executed;
    } classes[] = {
        {0x12, CAIRN_EXCEPTION_CALL, 0xe1400070, true},        /* HVC */
        {0x0e, CAIRN_EXCEPTION_TRAP, 0xe5900000, false},       /* Illegal execution state */
        {0x03, CAIRN_EXCEPTION_TRAP, 0xee000f10, false},       /* trapped MCR */
        {0x20, CAIRN_EXCEPTION_INST_FAULT, 0xe5900000, false}, /* Prefetch Abort, Breakpoint */
        {0x24, CAIRN_EXCEPTION_DATA_FAULT, 0xe5900000, false}, /* Data Abort, Watchpoint */
        {0x00, CAIRN_EXCEPTION_TRAP, 0xe7f000f0, false},       /* UNDEFINED */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(vectors) / sizeof *vectors; i++) {
        /* proves: D3.5.A32 */
        assert_int_equal(of_cause(vectors[i].cause, true, vectors[i].opcode, vectors[i].executed),
                         vectors[i].type);
    }
    for (size_t i = 0; i < sizeof(classes) / sizeof *classes; i++) {
        /* proves: D3.5.A32 */
        assert_int_equal(of_class(classes[i].class, true, classes[i].opcode, classes[i].executed),
                         classes[i].type);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_to_aarch64),
        cmocka_unit_test(test_to_aarch32),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
