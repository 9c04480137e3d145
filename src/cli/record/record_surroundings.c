/* SPDX-License-Identifier: BSD-2-Clause */
/* Where and how a program was run: what somebody asks who gets the recording later. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/record/record.h"

/* Variables that decide which code is loaded and how its libraries behave. Others, of which some are
 * nobody else's business, are left out. */
static const char *const telling[] = {
    "LD_",  "GLIBC_TUNABLES=", "MALLOC_", "LANG=", "LANGUAGE=", "LC_",   "TZ=",
    "OMP_", "GOMP_",           "QEMU_",   "ASAN_", "UBSAN_",    "TSAN_", "PYTHONHASHSEED="};

static bool tells(const char *variable)
{
    for (size_t i = 0; i < sizeof telling / sizeof telling[0]; i++)
        if (strncmp(variable, telling[i], strlen(telling[i])) == 0)
            return true;
    return false;
}

static const char **choose_variables(void)
{
    size_t count = 0, taken = 0;

    while (environ[count])
        count++;
    const char **list = calloc(count + 1, sizeof *list);
    for (size_t i = 0; list && i < count; i++)
        if (tells(environ[i]))
            list[taken++] = environ[i];
    return list;
}

/* The first line that `program --version` prints, or "". */
static void ask_version(const char *program, char *line, size_t size)
{
    int ends[2];
    size_t length = 0;

    line[0] = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    const pid_t child = fork();
    if (child == 0) {
        const int nothing = open("/dev/null", O_RDWR);

        dup2(nothing, STDIN_FILENO);
        dup2(nothing, STDERR_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        execlp(program, program, "--version", (char *)NULL);
        _exit(CLI_NOT_RUN);
    }
    close(ends[1]);
    while (child > 0 && length < size - 1) {
        const ssize_t more = read(ends[0], line + length, size - 1 - length);

        if (more > 0)
            length += (size_t)more;
        else if (more == 0 || errno != EINTR)
            break;
    }
    close(ends[0]);
    line[length] = 0;
    line[strcspn(line, "\n")] = 0;
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
}

void cli_record_surroundings(const char *qemu, struct cli_surroundings *surroundings)
{
    const char *const slash = strrchr(qemu, '/');
    struct utsname name;
    char version[200];

    memset(surroundings, 0, sizeof *surroundings);
    if (uname(&name) == 0)
        snprintf(surroundings->host, sizeof surroundings->host, "%s %s on %s", name.sysname,
                 name.release, name.machine);
    ask_version(qemu, version, sizeof version);
    snprintf(surroundings->guest, sizeof surroundings->guest, "%s",
             version[0] ? version
             : slash    ? slash + 1
                        : qemu);
    if (!getcwd(surroundings->folder, sizeof surroundings->folder))
        surroundings->folder[0] = 0;
    surroundings->variables = choose_variables();
}
