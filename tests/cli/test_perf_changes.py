#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Files that take the place of others in the midst of a part of a perf.data file: what is known of from where on, by
timestamps and by the entry of a program that was started, is decoded with the right one, and what is not is a gap, and told.
Files are made by hand, with loops of which a turn has 3 instructions (first), 2 (second) or 4 (third), so that what is right is counted by hand.

usage: test_perf_changes.py CAIRN
"""
import json
import os
import struct
import sys
import tempfile

from common import Folder, Tap, expect, expect_in, framed_exactly, run, words
from perf_file import COMM, ETE, RAW_TRACE, TIME_CONV, TRACE_TYPE, TRACED, USER, Perf

NOP = 0xd503201f
EXEC = 1 << 13  # PERF_RECORD_MISC_COMM_EXEC
TURN = {'first': 3, 'second': 2, 'third': 4}
VIRTUAL = 1  # what timestamps are of: the counter that the kernel makes times of
UNIT = [0x841, 0x10, 0x2881cea1, 0x4100fff0, 0x1088, 0, 0, 0x47705a13, VIRTUAL]  # an ETE with context IDs and timestamps
SIZE = 0x40


def at(count):
    """The time of a timestamp, by conversion()."""
    return 10 ** 9 + count * 83 // 2


def loop(turn):
    return [NOP] * (turn - 1) + [0x17ffffff - (turn - 2)]


def program(folder, name, turn, entry=None, interpreter=None):
    """(size, offset in the file) of code at 0x1000, which is the same loop everywhere: each 16 bytes one begins."""
    code = words((loop(turn) + [NOP] * 4)[:4] * (SIZE // 16))
    segments = {0x1000: code}
    if interpreter:
        segments[0x20000] = interpreter.encode() + b'\0'
    path = folder.elf(name, segments, [])
    with open(path, 'r+b') as file:
        data = bytearray(file.read())
        if entry is not None:
            struct.pack_into('<Q', data, 24, entry)
        if interpreter:
            struct.pack_into('<I', data, 64 + 56, 3)  # PT_INTERP
        file.seek(0)
        file.write(data)
    return len(code), struct.unpack_from('<Q', data, 64 + 8)[0]


def trace(*pieces):
    """Bytes of an ETE: (address, turns, thread), a timestamp (its count), or MARKER."""
    data = bytes(11) + b'\x80' + b'\x01\x00' + b'\x04'  # A-sync, Trace Info, Trace On
    for piece in pieces:
        if piece == MARKER:
            data += b'\x88'
        elif isinstance(piece, int):
            data += b'\x02' + bytes([piece >> 7 * i & 0x7f | 0x80 for i in range(8)]) + bytes([piece >> 56])
        else:
            address, count, thread = piece
            data += b'\x85' + bytes([address >> 2 & 0x7f, address >> 9 & 0x7f]) + (address >> 16).to_bytes(6, 'little')
            data += b'\xb0' + thread.to_bytes(4, 'little') + b'\xf7' * count
    return data


MARKER = 'marker'


class Recording:
    def __init__(self, folder, order='<', clock=True, unit=UNIT, form=RAW_TRACE, clockid=False):
        self.perf, self.folder, self.whole, self.form = Perf(order), folder, b'', form
        self.files = {name: program(folder, name, turn) for name, turn in TURN.items()}
        self.perf.event(TRACED, ids=[1], identified=True, kind=TRACE_TYPE, user_only=True, clockid=clockid)
        self.perf.units(1, (ETE, 3, unit))
        if clock:
            self.perf.record(TIME_CONV, self.perf.words(1, 83, 10 ** 9, 0, 0) + bytes([1, 0, 0, 0, 0, 0, 0, 0]), 0)

    def map(self, process, address, name, time, size=None):
        own, offset = self.files.get(name, (size or SIZE, 0))
        self.perf.map(process, address, size or own, offset, '/' + name if name in self.files else name, time=time)

    def exec(self, process, time):
        self.perf.record(COMM, self.perf.pack('II', process, process) + self.perf.text('other') + self.perf.whose(process, 3, time=time), EXEC | USER)

    def part(self, began, time, *pieces):
        self.perf.start(7, 3, began)
        data = trace(*pieces)
        data = data if self.form else framed_exactly(0x10, data)
        self.perf.aux(len(self.whole), len(data), self.form, 3, tid=7, time=time)
        self.whole += data

    def write(self, name):
        self.perf.trace(self.whole, 0, 3)
        return self.folder.write(name, self.perf.file())


def followed(cairn, folder, path, *arguments):
    """(instructions, addresses of gaps for want of memory)"""
    rows = run(cairn, 'flow', '--format', 'json', '--sysroot', folder.path, *arguments, path).rows()
    return (sum(row['instructions'] for row in rows if row['type'] == 'range'),
            [row['address'] for row in rows if row['type'] == 'gap' and row['reason'] == 'no_image'])


def check(cairn, folder, name, made, instructions, gaps, is_told=None):
    path = made.write('changes.data')
    for way in ((), ('--reference',)):
        got = followed(cairn, folder, path, *way)
        yield from expect('%s %r' % (name, way), (got[0], len(got[1])), (instructions, gaps))
    said = ' '.join(' '.join(json.loads(run(cairn, 'info', '--format', 'json', '--sysroot', folder.path, path).out)['remarks']).split())
    yield from expect('%s: %s' % (name, said), 'in the midst of a part of the trace' in said, gaps > 0 if is_told is None else is_told)
    return said


def advice(done):
    """What to do where memory is missing: whether a file helps, and whether none does where either of two was."""
    return [('give the program' in row['advice'], 'either of two may have been' in row['advice']) for row in done.rows() if row['type'] == 'finding' and row['code'] == 'CAIRN-NO-IMAGE']


def check_amid(cairn, folder):
    """Without times in the trace: neither file counts at the addresses that both have, in that part alone."""
    for form in (RAW_TRACE, 0):
        for order in '<>':
            def made():
                one = Recording(folder, order, unit=[0x41, *UNIT[1:]], form=form)
                one.map(7, 0x1000, 'first', 1)
                one.map(7, 0x8000, 'third', 1)
                one.part(5, 10, (0x1000, 2, 7))
                return one
            one = made()
            one.map(7, 0x1000, 'second', 15)
            one.part(12, 20, (0x1000, 4, 7), (0x8000, 5, 7))
            one.part(25, 30, (0x1000, 6, 7))
            yield from check(cairn, folder, 'unknown', one, 3 * 2 + 4 * 5 + 2 * 6, 4)
            done = run(cairn, 'check', '--format', 'json', '--sysroot', folder.path, os.path.join(folder.path, 'changes.data'))
            told = [row['what'] for row in done.rows() if row['type'] == 'finding' and row['code'] == 'CAIRN-IMAGE-CHANGED']
            yield from expect('findings', (len(told), done.status), (1, 1))
            yield from expect('advice', advice(done), [(False, True)])
            begin = len(trace((0x1000, 2, 7)))
            yield from expect_in('where', 'The first is /second where /first was, at 0x1000, in cpu3 from byte 0x%x on up to 0x%x.' % (
                begin, begin + len(trace((0x1000, 4, 7), (0x8000, 5, 7)))), told[0])
            for name, began, time, instructions in (('before the part', 15, 15, 2 * 4), ('when it began', 15, 14, 2 * 4), ('when it was complete', 12, 20, 3 * 4)):
                one = made()
                one.map(7, 0x1000, 'second', time)
                one.part(began, 20, (0x1000, 4, 7))
                one.part(25, 30, (0x1000, 6, 7))
                yield from check(cairn, folder, name, one, 3 * 2 + instructions + 2 * 6, 0)
    # the part before tells as well when this one began
    one = Recording(folder)
    one.map(7, 0x1000, 'first', 1)
    one.part(5, 10, (0x1000, 2, 7))
    one.map(7, 0x1000, 'second', 10)
    one.part(0, 20, (0x1000, 4, 7))
    yield from check(cairn, folder, 'behind the last', one, 3 * 2 + 2 * 4, 0)
    # in the last part, and a file that is not here
    for other, instructions, gaps in (('second', 3 * 2, 4), ('gone', 3 * 2, 4), ('first', 3 * 6, 0)):
        one = Recording(folder)
        one.map(7, 0x1000, 'first', 1)
        one.part(5, 10, (0x1000, 2, 7))
        one.map(7, 0x1000, other, 15)
        one.part(12, 20, (0x1000, 4, 7))
        yield from check(cairn, folder, 'last, ' + other, one, instructions, gaps)
    # what is missing for another reason may be given
    one = Recording(folder)
    one.map(7, 0x1000, 'first', 1)
    one.map(7, 0x1000, 'second', 15)
    one.part(12, 20, (0x1000, 4, 7), (0x9000, 3, 7))
    done = run(cairn, 'check', '--format', 'json', '--sysroot', folder.path, one.write('changes.data'))
    yield from expect('both', advice(done), [(True, True)])
    # only a part of it: what is beside the other one is not in doubt
    one = Recording(folder)
    one.map(7, 0x1000, 'first', 1, size=0x20)
    one.part(5, 10, (0x1000, 2, 7))
    one.map(7, 0x1000, 'second', 15)
    one.part(12, 20, (0x1010, 3, 7), (0x1020, 4, 7))
    one.part(22, 30, (0x1010, 5, 7))
    yield from check(cairn, folder, 'in part', one, 3 * 2 + 2 * (4 + 5), 3)
    # a whole row of them, of which the last is there in the end; and far behind
    one = Recording(folder)
    one.map(7, 0x1000, 'first', 1)
    for n in range(5000):
        one.map(7, 0x100000 + 0x1000 * n, 'third', 2)
    one.part(5, 10, (0x1000, 2, 7))
    for n, name in enumerate(('second', 'third', 'second')):
        one.map(7, 0x1000, name, 13 + n)
    one.part(12, 20, (0x1000, 4, 7), (0x102000, 1, 7))
    one.part(25, 30, (0x1000, 6, 7))
    yield from check(cairn, folder, 'a row', one, 3 * 2 + 4 + 2 * 6, 4)
    # of another process nothing is in doubt
    one = Recording(folder)
    for process in (7, 9):
        one.map(process, 0x1000, 'first', 1)
    one.map(7, 0x1000, 'second', 15)
    one.part(12, 20, (0x1000, 4, 7), (0x1000, 5, 9))
    yield from check(cairn, folder, 'another process', one, 3 * 5, 4)


def check_made(cairn, folder):
    """Functions that were compiled into memory of no file are there for all of the part in which that is told; where such memory
    was beside or in part nobody knows, and one function in the place of another is as any file."""
    for address, size, instructions, gaps in ((0x1000, 0x100000, 3 * 4, 0), (0x800, 0x820, 3 * 2, 2)):
        one = Recording(folder)
        one.map(7, address, '//anon', 1, size=size)
        one.map(7, 0x1000, 'first', 15)
        one.part(5, 20, (0x1000, 2, 7), (0x1020, 2, 7))
        yield from check(cairn, folder, 'in 0x%x' % size, one, instructions, gaps)
    one = Recording(folder)
    one.map(7, 0x1000, '//anon', 1, size=0x100000)
    one.map(7, 0x1000, 'first', 8)
    one.part(5, 10, (0x1000, 2, 7))
    one.map(7, 0x1000, 'second', 15)
    one.part(12, 20, (0x1000, 4, 7))
    one.part(22, 30, (0x1000, 5, 7))
    yield from check(cairn, folder, 'one after the other', one, 3 * 2 + 2 * 5, 4)
    # code of no file where a file was: that is not known from the part on
    one = Recording(folder)
    one.map(7, 0x1000, 'first', 1)
    one.part(5, 10, (0x1000, 2, 7))
    one.map(7, 0x1000, '//anon', 15)
    one.part(12, 20, (0x1000, 1, 7))
    one.part(22, 30, (0x1000, 1, 7))
    yield from check(cairn, folder, 'made in place of a file', one, 3 * 2, 2)


def check_times(cairn, folder):
    """Timestamps tell when what is in front of them was executed, or in front of their marker; between two of them nobody knows."""
    pieces = (0x1000, 1, 7), 1000, (0x1000, 2, 7), 2000, (0x1000, 3, 7), 3000, (0x1000, 4, 7)
    marked = (0x1000, 1, 7), MARKER, (0x1000, 2, 7), 1000, MARKER, 2000, (0x1000, 3, 7), MARKER, 3000, (0x1000, 4, 7)
    early = (0x1000, 1, 7), 900, (0x1000, 2, 7), MARKER, 2000, (0x1000, 3, 7), MARKER, 3000, (0x1000, 4, 7)  # 900 is of before the part
    back = (0x1000, 1, 7), 2000, (0x1000, 2, 7), 1000, (0x1000, 3, 7), 3000, (0x1000, 4, 7)  # of another counter
    for name, when, what, instructions, gaps in (
            ('between two', 2500, pieces, 3 * (1 + 2) + 2 * 4, 3), ('at one', 2000, pieces, 3 * (1 + 2) + 2 * (3 + 4), 0),
            ('in front of all', 500, pieces, 2 * (2 + 3 + 4), 1), ('behind all', 3500, pieces, 3 * (1 + 2 + 3), 4),
            ('by markers', 1500, marked, 3 * 1 + 2 * (3 + 4), 2), ('by a marker', 2500, marked, 3 * (1 + 2) + 2 * 4, 3),
            ('no marker at first', 1500, early, 2 * (3 + 4), 1 + 2), ('back in time', 2500, back, 3 * 1 + 2 * 4, 2 + 3)):
        for form in (RAW_TRACE, 0):
            one = Recording(folder, form=form)
            one.map(7, 0x1000, 'first', 1)
            one.part(at(0) - 2, at(0), (0x1000, 1, 7))
            one.map(7, 0x1000, 'second', at(when))
            one.part(at(0) + 1, at(4000), *what)
            one.part(at(4000) + 1, at(5000), (0x1000, 5, 7))
            yield from check(cairn, folder, '%s, form 0x%x' % (name, form), one, 3 + instructions + 2 * 5, gaps)
    # of a clock that is not the system's, or not that of the records, nothing is known; nor what is outside of the part's time
    for name, more, times in (('no clock', {'clock': False}, (at(0), at(4000))), ('another counter', {'unit': UNIT[:-1] + [3]}, (at(0), at(4000))), ('a clock that was chosen', {'clockid': True}, (at(0), at(4000))), ('another time', {}, (at(10000), at(14000)))):
        one = Recording(folder, **more)
        one.map(7, 0x1000, 'first', 1)
        one.map(7, 0x1000, 'second', times[0] + 1000)
        one.part(times[0], times[1], *pieces)
        yield from check(cairn, folder, name, one, 0, 10)


def check_exec(cairn, folder):
    """A program that was started in the midst of a part begins at its entry, or at that of the file that it names for that. With
    as many starts as entries these are one and the same; else nobody knows."""
    def begun(**more):
        one = Recording(folder, unit=[0x41, *UNIT[1:]], **more)
        for name, turn, entry, interpreter in (('static', 2, 0x1010, None), ('again', 4, 0x1020, None), ('dynamic', 2, 0x1010, '/ld.so'), ('ld.so', 3, 0x1030, None)):
            one.files[name] = program(folder, name, turn, entry, interpreter)
        one.map(7, 0x1000, 'first', 1)
        one.map(7, 0x8000, 'first', 1)
        one.map(9, 0x1000, 'third', 1)
        return one
    for form in (RAW_TRACE, 0):
        one = begun(form=form)
        one.exec(7, 15)
        one.map(7, 0x1000, 'static', 16)
        one.part(12, 20, (0x1000, 2, 7), (0x8000, 1, 7), (0x1010, 3, 9), (0x1010, 4, 7), (0x1000, 5, 7))
        yield from check(cairn, folder, 'static', one, 3 * (2 + 1) + 4 * 3 + 2 * (4 + 5), 0)
        # what the first program had elsewhere ends there as well
        one = begun(form=form)
        one.exec(7, 15)
        one.map(7, 0x1000, 'static', 16)
        one.part(12, 20, (0x8000, 1, 7), (0x1010, 4, 7), (0x8000, 1, 7))
        one.part(22, 30, (0x1000, 1, 7))
        yield from check(cairn, folder, 'elsewhere', one, 3 * 1 + 2 * (4 + 1), 1, False)
    one = begun()
    one.exec(7, 15)
    one.map(7, 0x1000, 'dynamic', 16)
    one.map(7, 0x8000, 'ld.so', 17)
    one.map(7, 0x9000, 'second', 18)
    one.part(12, 20, (0x1010, 2, 7), (0x8000, 1, 7), (0x8030, 3, 7), (0x8000, 2, 7), (0x1010, 4, 7), (0x9000, 1, 7))
    yield from check(cairn, folder, 'dynamic', one, 3 * (2 + 1) + 3 * (3 + 2) + 2 * (4 + 1), 0)
    one = begun()
    for n, name in enumerate(('static', 'again')):
        one.exec(7, 15 + 2 * n)
        one.map(7, 0x1000, name, 16 + 2 * n)
    one.part(12, 20, (0x1000, 2, 7), (0x1010, 4, 7), (0x1000, 1, 7), (0x1020, 3, 7))
    yield from check(cairn, folder, 'two', one, 3 * 2 + 2 * (4 + 1) + 4 * 3, 0)
    # one is not in the trace, or one more: the addresses that both had are a gap
    for name, pieces, instructions, gaps in (('none', [(0x1000, 2, 7)], 0, 2), ('two entries', [(0x1010, 2, 7), (0x1010, 3, 7)], 0, 5), ('of another process', [(0x1010, 2, 9)], 4 * 2, 0)):
        one = begun()
        one.exec(7, 15)
        one.map(7, 0x1000, 'static', 16)
        one.part(12, 20, *pieces)
        yield from check(cairn, folder, name, one, instructions, gaps, True)
    # the same program again
    one = begun()
    one.exec(7, 15)
    one.map(7, 0x1000, 'first', 16)
    one.part(12, 20, (0x1000, 2, 7), (0x1000, 3, 7))
    yield from check(cairn, folder, 'the same', one, 3 * 5, 0)


def main():
    cairn = os.path.abspath(sys.argv[1])
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix='cairn-changes-') as path:
        for name, case in (('in the midst of a part', check_amid), ('code that is made', check_made), ('by timestamps', check_times), ('programs that are started', check_exec)):
            os.mkdir(os.path.join(path, case.__name__))
            tap.case(name, case(cairn, Folder(os.path.join(path, case.__name__))))
    tap.end()


if __name__ == '__main__':
    main()
