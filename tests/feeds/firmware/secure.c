/* SPDX-License-Identifier: BSD-2-Clause */
/* Firmware in Secure and Non-secure state: each calls the other, from thread mode and from
 * handlers, by BLXNS, and by SG and BXNS; and exceptions of both states, a timer of each among
 * them, come in the middle of either. What was taken is counted and printed by semihosting at the
 * end: NUMBER COUNT, of both states together, and as number 0 how often a gateway was passed.
 * Boards: MPS2 with a Cortex-M33. */
#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define SYST_CSR REGISTER(0xe000e010)
#define SYST_RVR REGISTER(0xe000e014)
#define SYST_CVR REGISTER(0xe000e018)
#define NVIC_ISER REGISTER(0xe000e100)
#define NVIC_ISPR REGISTER(0xe000e200)
#define NVIC_ITNS REGISTER(0xe000e380)
#define NVIC_IPR0 REGISTER(0xe000e400)
#define NVIC_IPR1 REGISTER(0xe000e404)
#define ICSR REGISTER(0xe000ed04)
#define SHPR2 REGISTER(0xe000ed1c)
#define SHPR3 REGISTER(0xe000ed20)
#define SAU_CTRL REGISTER(0xe000edd0)
#define SAU_RNR REGISTER(0xe000edd8)
#define SAU_RBAR REGISTER(0xe000eddc)
#define SAU_RLAR REGISTER(0xe000ede0)
/* Those of Non-secure state, as Secure state sees them */
#define NS_VTOR REGISTER(0xe002ed08)
#define NS_SHPR2 REGISTER(0xe002ed1c)
#define NS_SHPR3 REGISTER(0xe002ed20)
/* The board's: which blocks of its memories are Non-secure, and whether gateways may be anywhere */
#define CODE_MPC 0x58007000u
#define DATA_MPC 0x58008000u
#define MPC_BLOCK_SIZE 0x14u
#define MPC_INDEX 0x18u
#define MPC_LUT 0x1cu
#define NSCCFG REGISTER(0x50080014)
#define PENDSVSET (1u << 28)
#define SYS_WRITE0 0x04
#define SYS_EXIT 0x18
#define ADP_STOPPED_APPLICATION_EXIT 0x20026
#define HANDLER __attribute__((used))
#define NONSECURE __attribute__((section(".ns_text"), used, noinline))
#define NS_DATA __attribute__((section(".ns_data,\"aw\",%nobits @")))

enum { SVC = 11, PENDSV = 14, SYSTICK = 15, NUMBERS = 22, ROUNDS = 120 };
enum { LOW = 1 << 0, HIGH = 1 << 1, NS_HIGH = 1 << 4, NS_LOW = 1 << 5 };

extern uint8_t stack_top[], ns_stack_top[];
static volatile uint32_t counts[NUMBERS], sink;
NS_DATA static volatile uint32_t ns_counts[NUMBERS], ns_sink;
static uint32_t seed;

int reset(void);
void gateway(void);
void ns_systick(void);
void ns_pendsv(void);
void ns_svc(void);
void ns_high(void);
void ns_low(void);
void ns_start(void);
void ns_stop(void);
void ns_work(void);
void ns_from_handler(void);

