/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace unit models: executed instructions in, trace bytes out (DDI0608 D6; where ETMv4 and older
 * units differ: docs/trace.md). This header is the whole interface of a feed: an emulator's plugin,
 * a log reader and a test are all just callers of it.
 *
 * A unit traces one PE. It is programmed through its registers, by the specification's names, as
 * hardware is. A feed tells what the PE does, in order, and the unit decides what of it is traced:
 *
 *     cairn_unit_new, cairn_unit_enable
 *     cairn_unit_context            the PE's context, before the first block and at every change
 *     cairn_unit_execute            an instruction block after the other
 *     cairn_unit_exception          between two blocks
 *     cairn_unit_disable, cairn_unit_free
 *
 * Addresses that a decoder cannot infer come from the block that is executed next: a feed never
 * tells a branch target. What a call generates may be written only when a later call completes it;
 * cairn_unit_flush writes everything out. */
#ifndef CAIRN_UNIT_H
#define CAIRN_UNIT_H

#include <cairn/element.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An instruction block (D6.6.4): instructions at sequential addresses, of which at most the last
 * one is a P0 instruction. Static: made once for a piece of code, executed any number of times. */
struct cairn_block {
    uint64_t address;   /* of the first instruction */
    uint64_t target;    /* of a direct branch at the end, else 0 */
    uint32_t size;      /* bytes, all instructions */
    uint32_t count;     /* instructions, at least 1 */
    uint32_t flags;     /* CAIRN_INSN_... of the last instruction, if that ends the block */
    uint8_t isa;        /* enum cairn_isa, or CAIRN_UNIT_ISA_... */
    uint8_t kind;       /* enum cairn_insn_kind of the last instruction if that ends the block, else
                           OTHER */
    uint8_t last_size;  /* bytes of the last instruction */
    uint8_t target_isa; /* as isa, at `target` */
};
/* States of cores before ARMv8 that only a PTM's trace tells of; no decoder here follows them, and
 * cairn_unit_scan does not make their blocks. ENTERX and LEAVEX are direct branches to what is
 * behind them. In Jazelle state nothing is traced: a block there says where it was entered. */
#define CAIRN_UNIT_ISA_THUMBEE 0x10u
#define CAIRN_UNIT_ISA_JAZELLE 0x11u

struct cairn_unit;

/* Makes the block that begins at `address` out of `size` bytes of memory there: up to and including
 * the first P0 instruction of a unit so configured, or as many whole instructions as there are.
 * A unit whose trace tells of every instruction (ETMv3) wants to know of each whether it passed its
 * condition: its blocks end, besides, behind every A32 instruction with a condition, behind every
 * T32 instruction, and behind every load and store if the unit traces data, and every move to or
 * from a coprocessor if it traces those.
 * Returns the bytes of the block, 0 when there is not even one instruction. */
CAIRN_API size_t cairn_unit_scan(const struct cairn_unit *unit, enum cairn_isa isa,
                                 uint64_t address, const uint8_t *bytes, size_t size,
                                 struct cairn_block *block);

/* Where the architecture leaves the unit a choice. All zero is the plain one of each. */
/* ETE: N Atoms are left out, and a Source Address or Exception implies them (R_SRYKV). Where none
 * comes (filtering, Prohibited region, flush, disabling) they are generated after all. */
#define CAIRN_UNIT_OMIT_NOT_TAKEN (1u << 0)
/* A Commit at each resolve; else Commits are merged until they are needed. */
#define CAIRN_UNIT_COMMIT_AT_ONCE (1u << 1)
/* TRCRSR.TA at an overflow: kept, else cleared (R_QZPJD). */
#define CAIRN_UNIT_OVERFLOW_KEEPS_TA (1u << 2)
/* Forced tracing sets TRCRSR.TA (R_NZNDM, R_YFKGM). */
#define CAIRN_UNIT_FORCED_SETS_TA (1u << 3)
/* E=10 Exception packets where they fit. */
#define CAIRN_UNIT_EXPLICIT_ADDRESSES (1u << 4)
/* Target Address and Context never share a packet. */
#define CAIRN_UNIT_SEPARATE_PACKETS (1u << 5)
/* ETMv3: values of single loads come out of order, some instructions behind their placeholders. ETMv2:
 * of all loads, while one of the four tags is free. */
#define CAIRN_UNIT_DATA_OUT_OF_ORDER (1u << 6)
/* A Prohibited region that begins in Transactional state: single-shot comparators forget what they
 * matched in the transaction, else they wait for its outcome (R_XRSYH). */
#define CAIRN_UNIT_PROHIBITED_FORGETS_MATCHES (1u << 8)
/* TRCSSCSR.PENDING is set while the resources are Paused even if the single-shot comparator has
 * fired and cannot fire again, else it is left alone then (R_GBDCK). */
#define CAIRN_UNIT_PENDING_AFTER_FIRED (1u << 9)
/* PTM of PFT 1.1: the I-sync behind an overflow counts the cycles of it, else it says 0; it need not
 * be right, and tells a decoder nothing (IHI0035 4.4). */
