/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows into a new SQLite database. One transaction without a journal: the file is nobody's before it is whole. Nothing
 * of it depends on when or where it was written. */
#include "report/export.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/library.h"
#include "report/output.h"

/* "Cair" in letters: what `file` and SQLite's tools tell databases apart by. */
#define APPLICATION_ID "0x43616972"
#define TEXT_MOST 65536u
#define STATEMENT_MOST 4096u

/* Of SQLite all that is used. */
#define FUNCTIONS(X)                                                                               \
    X(bind_int64)                                                                                  \
    X(bind_null)                                                                                   \
    X(bind_text)                                                                                   \
    X(close)                                                                                       \
    X(errcode)                                                                                     \
    X(errmsg)                                                                                      \
    X(exec)                                                                                        \
    X(finalize)                                                                                    \
    X(open_v2)                                                                                     \
    X(prepare_v3)                                                                                  \
    X(reset)                                                                                       \
    X(step)

#define MEMBER(name) __typeof__(sqlite3_##name) *name;
#define ROW(name) {"sqlite3_" #name, &sqlite.name},

static struct {
    FUNCTIONS(MEMBER)
} sqlite;

static bool load_sqlite(void)
{
    static const char *const names[] = {"libsqlite3.so.0", NULL};
    static const struct cairn_library_function functions[] = {FUNCTIONS(ROW)};

    return cairn_library_load(names, functions, sizeof functions / sizeof functions[0]);
}

struct database {
    sqlite3 *db;
    sqlite3_stmt *insert[CAIRN_EXPORT_TABLES];
    char *text; /* room for one that is made UTF-8 */
    char why[CAIRN_ERROR_TEXT];
};

static cairn_status fail(struct database *base)
{
    const int code = base->db ? sqlite.errcode(base->db) : SQLITE_NOMEM;

    if (!base->why[0])
        snprintf(base->why, sizeof base->why, "%s",
                 base->db ? sqlite.errmsg(base->db) : "out of memory");
    return code == SQLITE_NOMEM ? CAIRN_E_MEMORY : CAIRN_E_IO;
}

static cairn_status run(struct database *base, const char *statement)
{
    return sqlite.exec(base->db, statement, NULL, NULL, NULL) == SQLITE_OK ? CAIRN_OK : fail(base);
}

/* A statement that is put together. */
struct statement {
    char text[STATEMENT_MOST];
    size_t used;
};

