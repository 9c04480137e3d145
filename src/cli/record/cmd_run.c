/* SPDX-License-Identifier: BSD-2-Clause */
/* An emulated machine with trace: QEMU, with the plugin whose registers software on it programs, and a device tree that
 * says that they are there. The program becomes QEMU in the end. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h> /* memfd_create */
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/options/options.h"
#include "cli/record/plugin.h"
#include "cli/record/run_tree.h"

#define QEMU "qemu-system-aarch64"
#define ARGUMENTS_MAX 96
#define TREE_MOST (16u << 20)
#define CORES_MOST 64u /* that the plugin has units for */

enum {
    KEY_MACHINE = CLI_OWN_KEY,
    KEY_KERNEL,
    KEY_INITRD,
    KEY_APPEND,
    KEY_CPU,
    KEY_CORES,
    KEY_MEMORY,
    KEY_DISK,
    KEY_QEMU,
    KEY_PLUGIN,
    KEY_QEMU_ARGUMENT,
    KEY_ORDER,
    KEY_LOG_REGISTERS,
    KEY_FIRMWARE,
};

static const struct cli_option own_options[] = {
    {"kernel", KEY_KERNEL | CLI_FIRST, "FILE",
     "The kernel; or firmware as an ELF file, which begins at the highest level that the machine has."},
    {"firmware", KEY_FIRMWARE, "FILE",
     "Firmware as the bytes of the machine's flash, from address 0 on (QEMU's -bios). Without --kernel\n"
     "it is alone."},
    {"initrd", KEY_INITRD | CLI_FIRST, "FILE",
     "The guest's first files: scripts/board makes some with perf in them."},
    {"append", KEY_APPEND | CLI_FIRST, "TEXT",
     "Words for the kernel's command line, behind console=ttyAMA0."},
    {"cores", KEY_CORES | CLI_FIRST, "N", "How many cores the machine has; default 1."},
    {"disk", KEY_DISK | CLI_FIRST, "FILE",
     "A disk of the guest (/dev/vda) with the bytes of FILE: what it writes there is for the host."},
    {"machine", KEY_MACHINE | CLI_FIRST, "BOARD",
     "QEMU's machine, with properties: virt (default) or virt,NAME=VALUE...\n"
     "virt,virtualization=on begins at EL2, virt,secure=on at EL3."},
    {"order", KEY_ORDER | CLI_FIRST, "ORDER",
     "Look for barriers that the machine's software lacks, while what it writes to System registers\n"
     "counts, and its trace is in memory, at once (early), as late as its barriers allow (late), or at\n"
     "times in between (random, or random:SEED)."},
    {"log-registers", KEY_LOG_REGISTERS, "FILE",
     "Log accesses to registers of trace, barriers and levels: a script of cairn barriers. Of core N\n"
     "behind the first it is FILE.N."},
    {"cpu", KEY_CPU, "NAME", "QEMU's core; default cortex-a72, and max has all that QEMU models."},
    {"memory", KEY_MEMORY, "MEGABYTES", "The machine's memory; default 512."},
    {"qemu", KEY_QEMU, "PROGRAM", "The emulator; default " QEMU "."},
    {"plugin", KEY_PLUGIN, "FILE", "The plugin, if it is not where it was installed."},
    {"qemu-argument", KEY_QEMU_ARGUMENT, "WORD",
     "One more argument for QEMU. May be given several times."},
    {0},
};

struct cli_run {
    const char *machine, *kernel, *initrd, *append, *cpu, *cores, *memory, *disk, *qemu, *plugin,
        *order, *log, *firmware;
    struct cli_list arguments;
};

