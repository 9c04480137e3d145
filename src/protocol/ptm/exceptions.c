/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of exception numbers (IHI0035 4.5.4). For M profile cores, of which IHI0035 has no list,
 * the numbers of ETMv3 are taken (IHI0014 table 7-11). */
#include "protocol/ptm/ptm.h"

#include "protocol/numbered.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define NUMBER_END 0x200u /* nine bits */

/* "PREFIX0" to "PREFIX511": every number, without any memory to own. */
static const char *const reserved_names[] = {
    TEN("Reserved "),      TENS_FROM_10("Reserved "), HUNDRED("Reserved 1"), HUNDRED("Reserved 2"),
    HUNDRED("Reserved 3"), HUNDRED("Reserved 4"),     TEN("Reserved 50"),    "Reserved 510",
    "Reserved 511",
};
static const char *const irq_names[] = {
    TEN("IRQ "),      TENS_FROM_10("IRQ "), HUNDRED("IRQ 1"),
    HUNDRED("IRQ 2"), HUNDRED("IRQ 3"),     HUNDRED("IRQ 4"),
};

static const char *const a_names[] = {
    [0x0] = "None",
    [0x1] = "Debug halt",
    [0x2] = "SMC",
    [0x3] = "Hyp entry",
    [0x4] = "Asynchronous data abort",
    [0x5] = "ThumbEE check",
    [0x8] = "Reset",
    [0x9] = "Undefined instruction",
    [0xa] = "SVC",
    [0xb] = "Prefetch abort",
    [0xc] = "Data abort",
    [0xd] = "Generic",
    [0xe] = "IRQ",
    [0xf] = "FIQ",
};

static const char *const m_names[] = {
    [0x00] = "None",         [0x01] = "IRQ 1",      [0x02] = "IRQ 2",    [0x03] = "IRQ 3",
    [0x04] = "IRQ 4",        [0x05] = "IRQ 5",      [0x06] = "IRQ 6",    [0x07] = "IRQ 7",
    [0x08] = "IRQ 0",        [0x09] = "UsageFault", [0x0a] = "NMI",      [0x0b] = "SVC",
    [0x0c] = "DebugMonitor", [0x0d] = "MemManage",  [0x0e] = "PendSV",   [0x0f] = "SysTick",
    [0x11] = "Reset",        [0x13] = "HardFault",  [0x15] = "BusFault",
};
#define M_FIRST_WIDE_IRQ 0x18u /* IRQ 8 and on: the number is 0x10 less */
#define M_WIDE_IRQ_BASE 0x10u

#define HYP_ENTRY 3u
#define UNDEFINED 9u
#define M_USAGE_FAULT 0x9u
#define M_HARD_FAULT 0x13u

/* Where it is not enabled, a UsageFault escalates. With HCR.TGE, Hyp mode is entered. */
void cairn_ptm_undefined(const struct cairn_ptm_config *config,
                         uint16_t types[CAIRN_RULES_UNDEFINED])
{
    types[0] = config->m_profile ? M_USAGE_FAULT : UNDEFINED;
    types[1] = config->m_profile ? M_HARD_FAULT : HYP_ENTRY;
}

const char *cairn_ptm_exception_name(const struct cairn_config *config, unsigned type)
{
    const struct cairn_ptm_config *ptm = cairn_ptm_of(config);

    if (type >= NUMBER_END)
        return "Unknown";
    if (ptm->m_profile) {
        if (type >= M_FIRST_WIDE_IRQ && type - M_WIDE_IRQ_BASE < COUNT_OF(irq_names))
            return irq_names[type - M_WIDE_IRQ_BASE];
        if (type < COUNT_OF(m_names) && m_names[type])
            return m_names[type];
        return reserved_names[type];
    }
    if (type == HYP_ENTRY && ptm->minor == 0)
        return reserved_names[type];
    return type < COUNT_OF(a_names) && a_names[type] ? a_names[type] : reserved_names[type];
}