#define CAIRN_UNIT_OVERFLOW_KEEPS_CYCLES (1u << 10)
/* ETMv3: no branch packet where authentication signals stop the trace, else there is one (IHI0014
 * 2.6.2). A feed tells of the signals when they act: a unit that is late is told late. */
#define CAIRN_UNIT_SIGNALS_WITHOUT_BRANCH (1u << 11)
/* ETMv2: a direct branch and the instruction behind it are one cycle, if no time is told in between: a
 * branch phantom (IHI0014 6.1.2). */
#define CAIRN_UNIT_FOLD_BRANCHES (1u << 12)
/* ETMv4, ETE. The start/stop function when the unit becomes disabled: points that are still
 * speculative did not occur, else they did (R_BZSXR); nor those in a transaction (R_LRBDC). */
#define CAIRN_UNIT_DISABLED_UNDOES_POINTS (1u << 16)
#define CAIRN_UNIT_DISABLED_FAILS_POINTS (1u << 17)
/* The same when a Prohibited region begins in Transactional state: they did not occur; or they did.
 * Neither: as the outcome of the transaction says (R_FFZDC). */
#define CAIRN_UNIT_PROHIBITED_FAILS_POINTS (1u << 18)
#define CAIRN_UNIT_PROHIBITED_KEEPS_POINTS (1u << 19)
/* A Prohibited region that is left otherwise than directly behind a Context synchronization event goes
 * on until the next one (I_JBFTB). */
#define CAIRN_UNIT_PROHIBITED_UNTIL_SYNC (1u << 20)
/* A System Error or PE Reset that is told directly behind the beginning or end of a Prohibited region
 * is taken as on the other side of it (I_GWHRM). */
#define CAIRN_UNIT_ERRORS_ACROSS (1u << 21)
/* Cycles in low-power state are not counted (I_BPQTL). */
#define CAIRN_UNIT_LOW_POWER_STOPS_COUNT (1u << 22)
/* A single address comparator matches the first byte of an instruction only, else any byte of it
 * (I_JZXFJ). */
#define CAIRN_UNIT_MATCHES_FIRST_BYTE (1u << 23)
/* The trace leaves by an AMBA ATB port: the unit has to have what that takes (R_RWPFQ). */
#define CAIRN_UNIT_HAS_ATB (1u << 24)

/* A piece of the trace as it leaves the unit: whole packets. Anything but CAIRN_OK stops the unit
 * writing; cairn_unit_status then returns it. */
typedef cairn_status cairn_unit_sink(void *context, const uint8_t *bytes, size_t size);

/* --- a port: a taker that may take less than it is offered ---
 *
 * What the unit generates waits in its buffer, of fifo_bytes, until the port takes it. The port is
 * offered all that waits, from the oldest byte on, and answers how many of these it takes, 0 to
 * `size`; more than `size` is a mistake, which stops the unit writing (CAIRN_E_ARGUMENT of
 * cairn_unit_status). Bytes are those of a stream: what is taken may end in the midst of a packet,
 * and the rest is offered again. `cycles` of the PE clock have passed since it was offered bytes
 * last, so that a port knows how much it may take of them; 0 where none have. As time passes it is
 * called even if nothing waits (`size` 0). It may not call the unit. It is offered bytes
 *     by cairn_unit_cycles: once, or once for each part of the time that the unit looks at, of a
 *         disabled unit as well;
 *     by cairn_unit_flush, cairn_unit_disable, cairn_unit_offer, and where Debug state or waiting
 *         makes a unit write out;
 *     by whatever is told when the buffer lacks room for it. A port that takes all it is offered
 *         gets what a sink would, and nothing ever overflows, even if no cycle is told.
 * When the buffer lacks room all the same the PE waits, if the registers ask for it and it may (see
 * cairn_unit_stalls), or the buffer overflows: nothing more is generated until the port has taken
 * everything, and then the Overflow comes first (D6.4; IHI0035 4.8, IHI0014 7.7). Whatever a port does, the
 * unit never loses a byte that it has generated, and no call waits for a port that takes nothing
 * for more than CAIRN_UNIT_STALL_MOST cycles. What one call generates may make the buffer
 * longer than fifo_bytes. A flush or disabling is complete when
 * cairn_unit_pending_bytes is 0: until then a unit that is disabled is not idle (TRCSTATR.IDLE). An
 * Overflow that is due is written when what is in front of it has been taken, and makes a unit that
 * is disabled pending again. Enabling a unit before that is allowed: what it generates comes behind. */
typedef size_t cairn_unit_port(void *context, const uint8_t *bytes, size_t size, uint64_t cycles);
#define CAIRN_UNIT_PORT_DEPTH 256u   /* fifo_bytes where there is a port and it is 0 */
#define CAIRN_UNIT_STALL_MOST 65536u /* cycles; the count begins anew when a byte is taken */