static bool take_own(struct cli_options *options, int key, const char *argument)
{
    struct cli_run *run = options->run;

    if (!run)
        options->run = run = calloc(1, sizeof *run);
    if (!run) {
        fprintf(stderr, "cairn run: out of memory\n");
        return false;
    }
    switch (key) {
    case KEY_MACHINE: run->machine = argument; break;
    case KEY_KERNEL: run->kernel = argument; break;
    case KEY_INITRD: run->initrd = argument; break;
    case KEY_APPEND: run->append = argument; break;
    case KEY_CPU: run->cpu = argument; break;
    case KEY_CORES: run->cores = argument; break;
    case KEY_MEMORY: run->memory = argument; break;
    case KEY_DISK: run->disk = argument; break;
    case KEY_QEMU: run->qemu = argument; break;
    case KEY_PLUGIN: run->plugin = argument; break;
    case KEY_ORDER: run->order = argument; break;
    case KEY_FIRMWARE: run->firmware = argument; break;
    case KEY_LOG_REGISTERS: run->log = argument; break;
    case KEY_QEMU_ARGUMENT: return cli_list_add(&run->arguments, argument);
    }
    return true;
}

static void free_own(struct cli_options *options)
{
    if (options->run)
        free(options->run->arguments.items);
    free(options->run);
}

struct command {
    const char *words[ARGUMENTS_MAX + 1];
    size_t count;
};

static void add(struct command *command, const char *word)
{
    if (command->count < ARGUMENTS_MAX)
        command->words[command->count] = word;
    command->count++;
}

static void add_two(struct command *command, const char *option, const char *word)
{
    add(command, option);
    add(command, word);
}

static const char *or_else(const char *given, const char *usual)
{
    return given ? given : usual;
}

static void add_hardware(struct command *command, const struct cli_run *run, const char *machine)
{
    add(command, or_else(run->qemu, QEMU));
    add_two(command, "-M", machine);
    add_two(command, "-cpu", or_else(run->cpu, "cortex-a72"));
    add_two(command, "-m", or_else(run->memory, "512"));
    add_two(command, "-smp", or_else(run->cores, "1"));
    add_two(command, "-nic", "none"); /* which wants a file of another package */
}

/* Does not return where it can be avoided. */
static void become(const struct command *command)
{
    signal(SIGPIPE, SIG_DFL);
    execvp(command->words[0], (char *const *)(uintptr_t)command->words);
    fprintf(stderr, "cairn run: %s: %s%s\n", command->words[0], strerror(errno),
            errno == ENOENT ? "; install it (Debian: qemu-system-arm), or name it with --qemu"
                            : "");
}

static volatile pid_t machine_process;

static void pass_on(int number)
{
    kill(machine_process, number);
}

/* The machine in a process of its own; `found` has as many bytes as there are findings then. */
static int watch(const struct command *command, int found)
{
    int status = 0;
    struct stat about;

    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM); /* whoever ends this process ends the machine */
        become(command);
        _exit(CLI_NOT_RUN);
    }
    if (child < 0) {
        fprintf(stderr, "cairn run: %s\n", strerror(errno));
        return CLI_NOT_RUN;
    }
    /* What is to end this ends the machine, which says what it has found. */
    machine_process = child;
    void (*const before[])(int) = {signal(SIGINT, pass_on), signal(SIGTERM, pass_on)};
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    signal(SIGINT, before[0]);
    signal(SIGTERM, before[1]);
    if (!WIFEXITED(status))
        return 128 + WTERMSIG(status);
    if (WEXITSTATUS(status) == 0 && fstat(found, &about) == 0 && about.st_size > 0)
        return CLI_GAPS;
    return WEXITSTATUS(status);
}

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    struct stat about;
    uint8_t *bytes = NULL;

    *size = 0;
    if (file && fstat(fileno(file), &about) == 0 && about.st_size > 0 && about.st_size < TREE_MOST)
        bytes = malloc((size_t)about.st_size);
    if (bytes)
        *size = fread(bytes, 1, (size_t)about.st_size, file);
    if (file)
        fclose(file);
    return bytes;
}

/* What QEMU says while it writes the tree is only of interest if it does not. */
static enum cli_exit dump(const struct cli_run *run, const char *machine, const char *path)
{
    struct command command = {.count = 0};
    char *dumping = malloc(strlen(machine) + strlen(path) + 64);
    int status = -1;
    pid_t child;

