#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cairn pgo: recordings of simpleperf give its own output byte for byte, whole, compressed and as they come through a
pipe; the trace of examples/capture gives what its generator says was executed; branch stacks in files made by hand of
both byte orders give what was counted by hand.

usage: test_pgo.py CAIRN
"""
import collections
import os
import shutil
import struct
import sys
import tempfile

from common import Folder, Tap, expect, expect_in, run, words
from perf_file import ATTR, BRANCH_STACK, COMM, COMPRESSED, IP, TID, TIME, Perf, perf_script

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CAPTURE = os.path.join(TOP, 'examples', 'capture')
CAPTURES = os.environ.get('CAIRN_CAPTURES')
ELF = os.path.join(CAPTURE, 'program.elf')
BASE = 0x80000000  # of its one segment
EXEC = 1 << 13  # of COMM


def read(path):
    with open(path, 'rb') as file:
        return file.read()


# --- recordings of simpleperf

SIMPLEPERF = os.path.join(CAPTURES or '', 'perf', 'simpleperf')
MAPPED = 0x582b2b0000  # what its addresses are less those of the file, by the MMAP2 record
RECORDINGS = ('perf_etm.data', 'perf_with_unformatted_trace.data')


def records_of(data):
    """[(type, misc, whole record with what follows it)] of a little-endian file."""
    at, size = struct.unpack_from('<2Q', data, 40)
    out, end = [], at + size
    while at < end:
        kind, misc, length = struct.unpack_from('<IHH', data, at)
        more = struct.unpack_from('<Q', data, at + 8)[0] if kind == 71 else 0
        out.append((kind, misc, data[at:at + length + more]))
        at += length + more
    return out


def build_id_records(data):
    """The records in the section of build-ids; sections are in the order of the features."""
    features = int.from_bytes(data[72:104], 'little')
    at, size = struct.unpack_from('<2Q', data, 40)
    number = bin(features & 3).count('1')
    offset, length = struct.unpack_from('<2Q', data, at + size + 16 * number)
    return data[offset:offset + length] if features & 4 else b''


def attribute_record(data):
    """The first event's attributes as a record of pipe mode."""
    entry, at = struct.unpack_from('<2Q', data, 16)
    attribute = data[at:at + entry - 16]
    ids_at, ids_size = struct.unpack_from('<2Q', data, at + entry - 16)
    body = attribute + data[ids_at:ids_at + ids_size]
    return struct.pack('<IHH', ATTR, 0, 8 + len(body)) + body


def as_pipe(data, records=None):
    return struct.pack('<8sQ', b'PERFILE2', 16) + attribute_record(data) + build_id_records(data) + (
        records if records is not None else b''.join(record for _, _, record in records_of(data)))


def frame(data):
    """A frame of zstd with its content as it is (RFC 8878 3.1.1): magic, one segment of that size, raw blocks."""
    out = struct.pack('<IBI', 0xfd2fb528, 0xa0, len(data))
    for at in range(0, len(data), 0x10000):
        block = data[at:at + 0x10000]
        last = at + 0x10000 >= len(data)
        out += (len(block) << 3 | last).to_bytes(3, 'little') + block
    return out


def packed(data):
    """All that perf packs is packed, in several records: not AUXTRACE, nor what comes before it."""
    out, waiting = b'', b''

    def flush():
        nonlocal out, waiting
        while waiting:
            part, waiting = waiting[:3000], waiting[3000:]
            body = frame(part)
            out += struct.pack('<IHH', COMPRESSED, 0, 8 + len(body)) + body
    for kind, _, record in records_of(data):
        if kind >= 64:
            flush()
            out += record
        else:
            waiting += record
    flush()
    return out


