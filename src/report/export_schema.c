/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/export.h"

#define ID                                                                                         \
    {                                                                                              \
        "id", "INTEGER PRIMARY KEY"                                                                \
    }
#define REQUIRED(name)                                                                             \
    {                                                                                              \
        name, "INTEGER NOT NULL"                                                                   \
    }
#define NUMBER(name)                                                                               \
    {                                                                                              \
        name, "INTEGER"                                                                            \
    }
#define WORD(name)                                                                                 \
    {                                                                                              \
        name, "TEXT NOT NULL"                                                                      \
    }
#define TEXT(name)                                                                                 \
    {                                                                                              \
        name, "TEXT"                                                                               \
    }
#define OF(name, table)                                                                            \
    {                                                                                              \
        name, "INTEGER REFERENCES " table "(id)"                                                   \
    }
#define OF_SOURCE                                                                                  \
    {                                                                                              \
        "source_id", "INTEGER NOT NULL REFERENCES sources(id)"                                     \
    }
#define OF_THREAD OF("thread_id", "threads")
#define OF_FUNCTION OF("function_id", "functions")
#define OF_LINE OF("line_id", "lines")
#define OF_BINARY OF("binary_id", "binaries")
#define END                                                                                        \
    {                                                                                              \
        NULL, NULL                                                                                 \
    }
#define COLUMNS(...)                                                                               \
    (const struct cairn_export_column[])                                                           \
    {                                                                                              \
        __VA_ARGS__, END                                                                           \
    }

