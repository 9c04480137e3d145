/* SPDX-License-Identifier: BSD-2-Clause */
/* A stack that control is led through step by step, for tests. What is told is a text: "+f0" a call of f at depth 0
 * begins, "-f0" it returns; "~" unwound, ">" jumped on, "!" cut, "|" cut by a switch to another stack, "." still running;
 * "#" a gap; "+f0'1" is on the context's second stack. */
#ifndef CAIRN_TESTS_STACK_BENCH_H
#define CAIRN_TESTS_STACK_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calls/plain.h"
#include "calls/stack.h"
#include "calls/threads.h"

#define F(letter) ((uint32_t)((letter) - 'a' + 1))
#define START(letter) (UINT64_C(0x1000) * F(letter))

/* Functions a to z, each of 0x1000 bytes; s is setjmp, p a stub, and c is a part of b. */
static struct cairn_function list[27];
static struct cairn_functions functions = {.list = list, .count = 27};

struct stack_bench {
    struct cairn_stacks stacks;
    struct cairn_call_threads threads;
    struct cairn_call_thread *thread; /* that executes */
    char told[4096];
    bool wrong_order;
    uint32_t depth[8]; /* of each stack */
    uint64_t took[27]; /* the last call of each function */
};

static void tell(struct stack_bench *bench, const char *sign, const struct cairn_call *call)
{
    const size_t used = strlen(bench->told);

    snprintf(bench->told + used, sizeof bench->told - used, "%s%s%c%u", used ? " " : "", sign,
             call->function ? (int)('a' + call->function - 1) : '?', call->depth);
    if (call->thread)
        snprintf(bench->told + strlen(bench->told), sizeof bench->told - strlen(bench->told), "'%u",
                 call->thread);
}

static cairn_status enter(void *context, const struct cairn_call *call)
{
    static const char *const signs[] = {"=", "+", "&", "*", "$", "^"};
    struct stack_bench *bench = context;

    bench->wrong_order = bench->wrong_order || call->depth != bench->depth[call->thread];
    bench->depth[call->thread]++;
    tell(bench, signs[call->kind], call);
    return CAIRN_OK;
}

static cairn_status leave(void *context, const struct cairn_call *call)
{
    static const char *const signs[] = {"-", ">", "~", "!", ".", "|"};
    struct stack_bench *bench = context;

    bench->depth[call->thread]--;
    bench->wrong_order = bench->wrong_order || call->depth != bench->depth[call->thread];
    bench->took[call->function] = call->ended.instructions - call->began.instructions;
    tell(bench, signs[call->end], call);
    return CAIRN_OK;
}

static cairn_status gap(void *context, uint32_t thread, uint32_t account,
                        const struct cairn_call_moment *moment)
{
    struct stack_bench *bench = context;

    (void)thread;
    (void)account;
    (void)moment;
    strcat(bench->told, " #");
    return CAIRN_OK;
}

static void begin(struct stack_bench *bench)
{
    static const char names[27][2] = {"a", "b", "c", "d", "e", "f", "g", "h", "i",
                                      "j", "k", "l", "m", "n", "o", "p", "q", "r",
                                      "s", "t", "u", "v", "w", "x", "y", "z", ""};

    list[0] = (struct cairn_function){.is_stub = true};
    for (uint32_t i = 1; i <= 26; i++)
        list[i] = (struct cairn_function){.name = names[i - 1], .address = 0x1000 * (uint64_t)i};
    list[F('s')].is_setjmp = true;
    list[F('p')].is_stub = true;
    list[F('q')].is_resume = true;
    list[F('l')].is_label = true;
    list[F('c')].is_part = true;
    list[F('n')].name = NULL; /* all code without symbols */
    list[F('n')].is_stub = true;
    memset(bench, 0, sizeof *bench);
    assert_int_equal(cairn_call_threads_choose(&bench->threads, 0, 0, 0, 0), CAIRN_OK);
    bench->thread = bench->threads.now;
    bench->stacks.threads = &bench->threads;
    bench->stacks.functions = &functions;
    bench->stacks.sink = (struct cairn_calls_sink){.size = sizeof bench->stacks.sink,
                                                   .context = bench,
                                                   .enter = enter,
                                                   .leave = leave,
                                                   .gap = gap};
}

/* Control goes to an address, from `site`, an instruction of four bytes. */
static void go(struct stack_bench *bench, enum cairn_call_way way, uint64_t site, uint64_t to)
{
    const struct cairn_call_step step = {
        .address = to,
        .site = site,
        .behind = site + 4,
        .function = (uint32_t)(to >> 12),
        .way = (uint8_t)way,
        .starts = (to & 0xfff) == 0,
    };

    bench->thread->instructions += 10;
    assert_int_equal(cairn_stacks_go(&bench->stacks, bench->thread, &step), CAIRN_OK);
}

static void call(struct stack_bench *bench, uint64_t site, uint64_t to)
{
    go(bench, CAIRN_WAY_CALL, site, to);
}

static void back(struct stack_bench *bench, uint64_t to)
{
    go(bench, CAIRN_WAY_RETURN, 0, to);
}

static void check(struct stack_bench *bench, const char *told)
{
    assert_string_equal(bench->told, told);
    assert_false(bench->wrong_order);
    bench->told[0] = '\0';
}

static void finish(struct stack_bench *bench, const char *told)
{
    for (uint32_t i = 0; i < bench->threads.count; i++)
        assert_int_equal(cairn_stacks_end(&bench->stacks, bench->threads.list[i]), CAIRN_OK);
    check(bench, told);
    cairn_call_threads_free(&bench->threads);
}

#endif