def as_packed(data):
    """The same file with its records packed, and what follows them moved."""
    at, size = struct.unpack_from('<2Q', data, 40)
    records = packed(data)
    move = len(records) - size
    tail = bytearray(data[at + size:])
    features = int.from_bytes(data[72:104], 'little')
    for n in range(bin(features).count('1')):
        offset = struct.unpack_from('<Q', tail, 16 * n)[0]
        struct.pack_into('<Q', tail, 16 * n, offset + move)
    head = bytearray(data[:at])
    struct.pack_into('<Q', head, 48, len(records))
    return bytes(head) + records + bytes(tail)


def check_simpleperf(cairn, folder):
    wanted = read(os.path.join(SIMPLEPERF, 'perf_inject.data'))
    bolt = read(os.path.join(SIMPLEPERF, 'perf_inject_bolt.2025.data'))
    bolt_before = read(os.path.join(SIMPLEPERF, 'perf_inject_bolt.data'))
    for name in RECORDINGS:
        data = read(os.path.join(SIMPLEPERF, name))
        for form, content in (('whole', data), ('pipe', as_pipe(data)), ('packed', as_packed(data)),
                              ('packed pipe', as_pipe(data, packed(data)))):
            path = folder.write('recording.data', content)
            got = run(cairn, 'pgo', '--debug-dir', SIMPLEPERF, path)
            yield from expect('%s, %s' % (name, form), (got.raw, got.status), (wanted, 0))
        for arguments, expected in (((), bolt), (('--comments', 'before'), bolt_before)):
            got = run(cairn, 'pgo', '--format', 'bolt-preaggregated', *arguments, '--debug-dir', SIMPLEPERF,
                      os.path.join(SIMPLEPERF, name))
            yield from expect('%s for BOLT' % name, got.raw, expected)
        # known by its build-id, wherever it is; and by a root
        got = run(cairn, 'pgo', '--reference', '--jobs', '3', '--debug-dir', SIMPLEPERF, os.path.join(SIMPLEPERF, name))
        yield from expect('by the reference path', got.raw, wanted)
        root = folder.write('root/data/local/tmp/etm_test_loop', read(os.path.join(SIMPLEPERF, 'etm_test_loop')))
        got = run(cairn, 'pgo', '--sysroot', os.path.join(folder.path, 'root'), os.path.join(SIMPLEPERF, name))
        yield from expect('below a root', (got.raw, os.path.exists(root)), (wanted, True))


def check_indirect(cairn, folder):
    """main's RET at 0x1088 went to 0x10a4 behind the BL at 0x10a0: the other lines are simpleperf's."""
    del folder
    path = os.path.join(SIMPLEPERF, RECORDINGS[0])
    got = run(cairn, 'pgo', '--indirect-targets', '--comments', 'none', '--debug-dir', SIMPLEPERF, path).lines()
    before = read(os.path.join(SIMPLEPERF, 'perf_inject.data')).decode().splitlines()[:-3]
    yield from expect('the return', [line for line in got if line not in before], ['1088->10a4:1'])
    yield from expect('the rest', [line for line in before if line not in got], ['1088->0:1'])


def check_perf(cairn, folder):
    """perf (with OpenCSD) lists the same branches, one by one, but for two kinds of lines. 0 => N is where the trace
    goes on behind code that is not here: no branch, and none of Cairn's. The branch at the end of the trace (the RET at
    0x10b0) has no target that the trace tells: perf leaves it out, and Cairn has it with 0."""
    path = os.path.join(SIMPLEPERF, RECORDINGS[0])
    folder.write('symbols/data/local/tmp/etm_test_loop', read(os.path.join(SIMPLEPERF, 'etm_test_loop')))
    theirs = collections.Counter()
    rows, said = perf_script(path, 'ip,addr', '--itrace=b', '--symfs', os.path.join(folder.path, 'symbols'))
    for source, target in (row.split(' => ') for row in rows if ' => ' in row):
        theirs[int(source, 16) - MAPPED if int(source, 16) else 0, int(target, 16) - MAPPED if int(target, 16) else 0] += 1
    mine = collections.Counter()
    for line in run(cairn, 'pgo', '--indirect-targets', '--debug-dir', SIMPLEPERF, path).lines():
        if '->' in line:
            branch, count = line.split(':')
            mine[tuple(int(number, 16) for number in branch.split('->'))] += int(count)
    if not theirs:
        yield 'perf lists nothing: ' + said
        return
    yield from expect('only of perf', theirs - mine, {(0, 0x1000): 1, (0, 0x108c): 1})
    yield from expect('only of Cairn', mine - theirs, {(0x10b0, 0): 1})
    yield from expect('loops', mine[0x1080, 0x105c], 100)


