/* SPDX-License-Identifier: BSD-2-Clause */
#include "calls/functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/golden.h"
#include "base/room.h"
#include "image/frames.h"
#include "image/symbol.h"

/* Spans of a page that are looked at, the last ones: a page has a few hundred stubs at most, but of many processes thousands
 * can be at addresses alike. What is further behind is found anew. */
#define LOOKS_MOST 512u

enum { FIRST_BITS = 10, FIRST_CAPACITY = 256, SPAN_SHIFT = 6, PAGE_SHIFT = 12 };

void cairn_functions_free(struct cairn_functions *functions)
{
    free(functions->list);
    free(functions->slots);
    cairn_functions_forget(functions);
    *functions = (struct cairn_functions){0};
}

void cairn_functions_forget(struct cairn_functions *functions)
{
    free(functions->spans);
    free(functions->found);
    free(functions->pages);
    functions->spans = functions->found = NULL;
    functions->asked = NULL;
    functions->pages = NULL;
    functions->found_count = functions->found_room = 0;
    functions->code_era = 0;
}

static uint32_t slot_of(const char *name, const char *object, uint64_t address, unsigned bits)
{
    uint64_t key = (uint64_t)(uintptr_t)name * 31 + (uint64_t)(uintptr_t)object * 7 + address;

    key *= CAIRN_GOLDEN;
    return (uint32_t)(key >> (64 - bits));
}

static bool ends_in(const char *name, const char *end)
{
    const size_t length = strlen(name), wanted = strlen(end);

    return length >= wanted && strcmp(name + length - wanted, end) == 0;
}

/* What linkers put between a call and a function that is far away or of the other instruction set. */
static bool is_veneer(const char *name)
{
    return ends_in(name, "_veneer") || ends_in(name, "_from_arm") || ends_in(name, "_from_thumb") ||
           ends_in(name, "@plt") || strncmp(name, "__AArch64ADRPThunk_", 19) == 0 ||
           strncmp(name, "__AArch64AbsLongThunk_", 22) == 0 ||
           strncmp(name, "__ARMv7ABSLongThunk_", 20) == 0 ||
           strncmp(name, "__Thumbv7ABSLongThunk_", 22) == 0;
}

/* The functions of C libraries that longjmp goes back into. */
static bool is_setjmp(const char *name)
{
    while (*name == '_')
        name++;
    return strcmp(name, "setjmp") == 0 || strcmp(name, "sigsetjmp") == 0;
}

static bool rehash(struct cairn_functions *functions)
{
    const unsigned bits = functions->bits ? functions->bits + 1 : FIRST_BITS;
    uint32_t *slots = calloc((size_t)1 << bits, sizeof *slots);

    if (!slots)
        return false;
    for (uint32_t i = 1; i < functions->count; i++) {
        const struct cairn_function *one = &functions->list[i];
        uint32_t at = slot_of(one->name, one->object, one->address, bits);

        while (slots[at])
            at = (at + 1) & ((1u << bits) - 1);
        slots[at] = i;
    }
    free(functions->slots);
    functions->slots = slots;
    functions->bits = bits;
    return true;
}

static bool make_room(struct cairn_functions *functions)
{
    if (functions->count == CAIRN_FUNCTIONS_MAX)
        return false;
    if (functions->count >= functions->capacity) {
        const uint32_t capacity = functions->capacity ? functions->capacity * 2 : FIRST_CAPACITY;
        struct cairn_function *grown = realloc(functions->list, capacity * sizeof *grown);

        if (!grown)
            return false;
        functions->list = grown;
        functions->capacity = capacity;
    }
    if (functions->count == 0)
        functions->list[functions->count++] = (struct cairn_function){.is_stub = true};
    if (functions->bits == 0 || functions->count * 2 > 1u << functions->bits)
        return rehash(functions);
    return true;
}

