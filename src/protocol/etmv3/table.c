/* SPDX-License-Identifier: BSD-2-Clause */
/* ETMv3 as a table. The functions here only give the decoder's own types back to a `void *`. */
#include "protocol/etmv3/elements.h"
#include "protocol/etmv3/encode.h"
#include "protocol/level_scan.h"

/* What a Cancel may take back (IHI0014 7.3.5, 7.5.4). */
static bool is_p0(const struct cairn_config *config, unsigned element_kind)
{
    return element_kind == CAIRN_ELEMENT_ATOM ||
           (element_kind == CAIRN_ELEMENT_EXCEPTION_RETURN && cairn_etmv3_of(config)->m_profile);
}

static cairn_status packets_new(struct cairn_config *config, void **state)
{
    struct cairn_etmv3_parser *parser = NULL;
    cairn_status status = cairn_etmv3_parser_new(config, &parser);
    *state = parser;
    return status;
}

static void packets_free(void *state)
{
    cairn_etmv3_parser_free(state);
}

static cairn_status packets_run(void *state, const uint8_t *data, size_t size, size_t *position,
                                struct cairn_packet_batch *batch)
{
    return cairn_etmv3_parser_run(state, data, size, position, batch);
}

static cairn_status packets_finish(void *state, struct cairn_packet_batch *batch)
{
    return cairn_etmv3_parser_finish(state, batch);
}

static cairn_status elements_new(struct cairn_config *config, void **state)
{
    struct cairn_etmv3_elements *elements = NULL;
    cairn_status status = cairn_etmv3_elements_new(config, &elements);
    *state = elements;
    return status;
}

static void elements_free(void *state)
{
    cairn_etmv3_elements_free(state);
}

static cairn_status elements_run(void *state, const struct cairn_packet_batch *in, size_t *position,
                                 struct cairn_element_batch *out)
{
    return cairn_etmv3_elements_run(state, in, position, out);
}

static cairn_status resolver_new(struct cairn_config *config, void **state)
{
    struct cairn_etmv3_resolver *resolver = NULL;
    cairn_status status = cairn_etmv3_resolver_new(config, &resolver);
    *state = resolver;
    return status;
}

static void resolver_free(void *state)
{
    cairn_etmv3_resolver_free(state);
}

static cairn_status resolver_run(void *state, const struct cairn_element_batch *in,
                                 size_t *position, struct cairn_element_batch *out)
{
    return cairn_etmv3_resolver_run(state, in, position, out);
}

static cairn_status resolver_finish(void *state, struct cairn_element_batch *out)
{
    return cairn_etmv3_resolver_finish(state, out);
}

static cairn_status writer_new(struct cairn_config *config, void **state)
{
    struct cairn_etmv3_writer *writer = NULL;
    cairn_status status = cairn_etmv3_writer_new(config, &writer);
    *state = writer;
    return status;
}

static void writer_free(void *state)
{
    cairn_etmv3_writer_free(state);
}

static size_t writer_write(void *state, unsigned kind, const struct cairn_packet_fields *fields,
                           uint8_t *bytes, size_t capacity)
{
    return cairn_etmv3_writer_write(state, kind, fields, bytes, capacity);
}

static cairn_status encoder_new(struct cairn_config *config, uint32_t choices, void **state)
{
    struct cairn_etmv3_encoder *encoder = NULL;
    cairn_status status = cairn_etmv3_encoder_new(config, choices, &encoder);
    *state = encoder;
    return status;
}

static void encoder_free(void *state)
{
    cairn_etmv3_encoder_free(state);
}

static void encoder_atom(void *state, bool taken, struct cairn_encoder_out *out)
{
    cairn_etmv3_encoder_atom(state, taken, out);
}

static void encoder_put(void *state, unsigned kind, uint16_t flags,
                        const struct cairn_element_data *data, struct cairn_encoder_out *out)
{
    cairn_etmv3_encoder_put(state, kind, flags, data, out);
}

static void encoder_flush(void *state, struct cairn_encoder_out *out)
{
    cairn_etmv3_encoder_flush(state, out);
}

const struct cairn_protocol cairn_etmv3 = {
    .about = &cairn_etmv3_about,
    .configure = cairn_etmv3_configure,
    .describe_config = cairn_etmv3_describe_config,
    .kinds = cairn_etmv3_kind_names,
    .kind_count = CAIRN_ETMV3_KIND_COUNT,
    .describe_packet = cairn_etmv3_describe_packet,
    .exception_name = cairn_etmv3_exception_name,
    .is_p0 = is_p0,
    .find_sync = cairn_etmv3_find_sync,
    .packets_new = packets_new,
    .packets_free = packets_free,
    .packets_run = packets_run,
    .packets_finish = packets_finish,
    .elements_new = elements_new,
    .elements_free = elements_free,
    .elements_run = elements_run,
    .resolver_new = resolver_new,
    .resolver_free = resolver_free,
    .resolver_run = resolver_run,
    .resolver_finish = resolver_finish,
    .writer_new = writer_new,
    .writer_free = writer_free,
    .writer_write = writer_write,
    .encoder_new = encoder_new,
    .encoder_free = encoder_free,
    .encoder_atom = encoder_atom,
    .encoder_put = encoder_put,
    .encoder_flush = encoder_flush,
    CAIRN_LEVEL_SCAN,
    .plain_serves = cairn_etmv3_plain_serves,
    .plain_stands = cairn_etmv3_plain_stands,
    .plain_settle = cairn_etmv3_plain_settle,
    .plain_run = cairn_etmv3_plain_run,
    .plain_place = cairn_etmv3_plain_place,
    .plain_skip = cairn_etmv3_plain_skip,
    .plain_between = cairn_etmv3_plain_between,
    .branches = cairn_etmv3_branches,
    .wait_forms = cairn_etmv3_wait_forms,
    .plain_release = cairn_etmv3_plain_release,
    .plain_hold = cairn_etmv3_plain_hold,
};
