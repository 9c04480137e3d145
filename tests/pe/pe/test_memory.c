/* SPDX-License-Identifier: BSD-2-Clause */
/* The trace buffer's addresses translated: by tables of a script, and by those in the caller's memory. */
#include "bench.h"

#include "pe/pe.h"

#define FIRST UINT64_C(0x40000000)  /* physical, of the first page */
#define SECOND UINT64_C(0x40008000) /* and of another */
#define VA UINT64_C(0xffff000080000000)
#define IRQ (UINT64_C(1) << 22)
#define EA (UINT64_C(1) << 18)
#define S (UINT64_C(1) << 17)
#define STAGE1 (UINT64_C(0x24) << 26) /* TRBSR_EL1.EC */
#define STAGE2 (UINT64_C(0x25) << 26)
/* FSC of level 3 (the Arm Architecture Reference Manual's, as in a Data Abort) */
#define TRANSLATION 0x07u
#define ACCESS_FLAG 0x0bu
#define PERMISSION 0x0fu

/* With tables of the caller's: descriptors by address. */
struct memory_bench {
    struct pe_bench b; /* first: the context of `walk` is it */
    struct {
        uint64_t address, value;
    } words[16];
    unsigned words_count;
    unsigned walks;
};

static bool walk(void *context, unsigned security, uint64_t address, uint8_t bytes[8])
{
    struct memory_bench *b = context;

    assert_int_equal(security, CAIRN_NONSECURE);
    b->walks++;
    for (unsigned i = 0; i < b->words_count; i++)
        if (b->words[i].address == address) {
            for (unsigned n = 0; n < 8; n++)
                bytes[n] = (uint8_t)(b->words[i].value >> 8 * n);
            return true;
        }
    return false;
}

#define OWNED_BY_EL1 PE_BENCH_OWNED_BY_EL1
#define BUFFER /* from 256 bytes in front of the first page's end on */                            \
    "msr TRBBASER_EL1, 0xffff000080000000\nmsr TRBPTR_EL1, 0xffff000080000f00\n"                   \
    "isb\nmsr TRCPRGCTLR, 1\nmsr TRBLIMITR_EL1, 0xffff000080010001\nisb\n"
#define TRACED "enter EL0n\nrun 20000\nenter EL1n\n"
#define DRAINED "tsb csync\ndsb\nisb\nmrs x0, TRBSR_EL1\nmrs x0, TRBPTR_EL1\n"
#define PAGE1 "map 0xffff000080000000 0x40000000 4096\n"
#define PAGE2 "map 0xffff000080001000 0x40008000 0xf000\n"

static void begin(struct pe_bench *b, unsigned order)
{
    const struct cairn_pe_options options = pe_bench_order(order);

    pe_bench_begin(b, FIRST, &options);
}

#define ORDERS 12u
#define FEW 4u

/* Bytes go where the pages are; the pointer stays a virtual address. */
static void test_mapped(void **state)
{
    static struct pe_bench b;
    static const uint8_t sync[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80}; /* of ETE, in front */

    (void)state;
    for (unsigned n = 0; n < ORDERS; n++) {
        begin(&b, n);
        pe_bench_run(&b, OWNED_BY_EL1 PAGE1 PAGE2 BUFFER TRACED DRAINED);
        assert_int_equal(b.status, 0);
        assert_true(b.written > 256);
        assert_int_equal(b.value, VA + 0xf00 + b.written);
        assert_memory_equal(b.memory + 0xf00, sync, sizeof sync);
        assert_true(b.memory[0x8000] != 0 || b.memory[0x8001] != 0);
        assert_int_equal(b.memory[0x1000] | b.memory[0x1001], 0);
        assert_int_equal(b.found, 0);
        pe_bench_end(&b);
    }
}

static void assert_stops(const char *second, uint64_t FSC)
{
    static struct pe_bench b;
    char text[512];

    for (unsigned n = 0; n < ORDERS; n++) {
        begin(&b, n);
        snprintf(text, sizeof text, "%s%s%s", OWNED_BY_EL1 PAGE1, second, BUFFER TRACED DRAINED);
        pe_bench_run(&b, text);
        assert_int_equal(b.status, STAGE1 | IRQ | S | FSC);
        assert_int_equal(b.value, VA + 0x1000);
        assert_int_equal(b.written, 256);
        assert_true(b.level);
        assert_int_equal(b.found, 0);
        pe_bench_end(&b);
    }
}