def check_lbr(cairn, folder):
    lbr = os.path.join(CAPTURES, 'perf', 'lbr')
    wanted = read(os.path.join(lbr, 'inject_lbr.data'))
    data = read(os.path.join(lbr, 'perf_lbr.data'))
    for form, content in (('whole', data), ('pipe', as_pipe(data)), ('packed', as_packed(data)),
                          ('packed pipe', as_pipe(data, packed(data)))):
        got = run(cairn, 'pgo', folder.write('lbr.data', content))
        yield from expect(form, (got.raw, got.status), (wanted, 0))
    cut = run(cairn, 'pgo', folder.write('cut.data', data[:20000]))
    yield from expect_in('cut off', 'nothing is read from offset', cut.err)
    yield from expect('its status', cut.status, 1)


# --- the example

def steps_of(name):
    """[(address, outcome)]"""
    out = []
    with open(os.path.join(CAPTURE, name + '.addresses'), encoding='ascii') as file:
        for line in file:
            parts = line.split()
            if parts and parts[0] != '#':
                out.append((int(parts[0], 16) - BASE, parts[1] if len(parts) > 1 else ''))
    return out


def direct_target(code, at):
    """Of B, BL, B.cond, CBZ, TBZ (Arm ARM C4.1.93 on); None: no direct branch."""
    word = int.from_bytes(code[at:at + 4], 'little')

    def offset(value, bits):
        return (value ^ 1 << (bits - 1)) - (1 << (bits - 1)) << 2
    if word >> 26 & 0x1f == 5:
        return at + offset(word & 0x3ffffff, 26)
    if word >> 24 in (0x54, 0x34, 0x35, 0xb4, 0xb5):
        return at + offset(word >> 5 & 0x7ffff, 19)
    if word >> 24 & 0x7e == 0x36:
        return at + offset(word >> 5 & 0x3fff, 14)
    return None


def is_indirect(code, at):
    """BR, BLR, RET, ERET and such: "Unconditional branch (register)"."""
    return int.from_bytes(code[at:at + 4], 'little') >> 25 == 0x6b


def counts_of(names):
    """Ranges up to each outcome or break in the row, and the branches that were taken."""
    code = read(os.path.join(CAPTURE, 'program.bin'))
    ranges, branches = collections.Counter(), collections.Counter()
    for name in names:
        start = None
        steps = steps_of(name)
        for n, (at, outcome) in enumerate(steps):
            start = at if start is None else start
            goes_on = n + 1 < len(steps) and steps[n + 1][0] == at + 4
            if outcome or not goes_on:
                ranges[start, at] += 1
                start = None
            if outcome == 'E' and direct_target(code, at) is not None:
                branches[at, direct_target(code, at)] += 1
            elif outcome == 'E' and is_indirect(code, at):
                branches[at, 0] += 1
    return ranges, branches


