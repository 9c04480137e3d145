#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""--pid, --tid, --comm, --cpu and --time: of a perf.data file with the trace of examples/capture, whose two sources
have contexts of different threads, and of branch stacks made by hand.

usage: test_whose.py CAIRN
"""
import collections
import json
import os
import shutil
import struct
import sys
import tempfile

from common import Folder, Tap, expect, expect_in, framed_exactly, run, words
from decoded import decoded
from perf_file import BRANCH_STACK, CPU, ETE, ETMV4, FORK, IP, KSYMBOL, LOST_SAMPLES, NOBODY, RAW_TRACE, SWITCH, SWITCH_CPU_WIDE, TEXT_POKE, TID, TIME, TRACE_TYPE, TRACED, USER, Perf
from test_perf_trace import CAPTURE, ELF, ETE_0, ETM_1, addresses, lines, read, rows_of, told, traced

ONE, OTHER = 0x1234, 0x77  # the context IDs of ETE_0 and ETM_1, by the generator of the example


def two_threads(folder, time=0):
    perf, data = traced(), read('trace.bin')
    perf.name(0x70, OTHER, 'worker')
    perf.aux(0, len(data), time=time)
    perf.trace(data, 0)
    return folder.write('two.data', perf.file())


def check_threads(cairn, folder):
    """A source is of several threads: the flow tells them apart by its contexts."""
    path = two_threads(folder)
    flows = {'cpu0': lines('ETE_0.addresses'), 'cpu0-cpu1': lines('ETM_1.addresses')}
    for arguments, sources in ((('--tid', ONE), ['cpu0']), (('--pid', 0x70), ['cpu0-cpu1']), (('--comm', 'worker'), ['cpu0-cpu1']),
                               (('--tid', OTHER, '--tid', ONE), ['cpu0', 'cpu0-cpu1']),
                               (('--pid', ONE, '--comm', 'program'), ['cpu0'])):
        rows = rows_of(cairn, 'flow', path, '--image', ELF, *map(str, arguments))
        got = {source: addresses(of) for source, of in rows.items() if addresses(of)}
        yield from expect('%r' % (arguments,), got, {source: flows[source] for source in sources})
        profile = run(cairn, 'pgo', '--image', ELF, '--comments', 'none', *arguments, path)
        alone = run(cairn, 'pgo', '--image', ELF, '--comments', 'none',
                    *[word for source in sources for word in ('--source', source)], path)
        yield from expect('the profile of %r' % (arguments,), profile.out, alone.out)
    summary = run(cairn, 'flow', '--summary', '--tid', ONE, '--image', ELF, path).out
    yield from expect_in('summed up', '%12d  instructions' % len(flows['cpu0']), summary)
    threads = [(row['process_id'], row['thread_id'], row['name'], row['sources'])
               for row in told(cairn, path, '--image', ELF)['threads']]
    yield from expect('threads', threads, [(0x70, OTHER, 'worker', [1]), (ONE, ONE, 'program', [0])])
    # of which there is no trace
    for arguments, says in ((('--tid', 0), 'the trace has nothing of thread 0 (swapper)'), (('--comm', 'swapper'), 'Record all (perf record -a'),
                            (('--tid', 0, '--tid', ONE), ''), (('--tid', ONE), '')):
        for command in ('profile', 'flow', 'coverage'):
            done = run(cairn, command, '--image', ELF, *arguments, path)
            yield from expect('%s %r: %s' % (command, arguments, done.err), bool(done.err), bool(says))
            yield from expect_in('%s %r' % (command, arguments), says, done.err)
    perf, data = traced(), read('trace.bin')
    perf.name(9, 9, 'sleeper')
    perf.aux(0, len(data))
    perf.trace(data, 0)
    done = run(cairn, 'profile', '--image', ELF, '--comm', 'sleeper', folder.write('sleeper.data', perf.file()))
    yield from expect_in('sleeper', 'the trace has nothing of the threads that --pid, --tid and --comm choose', done.err)


def threads_of(timeline):
    """Of Chrome's JSON: {(process, thread): name}."""
    return {(event['pid'], event['tid']): event['args']['name'] for event in timeline['traceEvents'] if event.get('name') == 'thread_name'}


def processes_of(timeline):
    return {event['pid']: event['args']['name'] for event in timeline['traceEvents'] if event.get('name') == 'process_name'}


LOOPS = {'first': words([0xd503201f, 0xd503201f, 0x17fffffe]), 'second': words([0xd503201f, 0x17ffffff])}  # NOP, and B back


def of_loops(folder):
    """{name: (size, offset in the file)} of programs at 0x1000."""
    files = {}
    for name, code in LOOPS.items():
        with open(folder.elf(name, {0x1000: code}, []), 'rb') as file:
            files[name] = (len(code), struct.unpack_from('<Q', file.read(), 64 + 8)[0])
    return files


def turns(*spans):
    """Bytes of an ETE: (thread, cycles of each turn of its loop)."""
    data = bytes(11) + b'\x80' + b'\x01\x09\x01\x04' + b'\x04'  # A-sync, Trace Info (CC, threshold 4), Trace On
    for thread, cycles in spans:  # Address with Context (64-bit IS0): EL0, Non-secure, AArch64, a context ID; E, Cycle Count format 3
        data += b'\x85\x00\x08' + bytes(6) + b'\xb0' + thread.to_bytes(4, 'little')
        data += b''.join(b'\xf7' + bytes([0x10 + count - 4]) for count in cycles)
    return data


