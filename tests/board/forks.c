/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes: children that work beside their parent, the last of which becomes the program anew. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 3 };

__attribute__((noinline)) static unsigned work(unsigned x)
{
    for (int i = 0; i < 3000; i++)
        x = x & 1 ? 3 * x + 1 : x / 2 + 7;
    return x;
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        printf("%u\n", work((unsigned)atoi(argv[1])));
        return 0;
    }
    for (int i = 1; i <= CHILDREN; i++) {
        const pid_t child = fork();
        int status;

        if (child == 0 && i == CHILDREN)
            execv(argv[0], (char *[]){argv[0], "77", NULL});
        if (child == 0)
            return (int)(work((unsigned)i) & 127);
        work((unsigned)i + 100);
        waitpid(child, &status, 0);
    }
    return 0;
}
