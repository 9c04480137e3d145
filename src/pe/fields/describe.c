/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of fields in words, and words back to values. Codes that DDI0608 does not have are those of
 * the Arm Architecture Reference Manual: fault status, kinds of branches, memory attributes. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "pe/fields.h"
#include "pe/fields/fields.h"

#define EC_OTHER 0x00u
#define EC_IMPLEMENTATION 0x1fu
#define EC_STAGE_1 0x24u
#define EC_STAGE_2 0x25u
#define CYCLES_OVERFLOWED 0x3fffu
#define CYCLES_MANTISSA 0xffu
#define CYCLES_IMPLIED 0x100u
#define ALIGN_MOST 11u
#define COUNTER_CYCLES 31u

struct word {
    uint8_t meaning;
    uint8_t value;
    const char *text;
};

#define W(meaning, value, text)                                                                    \
    {                                                                                              \
        CAIRN_MEANS_PE_##meaning, value, text                                                      \
    }

static const struct word words[] = {
    W(TS2, 0, "as the register of EL1 says"),
    W(TS2, 1, "virtual"),
    W(TS2, 2, "guest physical"),
    W(TS2, 3, "physical"),
    W(TM, 0, "stop on trigger"),
    W(TM, 1, "IRQ on trigger"),
    W(TM, 3, "ignore triggers"),
    W(FM, 0, "fill: collection stops"),
    W(FM, 1, "wrap: with an interrupt"),
    W(FM, 3, "circular: on from the base"),
    W(EC, EC_OTHER, "a buffer management event"),
    W(EC, EC_IMPLEMENTATION, "IMPLEMENTATION DEFINED"),
    W(EC, EC_STAGE_1, "a stage 1 Data Abort"),
    W(EC, EC_STAGE_2, "a stage 2 Data Abort"),
    W(SH, 0, "Non-shareable"),
    W(SH, 2, "Outer Shareable"),
    W(SH, 3, "Inner Shareable"),
    W(TYPE, 0x00, "direct branch"),
    W(TYPE, 0x01, "indirect branch"),
    W(TYPE, 0x02, "direct call"),
    W(TYPE, 0x03, "indirect call"),
    W(TYPE, 0x05, "return"),
    W(TYPE, 0x07, "exception return"),
    W(TYPE, 0x08, "conditional direct branch"),
    W(TYPE, 0x21, "Debug halt"),
    W(TYPE, 0x22, "call exception"),
    W(TYPE, 0x23, "trap"),
    W(TYPE, 0x24, "System Error"),
    W(TYPE, 0x26, "instruction debug exception"),
    W(TYPE, 0x27, "data debug exception"),
    W(TYPE, 0x2a, "alignment fault"),
    W(TYPE, 0x2b, "instruction fault"),
    W(TYPE, 0x2c, "data fault"),
    W(TYPE, 0x2e, "IRQ"),
    W(TYPE, 0x2f, "FIQ"),
    W(TYPE, 0x30, "IMPLEMENTATION DEFINED exception to EL3"),
    W(TYPE, 0x39, "Debug exit"),
    W(VALID, 0, "none: no record"),
    W(VALID, 1, "the target"),
    W(VALID, 2, "the source"),
    W(VALID, 3, "source and target"),
    W(BANK, 0, "records 0 to 31"),
    W(BANK, 1, "records 32 to 63"),
    W(NUMREC, 8, "8 records"),
    W(NUMREC, 16, "16 records"),
    W(NUMREC, 32, "32 records"),
    W(NUMREC, 64, "64 records"),
    W(CC_BUILT, 5, "20 bits"),
    W(EL, 0, "EL0"),
    W(EL, 1, "EL1"),
    W(EL, 2, "EL2"),
    W(EL, 3, "EL3"),
    W(E2TB, 0, "EL2; EL1 is trapped to EL2"),
    W(E2TB, 2, "EL1; EL1 is trapped to EL2"),
    W(E2TB, 3, "EL1"),
    W(NSTB, 0, "Secure state; all are trapped to EL3"),
    W(NSTB, 1, "Secure state"),
    W(NSTB, 2, "Non-secure state; all are trapped to EL3"),
    W(NSTB, 3, "Non-secure state"),
    W(SBRBE, 0, "nobody: prohibited below EL3, and trapped to EL3"),
    W(SBRBE, 1, "all but Secure state: prohibited there, and trapped to EL3"),
    W(SBRBE, 2, "prohibited nowhere; registers are trapped to EL3"),
    W(SBRBE, 3, "all"),
    W(SPD32, 0, "as the authentication signals say"),
    W(SPD32, 2, "disabled"),
    W(SPD32, 3, "enabled"),
    W(BRBE_BUILT, 0, "not there"),
    W(BRBE_BUILT, 1, "FEAT_BRBE"),
    W(BRBE_BUILT, 2, "FEAT_BRBEv1p1"),
    W(BUILT, 0, "not there"),
    W(BUILT, 1, "there"),
};
#define WORD_COUNT (sizeof words / sizeof words[0])

