/* SPDX-License-Identifier: BSD-2-Clause */
#include "writer_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRITE_BYTES 64

void session_begin(struct session *session, enum cairn_protocol_id protocol, struct cairn_arch arch,
                   const struct cairn_register *registers, size_t count)
{
    struct cairn_source_config source = CAIRN_SOURCE_CONFIG_INIT;
    struct cairn_error error;
    memset(session, 0, sizeof *session);
    source.protocol = protocol;
    source.arch = arch;
    source.registers = registers;
    source.register_count = count;
    assert_int_equal(cairn_config_new(&source, &session->config, &error), CAIRN_OK);
    assert_int_equal(cairn_packet_writer_new(session->config, &session->writer), CAIRN_OK);
}

void session_begin_ete(struct session *session, bool commopt)
{
    const struct cairn_register registers[] = {
        {"TRCCONFIGR", 0x18d1},  {"TRCIDR0", commopt ? 0x28018ea1 : 0x08018ea1},
        {"TRCIDR1", 0x4100fff0}, {"TRCIDR2", 0x40001088},
        {"TRCIDR8", 64},         {"TRCDEVARCH", 0x47735a13},
    };
    session_begin(session, CAIRN_PROTOCOL_ETE, (struct cairn_arch){CAIRN_PROFILE_A, 9, 2, 0},
                  registers, COUNT_OF(registers));
}

void session_begin_etmv4(struct session *session)
{
    const struct cairn_register registers[] = {
        {"TRCCONFIGR", 0x7c1},   {"TRCIDR0", 0x08018ee1}, {"TRCIDR1", 0x4100f420},
        {"TRCIDR2", 0x00000488}, {"TRCIDR8", 8},          {"TRCIDR12", 4},
        {"TRCIDR13", 0},
    };
    session_begin(session, CAIRN_PROTOCOL_ETMV4, (struct cairn_arch){CAIRN_PROFILE_M, 8, 1, 0},
                  registers, COUNT_OF(registers));
}

void session_end(struct session *session)
{
    cairn_packet_writer_free(session->writer);
    cairn_config_unref(session->config);
}

static size_t from_hex(const char *text, uint8_t *bytes)
{
    size_t size = 0;
    for (; *text; text++) {
        if (*text == ' ')
            continue;
        assert_true(size < WRITE_BYTES);
        bytes[size++] = (uint8_t)strtoul((char[]){text[0], text[1], 0}, NULL, 16);
        text++;
    }
    return size;
}

/* The last packet of the session as the parser sees it. */
static void parse_last(const struct session *session, struct cairn_packet_batch *batch)
{
    struct cairn_packets *packets;
    size_t position = 0;
    assert_int_equal(cairn_packets_new(session->config, &packets), CAIRN_OK);
    assert_int_equal(cairn_packets_run(packets, session->bytes, session->size, &position, batch),
                     CAIRN_OK);
    assert_int_equal(cairn_packets_finish(packets, batch), CAIRN_OK);
    cairn_packets_free(packets);
    assert_true(batch->count > 0);
    assert_true(batch->count < batch->capacity);
}

void assert_fields_equal(const struct cairn_packet_fields *got,
                         const struct cairn_packet_fields *wanted)
{
    assert_int_equal(got->flags, wanted->flags);
    assert_int_equal(got->type, wanted->type);
    assert_int_equal(got->sub_isa, wanted->sub_isa);
    assert_int_equal(got->atom_count, wanted->atom_count);
    assert_int_equal(got->atoms, wanted->atoms);
    assert_int_equal(got->count, wanted->count);
    assert_true(got->address == wanted->address);
    assert_true(got->value == wanted->value);
    assert_int_equal(got->cycles, wanted->cycles);
    assert_int_equal(got->info, wanted->info);
    assert_int_equal(got->address_bits, wanted->address_bits);
    assert_int_equal(got->context.EL, wanted->context.EL);
    assert_int_equal(got->context.security, wanted->context.security);
    assert_int_equal(got->context.SF, wanted->context.SF);
    assert_int_equal(got->context.sbz, wanted->context.sbz);
    assert_int_equal(got->context.vmid, wanted->context.vmid);
    assert_int_equal(got->context.context_id, wanted->context.context_id);
}

void assert_writes(struct session *session, unsigned kind, const struct cairn_packet_fields *packet,
                   const char *hex)
{
    uint8_t wanted[WRITE_BYTES];
    uint8_t got[WRITE_BYTES];
    const size_t size = from_hex(hex, wanted);
    const size_t written = cairn_packet_write(session->writer, kind, packet, got, sizeof got);
    if (written != size)
        print_message("# %s: %zu bytes, not %s\n", cairn_packet_mnemonic(session->config, kind),
                      written, hex);
    assert_int_equal(written, size);
    assert_memory_equal(got, wanted, size);
    assert_true(session->size + size <= SESSION_BYTES);
    memcpy(session->bytes + session->size, got, size);
    session->size += size;
}

void assert_packet(struct session *session, unsigned kind, const struct cairn_packet_fields *packet,
                   const char *hex)
{
    struct cairn_packet_batch *batch;
    const size_t before = session->size;
    assert_writes(session, kind, packet, hex);
    assert_int_equal(cairn_packet_batch_new(SESSION_BYTES, &batch), CAIRN_OK);
    parse_last(session, batch);
    const size_t last = batch->count - 1;
    assert_int_equal(batch->kind[last], kind);
    assert_int_equal(batch->offset[last], before);
    assert_int_equal(batch->length[last], session->size - before);
    assert_fields_equal(&batch->fields[last], packet);
    cairn_packet_batch_free(batch);
}

void assert_refused(struct session *session, unsigned kind,
                    const struct cairn_packet_fields *packet)
{
    uint8_t got[WRITE_BYTES];
    assert_int_equal(cairn_packet_write(session->writer, kind, packet, got, sizeof got), 0);
}

void session_start(struct session *session)
{
    assert_packet(session, CAIRN_ETMV4_ALIGNMENT_SYNC, P(0), "0000000000000000000000 80");
    assert_packet(session, CAIRN_ETMV4_TRACE_INFO, P(.flags = COUNT), "01 00");
}
