# SPDX-License-Identifier: BSD-2-Clause
"""What the plain plugin told, and whether a flow is that."""
import array
import itertools
import re
import struct

# The instruction was told, and not executed.
NOT_EXECUTED = ('Data Fault', 'Trap', 'Alignment', 'Inst Debug', 'Data Debug')
TRIES = 4000


class Told:
    """Addresses in order, each with its core."""

    def __init__(self, path):
        with open(path, 'rb') as file:
            self.bytes = file.read()
        self.cores = self.bytes[7::8]
        plain = bytearray(self.bytes)
        plain[7::8] = bytes(255 if byte == 255 else 0 for byte in self.bytes[6::8])
        self.plain = bytes(plain)

    def runs(self, programs):
        """{name: [executions]} of {name: (bits 31:24 of its addresses, the one where it begins, how often it goes through that each
        time)}; an execution: {core: addresses, as bytes}."""
        runs = {name: [] for name in programs}
        of_range = {base: [name, entry, times, 0] for name, (base, entry, times) in programs.items()}
        for at, address in enumerate(array.array('Q', self.plain)):
            mine = of_range.get(address >> 24)
            if not mine:
                continue
            name, entry, times, _ = mine
            if address == entry:
                if mine[3] % times == 0:
                    runs[name].append({})
                mine[3] += 1
            if runs[name]:
                runs[name][-1].setdefault(self.cores[at], array.array('Q')).append(address)
        return {name: [{core: once_each(stream) for core, stream in execution.items()} for execution in executions]
                for name, executions in runs.items()}

    def from_entry(self, entry, nth):
        """All of it, from the nth time that this is executed on."""
        words = array.array('Q', self.plain)
        at = [at for at, word in enumerate(words) if word == entry]
        return once_each(words[at[nth]:]) if nth < len(at) else b''


def once_each(stream):
    """Without what is told again at once: an instruction is begun anew behind a fault, and when QEMU wants it alone."""
    return array.array('Q', (word for word, _ in itertools.groupby(stream))).tobytes()


class Flow:
    """`cairn flow --format addresses`: of each core, segments of what was executed without a break; and gaps."""

    def __init__(self, text, wanted):
        self.segments, self.gaps, self.count = {}, [], 0
        segments = self.segments.setdefault(0, [])
        segment, before = [], None
        for line in text.splitlines():
            if line[0] != '#':
                address = int(line.split()[0], 16)
                if wanted(address):
                    self.count += 1
                    if address != before:
                        segment.append(address)
                before = address
                continue
            if line.startswith('# timestamp'):
                continue
            exception = re.match(r'# exception (.*) at 0x([0-9a-f]+)', line)
            source = re.match(r'# source cpu(\d+)', line)
            if exception and exception[1] in NOT_EXECUTED and wanted(int(exception[2], 16)):
                if int(exception[2], 16) != before:
                    segment.append(int(exception[2], 16))
                before = int(exception[2], 16)
            if line.startswith('# gap'):
                self.gaps.append(line)
            if (source or line.startswith(('# gap', '# trace on'))) and segment:
                segments.append(segment)
                segment = []
                if not line.startswith('# trace on'):
                    before = None
            if source:
                segments = self.segments.setdefault(int(source[1]), [])
        if segment:
            segments.append(segment)


def missed_late(segments, stream):
    """The same where the stream begins later than the segments, of which none is in it before all that follow are."""
    problem = 'there are no segments'
    for first in range(len(segments)):
        problem, between = missed(segments[first:], stream)
        if not problem:
            return None, between, sum(map(len, segments[first:]))
    return problem, 0, 0


def missed(segments, stream):
    """(why the segments are not what was executed, in this order; how many instructions between them are in none)."""
    at = between = 0
    for number, segment in enumerate(segments):
        bytes_ = struct.pack('<%dQ' % len(segment), *segment)
        found = at
        for _ in range(TRIES):
            found = stream.find(bytes_, found)
            if found < 0 or found % 8 == 0:
                break
            found += 1
        if found < 0 or found % 8:
            expected = struct.unpack_from('<4Q', stream, at) if at + 32 <= len(stream) else ()
            return 'segment %d of %d, %d instructions from 0x%x on, is not behind %d that were executed; next are %s' % (
                number, len(segments), len(segment), segment[0], at // 8, ' '.join('0x%x' % word for word in expected)), 0
        between += (found - at) // 8
        at = found + len(bytes_)
    return None, between + (len(stream) - at) // 8
