/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules about the programming of trace units. Each file below has some, and a table of them.
 *   run.c      what was built, going through a script, asking every rule
 *   ask.c      what rules share: the registers as they stand, telling
 *   rules.c    the tables, in the order of docs/lint.md
 *   values.c   reserved bits and values, what was not built: of all units
 *   options.c  what is asked for: synchronisation, cycle counts, stalling, trace IDs ...
 *   view.c     ViewInst: levels, ranges, start and stop points
 *   events.c   resource events and selectors        truth.c  when an event is active
 *   state.c    counters, sequencer, single-shot controls
 *   session.c  the order of a script's accesses
 *   etm.c      PTM and ETMv3: what is traced     etm_unit.c  the rest of them, and MTB */
#ifndef CAIRN_UNIT_LINT_LINT_H
#define CAIRN_UNIT_LINT_LINT_H

#include <cairn/lint.h>

#include "unit/etmv4/register_table.h"
#include "unit/fields/fields.h"
#include "unit/script.h"

#define CAIRN_LINT_SLOTS 640u /* registers of all units together: cairn_register_slot */

/* The states of DDI0608 Table D8.2, as far as a script lets one know them. */
enum cairn_lint_state {
    CAIRN_LINT_ANY,      /* nothing is known: the script's beginning */
    CAIRN_LINT_IDLE,     /* disabled, and seen idle */
    CAIRN_LINT_ENABLING, /* enabled, and not seen running */
    CAIRN_LINT_RUNNING,
    CAIRN_LINT_UNSTABLE, /* disabled, and not seen idle */
};
enum cairn_lint_lock { CAIRN_LINT_LOCK_ANY, CAIRN_LINT_LOCKED, CAIRN_LINT_UNLOCKED };

struct cairn_lint_session {
    enum cairn_lint_state state;
    enum cairn_lint_lock lock;
    bool enabled_once;
    bool sink_on;         /* TRBLIMITR_EL1.E */
    bool waits;           /* enabled but for the OS Lock: unlocking lets it run */
    unsigned locked_line; /* of the write that enabled it while that was locked; 0: none */
    bool told_of_write;   /* of one that came too soon, since the unit was enabled or disabled */
    bool unsynchronised; /* an instruction wrote TRCPRGCTLR or read TRCSTATR, and no ISB followed */
};

/* Resources that some event or function uses, a bit each. */
struct cairn_lint_used {
    uint32_t selectors; /* alone */
    uint32_t pairs;
    uint32_t sacs, arcs; /* by anything */
    uint32_t counters, states, controls, inputs;
};

struct cairn_lint_rule;

struct cairn_lint_run {
    const struct cairn_lint_unit *told;
    cairn_lint_tell *tell;
    void *context;
    unsigned unit; /* CAIRN_OF_... */
    unsigned line; /* of the script; 0 */
    const struct cairn_lint_rule *rule;
    bool softly; /* what is told is a note */
    bool ended;  /* the script has */
    struct cairn_lint_session session;
    struct cairn_lint_used used;
    uint64_t values[CAIRN_LINT_SLOTS];
    bool given[CAIRN_LINT_SLOTS];
    bool written[CAIRN_LINT_SLOTS]; /* by the script */
    /* ETE and ETMv4: what was built, where it is not told everything */
    struct cairn_unit_registers all;
    struct cairn_unit_built built;
};

struct cairn_lint_rule {
    const char *code;
    const char *requirement;
    unsigned units;
    enum cairn_lint_severity severity;
    void (*check)(struct cairn_lint_run *run); /* the registers as they stand; or */
    void (*access)(struct cairn_lint_run *run, const struct cairn_script_access *access,
                   struct cairn_register_place place); /* one of a script; or */
    void (*end)(struct cairn_lint_run *run);           /* a script that has ended */
    const char *meaning;
    const char *remedy;
    unsigned example_unit;
    const char *example;
};

/* The tables; `code` is NULL behind the last rule. */
extern const struct cairn_lint_rule cairn_lint_value_rules[];
extern const struct cairn_lint_rule cairn_lint_option_rules[];
extern const struct cairn_lint_rule cairn_lint_view_rules[];
extern const struct cairn_lint_rule cairn_lint_event_rules[];
extern const struct cairn_lint_rule cairn_lint_state_rules[];
extern const struct cairn_lint_rule cairn_lint_session_rules[];
extern const struct cairn_lint_rule cairn_lint_etm_rules[];
extern const struct cairn_lint_rule cairn_lint_etm_unit_rules[];
/* Rule `index` of all of them, NULL past the last. */
const struct cairn_lint_rule *cairn_lint_rule_at(size_t index);

/* Tells a finding of the rule that runs. `name` is a register's, or NULL. */
void cairn_lint_say(struct cairn_lint_run *run, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same of a register of an array. */
void cairn_lint_say_n(struct cairn_lint_run *run, const char *array, unsigned number,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The same, as a note, whatever the rule's severity is. */
/* Whether the unit has any bit of a register of ETE or ETMv4. */
bool cairn_lint_has_bits(const struct cairn_lint_run *run, const char *name);
/* What is told next of this rule is about where register `name` stands: a note if a session may have
 * left it there. */
void cairn_lint_of_state(struct cairn_lint_run *run, const char *name);
void cairn_lint_note(struct cairn_lint_run *run, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* False where the register is not given; *value is then 0. */
bool cairn_lint_get(const struct cairn_lint_run *run, const char *name, uint64_t *value);
bool cairn_lint_get_n(const struct cairn_lint_run *run, const char *array, unsigned number,
                      uint64_t *value);
/* The value, 0 where it is not given; bits high to low of it. */
uint64_t cairn_lint_value(const struct cairn_lint_run *run, const char *name);
uint32_t cairn_lint_bits(const struct cairn_lint_run *run, const char *name, unsigned high,
                         unsigned low);
bool cairn_lint_has(const struct cairn_lint_run *run, const char *name);

/* The register `index` of those given, in the order of the tables; false: no more. */
bool cairn_lint_given(const struct cairn_lint_run *run, size_t *index,
                      struct cairn_register_place *place, uint64_t *value);

/* When something is active. */
enum cairn_lint_truth {
    CAIRN_LINT_UNKNOWN, /* a register that decides is not given */
    CAIRN_LINT_NEVER,
    CAIRN_LINT_ALWAYS,
    CAIRN_LINT_DEPENDS,
};
/* A selector, with its INV; an event of 8 bits; D7.3, D7.3.1 */
enum cairn_lint_truth cairn_lint_selector(const struct cairn_lint_run *run, unsigned selector);
enum cairn_lint_truth cairn_lint_event(const struct cairn_lint_run *run, unsigned event);
/* Fills run->used. */
void cairn_lint_find_used(struct cairn_lint_run *run);

/* "0, 3": the numbers of the bits that are set. */
#define CAIRN_LINT_LIST 100u
void cairn_lint_list(uint64_t bits, unsigned first, char text[CAIRN_LINT_LIST]);

/* Follows what an access does to the session; afterwards. True: it enabled the unit. */
bool cairn_lint_follow(struct cairn_lint_run *run, const struct cairn_script_access *access,
                       struct cairn_register_place place);

#endif
