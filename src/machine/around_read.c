/* SPDX-License-Identifier: BSD-2-Clause */
/* What is to stand around a trace unit, in words. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "machine/around.h"

enum { FILL = 0, WRAP = 1, CIRCULAR = 3, STOP = 0, INTERRUPT = 1, IGNORE = 3, WORD = 64 };
#define PAGE UINT64_C(4096)
#define SIZE_MOST (UINT64_C(1) << 30)
#define ADDRESS_BITS 48
#define TRIGGER_MOST UINT64_C(0xffffffff)

/* A number, of bytes with K, M or G behind it. */
static bool read_number(const char *text, uint64_t *number)
{
    static const char letters[] = "KMG";
    char *end;
    const char *letter;
    unsigned shift = 0;

    if (!isdigit((unsigned char)text[0]))
        return false;
    errno = 0;
    *number = strtoull(text, &end, 0);
    if (errno != 0)
        return false;
    if (*end && (letter = strchr(letters, toupper((unsigned char)*end)))) {
        shift = 10 * (unsigned)(letter - letters + 1);
        end++;
    }
    if (*end || *number > UINT64_MAX >> shift)
        return false;
    *number <<= shift;
    return true;
}

/* The next word of a list with commas between, at most WORD - 1 bytes of it; false behind the last. */
static bool take_word(const char **text, char word[WORD])
{
    const size_t length = strcspn(*text, ",");
    const size_t kept = length < WORD - 1 ? length : WORD - 1;

    if (!**text)
        return false;
    memcpy(word, *text, kept);
    word[kept] = '\0';
    *text += length;
    *text += **text == ',';
    return true;
}

static bool find_word(const char *value, const char *const words[4], uint8_t *number)
{
    for (uint8_t i = 0; i < 4; i++)
        if (words[i] && strcmp(words[i], value) == 0) {
            *number = i;
            return true;
        }
    return false;
}

/* "translation@0x1000", or with ":fix" behind it. */
static cairn_status add_fault(struct cairn_around_buffer *buffer, char *value,
                              struct cairn_error *error)
{
    static const char *const kinds[] = {[CAIRN_AROUND_TRANSLATION] = "translation",
                                        [CAIRN_AROUND_PERMISSION] = "permission",
                                        [CAIRN_AROUND_ACCESS_FLAG] = "access-flag",
                                        [CAIRN_AROUND_ABORT] = "abort",
                                        [CAIRN_AROUND_LATE_ABORT] = "late-abort"};
    struct cairn_around_fault fault = {.kind = 0};
    char *const at = strchr(value, '@'), *const behind = at ? strchr(at, ':') : NULL;

    if (buffer->fault_count == CAIRN_AROUND_FAULTS)
        return cairn_fail(error, CAIRN_E_ARGUMENT, "fault=%s: there may be %u, and no more", value,
                          CAIRN_AROUND_FAULTS);
    if (behind && strcmp(behind, ":fix") != 0)
        return cairn_fail(
            error, CAIRN_E_ARGUMENT,
            "fault=%s: behind the place there may be :fix, for software that mends it", value);
    if (behind)
        *behind = '\0';
    if (!at || !read_number(at + 1, &fault.offset))
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "fault=%s: no place in the buffer: KIND@BYTES, as in translation@0x1000",
                          value);
    *at = '\0';
    while (fault.kind < sizeof kinds / sizeof *kinds && strcmp(kinds[fault.kind], value) != 0)
        fault.kind++;
    if (fault.kind == sizeof kinds / sizeof *kinds)
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "fault=%s@...: not translation, permission, access-flag, abort or "
                          "late-abort",
                          value);
    fault.is_fixed = behind != NULL;
    buffer->faults[buffer->fault_count++] = fault;
    return CAIRN_OK;
}

static cairn_status set(struct cairn_around_buffer *buffer, const char *key, char *value,
                        struct cairn_error *error)
{
    static const char *const modes[4] = {[FILL] = "fill", [WRAP] = "wrap", [CIRCULAR] = "circular"};
    static const char *const triggers[4] = {
        [STOP] = "stop", [INTERRUPT] = "irq", [IGNORE] = "ignore"};

