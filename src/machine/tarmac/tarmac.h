/* SPDX-License-Identifier: BSD-2-Clause */
/* TARMAC logs: text in which a simulator lists what its processors do, a line an instruction,
 * register write, memory access or exception. Three dialects, told apart line by line
 * (docs/tarmac.md):
 *
 *   Fast Models   5 clk cpu0 IT (5) 00008000:000000008000_NS d2800020 O EL1h_n : MOV x0,#1
 *   gem5          the same, with ticks for clk and IT for whatever was not predicated
 *   Text Rev 3t   5 ns ES (00008000:d2800020) O el1h_ns: MOV x0,#1
 *
 * A reader turns lines into records in constant memory. The feed below it drives a trace unit a
 * processor with them. */
#ifndef CAIRN_MACHINE_TARMAC_TARMAC_H
#define CAIRN_MACHINE_TARMAC_TARMAC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/unit.h>

#include "machine/around.h"
#include "machine/recording.h"

#define CAIRN_TARMAC_LINE 4096u /* longer lines are not parsed */
#define CAIRN_TARMAC_CPUS 256u  /* processors in one log */
#define CAIRN_TARMAC_NAME 64u   /* bytes of a processor's name, with its end */
#define CAIRN_TARMAC_NOTES 8u   /* unparsable lines that are kept for the report */

/* --- the reader --- */

enum cairn_tarmac_kind {
    CAIRN_TARMAC_END = 0,         /* the log has ended */
    CAIRN_TARMAC_INSTRUCTION = 1, /* IT, IS, ES */
    CAIRN_TARMAC_REGISTER = 2,    /* R */
    CAIRN_TARMAC_EVENT = 3,       /* E CoreEvent_..., EXC: an exception was taken */
    CAIRN_TARMAC_ABORTED = 4,     /* a memory access that was aborted */
};

enum cairn_tarmac_unit {
    CAIRN_TARMAC_NO_TIME = 0,
    CAIRN_TARMAC_CLK = 1, /* clk, cyc, tic, cs: steps of a clock */
    CAIRN_TARMAC_FS = 2,
    CAIRN_TARMAC_PS = 3,
    CAIRN_TARMAC_NS = 4,
    CAIRN_TARMAC_US = 5,
};

/* The processor's mode as a log names it: "EL1h_ns", "svc_s". */
enum cairn_tarmac_mode {
    CAIRN_TARMAC_MODE_NONE = 0, /* not given */
    CAIRN_TARMAC_MODE_EL0,      /* and the next three, in order */
    CAIRN_TARMAC_MODE_EL1,
    CAIRN_TARMAC_MODE_EL2,
    CAIRN_TARMAC_MODE_EL3,
    CAIRN_TARMAC_MODE_USR,
    CAIRN_TARMAC_MODE_FIQ,
    CAIRN_TARMAC_MODE_IRQ,
    CAIRN_TARMAC_MODE_SVC,
    CAIRN_TARMAC_MODE_ABT,
    CAIRN_TARMAC_MODE_UND,
    CAIRN_TARMAC_MODE_SYS,
    CAIRN_TARMAC_MODE_HYP,
    CAIRN_TARMAC_MODE_MON,
    CAIRN_TARMAC_MODE_M_PROFILE, /* thread, handler */
};
#define CAIRN_TARMAC_NO_SECURITY 0xffu

struct cairn_tarmac_record {
    uint64_t line;    /* from 1 */
    uint64_t time;    /* of this line, or the last one that this processor's lines gave */
    uint64_t address; /* Instruction; Event: what the line gives, if has_address */
    uint64_t value;   /* Register: low 64 bits; Event: number or vector, if has_value */
    const char *name; /* Register, Event: not terminated; valid until the next record */
    uint32_t name_size;
    uint32_t opcode;  /* Instruction: as struct cairn_insn */
    uint32_t cpu;     /* index of the processor, from 0 in order of appearance */
    uint8_t kind;     /* enum cairn_tarmac_kind */
    uint8_t unit;     /* enum cairn_tarmac_unit */
    uint8_t isa;      /* enum cairn_isa; UNKNOWN: Jazelle, ThumbEE */
    uint8_t size;     /* Instruction: bytes; 0: the log could not tell the opcode */
    uint8_t mode;     /* enum cairn_tarmac_mode */
    uint8_t security; /* enum cairn_security, or CAIRN_TARMAC_NO_SECURITY */
    bool passed;      /* Instruction: its condition, if any */
    bool aborted;     /* Instruction: the line says that it was */
    bool has_address;
    bool has_value;
    bool is_vector; /* Event: `value` is an offset in the vector table */
};

struct cairn_tarmac_note {
    uint64_t line;
    char text[80]; /* its beginning, unprintable bytes as '?' */
};

/* Every line is in exactly one of the counters behind `lines`. */
struct cairn_tarmac_counts {
    uint64_t bytes;
    uint64_t lines;
    uint64_t instructions;
    uint64_t registers;
    uint64_t events;
    uint64_t other;      /* memory accesses, signals, headings, empty lines ... */
    uint64_t unknown;    /* a time, then a kind of record that is not known */
    uint64_t unparsable; /* and these are in `notes`, the first of them */
    size_t note_count;
    struct cairn_tarmac_note notes[CAIRN_TARMAC_NOTES];
};