/* Sees each element when it is generated, before packing: for tests and for looking inside. Implied
 * Commits are flagged CAIRN_ELEMENT_IMPLIED. An A-sync is CAIRN_ELEMENT_A_SYNC. */
typedef void cairn_unit_watch(void *context, unsigned kind, uint16_t flags,
                              const struct cairn_element_data *data);

/* ETMv4 and ETE: the External Outputs (D7.10). Bit n of `events`: ETEEvent n occurs in this clock;
 * ETEEvent 0 is the Detected Trigger of a sink. `clock`: see "resource clocks" below. Called once an
 * evaluation in which any occurs, that is once a clock and in Pausing perhaps twice with one number,
 * whether or not TRCEVENTCTL1R.INSTEN traces it; in one call of cairn_unit_cycles for at most
 * 1,048,576 clocks, then for none of the rest. It may not call the unit. */
typedef void cairn_unit_outputs(void *context, uint64_t clock, uint32_t events);
/* Besides: ETEEvent 0 occurs and TRCEVENTCTL1R.ATB makes it a trigger on the ATB. */
#define CAIRN_UNIT_ATB_TRIGGER (1u << 8)

struct cairn_unit_seen;
struct cairn_unit_resources;
/* Which instructions are traced, and why others are not; and what the resources come to: see the end of
 * this header. Neither may call the unit. */
typedef void cairn_unit_observe(void *context, const struct cairn_unit_seen *seen);
typedef void cairn_unit_changes(void *context, const struct cairn_unit_resources *resources);

/* Begin with CAIRN_UNIT_OPTIONS_INIT. */
struct cairn_unit_options {
    size_t size;                     /* of this structure */
    enum cairn_protocol_id protocol; /* CAIRN_PROTOCOL_ETE, ETMV4, ETMV3, ETMV2, ETMV1, PTM, MTB */
    struct cairn_arch arch;          /* of the PE: A or R; ETMv3, MTB: M, too */
    const struct cairn_register *registers; /* over cairn_unit_register's defaults; TRCIDR too */
    size_t register_count;
    uint32_t choices;            /* CAIRN_UNIT_... */
    uint32_t return_stack_depth; /* entries, 0 to 15 (R_HNDJJ); matters when TRCCONFIGR.RS is 1 */
    uint32_t fifo_bytes;         /* depth of the unit's buffer, >= 64; 0: it overflows only where a
                                    feed leaves too much unresolved (16,384 calls), or tells of too
                                    many Events at once (in 65,536 cycles). ETMv1: 9 to 256, ETMv2: 14 to 100; 0:
                                    the PE waits for its pins, and no address packet offset of an ETMv1
                                    but 0 occurs */
    uint32_t fifo_drain;     /* bytes that leave the buffer every 16 cycles of the PE clock; they
                                    go to the sink when it is empty. Packets are completed when
                                    nothing was generated for 1,024 cycles (ETMv4, ETE; with a
                                    port as well). Not with a port */
    uint32_t q_instructions; /* the most instructions a Q element stands for, where permitted;
                                    0: the unit generates none even if TRCCONFIGR.QE allows them.
                                    There are none while cairn_unit_speculate is on */
    cairn_unit_sink *sink;   /* NULL: bytes are dropped */
    void *sink_context;
    cairn_unit_watch *watch; /* NULL: nobody looks */
    void *watch_context;
    cairn_unit_outputs *outputs; /* NULL: nothing is connected to them */
    void *outputs_context;
    cairn_unit_port *port; /* instead of a sink; MTB, ETMv1 and ETMv2 have none (CAIRN_E_CONFIG) */
    void *port_context;
    cairn_unit_observe *observe; /* NULL: nobody asks */
    void *observe_context;
    cairn_unit_changes *changes; /* NULL: nobody asks */
    void *changes_context;
};
#define CAIRN_UNIT_OPTIONS_INIT                                                                    \
    {                                                                                              \
        .size = sizeof(struct cairn_unit_options), .protocol = CAIRN_PROTOCOL_ETE,                 \
        .return_stack_depth = 15, .choices = CAIRN_UNIT_COMMIT_AT_ONCE                             \
    }

/* A disabled unit, out of reset, programmed with the defaults (trace everything, no options on) and
 * then with `options->registers`. CAIRN_E_CONFIG names the register that is impossible. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_unit_new(const struct cairn_unit_options *options,
                                                       struct cairn_unit **unit,
                                                       struct cairn_error *error);
CAIRN_API void cairn_unit_free(struct cairn_unit *unit); /* NULL is fine; writes nothing */

/* CAIRN_OK, or what the sink once answered, or CAIRN_E_MEMORY. */
CAIRN_API cairn_status cairn_unit_status(const struct cairn_unit *unit);

/* --- registers --- */

