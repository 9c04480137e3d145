/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a program under QEMU user mode, or firmware under its system mode, with the plugin that
 * holds the trace unit. QEMU is a program of its own, started like any other; what it records is in
 * the folder's files (machine/recording.h), from which progress is read here. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h> /* memfd_create */
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/record/plugin.h"
#include "cli/record/record.h"
#include "machine/qemu/arguments.h"
#include "machine/recording.h"
#include "protocol/about.h"

#define SHOW_EVERY_NS 200000000L
#define EXIT_SIGNAL 128
#define ARGUMENTS_MAX 64 /* of QEMU's own, besides --qemu-argument */

/* --- the plugin and its arguments --- */

/* QEMU takes a comma for the end of an argument, and a line ends at a newline. */
static void escape(char *to, size_t size, const char *from)
{
    for (; *from && size > 4; from++) {
        int length = strchr(",%=\r\n", *from) ? snprintf(to, size, "%%%02X", (unsigned char)*from)
                                              : snprintf(to, size, "%c", *from);
        to += length;
        size -= (size_t)length;
    }
    *to = '\0';
}

static void write_filters(FILE *stream, const struct cli_filters *filters)
{
    const struct cairn_filters *known = &filters->known;

    for (size_t i = 0; i < known->count; i++)
        fprintf(stream, "%s %s 0x%" PRIx64 " 0x%" PRIx64 "\n", CAIRN_QEMU_FILTER,
                cairn_filter_name(known->list[i].use), known->list[i].first, known->list[i].last);
    for (size_t i = 0; i < filters->name_count; i++)
        fprintf(stream, "%s %s %s %s\n", CAIRN_QEMU_NAME,
                cairn_filter_name(filters->names[i].filter->use),
                filters->names[i].own ? CAIRN_QEMU_OWN : CAIRN_QEMU_ANY,
                filters->names[i].filter->text);
}

static void write_path(FILE *stream, const char *key, const char *path)
{
    char escaped[3 * PATH_MAX];

    escape(escaped, sizeof escaped, path);
    fprintf(stream, "%s=%s\n", key, escaped);
}

/* What the plugin is to program its units with, in a file without a name, inherited by the child.
 */
static int write_plugin_options(const struct cli_options *options, const struct cairn_unit *unit,
                                const struct cli_filters *filters,
                                const struct cairn_recorded_program *program)
{
    char *const lines = cairn_recorded_program_lines(program);
    int file = memfd_create("cairn-options", 0);
    int copy = file < 0 ? -1 : dup(file);
    FILE *stream = copy < 0 ? NULL : fdopen(copy, "w");
    struct cairn_register value;

    if (!stream) {
        fprintf(stderr, "cairn record: no file for the plugin's options: %s\n", strerror(errno));
        if (copy >= 0)
            close(copy);
        if (file >= 0)
            close(file);
        free(lines);
        return -1;
    }
    for (char *rest = lines, *line; rest && (line = strsep(&rest, "\n"));)
        if (*line)
            fprintf(stream, "%s %s\n", CAIRN_QEMU_TOLD, line);
    free(lines);
    fprintf(stream, "%s=%s\n", CAIRN_QEMU_PROTOCOL,
            cairn_protocol_name(cli_record_protocol(options)));
    fprintf(stream, "%s=%s\n", CAIRN_QEMU_CORE, cli_record_core(options));
    if (options->record->limit)
        fprintf(stream, "%s=%" PRIu64 "\n", CAIRN_QEMU_LIMIT, options->record->limit);
    if (options->record->context_ids)
        fprintf(stream, "%s=tid\n", CAIRN_QEMU_CONTEXT);
    if (options->record->force)
        fprintf(stream, "%s=1\n", CAIRN_QEMU_OVERWRITE);
    if (options->record->explain)
        fprintf(stream, "%s=1\n", CAIRN_QEMU_EXPLAIN);
    if (options->record->fifo_bytes)
        fprintf(stream, "%s=%" PRIu32 "\n%s=%" PRIu32 "\n", CAIRN_QEMU_FIFO,
                options->record->fifo_bytes, CAIRN_QEMU_DRAIN,
                cairn_about(cli_record_protocol(options))->samples ? 0
                                                                   : options->record->fifo_drain);
    if (options->record->trbe)
        fprintf(stream, "%s=%s\n", CAIRN_QEMU_BUFFER, options->record->trbe);
    if (options->record->pmu)
        fprintf(stream, "%s=%s\n", CAIRN_QEMU_EVENTS, options->record->pmu);
    for (size_t i = 0; cairn_unit_register(unit, i, &value) == CAIRN_OK; i++)
        fprintf(stream, "%s %s=0x%" PRIx64 "\n", CAIRN_QEMU_REGISTER, value.name, value.value);
    if (program->path && filters->name_count)
        write_path(stream, CAIRN_QEMU_PROGRAM, program->path);
    write_filters(stream, filters);
    fclose(stream);
    return file;
}

