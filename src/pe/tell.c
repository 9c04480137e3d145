/* SPDX-License-Identifier: BSD-2-Clause */
/* What a PE says of a finding: each once, in words. */
#include <stdio.h>
#include <string.h>

#include "pe/pe.h"
#include "pe/sysreg.h"

static const struct {
    const char *rule, *what, *remedy;
} rules[] = {
    {"R_VTNCS", "what trace operations wrote to the register may be seen or not",
     "read it behind a Context synchronization event, TSB CSYNC and another one"},
    {"R_TSPXF", "the write may reach the trace of instructions before it",
     "write it behind a Context synchronization event and TSB CSYNC"},
    {"R_ZCDDS",
     "the write may reach the trace of instructions before it, for the TSB CSYNC was executed "
     "where tracing is allowed",
     "prohibit tracing first (TRFCR_EL1, or an exception to a higher level), then TSB CSYNC"},
    {"R_BFJKD", "trace of this instruction may go by the value before the write or by the new one",
     "put a Context synchronization event (ISB, or the exception return) between the write and the code"},
    {"R_NRLDV",
     "whether this instruction is traced may go by the value before the write or by the new one",
     "put a Context synchronization event between the write and the code"},
    {"I_CPBKF",
     "whether this branch is recorded may go by the value before the write or by the new one",
     "put a Context synchronization event between the write and the code"},
    {"R_KNQWS",
     "whether this instruction is traced may go by the trace unit's state before the write or behind it",
     "put a Context synchronization event (ISB, or the exception return) between the write and the code"},
    {"R_MDZDN",
     "the trace unit may ignore this write, or the register have any value, for it is not said to be idle "
     "or running",
     "after a change of TRCPRGCTLR.EN: ISB and read TRCSTATR, until IDLE says so"},
    {"R_RWYQD",
     "the trace unit may ignore this write, or the register have any value, for it is not said to be idle",
     "write TRCPRGCTLR 0, then ISB and read TRCSTATR, until IDLE is 1; then program the trace unit"},
    {"S_HSXGZ", "what TRCSTATR says may be of before",
     "put an ISB in front of each read of TRCSTATR that waits for something"},
    {"I_PNZGH", "what the trace unit has done may be in the value or not",
     "write TRCPRGCTLR 0, then ISB and read TRCSTATR, until PMSTABLE is 1; ISB; then read"},
    {"R_WZQWC", "what the trace unit has done may be in the value or not",
     "put an ISB between the read of TRCSTATR that says so and this one"},
    {"G1.3", "what is counted from here on may go by the value before the write or by the new one",
     "put a Context synchronization event between the write and the code"},
    {"G1.2", "which counter this is may go by the selection before the write or by the new one",
     "put an ISB between the write of PMSELR_EL0 and this access"},
    {"Arm ARM", "what was counted of the instructions before may be in the value or not",
     "put a Context synchronization event between the code and the read"},
    {"R_MRVPT",
     "trace of before may be written here by the old translation, by the new one, or fault",
     "prohibit tracing, then a Context synchronization event and TSB CSYNC, then change the tables"},
    {"R_GQJMC", "the Trace Buffer Unit may write here by a translation that was changed since",
     "after a change of the tables: DSB, TLBI of these addresses, DSB and an ISB"},
    {"R_DJMD", "an enabled trace buffer may ignore the write",
     "write 0 to TRBLIMITR_EL1.E, then ISB, then the other registers, ISB, and E 1 last"},
    {"I_PPBZP", "which record this is may go by BRBFCR_EL1.BANK before the write or by the new one",
     "put an ISB between the write and the read"},
    {"R_PGDLX", "records of the branches before may be there or not",
     "put a Context synchronization event between the code and the read"},
    {"R_VLWDM", "trace may still be on its way to this memory",
     "prohibit tracing, then a Context synchronization event, TSB CSYNC and DSB, then look"},
    {"R_NSFRQ", "memory may not have answered trace yet, and the abort show later",
     "put a DSB behind the TSB CSYNC, and a Context synchronization event, before the read"},
    {"R_GTCKK",
     "trace may still be on its way to this memory when the power goes, or the PE is reset",
     "prohibit tracing, then a Context synchronization event, TSB CSYNC and DSB, then let it go"},
    {"R_DFHWV", "what software stored there may overwrite trace",
     "put a DSB and a Context synchronization event between the stores and the code that is traced"},
    {"S_YKCNB",
     "the buffer is on, or may be still, and prefetches translations: by the value before the write, or the new one",
     "write TRBLIMITR_EL1.E 0 and a Context synchronization event before the owner's translation or Security "
     "state changes, and switch the buffer on behind that"},
    {"S_PKLXF",
     "the buffer is switched on, and may translate by the value before this write or by the new one",
     "put a Context synchronization event between the write and the one of TRBLIMITR_EL1.E"},
};