    if (!dumping)
        return CLI_UNUSABLE;
    /* Without a seed the kernel does not move itself, nor unmaps itself while programs run, which its driver of the trace
     * buffer could not bear. */
    sprintf(dumping, "%s,dtb-randomness=off,dumpdtb=%s", machine, path);
    add_hardware(&command, run, dumping);
    add_two(&command, "-display", "none");
    for (size_t i = 0; i < run->arguments.count; i++)
        if (strcmp(run->arguments.items[i], "-plugin") == 0)
            i++;
        else
            add(&command, run->arguments.items[i]);
    int said = memfd_create("cairn-said", MFD_CLOEXEC);
    fflush(NULL);
    child = fork();
    if (child == 0) {
        if (said >= 0)
            dup2(said, STDERR_FILENO);
        if (command.count <= ARGUMENTS_MAX)
            become(&command);
        _exit(CLI_NOT_RUN);
    }
    /* Ctrl-C ends the child; what it wrote is taken away here. */
    void (*const before)(int) = signal(SIGINT, SIG_IGN);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    signal(SIGINT, before);
    free(dumping);
    char text[2048];
    const ssize_t length = said >= 0 ? pread(said, text, sizeof text - 1, 0) : 0;
    text[length > 0 ? length : 0] = '\0';
    if (said >= 0)
        close(said);
    const int ended = child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (ended == 0 && access(path, R_OK) == 0)
        return CLI_CLEAN;
    fputs(text, stderr);
    if (ended == CLI_NOT_RUN)
        return CLI_NOT_RUN;
    fprintf(stderr, "cairn run: %s does not show the device tree of machine %s\n",
            or_else(run->qemu, QEMU), machine);
    return CLI_UNUSABLE;
}

/* *file: one without a name that has the tree. Anything but CLI_CLEAN after a message. */
static enum cli_exit make_tree(const struct cli_run *run, const char *machine, int *file)
{
    char folder[] = P_tmpdir "/cairn-run-XXXXXX", path[sizeof folder + 16];
    uint8_t *plain = NULL, *made = NULL;
    size_t size = 0, made_size = 0;

    *file = -1;
    if (!mkdtemp(folder)) {
        fprintf(stderr, "cairn run: %s: %s\n", folder, strerror(errno));
        return CLI_UNUSABLE;
    }
    snprintf(path, sizeof path, "%s/tree.dtb", folder);
    const enum cli_exit dumped = dump(run, machine, path);
    if (dumped == CLI_CLEAN)
        plain = read_file(path, &size);
    unlink(path);
    rmdir(folder);
    if (plain)
        made = cli_run_tree(plain, size, &made_size);
    if (made)
        *file = memfd_create("cairn-tree", 0);
    const bool written = *file >= 0 && write(*file, made, made_size) == (ssize_t)made_size;
    free(plain);
    free(made);
    if (dumped != CLI_CLEAN || written)
        return dumped;
    fprintf(stderr, "cairn run: the device tree of machine %s cannot be extended\n", machine);
    return CLI_UNUSABLE;
}

static bool can_read(const char *what, const char *path, const char *advice)
{
    if (!path || access(path, R_OK) == 0)
        return true;
    fprintf(stderr, "cairn run: --%s %s: %s (%s: docs/board.md)\n", what, path, strerror(errno),
            advice);
    return false;
}

static bool can_write(const char *path)
{
    FILE *file = fopen(path, "w");

    if (file && fclose(file) == 0)
        return true;
    fprintf(stderr, "cairn run: --log-registers %s: %s\n", path, strerror(errno));
    return false;
}

/* early, late, random, random:SEED. */
static bool is_order(const char *text)
{
    static const char random[] = "random:";
    uint64_t seed;

    if (strncmp(text, random, sizeof random - 1) == 0)
        return cli_number(text + sizeof random - 1, &seed);
    return strcmp(text, "early") == 0 || strcmp(text, "late") == 0 || strcmp(text, "random") == 0;
}

