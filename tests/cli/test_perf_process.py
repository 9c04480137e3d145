#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Processes over time in a perf.data file: what a process has in memory ends when it starts another program, or another
one has its number, or code that is of no file is there; and the folder that perf record --threads makes. Files are made
by hand, with loops of which a turn has 3 instructions (first) or 2 (second), so that what is right is counted by hand.

usage: test_perf_process.py CAIRN
"""
import os
import sys
import tempfile

from common import Folder, Tap, expect, run
from perf_file import COMM, COMPRESSED, CPU, DIR_FORMAT, ETE, ETMV4, FORK, ID_INDEX, IDENTIFIER, ITRACE_START, NOBODY, OVERWRITE, RAW_TRACE, SWITCH, SWITCH_CPU_WIDE, TID, TIME, TRUNCATED, TIME_CONV, TRACE_TYPE, TRACED, USER, Perf
from test_perf_trace import told
from test_pgo import frame
from test_whose import of_loops

EXEC = 1 << 13  # PERF_RECORD_MISC_COMM_EXEC
UNIT = [0x51, 0x10, 0x2881cea1, 0x4100fff0, 0x1088, 0, 0, 0x47705a13]  # an ETE with context IDs and cycle counts


def turns(thread, *loops):
    """Bytes of an ETE: each (address, turns)."""
    data = bytes(11) + b'\x80' + b'\x01\x09\x01\x04' + b'\x04'  # A-sync, Trace Info (CC, threshold 4), Trace On
    for address, count in loops:  # Address with Context (64-bit IS0): EL0, Non-secure, AArch64, a context ID; E, Cycle Count format 3
        data += b'\x85' + bytes([address >> 2 & 0x7f, address >> 9 & 0x7f]) + (address >> 16).to_bytes(6, 'little')
        data += b'\xb0' + thread.to_bytes(4, 'little') + b'\xf7\x10' * count
    return data


class Recording:
    """Of CPU 3, or several."""

    def __init__(self, folder, cpus=(3,)):
        self.perf, self.files, self.folder = Perf(), of_loops(folder), folder
        self.perf.event(TRACED, ids=[1], identified=True, kind=TRACE_TYPE)
        self.perf.units(1, *[(ETE, cpu, UNIT) for cpu in cpus])
        self.whole = b''

    def map(self, process, address, name, time=0):
        perf = self.perf
        perf.map(process, address, *self.files.get(name, (0x1000, 0)), '/' + name if name in self.files else name, time=time)

    def exec(self, process, time, name='other'):
        self.perf.record(COMM, self.perf.pack('II', process, process) + self.perf.text(name) + self.perf.whose(process, 3, time=time), EXEC | USER)

    def fork(self, child, parent, time):
        self.perf.record(FORK, self.perf.pack('IIIIQ', child, parent, child, parent, time) + self.perf.whose(parent, 3, time=time))

    def part(self, time, thread, *loops, began=None, process=None):
        """Complete at `time`; of an event that was started shortly before, or when it is told."""
        data = turns(thread, *loops)
        self.perf.start(thread, 3, max(time - 2, 0) if began is None else began, process)
        self.perf.aux(len(self.whole), len(data), RAW_TRACE, 3, tid=thread, time=time)
        self.whole += data

    def write(self, name):
        self.perf.trace(self.whole, 0, 3)
        return self.folder.write(name, self.perf.file())


def counted(cairn, folder, path, *arguments):
    return run(cairn, 'profile', '--format', 'json', '--sysroot', folder.path, *arguments, path).rows()[-1]['instructions']


def check_exec(cairn, folder):
    """What a process had before it started another program is there in the part in which it did, and behind that no more;
    also what it had inherited. The same file at the same place is there again if it is mapped again."""
    for inherits in (False, True):
        for again in (False, True):
            made = Recording(folder)
            made.map(9, 0x4000, 'second')  # a second process
            made.map(5 if inherits else 7, 0x1000, 'first', time=1)
            if inherits:
                made.fork(7, 5, 2)
            made.part(10, 7, (0x1000, 2))
            made.exec(7, 15)
            made.map(7, 0x3000, 'second', time=16)
            if again:
                made.map(7, 0x1000, 'first', time=17)
            made.part(20, 7, (0x1000, 1), (0x3000, 3), began=12)
            made.part(30, 7, (0x1000, 5), (0x3000, 1))
            made.part(40, 7, (0x1000, 7))
            path = made.write('exec.data')
            expected = 3 * (2 + 1) + 2 * (3 + 1) + (3 * (5 + 7) if again else 0)
            for way in ((), ('--reference',)):
                instructions = counted(cairn, folder, path, '--tid', 7, *way)
                yield from expect('inherits %d, again %d %r' % (inherits, again, way), instructions, expected)


    # and a child goes on in what its parent had, though there is no other process
    made = Recording(folder)
    made.map(5, 0x1000, 'first', time=1)
    made.fork(7, 5, 2)
    made.part(10, 7, (0x1000, 2))
    made.exec(5, 15)
    made.map(5, 0x1000, 'second', time=16)
    made.part(20, 7, (0x1000, 4))
    made.part(30, 5, (0x1000, 3))
    made.part(40, 7, (0x1000, 9))
    path = made.write('outlived.data')
    for process, expected in ((7, 3 * (2 + 4 + 9)), (5, 2 * 3)):
        yield from expect('process %d' % process, counted(cairn, folder, path, '--tid', process), expected)


def check_reused(cairn, folder):
    """A number that another process had: that begins with its own parent's memory."""
    made = Recording(folder)
    made.map(5, 0x1000, 'second', time=1)
    made.map(7, 0x1000, 'first', time=1)
    made.map(7, 0x5000, 'first', time=1)
    made.part(10, 7, (0x1000, 1), (0x5000, 1))
    made.fork(7, 5, 15)
    made.part(20, 7, (0x1000, 4))
    made.part(30, 7, (0x1000, 1), (0x5000, 8))
    instructions = counted(cairn, folder, made.write('reused.data'), '--tid', 7)
    yield from expect('instructions', instructions, 3 + 3 + 2 * (4 + 1))


