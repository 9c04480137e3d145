/* SPDX-License-Identifier: BSD-2-Clause */
#include "settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "shapes.h"

enum {
    SHARED_PERCENT = 70,
    THRESHOLD_MAX = 40,
    STEPS_LEAST = 10,
    STEPS_MOST = 160,
};

/* Register fields: docs/trace.md, "Registers". */
#define CONFIGR_RES1 0x1u
#define CONFIGR_CCI (1u << 4)
#define CONFIGR_CID (1u << 6)
#define CONFIGR_VMID (1u << 7)
#define CONFIGR_TS (1u << 11)
#define CONFIGR_RS (1u << 12)
#define IDR0_BASE 0x08000ea1u /* BB, CCI, return stack, 4 events, 64-bit timestamps */
#define IDR0_COMMOPT (1u << 29)
#define IDR1_ETMV4 0x4100f400u
#define IDR1_ETE 0x4100fff0u
#define IDR2_ETMV4 0x10001088u /* 64-bit addresses, 32-bit ids, 20-bit cycle counts */
#define IDR2_ETE 0x50001088u   /* the same, VMIDOPT fixed */
#define IDR2_WFXMODE (1u << 31)
#define DEVARCH_ETMV4 0x47704a13u
#define DEVARCH_ETE 0x47705a13u
enum { MINOR_BIT = 4, REVISION_BIT = 16 };

static void set_registers(struct peer_settings *s)
{
    static const char *const names[PEER_REGISTERS] = {
        [PEER_TRCCONFIGR] = "TRCCONFIGR", [PEER_TRCIDR0] = "TRCIDR0",
        [PEER_TRCIDR1] = "TRCIDR1",       [PEER_TRCIDR2] = "TRCIDR2",
        [PEER_TRCIDR8] = "TRCIDR8",       [PEER_TRCDEVARCH] = "TRCDEVARCH",
        [PEER_TRCCCCTLR] = "TRCCCCTLR",
    };
    const bool ete = s->protocol == CAIRN_PROTOCOL_ETE;

    for (unsigned i = 0; i < PEER_REGISTERS; i++)
        s->registers[i].name = names[i];
    s->registers[PEER_TRCCONFIGR].value =
        CONFIGR_RES1 | (s->cycles ? CONFIGR_CCI : 0) | (s->context_ids ? CONFIGR_CID : 0) |
        (s->vmids ? CONFIGR_VMID : 0) | (s->timestamps ? CONFIGR_TS : 0) |
        (s->return_stack ? CONFIGR_RS : 0);
    s->registers[PEER_TRCIDR0].value = IDR0_BASE | (s->commopt ? IDR0_COMMOPT : 0);
    s->registers[PEER_TRCIDR1].value = ete ? IDR1_ETE : IDR1_ETMV4 | s->minor << MINOR_BIT;
    s->registers[PEER_TRCIDR2].value =
        (ete ? IDR2_ETE : IDR2_ETMV4) | (s->waits_are_p0 ? IDR2_WFXMODE : 0);
    s->registers[PEER_TRCIDR8].value = s->maxspec;
    s->registers[PEER_TRCDEVARCH].value = (ete ? DEVARCH_ETE : DEVARCH_ETMV4) | s->minor
                                                                                    << REVISION_BIT;
    s->registers[PEER_TRCCCCTLR].value = s->threshold;
}

static void draw_habits(struct peer_settings *s, struct peer_random *random)
{
    const bool ete = s->protocol == CAIRN_PROTOCOL_ETE;
    const bool free = !s->shared;

    s->commits_with_cycles = free && s->cycles && !s->commopt && s->maxspec > 0;
    s->source_addresses =
        ete && peer_random_percent(random, 60) && (free || (s->maxspec == 0 && !s->return_stack));
    s->omits = s->source_addresses && peer_random_percent(random, 70);
    s->late_mispredicts = free && peer_random_percent(random, 50);
    s->mispredicts_links = !s->return_stack || (free && peer_random_percent(random, 70));
    s->syncs_in_speculation = (free || !s->return_stack) && peer_random_percent(random, 50);
    s->losses = peer_random_percent(random, 30);
    s->ignores = ete || s->minor >= 3;
    s->target_exceptions = free || !s->return_stack;
    s->voided_addresses = free;
    s->steps = peer_random_range(random, STEPS_LEAST, STEPS_MOST);
    s->stack_depth = peer_random_percent(random, 80) ? 3 : peer_random_range(random, 1, 15);
    s->packs_long = peer_random_percent(random, 50);
}