/* Reads or writes a register by name ("TRCVICTLR", "TRCACVR3"; case is ignored), those of a PTM by
 * the offset in its memory map as well ("0x1e4"). CAIRN_E_NOT_FOUND:
 * no such register; CAIRN_E_CONFIG: read-only, reserved value, or the unit is enabled (then only
 * TRCPRGCTLR may be written, D6.2.1). State is read back: TRCVICTLR.SSSTATUS, TRCRSR.TA. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_unit_read(const struct cairn_unit *unit,
                                                        const char *name, uint64_t *value);
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_unit_write(struct cairn_unit *unit, const char *name,
                                                         uint64_t value, struct cairn_error *error);

/* Register `index` of those that differ from 0 or that a decoder needs: what a capture lists.
 * CAIRN_E_NOT_FOUND past the last. */
CAIRN_API cairn_status cairn_unit_register(const struct cairn_unit *unit, size_t index,
                                           struct cairn_register *value);

/* Identification register `index` of the ETE that the architecture recommends (DDI0608 D4.1), for
 * cairn_unit_options.registers. CAIRN_E_NOT_FOUND past the last. */
CAIRN_API cairn_status cairn_unit_recommended(size_t index, struct cairn_register *value);

/* The decoder's view of the unit's registers; one reference for the caller. */
CAIRN_API struct cairn_config *cairn_unit_config(const struct cairn_unit *unit);

/* TRCPRGCTLR.EN. Disabling writes everything out (D6.2.2). A disabled unit observes nothing. */
CAIRN_API void cairn_unit_enable(struct cairn_unit *unit);
CAIRN_API void cairn_unit_disable(struct cairn_unit *unit);

/* What the present programming looks at, so that a feed need not tell the rest. Asked of a unit that
 * is not enabled, it is what enabling would make of the registers. */
CAIRN_API uint32_t cairn_unit_needs(const struct cairn_unit *unit);
#define CAIRN_UNIT_NEEDS_CYCLES (1u << 0)     /* cairn_unit_cycles: counts, counters, a FIFO */
#define CAIRN_UNIT_NEEDS_TIME (1u << 1)       /* cairn_unit_time */
#define CAIRN_UNIT_NEEDS_CONTEXT (1u << 2)    /* identifiers, levels or states of the context */
#define CAIRN_UNIT_NEEDS_ADDRESSES (1u << 3)  /* addresses inside a block are compared */
#define CAIRN_UNIT_NEEDS_PMU_EVENTS (1u << 4) /* inputs: cairn_unit_pmu_event, cairn_unit_inputs */
#define CAIRN_UNIT_NEEDS_DATA (1u << 5)       /* cairn_unit_data */

/* --- resource clocks: ETMv4 and ETE (D7) ---
 *
 * Counters, the sequencer, single-shot comparators, ETEEvents and the event of timestamps live by a
 * clock that sees at most one block. cairn_unit_execute in a clock that has a block already ends
 * that clock, and its own block is in the next. cairn_unit_cycles(n) ends the present clock and
 * passes n - 1 more, without blocks. A feed that never tells cycles has a clock a block. Clocks are
 * numbered from 0 on since cairn_unit_new, whatever state the unit is in.
 *
 * High in a clock are
 *   external inputs whose level is high when the clock ends, or was when its block was told; and
 *     those whose PMU event was told in it (once or more often makes no difference);
 *   comparators that its block matches;
 *   single-shot comparators that fired in it: one clock, in single-shot mode as in multi-shot mode;
 *   CounterAtZero and SequencerState as the evaluation of the clock before left them (D7.7.2,
 *     D7.8.1.1). When the unit becomes enabled they are what an evaluation without events leaves: a
 *     counter in Normal mode that is 0, the state in TRCSEQSTR.
 * When the clock ends, all resource events are evaluated once, from these. Then counters 0 to 3 and
 * the sequencer move, and ETEEvents and the timestamp's event occur. Nothing that an evaluation
 * leaves is seen in the same clock. TRCVICTLR.EVENT is evaluated when the block is told, from what
 * was told in the clock until then and from the block itself: tell a clock's inputs before its block.
 *
 * The resources run while the unit is enabled, not in low-power state, and not in a Prohibited
 * region (R_LYFDT). When that ends they are Pausing (D7.1.2): the present clock is evaluated at once
 * if anything was told in it that counts (a block, a PMU event that an input selects, an ETEEvent, a
 * single-shot that fired; a level is not told in a clock), and then once more with all resources low
 * but counters and sequencer, as the last evaluation left them or moved them to, and selector 1 FALSE
 * (R_SXSQT), so that a counter that always counts does not count that. Neither ends the clock: it goes on, Paused, with its number. Paused, clocks
 * pass without effect, and what is told is kept (TRCRSR, PENDING) or not seen. When the resources
 * run again, in the clock of that moment TRCRSR.EXTIN's inputs are high, TRCRSR.EVENT's ETEEvents
 * occur, and single-shot comparators that are PENDING fire. State can be read of an enabled unit
 * (TRCCNTVR, TRCSEQSTR, TRCSSCSR), as of the last evaluation.
 *
 * A Cancel, and a transaction that fails, takes back the start/stop function and what single-shot
 * comparators have matched and not fired for; nothing else (I_WDJPG). A single-shot comparator fires
 * in the clock in which its instruction becomes known to be executed architecturally: that of its
 * block outside of speculation and transactions, else that of the call of cairn_unit_resolve,
 * cairn_unit_speculate or cairn_unit_transaction_commit that says so; once, however many matches are
 * resolved by the call. A TSB CSYNC is resolved when its Trace synchronization event is complete
 * (R_XFJGB). */

