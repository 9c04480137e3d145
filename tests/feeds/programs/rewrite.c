/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that write code while others execute theirs: on one page, on pages that come and go, and
 * with files mapped one over the other. One that rewrites the loop it is in. AArch64. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define THREADS 4
#define PAGE 4096
#define RET 0xd65f03c0u
#define MOVZ(imm) (0x52800000u | (uint32_t)(imm) << 5) /* movz w0, #imm */
#define ADD(imm) (0x11000000u | (uint32_t)(imm) << 10) /* add w0, w0, #imm */

typedef int function(int);

static uint32_t *shared;
static char *fixed;
static int files[3];
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static int call(const void *code, int argument)
{
    function *entry = (function *)(uintptr_t)code;

    return entry(argument);
}

static void put(uint32_t *code, const uint32_t *words, int count)
{
    memcpy(code, words, (size_t)count * sizeof *words);
    __builtin___clear_cache((char *)code, (char *)(code + count));
}

/* Each its own part of one page. */
static int share_page(int number)
{
    uint32_t *code = shared + 64 * number;
    int sum = 0;

    for (int i = 0; i < 60; i++) {
        uint32_t words[8] = {MOVZ(i)};
        int count = 1;
        for (int j = 0; j <= i % 5; j++)
            words[count++] = ADD(j + 1);
        words[count++] = RET;
        put(code, words, count);
        for (int j = 0; j <= number; j++)
            sum += call(code, 0);
    }
    return sum;
}

/* Never writable and executable at once. */
static int come_and_go(int number)
{
    int sum = 0;

    for (int i = 0; i < 30; i++) {
        uint32_t *page =
            mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        uint32_t words[16];
        int count = (i + number) % 9;
        for (int j = 0; j < count; j++)
            words[j] = ADD(1);
        words[count++] = MOVZ(i);
        words[count++] = RET;
        put(page, words, count);
        mprotect(page, PAGE, PROT_READ | PROT_EXEC);
        sum += call(page, i);
        mprotect(page, PAGE, PROT_READ | PROT_WRITE);
        words[0] = RET;
        put(page, words, 1);
        mprotect(page, PAGE, PROT_READ | PROT_EXEC);
        sum += call(page, i);
        munmap(page, PAGE);
    }
    return sum;
}

static int map_over(int number)
{
    int sum = 0;

    for (int i = 0; i < 30; i++) {
        pthread_mutex_lock(&turn);
        mmap(fixed, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, files[(i + number) % 3],
             0);
        for (int j = 0; j < 3; j++)
            sum += call(fixed, j + i % 7);
        if (i % 5 == 0)
            munmap(fixed, PAGE);
        pthread_mutex_unlock(&turn);
    }
    return sum;
}

static void *run(void *argument)
{
    const int number = (int)(intptr_t)argument;

    return (void *)(intptr_t)(share_page(number) + come_and_go(number) + map_over(number));
}

static void make_files(void)
{
    static const uint32_t code[3][6] = {
        {0x11000400, RET},                                       /* add w0, w0, #1 */
        {0x531f7800, 0x71000c1f, 0x5400004b, 0x11001400, RET},   /* lsl; cmp; b.lt .+8; add */
        {0x7100041f, 0x54000061, MOVZ(9), RET, 0x51000400, RET}, /* cmp; b.ne .+12; ...; sub */
    };

    for (int i = 0; i < 3; i++) {
        files[i] = memfd_create("code", 0);
        if (write(files[i], code[i], sizeof code[i]) < 0)
            _exit(1);
    }
}

/* Each round adds one to what the next one adds. */
static int rewrite_loop(void)
{
    static const uint32_t loop[] = {
        0xd2800000, /*  mov x0, #0 */
        0xd2800641, /*  mov x1, #50 */
        0x100000a2, /*  adr x2, 2f */
        0x52808004, /*  mov w4, #1 << 10 */
        0xb9400043, /* 1: ldr w3, [x2] */
        0x0b040063, /*  add w3, w3, w4 */
        0xb9000043, /*  str w3, [x2] */
        0x91000400, /* 2: add x0, x0, #1 */
        0xf1000421, /*  subs x1, x1, #1 */
        0x54ffff61, /*  b.ne 1b */
        RET,
    };

    /* in the middle of a page, and from one page to the next: after mov w4 */
    put(shared + 512, loop, sizeof loop / sizeof loop[0]);
    put(shared + 1020, loop, sizeof loop / sizeof loop[0]);
    return call(shared + 512, 0) + call(shared + 1020, 0);
}

int main(void)
{
    pthread_t threads[THREADS];

    shared = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
                  -1, 0);
    fixed = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    make_files();
    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return rewrite_loop() == 0;
}
