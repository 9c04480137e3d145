/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts share that put the code of mapped files into the image. */
#ifndef CAIRN_CAPTURE_PERF_IMAGES_H
#define CAIRN_CAPTURE_PERF_IMAGES_H

#include "capture/perf/held.h"
#include "capture/perf/image_files.h"
#include "capture/perf/pins.h"

#define CAIRN_PERF_LAYERS_MOST 65536u

/* A mapped file that was looked for, for those that inherit it. */
struct cairn_perf_found {
    bool is_known;
    struct cairn_perf_code code;
};

/* Addresses at which something else was mapped before. */
struct cairn_perf_older {
    uint64_t first, last;
    const struct cairn_perf_mapping *mapping;
    uint64_t end; /* when it was taken away, or something else was mapped there */
};

struct cairn_perf_images {
    struct cairn_capture *capture;
    const struct cairn_perf_trace *trace;
    struct cairn_perf_image_files files;
    struct cairn_scope scope;       /* of what is added */
    enum cairn_thread_mark threads; /* of most sources */
    bool is_one;                    /* process */
    bool is_by_source;           /* some are of one thread, and the trace does not say of which */
    bool is_of_several;          /* some are not, and the trace does not say either */
    struct cairn_perf_held held; /* what was mapped so far */
    struct cairn_perf_place *places;
    size_t place_count;
    size_t layers;
    size_t missing;  /* mappings without code */
    size_t untimed;  /* mappings where something else was before, nobody knows until when */
    size_t ended;    /* layers that are not there to the end */
    const char *log; /* of a compiler, which programs map to be found by: the first; NULL: none */
    size_t stale;    /* mappings that should not be, and are, for want of room */
    size_t amid;     /* mappings where something else was, nobody knows until where in a part; */
    const char *first_amid; /* and which is the first, in words */
    struct cairn_perf_pinning pinning;
    struct cairn_perf_exec *execs;
    /* of the mapping that is added */
    struct cairn_perf_code code;
    struct cairn_perf_older *older;
    size_t older_count, older_room;
    struct cairn_perf_found *found; /* of each mapping, by its number */
};

/* layers.c: what is mapped into the memory of whom it is, where and when images->scope says. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_perf_add_layers(struct cairn_perf_images *images,
                                                    const struct cairn_perf_mapping *mapping);
/* The same of nothing that is known. */
CAIRN_MUST_CHECK cairn_status cairn_perf_add_unknown(struct cairn_perf_images *images,
                                                     const struct cairn_perf_mapping *mapping,
                                                     const char *name);
bool cairn_perf_is_full(const struct cairn_perf_images *images);

/* changes.c: when something is in memory. */
struct cairn_perf_when {
    bool is_there;  /* the same is there already, at all its addresses */
    bool is_second; /* something was there before, at some of them: from then on */
    uint64_t end;   /* it was taken away; 0: it was not */
};
/* What was where the mapping is, which is there from then on: *when but for its end, and images->older. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_perf_look_back(struct cairn_perf_images *images, size_t n,
                                                   struct cairn_perf_when *when);
/* The mapping, from a place in each source on, or until one. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_perf_add_in_time(struct cairn_perf_images *images,
                                                     const struct cairn_perf_mapping *mapping,
                                                     const struct cairn_perf_when *when);
/* Where something was mapped in the midst of a part. */
void cairn_perf_say_amid(const struct cairn_perf_images *images);

/* images.c: the code of a mapping, into images->code. CAIRN_E_MEMORY. */
CAIRN_MUST_CHECK cairn_status cairn_perf_find_code(struct cairn_perf_images *images,
                                                   const struct cairn_perf_mapping *mapping);

#endif