/* A page in the middle that cannot be written: collection stops, and the pointer is the fault address. */
static void test_fault(void **state)
{
    (void)state;
    /* proves: R_FSPBK, I_GVGPB */
    assert_stops("", TRANSLATION);
    assert_stops("map 0xffff000080001000 0x40008000 4096 ro\n", PERMISSION);
    assert_stops("map 0xffff000080001000 0x40008000 4096 noaf\n", ACCESS_FLAG);
}

/* What is mapped at the fault goes on at the pointer, and nothing is lost that was not thrown away. A
 * translation that was not there needs no TLBI. */
static void test_resume(void **state)
{
    static struct pe_bench b;

    (void)state;
    for (unsigned n = 0; n < ORDERS; n++) {
        begin(&b, n);
        pe_bench_run(&b, OWNED_BY_EL1 PAGE1 BUFFER TRACED DRAINED);
        pe_bench_run(
            &b, "msr TRFCR_EL1, 0\nisb\n" PAGE2
                "dsb\nmsr TRBLIMITR_EL1, 0xffff000080010000\nisb\nmsr TRBSR_EL1, 0\nisb\n"
                "msr TRBLIMITR_EL1, 0xffff000080010001\nmsr TRFCR_EL1, 1\nisb\n" TRACED DRAINED);
        assert_int_equal(b.status, 0);
        assert_int_equal(b.value, VA + 0xf00 + b.written);
        assert_true(b.written > 256);
        assert_false(b.level);
        assert_int_equal(b.found, 0);
        pe_bench_end(&b);
    }
}

/* Trace that is written while a transaction is open is no store of it, and no conflict: it commits. */
static void test_transaction(void **state)
{
    static struct pe_bench b;
    struct cairn_pe_options options = pe_bench_order(0);
    char text[256];

    (void)state;
    options.flags |= CAIRN_PE_HAS_TRANSACTIONS;
    pe_bench_begin(&b, FIRST, &options);
    pe_bench_run(&b, OWNED_BY_EL1 PAGE1 PAGE2);
    assert_int_equal(cairn_pe_write(b.pe, "MDCR_EL2", 0x3000006), CAIRN_OK); /* HPMN */
    snprintf(text, sizeof text,
             "msr PMEVTYPER0_EL0, %u\nmsr PMEVTYPER1_EL0, %u\nmsr PMCNTENSET_EL0, 3\n"
             "msr PMCR_EL0, 1\n",
             (unsigned)CAIRN_PMU_TCOMMIT_RETIRED, (unsigned)CAIRN_PMU_TME_TRANSACTION_FAILED);
    pe_bench_run(&b, text);
    pe_bench_run(&b, BUFFER "enter EL0n\n");
    cairn_pe_transaction_start(b.pe);
    assert_int_equal(b.written, 0);
    pe_bench_run(&b, "run 20000\nisb\ntsb csync\n");
    assert_true(b.written > 256);
    cairn_pe_transaction_commit(b.pe);
    pe_bench_run(&b, "enter EL1n\n");
    /* proves: R_MDJNK */
    assert_int_equal(pe_bench_get(&b, "PMEVCNTR0_EL0"), 1);
    assert_int_equal(pe_bench_get(&b, "PMEVCNTR1_EL0"), 0);
    pe_bench_end(&b);
}

/* Tables are the caller's, of EL1&0 with 39 bits: begins at level 1. */
static void put(struct memory_bench *b, uint64_t address, uint64_t value)
{
    b->words[b->words_count].address = address;
    b->words[b->words_count++].value = value;
}