void cairn_pe_missing_text(uint32_t missing, char *text, size_t size)
{
    static const struct {
        uint32_t bit;
        const char *text;
    } barriers[] = {
        {CAIRN_PE_MISSES_CSE, "a Context synchronization event"},
        {CAIRN_PE_MISSES_PROHIBITION, "a Trace Prohibited region"},
        {CAIRN_PE_MISSES_TSB, "TSB CSYNC"},
        {CAIRN_PE_MISSES_TLBI, "TLBI"},
        {CAIRN_PE_MISSES_DSB, "DSB"},
        {CAIRN_PE_MISSES_CSE2, "a Context synchronization event behind it"},
        {CAIRN_PE_MISSES_IDLE, "TRCSTATR read with IDLE 1"},
        {CAIRN_PE_MISSES_RUNNING, "TRCSTATR read with IDLE 0"},
        {CAIRN_PE_MISSES_STABLE, "TRCSTATR read with PMSTABLE 1"},
        {CAIRN_PE_MISSES_OFF, "TRBLIMITR_EL1.E written 0"},
    };
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < sizeof barriers / sizeof barriers[0] && length < size; i++)
        if (missing & barriers[i].bit)
            length += (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "",
                                       barriers[i].text);
}

static bool is_told(struct cairn_pe *pe, const struct cairn_order_finding *finding)
{
    const unsigned most = sizeof pe->told / sizeof *pe->told;

    for (unsigned i = 0; i < pe->told_count && i < most; i++)
        if (pe->told[i].place == finding->place && pe->told[i].reg == finding->reg)
            return true;
    pe->told[pe->told_count % most].place = finding->place;
    pe->told[pe->told_count % most].since = finding->since;
    pe->told[pe->told_count++ % most].reg = finding->reg;
    return false;
}

/* "PMEVCNTR3_EL0", "TRCVICTLR"; NULL: it is memory. */
static const char *name_of(const struct cairn_pe *pe, uint32_t reg, char name[24])
{
    struct cairn_unit_register_info info = {.size = sizeof info};

    if (reg < CAIRN_PE_SINGLES)
        return cairn_pe_name(cairn_pe_sysreg_at(reg)->encoding, name);
    if (reg < CAIRN_PE_REGISTERS) {
        const bool is_type = reg >= CAIRN_PE_PMEVTYPER0_EL0;
        const struct cairn_pe_sysreg_place place = {
            .sysreg = cairn_pe_sysreg_at(
                CAIRN_PE_SINGLES + (is_type ? CAIRN_PE_ROW_PMEVTYPER : CAIRN_PE_ROW_PMEVCNTR)),
            .number = reg - (is_type ? CAIRN_PE_PMEVTYPER0_EL0 : CAIRN_PE_PMEVCNTR0_EL0)};

        cairn_pe_sysreg_name(place, name);
        return name;
    }
    if (reg & CAIRN_PE_OF_RECORDS)
        return cairn_pe_name(reg & ~CAIRN_PE_OF_RECORDS, name);
    for (size_t i = 0; reg & CAIRN_PE_OF_UNIT && pe->unit; i++) {
        if (cairn_unit_register_info(pe->unit, i, &info) != CAIRN_OK)
            break;
        if (info.sysreg != (reg & ~CAIRN_PE_OF_UNIT))
            continue;
        memcpy(name, info.name, sizeof info.name);
        return name;
    }
    return NULL;
}

void cairn_pe_tell_finding(void *context, const struct cairn_order_finding *finding)
{
    struct cairn_pe *pe = context;
    char name[24];
    struct cairn_pe_finding told = {
        .size = sizeof told,
        .rule = finding->rule,
        .address = finding->address,
        .missing = finding->missing,
        .place = finding->place,
        .since = finding->since,
        .values = {finding->values[0], finding->values[1]},
    };

    if (!pe->tell || is_told(pe, finding))
        return;
    told.name = name_of(pe, finding->reg, name);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (strcmp(rules[i].rule, finding->rule) == 0) {
            told.what = rules[i].what;
            told.remedy = rules[i].remedy;
        }
    pe->tell(pe->caller, &told);
}