static void semihost(uint32_t operation, uintptr_t argument)
{
    register uint32_t r0 asm("r0") = operation;
    register uintptr_t r1 asm("r1") = argument;

    asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

static uint32_t draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

/* --- from one state to the other --- */

__attribute__((naked)) static void call_nonsecure(void (*function)(void))
{
    (void)function;
    asm("push {r4, lr}\n bic r0, r0, #1\n blxns r0\n pop {r4, pc}\n");
}

HANDLER void service(void)
{
    /* Interrupted by a handler that comes here, too. */
    const uint32_t count = __atomic_add_fetch(&counts[0], 1, __ATOMIC_RELAXED);

    for (uint32_t i = 0; i < (count & 15); i++)
        sink += i;
}

__attribute__((naked)) HANDLER void serve(void)
{
    asm("push {r4, lr}\n bl service\n pop {r4, lr}\n bxns lr\n");
}

__attribute__((naked, section(".gateways"), used)) void gateway(void)
{
    asm("sg\n b.w serve\n");
}

/* --- Non-secure state --- */

NONSECURE static void ns_spin(uint32_t rounds)
{
    for (uint32_t i = 0; i < rounds; i++)
        ns_sink += i;
}

NONSECURE void ns_systick(void)
{
    ns_counts[SYSTICK]++;
    SYST_RVR = 300 + (ns_counts[SYSTICK] * 77 & 0x1ff);
    if (ns_counts[SYSTICK] & 1)
        gateway();
    if ((ns_counts[SYSTICK] & 3) == 2)
        ICSR = PENDSVSET;
    if ((ns_counts[SYSTICK] & 7) == 5)
        NVIC_ISPR = NS_LOW;
}

NONSECURE void ns_pendsv(void)
{
    ns_counts[PENDSV]++;
    ns_spin(5);
}

NONSECURE void ns_svc(void)
{
    ns_counts[SVC]++;
}

NONSECURE void ns_high(void)
{
    ns_counts[20]++;
    ns_spin(3);
}

NONSECURE void ns_low(void)
{
    ns_counts[21]++;
    NVIC_ISPR = NS_HIGH;
    asm volatile("dsb\n isb");
    gateway();
    ns_spin(9);
}

/* Its own timer: the aliases that Secure state has do not work in every QEMU. */
NONSECURE void ns_start(void)
{
    SYST_RVR = 700;
    SYST_CVR = 0;
    SYST_CSR = 7;
}

NONSECURE void ns_stop(void)
{
    SYST_CSR = 0;
}

NONSECURE void ns_from_handler(void)
{
    ns_spin(20);
    NVIC_ISPR = NS_HIGH;
    asm volatile("dsb\n isb");
    gateway();
}

/* Returns by POP. */
NONSECURE void ns_work(void)
{
    ns_sink++;
    ns_spin(ns_sink & 31);
    asm volatile("svc 2");
    gateway();
    if (ns_sink & 1)
        NVIC_ISPR = NS_LOW | NS_HIGH;
    ns_spin(10);
}

__attribute__((section(".ns_vectors"), used)) static void (*const ns_vectors[])(void) = {
    [0] = (void (*)(void))ns_stack_top,
    [SVC] = ns_svc,
    [PENDSV] = ns_pendsv,
    [SYSTICK] = ns_systick,
    [20] = ns_high,
    [21] = ns_low,
};

/* --- Secure state --- */

HANDLER void on_systick(void)
{
    static uint32_t state; /* variables begin as 0 */
    const uint32_t drawn = draw(&state);

    counts[SYSTICK]++;
    SYST_RVR = 200 + (drawn & 0x3ff);
    if (drawn & 0x1000)
        NVIC_ISPR = NS_LOW | LOW;
    if (drawn & 0x2000)
        ICSR = PENDSVSET;
}

HANDLER void on_pendsv(void)
{
    counts[PENDSV]++;
    sink += counts[PENDSV];
}

HANDLER void on_svc(void)
{
    counts[SVC]++;
    if (counts[SVC] & 1)
        NVIC_ISPR = HIGH | NS_HIGH;
}

HANDLER void on_low(void)
{
    counts[16]++;
    if (counts[16] & 1)
        NVIC_ISPR = HIGH;
    call_nonsecure(ns_from_handler);
    sink += counts[16];
}

HANDLER void on_high(void)
{
    counts[17]++;
}

__attribute__((section(".vectors"), used)) static void (*const vectors[])(void) = {
    [0] = (void (*)(void))stack_top,
    [1] = (void (*)(void))reset,
    [SVC] = on_svc,
    [PENDSV] = on_pendsv,
    [SYSTICK] = on_systick,
    [16] = on_low,
    [17] = on_high,
};

/* 64 blocks from `offset` on. */
static void make_nonsecure(uint32_t mpc, uint32_t offset)
{
    const uint32_t shift = REGISTER(mpc + MPC_BLOCK_SIZE) + 5 + 5; /* of 32 blocks, a word */

    for (uint32_t i = 0; i < 2; i++) {
        REGISTER(mpc + MPC_INDEX) = (offset >> shift) + i;
        REGISTER(mpc + MPC_LUT) = 0xffffffff;
    }
}

static void set_region(uint32_t number, uint32_t first, uint32_t last, uint32_t flags)
{
    SAU_RNR = number;
    SAU_RBAR = first;
    SAU_RLAR = (last & ~31u) | flags;
}

static void prepare(void)
{
    make_nonsecure(CODE_MPC, 0x200000);
    make_nonsecure(DATA_MPC, 0x100000);
    NSCCFG = 1;
    set_region(0, 0x00200000, 0x0020ffff, 1);
    set_region(1, 0x28100000, 0x2810ffff, 1);
    set_region(2, 0x10004000, 0x10004fff, 3); /* gateways */
    SAU_CTRL = 1;
    asm volatile("dsb\n isb");
    NS_VTOR = (uintptr_t)ns_vectors;
    asm volatile("msr msp_ns, %0" ::"r"(ns_stack_top));
    NVIC_ITNS = NS_HIGH | NS_LOW;
    SHPR2 = 0;
    SHPR3 = 0x40c00000; /* SysTick, PendSV */
    NS_SHPR2 = 0x20000000;
    NS_SHPR3 = 0x80e00000;
    NVIC_IPR0 = 0x000020c0;
    NVIC_IPR1 = 0x0000a060;
    NVIC_ISER = LOW | HIGH | NS_HIGH | NS_LOW;
    SYST_RVR = 900;
    SYST_CVR = 0;
    SYST_CSR = 7;
}

static void print_number(uint32_t number, char end)
{
    char text[12];
    unsigned count = 0;

    for (int shift = 28; shift >= 0; shift -= 4)
        text[count++] = "0123456789abcdef"[number >> shift & 15];
    text[count++] = end;
    text[count] = 0;
    semihost(SYS_WRITE0, (uintptr_t)text);
}

static void act(uint32_t drawn)
{
    switch (drawn & 3) {
    case 0: asm volatile("svc 0"); break;
    case 1: NVIC_ISPR = NS_LOW | LOW; break;
    case 2:
        asm volatile("cpsid i" ::: "memory");
        NVIC_ISPR = LOW | HIGH | NS_HIGH | NS_LOW;
        asm volatile("cpsie i\n isb" ::: "memory");
        break;
    default: break;
    }
}

int reset(void)
{
    prepare();
    call_nonsecure(ns_start);
    for (unsigned i = 0; i < ROUNDS; i++) {
        const uint32_t drawn = draw(&seed);
        for (uint32_t n = 0; n < (drawn >> 3 & 63); n++)
            sink += n;
        act(drawn);
        call_nonsecure(ns_work);
    }
    SYST_CSR = 0;
    call_nonsecure(ns_stop);
    for (unsigned number = 0; number < NUMBERS; number++) {
        const uint32_t sum = counts[number] + ns_counts[number];
        if (sum > 0) {
            print_number(number, ' ');
            print_number(sum, '\n');
        }
    }
    semihost(SYS_EXIT, ADP_STOPPED_APPLICATION_EXIT);
    for (;;)
        ;
}
