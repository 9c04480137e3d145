/* SPDX-License-Identifier: BSD-2-Clause */
/* Where QEMU loads the plugin, and the PEs. */
#include "machine/board/board.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include <cairn/isa.h>

#include "base/letters.h"

#define EXPORT __attribute__((visibility("default")))
#define LINE 512
#define TRCIDR2_VMIDSIZE (31u << 10)
#define TRCIDR2_VMIDOPT (3u << 29)
#define TRCIDR3_EXLEVEL_S(EL) (1u << 16 << (EL))
#define TRCIDR3_EXLEVEL_NS(EL) (1u << 20 << (EL))
#define TRCIDR3_EXLEVELS (0x7fu << 16)
#define PFR0_SEL2 36u
#define HDFGRTR_EL2 CAIRN_SYSREG(3, 4, 3, 1, 4)

EXPORT int qemu_plugin_version = 1;
struct cairn_board cairn_board;

void cairn_board_say(const char *text)
{
    char line[LINE];
    const int length = snprintf(line, sizeof line, "cairn: %s\n", text);

    /* Nobody is left to be told if even that fails. */
    if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
        return;
}

void cairn_board_fail(const char *why)
{
    if (!cairn_board.failed)
        cairn_board_say(why);
    cairn_board.failed = true;
    struct termios terminal; /* QEMU made it a console, and does not get to undo that */
    if (tcgetattr(STDIN_FILENO, &terminal) == 0) {
        terminal.c_iflag |= ICRNL | IXON | BRKINT;
        terminal.c_oflag |= OPOST;
        terminal.c_lflag |= ECHO | ICANON | IEXTEN | ISIG;
        tcsetattr(STDIN_FILENO, TCSANOW, &terminal);
    }
    kill(getpid(), SIGKILL); /* software on it would take it for a machine without trace */
}

/* --- what a PE asks --- */

static bool walk(void *context, unsigned security, uint64_t address, uint8_t bytes[8])
{
    const struct cairn_board_core *core = context;

    return cairn_host_load(&core->host, security == CAIRN_SECURE, address, bytes, 8);
}

static bool is_secure(const struct cairn_board_core *core)
{
    return core->pe->features.EL3 && core->pe->order.space == CAIRN_SECURE;
}

static void write_trace(void *context, uint64_t address, const uint8_t *bytes, size_t size)
{
    struct cairn_board_core *core = context;

    if (!cairn_host_store(&core->host, is_secure(core), address, bytes, size))
        atomic_fetch_add_explicit(&cairn_board.refused, size, memory_order_relaxed);
}

/* Where nothing is, the bus answers with an abort. */
static size_t aborts(void *context, uint64_t address, size_t size, enum cairn_pe_abort *how)
{
    const struct cairn_board_core *core = context;
    const size_t taken = cairn_host_writable(&core->host, is_secure(core), address, size);

    if (taken < size)
        *how = CAIRN_PE_ABORT_SYNCHRONOUS;
    return taken;
}

static void interrupt(void *context, bool level)
{
    const struct cairn_board_core *core = context;

    cairn_host_interrupt(&core->host, CAIRN_HOST_TRBIRQ, level);
}

static void counters_interrupt(void *context, bool level)
{
    const struct cairn_board_core *core = context;

    cairn_host_interrupt(&core->host, CAIRN_HOST_PMUIRQ, level);
}

/* --- making them --- */

/* Four bits of ID_AA64PFR0_EL1, from `shift` on. */
static unsigned feature(const struct cairn_board_core *core, unsigned shift)
{
    const struct cairn_host_register *reg =
        cairn_host_register(&core->host, CAIRN_SYSREG(3, 0, 0, 4, 0));
    const uint64_t value = reg ? cairn_host_value(&core->host, reg) : 0;

    return value >> shift & 15;
}

static unsigned has_level(const struct cairn_board_core *core, unsigned EL)
{
    return feature(core, 4 * EL);
}

