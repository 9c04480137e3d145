/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that takes from itself what a recording could need, and goes on for a while:
 * descriptors, root and user, or limits (files SIZE, open COUNT). */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define NOBODY 65534
#define ROUNDS 2000000u

static volatile unsigned sum;

static int confine(const char *how, const char *argument)
{
    struct rlimit limit;

    if (!strcmp(how, "close")) {
        for (int i = 0; i < 1024; i++)
            if (i != STDOUT_FILENO)
                close(i);
        return chdir("/");
    }
    if (!strcmp(how, "root"))
        return chdir(argument) || chroot(argument) || setgid(NOBODY) || setuid(NOBODY);
    const int which = strcmp(how, "files") ? RLIMIT_NOFILE : RLIMIT_FSIZE;
    if (getrlimit(which, &limit) != 0)
        return -1;
    limit.rlim_cur = strtoul(argument, NULL, 0);
    return setrlimit(which, &limit);
}

int main(int argc, char **argv)
{
    if (argc < 3 || confine(argv[1], argv[2]) != 0)
        return 1;
    for (unsigned i = 0; i < ROUNDS; i++)
        sum = sum * 3 + i;
    puts("done");
    return 0;
}