def check_turns(cairn, folder):
    """Threads that take turns on a processor, of two processes with other code at the same address: what is counted of each,
    and its cycles, by hand."""
    perf, files = Perf(), of_loops(folder)
    perf.event(TRACED, ids=[1], identified=True)
    perf.units(1, (ETE, 3, [0x51, 0x10, 0x2881cea1, 0x4100fff0, 0x1088, 0, 0, 0x47705a13]))
    for process, thread, name in ((7, 7, 'one'), (7, 8, 'two'), (9, 9, 'three')):
        perf.name(process, thread, name)
    for process, name in ((7, 'first'), (9, 'second')):
        perf.map(process, 0x1000, *files[name], '/' + name, time=1)
    data = turns((7, (5, 6)), (9, (4, 4, 7)), (8, (4,)), (7, (4,)), (9, ()))
    perf.trace(data, 0, 3)
    perf.aux(0, len(data), RAW_TRACE, 3, time=10)
    path = folder.write('turns.data', perf.file())
    for arguments, instructions, cycles, functions in (
            ((), 18, 34, ['first', 'second']), (('--tid', 7), 9, 15, ['first']), (('--tid', 8), 3, 4, ['first']),
            (('--pid', 7), 12, 19, ['first']), (('--comm', 'three'), 6, 15, ['second'])):
        for way in ((), ('--reference',), ('--no-calls',), ('--jobs', 2)):
            rows = run(cairn, 'profile', '--format', 'json', '--sysroot', folder.path, *arguments, *way, path).rows()
            got = (rows[-1]['instructions'], rows[-1]['cycles'])
            yield from expect('%r %r' % (arguments, way), got, (instructions, cycles))
            yield from expect('code of %r %r' % (arguments, way), sorted({os.path.basename(row['object']) for row in rows if row['type'] == 'function'}),
                              functions)
    whole = run(cairn, 'profile', '--by', 'thread', '--format', 'json', '--sysroot', folder.path, path).rows()
    yield from expect('by thread', [(row['process_id'], row['thread_id'], row['name'], row['source'], row['context_id'], row['instructions'], row['cycles'])
                                    for row in whole if row['type'] == 'thread'],
                      [(7, 7, 'one', 'cpu3', '0x7', 9, 15), (9, 9, 'three', 'cpu3', '0x9', 6, 15), (7, 8, 'two', 'cpu3', '0x8', 3, 4)])
    for way in ((), ('--reference',), ('--jobs', 2)):
        whole = run(cairn, 'profile', '--by', 'process', '--sort', 'cycles', '--format', 'json', '--sysroot', folder.path, *way, path).rows()
        yield from expect('by process %r' % (way,), [(row['process_id'], row['threads'], row['name'], row['instructions'], row['cycles'])
                                                     for row in whole if row['type'] == 'process'], [(7, 2, 'one', 12, 19), (9, 1, 'three', 6, 15)])
    yield from expect_in('as text', '33.33%              6             15         9         9  three',
                         run(cairn, 'profile', '--by', 'thread', '--sysroot', folder.path, path).out)
    rows = run(cairn, 'calls', '--format', 'json', '--clock', 'cycles', '--sysroot', folder.path, '--tid', 7, path).rows()
    yield from expect('calls', [(row['context_id'], row['instructions'], row['cycles']) for row in rows if row['type'] == 'call'], [(7, 9, 15)])
    names = {'one 7', 'two 7/8', 'three 9'}  # by process and thread where they differ
    listed = run(cairn, 'calls', '--sysroot', folder.path, path).out.splitlines()
    yield from expect('calls, threads', {line[len('-- cpu3 '):] for line in listed if line.startswith('-- ')}, names)
    stacks = run(cairn, 'profile', '--format', 'folded', '--threads', '--sysroot', folder.path, path).out.splitlines()
    yield from expect('stacks, threads', {line.split(';')[0] for line in stacks}, {'cpu3 ' + name for name in names})
    graph = os.path.join(folder.path, 'callgrind.out')
    run(cairn, 'profile', '--format', 'callgrind', '--threads', '--output', graph, '--sysroot', folder.path, path)
    for number, head in (('01', ('pid: 7', 'thread: 7', 'desc: Thread: one 7', 'summary: 9 15')),
                         ('02', ('pid: 9', 'thread: 9', 'desc: Thread: three 9', 'summary: 6 15')),
                         ('03', ('pid: 7', 'thread: 8', 'desc: Thread: two 7/8', 'summary: 3 4'))):
        with open('%s-%s' % (graph, number), encoding='utf-8') as file:
            text = file.read().splitlines()
        yield from expect('callgrind, thread %s' % number, tuple(line for line in text if line.split(':')[0] in ('pid', 'thread', 'desc', 'summary')), head)
    timeline = json.loads(run(cairn, 'calls', '--format', 'chrome', '--clock', 'cycles', '--sysroot', folder.path, path).out)
    yield from expect('timeline, threads', threads_of(timeline), {(7, 7): 'one (cpu3)', (7, 8): 'two (cpu3)', (9, 9): 'three (cpu3)'})
    yield from expect('timeline, processes', processes_of(timeline), {7: 'one', 9: 'three'})
    rows = run(cairn, 'coverage', '--by', 'instruction', '--format', 'json', '--sysroot', folder.path, '--pid', 9, path).rows()
    yield from expect('covered', [(row['address'], row['times']) for row in rows if row['type'] == 'instruction'], [('0x1000', 3), ('0x1004', 3)])


