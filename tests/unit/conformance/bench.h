/* SPDX-License-Identifier: BSD-2-Clause */
/* A test bench for trace unit models: a unit programmed in a line of text, calls for what the PE
 * does, and what came out as words.
 *
 * What came out is read back from the bytes, packet by packet, by the decoder's first two levels;
 * the words are in the order of the stream:
 *   SYNC  INFO INFO(T) INFO(SPEC=2) INFO(CC=4)  ON  CTX(EL1n) CTX(EL0s,32,cid=5,vmid=7)
 *   ADDR(1000) ADDR(1002t: T32)  E N  EXC(IRQ,1008) EXC(PE_Reset)  SRC(1008)  Q(3) Q(?)
 *   COMMIT(2) CANCEL(2) MISP DISCARD OVERFLOW  CC(12) CC(?)  TS(64) TS(64,7) TS(64,?)  MARK  EV0
 *   START TCOMMIT FAIL ERET
 * Numbers are decimal, addresses hexadecimal. Implied Commits are words only if asked for: c1.
 * Where an address and a context stand side by side their order says nothing; the context is put
 * first. */
#ifndef CAIRN_TESTS_UNIT_CONFORMANCE_BENCH_H
#define CAIRN_TESTS_UNIT_CONFORMANCE_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/unit.h>

#define BENCH_WORD 48
#define BENCH_TEXT 65536
#define BENCH_REGISTERS 64

struct bench_words {
    size_t count, capacity;
    char (*word)[BENCH_WORD];
};

struct bench {
    struct cairn_unit *unit;
    struct cairn_config *config;
    struct cairn_unit_options options;
    struct cairn_register registers[BENCH_REGISTERS];
    char names[BENCH_REGISTERS][16];
    struct cairn_context context; /* what the PE was told last */
    enum cairn_isa isa;           /* of the blocks that are made from here on */
    bool show_implied;
    bool must_watch;
    uint8_t *bytes; /* all that left the unit */
    size_t size, capacity;
    size_t credit;            /* with a port: how many bytes more it takes */
    unsigned a_cycle;         /* and how many more with each cycle */
    uint64_t offers;          /* times that it was asked, */
    uint64_t offered;         /* cycles that it was told of, */
    size_t most_waited;       /* and the most bytes it was offered at once */
    size_t consumed;          /* words that trace() has given out */
    struct bench_words words; /* of the bytes */
    struct bench_words seen;  /* from the watch */
    size_t seen_consumed;
    struct bench_words driven; /* from the External Outputs */
    size_t driven_consumed;
    char text[BENCH_TEXT];
};

enum { NOT_TAKEN = 0, TAKEN = 1 };

/* A unit, not enabled. `text`: words NAME=VALUE, or NAME for 1. NAME is a register, a field of one
 * (RS BB CCI CID VMID TS QE THRESHOLD MAXSPEC COMMOPT COMMTRANS TSMARK WFXMODE CCSIZE REVISION), or
 * of the options (choices depth fifo drain q etmv4 implied watched outputs port). The Commit of a
 * resolve comes at once, unless choices say otherwise. A port takes all there is until the bench's credit is less.
 * With BENCH_UNWATCHED in the environment nobody watches the unit, which then may go shorter ways to
 * the same bytes; "watched" has it watched all the same. */
void bench_open(struct bench *b, const char *text);
/* bench_open, then enabled, and told Non-secure EL1, AArch64, identifiers 0. */
void bench_begin(struct bench *b, const char *text);
void bench_end(struct bench *b);

/* A cairn_unit_watch whose context is a bench. */
void bench_watch(void *context, unsigned kind, uint16_t flags,
                 const struct cairn_element_data *data);

/* A cairn_unit_outputs whose context is a bench. */
void bench_hear(void *context, uint64_t clock, uint32_t events);

/* What came out since the last call; the unit's pending packets are completed, nothing is flushed. A
 * port is offered what waits. */
const char *bench_trace(struct bench *b);
/* The elements that were generated since the last call, as the watch saw them. */
const char *bench_seen(struct bench *b);
/* What the External Outputs showed since the last call, if the options say "outputs": a word a clock,
 * its number and the ETEEvents as hexadecimal digits: "0:1 12:f". */
