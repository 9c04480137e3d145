/* SPDX-License-Identifier: BSD-2-Clause */
/* A log of the calls of functions that are compiled with -finstrument-functions: of each the thread, the
 * function, and where the stack is; and of each return, with 0 for that. What longjmp ends has none: it is
 * over when the stack is higher again. Printed at the end. */
#ifndef TREE_H
#define TREE_H

#include <stdint.h>
#include <stdio.h>

#define LOG_MOST 20000
#define PLAIN __attribute__((no_instrument_function))

#ifdef __cplusplus
extern "C" {
#endif

struct log_entry {
    int thread;
    void *function;
    uintptr_t stack;
};

static struct log_entry log_entries[LOG_MOST];
static int log_count;
static __thread int log_thread;
static int log_threads;

PLAIN void __cyg_profile_func_enter(void *function, void *site);
PLAIN void __cyg_profile_func_exit(void *function, void *site);

PLAIN static void log_add(void *function, uintptr_t stack)
{
    if (!log_thread)
        log_thread = __atomic_add_fetch(&log_threads, 1, __ATOMIC_RELAXED);
    const int at = __atomic_fetch_add(&log_count, 1, __ATOMIC_RELAXED);
    if (at < LOG_MOST)
        log_entries[at] = (struct log_entry){log_thread, function, stack};
}

PLAIN void __cyg_profile_func_enter(void *function, void *site)
{
    (void)site;
    log_add(function, (uintptr_t)__builtin_frame_address(0));
}

PLAIN void __cyg_profile_func_exit(void *function, void *site)
{
    (void)site;
    log_add(function, 0);
}

PLAIN static void log_print(void)
{
    for (int i = 0; i < log_count && i < LOG_MOST; i++)
        printf("%d %lx %lx\n", log_entries[i].thread,
               (unsigned long)(uintptr_t)log_entries[i].function & ~1ul,
               (unsigned long)log_entries[i].stack);
}

#ifdef __cplusplus
}
#endif
#endif