def check_example(cairn, folder):
    del folder
    for names, arguments in ((('ETE_0',), ('--source', 'ETE_0')), (('ETE_0', 'ETM_1'), ())):
        ranges, branches = counts_of(names)
        wanted = [str(len(ranges))] + ['%x-%x:%d' % (*key, ranges[key]) for key in sorted(ranges)] + ['0'] + \
            [str(len(branches))] + ['%x->%x:%d' % (*key, branches[key]) for key in sorted(branches)]
        got = run(cairn, 'pgo', '--image', ELF, '--comments', 'none', *arguments, CAPTURE)
        # an exception may fall between an instruction and the one behind it: the row looks as if it went on
        yield from expect('%r' % (names,), [line for line in got.lines() if '->' in line or '-' not in line][1:],
                          [line for line in wanted if '->' in line or '-' not in line][1:])
        executed = collections.Counter(at for name in names for at, _ in steps_of(name))
        mine = collections.Counter()
        for line in got.lines():
            if '-' in line and '>' not in line:
                span, count = line.split(':')
                first, last = (int(number, 16) for number in span.split('-'))
                for at in range(first, last + 4, 4):
                    mine[at] += int(count)
        yield from expect('instructions of %r' % (names,), mine, executed)


# --- branch stacks made by hand

KERNEL_MAPS = 0xffffffff  # the process of the kernel's
SAMPLED = IP | TID | TIME | BRANCH_STACK
CODE = words([0xd503201f] * 64)  # NOP


def sampled(order):
    perf = Perf(order)
    perf.event(SAMPLED)
    return perf


def sample(perf, process, address, *entries):
    perf.sample(perf.words(address) + perf.pack('II', process, process) + perf.words(1, len(entries)) + b''.join(entries))


def check_samples(cairn, folder):
    """Youngest first: a row leads from where the older branch went to where the younger came from."""
    here = folder.elf('program', {0x10000: CODE}, [('main', 0x10000, 64)])
    # the segment lies at 0x78 of the file, as folder.elf has it: one program header behind the header
    for order in '<>':
        perf = sampled(order)
        perf.map(7, 0x55000078, 0x100, 0x78, here)
        perf.map(7, 0x66000000, 0x1000, 0, '/lib/gone.so')
        loop = perf.entry(0x55000098, 0x55000080, mispredicted=1)
        sample(perf, 7, 0x55000084, loop, loop, perf.entry(0x66000040, 0x55000080))
        # a child has its parent's memory, another program has not
        perf.fork(9, 7)
        sample(perf, 9, 0x55000084, perf.entry(0x55000098, 0x55000080))
        perf.record(COMM, perf.pack('II', 9, 9) + perf.text('other'), EXEC | 2)
        sample(perf, 9, 0x55000084, perf.entry(0x55000098, 0x55000080))
        path = folder.write('samples.data', perf.file())
        got = run(cairn, 'pgo', '--binary', 'program', path)
        # addresses are those of the file less that of its first segment
        yield from expect(order, got.lines()[:-2], ['1', '8-20:2', '1', 'c:2', '1', '20->8:3',
                                                     '// build_id: 0x' + 40 * '0'])
        bolt = run(cairn, 'pgo', '--format', 'bolt-preaggregated', '--comments', 'none', '--binary', here, path)
        yield from expect('mispredicted', bolt.lines(), ['F 10008 10020 2', 'B 10020 10008 3 2'])
        both = run(cairn, 'pgo', path)
        yield from expect('two binaries', both.lines()[0],
                          '// Please split this file. AutoFDO only accepts profile for one binary.')
        yield from expect_in('said', '2 binaries were executed', both.err)
        fdata = run(cairn, 'pgo', '--format', 'bolt', path)
        yield from expect('by names', sorted(fdata.lines()),
                          ['0 [unknown] 0 1 main 8 0 1', '1 main 20 1 main 8 2 3'])
        none = run(cairn, 'pgo', '--format', 'llvm', path)
        yield from expect('without debug information', (none.status, none.out), (2, ''))
        yield from expect_in('said', 'there is no debug information', none.err)