def check_parts(cairn, folder):
    """No context IDs: what was put into a processor's buffer is of the thread that ran, if the event counts where its tasks
    run; with frames and without. If it counts on processors nobody knows, nor if tasks have started others, to which the
    kernel hands the event on without a stop."""
    spans = ((7, 7, (5, 6)), (9, 9, (4, 4, 7)), (7, 8, (4,)), (7, 7, (4,)), (9, 9, (5,)))
    for flags in (RAW_TRACE, 0):
        for inherit, index, more, by_thread in ((True, [7, 8, 9], None, True), (True, [7, 8, 9], 'old forks', True), (False, [7, 8, 9], 'forks', True),
                                                (False, [], None, False), (True, [], None, False), (True, [NOBODY], None, False),
                                                (True, [7, 8, 9], 'wide', False), (True, [7, 8, 9], 'forks', False)):
            perf, files, whole = Perf(), of_loops(folder), b''
            perf.event(TRACED, ids=[1], identified=True, kind=TRACE_TYPE, inherit=inherit)
            perf.units(1, (ETE, 3, [0x11, 0x10, 0x2881cea1, 0x4100fff0, 0x1088, 0, 0, 0x47705a13]))
            for process, thread, name in ((7, 7, 'one'), (7, 8, 'two'), (9, 9, 'three')):
                perf.name(process, thread, name)
            for process, name in ((7, 'first'), (9, 'second')):
                perf.map(process, 0x1000, *files[name], '/' + name, time=1)
            perf.index(*index)
            if more and 'forks' in more:
                perf.record(FORK, perf.pack('IIIIQ', 7, 7, 8, 7, 0 if 'old' in more else 5) + perf.whose(7, 3, time=0 if 'old' in more else 5))
            if more == 'wide':
                perf.record(SWITCH_CPU_WIDE, perf.pack('II', 9, 9) + perf.whose(7, 3, time=20))
            for n, (process, thread, cycles) in enumerate(spans):
                data = turns((thread, cycles)).replace(b'\xb0' + thread.to_bytes(4, 'little'), b'\x30')
                data = data if flags else framed_exactly(0x10, data)
                perf.aux(len(whole), len(data), flags, 3, tid=thread, time=10 + 10 * n)
                whole += data
            perf.trace(whole, 0, 3)
            path = folder.write('parts.data', perf.file())
            way = '%x inherit %d %r %s' % (flags, inherit, index, more)
            if not by_thread:
                yield from expect_in(way, 'what one has mapped may be taken for another', ' '.join(' '.join(told(cairn, path, '--sysroot', folder.path)['remarks']).split()))
                for command in ('profile', 'coverage', 'calls', 'pgo', 'count', 'flow') if flags and index == [NOBODY] else ():
                    said = run(cairn, command, '--sysroot', folder.path, *(('--output', os.devnull, '--force') if command == 'count' else ()), path).err
                    yield from expect('%s of %s: %s' % (command, way, said), said.count('what one has mapped may be taken for another'), 1)
                yield from expect_in(way, 'does not say which thread it is of', run(cairn, 'profile', '--tid', 7, path).err)
                continue
            for arguments, instructions, cycles, functions in (
                    ((), 20, 39, ['first', 'second']), (('--tid', 7), 9, 15, ['first']), (('--tid', 8), 3, 4, ['first']),
                    (('--pid', 9), 8, 20, ['second']), (('--comm', 'two'), 3, 4, ['first'])):
                rows = run(cairn, 'profile', '--format', 'json', '--sysroot', folder.path, *arguments, path).rows()
                yield from expect('%s %r' % (way, arguments), (rows[-1]['instructions'], rows[-1]['cycles']), (instructions, cycles))
                yield from expect('code of %s %r' % (way, arguments), sorted({os.path.basename(row['object']) for row in rows if row['type'] == 'function'}),
                                  functions)
            rows = run(cairn, 'profile', '--by', 'process', '--format', 'json', '--sysroot', folder.path, path).rows()
            yield from expect('processes of ' + way, [(row['process_id'], row['threads'], row['source'], row['instructions'], row['cycles']) for row in rows
                                                      if row['type'] == 'process'], [(7, 2, None, 12, 19), (9, 1, 'cpu3-thread-9', 8, 20)])
            facts = told(cairn, path, '--sysroot', folder.path)
            yield from expect(way, [(row['thread_id'], row['sources']) for row in facts['threads']], [(7, [0]), (8, [2]), (9, [1])])
            yield from expect('names', [row['name'] for row in facts['sources']], ['cpu3-thread-7', 'cpu3-thread-9', 'cpu3-thread-8'])
            yield from expect('nothing is left out: %r' % facts['remarks'], [text for text in facts['remarks'] if 'left out' in text or 'taken for' in text], [])


def of_threads(folder, name, *parts):
    """A recording of threads 7 and 8 of process 7, and of 9: (processor or NOBODY, thread, whether the trace says which)."""
    perf, files = Perf(), of_loops(folder)
    numbered = all(told for _, _, told in parts)
    perf.event(TRACED, ids=[1], identified=True, kind=TRACE_TYPE)
    perf.units(1, *[(ETE, cpu, [0x51 if numbered else 0x11, 0x10 + cpu, 0x2881cea1, 0x4100fff0, 0x1088, 0, 0, 0x47705a13]) for cpu in (3, 4)])
    if not numbered:
        perf.index(7, 8)
    for process, thread, text in ((7, 7, 'one'), (7, 8, 'two')):
        perf.name(process, thread, text)
    perf.map(7, 0x1000, *files['first'], '/first', time=1)
    perf.map(9, 0x1000, *files['second'], '/second', time=1)
    offsets = collections.Counter()
    for cpu, thread, _ in parts:
        data = turns((thread, (5, 6) * 200))
        data = data if numbered else data.replace(b'\xb0' + thread.to_bytes(4, 'little'), b'\x30')
        buffer = (cpu, thread if cpu == NOBODY else NOBODY)
        perf.trace(data, offsets[buffer], cpu, tid=buffer[1])
        perf.aux(offsets[buffer], len(data), RAW_TRACE, cpu, tid=thread, time=10)
        offsets[buffer] += len(data)
    return folder.write(name, perf.file())


