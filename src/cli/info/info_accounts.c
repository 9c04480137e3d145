/* SPDX-License-Identifier: BSD-2-Clause */
/* The ledger of `cairn info`: one table, in which every share is of the bytes of the buffer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/letters.h"
#include "cli/info/info.h"
#include "cli/screen/page.h"

#define COLUMNS 8
#define STRANGERS_MERGED 4 /* so many trace IDs without a trace unit are one row */

struct cli_strangers cli_info_strangers(const struct cli_audit *audit, size_t buffer,
                                        const struct cli_page *page)
{
    struct cli_strangers strangers = {0};

    for (size_t i = 0; i < audit->source_count && !page->all; i++) {
        const struct cli_audit_source *source = &audit->sources[i];
        const int id = source->info.trace_id;
        if (source->info.buffer != buffer || source->state != CLI_AUDIT_NO_CONFIG)
            continue;
        strangers.first = !strangers.count || id < strangers.first ? id : strangers.first;
        strangers.last = !strangers.count || id > strangers.last ? id : strangers.last;
        strangers.bytes += source->bytes;
        strangers.count++;
    }
    if (strangers.count < STRANGERS_MERGED)
        strangers.count = 0;
    return strangers;
}

bool cli_info_is_stranger(const struct cli_audit *audit, size_t source, const struct cli_page *page)
{
    return audit->sources[source].state == CLI_AUDIT_NO_CONFIG &&
           cli_info_strangers(audit, audit->sources[source].info.buffer, page).count;
}

static void cell_of(struct cli_table *table, uint64_t bytes)
{
    if (bytes)
        cli_table_cell(table, "%llu", (unsigned long long)bytes);
    else
        cli_table_cell(table, "-");
}

static void share_cell(struct cli_table *table, uint64_t bytes, uint64_t total)
{
    cli_table_cell(table, "%.2f %%", total ? 100.0 * (double)bytes / (double)total : 0.0);
}

/* Those too that do no harm: every byte has its place in the row. */
static uint64_t all_gaps(const struct cairn_ledger *ledger)
{
    uint64_t bytes = 0;

    for (unsigned account = CAIRN_GAP_NO_SYNC; account < CAIRN_LEDGER_ACCOUNTS; account++)
        bytes += ledger->account[account].bytes;
    return bytes;
}

static void source_row(struct cli_table *table, const struct cli_audit_buffer *buffer,
                       const struct cli_audit_source *source)
{
    const struct cairn_account_sum *account = source->ledger.account;

    cli_table_cell(table, "  %s", buffer->info.name);
    cli_table_cell(table, "%s", source->info.name);
    cli_table_cell(table, "%llu", (unsigned long long)source->bytes);
    share_cell(table, source->bytes, buffer->info.bytes);
    cell_of(table, account[CAIRN_ACCOUNT_FLOW].bytes);
    cell_of(table, account[CAIRN_ACCOUNT_METADATA].bytes);
    cell_of(table, account[CAIRN_ACCOUNT_PADDING].bytes);
    cell_of(table, all_gaps(&source->ledger));
}

/* A row of a buffer of which there are only bytes. */
static void bytes_row(struct cli_table *table, const struct cli_audit_buffer *buffer,
                      const char *what, uint64_t bytes)
{
    cli_table_cell(table, "  %s", buffer->info.name);
    cli_table_cell(table, "%s", what);
    cli_table_cell(table, "%llu", (unsigned long long)bytes);
    share_cell(table, bytes, buffer->info.bytes);
    for (unsigned i = 4; i < COLUMNS; i++)
        cli_table_cell(table, "%s", "");
}

static void buffer_rows(const struct cli_audit *audit, size_t index, struct cli_table *table,
                        const struct cli_page *page)
{
    const struct cli_audit_buffer *buffer = &audit->buffers[index];
    const struct cli_strangers strangers = cli_info_strangers(audit, index, page);
    struct cli_overhead overhead[CLI_OVERHEAD_COUNT];
    size_t rows = 0;

    for (size_t i = 0; i < audit->source_count; i++)
        if (audit->sources[i].info.buffer == index && (page->all || audit->sources[i].bytes) &&
            !cli_info_is_stranger(audit, i, page)) {
            source_row(table, buffer, &audit->sources[i]);
            rows++;
        }
    if (strangers.count) {
        const struct cli_audit_source merged = {
            .info.name = "IDs not configured",
            .bytes = strangers.bytes,
            .ledger.account[CAIRN_GAP_NOT_DECODED].bytes = strangers.bytes,
        };
        source_row(table, buffer, &merged);
        rows++;
    }
    cli_info_overhead(&buffer->account, overhead);
    for (size_t i = 0; i < CLI_OVERHEAD_COUNT; i++)
        if (overhead[i].bytes) {
            bytes_row(table, buffer, overhead[i].name, overhead[i].bytes);
            rows++;
        }
    if (rows > 1 || page->all)
        bytes_row(table, buffer, "total", buffer->accounted);
}

