/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/check/fix.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/byte_order.h"
#include "capture/files.h"
#include "capture/model.h"

#define COPY ((size_t)1 << 20) /* whole words of any size */

void cli_fix_say(struct cli_fix *fix, const char *format, ...)
{
    struct cairn_output *output = fix->session->output;
    char *text = NULL;
    va_list arguments;

    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    if (fix->session->options->format == CLI_FORMAT_JSON) {
        cli_session_say(fix->session, "%s", text);
    } else {
        cairn_output_text(output, text);
        cairn_output_line(output);
    }
    free(text);
}

void cli_fix_fail(struct cli_fix *fix, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;

    if (fix->failed)
        return;
    fix->failed = true;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    cli_session_say(fix->session, "--fix: %s", text ? text : "out of memory");
    free(text);
}

bool cli_fix_is_free(struct cli_fix *fix, const char *path)
{
    if (!path) {
        cli_fix_fail(fix, "out of memory");
        return false;
    }
    if (fix->session->options->force || access(path, F_OK))
        return true;
    cli_fix_fail(fix, "%s exists, so nothing was written; give --force to replace it", path);
    return false;
}

void cli_fix_write(struct cli_fix *fix, const struct cli_ini *ini, char **path)
{
    if (fix->failed)
        return;
    if (ini->failed) {
        cli_fix_fail(fix, "out of memory");
        return;
    }
    *path = cli_ini_fixed_name(ini->path);
    if (!cli_fix_is_free(fix, *path))
        return;
    const int error = cli_ini_write(ini, *path, fix->session->options->force);
    if (error)
        cli_fix_fail(fix, "%s cannot be written: %s", *path, strerror(error));
    else
        cli_fix_say(fix, "written: %s", *path);
}

/* Words that are not whole at the end stay as they are. */
static bool copy_reversed(int from, int to, unsigned word, uint64_t size)
{
    uint8_t *bytes = malloc(COPY), *reversed = malloc(COPY);
    bool good = bytes && reversed;

    for (uint64_t at = 0; good && at < size;) {
        const int64_t got = cairn_input_read(from, bytes, COPY, at);
        if (got <= 0)
            break;
        const size_t whole = (size_t)got / word * word;
        cairn_reverse_words(bytes, whole, word, reversed);
        memcpy(reversed + whole, bytes + whole, (size_t)got - whole);
        for (size_t done = 0; good && done < (size_t)got;) {
            const ssize_t written = write(to, reversed + done, (size_t)got - done);
            good = written > 0 || (written < 0 && errno == EINTR);
            done += written > 0 ? (size_t)written : 0;
        }
        at += (uint64_t)got;
    }
    free(bytes);
    free(reversed);
    return good;
}

void cli_fix_reverse(struct cli_fix *fix, const char *from, unsigned word, char **path)
{
    uint64_t size;
    int in;

    if (fix->failed)
        return;
    *path = cli_ini_fixed_name(from);
    if (!cli_fix_is_free(fix, *path))
        return;
    if (cairn_input_open(from, &in, &size, NULL) != CAIRN_OK) {
        cli_fix_fail(fix, "%s cannot be read", from);
        return;
    }
    const int mode = fix->session->options->force ? O_TRUNC : O_EXCL;
    const int out = open(*path, O_WRONLY | O_CREAT | O_CLOEXEC | mode, 0666);
    const bool good = out >= 0 && copy_reversed(in, out, word, size);
    const int error = errno;
    cairn_input_close(in);
    if (out >= 0)
        close(out);
    if (!good)
        cli_fix_fail(fix, "%s cannot be written: %s", *path, strerror(error));
    else
        cli_fix_say(fix, "written: %s, with the bytes of each %u turned round", *path, word);
}