struct command {
    char *argv[ARGUMENTS_MAX + 1];
    size_t count;
    char plugin[6 * PATH_MAX];
    char seed[24];
    char *append; /* of a machine: what is given to its firmware */
    struct cli_board board;
};

static bool add(struct command *command, const char *argument)
{
    if (command->count == ARGUMENTS_MAX)
        return false;
    command->argv[command->count++] = (char *)(uintptr_t)argument;
    command->argv[command->count] = NULL;
    return true;
}

static bool add_machine(struct command *command, const struct cli_record *record)
{
    const char *const *arguments = cli_record_machine_arguments(true);
    bool fits = add(command, "-M") && add(command, record->machine);

    for (size_t i = 0; arguments[i]; i++)
        fits = fits && add(command, arguments[i]);
    /* One instruction takes 32 ns of the machine's time, and waiting takes none of the host's:
     * timers come at the same instruction in every run, however much tracing slows the host down. */
    return fits && add(command, "-icount") && add(command, "shift=5,sleep=off");
}

static bool add_board(struct command *command)
{
    bool fits = true;

    for (size_t i = 0; i < command->board.words.count; i++)
        fits = fits && add(command, command->board.words.items[i]);
    return fits;
}

/* Behind QEMU's own arguments. */
static bool add_firmware(struct command *command, char *const *program)
{
    command->append = program[1] ? cli_record_machine_append(program + 1) : NULL;
    return (!command->append || (add(command, "-append") && add(command, command->append))) &&
           add(command, "-kernel") && add(command, program[0]);
}

/* A core from before Thumb-2 does not execute what QEMU's usual one does, and its trace unit could not tell
 * of it. NULL: QEMU's own choice. */
static const char *cpu_of(const struct cli_options *options)
{
    const struct cli_record *record = options->record;
    struct cairn_arch arch;

    if (record->cpu || record->machine ||
        cairn_arch_from_name(cli_record_core(options), &arch) != CAIRN_OK ||
        arch.profile != CAIRN_PROFILE_A || arch.major > 6)
        return record->cpu;
    return arch.major < 6 ? "arm926" : "arm1136";
}

/* QEMU's command line without the program's own part. */
static bool compose(struct command *command, const struct cli_options *options,
                    const struct cli_target *target, const char *plugin, const char *folder,
                    int options_file)
{
    const struct cli_record *record = options->record;
    char escaped_folder[3 * PATH_MAX];
    bool fits;

    if (strchr(plugin, ',')) {
        fprintf(stderr, "cairn record: %s: QEMU cannot load a plugin with a comma in its path\n",
                plugin);
        return false;
    }
    escape(escaped_folder, sizeof escaped_folder, folder);
    snprintf(command->plugin, sizeof command->plugin, "%s,%s=%s,%s=/proc/self/fd/%d", plugin,
             CAIRN_QEMU_FOLDER, escaped_folder, CAIRN_QEMU_OPTIONS, options_file);
    fits = add(command, record->qemu ? record->qemu : target->qemu) && add(command, "-plugin") &&
           add(command, command->plugin);
    if (cli_record_is_board(record))
        fits = fits && add_board(command);
    else if (record->machine)
        fits = fits && add_machine(command, record);
    /* Whether an instruction passed its condition shows when it is a TB of its own. */
    if (cairn_about(cli_record_protocol(options))->record & CAIRN_RECORD_EVERY_INSTRUCTION)
        fits = fits && add(command, "-singlestep");
    const char *sysroot = record->sysroot ? record->sysroot : target->sysroot;
    if (sysroot)
        fits = fits && add(command, "-L") && add(command, sysroot);
    const char *cpu = cpu_of(options);
    if (cpu && !cli_record_is_board(record))
        fits = fits && add(command, "-cpu") && add(command, cpu);
    if (record->fixed) {
        snprintf(command->seed, sizeof command->seed, "%" PRIu64, record->seed);
        fits = fits && add(command, "-seed") && add(command, command->seed);
    }
    for (size_t i = 0; i < record->qemu_arguments.count; i++)
        fits = fits && add(command, record->qemu_arguments.items[i]);
    if (!fits)
        fprintf(stderr, "cairn record: too many --qemu-argument options\n");
    return fits;
}

/* --- running it --- */

/* Signals that are meant for the program: the terminal sends them to both, kill(1) to us alone. */
static volatile sig_atomic_t forward_to;

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    const int saved = errno;

    if (forward_to > 0 && info->si_code != SI_KERNEL)
        kill((pid_t)forward_to, number);
    errno = saved;
}

/* What is ignored stays so, for the program as well (nohup). */
static void watch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction action, before;

    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
}