const char *bench_outputs(struct bench *b);
/* What a decoder reads that begins at the last Alignment Synchronization packet. */
const char *bench_from_last_sync(struct bench *b);
/* The same, with speculation and transactions resolved: what was executed. */
const char *bench_resolved_from_last_sync(struct bench *b);
/* All bytes so far as packet mnemonics. */
const char *bench_packets(struct bench *b);
/* Whether the bytes of `hex` ("78 56 34 12") stand somewhere in all that came out. */
bool bench_has_bytes(struct bench *b, const char *hex);
/* Words of `text` that begin with `word`. */
size_t bench_count(const char *text, const char *word);
/* Where the first such word begins in `text`, from the n-th character on; or the length of `text`.
 */
size_t bench_find(const char *text, const char *word, size_t from);
/* Whether words that begin with the given ones (NULL ends them) stand in `text` in this order,
 * whatever is between them. */
bool bench_order(const char *text, ...) __attribute__((sentinel));

#define assert_trace(b, expected)                                                                  \
    _assert_string_equal(bench_trace(b), (expected), __FILE__, __LINE__)
#define assert_outputs(b, expected)                                                                \
    _assert_string_equal(bench_outputs(b), (expected), __FILE__, __LINE__)
#define assert_seen(b, expected) _assert_string_equal(bench_seen(b), (expected), __FILE__, __LINE__)

/* Resource selectors 2 to 5: external inputs 0 to 3, each alone; 6 to 9: CounterAtZero; 10 to 13:
 * SequencerState; 14 and 15: single-shots 0 and 1. As resource events their numbers, in hexadecimal
 * 2 to f. */
#define SELECTORS                                                                                  \
    "TRCRSCTLR2=1 TRCRSCTLR3=2 TRCRSCTLR4=4 TRCRSCTLR5=8 "                                         \
    "TRCRSCTLR6=0x20001 TRCRSCTLR7=0x20002 TRCRSCTLR8=0x20004 TRCRSCTLR9=0x20008 "                 \
    "TRCRSCTLR10=0x20010 TRCRSCTLR11=0x20020 TRCRSCTLR12=0x20040 TRCRSCTLR13=0x20080 "             \
    "TRCRSCTLR14=0x30001 TRCRSCTLR15=0x30002 "

/* Registers of a unit that traces from `first` to `last` only. */
#define ONLY(first, last) "TRCACVR0=" first " TRCACVR1=" last " TRCVIIECTLR=1 "

/* The beginning of a trace of Non-secure EL1 at an address. */
#define BEGIN(address) "SYNC INFO ON CTX(EL1n) ADDR(" address ")"

/* --- what the PE does; a block is one instruction, but for code() --- */

void code(struct bench *b, uint64_t address, unsigned instructions); /* no P0 instruction in it */
void branch(struct bench *b, uint64_t address, uint64_t target, int taken); /* B.cond */
void call(struct bench *b, uint64_t address, uint64_t target);              /* BL, taken */
void jump(struct bench *b, uint64_t address);                               /* BR */
void ret(struct bench *b, uint64_t address);                                /* RET */
void call_register(struct bench *b, uint64_t address);                      /* BLR */
void eret(struct bench *b, uint64_t address);
void isb(struct bench *b, uint64_t address, int taken);
void wfi(struct bench *b, uint64_t address, int taken);
void tstart(struct bench *b, uint64_t address); /* the outer one: the PE is in a transaction then */
void tcommit(struct bench *b, uint64_t address);
/* Any instruction. `flags` are CAIRN_INSN_..., `size` its bytes. */
void step(struct bench *b, uint64_t address, unsigned size, enum cairn_insn_kind kind,
          uint32_t flags, uint64_t target, int taken);

void exception(struct bench *b, unsigned type, uint64_t address);
void cycles(struct bench *b, uint64_t count);
/* A clock in which these external inputs are high; they are low behind it. */
void clock_with(struct bench *b, unsigned inputs);
void at_time(struct bench *b, uint64_t time);
/* Exception level and security as in "EL1n", "EL3s"; AArch64. */
void level(struct bench *b, const char *name);
void context_id(struct bench *b, uint32_t id);

uint64_t mark(struct bench *b);
void speculate(struct bench *b); /* from here on */
void resolve(struct bench *b, uint64_t mark);
void cancel(struct bench *b, uint64_t mark);
void mispredict(struct bench *b);

uint64_t read_register(struct bench *b, const char *name);
/* The unit is not enabled. */
void write_register(struct bench *b, const char *name, uint64_t value);

#endif