/* --- what the PE does --- */

/* The context of what is executed from here on. Identifiers that TRCCONFIGR does not trace are
 * compared (context comparators) but not written. */
CAIRN_API void cairn_unit_context(struct cairn_unit *unit, const struct cairn_context *context);

/* The block was executed. `taken` counts if its last instruction is P0: then E, else N. Where the
 * trace tells of every instruction it counts in every block: whether the last instruction passed
 * its condition, true if it has none (a CBZ or CBNZ: whether it branched). The block must stay
 * valid during the call only. If `block` does not begin where the one before it leads,
 * execution went unseen in between: that is traced as a discontinuity (Trace On). */
CAIRN_API void cairn_unit_execute(struct cairn_unit *unit, const struct cairn_block *block,
                                  bool taken);

/* An exceptional occurrence: `type` as in Exception packets (CAIRN_EXCEPTION_...), `address` the
 * preferred return address in `isa`. All instructions before `address` were told with
 * cairn_unit_execute. The block executed next is the target. A type that no packet has counts as
 * IMPLEMENTATION DEFINED.
 * Of an M profile PE `type` is the number that IPSR has: 1 Reset, 2 NMI ... 16 IRQ0. Its exception
 * returns are known to the feed alone: it sets CAIRN_INSN_ERET in the flags of the block that ends
 * with one, and EXC_RETURN as its target (an MTB writes that; 0 is 0xfffffff9); likewise, with
 * 0xfeffffff (FNC_RETURN), of one by which Non-secure code returns to Secure code. A return that is
 * tail-chained is followed by the next exception, without transfers and without a block in between.
 * ETMv3: the instruction at `address` may have been told as well, though it did not complete. If it
 * is the last one told, and does not lead to itself, or if one of its transfers was ABORTED, it is
 * cancelled. On the M profile with data trace an interrupt cancels it as paused if it had made
 * transfers: it goes on when it is told again. */
CAIRN_API void cairn_unit_exception(struct cairn_unit *unit, unsigned type, uint64_t address,
                                    enum cairn_isa isa);
#define CAIRN_EXCEPTION_PE_RESET 0x00u   /* address unknown: not used */
#define CAIRN_EXCEPTION_DEBUG_HALT 0x01u /* then cairn_unit_debug_state */
#define CAIRN_EXCEPTION_CALL 0x02u
#define CAIRN_EXCEPTION_TRAP 0x03u
#define CAIRN_EXCEPTION_SYSTEM_ERROR 0x04u
#define CAIRN_EXCEPTION_INST_DEBUG 0x06u
#define CAIRN_EXCEPTION_DATA_DEBUG 0x07u
#define CAIRN_EXCEPTION_ALIGNMENT 0x0au
#define CAIRN_EXCEPTION_INST_FAULT 0x0bu
#define CAIRN_EXCEPTION_DATA_FAULT 0x0cu
#define CAIRN_EXCEPTION_IRQ 0x0eu
#define CAIRN_EXCEPTION_FIQ 0x0fu
#define CAIRN_EXCEPTION_IMPLEMENTATION_DEFINED 0x10u /* to 0x17 */
#define CAIRN_EXCEPTION_THUMBEE_CHECK 0x18u          /* PTM: a ThumbEE null or array check failed */

/* One transfer of data between the PE and memory, or a coprocessor: at most 8 bytes. */
struct cairn_unit_transfer {
    uint64_t address; /* of the lowest byte; with CAIRN_UNIT_DATA_COPROCESSOR nothing */
    uint64_t value;   /* as the register has it, not extended beyond `bytes` */
    uint32_t bytes;   /* 1, 2, 4 or 8 */
    uint32_t flags;   /* CAIRN_UNIT_DATA_... */
};
#define CAIRN_UNIT_DATA_STORE (1u << 0)       /* else a load */
#define CAIRN_UNIT_DATA_EXCLUSIVE (1u << 1)   /* of a load or store exclusive */
#define CAIRN_UNIT_DATA_FAILED (1u << 2)      /* a store exclusive that stored nothing */
#define CAIRN_UNIT_DATA_ABORTED (1u << 3)     /* it did not take place: an abort follows */
#define CAIRN_UNIT_DATA_NO_VALUE (1u << 4)    /* `value` is not known to the feed */
#define CAIRN_UNIT_DATA_COPROCESSOR (1u << 5) /* MCR, MCRR (store), MRC, MRRC (load) */
/* M profile: the PE does it by itself, entering an exception or returning from one */
#define CAIRN_UNIT_DATA_STACKING (1u << 6)
#define CAIRN_UNIT_DATA_BIG_ENDIAN (1u << 7) /* CPSR.E was 1 */
/* ETMv2; a core that goes on while a load waits for memory, of a feed that sees its cache: the load missed, and
 * its value comes when a transfer is told that says RETURNED, with the same tag, and nothing else. Two that
 * miss with one tag are the halves of 64 bits, and return together. Other units look at the first alone. */
