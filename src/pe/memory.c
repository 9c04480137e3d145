/* SPDX-License-Identifier: BSD-2-Clause */
#include "pe/memory.h"

#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "pe/pe.h"
#include "pe/translate_fields.h"

#define HCR_EL2_TTLB 25, 25
/* Of TCR_ELx: 48 bits, 4KB, Write-Back, Inner Shareable in both ranges; addresses of 48 bits come out. */
#define TCR_RANGE (UINT64_C(16) | 1u << 8 | 1u << 10 | 3u << 12)
#define TCR_TG1_4K (UINT64_C(2) << 30)
#define TCR_48_BITS UINT64_C(5)
#define MAIR_WRITE_BACK UINT64_C(0xff)

bool cairn_pe_translates(const struct cairn_pe *pe)
{
    return pe->walk || pe->tables;
}

static enum cairn_pe_memory_answer read_descriptor(void *user, uint64_t address, unsigned security,
                                                   uint64_t *value)
{
    struct cairn_pe *pe = user;
    uint8_t bytes[8];

    if (pe->tables && cairn_pe_tables_read(pe->tables, address, value))
        return CAIRN_PE_MEMORY_DONE;
    if (!pe->walk || !pe->walk(pe->caller, security, address, bytes))
        return CAIRN_PE_MEMORY_ABORT;
    *value = cairn_load_le64(bytes);
    return CAIRN_PE_MEMORY_DONE;
}

/* The same for a write of the buffer that is under way: what is read is remembered. */
static enum cairn_pe_memory_answer read_for_trace(void *user, uint64_t address, unsigned security,
                                                  uint64_t *value)
{
    struct cairn_pe *pe = user;
    const enum cairn_pe_memory_answer answer = read_descriptor(pe, address, security, value);
    struct cairn_pe_walked_word word = {.address = address, .security = (uint8_t)security};
    uint64_t ignored;

    if (pe->tables && cairn_pe_tables_read(pe->tables, address, &ignored))
        return answer; /* `map` knows what it changes */
    word.is_there = answer == CAIRN_PE_MEMORY_DONE;
    word.value = word.is_there ? *value : 0;
    cairn_pe_walked_add(pe, &word);
    return answer;
}

static const struct cairn_pe_translate_choices choices;

/* --- the buffer --- */

static bool is_kept_by(const struct cairn_pe_translation_cache *cache, uint64_t address)
{
    for (unsigned i = 0; i < CAIRN_PE_CACHE_ENTRIES; i++)
        if (cache->entries[i].valid && address >= cache->entries[i].address &&
            address - cache->entries[i].address < cache->entries[i].size)
            return true;
    return false;
}

/* A translation that was kept, and that a walk does not give any more. */
static void compare_kept(struct cairn_pe_lane *lane, const struct cairn_pe_trbe_write *write,
                         const struct cairn_pe_translation *kept,
                         const struct cairn_pe_memory *memory)
{
    struct cairn_pe *pe = lane->pe;
    struct cairn_pe_translation fresh;
    struct cairn_order_finding finding = {.rule = "R_GQJMC",
                                          .reg = CAIRN_PE_REGISTERS,
                                          .missing = CAIRN_PE_MISSES_TLBI | CAIRN_PE_MISSES_DSB,
                                          .address = write->address,
                                          .place = pe->order.last_place,
                                          .since = pe->mapped_place};

    if (cairn_pe_translate_trace(&pe->features, &lane->lane->seen, write->regime.EL,
                                 write->regime.security, write->address, &choices, memory,
                                 &fresh) &&
        fresh.address == kept->address)
        return;
    for (unsigned i = 0; i < lane->memory.count; i++) {
        const struct cairn_pe_maintenance *waiting = &lane->memory.waiting[i];
        struct cairn_pe_translation_cache copy = lane->memory.cache;

        cairn_pe_cache_TLBI(&copy, &pe->features, &lane->lane->seen, waiting->security,
                            waiting->operation, waiting->argument);
        if (!is_kept_by(&copy, write->address))
            finding.missing = CAIRN_PE_MISSES_DSB;
    }
    if (pe->order.tell)
        pe->order.tell(pe->order.context, &finding);
}

size_t cairn_pe_lane_write(void *context, const struct cairn_pe_trbe_write *write,
                           struct cairn_pe_trbe_answer *answer)
{
    struct cairn_pe_lane *lane = context;
    struct cairn_pe *pe = lane->pe;
    const bool is_watched = pe->order.lane_count > 1 && lane->lane->kind == CAIRN_LANE_EARLY;
    const struct cairn_pe_memory memory = {.user = pe, .read = read_descriptor};
    const struct cairn_pe_memory watched = {.user = pe, .read = read_for_trace};
    struct cairn_pe_translation to;

