/* SPDX-License-Identifier: BSD-2-Clause */
/* PTM as a table. Nothing in it is speculative: atoms and exceptions are certain at once. */
#include "protocol/framing.h"
#include "protocol/pass_on.h"
#include "protocol/ptm/ptm.h"
#include "protocol/ptm/words.h"

const struct cairn_protocol cairn_ptm = {
    .about = &cairn_ptm_about,
    .configure = cairn_ptm_configure,
    .describe_config = cairn_ptm_describe_config,
    .kinds = cairn_ptm_kind_names,
    .kind_count = CAIRN_PTM_KIND_COUNT,
    .describe_packet = cairn_ptm_describe_packet,
    .exception_name = cairn_ptm_exception_name,
    .find_sync = cairn_ptm_find_sync,
    .packets_new = cairn_ptm_parser_new,
    .packets_free = cairn_ptm_parser_free,
    .packets_run = cairn_ptm_parser_run,
    .packets_finish = cairn_ptm_parser_finish,
    .packets_amid = cairn_framing_amid,
    .elements_new = cairn_ptm_elements_new,
    .elements_free = cairn_ptm_elements_free,
    .elements_run = cairn_ptm_elements_run,
    CAIRN_PASS_ON,
    .writer_new = cairn_ptm_writer_new,
    .writer_free = cairn_ptm_writer_free,
    .writer_write = cairn_ptm_writer_write,
    .reader_new = cairn_ptm_reader_new,
    .reader_free = cairn_ptm_reader_free,
    .reader_amid = cairn_ptm_reader_amid,
    .reader_words = cairn_ptm_reader_words,
    .reader_finish = cairn_ptm_reader_finish,
    .reader_stand = cairn_ptm_reader_stand,
    .reader_begin_at = cairn_ptm_reader_begin_at,
    .reader_packets = cairn_ptm_reader_packets,
    .encoder_new = cairn_ptm_encoder_new,
    .encoder_free = cairn_ptm_encoder_free,
    .encoder_atom = cairn_ptm_encoder_atom,
    .encoder_put = cairn_ptm_encoder_put,
    .encoder_flush = cairn_ptm_encoder_flush,
};
