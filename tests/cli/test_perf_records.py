#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Of which event, processor, trace unit and name records of a perf.data file are. Files are made by hand, with loops of
which a turn has 3 instructions (first) or 2 (second), so that what is right is counted by hand.

usage: test_perf_records.py CAIRN
"""
import os
import sys
import tempfile

from common import Folder, Tap, expect, framed_exactly, run
from perf_file import AUX, BUILD_ID, CALLCHAIN, COMM, COMPRESSED, CPU, ETE, EVENT_ID, ETMV3, ETMV4, GUEST_KERNEL, GUEST_USER, HW_ID, ID, ID_INDEX, IDENTIFIER, INIT_MAP, IP, META_INFO, MMAP2, NOBODY, PERIOD, RAW_TRACE, READ_ID, SWITCH_CPU_WIDE, TID, TIME, TRACE_TYPE, TRACED, TRUNCATED, USER, Perf
from test_perf_process import EXEC, UNIT, Recording, turns
from test_perf_trace import told
from test_pgo import frame
from test_whose import of_loops


def functions(cairn, folder, path, *arguments):
    """({file: instructions}, what was said)"""
    done = run(cairn, 'profile', '--format', 'json', '--sysroot', folder.path, *arguments, path)
    return {os.path.basename(row['object']): row['instructions'] for row in done.rows() if row['type'] == 'function'}, ' '.join(done.err.split())


def check_synthesized(cairn, folder):
    """What perf tells of before recording has the identifier 0, and ends as records of the first event do, whatever other
    events there are (evlist__event2evsel of perf): it is there from the beginning on, up to the exec."""
    files = of_loops(folder)
    for name, first, others in (('alike', TRACED, [dict(sample_type=TRACED)]), ('a period', TRACED, [dict(sample_type=TRACED | IP | PERIOD)]),
                                ('call chains', TRACED | IP, [dict(sample_type=TRACED | IP | CALLCHAIN)]), ('other counts', TRACED, [dict(sample_type=TRACED, read_format=READ_ID)]),
                                ('no IDENTIFIER', TID | TIME | ID | CPU, [dict(sample_type=TID | TIME | ID | CPU | PERIOD)]),
                                ('another end', TRACED, [dict(sample_type=TRACED | IP | PERIOD), dict(sample_type=TIME | IDENTIFIER)])):
        for order in '<>':
            perf, data = Perf(order), b''
            perf.event(first, ids=[1], identified=True, kind=TRACE_TYPE)
            for n, other in enumerate(others):
                perf.event(ids=[2 + n], identified=True, kind=1, **other)
            perf.units(1, (ETE, 3, UNIT))

            def end(time, event):
                if event == 3:
                    return perf.words(time, event)
                return perf.pack('IIQQII', 7, 7, time, event, 3, 0) if first & ID else perf.pack('IIQIIQ', 7, 7, time, 3, 0, event)

            def mapped(loop, time, event):
                perf.record(MMAP2, perf.pack('IIQQQIIQQII', 7, 7, 0x1000, *files[loop], 8, 1, 2, 3, 5, 2) + perf.text('/' + loop) + end(time, event))
            mapped('first', 0, 0)
            for time, count in ((10, 2), (20, 4), (30, 5)):
                if time == 20:
                    perf.record(COMM, perf.pack('II', 7, 7) + perf.text('second') + end(15, 2), EXEC | USER)
                    mapped('second', 16, len(others) + 1)
                part = turns(7, (0x1000, count))
                perf.record(AUX, perf.words(len(data), len(part), RAW_TRACE) + end(time, 1), 0)
                data += part
            perf.trace(data, 0, 3)
            got, said = functions(cairn, folder, folder.write('synthesized.data', perf.file()))
            yield from expect('%s %s: %s' % (name, order, said), got, {'first': 3 * 2, 'second': 2 * (4 + 5)})


def check_index(cairn, folder):
    """Parts that do not say their processor are of the one that ID_INDEX has for their event."""
    files = of_loops(folder)
    perf = Perf()
    perf.event(TID | TIME | IDENTIFIER, ids=[11, 12], identified=True, kind=TRACE_TYPE)
    perf.units(1, *[(ETE, cpu, UNIT) for cpu in (3, 4)])
    perf.record(ID_INDEX, perf.words(2, 11, 0, 3, 2 ** 64 - 1, 12, 1, 4, 2 ** 64 - 1), 0)
    perf.record(MMAP2, perf.pack('IIQQQIIQQII', 7, 7, 0x1000, *files['first'], 8, 1, 2, 3, 5, 2) + perf.text('/first') + perf.pack('IIQQ', 7, 7, 0, 0))
    for cpu, event, count in ((3, 11, 2), (4, 12, 5)):
        data = turns(7, (0x1000, count))
        perf.record(AUX, perf.words(0, len(data), RAW_TRACE) + perf.pack('IIQQ', 7, 7, 10, event), 0)
        perf.trace(data, 0, cpu)
    path = folder.write('index.data', perf.file())
    for arguments, expected in (((), 3 * (2 + 5)), (('--cpu', 3), 3 * 2), (('--cpu', 4), 3 * 5)):
        got, said = functions(cairn, folder, path, *arguments)
        yield from expect('%r: %s' % (arguments, said), got, {'first': expected})
        yield from expect('nothing is wrong', 'AUX' in said, False)


def check_new_ids(cairn, folder):
    """simpleperf tells identifiers of events that it begins while it records, on a processor that came on (its record EVENT_ID): by
    them records of several kinds of events are known, which have their times at other places."""
    files = of_loops(folder)
    for packed in (False, True):
        perf = Perf()
        perf.event(TRACED, ids=[1], identified=True, kind=TRACE_TYPE)
        perf.event(TIME | IDENTIFIER, ids=[2], identified=True, kind=1)
        perf.record(EVENT_ID, perf.words(3, 0, 71, 1, 72, 9, 73), 0)

        def mapped(loop, end):
            perf.record(MMAP2, perf.pack('IIQQQIIQQII', 7, 7, 0x1000, *files[loop], 8, 1, 2, 3, 5, 2) + perf.text('/' + loop) + end)
        mapped('first', perf.words(1, 72))
        parts = turns(7, (0x1000, 2)), turns(7, (0x1000, 5))
        perf.record(AUX, perf.words(0, len(parts[0]), RAW_TRACE) + perf.whose(7, 3, time=10, event=71), 0)
        mapped('second', perf.words(15, 72))
        perf.start(7, 3, 16)
        perf.record(AUX, perf.words(len(parts[0]), len(parts[1]), RAW_TRACE) + perf.whose(7, 3, time=20, event=71), 0)
        if packed:
            section = frame(perf.data)
            perf.data = perf.pack('IHH', COMPRESSED, 0, 8 + len(section)) + section
        perf.units(1, (ETE, 3, UNIT))
        perf.trace(b''.join(parts), 0, 3)
        got, said = functions(cairn, folder, folder.write('ids.data', perf.with_feature(META_INFO, b'a\0b\0')))
        yield from expect(said, got, {'first': 3 * 2, 'second': 2 * 5})


def check_guests(cairn, folder):
    """What perf has of virtual machines (perf kvm record, perf inject --guest-data) is of other processes, which have the numbers
    of some here, and of other files that have the same names."""
    files = of_loops(folder)
    for order in '<>':
        perf = Perf(order)
        perf.event(TRACED, ids=[1], identified=True, kind=TRACE_TYPE, user_only=True)
        perf.units(1, (ETE, 3, UNIT))
        perf.name(7, 7, 'host')
        perf.map(7, 0x1000, *files['first'], '/first')
        for mode in (GUEST_USER, GUEST_KERNEL):
            perf.record(COMM, perf.pack('II', 7, 7) + perf.text('guest') + perf.whose(7, 0, time=4), EXEC | mode)
            perf.record(MMAP2, perf.pack('IIQQQIIQQII', 7, 7, 0x1000, *files['second'], 8, 1, 2, 3, 5, 2) + perf.text('/second') + perf.whose(7, 0, time=5), mode)
            body = perf.pack('i', -1) + b'\x11' * 20 + bytes(4) + perf.text('/first')
            perf.record(BUILD_ID, body, mode)
        data = turns(7, (0x1000, 5))
        perf.aux(0, len(data), RAW_TRACE, 3, time=10)
        perf.trace(data, 0, 3)
        path = folder.write('guests.data', perf.file())
        got, said = functions(cairn, folder, path)
        yield from expect(said, got, {'first': 3 * 5})
        facts = told(cairn, path, '--sysroot', folder.path)
        yield from expect('threads', [row['name'] for row in facts['threads']], ['host'])
        yield from expect('modules', [(row['path'], row['build_id']) for row in facts['program']['modules']], [('/first', None)])
        yield from expect('said', '4 records are of virtual machines (guests)' in ' '.join(facts['remarks']), True)


def check_strangers(cairn, folder):
    """In a container a recording has other numbers of threads than the trace, which has the system's: where code is missing `check`
    says so, if the trace has none that the recording tells of."""
    files = of_loops(folder)
    for threads, strange in (((1007,), True), ((1007, 1008), True), ((1007, 7), False)):
        perf = Perf()
        perf.event(TRACED, ids=[1], identified=True, kind=TRACE_TYPE, user_only=True)
        perf.units(1, (ETE, 3, UNIT))
        perf.map(7, 0x1000, *files['first'], '/first', time=1)
        perf.map(8, 0x1000, *files['second'], '/second', time=1)
        data = b''.join(turns(thread, (0x1000, 3)) for thread in threads)
        perf.aux(0, len(data), RAW_TRACE, 3, tid=7, time=10)
        perf.trace(data, 0, 3)
        said = run(cairn, 'check', '--sysroot', folder.path, folder.write('strangers.data', perf.file())).out
        yield from expect('%r: %s' % (threads, said), 'threads of which the recording does not tell: in a container' in said, strange)
        yield from expect('code is missing', 'CAIRN-NO-IMAGE' in said, True)


def plain(thread, *loops):
    """Bytes of an ETE without cycle counts: each (address, turns)."""
    data = bytes(11) + b'\x80' + b'\x01\x00' + b'\x04'  # A-sync, Trace Info, Trace On
    for address, count in loops:  # Address with Context (64-bit IS0): EL0, Non-secure, AArch64, a context ID; E
        data += b'\x85' + bytes([address >> 2 & 0x7f, address >> 9 & 0x7f]) + (address >> 16).to_bytes(6, 'little')
        data += b'\xb0' + thread.to_bytes(4, 'little') + b'\xf7' * count
    return data


NO_ID = 1 << 31 | 0x7f  # of TRCTRACEIDR: an AUX_OUTPUT_HW_ID record tells it
COUNTS = [0x51, NO_ID, *UNIT[2:]]
PLAIN = [0x41, NO_ID, *UNIT[2:]]
OTHER = [0x40, NO_ID, 0x28000ea1, 0x4100f403, 0x488, 0, 0]  # an ETMv4


def of_two_sinks(order, cpus, minor):
    """CPUs 0 and 1 write to one sink, 2 and 3 to another, with the same IDs."""
    perf = Perf(order)
    perf.event(TRACED, ids=[1], identified=True, kind=TRACE_TYPE, user_only=True)
    perf.units(2, *cpus)
    for cpu in range(4):
        sink = 0x1b0a0000 + (cpu >> 1) * 0x80000000  # a number of 32 bits: [39:8]
        perf.record(HW_ID, perf.words(0x10 | cpu & 1 | (1 << 56 | sink << 8 if minor else 0)) + perf.whose(7, cpu, time=1), 0)
    return perf


def sources_of(cairn, path):
    return [(source['name'], source['core'], source['trace_id']) for source in told(cairn, path)['sources']]


def check_sinks(cairn, folder):
    """AUX_OUTPUT_HW_ID of minor version 1 (coresight-pmu.h of Linux) has the sink that the trace ID is for: an ID is that of
    the CPU that writes to the same sink as the CPU of the buffer. Where none is told and several CPUs have an ID, that is said."""
    files = of_loops(folder)
    wide = [(ETMV4, 0, OTHER), (ETMV4, 1, OTHER), (ETE, 2, COUNTS), (ETE, 3, COUNTS)]
    alike = [(ETE, cpu, COUNTS) for cpu in range(4)]
    for order in '<>':
        for name, cpus, minor, cpu, expected in (('two kinds', wide, 1, 3, 2), ('the first sink', alike, 1, 1, 0), ('the second', alike, 1, 3, 2), ('not told', alike, 0, 3, 0)):
            perf = of_two_sinks(order, cpus, minor)
            perf.map(7, 0x1000, *files['first'], '/first')
            data = framed_exactly(0x10, turns(7, (0x1000, 4))) + framed_exactly(0x11, turns(7, (0x1000, 5)))
            perf.aux(0, len(data), 0, cpu, time=10)
            perf.trace(data, 0, cpu)
            path = folder.write('sinks.data', perf.file())
            yield from expect(name, sources_of(cairn, path), [('cpu%d-cpu%d' % (cpu, expected), 'cpu_%d' % expected, 0x10), ('cpu%d' % cpu, 'cpu_%d' % cpu, 0x11)])
            got, said = functions(cairn, folder, path)
            yield from expect('%s: %s' % (name, said), got, {'first': 3 * (4 + 5)})
            yield from expect('%s: %s' % (name, said), '2 trace units have the trace ID 0x10' in said, not minor)
            yield from expect('its own ID', '0x11' in said, False)
    # a sink that nobody with this ID writes to
    perf = of_two_sinks('<', alike, 1)
    perf.record(HW_ID, perf.words(0x12 | 1 << 56 | 0x1b0a0000 << 8) + perf.whose(7, 0, time=1), 0)
    data = framed_exactly(0x12, turns(7, (0x1000, 4)))
    perf.aux(0, len(data), 0, 3, time=10)
    perf.trace(data, 0, 3)
    yield from expect('of another sink', sources_of(cairn, folder.write('sinks.data', perf.file())), [('id-0x12', None, 0x12)])


def check_moves(cairn, folder):
    """Parts of a thread's buffer are of the CPU on which each was recorded, with its registers, in the order in which they
    were: of raw bytes, and of frames where the CPUs write to sinks that have the same IDs."""
    files = of_loops(folder)
    for form in ('raw', 'frames'):
        perf = of_two_sinks('<', [(ETE, 1, PLAIN), (ETE, 3, COUNTS)], 1)
        perf.map(7, 0x1000, *files['first'], '/first')
        whole, time = b'', 10
        for cpu, count in ((3, 2), (3, 1), (1, 5), (3, 7)):
            data = turns(7, (0x1000, count)) if cpu == 3 else plain(7, (0x1000, count))
            data = data if form == 'raw' else framed_exactly(0x11, data)
            perf.aux(len(whole), len(data), RAW_TRACE if form == 'raw' else 0, cpu, time=time)
            whole, time = whole + data, time + 10
        perf.aux(len(whole), 0, TRUNCATED, 1, time=time)  # nothing of it: no other part
        perf.trace(whole, 0, NOBODY, 7)
        path = folder.write('moves.data', perf.file())
        names = ['thread-7', 'thread-7-2', 'thread-7-3'] if form == 'raw' else ['thread-7-cpu3', 'thread-7-2-cpu1', 'thread-7-3-cpu3']
        yield from expect(form, sources_of(cairn, path), list(zip(names, ['cpu_3', 'cpu_1', 'cpu_3'], [None if form == 'raw' else 0x11] * 3)))
        for arguments, expected in (((), 15), (('--cpu', 3), 10), (('--cpu', 1), 5), (('--tid', 7), 15)):
            for way in ((), ('--reference',)):
                got, said = functions(cairn, folder, path, *arguments, *way)
                yield from expect('%s, %r: %s' % (form, arguments, said), got, {'first': 3 * expected})
        done = run(cairn, 'profile', '--format', 'json', '--cpu', 1, '--sysroot', folder.path, path)
        yield from expect('no cycles', done.rows()[-1].get('cycles'), None)
        rows = run(cairn, 'profile', '--format', 'json', '--sysroot', folder.path, path).rows()
        yield from expect('in order', [row['instructions'] for row in rows if row['type'] == 'source'], [3 * (2 + 1), 3 * 5, 3 * 7])
    # the same trace ID of all, and no sinks: one buffer with frames
    perf = of_two_sinks('<', [(ETE, 1, PLAIN), (ETE, 3, COUNTS)], 0)
    perf.map(7, 0x1000, *files['first'], '/first')
    one, other = framed_exactly(0x11, turns(7, (0x1000, 2))), framed_exactly(0x11, plain(7, (0x1000, 5)))
    perf.aux(0, len(one), 0, 3, time=10)
    perf.aux(len(one), len(other), 0, 1, time=20)
    perf.trace(one + other, 0, NOBODY, 7)
    path = folder.write('moves.data', perf.file())
    got, said = functions(cairn, folder, path)
    yield from expect(said, '2 trace units have the trace ID 0x11' in said, True)


PTM = [0x10001000, 0x20, 0, 0x411cf310]  # ETMCR: no context IDs
ETM = [0x1, 0x20, 0x28000ea1, 0x4100f403, 0x488, 0, 0]  # TRCCONFIGR: none either


def check_marks(cairn, folder):
    """Whether contexts have numbers of threads is told of each CPU: one that has none in front of others changes nothing of
    theirs. What that one traced is nobody's, and both is said."""
    files = of_loops(folder)
    for version in (0, 1):
        for name, cpus in (('alone', [(ETE, 3, UNIT)]), ('PTM first', [(ETMV3, 0, PTM), (ETE, 3, UNIT)]), ('PTM last', [(ETE, 3, UNIT), (ETMV3, 0, PTM)]),
                           ('ETMv4 first', [(ETMV4, 0, ETM), (ETE, 3, UNIT)])):
            perf = Perf()
            perf.event(TRACED, ids=[1], identified=True, kind=TRACE_TYPE, user_only=True)
            perf.units(version, *cpus)
            for process, loop in ((7, 'first'), (9, 'second')):
                perf.map(process, 0x1000, *files[loop], '/' + loop)
            data = turns(7, (0x1000, 2)) + turns(9, (0x1000, 4))
            perf.aux(0, len(data), RAW_TRACE, 3, time=10)
            perf.trace(data, 0, 3)
            for unmarked in (False, True)[:len(cpus)]:
                if unmarked:
                    data = bytes(11) + b'\x80' + b'\x01\x00' + b'\x04' + b'\x85\x00\x08' + bytes(6) + b'\x30' + 3 * b'\xf7'
                    perf.aux(0, len(data), RAW_TRACE, 0, time=10)
                    perf.trace(data, 0, 0)
                path = folder.write('marks.data', perf.file())
                for arguments, expected in (((), {'first': 3 * 2, 'second': 2 * 4}), (('--tid', 9), {'second': 2 * 4}), (('--pid', 7), {'first': 3 * 2})):
                    got, said = functions(cairn, folder, path, *arguments)
                    case = '%s, version %d, unmarked %d, %r: %s' % (name, version, unmarked, arguments, said)
                    yield from expect(case, got, expected)
                    yield from expect(case, '1 source may be of the threads that are wanted' in said, unmarked and bool(arguments))
                    yield from expect(case, 'cpu0: the trace does not say which thread it is of' in said, unmarked)
                whose = [row for row in run(cairn, 'profile', '--by', 'thread', '--format', 'json', '--sysroot', folder.path, path).rows() if row['type'] == 'thread']
                yield from expect(name, [(row['thread_id'], row['instructions']) for row in whose], [(9, 8), (7, 6)])