def check_tracks(cairn, folder):
    """Timelines have the numbers of the recorded processes and threads. A thread that ran on two processors has a stack on
    each: the second one's number is none that Linux gives (from 2 ** 22 on), as nothing else on its track may overlap it. What has
    no name is called by its number, and counters are of the processor."""
    path = of_threads(folder, 'tracks.data', (3, 7, True), (4, 7, True))
    arguments = ('--clock', 'cycles', '--sysroot', folder.path, path)
    timeline = json.loads(run(cairn, 'calls', '--format', 'chrome', *arguments).out)
    got = threads_of(timeline)
    yield from expect('threads', sorted((process, name) for (process, _), name in got.items()), [(7, 'one (cpu3)'), (7, 'one (cpu4)')])
    first, second = sorted(thread for _, thread in got)
    yield from expect('numbers', (first, second > 2 ** 22), (7, True))
    yield from expect('processes', {number: name for number, name in processes_of(timeline).items() if number < 2 ** 22}, {7: 'one'})
    sources = {event['pid'] for event in timeline['traceEvents'] if event['ph'] == 'C' and event['tid'] == 0}
    yield from expect('counters of processors', {processes_of(timeline)[number] for number in sources}, {'cpu3', 'cpu4'})
    yield from expect('and no process\'s', [number for number in sources if number < 2 ** 22], [])
    for thread in (first, second):
        phases = [event['ph'] for event in timeline['traceEvents'] if event['tid'] == thread and event['ph'] in 'BE']
        yield from expect('calls of %d' % thread, phases, ['B', 'E'])
    if shutil.which('protoc'):
        tracks = [track for packet in decoded(run(cairn, 'calls', '--format', 'perfetto', *arguments).raw) for track in packet.get('track_descriptor', [])]
        threads = sorted(tuple(track['thread'][0][key][0] for key in ('pid', 'tid', 'thread_name')) for track in tracks if 'thread' in track)
        yield from expect('perfetto, threads', threads, sorted((str(process), str(thread), name) for (process, thread), name in got.items()))
        known = {(track['process'][0]['pid'][0], track['process'][0]['process_name'][0]) for track in tracks if 'process' in track}
        yield from expect('perfetto, processes', known, {(str(number), name) for number, name in processes_of(timeline).items()})
        yield from expect('tracks', len({track['uuid'][0] for track in tracks}), len(tracks))
    path = of_threads(folder, 'untold.data', (3, 7, True), (3, 9, True))
    timeline = json.loads(run(cairn, 'calls', '--format', 'chrome', '--sysroot', folder.path, path).out)
    yield from expect('not told of', sorted(threads_of(timeline).values()), ['one (cpu3)', 'thread 9 (cpu3)'])
    yield from expect('processes', sorted(processes_of(timeline).values()), ['cpu3', 'one', 'process 9'])


def check_own(cairn, folder):
    """Sources that are one thread's, by its buffer (perf record --per-thread) or by who ran: calls, timelines and stacks name it."""
    for name, parts, sources in (('own.data', ((NOBODY, 7, False), (NOBODY, 8, False)), ('thread-7', 'thread-8')),
                                 ('ran.data', ((3, 7, False), (4, 8, False)), ('cpu3-thread-7', 'cpu4-thread-8'))):
        path = of_threads(folder, name, *parts)
        names = {source + ' ' + text for source, text in zip(sources, ('one 7', 'two 7/8'))}
        listed = run(cairn, 'calls', '--sysroot', folder.path, path).out.splitlines()
        yield from expect('calls', {line[len('-- '):] for line in listed if line.startswith('-- ')}, names)
        stacks = run(cairn, 'profile', '--format', 'folded', '--threads', '--sysroot', folder.path, path).out.splitlines()
        yield from expect('stacks', {line.split(';')[0] for line in stacks}, names)
        timeline = json.loads(run(cairn, 'calls', '--format', 'chrome', '--sysroot', folder.path, path).out)
        yield from expect('timeline', threads_of(timeline), {(7, 7): 'one (%s)' % sources[0], (7, 8): 'two (%s)' % sources[1]})
        yield from expect('process', {number: name for number, name in processes_of(timeline).items() if number < 2 ** 22}, {7: 'one'})


OUT = 1 << 13  # PERF_RECORD_MISC_SWITCH_OUT


def switched(folder, events, flags=RAW_TRACE, user_only=False, lost=0, untold=False):
    """A processor's recording, without context IDs: (time, thread, cycles of its turns) is a part of the trace, (time, thread, OUT or 0) a switch."""
    perf, files, whole = Perf(), of_loops(folder), b''
    perf.event(TRACED, ids=[1], identified=True, kind=TRACE_TYPE, user_only=user_only)
    perf.units(1, (ETE, 3, [0x11, 0x10, 0x2881cea1, 0x4100fff0, 0x1088, 0, 0, 0x47705a13]))
    for process, name, code in ((7, 'one', 'first'), (9, 'three', 'second')):
        perf.name(process, process, name)
        perf.map(process, 0x1000, *files[code], '/' + code, time=1)
    for time, thread, what in events:
        if not isinstance(what, tuple):
            perf.record(SWITCH_CPU_WIDE, perf.pack('II', 0, 0) + (b'' if untold else perf.whose(thread, 3, time=time)), USER | what)
            continue
        data = turns((thread, what)).replace(b'\xb0' + thread.to_bytes(4, 'little'), b'\x30')
        data = data if flags else framed_exactly(0x10, data)
        perf.aux(len(whole), len(data), flags, 3, tid=thread, time=time)
        whole += data
    if lost:
        perf.record(LOST_SAMPLES, perf.words(lost) + perf.whose(7, 3, time=60))
    perf.trace(whole, 0, 3)
    return folder.write('switched.data', perf.file())


# 7 alone; 7 and then 9; 9 alone, and the part in which 7 follows; 7 alone, twice
SWITCHES = [(5, 7, 0), (10, 7, (5, 6)), (12, 7, OUT), (13, 9, 0), (20, 9, (4,)), (30, 9, (4, 4, 7)), (33, 9, OUT), (34, 7, 0), (40, 7, (4,)),
            (50, 7, (4, 5)), (55, 7, (4,))]


