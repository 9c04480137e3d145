/* SPDX-License-Identifier: BSD-2-Clause */
/* Packet kinds of ETMv4 and ETE instruction trace. One list: parser, writer, printer, docs and
 * tests all come from it.
 * CAIRN_ETMV4_PACKETS(X): X(NAME, first header, last header, account, "specification's name",
 * "section"). Sections D5.* are DDI0608's; ETMv4's own packets are in docs/trace.md. */
#ifndef CAIRN_ETMV4_H
#define CAIRN_ETMV4_H

#define CAIRN_ETMV4_PACKETS(X)                                                                     \
    /* not packets of the protocol: what damage looks like */                                      \
    X(NOT_SYNC, 0x00, 0x00, CAIRN_GAP_NO_SYNC, "Not synchronised", "D1.9")                         \
    X(RESERVED, 0x00, 0x00, CAIRN_GAP_RESERVED, "Reserved", "D5.2")                                \
    X(CUT, 0x00, 0x00, CAIRN_GAP_CUT, "Cut by synchronisation", "D5.4")                            \
    X(INCOMPLETE, 0x00, 0x00, CAIRN_GAP_TRUNCATED, "Incomplete at the end", "D9.2.18.1")           \
    /* extension packets */                                                                        \
    X(ALIGNMENT_SYNC, 0x00, 0x00, CAIRN_ACCOUNT_PADDING, "Alignment Synchronization", "D5.4")      \
    X(DISCARD, 0x00, 0x00, CAIRN_ACCOUNT_METADATA, "Discard", "D5.5")                              \
    X(OVERFLOW, 0x00, 0x00, CAIRN_ACCOUNT_METADATA, "Overflow", "D5.6")                            \
    X(BRANCH_FUTURE_FLUSH, 0x00, 0x00, CAIRN_ACCOUNT_METADATA, "Branch Future Flush", "ETMv4")     \
    X(TRACE_INFO, 0x01, 0x01, CAIRN_ACCOUNT_METADATA, "Trace Info", "D5.7")                        \
    X(TIMESTAMP, 0x02, 0x03, CAIRN_ACCOUNT_METADATA, "Timestamp", "D5.9")                          \
    X(TRACE_ON, 0x04, 0x04, CAIRN_ACCOUNT_METADATA, "Trace On", "D5.8")                            \
    X(FUNCTION_RETURN, 0x05, 0x05, CAIRN_ACCOUNT_FLOW, "Function Return", "ETMv4")                 \
    X(EXCEPTION, 0x06, 0x06, CAIRN_ACCOUNT_FLOW, "Exception", "D5.13")                             \
    X(PE_RESET, 0x06, 0x06, CAIRN_ACCOUNT_FLOW, "PE Reset", "D5.25")                               \
    X(TRANSACTION_FAILURE, 0x06, 0x06, CAIRN_ACCOUNT_METADATA, "Transaction Failure", "D5.24")     \
    X(EXCEPTION_RETURN, 0x07, 0x07, CAIRN_ACCOUNT_FLOW, "Exception Return", "ETMv4")               \
    X(INSTRUMENTATION, 0x09, 0x09, CAIRN_ACCOUNT_METADATA, "Instrumentation", "ETE 1.3")           \
    X(TRANSACTION_START, 0x0a, 0x0a, CAIRN_ACCOUNT_METADATA, "Transaction Start", "D5.11")         \
    X(TRANSACTION_COMMIT, 0x0b, 0x0b, CAIRN_ACCOUNT_METADATA, "Transaction Commit", "D5.12")       \
    X(CYCLE_COUNT_F2, 0x0c, 0x0d, CAIRN_ACCOUNT_METADATA, "Cycle Count format 2", "D5.30")         \
    X(CYCLE_COUNT_F1, 0x0e, 0x0f, CAIRN_ACCOUNT_METADATA, "Cycle Count format 1", "D5.26")         \
    X(CYCLE_COUNT_F3, 0x10, 0x1f, CAIRN_ACCOUNT_METADATA, "Cycle Count format 3", "D5.33")         \
    X(DATA_SYNC_NUMBERED, 0x20, 0x27, CAIRN_ACCOUNT_METADATA,                                      \
      "Numbered Data Synchronization Marker", "ETMv4")                                             \
    X(DATA_SYNC_UNNUMBERED, 0x28, 0x2c, CAIRN_ACCOUNT_METADATA,                                    \
      "Unnumbered Data Synchronization Marker", "ETMv4")                                           \
    X(COMMIT, 0x2d, 0x2d, CAIRN_ACCOUNT_FLOW, "Commit", "D5.35")                                   \
    X(CANCEL_F1, 0x2e, 0x2f, CAIRN_ACCOUNT_FLOW, "Cancel format 1", "D5.36")                       \
    X(MISPREDICT, 0x30, 0x33, CAIRN_ACCOUNT_FLOW, "Mispredict", "D5.39")                           \
    X(CANCEL_F2, 0x34, 0x37, CAIRN_ACCOUNT_FLOW, "Cancel format 2", "D5.37")                       \
    X(CANCEL_F3, 0x38, 0x3f, CAIRN_ACCOUNT_FLOW, "Cancel format 3", "D5.38")                       \
    X(COND_INSTRUCTION_F2, 0x40, 0x42, CAIRN_ACCOUNT_METADATA, "Conditional Instruction format 2", \
      "ETMv4")                                                                                     \
    X(COND_FLUSH, 0x43, 0x43, CAIRN_ACCOUNT_METADATA, "Conditional Flush", "ETMv4")                \
    X(COND_RESULT_F4, 0x44, 0x46, CAIRN_ACCOUNT_METADATA, "Conditional Result format 4", "ETMv4")  \
    X(COND_RESULT_F2, 0x48, 0x4e, CAIRN_ACCOUNT_METADATA, "Conditional Result format 2", "ETMv4")  \
    X(COND_RESULT_F3, 0x50, 0x5f, CAIRN_ACCOUNT_METADATA, "Conditional Result format 3", "ETMv4")  \
    X(COND_RESULT_F1, 0x68, 0x6f, CAIRN_ACCOUNT_METADATA, "Conditional Result format 1", "ETMv4")  \
    X(COND_INSTRUCTION_F1, 0x6c, 0x6c, CAIRN_ACCOUNT_METADATA, "Conditional Instruction format 1", \
      "ETMv4")                                                                                     \
    X(COND_INSTRUCTION_F3, 0x6d, 0x6d, CAIRN_ACCOUNT_METADATA, "Conditional Instruction format 3", \
      "ETMv4")                                                                                     \
    X(IGNORE, 0x70, 0x70, CAIRN_ACCOUNT_PADDING, "Ignore", "D5.67")                                \
    X(EVENT, 0x71, 0x7f, CAIRN_ACCOUNT_METADATA, "Event", "D5.68")                                 \
    X(CONTEXT_SAME, 0x80, 0x80, CAIRN_ACCOUNT_FLOW, "Context Same", "D5.54")                       \
    X(CONTEXT, 0x81, 0x81, CAIRN_ACCOUNT_FLOW, "Context", "D5.55")                                 \
    X(ADDRESS_CONTEXT_32_IS0, 0x82, 0x82, CAIRN_ACCOUNT_FLOW,                                      \
      "Target Address with Context 32-bit IS0", "D5.56")                                           \
    X(ADDRESS_CONTEXT_32_IS1, 0x83, 0x83, CAIRN_ACCOUNT_FLOW,                                      \
      "Target Address with Context 32-bit IS1", "D5.57")                                           \
    X(ADDRESS_CONTEXT_64_IS0, 0x85, 0x85, CAIRN_ACCOUNT_FLOW,                                      \
      "Target Address with Context 64-bit IS0", "D5.58")                                           \
    X(ADDRESS_CONTEXT_64_IS1, 0x86, 0x86, CAIRN_ACCOUNT_FLOW,                                      \
      "Target Address with Context 64-bit IS1", "D5.59")                                           \
    X(TIMESTAMP_MARKER, 0x88, 0x88, CAIRN_ACCOUNT_METADATA, "Timestamp Marker", "D5.10")           \
    X(ADDRESS_EXACT, 0x90, 0x92, CAIRN_ACCOUNT_FLOW, "Target Address Exact Match", "D5.53")        \
    X(ADDRESS_SHORT_IS0, 0x95, 0x95, CAIRN_ACCOUNT_FLOW, "Target Address Short IS0", "D5.47")      \
    X(ADDRESS_SHORT_IS1, 0x96, 0x96, CAIRN_ACCOUNT_FLOW, "Target Address Short IS1", "D5.48")      \
    X(ADDRESS_32_IS0, 0x9a, 0x9a, CAIRN_ACCOUNT_FLOW, "Target Address 32-bit IS0", "D5.49")        \
    X(ADDRESS_32_IS1, 0x9b, 0x9b, CAIRN_ACCOUNT_FLOW, "Target Address 32-bit IS1", "D5.50")        \
    X(ADDRESS_64_IS0, 0x9d, 0x9d, CAIRN_ACCOUNT_FLOW, "Target Address 64-bit IS0", "D5.51")        \
    X(ADDRESS_64_IS1, 0x9e, 0x9e, CAIRN_ACCOUNT_FLOW, "Target Address 64-bit IS1", "D5.52")        \
    X(Q_EXACT, 0xa0, 0xa2, CAIRN_ACCOUNT_FLOW, "Q with Exact Match", "D5.71")                      \
    X(Q_SHORT_IS0, 0xa5, 0xa5, CAIRN_ACCOUNT_FLOW, "Q with Short Address IS0", "D5.72")            \
    X(Q_SHORT_IS1, 0xa6, 0xa6, CAIRN_ACCOUNT_FLOW, "Q with Short Address IS1", "D5.73")            \
    X(Q_32_IS0, 0xaa, 0xaa, CAIRN_ACCOUNT_FLOW, "Q with 32-bit Address IS0", "D5.74")              \
    X(Q_32_IS1, 0xab, 0xab, CAIRN_ACCOUNT_FLOW, "Q with 32-bit Address IS1", "D5.75")              \
    X(Q_COUNT, 0xac, 0xac, CAIRN_ACCOUNT_FLOW, "Q with count", "D5.70")                            \
    X(Q, 0xaf, 0xaf, CAIRN_ACCOUNT_FLOW, "Q", "D5.69")                                             \
    X(SOURCE_EXACT, 0xb0, 0xb2, CAIRN_ACCOUNT_FLOW, "Source Address Exact Match", "D5.66")         \
    X(SOURCE_SHORT_IS0, 0xb4, 0xb4, CAIRN_ACCOUNT_FLOW, "Source Address Short IS0", "D5.60")       \
    X(SOURCE_SHORT_IS1, 0xb5, 0xb5, CAIRN_ACCOUNT_FLOW, "Source Address Short IS1", "D5.61")       \
    X(SOURCE_32_IS0, 0xb6, 0xb6, CAIRN_ACCOUNT_FLOW, "Source Address 32-bit IS0", "D5.62")         \
    X(SOURCE_32_IS1, 0xb7, 0xb7, CAIRN_ACCOUNT_FLOW, "Source Address 32-bit IS1", "D5.63")         \
    X(SOURCE_64_IS0, 0xb8, 0xb8, CAIRN_ACCOUNT_FLOW, "Source Address 64-bit IS0", "D5.64")         \
    X(SOURCE_64_IS1, 0xb9, 0xb9, CAIRN_ACCOUNT_FLOW, "Source Address 64-bit IS1", "D5.65")         \
    X(ATOM_F6, 0xc0, 0xf4, CAIRN_ACCOUNT_FLOW, "Atom format 6", "D5.46")                           \
    X(ATOM_F5_2, 0xd5, 0xd7, CAIRN_ACCOUNT_FLOW, "Atom format 5.2", "D5.45")                       \
    X(ATOM_F2, 0xd8, 0xdb, CAIRN_ACCOUNT_FLOW, "Atom format 2", "D5.41")                           \
    X(ATOM_F4, 0xdc, 0xdf, CAIRN_ACCOUNT_FLOW, "Atom format 4", "D5.43")                           \
    X(ATOM_F5_1, 0xf5, 0xf5, CAIRN_ACCOUNT_FLOW, "Atom format 5.1", "D5.44")                       \
    X(ATOM_F1, 0xf6, 0xf7, CAIRN_ACCOUNT_FLOW, "Atom format 1", "D5.40")                           \
    X(ATOM_F3, 0xf8, 0xff, CAIRN_ACCOUNT_FLOW, "Atom format 3", "D5.42")

enum cairn_etmv4_kind {
#define CAIRN_ETMV4_ENUM(NAME, FIRST, LAST, ACCOUNT, TEXT, SECTION) CAIRN_ETMV4_##NAME,
    CAIRN_ETMV4_PACKETS(CAIRN_ETMV4_ENUM)
#undef CAIRN_ETMV4_ENUM
};

#endif
