/* SPDX-License-Identifier: BSD-2-Clause */
/* The same execution through the models of an ETMv2 and an ETMv3 gives the same elements (IHI0014 7.11.1,
 * Table 7-24). Programs are random; with cycle-accurate trace each cycle of the core is one of both.
 *
 * usage: test_etmv2_models [--seeds FROM COUNT] */
#include "etmv2_session.h"

#include <stdlib.h>
#include <string.h>

#include <cairn/unit.h>

#include "../peers/random.h"

enum {
    SEEDS = 40,
    INSTRUCTIONS = 70,
    TRACE_BYTES = 1 << 14,
    AT_ONCE = 256,
    FIRST = 0x8000,
    VECTOR_IRQ = 0x18,
    VECTOR_DATA_ABORT = 0x10,
    ETMV3_ID = 0x4104f230,
};

static unsigned first_seed = 1, seed_count = SEEDS;

struct model {
    struct cairn_unit *unit;
    uint8_t bytes[TRACE_BYTES];
    size_t size;
    char text[ETMV2_TEXT];
};
static struct model models[2];

static cairn_status keep(void *closure, const uint8_t *bytes, size_t size)
{
    struct model *model = closure;

    if (model->size + size > sizeof model->bytes)
        return CAIRN_E_LIMIT;
    memcpy(model->bytes + model->size, bytes, size);
    model->size += size;
    return CAIRN_OK;
}

static void begin(struct model *model, enum cairn_protocol_id protocol, uint32_t control)
{
    const bool v2 = protocol == CAIRN_PROTOCOL_ETMV2;
    const struct cairn_register registers[] = {
        {"ETMCR", v2 ? control | ETMV2_PINS_16 : control},
        {"ETMIDR", v2 ? 0x41002110 : ETMV3_ID},
        {"ETMSYNCFR",
         0xfff}, /* no synchronisation but the first: the two have it in different places */
    };
    struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_error error = {.status = CAIRN_OK};
    const struct cairn_context context = {.security = CAIRN_SECURE};

    options.protocol = protocol;
    options.arch = (struct cairn_arch){CAIRN_PROFILE_A, 5, 0, 0};
    options.registers = registers;
    options.register_count = sizeof registers / sizeof *registers;
    options.sink = keep;
    options.sink_context = model;
    model->size = 0;
    if (cairn_unit_new(&options, &model->unit, &error) != CAIRN_OK)
        fail_msg("%s", error.text);
    cairn_unit_context(model->unit, &context);
    cairn_unit_enable(model->unit);
}

static void end(struct model *model)
{
    struct cairn_config *config = cairn_unit_config(model->unit);

    cairn_unit_disable(model->unit);
    assert_int_equal(cairn_unit_status(model->unit), CAIRN_OK);
    assert_non_null(config);
    etmv2_elements_of(config, model->bytes, model->size, model->size, AT_ONCE, model->text);
    cairn_config_unref(config);
    cairn_unit_free(model->unit);
}

/* --- a program, told to both --- */

static void tell(uint32_t at, bool thumb, unsigned kind, bool thumb_target, uint32_t target,
                 bool passed)
{
    const uint8_t size = thumb ? 2 : 4;
    const struct cairn_block block = {
        .address = at,
        .target = kind == CAIRN_INSN_BRANCH_DIRECT ? target : 0,
        .size = size,
        .count = 1,
        .isa = thumb ? CAIRN_ISA_T32 : CAIRN_ISA_A32,
        .kind = (uint8_t)kind,
        .last_size = size,
        .target_isa = thumb_target ? CAIRN_ISA_T32 : CAIRN_ISA_A32,
    };

    cairn_unit_cycles(models[1].unit, 1); /* Table 7-24: the cycle, W, is in front of the atom */
    for (unsigned i = 0; i < 2; i++)
        cairn_unit_execute(models[i].unit, &block, passed);
}

static void transfer(struct peer_random *random)
{
    const uint32_t address = 0x20000000 + 4 * peer_random_below(random, 4096);
    const unsigned words = peer_random_range(random, 1, 4);
    const uint32_t store = peer_random_below(random, 2) ? CAIRN_UNIT_DATA_STORE : 0;

    for (unsigned word = 0; word < words; word++) {
        const struct cairn_unit_transfer told = {
            address + 4 * word, (uint32_t)peer_random_64(random) >> peer_random_below(random, 32),
            4, store};

        for (unsigned i = 0; i < 2; i++)
            cairn_unit_data(models[i].unit, &told);
    }
}