def check_maps(cairn, folder):
    """A process and one whose number is 65,536 more are two; so is the kernel's, which has number 0xffffffff."""
    here = folder.elf('program', {0x10000: CODE}, [('main', 0x10000, 64)])
    both = ['8-20:1', '1', 'c:1', '1', '20->8:2']
    for forked in (False, True):
        perf = sampled('<')
        perf.map(7, 0x55000078, 0x100, 0x78, here)
        perf.map(KERNEL_MAPS, 0xffff800000000000, 0x1000, 0, '/boot/vmlinux')
        perf.name(7, 7, 'seven')
        if forked:
            perf.fork(7 + 65536, 1)
            perf.fork(65535, 1)
        else:
            perf.map(7 + 65536, 0x70000000, 0x1000, 0, '/lib/other.so')
        perf.name(7 + 65536, 7 + 65536, 'other')
        sample(perf, 7, 0x55000084, *2 * [perf.entry(0x55000098, 0x55000080)])
        sample(perf, 7, 0xffff800000000084, *2 * [perf.entry(0xffff800000000098, 0xffff800000000080)])
        path = folder.write('maps.data', perf.file())
        got = run(cairn, 'pgo', '--binary', 'program', path)
        yield from expect('forked' if forked else 'mapped', (got.lines()[1:-3], got.status), (both, 0))
        got = run(cairn, 'pgo', '--binary', 'vmlinux', '--comm', 'seven', path)
        yield from expect('kernel', (got.lines()[1:-3], got.status), (['80-98:1', '1', '84:1', '1', '98->80:2'], 0))
    # what nothing was mapped at: of the branch both ends, and where the sample was taken
    perf = sampled('<')
    perf.map(7, 0x55000078, 0x100, 0x78, here)
    sample(perf, 7, 0x55000084, *2 * [perf.entry(0x55000098, 0x55000080)])
    sample(perf, 7, 0x77000000, perf.entry(0x77000010, 0x77000008))
    got = run(cairn, 'pgo', folder.write('unmapped.data', perf.file()))
    yield from expect('unmapped', (got.lines()[1:-3], got.status), (both, 0))
    yield from expect_in('unmapped', ': 3 addresses of branches and samples are in no file that was mapped', got.err)
    # one mapping more than there is room for
    perf = sampled('<')
    perf.map(8, 0x1000, 0x1000, 0, '/lib/one.so')
    one, perf.data = perf.data, b''
    perf.map(7, 0x55000078, 0x100, 0x78, here)
    mine, perf.data = perf.data, one * 65536
    perf.data += mine
    sample(perf, 8, 0x1000, perf.entry(0x1200, 0x1100))
    sample(perf, 7, 0x55000084, perf.entry(0x55000098, 0x55000080))
    got = run(cairn, 'pgo', folder.write('many.data', perf.file()))
    yield from expect('many', got.status, 1)
    yield from expect_in('many', 'more files were mapped than there is room for', got.err)


PROGBITS, NOTE, NOBITS = 1, 7, 8  # types of sections
BUILD_ID = bytes(range(0x10, 0x24))


def retype(path, types):
    """Gives sections other types, by their numbers."""
    data = bytearray(read(path))
    sections = struct.unpack_from('<Q', data, 40)[0]
    for number, kind in types.items():
        struct.pack_into('<I', data, sections + 64 * number + 4, kind)
    with open(path, 'wb') as file:
        file.write(data)


