/* SPDX-License-Identifier: BSD-2-Clause */
/* The traced program's memory: layers of bytes, ordered into spaces, read-only once built.
 *
 * Files are mapped, not read: a file that somebody truncates while an image uses it makes the
 * operating system end the program with SIGBUS. Copy a file first if that can happen. */
#ifndef CAIRN_IMAGE_H
#define CAIRN_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cairn/isa.h>
#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a layer applies. A wildcard matches everything; of two layers that match and cover an
 * address, the one with fewer wildcards wins, then the one added later. */
struct cairn_scope {
    uint32_t source;       /* CAIRN_ANY_SOURCE or the index of a source of the capture */
    uint8_t el_mask;       /* bit n: EL n; 0x0f is any */
    uint8_t security_mask; /* bit n: enum cairn_security n; 0x0f is any */
    bool any_vmid;
    bool any_context_id;
    uint32_t vmid;
    uint32_t context_id;
    uint64_t epoch_from; /* applies to source offsets epoch_from <= offset < epoch_to */
    uint64_t epoch_to;   /* 0 and UINT64_MAX: always */
};
#define CAIRN_ANY_SOURCE UINT32_MAX

/* A scope that matches everywhere. */
CAIRN_API struct cairn_scope cairn_scope_any(void);

/* Byte order of *instructions* in a layer. BE8 images keep instructions little endian (and data big
 * endian); BE32 (Armv6 and earlier) stores each instruction word big endian. */
enum cairn_order {
    CAIRN_ORDER_LITTLE = 0,
    CAIRN_ORDER_BE8 = 1,
    CAIRN_ORDER_BE32 = 2,
};

struct cairn_image; /* reference counted; build it, then share it between threads */
struct cairn_space; /* one user's view: the layers that match a context, most specific first */

CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_image_new(struct cairn_image **image);
CAIRN_API struct cairn_image *cairn_image_ref(struct cairn_image *image);
CAIRN_API void cairn_image_unref(struct cairn_image *image); /* NULL is fine */

/* Adds `size` bytes at `address`; they are copied. `name` is for messages. No bytes, a layer that
 * would wrap past 2^64, or a scope that nothing can match is CAIRN_E_ARGUMENT. A `scope` of NULL is
 * cairn_scope_any(), here and below. */
CAIRN_API CAIRN_MUST_CHECK cairn_status
cairn_image_add_bytes(struct cairn_image *image, const char *name, const struct cairn_scope *scope,
                      enum cairn_order order, uint64_t address, const void *bytes, size_t size,
                      struct cairn_error *error);

/* Adds `length` bytes (0: to the end of the file) from `offset` of a raw file, mapped. A file
 * shorter than offset + length is used as far as it goes, and *error (with CAIRN_OK returned) is
 * left alone: cairn_image_layer tells what was mapped. An empty file, or one that ends before
 * `offset`, is CAIRN_E_FORMAT; one that does not exist CAIRN_E_NOT_FOUND; a directory or a device
 * CAIRN_E_IO. */
CAIRN_API CAIRN_MUST_CHECK cairn_status
cairn_image_add_file(struct cairn_image *image, const char *path, uint64_t offset, uint64_t length,
                     const struct cairn_scope *scope, enum cairn_order order, uint64_t address,
                     struct cairn_error *error);

/* Adds every PT_LOAD segment of an ELF file (file bytes, then zeros to p_memsz for segments that
 * are not executable, at most 1 GiB of them; executable ones only what the file has), `bias` added
 * to each address modulo 2^64. The file bytes and the zeros of a segment are a layer each. Byte
 * order comes from the ELF header (EF_ARM_BE8). cairn_image_symbol finds its symbols. A truncated
 * file is used as far as it goes. CAIRN_E_FORMAT: not ELF, or nothing to load; CAIRN_E_UNSUPPORTED:
 * not for Arm. On failure no layer is added. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_image_add_elf(struct cairn_image *image,
                                                            const char *path, uint64_t bias,
                                                            const struct cairn_scope *scope,
                                                            struct cairn_error *error);

/* Reads memory: writes the bytes from `address` on, at most `size`, and returns how many there are
 * before the first that cannot be read. */
typedef size_t cairn_image_read(void *context, uint64_t address, void *bytes, size_t size);