static void append(struct statement *statement, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void append(struct statement *statement, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    const int length = vsnprintf(statement->text + statement->used,
                                 STATEMENT_MOST - statement->used, format, arguments);
    va_end(arguments);
    if (length > 0)
        statement->used += (size_t)length;
    if (statement->used >= STATEMENT_MOST)
        statement->used = STATEMENT_MOST - 1;
}

static cairn_status make_table(struct database *base, enum cairn_export_table table)
{
    const struct cairn_export_schema *const schema = &cairn_export_schemas[table];
    struct statement create = {.used = 0}, insert = {.used = 0};

    append(&create, "CREATE TABLE %s (", schema->name);
    append(&insert, "INSERT INTO %s VALUES (", schema->name);
    for (const struct cairn_export_column *column = schema->columns; column->name; column++) {
        const char *const comma = column == schema->columns ? "" : ", ";

        append(&create, "%s\"%s\" %s", comma, column->name, column->rest);
        append(&insert, "%s?", comma);
    }
    if (schema->key)
        append(&create, ", %s", schema->key);
    append(&create, ") STRICT");
    append(&insert, ")");
    const cairn_status status = run(base, create.text);
    if (status)
        return status;
    return sqlite.prepare_v3(base->db, insert.text, -1, SQLITE_PREPARE_PERSISTENT,
                             &base->insert[table], NULL) == SQLITE_OK
               ? CAIRN_OK
               : fail(base);
}

static cairn_status bind(struct database *base, sqlite3_stmt *insert, int index,
                         const struct cairn_export_value *value)
{
    int code = SQLITE_OK;

    switch ((enum cairn_export_kind)value->kind) {
    case CAIRN_EXPORT_NULL: code = sqlite.bind_null(insert, index); break;
    case CAIRN_EXPORT_NUMBER:
        code = sqlite.bind_int64(insert, index, (sqlite3_int64)value->number);
        break;
    case CAIRN_EXPORT_WORD:
        code = sqlite.bind_text(insert, index, value->text, -1, SQLITE_STATIC);
        break;
    case CAIRN_EXPORT_TEXT:
        cairn_text_to_utf8(value->text, base->text, TEXT_MOST);
        code = sqlite.bind_text(insert, index, base->text, -1, SQLITE_TRANSIENT);
        break;
    }
    return code == SQLITE_OK ? CAIRN_OK : fail(base);
}

static cairn_status write_row(void *context, enum cairn_export_table table,
                              const struct cairn_export_value *values, size_t count)
{
    struct database *const base = context;
    sqlite3_stmt *const insert = base->insert[table];
    cairn_status status = CAIRN_OK;

    for (size_t i = 0; i < count && !status; i++)
        status = bind(base, insert, (int)i + 1, &values[i]);
    if (!status && sqlite.step(insert) != SQLITE_DONE)
        status = fail(base);
    sqlite.reset(insert);
    return status;
}

static cairn_status make_indexes(struct database *base, const struct cairn_export_schema *schema)
{
    const char *at = schema->index;
    cairn_status status = CAIRN_OK;

    for (unsigned number = 1; at && *at && !status; number++) {
        const size_t length = strcspn(at, ";");
        struct statement create = {.used = 0};

        append(&create, "CREATE INDEX %s_%u ON %s (%.*s)", schema->name, number, schema->name,
               (int)length, at);
        status = run(base, create.text);
        at += length;
        at += *at ? strspn(at, "; ") : 0;
    }
    return status;
}

static cairn_status finish(void *context)
{
    struct database *const base = context;
    cairn_status status = CAIRN_OK;

    for (unsigned i = 0; i < CAIRN_EXPORT_TABLES && !status; i++)
        status = make_indexes(base, &cairn_export_schemas[i]);
    for (const struct cairn_export_view *view = cairn_export_views; view->name && !status; view++) {
        struct statement create = {.used = 0};

        append(&create, "CREATE VIEW %s AS %s", view->name, view->query);
        status = run(base, create.text);
    }
    return status ? status : run(base, "COMMIT");
}

static void close_database(void *context)
{
    struct database *const base = context;

    if (!base)
        return;
    for (unsigned i = 0; i < CAIRN_EXPORT_TABLES; i++)
        sqlite.finalize(base->insert[i]);
    sqlite.close(base->db);
    free(base->text);
    free(base);
}

static const char *why(void *context)
{
    return ((struct database *)context)->why;
}

cairn_status cairn_export_sqlite(const char *path, struct cairn_export_writer *writer,
                                 struct cairn_error *error)
{
    struct database *base;
    struct statement pragmas = {.used = 0};

    if (!load_sqlite())
        return cairn_fail(error, CAIRN_E_UNSUPPORTED,
                          "SQLite, which writes databases, cannot be loaded (libsqlite3.so.0). "
                          "Install it, or let --format csv write the same rows");
    base = calloc(1, sizeof *base);
    if (!base)
        return cairn_fail(error, CAIRN_E_MEMORY, "out of memory");
    base->text = malloc(TEXT_MOST);
    cairn_status status = base->text ? CAIRN_OK : CAIRN_E_MEMORY;
    if (!status && sqlite.open_v2(path, &base->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                                  NULL) != SQLITE_OK)
        status = fail(base);
    append(&pragmas,
           "PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
           "PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -32768; PRAGMA foreign_keys = OFF;"
           "PRAGMA encoding = 'UTF-8'; PRAGMA application_id = " APPLICATION_ID
           "; PRAGMA user_version = %d; BEGIN",
           CAIRN_EXPORT_SCHEMA);
    if (!status)
        status = run(base, pragmas.text);
    for (unsigned i = 0; i < CAIRN_EXPORT_TABLES && !status; i++)
        status = make_table(base, (enum cairn_export_table)i);
    if (status) {
        (void)cairn_fail(error, status, "%s", base->why[0] ? base->why : "out of memory");
        close_database(base);
        return status;
    }
    *writer = (struct cairn_export_writer){
        .context = base, .row = write_row, .finish = finish, .close = close_database, .why = why};
    return CAIRN_OK;
}