def check_switches(cairn, folder):
    """Trace of a processor without context IDs: a part is a thread's if the switches say that no other ran in it, and nobody's
    if several did. By hand: a turn of 7 has 3 instructions, of 9 2."""
    for flags in (RAW_TRACE, 0):
        path = switched(folder, SWITCHES, flags)
        for thread, instructions, cycles, code in ((7, 15, 24, ['first']), (9, 6, 15, ['second'])):
            got = run(cairn, 'profile', '--format', 'json', '--sysroot', folder.path, '--tid', thread, path)
            rows = got.rows()
            yield from expect('%d of %x' % (thread, flags), (rows[-1]['instructions'], rows[-1]['cycles']), (instructions, cycles))
            yield from expect('code of %d' % thread, sorted({os.path.basename(row['object']) for row in rows if row['type'] == 'function'}), code)
            yield from expect_in('what is left out', '2 sources may be of the threads that are wanted', got.err)
        facts = told(cairn, path, '--sysroot', folder.path)
        yield from expect('sources', [row['name'] for row in facts['sources']], ['cpu3-thread-7', 'cpu3', 'cpu3-thread-9', 'cpu3-2', 'cpu3-thread-7-2'])
        yield from expect('threads', [(row['thread_id'], row['sources']) for row in facts['threads']], [(7, [0, 4]), (9, [2])])
        yield from expect_in('said', 'of 6 parts of the trace (AUX records) 2 are of several threads', ' '.join(' '.join(facts['remarks']).split()))
        rows = run(cairn, 'profile', '--by', 'process', '--format', 'json', '--sysroot', folder.path, path).rows()
        yield from expect('by process', sorted((row['process_id'], row['instructions'], row['cycles']) for row in rows
                                               if row['type'] == 'process' and row['process_id']), [(7, 15, 24), (9, 6, 15)])
        # a stack does not go on over a part of which nobody knows whose it is
        rows = run(cairn, 'calls', '--format', 'json', '--sysroot', folder.path, '--tid', 7, path).rows()
        yield from expect('calls', [row['instructions'] for row in rows if row['type'] == 'call'], [6, 9])


def check_idle(cairn, folder):
    """A processor that idles runs nothing of a user's; it does of the kernel."""
    events = [(5, 7, 0), (8, 7, OUT), (8, 0, 0), (9, 0, OUT), (9, 7, 0), (10, 7, (5,))]
    for user_only, known in ((True, True), (False, False)):
        path = switched(folder, events, user_only=user_only)
        yield from expect('user only %d' % user_only, [row['name'] for row in told(cairn, path)['sources']], ['cpu3-thread-7' if known else 'cpu3'])


def check_missing_switches(cairn, folder):
    """Where records of switches are missing nobody is put down for anything."""
    for name, events, arguments, said in (('lost', SWITCHES, {'lost': 1}, '1 records and samples were lost'),
                                          ('without times', SWITCHES, {'untold': True}, 'records of switches are missing'),
                                          ('7 ran, and then 9', SWITCHES[:2] + SWITCHES[4:], {}, 'records of switches are missing')):
        facts = told(cairn, switched(folder, events, **arguments), '--sysroot', folder.path)
        yield from expect(name, [row['name'] for row in facts['sources']], ['cpu3'])
        yield from expect_in(name, said, ' '.join(' '.join(facts['remarks']).split()))


def check_handed_on(cairn, folder):
    """Switches of tasks tell where one handed on to another that it had started."""
    perf, files, whole = Perf(), of_loops(folder), b''
    perf.event(TRACED, ids=[1], identified=True, kind=TRACE_TYPE, inherit=True)
    perf.units(1, (ETE, 3, [0x11, 0x10, 0x2881cea1, 0x4100fff0, 0x1088, 0, 0, 0x47705a13]))
    perf.index(7)
    for process, name, code in ((7, 'one', 'first'), (9, 'three', 'second')):
        perf.name(process, process, name)
        perf.map(process, 0x1000, *files[code], '/' + code, time=1)
    perf.record(FORK, perf.pack('IIIIQ', 9, 7, 9, 7, 2) + perf.whose(7, 3, time=2))
    for time, thread, what in ((5, 7, 0), (9, 7, OUT), (10, 7, (5,)), (14, 7, 0), (15, 7, OUT), (16, 9, 0), (17, 9, OUT), (18, 9, (4, 4))):
        if isinstance(what, tuple):
            data = turns((thread, what)).replace(b'\xb0' + thread.to_bytes(4, 'little'), b'\x30')
            perf.aux(len(whole), len(data), RAW_TRACE, 3, tid=thread, time=time)
            whole += data
        else:
            perf.record(SWITCH, perf.whose(thread, 3, time=time), USER | what)
    perf.trace(whole, 0, 3)
    names = [row['name'] for row in told(cairn, folder.write('handed.data', perf.file()))['sources']]
    yield from expect('sources', names, ['cpu3-thread-7', 'cpu3'])


def check_apart(cairn, folder):
    """A thread on each of two processors, and one of them alone by its time: each has its own code."""
    perf, files, whole = Perf(), of_loops(folder), b''
    perf.event(TRACED, ids=[1], identified=True, kind=TRACE_TYPE)
    perf.units(1, *[(ETE, cpu, [0x11, 0x10 + cpu, 0x2881cea1, 0x4100fff0, 0x1088, 0, 0, 0x47705a13]) for cpu in (3, 4)])
    perf.index(7, 9)
    for cpu, process, code in ((3, 7, 'first'), (4, 9, 'second')):
        perf.name(process, process, code)
        perf.map(process, 0x1000, *files[code], '/' + code, time=1)
        data = turns((process, (5, 5))).replace(b'\xb0' + process.to_bytes(4, 'little'), b'\x30')
        perf.aux(0, len(data), RAW_TRACE, cpu, tid=process, time=10 * process)
        perf.trace(data, 0, cpu)
    path = folder.write('apart.data', perf.file())
    for arguments, instructions, code in ((('--tid', 7), 6, 'first'), (('--tid', 9), 4, 'second'), (('--time', '0.000000060,0.000000080'), 6, 'first'),
                                          (('--time', '0.000000085,'), 4, 'second'), (('--tid', 9, '--time', '0.000000085,'), 4, 'second')):
        rows = run(cairn, 'profile', '--format', 'json', '--sysroot', folder.path, *arguments, path).rows()
        got = [(row['self']['instructions'] if isinstance(row.get('self'), dict) else rows[-1]['instructions'], os.path.basename(row['object'])) for row in rows if row['type'] == 'function']
        yield from expect('%r' % (arguments,), got, [(instructions, code)])
    for times, is_said in (('0.000000060,0.000000080', True), ('0.000000060,', False)):
        said = ' '.join(run(cairn, 'info', '--time', times, path).out.split())
        yield from expect('said of %s' % times, '1 of its 2 parts of the trace (AUX records) were complete at the time' in said, is_said)


