/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of exceptions (IHI0014 7.3.5, Tables 7-12 and 7-17; DDI0337 15.5.3). */
#include "protocol/etmv3/etmv3.h"

#include "protocol/numbered.h"

#define M_FIRST_IRQ 0x18u /* from here on IRQ8 and up */
#define M_LAST 0x1ffu
#define M_IRQ_BASE 0x10u
#define M_USAGE_FAULT 0x9u
#define M_HARD_FAULT 0x13u
#define HYP 0x3u     /* from v3.5 on */
#define GENERIC 0xdu /* from v3.3 on */

/* A and R profile. */
static const char *const names[16] = {
    "none",
    "Halting debug",
    "Secure Monitor Call",
    "Entry to Hyp mode",
    "Asynchronous Data Abort",
    "Jazelle or ThumbEE check",
    NULL,
    NULL,
    "Processor reset",
    "Undefined Instruction",
    "Supervisor Call",
    "Prefetch Abort or software breakpoint",
    "Data Abort or software watchpoint",
    "Generic",
    "IRQ",
    "FIQ",
};

static const char *const m_names[M_FIRST_IRQ] = {
    "none", "IRQ1",       "IRQ2", "IRQ3",      "IRQ4",         "IRQ5",      "IRQ6",   "IRQ7",
    "IRQ0", "UsageFault", "NMI",  "SVCall",    "DebugMonitor", "MemManage", "PendSV", "SysTick",
    NULL,   "Reset",      NULL,   "HardFault", NULL,           "BusFault",  NULL,     NULL,
};

/* "IRQ0" to "IRQ499": every interrupt, without any memory to own. */
static const char *const irq_names[] = {
    TEN("IRQ"),      TENS_FROM_10("IRQ"), HUNDRED("IRQ1"),
    HUNDRED("IRQ2"), HUNDRED("IRQ3"),     HUNDRED("IRQ4"),
};

static const char *const old_names[8] = {
    "Reset, Undefined, SVC, Prefetch or Data Abort",
    "IRQ",
    NULL,
    NULL,
    "Jazelle",
    "FIQ",
    "Asynchronous Data Abort",
    "Debug",
};

/* Names of a table whose number is reserved are NULL. */
static const char *name_of(const struct cairn_etmv3_config *etm, unsigned type)
{
    if (type >= CAIRN_ETMV3_EXCEPTION_OLD)
        return type < CAIRN_ETMV3_EXCEPTION_OLD + 8 ? old_names[type & 7] : NULL;
    if (!etm->m_profile) {
        const bool since = type == HYP ? etm->minor >= 5 : type != GENERIC || etm->minor >= 3;
        return type < 16 && since ? names[type] : NULL;
    }
    if (type < M_FIRST_IRQ)
        return m_names[type];
    return type <= M_LAST ? irq_names[type - M_IRQ_BASE] : NULL;
}

bool cairn_etmv3_is_reserved(const struct cairn_etmv3_config *config, unsigned type)
{
    return name_of(config, type) == NULL;
}

/* Where it is not enabled, a UsageFault escalates. With HCR.TGE, Hyp mode is entered. The deprecated
 * number is that of several exceptions. */
void cairn_etmv3_undefined(const struct cairn_etmv3_config *config,
                           uint16_t types[CAIRN_RULES_UNDEFINED])
{
    types[0] = config->m_profile ? M_USAGE_FAULT : CAIRN_ETMV3_UNDEFINED;
    types[1] = config->m_profile ? M_HARD_FAULT : HYP;
    types[2] = config->m_profile ? 0 : CAIRN_ETMV3_EXCEPTION_OLD;
}

const char *cairn_etmv3_exception_name(const struct cairn_config *config, unsigned type)
{
    const char *name = name_of(cairn_etmv3_of(config), type);

    return name ? name : "Reserved";
}