static void begin_with_tables(struct memory_bench *b, unsigned order)
{
    struct cairn_pe_options options = pe_bench_order(order);

    static const struct {
        const char *name;
        uint64_t value;
    } registers[] = {
        {"TTBR1_EL1", 0x10000},
        {"TCR_EL1", UINT64_C(25) << 16 | UINT64_C(2) << 30 | UINT64_C(5) << 32},
        {"SCTLR_EL1", 1},
    };

    b->words_count = b->walks = 0;
    options.walk = walk;
    pe_bench_begin(&b->b, FIRST, &options);
    for (size_t i = 0; i < sizeof registers / sizeof registers[0]; i++)
        assert_int_equal(cairn_pe_write(b->b.pe, registers[i].name, registers[i].value), CAIRN_OK);
    /* 0xffffff8000000000 begins the range; index 0 at each level. */
    put(b, 0x10000, 0x11003);
    put(b, 0x11000, 0x12003);
    put(b, 0x12000, FIRST | 0x703);
    put(b, 0x12008, 0);
}

#define OWN_BUFFER                                                                                 \
    "msr TRBBASER_EL1, 0xffffff8000000000\nmsr TRBPTR_EL1, 0xffffff8000000f00\n"                   \
    "isb\nmsr TRCPRGCTLR, 1\nmsr TRBLIMITR_EL1, 0xffffff8000010001\nisb\n"

static void test_own_tables(void **state)
{
    static struct memory_bench b;

    (void)state;
    begin_with_tables(&b, 1);
    pe_bench_run(&b.b, OWNED_BY_EL1 OWN_BUFFER TRACED DRAINED);
    assert_int_equal(b.b.status, STAGE1 | IRQ | S | TRANSLATION);
    assert_int_equal(b.b.written, 256);
    assert_true(b.walks > 0);
    pe_bench_end(&b.b);
    /* Where no memory is, an External abort on the walk: level 3. */
    begin_with_tables(&b, 0);
    b.words_count--;
    pe_bench_run(&b.b, OWNED_BY_EL1 OWN_BUFFER TRACED DRAINED);
    assert_int_equal(b.b.status, STAGE1 | IRQ | EA | S | 0x17);
    assert_int_equal(b.b.written, 256);
    pe_bench_end(&b.b);
}

/* Stage 2 of EL1&0 maps nothing: the fault is of stage 2, on the first walk. Without stage 1 (nVM) the pointer
 * is an intermediate physical address. */
static void test_stage2(void **state)
{
    static struct memory_bench b;

    (void)state;
    for (unsigned nVM = 0; nVM < 2; nVM++) {
        begin_with_tables(&b, 0);
        assert_int_equal(cairn_pe_write(b.b.pe, "HCR_EL2", 1 | UINT64_C(1) << 31), CAIRN_OK);
        /* 39 bits, begins at level 1, 48 bits come out */
        assert_int_equal(cairn_pe_write(b.b.pe, "VTCR_EL2", 25 | 1 << 6 | 5 << 16), CAIRN_OK);
        assert_int_equal(cairn_pe_write(b.b.pe, "VTTBR_EL2", 0x20000), CAIRN_OK);
        put(&b, 0x20000, 0);
        if (nVM)
            pe_bench_run(&b.b, OWNED_BY_EL1
                         "msr TRBBASER_EL1, 0x1000\nmsr TRBPTR_EL1, 0x1000\n"
                         "msr TRCPRGCTLR, 1\nmsr TRBLIMITR_EL1, 0x3021\nisb\n" TRACED DRAINED);
        else
            pe_bench_run(&b.b, OWNED_BY_EL1 OWN_BUFFER TRACED DRAINED);
        assert_int_equal(b.b.status, STAGE2 | IRQ | S | 0x05); /* Translation, level 1 */
        assert_int_equal(b.b.written, 0);
        pe_bench_end(&b.b);
    }
}

/* EL2 owns it: its own tables count, those of EL1 do not. */
/* Which address space the bytes of the callers' memory are of. */
struct spaces {
    const struct cairn_pe *pe;
    uint64_t bytes[4];
};

static void note_space(void *context, uint64_t address, const uint8_t *bytes, size_t size)
{
    struct spaces *spaces = context;

    (void)address;
    (void)bytes;
    assert_true(spaces->pe->order.space < 4);
    spaces->bytes[spaces->pe->order.space] += size;
}

