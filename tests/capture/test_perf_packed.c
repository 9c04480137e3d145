/* SPDX-License-Identifier: BSD-2-Clause */
/* perf.data with compressed records: libzstd packs a stream of records here, cut into pieces anywhere, and the
 * reader has the same records out of it, of either record type, byte order and mode. What is damaged is lost and
 * counted, and what comes behind is there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zstd.h>

#include "base/bytes.h"
#include "capture/perf/perf.h"

enum {
    PLAIN_MOST = 1 << 18,
    FILE_MOST = 1 << 20,
    PIPE_HEADER = 16,
    FILE_HEADER = 104,
    ENTRY = 64 + 16, /* an attribute of the first version, and where its identifiers are */
    COMM = 3,
    ROUND = 68, /* FINISHED_ROUND: perf never packs it */
};

struct file {
    uint8_t bytes[FILE_MOST];
    size_t size;
    bool big_endian;
    uint32_t type; /* of compressed records */
};

static void put(struct file *file, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        file->bytes[file->size++] = (uint8_t)(value >> 8 * (file->big_endian ? size - 1 - i : i));
}

static void put_header(struct file *file, uint32_t type, size_t body)
{
    put(file, type, 4);
    put(file, 0, 2);
    put(file, 8 + body, 2);
}

static void put_bytes(struct file *file, const uint8_t *bytes, size_t size)
{
    if (size)
        memcpy(file->bytes + file->size, bytes, size);
    file->size += size;
}

/* Magic and header; of a file with one attribute, whose data are behind it. */
static struct file *begin(bool pipe, bool big_endian, uint32_t type)
{
    struct file *file = calloc(1, sizeof *file);

    assert_non_null(file);
    file->big_endian = big_endian;
    file->type = type;
    put(file, UINT64_C(0x32454c4946524550), 8); /* "PERFILE2" as a number */
    put(file, pipe ? PIPE_HEADER : FILE_HEADER, 8);
    if (pipe)
        return file;
    put(file, ENTRY, 8);
    put(file, FILE_HEADER, 8);
    put(file, ENTRY, 8);
    put(file, FILE_HEADER + ENTRY, 8);
    put(file, 0, 8); /* of the data: as if the recorder had been killed, all is read */
    file->size = FILE_HEADER;
    file->size += ENTRY;
    return file;
}

/* Compressed data as a record of the file's type. */
static void put_packed(struct file *file, const uint8_t *bytes, size_t size)
{
    if (file->type == CAIRN_PERF_RECORD_COMPRESSED) {
        put_header(file, file->type, size);
        put_bytes(file, bytes, size);
        return;
    }
    const size_t padding = (8 - size % 8) % 8;
    put_header(file, file->type, 8 + size + padding);
    put(file, size, 8);
    put_bytes(file, bytes, size);
    put_bytes(file, (const uint8_t[8]){0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee}, padding);
}

/* --- records to pack --- */

static uint64_t state = 0x9e3779b97f4a7c15u;

static size_t below(size_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state * 0x2545f4914f6cdd1du >> 33) % limit;
}

/* `count` records, body n of 8 to `most` bytes that begin with n. */
static void put_records(struct file *plain, size_t count, size_t most)
{
    for (size_t n = 0; n < count; n++) {
        const size_t body = 8 + below(most / 8) * 8;

        put_header(plain, COMM, body);
        put(plain, n, 8);
        for (size_t i = 8; i < body; i++)
            plain->bytes[plain->size++] = (uint8_t)(i * n + (below(4) ? 0 : below(256)));
    }
}

/* Packs `plain` as one stream of which a piece is flushed every so many bytes: what stands in a compressed record
 * ends anywhere in a record. `between` gets called behind each. */
static void pack(struct file *file, const struct file *plain, size_t piece,
                 void (*between)(struct file *file))
{
    static uint8_t packed[1 << 16];
    ZSTD_CCtx *stream = ZSTD_createCCtx();

    assert_non_null(stream);
    for (size_t at = 0; at < plain->size; at += piece) {
        const size_t left = plain->size - at;
        ZSTD_inBuffer in = {plain->bytes + at, left < piece ? left : piece, 0};
        ZSTD_outBuffer out = {packed, sizeof packed - 64, 0};

        assert_int_equal(ZSTD_compressStream2(stream, &out, &in, ZSTD_e_flush), 0);
        assert_int_equal(in.pos, in.size);
        put_packed(file, packed, out.pos);
        if (between)
            between(file);
    }
    ZSTD_freeCCtx(stream);
}

