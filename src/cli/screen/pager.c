/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/screen/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/screen/watch.h"

#define DEFAULT_PAGER "less -FRX"
#define WORDS_MAX 32

extern char **environ;

/* There is one a process, as there is one standard output. */
static pid_t pager;
static int saved_output = -1, saved_error = -1;

static const char *wanted(bool *named)
{
    const char *name = getenv("CAIRN_PAGER");

    if (!name)
        name = getenv("PAGER");
    *named = name != NULL;
    return name ? name : DEFAULT_PAGER;
}

/* Whether a shell has to read it: else it is started directly, and its absence is noticed. */
static bool needs_shell(const char *command)
{
    return strpbrk(command, "|&;<>()$`\\\"'*?[#~=%{}") != NULL;
}

/* Broken pipes are ignored here, and what is ignored stays so in a program that is started: there a
 * pipe that nobody reads has to end who writes into it. */
static int spawn(pid_t *child, char **words, const posix_spawn_file_actions_t *actions)
{
    posix_spawnattr_t attributes;
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    if (posix_spawnattr_init(&attributes))
        return ENOMEM;
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    const int result = posix_spawnp(child, words[0], actions, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    return result;
}

/* Starts it with `input` as its standard input: 0, or an errno. */
static int start(const char *command, int input, pid_t *child)
{
    char *const copy = strdup(command);
    char shell[] = "/bin/sh", option[] = "-c";
    char *words[WORDS_MAX + 1] = {shell, option, copy, NULL};
    posix_spawn_file_actions_t actions;
    char *rest = NULL;
    size_t count = 0;
    int result = ENOMEM;

    if (!copy || posix_spawn_file_actions_init(&actions)) {
        free(copy);
        return result;
    }
    if (!needs_shell(command)) {
        for (char *word = strtok_r(copy, " \t", &rest); word && count < WORDS_MAX;
             word = strtok_r(NULL, " \t", &rest))
            words[count++] = word;
        words[count] = NULL;
    }
    if (!posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO))
        result = spawn(child, words, &actions);
    posix_spawn_file_actions_destroy(&actions);
    free(copy);
    return result;
}

static bool is_none(const char *command)
{
    return command[strspn(command, " \t")] == '\0' || strcmp(command, "cat") == 0;
}

bool cli_pager_start(const char *command)
{
    int ends[2];
    bool named;
    const char *const chosen = wanted(&named);

    if (pager || !isatty(STDOUT_FILENO) || is_none(chosen) || pipe2(ends, O_CLOEXEC))
        return false;
    (void)setenv("LESS", "FRX", 0); /* where the user has said nothing */
    (void)setenv("LV", "-c", 0);
    const int error = start(chosen, ends[0], &pager);
    close(ends[0]);
    if (error) {
        pager = 0;
        close(ends[1]);
        if (named)
            fprintf(stderr, "cairn %s: cannot start the pager %s: %s; listing without one\n",
                    command, chosen, strerror(error));
        return false;
    }
    fflush(stdout);
    saved_output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    dup2(ends[1], STDOUT_FILENO);
    if (isatty(STDERR_FILENO)) {
        saved_error = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        dup2(ends[1], STDERR_FILENO);
    }
    close(ends[1]);
    cli_watch_keep();
    return true;
}

static void restore(int *saved, int fd)
{
    if (*saved < 0)
        return;
    dup2(*saved, fd);
    close(*saved);
    *saved = -1;
}

/* Ctrl-C is the pager's from here on: whoever leaves before it leaves it without a terminal. */
void cli_pager_end(void)
{
    int status;

    if (!pager)
        return;
    signal(SIGINT, SIG_IGN);
    fflush(stdout);
    fflush(stderr);
    restore(&saved_output, STDOUT_FILENO);
    restore(&saved_error, STDERR_FILENO);
    while (waitpid(pager, &status, 0) < 0 && errno == EINTR)
        ;
    pager = 0;
}
