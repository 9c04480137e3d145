/* SPDX-License-Identifier: BSD-2-Clause */
/* Firmware of any M-profile core in which exceptions come at every kind of place: a timer of
 * changing period preempts handlers and tasks at any instruction, in IT blocks and between the
 * transfers of lists; handlers nest, chain to others and to themselves, fault, and with VFP use
 * floating-point registers, or do not, of which frames are stacked lazily. Thread mode takes turns
 * at its two stacks. What was taken is counted, and the counts are printed by semihosting at the
 * end: NUMBER COUNT, in hexadecimal. */
#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define SYST_CSR REGISTER(0xe000e010)
#define SYST_RVR REGISTER(0xe000e014)
#define SYST_CVR REGISTER(0xe000e018)
#define NVIC_ISER REGISTER(0xe000e100)
#define NVIC_ISPR REGISTER(0xe000e200)
#define NVIC_IPR0 REGISTER(0xe000e400)
#define ICSR REGISTER(0xe000ed04)
#define SHPR2 REGISTER(0xe000ed1c)
#define SHPR3 REGISTER(0xe000ed20)
#define CPACR REGISTER(0xe000ed88)
#define PENDSVSET (1u << 28)
#define SYS_WRITE0 0x04
#define SYS_EXIT 0x18
#define ADP_STOPPED_APPLICATION_EXIT 0x20026
#define HANDLER __attribute__((used))
#ifdef VFP
#define USE_FLOAT(x) asm volatile("vmov s3, %0\n vadd.f32 s3, s3, s3\n vmov %0, s3" : "+r"(x)::"s3")
#else
#define USE_FLOAT(x) (void)(x)
#endif

enum {
    FAULT = 3,
    SVC = 11,
    PENDSV = 14,
    SYSTICK = 15,
    LOW = 16,
    MIDDLE = 17,
    HIGH = 18,
    AGAIN = 19,
    NUMBERS,
    ROUNDS = 160,
    STACK = 160,
};
#define PEND(number) (1u << ((number)-LOW))

extern uint8_t stack_top[]; /* of the main stack: board.ld */
static volatile uint32_t counts[NUMBERS];
static volatile uint32_t sink, words[8];
static uint32_t process_stack[STACK];
static uint32_t seed;

int reset(void);

