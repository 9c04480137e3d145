/* SPDX-License-Identifier: BSD-2-Clause */
/* The Trace Buffer Extension (FEAT_TRBE, DDI0608 part E): what the registers of a Trace Buffer Unit say
 * of the memory that it wrote. Pure functions: nothing here reads memory, or keeps anything.
 *
 * A session is what was collected since TRBPTR_EL1 was last written. The registers do not tell where
 * that was, nor how often the pointer wrapped since; who knows gives it, and the answers get more
 * certain. Positions of fields are not in DDI0608; they are those of the Arm Architecture Reference
 * Manual. */
#ifndef CAIRN_TRBE_H
#define CAIRN_TRBE_H

#include <stdbool.h>

#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* TRBLIMITR_EL1.FM (E1.2.2); 2 is reserved. */
enum cairn_trbe_mode {
    CAIRN_TRBE_FILL = 0,     /* collection stops at the limit */
    CAIRN_TRBE_WRAP = 1,     /* it goes on at the base, and an interrupt is requested */
    CAIRN_TRBE_CIRCULAR = 3, /* it goes on at the base */
};
/* TRBLIMITR_EL1.TM (E1.2.2.3); 2 is reserved. */
enum cairn_trbe_trigger_mode {
    CAIRN_TRBE_STOP_ON_TRIGGER = 0,
    CAIRN_TRBE_IRQ_ON_TRIGGER = 1,
    CAIRN_TRBE_IGNORE_TRIGGER = 3,
};
/* "Fill mode", "Stop on trigger" ...; never NULL. */
CAIRN_API const char *cairn_trbe_mode_name(unsigned FM);
CAIRN_API const char *cairn_trbe_trigger_mode_name(unsigned TM);

/* Why collection stopped, as TRBSR_EL1 has it. */
enum cairn_trbe_reason {
    CAIRN_TRBE_NOT_STOPPED = 0, /* S is 0 */
    CAIRN_TRBE_FILLED = 1,      /* EC 0x00, BSC 1 (R_MBSHC) */
    CAIRN_TRBE_TRIGGERED = 2,   /* EC 0x00, BSC 2 (R_XRRWP) */
    /* EC 0x00, BSC 0: by software, or disabled while there was trace to write (I_TRWF) */
    CAIRN_TRBE_NOT_FILLED = 3,
    CAIRN_TRBE_ALIGNMENT_FAULT = 4, /* EC 0x24 or 0x25 with that FSC (R_FSPBK) */
    CAIRN_TRBE_MMU_FAULT = 5,       /* with any other fault's */
    CAIRN_TRBE_EXTERNAL_ABORT = 6,  /* with that of an External Abort (R_XRLSC) */
    CAIRN_TRBE_IMPLEMENTATION = 7,  /* EC 0x1f (R_CHNSL) */
    CAIRN_TRBE_RESERVED = 8,        /* anything else */
};

/* TRBSR_EL1 taken apart. Set `size` first. */
struct cairn_trbe_status {
    size_t size;
    uint8_t EC;
    uint8_t code; /* MSS[5:0]: BSC with EC 0x00, FSC with 0x24 and 0x25 */
    uint16_t MSS;
    bool IRQ, TRG, WRAP, EA, S;
    enum cairn_trbe_reason reason;
    uint8_t stage; /* of translation, of a fault or abort: 1 or 2; else 0 */
    bool exact;    /* of these: TRBPTR_EL1 is the address that failed (I_GVGPB) */
};
CAIRN_API cairn_status cairn_trbe_status_read(uint64_t TRBSR, struct cairn_trbe_status *status);

/* What an FSC means: "Translation fault, level 3"; NULL: it is reserved. */
CAIRN_API const char *cairn_trbe_fault_name(unsigned FSC);

/* Room for every sentence here. */
#define CAIRN_TRBE_TEXT 512
/* Why collection stopped, as a sentence without a full stop; *text is empty where it did not. The
 * pointer is the address of a fault. */
CAIRN_API void cairn_trbe_status_text(const struct cairn_trbe_status *status, uint64_t TRBPTR,
                                      char text[CAIRN_TRBE_TEXT]);

/* What is known of a session. Zero it, then set `size`. */
struct cairn_trbe_session {
    size_t size;
    /* The registers, as they were read after it. */
    uint64_t TRBBASER, TRBLIMITR, TRBPTR, TRBSR;
    bool has_TRBIDR, has_TRBTRG, has_TRBMAR;
    uint64_t TRBIDR, TRBTRG, TRBMAR;
    /* What no register tells. */
    bool has_start, has_laps, has_trigger;
    uint64_t start;   /* TRBPTR_EL1 when it began */
    uint64_t laps;    /* TRB_WRAP events since (S_HKNBM) */
    uint64_t trigger; /* TRBTRG_EL1 when it began */
    uint32_t granule; /* the smallest of translation: 4096, 16384, 65536 bytes; 0: not known */
    bool serror;      /* a write of the buffer's gave an SError interrupt */
    bool has_mapping;
    uint8_t mapping; /* attributes that the memory was read by, as TRBMAR_EL1.Attr has them */
};

