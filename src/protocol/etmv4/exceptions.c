/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of exception types: DDI0608 D5.13 for ETE and for ETMv4 of A and R profile cores; M profile
 * cores number exceptions their own way (docs/trace.md, "Exceptions of ETMv4"). */
#include "protocol/etmv4/etmv4.h"

#include "protocol/numbered.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* "PREFIX0" ... "PREFIX1029": every value of ETMv4's ten-bit TYPE without any memory to own. */
static const char *const reserved_names[] = {
    TEN("Reserved "),      TENS_FROM_10("Reserved "), HUNDRED("Reserved 1"), HUNDRED("Reserved 2"),
    HUNDRED("Reserved 3"), HUNDRED("Reserved 4"),     HUNDRED("Reserved 5"), HUNDRED("Reserved 6"),
    HUNDRED("Reserved 7"), HUNDRED("Reserved 8"),     HUNDRED("Reserved 9"), TEN("Reserved 100"),
    TEN("Reserved 101"),   TEN("Reserved 102"),
};
static const char *const irq_names[] = {
    TEN("IRQ "),      TENS_FROM_10("IRQ "), HUNDRED("IRQ 1"),
    HUNDRED("IRQ 2"), HUNDRED("IRQ 3"),     HUNDRED("IRQ 4"),
};

static const char *const a_names[] = {
    [0x00] = "PE Reset",
    [0x01] = "Debug halt",
    [0x02] = "Call",
    [0x03] = "Trap",
    [0x04] = "System Error",
    [0x06] = "Inst debug",
    [0x07] = "Data debug",
    [0x0a] = "Alignment",
    [0x0b] = "Inst Fault",
    [0x0c] = "Data Fault",
    [0x0e] = "IRQ",
    [0x0f] = "FIQ",
    [0x10] = "IMPLEMENTATION DEFINED 0",
    [0x11] = "IMPLEMENTATION DEFINED 1",
    [0x12] = "IMPLEMENTATION DEFINED 2",
    [0x13] = "IMPLEMENTATION DEFINED 3",
    [0x14] = "IMPLEMENTATION DEFINED 4",
    [0x15] = "IMPLEMENTATION DEFINED 5",
    [0x16] = "IMPLEMENTATION DEFINED 6",
    [0x17] = "IMPLEMENTATION DEFINED 7",
};

static const char *const m_names[] = {
    [0x01] = "PE Reset", [0x02] = "NMI",        [0x03] = "HardFault",  [0x04] = "MemManage",
    [0x05] = "BusFault", [0x06] = "UsageFault", [0x0b] = "SVC",        [0x0c] = "DebugMonitor",
    [0x0e] = "PendSV",   [0x0f] = "SysTick",    [0x18] = "Debug halt", [0x19] = "Lazy FP push",
    [0x1a] = "Lockup",
};

#define M_SECURE_FAULT 0x07u /* v8-M */
#define M_FIRST_IRQ 0x10u    /* IRQ 0 to 7 */
#define M_LAST_IRQ 0x17u
#define M_FIRST_WIDE_IRQ 0x208u /* IRQ 8 and on: the number is TYPE - 0x200 */
#define M_LAST_WIDE_IRQ 0x3efu
#define M_WIDE_IRQ_BASE 0x200u
#define TRANSACTION_FAILURE 0x18u /* ETE, DDI0608 D5.24: no exception, but it has a TYPE */

static const char *reserved_name(unsigned type)
{
    return type < COUNT_OF(reserved_names) ? reserved_names[type] : "Reserved";
}

static const char *m_name(const struct cairn_config *config, unsigned type)
{
    if (type >= M_FIRST_IRQ && type <= M_LAST_IRQ)
        return irq_names[type - M_FIRST_IRQ];
    if (type >= M_FIRST_WIDE_IRQ && type <= M_LAST_WIDE_IRQ)
        return irq_names[type - M_WIDE_IRQ_BASE];
    if (type == M_SECURE_FAULT && config->arch.major >= 8)
        return "SecureFault";
    if (type < COUNT_OF(m_names) && m_names[type])
        return m_names[type];
    return reserved_name(type);
}

const char *cairn_etmv4_exception_name(const struct cairn_config *config, unsigned type)
{
    const struct cairn_etmv4_config *etm = cairn_etmv4_of(config);
    if (!etm->is_ete && etm->profile == CAIRN_PROFILE_M)
        return m_name(config, type);
    if (etm->is_ete && type == TRANSACTION_FAILURE)
        return "Transaction Failure";
    if (type < COUNT_OF(a_names) && a_names[type])
        return a_names[type];
    return reserved_name(type);
}