/* The gaps of all sources, the greatest first. */

struct gap {
    const struct cli_audit_source *source;
    unsigned account;
    uint64_t bytes;
};

static int compare_gaps(const void *one, const void *other)
{
    const struct gap *a = one, *b = other;

    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? 1 : -1;
    if (a->source != b->source)
        return a->source > b->source ? 1 : -1;
    return (a->account > b->account) - (a->account < b->account);
}

/* "gap: no memory at the address" without what the head of the table says. */
static const char *reason_of(unsigned account)
{
    const char *name = cairn_account_name((enum cairn_account)account);
    const char *colon = strstr(name, ": ");

    return colon ? colon + 2 : name;
}

static void print_gaps(const struct cli_audit *audit, struct cli_page *page)
{
    static const char *const names[] = {"gaps", "bytes", "share", "why"};
    struct gap *gaps = calloc(audit->source_count * CAIRN_LEDGER_ACCOUNTS + 1, sizeof *gaps);
    struct cli_table table = {.columns = 4, .align = {CLI_LEFT, CLI_RIGHT, CLI_RIGHT, CLI_LEFT}};
    size_t count = 0;

    for (size_t i = 0; gaps && i < audit->source_count; i++) {
        if (cli_info_is_stranger(audit, i, page))
            continue; /* the ledger has them in one row */
        for (unsigned account = CAIRN_GAP_NO_SYNC; account < CAIRN_LEDGER_ACCOUNTS; account++)
            if (audit->sources[i].ledger.account[account].bytes)
                gaps[count++] = (struct gap){&audit->sources[i], account,
                                             audit->sources[i].ledger.account[account].bytes};
    }
    page->failed |= !gaps;
    if (gaps)
        qsort(gaps, count, sizeof *gaps, compare_gaps);
    for (size_t i = 0; i < 4; i++)
        cli_table_cell(&table, "%s", names[i]);
    for (size_t i = 0; gaps && i < count; i++) {
        const struct cairn_source_info *info = &gaps[i].source->info;
        cli_table_cell(&table, "  %s", info->name);
        cli_table_cell(&table, "%llu", (unsigned long long)gaps[i].bytes);
        share_cell(&table, gaps[i].bytes, audit->buffers[info->buffer].info.bytes);
        cli_table_cell(&table, "%s", reason_of(gaps[i].account));
    }
    cli_table_end(&table, page);
    free(gaps);
}

/* Whether all of it adds up. */
static void print_sum(const struct cli_audit *audit, struct cli_page *page)
{
    uint64_t bytes = 0;
    size_t wrong = 0;

    cli_page_section(page, "%s", "");
    for (size_t i = 0; i < audit->buffer_count; i++) {
        const struct cli_audit_buffer *buffer = &audit->buffers[i];
        bytes += buffer->info.bytes;
        if (buffer->accounted == buffer->info.bytes)
            continue;
        wrong++;
        cli_page_format(page, 4, 3,
                        "%s DOES NOT ADD UP: %llu of the file's %llu bytes are in an account: an "
                        "error in cairn; please report it with the capture",
                        buffer->info.name, (unsigned long long)buffer->accounted,
                        (unsigned long long)buffer->info.bytes);
    }
    if (!wrong && audit->buffer_count)
        cli_page_format(page, 4, 2, "every byte is in one account: %llu byte%s in %zu buffer%s",
                        (unsigned long long)bytes, cairn_plural(bytes), audit->buffer_count,
                        cairn_plural(audit->buffer_count));
}

void cli_info_ledger(const struct cli_audit *audit, struct cli_page *page)
{
    static const char *const names[COLUMNS] = {
        "ledger", "(share: of the buffer)", "bytes", "share", "flow", "metadata", "padding",
        "gaps"};
    struct cli_table table = {.columns = COLUMNS};

    for (size_t i = 0; i < COLUMNS; i++) {
        table.align[i] = i < 2 ? CLI_LEFT : CLI_RIGHT;
        cli_table_cell(&table, "%s", names[i]);
    }
    for (size_t i = 0; i < audit->buffer_count; i++)
        buffer_rows(audit, i, &table, page);
    cli_table_end(&table, page);
    print_gaps(audit, page);
    print_sum(audit, page);
}
