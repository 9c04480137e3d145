/* SPDX-License-Identifier: BSD-2-Clause */
#include "describe_text.h"

#include <inttypes.h>
#include <stdio.h>

#define FIELDS 32
#define TEXT 1024

static const char *write_fields(const struct cairn_field *fields, size_t count)
{
    static char text[TEXT];
    size_t used = 0;

    text[0] = '\0';
    assert_true(count <= FIELDS);
    for (size_t i = 0; i < count; i++) {
        const struct cairn_field *f = &fields[i];
        used += (size_t)snprintf(text + used, TEXT - used, "%s%s=", i ? " " : "", f->name);
        assert_true(used < TEXT - 200);
        switch (f->type) {
        case CAIRN_FIELD_TEXT:
            used += (size_t)snprintf(text + used, TEXT - used, "%s", f->text);
            break;
        case CAIRN_FIELD_HEX:
            used += (size_t)snprintf(text + used, TEXT - used, "0x%" PRIx64, f->value);
            break;
        case CAIRN_FIELD_FLAG:
            assert_true(f->value <= 1);
            used += (size_t)snprintf(text + used, TEXT - used, "%s", f->value ? "yes" : "no");
            break;
        case CAIRN_FIELD_UNKNOWN: used += (size_t)snprintf(text + used, TEXT - used, "?"); break;
        default: used += (size_t)snprintf(text + used, TEXT - used, "%" PRIu64, f->value); break;
        }
    }
    return text;
}

const char *describe_packet(const struct cairn_config *config, unsigned kind, uint64_t offset,
                            const struct cairn_packet_fields *fields)
{
    struct cairn_packet_batch *batch;
    struct cairn_field found[FIELDS];

    assert_int_equal(cairn_packet_batch_new(1, &batch), CAIRN_OK);
    batch->count = 1;
    batch->kind[0] = (uint16_t)kind;
    batch->offset[0] = offset;
    batch->fields[0] = *fields;
    const size_t count = cairn_packet_describe(config, batch, 0, found, FIELDS);
    /* without room they are counted, whatever the room is said to be */
    assert_int_equal(cairn_packet_describe(config, batch, 0, NULL, 0), count);
    assert_int_equal(cairn_packet_describe(config, batch, 0, NULL, FIELDS), count);
    assert_int_equal(cairn_packet_describe(config, batch, 1, found, FIELDS), 0);
    cairn_packet_batch_free(batch);
    return write_fields(found, count);
}

const char *describe_config(const struct cairn_config *config)
{
    struct cairn_field found[FIELDS];
    const size_t count = cairn_config_describe(config, found, FIELDS);

    assert_int_equal(cairn_config_describe(config, NULL, 0), count);
    assert_int_equal(cairn_config_describe(config, NULL, FIELDS), count);
    return write_fields(found, count);
}