def check_made(cairn, folder):
    """Code that is of no file, where a file was: nobody has it. And a file where that was."""
    for path in ('//anon', '[heap]', 'anon_inode:[perf]'):
        made = Recording(folder)
        made.map(7, 0x1000, 'first', time=1)
        made.map(7, 0x8000, path, time=2)
        made.part(10, 7, (0x1000, 2))
        made.map(7, 0x1000, path, time=15)
        made.part(20, 7, (0x1000, 10))
        made.map(7, 0x1000, 'second', time=25)
        made.map(7, 0x8000, 'second', time=25)
        made.part(30, 7, (0x1000, 1), (0x8000, 4))
        got = counted(cairn, folder, made.write('made.data'))
        yield from expect(path, got, 3 * 2 + 2 * (1 + 4))
        modules = [row['path'] for row in told(cairn, os.path.join(folder.path, 'made.data'), '--sysroot', folder.path)['program']['modules'] if row['path'][0] == '/']
        yield from expect('modules', modules, ['/first', '/second', '/second'])


def check_log(cairn, folder):
    """A program that compiles maps a page of its list (jit-PID.dump): that is no file that is missing or has changed, and what to do is said."""
    folder.write('made/jit-7.dump', b'DTiJ' + bytes(36))
    for path, is_log in (('/made/jit-7.dump', True), ('/gone/jit-123.dump', True), ('/gone/jit-.dump', False), ('/gone/jit-7.dumps', False), ('/gone/ajit-7.dump', False)):
        made = Recording(folder)
        made.map(7, 0x1000, 'first', time=1)
        made.map(7, 0x8000, path, time=2)
        made.part(10, 7, (0x1000, 2))
        facts = told(cairn, made.write('log.data'), '--sysroot', folder.path)
        yield from expect(path, [row['path'] for row in facts['program']['modules'] if 'jit' in row['path']], [] if is_log else [path])
        yield from expect('%s: %r' % (path, facts['remarks']), 'perf inject --jit' in ' '.join(' '.join(facts['remarks']).split()), is_log)


