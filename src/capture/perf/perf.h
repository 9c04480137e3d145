/* SPDX-License-Identifier: BSD-2-Clause */
/* perf.data files (PERFILE2) of either byte order, in file and in pipe mode: records one after the other,
 * the events (perf_event_attr) they are of, and what a sample says.
 *   events.c   the header, attributes and their identifiers
 *   records.c  records
 *   unpack.c   records that are packed (perf record -z), by libzstd
 *   sample.c   the fields of a sample, by its event's sample_type
 * Nothing of a file is held but its events, one record and what zstd looks back at: sizes in it bound nothing
 * but how far is read.
 * Numbers are those of <linux/perf_event.h> and of perf's own records. */
#ifndef CAIRN_CAPTURE_PERF_PERF_H
#define CAIRN_CAPTURE_PERF_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/brbe.h>
#include <cairn/status.h>

/* Where the bytes come from. */
struct cairn_perf_input {
    /* Up to `size` bytes at `offset`; fewer only at the end. Negative: they cannot be read. */
    int64_t (*read)(void *context, void *bytes, size_t size, uint64_t offset);
    void *context;
    uint64_t size;
    const char *name; /* for errors */
};

enum cairn_perf_record_type {
    CAIRN_PERF_RECORD_MMAP = 1,
    CAIRN_PERF_RECORD_LOST = 2,
    CAIRN_PERF_RECORD_COMM = 3,
    CAIRN_PERF_RECORD_FORK = 7,
    CAIRN_PERF_RECORD_SAMPLE = 9,
    CAIRN_PERF_RECORD_MMAP2 = 10,
    CAIRN_PERF_RECORD_AUX = 11,
    CAIRN_PERF_RECORD_ITRACE_START = 12,
    CAIRN_PERF_RECORD_LOST_SAMPLES = 13,
    CAIRN_PERF_RECORD_SWITCH = 14,
    CAIRN_PERF_RECORD_SWITCH_CPU_WIDE = 15,
    CAIRN_PERF_RECORD_KSYMBOL = 17,
    CAIRN_PERF_RECORD_TEXT_POKE = 20,
    CAIRN_PERF_RECORD_AUX_OUTPUT_HW_ID = 21,
    CAIRN_PERF_RECORD_ATTR = 64,
    CAIRN_PERF_RECORD_TRACING_DATA = 66,
    CAIRN_PERF_RECORD_BUILD_ID = 67,
    CAIRN_PERF_RECORD_ID_INDEX = 69,
    CAIRN_PERF_RECORD_AUXTRACE_INFO = 70,
    CAIRN_PERF_RECORD_AUXTRACE = 71,
    CAIRN_PERF_RECORD_TIME_CONV = 79,
    CAIRN_PERF_RECORD_COMPRESSED = 81,
    CAIRN_PERF_RECORD_COMPRESSED2 = 83,
    CAIRN_PERF_RECORD_EVENT_ID =
        32774, /* simpleperf: identifiers of events that it began meanwhile */
};

/* perf_event_attr.sample_type, in the order of the bits; the fields of a sample have another. */
#define CAIRN_PERF_SAMPLE_IP (UINT64_C(1) << 0)
#define CAIRN_PERF_SAMPLE_TID (UINT64_C(1) << 1)
#define CAIRN_PERF_SAMPLE_TIME (UINT64_C(1) << 2)
#define CAIRN_PERF_SAMPLE_ADDR (UINT64_C(1) << 3)
#define CAIRN_PERF_SAMPLE_READ (UINT64_C(1) << 4)
#define CAIRN_PERF_SAMPLE_CALLCHAIN (UINT64_C(1) << 5)
#define CAIRN_PERF_SAMPLE_ID (UINT64_C(1) << 6)
#define CAIRN_PERF_SAMPLE_CPU (UINT64_C(1) << 7)
#define CAIRN_PERF_SAMPLE_PERIOD (UINT64_C(1) << 8)
#define CAIRN_PERF_SAMPLE_STREAM_ID (UINT64_C(1) << 9)
#define CAIRN_PERF_SAMPLE_RAW (UINT64_C(1) << 10)
#define CAIRN_PERF_SAMPLE_BRANCHES (UINT64_C(1) << 11)
#define CAIRN_PERF_SAMPLE_IDENTIFIER (UINT64_C(1) << 16)

/* perf_event_attr.branch_sample_type, as far as it says what lies in a sample. */
#define CAIRN_PERF_BRANCH_INDEX (UINT64_C(1) << 17)
#define CAIRN_PERF_BRANCH_COUNTERS (UINT64_C(1) << 19)

#define CAIRN_PERF_EVENTS_MOST 4096u
#define CAIRN_PERF_IDS_MOST (1u << 20)