def check_old_forks(cairn, folder):
    """A FORK from before recording: the child's memory is told by itself, and what its parent maps later is not its."""
    perf, files, whole = Perf(), of_loops(folder), b''
    perf.event(TRACED, ids=[1], identified=True)
    perf.units(1, (ETE, 3, [0x51, 0x10, 0x2881cea1, 0x4100fff0, 0x1088, 0, 0, 0x47705a13]))
    perf.record(FORK, perf.pack('IIIIQ', 9, 7, 9, 7, 0) + perf.whose(7, 3))
    perf.map(9, 0x1000, *files['first'], '/first')
    perf.map(7, 0x1000, *files['second'], '/second', time=25)
    for time in (20, 30):
        data = turns((9, (4,)))
        perf.aux(len(whole), len(data), RAW_TRACE, 3, time=time)
        whole += data
    perf.trace(whole, 0, 3)
    rows = run(cairn, 'profile', '--format', 'json', '--sysroot', folder.path, '--tid', 9, folder.write('old.data', perf.file())).rows()
    yield from expect('instructions', rows[-1]['instructions'], 6)


def check_again_there(cairn, folder):
    """A file where another was: from its time on, however much its process has mapped meanwhile; without times that is said."""
    for count, identified in ((4100, True), (1, True), (1, False)):
        perf, files, whole = Perf(), of_loops(folder), b''
        perf.event(TRACED, ids=[1], identified=identified)
        perf.units(1, (ETE, 3, [0x51, 0x10, 0x2881cea1, 0x4100fff0, 0x1088, 0, 0, 0x47705a13]))
        perf.map(7, 0x1000, *files['first'], '/first', time=1)
        for n in range(count):
            perf.map(7, 0x100000 + 0x1000 * n, 8, 0, '/lib', time=2)
        perf.map(7, 0x1000, *files['second'], '/second', time=25)
        for time in (20, 30):
            data = turns((7, (4,)))
            perf.start(7, 3, time - 2)
            perf.aux(len(whole), len(data), RAW_TRACE, 3, time=time)
            whole += data
        perf.trace(whole, 0, 3)
        got = run(cairn, 'profile', '--format', 'json', '--sysroot', folder.path, folder.write('again.data', perf.file()))
        if identified:
            yield from expect('%d' % count, got.rows()[-1]['instructions'], 3 + 2)
        yield from expect(got.err, '1 file was mapped where others had been, and nothing says when' in got.err, not identified)


def check_many_forks(cairn, folder):
    """Each fork costs what its parent has; what there is no room for is said where it is counted."""
    for count, known in ((3000, True), (4000, False)):
        perf, files = Perf(), of_loops(folder)
        perf.event(TRACED, ids=[1], identified=True)
        perf.units(1, (ETE, 3, [0x51, 0x10, 0x2881cea1, 0x4100fff0, 0x1088, 0, 0, 0x47705a13]))
        perf.map(7, 0x1000, *files['first'], '/first', time=1)
        perf.map(9, 0x1000, *files['second'], '/second', time=1)
        for n in range(20):
            perf.map(7, 0x100000 * (n + 2), 8, 0, '/lib%d' % n, time=1)
        for child in range(1000, 1000 + count):
            perf.record(FORK, perf.pack('IIIIQ', child, 7, child, 7, child) + perf.whose(7, 3, time=child))
        data = turns((999 + count, (4,)))
        perf.trace(data, 0, 3)
        perf.aux(0, len(data), RAW_TRACE, 3, time=10000)
        got = run(cairn, 'profile', '--format', 'json', '--sysroot', folder.path, folder.write('many.data', perf.file()))
        if known:
            yield from expect('instructions', got.rows()[-1]['instructions'], 3)
        yield from expect(got.err, 'of 4000 processes that were forked the memory of' in got.err, not known)


def check_many_turns(cairn, folder):
    """More threads of a processor than are told apart: nobody knows whose the trace is, and that is said."""
    for count, known in ((3000, True), (16385, False)):
        perf, whole = Perf(), b''
        perf.event(TRACED, ids=[1], identified=True, kind=TRACE_TYPE)
        perf.units(1, (ETE, 3, [0x11, 0x10, 0x2881cea1, 0x4100fff0, 0x1088, 0, 0, 0x47705a13]))
        perf.index(7)
        data = turns((7, (4,))).replace(b'\xb0' + (7).to_bytes(4, 'little'), b'\x30')
        for n in range(count):
            perf.aux(n * len(data), len(data), RAW_TRACE, 3, tid=n + 1, time=n + 1)
            whole += data
        perf.trace(whole, 0, 3)
        facts = told(cairn, folder.write('turns.data', perf.file()))
        yield from expect('sources', len(facts['sources']), count if known else 1)
        yield from expect('said', 'threads took turns on a processor, more than 16384 of them' in ' '.join(' '.join(facts['remarks']).split()), not known)


def check_many_stretches(cairn, folder):
    """Threads that take turns often: each stretch is a source, up to a number that is said."""
    for count, known in ((2500, True), (8193, False)):  # a part of one thread, and one in which the next one begins to run
        events = [(1, 7, 0)]
        for n in range(count):
            thread, other = (7, 9)[n % 2], (9, 7)[n % 2]
            events += [(10 * n + 5, thread, (4,)), (10 * n + 6, thread, OUT), (10 * n + 7, other, 0), (10 * n + 8, other, (4,))]
        path = switched(folder, events)
        facts = told(cairn, path)
        yield from expect('%d: sources' % count, len(facts['sources']), 2 * count if known else 1)
        yield from expect('%d: said' % count, 'went from one thread to another, more than 16384 times' in ' '.join(' '.join(facts['remarks']).split()), not known)


