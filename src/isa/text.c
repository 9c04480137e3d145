/* SPDX-License-Identifier: BSD-2-Clause */
#include "isa/text.h"

#include <stdarg.h>
#include <stdio.h>

#include "isa/insn.h"

enum { COND_COUNT = 16, REG_COUNT = 16, ARCH_V8 = 8 };

/* Bits 7:4 of an AArch32 barrier. */
enum { BARRIER_DSB = 4, BARRIER_DMB = 5, BARRIER_ISB = 6 };
enum { OPTION_SSBB = 0, OPTION_PSSBB = 4, OPTION_SY = 15 };

void cairn_text_put(struct cairn_text *text, const char *format, ...)
{
    const size_t room = text->size - text->length;
    va_list arguments;

    va_start(arguments, format);
    const int wanted = vsnprintf(text->start + text->length, room, format, arguments);
    va_end(arguments);
    if (wanted < 0)
        return;
    text->length += (size_t)wanted < room ? (size_t)wanted : room - 1;
}

void cairn_text_target(struct cairn_text *text, uint64_t target)
{
    cairn_text_put(text, " 0x%llx", (unsigned long long)target);
}

const char *cairn_text_condition(unsigned cond)
{
    static const char *const names[COND_COUNT] = {"eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc",
                                                  "hi", "ls", "ge", "lt", "gt", "le", "al", "nv"};

    return names[cond % COND_COUNT];
}

const char *cairn_text_suffix(unsigned cond)
{
    return cond < CAIRN_COND_AL ? cairn_text_condition(cond) : "";
}

const char *cairn_text_r(unsigned number)
{
    static const char *const names[REG_COUNT] = {"r0", "r1", "r2",  "r3",  "r4",  "r5", "r6", "r7",
                                                 "r8", "r9", "r10", "r11", "r12", "sp", "lr", "pc"};

    return names[number % REG_COUNT];
}

void cairn_text_list(struct cairn_text *text, uint32_t list)
{
    const char *before = "{";

    for (unsigned i = 0; i < REG_COUNT; i++) {
        if (!cairn_bits(list, i, 1))
            continue;
        cairn_text_put(text, "%s%s", before, cairn_text_r(i));
        before = ", ";
    }
    cairn_text_put(text, "}");
}

const char *cairn_text_barrier(unsigned option)
{
    static const char *const names[16] = {NULL,    "oshld", "oshst", "osh",   NULL,    "nshld",
                                          "nshst", "nsh",   NULL,    "ishld", "ishst", "ish",
                                          NULL,    "ld",    "st",    "sy"};

    return names[option & 15];
}

/* What Armv8-A and -R brought: SEVL, and barriers for loads alone, of which bits 1:0 are 1. */
static bool is_v8_ar(const struct cairn_arch *arch)
{
    return arch->profile != CAIRN_PROFILE_M && arch->major >= ARCH_V8;
}

const char *cairn_text_hint(const struct cairn_arch *arch, uint32_t number)
{
    static const char *const names[] = {"nop", "yield", "wfe", "wfi", "sev", "sevl"};
    enum { SEVL = 5, COUNT = sizeof names / sizeof *names };

    return number >= COUNT || (number == SEVL && !is_v8_ar(arch)) ? NULL : names[number];
}

static const char *option_name(const struct cairn_arch *arch, unsigned kind, unsigned option)
{
    if (kind == BARRIER_ISB && option != OPTION_SY)
        return NULL;
    return (option & 3) == 1 && !is_v8_ar(arch) ? NULL : cairn_text_barrier(option);
}

void cairn_text_aarch32_barrier(const struct cairn_arch *arch, uint32_t word, const char *suffix,
                                struct cairn_text *text)
{
    const unsigned kind = cairn_bits(word, 4, 4);
    const unsigned option = cairn_bits(word, 0, 4);
    const char *name = option_name(arch, kind, option);

    if (kind == BARRIER_DSB && (option == OPTION_SSBB || option == OPTION_PSSBB)) {
        cairn_text_put(text, option == OPTION_SSBB ? "ssbb" : "pssbb");
        return;
    }
    cairn_text_put(text, "%s%s ",
                   kind == BARRIER_DSB   ? "dsb"
                   : kind == BARRIER_DMB ? "dmb"
                                         : "isb",
                   suffix);
    if (name)
        cairn_text_put(text, "%s", name);
    else
        cairn_text_put(text, "#0x%x", option);
}

void cairn_text_mcr(struct cairn_text *text, uint32_t word, unsigned cond)
{
    cairn_text_put(text, "mcr%s p%u, #0x%x, %s, c%u, c%u, #0x%x", cairn_text_suffix(cond),
                   cairn_bits(word, 8, 4), cairn_bits(word, 21, 3),
                   cairn_text_r(cairn_bits(word, 12, 4)), cairn_bits(word, 16, 4),
                   cairn_bits(word, 0, 4), cairn_bits(word, 5, 3));
}

bool cairn_insn_text(const struct cairn_arch *arch, enum cairn_isa isa, uint64_t address,
                     const struct cairn_insn *insn, uint8_t it, char *text, size_t size)
{
    struct cairn_text made = {.start = text, .size = size};

    if (!size)
        return false;
    switch (isa) {
    case CAIRN_ISA_A64: return cairn_a64_text(address, insn, &made);
    case CAIRN_ISA_A32: return cairn_a32_text(arch, insn, &made);
    case CAIRN_ISA_T32: return cairn_t32_text(arch, insn, cairn_it_condition(it), &made);
    case CAIRN_ISA_UNKNOWN: break;
    }
    return false;
}