    if (strcmp(key, "base") == 0)
        return read_number(value, &buffer->base)
                   ? CAIRN_OK
                   : cairn_fail(error, CAIRN_E_ARGUMENT, "base=%s: not an address", value);
    if (strcmp(key, "size") == 0)
        return read_number(value, &buffer->size)
                   ? CAIRN_OK
                   : cairn_fail(error, CAIRN_E_ARGUMENT,
                                "size=%s: not a number of bytes (4096, 64K, 1M)", value);
    if (strcmp(key, "mode") == 0)
        return find_word(value, modes, &buffer->FM)
                   ? CAIRN_OK
                   : cairn_fail(error, CAIRN_E_ARGUMENT, "mode=%s: not fill, wrap or circular",
                                value);
    if (strcmp(key, "on-trigger") == 0)
        return find_word(value, triggers, &buffer->TM)
                   ? CAIRN_OK
                   : cairn_fail(error, CAIRN_E_ARGUMENT, "on-trigger=%s: not stop, irq or ignore",
                                value);
    if (strcmp(key, "trigger") == 0) {
        buffer->has_trigger = true;
        return read_number(value, &buffer->trigger) && buffer->trigger <= TRIGGER_MOST
                   ? CAIRN_OK
                   : cairn_fail(error, CAIRN_E_ARGUMENT,
                                "trigger=%s: not a number of bytes below 4G", value);
    }
    if (strcmp(key, "irq") == 0) {
        buffer->empties = true;
        return read_number(value, &buffer->latency)
                   ? CAIRN_OK
                   : cairn_fail(error, CAIRN_E_ARGUMENT,
                                "irq=%s: not a number of instructions, after which software "
                                "empties the buffer",
                                value);
    }
    if (strcmp(key, "fault") == 0)
        return add_fault(buffer, value, error);
    if (strcmp(key, "reset") == 0) {
        buffer->stays = strcmp(value, "stay") == 0;
        return buffer->stays || strcmp(value, "anew") == 0
                   ? CAIRN_OK
                   : cairn_fail(error, CAIRN_E_ARGUMENT, "reset=%s: not anew or stay", value);
    }
    return cairn_fail(error, CAIRN_E_ARGUMENT,
                      "%s: there is base, size, mode, trigger, on-trigger, irq, fault and reset",
                      key);
}

static cairn_status check_faults(const struct cairn_around_buffer *buffer,
                                 struct cairn_error *error)
{
    for (unsigned i = 0; i < buffer->fault_count; i++) {
        const uint64_t offset = buffer->faults[i].offset;

        if (offset >= buffer->size)
            return cairn_fail(error, CAIRN_E_ARGUMENT,
                              "fault=...@0x%llx: the buffer has 0x%llx bytes",
                              (unsigned long long)offset, (unsigned long long)buffer->size);
        for (unsigned n = 0; n < i; n++)
            if (buffer->faults[n].offset / PAGE == offset / PAGE)
                return cairn_fail(
                    error, CAIRN_E_ARGUMENT,
                    "fault=...@0x%llx: there is another one in this page of 4096 bytes",
                    (unsigned long long)offset);
    }
    if (buffer->fault_count > 0 && (buffer->base + buffer->size - 1) >> ADDRESS_BITS)
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "base=0x%llx: with fault= the buffer has to be below 0x1000000000000, "
                          "where its addresses can be translated",
                          (unsigned long long)buffer->base);
    return CAIRN_OK;
}

cairn_status cairn_around_read_buffer(struct cairn_around_settings *settings, const char *text,
                                      struct cairn_error *error)
{
    struct cairn_around_buffer buffer = {.base = 0x80000000, .FM = FILL, .TM = 4};
    char word[WORD];