static void semihost(uint32_t operation, uintptr_t argument)
{
    register uint32_t r0 asm("r0") = operation;
    register uintptr_t r1 asm("r1") = argument;

    asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

/* Not the timer's: handlers would change what comes in thread mode. */
static uint32_t draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static void pend(uint32_t interrupts)
{
    NVIC_ISPR = interrupts;
    asm volatile("dsb\n isb" ::: "memory");
}

HANDLER void on_systick(void)
{
    static uint32_t state; /* variables begin as 0 */
    const uint32_t drawn = draw(&state);

    counts[SYSTICK]++;
    SYST_RVR = 120 + (drawn & 0x3ff);
    if (drawn & 0x1000)
        ICSR = PENDSVSET; /* chained to this one, unless another is in between */
    if (drawn & 0x2000)
        NVIC_ISPR = PEND(LOW);
}

HANDLER void on_pendsv(void)
{
    uint32_t value = counts[PENDSV]++;

    if (value & 1)
        USE_FLOAT(value);
    for (unsigned i = 0; i < (value & 7); i++)
        sink += i;
}

HANDLER void on_svc(void)
{
    counts[SVC]++;
    if ((counts[SVC] & 3) == 0)
        NVIC_ISPR = PEND(AGAIN) | PEND(HIGH);
}

/* Execution goes on behind UDF. */
HANDLER void fault(uint32_t *frame)
{
    counts[FAULT]++;
    frame[6] += 2;
}

__attribute__((naked)) static void on_fault(void)
{
    asm("movs r0, #4\n mov r1, lr\n tst r1, r0\n bne 1f\n mrs r0, msp\n b 2f\n"
        "1: mrs r0, psp\n 2: ldr r1, =fault\n bx r1\n .ltorg\n");
}

/* Preempted by MIDDLE, that by HIGH; and all of them by the timer. */
HANDLER void on_low(void)
{
    uint32_t value = counts[LOW]++;

    if (value & 2)
        USE_FLOAT(value);
    if (value & 1)
        pend(PEND(MIDDLE));
    else
        pend(PEND(MIDDLE) | PEND(HIGH) | PEND(AGAIN));
    sink += value;
}

HANDLER void on_middle(void)
{
    uint32_t value = counts[MIDDLE]++;

    pend(PEND(HIGH));
    if (value & 1)
        asm volatile("svc 1");
    USE_FLOAT(value);
    if ((value & 7) == 3)
        asm volatile("udf #2");
    sink += value;
}

HANDLER void on_high(void)
{
    counts[HIGH]++;
    if (counts[HIGH] & 1)
        ICSR = PENDSVSET;
}

/* Returns in several ways; pending again three times in four: chained to itself. */
__attribute__((naked)) static void on_again(void)
{
    asm("ldr r0, =counts + 4 * 19\n"
        "ldr r1, [r0]\n"
        "adds r1, r1, #1\n"
        "str r1, [r0]\n"
        "lsls r2, r1, #30\n"
        "beq 1f\n"
        "ldr r2, =0xe000e200\n"
        "movs r3, #8\n"
        "str r3, [r2]\n"
        "1: push {r4, lr}\n"
        "lsls r2, r1, #31\n"
        "beq 2f\n"
        "pop {r4, pc}\n"
        "2: pop {r4}\n"
#if __ARM_ARCH >= 7
        "lsls r2, r1, #30\n"
        "beq 3f\n"
        "ldr pc, [sp], #4\n"
        "3: ldmia sp!, {pc}\n"
#else
        "pop {r2}\n"
        "bx r2\n"
#endif
        ".ltorg\n");
}

__attribute__((section(".vectors"), used)) static void (*const vectors[])(void) = {
    [0] = (void (*)(void))stack_top,
    [1] = (void (*)(void))reset,
    [FAULT] = on_fault,
    [SVC] = on_svc,
    [PENDSV] = on_pendsv,
    [SYSTICK] = on_systick,
    [LOW] = on_low,
    [MIDDLE] = on_middle,
    [HIGH] = on_high,
    [AGAIN] = on_again,
};

/* Lists, doublewords and IT blocks for the timer to come in. */
static __attribute__((noinline)) uint32_t work(uint32_t rounds)
{
    uint32_t sum = rounds;

    for (uint32_t i = 0; i < rounds; i++) {
        register uint32_t r0 asm("r0") = i;
        register volatile uint32_t *r1 asm("r1") = words;
        asm volatile("push {r4-r7}\n"
                     "mov r7, r1\n"
                     "ldmia r7!, {r4-r6}\n"
                     "adds r4, r4, r0\n"
                     "subs r7, #12\n"
                     "stmia r7!, {r4-r6}\n"
                     "pop {r4-r7}" ::"r"(r0),
                     "r"(r1)
                     : "cc", "memory");
#if __ARM_ARCH >= 7
        asm volatile("lsls r3, %0, #31\n"
                     "ittet ne\n"
                     "addne %0, %0, #3\n"
                     "ldrdne r2, r3, [%1]\n"
                     "subeq %0, %0, #1\n"
                     "strdne r2, r3, [%1, #16]\n"
                     : "+l"(sum)
                     : "l"(words)
                     : "r2", "r3", "cc", "memory");
#endif
        USE_FLOAT(sum);
        if (sum & 2)
            sum += i;
    }
    return sum;
}

static void act(uint32_t drawn)
{
    switch (drawn & 7) {
    case 0: asm volatile("svc 0"); break;
    case 1: pend(PEND(LOW)); break;
    case 2: pend(PEND(AGAIN) | PEND(LOW)); break;
    case 3: asm volatile("udf #1"); break;
    case 4: /* all at once, the highest first */
        asm volatile("cpsid i" ::: "memory");
        NVIC_ISPR = PEND(LOW) | PEND(MIDDLE) | PEND(HIGH) | PEND(AGAIN);
        ICSR = PENDSVSET;
        asm volatile("cpsie i\n isb" ::: "memory");
        break;
    case 5: asm volatile("wfi"); break;
    case 6: ICSR = PENDSVSET; break;
    default: break;
    }
}

static void prepare(void)
{
#ifdef VFP
    CPACR |= 0xfu << 20;
    asm volatile("dsb\n isb");
#endif
    SHPR2 = 0x00000000;     /* SVC */
    SHPR3 = 0x40c00000;     /* SysTick, PendSV */
    NVIC_IPR0 = 0x804080c0; /* AGAIN, HIGH, MIDDLE, LOW */
    NVIC_ISER = 0xf;
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

/* Thread mode, on one of its stacks. */
static __attribute__((noinline)) void run(void)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        const uint32_t drawn = draw(&seed);
        sink += work(drawn >> 3 & 0x1f);
        act(drawn);
    }
}

__attribute__((naked)) static void on_process_stack(uint32_t *top, void (*function)(void))
{
    asm("push {r4, lr}\n mov r4, r1\n msr psp, r0\n movs r0, #2\n msr control, r0\n isb\n blx r4\n"
        "movs r0, #0\n msr control, r0\n isb\n pop {r4, pc}\n");
}

int reset(void)
{
    prepare();
    run();
    on_process_stack(process_stack + STACK, run);
    SYST_CSR = 0;
    for (unsigned number = 3; number < NUMBERS; number++) {
        if (counts[number] > 0) {
            print_number(number, ' ');
            print_number(counts[number], '\n');
        }
    }
    semihost(SYS_EXIT, ADP_STOPPED_APPLICATION_EXIT);
    for (;;)
        ;
}
