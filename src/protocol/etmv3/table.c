/* SPDX-License-Identifier: BSD-2-Clause */
/* ETMv3 as a table. The functions here only give the decoder's own types back to a `void *`. */
#include "protocol/etmv3/elements.h"
#include "protocol/etmv3/encode.h"
#include "protocol/etmv3/words.h"
#include "protocol/framing.h"
#include "protocol/typed.h"

/* What a Cancel may take back (IHI0014 7.3.5, 7.5.4). */
static bool is_p0(const struct cairn_config *config, unsigned element_kind)
{
    return element_kind == CAIRN_ELEMENT_ATOM ||
           (element_kind == CAIRN_ELEMENT_EXCEPTION_RETURN && cairn_etmv3_of(config)->m_profile);
}

CAIRN_TYPED_LEVELS(cairn_etmv3)

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
    CAIRN_TYPED_MEMBERS,
    .packets_amid = cairn_framing_amid,
    .reader_new = cairn_etmv3_reader_new,
    .reader_free = cairn_etmv3_reader_free,
    .reader_amid = cairn_etmv3_reader_amid,
    .reader_words = cairn_etmv3_reader_words,
    .reader_finish = cairn_etmv3_reader_finish,
    .reader_stand = cairn_etmv3_reader_stand,
    .reader_begin_at = cairn_etmv3_reader_begin_at,
    .reader_packets = cairn_etmv3_reader_packets,
};