/* Adds `length` bytes at `address` that `read` is asked for when they are first looked at: by a
 * decoder, cairn_space_window, a listing. It is asked for a page at a time (4 KiB, or what the layer
 * has of it), once, and by one thread at a time, which may be any that decodes: it must not use the
 * image. What it gave is kept as long as the image, and what it did not give stays without memory,
 * up to the end of that page: where memory changes, another layer begins at the source offset
 * (`scope`) or another image. A layer says what is at its addresses: no less specific one is looked
 * at for what it does not have. `context` must live as long as the image. `name` is for messages. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_image_add_callback(
    struct cairn_image *image, const char *name, const struct cairn_scope *scope,
    enum cairn_order order, uint64_t address, uint64_t length, cairn_image_read *read,
    void *context, struct cairn_error *error);

/* Says whose code is at the `length` addresses from `address` on (0: at all that the file loads): that
 * of an ELF file loaded with `bias`, whose functions and lines are names there. It adds no memory:
 * that is the layers', which may have less of it than the file, or other bytes (a recording has what
 * was executed). A layer that is an ELF file's has the names of that file and no others. Where two
 * have an address and a place in common, the one added last counts. Fails as cairn_image_add_elf. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_image_add_names(struct cairn_image *image,
                                                              const char *path, uint64_t bias,
                                                              const struct cairn_scope *scope,
                                                              uint64_t address, uint64_t length,
                                                              struct cairn_error *error);

/* The GNU build-id of an ELF file in lower-case hex, to be freed; NULL when it has none, or is none.
 */
CAIRN_API char *cairn_image_build_id(const char *path);

/* True when the file begins with an ELF header. */
CAIRN_API bool cairn_file_is_elf(const char *path);

/* What an image is made of, for listings. Set `size`. */
struct cairn_layer_info {
    size_t size;      /* of this structure */
    const char *name; /* path or given name */
    uint64_t address;
    uint64_t bytes;
    struct cairn_scope scope;
    enum cairn_order order;
    bool is_elf;
    const char *build_id; /* lower-case hex, or NULL */
};
CAIRN_API size_t cairn_image_layer_count(const struct cairn_image *image);
CAIRN_API cairn_status cairn_image_layer(const struct cairn_image *image, size_t index,
                                         struct cairn_layer_info *info);

/* The context a lookup is made for. */
struct cairn_place {
    uint32_t source;
    uint8_t EL;       /* 0 to 3 */
    uint8_t security; /* enum cairn_security */
    uint32_t vmid;
    uint32_t context_id;
    uint64_t offset; /* in the source's bytes: selects the epoch */
};

/* A contiguous run of memory in one layer that nothing more specific interrupts; of a layer that is
 * read by a callback, at most a page. */
struct cairn_window {
    uint64_t address;     /* of bytes[0] */
    uint64_t size;        /* never 0 */
    const uint8_t *bytes; /* valid as long as the image */
    size_t layer;         /* index for cairn_image_layer */
    enum cairn_order order;
};

/* A space holds a reference to its image. One space serves one thread. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_space_new(struct cairn_image *image,
                                                        struct cairn_space **space);
CAIRN_API void cairn_space_free(struct cairn_space *space);

/* Chooses the layers that match `place`. Cheap when nothing changed. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_space_select(struct cairn_space *space,
                                                           const struct cairn_place *place);

/* The largest window that contains `address` under the selected place; false when no layer covers
 * it. */
CAIRN_API bool cairn_space_window(const struct cairn_space *space, uint64_t address,
                                  struct cairn_window *window);

/* The symbol that covers an address of an ELF file's layer: name valid as long as the image; offset
 * from its start. Functions and labels are known, data and mapping symbols are not.
 * CAIRN_E_NOT_FOUND when none is known. Symbols are read at the first call (thread safe). */
CAIRN_API cairn_status cairn_image_symbol(struct cairn_image *image, size_t layer, uint64_t address,
                                          const char **name, uint64_t *offset);

/* The same under the selected place, by the layer there or by cairn_image_add_names, also where there
 * is no memory: a function that was not executed. */
CAIRN_API cairn_status cairn_space_symbol(const struct cairn_space *space, uint64_t address,
                                          const char **name, uint64_t *offset);

/* Where an address is in the program. Zero it, then set `size`. */
struct cairn_symbol {
    size_t size;          /* of this structure */
    const char *object;   /* the layer's name, or the file that names its code */
    const char *function; /* NULL: none is known */
    uint64_t offset;      /* from the function's start */
    const char *file;     /* by the object's debug information (DWARF); NULL: none is known */
    uint32_t line;
};