def check_mixed(cairn, folder):
    """Where contexts of one CPU have no numbers of threads, and those of others do, records of switches tell who ran on that one, or
    the event that counts where its tasks run: it has the code of their processes then. Of parts that nobody tells of it has none,
    and that is said."""
    files = of_loops(folder)
    blind = bytes(11) + b'\x80' + b'\x01\x00' + b'\x04'  # A-sync, Trace Info, Trace On
    first = blind + b'\x85\x00\x08' + bytes(6) + b'\x30'  # Address with Context (64-bit IS0): EL0, Non-secure, AArch64
    for way in ('switches', 'tasks', 'nothing'):
        for form in (RAW_TRACE, 0):
            perf = Perf()
            perf.event(TRACED, ids=[1], identified=True, kind=TRACE_TYPE, user_only=True)
            perf.units(1, (ETMV4, 0, ETM), (ETE, 3, [0x41, 0x10, *UNIT[2:]]))
            if way == 'tasks':
                perf.index(7, 9)
            for process, loop in ((7, 'first'), (9, 'second')):
                perf.map(process, 0x1000, *files[loop], '/' + loop)
            whole = {0: b'', 3: b''}

            def switch(thread, time, out):
                if way == 'switches':
                    perf.record(SWITCH_CPU_WIDE, perf.pack('II', 0, 0) + perf.whose(thread, 0, time=time), USER | (1 << 13 if out else 0))

            def part(cpu, thread, time, data):
                data = data if form else framed_exactly(0x20 if cpu == 0 else 0x10, data)
                perf.aux(len(whole[cpu]), len(data), form, cpu, tid=thread, time=time)
                whole[cpu] += data
            part(3, 7, 40, plain(7, (0x1000, 2)) + plain(9, (0x1000, 4)))
            for n, (thread, count) in enumerate(((7, 3), (9, 5), (7, 6))):
                switch(thread, 50 + 10 * n, False)
                switch(thread, 55 + 10 * n, True)
                part(0, thread, 58 + 10 * n, first + count * b'\xf7')
            if way == 'switches':  # and one that is of both
                for time, thread in ((91, 7), (93, 9)):
                    switch(thread, time, False)
                    switch(thread, time + 1, True)
                part(0, 9, 98, first + 7 * b'\xf7')
            for cpu in whole:
                perf.trace(whole[cpu], 0, cpu)
            path = folder.write('mixed.data', perf.file())
            own = {7: 3 + 6, 9: 5} if way != 'nothing' else {7: 0, 9: 0}
            for arguments, wanted in (((), (2 + own[7], 4 + own[9])), (('--tid', 7), (2 + own[7], 0)), (('--pid', 9), (0, 4 + own[9])), (('--tid', 9, '--cpu', 0), (0, own[9]))):
                for engine in ((), ('--reference',)):
                    got, said = functions(cairn, folder, path, *arguments, *engine)
                    case = '%s, form 0x%x, %r: %s' % (way, form, arguments, said)
                    yield from expect(case, (got.get('first', 0), got.get('second', 0)), (3 * wanted[0], 2 * wanted[1]))
                    yield from expect(case, 'cpu0: the trace does not say which thread it is of' in ' '.join(said.split()) and 'perf record --switch-events' in said, way != 'tasks' and (way == 'switches' or wanted != (0, 0)))
                flow = [row for row in run(cairn, 'flow', '--format', 'json', '--sysroot', folder.path, *arguments, path).rows() if row['type'] == 'range']
                yield from expect(way + ' %r, flow' % (arguments,), sum(row['instructions'] for row in flow), 3 * wanted[0] + 2 * wanted[1])
            names = [source['name'] for source in told(cairn, path)['sources']]
            wanted = {'switches': ['cpu0-thread-7', 'cpu0-thread-9', 'cpu0-thread-7-2', 'cpu0', 'cpu3'], 'tasks': ['cpu0-thread-7', 'cpu0-thread-9', 'cpu3'], 'nothing': ['cpu0', 'cpu3']}
            yield from expect(way, names, wanted[way])


