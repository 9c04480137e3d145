/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodings of the system registers against LLVM 19's: each of the 1,024 that trace units can have, as
 * MRS and as MSR. */
#include <stdlib.h>

#include <cairn/access.h>

#include "../../isa/llvm_disasm.h"
#include "../conformance/bench.h"

#define FEATURES "+ete,+v9.2a"
#define MRS 0xd5200000u
#define MSR 0xd5000000u
#define MOST 400

/* LLVM knows them; no unit that is modelled has them. */
static const char *const others[] = {"TRCPROCSELR", "TRCVDCTLR", "TRCVDSACCTLR", "TRCVDARCCTLR",
                                     "TRCDVCVR",    "TRCDVCMR",  "TRCIMSPEC",    "TRCITEEDCR"};

static struct llvm_disasm *disasm;

/* What LLVM calls it; "": it has no name. */
static void name_of(uint32_t base, uint32_t sysreg, char name[64])
{
    const uint32_t word = base | sysreg << 5;
    uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                        (uint8_t)(word >> 24)};
    char text[128];
    const char *found;

    name[0] = '\0';
    if (llvm_disasm_text(disasm, 0, bytes, 4, text, sizeof text) == 0)
        return;
    found = strstr(text, "TRC");
    if (found != NULL)
        snprintf(name, 64, "%.*s", (int)strcspn(found, ", \t"), found);
}

static bool is_other(const char *name)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(name, others[i], strlen(others[i])) == 0 && strcmp(name, "TRCIMSPEC0") != 0)
            return true;
    return false;
}

/* ETE has numbers where ETMv4 has one register. */
static bool is_same(const char *ours, const char *theirs)
{
    return strcmp(ours, theirs) == 0 ||
           (strcmp(ours, "TRCEXTINSELR0") == 0 && strcmp(theirs, "TRCEXTINSELR") == 0);
}

static size_t list(enum cairn_protocol_id protocol, struct cairn_unit_register_info infos[MOST])
{
    static const struct cairn_register all = {.name = "TRCIDR4", .value = 0x888f8008};
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit *unit;
    size_t count = 0;

    options.protocol = protocol;
    options.arch = cairn_arch_any_a();
    options.registers = &all;
    options.register_count = 1;
    assert_int_equal(cairn_unit_new(&options, &unit, NULL), CAIRN_OK);
    for (infos[0].size = sizeof infos[0];
         cairn_unit_register_info(unit, count, &infos[count]) == CAIRN_OK;
         infos[count].size = sizeof infos[0])
        assert_true(++count < MOST);
    cairn_unit_free(unit);
    return count;
}

/* Of both kinds of units together: by this encoding, that way. */
static const char *ours(const struct cairn_unit_register_info *infos, size_t count, uint32_t sysreg,
                        uint32_t flag)
{
    for (size_t i = 0; i < count; i++)
        if (infos[i].sysreg == sysreg && (infos[i].flags & flag))
            return infos[i].name;
    return "";
}

static void test_encodings(void **state)
{
    static struct cairn_unit_register_info infos[2 * MOST];
    size_t count, named = 0;

    (void)state;
    if (!llvm_load()) {
        print_message("# skipped: LLVM 19 (libLLVM.so.19.1) is not installed\n");
        skip();
    }
    disasm = llvm_disasm_new("aarch64", FEATURES);
    assert_non_null(disasm);
    count = list(CAIRN_PROTOCOL_ETMV4, infos);
    count += list(CAIRN_PROTOCOL_ETE, infos + count);
    for (uint32_t n = 0; n < 1024; n++) {
        const uint32_t sysreg = CAIRN_SYSREG(2, 1, n >> 7, n >> 3 & 15, n & 7);
        char theirs[64];

        name_of(MRS, sysreg, theirs);
        if (!is_other(theirs) &&
            !is_same(ours(infos, count, sysreg, CAIRN_REGISTER_READABLE), theirs))
            fail_msg("mrs %03x: %s, LLVM: %s", n,
                     ours(infos, count, sysreg, CAIRN_REGISTER_READABLE), theirs);
        named += theirs[0] != '\0';
        name_of(MSR, sysreg, theirs);
        if (!is_other(theirs) &&
            !is_same(ours(infos, count, sysreg, CAIRN_REGISTER_WRITABLE), theirs))
            fail_msg("msr %03x: %s, LLVM: %s", n,
                     ours(infos, count, sysreg, CAIRN_REGISTER_WRITABLE), theirs);
    }
    assert_true(named > 200);
    llvm_disasm_free(disasm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_encodings)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