def check_many(cairn, folder):
    """Code that is made again and again is mapped as often: one process all the same, whose memory is there whatever the trace
    says of threads; also where its child has it, or another process has mapped the same."""
    for name, count, sizes in (('at one place', 3000, 1), ('of several sizes', 3000, 64), ('each of another size', 6000, 6000)):
        for forks in (False, True):
            made = Recording(folder)
            made.map(7, 0x1000, 'first', time=1)
            for n in range(count):
                made.perf.map(7, 0x8000, 0x1000 * (1 + n % sizes), 0, '//anon', time=2)
            if forks:
                made.fork(8, 7, 3)
            made.part(10, 0, (0x1000, 5))
            path = made.write('many.data')
            yield from expect('%s, forks %d' % (name, forks), counted(cairn, folder, path), 3 * 5)
    # two processes
    made = Recording(folder)
    for process, loop in ((5, 'first'), (7, 'second')):
        made.map(process, 0x1000, loop, time=1)
        for n in range(3000):
            made.map(process, 0x8000 + 0x10 * process, '//anon', time=2)
    made.part(10, 7, (0x1000, 5))
    made.part(11, 5, (0x1000, 4))
    path = made.write('two.data')
    for process, expected in ((7, 2 * 5), (5, 3 * 4)):
        yield from expect('of %d' % process, counted(cairn, folder, path, '--tid', process), expected)


def check_too_many(cairn, folder):
    """Two processes with more mappings one above the other than are compared: that is told, and what says whose it is decodes."""
    said = 'Processes have more mappings at the same addresses than are compared'
    for count, is_said in ((3100, True), (300, False)):
        for thread, turns_ in ((0, 0), (8, 5)):
            made = Recording(folder)
            made.map(7, 0x1000, 'first', time=1)
            for n in range(count):
                made.perf.map(7, 0x100000 + 0x1000 * n, 0x8000000, 0, '//anon', time=2)
            made.fork(8, 7, 3)
            made.part(10, thread, (0x1000, 5))
            path = made.write('stacked.data')
            yield from expect('%d, said' % count, said in ' '.join(told(cairn, path, '--sysroot', folder.path)['remarks']), is_said)
            if turns_:
                yield from expect('%d, of %d' % (count, thread), counted(cairn, folder, path), 3 * turns_)


def check_apart(cairn, folder):
    """What a process maps behind a fork is its own: the other one goes on in what both had, also where nobody else was
    recorded. A turn of `first` has 3 instructions, of `second` 2, of what has no code none."""
    for mapper in (5, 7):
        for what, turn in (('//anon', 0), ('second', 2), ('[heap]', 0), ('/gone', 0)):
            for again in (False, True):
                made = Recording(folder)
                made.map(5, 0x1000, 'first', time=1)
                made.fork(7, 5, 2)
                made.part(10, 7, (0x1000, 2))
                made.part(11, 5, (0x1000, 1))
                made.map(mapper, 0x1000, what, time=15)
                made.part(20, 7, (0x1000, 4))
                made.part(21, 5, (0x1000, 3))
                if again:
                    made.map(mapper, 0x1000, 'first', time=25)
                    made.part(30, 7, (0x1000, 5))
                    made.part(31, 5, (0x1000, 6))
                path = made.write('apart.data')
                for process, turns_of in ((7, (2, 4, 5)), (5, (1, 3, 6))):
                    expected = 3 * turns_of[0] + (turn if process == mapper else 3) * turns_of[1] + 3 * turns_of[2] * again
                    yield from expect('%d maps %s, again %d, of %d' % (mapper, what, again, process), counted(cairn, folder, path, '--tid', process), expected)
    # both map at the same new place, and one of them what is no file
    made = Recording(folder)
    made.map(5, 0x1000, 'first', time=1)
    made.fork(7, 5, 2)
    made.map(5, 0x8000, 'second', time=3)
    made.map(7, 0x8000, '//anon', time=4)
    made.part(10, 7, (0x1000, 2), (0x8000, 5))
    made.part(11, 5, (0x1000, 1), (0x8000, 4))
    path = made.write('new.data')
    for process, expected in ((7, 6), (5, 3 + 8)):
        yield from expect('a new place, of %d' % process, counted(cairn, folder, path, '--tid', process), expected)