    pe->order.space = write->regime.security;
    if (!cairn_pe_translates(pe))
        return cairn_pe_abort_write(lane, write->address, write, answer);
    if (is_watched)
        cairn_pe_walked_use(pe, write->address, lane->lane->performing);
    if (!cairn_pe_cache_translate(&lane->memory.cache, &pe->features, &lane->lane->seen,
                                  write->regime.EL, write->regime.security, write->address,
                                  &choices, is_watched ? &watched : &memory, &to)) {
        if (to.fault == CAIRN_PE_FAULT_ABORT_ON_WALK) {
            lane->trbe.options.aborts = CAIRN_PE_TRBE_ABORTS_SYNCHRONOUS;
            answer->abort.stage = to.stage;
            answer->abort.FSC = to.FSC;
        } else {
            answer->fault.stage = to.stage;
            answer->fault.FSC = to.FSC;
        }
        return 0;
    }
    if (pe->order.lane_count > 1)
        compare_kept(lane, write, &to, &memory);
    pe->order.space = to.security;
    return cairn_pe_abort_write(lane, to.address, write, answer);
}

bool cairn_pe_software_address(struct cairn_pe *pe, uint64_t address, enum cairn_pe_access access,
                               struct cairn_pe_translation *to)
{
    const struct cairn_pe_registers *registers = &pe->order.lanes[0].seen;
    const bool host = cairn_pe_EL0_is_host(&pe->features, registers, pe->state.security) &&
                      CAIRN_GETS(registers, HCR_EL2, HCR_EL2_E2H);
    const bool E2H = CAIRN_GETS(registers, HCR_EL2, HCR_EL2_E2H);
    const struct cairn_pe_memory memory = {.user = pe, .read = read_descriptor};
    const struct cairn_pe_translate_request request = {
        .address = address,
        .regime = (uint8_t)(pe->state.EL == 2           ? (E2H ? CAIRN_PE_EL20 : CAIRN_PE_EL2)
                            : pe->state.EL == 0 && host ? CAIRN_PE_EL20
                                                        : CAIRN_PE_EL10),
        .security = pe->state.security,
        .access = (uint8_t)access,
        .privileged = pe->state.EL > 0,
        .untranslated = pe->state.EL == 3, /* EL3's own tables are not modelled */
    };

    if (pe->state.EL == 3) {
        *to = (struct cairn_pe_translation){.address = address};
        return true;
    }
    return cairn_pe_translate(&pe->features, registers, &request, &choices, &memory, to);
}

/* --- TLB maintenance --- */

static const struct tlbi {
    const char *name;
    uint8_t op1, op2;
    uint8_t operation; /* enum cairn_pe_TLBI */
} tlbis[] = {
    {"VMALLE1", 0, 0, CAIRN_PE_TLBI_VMALLE1},
    {"VAE1", 0, 1, CAIRN_PE_TLBI_VAE1},
    {"ASIDE1", 0, 2, CAIRN_PE_TLBI_ASIDE1},
    {"VAAE1", 0, 3, CAIRN_PE_TLBI_VAAE1},
    {"VALE1", 0, 5, CAIRN_PE_TLBI_VAE1},
    {"VAALE1", 0, 7, CAIRN_PE_TLBI_VAAE1},
    {"ALLE2", 4, 0, CAIRN_PE_TLBI_ALLE2},
    {"VAE2", 4, 1, CAIRN_PE_TLBI_VAE2},
    {"ALLE1", 4, 4, CAIRN_PE_TLBI_ALLE1},
    {"VALE2", 4, 5, CAIRN_PE_TLBI_VAE2},
    {"VMALLS12E1", 4, 6, CAIRN_PE_TLBI_VMALLS12E1},
};
#define TLBI_CRn 8u
#define IPAS2 4u /* op1, and CRm: 0 with IS; of OS the encodings are others (CRm 4, op2 0 and 4) */

/* CRm of the local ones, of those of the Inner and of the Outer Shareable domain. */
static const struct {
    const char *suffix;
    uint8_t CRm, CRm_IPAS2, less_IPAS2;
} domains[] = {{"", 7, 4, 0}, {"IS", 3, 0, 0}, {"OS", 1, 4, 1}};