static void put_round(struct file *file)
{
    put_header(file, ROUND, 0);
}

/* --- reading --- */

static int64_t read_file(void *context, void *bytes, size_t size, uint64_t offset)
{
    const struct file *file = context;
    const size_t left = offset < file->size ? file->size - (size_t)offset : 0;
    const size_t count = size < left ? size : left;

    if (count)
        memcpy(bytes, file->bytes + offset, count);
    return (int64_t)count;
}

static struct cairn_perf *open_file(struct file *file)
{
    struct cairn_perf *perf = malloc(sizeof *perf);
    const struct cairn_perf_input input = {read_file, file, file->size, "packed"};

    assert_non_null(perf);
    assert_int_equal(cairn_perf_open(perf, &input, NULL), CAIRN_OK);
    return perf;
}

static void close_file(struct cairn_perf *perf, struct file *file)
{
    cairn_perf_close(perf);
    free(perf);
    free(file);
}

/* All records but those that were not packed are `plain`'s, in order, from byte `at` on; returns how far. */
static size_t compare(struct cairn_perf *perf, const struct file *plain, size_t at)
{
    struct cairn_perf_record record;

    while (cairn_perf_next(perf, &record)) {
        if (record.type == ROUND)
            continue;
        assert_true(record.is_unpacked);
        assert_int_equal(record.payload_size, 0);
        assert_true(at + 8 + record.size <= plain->size);
        assert_memory_equal(record.bytes, plain->bytes + at + 8, record.size);
        at += 8 + record.size;
    }
    return at;
}

/* --- cases --- */

static void test_same_records(void **unused)
{
    static const size_t pieces[] = {1, 7, 100, 4096, 30000};

    (void)unused;
    for (unsigned kind = 0; kind < 8; kind++) {
        const bool pipe = kind & 1, big_endian = kind & 2;
        const uint32_t type =
            kind & 4 ? CAIRN_PERF_RECORD_COMPRESSED2 : CAIRN_PERF_RECORD_COMPRESSED;
        for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
            struct file *plain = calloc(1, sizeof *plain);
            struct file *file = begin(pipe, big_endian, type);

            assert_non_null(plain);
            plain->big_endian = big_endian;
            put_records(plain, pieces[i] < 100 ? 20 : 200, pieces[i] < 100 ? 100 : 1000);
            pack(file, plain, pieces[i], kind & 1 ? put_round : NULL);
            struct cairn_perf *perf = open_file(file);
            assert_int_equal(compare(perf, plain, 0), plain->size);
            assert_int_equal(perf->ended, CAIRN_PERF_END_WHOLE);
            assert_int_equal(perf->unpack.count, (plain->size + pieces[i] - 1) / pieces[i]);
            assert_int_equal(perf->unpack.unreadable, 0);
            close_file(perf, file);
            free(plain);
        }
    }
}

/* The largest record there can be, over several compressed ones. */
static void test_largest(void **unused)
{
    struct file *plain = calloc(1, sizeof *plain);
    struct file *file = begin(false, false, CAIRN_PERF_RECORD_COMPRESSED2);

    (void)unused;
    assert_non_null(plain);
    for (unsigned n = 0; n < 3; n++) {
        put_header(plain, COMM, 65528 - 8);
        for (size_t i = 0; i < 65528 - 8; i++)
            plain->bytes[plain->size++] = (uint8_t)below(256);
    }
    pack(file, plain, 20000, NULL);
    struct cairn_perf *perf = open_file(file);
    assert_int_equal(compare(perf, plain, 0), plain->size);
    assert_int_equal(perf->unpack.unreadable, 0);
    close_file(perf, file);
    free(plain);
}

/* Where bytes of a compressed record are wrong that one and what its stream has behind it is lost, up to a frame
 * that begins anew. */
