/* SPDX-License-Identifier: BSD-2-Clause */
/* `cairn simulate`: what a programmed trace unit makes of what some processor did, and its parts:
 *   simulate_options.c   the command's own options
 *   simulate_units.c     which registers a unit gets
 *   simulate_seen.c      what a unit says of what it sees, kept for the report
 *   simulate_capture.c   feeds: the flow of a capture,
 *   simulate_run.c       a program or a log, as `cairn record` does it
 *   simulate_report.c    the answer, in words; simulate_reason.c: why nothing is traced
 *   simulate_json.c      for programs */
#ifndef CAIRN_CLI_SIMULATE_SIMULATE_H
#define CAIRN_CLI_SIMULATE_SIMULATE_H

#include <cairn/replay.h>
#include <cairn/unit.h>

#include "cli/record/record.h"
#include "cli/session/programmed.h"
#include "cli/session/session.h"
#include "machine/explain.h"

/* What the command was told besides the registers. */
struct cli_simulate {
    const char *feed; /* a capture; else `record` has a log, or there is a program */
    bool list;        /* every run */
    bool events;      /* what the resources did */
    bool keep_events;
    uint64_t clock;           /* Hz; 0: not given */
    struct cli_record record; /* what is recorded: folder, filters, the unit's FIFO ... */
};

/* A unit, and what it made of what it was told. */
struct cli_simulated {
    char *name; /* of the source */
    enum cairn_protocol_id protocol;
    size_t source; /* in the capture that gives the names */
    struct cairn_explainer explainer;
    struct cairn_unit_counters counters;
    bool replayed;
    struct cairn_replay_counts replay;
    uint64_t cycles;
    struct cairn_explained *list; /* runs and changes, in order */
    size_t list_count, list_capacity;
    uint64_t list_lost; /* more than are kept, or than there was memory for */
    bool keeps_list;
    struct cairn_register *registers; /* of the unit at its end; names are static */
    size_t register_count;
};

struct cli_simulation {
    struct cli_session *session;
    const struct cli_simulate *options;
    const struct cli_programmed *programmed;
    struct cli_simulated **list;
    size_t count;
};

/* simulate_options.c */
extern const struct cli_option cli_simulate_options[];
bool cli_simulate_take(struct cli_options *options, int key, const char *argument);
void cli_simulate_free(struct cli_options *options);

/* simulate_units.c */

/* Registers of a unit: names and values of its own. */
struct cli_simulated_registers {
    enum cairn_protocol_id protocol;
    struct cairn_register *list;
    size_t count;
    const char *
        over; /* the source whose own registers are beneath those given; NULL: the model's defaults */
};

/* What the unit of `source` gets, of a capture that says so of it (`info`; or NULL: a program's or log's).
 * What the model has not is left out, and told, unless it was given as a word: then, as with any other
 * mistake, false after a message. Free in every case. */
bool cli_simulate_registers(const struct cli_simulation *simulation, const char *source,
                            const struct cairn_source_info *info, const struct cairn_arch *arch,
                            struct cli_simulated_registers *registers);
void cli_simulate_registers_free(struct cli_simulated_registers *registers);

/* simulate_seen.c */

/* NULL after a message. It belongs to the simulation. */
struct cli_simulated *cli_simulated_new(struct cli_simulation *simulation, const char *name,
                                        enum cairn_protocol_id protocol);
/* Makes a unit tell it, when it is made. */
void cli_simulated_watch(struct cli_simulated *simulated, struct cairn_unit_options *options);
/* The unit has been disabled. */
void cli_simulated_end(struct cli_simulated *simulated, const struct cairn_unit *unit);
/* What the plugin left, FOLDER/NAME.why, which is removed. False: it is not there. */
bool cli_simulated_read(struct cli_simulated *simulated, const char *folder);
void cli_simulation_free(struct cli_simulation *simulation);

/* simulate_capture.c, simulate_run.c: the feeds. False after a message; what is told behind it is what was
 * simulated until then. */
enum cli_exit cli_simulate_capture(struct cli_simulation *simulation);
/* Into the folder that was asked for, or one that is removed again; *capture is it, for names, to be freed. */
enum cli_exit cli_simulate_run(struct cli_simulation *simulation, struct cairn_capture **capture);

/* simulate_report.c, simulate_json.c. `image`: where names are. CLI_GAPS if something is to be looked at. */
enum cli_exit cli_simulate_report(const struct cli_simulation *simulation,
                                  struct cairn_image *image);
void cli_simulate_json(const struct cli_simulation *simulation,
                       const struct cli_simulated *simulated, struct cairn_space *space);

/* For both: selects where the record was, and its terms: "start/stop, include", or "traced". */
#define CLI_TERMS_TEXT 160
void cli_simulate_select(const struct cli_simulated *simulated, struct cairn_space *space,
                         const struct cairn_explained *record);
void cli_simulate_terms(const struct cairn_explained *record, char text[CLI_TERMS_TEXT]);

/* simulate_reason.c: a sentence without its full stop, why `simulated` has no trace. */
#define CLI_REASON_TEXT 1024
void cli_simulate_reason(const struct cli_simulated *simulated, struct cairn_space *space,
                         char text[CLI_REASON_TEXT]);

#endif