void peer_settings_draw(struct peer_settings *s, struct peer_random *random,
                        enum cairn_protocol_id protocol, enum peer_family family)
{
    const bool ete = protocol == CAIRN_PROTOCOL_ETE;

    memset(s, 0, sizeof *s);
    s->protocol = protocol;
    s->family = family;
    s->shared = peer_random_percent(random, SHARED_PERCENT);
    s->minor = ete ? peer_random_below(random, 4) : peer_random_range(random, 1, 6);
    s->maxspec = peer_random_percent(random, 50) ? 0 : peer_random_range(random, 1, 24);
    s->commopt = peer_random_percent(random, 60);
    s->cycles = peer_random_percent(random, 50);
    s->threshold = s->cycles ? peer_random_range(random, 4, THRESHOLD_MAX) : 0;
    s->timestamps = peer_random_percent(random, 50);
    s->context_ids = peer_random_percent(random, 50);
    s->vmids = peer_random_percent(random, 30);
    s->return_stack = peer_random_percent(random, 60);
    s->waits_are_p0 = (ete || s->minor >= 3) && peer_random_percent(random, 50);
    if (s->shared && s->cycles && s->maxspec > 0)
        s->commopt = true;
    draw_habits(s, random);
    s->without = (ete ? 0 : PEER_SHAPE_PAUTH) | (s->shared ? PEER_SHAPE_UNSHARED : 0);
    if (s->shared && s->omits)
        s->without |= PEER_SHAPE_CALL;
    if (s->shared && s->source_addresses)
        s->without |= PEER_OP_OTHER_ISA;
    s->rules.waits_are_p0 = s->waits_are_p0;
    s->rules.context_ids = s->context_ids;
    s->rules.vmids = s->vmids;
    s->rules.kernel_el = (uint8_t)peer_random_range(random, 1, 3);
    s->rules.user_security = CAIRN_NONSECURE;
    s->rules.kernel_security = s->rules.kernel_el == 3 ? CAIRN_SECURE : CAIRN_NONSECURE;
    if (!s->shared || !s->omits)
        s->rules.exception_percent = (uint8_t)peer_random_below(random, 20);
    s->arch = cairn_arch_any_a();
    set_registers(s);
}

struct cairn_config *peer_settings_config(const struct peer_settings *s)
{
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_config *config = NULL;
    struct cairn_error error;

    source.protocol = s->protocol;
    source.arch = s->arch;
    source.registers = s->registers;
    source.register_count = PEER_REGISTERS;
    if (cairn_config_new(&source, &config, &error) == CAIRN_OK)
        return config;
    printf("# the configuration is refused: %s\n", error.text);
    return NULL;
}

void peer_settings_print(const struct peer_settings *s)
{
    printf("# %s 1.%u family %d: maxspec %" PRIu32 " commopt %d cycles %d (threshold %" PRIu32
           ") timestamps %d ids %d vmids %d return stack %d (%u deep) wait-p0 %d%s\n",
           cairn_protocol_name(s->protocol), s->minor, (int)s->family, s->maxspec, s->commopt,
           s->cycles, s->threshold, s->timestamps, s->context_ids, s->vmids, s->return_stack,
           s->stack_depth, s->waits_are_p0, s->shared ? " shared" : "");
    for (unsigned i = 0; i < PEER_REGISTERS; i++)
        printf("# %s=0x%08" PRIx64 "\n", s->registers[i].name, s->registers[i].value);
}
