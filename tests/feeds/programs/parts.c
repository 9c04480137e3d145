/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads words from its arguments, and does one thing or another with them: runs that differ where arguments do. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static volatile unsigned sink, ticks;

static void on_tick(int number)
{
    (void)number;
    ticks++;
}

__attribute__((noinline)) static unsigned weigh(unsigned value)
{
    unsigned weight = 0;

    for (; value; value >>= 1)
        weight += value & 1;
    return weight;
}

__attribute__((noinline)) static unsigned reject(const char *word)
{
    return (unsigned)strlen(word) * 3;
}

__attribute__((noinline)) static unsigned depth(unsigned left)
{
    return left == 0 ? 1 : depth(left - 1) + weigh(left);
}

__attribute__((noinline)) static void take(const char *word)
{
    const unsigned value = (unsigned)strtoul(word, NULL, 10);

    if (value % 7 == 3)
        sink += reject(word);
    else
        sink += weigh(value) + depth(value % 5);
#ifdef CHANGED
    if (value == 40)
        sink += weigh(value + 1);
#endif
}

__attribute__((noinline)) static void spin(unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        sink += weigh(i);
}

int main(int argc, char **argv)
{
    const char *const tick = getenv("TICK");

    if (tick) {
        const struct itimerval every = {{0, 500}, {0, 500}};

        signal(SIGALRM, on_tick);
        if (tick[0] == '1')
            setitimer(ITIMER_REAL, &every, NULL);
    }
    for (int i = 1; i < argc; i++)
        if (argv[i][0] == 's')
            spin((unsigned)strtoul(argv[i] + 1, NULL, 10));
        else
            take(argv[i]);
    return sink == 0;
}