/* Reads up to `size` bytes; 0 at the end, negative (an errno value) when it cannot. */
typedef long cairn_tarmac_read(void *context, char *bytes, size_t size);

struct cairn_tarmac_reader;
cairn_status cairn_tarmac_reader_new(cairn_tarmac_read *read, void *context,
                                     struct cairn_tarmac_reader **reader);
/* The file at `path`; "-" is the standard input. Pipes are fine: it is read once, forward.
 * CAIRN_E_IO, with the path, when it cannot be opened or is a folder. */
cairn_status cairn_tarmac_reader_open(const char *path, struct cairn_tarmac_reader **reader,
                                      struct cairn_error *error);
void cairn_tarmac_reader_free(struct cairn_tarmac_reader *reader);

/* The next record that says something of execution; the others are counted. CAIRN_E_IO when the log
 * cannot be read further. */
cairn_status cairn_tarmac_next(struct cairn_tarmac_reader *reader,
                               struct cairn_tarmac_record *record, struct cairn_error *error);

const struct cairn_tarmac_counts *
cairn_tarmac_reader_counts(const struct cairn_tarmac_reader *reader);
/* The name of a processor; "cpu0" for the one of a log that names none. NULL past the last. */
const char *cairn_tarmac_reader_cpu(const struct cairn_tarmac_reader *reader, uint32_t cpu);

/* --- the feed --- */

/* Instructions behind the last P0 element are not in a trace. Where the log ends or breaks off
 * behind some, the feed therefore tells a Debug halt, as if a debugger had stopped the PE there:
 * with this choice it does not, and those instructions are lost. */
#define CAIRN_TARMAC_NO_HALTS (1u << 0)

/* Begin with CAIRN_TARMAC_OPTIONS_INIT. */
struct cairn_tarmac_options {
    size_t size;                           /* of this structure */
    const struct cairn_unit_options *unit; /* of every processor's trace unit */
    struct cairn_recording *recording; /* takes the units' bytes and the code; NULL: neither, and
                                          the sink of `unit` takes the bytes */
    uint32_t choices;                  /* CAIRN_TARMAC_... */
    const char *cpu;                   /* this processor only, by its name; NULL: all */
    uint64_t time_per_cycle; /* units of the log's time in a cycle of the PE clock; 0: 1 for clk,
                                and what makes a clock of 1 GHz for fs, ps, ns, us */
    /* Called before a processor's unit is made, to change its options (not sink and registers), and when it
     * has been disabled; `source` is the processor's name as that of a source. NULL: nobody wants to. */
    void (*making)(void *context, const char *source, struct cairn_unit_options *unit);
    void (*ended)(void *context, const char *source, const struct cairn_unit *unit);
    void *context;
    /* With a recording: what stands around each unit, and the core that the files name. NULL: nothing. */
    const struct cairn_around_settings *around;
    const char *core;
    /* Without a recording: makes a PE with a trace unit of these options, which is told instead of a unit and
     * stays the caller's. Nothing is enabled or disabled; where the log breaks off branches were executed that
     * nobody saw, as for a replay (<cairn/replay.h>). NULL: a unit alone. */
    cairn_status (*pe)(void *context, const struct cairn_unit_options *unit, struct cairn_pe **pe,
                       struct cairn_error *error);
    void *pe_context;
};
#define CAIRN_TARMAC_OPTIONS_INIT                                                                  \
    {                                                                                              \
        .size = sizeof(struct cairn_tarmac_options)                                                \
    }

/* What the feed made of the log. */
struct cairn_tarmac_result {
    uint64_t
        instructions; /* told to the trace units: executed, whether their condition passed or not */
    uint64_t aborted; /* listed, but an exception was taken instead */
    uint64_t untold;  /* listed, without an opcode or in an instruction set without trace */
    uint64_t unseen;  /* of the told ones: in an instruction set of which the unit has no packets
                                 (A32, MTB) */
    uint64_t exceptions;      /* told, without halts */
    uint64_t inferred;        /* of these, without a line of their own in the log */
    uint64_t halts;           /* Debug halts, so that no instruction is lost */
    uint64_t discontinuities; /* places where the log does not follow from itself */
    uint32_t cpus;            /* that executed anything */
};

/* Reads the log to its end, a trace unit and a source a processor. A log that has no instruction is
 * CAIRN_E_FORMAT, one of an M-profile processor CAIRN_E_UNSUPPORTED: both name the line. One of which
 * every instruction is `unseen` is CAIRN_E_UNSUPPORTED as well. When the
 * recording is interrupted, or its files cannot grow, what was told until then is flushed; the
 * latter is CAIRN_E_IO. *result is filled in any case. */
cairn_status cairn_tarmac_feed(struct cairn_tarmac_reader *reader,
                               const struct cairn_tarmac_options *options,
                               struct cairn_tarmac_result *result, struct cairn_error *error);

#endif