/* TRBSR_EL1.FSC: fault status of a Data Abort. */
static const struct {
    uint8_t first, last; /* levels behind each other */
    const char *text;
} faults[] = {
    {0x00, 0x03, "Address size fault"},
    {0x04, 0x07, "Translation fault"},
    {0x08, 0x0b, "Access flag fault"},
    {0x0c, 0x0f, "Permission fault"},
    {0x14, 0x17, "External Abort on a translation table walk"},
};
static const struct {
    uint8_t code;
    const char *text;
} faults_without_level[] = {
    {0x10, "synchronous External Abort"},
    {0x11, "asynchronous External Abort"},
    {0x13, "External Abort on a translation table walk, level -1"},
    {0x21, "Alignment fault"},
    {0x29, "Address size fault, level -1"},
    {0x2b, "Translation fault, level -1"},
    {0x30, "TLB conflict"},
    {0x31, "atomic update of a descriptor that is not supported"},
};

static bool describe_fault(uint64_t MSS, char text[CAIRN_FIELD_WORDS])
{
    const unsigned code = (unsigned)CAIRN_GET(MSS, TRBSR_FSC);

    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        if (code >= faults[i].first && code <= faults[i].last) {
            snprintf(text, CAIRN_FIELD_WORDS, "%s, level %u", faults[i].text,
                     code - faults[i].first);
            return true;
        }
    for (size_t i = 0; i < sizeof faults_without_level / sizeof faults_without_level[0]; i++)
        if (code == faults_without_level[i].code) {
            snprintf(text, CAIRN_FIELD_WORDS, "%s", faults_without_level[i].text);
            return true;
        }
    snprintf(text, CAIRN_FIELD_WORDS, "reserved: fault status 0x%02x", code);
    return false;
}

static bool describe_MSS(uint64_t value, char text[CAIRN_FIELD_WORDS])
{
    static const char *const reasons[] = {"collection was not stopped by the buffer",
                                          "the buffer filled", "stopped by a trigger"};
    const uint64_t MSS = CAIRN_GET(value, TRBSR_MSS);
    const uint64_t code = CAIRN_GET(value, TRBSR_BSC);

    switch (CAIRN_GET(value, TRBSR_EC)) {
    case EC_IMPLEMENTATION:
        snprintf(text, CAIRN_FIELD_WORDS, "IMPLEMENTATION DEFINED");
        return true;
    case EC_STAGE_1:
    case EC_STAGE_2: return describe_fault(MSS, text);
    case EC_OTHER:
        if (code < sizeof reasons / sizeof reasons[0]) {
            snprintf(text, CAIRN_FIELD_WORDS, "%s", reasons[code]);
            return true;
        }
        break;
    default: break;
    }
    snprintf(text, CAIRN_FIELD_WORDS, "reserved");
    return false;
}

static void describe_counters(uint64_t bits, char text[CAIRN_FIELD_WORDS])
{
    const char *between = bits & (bits - 1) ? "counters " : "counter ";
    const uint64_t events = bits & ~(UINT64_C(1) << COUNTER_CYCLES);
    size_t length = 0;

    text[0] = '\0';
    if (events && !(events & (events - 1)))
        between = "counter ";
    for (unsigned i = 0; i < COUNTER_CYCLES; i++)
        if (bits >> i & 1) {
            length +=
                (size_t)snprintf(text + length, CAIRN_FIELD_WORDS - length, "%s%u", between, i);
            between = ", ";
        }
    if (bits >> COUNTER_CYCLES & 1)
        snprintf(text + length, CAIRN_FIELD_WORDS - length, "%s", length ? ", cycles" : "cycles");
    else if (!bits)
        snprintf(text, CAIRN_FIELD_WORDS, "none");
}