/* The plugin's file with what it is to do behind it. False: that is too long. */
static bool describe_plugin(const struct cli_run *run, const char *file, int found, char *text,
                            size_t size)
{
    const char *const order = run->order ? run->order : "";
    const char *const seed = strchr(order, ':');
    char names[PATH_MAX];
    int length = snprintf(text, size, "%s", file);

    if (run->order)
        length += snprintf(text + length, size - (size_t)length, ",found=%d,order=%.*s%s%s", found,
                           (int)(seed ? seed - order : (ptrdiff_t)strlen(order)), order,
                           seed ? ",seed=" : "", seed ? seed + 1 : "");
    if (run->log && (size_t)length < size)
        length += snprintf(text + length, size - (size_t)length, ",log=%s", run->log);
    /* Without names of functions places are addresses. */
    if ((run->log || run->order) && run->kernel && (size_t)length < size &&
        realpath(run->kernel, names) && !strchr(names, ','))
        length += snprintf(text + length, size - (size_t)length, ",names=%s", names);
    return (size_t)length < size;
}

static bool is_complete(const struct cli_run *run)
{
    if (!run || (!run->kernel && !run->firmware)) {
        fprintf(stderr,
                "cairn run: which kernel? Give it with --kernel; scripts/board makes a guest "
                "(docs/board.md). Or which --firmware?\n");
        return false;
    }
    if (run->machine && strcmp(run->machine, "virt") != 0 &&
        strncmp(run->machine, "virt,", 5) != 0) {
        fprintf(stderr,
                "cairn run: --machine %s: only QEMU's virt is known here; other boards are "
                "recorded (cairn record --machine)\n",
                run->machine);
        return false;
    }
    if (run->disk && strchr(run->disk, ',')) {
        fprintf(stderr, "cairn run: --disk %s: QEMU takes no comma in a file's name\n", run->disk);
        return false;
    }
    uint64_t cores = 1;
    if (run->cores && (!cli_number(run->cores, &cores) || cores == 0 || cores > CORES_MOST)) {
        fprintf(stderr, "cairn run: --cores %s: expected a number from 1 to %u\n", run->cores,
                CORES_MOST);
        return false;
    }
    if (run->order && !is_order(run->order)) {
        fprintf(stderr, "cairn run: --order %s: expected early, late, random or random:SEED\n",
                run->order);
        return false;
    }
    if (run->log && strchr(run->log, ',')) {
        fprintf(stderr, "cairn run: --log-registers %s: QEMU takes no comma in a file's name\n",
                run->log);
        return false;
    }
    if (run->log && !can_write(run->log))
        return false;
    return can_read("kernel", run->kernel, "scripts/board makes a guest") &&
           can_read("firmware", run->firmware, "bytes from address 0 on") &&
           can_read("initrd", run->initrd, "scripts/board makes a guest") &&
           can_read("disk", run->disk, "truncate -s 64M FILE makes an empty one");
}

static enum cli_exit run_machine(const struct cli_options *options)
{
    const struct cli_run *run = options->run;
    char plugin[PATH_MAX], described[3 * PATH_MAX], tree[48], machine[512], kernel_words[2048],
        disk[PATH_MAX + 64];
    struct command command = {.count = 0};