def check_no_numbers(cairn, folder):
    """Contexts that all have the number 0: that is why nothing is chosen, and said."""
    for thread, said in ((0, True), (7, False)):
        perf, files = Perf(), of_loops(folder)
        perf.event(TRACED, ids=[1], identified=True)
        perf.units(1, (ETE, 3, [0x51, 0x10, 0x2881cea1, 0x4100fff0, 0x1088, 0, 0, 0x47705a13]))
        perf.name(7, 7, 'one')
        perf.map(7, 0x1000, *files['first'], '/first', time=1)
        data = turns((thread, (4,)))
        perf.trace(data, 0, 3)
        perf.aux(0, len(data), RAW_TRACE, 3, time=10)
        path = folder.write('zero.data', perf.file())
        for command in ('flow', 'profile', 'calls'):
            got = run(cairn, command, '--tid', 7, '--sysroot', folder.path, path)
            yield from expect('%s of %d: %s' % (command, thread, got.err), 'the trace has no context IDs' in got.err, said)
        rows = run(cairn, 'profile', '--by', 'thread', '--format', 'json', '--sysroot', folder.path, path).rows()
        yield from expect('by thread', [(row['thread_id'], row['source'], row['instructions']) for row in rows if row['type'] == 'thread'],
                          [(None if said else 7, 'cpu3', 3)])
        for command in (('profile', '--by', 'thread'), ('profile', '--by', 'process'), ('check',), ('info',)):
            got = run(cairn, *command, '--sysroot', folder.path, path)
            text = ' '.join((got.err if command[0] == 'profile' else got.out).split())
            yield from expect('%r: %s' % (command, text), 'obody knows which thread or process' in text and 'all of them are 0' in text, said)


def check_kernel_changes(cairn, folder):
    """KSYMBOL and TEXT_POKE are told of where the kernel was traced."""
    for user_only in (False, True):
        perf, data = Perf(), read('trace.bin')
        perf.event(TRACED, ids=[1], identified=True, kind=TRACE_TYPE, user_only=user_only)
        perf.units(1, (ETE, 0, ETE_0), (ETMV4, 1, ETM_1))
        for kind in (KSYMBOL, TEXT_POKE):
            perf.record(kind, perf.words(0xffff800008000000, 0) + perf.whose(7, 0))
        perf.aux(0, len(data))
        perf.trace(data, 0)
        remarks = ' '.join(' '.join(told(cairn, folder.write('changed.data', perf.file()))['remarks']).split())
        yield from expect(remarks, '2 records of code that the kernel made or patched' in remarks, not user_only)


def check_shared(cairn, folder):
    """Two processors with one sink: who had a turn on one of them says nothing of the other's trace."""
    perf, data = Perf(), read('trace.bin')
    perf.event(TRACED, ids=[1], identified=True, kind=TRACE_TYPE, inherit=True)
    perf.units(1, (ETE, 0, [ETE_0[0] & ~0xc0, *ETE_0[1:]]), (ETMV4, 1, [ETM_1[0] & ~0xc0, *ETM_1[1:]]))
    for thread in (7, 8):
        perf.name(thread, thread, 'thread')
        perf.index(thread)
        perf.aux((thread - 7) * len(data), len(data), tid=thread, time=thread)
    perf.trace(data + data, 0)
    facts = told(cairn, folder.write('shared.data', perf.file()))
    yield from expect('threads', [(row['name'], row['thread_id']) for row in facts['sources']],
                      [('cpu0-thread-7', 7), ('cpu0-thread-7-cpu1', None), ('cpu0-thread-8', 8), ('cpu0-thread-8-cpu1', None)])


def check_forks(cairn, folder):
    """A child begins with its parent's memory as it was then, its own child with that; what either maps later is its own.
    By hand: a turn of the first program has 3 instructions, of the second 2."""
    for order in '<>':
        perf, files, whole = Perf(order), of_loops(folder), b''
        perf.event(TRACED, ids=[1], identified=True)
        perf.units(1, (ETE, 3, [0x51, 0x10, 0x2881cea1, 0x4100fff0, 0x1088, 0, 0, 0x47705a13]))
        perf.name(7, 7, 'parent')
        for child, parent, time in ((11, 9, 6), (9, 7, 5), (13, 7, 26)):  # in no order
            perf.record(FORK, perf.pack('IIIIQ', child, parent, child, parent, time) + perf.whose(parent, 3, time=time))
        for process, name, time in ((9, 'second', 15), (7, 'first', 1), (7, 'second', 25)):
            perf.map(process, 0x1000, *files[name], '/' + name, time=time)
        for time, spans in ((10, ((7, 1), (9, 1))), (20, ((9, 3), (7, 1))), (30, ((7, 1), (9, 2), (11, 1), (13, 1)))):
            data = turns(*[(thread, count * (4,)) for thread, count in spans])
            perf.start(7, 3, time - 2)
            perf.aux(len(whole), len(data), RAW_TRACE, 3, time=time)
            whole += data
        perf.trace(whole, 0, 3)
        path = folder.write('forks.data', perf.file())
        for thread, instructions in ((7, 3 + 3 + 2), (9, 3 + 6 + 4), (11, 3), (13, 2)):
            rows = run(cairn, 'profile', '--format', 'json', '--sysroot', folder.path, '--tid', thread, path).rows()
            yield from expect('thread %d' % thread, rows[-1]['instructions'], instructions)
        facts = told(cairn, path, '--sysroot', folder.path)
        yield from expect('threads', [(row['process_id'], row['thread_id']) for row in facts['threads']], [(7, 7), (9, 9), (11, 11), (13, 13)])
        yield from expect('files, each once', sorted(row['path'] for row in facts['program']['modules']), ['/first', '/second', '/second'])


def check_again(cairn, folder):
    """The number of a thread that another process had before: the source may be of either."""
    perf, data = traced(), read('trace.bin')
    perf.name(0x50, 7, 'old')
    perf.name(0x70, 7, 'new')
    perf.aux(0, len(data), tid=7)
    perf.trace(data, 0, cpu=NOBODY, tid=7)
    path = folder.write('again.data', perf.file())
    for process in (0x50, 0x70):
        got = run(cairn, 'packets', '--pid', process, path)
        yield from expect('%#x' % process, (got.status, got.err), (0, ''))
    got = run(cairn, 'packets', '--pid', 0x60, path)
    yield from expect('neither', got.status, 2)