const struct cairn_export_schema cairn_export_schemas[CAIRN_EXPORT_TABLES] = {
    [CAIRN_EXPORT_META] = {.name = "meta",
                           .columns = COLUMNS({"key", "TEXT PRIMARY KEY"}, WORD("value"))},
    [CAIRN_EXPORT_CONTENTS] = {.name = "contents",
                               .columns =
                                   COLUMNS({"name", "TEXT PRIMARY KEY"}, REQUIRED("is_wanted"),
                                           REQUIRED("rows"), REQUIRED("left_out"))},
    [CAIRN_EXPORT_SOURCES] = {.name = "sources",
                              .columns =
                                  COLUMNS(ID, WORD("name"), TEXT("core"), TEXT("core_type"),
                                          WORD("protocol"), NUMBER("trace_id"), WORD("state"),
                                          NUMBER("instructions"), NUMBER("cycles"),
                                          NUMBER("first_timestamp"), NUMBER("last_timestamp"),
                                          NUMBER("bytes"), NUMBER("lost_bytes"), TEXT("capture"))},
    [CAIRN_EXPORT_ACCOUNTS] = {.name = "accounts",
                               .columns = COLUMNS(OF_SOURCE, WORD("account"), REQUIRED("is_gap"),
                                                  REQUIRED("bytes"), REQUIRED("packets"),
                                                  NUMBER("path_elements")),
                               .key = "PRIMARY KEY (source_id, account)"},
    [CAIRN_EXPORT_THREADS] = {.name = "threads",
                              .columns =
                                  COLUMNS(ID, OF_SOURCE, NUMBER("vmid"), NUMBER("context_id"),
                                          NUMBER("process"), NUMBER("thread"), TEXT("name"))},
    [CAIRN_EXPORT_BINARIES] = {.name = "binaries",
                               .columns = COLUMNS(ID, WORD("path"), TEXT("build_id"),
                                                  REQUIRED("is_file"))},
    [CAIRN_EXPORT_SOURCE_FILES] = {.name = "source_files", .columns = COLUMNS(ID, WORD("path"))},
    [CAIRN_EXPORT_FUNCTIONS] =
        {.name = "functions",
         .columns = COLUMNS(
             ID, {"binary_id", "INTEGER NOT NULL REFERENCES binaries(id)"}, TEXT("name"),
             TEXT("symbol"), NUMBER("address"), NUMBER("end"), OF("file_id", "source_files"),
             NUMBER("line"), REQUIRED("self_instructions"), NUMBER("self_cycles"),
             NUMBER("total_instructions"), NUMBER("total_cycles"), NUMBER("calls"),
             NUMBER("code_instructions"), NUMBER("code_executed"), NUMBER("is_whole")),
         .index = "binary_id, address; name"},
    [CAIRN_EXPORT_LINES] = {.name = "lines",
                            .columns = COLUMNS(
                                ID, {"file_id", "INTEGER NOT NULL REFERENCES source_files(id)"},
                                REQUIRED("line"), REQUIRED("executed"),
                                REQUIRED("code_instructions"), REQUIRED("code_executed"),
                                REQUIRED("branches"), REQUIRED("branches_both"),
                                REQUIRED("branches_one")),
                            .index = "file_id, line",
                            .is_chosen = true},
    [CAIRN_EXPORT_INSTRUCTIONS] = {.name = "instructions",
                                   .columns = COLUMNS(ID, OF_BINARY, REQUIRED("address"),
                                                      REQUIRED("size"), WORD("isa"), OF_FUNCTION,
                                                      OF_LINE, REQUIRED("executed")),
                                   .index = "function_id; line_id",
                                   .is_chosen = true},
    [CAIRN_EXPORT_BRANCHES] = {.name = "branches",
                               .columns = COLUMNS(ID, OF_BINARY, REQUIRED("address"), WORD("kind"),
                                                  NUMBER("target"), OF_FUNCTION, OF_LINE,
                                                  REQUIRED("executed"), REQUIRED("taken"),
                                                  REQUIRED("not_taken"), REQUIRED("not_told")),
                               .index = "function_id; line_id",
                               .is_chosen = true},
    [CAIRN_EXPORT_JUMPS] = {.name = "jumps",
                            .columns = COLUMNS(ID, OF("from_binary_id", "binaries"),
                                               REQUIRED("from_address"),
                                               OF("to_binary_id", "binaries"), NUMBER("to_address"),
                                               REQUIRED("count"), REQUIRED("is_indirect"),
                                               REQUIRED("is_call"), REQUIRED("is_return")),
                            .index = "to_binary_id, to_address",
                            .is_chosen = true},
    [CAIRN_EXPORT_CALL_TREE] = {.name = "call_tree",
                                .columns = COLUMNS(
                                    ID, OF("parent_id", "call_tree"), OF_THREAD, OF_FUNCTION,
                                    WORD("kind"), TEXT("exception"), REQUIRED("is_in_exception"),
                                    REQUIRED("depth"), NUMBER("site"), REQUIRED("calls"),
                                    REQUIRED("self_instructions"), NUMBER("self_cycles"),
                                    REQUIRED("total_instructions"), NUMBER("total_cycles")),
                                .index = "parent_id; function_id",
                                .is_chosen = true},
    [CAIRN_EXPORT_CALLS] = {.name = "calls",
                            .columns =
                                COLUMNS(ID, OF_SOURCE, OF_THREAD, OF("parent_id", "calls"),
                                        REQUIRED("stack"), REQUIRED("depth"), OF_FUNCTION,
                                        WORD("kind"), WORD("ending"), TEXT("exception"),
                                        NUMBER("address"), NUMBER("site"), NUMBER("return_address"),
                                        REQUIRED("begin_at"), REQUIRED("end_at"),
                                        REQUIRED("instructions"), NUMBER("begin_cycle"),
                                        NUMBER("end_cycle"), NUMBER("cycles"),
                                        NUMBER("begin_timestamp"), NUMBER("end_timestamp")),
                            .index = "parent_id; function_id",
                            .is_chosen = true,
                            .grows = true},
    [CAIRN_EXPORT_EXCEPTIONS] = {.name = "exceptions",
                                 .columns = COLUMNS(ID, OF_SOURCE, OF_THREAD, REQUIRED("at"),
                                                    REQUIRED("type"), WORD("name"),
                                                    NUMBER("return_address"), REQUIRED("offset"),
                                                    NUMBER("cycle"), NUMBER("timestamp")),
                                 .is_chosen = true,
                                 .grows = true},
    [CAIRN_EXPORT_EVENTS] = {.name = "events",
                             .columns =
                                 COLUMNS(ID, OF_SOURCE, OF_THREAD, REQUIRED("at"), WORD("kind"),
                                         NUMBER("value"), NUMBER("address"), TEXT("meaning"),
                                         REQUIRED("offset"), NUMBER("cycle"), NUMBER("timestamp")),
                             .is_chosen = true,
                             .grows = true},
    [CAIRN_EXPORT_GAPS] = {.name = "gaps",
                           .columns =
                               COLUMNS(ID, OF_SOURCE, OF_THREAD, REQUIRED("at"), WORD("reason"),
                                       REQUIRED("bytes"), REQUIRED("packets"), NUMBER("address"),
                                       REQUIRED("offset"), NUMBER("file_offset"), NUMBER("cycle"),
                                       NUMBER("timestamp")),
                           .is_chosen = true,
                           .grows = true},
    [CAIRN_EXPORT_RANGES] = {.name = "ranges",
                             .columns =
                                 COLUMNS(ID, OF_SOURCE, OF_THREAD, REQUIRED("at"),
                                         REQUIRED("address"), REQUIRED("end"),
                                         REQUIRED("instructions"), WORD("isa"), NUMBER("is_taken"),
                                         NUMBER("el"), TEXT("security"), OF_BINARY, OF_FUNCTION,
                                         REQUIRED("offset"), NUMBER("cycle"), NUMBER("timestamp")),
                             .index = "function_id",
                             .is_chosen = true,
                             .grows = true},
};

/* The name of a function as people look for it. */
#define NAMED(alias)                                                                               \
    "coalesce(" alias ".name, '[' || (SELECT path FROM binaries WHERE id = " alias                 \
    ".binary_id) || ']', '[unknown]')"