/* A perf_event_attr, as far as samples depend on it. */
struct cairn_perf_event {
    uint32_t type;
    uint64_t config, sample_type, read_format, branch_sample_type;
    bool has_sample_id; /* sample_id_all: its records say whose they are, at their end */
    bool excludes_kernel;
    bool starts_program;  /* enable_on_exec: it counts where that runs, and not on processors */
    bool is_inherited;    /* by threads and processes that its tasks start */
    bool has_other_clock; /* use_clockid: times of its records are none of the kernel's own clock */
};

struct cairn_perf_id {
    uint64_t id;
    uint32_t event;
};

/* Why reading stopped where it did. */
enum cairn_perf_end {
    CAIRN_PERF_END_WHOLE, /* behind the last record */
    CAIRN_PERF_END_CUT, /* in a record, or before data of which the header tells: the file was cut off */
    CAIRN_PERF_END_DAMAGED,   /* before a record that says it is shorter than its header */
    CAIRN_PERF_END_UNREADABLE /* the file cannot be read any more */
};

#define CAIRN_PERF_RECORD_MOST 65536u

/* What of compressed records is unpacked. */
struct cairn_perf_unpack {
    struct ZSTD_DCtx_s *stream; /* NULL: there was none yet */
    const uint8_t *packed;      /* of the record that is being unpacked */
    size_t left;
    uint64_t offset;            /* of that record in the file */
    uint8_t *bytes;             /* unpacked */
    size_t from, until;         /* of these, what no record was made of yet */
    bool is_full;               /* there may be more to come without more that goes in */
    bool is_lost;               /* damaged: until another frame begins */
    uint64_t taken, given;      /* bytes in and out */
    uint64_t count, unreadable; /* compressed records, and those that could not be unpacked */
};

struct cairn_perf {
    struct cairn_perf_input input;
    bool big_endian;
    bool pipe;            /* attributes come as records */
    bool killed;          /* the recorder never wrote how much there is: all is read */
    bool is_short;        /* the file ends before the data that its header tells of */
    uint64_t features[4]; /* a bit each; of a file that is no pipe */
    uint64_t features_at; /* where their sections are told */
    struct cairn_perf_event *events;
    size_t event_count;
    struct cairn_perf_id *ids; /* sorted when `sorted` */
    size_t id_count, id_room;
    bool sorted;
    uint64_t at, end; /* of what is read next; of the data, or of the records in front of them */
    enum cairn_perf_end ended;
    bool is_in_front;           /* what is read are records that stand in a feature's section; */
    uint64_t data_at, data_end; /* then come these */
    bool is_front_cut;          /* there were more in front, which cannot be read, from */
    uint64_t front_at;          /* on */
    uint8_t bytes[2 * CAIRN_PERF_RECORD_MOST]; /* a part of the file */
    uint64_t bytes_at;
    size_t bytes_count;
    struct cairn_perf_unpack unpack;
};

/* Of misc, in its low bits, what ran. */
#define CAIRN_PERF_MODE_MASK 7u
#define CAIRN_PERF_MODE_KERNEL 1u
#define CAIRN_PERF_MODE_GUEST_KERNEL 4u
#define CAIRN_PERF_MODE_GUEST_USER 5u

/* Whether a record of that misc is of a virtual machine, whose processes have numbers of their own. */
static inline bool cairn_perf_is_of_guest(uint16_t misc)
{
    const unsigned mode = misc & CAIRN_PERF_MODE_MASK;

    return mode == CAIRN_PERF_MODE_GUEST_KERNEL || mode == CAIRN_PERF_MODE_GUEST_USER;
}

struct cairn_perf_record {
    uint32_t type;
    uint16_t misc;
    uint64_t offset;       /* in the file; of one that was packed, where the compressed record is */
    const uint8_t *bytes;  /* behind the header; valid until the next one is read */
    size_t size;           /* of these */
    uint64_t payload_size; /* of what follows the record and is skipped: AUXTRACE, TRACING_DATA */
    bool is_unpacked;      /* it was in a compressed record, and nothing follows it */
};

#define CAIRN_PERF_PROBE 8u /* bytes that cairn_perf_probe wants */
bool cairn_perf_probe(const uint8_t *head, size_t size);

/* Reads header and attributes. *perf is large, and freed by cairn_perf_close in every case.
 * CAIRN_E_FORMAT: it is none, or its header is damaged. CAIRN_E_LIMIT: more events than there is room for. */
CAIRN_MUST_CHECK cairn_status cairn_perf_open(struct cairn_perf *perf,
                                              const struct cairn_perf_input *input,
                                              struct cairn_error *error);
void cairn_perf_close(struct cairn_perf *perf);