def check_fdata(cairn, folder):
    """main calls leaf and is left behind the call; then it goes by a table behind a call that does not return, which
    looks like a return by where it goes, and is none. BOLT wants no returns."""
    nop, ret = 0xd503201f, 0xd65f03c0
    code = [nop] * 64
    code[1] = 0x94000000 | 15  # 04: BL leaf
    code[3] = 0xd61f0000  # 0c: BR x0
    code[4] = 0x94000000 | 12  # 10: BL leaf
    code[6] = 0x54000000 | (-6 & 0x7ffff) << 5 | 1  # 18: B.NE 0
    code[7] = 0x14000000 | -7 & 0x3ffffff  # 1c: B 0
    code[17] = ret  # 44
    symbols = [('main', 0x10000, 0x20), ('leaf', 0x10040, 8)]
    note = struct.pack('<III', 4, len(BUILD_ID), 3) + b'GNU\0' + BUILD_ID
    perf = sampled('<')
    here = os.path.join(folder.path, 'returns')
    perf.map(7, 0x55000000, 0x200, 0, here)
    first = 0x55000078

    def entry(source, target):
        return perf.entry(first + source, first + target)
    sample(perf, 7, first, *3 * [entry(0x1c, 0), entry(0xc, 0x14), entry(0x44, 8), entry(4, 0x40)])
    path = folder.write('returns.data', perf.file_with_build_ids((here, BUILD_ID.hex())))
    # of the youngest branch is not known what came behind it, and of the oldest not what came before; 1c is reached
    # from 18, which begins no block that anything came to by another way
    wanted = ['1 main 18 1 main 1c 0 3', '1 main 1c 1 main 0 0 3', '1 main 4 1 leaf 0 0 3', '1 main c 1 main 14 0 3']
    folder.elf('returns', {0x10000: words(code)}, symbols, [('.note.gnu.build-id', note)])
    retype(here, {5: NOTE})
    got = run(cairn, 'pgo', '--format', 'bolt', path)
    yield from expect('whole', (sorted(got.lines()), got.status, got.err), (wanted, 0, ''))
    # stripped, with the symbols in a file of their own that has no code
    folder.elf('returns', {0x10000: words(code)}, [], [('.note.gnu.build-id', note)])
    retype(here, {2: PROGBITS, 5: NOTE})
    debug = 'debug/.build-id/%s/%s.debug' % (BUILD_ID[:1].hex(), BUILD_ID[1:].hex())
    retype(folder.elf(debug, {0x10000: bytes(256)}, symbols, [('.note.gnu.build-id', note)]), {1: NOBITS, 5: NOTE})
    split = ('--debug-dir', os.path.join(folder.path, 'debug'))
    got = run(cairn, 'pgo', '--format', 'bolt', *split, path)
    yield from expect('split', (sorted(got.lines()), got.status, got.err), (wanted, 0, ''))
    os.remove(here)
    got = run(cairn, 'pgo', '--format', 'bolt', *split, path)
    yield from expect('without code', got.status, 1)
    yield from expect_in('without code', 'returns: its code is not here (only its debug file)', got.err)


def check_locals(cairn, folder):
    """BOLT knows a local function by its source and a number among those of name and source, or without a source by a
    number among all local ones of its name, by address. What LTO compiled has no source."""
    local, source = 2, 4  # st_info
    here = folder.elf('locals', {0x10000: CODE}, [
        ('helper', 0x10030, 16, local), ('a.c', 0, 0, source), ('helper', 0x10020, 16, local),
        ('helper', 0x10010, 16, local), ('ld-temp.o', 0, 0, source), ('helper', 0x10000, 16, local)])
    perf = sampled('<')
    perf.map(7, 0x55000078, 0x100, 0x78, here)
    for at in (0x00, 0x10, 0x20, 0x30):
        sample(perf, 7, 0x55000078, perf.entry(0x55000078 + at, 0x55000078 + at))
    got = run(cairn, 'pgo', '--format', 'bolt', folder.write('locals.data', perf.file()))
    yield from expect('names', [line.split()[1] for line in got.lines()],
                      ['helper/1', 'helper/a.c/1', 'helper/a.c/2', 'helper/4'])


