#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""perf.data as a capture of trace: the trace of examples/capture, in files made by hand of both byte orders, all
versions of cs_etm's header, with frames and without, by CPU and by thread, gives what its generator executed and wrote;
and recordings of simpleperf give simpleperf's own counts.

usage: test_perf_trace.py CAIRN
"""
import collections
import json
import os
import re
import shutil
import struct
import sys
import tempfile

from common import EXAMPLE_ADDRESSES, EXAMPLE_D11_1_1, Folder, Tap, expect, expect_in, framed_exactly, run, words
from perf_file import (AUX, COLLISION, ETE, ETMV3, ETMV4, FILTERED, FORK, HW_ID, LOST_SAMPLES, MMAP, NOBODY, OVERWRITE, PARTIAL, RAW_TRACE, TRACED, TRUNCATED,
                       Perf, perf_script)
from stripped import split

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CAPTURE = os.path.join(TOP, 'examples', 'capture')
CAPTURES = os.environ.get('CAIRN_CAPTURES')
ELF = os.path.join(CAPTURE, 'program.elf')
CODE = (0x80000000, 0x348, 0x78)  # of its one segment: address, size, offset in the file
UNSURE_ID = 1 << 31

# The trace units of the example, in the order of cs_etm: CONFIGR, TRACEIDR, IDR0, IDR1, IDR2, IDR8, AUTHSTATUS, DEVARCH
ETE_0 = [0x841, 0x10, 0x2881cea1, 0x4100fff0, 0x1088, 0, 0, 0x47715a13]
ETM_1 = [0x1041, 0x11, 0x28000ea1, 0x4100f403, 0x488, 0, 0xcc]


def read(name, mode='rb'):
    with open(os.path.join(CAPTURE, name), mode) as file:
        return file.read()


def lines(name):
    return [line for line in read(name, 'r').splitlines() if line and not line.startswith('#')]


def rows_of(cairn, command, path, *arguments):
    """{source: its rows}"""
    parts = collections.defaultdict(list)
    for row in run(cairn, command, '--format', 'json', *arguments, path).rows():
        if 'source' in row:
            parts[row['source']].append(row)
    return parts


def addresses(rows):
    """As the generator writes them: the address, and E or N of what decides the path."""
    out = []
    for row in rows:
        if row['type'] != 'range':
            continue
        start, end = int(row['address'], 16), int(row['end'], 16)
        out += ['%x' % at for at in range(start, end, 4)]
        if row['p0']:
            out[-1] += ' ' + row['p0']
    return out


def packets(rows):
    return ['%d %d %s' % (row['offset'], row['length'], row['kind']) for row in rows if row['type'] == 'packet']


def told(cairn, path, *arguments):
    return json.loads(run(cairn, 'info', '--format', 'json', *arguments, path).out)


def traced(order='<', version=1, pipe=False, cpus=((ETE, 0, ETE_0), (ETMV4, 1, ETM_1))):
    perf = Perf(order)
    perf.event(TRACED, ids=[1], identified=True)
    perf.units(version, *cpus)
    perf.name(0x1234, 0x1234, 'program')
    perf.map(0x1234, *CODE, '/program.elf')
    return perf


def check_example(cairn, path, sources, *arguments):
    """Packets and flow of both trace units, in the buffer of one CPU as one sink for all gives it."""
    listed = rows_of(cairn, 'packets', path)
    flow = rows_of(cairn, 'flow', path, *(arguments or ('--image', ELF)))
    yield from expect('sources', sorted(listed), sorted(sources))
    with open(path, 'rb') as file:
        whole = file.read()
    for source, name in zip(sources, ('ETE_0', 'ETM_1')):
        yield from expect('packets of ' + source, packets(listed[source]), lines(name + '.packets'))
        yield from expect('flow of ' + source, addresses(flow[source]), lines(name + '.addresses'))
        for row in listed[source]:
            if row['type'] == 'packet' and row['length'] == 1:
                yield from expect('the byte in the file', whole[row['file_offset']] & 0xfe, int(row['bytes'], 16) & 0xfe)


def check_frames(cairn, folder):
    data = read('trace.bin')
    for order, version, pipe in (('<', 0, False), ('>', 1, False), ('<', 1, True), ('>', 0, True)):
        perf = traced(order, version)
        perf.aux(0, 64)
        perf.aux(64, 0)
        perf.trace(data[:96], 0)
        perf.aux(64, len(data) - 64)
        perf.trace(data[96:], 96)
        path = folder.write('frames.data', perf.pipe() if pipe else perf.file())
        yield from check_example(cairn, path, ('cpu0', 'cpu0-cpu1'))
        # what belongs to another CPU, and is mapped elsewhere, changes nothing
        perf.aux(0, 16, cpu=5)
        perf.map(0x1234, 0x1000, 0x1000, 0, '/lib/other.so')
        again = folder.write('again.data', perf.pipe() if pipe else perf.file())
        yield from check_example(cairn, again, ('cpu0', 'cpu0-cpu1'))
        yield from expect_in('AUX without AUXTRACE', 'of 1 parts of the trace (AUX records) 16 bytes are not in the file',
                             run(cairn, 'info', again).out)


def check_ids(cairn, folder):
    """Header version 2: no ID in the registers, which AUX_OUTPUT_HW_ID tells by the CPU that it is of."""
    data = read('trace.bin')
    cpus = [(kind, cpu, [registers[0], UNSURE_ID | 0x7f, *registers[2:]]) for kind, cpu, registers in (
        (ETE, 0, ETE_0), (ETMV4, 1, ETM_1))]
    for order in '<>':
        perf = traced(order, 2, cpus=cpus)
        for cpu, trace_id in ((0, 0x10), (1, 0x11)):
            perf.record(HW_ID, perf.words(trace_id | 5 << 8) + perf.whose(7, cpu), 0)
        perf.aux(0, len(data))
        perf.trace(data, 0)
        path = folder.write('ids.data', perf.file())
        yield from check_example(cairn, path, ('cpu0', 'cpu0-cpu1'))
        yield from expect('trace IDs', [source['trace_id'] for source in told(cairn, path)['sources']], [0x10, 0x11])
        # AUXTRACE_INFO comes last (perf record --tail-synthesize), or again
        head, tail = Perf(order), perf.data
        head.units(2, *cpus)
        for whole in (tail.replace(head.data, b'') + head.data, tail + head.data):
            perf.data = whole
            path = folder.write('tail.data', perf.file())
            yield from check_example(cairn, path, ('cpu0', 'cpu0-cpu1'))
    # of a version that is not known nothing is taken
    perf = traced('<', 2, cpus=cpus)
    perf.record(HW_ID, perf.words(1 << 60 | 0x10) + perf.whose(7, 0), 0)
    perf.aux(0, len(data))
    perf.trace(data, 0)
    path = folder.write('ids.data', perf.file())
    yield from expect('no trace unit', sorted(rows_of(cairn, 'packets', path)), ['id-0x10', 'id-0x11'])
    yield from expect_in('said', 'Trace ID 0x10 has', run(cairn, 'info', path).out)


def check_unsure_ids(cairn, folder):
    """perf of 6.2 to 6.10 marks the IDs in the registers, those that older kernels give, as not yet sure, and later ones do not:
    they hold where the kernel has no AUX_OUTPUT_HW_ID records (cs_etm__process_auxtrace_info_full of perf), and not for a CPU
    whose ID these tell, nor where that is of another one."""
    data = read('trace.bin')
    for name, flag, first, second, told_ids in (('an older kernel', UNSURE_ID, 0x10, 0x11, ()), ('a newer one', UNSURE_ID, 0x11, 0x10, ((0, 0x10), (1, 0x11))),
                                                ('without the flag', 0, 0x11, 0x10, ((0, 0x10), (1, 0x11))),
                                                ('one of them did not run', 0, 0x12, 0x11, ((0, 0x10), (1, 0x11)))):
        cpus = [(ETE, 0, [ETE_0[0], flag | first, *ETE_0[2:]]), (ETMV4, 1, [ETM_1[0], flag | second, *ETM_1[2:]])]
        if told_ids and not flag:
            cpus.insert(0, (ETE, 5, [ETE_0[0], 0x11, *ETE_0[2:]]))
        for order, pipe in ('<', False), ('>', True):
            perf = traced(order, 1, cpus=cpus)
            for cpu, trace_id in told_ids:
                perf.record(HW_ID, perf.words(trace_id) + perf.whose(7, cpu), 0)
            perf.aux(0, len(data))
            perf.trace(data, 0)
            path = folder.write('unsure.data', perf.pipe() if pipe else perf.file())
            yield from check_example(cairn, path, ('cpu0', 'cpu0-cpu1'))
            facts = told(cairn, path)
            yield from expect(name, [source['trace_id'] for source in facts['sources']], [0x10, 0x11])
            yield from expect('%s: %r' % (name, facts['remarks']), 'trace units have the trace ID' in ' '.join(facts['remarks']), False)


def raw_file(*units):
    perf = Perf()
    perf.event(TRACED, ids=[1], identified=True)
    perf.units(1, *[(ETE, 3, unit) for unit in units])
    return perf


def check_raw(cairn, folder):
    """The bytes of a trace buffer (TRBE) have no frames, and are padded in the AUXTRACE record."""
    unit = [0, 0, 0x2881cea1, 0x4100fff0, 0x1088, 0, 0, 0x47705a13]
    data = EXAMPLE_D11_1_1
    program = folder.program()
    for order in '<>':
        for cpu, tid, name in ((3, NOBODY, 'cpu3'), (NOBODY, 99, 'thread-99')):
            # another magic: TRCDEVARCH says what it is
            perf = Perf(order)
            perf.event(TRACED, ids=[1], identified=True)
            perf.units(1, (ETE, 3, unit))
            perf.name(7, 99, 'first')
            perf.name(7, 99, 'worker')
            perf.trace(data + b'\xff' * (-len(data) % 8), 0, cpu, tid)
            perf.aux(0, len(data), RAW_TRACE, 3, 99)
            path = folder.write('raw.data', perf.file())
            flow = rows_of(cairn, 'flow', path, *program)
            yield from expect('%s %s' % (order, name), {source: addresses(rows) for source, rows in flow.items()},
                              {name: EXAMPLE_ADDRESSES})
            yield from expect('thread', [(source['thread_id'], source['thread_name']) for source in told(cairn, path)['sources']],
                              [(99, 'worker') if cpu == NOBODY else (None, None)])
        perf.trace(data, 0x1000, cpu, tid)  # in several parts, of which one is nowhere
        perf.aux(0x1000, 20, RAW_TRACE, 3, 99)
        perf.aux(0x1014, len(data) - 20, RAW_TRACE | TRUNCATED | PARTIAL, 3, 99)
        perf.aux(0x2000, 5, RAW_TRACE | COLLISION, 3, 99)
        perf.aux(0x1000, 5, RAW_TRACE, 3, 99)
        perf.aux(0x3000, 5, 0x300, 3, 99)
        path = folder.write('raw.data', perf.file())
        yield from expect('in parts', addresses(rows_of(cairn, 'flow', path, *program)[name]), 2 * EXAMPLE_ADDRESSES)
        said = run(cairn, 'info', path).out
        yield from expect_in('flags', 'of its 3 parts the driver says that trace was lost behind 1 (truncated), in 1', said)
        yield from expect_in('missing', 'of 1 parts of the trace (AUX records) 5 bytes are not in the file', said)
        yield from expect_in('twice', '1 AUX records tell of bytes that others have told of, and 1 of a format', said)
    # behind a loss (by the flag, by the offset) what is in front of a synchronisation cannot be read; else it goes on
    for flags, offset, left_out in ((TRUNCATED, 0, 3), (PARTIAL, 0, 3), (COLLISION, 0, 3), (0, 8, 3), (0, 0, None)):
        perf = Perf()
        perf.event(TRACED, ids=[1], identified=True)
        perf.units(1, (ETE, 3, unit))
        perf.trace(data, 0, 3)
        perf.trace(b'\xf7' * 3 + data, len(data) + offset, 3)
        perf.aux(0, len(data), RAW_TRACE | flags, 3)
        perf.aux(len(data) + offset, 3 + len(data), RAW_TRACE, 3)
        path = folder.write('raw.data', perf.file())
        listed = [row['kind'] for row in rows_of(cairn, 'packets', path)['cpu3'] if row['type'] == 'packet']
        yield from expect('atoms %x %d' % (flags, offset), listed.count('ATOM_F1'), 0 if left_out else 3)
        yield from expect('left out', '3 bytes are left out' in run(cairn, 'info', path).out, bool(left_out))
    # a part without a synchronisation tells nothing of what comes next
    perf = raw_file(unit)
    perf.trace(data, 0, 3)
    perf.trace(b'\xf7' * 8, len(data), 3)
    perf.trace(b'\xf7' * 3 + data, len(data) + 8, 3)
    perf.aux(0, len(data), RAW_TRACE | TRUNCATED, 3)
    perf.aux(len(data), 8, RAW_TRACE, 3)
    perf.aux(len(data) + 8, 3 + len(data), RAW_TRACE, 3)
    path = folder.write('raw.data', perf.file())
    listed = [row['kind'] for row in rows_of(cairn, 'packets', path)['cpu3'] if row['type'] == 'packet']
    yield from expect('atoms of neither', listed.count('ATOM_F1'), 0)
    yield from expect_in('of both', '11 bytes are left out', run(cairn, 'info', path).out)
    # what is in no snapshot is no loss, but for what is missing between two of them
    for taken, lost in (((1,), 0), ((1, 3), 1), ((1, 2), 0)):
        perf = Perf()
        perf.event(TRACED, ids=[1], identified=True)
        perf.units(1, (ETE, 3, unit))
        for n in range(5):
            perf.aux(len(data) * (n + 1), len(data), RAW_TRACE | OVERWRITE, 3)
            if n in taken:
                perf.trace(data, len(data) * n, 3)
        path = folder.write('raw.data', perf.file())
        done = run(cairn, 'info', path)
        said = ' '.join(done.out.split())
        yield from expect_in('%r' % (taken,), 'snapshots (perf record --snapshot): of %d parts of the trace (AUX records) %d bytes' % (5 - len(taken), len(data) * (5 - len(taken))), said)
        yield from expect('no loss: ' + said, 'not in the file' in said, False)
        yield from expect('gaps %r' % (taken,), len([row for row in rows_of(cairn, 'elements', path)['cpu3'] if row.get('kind') == 'Gap' and row['fields'] == {'reason': 'lost'}]), lost)
    # a snapshot's offset is its end; and without AUX records all counts
    for flags, offset in ((RAW_TRACE | OVERWRITE, 0x5000 + len(data)), (None, 0)):
        perf = Perf()
        perf.event(TRACED, ids=[1], identified=True)
        perf.units(1, (ETE, 3, unit))
        perf.trace(data, 0x5000, 3)
        if flags:
            perf.aux(offset, len(data), flags, 3)
        path = folder.write('raw.data', perf.file())
        got = rows_of(cairn, 'flow', path, *program)
        yield from expect('%r' % flags, addresses(got.get('cpu3', [])), EXAMPLE_ADDRESSES if flags else [])


def check_rings(cairn, folder):
    """Snapshots of kernels before 5.4: an AUX record tells the place in the ring where the newest byte is, and the size of the ring.
    perf of that time takes what AUXTRACE records have, which begin at 0 until the ring has wrapped, and then at such a place."""
    data, room = read('trace.bin'), 0x10000
    size = len(data)
    for order in '<>':
        for name, places, pieces, times, more in (
                ('not wrapped', [(size, room)], [0], 1, 0), ('several parts', [(0x40, room), (0x80, room), (size, room), (0xc0, room)], [0], 1, 0),
                ('wrapped', [(0x30, size), (0x20, size), (0x40, size)], [0x20], 1, 0), ('at its beginning', [(0, size)], [0], 1, 0),
                ('wrapped, several', [(0x30, size), (0x20, size), (0x40, size), (0x10, size)], [0x30, 0x10, 0x20], 3, 0),
                ('of two processors', [(0x30, size), (0x20, size)], [0x20], 1, 1)):
            perf = traced(order)
            for n, (place, length) in enumerate(places):
                perf.aux(place, length, OVERWRITE, time=10 + n)
            for at in pieces:
                perf.trace(data, at)
            for _ in range(more):
                perf.aux(0x18, size, OVERWRITE, cpu=1)
                perf.trace(data, 0x18, 1)
            path = folder.write('rings.data', perf.file())
            flow = rows_of(cairn, 'flow', path, '--image', ELF)
            for source, of in (('cpu0', 'ETE_0'), ('cpu0-cpu1', 'ETM_1')) + (('cpu1', 'ETM_1'), ('cpu1-cpu0', 'ETE_0')) * more:
                yield from expect('%s: %s' % (name, source), addresses(flow.get(source, [])), lines(of + '.addresses') * times)
            said = ' '.join(run(cairn, 'info', path).out.split())
            yield from expect('%s: %s' % (name, said), 'AUX record' in said, False)


def check_skipped(cairn, folder):
    """A trace buffer begins at an alignment: what the driver fills with Ignore packets in front of that no AUX record tells of
    (trbe_pad_buf of Linux), and nothing is lost there. What has another length or place is lost."""
    data, unit, ignore = EXAMPLE_D11_1_1, [0, 0, 0x2881cea1, 0x4100fff0, 0x1088, 0, 0, 0x47705a13], b'\x70'
    size = len(data)
    for alignment, more, behind, lost in ((64, 0, 0, 0), (2048, 0, 0, 0), (64, 0, 64 - size % 64, 0), (64, 1, 0, 1), (4096, 0, 0, 1)):
        pad = -size % alignment + more
        perf = raw_file(unit)
        perf.trace(data + ignore * pad + data + ignore * (behind and -(2 * size + pad) % 64), 0, 3)
        perf.aux(0, size, RAW_TRACE, 3)
        perf.aux(size + pad, size, RAW_TRACE, 3)
        path = folder.write('skipped.data', perf.file())
        case = 'alignment %d, more %d, behind %d' % (alignment, more, behind)
        said = ' '.join(run(cairn, 'info', path).out.split())
        yield from expect('%s: %s' % (case, said), 'no AUX record tells of' in said, lost > 0)
        gaps = [row for row in rows_of(cairn, 'elements', path)['cpu3'] if row.get('kind') == 'Gap' and row['fields'] == {'reason': 'lost'}]
        yield from expect('gaps, ' + case, len(gaps), lost)
        kinds = [row['kind'] for row in rows_of(cairn, 'packets', path)['cpu3'] if row['type'] == 'packet']
        yield from expect('packets, ' + case, kinds.count('ALIGNMENT_SYNC'), 2)
    # in front of the first part of another file (perf record --switch-output)
    for at, pad, told in ((100, 28, False), (100, 27, True)):
        perf = raw_file(unit)
        perf.trace(ignore * pad + data, at, 3)
        perf.aux(at + pad, size, RAW_TRACE, 3)
        said = ' '.join(run(cairn, 'info', folder.write('skipped.data', perf.file())).out.split())
        yield from expect('in front %d: %s' % (pad, said), 'no AUX record tells of' in said, told)


def check_holes(cairn, folder):
    """Frames behind bytes that are not in the file go on at a barrier, or at a part that begins with an ID."""
    data, barrier = read('trace.bin'), bytes.fromhex('ffffff7f' * 4)
    plain, size = b'\x02' * 15 + b'\0', len(data)

    def listed(pieces, parts):
        perf = traced()
        for offset, piece in pieces:
            perf.trace(piece, offset)
        for offset, length in parts:
            perf.aux(offset, length)
        path = folder.write('holes.data', perf.file())
        lost = [row for row in rows_of(cairn, 'elements', path)['cpu0'] if row.get('kind') == 'Gap' and row['fields'] == {'reason': 'lost'}]
        return {source: packets(rows) for source, rows in rows_of(cairn, 'packets', path).items()}, run(cairn, 'info', path).out, len(lost)

    for name, pieces, parts, whole, missing, left_out in (
            ('a part behind it', [(0, data[:64]), (80, data[80:]), (size, data)], [(0, size), (size, size)],
             data[:64] + data, 16, size - 80),
            ('a barrier', [(0, data[:64]), (80, data[80:112] + barrier + data)], [(0, 128 + size)],
             data[:64] + barrier + data, 16, 32),
            ('inside of frames', [(0, data[:56]), (72, data[72:80] + barrier + data)], [(0, 96 + size)],
             data[:48] + barrier + data, 16, 16),
            ('in pieces', [(0, data[:50]), (50, data[50:56]), (72, data[72:84]), (84, data[84:96] + barrier), (112, data)],
             [(0, 112 + size)], data[:48] + barrier + data, 16, 32),
            ('a part without bytes', [(0, data), (size + 32, data)], [(0, size), (size, 32), (size + 32, size)],
             data + data, 32, 0),
            ('a part without an ID', [(0, data), (size + 32, plain + barrier + data)],
             [(0, size), (size, 32), (size + 32, 32 + size)], data + barrier + data, 32, 16),
            ('nothing in front', [(8, data[8:])], [(0, size)], data[16:], 8, 8)):
        got, said, lost = listed(pieces, parts)
        # the same without a hole, but that it ends a packet before the synchronisation does
        without = listed([(0, whole)], [(0, len(whole))])[0]
        yield from expect(name, got, {source: [row.replace(' CUT', ' INCOMPLETE') for row in rows] for source, rows in without.items()})
        yield from expect(name + ': gaps', lost, int(name != 'nothing in front'))
        yield from expect_in(name, 'of 1 parts of the trace (AUX records) %d bytes are not in the file' % missing,
                             ' '.join(said.split()))
        yield from expect(name + ': left out', 'cpu0: %d bytes are left out' % left_out in said, left_out > 0)


def check_told(cairn, folder):
    """What AUX records say without bytes, or do not say, and what is in the file that none speaks of."""
    unit = [0, 0, 0x2881cea1, 0x4100fff0, 0x1088, 0, 0, 0x47705a13]
    data = EXAMPLE_D11_1_1
    size = len(data)

    def said(perf):
        path = folder.write('told.data', perf.file())
        return path, ' '.join(run(cairn, 'info', path).out.split())

    # there was no room at all: between two parts, whatever the format of the record
    for flags in (RAW_TRACE | TRUNCATED, TRUNCATED, PARTIAL, COLLISION, 0):
        perf = raw_file(unit)
        perf.trace(data + b'\xf7' * 3 + data, 0, 3)
        perf.aux(size, 3 + size, RAW_TRACE, 3)
        perf.aux(size, 0, flags, 3)
        perf.aux(0, size, RAW_TRACE, 3)
        path, text = said(perf)
        kinds = [row['kind'] for row in rows_of(cairn, 'packets', path)['cpu3'] if row['type'] == 'packet']
        yield from expect('no room %x' % flags, kinds.count('ATOM_F1'), 0 if flags else 3)
        yield from expect('told %x' % flags, ('of its 3 parts the driver says' in text, 'tell of bytes' in text), (flags > 0, False))
    # bytes of which no record tells, but for padding
    for behind, count in ((7, None), (8, 8)):
        perf = raw_file(unit)
        perf.trace(data + bytes(behind), 0, 3)
        perf.aux(0, size, RAW_TRACE, 3)
        yield from expect('behind', 'no AUX record tells of %s bytes' % count in said(perf)[1], count is not None)
    perf = raw_file(unit)
    for offset in (0, size + 5, size + 5, 3 * size):
        perf.trace(data, offset, 3)
    perf.aux(4, size - 6, RAW_TRACE, 3)
    perf.aux(size + 5, size, RAW_TRACE, 3)
    perf.aux(0, 8, RAW_TRACE, 9)
    perf.record(LOST_SAMPLES, perf.words(55) + perf.whose(7, 3))
    path, text = said(perf)
    yield from expect_in('in front and alone', 'no AUX record tells of %d bytes' % (4 + size), text)
    yield from expect_in('samples', '55 records and samples were lost while recording', text)
    # what a filter kept out is not lost
    perf.record(LOST_SAMPLES, perf.words(77) + perf.whose(7, 3), FILTERED)
    yield from expect_in('filtered', '55 records and samples were lost while recording', said(perf)[1])
    # whose it is: of a CPU that is not described; of a thread on one that is
    perf = raw_file(unit)
    perf.trace(data, 0, 5)
    perf.aux(0, size, RAW_TRACE, 5)
    yield from expect_in('CPU 5', 'cpu5: no trace unit of CPU 5 is described; that of CPU 3 is assumed', said(perf)[1])
    for cpu in (3, 4):
        perf = traced(cpus=((ETMV4, 0, ETM_1), (ETE, 3, unit)))
        perf.trace(data, 0, NOBODY, 99)
        perf.aux(0, size, RAW_TRACE, cpu, 99)
        path, text = said(perf)
        yield from expect('of a thread', [source['core'] for source in told(cairn, path)['sources']],
                          ['cpu_3' if cpu == 3 else 'cpu_0'])
        yield from expect('assumed', 'no trace unit of CPU 4 is described; that of CPU 0 is' in text, cpu == 4)
    for cpus in ((3,), (3, 4)):
        perf = Perf()
        perf.event(TRACED, ids=[1])
        perf.units(1, (ETE, 3, unit))
        for cpu in cpus:
            perf.trace(data, 0, cpu)
        perf.record(AUX, perf.words(0, size, RAW_TRACE), 0)
        yield from expect('nobody', '1 AUX records do not say which of several buffers' in said(perf)[1], len(cpus) > 1)


def check_units(cairn, folder):
    """ETMv3 and PTM by ETMIDR; other kinds are passed over by their count."""
    perf = traced(cpus=((ETMV3, 0, [0xd90, 0x10, 0, 0x410cf250]), (0x6060606060606060, 1, [1, 2, 3]),
                        (ETMV3, 2, [0, 0x12, 0, 0x411cf312]), (ETMV4, 3, [*ETM_1, 5, 6])))
    data = read('trace.bin')
    for cpu in (0, 2, 3):
        perf.trace(bytes([0x21, 0x42] * 8), 0, cpu)
        perf.aux(0, 16, RAW_TRACE, cpu)
    path = folder.write('units.data', perf.file())
    sources = {source['name']: source['protocol'] for source in told(cairn, path)['sources']}
    yield from expect('protocols', sources, {'cpu0': 'ETMv3', 'cpu2': 'PTM', 'cpu3': 'ETMv4'})
    yield from expect_in('said', '1 trace units are of a kind that is not known', run(cairn, 'info', path).out)
    perf = Perf()
    perf.event(TRACED, ids=[1], identified=True)
    perf.record(70, perf.pack('II', 1, 0) + perf.words(1, 2, 3, 4), 0)
    perf.trace(data, 0)
    spe = Perf()
    spe.record(70, spe.pack('II', 4, 0) + spe.words(9, 0), 0)
    for name, made, sentence in (
            ('Intel PT', perf, 'its trace is none of CoreSight'),
            ('SPE', spe, 'its trace is none of CoreSight'),
            ('no trace', Perf(), 'there is no trace in it'),
            ('no unit', traced(cpus=()), 'describes no trace unit that is known'),
            ('cut block', traced(cpus=((ETMV4, 0, [1]),)), None)):
        if not made.events:
            made.event(TRACED, ids=[1])
        answer = run(cairn, 'info', folder.write('refused.data', made.file()))
        if sentence:
            yield from expect(name, answer.status, 2)
            yield from expect_in(name, sentence, answer.err)
        else:
            yield from expect_in(name, 'has no trace of them', answer.out)


def check_images(cairn, folder):
    """Mapped files are found below --sysroot and by build-id; each process has its own memory, by its threads."""
    data = read('trace.bin')
    root = folder.path
    folder.write('program.elf', read('program.elf'))
    folder.write('wrong.elf', read('program.elf').replace(read('program.bin'), bytes(len(read('program.bin')))))
    perf = traced()
    perf.aux(0, len(data))
    perf.trace(data, 0)
    path = folder.write('images.data', perf.file())
    yield from check_example(cairn, path, ('cpu0', 'cpu0-cpu1'), '--sysroot', root)
    # the same addresses in another process, whose code is another: before and behind
    for first in (True, False):
        perf = traced()
        if first:
            perf.data = b''
            perf.units(1, (ETE, 0, ETE_0), (ETMV4, 1, ETM_1))
        perf.map(0x99, *CODE, '/wrong.elf')
        if first:
            perf.map(0x1000, *CODE, '/program.elf')
            perf.record(FORK, perf.pack('IIIIQ', 0x1000, 0x1000, 0x1234, 0x1000, 0))
        perf.aux(0, len(data))
        perf.trace(data, 0)
        path = folder.write('images.data', perf.file())
        flow = rows_of(cairn, 'flow', path, '--sysroot', root)
        yield from expect('processes', addresses(flow['cpu0']), lines('ETE_0.addresses'))
    perf = traced()
    perf.aux(0, len(data))
    perf.trace(data, 0)
    path = folder.write('images.data', perf.file_with_build_ids(('/program.elf', '0123456789abcdef' * 2)))
    modules = told(cairn, path, '--sysroot', root)['program']['modules']
    yield from expect('another build', [(module['path'], module['build_id'], module['state']) for module in modules],
                      [('/program.elf', '0123456789abcdef' * 2, 'changed')])


def check_pages(cairn, folder):
    """Whole pages are mapped: what another part of the program has in them, which is elsewhere in memory, gives no names."""
    nop, back = 0xd503201f, 0x17fffffe
    folder.elf('two', {0x1000: words([nop] * 2), 0x20000: words([nop, nop, back])}, [('in_one', 0x1000, 8), ('in_other', 0x20000, 12)])
    at = 64 + 2 * 56 + 8  # of the second in the file
    perf = Perf()
    perf.event(TRACED, ids=[1], identified=True, user_only=True)
    perf.units(1, (ETE, 3, [0, 0x10, 0x2881cea1, 0x4100fff0, 0x1088, 0, 0, 0x47705a13]))
    perf.map(7, 0x50000, 0x1000, 0, '/two')
    target = 0x50000 + at
    data = bytes(11) + b'\x80\x01\x00\x04'  # A-sync, Trace Info, Trace On; Address with Context (64-bit IS0): EL0, Non-secure, AArch64
    data += b'\x85' + bytes([target >> 2 & 0x7f, target >> 9 & 0x7f]) + (target >> 16).to_bytes(6, 'little') + b'\x30' + b'\xf7' * 2
    perf.aux(0, len(data), RAW_TRACE, 3)
    perf.trace(data, 0, 3)
    rows = run(cairn, 'profile', '--format', 'json', '--sysroot', folder.path, folder.write('pages.data', perf.file())).rows()
    yield from expect('functions', [(row['function'], row['instructions']) for row in rows if row['type'] == 'function'], [('in_other', 3 * 2)])


def check_split(cairn, folder):
    """A debug file found by the build-id adds names to a program that has none, and takes nothing away: also where the recording
    has no build-ids, and where both lie in a folder of debuginfod's."""
    data, build_id = read('trace.bin'), 'c0ffee5c0ffee5c0ffee5c0ffee5c0ffee5c0ffe'
    own, debug = split(folder, CODE[0], read('program.bin'), build_id)
    perf = traced()
    perf.aux(0, len(data))
    perf.trace(data, 0)
    root, first, second = (folder.path + '/' + name for name in ('split-root', 'split-gdb', 'split-daemon'))
    for source, target in ((own, root + '/program.elf'), (debug, '%s/.build-id/%s/%s.debug' % (first, build_id[:2], build_id[2:])),
                           (own, '%s/%s/executable' % (second, build_id)), (debug, '%s/%s/debuginfo' % (second, build_id))):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(source, target)
    with_id, without = perf.file_with_build_ids(('/program.elf', build_id)), perf.file()
    for what, made, options in (('by the recording', with_id, ('--sysroot', root, '--debug-dir', first)),
                                ('by the file', without, ('--sysroot', root, '--debug-dir', first)),
                                ('nothing in place', with_id, ('--debug-dir', second))):
        path = folder.write('split.data', made)
        yield from check_example(cairn, path, ('cpu0', 'cpu0-cpu1'), *options)
        names = [row['function'] for row in run(cairn, 'profile', '--format', 'json', *options, path).rows() if row['type'] == 'function']
        yield from expect('names ' + what, sorted(set(names)), ['everything'])
        covered = run(cairn, 'coverage', *options, path).out
        yield from expect_in('code ' + what, '/%d ' % (len(read('program.bin')) // 4), covered)
        if 'names and no code' in covered:
            yield what + ': the code is not known'


def check_compiled(cairn, folder):
    """What perf wrote of functions that were compiled while a program ran: a file with sections and, before perf 6, no program
    headers. And nine thousand mappings of one file, of as many processes."""
    with open(folder.elf('jit.elf', {CODE[0]: read('program.bin')}, [('compiled', CODE[0], CODE[1])]), 'rb') as file:
        data = bytearray(file.read())
    struct.pack_into('<QQ', data, 32, 0, struct.unpack_from('<Q', data, 40)[0])  # e_phoff
    struct.pack_into('<H', data, 56, 0)  # e_phnum
    folder.write('program.elf', bytes(data))
    trace = read('trace.bin')
    for others in (0, 9000):
        perf = Perf('<')
        perf.event(TRACED, ids=[1], identified=True)
        perf.units(1, (ETE, 0, ETE_0), (ETMV4, 1, ETM_1))
        for n in range(others):
            perf.map(0x2000 + n, *CODE, '/program.elf')
        perf.name(0x1234, 0x1234, 'program')
        perf.map(0x1234, *CODE, '/program.elf')
        perf.aux(0, len(trace))
        perf.trace(trace, 0)
        path = folder.write('compiled.data', perf.file())
        # the other source's contexts are those of no process
        flow = rows_of(cairn, 'flow', path, '--sysroot', folder.path)
        yield from expect('flow beside %d' % others, addresses(flow['cpu0']), lines('ETE_0.addresses'))
        names = [row['function'] for row in run(cairn, 'profile', '--format', 'json', '--sysroot', folder.path, path).rows() if row['type'] == 'function']
        yield from expect('names', sorted(set(names)), ['compiled'])


def check_times(cairn, folder):
    """The example's second address is mapped anew between the two parts of a trace: its B.EQ is elsewhere then, or the
    file is not here. In frames and without."""
    first = words([0xd2800020, 0xf9400001, 0xeb01001f, 0x54007fa0, 0xf9000001])
    other = words([0xd2800020, 0x54007fe0, 0xeb01001f, 0xf9400001, 0xf9000001])
    files = {}
    for name, code in (('start', words([0x14000400])), ('first', first), ('other', other)):
        with open(folder.elf(name, {0x1000: code}, []), 'rb') as file:
            files[name] = (len(code), struct.unpack_from('<Q', file.read(), 64 + 8)[0])
    moved = ['1000 E', '2000', '2004 N', '2008', '200c', '2010']
    unit = [0, 0x10, 0x2881cea1, 0x4100fff0, 0x1088, 0, 0, 0x47705a13]
    raw, framed = EXAMPLE_D11_1_1, framed_exactly(0x10, EXAMPLE_D11_1_1)
    for data, flags in ((raw, RAW_TRACE), (framed, 0)):
        for time, name, wanted in ((15, 'other', EXAMPLE_ADDRESSES + moved), (20, 'other', 2 * EXAMPLE_ADDRESSES),
                                   (21, 'other', 2 * EXAMPLE_ADDRESSES), (2, 'other', 2 * moved),
                                   (15, 'gone', EXAMPLE_ADDRESSES + ['1000 E']), (15, 'first', 2 * EXAMPLE_ADDRESSES)):
            # each part begins behind what was mapped in front of it
            perf = Perf()
            perf.event(TRACED, ids=[1], identified=True)
            perf.units(1, (ETE, 3, unit))
            perf.map(7, 0x2000, *files.get(name, (20, 0)), '/' + name, time=time)  # in no order
            perf.map(7, 0x1000, *files['start'], '/start', time=1)
            perf.map(7, 0x2000, *files['first'], '/first', time=1)
            perf.trace(2 * data, 0, 3)
            perf.start(7, 3, 5)
            perf.aux(0, len(data), flags, 3, time=10)
            perf.start(7, 3, 16)
            perf.aux(len(data), len(data), flags, 3, time=20)
            flow = rows_of(cairn, 'flow', folder.write('times.data', perf.file()), '--sysroot', folder.path)
            yield from expect('%s at %d, %x' % (name, time, flags), addresses(flow['cpu3']), wanted)


def check_many(cairn, folder):
    """Each of many mappings counts from a place in each of many buffers on, for each of many threads: what there is
    no room for takes no time."""
    perf = raw_file([0x41, 0, 0x2881cea1, 0x4100fff0, 0x1088, 0, 0, 0x47705a13])
    parts = []
    for n in range(60000):
        perf.record(FORK, perf.pack('IIIIQ', 9 - n % 2, 7, 10 + n, 7, 0) + perf.end(7))
        if n % 8 == 0:
            for name in ('/first%d', '/then%d'):
                perf.map(9 - n // 8 % 2, 0x1000 * n, 0x1000, 0, name % n, time=n + 1)
        parts.append(perf.data)
        perf.data = b''
    for cpu in range(64):
        perf.trace(bytes(8), 0, cpu)
        perf.aux(0, 8, RAW_TRACE, cpu, time=1 << 40)
    perf.data = b''.join(parts) + perf.data
    path = folder.write('many.data', perf.file())
    yield from expect_in('too many', 'what was mapped last is left out', ' '.join(run(cairn, 'info', '--all', path).out.split()))


def check_holes_in_time(cairn, folder):
    """What is left out in front of a part moves the place from which something is mapped; and so many mappings of
    another process between the two do not hide the first."""
    first = words([0xd2800020, 0xf9400001, 0xeb01001f, 0x54007fa0, 0xf9000001])
    other = words([0xd2800020, 0x54007fe0, 0xeb01001f, 0xf9400001, 0xf9000001])
    files = {}
    for name, code in (('start', words([0x14000400])), ('first', first), ('other', other)):
        with open(folder.elf(name, {0x1000: code}, []), 'rb') as file:
            files[name] = (len(code), struct.unpack_from('<Q', file.read(), 64 + 8)[0])
    unit = [0, 0x10, 0x2881cea1, 0x4100fff0, 0x1088, 0, 0, 0x47705a13]
    framed = framed_exactly(0x10, EXAMPLE_D11_1_1)
    size = len(framed)
    moved = ['1000 E', '2000', '2004 N', '2008', '200c', '2010']
    for between, hole in ((0, 32), (5000, 0)):
        perf = raw_file(unit)
        perf.map(7, 0x1000, *files['start'], '/start', time=1)
        perf.map(7, 0x2000, *files['first'], '/first', time=1)
        for _ in range(between):
            perf.map(8, 0x9000, *files['first'], '/first', time=2)
        perf.map(7, 0x2000, *files['other'], '/other', time=15)
        perf.trace(framed, 0, 3)
        perf.aux(0, size, 0, 3, time=10)
        if hole:
            perf.trace(2 * framed, size + 16, 3)
            perf.aux(size, 16 + 2 * size, 0, 3, time=12)
        at = size + (16 + 2 * size if hole else 0)
        perf.trace(framed, at, 3)
        perf.start(7, 3, 16)
        perf.aux(at, size, 0, 3, time=20)
        flow = rows_of(cairn, 'flow', folder.write('times.data', perf.file()), '--sysroot', folder.path)
        yield from expect('between %d, hole %d' % (between, hole), addresses(flow['cpu3']), EXAMPLE_ADDRESSES + moved)


def check_damage(cairn, folder):
    data = read('trace.bin')
    perf = traced()
    perf.aux(0, len(data))
    perf.trace(data, 0)
    perf.record(MMAP, perf.pack('II', 7, 7) + perf.words(1, 2, 3))
    whole = perf.file()
    at = whole.index(data)
    for cut in (at, at + 16, len(whole) - 8):
        answer = run(cairn, 'info', folder.write('cut.data', whole[:cut]))
        yield from expect_in('cut at %d' % cut, 'the record there is cut off or damaged',
                             ' '.join((answer.out + answer.err).split()))
    # between two records; and of a recorder that was killed nobody knows
    for data_size, sentence in ((None, 'the file ends before the data that its header tells of: copy it again'),
                                (0, 'its recorder was killed before it wrote how much there is')):
        answer = run(cairn, 'info', folder.write('cut.data', perf.file(len(whole) - 40, data_size)))
        yield from expect_in('cut between', sentence, ' '.join(answer.out.split()))
    for n in range(105, at, 37):
        broken = whole[:n] + bytes([whole[n] ^ 0xff]) + whole[n + 1:]
        answer = run(cairn, 'packets', folder.write('broken.data', broken))
        if answer.status not in (0, 1, 2):
            yield 'status %d with byte %d' % (answer.status, n)


# --- recordings

def counts(rows, text_at):
    """simpleperf's text of one binary: ranges of instructions, and taken branches, by offset in the file."""
    ranges, branches = collections.Counter(), collections.Counter()
    start = last = None
    for row in rows:
        if row['type'] != 'range':
            if row['type'] in ('trace_on', 'exception', 'gap') and start is not None:
                ranges[start, last] += 1
                start = None
            continue
        begin, end = (int(row[key], 16) - text_at for key in ('address', 'end'))
        if start is not None and begin != last + 4:
            start = None
        start = begin if start is None else start
        last = end - 4
        if row['p0']:
            ranges[start, last] += 1
            branches[last] += row['p0'] == 'E'
            start = None
    if start is not None:
        ranges[start, last] += 1
    return ranges, +branches


def check_recorded(cairn, _folder):
    place = os.path.join(CAPTURES, 'perf', 'simpleperf')
    with open(os.path.join(place, 'perf_inject.data'), encoding='utf-8') as file:
        text = file.read()
    wanted = {(int(a, 16), int(b, 16)): int(n) for a, b, n in re.findall(r'^([0-9a-f]+)-([0-9a-f]+):(\d+)$', text, re.M)}
    taken = {int(a, 16): int(n) for a, n in re.findall(r'^([0-9a-f]+)->[0-9a-f]+:(\d+)$', text, re.M)}
    yield from expect('known', (len(wanted), len(taken)), (10, 9))
    for name in ('perf_etm.data', 'perf_with_unformatted_trace.data'):
        path = os.path.join(place, name)
        modules = told(cairn, path, '--debug-dir', place)['program']['modules']
        own = [module for module in modules if module['path'].endswith('/etm_test_loop')]
        yield from expect(name + ': the program', [module['state'] for module in own], ['used'] * len(own))
        sources = rows_of(cairn, 'flow', path, '--debug-dir', place)
        module = own[0]
        inside = collections.Counter(), collections.Counter()
        for rows in sources.values():
            for all_of, some in zip(inside, counts(rows, int(module['bias'], 16))):
                all_of.update(some)
        yield from expect(name + ': ranges', dict(inside[0]), wanted)
        yield from expect(name + ': branches', dict(inside[1]), taken)
        # what a Branch Record Buffer has at the end is of these branches
        answer = run(cairn, 'branches', '--brbe', 'all', '--debug-dir', place, '--format', 'json', path)
        ends = [int(row['source'], 16) - int(module['bias'], 16) for row in answer.rows() if row['type'] == 'branch']
        yield from expect(name + ': its branch records', sorted(set(ends) - set(taken)), [])
        yield from expect(name + ': as many as a buffer has', len(ends), 32)


def check_peer(cairn, folder):
    """perf (Debian's is linked with OpenCSD) lists the same instructions."""
    place = os.path.join(CAPTURES, 'perf', 'simpleperf')
    with open(os.path.join(place, 'etm_test_loop'), 'rb') as file:
        folder.write('root/data/local/tmp/etm_test_loop', file.read())
    path = os.path.join(place, 'perf_etm.data')
    root = os.path.join(folder.path, 'root')
    theirs, said = perf_script(path, 'ip', '--symfs', root, '--itrace=i1i')
    ours = addresses(rows_of(cairn, 'flow', path, '--sysroot', root)['cpu7'])
    yield from expect('instructions (%s)' % said[-200:], len(theirs) > 900, True)
    yield from expect('the same', [line.split()[0] for line in ours], [line.strip() for line in theirs if line.strip()])


def main():
    cairn = os.path.abspath(sys.argv[1])
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        tap.case('frames', check_frames(cairn, folder))
        tap.case('trace IDs that records tell', check_ids(cairn, folder))
        tap.case('trace IDs that may be others', check_unsure_ids(cairn, folder))
        tap.case('raw trace, in parts', check_raw(cairn, folder))
        tap.case('snapshots of older kernels', check_rings(cairn, folder))
        tap.case('what a trace buffer skips', check_skipped(cairn, folder))
        tap.case('frames with holes', check_holes(cairn, folder))
        tap.case('what AUX records tell', check_told(cairn, folder))
        tap.case('kinds of trace units', check_units(cairn, folder))
        tap.case('what was mapped', check_images(cairn, folder))
        tap.case('pages that two parts of a program share', check_pages(cairn, folder))
        tap.case('debug files add names, and take no code', check_split(cairn, folder))
        tap.case('code without segments, and mappings of thousands', check_compiled(cairn, folder))
        tap.case('mapped anew', check_times(cairn, folder))
        tap.case('mapped anew behind a hole, and far behind', check_holes_in_time(cairn, folder))
        tap.case('many mappings, threads and buffers', check_many(cairn, folder))
        tap.case('cut and damaged', check_damage(cairn, folder))
        no_captures = None if CAPTURES else 'CAIRN_CAPTURES is not set'
        no_perf = None if shutil.which('perf') else 'perf is not installed (Debian: linux-perf)'
        for name, check, why in (('recordings of simpleperf', check_recorded, no_captures),
                                 ('perf lists the same instructions', check_peer, no_perf or no_captures)):
            if why:
                tap.skip(name, why)
            else:
                tap.case(name, check(cairn, folder))
    tap.end()


if __name__ == '__main__':
    main()