static uint32_t name_function(struct cairn_functions *functions, const struct cairn_space *space,
                              uint64_t address, bool *starts)
{
    struct cairn_function made = {.is_stub = true};
    uint64_t offset = 0;

    *starts = false;
    if (!make_room(functions)) {
        functions->failed = true;
        return 0;
    }
    made.object = cairn_space_object(space, address);
    if (cairn_space_symbol(space, address, &made.name, &offset) == CAIRN_OK) {
        made.address = address - offset;
        *starts = offset == 0;
    } else {
        made.name = NULL;
        if (!made.object)
            return 0;
    }
    uint32_t at = slot_of(made.name, made.object, made.address, functions->bits);
    for (; functions->slots[at]; at = (at + 1) & ((1u << functions->bits) - 1)) {
        const struct cairn_function *one = &functions->list[functions->slots[at]];

        if (one->name == made.name && one->object == made.object && one->address == made.address)
            return functions->slots[at];
    }
    (void)cairn_space_place(space, &made.place);
    if (made.name) {
        made.is_stub = is_veneer(made.name);
        made.is_label = cairn_space_has_label(space, address);
        made.is_part = strstr(made.name, ".cold") != NULL;
        made.is_setjmp = is_setjmp(made.name);
        made.is_resume = strcmp(made.name, "_Unwind_Resume") == 0;
    }
    functions->list[functions->count] = made;
    functions->slots[at] = functions->count;
    return functions->count++;
}

/* --- asked for again --- */

/* False: nothing can be kept. */
static bool begin_era(struct cairn_functions *functions, const struct cairn_space *space)
{
    struct cairn_place place;

    if (!cairn_space_place(space, &place))
        return false;
    if (!functions->spans)
        functions->spans = calloc(CAIRN_FUNCTION_SPANS, sizeof *functions->spans);
    if (!functions->pages)
        functions->pages = calloc(CAIRN_FUNCTION_PAGES, sizeof *functions->pages);
    if (!functions->spans || !functions->pages)
        return false;
    if (functions->era && functions->space == space && cairn_held_has(&functions->held, &place) &&
        functions->identity == cairn_space_identity(space))
        return true;
    if (++functions->era == 0) {
        memset(functions->spans, 0, CAIRN_FUNCTION_SPANS * sizeof *functions->spans);
        for (size_t i = 0; i < functions->found_count; i++)
            functions->found[i].era = 0;
        functions->era = 1;
        functions->code_era = 0;
    }
    functions->space = space;
    functions->identity = cairn_space_identity(space);
    cairn_space_held(space, &functions->held);
    return true;
}

/* What code there is around an address, of the same file and of the same symbol or of none. */
static bool find_span(const struct cairn_code_file *code, uint64_t address,
                      struct cairn_function_span *span)
{
    const struct cairn_symbols *symbols;
    const struct cairn_handlers *handlers;

    if (cairn_file_symbols(code->file, &symbols) || cairn_file_handlers(code->file, &handlers))
        return false;
    const uint64_t at = address - code->bias;
    if (!(span->has_a_start
              ? cairn_symbols_extent(symbols, at, &span->file_first, &span->file_last) == CAIRN_OK
              : cairn_symbols_gap(symbols, at, &span->file_first, &span->file_last)))
        return false;
    span->file = code->file;
    span->path = code->path;
    span->bias = code->bias;
    if (cairn_handlers_any(handlers, span->file_first, span->file_last))
        span->handlers = handlers;
    return true;
}

/* Around an address of it, as far as the file is there, and neither of them goes around the end of all addresses. */
static void clip_span(const struct cairn_code_file *code, uint64_t address,
                      struct cairn_function_span *span)
{
    const uint64_t at = address - code->bias;
    const uint64_t before = at - span->file_first, behind = span->file_last - at;

    span->first = before < address - code->first ? address - before : code->first;
    span->last = behind < code->last - address ? address + behind : code->last;
}

static struct cairn_function_span *span_of(const struct cairn_functions *functions,
                                           uint64_t address)
{
    return &functions->spans[address >> SPAN_SHIFT & (CAIRN_FUNCTION_SPANS - 1)];
}

static bool is_in(const struct cairn_functions *functions, const struct cairn_function_span *span,
                  uint64_t address)
{
    return span->era == functions->era && address >= span->first && address <= span->last;
}

static uint32_t *page_of(const struct cairn_functions *functions, uint64_t address)
{
    return &functions->pages[address >> PAGE_SHIFT & (CAIRN_FUNCTION_PAGES - 1)];
}

