#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What is found in a long trace without listing it: --around and --function by stretches, with a scan and
by the index of a recording. What is expected is worked out here from whole listings of shorter traces;
the index is read and written here by what docs/formats.md says of it.

usage: test_stretches.py CAIRN"""
import os
import re
import struct
import sys
import tempfile

from common import ALIGNMENT_SYNC, START, Tap, bytes_of, expect, expect_in, run, sanitized, words

INSTRUCTION = re.compile(r'^[0-9a-f]+( [EN?])?$')
WAYS = [['--jobs', '1'], ['--jobs', '2'], ['--reference']]

# A loop of four instructions (Arm ARM C6.2: ADD X0, X0, #1 three times, B .-12), at 0x1000 and at 0x2000.
LOOP = [0x91000400, 0x91000400, 0x91000400, 0x17fffffd]
# Tracing starts at 0x2000 (DDI0608 D5.4, D5.7, D5.56), for two rounds (D5.40: Atom format 1, E).
ELSEWHERE = ALIGNMENT_SYNC + bytes_of('01 00' '04' '82 00 10 00 00 31')
ROUND = b'\xf7'
VISIT = ELSEWHERE + ROUND * 2 + START
MANY = b'\xd4'  # Atom format 6, 24 times E (D5.46)
RARE = '0x2000..0x200f'


def trace_of(segments, length, atoms, visited):
    """Segments that begin with a synchronisation; those of `visited` have a visit in their midst."""
    out = []
    for number in range(segments):
        half = atoms * (length // 2)
        out.append(START + half + (VISIT if number in visited else b'') + half)
    return b''.join(out)


def first_difference(what, got, wanted):
    if got == wanted:
        return []
    for i, (a, b) in enumerate(zip(got + [None], wanted + [None])):
        if a != b:
            return ['%s: line %d is %r, expected %r (%d lines, expected %d)' %
                    (what, i, a, b, len(got), len(wanted))]
    return ['%s: %d lines, expected %d' % (what, len(got), len(wanted))]


def inside(lines, low, high):
    """What is in a range of addresses, and the events before anything else is executed."""
    out, within, apart = [], False, False
    for line in lines:
        if INSTRUCTION.match(line):
            within = low <= int(line.split()[0], 16) < high
        apart = apart or not within
        if within:
            if apart and out:
                out.append('# --')
            out.append(line)
            apart = False
    return out


def around(lines, context, address):
    """So many instructions before and behind each execution of an address."""
    at = [i for i, line in enumerate(lines) if INSTRUCTION.match(line)]
    wanted = set()
    for place, i in enumerate(at):
        if lines[i].split()[0] != address:
            continue
        if context == 0:
            wanted.add(i)
            continue
        first = at[place - context] if place >= context else 0
        last = at[place + context] if place + context < len(at) else len(lines) - 1
        wanted.update(range(first, last + 1))
    out, last = [], None
    for i in sorted(wanted):
        if last is not None and i != last + 1:
            out.append('# --')
        out.append(lines[i])
        last = i
    return out


def flow(cairn, *arguments):
    """The lines of the only source, without its heading."""
    return run(cairn, 'flow', '--format', 'addresses', *arguments).lines()[1:]


def check_scan(cairn):
    """A raw buffer of 90 KB, which has no index."""
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        trace, image = os.path.join(folder, 'trace'), os.path.join(folder, 'image')
        with open(image, 'wb') as file:
            file.write((words(LOOP) + bytes(0x1000))[:0x1000] + words(LOOP))
        with open(trace, 'wb') as file:
            file.write(trace_of(220, 400, ROUND, {0, 7, 8, 100, 101, 150, 219}))
        common = ['--protocol', 'ete', '--frames', 'none', '--image', image + '@0x1000', trace]
        whole = flow(cairn, *common)
        for context in (0, 3, 20, 20000):
            wanted = around(whole, context, '2004')
            for way in WAYS:
                got = flow(cairn, '--around', '0x2004', '--context', context, *way, *common)
                failures += first_difference('--context %d %s' % (context, way), got, wanted)
        wanted = around(whole, 3, '2004')
        got = flow(cairn, '--around', '0x2004', '--context', 3, '--first', 5, *common)
        failures += expect('--first 5: executions', sum(line == '2004' for line in got), 5)
        failures += first_difference('--first 5', got, wanted[:len(got)])
        wanted = inside(whole, 0x2000, 0x2010)
        for way in WAYS:
            got = flow(cairn, '--function', RARE, *way, *common)
            failures += first_difference('--function %s' % way, got, wanted)
        failures += expect('visits', sum(line == '2000' for line in wanted), 14)
    return failures


# --- a recording, and its index by docs/formats.md ---

SEGMENT = 4000
SEGMENTS = 4300  # 17 MB
VISITED = {5, 1000, 1001, 2500, 4200}
DUMP = '[dump%d]\nfile=memory.bin\naddress=0x%x\nlength=0x10\noffset=0x0\n'
FILES = {
    'snapshot.ini': '[snapshot]\nversion=1.0\nrecorder=cairn\n[device_list]\ndevice0=core.ini\ndevice1=unit.ini\n'
                    '[trace]\nmetadata=trace.ini\n[program]\nmetadata=program.ini\n',
    'trace.ini': '[trace_buffers]\nbuffers=buffer0\n[buffer0]\nname=unit\nfile=unit.bin\nformat=source_data\n'
                 '[source_buffers]\nunit=unit\n[core_trace_sources]\ncore=unit\n',
    'unit.ini': '[device]\nname=unit\nclass=trace_source\ntype=ETE\n[regs]\nTRCCONFIGR=0x1\nTRCTRACEIDR=0x1\n'
                'TRCIDR0=0x2881cea1\nTRCIDR1=0xfff0\nTRCIDR2=0x50001088\nTRCIDR8=0x0\nTRCDEVARCH=0x47725a13\n',
    'core.ini': '[device]\nname=core\nclass=core\ntype=ARM-AA64\n[regs]\n' + DUMP % (1, 0x1000) +
                DUMP % (2, 0x2000),
    'program.ini': '[program]\npath=/nowhere\nrecorder=cairn of a test\n',
}


def write(folder, name, data):
    with open(os.path.join(folder, name), 'wb') as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def read(folder, name):
    with open(os.path.join(folder, name), 'rb') as file:
        return file.read()


def make_recording(folder, trace):
    for name, text in FILES.items():
        write(folder, name, text)
    write(folder, 'memory.bin', words(LOOP))
    write(folder, 'unit.bin', trace)


MASK = (1 << 64) - 1


def mix(lane, value):
    lane = ((lane ^ value) * 0xd6e8feb86659fd93) & MASK
    return lane ^ lane >> 32


def hash_of(before, data):
    lanes = [(before + (i + 1) * 0x9e3779b97f4a7c15) & MASK for i in range(8)]
    result = mix(before, len(data))
    for numbers in struct.iter_unpack('<8Q', data + bytes(-len(data) % 64)):
        lanes = [mix(lane, number) for lane, number in zip(lanes, numbers)]
    for lane in lanes:
        result = mix(result, lane)
    return result


def number_at(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def number_of(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def parse_index(data, trace):
    """Failures, where the records begin, and what they say: lists of numbers."""
    magic, _, size, blocks = struct.unpack('<8s3Q', data[:32])
    failures = expect('magic', magic, b'CAIRNIX1') + expect('size', size, len(trace))
    failures += expect('blocks', blocks, -(-len(trace) // 0x40000))
    for block in (0, blocks - 1):
        part = trace[block * 0x40000:][:0x40000]
        failures += expect('hash of block %d' % block, hash_of(0, part),
                           struct.unpack_from('<Q', data, 32 + 8 * block)[0])
    at = begin = 32 + 8 * blocks
    chain, records = 0, []
    while True:
        length, at = number_at(data, at)
        record = data[at:at + length]
        chain = hash_of(chain, record)
        if struct.unpack_from('<I', data, at + length)[0] != chain & 0xffffffff:
            return failures + ['the check of record %d is wrong' % len(records)], begin, records
        at += length + 4
        if not length:
            return failures + expect('bytes behind the end', len(data) - at, 0), begin, records
        numbers, place = [], 0
        while place < length:
            value, place = number_at(record, place)
            numbers.append(value)
        records.append(numbers)


def write_records(records):
    out, chain = [], 0
    for numbers in records + [[]]:
        record = b''.join(map(number_of, numbers))
        chain = hash_of(chain, record)
        out.append(number_of(len(record)) + record + struct.pack('<I', chain & 0xffffffff))
    return b''.join(out)


def without_blocks(numbers):
    """A record that says that no block came or went."""
    return numbers[:3 + 1 + 2 * numbers[3]] + [0]


def check_records(records, size):
    failures = expect('stretches cover the trace', sum(numbers[0] for numbers in records), size)
    blocks, now, found, at = [], set(), set(), 0
    for numbers in records:
        rest = numbers[4:]
        for i in range(numbers[3]):
            difference = rest[2 * i] >> 1 ^ -(rest[2 * i] & 1)
            blocks.append(((blocks[-1][0] if blocks else 0) + difference, rest[2 * i + 1]))
        rest, number = rest[2 * numbers[3] + 1:], 0
        for difference in rest:
            number += difference
            now ^= {number}
        if any(blocks[block - 1] == (0x2000, 0x10) for block in now):
            found.add(at)
        at += numbers[0]
    segment = len(START) + SEGMENT
    wanted = {number * segment for number in VISITED}
    failures += expect('each visit is in a stretch that says so',
                       [any(begin <= place + segment and place < begin + 0x8000 for begin in found)
                        for place in sorted(wanted)], [True] * len(wanted))
    if len(found) > 2 * len(wanted):
        failures.append('%d stretches are said to have a visit' % len(found))
    return failures


def check_index(cairn):
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        visits = {1, 3, 4, 6, 8}
        make_recording(folder, trace_of(10, 40, MANY, visits))
        whole = flow(cairn, folder)
        function, near = inside(whole, 0x2000, 0x2010), around(whole, 2, '2004')
        failures += expect('visits', sum(line == '2000' for line in function), 2 * len(visits))

        def compare(what, *arguments, wanted=function):
            got = flow(cairn, '--function', RARE, *arguments, folder)
            return first_difference(what, got, wanted)

        answer = run(cairn, 'record', '-o', folder, '--index')
        failures += expect('little trace: status', answer.status, 0)
        failures += expect_in('little trace', 'no index is needed', answer.err)
        failures += expect('little trace: there is none', os.listdir(folder).count('unit.index'), 0)

        trace = trace_of(SEGMENTS, SEGMENT, MANY, VISITED)
        write(folder, 'unit.bin', trace)
        failures += compare('without an index')
        answer = run(cairn, 'record', '-o', folder, '--index')
        failures += expect('status', answer.status, 0)
        failures += expect_in('message', 'unit: an index of ', answer.err)
        index = read(folder, 'unit.index')
        wrong, begin, records = parse_index(index, trace)
        failures += wrong + check_records(records, len(trace))
        for way in WAYS[1:2] if sanitized(cairn) else WAYS[:2]:
            failures += compare('with an index %s' % way, *way)
            got = flow(cairn, '--around', '0x2004', '--context', 2, *way, folder)
            failures += first_difference('--around %s' % way, got, near)

        # It is used: what it does not tell is not found.
        lies = index[:begin] + write_records([without_blocks(numbers) for numbers in records])
        write(folder, 'unit.index', lies)
        failures += compare('an index without blocks',
                            wanted=['# nothing of the function was executed here'])
        # ... as far as everything is what it was.
        write(folder, 'unit.ini', FILES['unit.ini'].replace('TRCTRACEIDR=0x1', 'TRCTRACEIDR=0x2'))
        failures += compare('another configuration')
        write(folder, 'unit.ini', FILES['unit.ini'])
        write(folder, 'memory.bin', words(LOOP[:2] + LOOP[:1] + LOOP[3:]))
        failures += compare('the same memory', wanted=['# nothing of the function was executed here'])
        write(folder, 'memory.bin', words([0x91000800] + LOOP[1:]))
        failures += compare('other memory')
        write(folder, 'memory.bin', words(LOOP))
        for place in (300, 2000, SEGMENTS - 1)[:1 if sanitized(cairn) else 3]:
            at = place * (len(START) + SEGMENT) + 2000
            write(folder, 'unit.bin', trace[:at] + VISIT + trace[at + len(VISIT):])
            write(folder, 'unit.index', index)
            got = flow(cairn, '--function', RARE, folder)
            failures += expect('visits with one more at %d' % place,
                               sum(line == '2000' for line in got), 2 * len(VISITED) + 2)
        write(folder, 'unit.bin', trace + VISIT)
        failures += expect('visits with one more behind the end',
                           flow(cairn, '--function', RARE, folder).count('2000'),
                           2 * len(VISITED) + 2)
        write(folder, 'unit.bin', trace)
        half = (begin + len(index)) // 2
        for what, data in (('half an index', index[:half]), ('nothing', b''), ('a header', index[:32]),
                           ('zeros', bytes(len(index))),
                           ('a wrong byte', index[:half] + bytes([index[half] ^ 4]) + index[half + 1:]),
                           ('a wrong hash', index[:40] + bytes([index[40] ^ 1]) + index[41:]),
                           ('a long record', index[:begin] + b'\xff' * 9 + b'\x01' + index[begin:]))[
                               ::3 if sanitized(cairn) else 1]:  # each is another scan of all
            write(folder, 'unit.index', data)
            failures += compare(what)
            got = flow(cairn, '--around', '0x2004', '--context', 2, '--first', 3, folder)
            failures += expect(what + ': around', got.count('2004'), 3)
    return failures


# An IRQ behind the instruction at 0x2000 (D5.13): what was executed up to it is told by its packet, and
# belongs to the stretch of that, though the next word is in the one behind.
CUT_SHORT = ELSEWHERE + bytes_of('06 1d 95 81 10') + START


def check_borders(cairn):
    """Visits that end with an exception, at all distances to the end of a stretch."""
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        trace = bytearray(trace_of(SEGMENTS, SEGMENT, MANY, ()))
        make_recording(folder, bytes(trace))
        run(cairn, 'record', '-o', folder, '--index')
        _, _, records = parse_index(read(folder, 'unit.index'), bytes(trace))
        border, visits = 0, 0
        for number, record in enumerate(records):
            border += record[0]
            at = border - len(CUT_SHORT) + visits
            inside_segment = at % (len(START) + SEGMENT)
            if number % 7 == 3 and visits < 32 and 100 < inside_segment < SEGMENT - 200:
                trace[at:at + len(CUT_SHORT)] = CUT_SHORT
                visits += 1
        write(folder, 'unit.bin', bytes(trace))
        without = flow(cairn, '--function', RARE, folder)
        run(cairn, 'record', '-o', folder, '--index')
        got = flow(cairn, '--function', RARE, folder)
        failures += expect('visits', (visits, without.count('2000')), (32, 32))
        failures += first_difference('with an index', got, without)
    return failures


def check_others(cairn):
    """Beside what is no recording nothing is written."""
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        make_recording(folder, trace_of(SEGMENTS, SEGMENT, MANY, VISITED))
        write(folder, 'program.ini', '[program]\npath=/nowhere\n')
        before = sorted(os.listdir(folder))
        answer = run(cairn, 'record', '-o', folder, '--index')
        failures += expect('status', answer.status, 2)
        failures += expect_in('message', 'is no recording of `cairn record`', answer.err)
        failures += expect('files', sorted(os.listdir(folder)), before)
        answer = run(cairn, 'record', '-o', os.path.join(folder, 'none'), '--index')
        failures += expect('no folder: status', answer.status, 2)
    return failures


def main():
    cairn = sys.argv[1]
    tap = Tap()
    tap.case('by a scan', check_scan(cairn))
    for name, check in (('by an index', check_index), ('visits at the borders of stretches', check_borders)):
        if 'CAIRN_QUICK' in os.environ:
            tap.skip(name, 'make test has it')
        elif check == check_borders and sanitized(cairn):
            tap.skip(name, 'the sanitizers are too slow for it')
        else:
            tap.case(name, check(cairn))
    tap.case('captures of others', check_others(cairn))
    tap.end()


if __name__ == '__main__':
    main()
