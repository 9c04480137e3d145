/* SPDX-License-Identifier: BSD-2-Clause */
/* Trace units and how they are programmed, as words, files and folders of the command line say:
 *   NAME=VALUE, NAME.FIELD=VALUE, SOURCE:NAME=VALUE
 *   a snapshot, or the INI file of one of its trace units
 *   a folder of sysfs with a file a register: mgmt/ and trcidr/ of Linux's drivers
 *   a register script (unit/script.h); lines NAME=VALUE or NAME: VALUE
 * programmed.c has the words, programmed_files.c the files. */
#ifndef CAIRN_CLI_SESSION_PROGRAMMED_H
#define CAIRN_CLI_SESSION_PROGRAMMED_H

#include "cli/session/session.h"
#include "unit/fields/fields.h"

struct cli_trace_unit {
    char *name; /* of the source; NULL: the only one */
    enum cairn_protocol_id protocol;
    bool guessed;                     /* the protocol, of several that have such registers */
    uint32_t flags;                   /* CAIRN_LINT_... */
    struct cairn_register *registers; /* names are owned; sorted as given */
    size_t register_count;
    char *script; /* text of a file, or NULL */
    size_t script_size;
    const char *script_name;
    bool is_source; /* of a capture, with these: */
    size_t source;
    size_t capture, buffer; /* sources of one buffer share a bus */
    int trace_id;           /* -1: none */
    bool left_out;          /* by --source */
};

struct cli_programmed {
    struct cli_trace_unit *units;
    size_t unit_count;
    size_t captures; /* read so far */
    bool from_file;  /* some of it is */
};

/* The option of that name, of the commands that take such words. */
#define CLI_PROGRAMMED_PROTOCOL(key)                                                                       \
    {                                                                                                      \
        "protocol", (key) | CLI_FIRST, "ete|etmv4|ptm|etmv3|mtb",                                          \
            "What kind of trace unit: ete, etmv4, ptm, etmv3 or mtb. Default: what the file says, or\n"    \
            "what registers of these names and values are of; of two, ete before etmv4, ptm before etmv3." \
    }

/* "ete", "etmv4" ...; UNKNOWN after a message. */
/* A kind of unit that there is a model of, but no table of its fields. */
bool cli_programmed_is_modelled(enum cairn_protocol_id protocol);
enum cairn_protocol_id cli_programmed_protocol(const char *word);

/* Reads all the words. False after a message. Free in every case. */
bool cli_programmed_read(struct cli_programmed *programmed, struct cli_session *session);
void cli_programmed_free(struct cli_programmed *programmed);

/* Writes of the unit's script, if it has one, become values that its registers have in the end. False after a
 * message. */
bool cli_programmed_script(struct cli_session *session, struct cli_trace_unit *unit);
/* "TRCVICTLR=0x201": no path. */
bool cli_programmed_is_word(const char *word);
/* Such a word, whichever source it names: a value, or bits of what the unit's register has so far. False after
 * a message. */
bool cli_programmed_word(struct cli_session *session, struct cli_trace_unit *unit,
                         const char *word);

/* A file's text with a 0 behind it, of at most so many bytes; NULL after a message. free() it. */
char *cli_read_text(struct cli_session *session, const char *path, size_t most, size_t *size);

/* For programmed_files.c. The unit of that name, made if there is none; NULL: out of memory. */
struct cli_trace_unit *cli_programmed_unit(struct cli_programmed *programmed, const char *name);
/* Sets a register; the name without what stands in brackets behind it. False: out of memory. */
bool cli_unit_set(struct cli_trace_unit *unit, const char *name, uint64_t value);
/* A file or folder. False after a message. */
bool cli_programmed_path(struct cli_programmed *programmed, struct cli_session *session,
                         const char *path);

#endif