/* What a Secure owner writes is Secure memory's, though it is complete only when the core is in Non-secure state. */
static void test_spaces(void **state)
{
    (void)state;
    for (unsigned secure = 0; secure < 2; secure++)
        for (unsigned order = 0; order < 8; order++) {
            const struct cairn_pe_options options = pe_bench_order(order);
            struct pe_bench b;
            struct spaces spaces = {.pe = NULL};

            pe_bench_begin(&b, FIRST, &options);
            spaces.pe = b.pe;
            b.pe->memory = note_space;
            b.pe->caller = &spaces;
            b.pe->tell = NULL;
            pe_bench_run(&b, secure ? "msr SCR_EL3, 0x400\nmsr MDCR_EL3, 0x1040000\nenter EL1s\n"
                                    : "msr SCR_EL3, 0x401\nmsr MDCR_EL3, 0x3040000\n"
                                      "msr MDCR_EL2, 0x3000000\nenter EL1n\n");
            pe_bench_run(&b, "msr TRFCR_EL1, 1\nmsr TRCCONFIGR, 1\nmsr TRCVICTLR, 0x201\n"
                             "msr TRBBASER_EL1, 0x40000000\nmsr TRBPTR_EL1, 0x40000000\n"
                             "isb\nmsr TRCPRGCTLR, 1\nmsr TRBLIMITR_EL1, 0x40010001\nisb\n");
            pe_bench_run(&b, secure ? "enter EL0s\nrun 4000\nenter EL1s\n"
                                    : "enter EL0n\nrun 4000\nenter EL1n\n");
            pe_bench_run(&b, secure
                                 ? "tsb csync\nenter EL3\nmsr SCR_EL3, 0x401\nenter EL1n\ndsb\n"
                                 : "tsb csync\nenter EL3\nmsr SCR_EL3, 0x400\nenter EL1s\ndsb\n");
            /* proves: R_HBZNT */
            assert_true(spaces.bytes[secure ? CAIRN_SECURE : CAIRN_NONSECURE] > 100);
            assert_int_equal(spaces.bytes[secure ? CAIRN_NONSECURE : CAIRN_SECURE], 0);
            pe_bench_end(&b);
        }
}

static void test_EL2(void **state)
{
    static struct pe_bench b;

    (void)state;
    begin(&b, 1);
    pe_bench_run(&b,
                 "msr SCR_EL3, 0x401\nmsr MDCR_EL3, 0x3000000\nmap 0x80000000 0x40000000 4096\n"
                 "enter EL2n\nmsr TTBR0_EL1, 0\nmsr MDCR_EL2, 0\nmsr TRFCR_EL1, 1\n"
                 "msr TRBBASER_EL1, 0x80000000\nmsr TRBPTR_EL1, 0x80000f00\nmsr TRCCONFIGR, 1\n"
                 "msr TRCVICTLR, 0x201\nmsr TRFCR_EL2, 1\nmsr TRCPRGCTLR, 1\n"
                 "msr TRBLIMITR_EL1, 0x80010001\nisb\nenter EL0n\nrun 20000\nenter EL2n\n" DRAINED);
    assert_int_equal(b.status, STAGE1 | IRQ | S | TRANSLATION);
    assert_int_equal(b.value, 0x80001000);
    assert_int_equal(b.written, 256);
    pe_bench_end(&b);
}

static void assert_found(const char *text, const char *rule, uint32_t missing)
{
    static struct pe_bench b;

    for (unsigned n = 0; n < ORDERS; n++) {
        begin(&b, n);
        pe_bench_run(&b, text);
        if (!b.found)
            fail_msg("%s, order %u: nothing", rule, n);
        assert_string_equal(b.first.rule, rule);
        assert_int_equal(b.first.missing, missing);
        assert_null(b.first.name);
        pe_bench_end(&b);
    }
}

static void assert_nothing_found(const char *text)
{
    static struct pe_bench b;

    for (unsigned n = 0; n < SEEDS / 5; n++) {
        begin(&b, n);
        pe_bench_run(&b, text);
        if (b.found)
            fail_msg("order %u: line %u: %s", n, (unsigned)b.first.place, b.first.rule);
        pe_bench_end(&b);
    }
}

#define ALL OWNED_BY_EL1 PAGE1 PAGE2 BUFFER TRACED
#define PROHIBITED "msr TRFCR_EL1, 0\nisb\n"
#define ALLOWED "msr TRFCR_EL1, 1\nisb\n"
#define MOVED "map 0xffff000080001000 0x40010000 0xf000\n"

