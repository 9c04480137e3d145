/* SPDX-License-Identifier: BSD-2-Clause */
/* Firmware for an M-profile core in which every way of entering and leaving exceptions occurs, and
 * which counts what occurs; at its end it prints the counts, and ends the
 * machine by semihosting. Boards: MPS2 with one core. */
#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define SYST_CSR REGISTER(0xe000e010)
#define SYST_RVR REGISTER(0xe000e014)
#define SYST_CVR REGISTER(0xe000e018)
#define NVIC_ISER REGISTER(0xe000e100)
#define NVIC_ISPR REGISTER(0xe000e200)
#define NVIC_IPR ((volatile uint8_t *)0xe000e400)
#define ICSR REGISTER(0xe000ed04)
#define SHPR ((volatile uint8_t *)0xe000ed14) /* a byte an exception, by its number */
#define UART_DATA REGISTER(0x40004000)
#define UART_STATE REGISTER(0x40004004)
#define UART_CTRL REGISTER(0x40004008)
#define UART_BAUDDIV REGISTER(0x40004010)
#define SYS_EXIT 0x18
#define ADP_STOPPED_APPLICATION_EXIT 0x20026
#define PENDSVSET (1u << 28)
#define HANDLER __attribute__((used))

enum { SVC = 11, PENDSV = 14, SYSTICK = 15, LOW = 16, MIDDLE = 17, HIGH = 18, AGAIN = 19, NUMBERS };

static volatile uint32_t counts[NUMBERS];
static volatile uint32_t resumed, sink;
static uint32_t process_stack[256];

int reset(void);

static int semihost(int operation, uint32_t argument)
{
    register int r0 asm("r0") = operation;
    register uint32_t r1 asm("r1") = argument;

    asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

/* PendSV is pending when this handler returns: chained to it. */
HANDLER void on_systick(void)
{
    counts[SYSTICK]++;
    ICSR = PENDSVSET;
    if (counts[SYSTICK] == 30)
        SYST_CSR = 0;
}

HANDLER void on_pendsv(void)
{
    counts[PENDSV]++;
    for (unsigned i = 0; i < counts[PENDSV] % 5; i++)
        sink += i;
}

HANDLER void on_svc(void)
{
    counts[SVC]++;
}

/* The instruction behind UDF is where it goes on: the stacked return address is moved there. */
HANDLER void fault(uint32_t *frame)
{
    counts[3]++;
    frame[6] += 2;
}

__attribute__((naked)) static void on_fault(void)
{
    asm("tst lr, #4\n ite eq\n mrseq r0, msp\n mrsne r0, psp\n b fault");
}

/* Preempted by MIDDLE, and that by HIGH. */
HANDLER void on_low(void)
{
    counts[LOW]++;
    NVIC_ISPR = 1u << (MIDDLE - LOW);
    asm volatile("dsb\n isb" ::: "memory");
    resumed += counts[MIDDLE];
}

HANDLER void on_middle(void)
{
    counts[MIDDLE]++;
    NVIC_ISPR = 1u << (HIGH - LOW);
    asm volatile("dsb\n isb" ::: "memory");
    if (counts[MIDDLE] & 1)
        asm volatile("svc 1"); /* of higher priority than MIDDLE */
    resumed += counts[HIGH];
}

HANDLER void on_high(void)
{
    counts[HIGH]++;
}

/* Pending again when it returns, some times: chained to itself. */
__attribute__((naked)) static void on_again(void)
{
    asm("ldr r0, =counts + 4 * 19\n"
        "ldr r1, [r0]\n"
        "adds r1, r1, #1\n"
        "str r1, [r0]\n"
        "lsls r1, r1, #30\n"
        "beq 1f\n"
        "ldr r2, =0xe000e200\n"
        "movs r3, #8\n"
        "str r3, [r2]\n"
        "1: bx lr\n"
        ".ltorg\n");
}

__attribute__((section(".vectors"), used)) static void (*const vectors[])(void) = {
    [0] = (void (*)(void))0x20020000,
    [1] = (void (*)(void))reset,
    [3] = on_fault,
    [SVC] = on_svc,
    [PENDSV] = on_pendsv,
    [SYSTICK] = on_systick,
    [LOW] = on_low,
    [MIDDLE] = on_middle,
    [HIGH] = on_high,
    [AGAIN] = on_again,
};

static __attribute__((noinline)) uint32_t work(uint32_t rounds)
{
    uint32_t sum = 1;

    for (uint32_t i = 0; i < rounds; i++)
        sum = sum & 1 ? sum * 3 + i : sum / 2;
    return sum;
}

static void use_process_stack(void)
{
    asm volatile("msr psp, %0\n msr control, %1\n isb" ::"r"(process_stack + 256), "r"(2)
                 : "memory");
}

static void prepare(void)
{
    SHPR[SVC] = 0x20; /* SHPR2's highest byte */
    SHPR[PENDSV] = 0xe0;
    SHPR[SYSTICK] = 0x80;
    NVIC_IPR[0] = 0xc0;
    NVIC_IPR[1] = 0x60;
    NVIC_IPR[2] = 0x40;
    NVIC_IPR[3] = 0xa0;
    NVIC_ISER = 0xf;
    SYST_RVR = 4000;
    SYST_CVR = 0;
    SYST_CSR = 7;
}

static void put(char c)
{
    while (UART_STATE & 1)
        ;
    UART_DATA = (uint32_t)c;
}

static void put_number(uint32_t number, char end)
{
    char digits[12];
    unsigned count = 0;

    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (count > 0)
        put(digits[--count]);
    put(end);
}

static void print(void)
{
    UART_BAUDDIV = 16;
    UART_CTRL = 1;
    for (unsigned number = 3; number < NUMBERS; number++) {
        if (counts[number] > 0) {
            put_number(number, ' ');
            put_number(counts[number], '\n');
        }
    }
}

int reset(void)
{
    prepare();
    for (unsigned i = 0; i < 12; i++) {
        if (i == 4)
            use_process_stack();
        sink += work(400 + i);
        asm volatile("svc 0");
        NVIC_ISPR = 1u;
        sink += work(20);
        NVIC_ISPR = 8u;
        asm volatile("udf #1");
        if (i % 3 == 0)
            asm volatile("wfi");
    }
    while (SYST_CSR & 1)
        sink += work(10);
    print();
    semihost(SYS_EXIT, ADP_STOPPED_APPLICATION_EXIT);
    for (;;)
        ;
}
