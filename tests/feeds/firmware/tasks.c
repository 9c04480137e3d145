/* SPDX-License-Identifier: BSD-2-Clause */
/* Firmware as a small operating system: two tasks on process stacks of their own, of which SysTick,
 * and they themselves, have PendSV switch from one to the other. With VFP both use floating-point
 * registers, so that frames are extended, and stacked when a handler needs it. */
#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define SYST_CSR REGISTER(0xe000e010)
#define SYST_RVR REGISTER(0xe000e014)
#define SYST_CVR REGISTER(0xe000e018)
#define ICSR REGISTER(0xe000ed04)
#define SHPR3 REGISTER(0xe000ed20)
#define CPACR REGISTER(0xe000ed88)
#define PENDSVSET (1u << 28)
#define SYS_EXIT 0x18
#define ADP_STOPPED_APPLICATION_EXIT 0x20026
#define HANDLER __attribute__((used))

enum { WORDS = 256, SAVED = 9, FRAME = 8, SWITCHES = 100 };

static uint32_t stacks[2][WORDS];
static uint32_t *saved[2];
static volatile uint32_t current, switches;
static volatile uint32_t rounds[2];

void reset(void);

HANDLER void on_systick(void)
{
    ICSR = PENDSVSET;
}

HANDLER uint32_t *next_task(uint32_t *sp)
{
    saved[current] = sp;
    current ^= 1;
    switches++;
    return saved[current];
}

__attribute__((naked)) static void on_pendsv(void)
{
    asm("mrs r0, psp\n"
#ifdef VFP
        "tst lr, #16\n it eq\n vstmdbeq r0!, {s16-s31}\n"
#endif
        "stmdb r0!, {r4-r11, lr}\n"
        "bl next_task\n"
        "ldmia r0!, {r4-r11, lr}\n"
#ifdef VFP
        "tst lr, #16\n it eq\n vldmiaeq r0!, {s16-s31}\n"
#endif
        "msr psp, r0\n"
        "bx lr\n");
}

__attribute__((section(".vectors"), used)) static void (*const vectors[])(void) = {
    [0] = (void (*)(void))0x20020000,
    [1] = reset,
    [14] = on_pendsv,
    [15] = on_systick,
};

static __attribute__((noinline)) uint32_t work(uint32_t x)
{
#ifdef VFP
    asm volatile("vmov s17, %0\n vadd.f32 s17, s17, s17\n vmov %0, s17" : "+r"(x)::"s17");
#endif
    return x & 1 ? x * 3 : x >> 1;
}

static void task(uint32_t number)
{
    uint32_t sum = number;

    while (switches < SWITCHES || number == 1) {
        for (uint32_t i = 0; i < 50; i++)
            sum += work(i);
        rounds[number]++;
        if (rounds[number] % 4 == number)
            ICSR = PENDSVSET;
    }
    stacks[0][0] = sum;
}

/* As if task 1 had been switched from before its first instruction. */
static void make_task(void)
{
    uint32_t *frame = &stacks[1][WORDS - FRAME];

    frame[0] = 1;
    frame[6] = (uint32_t)(uintptr_t)task & ~1u;
    frame[7] = 1u << 24;
    saved[1] = frame - SAVED;
    saved[1][SAVED - 1] = 0xfffffffd;
}

void reset(void)
{
#ifdef VFP
    CPACR |= 0xfu << 20;
#endif
    make_task();
    asm volatile("msr psp, %0\n msr control, %1\n isb" ::"r"(&stacks[0][WORDS]), "r"(2) : "memory");
    SHPR3 = 0x80e00000;
    SYST_RVR = 1500;
    SYST_CVR = 0;
    SYST_CSR = 7;
    task(0);
    asm volatile("mov r0, %0\n mov r1, %1\n bkpt 0xab" ::"r"(SYS_EXIT),
                 "r"(ADP_STOPPED_APPLICATION_EXIT)
                 : "r0", "r1", "memory");
    for (;;)
        ;
}