#define CAIRN_UNIT_DATA_MISSED (1u << 8)
#define CAIRN_UNIT_DATA_RETURNED (1u << 9)
#define CAIRN_UNIT_DATA_TAG(n) ((uint32_t)(n) << 16) /* 0 to 3 */

/* The last instruction of the block that was told last made this transfer. Each transfer is a call,
 * in the architectural order of the instruction: LDM, STM, LDRD, STRD, PUSH, POP and their VFP
 * kin from the lowest address up, whatever the PE's bus does, a word a call for registers of the
 * core and for single-precision ones, a call of 8 bytes for a double-precision one; SWP its load,
 * then its store; LDREXD and STREXD two words, lower address first; a store exclusive that fails
 * its call, with the value it would have stored; MCRR and MRRC two words, Rt first. An instruction
 * that failed its condition makes none. With STACKING the transfers belong to the exception that
 * was told last, or to the return that ended the last block. A unit without data trace ignores the
 * call. */
CAIRN_API void cairn_unit_data(struct cairn_unit *unit, const struct cairn_unit_transfer *transfer);

/* Of a core that goes on while a load or store is on its way (IHI0014 2.11.2): the instruction told
 * last makes `transfers` transfers later. Each is told by cairn_unit_data when it comes, with
 * others executed in between, beneath it: none of those transfers data, and the earlier one does
 * not abort. Only an ETMv2 or ETMv3 with data trace looks at it. */
CAIRN_API void cairn_unit_data_pending(struct cairn_unit *unit, uint32_t transfers);

/* A Context synchronization event that is no exception, exception return or executed ISB. */
CAIRN_API void cairn_unit_synchronize_context(struct cairn_unit *unit);

/* A Trace Prohibited region begins or ends (D6.6.6): what is told inside is not observed. An
 * emulator of user programs puts the kernel's part there. */
CAIRN_API void cairn_unit_prohibit(struct cairn_unit *unit, bool prohibited);

/* Authentication signals that are high from here on, at first DBGEN, NIDEN, SPIDEN and SPNIDEN.
 * PTM and ETMv3: what they
 * prohibit is not observed (IHI0035 4.7): Secure privileged code, and what Non-secure code enters,
 * where SPIDEN and SPNIDEN are low; everything where DBGEN and NIDEN are (IHI0014 2.14), and then
 * counters, the sequencer and the trigger stand still. cairn_unit_prohibit says it of other
 * regions, and of Secure code where an ETMv3 traces: its core decides, and it looks at DBGEN and
 * NIDEN alone. */
#define CAIRN_UNIT_DBGEN (1u << 0)
#define CAIRN_UNIT_NIDEN (1u << 1)
#define CAIRN_UNIT_SPIDEN (1u << 2)
#define CAIRN_UNIT_SPNIDEN (1u << 3)
/* ETMv4 and ETE: SelfHostedTraceEnabled(). The signals prohibit nothing then. Else execution in
 * Secure state is in a Prohibited region where SPIDEN and SPNIDEN, or DBGEN and NIDEN, are low
 * (R_HYZLQ), in Non-secure state where DBGEN and NIDEN are; TRCAUTHSTATUS shows them. What
 * cairn_unit_prohibit says comes on top. */
#define CAIRN_UNIT_SELF_HOSTED (1u << 4)
CAIRN_API void cairn_unit_authenticate(struct cairn_unit *unit, uint32_t signals);

/* Debug state (D6.3), entered after a Debug halt exception. */
CAIRN_API void cairn_unit_debug_state(struct cairn_unit *unit, bool debug);

/* Low-power state of the unit (D6.2.6). Of an ETMv3 or PTM: the core waits for an interrupt or
 * event, the WFI or WFE was told last; what was traced comes out. An ETMv3 stops tracing, and goes
 * on with the next instruction. */
CAIRN_API void cairn_unit_low_power(struct cairn_unit *unit, bool low);

/* The PE clock made `cycles` steps; the timestamp generator shows `time`. What is told next happens
 * then. A call takes no time for clocks in which nothing changes; of those in which some resource
 * does it passes 4,194,304 at most (ETMv4, ETE), the rest as if the resources were Paused. */
CAIRN_API void cairn_unit_cycles(struct cairn_unit *unit, uint64_t cycles);
CAIRN_API void cairn_unit_time(struct cairn_unit *unit, uint64_t time);
/* The PE clock was stopped and runs again (I_PDBDY). */
CAIRN_API void cairn_unit_clock_stopped(struct cairn_unit *unit);