    if (options->programming.words.count > 0) {
        fprintf(stderr, "cairn run: %s: what is that? The kernel is given with --kernel\n",
                options->programming.words.items[0]);
        return CLI_UNUSABLE;
    }
    if (!is_complete(run))
        return CLI_UNUSABLE;
    const struct cli_plugin own = {"run", run->plugin, "src/machine/board", "cairn-board.so"};
    if (!cli_plugin_find(&own, plugin))
        return CLI_UNUSABLE;
    if (strchr(plugin, ',')) {
        fprintf(stderr, "cairn run: --plugin %s: QEMU takes no comma in a file's name\n", plugin);
        return CLI_UNUSABLE;
    }
    if (snprintf(machine, sizeof machine, "%s,gic-version=3", or_else(run->machine, "virt")) >=
            (int)sizeof machine ||
        snprintf(kernel_words, sizeof kernel_words, "console=ttyAMA0%s%s", run->append ? " " : "",
                 or_else(run->append, "")) >= (int)sizeof kernel_words) {
        fprintf(stderr, "cairn run: --machine or --append is too long: at most %zu and %zu bytes\n",
                sizeof machine - 16, sizeof kernel_words - 17);
        return CLI_UNUSABLE;
    }
    const int found = run->order ? memfd_create("cairn-found", 0) : -1;
    if (run->order && found < 0) {
        fprintf(stderr, "cairn run: %s\n", strerror(errno));
        return CLI_UNUSABLE;
    }
    if (!describe_plugin(run, plugin, found, described, sizeof described)) {
        fprintf(stderr, "cairn run: --log-registers %s: the name is too long\n", run->log);
        return CLI_UNUSABLE;
    }
    int file;
    const enum cli_exit made = make_tree(run, machine, &file);
    if (made != CLI_CLEAN)
        return made;
    snprintf(tree, sizeof tree, "/proc/self/fd/%d", file);
    add_hardware(&command, run, machine);
    add(&command, "-nographic");
    add(&command, "-no-reboot");
    add_two(&command, "-plugin", described);
    add_two(&command, "-dtb", tree);
    if (run->firmware)
        add_two(&command, "-bios", run->firmware);
    if (run->kernel) {
        add_two(&command, "-kernel", run->kernel);
        add_two(&command, "-append", kernel_words);
    }
    if (run->initrd)
        add_two(&command, "-initrd", run->initrd);
    if (run->disk) {
        snprintf(disk, sizeof disk, "file=%s,format=raw,if=none,id=cairn", run->disk);
        add_two(&command, "-drive", disk);
        add_two(&command, "-device", "virtio-blk-device,drive=cairn");
    }
    for (size_t i = 0; i < run->arguments.count; i++)
        add(&command, run->arguments.items[i]);
    if (command.count > ARGUMENTS_MAX)
        fprintf(stderr, "cairn run: too many --qemu-argument options\n");
    else if (run->order)
        return (enum cli_exit)watch(&command, found);
    else
        become(&command);
    return CLI_NOT_RUN;
}

const struct cli_command cli_command_run = {
    .name = "run",
    .summary = "an emulated machine whose cores have trace units, for its own software to use",
    .arguments = "--kernel FILE [--initrd FILE]",
    .description =
        "Runs a machine under QEMU's system mode whose cores have what Armv9 has for trace: an ETE, a\n"
        "Trace Buffer Unit, a Branch Record Buffer and Performance Monitors, as models behind the System\n"
        "registers. Software on the machine programs them as on silicon: Debian's arm64 kernel finds an\n"
        "ete for each core and a trbe, and perf record -e cs_etm/@trbe0/u in the guest traces programs.\n"
        "Firmware begins at EL3, EL2 or EL1. The terminal is the machine's console; Ctrl-A X ends it.\n"
        "docs/board.md makes a guest, step by step.",
    .output = "What the machine says on its console.",
    .exit_status = "That of QEMU: 0 when the machine was switched off.\n"
                   "1   the same, and with --order barriers are missing\n"
                   "2   the command line is wrong, or the machine cannot be made\n"
                   "127 there is no such emulator",
    .examples =
        "cairn run --kernel guest/kernel --initrd guest/initrd.img\n"
        "cairn run --kernel guest/kernel --initrd guest/initrd.img --cores 2 --disk out.img\n"
        "cairn run --machine virt,secure=on,virtualization=on --cpu max --kernel firmware.elf --order random:7\n",
    .options = CLI_TAKES_WORDS,
    .own = own_options,
    .take_own = take_own,
    .free_own = free_own,
    .run = run_machine,
};