/* The tables change while trace is on its way, or what is kept of them is not made forgotten. */
static void test_maintenance(void **state)
{
    (void)state;
    /* proves: I_MZQPT */
    assert_nothing_found(ALL PROHIBITED "tsb csync\ndsb\n" MOVED
                                        "dsb\ntlbi VMALLE1IS\ndsb\nisb\n" ALLOWED TRACED DRAINED);
    assert_nothing_found(ALL PROHIBITED "tsb csync\nunmap 0xffff000080000000 0x10000\n");
    /* proves: R_MRVPT */
    assert_found(ALL PROHIBITED "unmap 0xffff000080000000 0x10000\n", "R_MRVPT",
                 CAIRN_PE_MISSES_TSB);
    /* proves: R_GQJMC */
    assert_found(ALL PROHIBITED "tsb csync\ndsb\n" MOVED "dsb\nisb\n" ALLOWED TRACED DRAINED,
                 "R_GQJMC", CAIRN_PE_MISSES_TLBI | CAIRN_PE_MISSES_DSB);
    assert_found(ALL PROHIBITED "tsb csync\ndsb\n" MOVED
                                "dsb\ntlbi VAE1 0xffff000080000\ndsb\nisb\n" ALLOWED TRACED DRAINED,
                 "R_GQJMC", CAIRN_PE_MISSES_TLBI | CAIRN_PE_MISSES_DSB);
    assert_found(ALL PROHIBITED "tsb csync\ndsb\n" MOVED
                                "dsb\ntlbi VMALLE1IS\nisb\n" ALLOWED TRACED DRAINED,
                 "R_GQJMC", CAIRN_PE_MISSES_DSB);
}

#define PAGE_2 3u /* of `words` */

/* Runs what is before on the caller's tables, of which both pages are mapped; then one descriptor is another. */
static void change_behind(struct memory_bench *b, unsigned order, const char *before,
                          uint64_t descriptor)
{
    begin_with_tables(b, order);
    b->words[PAGE_2].value = (FIRST + 0x1000) | 0x703;
    pe_bench_run(&b->b, OWNED_BY_EL1 OWN_BUFFER);
    pe_bench_run(&b->b, before);
    assert_int_equal(b->b.found, 0);
    b->words[PAGE_2].value = descriptor;
}

/* The same, in the caller's own memory: noticed at the next barrier, TLBI or write of trace. */
static void test_own_maintenance(void **state)
{
    static struct memory_bench b;

    (void)state;
    for (unsigned n = 0; n < FEW; n++) {
        change_behind(&b, n, TRACED PROHIBITED "tsb csync\ndsb\n", SECOND | 0x703);
        pe_bench_run(&b.b, "dsb\ntlbi VMALLE1IS\ndsb\nisb\n" ALLOWED TRACED DRAINED);
        assert_int_equal(b.b.found, 0);
        assert_int_equal(b.b.status, 0);
        pe_bench_end(&b.b);

        change_behind(&b, n, TRACED PROHIBITED, 0);
        pe_bench_run(&b.b, "tsb csync\ndsb\nisb\n");
        assert_true(b.b.found > 0);
        /* proves: R_MRVPT */
        assert_string_equal(b.b.first.rule, "R_MRVPT");
        assert_int_equal(b.b.first.missing, CAIRN_PE_MISSES_TSB);
        assert_int_equal(b.b.first.address, UINT64_C(0xffffff8000001000));
        pe_bench_end(&b.b);

        change_behind(&b, n, TRACED PROHIBITED, SECOND | 0x703);
        pe_bench_run(&b.b, "tlbi VMALLE1IS\n");
        assert_int_equal(b.b.found, 1);
        assert_string_equal(b.b.first.rule, "R_MRVPT");
        pe_bench_end(&b.b);

        change_behind(&b, n, TRACED, SECOND | 0x703);
        pe_bench_run(&b.b, TRACED);
        assert_true(b.b.found > 0);
        assert_string_equal(b.b.first.rule, "R_MRVPT");
        pe_bench_end(&b.b);

        change_behind(&b, n, TRACED PROHIBITED "tsb csync\ndsb\n", SECOND | 0x703);
        pe_bench_run(&b.b, "dsb\nisb\n" ALLOWED TRACED DRAINED);
        assert_true(b.b.found > 0);
        /* proves: R_GQJMC */
        assert_string_equal(b.b.first.rule, "R_GQJMC");
        pe_bench_end(&b.b);

        /* A bit of the descriptor that is software's. */
        change_behind(&b, n, TRACED PROHIBITED, (FIRST + 0x1000) | 0x703 | UINT64_C(1) << 55);
        pe_bench_run(&b.b, "tsb csync\ndsb\nisb\n");
        assert_int_equal(b.b.found, 0);
        pe_bench_end(&b.b);
    }
}

