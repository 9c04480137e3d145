/* SPDX-License-Identifier: BSD-2-Clause */
/* An INI file changed in a few of its lines: all others, comments too, stay as they are. */
#ifndef CAIRN_CLI_CHECK_INI_EDIT_H
#define CAIRN_CLI_CHECK_INI_EDIT_H

#include <stdbool.h>
#include <stddef.h>

struct cli_ini {
    char *path;   /* it was read from */
    char **lines; /* without their ends */
    size_t count, capacity;
    bool crlf; /* lines end so */
    bool changed;
    bool failed; /* memory ran out: what is in it is not to be written */
};

/* False: there is no such file, or it is no small text. Free in every case. */
bool cli_ini_read(struct cli_ini *ini, const char *path);
void cli_ini_free(struct cli_ini *ini);

/* A section: its heading's line. SIZE_MAX: there is none. The search begins behind `after`
 * (SIZE_MAX: at the top). `name` in any case of letters. */
size_t cli_ini_section(const struct cli_ini *ini, const char *name, size_t after);
/* The next section of any name, which is written to `name`. */
#define CLI_INI_NAME_MAX 256
size_t cli_ini_next_section(const struct cli_ini *ini, size_t after, char name[CLI_INI_NAME_MAX]);

/* The value of a key in the section at `section`, or, for SIZE_MAX, in front of all sections; a
 * register's key may have more behind its name: "TRCCONFIGR(0x004)". False: it is not there. */
#define CLI_INI_VALUE_MAX 4096
bool cli_ini_value(const struct cli_ini *ini, size_t section, const char *key,
                   char value[CLI_INI_VALUE_MAX]);

/* The `nth` key and value of a section. False: it has not so many. */
bool cli_ini_pair(const struct cli_ini *ini, size_t section, size_t nth, char key[CLI_INI_NAME_MAX],
                  char value[CLI_INI_VALUE_MAX]);

/* Gives a key a value: where it stands, or else right behind the heading. */
void cli_ini_set(struct cli_ini *ini, size_t section, const char *key, const char *value);

/* Makes a comment of a key's lines. True: there were some. */
bool cli_ini_comment(struct cli_ini *ini, size_t section, const char *key);

/* Adds a section at the end; its heading's line. */
size_t cli_ini_add_section(struct cli_ini *ini, const char *name);

/* "dir/name.fixed.ini" of "dir/name.ini"; the caller frees it. NULL: no memory. */
char *cli_ini_fixed_name(const char *path);

/* Writes it to `path`, which must not exist unless `replaces`. 0, or an errno. */
int cli_ini_write(const struct cli_ini *ini, const char *path, bool replaces);

#endif
