/* SPDX-License-Identifier: BSD-2-Clause */
#include "vector_elements.h"

#include <stdlib.h>
#include <string.h>

bool vector_named(const struct vector_name *names, const char *text, uint64_t *value)
{
    for (; names->text != NULL; names++) {
        if (strcmp(names->text, text) == 0) {
            *value = names->value;
            return true;
        }
    }
    return false;
}

const char *vector_name_of(const struct vector_name *names, uint64_t value)
{
    for (; names->text != NULL; names++) {
        if (names->value == value)
            return names->text;
    }
    return "?";
}

#define ELEMENT(NAME)                                                                              \
    {                                                                                              \
#NAME, CAIRN_ELEMENT_##NAME                                                                \
    }
static const struct vector_name element_kinds[] = {ELEMENT(TRACE_INFO),
                                                   ELEMENT(TRACE_ON),
                                                   ELEMENT(ATOM),
                                                   ELEMENT(EXCEPTION),
                                                   ELEMENT(SOURCE_ADDRESS),
                                                   ELEMENT(Q),
                                                   ELEMENT(TARGET_ADDRESS),
                                                   ELEMENT(CONTEXT),
                                                   ELEMENT(COMMIT),
                                                   ELEMENT(CANCEL),
                                                   ELEMENT(MISPREDICT),
                                                   ELEMENT(DISCARD),
                                                   ELEMENT(OVERFLOW),
                                                   ELEMENT(CYCLE_COUNT),
                                                   ELEMENT(TIMESTAMP),
                                                   ELEMENT(TIMESTAMP_MARKER),
                                                   ELEMENT(EVENT),
                                                   ELEMENT(TRANSACTION_START),
                                                   ELEMENT(TRANSACTION_COMMIT),
                                                   ELEMENT(TRANSACTION_FAILURE),
                                                   ELEMENT(EXCEPTION_RETURN),
                                                   ELEMENT(FUNCTION_RETURN),
                                                   ELEMENT(INSTRUMENTATION),
                                                   ELEMENT(DATA_SYNC),
                                                   ELEMENT(CONDITIONAL),
                                                   ELEMENT(BRANCH_FUTURE_FLUSH),
                                                   ELEMENT(GAP),
                                                   ELEMENT(WAYPOINT_UPDATE),
                                                   ELEMENT(DATA),
                                                   ELEMENT(STACKING),
                                                   ELEMENT(CANCELLED),
                                                   {NULL, 0}};

static const struct vector_name element_flags[] = {{"E", CAIRN_ELEMENT_E},
                                                   {"INITIAL_E", CAIRN_ELEMENT_INITIAL_E},
                                                   {"UNKNOWN", CAIRN_ELEMENT_UNKNOWN},
                                                   {"CYCLES", CAIRN_ELEMENT_CYCLES},
                                                   {"APPROXIMATE", CAIRN_ELEMENT_APPROXIMATE},
                                                   {"LOST", CAIRN_ELEMENT_LOST},
                                                   {"IMPLIED", CAIRN_ELEMENT_IMPLIED},
                                                   {"TRANSACTIONAL", CAIRN_ELEMENT_TRANSACTIONAL},
                                                   {"UNCERTAIN", CAIRN_ELEMENT_UNCERTAIN},
                                                   {"HERE", CAIRN_ELEMENT_HERE},
                                                   {"CHECK", CAIRN_ELEMENT_CHECK},
                                                   {"ADDRESSED", CAIRN_ELEMENT_ADDRESSED},
                                                   {"PAUSED", CAIRN_ELEMENT_PAUSED},
                                                   {NULL, 0}};