/* A page has few functions, but those of many pages go through one slot of `spans`. */
static bool find_again(const struct cairn_functions *functions, uint64_t address,
                       struct cairn_function_span *span)
{
    uint32_t i = *page_of(functions, address);

    for (unsigned looks = 0; i && looks < LOOKS_MOST; i = functions->found[i].next, looks++)
        if (is_in(functions, &functions->found[i], address)) {
            *span = functions->found[i];
            return true;
        }
    return false;
}

/* One of an era before this, whose file is at the same place now. */
static struct cairn_function_span *find_of_file(const struct cairn_functions *functions,
                                                const struct cairn_code_file *code,
                                                uint64_t address)
{
    const uint64_t at = address - code->bias;
    uint32_t i = *page_of(functions, address);

    for (unsigned looks = 0; i && looks < LOOKS_MOST; i = functions->found[i].next, looks++) {
        struct cairn_function_span *const one = &functions->found[i];

        if (one->file == code->file && one->bias == code->bias && one->path == code->path &&
            at >= one->file_first && at <= one->file_last)
            return one;
    }
    return NULL;
}

/* Without memory it is merely not found again. */
static void keep_span(struct cairn_functions *functions, uint64_t address,
                      const struct cairn_function_span *span)
{
    uint32_t *const page = page_of(functions, address);

    if (functions->found_count == 0)
        functions->found_count = 1;
    if (functions->found_count == CAIRN_FUNCTION_SPANS_FOUND) {
        memset(functions->pages, 0, CAIRN_FUNCTION_PAGES * sizeof *functions->pages);
        functions->found_count = 1;
    }
    if (cairn_enlarge(&functions->found, &functions->found_room, functions->found_count + 1,
                      sizeof *functions->found))
        return;
    functions->found[functions->found_count] = *span;
    functions->found[functions->found_count].next = *page;
    *page = (uint32_t)functions->found_count++;
}

static bool find_code(struct cairn_functions *functions, const struct cairn_space *space,
                      uint64_t address)
{
    const bool found = cairn_space_code_file(space, address, &functions->code);

    functions->code_era = found ? functions->era : 0;
    return found;
}

static uint32_t answer(const struct cairn_function_span *span, uint64_t address, bool *starts)
{
    *starts = span->has_a_start && address == span->start;
    return span->function;
}

uint32_t cairn_functions_at(struct cairn_functions *functions, const struct cairn_space *space,
                            uint64_t address, bool *starts)
{
    if (!begin_era(functions, space))
        return name_function(functions, space, address, starts);
    if (functions->asked && is_in(functions, functions->asked, address))
        return answer(functions->asked, address, starts);
    struct cairn_function_span *const span = span_of(functions, address);
    functions->asked = span;
    if (is_in(functions, span, address) || find_again(functions, address, span))
        return answer(span, address, starts);
    if ((functions->code_era != functions->era || address < functions->code.first ||
         address > functions->code.last) &&
        !find_code(functions, space, address))
        return name_function(functions, space, address, starts);
    const struct cairn_code_file code = functions->code;
    struct cairn_function_span *const again = find_of_file(functions, &code, address);
    if (again) {
        clip_span(&code, address, again);
        again->era = functions->era;
        *span = *again;
        return answer(span, address, starts);
    }
    struct cairn_function_span made = {.function = name_function(functions, space, address, starts),
                                       .era = functions->era};
    const struct cairn_function *const function = &functions->list[made.function];
    made.has_a_start = function->name != NULL;
    made.start = function->address;
    if (made.function && find_span(&code, address, &made)) {
        clip_span(&code, address, &made);
        *span = made;
        keep_span(functions, address, &made);
    }
    return made.function;
}

bool cairn_functions_lands(const struct cairn_functions *functions, uint64_t address)
{
    const struct cairn_function_span *const span = functions->asked;

    return span && is_in(functions, span, address) && span->handlers &&
           cairn_handlers_any(span->handlers, address - span->bias, address - span->bias);
}

bool cairn_functions_holds(const struct cairn_functions *functions, uint64_t address, uint64_t last)
{
    const struct cairn_function_span *const span = functions->asked;

    return span && is_in(functions, span, address) && is_in(functions, span, last);
}