/* IPAS2E1 and IPAS2LE1 are by op2 1 and 5. */
static bool is_IPAS2(unsigned CRm, unsigned op2)
{
    return ((CRm == 4 || CRm == 0) && (op2 == 1 || op2 == 5)) ||
           (CRm == 4 && (op2 == 0 || op2 == 4));
}

uint32_t cairn_pe_TLBI_encoding(const char *name)
{
    for (size_t d = 0; d < sizeof domains / sizeof domains[0]; d++) {
        const size_t suffix = strlen(domains[d].suffix);
        const size_t length = strlen(name);

        if (length < suffix || strcasecmp(name + length - suffix, domains[d].suffix) != 0)
            continue;
        for (size_t i = 0; i < sizeof tlbis / sizeof tlbis[0]; i++)
            if (strlen(tlbis[i].name) == length - suffix &&
                strncasecmp(tlbis[i].name, name, length - suffix) == 0)
                return CAIRN_SYSREG(1, tlbis[i].op1, TLBI_CRn, domains[d].CRm, tlbis[i].op2);
        for (unsigned leaf = 0; leaf < 2; leaf++) {
            const char *const IPA = leaf ? "IPAS2LE1" : "IPAS2E1";

            if (strlen(IPA) == length - suffix && strncasecmp(IPA, name, length - suffix) == 0)
                return CAIRN_SYSREG(1, IPAS2, TLBI_CRn, domains[d].CRm_IPAS2,
                                    (leaf ? 5 : 1) - domains[d].less_IPAS2);
        }
    }
    return 0;
}

/* Bits of CAIRN_SYSREG. */
static bool operation_of(uint32_t encoding, enum cairn_pe_TLBI *operation)
{
    const unsigned op1 = encoding >> 11 & 7, CRm = encoding >> 3 & 15, op2 = encoding & 7;

    if (encoding >> 14 != 1 || (encoding >> 7 & 15) != TLBI_CRn)
        return false;
    if (op1 == IPAS2 && is_IPAS2(CRm, op2)) {
        *operation = CAIRN_PE_TLBI_IPAS2E1;
        return true;
    }
    for (size_t i = 0; i < sizeof tlbis / sizeof tlbis[0]; i++)
        if (tlbis[i].op1 == op1 && tlbis[i].op2 == op2 && (CRm == 7 || CRm == 3 || CRm == 1)) {
            *operation = (enum cairn_pe_TLBI)tlbis[i].operation;
            return true;
        }
    return false;
}

static void complete_oldest(struct cairn_pe_lane *lane, unsigned count)
{
    struct cairn_pe_lane_memory *memory = &lane->memory;

    for (unsigned i = 0; i < count; i++)
        cairn_pe_cache_TLBI(&memory->cache, &lane->pe->features, &lane->lane->seen,
                            memory->waiting[i].security, memory->waiting[i].operation,
                            memory->waiting[i].argument);
    memory->count -= count;
    memmove(memory->waiting, memory->waiting + count, memory->count * sizeof memory->waiting[0]);
}

/* At EL2 of a host the names of EL1 are those of EL2&0. */
static enum cairn_pe_TLBI as_of_host(enum cairn_pe_TLBI operation)
{
    switch (operation) {
    case CAIRN_PE_TLBI_VMALLE1:
    case CAIRN_PE_TLBI_ASIDE1: return CAIRN_PE_TLBI_ALLE2; /* more than it has to */
    case CAIRN_PE_TLBI_VAE1:
    case CAIRN_PE_TLBI_VAAE1: return CAIRN_PE_TLBI_VAE2;
    default: return operation;
    }
}

bool cairn_pe_TLBI(struct cairn_pe *pe, uint32_t encoding, uint64_t argument,
                   enum cairn_pe_answer *answer)
{
    const struct cairn_pe_registers *registers = &pe->order.lanes[0].seen;
    const unsigned op1 = encoding >> 11 & 7;
    enum cairn_pe_TLBI operation;
    uint8_t security = pe->state.security;