ROOM = 4096  # of a buffer, a page


def quiet(folder, name, *happens, flags=0, by_index=False, forks=False, later=False, of_thread=False, has_cpu=True):
    """A recording of thread 7 on CPU 3, microsecond by microsecond: START, IN, OUT, or (bytes, turns) of a part, which perf reads
    at once. `later`: and something happens on CPU 4 afterwards, of thread 9 if the buffer is a thread's; records need not say their CPU then."""
    perf, files, at = Perf(), of_loops(folder), 0
    if not has_cpu:
        perf.whose = lambda tid, cpu, event=1, time=0: perf.pack('IIQQ', tid, tid, time, event)
    perf.event(TRACED if has_cpu else TRACED & ~CPU, ids=[1], identified=True, kind=TRACE_TYPE, inherit=forks)
    if by_index:
        perf.event(TID | TIME | IDENTIFIER, ids=[2], identified=True, kind=1)
    perf.units(1, (ETE, 3, UNIT))
    perf.record(ID_INDEX, perf.words(2, 1, 0, 3, 7, 2, 0, 3, 7), 0)
    perf.map(7, 0x1000, *files['first'], '/first', time=1)
    for time, what in enumerate(happens):
        time = 1000 * (time + 1)
        if what in ('IN', 'OUT'):
            end = perf.pack('IIQQ', 7, 7, time, 2) if by_index else perf.whose(7, 3, time=time)
            perf.record(SWITCH, end, USER | (1 << 13 if what == 'OUT' else 0))
        elif what == 'START':
            perf.record(ITRACE_START, perf.pack('II', 7, 7) + perf.whose(7, 3, time=time))
        elif what == 'FORK':
            perf.record(FORK, perf.pack('IIIIQ', 7, 7, 8, 7, time) + perf.whose(7, 3, time=time))
        else:
            data = turns(7, (0x1000, what[1]))
            data = bytes(what[0] - len(data)) + data  # an A-sync may begin with any number of zeros
            perf.aux(at, len(data), RAW_TRACE | flags, 3, tid=7, time=time)
            perf.trace(data, at, NOBODY if of_thread else 3, tid=7 if of_thread else NOBODY)
            at += len(data)
    if later:
        perf.record(ITRACE_START, perf.pack('II', 7, 7) + perf.whose(9 if of_thread else 7, 4, time=1000 * (len(happens) + 9)))
    return folder.write(name, perf.file())


