/* SPDX-License-Identifier: BSD-2-Clause */
/* A log of what software does to registers of trace, and of the barriers between: a script of `cairn barriers`, a file a
 * core. Comments say what was read, and where in the program a line is. */
#include "machine/board/board.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pe/sysreg.h"

enum { RUN_MOST = 1 << 24 /* instructions of a line */, PATH = 4096, LINE = 512 };
#define TRCSTATR CAIRN_SYSREG(2, 1, 0, 3, 0)
#define TRCSTATR_IDLE 1u

/* A script's PE has all levels: what a machine without EL3 is to it. */
static const char without_EL3[] = "msr SCR_EL3, 0x401\n"
                                  "msr MDCR_EL3, 0x303040000\n";
static const char without_EL2[] = "msr MDCR_EL2, 0x3000000\n";

static void put(struct cairn_board_core *core, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* At once: whatever ends the machine, it is there. */
static void put(struct cairn_board_core *core, const char *format, ...)
{
    char text[LINE];
    va_list arguments;
    size_t done = 0;

    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const size_t size = length < 0                     ? 0
                        : (size_t)length < sizeof text ? (size_t)length
                                                       : sizeof text - 1;
    while (done < size && !core->log.failed) {
        const ssize_t written = write(core->log.file, text + done, size - done);

        if (written > 0) {
            done += (size_t)written;
        } else if (written == 0 || errno != EINTR) {
            core->log.failed = true;
            snprintf(text, sizeof text, "--log-registers: %s; the log ends here", strerror(errno));
            cairn_board_say(text);
        }
    }
}

static const char *level_of(const struct cairn_context *context)
{
    static const char *const names[2][4] = {{"EL0s", "EL1s", "EL2s", "EL3"},
                                            {"EL0n", "EL1n", "EL2n", "EL3"}};

    return names[context->security != CAIRN_SECURE][context->EL & 3];
}

/* The state that a script's PE is in at first. */
static void begin(struct cairn_board_core *core)
{
    const struct cairn_pe_features *features = &core->pe->features;

    put(core, "reset cold\n%s%s", features->EL3 ? "" : without_EL3,
        features->EL2 ? "" : without_EL2);
    core->log.level = features->EL3 ? level_of(&(struct cairn_context){.EL = 3}) : "";
    core->log.last_fence = CAIRN_BOARD_NO_FENCE;
}

const char *cairn_board_log_open(struct cairn_board_core *core)
{
    static char why[PATH + 128];
    char path[PATH];

    if (!cairn_board.settings.log)
        return NULL;
    if (core->host.index == 0)
        snprintf(path, sizeof path, "%s", cairn_board.settings.log);
    else
        snprintf(path, sizeof path, "%s.%u", cairn_board.settings.log, core->host.index);
    core->log.file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (core->log.file < 0) {
        snprintf(why, sizeof why, "--log-registers: %s: %s", path, strerror(errno));
        return why;
    }
    put(core, "# What software on core %u did, for cairn barriers.\n", core->host.index);
    begin(core);
    return NULL;
}

void cairn_board_log_reset(struct cairn_board_core *core)
{
    const struct cairn_board_log *const before = &core->log;

    if (!cairn_board.settings.log || before->failed)
        return;
    /* What was executed last is of no matter behind it. */
    core->log = (struct cairn_board_log){.file = before->file};
    begin(core);
}

static bool is_watched(const struct cairn_board_core *core)
{
    const uint64_t *seen = core->pe->order.lanes[0].seen.value;

    return (cairn_unit_session(core->pe->unit) != CAIRN_SESSION_IDLE &&
            !cairn_pe_is_prohibited(core->pe)) ||
           ((seen[CAIRN_PE_BRBCR_EL1] | seen[CAIRN_PE_BRBCR_EL2]) & 3);
}

static void end_line(struct cairn_board_core *core, uint64_t PC)
{
    char place[CAIRN_BOARD_PLACE];

    cairn_board_place(PC, place);
    put(core, "  # %s\n", place);
}

/* A line that is no ISB and no DSB. */
static void is_other(struct cairn_board_core *core)
{
    core->log.last_fence = CAIRN_BOARD_NO_FENCE;
    core->log.is_complete = false;
}

/* What is gathered comes before the next line. */
static void flush(struct cairn_board_core *core)
{
    struct cairn_board_log *log = &core->log;

    /* Of code without a branch there is no trace yet; the sequences of drivers are such code. */
    if (!log->branched)
        log->executed = 0;
    log->branched = false;
    if (log->executed > 0 || log->size > 0)
        is_other(core);
    for (; log->executed > 0; log->executed -= log->executed < RUN_MOST ? log->executed : RUN_MOST)
        put(core, "run %" PRIu64 "\n",
            log->executed < RUN_MOST ? log->executed : (uint64_t)RUN_MOST);
    if (log->size > 0)
        put(core, "%s 0x%" PRIx64 " %" PRIu64 "\n", log->stores ? "store" : "load", log->address,
            log->size);
    log->size = 0;
    log->is_synchronized = false;
}

void cairn_board_log_level(struct cairn_board_core *core)
{
    if (!cairn_board.settings.log)
        return;
    flush(core);
    core->log.crossed = true;
}

/* Crossings with nothing in between are one Context synchronization event. From EL0 to itself it goes by EL1. */
static void follow_level(struct cairn_board_core *core)
{
    const char *const level = level_of(&core->context);
    const bool stays = strcmp(core->log.level, level) == 0;

    if (stays && !core->log.crossed)
        return;
    if (stays && core->context.EL == 0)
        put(core, "enter %s\n", core->context.security == CAIRN_SECURE ? "EL1s" : "EL1n");
    put(core, "enter %s\n", level);
    core->log.last_fence = CAIRN_BOARD_ISB;
    core->log.level = level;
    core->log.crossed = false;
    core->log.is_synchronized = false;
}

void cairn_board_log_executed(struct cairn_board_core *core, const struct cairn_block *block)
{
    if (!cairn_board.settings.log || !is_watched(core))
        return;
    follow_level(core);
    if (core->log.size > 0)
        flush(core);
    core->log.executed += block->count;
    core->log.branched |=
        block->kind == CAIRN_INSN_BRANCH_DIRECT || block->kind == CAIRN_INSN_BRANCH_INDIRECT;
}

/* Whether it orders anything that barriers since the last other line did not: a DSB behind an ISB and an ISB behind that are
 * all there is to order, however often they come. */
static bool adds(struct cairn_board_log *log, bool is_ISB)
{
    const enum cairn_board_fence last = log->last_fence;

    if (last == (is_ISB ? CAIRN_BOARD_ISB : CAIRN_BOARD_DSB) || (!is_ISB && log->is_complete))
        return false;
    log->is_complete |= !is_ISB && last == CAIRN_BOARD_ISB;
    log->last_fence = is_ISB ? CAIRN_BOARD_ISB : CAIRN_BOARD_DSB;
    return true;
}

void cairn_board_log_barrier(struct cairn_board_core *core, enum cairn_pe_barrier barrier,
                             uint64_t PC)
{
    static const char *const names[] = {[CAIRN_PE_BARRIER_ISB] = "isb",
                                        [CAIRN_PE_BARRIER_DSB] = "dsb",
                                        [CAIRN_PE_BARRIER_TSB_CSYNC] = "tsb csync"};

    if (!cairn_board.settings.log)
        return;
    flush(core);
    const bool is_TSB = barrier == CAIRN_PE_BARRIER_TSB_CSYNC,
               is_ISB = barrier == CAIRN_PE_BARRIER_ISB;
    const bool is_lost = is_ISB ? core->log.crossed : !is_TSB && core->log.is_complete;

    if (!is_lost)
        follow_level(core); /* which is an ISB, too */
    if (is_TSB)
        is_other(core);
    if (is_TSB || (!is_lost && adds(&core->log, is_ISB))) {
        put(core, "%s", names[barrier]);
        end_line(core, PC);
    }
    core->log.is_synchronized = barrier == CAIRN_PE_BARRIER_ISB;
}

void cairn_board_log_memory(struct cairn_board_core *core, bool stores, uint64_t address,
                            uint64_t size)
{
    struct cairn_board_log *log = &core->log;

    if (!cairn_board.settings.log)
        return;
    follow_level(core);
    if (log->size > 0 && log->stores == stores && address == log->address + log->size &&
        log->executed == 0) {
        log->size += size;
        return;
    }
    flush(core);
    log->stores = stores;
    log->address = address;
    log->size = size;
}

/* A read of TRCSTATR waits for something, and would be done again where an order has not got there yet. */
static bool is_polled(const struct cairn_board_core *core, const struct cairn_board_access *access)
{
    return access->kind == CAIRN_BOARD_READS && access->encoding == TRCSTATR &&
           core->log.is_synchronized;
}

void cairn_board_log_access(struct cairn_board_core *core, const struct cairn_board_access *access)
{
    if (!cairn_board.settings.log)
        return;
    follow_level(core);
    const bool polled = is_polled(core, access);
    flush(core);
    is_other(core);
    switch (access->kind) {
    case CAIRN_BOARD_READS:
        if (polled)
            put(core, "poll %s.IDLE %u", access->name, (unsigned)(access->value & TRCSTATR_IDLE));
        else
            put(core, "mrs x0, %s  # 0x%" PRIx64, access->name, access->value);
        break;
    case CAIRN_BOARD_WRITES: put(core, "msr %s, 0x%" PRIx64, access->name, access->value); break;
    case CAIRN_BOARD_DOES: put(core, "sys %s", access->name); break;
    case CAIRN_BOARD_REFUSED: put(core, "# %s: trapped, or UNDEFINED", access->name); break;
    }
    end_line(core, access->PC);
}

void cairn_board_log_close(struct cairn_board_core *core)
{
    if (!cairn_board.settings.log)
        return;
    flush(core);
    if (close(core->log.file) != 0)
        cairn_board_say("--log-registers: the log may not be whole");
}
