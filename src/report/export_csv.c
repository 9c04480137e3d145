/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows into files of comma-separated values (RFC 4180): one for each table, with a line of names. */
#include "report/export.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "report/output.h"

#define TEXT_MOST 65536u

struct csv_files {
    struct cairn_output *outputs[CAIRN_EXPORT_TABLES];
    char *text;
    char why[CAIRN_ERROR_TEXT];
};

static cairn_status failed(struct csv_files *files, enum cairn_export_table table, int error)
{
    snprintf(files->why, sizeof files->why, "%s.csv: %s", cairn_export_schemas[table].name,
             strerror(error));
    return CAIRN_E_IO;
}

/* NULL is nothing, an empty text is "". */
static void put_text(struct cairn_output *output, const char *text)
{
    if (*text && !strpbrk(text, ",\"\r\n")) {
        cairn_output_text(output, text);
        return;
    }
    cairn_output_char(output, '"');
    for (; *text; text++) {
        if (*text == '"')
            cairn_output_char(output, '"');
        cairn_output_char(output, *text);
    }
    cairn_output_char(output, '"');
}

static cairn_status write_csv_row(void *context, enum cairn_export_table table,
                                  const struct cairn_export_value *values, size_t count)
{
    struct csv_files *const files = context;
    struct cairn_output *const output = files->outputs[table];

    for (size_t i = 0; i < count; i++) {
        if (i)
            cairn_output_char(output, ',');
        switch ((enum cairn_export_kind)values[i].kind) {
        case CAIRN_EXPORT_NULL: break;
        case CAIRN_EXPORT_NUMBER:
            cairn_output_format(output, "%" PRId64, (int64_t)values[i].number);
            break;
        case CAIRN_EXPORT_WORD: put_text(output, values[i].text); break;
        case CAIRN_EXPORT_TEXT:
            cairn_text_to_utf8(values[i].text, files->text, TEXT_MOST);
            put_text(output, files->text);
            break;
        }
    }
    cairn_output_char(output, '\n');
    return output->state == CAIRN_OUTPUT_OPEN ? CAIRN_OK : failed(files, table, output->error);
}

static cairn_status finish_csv(void *context)
{
    struct csv_files *const files = context;

    for (unsigned i = 0; i < CAIRN_EXPORT_TABLES; i++) {
        cairn_output_flush(files->outputs[i]);
        if (files->outputs[i]->state != CAIRN_OUTPUT_OPEN)
            return failed(files, (enum cairn_export_table)i, files->outputs[i]->error);
    }
    return CAIRN_OK;
}

static void close_csv(void *context)
{
    struct csv_files *const files = context;

    if (!files)
        return;
    for (unsigned i = 0; i < CAIRN_EXPORT_TABLES; i++) {
        if (files->outputs[i])
            close(files->outputs[i]->fd);
        free(files->outputs[i]);
    }
    free(files->text);
    free(files);
}

static const char *why_csv(void *context)
{
    return ((struct csv_files *)context)->why;
}

static cairn_status open_table(struct csv_files *files, int folder, enum cairn_export_table table)
{
    const struct cairn_export_schema *const schema = &cairn_export_schemas[table];
    char name[64];

    snprintf(name, sizeof name, "%s.csv", schema->name);
    const int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return failed(files, table, errno);
    struct cairn_output *const output = malloc(sizeof *output);
    if (!output) {
        close(fd);
        return CAIRN_E_MEMORY;
    }
    cairn_output_init(output, fd);
    files->outputs[table] = output;
    for (const struct cairn_export_column *column = schema->columns; column->name; column++)
        cairn_output_format(output, "%s%s", column == schema->columns ? "" : ",", column->name);
    cairn_output_char(output, '\n');
    return CAIRN_OK;
}

cairn_status cairn_export_csv(const char *path, struct cairn_export_writer *writer,
                              struct cairn_error *error)
{
    struct csv_files *const files = calloc(1, sizeof *files);
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    cairn_status status = files ? CAIRN_OK : CAIRN_E_MEMORY;

    if (files)
        files->text = malloc(TEXT_MOST);
    if (files && !files->text)
        status = CAIRN_E_MEMORY;
    if (!status && folder < 0) {
        status = CAIRN_E_IO;
        snprintf(files->why, sizeof files->why, "%s", strerror(errno));
    }
    for (unsigned i = 0; i < CAIRN_EXPORT_TABLES && !status; i++)
        status = open_table(files, folder, (enum cairn_export_table)i);
    if (folder >= 0)
        close(folder);
    if (status) {
        (void)cairn_fail(error, status, "%s",
                         files && files->why[0] ? files->why : "out of memory");
        close_csv(files);
        return status;
    }
    *writer = (struct cairn_export_writer){.context = files,
                                           .row = write_csv_row,
                                           .finish = finish_csv,
                                           .close = close_csv,
                                           .why = why_csv};
    return CAIRN_OK;
}