def check_silences(cairn, folder):
    """Where a buffer is full the kernel starts the event, or leaves it off, and records nothing; that is told, and a gap, where
    nothing else says so. A start without a part elsewhere is none: nothing may have been executed that is traced."""
    run_of = ['START', 'IN', 'OUT', (ROOM, 2)]
    again = ['START', 'IN', 'OUT', (100, 3)]
    for name, happens, more, times, ms in (
            ('started', [*run_of, 'START', 'IN', 'OUT', *again], {}, 1, 0.002),
            ('left off', [*run_of, 'START', 'IN', 'OUT', 'IN', 'OUT', 'IN', 'OUT', *again], {}, 3, 0.004),
            ('of an event that says no processor', [*run_of, 'START', 'IN', 'OUT', 'IN', 'OUT', *again], {'by_index': True}, 2, 0.003),
            ('handed on', ['FORK', *run_of, 'START', 'IN', 'OUT', 'IN', 'OUT', *again], {'forks': True}, 1, 0.004),
            ('a part without room', ['START', 'IN', 'OUT', (200, 2), 'START', 'IN', 'OUT', *again], {'flags': TRUNCATED}, 1, 0.002),
            ('nothing is traced', ['START', 'IN', 'OUT', (ROOM - 8, 2), 'START', 'IN', 'OUT', *again], {}, 0, 0),
            ('before the first', ['START', 'IN', 'OUT', *run_of, *again], {}, 0, 0),
            ('at the end', [*again, *run_of, 'START', 'IN', 'OUT'], {}, 0, 0),
            ('at the end of a processor', [*again, *run_of, 'START', 'IN', 'OUT'], {'later': True}, 1, 0.002),
            ('and before that', [*again, *run_of, *2 * ['START', 'IN', 'OUT']], {'later': True}, 2, 0.004),
            ('at the end of all', [*again, *run_of, *3 * ['START', 'IN', 'OUT']], {}, 'at least 2', 0.004),
            ('at the end, running', [*again, *run_of, *2 * ['START', 'IN', 'OUT'], 'START', 'IN'], {'later': True}, 'at least 2', 0.004),
            ('half of a buffer', ['START', 'IN', (ROOM, 1), 'OUT', (ROOM, 1), 'START', 'IN', 'OUT', *again], {}, 0, 0),
            ('at once', [*run_of, *again], {}, 0, 0)):
        for owner in ({}, {'of_thread': True}, {'of_thread': True, 'has_cpu': False}):
            if owner and more.get('by_index'):
                continue  # these say their processor by the event's number
            path = quiet(folder, 'quiet.data', *happens, **more, **owner)
            got = run(cairn, 'profile', '--format', 'json', '--sysroot', folder.path, path)
            said = 'that a traced thread ran, for %.3f ms in all, the kernel recorded nothing' % ms
            yield from expect('%s %r: %s' % (name, owner, got.err), (': %s time%s %s' % (times, 's' * (times != 1), said) in got.err) if times else 'recorded nothing' not in got.err, True)
            yield from expect(name + ', instructions', got.rows()[-1]['instructions'], 3 * (2 + 3))
            gaps = [row for row in run(cairn, 'flow', '--format', 'json', '--sysroot', folder.path, path).rows() if row['type'] == 'gap']
            yield from expect(name + ', gaps', [row['reason'] for row in gaps], ['lost'] * ((times != 0) + (more.get('flags') == TRUNCATED)))


def wide(folder, name, *happens, user_only=True, switches=True, snapshot=False):
    """A recording of CPU 3, whoever runs there: START, (thread, IN or OUT), or (bytes, turns, full) of a part of 7."""
    perf, files, at = Perf(), of_loops(folder), 0
    perf.event(TRACED, ids=[1], identified=True, kind=TRACE_TYPE, user_only=user_only)
    perf.units(1, (ETE, 3, UNIT))
    perf.record(ID_INDEX, perf.words(1, 1, 0, 3, 2 ** 64 - 1), 0)
    perf.map(7, 0x1000, *files['first'], '/first', time=1)
    perf.name(9, 9, 'kworker')
    for time, what in enumerate(happens):
        time = 1000 * (time + 1)
        if what == 'START':
            perf.record(ITRACE_START, perf.pack('II', 7, 7) + perf.whose(7, 3, time=time))
        elif len(what) == 2:
            if switches:
                perf.record(SWITCH_CPU_WIDE, perf.pack('II', 0, 0) + perf.whose(what[0], 3, time=time), USER | (1 << 13 if what[1] == 'OUT' else 0))
        else:
            data = turns(7, (0x1000, what[1]))
            data = bytes(what[0] - len(data)) + data
            perf.aux(at + len(data) if snapshot else at, len(data), RAW_TRACE | what[2] | OVERWRITE * snapshot, 3, tid=7, time=time)
            perf.trace(data, at, 3)
            at += len(data)
    return folder.write(name, perf.file())