def check_json(cairn, folder):
    """What the summary says there is stands in the profile itself."""
    perf = sampled('<')
    here = folder.elf('program', {0x10000: CODE}, [('main', 0x10000, 0x18), ('leaf', 0x10018, 0x10)])
    perf.map(7, 0x55000078, 0x100, 0x78, here)
    sample(perf, 7, 0x55000084, *3 * [perf.entry(0x55000098, 0x55000080, 1)])
    sampled_file = folder.write('one.data', perf.file())
    for arguments in (['--image', ELF, CAPTURE], [sampled_file]):
        lines = run(cairn, 'pgo', '--indirect-targets', *arguments).lines()
        ranges = lines[1:1 + int(lines[0])]
        branches = [line for line in lines if '->' in line]
        wanted = [len(ranges), sum(int(line.split(':')[1]) for line in ranges),
                  len(branches), sum(int(line.split(':')[1]) for line in branches)]
        rows = run(cairn, 'pgo', '--format', 'json', *arguments).rows()
        keys = ('ranges', 'ranges_executed', 'branches', 'branches_taken')
        for kind in ('binary', 'total', 'function'):
            yield from expect(kind, [sum(row[key] for row in rows if row['type'] == kind) for key in keys], wanted)
    yield from expect('functions', [(row['function'], row['address'], row['ranges_executed'], row['branches_taken'], row['mispredicted'])
                                    for row in rows if row['type'] == 'function'],
                      [('main', '0x10000', 2, 0, 0), ('leaf', '0x10018', 0, 3, 3)])


def check_wrong(cairn, folder):
    perf = sampled('<')
    sample(perf, 7, 0x1000)
    empty = folder.write('empty.data', perf.file())
    for arguments, said in (
            ((empty,), 'there is no branch stack in it'),
            (('--comments', 'before', empty), "AutoFDO's text begins with a number"),
            (('--format', 'gcov', empty), 'expected autofdo, llvm, bolt, bolt-preaggregated, json or branch-list'),
            (('--comments', 'above', empty), 'expected behind, before or none'),
            (('--image', ELF, '--binary', 'other', CAPTURE), '--binary other: none of these was executed'),
            ((CAPTURE,), 'nothing was executed of which the file is here')):
        got = run(cairn, 'pgo', *arguments)
        yield from expect('%r' % (arguments,), (got.status, got.out), (2, ''))
        yield from expect_in('%r' % (arguments,), said, got.err)


def check_nothing(cairn, folder):
    """What leads to an empty profile, or to one of a part, says so and fails."""
    perf = sampled('<')
    here = folder.elf('program', {0x10000: CODE}, [('main', 0x10000, 64)])
    perf.map(7, 0x55000078, 0x100, 0x78, here)
    sample(perf, 7, 0x55000084, *2 * [perf.entry(0x55000098, 0x55000080)])
    path = folder.write('one.data', perf.file())
    perf = sampled('<')
    perf.map(7, 0x66000000, 0x1000, 0, '/lib/gone.so')
    sample(perf, 7, 0x66000040, *2 * [perf.entry(0x66000040, 0x66000010)])
    gone = folder.write('gone.data', perf.file())
    perf = Perf()
    perf.event(IP | TID | BRANCH_STACK)
    perf.map(7, 0x55000078, 0x100, 0x78, here)
    perf.sample(perf.words(0x55000084) + perf.pack('II', 7, 7) + perf.words(1) + perf.entry(0x55000098, 0x55000080))
    silent = folder.write('silent.data', perf.file())
    for arguments, said in (
            (('--pid', 99, path), 'no sample is of that process, thread, processor or time'),
            (('--time', '5,6', path), 'no sample is of that process, thread, processor or time'),
            (('--time', ',2', silent), 'do not say what --time chooses by. Leave it out, or record with perf record -b -T'),
            (('--cpu', 0, silent), 'do not say what --cpu chooses by'),
            (('--source', 'ETE_0', path), 'these are samples, not a trace: leave out --source'),
            (('--image', ELF, path), 'these are samples, not a trace: leave out --image'),
            (('--reference', path), 'these are samples, not a trace: leave out --reference'),
            (('--format', 'bolt', gone), 'nothing was executed that has a name')):
        got = run(cairn, 'pgo', *arguments)
        yield from expect('%r' % (arguments,), (got.status, got.out), (2, ''))
        yield from expect_in('%r' % (arguments,), said, got.err)
    # a file of another machine (x86-64) counts as not here
    with open(here, 'r+b') as file:
        file.seek(18)
        file.write(struct.pack('<H', 62))
    got = run(cairn, 'pgo', path)
    yield from expect('x86', (got.lines()[1:5], got.status), (['80-98:1', '1', '84:1', '1'], 0))
    yield from expect_in('x86', 'offsets in the file where it is not here, or not for Arm: ' + here, got.err)
    # one of two sources is refused: the profile is that of the other
    refused = shutil.copytree(CAPTURE, os.path.join(folder.path, 'refused'))
    with open(os.path.join(refused, 'etm_1.ini'), encoding='ascii') as file:
        text = file.read().replace('TRCIDR1=0x4100F403', 'TRCIDR1=0x4100F203')
    folder.write('refused/etm_1.ini', text)
    got = run(cairn, 'pgo', '--image', ELF, refused)
    yield from expect('refused', (got.status, got.out),
                      (1, run(cairn, 'pgo', '--image', ELF, '--source', 'ETE_0', CAPTURE).out))
    yield from expect_in('refused', 'ETM_1: left out: TRCIDR1 is 0x4100f203', got.err)