/* External inputs that are high from here on, a bit each (TRCRSCTLR group 0: inputs 0 to 3; ETMv3
 * and PTM: external inputs 1 to 4). PTM besides: bits 15:8 EmbeddedICE watchpoint comparator inputs
 * 1 to 8, bits 31:16 the extended external inputs 0 to 15.
 * ETMv4 and ETE: these are the levels of External Input Selectors 0 to 3 themselves, whatever
 * TRCEXTINSELR select. A selector is high by its level or by its PMU event. In a Prohibited region a
 * level goes to TRCRSR.EXTIN when it is told, and whenever a clock ends while it is high. Besides:
 * bits 15:8 the PE Comparator Inputs 0 to 7 that match the blocks from here on (TRCIDR4.NUMPC). */
CAIRN_API void cairn_unit_inputs(struct cairn_unit *unit, uint32_t inputs);

/* PMU event `number` is exported to the trace unit in this clock (D7.11): each External Input
 * Selector is high whose TRCEXTINSELR<n>.evtCount is that number (ETMv4: whose byte of TRCEXTINSELR
 * is, numbers of external inputs below 256). Which events reach the unit in a Prohibited region, or
 * with PMCR.X, is the PE's to decide (R_RFWZB): tell what does. */
CAIRN_API void cairn_unit_pmu_event(struct cairn_unit *unit, uint32_t number);

/* A DBG instruction with this hint, 0 to 15, is executed in this cycle (PTM: instrumentation
 * resources). A feed that does not see them never calls it. */
CAIRN_API void cairn_unit_hint(struct cairn_unit *unit, unsigned hint);

/* ETEEvent `number` (0 to 3) occurs in this clock, whatever TRCEVENTCTL0R selects; traced when the
 * clock ends, if TRCEVENTCTL1R.INSTEN says so. */
CAIRN_API void cairn_unit_event(struct cairn_unit *unit, unsigned number);

/* --- speculation: for feeds that see it; the others never call these --- */

/* From here on what is told is speculative until resolved; false: each call resolves itself (the
 * state after cairn_unit_new). Turning it off resolves everything. */
CAIRN_API void cairn_unit_speculate(struct cairn_unit *unit, bool speculative);

/* The point between what was told and what will be. Marks behind the one of a Cancel are void, and
 * their numbers are given again. */
CAIRN_API uint64_t cairn_unit_mark(const struct cairn_unit *unit);

/* Everything before the mark was, or will be, executed architecturally. CAIRN_E_ARGUMENT: the mark
 * is older than the last resolved one, or not told yet. */
CAIRN_API cairn_status cairn_unit_resolve(struct cairn_unit *unit, uint64_t mark);

/* Everything behind the mark was not: the PE is back there. CAIRN_E_ARGUMENT: resolved already.
 * CAIRN_E_LIMIT: too much was unresolved for the unit to keep (an overflow was counted): nothing is
 * taken back, and the feed tells the state of the PE and the next block as after a gap. */
CAIRN_API cairn_status cairn_unit_cancel(struct cairn_unit *unit, uint64_t mark);

/* The youngest P0 instruction that was told and not cancelled went the other way; nothing was told
 * behind it (cancel that first). CAIRN_E_ARGUMENT: there is none, or something was told behind it.
 * An instruction already resolved may be corrected as well (I_MDESCN), but not one whose element is
 * out and cannot change: a Source Address, or any with TRCIDR8.MAXSPEC 0 (CAIRN_E_ARGUMENT). */
CAIRN_API cairn_status cairn_unit_mispredict(struct cairn_unit *unit);

/* --- transactions (ETE; DDI0608 part C) --- */

/* The PE entered Transactional state: the last block executed ended with the outer TSTART. */
CAIRN_API void cairn_unit_transaction_start(struct cairn_unit *unit);
/* The outer TCOMMIT was executed, as the last instruction of the last block. */
CAIRN_API void cairn_unit_transaction_commit(struct cairn_unit *unit);
/* The transaction failed; the block executed next is behind TSTART. */
CAIRN_API void cairn_unit_transaction_fail(struct cairn_unit *unit);

/* --- requests --- */

/* A trace protocol synchronization request from outside (the sink, a tool). */
CAIRN_API void cairn_unit_request_sync(struct cairn_unit *unit);
/* Writes out everything told so far (D6.2.3). */
CAIRN_API void cairn_unit_flush(struct cairn_unit *unit);

/* Offers the port, or gives the sink, what waits, without completing anything; returns how many bytes
 * still do. */
CAIRN_API uint64_t cairn_unit_offer(struct cairn_unit *unit);
/* Bytes that were generated and that sink or port is still to get: none if cairn_unit_status says so. */
CAIRN_API uint64_t cairn_unit_pending_bytes(const struct cairn_unit *unit);