def check_wide_silences(cairn, folder):
    """An event that counts on a processor is off behind a full buffer until perf has read it: what ran then, by switches."""
    full, room = (200, 2, TRUNCATED), (200, 2, 0)
    begin, end = ['START', (7, 'IN')], ['START', (100, 3, 0)]
    turn = lambda thread: [(thread, 'IN'), (thread, 'OUT')]  # noqa: E731
    for name, happens, more, times, ms in (
            ('it goes on to run', [*begin, full, *end], {}, 1, 0.001),
            ('and goes', [*begin, full, (7, 'OUT'), *turn(0), *end], {}, 1, 0.001),
            ('and comes again', [*begin, full, (7, 'OUT'), *turn(0), *turn(7), *end], {}, 2, 0.002),
            ('others of the kernel', [*begin, full, (7, 'OUT'), *turn(9), *end], {}, 1, 0.001),
            ('with the kernel', [*begin, full, (7, 'OUT'), *turn(9), *turn(0), *end], {'user_only': False}, 2, 0.002),
            ('nobody ran', [*begin, (7, 'OUT'), full, *turn(0), *end], {}, 0, 0),
            ('nobody but the kernel', [*begin, (7, 'OUT'), full, *turn(9), *end], {}, 0, 0),
            ('started, and it ran', ['START', full, 'START', *turn(7), (100, 3, 0)], {}, 0, 0),
            ('nothing was traced', [*begin, room, 'START', *turn(7), *end], {}, 0, 0),
            ('nothing was traced behind a start', ['START', full, 'START', *turn(7), *end], {}, 0, 0),
            ('not known who ran', [*begin, full, *end], {'switches': False}, 0, 0),
            ('snapshots', [*begin, (ROOM, 2, 0), *turn(7), *end], {'snapshot': True}, 0, 0)):
        path = wide(folder, 'wide.data', *happens, **more)
        got = run(cairn, 'profile', '--format', 'json', '--sysroot', folder.path, path)
        said = ': %d time%s that a traced thread ran, for %.3f ms in all, the kernel recorded nothing' % (times, 's' * (times != 1), ms)
        yield from expect(name + ': ' + got.err, said in got.err if times else 'recorded nothing' not in got.err, True)
        yield from expect(name + ', instructions', got.rows()[-1]['instructions'], 3 * (2 + 3))


def check_no_room(cairn, folder):
    """More that is taken away than can be told: said, and counted as if it were there."""
    made = Recording(folder, cpus=range(64))
    made.map(5, 0x1000, 'first', time=1)
    made.map(4, 0x1000, 'first', time=1)
    for cpu in range(64):
        data = turns(1, (0x9000, 1))
        for n in range(3):
            made.perf.aux(n * len(data), len(data), RAW_TRACE, cpu, tid=1, time=1 + 1000 * n)
        made.perf.trace(3 * data, 0, cpu)
    for child in range(10, 310):
        made.fork(child, 5, child)
        made.exec(child, child + 1)
    path = folder.write('room.data', made.perf.file())
    remarks = ' '.join(' '.join(told(cairn, path, '--sysroot', folder.path)['remarks']).split())
    yield from expect(remarks, '44 mapped files had been taken away' in remarks, True)
    said = ' '.join(run(cairn, 'profile', '--sysroot', folder.path, path).err.split())
    yield from expect(said, '44 mapped files had been taken away' in said, True)