def check_output(cairn, folder):
    """A command that fails leaves no empty file behind, so that the corrected one can write it; what was there stays."""
    perf = sampled('<')
    perf.map(7, 0x66000000, 0x1000, 0, '/lib/gone.so')
    sample(perf, 7, 0x66000040, *2 * [perf.entry(0x66000040, 0x66000010)])
    gone = folder.write('gone.data', perf.file())
    out = os.path.join(folder.path, 'out')
    for arguments in (('pgo', '--format', 'bolt', gone), ('profile', '--image', ELF, '--annotate', 'nobody', CAPTURE),
                      ('calls', '--image', ELF, '--function', 'nobody', CAPTURE)):
        for force in ((), ('--force',)):
            got = run(cairn, arguments[0], '-o', out, *force, *arguments[1:])
            yield from expect('%r' % (arguments,), (got.status, os.path.exists(out)), (2, False))
        folder.write('out', '')
        got = run(cairn, arguments[0], '-o', out, '--force', *arguments[1:])
        yield from expect('%r, replaced' % (arguments,), (got.status, os.path.exists(out)), (2, True))
        os.remove(out)
    got = run(cairn, 'pgo', '-o', out, gone)
    yield from expect_in('not here', 'offsets in the file where it is not here, or not for Arm: /lib/gone.so', got.err)
    yield from expect('corrected', (got.status, os.path.getsize(out) > 0), (0, True))


def main():
    cairn = sys.argv[1]
    tap = Tap()
    cases = [('what the example executed', check_example), ('branch stacks', check_samples),
             ('memory of processes', check_maps), ('functions for BOLT', check_fdata),
             ('local functions', check_locals), ('nothing, or a part', check_nothing),
             ('no empty file', check_output), ('what there is, for programs', check_json),
             ('what cannot be', check_wrong)]
    recorded = [("simpleperf's recordings", check_simpleperf), ('targets of indirect branches', check_indirect),
                ('perf script --itrace=b', check_perf), ('LBR', check_lbr)]
    with tempfile.TemporaryDirectory(prefix='cairn-pgo-') as path:
        for name, check in cases:
            tap.case(name, check(cairn, Folder(path)))
        for name, check in recorded:
            if check == check_perf and not shutil.which('perf'):
                tap.skip(name, 'perf is not installed (Debian: linux-perf)')
            elif CAPTURES:
                tap.case(name, check(cairn, Folder(path)))
            else:
                tap.skip(name, 'CAIRN_CAPTURES is not set')
    tap.end()


if __name__ == '__main__':
    main()