SECOND = 10 ** 9


def check_names(cairn, folder):
    """--comm finds a thread by each name that it had, also as another process; that all it executed is taken is said where
    there is trace of several, and --time chooses. A number that was used again is told by all commands."""
    made = Recording(folder)
    perf = made.perf

    def named(process, name, time):
        perf.record(COMM, perf.pack('II', process, process) + perf.text(name) + perf.whose(process, 3, time=time * SECOND))

    def exits(process, time):
        perf.record(4, perf.pack('IIIIQ', process, 5, process, 5, time * SECOND) + perf.whose(process, 3, time=time * SECOND))
    named(5, 'parent', 0)
    made.map(5, 0x1000, 'first')
    made.fork(9, 5, SECOND // 4)
    named(9, 'early', 0)  # before there is trace
    named(9, 'only', 1)
    made.part(1 * SECOND, 5, (0x1000, 1))
    made.fork(7, 5, 2 * SECOND)
    named(7, 'child-a', 2)
    made.part(3 * SECOND, 7, (0x1000, 2))
    exits(7, 4)
    made.part(5 * SECOND, 9, (0x1000, 6))
    made.fork(7, 5, 6 * SECOND)
    named(7, 'child\x1bb', 6)
    made.exec(7, 7 * SECOND, 'program')
    made.map(7, 0x1000, 'second', time=7 * SECOND)
    made.part(8 * SECOND, 7, (0x1000, 4))
    made.part(9 * SECOND, 5, (0x1000, 3))
    named(7, 'late', 10)  # behind all trace
    path = made.write('names.data')
    both = {'first': 3 * 2, 'second': 2 * 4}
    called = 'thread 7 was called child-a, child?b (from 6.000000 s on), program (from 7.000000 s on): --comm takes all that it executed'
    again = 'the number of process 7 was used again, since 6.000000 s by another one'
    for arguments, expected, said_of in (
            (('--comm', 'child-a'), both, called), (('--comm', 'child\x1bb'), both, called), (('--comm', 'program'), both, called), (('--comm', 'late'), both, called),
            (('--comm', 'parent'), {'first': 3 * (1 + 3)}, None), (('--comm', 'only'), {'first': 3 * 6}, None), (('--comm', 'early'), {'first': 3 * 6}, None),
            (('--comm', 'child-a', '--pid', 5), {}, None), (('--tid', 7), both, None),
            (('--comm', 'child-a', '--time', ',5.5'), {'first': 3 * 2}, None), (('--comm', 'program', '--time', '7.5,'), {'second': 2 * 4}, None)):
        got, said = functions(cairn, folder, path, *arguments)
        case = '%r: %s' % (arguments, said)
        yield from expect(case, got, expected)
        yield from expect(case, said_of in said if said_of else 'was called' in said, bool(said_of))
        yield from expect(case, again in said, '--time' not in arguments and bool(expected))
    none = run(cairn, 'profile', '--comm', 'nobody', '--sysroot', folder.path, path)
    yield from expect('nobody', (none.status, 'no thread is so called' in none.err), (2, True))
    rows = [line.split()[1:] for line in run(cairn, 'info', '--sysroot', folder.path, path).lines() if line.rstrip().endswith('  cpu3') and line.split()[0] in '579']
    threads = {row['thread_id']: row for row in told(cairn, path, '--sysroot', folder.path)['threads']}
    yield from expect('names', [(row['name'], [(one['name'], one['since']) for one in row['names']]) for row in (threads[7], threads[9])],
                      [('late', [('child-a', 2 * SECOND), ('child\x1bb', 6 * SECOND), ('program', 7 * SECOND)]), ('only', [('only', SECOND)])])
    yield from expect('listed', rows, [['5', 'parent', 'cpu3'], ['7', 'late', '(before:', 'child-a,', 'child?b,', 'program)', 'cpu3'], ['9', 'only', 'cpu3']])


def check_lives(cairn, folder):
    """Two processes, and a third one, that had a number one after the other are rows of their own, each with its name and the
    time from when on; also where nothing else was executed between them, and of a thread that one of them had."""
    for others in (False, True):
        made = Recording(folder)
        perf = made.perf

        def named(process, thread, name, time):
            perf.record(COMM, perf.pack('II', process, thread) + perf.text(name) + perf.whose(thread, 3, time=time * SECOND))
        for process, name in ((5, 'parent'), (7, 'old')):
            named(process, process, name, 0)
            made.map(process, 0x1000, 'first')
        named(7, 8, 'worker', 0)
        made.part(1 * SECOND, 7, (0x1000, 2))
        made.part(2 * SECOND, 8, (0x1000, 4), process=7)
        if others:
            made.part(3 * SECOND, 5, (0x1000, 1))
        else:
            made.part(3 * SECOND, 7, (0x1000, 1))
        for time, name, count in ((4, 'new', 3), (6, 'newest', 5)):
            made.fork(7, 5, time * SECOND)
            named(7, 7, name, time + 1)
            made.part((time + 1) * SECOND, 7, (0x1000, count))
        path = made.write('lives.data')
        first, parent = 2 + (0 if others else 1), 1 if others else 0
        for way in ((), ('--reference',)):
            for by, wanted in (('process', [(7, 'old', 0, 3 * (first + 4)), (7, 'new', 4 * SECOND, 3 * 3), (7, 'newest', 6 * SECOND, 3 * 5)] + [(5, 'parent', None, 3)] * parent),
                               ('thread', [(7, 'old', 0, 3 * first), (8, 'worker', 0, 3 * 4), (7, 'new', 4 * SECOND, 3 * 3), (7, 'newest', 6 * SECOND, 3 * 5)] + [(5, 'parent', None, 3)] * parent)):
                rows = [row for row in run(cairn, 'profile', '--by', by, '--format', 'json', '--sysroot', folder.path, *way, path).rows() if row['type'] == by]
                yield from expect('by %s, others %d %r' % (by, others, way), sorted((row[by + '_id'], row['name'], row.get('since'), row['instructions']) for row in rows), sorted(wanted, key=lambda row: (row[0], row[1])))
        text = run(cairn, 'profile', '--by', 'process', '--sysroot', folder.path, path).lines()
        yield from expect('text', [line.split('  ')[-1] for line in text if 'new' in line], ['newest (since 6.000000 s)', 'new (since 4.000000 s)'])
        for arguments, wanted in ((('--pid', 7), first + 4 + 3 + 5), ((), first + 4 + 3 + 5 + parent)):
            got, said = functions(cairn, folder, path, *arguments)
            yield from expect('together %r' % (arguments,), got, {'first': 3 * wanted})
            yield from expect(said, 'the number of process 7 was used again, since 4.000000 s by another one' in said, True)


def check_init_map(cairn, folder):
    """simpleperf writes what was mapped before recording into a section of its own behind the data (feature 134, init_map):
    records as they are, or packed. They count as if they stood in front. What is cut off there is told, and the rest is read."""
    files = of_loops(folder)
    for order, timed, packed in (('<', True, False), ('>', True, True), ('<', False, True)):
        perf = Perf(order)
        perf.event(TRACED if timed else TID | CPU | IDENTIFIER, ids=[1], identified=True, kind=TRACE_TYPE)

        def end(time):
            return perf.whose(7, 3, time=time) if timed else perf.pack('IIIIQ', 7, 7, 3, 0, 1)

        def mapped(loop, time):
            perf.record(MMAP2, perf.pack('IIQQQIIQQII', 7, 7, 0x1000, *files[loop], 8, 1, 2, 3, 5, 2) + perf.text('/' + loop) + end(time))
        mapped('first', 0)
        perf.record(COMM, perf.pack('II', 7, 7) + perf.text('before') + end(0))
        section, perf.data = perf.data, b''
        if packed:
            section = frame(section)
            section = perf.pack('IHH', COMPRESSED, 0, 8 + len(section)) + section
        perf.units(1, (ETE, 3, UNIT))
        whole = turns(7, (0x1000, 4))
        perf.record(AUX, perf.words(0, len(whole), RAW_TRACE) + end(10), 0)
        if timed:
            perf.record(COMM, perf.pack('II', 7, 7) + perf.text('second') + end(15), EXEC | USER)
            mapped('second', 16)
            part = turns(7, (0x1000, 5))
            perf.record(AUX, perf.words(len(whole), len(part), RAW_TRACE) + end(20), 0)
            whole += part
        perf.trace(whole, 0, 3)
        path = folder.write('init_map.data', perf.with_feature(INIT_MAP, section))
        case = '%s %r %r' % (order, timed, packed)
        got, said = functions(cairn, folder, path)
        yield from expect('%s: %s' % (case, said), got, {'first': 3 * 4, 'second': 2 * 5} if timed else {'first': 3 * 4})
        facts = told(cairn, path, '--sysroot', folder.path)
        yield from expect(case, [row['name'] for row in facts['threads']], ['second' if timed else 'before'])
        yield from expect('%s: %r' % (case, facts['remarks']), 'init_map' in ' '.join(facts['remarks']), False)
        if not packed:
            path = folder.write('cut.data', perf.with_feature(INIT_MAP, section[:-4]))
            facts = told(cairn, path, '--sysroot', folder.path)
            yield from expect('%r' % facts['remarks'], "what was mapped before recording (simpleperf's section init_map) nothing is read from offset" in ' '.join(' '.join(facts['remarks']).split()), True)
            got, said = functions(cairn, folder, path)
            yield from expect('cut: ' + said, got, {'first': 3 * 4, 'second': 2 * 5})


def check_packed_trace(cairn, folder):
    """simpleperf record -z packs the trace as well: frames of zstd behind each AUXTRACE record, whose offset is that of what is in
    them, as AUX records have theirs. perf packs records alone. What is damaged is told, and the rest is there."""
    files = of_loops(folder)
    data = [turns(7, (0x1000, count)) for count in (4, 5, 6)]
    for order, form in (('<', 'raw'), ('>', 'raw'), ('<', 'frames')):
        parts = data if form == 'raw' else [framed_exactly(0x10, part) for part in data]
        whole = b''.join(parts)
        cut = len(parts[0]) + 10  # a part in two pieces

        def recording(*payloads):
            perf = Perf(order)
            perf.event(TRACED, ids=[1], identified=True, kind=TRACE_TYPE)
            perf.map(7, 0x1000, *files['first'], '/first', time=1)
            perf.units(1, (ETE, 3, UNIT))
            for n, part in enumerate(parts):
                perf.aux(sum(map(len, parts[:n])), len(part), RAW_TRACE if form == 'raw' else 0, 3, time=10 + n)
            section = frame(perf.data)
            perf.data = perf.pack('IHH', COMPRESSED, 0, 8 + len(section)) + section
            for offset, payload in payloads:
                perf.trace(payload, offset, 3)
            return perf
        split = frame(whole[cut:cut + 8]) + frame(whole[cut + 8:])
        perf = recording((0, frame(whole[:cut])), (cut, split))
        for name, content in (('whole', perf), ('in zeros', recording((0, frame(whole[:cut]) + bytes(3)), (cut, split + bytes(7))))):
            path = folder.write('packed.data', content.with_feature(META_INFO, b'a\0b\0'))
            got, said = functions(cairn, folder, path)
            yield from expect('%s %s %s: %s' % (order, form, name, said), got, {'first': 3 * (4 + 5 + 6)})
            yield from expect('nothing is wrong', 'packed' in said or 'not in the file' in said, False)
        # a magic number that is wrong, a frame that is cut, a block of a type that cannot be
        first = frame(whole[:len(parts[0])])
        for name, second in (('cut', frame(whole[len(parts[0]):])[:-20]), ('damaged', split[:9] + b'\xff' + split[10:])):
            perf = recording((0, first), (len(parts[0]), second))
            got, said = functions(cairn, folder, folder.write('packed.data', perf.with_feature(META_INFO, b'a\0b\0')))
            yield from expect('%s: %s' % (name, said), 'of 1 packed pieces of trace' in said and 'not in the file' in said, True)
            yield from expect('%s: %r' % (name, got), got.get('first', 0) >= 3 * 4 and got['first'] < 3 * (4 + 5 + 6), True)
    # perf: what begins so is trace
    perf = recording((0, frame(whole)))
    yield from expect('perf', functions(cairn, folder, folder.write('plain.data', perf.file()))[0], {})


def main():
    cairn = os.path.abspath(sys.argv[1])
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix='cairn-records-') as path:
        for name, check in (('what there was before', check_synthesized), ('parts by ID_INDEX', check_index), ('sinks', check_sinks), ('marks of threads', check_marks), ('a processor without marks', check_mixed), ('threads that move', check_moves), ('names', check_names), ('one after the other', check_lives), ('what simpleperf found before', check_init_map), ('trace that simpleperf packed', check_packed_trace), ('identifiers that came later', check_new_ids), ('virtual machines', check_guests), ('numbers of a container', check_strangers)):
            os.mkdir(os.path.join(path, check.__name__))
            tap.case(name, check(cairn, Folder(os.path.join(path, check.__name__))))
    tap.end()


if __name__ == '__main__':
    main()