def check_folder(cairn, folder):
    """perf record --threads: the first file has the events, further ones records alone; trace lies in these. Names are by
    time, not by file. Packed or not; a file that is cut or missing is told, and an empty one is of a thread of perf's that had nothing."""
    place = os.path.join(folder.path, 'threads')
    os.mkdir(place)
    files, parts = of_loops(folder), [Perf() for _ in range(3)]
    main, *further = parts
    main.event(TRACED, ids=[1], identified=True, kind=TRACE_TYPE)
    main.units(1, *[(ETE, cpu, UNIT) for cpu in (3, 4)])
    for perf, cpu, process, loop in ((further[0], 3, 7, 'first'), (further[1], 4, 9, 'second')):
        perf.map(process, 0x1000, *files[loop], '/' + loop, time=0)
        perf.data = b''
        perf.identified = True
        perf.record(10, perf.pack('IIQQQIIQQII', process, process, 0x1000, *files[loop], 8, 1, 2, 3, 5, 2) + perf.text('/' + loop) + perf.whose(process, cpu, time=1))
        perf.record(COMM, perf.pack('II', process, process) + perf.text('late' if cpu == 3 else 'of-9') + perf.whose(process, cpu, time=9))
        if cpu == 4:
            perf.record(COMM, perf.pack('II', 7, 7) + perf.text('early') + perf.whose(7, cpu, time=3))
    packed = [perf.data for perf in further]
    datas = [turns(7, (0x1000, 4)), turns(9, (0x1000, 5))]
    for perf, cpu, process, data in ((further[0], 3, 7, datas[0]), (further[1], 4, 9, datas[1])):
        perf.aux(0, len(data), RAW_TRACE, cpu, tid=process, time=10)
        perf.trace(data, 0, cpu)

    def write(name, content):
        with open(os.path.join(place, name), 'wb') as file:
            file.write(content)
    write('data', main.file())
    right = {7: 12, 9: 10}
    for form in ('plain', 'packed'):
        for n, perf in enumerate(further):
            if form == 'packed':
                content = frame(packed[n])
                write('data.%d' % n, perf.pack('IHH', COMPRESSED, 0, 8 + len(content)) + content + perf.data[len(packed[n]):])
            else:
                write('data.%d' % n, perf.data)
        for thread, instructions in right.items():
            yield from expect('%s: thread %d' % (form, thread), counted(cairn, folder, place, '--tid', thread), instructions)
        facts = told(cairn, place, '--sysroot', folder.path)
        yield from expect('sources', [row['name'] for row in facts['sources']], ['cpu3', 'cpu4'])
        yield from expect('threads', [(row['thread_id'], row['name'], row['sources']) for row in facts['threads']], [(7, 'late', [0]), (9, 'of-9', [1])])
        yield from expect('nothing is wrong: %r' % facts['remarks'], [text for text in facts['remarks'] if 'missing' in text or 'left out' in text], [])
    # the file in the folder names it (DIR_FORMAT), and what is beside it counts; where nothing is, that is told
    of_folder = main.with_feature(DIR_FORMAT, main.words(1))
    write('data', of_folder)
    for thread, instructions in right.items():
        yield from expect('by the file: thread %d' % thread, counted(cairn, folder, os.path.join(place, 'data'), '--tid', thread), instructions)
    for version, missing in ((1, True), (0, False)):
        path = folder.write('data', main.with_feature(DIR_FORMAT, main.words(version)))
        remarks = ' '.join(' '.join(told(cairn, path)['remarks']).split())
        yield from expect('alone: ' + remarks, 'data.0 is not there' in remarks, missing)
    for name, content, said in (('data.1', further[1].data[:-4], 'data.1: nothing is read from offset'), ('data.1', b'', None),
                                ('data.0', None, 'data.0 is not there')):
        if content is None:
            os.rename(os.path.join(place, name), os.path.join(place, 'data.2'))
        else:
            write(name, content)
        remarks = ' '.join(' '.join(told(cairn, place, '--sysroot', folder.path)['remarks']).split())
        yield from expect('%s: %s' % (name, remarks), said in remarks if said else 'data.1' not in remarks, True)
        yield from expect('what is left', counted(cairn, folder, place, '--tid', 7), 12)


VIRTUAL, PHYSICAL = 1, 3  # what timestamps are made of, by a word behind the registers; 2 ** 64 - 1: not known
TIMED = 1 << 11  # TRCCONFIGR.TS


def stamped(*times):
    """A turn of the loop at 0x1000 behind each timestamp (seven bits a byte)."""
    data = bytes(11) + b'\x80' + b'\x01\x00' + b'\x04'  # A-sync, Trace Info, Trace On
    for n, time in enumerate(times):
        data += b'\x02' + bytes([time >> 7 * i & 0x7f | 0x80 for i in range(8)]) + bytes([time >> 56])
        data += (b'\x85\x00\x08' + bytes(6) + b'\x30' if not n else b'') + b'\xf7'
    return data


def conversion(*more, known=1, short=0):
    return (1, 83, 10 ** 9, *(more or (0, 0))), bytes([known, short, 0, 0, 0, 0, 0, 0])