static void except(unsigned type, uint32_t at, bool thumb)
{
    for (unsigned i = 0; i < 2; i++)
        cairn_unit_exception(models[i].unit, type, at, thumb ? CAIRN_ISA_T32 : CAIRN_ISA_A32);
}

static void pass_cycle(void)
{
    cairn_unit_cycles(models[0].unit, 1);
}

/* How many cycles passed before trace began an ETMv2 does not tell. */
static void leave_out_first_count(char *text)
{
    static const char count[] = "w1 ", on[] = "on ";
    char *at = strstr(text, count);

    if (at && strncmp(at + strlen(count), on, strlen(on)) == 0)
        memmove(at, at + strlen(count), strlen(at + strlen(count)) + 1);
}

/* Nor does an ETMv3 tell of those in which an ETMv2's FIFO drains at the end. */
static void leave_out_last_count(char *text)
{
    char *last = strrchr(text, ' ');

    if (last && last[1] == 'w')
        *last = '\0';
}

static uint32_t draw_target(struct peer_random *random, bool thumb)
{
    return FIRST + (peer_random_below(random, 0x4000) & (thumb ? ~1u : ~3u));
}

/* An instruction is told, and is cancelled by an interrupt, or is aborted, or goes on. */
static void run_program(uint64_t seed)
{
    struct peer_random random = {.state = seed};
    uint32_t pc = FIRST;
    bool thumb = false;

    for (unsigned i = 0; i < INSTRUCTIONS; i++) {
        static const unsigned kinds[] = {CAIRN_INSN_OTHER, CAIRN_INSN_OTHER, CAIRN_INSN_OTHER,
                                         CAIRN_INSN_BRANCH_DIRECT, CAIRN_INSN_BRANCH_INDIRECT};
        const unsigned kind = kinds[peer_random_below(&random, 5)];
        const bool passed = peer_random_below(&random, 4) > 0;
        const bool exchanges =
            kind == CAIRN_INSN_BRANCH_INDIRECT && peer_random_below(&random, 3) == 0;
        const bool thumb_target = exchanges ? !thumb : thumb;
        const uint32_t target = draw_target(&random, thumb_target);
        const unsigned event = peer_random_below(&random, 40);

        tell(pc, thumb, kind, thumb_target, target, passed);
        if (passed && kind == CAIRN_INSN_OTHER && peer_random_below(&random, 2))
            transfer(&random);
        pass_cycle();
        if (kind == CAIRN_INSN_OTHER && event < 2) {
            except(event ? CAIRN_EXCEPTION_IRQ : CAIRN_EXCEPTION_FIQ, pc, thumb);
            pc = event ? VECTOR_IRQ : VECTOR_IRQ + 4;
            thumb = false;
            continue;
        }
        pc = passed && kind != CAIRN_INSN_OTHER ? target : pc + (thumb ? 2 : 4);
        if (passed && kind != CAIRN_INSN_OTHER)
            thumb = thumb_target;
    }
    tell(pc, thumb, CAIRN_INSN_OTHER, false, 0, true); /* where the last one leads is known */
    pass_cycle();
}

static void compare(uint64_t seed, uint32_t control)
{
    begin(&models[0], CAIRN_PROTOCOL_ETMV2, control);
    begin(&models[1], CAIRN_PROTOCOL_ETMV3, control);
    cairn_unit_cycles(models[1].unit, 1);
    run_program(seed);
    end(&models[0]);
    end(&models[1]);
    leave_out_first_count(models[1].text);
    leave_out_last_count(models[0].text);
    /* proves: ETM2-7.11.1-a */
    assert_string_equal(models[0].text, models[1].text);
}

static void same_elements(void **state)
{
    static const uint32_t controls[] = {0,
                                        ETMV2_VALUES,
                                        ETMV2_ADDRESSES,
                                        ETMV2_DATA,
                                        1 << 8 /* branch output */,
                                        ETMV2_CYCLES,
                                        ETMV2_DATA | 1 << 8};

    (void)state;
    for (unsigned seed = first_seed; seed < first_seed + seed_count; seed++)
        compare(seed, controls[seed % (sizeof controls / sizeof *controls)]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_elements)};

    if (argc == 4 && strcmp(argv[1], "--seeds") == 0) {
        first_seed = (unsigned)strtoul(argv[2], NULL, 0);
        seed_count = (unsigned)strtoul(argv[3], NULL, 0);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