static void become_qemu(const struct cli_record *record, struct command *command,
                        char *const *program)
{
    size_t count = 0;

    while (!record->machine && program[count])
        count++;
    char **argv = calloc(command->count + count + 1, sizeof *argv);
    if (!argv)
        _exit(CLI_NOT_RUN);
    memcpy(argv, command->argv, command->count * sizeof *argv);
    memcpy(argv + command->count, program, count * sizeof *argv);
    char dashed[PATH_MAX + 2];
    if (!record->machine && program[0][0] == '-') { /* QEMU would take it for an option */
        snprintf(dashed, sizeof dashed, "./%s", program[0]);
        argv[command->count] = dashed;
    }
    signal(SIGPIPE, SIG_DFL);
    if (record->fixed)
        personality(ADDR_NO_RANDOMIZE);
    execvp(argv[0], argv);
    fprintf(stderr, "cairn record: %s: %s%s\n", argv[0], strerror(errno),
            errno != ENOENT   ? ""
            : record->machine ? "; install it (Debian: qemu-system-arm), or name it with --qemu"
                              : "; install it (Debian: qemu-user), or name it with --qemu");
    _exit(CLI_NOT_RUN);
}

/* Whoever reads the program's output, or writes its input, is to notice when it closes them. */
static void leave_streams(void)
{
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (nothing < 0)
        return;
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    if (nothing > STDERR_FILENO)
        close(nothing);
}

static int wait_for(pid_t child, struct cli_record_progress *progress)
{
    const struct timespec pause = {.tv_nsec = SHOW_EVERY_NS};
    sigset_t set;
    int status = 0;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (;;) {
        pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR))
            break;
        sigtimedwait(&set, NULL, &pause);
        cli_record_progress_show(progress);
    }
    cli_record_progress_end(progress);
    return status;
}

static int run_child(const struct cli_options *options, struct command *command, const char *folder,
                     struct cli_record_end *end)
{
    struct cli_record_progress progress;
    char control[2 * PATH_MAX];
    sigset_t set, before;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, &before);
    watch_signals();
    cli_record_progress_start(&progress, folder, options->record->quiet, isatty(STDOUT_FILENO));
    fflush(NULL);
    /* While it is ignored nobody is told of a child's end. */
    void (*const at_end)(int) = signal(SIGCHLD, SIG_DFL);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        signal(SIGCHLD, at_end);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent)
            become_qemu(options->record, command, options->program);
        _exit(CLI_NOT_RUN);
    }
    if (child < 0) {
        fprintf(stderr, "cairn record: cannot start a process: %s\n", strerror(errno));
        return CLI_UNUSABLE;
    }
    forward_to = child;
    leave_streams();
    const int status = wait_for(child, &progress);
    forward_to = 0;
    snprintf(control, sizeof control, "%s/recording.ctl", folder);
    end->started = access(control, F_OK) == 0;
    end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Older trace units know no A64. */
static bool can_trace(const struct cli_options *options, const struct cli_target *target)
{
    const enum cairn_protocol_id protocol = cli_record_protocol(options);

    if (cairn_about(protocol)->record & CAIRN_RECORD_A64 ||
        strcmp(target->qemu, "qemu-aarch64") != 0)
        return true;
    fprintf(stderr,
            "cairn record: %s is for AArch64, of which %s traces nothing: build it for AArch32, or "
            "record it with --protocol ete\n",
            options->program[0], cairn_protocol_name(protocol));
    return false;
}

int cli_record_program(const struct cli_options *options, const struct cli_target *target,
                       const struct cairn_unit *unit, const struct cli_filters *filters,
                       const struct cairn_recorded_program *program, struct cli_record_end *end)
{
    const struct cli_record *record = options->record;
    struct command command = {0};
    char plugin[2 * PATH_MAX];
    char here[PATH_MAX] = "", folder[2 * PATH_MAX];

    *end = (struct cli_record_end){.started = false};
    const bool is_board = cli_record_is_board(record);
    const struct cli_plugin own = {"record", record->plugin,
                                   is_board ? "src/machine/system" : "src/machine/qemu",
                                   is_board ? "cairn-system.so" : "cairn-qemu.so"};

    if (!can_trace(options, target) || !cli_plugin_find(&own, plugin))
        return CLI_UNUSABLE;
    /* The program may change its working directory. */
    if (record->folder[0] == '/' || !getcwd(here, sizeof here))
        snprintf(folder, sizeof folder, "%s", record->folder);
    else
        snprintf(folder, sizeof folder, "%s/%s", here, record->folder);
    int file = write_plugin_options(options, unit, filters, program);
    if (file < 0)
        return CLI_UNUSABLE;
    int status = CLI_UNUSABLE;
    if ((!is_board || cli_record_board_words(options, &command.board)) &&
        compose(&command, options, target, plugin, folder, file) &&
        (!record->machine || is_board || add_firmware(&command, options->program)))
        status = run_child(options, &command, record->folder, end);
    free(command.append);
    free(command.board.words.items);
    close(file);
    return status;
}