const struct cairn_export_view cairn_export_views[] = {
    {"hot_functions",
     "SELECT f.id, " NAMED(
         "f") " AS function, f.self_instructions,"
              " round(100.0 * f.self_instructions / (SELECT nullif(sum(instructions), 0) FROM sources), 2)"
              " AS share, f.total_instructions, f.calls, f.self_cycles, f.total_cycles, s.path AS file,"
              " f.line FROM functions AS f LEFT JOIN source_files AS s ON s.id = f.file_id"
              " WHERE f.self_instructions > 0"
              " UNION ALL SELECT NULL, '[unknown]', n, round(100.0 * n / total, 2), NULL, NULL, NULL, NULL,"
              " NULL, NULL FROM (SELECT total, total - (SELECT coalesce(sum(self_instructions), 0)"
              " FROM functions) AS n FROM (SELECT sum(instructions) AS total FROM sources)) WHERE n > 0"
              " ORDER BY 3 DESC, 1"},
    {"hot_lines",
     "SELECT l.id, s.path AS file, l.line, l.executed,"
     " (SELECT sum(i.executed) FROM instructions AS i WHERE i.line_id = l.id) AS instructions"
     " FROM lines AS l JOIN source_files AS s ON s.id = l.file_id"
     " WHERE l.executed > 0 ORDER BY l.executed DESC, l.id"},
    {"callers",
     "SELECT c.function_id AS callee_id, " NAMED("e") " AS callee, p.function_id AS caller_id, " NAMED(
         "r") " AS caller, c.kind, sum(c.calls) AS calls,"
              " sum(c.self_instructions) AS self_instructions FROM call_tree AS c"
              " JOIN call_tree AS p ON p.id = c.parent_id LEFT JOIN functions AS e ON e.id = c.function_id"
              " LEFT JOIN functions AS r ON r.id = p.function_id WHERE p.kind <> 'thread'"
              " GROUP BY c.function_id, p.function_id, c.kind ORDER BY calls DESC, callee_id, caller_id"},
    {"uncovered_functions",
     "SELECT f.id, " NAMED(
         "f") " AS function, b.path AS binary, f.address, f.code_instructions,"
              " s.path AS file, f.line FROM functions AS f JOIN binaries AS b ON b.id = f.binary_id"
              " LEFT JOIN source_files AS s ON s.id = f.file_id"
              " WHERE f.code_executed = 0 ORDER BY binary, f.address, f.id"},
    {"uncovered_lines", "SELECT l.id, s.path AS file, l.line FROM lines AS l JOIN source_files AS s"
                        " ON s.id = l.file_id WHERE l.executed = 0 ORDER BY file, l.line"},
    {"one_way_branches",
     "SELECT b.id, " NAMED(
         "f") " AS function, s.path AS file, l.line, b.address, b.taken,"
              " b.not_taken FROM branches AS b LEFT JOIN functions AS f ON f.id = b.function_id"
              " LEFT JOIN lines AS l ON l.id = b.line_id LEFT JOIN source_files AS s ON s.id = l.file_id"
              " WHERE b.kind = 'branch' AND b.executed > 0 AND b.not_told = 0"
              " AND (b.taken = 0 OR b.not_taken = 0) ORDER BY b.id"},
    {"interrupts",
     "SELECT c.exception, c.function_id AS handler_id, " NAMED(
         "f") " AS handler,"
              " sum(c.calls) AS times, sum(c.self_instructions) AS self_instructions,"
              " sum(CASE WHEN c.is_in_exception THEN 0 ELSE c.total_instructions END) AS instructions,"
              " sum(CASE WHEN c.is_in_exception THEN 0 ELSE c.total_cycles END) AS cycles"
              " FROM call_tree AS c"
              " LEFT JOIN functions AS f ON f.id = c.function_id WHERE c.kind = 'exception'"
              " GROUP BY c.exception, c.function_id ORDER BY instructions DESC, c.exception, handler_id"},
    {"gaps_by_reason",
     "SELECT s.name AS source, a.account AS reason, a.bytes, a.packets, a.path_elements,"
     " round(100.0 * a.bytes / nullif(s.bytes, 0), 2) AS share FROM accounts AS a"
     " JOIN sources AS s ON s.id = a.source_id WHERE a.is_gap AND a.bytes > 0"
     " ORDER BY s.id, a.bytes DESC, a.account"},
    {"thread_timeline",
     "SELECT source_id, thread_id, at, ordinal, what, text, cycle, timestamp FROM ("
     "SELECT c.source_id, c.thread_id, c.begin_at AS at, c.id AS ordinal, 'call' AS what,"
     " CASE c.kind WHEN 'exception' THEN c.exception || ': ' ELSE '' END || " NAMED(
         "f") " AS text, c.begin_cycle AS cycle, c.begin_timestamp AS timestamp"
              " FROM calls AS c LEFT JOIN functions AS f ON f.id = c.function_id"
              " UNION ALL SELECT source_id, thread_id, at, id, 'gap', reason || ', ' || bytes || ' bytes',"
              " cycle, timestamp FROM gaps"
              " UNION ALL SELECT source_id, thread_id, at, id, 'event', kind || coalesce(' ' || value, ''),"
              " cycle, timestamp FROM events)"},
    {"incomplete", "SELECT name, rows, left_out FROM contents WHERE left_out > 0 OR NOT is_wanted"},
    {NULL, NULL},
};