/* What a pointer or counter that was read back may be used for (R_HXZZM, R_XZWXQ). */
enum cairn_trbe_value {
    /* read while enabled, or the session began with one that is not aligned */
    CAIRN_TRBE_VALUE_UNKNOWN = 0,
    CAIRN_TRBE_VALUE_RESTART = 1, /* to go on from there */
    CAIRN_TRBE_VALUE_FAULT = 2,   /* for error handling, never to run from (I_VRFQC) */
};

/* Memory, by address. */
struct cairn_trbe_range {
    uint64_t address;
    uint64_t length;
};
#define CAIRN_TRBE_RANGES 2

/* Where the trace of a session is. Set `size` first. */
struct cairn_trbe_extent {
    size_t size;
    uint64_t base, limit;                             /* the buffer is [base, limit) */
    struct cairn_trbe_range range[CAIRN_TRBE_RANGES]; /* in the order of time, none of them empty */
    size_t count;
    uint64_t bytes;    /* of all ranges */
    uint64_t doubtful; /* of these the oldest that may be of before the session, or of nothing */
    bool wrapped;      /* the pointer went from the limit to the base */
    bool overwritten;  /* older trace of it is lost: the oldest byte may be inside a packet */
    bool approximate;  /* what the newest byte is, is not certain */
    bool has_total;    /* it is known how much was written in the session: */
    uint64_t total;
    enum cairn_trbe_value value;
    /* Where among these bytes the trace unit's trigger was detected: at or behind `trigger_from`, at or
     * before `trigger_to`, counted from the oldest byte. Known where TRBTRG_EL1 is, then and now. */
    bool has_trigger;
    uint64_t trigger_from, trigger_to;
};

/* CAIRN_E_CONFIG: the registers cannot be those of a trace buffer: no buffer between base and limit, a
 * pointer outside of it (R_MSPSD), or a session that began outside; the error says which. */
CAIRN_API CAIRN_MUST_CHECK cairn_status
cairn_trbe_extent_of(const struct cairn_trbe_session *session, struct cairn_trbe_extent *extent,
                     struct cairn_error *error);

/* What is odd about the registers, or lost. */
enum cairn_trbe_finding_kind {
    CAIRN_TRBE_FINDS_STOPPED = 0, /* collection stopped, and why; what was traced later is lost */
    CAIRN_TRBE_FINDS_ABORT = 1, /* EA: an External Abort, of which no register tells the address */
    CAIRN_TRBE_FINDS_ENABLED = 2,      /* E is 1: read while the unit was enabled, not drained */
    CAIRN_TRBE_FINDS_STALE_WRAP = 3,   /* WRAP is of before the session */
    CAIRN_TRBE_FINDS_LOST_WRAP = 4,    /* the pointer wrapped though WRAP is 0 */
    CAIRN_TRBE_FINDS_WRAP = 5,         /* whether WRAP is of the session is not certain */
    CAIRN_TRBE_FINDS_STATUS = 6,       /* the status contradicts the mode, or the pointer */
    CAIRN_TRBE_FINDS_RESERVED = 7,     /* a field has a reserved value */
    CAIRN_TRBE_FINDS_MISALIGNED = 8,   /* a pointer or counter, to 2^Align; or to the granule */
    CAIRN_TRBE_FINDS_START = 9,        /* where the session began is not known, or cannot be */
    CAIRN_TRBE_FINDS_OVERWRITTEN = 10, /* the oldest trace was overwritten */
    CAIRN_TRBE_FINDS_TRIGGER = 11,     /* where the trigger is */
    CAIRN_TRBE_FINDS_PHYSICAL = 12,    /* nVM: the addresses are none of the program's */
    CAIRN_TRBE_FINDS_ATTRIBUTES = 13,  /* it was read by other memory attributes than written */
};
struct cairn_trbe_finding {
    size_t size;
    enum cairn_trbe_finding_kind kind;
    unsigned severity;          /* as of enum cairn_severity: 0 a note, 1 a warning, 2 a problem */
    char text[CAIRN_TRBE_TEXT]; /* sentences: what, then what to do */
};
/* CAIRN_E_NOT_FOUND past the last; there is none where cairn_trbe_extent_of fails. Set `size` first. */
CAIRN_API cairn_status cairn_trbe_finding(const struct cairn_trbe_session *session, size_t index,
                                          struct cairn_trbe_finding *finding);

#ifdef __cplusplus
}
#endif
#endif