/* Flags that say something of these kinds alone, and are set on no others (cairn/element.h). */
static bool has_foreign_flag(const struct element *got)
{
    unsigned own =
        UINT16_MAX & ~(unsigned)(CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E |
                                 CAIRN_ELEMENT_ADDRESSED | CAIRN_ELEMENT_CYCLES |
                                 CAIRN_ELEMENT_HERE | CAIRN_ELEMENT_CHECK | CAIRN_ELEMENT_PAUSED);

    switch (got->kind) {
    case CAIRN_ELEMENT_ATOM:
        own |= CAIRN_ELEMENT_E | CAIRN_ELEMENT_INITIAL_E | CAIRN_ELEMENT_ADDRESSED;
        break;
    case CAIRN_ELEMENT_TIMESTAMP: own |= CAIRN_ELEMENT_CYCLES; break;
    case CAIRN_ELEMENT_DATA: own |= CAIRN_ELEMENT_HERE; break;
    case CAIRN_ELEMENT_EXCEPTION: own |= CAIRN_ELEMENT_HERE | CAIRN_ELEMENT_PAUSED; break;
    case CAIRN_ELEMENT_TARGET_ADDRESS: own |= CAIRN_ELEMENT_CHECK | CAIRN_ELEMENT_PAUSED; break;
    case CAIRN_ELEMENT_CANCEL: own |= CAIRN_ELEMENT_PAUSED; break;
    case CAIRN_ELEMENT_CANCELLED: own |= CAIRN_ELEMENT_PAUSED | CAIRN_ELEMENT_E; break;
    default: break;
    }
    return (got->flags & ~own) != 0;
}

/* Names that stand for numbers, in values. */
static const struct vector_name value_names[] = {{"SECURE", CAIRN_SECURE},
                                                 {"NONSECURE", CAIRN_NONSECURE},
                                                 {"ROOT", CAIRN_ROOT},
                                                 {"REALM", CAIRN_REALM},
                                                 {"IS0", 0},
                                                 {"IS1", 1},
                                                 {"FLOW", CAIRN_ACCOUNT_FLOW},
                                                 {"METADATA", CAIRN_ACCOUNT_METADATA},
                                                 {"PADDING", CAIRN_ACCOUNT_PADDING},
                                                 {"GAP_NO_SYNC", CAIRN_GAP_NO_SYNC},
                                                 {"GAP_RESERVED", CAIRN_GAP_RESERVED},
                                                 {"GAP_CUT", CAIRN_GAP_CUT},
                                                 {"GAP_TRUNCATED", CAIRN_GAP_TRUNCATED},
                                                 {"GAP_NOT_DECODED", CAIRN_GAP_NOT_DECODED},
                                                 {"GAP_NO_ADDRESS", CAIRN_GAP_NO_ADDRESS},
                                                 {"GAP_OVERFLOW", CAIRN_GAP_OVERFLOW},
                                                 {"GAP_DISCARD", CAIRN_GAP_DISCARD},
                                                 {"GAP_UNRESOLVED", CAIRN_GAP_UNRESOLVED},
                                                 {"GAP_LIMIT", CAIRN_GAP_LIMIT},
                                                 {"GAP_INCONSISTENT", CAIRN_GAP_INCONSISTENT},
                                                 {"NORMAL", CAIRN_DATA_NORMAL},
                                                 {"PLACEHOLDER", CAIRN_DATA_PLACEHOLDER},
                                                 {"LATE", CAIRN_DATA_LATE},
                                                 {"NOT_TRACED", CAIRN_DATA_NOT_TRACED},
                                                 {"SUPPRESSED", CAIRN_DATA_SUPPRESSED},
                                                 {"STORE_FAILED", CAIRN_DATA_STORE_FAILED},
                                                 {NULL, 0}};

bool vector_context_field(const struct cairn_context *context, const char *name, uint64_t *value)
{
    const struct vector_name fields[] = {{"EL", context->EL},
                                         {"security", context->security},
                                         {"SF", context->SF},
                                         {"sbz", context->sbz},
                                         {"vmid", context->vmid},
                                         {"context_id", context->context_id},
                                         {NULL, 0}};

    return vector_named(fields, name, value);
}

bool vector_value_of(const char *text, uint64_t *value)
{
    return vector_number(text, value) || vector_named(value_names, text, value);
}

bool vector_flag_matches(const struct vector_name *names, const char *word, uint64_t got,
                         bool *known)
{
    uint64_t bit = 0;

    *known = vector_named(names, word + 1, &bit);
    return *known && ((got & bit) != 0) == (word[0] == '+');
}

const char *vector_element_name(unsigned kind)
{
    return vector_name_of(element_kinds, kind);
}