static bool has_secure_EL2(const struct cairn_board_core *core)
{
    return has_level(core, 2) && has_level(core, 3) && feature(core, PFR0_SEL2) != 0;
}

static struct cairn_register *named(struct cairn_register *registers, size_t count,
                                    const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(registers[i].name, name) == 0)
            return &registers[i];
    return NULL;
}

/* A trace unit knows which levels its PE has, and of identifiers of EL2 only where that is. */
static void fit_levels(const struct cairn_board_core *core, struct cairn_register *registers,
                       size_t count)
{
    struct cairn_register *const identifiers = named(registers, count, "TRCIDR2");
    struct cairn_register *const levels = named(registers, count, "TRCIDR3");

    /* TRCIDR4.NUMVMIDC stays: Linux 6.1 writes TRCVMIDCCTLR0 whatever it is. */
    if (!has_level(core, 2) && identifiers)
        identifiers->value &= ~(uint64_t)(TRCIDR2_VMIDSIZE | TRCIDR2_VMIDOPT);
    if (!levels)
        return;
    levels->value &= ~(uint64_t)TRCIDR3_EXLEVELS;
    levels->value |= TRCIDR3_EXLEVEL_NS(0) | TRCIDR3_EXLEVEL_NS(1);
    if (has_level(core, 2))
        levels->value |= TRCIDR3_EXLEVEL_NS(2);
    if (has_level(core, 3))
        levels->value |= TRCIDR3_EXLEVEL_S(0) | TRCIDR3_EXLEVEL_S(1) | TRCIDR3_EXLEVEL_S(3);
    if (has_secure_EL2(core))
        levels->value |= TRCIDR3_EXLEVEL_S(2);
}

static cairn_status make_PE(struct cairn_board_core *core, struct cairn_error *error)
{
    struct cairn_unit_options unit = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_pe_options options = CAIRN_PE_OPTIONS_INIT;
    struct cairn_register registers[64];
    size_t count = 0;

    while (count < sizeof registers / sizeof registers[0] &&
           cairn_unit_recommended(count, &registers[count]) == CAIRN_OK)
        count++;
    fit_levels(core, registers, count);
    unit.arch = cairn_board.arch;
    unit.registers = registers;
    unit.register_count = count;
    options.flags = CAIRN_PE_HAS_TRBE | CAIRN_PE_HAS_BRBE |
                    (has_level(core, 2) ? CAIRN_PE_HAS_EL2 : 0) |
                    (has_level(core, 3) ? CAIRN_PE_HAS_EL3 : 0) |
                    (has_secure_EL2(core) ? CAIRN_PE_HAS_SECURE_EL2 : 0);
    options.unit = &unit;
    options.memory = write_trace;
    options.order = cairn_board.settings.order;
    options.finds = cairn_board.settings.finds;
    /* Cores are not alike. */
    options.seed = cairn_board.settings.seed + core->host.index * UINT64_C(0x9e3779b9);
    options.tell = cairn_board.settings.finds ? cairn_board_find : NULL;
    options.walk = walk;
    options.aborts = aborts;
    options.line = interrupt;
    options.counter_line = counters_interrupt;
    options.counters = cairn_board_counters(core);
    options.context = core;
    return cairn_pe_new(&options, &core->pe, error);
}

static const char *make_core(struct cairn_board_core *core)
{
    static struct cairn_error error;
    const char *why;

    if (make_PE(core, &error) != CAIRN_OK)
        return error.text;
    /* QEMU 7.2 has no Fine-grained Traps: nothing is trapped by registers that nobody can write. */
    core->pe->features.fine_traps = cairn_host_register(&core->host, HDFGRTR_EL2) != NULL;
    cairn_pe_reset(core->pe, CAIRN_RESET_COLD, 0, CAIRN_ISA_A64);
    why = cairn_board_registers(core);
    if (!why)
        why = cairn_board_log_open(core);
    if (!why)
        cairn_host_watch_levels(&core->host, cairn_board_crossed, core);
    return why;
}