def of_clock(folder, magic, source, convert, data, clockid=False):
    """Of a unit whose timestamps are of `source`, and TIME_CONV."""
    perf, files = Perf(), of_loops(folder)
    perf.event(TRACED, ids=[1], identified=True, kind=TRACE_TYPE, user_only=True, clockid=clockid)
    registers = [TIMED | 1, 0x10, 0x2881cea1, 0x4100fff0 if magic == ETE else 0x4100f403, 0x1088, 0, 0]
    registers += [0x47705a13] if magic == ETE else []
    perf.units(1, (magic, 3, registers + ([] if source is None else [source])))
    perf.map(7, 0x1000, *files['first'], '/first', time=1)
    if convert:
        perf.record(TIME_CONV, perf.words(*convert[0]) + convert[1], 0)
    perf.aux(0, len(data), RAW_TRACE, 3, time=10)
    perf.trace(data, 0, 3)
    return folder.write('clock.data', perf.file())


def check_clock(cairn, folder):
    """Timestamps of the counter that the kernel makes times of, by TIME_CONV; by hand, 41.5 ns a count. A counter of few
    bits goes on from one that it had. Of another counter, or of none that is told, they stay as they are."""
    def at(count):
        return 10 ** 9 + count * 83 // 2
    for source, convert, times, expected in (
            (VIRTUAL, conversion(), (1000, 3001), (at(1000), at(3001))),
            (VIRTUAL, conversion(0x10ff0, 0xffff, short=1), (0x0ff8, 0x1010), (at(0x10ff8), at(0x11010))),
            (VIRTUAL, conversion(known=0), (1000, 3001), (1000, 3001)), (PHYSICAL, conversion(), (1000, 3001), (1000, 3001)),
            (2 ** 64 - 1, conversion(), (1000, 3001), (1000, 3001)), (None, conversion(), (1000, 3001), (1000, 3001)),
            (VIRTUAL, ((64, 83, 0, 0, 0), b'\1\0\0\0\0\0\0\0'), (1000, 3001), (1000, 3001)), (VIRTUAL, None, (1000, 3001), (1000, 3001))):
        for magic in (ETE, ETMV4):
            path = of_clock(folder, magic, source, convert, stamped(*times))
            rows = [row for row in run(cairn, 'calls', '--clock', 'time', '--format', 'json', '--sysroot', folder.path, path).rows() if row['type'] == 'call']
            way = '%r %r' % (source, convert)
            yield from expect(way, [(int(row['began_time'], 16), int(row['ended_time'], 16)) for row in rows], [times])
            yield from expect(way, [(row.get('began_nanoseconds'), row.get('ended_nanoseconds')) for row in rows], [expected if expected != times else (None, None)])
            text = run(cairn, 'calls', '--clock', 'time', '--sysroot', folder.path, path).out
            yield from expect(way + text, ' %d ' % expected[0] in text, True)
    # records have times of another clock (perf record --clockid): these are not of that
    path = of_clock(folder, ETE, VIRTUAL, conversion(), stamped(1000, 3001), clockid=True)
    rows = [row for row in run(cairn, 'calls', '--clock', 'time', '--format', 'json', '--sysroot', folder.path, path).rows() if row['type'] == 'call']
    yield from expect('clockid', [row.get('began_nanoseconds') for row in rows], [None])
    yield from expect('clockid is told', 'times of a clock that was chosen (perf record --clockid)' in ' '.join(run(cairn, 'info', path).out.split()), True)


def main():
    cairn = os.path.abspath(sys.argv[1])
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix='cairn-process-') as path:
        for name, check in (('another program', check_exec), ('a number that is used again', check_reused), ('code of no file', check_made), ('a list of compiled code', check_log), ('code that is mapped often', check_many), ('more above one another than is compared', check_too_many),
                            ('behind a fork', check_apart), ('silence', check_silences), ('silence of a processor', check_wide_silences), ('more than there is room for', check_no_room), ('further files', check_folder), ('times of the system', check_clock)):
            os.mkdir(os.path.join(path, check.__name__))
            tap.case(name, check(cairn, Folder(os.path.join(path, check.__name__))))
    tap.end()


if __name__ == '__main__':
    main()
