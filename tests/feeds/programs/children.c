/* SPDX-License-Identifier: BSD-2-Clause */
/* fork, vfork with exec, and a failed exec: what happens in children is not in the capture. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int status = 0;
    pid_t child;

    (void)argc;
    execl("/nonexistent/program", "program", (char *)NULL);
    child = fork();
    if (child == 0) {
        volatile unsigned sum = 0;
        for (unsigned i = 0; i < 1000; i++)
            sum += i;
        _exit((int)(sum & 7));
    }
    waitpid(child, &status, 0);
    child = vfork();
    if (child == 0) {
        execl("/nonexistent/program", argv[0], (char *)NULL);
        _exit(3);
    }
    waitpid(child, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    return 7;
}
