/* SPDX-License-Identifier: BSD-2-Clause */
/* Firmware that runs the drivers of driver.S, some times each, and says what they read. */
#include "firmware.h"

#define PAGE 4096u
#define TIMES 8u
static uint8_t buffer[PAGE] __attribute__((aligned(4096)));

extern const char driver_vectors[], driver_whole[], driver_without_A[], driver_without_B[],
    driver_without_C[], driver_without_D[], driver_without_E[], driver_without_F[];

/* X0 are the driver's arguments, and behind them where it is. */
asm(".text\nenter_driver: ldp x1, x2, [x0, #8]\n"
    "    ldr x3, [x0, #24]\n"
    "    ldr x0, [x0]\n"
    "    br x3\n");
extern const char enter_driver[];

/* "driver:NAME" and three numbers, each time: bytes up to TRBPTR_EL1, TRBSR_EL1, and what a reader made of the first ones; then
 * the bytes as they are when the machine has come to rest. */
static void try_driver(const char *name, const void *driver)
{
    uint64_t read[3] = {0};
    const uint64_t base = (uint64_t)buffer;
    const uint64_t arguments[] = {base, (base + PAGE) | TRBLIMITR_E, (uint64_t)read,
                                  (uint64_t)driver};

    for (unsigned i = 0; i < TIMES; i++) {
        for (unsigned n = 0; n < PAGE; n++)
            ((volatile uint8_t *)buffer)[n] = 0xee;
        DSB();
        ISB();
        run_at(1, enter_driver, (uint64_t)arguments);
        put("driver:");
        put(name);
        for (unsigned n = 0; n < 3; n++) {
            put(" ");
            put_number(((volatile uint64_t *)read)[n]);
        }
        put("\n");
        trace_say(name, base);
    }
}

void main_below(void)
{
}

void main(void)
{
    MSR(VBAR_EL1, driver_vectors);
    MSR(SCR_EL3, SCR_BASE | SCR_NS);
    MSR(MDCR_EL3, MDCR_EL3_NSTB(3));
    MSR(MDCR_EL2, MDCR_EL2_E2TB(3));
    ISB();
    trace_program();
    ISB();
    trace_say_unit();
    try_driver("whole", driver_whole);
    try_driver("without_A", driver_without_A);
    try_driver("without_B", driver_without_B);
    try_driver("without_C", driver_without_C);
    try_driver("without_D", driver_without_D);
    try_driver("without_E", driver_without_E);
    try_driver("without_F", driver_without_F);
    put("end\n");
}