static const char *make_all(void)
{
    const char *why = NULL;
    struct cairn_host_core beyond;

    if (cairn_host_core(CAIRN_BOARD_CORES, &beyond, &why))
        return "this machine has more cores than trace units can be made for, 64";
    while (!why && cairn_board.count < CAIRN_BOARD_CORES) {
        struct cairn_board_core *core = &cairn_board.cores[cairn_board.count];

        if (!cairn_host_core(cairn_board.count, &core->host, &why))
            break;
        if (!why && !core->host.interrupts[CAIRN_HOST_TRBIRQ])
            why = "this machine has no GICv3, at which the trace buffer's interrupt is";
        if (!why)
            why = make_core(core);
        cairn_board.count++;
    }
    return why ? why : cairn_board.count == 0 ? "this machine has no cores" : NULL;
}

bool cairn_board_start(void)
{
    const char *why;

    if (cairn_board.started)
        return true;
    cairn_board.started = true;
    why = make_all();
    if (why)
        cairn_board_fail(why);
    return !why;
}

struct cairn_board_core *cairn_board_here(void)
{
    /* A variable of the thread: the symbol's address is this thread's. */
    void *const *current = dlsym(RTLD_DEFAULT, "current_cpu");

    for (unsigned i = 0; current && i < cairn_board.count; i++)
        if (cairn_board.cores[i].host.cpu == *current)
            return &cairn_board.cores[i];
    return NULL;
}

static void on_exit_of_machine(qemu_id id, void *data)
{
    char line[LINE];
    const uint64_t lost = atomic_load(&cairn_board.lost);
    const uint64_t refused = atomic_load(&cairn_board.refused);

    (void)id;
    (void)data;
    for (unsigned i = 0; i < cairn_board.count; i++)
        cairn_board_log_close(&cairn_board.cores[i]);
    if (cairn_board.settings.finds)
        cairn_board_sum_up();
    if (lost > 0) {
        snprintf(
            line, sizeof line,
            "the trace units lost the thread %llu time%s, in code that was not seen: the trace has a "
            "discontinuity there",
            (unsigned long long)lost, cairn_plural(lost));
        cairn_board_say(line);
    }
    if (refused > 0) {
        snprintf(line, sizeof line,
                 "what is at their addresses did not take %llu byte%s of trace: missing",
                 (unsigned long long)refused, cairn_plural(refused));
        cairn_board_say(line);
    }
}

EXPORT int qemu_plugin_install(qemu_id id, const struct qemu_info *info, int argc, char **argv)
{
    const struct cairn_unit_options options = CAIRN_UNIT_OPTIONS_INIT;
    struct cairn_unit_options scanner = options;
    struct cairn_error error = {0};
    const char *why = NULL;

    if (!info->system || strcmp(info->target, "aarch64") != 0)
        why = "a board with trace is a machine of qemu-system-aarch64; this emulator is for others";
    else
        why = cairn_board_set(argc, argv);
    if (!why)
        why = cairn_host_find();
    if (!why && (cairn_arch_from_name("ARMv9-A", &cairn_board.arch) != CAIRN_OK))
        why = "there is no such architecture";
    scanner.arch = cairn_board.arch;
    if (!why && cairn_unit_new(&scanner, &cairn_board.scanner, &error) != CAIRN_OK)
        why = error.text;
    if (why) {
        cairn_board_say(why);
        return 1;
    }
    cairn_board.id = id;
    if (cairn_board_watches())
        cairn_board_names(cairn_board.settings.names);
    qemu_plugin_register_vcpu_tb_trans_cb(id, cairn_board_translated);
    qemu_plugin_register_flush_cb(id, cairn_board_flushed);
    qemu_plugin_register_atexit_cb(id, on_exit_of_machine, NULL);
    return 0;
}
