/* SPDX-License-Identifier: BSD-2-Clause */
/* The codes of trace buffers in memory (TRBE), as codes_table.c has the others. */
#include "cli/audit/codes.h"

/* clang-format off */
const struct cli_code cli_codes_trbe[CLI_CODES_TRBE] = {
    {CLI_TRBE_STOPPED,
         "By the registers of a trace buffer in memory (TRBE) collection stopped: it "
         "was full, a Trigger Event or\n"
         "a fault stopped it, or a reason of the core's own. What is in the buffer is "
         "whole; what was traced after\n"
         "it was thrown away, and neither a gap nor an Overflow packet stands for it.",
         "warning: cpu0: Collection stopped because the buffer was full. What was "
         "traced after that is lost, and no packet tells of it. A larger buffer takes "
         "more, Circular Buffer mode keeps the newest instead. [CAIRN-TRBE-STOPPED]",
         "of the trace that is there, nothing. For the next one what the sentence "
         "says; docs/trbe.md\n"
         "has the reasons one by one."},
    {CLI_TRBE_ENABLED,
         "The registers were read while the trace buffer was enabled: TRBLIMITR_EL1.E "
         "is 1. Trace on its way to\n"
         "memory is missing, and the pointer may be older than the bytes.",
         "warning: cpu0: The buffer was enabled when its registers were read "
         "(TRBLIMITR_EL1.E is 1): trace on its way is missing, and the pointer may be "
         "older than the bytes. Prohibit tracing, ISB, TSB CSYNC, E=0, DSB, ISB, and "
         "then read registers and memory. [CAIRN-TRBE-ENABLED]",
         "drain the buffer as the sentence says before it is read. A crash leaves no "
         "time for that:\n"
         "then the newest bytes are to be taken with care."},
    {CLI_TRBE_WRAP,
         "WRAP of TRBSR_EL1 and the other registers of a trace buffer do not say the "
         "same of whether its pointer\n"
         "wrapped in the session. WRAP stays 1 until software clears it, and is often "
         "of before. The sentence\n"
         "says what was believed.",
         "warning: cpu0: TRBSR_EL1.WRAP is 1, but in Fill mode the buffer would have "
         "stopped as filled, and has not: it is of before the session, and what is "
         "before the pointer counts alone. Clear WRAP when a session begins. "
         "[CAIRN-TRBE-WRAP]",
         "give how often the pointer wrapped (LAPS, TRB_WRAP events), if it was "
         "counted, and the\n"
         "pointer that the session began with (START). For the next trace clear WRAP "
         "beforehand."},
    {CLI_TRBE_REGISTERS,
         "Registers of a trace buffer contradict one another, have a reserved value, "
         "or are not aligned as the\n"
         "unit wants it: they may be of two moments or of two cores.",
         "warning: cpu0: TRBSR_EL1 says that the buffer was filled, but in Circular "
         "Buffer mode it never is: the status is of another session, or TRBLIMITR_EL1 "
         "was changed. [CAIRN-TRBE-REGISTERS]",
         "read the registers of the PE whose buffer it is, all at one time, with the "
         "buffer disabled."},
    {CLI_TRBE_SESSION,
         "What the registers of a trace buffer say of its session: where the trace is "
         "in memory, in the order of\n"
         "time; where it began, as far as that is known; what was overwritten; where "
         "the trigger is.",
         "note: cpu0: trace buffer 0xffff000010000000..0xffff000010001000, Wrap mode, "
         "pointer 0xffff000010000672: 1906 bytes of trace, "
         "0xffff000010000f00..0xffff000010001000, then "
         "0xffff000010000000..0xffff000010000672. [CAIRN-TRBE-SESSION]",
         "give what no register tells (START, LAPS, TRIGGER), if it is known."},
};
/* clang-format on */