/* Looks an address up under the selected place. The texts are valid as long as the image.
 * CAIRN_E_NOT_FOUND, with nothing written, when there is neither memory nor a name. Thread safe but
 * for the space. */
CAIRN_API cairn_status cairn_symbolize(const struct cairn_space *space, uint64_t address,
                                       struct cairn_symbol *symbol);

/* --- addresses by name --- */

/* What a text names; see cairn_image_find. */
struct cairn_matches;

enum cairn_match_kind {
    CAIRN_MATCH_ADDRESS = 0,  /* one address: a number, function+0x10 */
    CAIRN_MATCH_RANGE = 1,    /* from one place to another */
    CAIRN_MATCH_FUNCTION = 2, /* a function, or a label up to the next symbol */
    CAIRN_MATCH_PART = 3,     /* what the compiler moved out of a function: .cold, .part.0 */
    CAIRN_MATCH_INLINED = 4,  /* a copy of a function inside another one */
    CAIRN_MATCH_LINE = 5,     /* consecutive instructions of a source line */
};

/* One of the places. Zero it, then set `size`. */
struct cairn_match {
    size_t size;    /* of this structure */
    uint64_t first; /* addresses, both included; without bit 0 that says T32 */
    uint64_t last;
    uint32_t kind;      /* enum cairn_match_kind */
    bool is_entry;      /* execution of what was named begins at `first` */
    bool chooses;       /* STT_GNU_IFUNC: code that chooses the function when the program starts */
    const char *object; /* path of the file that names it, or NULL */
    const char
        *function;    /* as the file has it (mangled); the function that a line or copy is in; or
                             NULL */
    const char *file; /* source file and line, where they were asked for or are known, or NULL */
    uint32_t line;    /* the line that has code: the next one where the line asked for has none */
};

/* Also copies of functions inside others, by the debug information, and not only where there is no
 * function of that name. */
#define CAIRN_FIND_INLINED (1u << 0)

/* Finds what a text names, by the ELF files of the image (layers, cairn_image_add_names) and a kernel's
 * list of symbols, scopes not regarded:
 *
 *     0x400600, 4195840        an address
 *     main                     a function: its symbol, also without version (memcpy@@GLIBC_2.17) and
 *                              without what compilers append (.cold, .part.0, .constprop.0, .isra.0);
 *                              C++ and Rust as they are written (ns::f(int), ns::f, or f alone where
 *                              nothing is called so), with what the standard library's templates have
 *                              by themselves or without, or as the file has them (_ZN2ns1fEi); also
 *                              short, as in columns of `cairn` (ns::C<..>::f)
 *     main+0x40                an address behind the beginning of one, of several those that reach so far
 *     file.c:120               a source line, by the debug information (DWARF)
 *     libc.so.6:memcpy         the same of one file: its name, or the end of its path; where the file
 *     file.c:helper            has symbols of source files, or debug information, of one of these
 *     A..B                     from the beginning of A to the end of B. A number, or an address behind
 *                              the beginning of something, is its own end
 *
 * The places are ascending and no two have the same addresses. CAIRN_E_NOT_FOUND: there is none, and
 * the sentence has the nearest names; CAIRN_E_ARGUMENT: the text cannot be read, or an end of A..B is
 * in several places, which the sentence lists; CAIRN_E_LIMIT: there are more than 65536. Free the
 * matches with cairn_matches_free. Thread safe. Costs a walk over the symbols of every file, and of
 * the debug information of those that have a line or copies of the function. */
CAIRN_API CAIRN_MUST_CHECK cairn_status cairn_image_find(const struct cairn_image *image,
                                                         const char *text, unsigned flags,
                                                         struct cairn_matches **matches,
                                                         struct cairn_error *error);
CAIRN_API void cairn_matches_free(struct cairn_matches *matches); /* NULL is fine */
CAIRN_API size_t cairn_matches_count(const struct cairn_matches *matches);
/* The texts are valid as long as the matches. CAIRN_E_NOT_FOUND past the last. */
CAIRN_API cairn_status cairn_matches_at(const struct cairn_matches *matches, size_t index,
                                        struct cairn_match *match);

#ifdef __cplusplus
}
#endif
#endif