def check_many(cairn, folder):
    """Of a source's contexts 256 are kept: of one more info says that threads may be missing."""
    for count in (256, 257):
        data = bytes(11) + b'\x80' + b'\x01\x00' + b'\x04'  # A-sync, Trace Info, Trace On
        for context in range(1, count + 1):  # Address with Context, 64-bit IS0: EL1, Non-secure, AArch64, a context ID
            data += b'\x85' + 0x80000000.to_bytes(8, 'little') + b'\xb1' + context.to_bytes(4, 'little')
        perf = traced()
        perf.name(5, 257, 'last')
        perf.aux(0, len(data), flags=RAW_TRACE)
        perf.trace(data, 0)
        said = ' '.join(told(cairn, folder.write('many.data', perf.file()))['remarks'])
        yield from expect('%d contexts: %s' % (count, said), 'more than 256 contexts' in said, count == 257)


def check_refused(cairn, folder):
    path = two_threads(folder)
    for command, arguments, said in (
            ('flow', ('--tid', 1), 'no thread is so called or numbered'),
            ('flow', ('--tid', ONE, '--last', 5), 'give either --pid, --tid and --comm, or a part'),
            ('packets', ('--tid', ONE), 'which `cairn packets` does not tell apart'),
            ('flow', ('--cpu', 5), 'no source is of that processor or thread'),
            ('flow', ('--tid', 'x'), 'expected a number'),
            ('flow', ('--time', '5'), 'expected FROM,TO in seconds'),
            ('flow', ('--time', '2,1'), 'expected FROM,TO in seconds'),
            ('flow', ('--time', '.,5'), 'expected FROM,TO in seconds'),
            ('flow', ('--time', '0.5,.'), 'expected FROM,TO in seconds'),
            ('flow', ('--time', ',0'), 'expected FROM,TO in seconds')):
        got = run(cairn, command, *arguments, path)
        yield from expect('%s %r' % (command, arguments), (got.status, got.out), (2, ''))
        yield from expect_in('%s %r' % (command, arguments), said, got.err)
    # what knows no such thing says so
    for arguments, said in ((('--time', '1,2'), 'nothing in it says when'), (('--pid', 1), 'does not say which thread it is of')):
        yield from expect_in('%r' % (arguments,), said, run(cairn, 'flow', *arguments, CAPTURE).err)


def check_processors(cairn, folder):
    """A source is its processor's in every kind of capture."""
    path = two_threads(folder)
    for capture, names in ((path, ('cpu0', 'cpu0-cpu1')), (CAPTURE, ('ETE_0', 'ETM_1'))):
        for cpu in (0, 1):
            yield from expect('%s %d' % (capture, cpu), list(rows_of(cairn, 'packets', capture, '--cpu', str(cpu))), [names[cpu]])


def check_times(cairn, folder):
    """An AUX record's time is when its part was complete; in seconds as perf script prints it."""
    path = two_threads(folder, time=12_345_678_901)
    for times, is_there in (('12.345678901,12.345678901', True), ('12.3,', True), (',12.4', True), ('12.345678902,', False), (',12.3', False)):
        got = rows_of(cairn, 'packets', path, '--time', times)
        yield from expect(times, bool(got), is_there)
    yield from expect_in('said', 'none of its 1 parts of the trace (AUX records) was complete',
                         ' '.join(run(cairn, 'info', '--time', ',12.3', path).out.split()))


def check_samples(cairn, folder):
    perf = Perf()
    perf.event(IP | TID | TIME | CPU | BRANCH_STACK)
    for thread, name in ((7, 'one'), (8, 'other')):
        perf.name(5, thread, name)
    perf.map(5, 0x1000, 0x1000, 0, '/program')
    for n, (thread, cpu, time) in enumerate(((7, 0, 10 ** 9), (8, 1, 2 * 10 ** 9), (7, 1, 3 * 10 ** 9))):
        perf.sample(perf.words(0x1000 + n) + perf.pack('IIQII', 5, thread, time, cpu, 0) +
                    perf.words(1) + perf.entry(0x1100 + n, 0x1200))
    path = folder.write('samples.data', perf.file())
    for arguments, wanted in ((('--pid', 5), [0, 1, 2]), (('--tid', 7), [0, 2]), (('--comm', 'other'), [1]), (('--cpu', 1), [1, 2]),
                              (('--time', '1.5,'), [1, 2]), (('--time', ',2'), [0, 1]), (('--tid', 7, '--cpu', 1), [2])):
        got = [line for line in run(cairn, 'pgo', '--comments', 'none', *arguments, path).lines() if '->' in line]
        yield from expect('%r' % (arguments,), got, ['%x->200:1' % (0x100 + n) for n in wanted])


def main():
    cairn = sys.argv[1]
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix='cairn-whose-') as path:
        for name, check in (('threads of a source', check_threads), ('threads in turns', check_turns), ('threads in parts', check_parts), ('forks', check_forks),
                            ('switches', check_switches), ('an idle processor', check_idle), ('switches that are missing', check_missing_switches), ('a sink of two', check_shared),
                            ('an event that is handed on', check_handed_on), ('threads apart', check_apart), ('forks from before', check_old_forks),
                            ('contexts without numbers', check_no_numbers), ('another file there', check_again_there), ('many forks', check_many_forks), ('many turns', check_many_turns), ('many stretches', check_many_stretches), ('a kernel that changes', check_kernel_changes),
                            ('a number that is used again', check_again),
                            ('many contexts', check_many), ('tracks of timelines', check_tracks), ("threads' own sources", check_own), ('what cannot be', check_refused),
                            ('processors', check_processors), ('times', check_times), ('samples', check_samples)):
            tap.case(name, check(cairn, Folder(path)))
    tap.end()


if __name__ == '__main__':
    main()
