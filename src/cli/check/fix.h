/* SPDX-License-Identifier: BSD-2-Clause */
/* `cairn check --fix`: descriptions written anew, beside the old ones, with what is certain to be
 * wrong corrected. */
#ifndef CAIRN_CLI_CHECK_FIX_H
#define CAIRN_CLI_CHECK_FIX_H

#include "cli/audit/findings.h"
#include "cli/check/ini_edit.h"

/* Applies the remedies of all causes: of a snapshot writes snapshot.fixed.ini and what it names
 * beside snapshot.ini, of a raw buffer with --config that file anew, otherwise a command line to
 * standard output. Says what it did, and where. CLI_CLEAN (also where there is nothing to mend), or
 * CLI_UNUSABLE after a message: a file exists, or cannot be written. */
enum cli_exit cli_fix(const struct cli_findings *findings);

/* ---- for the files of it ---- */

/* What is to be done, and what was made of it. */
struct cli_fix {
    const struct cli_findings *findings;
    struct cli_session *session;
    const struct cli_remedy **remedies;
    size_t remedy_count;
    struct cli_ini *inis; /* those that may change; the first one is the root, if any is */
    size_t ini_count;
    char *capture; /* instead of the user's; NULL: as he said */
    char *config;  /* the same of --config */
    bool failed;
};

/* Says something of what was done: to the listing, or, if that is JSON, to standard error. */
void cli_fix_say(struct cli_fix *fix, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void cli_fix_fail(struct cli_fix *fix, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* fix_snapshot.c, fix_config.c: reads the description, and changes it by the remedies. */
void cli_fix_snapshot(struct cli_fix *fix, const char *root);
void cli_fix_config(struct cli_fix *fix);

/* Writes a changed file beside itself; *path becomes its name. */
void cli_fix_write(struct cli_fix *fix, const struct cli_ini *ini, char **path);
/* Writes a copy of a buffer's file with the bytes of each `word` turned round. */
void cli_fix_reverse(struct cli_fix *fix, const char *from, unsigned word, char **path);
/* Whether the names are free, so that all can be written or nothing. */
bool cli_fix_is_free(struct cli_fix *fix, const char *path);

/* Makes comments of the registers that say which protocol it is: another one was found. */
void cli_fix_witnesses(struct cli_ini *ini, size_t section);

/* The command line that checks what was made; the caller frees it. (fix_command.c) */
char *cli_fix_command(const struct cli_fix *fix);

#endif