/* The next record; false at the end, for which perf->ended has the reason. Those of CAIRN_PERF_FEATURE_INIT_MAP come
 * first; where one of them is cut off or damaged perf->is_front_cut, and the data come next. Attributes of pipe mode are
 * taken in passing. Of compressed records those in them come one by one, and perf->unpack counts those that
 * could not be unpacked. */
bool cairn_perf_next(struct cairn_perf *perf, struct cairn_perf_record *record);

/* Goes on with a file of the same recording that has nothing but records: of the same byte order and events. The
 * counts of perf->unpack go on as well. */
void cairn_perf_go_on(struct cairn_perf *perf, const struct cairn_perf_input *input);

/* Numbers of the file's byte order. */
uint16_t cairn_perf_u16(const struct cairn_perf *perf, const uint8_t *bytes);
uint32_t cairn_perf_u32(const struct cairn_perf *perf, const uint8_t *bytes);
uint64_t cairn_perf_u64(const struct cairn_perf *perf, const uint8_t *bytes);

/* How many records or samples a record (LOST, LOST_SAMPLES) says were lost; of others 0. What a filter kept out is not. */
uint64_t cairn_perf_lost(const struct cairn_perf *perf, const struct cairn_perf_record *record);

/* A sample. What its event has not is 0. */
struct cairn_perf_fields {
    const struct cairn_perf_event *event;
    uint64_t address, time;
    uint32_t process, thread, cpu;
    bool has_branches; /* the event has: there may be none all the same */
    size_t branches;
    const uint8_t *entries;  /* of 24 bytes, the youngest first */
    const uint8_t *counters; /* of 8 bytes, one an entry; NULL: none */
    bool has_index;
    uint64_t index; /* hw_idx: of the youngest in the hardware's buffer; all ones: not known */
};

enum cairn_perf_verdict {
    CAIRN_PERF_READ,
    CAIRN_PERF_UNKNOWN_EVENT, /* its identifier is none of the file's, and events differ */
    CAIRN_PERF_SHORT,         /* it ends before what it should hold does */
};
/* What a record of CAIRN_PERF_RECORD_SAMPLE says; *fields is written with CAIRN_PERF_READ. */
enum cairn_perf_verdict cairn_perf_sample_read(struct cairn_perf *perf,
                                               const struct cairn_perf_record *record,
                                               struct cairn_perf_fields *fields);

/* Whose a record is that is no sample: what stands at its end. */
struct cairn_perf_sample_id {
    bool has_thread, has_time, has_cpu, has_event;
    uint32_t process, thread, cpu;
    uint64_t time;
    uint64_t event; /* identifier of the event */
};
/* False, with *id as it was: the record does not say, or its event is not known. */
bool cairn_perf_identify(struct cairn_perf *perf, const struct cairn_perf_record *record,
                         struct cairn_perf_sample_id *id);

#define CAIRN_PERF_FEATURE_BUILD_ID 2u
#define CAIRN_PERF_FEATURE_DIR_FORMAT 24u /* its version: 0 of a folder without further files */
#define CAIRN_PERF_FEATURE_INIT_MAP                                                                \
    134u /* simpleperf: records of what was there before recording */
/* Where in the file the section of a feature is. False: there is none. */
bool cairn_perf_feature(struct cairn_perf *perf, unsigned feature, uint64_t *offset,
                        uint64_t *size);

/* Entry n of a sample's. */
struct cairn_branch_entry cairn_perf_entry(const struct cairn_perf *perf,
                                           const struct cairn_perf_fields *fields, size_t n);

/* events.c, for records.c: the attribute in a record of pipe mode. False: it is none. */
bool cairn_perf_take_attribute(struct cairn_perf *perf, const uint8_t *bytes, size_t size);
/* The same of further identifiers; those of no event, and for which there is no room, are left out. */
void cairn_perf_take_ids(struct cairn_perf *perf, const struct cairn_perf_record *record);
/* unpack.c, for records.c and events.c. */
bool cairn_perf_is_packed(uint32_t type);
/* A record of the file is compressed: the next ones come out of it. */
void cairn_perf_unpack(struct cairn_perf *perf, const struct cairn_perf_record *record);
/* The next record that is unpacked; false: more of the file is wanted. */
bool cairn_perf_unpacked(struct cairn_perf *perf, struct cairn_perf_record *record);
void cairn_perf_unpack_end(struct cairn_perf *perf);
/* Another stream begins. */
void cairn_perf_unpack_anew(struct cairn_perf_unpack *unpack);
void cairn_perf_unpack_free(struct cairn_perf *perf);
/* records.c, for events.c: bytes of the file; NULL where they are not all there. At most as many as a
 * record can have. */
const uint8_t *cairn_perf_bytes(struct cairn_perf *perf, uint64_t offset, size_t size);

#endif
