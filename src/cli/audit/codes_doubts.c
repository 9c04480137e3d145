/* SPDX-License-Identifier: BSD-2-Clause */
/* The codes of what the decoder was not sure of, as codes_table.c has the others. */
#include "cli/audit/codes.h"

/* clang-format off */
const struct cli_code cli_codes_doubts[CLI_CODES_DOUBTS] = {
    {CLI_UNDEFINED,
         "Flow came to an instruction that the core's architecture does not have.",
         "warning: ETM_0: an undefined instruction was reached: 3 times, first at "
         "address 0x1040 [CAIRN-UNDEFINED]\n"
         "    first at source offset 0x33, file offset 0x38\n"
         "    what to do: the image is probably not what ran (another build or load "
         "address, or code that changed at run time), or the core has instructions that "
         "its type has not",
         "compare the image with the program, and the core's type with the core."},
    {CLI_UNCERTAIN,
         "The last branch before tracing stopped may not be as listed.",
         "note: ETM_0: the last branch before a loss may be wrong: 1 time, first at "
         "address 0x1010 [CAIRN-UNCERTAIN]\n"
         "    first at source offset 0x33, file offset 0x38\n"
         "    what to do: the trace unit stopped there: do not rely on the last branch",
         "do not rely on the last branch there."},
    {CLI_IMPRECISE,
         "An exception does not tell exactly which instructions, or data, came before "
         "it.",
         "note: ETM_0: what ran before the exception, or its data, may not be exactly "
         "as traced: 2 times, first at address 0x2014 [CAIRN-IMPRECISE]\n"
         "    first at source offset 0x33, file offset 0x38\n"
         "    what to do: nothing: some exceptions do not tell exactly what ran, or was "
         "stored, before them",
         "nothing."},
    {CLI_CONTEXT,
         "A context or an address has bits that should be zero, or says AArch64 and A32 "
         "at once.",
         "warning: ETM_0: reserved bits are set in a context: 1 time, first at address "
         "0x1000 [CAIRN-CONTEXT]\n"
         "    first at source offset 0x12, file offset 0x15\n"
         "    what to do: damaged bytes, or an architecture newer than the trace unit's "
         "TRCDEVARCH says",
         "look for damage nearby; compare TRCDEVARCH with the hardware."},
    {CLI_TRANSACTION,
         "A transaction has no end, or begins inside another one.",
         "warning: ETM_0: Transaction Start inside a transaction: 1 time, first at "
         "address 0x1000 [CAIRN-TRANSACTION]\n"
         "    first at source offset 0x33, file offset 0x38\n"
         "    what to do: damaged bytes, or the end of a transaction was lost",
         "look for damage or lost packets in front of it."},
    {CLI_OVER_COMMIT,
         "A Commit or Cancel is about more elements than there were.",
         "warning: ETM_0: more P0 elements resolved than are outstanding: 4 times, "
         "first at address 0x1000 [CAIRN-OVER-COMMIT]\n"
         "    first at source offset 0x33, file offset 0x38\n"
         "    what to do: TRCIDR8.MAXSPEC or TRCIDR0.COMMOPT may be given wrong, or "
         "packets are missing",
         "compare TRCIDR8 and TRCIDR0 with the hardware."},
    {CLI_CONTINUES,
         "Branches follow an exception although it was not told where execution went on.",
         "warning: ETM_0: execution goes on after an exception without an address: 1 "
         "time, first at address 0x2014 [CAIRN-CONTINUES]\n"
         "    first at source offset 0x33, file offset 0x38\n"
         "    what to do: an address is missing behind the exception: packets were "
         "lost, or the exception is of a kind that this core defines",
         "look for lost packets in front of it."},
    {CLI_STALE_RETURN,
         "A return was followed to a call from before flow was lost: calls in between "
         "may be missing.",
         "warning: ETM_0: a return to a call from before flow was lost: calls in "
         "between may be missing: 2 times, first at address 0x1024 [CAIRN-STALE-RETURN]\n"
         "    first at source offset 0x33, file offset 0x38\n"
         "    what to do: give the missing memory: calls and returns in it went by "
         "unseen, so this return may have gone elsewhere",
         "give the memory that is missing in front of it."},
    {CLI_SOURCE_ISA,
         "A Source Address is in another instruction set than the code. It was followed "
         "in that of the code.",
         "note: ETM_0: a Source Address says another instruction set (A32, T32) than "
         "the code is in: 3 times, first at address 0x8004 [CAIRN-SOURCE-ISA]\n"
         "    first at source offset 0x33, file offset 0x38\n"
         "    what to do: nothing: the address was followed in the instruction set that "
         "is being executed; some models of trace units write T32 for A32 code",
         "nothing."},
};
/* clang-format on */