/* Descriptors are remembered up to a number, the youngest; each change is found once. */
static void test_most_descriptors(void **state)
{
    static struct memory_bench b;
    const uint64_t at = 0x100000;

    (void)state;
    begin_with_tables(&b, 0);
    for (uint64_t i = 0; i < 200; i++) {
        const struct cairn_pe_walked_word word = {.address = at + 8 * i,
                                                  .security = CAIRN_NONSECURE};

        cairn_pe_walked_use(b.b.pe, 4096 * i, i + 1);
        cairn_pe_walked_add(b.b.pe, &word); /* nothing is there */
        cairn_pe_walked_add(b.b.pe, &word);
    }
    assert_int_equal(b.b.pe->walked.count, CAIRN_PE_WALKED_MOST);
    put(&b, at + 8 * (199 - CAIRN_PE_WALKED_MOST), 1);
    cairn_pe_walked_check(b.b.pe);
    assert_int_equal(b.b.found, 0);
    put(&b, at + 8 * (200 - CAIRN_PE_WALKED_MOST), 1);
    cairn_pe_at(b.b.pe, 7);
    cairn_pe_walked_check(b.b.pe);
    assert_int_equal(b.b.found, 1);
    assert_int_equal(b.b.first.place, 7);
    assert_int_equal(b.b.first.address, 4096 * (200 - CAIRN_PE_WALKED_MOST));
    put(&b, at + 8 * 199, 1);
    cairn_pe_at(b.b.pe, 8);
    cairn_pe_walked_check(b.b.pe);
    cairn_pe_at(b.b.pe, 9);
    cairn_pe_walked_check(b.b.pe);
    assert_int_equal(b.b.found, 2);
    /* The oldest one is looked at once more when it is forgotten. */
    put(&b, at + 8 * (201 - CAIRN_PE_WALKED_MOST), 1);
    cairn_pe_at(b.b.pe, 10);
    for (uint64_t i = 200; i < 202; i++) {
        const struct cairn_pe_walked_word word = {.address = at + 8 * i,
                                                  .security = CAIRN_NONSECURE};

        assert_int_equal(b.b.found, 2);
        cairn_pe_walked_use(b.b.pe, 4096 * i, i + 1);
        cairn_pe_walked_add(b.b.pe, &word);
    }
    /* proves: R_MRVPT */
    assert_int_equal(b.b.found, 3);
    pe_bench_end(&b.b);
}

