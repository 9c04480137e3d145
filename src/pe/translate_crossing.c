/* SPDX-License-Identifier: BSD-2-Clause */
/* Accesses of the Trace Buffer Unit that cross from one area of memory into another (DDI0608 E1.2.1.5). */
#include "pe/translate_stage.h"

/* Memory types: Normal, or which kind of Device. */
static unsigned type_of(unsigned attributes)
{
    return cairn_pe_is_device(attributes) ? attributes & 12 : 1;
}

/* Both lie in Device memory by what one stage says. */
static bool is_device_twice(const struct cairn_pe_translation *first,
                            const struct cairn_pe_translation *second, unsigned stage)
{
    return cairn_pe_is_device(first->attributes_of[stage]) &&
           cairn_pe_is_device(second->attributes_of[stage]);
}

static bool is_mismatch(const struct cairn_pe_translation *first,
                        const struct cairn_pe_translation *second, unsigned stage)
{
    return type_of(first->attributes_of[stage]) != type_of(second->attributes_of[stage]) ||
           first->shareability_of[stage] != second->shareability_of[stage];
}

static enum cairn_pe_crossing outcome(bool by_stage1, bool by_stage2, uint64_t pointer,
                                      const struct cairn_pe_translate_choices *choices,
                                      struct cairn_pe_translation *out)
{
    if (choices->crossing != CAIRN_PE_CROSSING_FAULT)
        return (enum cairn_pe_crossing)choices->crossing;
    struct cairn_pe_walk walk = {.out = out};
    bool is_stage2 = by_stage2 && (!by_stage1 || choices->crossing_is_stage2);
    *out = (struct cairn_pe_translation){.fault_address = pointer};
    cairn_pe_fault(&walk, is_stage2 ? 2 : 1, CAIRN_PE_FAULT_ALIGNMENT, 0);
    return CAIRN_PE_CROSSING_FAULT;
}

enum cairn_pe_crossing
cairn_pe_translation_crossing(const struct cairn_pe_translation *first,
                              const struct cairn_pe_translation *second, uint64_t pointer,
                              bool leaves_granule, const struct cairn_pe_translate_choices *choices,
                              struct cairn_pe_translation *out)
{
    if (type_of(first->attributes) != type_of(second->attributes) ||
        first->shareability != second->shareability) {
        enum cairn_pe_crossing to = outcome(is_mismatch(first, second, 0),
                                            is_mismatch(first, second, 1), pointer, choices, out);
        return to == CAIRN_PE_CROSSING_UNORDERED ? CAIRN_PE_CROSSING_OWN : to;
    }
    if (leaves_granule && cairn_pe_is_device(first->attributes))
        return outcome(is_device_twice(first, second, 0), is_device_twice(first, second, 1),
                       pointer, choices, out);
    return CAIRN_PE_CROSSING_OWN;
}
