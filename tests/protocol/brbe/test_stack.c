/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks of branch records, and as Linux has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/brbe.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define T (1u << 16)
#define LASTFAILED (1u << 17)

static void first_invalid_ends(void **state)
{
    struct cairn_branch_registers registers[5] = {{3, 4, 8}, {3, 12, 16}, {0, 0, 0}};
    struct cairn_branch branches[5] = {{.size = sizeof *branches}};
    uint32_t findings = ~0u;

    (void)state;
    /* proves: X_QMKLH */
    assert_int_equal(cairn_branch_stack(registers, 5, branches, &findings), 2);
    assert_int_equal(findings, 0);
    assert_true(branches[0].source == 4 && branches[1].source == 12);
    registers[4] = (struct cairn_branch_registers){3, 20, 24};
    assert_int_equal(cairn_branch_stack(registers, 5, branches, &findings), 2);
    assert_int_equal(findings, CAIRN_BRANCH_BAD_HOLE);
    registers[1].BRBINF |= 4;
    assert_int_equal(cairn_branch_stack(registers, 2, branches, &findings), 2);
    assert_int_equal(findings, CAIRN_BRANCH_BAD_RESERVED);
    assert_int_equal(cairn_branch_stack(registers, 0, branches, NULL), 0);
    assert_int_equal(cairn_branch_stack(NULL, 5, branches, NULL), 0);
    assert_int_equal(cairn_branch_stack(registers, 5, NULL, NULL), 0);
    branches[0].size = 0;
    assert_int_equal(cairn_branch_stack(registers, 5, branches, NULL), 0);
}

/* A program whose records are larger than ours. */
static void larger_records(void **state)
{
    const struct cairn_branch_registers registers[2] = {{3, 4, 8}, {3, 12, 16}};
    struct {
        struct cairn_branch branch;
        uint64_t more;
    } branches[2] = {{{.size = sizeof *branches}, 5}, {{0}, 5}};

    (void)state;
    assert_int_equal(cairn_branch_stack(registers, 2, &branches[0].branch, NULL), 2);
    assert_true(branches[1].branch.source == 12);
    assert_int_equal(branches[1].branch.size, sizeof *branches);
    assert_true(branches[1].more == 0);
}

static void rolled_back(void **state)
{
    /* youngest first: behind the second failure nothing yet; R: rolled back, perhaps */
    static const struct {
        uint32_t inf;
        bool marked;
    } rows[] = {
        {T, false},              /* a transaction that goes on */
        {LASTFAILED | T, false}, /* its first branch: the one before it failed */
        {T, true},
        {T | LASTFAILED, true}, /* and before that one another */
        {T, true},
        {0, false},
        {T, false}, /* committed: no failure behind it */
        {LASTFAILED, false},
        {0, false}, /* a transaction without branches failed */
        {T, false},
    };
    struct cairn_branch_registers registers[COUNT_OF(rows)];
    struct cairn_branch branches[COUNT_OF(rows)] = {{.size = sizeof *branches}};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        registers[i] = (struct cairn_branch_registers){rows[i].inf | 3u, 4, 8};
    assert_int_equal(cairn_branch_stack(registers, COUNT_OF(rows), branches, NULL), COUNT_OF(rows));
    assert_int_equal(cairn_branch_mark_rolled_back(branches, COUNT_OF(rows)), 3);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        /* proves: I_JBPHS */
        assert_int_equal((branches[i].flags & CAIRN_BRANCH_POSSIBLY_ROLLED_BACK) != 0,
                         rows[i].marked);
    /* the youngest record of all may be the one that says so */
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        branches[i].flags &= ~(uint32_t)CAIRN_BRANCH_POSSIBLY_ROLLED_BACK;
    assert_int_equal(cairn_branch_mark_rolled_back(branches + 1, COUNT_OF(rows) - 1), 3);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal((branches[i].flags & CAIRN_BRANCH_POSSIBLY_ROLLED_BACK) != 0,
                         rows[i].marked);
}