    while (take_word(&text, word)) {
        char *const equals = strchr(word, '=');

        if (!equals)
            return cairn_fail(error, CAIRN_E_ARGUMENT,
                              "%s: not KEY=VALUE, as in base=0x80000000,size=64K,mode=circular",
                              word);
        *equals = '\0';
        const cairn_status status = set(&buffer, word, equals + 1, error);
        if (status != CAIRN_OK)
            return status;
    }
    if (buffer.size == 0 || buffer.size % PAGE || buffer.base % PAGE || buffer.size > SIZE_MOST)
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "base=0x%llx,size=%llu: the base and the size of a trace buffer are "
                          "multiples of 4096, and the size 4096 to 1G",
                          (unsigned long long)buffer.base, (unsigned long long)buffer.size);
    if (buffer.base > UINT64_MAX - buffer.size)
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "base=0x%llx,size=%llu: the end is behind the last address",
                          (unsigned long long)buffer.base, (unsigned long long)buffer.size);
    if (buffer.TM > IGNORE)
        buffer.TM = buffer.has_trigger ? STOP : IGNORE;
    const cairn_status status = check_faults(&buffer, error);
    if (status != CAIRN_OK)
        return status;
    if (buffer.empties && buffer.FM == CIRCULAR && buffer.TM == IGNORE && buffer.fault_count == 0)
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "irq: a circular buffer interrupts at a trigger alone; give trigger=N, "
                          "or mode=fill or wrap");
    settings->buffer = buffer;
    settings->has_buffer = settings->is_wanted = true;
    return CAIRN_OK;
}

/* --- counters --- */

static const struct cairn_pmu_event_row *find_event(const char *word, uint64_t number, bool named)
{
    size_t count;
    const struct cairn_pmu_event_row *rows = cairn_pmu_event_rows(&count);

    for (size_t i = 0; i < count; i++)
        if (named ? strcasecmp(rows[i].name, word) == 0 : rows[i].number == number)
            return &rows[i];
    return NULL;
}

/* What nobody tells the PE: an emulator has no caches, and its unit sees no loads. */
static bool is_never_told(const struct cairn_pmu_event_row *row)
{
    return row->needs == CAIRN_PMU_NEEDS_HOST || row->number == CAIRN_PMU_SW_INCR ||
           row->number == CAIRN_PMU_BR_MIS_PRED || row->number == CAIRN_PMU_BR_PRED ||
           row->number == CAIRN_PMU_BR_MIS_PRED_RETIRED ||
           row->number == CAIRN_PMU_BR_PRED_RETIRED ||
           (row->number >= CAIRN_PMU_EXC_UNDEF && row->number <= CAIRN_PMU_EXC_TRAP_FIQ) ||
           (row->is & CAIRN_PMU_IS_UNCOUNTABLE);
}

cairn_status cairn_around_read_events(struct cairn_around_settings *settings, const char *text,
                                      struct cairn_error *error)
{
    struct cairn_around_settings read = *settings;
    char word[WORD];

    read.is_wanted = true;
    read.event_count = 0;
    if (strcmp(text, "none") == 0) {
        *settings = read;
        return CAIRN_OK;
    }
    while (take_word(&text, word)) {
        uint64_t number = 0;
        const bool named = !read_number(word, &number);
        const struct cairn_pmu_event_row *row = find_event(word, number, named);

        if (!row)
            return cairn_fail(error, CAIRN_E_ARGUMENT,
                              "'%s': no event of that %s is known; INST_RETIRED, BR_RETIRED, "
                              "CPU_CYCLES, EXC_TAKEN and TRB_WRAP are some",
                              word, named ? "name" : "number");
        if (is_never_told(row))
            return cairn_fail(error, CAIRN_E_ARGUMENT,
                              "%s: what is executed here has no such events: there are no caches, "
                              "no predictions, and no accesses that are seen",
                              row->name);
        if (read.event_count == CAIRN_PE_EVENT_COUNTERS)
            return cairn_fail(error, CAIRN_E_ARGUMENT, "%s: there are %d counters, and no more",
                              word, (int)CAIRN_PE_EVENT_COUNTERS);
        read.events[read.event_count++] = row->number;
    }
    if (read.event_count == 0)
        return cairn_fail(error, CAIRN_E_ARGUMENT,
                          "events are missing: INST_RETIRED,BR_RETIRED; or none");
    *settings = read;
    return CAIRN_OK;
}