void cli_fix_witnesses(struct cli_ini *ini, size_t section)
{
    static const char *const names[] = {"TRCDEVARCH", "TRCIDR1", "ETMIDR"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        (void)cli_ini_comment(ini, section, names[i]);
}

static bool same_remedy(const struct cli_remedy *a, const struct cli_remedy *b)
{
    return a->mend == b->mend && !strcmp(a->of ? a->of : "", b->of ? b->of : "") &&
           !strcmp(a->name ? a->name : "", b->name ? b->name : "");
}

static void add_remedy(struct cli_fix *fix, const struct cli_remedy *remedy)
{
    for (size_t i = 0; i < fix->remedy_count; i++)
        if (same_remedy(fix->remedies[i], remedy))
            return;
    const struct cli_remedy **grown =
        realloc(fix->remedies, (fix->remedy_count + 1) * sizeof *grown);
    if (!grown) {
        cli_fix_fail(fix, "out of memory");
        return;
    }
    grown[fix->remedy_count++] = remedy;
    fix->remedies = grown;
}

/* What follows from something else goes away with it. */
static void collect(struct cli_fix *fix)
{
    for (size_t i = 0; i < fix->findings->count; i++) {
        const struct cli_kept *kept = &fix->findings->items[i];
        for (size_t j = 0; j < CLI_MENDS_MAX && kept->because == SIZE_MAX; j++)
            if (kept->finding.remedies[j].mend != CLI_MEND_NOTHING)
                add_remedy(fix, &kept->finding.remedies[j]);
    }
}

/* The snapshot's own INI file; NULL: the capture is no snapshot. */
static char *root_of(const char *capture)
{
    const struct cairn_files files = cairn_files_of_system();
    uint64_t size;
    char *path = NULL, *text = NULL;
    size_t length;

    if (cairn_is_folder(capture)) {
        const char *slash = *capture && capture[strlen(capture) - 1] == '/' ? "" : "/";
        if (asprintf(&path, "%s%ssnapshot.ini", capture, slash) < 0)
            return NULL;
        if (!files.size_of(files.context, path, &size))
            (void)files.respell(files.context, path);
        return path;
    }
    const char *dot = strrchr(capture, '.');
    if (!dot || strcasecmp(dot, ".ini") ||
        files.read_text(files.context, capture, &text, &length, NULL) != CAIRN_OK)
        return NULL;
    if (cairn_is_snapshot_text(text, length))
        path = strdup(capture);
    free(text);
    return path;
}

/* Of a raw buffer its file is mended; a snapshot's metadata names what was made instead. */
static void mend_order(struct cli_fix *fix)
{
    const char *dot = strrchr(fix->session->options->capture, '.');

    if (dot && !strcasecmp(dot, ".ini"))
        return; /* it describes dumps, which are the user's to turn round */
    for (size_t i = 0; i < fix->remedy_count; i++) {
        const struct cli_remedy *remedy = fix->remedies[i];
        if (remedy->mend == CLI_MEND_ORDER && !fix->capture)
            cli_fix_reverse(fix, fix->session->options->capture,
                            (unsigned)strtoul(remedy->value, NULL, 10), &fix->capture);
    }
}

static void mend(struct cli_fix *fix)
{
    char *root = root_of(fix->session->options->capture);

    if (root) {
        cli_fix_snapshot(fix, root);
    } else {
        if (fix->session->options->open.config_path)
            cli_fix_config(fix);
        mend_order(fix);
    }
    free(root);
    if (fix->failed)
        return;
    if (fix->ini_count && !fix->capture && !fix->config) {
        cli_fix_say(fix, "nothing was written");
        return;
    }
    char *command = cli_fix_command(fix);
    cli_fix_say(fix, "%s: %s", root || fix->config ? "check it" : "corrected command line",
                command ? command : "");
    free(command);
}

enum cli_exit cli_fix(const struct cli_findings *findings)
{
    struct cli_fix fix = {.findings = findings, .session = findings->audit->session};

    collect(&fix);
    if (!fix.remedy_count)
        cli_fix_say(&fix, "nothing to fix: no finding has a remedy that is certain");
    else
        mend(&fix);
    for (size_t i = 0; i < fix.ini_count; i++)
        cli_ini_free(&fix.inis[i]);
    free(fix.inis);
    free(fix.remedies);
    free(fix.capture);
    free(fix.config);
    return fix.failed ? CLI_UNUSABLE : CLI_CLEAN;
}
