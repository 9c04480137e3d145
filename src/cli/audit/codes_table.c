/* SPDX-License-Identifier: BSD-2-Clause */
/* What each code means: the text of `cairn check --explain` and of docs/findings.md. */
#include "cli/audit/codes.h"

/* clang-format off */
static const struct cli_code codes[] = {
    {CLI_DESCRIPTION,
         "Something in the capture's description is odd, or is not used. The sentence "
         "says what, and what was\n"
         "done instead; nothing is lost unless another finding says so.",
         "warning: ETM_0: no core is given for it; it is taken to trace cpu_0, the only "
         "one. Add cpu_0=ETM_0 to [core_trace_sources]. [CAIRN-DESCRIPTION]",
         "correct the line of the description that the sentence names."},
    {CLI_MISSING_FILE,
         "A file that the description names is not there, cannot be read, or is too "
         "short. A buffer's file\n"
         "that is missing counts as empty; a dump's is memory that is missing, and flow "
         "there becomes gaps.",
         "problem: ETB_0: its file trace.bin is missing, so it counts as empty. Put the "
         "file there, or correct file= in [buffer1] of the trace metadata. "
         "[CAIRN-MISSING-FILE]",
         "put the file there, or correct file=, offset= or length=."},
    {CLI_FORMAT_GUESSED,
         "Nobody said whether the buffer has formatter frames, so its bytes decided. "
         "The sentence says by\n"
         "what.",
         "note: etb.bin: no format was given; read as CoreSight frames (format "
         "coresight: 2 trace IDs, no reserved one, 9 alignment synchronisations inside "
         "against 0 outside of frames). If it has none, give format source_data. "
         "[CAIRN-FORMAT-GUESSED]",
         "nothing, if it is right; else --frames none, coresight or dstream, or format= "
         "in the\n"
         "description."},
    {CLI_NO_SOURCE,
         "Nothing in the capture says what the bytes are: there is no source to decode.",
         "problem: the capture has no trace source [CAIRN-NO-SOURCE]\n"
         "    what to do: for a raw buffer give --protocol (etmv4, ete ...), and "
         "--frames when it holds formatter frames",
         "for a raw buffer give --protocol, --core and the registers (--set or "
         "--config); in a\n"
         "snapshot name the source in [source_buffers] of the trace metadata."},
    {CLI_NO_PROTOCOL,
         "There are bytes, and no protocol to read them by: none was given, or the type "
         "of the trace unit is\n"
         "not known here.",
         "problem: trace.bin: 4096 bytes of an unknown protocol are not decoded "
         "[CAIRN-NO-PROTOCOL]\n"
         "    costs 4096 bytes of trace\n"
         "    what to do: give --protocol and --core, and the trace unit's registers "
         "with --set or --config",
         "--protocol etmv4, ete, etmv3, etmv2, etmv1, ptm or mtb; in a snapshot type= of the trace "
         "source."},
    {CLI_WRONG_PROTOCOL,
         "Read as another protocol the bytes fit, and as described they do not: a trial "
         "of both gives reserved\n"
         "packets in numbers against hardly any. As a warning: a register says another "
         "protocol than the\n"
         "description.",
         "problem: ETM_0: 24 reserved packets as ETE, 0 as ETMv4: the protocol is "
         "probably ETMv4 [CAIRN-WRONG-PROTOCOL]\n"
         "    costs 130 branches\n"
         "    what to do: raw buffer: --protocol etmv4; snapshot: type=ETM4 for the "
         "trace source, and TRCDEVARCH as the hardware has it (--fix does it)",
         "--protocol NAME tries it on any capture, --fix writes the description so. "
         "TRCDEVARCH of\n"
         "the hardware settles it: 0x477n4A13 is ETMv4, 0x477n5A13 is ETE; for 32-bit "
         "cores ETMIDR[11:8]: 2 is\n"
         "ETMv3, 3 is PTM."},
    {CLI_REGISTER_ASSUMED,
         "A register that shapes the trace is not given; the value that a trace unit "
         "without the feature would\n"
         "have is assumed. A wrong one shows as reserved packets, or as flow that "
         "contradicts the image.",
         "warning: ETM_0: TRCIDR8 is missing: 0x00000000 is assumed (no speculation) "
         "[CAIRN-REGISTER-ASSUMED]\n"
         "    what to do: read the register while the trace unit is set up as it was, "
         "and give it with --set or in the description",
         "read the register while the trace unit is set up as it was for the trace, and "
         "give it."},
    {CLI_REGISTER_ODD,
         "A register has a value that does not go together with another one, that is "
         "newer than what is known\n"
         "here, or that is no register of this trace unit at all (then it does nothing).",
         "warning: TRCCONFGIR is no register of the trace unit and does nothing; did "
         "you mean TRCCONFIGR? [CAIRN-REGISTER-ODD]",
         "compare the value with the hardware's; mend the name."},
    {CLI_REGISTER_IMPOSSIBLE,
         "A register has a value that no trace unit of this protocol can have. The "
         "source is not decoded: what\n"
         "its bytes mean would be a guess.",
         "problem: ETM_0: TRCIDR2 is 0x4000109f: IASIZE (bits 4:0) is 31, but it should "
         "be 4 (32-bit addresses) or 8 (64-bit); check the value "
         "[CAIRN-REGISTER-IMPOSSIBLE]\n"
         "    costs 4096 bytes of trace\n"
         "    what to do: correct the value in the capture's file, or over it with "
         "--set REGISTER=VALUE",
         "correct the value where it is written, or over it with --set "
         "SOURCE:REGISTER=VALUE."},
    {CLI_WRONG_REGISTERS,
         "The packets do not fit the registers, and fit when one or two of their fields "
         "are others. Packets of\n"
         "ETMv3 and PTM do not tell how long they are: ETMCR does. All values of the "
         "fields that matter were\n"
         "tried (context IDs, cycle counts, data trace, size of timestamps, branch "
         "encoding).",
         "problem: ETM_0: the registers are probably not as they were: with "
         "ETMCR=0x1000 12 bytes would not fit instead of 900 [CAIRN-WRONG-REGISTERS]\n"
         "    what to do: read the register while the trace unit is set up (bit 12, "
         "cycle-accurate), or try these values over the capture's with --set (--fix "
         "does it)",
         "try the values with --set; --fix writes the description with them."},
    {CLI_WRONG_PORT,
         "The recording of a trace port does not fit the way in which it is read, and fits "
         "another one: a port\n"
         "of more or fewer pins, another mode or edge of TRACECLK, two pins for one another, "
         "the pins of a\n"
         "signal in reverse. Each was tried with the first 64 KiB of the trace, and with the "
         "image if there is one,\nwithout which only a few of such mistakes show.",
         "problem: board.vcd: port width looks like 8, not 4: read so, 0 % of what was tried "
         "would not fit, instead of 57 % [CAIRN-WRONG-PORT]\n"
         "    what to do: try --port-width 8, and correct ETMCR, if it is given (bits 6:4, 13 "
         "and 17:16)",
         "give the options that are told, and compare the listing with the program."},
    {CLI_NO_POSITION,
         "The dump of a Micro Trace Buffer is a ring, and MTB_POSITION, which tells "
         "where its oldest packet\n"
         "stands, is missing. Read from its first byte on the packets break off in the "
         "middle.",
         "problem: mtb.bin: the packets do not continue one another at 1 place, and "
         "POSITION, which tells where the oldest one stands, is missing "
         "[CAIRN-NO-POSITION]\n"
         "    first at source offset 0x40, file offset 0x40\n"
         "    what to do: give MTB_POSITION as it was when the RAM was dumped (at the "
         "MTB's base + 0): --set POSITION=VALUE (--fix does it)",
         "give MTB_POSITION. Where the packets break off at one place only, that is "
         "where it\n"
         "points to: --fix gives it so."},
    {CLI_EMPTY_BUFFER,
         "A buffer has no bytes. Nothing of them is lost; but something was to be traced, as a "
         "rule.",
         "warning: ETB_0: the buffer is empty [CAIRN-EMPTY-BUFFER]\n"
         "    what to do: was the trace unit enabled (TRCPRGCTLR.EN), did the traced "
         "code run, and did the dump read the right memory?",
         "check that the trace unit was enabled, that the traced code ran, that the "
         "trace unit's\n"
         "ID and the path to the buffer were switched on, and that the dump read the "
         "right memory."},
    {CLI_WRONG_FRAMES,
         "The bytes are not laid out as the description says: they are no CoreSight "
         "frames, or are some, or\n"
         "are those of a trace port. What is taken for frames wrongly gives trace IDs "
         "of anything, and what\n"
         "has frames that nobody knows of gives nothing that is packets. Every "
         "described source was tried in\n"
         "every layout.",
         "problem: ETB_1: the bytes are described as CoreSight frames in memory, and "
         "are not: 105 trace IDs that no trace unit is configured for, with 850 bytes, "
         "none over 29; as one source without frames 900 bytes fit, and 0 as described "
         "[CAIRN-WRONG-FRAMES]\n"
         "    costs 850 bytes of trace\n"
         "    what to do: format=source_data in the description of the buffer (--frames "
         "none) (--fix does it)",
         "format= of the buffer in the trace metadata of a snapshot or in [buffer] of "
         "--config;\n"
         "--frames for a raw buffer. --fix writes it where a layout was found that fits."},
    {CLI_NOISE,
         "The frames are right at first, and from some place on the buffer holds "
         "something else: what is taken\n"
         "for frames there gives trace IDs of anything.",
         "warning: ETB_0: from about file offset 0x7000 on it holds no trace: 110 trace "
         "IDs that no trace unit is configured for, with 20585 bytes, none over 450, "
         "while 26000 bytes before fit [CAIRN-NOISE]\n"
         "    costs 20585 bytes of trace\n"
         "    what to do: the trace did not fill the memory behind it, or that was "
         "overwritten: dump no more than the trace unit wrote (the write pointer tells)",
         "dump no more than was written; the trace unit's or the buffer's write pointer "
         "tells how\n"
         "much that is."},
    {CLI_FRAME_CUT,
         "The last frame is not whole, or frames are cut short in the middle of a trace "
         "port's stream.",
         "warning: ETB_0: 5 bytes (6.4 %) of an incomplete last frame [CAIRN-FRAME-CUT]\n"
         "    costs 5 bytes of trace\n"
         "    what to do: frames are 16 bytes: the file was cut off, or it is not made "
         "of frames (--frames none)",
         "dump whole frames; of a trace port check its clock, width and timing."},
    {CLI_FRAME_START,
         "Bytes before the first frame, or before the first trace ID in the frames, are "
         "nobody's.",
         "note: ETB_0: 14 bytes (0.6 %) before the first trace ID [CAIRN-FRAME-START]\n"
         "    costs 14 bytes of trace\n"
         "    what to do: normal where the buffer wrapped around",
         "nothing: a buffer that wrapped around, or a stream that was joined in the "
         "middle, begins\n"
         "so."},
    {CLI_BYTE_ORDER,
         "The dump was written word by word in the other byte order: turned round its "
         "bytes have\n"
         "synchronisations, or, of a Micro Trace Buffer, packets that continue one "
         "another. Nothing turns them\n"
         "by itself.",
         "problem: etb.bin: no alignment synchronisation is in it, but with the bytes "
         "of each word of 4 in reverse there are 12: the dump has the other byte order "
         "[CAIRN-BYTE-ORDER]\n"
         "    what to do: turn them round: objcopy -I binary -O binary "
         "--reverse-bytes=4 FILE NEW (--fix does it)",
         "objcopy turns them, and so does --fix, into a file of its own."},
    {CLI_UNCONFIGURED_ID,
         "Bytes in the frames have a trace ID that no described trace unit has: some "
         "trace unit wrote into the\n"
         "buffer that the capture does not know of. What it traced is not decoded.",
         "problem: ETB_0: 39 bytes have a trace ID that no trace unit is configured for "
         "(0x22) [CAIRN-UNCONFIGURED-ID]\n"
         "    costs 39 bytes of trace\n"
         "    what to do: describe the trace unit with that TRCTRACEIDR or ETMTRACEIDR "
         "(STM: STMTCSR[22:16], ITM: ITMTCR[22:16]) in the capture, or give --id with "
         "--protocol and its registers for a raw buffer",
         "add the trace unit's device file, or its [source NAME] section, with the "
         "register that\n"
         "holds the ID."},
    {CLI_STRAY_ID,
         "A trace ID has so few bytes that no trace unit can have written them: its "
         "first synchronisation\n"
         "alone is longer.",
         "note: ETB_0: 1 byte has a trace ID that no trace unit is configured for "
         "(0x41) [CAIRN-STRAY-ID]\n"
         "    costs 1 byte of trace\n"
         "    what to do: nothing: no trace unit writes so little; a few bytes go "
         "astray where a buffer wrapped or a trace port lost some",
         "nothing."},
    {CLI_WRONG_ID,
         "A described source has no data, since its trace ID is missing, reserved, or "
         "another one's. Where its\n"
         "packets were found under an ID that nobody described, that is said.",
         "problem: ETM_0: TRCTRACEIDR is missing, and the 416 bytes of trace ID 0x10, "
         "which no trace unit is configured for, are packets of such a trace unit "
         "[CAIRN-WRONG-ID]\n"
         "    costs 416 bytes of trace\n"
         "    what to do: TRCTRACEIDR=0x10 (--set ETM_0:TRCTRACEIDR=0x10) (--fix does "
         "it)",
         "give the register as it was while the trace unit was set up; --fix writes the "
         "ID that\n"
         "fits."},
    {CLI_LEDGER,
         "The accounts of the bytes do not add up to the file's size. That is an error "
         "in Cairn.",
         "problem: ETB_0: the ledger does not add up to the file's size: an error in "
         "cairn [CAIRN-LEDGER]\n"
         "    what to do: please report it with the capture",
         "please report it with the capture."},
    {CLI_NO_DATA,
         "A described source has no byte in the buffer, or padding only: its trace unit was off, "
         "or waited for a\n"
         "start point that was never executed.",
         "note: ETM_1: the buffer holds no data of this source [CAIRN-NO-DATA]\n"
         "    what to do: nothing, if its core was not to be traced; else check that its trace unit "
         "was enabled, and its trace ID",
         "nothing, if that core was not to be traced; else check that its trace unit was "
         "enabled, its\n"
         "trace ID, and that execution comes to its start point (cairn record --start)."},
    {CLI_NO_FLOW,
         "The source is no trace of a program's flow (STM, ITM), or of a protocol of "
         "which this version does\n"
         "not follow the flow. The bytes are accounted.",
         "note: STM_0: 714 bytes of STM trace are not decoded [CAIRN-NO-FLOW]\n"
         "    what to do: this version decodes ETMv4, ETE, ETMv3, ETMv2, PTM, MTB and ETMv1; the "
         "bytes are accounted as a gap",
         "nothing, if the program's flow is what you want; another program reads what software "
         "wrote there."},
    {CLI_NO_SYNC,
         "Decoding begins at a synchronisation, and the source has none: nothing was "
         "decoded.",
         "problem: ETM_0: no synchronisation anywhere (11 zero bytes, then 0x80): "
         "nothing could be decoded [CAIRN-NO-SYNC]\n"
         "    costs 1000 bytes of trace\n"
         "    what to do: the bytes are not ETMv4 or ETE trace, or formatter frames "
         "hide it (--frames coresight; --frames none if they are taken for frames "
         "wrongly), or the trace is shorter than one synchronisation period (TRCSYNCPR)",
         "look at the file with xxd: ETMv4 and ETE begin with at least eleven zero "
         "bytes and 80\n"
         "now and then, ETMv3 and PTM with five. If there is no such place, it is "
         "another file, protocol, byte\n"
         "order or frame layout; lower the synchronisation period if the trace is "
         "shorter than that."},
    {CLI_WRAPPED,
         "The oldest bytes of a buffer that wrapped around begin in the middle of "
         "something. They cannot be\n"
         "decoded, and that is no fault: it counts for no exit status.",
         "note: ETM_0: 212 bytes (5.2 %) before the first synchronisation "
         "[CAIRN-WRAPPED]\n"
         "    costs 212 bytes of trace; first at source offset 0x0, file offset 0x1\n"
         "    what to do: normal where the buffer wrapped around; a smaller TRCSYNCPR "
         "(ETMSYNCFR) makes the trace unit synchronise more often",
         "nothing; if it is a large part of a small buffer, lower the synchronisation "
         "period."},
    {CLI_MISSING_CYCLES,
         "The capture device of a trace port left cycles out in the middle of the trace. "
         "What came behind them\n"
         "could not be decoded up to the next branch with a full address (ETMv1) or Trace "
         "FIFO offset (ETMv2).",
         "warning: port.bin: 1180 bytes (29 %) behind cycles that are missing, in 2 places "
         "[CAIRN-MISSING-CYCLES]\n"
         "    costs 1180 bytes of trace; first at source offset 0x320, file offset 0x320\n"
         "    what to do: the device could not keep up, or its memory was read in pieces: store "
         "no cycles of Trace Disabled (PIPESTAT 7 with TRACEPKT[0] 0), or a shorter time",
         "have the device store what it can keep up with."},
    {CLI_LOST_DATA,
         "Data of ETMv1 has no headers, and what the registers and the image want did not "
         "come.",
         "warning: port.bin: data of 200 instructions did not come, of 200 transfers and "
         "instructions [CAIRN-LOST-DATA]\n"
         "    first at source offset 0x28, file offset 0x28",
         "compare ETMCR bits 3:1, the image, and LDCWORDS with what was traced."},
    {CLI_TRACE_LOST,
         "The capture itself says that trace was lost before it was recorded: the driver "
         "flags a part (truncated,\n"
         "partial or collided AUX records of perf), or bytes that it tells of are not in the "
         "file. What ran there is not\n"
         "in the trace, and a gap stands for it (lost), also behind the last part. Of records that "
         "perf lost while recording\n"
         "(LOST), or that are cut off, nobody knows what they were of: there is no gap, and trace, "
         "mappings or threads are\n"
         "missing.",
         "warning: cpu3: trace was lost before it was recorded, in 2 places: what ran there is "
         "not known [CAIRN-TRACE-LOST]\n"
         "    first at source offset 0x23, file offset 0x2e0\n"
         "    what to do: record with a larger buffer (perf record -m,SIZE), or less at a time",
         "of this trace, nothing: counts are too small by what ran there, and nobody knows by "
         "how much. Record again,\n"
         "with a larger buffer, fewer processors, or less of the program."},
    {CLI_RESERVED,
         "Packets that the protocol does not have: the bytes from there to the next "
         "synchronisation are lost.",
         "problem: ETM_0: 3 bytes (7.1 %) in reserved packets and behind them "
         "[CAIRN-RESERVED]\n"
         "    costs 3 bytes of trace; first at source offset 0x1b, file offset 0x1b\n"
         "    what to do: the bytes are damaged, or they are not of this protocol or "
         "this trace ID: compare the protocol, TRCDEVARCH, the frame layout and the "
         "trace ID with what the hardware is set to",
         "a few in one place are damage, and no more than the segment is lost. Many, "
         "everywhere:\n"
         "compare the protocol, the registers, the frame layout and the trace ID with "
         "the hardware."},
    {CLI_CUT,
         "A synchronisation stands in the middle of a packet: bytes are missing in "
         "front of it.",
         "problem: ETM_0: 2 bytes (0.1 %) in packets that a synchronisation cuts short "
         "[CAIRN-CUT]\n"
         "    costs 2 bytes of trace; first at source offset 0x84, file offset 0x96\n"
         "    what to do: bytes are missing there: a dump taken while the trace unit "
         "was running, a lossy trace port or a buffer that wrapped",
         "stop the trace unit before the dump; look for what loses bytes: a trace "
         "port's timing, a\n"
         "full FIFO."},
    {CLI_TRUNCATED,
         "The source ends inside a packet.",
         "warning: ETM_0: 3 bytes (7.1 %) in a packet that the end of the source cuts "
         "short [CAIRN-TRUNCATED]\n"
         "    costs 3 bytes of trace; first at source offset 0x1b, file offset 0x1b\n"
         "    what to do: the buffer was full, or it was read before the trace unit was "
         "flushed: disable the trace unit and wait for TRCSTATR.IDLE, flush the "
         "formatter, then read",
         "disable the trace unit, wait for TRCSTATR.IDLE, flush the formatter, and only "
         "then read\n"
         "the buffer."},
    {CLI_NOT_DECODED,
         "Packets, or code, that this version does not decode: conditional instructions "
         "and data of ETMv4,\n"
         "ThumbEE and Jazelle code. Flow goes on at the next address.",
         "warning: ETM_0: 1 byte (4.5 %) in packets, or of ThumbEE or Jazelle code, "
         "that this version does not decode [CAIRN-NOT-DECODED]\n"
         "    costs 1 branch; first at source offset 0xe, file offset 0xe\n"
         "    what to do: flow goes on at the next address in ARM or Thumb state",
         "trace without them, if they are not what you look for: INSTP0, COND, DA and "
         "DV of\n"
         "TRCCONFIGR."},
    {CLI_NO_ADDRESS,
         "Branches came while it was not known where execution stands.",
         "warning: ETM_0: 4 bytes (0.3 %) before an address and a context were known "
         "[CAIRN-NO-ADDRESS]\n"
         "    costs 9 branches; first at source offset 0x12, file offset 0x15\n"
         "    what to do: nothing, if it is a few bytes behind a synchronisation or "
         "follows from missing memory; else packets are missing before",
         "nothing, if it is little; it follows from missing memory, which comes first, "
         "or from\n"
         "lost packets."},
    {CLI_RETURN_STACK,
         "A return has no address in the trace, since a return stack is said to know "
         "it, and the stack is\n"
         "empty.",
         "problem: ETM_0: 2 bytes (0.1 %) in returns without an address and an empty "
         "return stack [CAIRN-RETURN-STACK]\n"
         "    costs 5 branches; first at source offset 0x40, file offset 0x45\n"
         "    what to do: TRCCONFIGR.RS may be given as 1 although the trace was made "
         "without it, the image may be of another build, or calls were lost before",
         "compare TRCCONFIGR.RS (ETMCR bit 29 of PTM) with the hardware, and the image "
         "with the\n"
         "program."},
    {CLI_OVERFLOW,
         "The trace unit could not write as fast as the core ran. What ran then is not "
         "in the trace.",
         "problem: ETM_0: the trace unit overflowed 1 time: what ran then is not traced "
         "[CAIRN-OVERFLOW]\n"
         "    first at source offset 0x1b, file offset 0x1b\n"
         "    what to do: trace less (filters, no cycle counts or timestamps), or let "
         "the trace unit stall the core (TRCSTALLCTLR)",
         "trace less: filter by address or exception level, leave cycle counts and "
         "timestamps off;\n"
         "or let the trace unit stall the core."},
    {CLI_DISCARD,
         "The trace unit took back what was not certain to be executed when it was "
         "switched off. Nothing that\n"
         "is known to have run is missing; it counts for no exit status.",
         "note: ETM_0: 3 bytes (0.2 %) not resolved when the trace unit discarded them "
         "[CAIRN-DISCARD]\n"
         "    costs 4 branches; first at source offset 0x70, file offset 0x7d\n"
         "    what to do: normal where tracing was switched off in the middle of "
         "speculative execution",
         "nothing."},
    {CLI_UNRESOLVED,
         "The trace ends while the core speculated: it does not say whether these "
         "instructions were executed.\n"
         "It counts for no exit status.",
         "note: ETM_0: 2 bytes (0.1 %) still speculative at the end of the source "
         "[CAIRN-UNRESOLVED]\n"
         "    costs 3 branches; first at source offset 0x70, file offset 0x7d\n"
         "    what to do: normal at the end of a buffer: whether these were executed is "
         "not in the trace",
         "nothing: that is normal at the end of a buffer."},
    {CLI_LIMIT,
         "A bound that protects from endless work was reached: of speculation, of a "
         "transaction, or of the\n"
         "instructions that one packet executes.",
         "problem: ETM_0: 12 bytes (0.4 %) beyond a bound on speculation, transactions "
         "or walks [CAIRN-LIMIT]\n"
         "    costs 40 branches; first at source offset 0x99, file offset 0xac\n"
         "    what to do: TRCIDR8.MAXSPEC or a Trace Info packet gives an impossible "
         "speculation depth, or the image holds endless straight code: the bytes are "
         "damaged or the image is not the program",
         "compare TRCIDR8 with the hardware, and the image with the program."},
    {CLI_UNKNOWN_Q,
         "A Q element tells that instructions were executed, and not which: it has no "
         "count, or there was a\n"
         "branch among them whose outcome it does not tell. That is how the trace was "
         "made, and no gap.",
         "warning: ETM_0: 7 Q elements tell that instructions were executed, and not "
         "which: there was a branch among them, or no count [CAIRN-UNKNOWN-Q]\n"
         "    costs 7 branches\n"
         "    what to do: trace without Q elements (TRCCONFIGR.QE, TRCQCTLR), or with "
         "those that have a count",
         "trace without Q elements where that path matters."},
    {CLI_NO_IMAGE,
         "Execution went where no memory of the program is known: neither the capture "
         "nor --image has any. The\n"
         "flow goes on at the next address in the trace.",
         "problem: ETM_0: 1 byte (3.7 %) in 1 packet could not be followed: no image "
         "for these addresses [CAIRN-NO-IMAGE]\n"
         "    costs 1 branch; first at source offset 0x15, file offset 0x15\n"
         "    0x2000  1 time\n"
         "    what to do: give the program or library that was loaded there: --image "
         "FILE.elf, --image FILE.elf@LOAD_OFFSET (position independent) or --image "
         "DUMP.bin@ADDRESS",
         "match the ranges with the memory map of the process: the main program, shared "
         "libraries,\n"
         "the kernel and its modules, vDSO, code that was made at run time."},
    {CLI_IMAGE_MISMATCH,
         "Instructions that were executed differ between a file (given with --image, or named by a recording)\n"
         "and what the capture has, or another file given. One of the two is not what ran.",
         "problem: bad.bin is not what ran: 1 instruction that was executed differs from [dump0] of cpu_0 "
         "(dump0.bin); at 0x1000 the file has `b 0x4000` (14000c00), and there is `b 0x2000` (14000400). "
         "Followed was bad.bin [CAIRN-IMAGE-MISMATCH]\n"
         "    costs 1 instruction\n"
         "    what to do: it is another build, or it was changed since: give the file that ran, loaded "
         "where it was; or, if the capture's own memory is right, leave --image out",
         "compare build-ids and load addresses. docs/images.md tells which of the two is followed."},
    {CLI_IMAGE_DIFFERS,
         "A file given with --image differs from what the capture has, and none of that was executed.",
         "note: prog differs from [dump1] of cpu_0 (program.bin) at 0x80000100 (4 bytes in all), and none "
         "of it was executed [CAIRN-IMAGE-DIFFERS]",
         "nothing, if these are data."},
    {CLI_IMAGE_CONTRADICTED,
         "The trace and a file of the image cannot both be right: a branch that is always taken was not, flow\n"
         "goes on elsewhere than a direct branch leads, an undefined instruction was executed, a call exception\n"
         "has no such instruction, or a packet cannot be followed. What is listed from there on is not what ran.",
         "problem: ETM_0: [dump0] of cpu_0 (dump0.bin) contradicts the trace 1 time (1 time the flow goes on "
         "elsewhere): behind `b 0x4000` at 0x1000 the image goes on at 0x4000, the trace at 0x2000 "
         "[CAIRN-IMAGE-CONTRADICTED]\n"
         "    costs 1 branch; first at source offset 0x16, file offset 0x16\n"
         "    what to do: the file is probably not what ran: another build or load address, or code that "
         "changed at run time; give the one that did with --image",
         "compare build-ids and load addresses; a kernel patches its text at boot, so take a dump\n"
         "of the running kernel's memory instead of vmlinux."},
    {CLI_IMAGE_CHANGED,
         "A process has mapped a file where another one was (dlopen, exec, code that is compiled again) in the midst of\n"
         "a part of a perf.data file, and nothing in the trace tells where that is. What was executed of either at the\n"
         "addresses that both have is a gap in that part. Addresses that only one has, and other parts, are followed.",
         "warning: 1 file was mapped where another one was, in the midst of a part of the trace: from which byte "
         "on it was there is not known, and what was executed at these addresses meanwhile, if anything was, is a "
         "gap. The first is /second where /first was, at 0x1000, in cpu3 from byte 0x0 on up to the end. Record "
         "with timestamps of the kernel's clock (perf record -e cs_etm/timestamp/), or in shorter parts. "
         "[CAIRN-IMAGE-CHANGED]",
         "of this trace, nothing. Timestamps of the kernel's clock tell where it is, and so does the entry of a program\n"
         "that was started, if the program and its loader are here (--sysroot)."},
    {CLI_IMAGE_UNUSED,
         "A file was given with --image and not one executed instruction is at its addresses.",
         "problem: no executed instruction lies in prog, given as --image prog (at 0x0) [CAIRN-IMAGE-UNUSED]\n"
         "    what to do: give --image prog@0x5500000000: the recording says that the file of its build-id "
         "was there",
         "give it with the address that it was loaded at: --image FILE@ADDRESS, or FILE@auto."},
    {CLI_IMAGE_ARCHITECTURE,
         "A file was given for AArch32, and only AArch64 code was traced, or the reverse.",
         "problem: prog is a program for AArch32 (Arm, 32 bits), and all that was traced is A64 code "
         "[CAIRN-IMAGE-ARCHITECTURE]",
         "give the file that ran; `readelf -h FILE` tells what one is for."},
    {CLI_IMAGE_TRUNCATED,
         "A file given ends before its code does.",
         "problem: prog is truncated: 4096 bytes of its code are not in it [CAIRN-IMAGE-TRUNCATED]",
         "copy the whole file again."},
    {CLI_IMAGE_STRIPPED,
         "A file given has no symbols. Flow is the same, without names.",
         "note: prog has no symbols: its functions have no names [CAIRN-IMAGE-STRIPPED]",
         "give the file as it was before strip."},
    {CLI_ELF_AS_RAW,
         "An ELF file was given as a raw dump, with the address of its first byte: its header stands where the\n"
         "code should, and its code elsewhere.",
         "problem: [dump1] of cpu_0: dump1.bin is an ELF file, used as raw bytes from 0x0 on: that puts its "
         "code at 0x78, and it is loaded at 0x2000 [CAIRN-ELF-AS-RAW]\n"
         "    costs 1 branch\n"
         "    what to do: remove address=, offset= and length= from that section: without them the file is "
         "loaded where it says itself; or, with the capture as it is, give --image dump1.bin",
         "take address= of the section away; --fix writes the description so."},
    {CLI_MODULE_CHANGED,
         "A file that a recording names is another one now: its build-id differs, or it is no ELF file. What was\n"
         "recorded is followed, and the file gives no names.",
         "problem: /home/me/prog has changed since it was recorded (its build-id was 5d1f...): it gives no "
         "names [CAIRN-MODULE-CHANGED]\n"
         "    what to do: put the file back that ran, or give it with --image FILE@0x5500000000",
         "put the file back that ran."},
    {CLI_MODULE_MISSING,
         "A file that a recording names is not there any more, so its functions have no names.",
         "note: /home/me/prog: what was recorded is not there any more, so its functions have no names "
         "[CAIRN-MODULE-MISSING]",
         "put it back, or give a copy with --image FILE@ADDRESS."},
    {CLI_DEBUG_MISSING,
         "A program was compiled with -gsplit-dwarf: it has source lines, and its functions are in other files\n"
         "(.dwo), or in a package of these (.dwp), which are not here. Counts of lines that were inlined several\n"
         "times, and what `cairn pgo --format llvm` needs, come from there. Or what it has in common with other\n"
         "programs was put into a file of its own (dwz -m), which is not here: names, and what is inlined.",
         "note: /home/me/prog: the functions of a source file, and what is inlined in them, are not known by debug "
         "information: that is in /home/me/prog-main.dwo, which is not here (-gsplit-dwarf) "
         "[CAIRN-DEBUG-MISSING]",
         "put them back, tell their folder by --debug-dir, or pack them beside the program while they are there:\n"
         "`dwp -e prog -o prog.dwp`."},
};
/* clang-format on */

const struct cli_code *cli_code_at(size_t index)
{
    size_t count = sizeof codes / sizeof codes[0];

    if (index < count)
        return &codes[index];
    index -= count;
    count = CLI_CODES_DOUBTS;
    if (index < count)
        return &cli_codes_doubts[index];
    index -= count;
    return index < CLI_CODES_TRBE ? &cli_codes_trbe[index] : NULL;
}