/* Whether the unit stalls the PE (D6.10.5): a feed that can stop the PE asks before each block, and
 * tells cairn_unit_cycles until it no longer does. TRCSTALLCTLR.ISTALL asks for it while fewer than
 * LEVEL sixteenths of the buffer are free, NOOVERFLOW (TRCIDR3.SYSSTALL being 1), and ETMCR[7] of a
 * PTM, while there is no room for what a block may take. It ends when CAIRN_UNIT_STALL_MOST cycles
 * have passed in which no byte left (R_NVKXX). Where a feed does not ask, the PE waits in the call
 * that lacks room, for room and no longer, by NOOVERFLOW and ETMCR[7] alone; no time passes then
 * but for the port, which sees a cycle at a time. Both count in cairn_unit_counters.stalled. */
CAIRN_API bool cairn_unit_stalls(const struct cairn_unit *unit);

/* Completes pending packets and returns how many bytes went to the sink so far: a place between two
 * packets, for epochs of an image. With a port: how many will have gone when it has taken all. */
CAIRN_API uint64_t cairn_unit_position(struct cairn_unit *unit);

/* Counters since cairn_unit_new. */
struct cairn_unit_counters {
    size_t size;              /* of this structure */
    uint64_t blocks;          /* told while enabled */
    uint64_t instructions;    /* told while enabled */
    uint64_t traced;          /* instructions in traced blocks */
    uint64_t exceptions;      /* traced */
    uint64_t discontinuities; /* blocks that did not follow from the one before */
    uint64_t overflows;
    uint64_t syncs;   /* A-syncs written */
    uint64_t bytes;   /* generated, whether drained or not */
    uint64_t stalled; /* cycles that the PE had to wait: cairn_unit_stalls */
    uint64_t cycles;  /* told by cairn_unit_cycles */
};
CAIRN_API void cairn_unit_counters(const struct cairn_unit *unit,
                                   struct cairn_unit_counters *counters);

/* --- why --- */

/* Instructions that a unit decides on together, when it has decided: those of a block; of a PTM all since
 * the last waypoint; of an ETMv3 each alone. What the unit was told is what it is told of, each instruction
 * once, in order. What speculation takes back afterwards is not taken back here. */
struct cairn_unit_seen {
    size_t size;      /* of this structure */
    uint64_t address; /* of the first */
    uint64_t end;     /* behind the last one's bytes */
    uint64_t instructions;
    uint32_t why; /* CAIRN_UNIT_WHY_...: all that keeps them from being traced */
    uint8_t isa;  /* as that of a block */
    /* They are in the trace. With `why` not 0 because something before them is, which has to be told to
     * its end (DDI0608 R_KHDNX). Of an MTB: if they are not overwritten, nor behind the last packet. */
    bool traced;
    struct cairn_context context;
};
#define CAIRN_UNIT_WHY_DISABLED (1u << 0)   /* TRCPRGCTLR.EN is 0, ETMCR's Programming bit 1 ... */
#define CAIRN_UNIT_WHY_PROHIBITED (1u << 1) /* cairn_unit_prohibit, or what follows from signals */
#define CAIRN_UNIT_WHY_DEBUG (1u << 2)      /* Debug state */
#define CAIRN_UNIT_WHY_OVERFLOW (1u << 3)   /* the FIFO was full, and has not drained */
#define CAIRN_UNIT_WHY_NO_PACKETS (1u << 4) /* of such code the unit has none */
/* The terms of ViewInst (ETMv4, ETE) and TraceEnable (PTM, ETMv3): */
#define CAIRN_UNIT_WHY_START_STOP (1u << 5) /* the start/stop function is not active */
#define CAIRN_UNIT_WHY_LEVEL (1u << 6) /* the Exception level is left out in this Security state */
#define CAIRN_UNIT_WHY_INCLUDE (1u << 7)  /* they are in none of the ranges to include */
#define CAIRN_UNIT_WHY_EXCLUDE (1u << 8)  /* they are in a range to exclude */
#define CAIRN_UNIT_WHY_EVENT (1u << 9)    /* the event resource is not active */
#define CAIRN_UNIT_WHY_WAITING (1u << 10) /* PTM: trace does not begin while the core waits */
#define CAIRN_UNIT_WHY_CUT (1u << 11)     /* nothing ends them, so that no element tells of them */
#define CAIRN_UNIT_WHY_COUNT 12u

/* The lowest bit in a word or two: "start/stop". */
CAIRN_API const char *cairn_unit_why_name(uint32_t why);

/* ETMv4 and ETE: the counters, the sequencer and the single-shot comparators, when one of them has reached
 * something: in the clock with that number. Of the clocks that one call of cairn_unit_cycles passes those are
 * told after which something differs; what repeats itself, and a counter on which nothing depends, is not
 * told each time. */
struct cairn_unit_resources {
    size_t size; /* of this structure */
    uint64_t clock;
    uint16_t counters[4];
    uint8_t sequencer;
    uint8_t fired;   /* single-shot comparators, a bit each: TRCSSCSR.STATUS */
    uint8_t reached; /* counters, a bit each, that reloaded or came to 0 */
    bool moved;      /* the sequencer */
    uint8_t firing;  /* single-shot comparators that fire */
};
#ifdef __cplusplus
}
#endif
#endif
