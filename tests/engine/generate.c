/* SPDX-License-Identifier: BSD-2-Clause */
#include "generate.h"
#include "generator.h"

#include <stdlib.h>
#include <string.h>

bool engine_sync_tells_all;

enum {
    CODE_LEAST = 1 << 11,
    CODE_STEPS = 9, /* doublings at most */
    REGISTERS = 8,
};

static bool configure(struct generator *g)
{
    const bool cycles = below(g, 3) == 0;
    const struct cairn_register registers[REGISTERS] = {
        {"TRCCONFIGR", 1u | (below(g, 2) ? 1u << 12 : 0) | (cycles ? 1u << 4 : 0) |
                           (!g->ete && below(g, 4) == 0 ? (1 + below(g, 3)) << 1 : 0)},
        {"TRCTRACEIDR", 1},
        {"TRCDEVARCH", g->ete ? 0x47705a13u | below(g, 4) << 16 : 0x47714a13u},
        {"TRCIDR0",
         0x08000681u | below(g, 2) << 29 | below(g, 2) << 30 | below(g, 2) << 23 | 3u << 15 | 6u},
        {"TRCIDR1", g->ete ? 0x4100fff0u : 0x4100f400u | below(g, 7) << 4},
        {"TRCIDR2", 0x00001088u | below(g, 2) << 31},
        {"TRCIDR8", g->maxspec},
        {"TRCCCCTLR", 4},
    };
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;

    source.protocol = g->ete ? CAIRN_PROTOCOL_ETE : CAIRN_PROTOCOL_ETMV4;
    source.arch = cairn_arch_any_a();
    if (!g->wide && !g->both && !g->ete && below(g, 2)) {
        source.arch.profile = CAIRN_PROFILE_M;
        source.arch.major = 8;
        source.arch.minor = 1;
    }
    source.registers = registers;
    source.register_count = REGISTERS;
    return cairn_config_new(&source, &g->made->config, NULL) == CAIRN_OK &&
           cairn_packet_writer_new(g->made->config, &g->writer) == CAIRN_OK;
}

bool engine_generate(uint64_t seed, size_t size, struct engine_case *made)
{
    static const uint32_t depths[] = {0, 0, 0, 0, 1, 3, 16, 200};
    static const uint32_t syncs[] = {60, 300, 2000, 20000, 200000};
    static const uint32_t others[] = {0, 2, 2, 10, 50};
    static const uint32_t atoms[] = {1, 4, 12, 60};
    static const uint32_t plains[] = {0, 2, 6, 20, 200};
    struct generator g = {.random = {.state = seed}, .made = made};
    bool calm;
    bool good;

    memset(made, 0, sizeof *made);
    g.ete = below(&g, 2);
    g.wide = percent(&g, 70);
    g.both = percent(&g, 10);
    calm = percent(&g, 50);
    g.maxspec = calm ? 0 : PICK(&g, depths);
    g.code_size = (uint32_t)CODE_LEAST << below(&g, CODE_STEPS);
    g.far = PICK(&g, others);
    g.plain = PICK(&g, plains);
    g.loose = PICK(&g, others);
    g.sync = PICK(&g, syncs);
    g.other = PICK(&g, others);
    g.atoms = PICK(&g, atoms);
    g.capacity = size + 8 * GENERATOR_PACKET;
    g.bytes = malloc(g.capacity);
    generator_draw_context(&g);
    good = g.bytes && generator_make_image(&g) && configure(&g);
    if (good && calm)
        good = generator_make_calm_trace(&g);
    else if (good)
        generator_make_trace(&g);
    cairn_packet_writer_free(g.writer);
    made->data = g.bytes;
    made->size = g.size;
    if (!good)
        engine_generated_free(made);
    return good;
}

void engine_generated_free(struct engine_case *made)
{
    cairn_config_unref(made->config);
    cairn_image_unref(made->image);
    free((void *)(uintptr_t)made->data);
    memset(made, 0, sizeof *made);
}