/* By the name of a TLBI the encoding that assemblers have for it; and at which levels it is. */
static void test_names(void **state)
{
    static struct pe_bench b;
    struct cairn_error error;

    (void)state;
    begin(&b, 0);
    pe_bench_run(&b,
                 "tlbi ALLE1\ntlbi alle2os\ntlbi IPAS2E1IS 0x40000\ntlbi IPAS2LE1OS\nenter EL1n\n"
                 "tlbi VAALE1 1\ntlbi ASIDE1OS\n");
    assert_int_equal(cairn_pe_sys(b.pe, CAIRN_SYSREG(1, 0, 8, 7, 0), 0), CAIRN_PE_ANSWER_OK);
    assert_int_equal(cairn_pe_sys(b.pe, CAIRN_SYSREG(1, 0, 8, 3, 5), 0), CAIRN_PE_ANSWER_OK);
    assert_int_equal(cairn_pe_sys(b.pe, CAIRN_SYSREG(1, 4, 8, 7, 0), 0), CAIRN_PE_ANSWER_UNDEFINED);
    assert_int_equal(cairn_pe_sys(b.pe, CAIRN_SYSREG(1, 0, 8, 5, 0), 0), CAIRN_PE_ANSWER_UNDEFINED);
    assert_int_equal(pe_bench_try(&b, "tlbi WIBBLE\n", &error), CAIRN_E_CONFIG);
    assert_int_equal(pe_bench_try(&b, "enter EL0n\ntlbi VMALLE1\n", &error), CAIRN_E_CONFIG);
    pe_bench_run(&b, "enter EL1n\n");
    assert_int_equal(cairn_pe_write(b.pe, "HCR_EL2", 1u << 25), CAIRN_OK); /* TTLB */
    assert_int_equal(cairn_pe_sys(b.pe, CAIRN_SYSREG(1, 0, 8, 7, 0), 0), CAIRN_PE_ANSWER_TRAP_EL2);
    pe_bench_end(&b);
}

/* Lines that cannot be, and accesses of software that fault. */
static void test_wrong(void **state)
{
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"map 1 0 4096\n", "multiples of 4096"},
        {"map 0 0 0\n", "from 4096 bytes"},
        {"map 0 0 0x2000000\n", "to 16 MiB"},
        {"map 0x1000000000000 0 4096\n", "virtual addresses"},
        {"map 0xfffffffffffff000 0 8192\n", "virtual addresses"},
        {"map 0 0x1000000000000 4096\n", "physical ones"},
        {"map 0 0xfffffffffffff000 8192\n", "physical ones"},
        {"map 0 0 4096 rw\n", "ro or noaf"},
        {"map 0 0\n", "something is missing"},
        {"map 0 0 4096 ro ro\n", "words left over"},
        {"unmap 0 1\n", "multiples of 4096"},
        {"tlbi VAE1 x\n", "no number"},
        {"msr SCR_EL3, 0x401\nenter EL1n\nmap 0 0 4096\nload 0x1ffe 4\n",
         ":4: load at 0x1ffe is a fault"},
        {"msr SCR_EL3, 0x401\nenter EL1n\nmap 0 0x40000000 4096 ro\nstore 0 4\n", "FSC 0x0f"},
        {"msr SCR_EL3, 0x401\nenter EL1n\nmap 0 0x40000000 4096\nstore 0xffe 4\n",
         "store at 0x1000 is a fault at stage 1, FSC 0x07"},
        {"msr SCR_EL3, 0x401\nenter EL1n\nmap 0 0 4096\nload 0 0xffffffffffffffff\n", "16 MiB"},
    };
    static struct pe_bench b;
    struct cairn_error error;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        begin(&b, 0);
        assert_true(pe_bench_try(&b, wrong[i].text, &error) != CAIRN_OK);
        if (!strstr(error.text, wrong[i].says))
            fail_msg("%s: %s", wrong[i].text, error.text);
        pe_bench_end(&b);
    }
}

/* Tables have an end: a page far from each other takes three of 1024. */
static void test_most_tables(void **state)
{
    static struct pe_bench b;
    struct cairn_error error;
    char text[64];
    cairn_status status = CAIRN_OK;
    unsigned pages = 0;

    (void)state;
    begin(&b, 0);
    while (status == CAIRN_OK && pages < 1000) {
        snprintf(text, sizeof text, "map 0x%llx 0 4096\n", (unsigned long long)pages << 39);
        status = pe_bench_try(&b, text, &error);
        pages += status == CAIRN_OK;
    }
    assert_int_equal(status, CAIRN_E_CONFIG);
    assert_int_equal(pages, (1024 - 2) / 3);
    assert_non_null(strstr(error.text, "1024 tables"));
    pe_bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mapped),
        cmocka_unit_test(test_fault),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_own_tables),
        cmocka_unit_test(test_stage2),
        cmocka_unit_test(test_EL2),
        cmocka_unit_test(test_spaces),
        cmocka_unit_test(test_transaction),
        cmocka_unit_test(test_maintenance),
        cmocka_unit_test(test_own_maintenance),
        cmocka_unit_test(test_most_descriptors),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_most_tables),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