/* Three registers, and the four words of perf: from, to, cycles and bits. Types and their numbers are
 * those of <linux/perf_event.h>. */
static const struct {
    struct cairn_branch_registers registers;
    struct cairn_branch_entry entry;
} golden[] = {
    /* predicted, to EL0; 100 cycles */
    {{UINT64_C(100) << 32 | 3u, 0x1000, 0x2000},
     {0x1000, 0x2000, 100, 2, 0, 0, 1, CAIRN_BRANCH_ENTRY_PREDICTED}},
    /* mispredicted conditional at EL1 in a transaction, cycles unknown */
    {{UINT64_C(1) << 46 | T | 0x08u << 8 | 1u << 6 | 1u << 5 | 3u, 0x10, 0x20},
     {0x10, 0x20, 0, 1, 0, 0, 2, CAIRN_BRANCH_ENTRY_MISPRED | CAIRN_BRANCH_ENTRY_IN_TX}},
    /* half-source: no level; an SVC */
    {{0x22u << 8 | 2u, 0x10, 0}, {0x10, 0, 0, 7, 0, 0, 0, CAIRN_BRANCH_ENTRY_PREDICTED}},
    /* half-target: neither predicted nor mispredicted; an exception return to EL2 */
    {{0x07u << 8 | 2u << 6 | 1u, 0, 0x20}, {0, 0x20, 0, 11, 0, 0, 3, 0}},
    /* a failed transaction before it is no abort of this one */
    {{LASTFAILED | 0x05u << 8 | 3u, 1, 2}, {1, 2, 0, 6, 0, 0, 1, CAIRN_BRANCH_ENTRY_PREDICTED}},
    /* 70,016 cycles: (256 + 17) << 8 is 69,888 */
    {{UINT64_C(0x0911) << 32 | 0x02u << 8 | 3u, 1, 2},
     {1, 2, 0xffff, 4, 0, 0, 1, CAIRN_BRANCH_ENTRY_PREDICTED | CAIRN_BRANCH_ENTRY_SATURATED}},
    /* more than the counter holds */
    {{UINT64_C(0x3fff) << 32 | 0x03u << 8 | 3u, 1, 2},
     {1, 2, 0xffff, 5, 0, 0, 1, CAIRN_BRANCH_ENTRY_PREDICTED | CAIRN_BRANCH_ENTRY_SATURATED}},
    {{0x01u << 8 | 3u << 6 | 3u, 1, 2}, {1, 2, 0, 3, 0, 0, 0, CAIRN_BRANCH_ENTRY_PREDICTED}},
    {{0x2eu << 8 | 2u, 1, 0}, {1, 0, 0, 12, 0, 0, 0, CAIRN_BRANCH_ENTRY_PREDICTED}},
    {{0x23u << 8 | 2u, 1, 0}, {1, 0, 0, 12, 0, 0, 0, CAIRN_BRANCH_ENTRY_PREDICTED}},
    {{0x24u << 8 | 2u, 1, 0}, {1, 0, 0, 13, 0, 0, 0, CAIRN_BRANCH_ENTRY_PREDICTED}},
    {{0x2au << 8 | 2u, 1, 0}, {1, 0, 0, 15, 0, 0, 0, CAIRN_BRANCH_ENTRY_PREDICTED}},
    {{0x2cu << 8 | 2u, 1, 0}, {1, 0, 0, 15, 1, 0, 0, CAIRN_BRANCH_ENTRY_PREDICTED}},
    {{0x2bu << 8 | 2u, 1, 0}, {1, 0, 0, 15, 2, 0, 0, CAIRN_BRANCH_ENTRY_PREDICTED}},
    {{0x2fu << 8 | 2u, 1, 0}, {1, 0, 0, 15, 3, 0, 0, CAIRN_BRANCH_ENTRY_PREDICTED}},
    {{0x21u << 8 | 2u, 1, 0}, {1, 0, 0, 15, 4, 0, 0, CAIRN_BRANCH_ENTRY_PREDICTED}},
    {{0x39u << 8 | 1u, 0, 1}, {0, 1, 0, 15, 5, 0, 1, 0}},
    {{0x26u << 8 | 2u, 1, 0}, {1, 0, 0, 15, 6, 0, 0, CAIRN_BRANCH_ENTRY_PREDICTED}},
    {{0x27u << 8 | 2u, 1, 0}, {1, 0, 0, 15, 7, 0, 0, CAIRN_BRANCH_ENTRY_PREDICTED}},
    {{0x30u << 8 | 2u, 1, 0}, {1, 0, 0, 0, 0, 0, 0, CAIRN_BRANCH_ENTRY_PREDICTED}},
};