static void test_damaged(void **unused)
{
    struct file *plain = calloc(1, sizeof *plain);
    struct file *file = begin(true, false, CAIRN_PERF_RECORD_COMPRESSED);

    (void)unused;
    assert_non_null(plain);
    put_records(plain, 100, 500);
    pack(file, plain, 3000, NULL);
    const size_t first = PIPE_HEADER; /* the first record; its frame's number is broken */
    file->bytes[first + 8] ^= 0xff;
    const size_t again = file->size;
    pack(file, plain, 3000, NULL);
    struct cairn_perf *perf = open_file(file);
    assert_int_equal(compare(perf, plain, 0), plain->size);
    assert_int_equal(perf->ended, CAIRN_PERF_END_WHOLE);
    assert_int_equal(perf->unpack.unreadable, (plain->size + 2999) / 3000);
    assert_int_equal(perf->unpack.count, 2 * ((plain->size + 2999) / 3000));
    assert_true(again < file->size);
    close_file(perf, file);
    free(plain);
}

/* COMPRESSED2 tells its size by itself: more than the record has is damage. A compressed record in another, and
 * one that unpacks to no records, are as well. */
static void test_nonsense(void **unused)
{
    struct file *file = begin(false, false, CAIRN_PERF_RECORD_COMPRESSED2);
    struct file *plain = calloc(1, sizeof *plain);
    struct cairn_perf_record record;

    (void)unused;
    assert_non_null(plain);
    put_header(file, CAIRN_PERF_RECORD_COMPRESSED2, 8);
    put(file, 1, 8);
    put_header(file, CAIRN_PERF_RECORD_COMPRESSED2, 8);
    put(file, UINT64_MAX, 8);
    put_header(file, CAIRN_PERF_RECORD_COMPRESSED2, 0);
    put_header(plain, CAIRN_PERF_RECORD_COMPRESSED, 8);
    put(plain, 0, 8);
    put_header(plain, COMM, 8);
    put(plain, 5, 8);
    put_header(plain, COMM, (size_t)0 - 4); /* of 4 bytes */
    put(plain, 6, 8);
    pack(file, plain, 1000, NULL);
    struct cairn_perf *perf = open_file(file);
    assert_true(cairn_perf_next(perf, &record));
    assert_int_equal(record.type, COMM);
    assert_int_equal(cairn_perf_u64(perf, record.bytes), 5);
    assert_false(cairn_perf_next(perf, &record));
    assert_int_equal(perf->unpack.unreadable, 5);
    close_file(perf, file);
    free(plain);
}

/* The last record goes on behind the end. */
static void test_cut(void **unused)
{
    struct file *plain = calloc(1, sizeof *plain);
    struct file *file = begin(false, true, CAIRN_PERF_RECORD_COMPRESSED);

    (void)unused;
    assert_non_null(plain);
    plain->big_endian = true;
    put_records(plain, 3, 8);
    plain->size -= 4;
    pack(file, plain, 1000, NULL);
    struct cairn_perf *perf = open_file(file);
    assert_int_equal(compare(perf, plain, 0), 2 * 16);
    assert_int_equal(perf->unpack.unreadable, 1);
    close_file(perf, file);
    free(plain);
}

/* Gigabytes of records out of a few kilobytes are not unpacked: no recorder writes such. */
static void test_bomb(void **unused)
{
    struct file *file = begin(false, false, CAIRN_PERF_RECORD_COMPRESSED);
    static uint8_t packed[1 << 16], round[8];
    ZSTD_CCtx *stream = ZSTD_createCCtx();
    ZSTD_outBuffer out = {packed, sizeof packed - 64, 0};
    struct cairn_perf_record record;
    uint64_t records = 0;
    static uint8_t many[1 << 20];

    (void)unused;
    assert_non_null(stream);
    cairn_store_le32(round, ROUND);
    round[6] = 8;
    for (size_t i = 0; i < sizeof many; i += 8)
        memcpy(many + i, round, 8);
    for (unsigned i = 0; i < 256 && out.pos < 8000; i++) {
        ZSTD_inBuffer in = {many, sizeof many, 0};
        assert_false(ZSTD_isError(ZSTD_compressStream2(stream, &out, &in, ZSTD_e_flush)));
    }
    ZSTD_freeCCtx(stream);
    put_packed(file, packed, out.pos);
    struct cairn_perf *perf = open_file(file);
    while (cairn_perf_next(perf, &record))
        records++;
    assert_int_equal(perf->unpack.unreadable, 1);
    assert_true(records > 0);
    assert_true(8 * records <= (UINT64_C(1) << 20) + 1024 * out.pos + (1 << 17));
    close_file(perf, file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_records), cmocka_unit_test(test_largest),
        cmocka_unit_test(test_damaged),      cmocka_unit_test(test_nonsense),
        cmocka_unit_test(test_cut),          cmocka_unit_test(test_bomb),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