    if (!operation_of(encoding, &operation))
        return false;
    cairn_pe_walked_check(pe);
    *answer = CAIRN_PE_ANSWER_OK;
    if (pe->state.EL == 0 || pe->state.aarch32 || (op1 == 4 && pe->state.EL < 2))
        *answer = CAIRN_PE_ANSWER_UNDEFINED;
    else if (pe->state.EL == 1 && cairn_pe_has_EL2(&pe->features, registers, security) &&
             CAIRN_GETS(registers, HCR_EL2, HCR_EL2_TTLB))
        *answer = CAIRN_PE_ANSWER_TRAP_EL2;
    if (*answer != CAIRN_PE_ANSWER_OK)
        return true;
    if (pe->state.EL == 3 && CAIRN_GETS(registers, SCR_EL3, SCR_EL3_NS))
        security = CAIRN_NONSECURE;
    if (op1 == 0 && pe->state.EL == 2 && cairn_pe_EL0_is_host(&pe->features, registers, security))
        operation = as_of_host(operation);
    for (unsigned i = 0; i < pe->order.lane_count; i++) {
        struct cairn_pe_lane *lane = &pe->lanes[i];
        const bool is_late = lane->lane && lane->lane->kind != CAIRN_LANE_EARLY &&
                             !cairn_lane_happens(lane->lane, 2);

        if (!lane->lane)
            continue;
        if (lane->memory.count == CAIRN_PE_MAINTENANCE_MOST)
            complete_oldest(lane, 1);
        lane->memory.waiting[lane->memory.count++] = (struct cairn_pe_maintenance){
            .operation = operation, .security = security, .argument = argument};
        if (!is_late)
            complete_oldest(lane, lane->memory.count);
    }
    return true;
}

void cairn_pe_complete_maintenance(struct cairn_pe *pe)
{
    for (unsigned i = 0; i < pe->order.lane_count; i++)
        if (pe->lanes[i].lane)
            complete_oldest(&pe->lanes[i], pe->lanes[i].memory.count);
}

/* --- tables of a script --- */

static void use_tables(struct cairn_pe *pe)
{
    const uint64_t upper = CAIRN_PE_TABLES_BASE + CAIRN_PE_TABLES_PAGE;
    const uint64_t both = TCR_RANGE | TCR_RANGE << 16 | TCR_TG1_4K | TCR_48_BITS << 32;
    const bool E2H = CAIRN_GETS(&pe->order.lanes[0].direct, HCR_EL2, HCR_EL2_E2H);
    const struct {
        uint32_t reg;
        uint64_t value;
    } values[] = {
        {CAIRN_PE_TTBR0_EL1, CAIRN_PE_TABLES_BASE},
        {CAIRN_PE_TTBR1_EL1, upper},
        {CAIRN_PE_TCR_EL1, both},
        {CAIRN_PE_MAIR_EL1, MAIR_WRITE_BACK},
        {CAIRN_PE_SCTLR_EL1, pe->order.lanes[0].direct.value[CAIRN_PE_SCTLR_EL1] | 1},
        {CAIRN_PE_TTBR0_EL2, CAIRN_PE_TABLES_BASE},
        {CAIRN_PE_TTBR1_EL2, upper},
        {CAIRN_PE_TCR_EL2, E2H ? both : TCR_RANGE | TCR_48_BITS << 16},
        {CAIRN_PE_MAIR_EL2, MAIR_WRITE_BACK},
        {CAIRN_PE_SCTLR_EL2, pe->order.lanes[0].direct.value[CAIRN_PE_SCTLR_EL2] | 1},
    };

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        cairn_order_set(&pe->order, values[i].reg, values[i].value);
}

/* Trace of before may still go there by the old translation. */
static void find_late_trace(struct cairn_pe *pe, uint64_t VA)
{
    const struct cairn_pe_registers *direct = &pe->order.lanes[0].direct;
    const uint64_t base = direct->value[CAIRN_PE_TRBBASER_EL1];
    const uint64_t limit = direct->value[CAIRN_PE_TRBLIMITR_EL1] & CAIRN_MASK(TRBLIMITR_LIMIT);

    if (VA >= base && VA < limit)
        cairn_order_remap(&pe->order, pe->order.written[CAIRN_PE_TRBPTR_EL1], VA);
}

cairn_status cairn_pe_map(struct cairn_pe *pe, uint64_t VA, uint64_t PA, uint64_t size,
                          enum cairn_pe_page kind)
{
    if (!pe->tables)
        pe->tables = cairn_pe_tables_new();
    if (!pe->tables)
        return CAIRN_E_MEMORY;
    if (!pe->uses_tables)
        use_tables(pe);
    pe->uses_tables = true;
    for (uint64_t at = 0; at < size; at += CAIRN_PE_TABLES_PAGE) {
        uint64_t was;

        if (!cairn_pe_tables_set(pe->tables, VA + at, PA + at, kind, &was))
            return CAIRN_E_LIMIT;
        if (was != 0) {
            pe->mapped_place = pe->order.place;
            find_late_trace(pe, VA + at);
        }
    }
    return CAIRN_OK;
}