static void as_linux_has_them(void **state)
{
    struct cairn_branch branches[COUNT_OF(golden)] = {{.size = sizeof *branches}};
    struct cairn_branch_registers registers[COUNT_OF(golden)];
    struct cairn_branch_entry entries[COUNT_OF(golden)];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(golden); i++)
        registers[i] = golden[i].registers;
    assert_int_equal(cairn_branch_stack(registers, COUNT_OF(golden), branches, NULL),
                     COUNT_OF(golden));
    assert_int_equal(cairn_branch_entries(branches, COUNT_OF(golden), 0, entries), CAIRN_OK);
    for (size_t i = 0; i < COUNT_OF(golden); i++) {
        const struct cairn_branch_entry *made = &entries[i], *wanted = &golden[i].entry;

        /* proves: STACK */
        assert_true(made->from == wanted->from && made->to == wanted->to &&
                    made->cycles == wanted->cycles && made->type == wanted->type &&
                    made->new_type == wanted->new_type && made->spec == 0 &&
                    made->priv == wanted->priv && made->flags == wanted->flags);
    }
    assert_int_equal(cairn_branch_entries(branches, 4, CAIRN_BRANCH_KERNEL_AT_EL2, entries),
                     CAIRN_OK);
    assert_int_equal(entries[3].priv, 2);
}

static void words_of_entries(void **state)
{
    const struct cairn_branch_entry all = {
        .cycles = 0xffff, .type = 15, .new_type = 15, .spec = 3, .priv = 7, .flags = 0xff};
    const struct cairn_branch_entry one = {
        .cycles = 1, .type = 1, .new_type = 1, .spec = 1, .priv = 1, .flags = 2};

    (void)state;
    assert_true(cairn_branch_entry_word(&all) == UINT64_C(0x1ffffffff));
    assert_true(cairn_branch_entry_word(&one) ==
                (2u | 1u << 4 | 1u << 20 | 1u << 24 | 1u << 26 | 1u << 30));
}

static void refused(void **state)
{
    struct cairn_branch branch = {.size = sizeof branch, .type = 64};
    struct cairn_branch_entry entry = {.from = 9};

    (void)state;
    assert_int_equal(cairn_branch_entries(&branch, 1, 0, &entry), CAIRN_E_ARGUMENT);
    branch.type = 0;
    assert_int_equal(cairn_branch_entries(&branch, 1, 2, &entry), CAIRN_E_ARGUMENT);
    branch.size = 8;
    assert_int_equal(cairn_branch_entries(&branch, 1, 0, &entry), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_branch_entries(NULL, 1, 0, &entry), CAIRN_E_ARGUMENT);
    assert_int_equal(cairn_branch_entries(NULL, 0, 0, NULL), CAIRN_OK);
    assert_int_equal(cairn_branch_mark_rolled_back(&branch, 1), 0);
    assert_true(entry.from == 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_invalid_ends), cmocka_unit_test(larger_records),
        cmocka_unit_test(rolled_back),        cmocka_unit_test(as_linux_has_them),
        cmocka_unit_test(words_of_entries),   cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