static bool element_field(const struct element *element, const char *name, uint64_t *value)
{
    const struct cairn_element_data *d = &element->data;
    const struct vector_name fields[] = {{"address", d->address}, {"value", d->value},
                                         {"cycles", d->cycles},   {"sub_isa", d->sub_isa},
                                         {"reason", d->reason},   {"info", d->info},
                                         {"nth", d->nth},         {NULL, 0}};
    const struct vector_name data[] = {{"kind", CAIRN_DATA_KIND(d->cycles)},
                                       {"size", CAIRN_DATA_SIZE(d->cycles)},
                                       {"tag", CAIRN_DATA_TAG(d->cycles)},
                                       {NULL, 0}};

    if (strncmp(name, "data.", 5) == 0)
        return vector_named(data, name + 5, value);
    if (strncmp(name, "context.", 8) == 0)
        return vector_context_field(&d->context, name + 8, value);
    return vector_named(fields, name, value);
}

static void list_elements(const struct element *elements, size_t count)
{
    size_t used = strlen(vector_trouble);

    for (size_t i = 0; i < count && i < 24 && used + 80 < sizeof(vector_trouble); i++) {
        used += (size_t)snprintf(vector_trouble + used, sizeof(vector_trouble) - used,
                                 "#     %s @%zu flags=0x%x value=0x%llx address=0x%llx\n",
                                 vector_element_name(elements[i].kind), (size_t)elements[i].offset,
                                 elements[i].flags, (unsigned long long)elements[i].data.value,
                                 (unsigned long long)elements[i].data.address);
    }
}

static bool compare_element(const struct vector_case *vector, size_t line, char *text,
                            const struct element *got, const char *way)
{
    char *rest = text;
    const char *kind = vector_word(&rest);
    uint64_t number = 0, actual = 0;
    bool known;

    if (!vector_named(element_kinds, kind, &number))
        return vector_fail(vector->file, line, "no element kind \"%s\"", kind);
    if (got->kind != number)
        return vector_fail(vector->file, line, "%s: expected %s, got %s", way, kind,
                           vector_element_name(got->kind));
    if (has_foreign_flag(got))
        return vector_fail(vector->file, line, "%s: %s: flags 0x%x are of other kinds, too", way,
                           kind, got->flags);
    for (char *word = vector_word(&rest); word != NULL; word = vector_word(&rest)) {
        char *value = strchr(word, '=');

        if (strcmp(word, "E") == 0 || strcmp(word, "N") == 0) {
            if (((got->flags & CAIRN_ELEMENT_E) != 0) != (word[0] == 'E'))
                return vector_fail(vector->file, line, "%s: expected %s %s, got the other", way,
                                   kind, word);
        } else if (word[0] == '+' || word[0] == '-') {
            if (!vector_flag_matches(element_flags, word, got->flags, &known))
                return vector_fail(vector->file, line, "%s: %s: expected %s, got flags 0x%x%s", way,
                                   kind, word, got->flags, known ? "" : " (no such flag)");
        } else if (value == NULL) {
            return vector_fail(vector->file, line, "\"%s\" is not name=value", word);
        } else {
            *value++ = '\0';
            if (!element_field(got, word, &actual) || !vector_value_of(value, &number))
                return vector_fail(vector->file, line, "\"%s=%s\" is not known", word, value);
            if (actual != number)
                return vector_fail(vector->file, line, "%s: %s: expected %s=%s, got 0x%llx", way,
                                   kind, word, value, (unsigned long long)actual);
        }
    }
    return true;
}

bool vector_compare_elements(const struct vector_case *vector, size_t line, const char *expected,
                             const struct element *got, size_t count, const char *way)
{
    char *text = strdup(expected != NULL ? expected : ""), *save = NULL;
    size_t at = 0;
    bool same = true;

    for (char *one = strtok_r(text, ";", &save); one != NULL && same;
         one = strtok_r(NULL, ";", &save)) {
        if (one[strspn(one, " \t\n")] == '\0')
            continue;
        if (at == count)
            same =
                vector_fail(vector->file, line, "%s: expected%s, got no more elements", way, one);
        else
            same = compare_element(vector, line, one, &got[at], way);
        at++;
    }
    if (same && at != count)
        same =
            vector_fail(vector->file, line, "%s: expected %zu elements, got %zu", way, at, count);
    if (!same)
        list_elements(got, count);
    free(text);
    return same;
}