static void describe_cycles(uint64_t value, char text[CAIRN_FIELD_WORDS])
{
    const uint64_t CC = CAIRN_GET(value, BRBINF_CC);
    const uint64_t mantissa = CC & CYCLES_MANTISSA, exponent = CC >> 8;

    if (CAIRN_GET(value, BRBINF_CCU))
        snprintf(text, CAIRN_FIELD_WORDS, CC ? "unknown, and yet it is not 0" : "unknown");
    else if (CC == CYCLES_OVERFLOWED)
        snprintf(text, CAIRN_FIELD_WORDS, "more than the counter holds");
    else if (exponent == 0)
        snprintf(text, CAIRN_FIELD_WORDS, "%" PRIu64, mantissa);
    else if (exponent - 1 > 63 - 9)
        snprintf(text, CAIRN_FIELD_WORDS, "more than 64 bits");
    else
        snprintf(text, CAIRN_FIELD_WORDS, "%" PRIu64 ", or a few more",
                 (CYCLES_IMPLIED | mantissa) << (exponent - 1));
}

/* A byte of MAIR_ELx: Device, or outer and inner cacheability. */
static bool describe_attributes(uint64_t byte, char text[CAIRN_FIELD_WORDS])
{
    static const char *const devices[] = {"Device-nGnRnE", "Device-nGnRE", "Device-nGRE",
                                          "Device-GRE"};
    static const char *const caches[] = {"Write-Through transient", "Write-Back transient",
                                         "Write-Through", "Write-Back"};
    const unsigned outer = (unsigned)(byte >> 4), inner = (unsigned)(byte & 15u);
    const bool is_device = outer == 0 && (inner & 3u) == 0;
    const bool is_normal = outer != 0 && inner != 0;

    if (is_device)
        snprintf(text, CAIRN_FIELD_WORDS, "%s", devices[inner >> 2]);
    else if (!is_normal)
        snprintf(text, CAIRN_FIELD_WORDS, "reserved");
    else
        snprintf(text, CAIRN_FIELD_WORDS, "Normal, outer %s, inner %s",
                 outer == 4 ? "Non-cacheable" : caches[outer >> 2],
                 inner == 4 ? "Non-cacheable" : caches[inner >> 2]);
    return is_device || is_normal;
}

static const char *word_of(unsigned meaning, uint64_t value)
{
    for (size_t i = 0; i < WORD_COUNT; i++)
        if (words[i].meaning == meaning && words[i].value == value)
            return words[i].text;
    return NULL;
}

bool cairn_pe_field_describe(const struct cairn_register_field *field, uint64_t value,
                             char text[CAIRN_FIELD_WORDS])
{
    const uint64_t part = cairn_field_value(field, value);
    const char *word;

    if (field->meaning < CAIRN_MEANS_COUNT_OF_MEANINGS)
        return cairn_field_describe(CAIRN_OF_PE, field, value, text);
    switch ((enum cairn_pe_meaning)field->meaning) {
    case CAIRN_MEANS_PE_MSS: return describe_MSS(value, text);
    case CAIRN_MEANS_PE_PAGE:
        snprintf(text, CAIRN_FIELD_WORDS, "0x%" PRIx64, part << field->low);
        return true;
    case CAIRN_MEANS_PE_COUNTERS: describe_counters(part, text); return true;
    case CAIRN_MEANS_PE_CYCLES: describe_cycles(value, text); return true;
    case CAIRN_MEANS_PE_ALIGN:
        if (part > ALIGN_MOST)
            break;
        snprintf(text, CAIRN_FIELD_WORDS, "%u byte%s", 1u << part, part ? "s" : "");
        return true;
    case CAIRN_MEANS_PE_ATTRIBUTES: return describe_attributes(part, text);
    default:
        word = word_of(field->meaning, part);
        if (!word)
            break;
        snprintf(text, CAIRN_FIELD_WORDS, "%s", word);
        return true;
    }
    snprintf(text, CAIRN_FIELD_WORDS, "reserved");
    return false;
}

bool cairn_pe_field_parse(const struct cairn_register_field *field, const char *word,
                          uint64_t *value)
{
    for (size_t i = 0; i < WORD_COUNT; i++)
        if (words[i].meaning == field->meaning && strcasecmp(words[i].text, word) == 0) {
            *value = words[i].value;
            return true;
        }
    if (field->meaning < CAIRN_MEANS_COUNT_OF_MEANINGS)
        return cairn_field_parse(field, word, value);
    /* A number is one whatever it stands for. */
    struct cairn_register_field plain = *field;
    plain.meaning = CAIRN_MEANS_NUMBER;
    return cairn_field_parse(&plain, word, value);
}
