#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What commands that answer do alike: a source that cannot be configured is heard of, so is trace that could not be followed; code of
one file is one code, wherever processes have it. Files are made by hand, as in test_perf_process.py, so that what is right is counted by hand.

usage: test_answers.py CAIRN
"""
import os
import struct
import sys
import tempfile

from common import Folder, Tap, expect, expect_in, framed_exactly, run, words
from debug import sections
from perf_file import COLLISION, ETE, LOST, LOST_SAMPLES, PARTIAL, RAW_TRACE, TRACE_TYPE, TRACED, TRUNCATED, Perf
from test_perf_process import UNIT, Recording, counted, turns
from test_findings import with_holes
from test_whose import of_loops

NOP = 0xd503201f
NO_UNIT = [0] * 8  # registers that no trace unit has: TRCIDR2.IASIZE is 0


def of_units(folder, name, *units):
    """Of each CPU from 3 on the same two turns of a loop, by units with these registers."""
    files, perf = of_loops(folder), Perf()
    perf.event(TRACED, ids=[1], identified=True, kind=TRACE_TYPE, user_only=True)
    perf.units(1, *[(ETE, 3 + i, unit) for i, unit in enumerate(units)])
    perf.map(7, 0x1000, *files['first'], '/first', time=0)
    data = turns(7, (0x1000, 2))
    for cpu in range(3, 3 + len(units)):
        perf.aux(0, len(data), RAW_TRACE, cpu, tid=7, time=10)
        perf.trace(data, 0, cpu)
    return folder.write(name, perf.file())


def answers(folder, path):
    """The commands that answer, each with what it needs."""
    for command in (['profile'], ['coverage'], ['calls'], ['latency', '--function', '0x1004'], ['pgo'], ['flow'], ['diff', path],
                    ['export', '--force', '-o', folder.path + '/made.db'], ['count', '--force', '-o', folder.path + '/made.counts']):
        yield [*command, '--sysroot', folder.path]


def check_refused(cairn, folder):
    """A source without a usable configuration is named, with what is wrong; of nothing else there is no answer."""
    for name, units, status, source in (('second.data', (UNIT, NO_UNIT), 1, 'cpu4'), ('only.data', (NO_UNIT,), 2, 'cpu3')):
        path = of_units(folder, name, *units)
        for command in answers(folder, path):
            done = run(cairn, *command, path)
            what = '%s of %s' % (command[0], name)
            if command[0] != 'latency':  # nothing calls that
                yield from expect('status of ' + what, done.status, status)
            yield from expect_in(what, 'TRCIDR2 is 0x00000000: IASIZE', done.err)
            yield from expect_in(what, ' %s: ' % source, done.err)


def check_lost(cairn, folder):
    """`count` says what could not be followed, as `profile` does."""
    made = Recording(folder)
    made.map(7, 0x1000, 'first')
    made.part(10, 7, (0x1000, 2), (0x9000, 1))  # where nothing is mapped
    some = made.write('some.data')
    made = Recording(folder)
    made.part(10, 7, (0x9000, 2))
    nothing = made.write('nothing.data')
    for path, says in ((some, 'trace could not be followed, and what was executed there is not counted'), (nothing, 'nothing was executed, as far as this trace could be followed')):
        for command in (['profile'], ['count', '-o', path + '.counts']):
            done = run(cairn, *command, '--sysroot', folder.path, path)
            yield from expect_in('%s %s' % (command[0], path), says, done.err)
            yield from expect('status of %s %s' % (command[0], path), done.status, 2 if path == nothing and command[0] == 'profile' else 1)
    made = Recording(folder)
    made.map(7, 0x1000, 'first')
    made.part(10, 7, (0x1000, 2))
    path = made.write('all.data')
    done = run(cairn, 'count', '-o', path + '.counts', '--sysroot', folder.path, path)
    yield from expect('nothing lost', (done.status, done.err), (0, ''))


def check_holes(cairn, folder):
    """Trace that is not in the file is lost for all: the commands end alike, and `check` counts what loses data."""
    path = with_holes(folder)
    for command in (['flow'], ['profile'], ['coverage'], ['check']):
        yield from expect('status of %s' % command[0], run(cairn, *command, '--sysroot', folder.path, path).status, 1)
    rows = run(cairn, 'check', '--format', 'json', '--sysroot', folder.path, path).rows()
    yield from expect('what loses data', [(row['code'], row.get('where'), row.get('count')) for row in rows if row['type'] == 'finding' and row['loses_data']],
                      [('CAIRN-TRACE-LOST', 'cpu3', 2), ('CAIRN-TRACE-LOST', None, None)])
    yield from expect('counted', [row['losing_data'] for row in rows if row['type'] == 'result'], [1])
    whole = Recording(folder)
    whole.map(7, 0x1000, 'first')
    whole.part(10, 7, (0x1000, 2))
    whole.part(20, 7, (0x1000, 1))
    for command in 'flow', 'check':
        yield from expect('status of %s of all' % command, run(cairn, command, '--sysroot', folder.path, whole.write('all.data')).status, 0)


def check_end(cairn, folder):
    """Trace that was lost behind the last part is lost, and told, as trace between two is: by the driver's word, also of a part
    without bytes, since bytes are not in the file, all of a part or its end; and records that were lost may be of what ran."""
    part = turns(7, (0x1000, 2))
    size = len(part)
    for name, parts, gaps in (('truncated', [(0, size, TRUNCATED)], 1), ('partial', [(0, size, PARTIAL)], 1), ('collision', [(0, size, COLLISION)], 1),
                              ('no room', [(0, size, 0), (size, 0, TRUNCATED)], 1), ('not in the file', [(0, size, 0), (size, 50, 0)], 1), ('cut', [(0, size + 7, 0)], 1),
                              ('nothing in front', [(0, 0, TRUNCATED), (0, size, 0)], 0), ('lost records', [(0, size, 0), LOST], 0), ('lost samples', [(0, size, 0), LOST_SAMPLES], 0), ('nothing', [(0, size, 0)], 0)):
        for form in (RAW_TRACE, 0):
            made = Recording(folder)
            data = part if form else framed_exactly(0x10, part)
            made.map(7, 0x1000, 'first')
            for one in parts:
                if one == LOST:
                    made.perf.record(LOST, made.perf.words(1, 5) + made.perf.whose(7, 3))
                elif one == LOST_SAMPLES:
                    made.perf.record(LOST_SAMPLES, made.perf.words(5) + made.perf.whose(7, 3))
                else:
                    offset, length, flags = one
                    made.perf.aux(offset and len(data), length - size + len(data) if size <= length < 50 else length, flags | form, 3, tid=7, time=10 + offset)
            made.perf.trace(data, 0, 3)
            path = folder.write('end.data', made.perf.file())
            status = int(name != 'nothing')
            for way in ((), ('--reference',)):
                done = run(cairn, 'flow', '--format', 'json', '--sysroot', folder.path, *way, path)
                reasons = [row['reason'] for row in done.rows() if row['type'] == 'gap']
                yield from expect('%s %x: gaps %r' % (name, form, way), (reasons, done.status), (['lost'] * gaps, gaps))
            done = run(cairn, 'check', '--format', 'json', '--sysroot', folder.path, path)
            codes = {row['code'] for row in done.rows() if row['type'] == 'finding' and row['loses_data']}
            yield from expect('%s %x' % (name, form), (done.status, codes), (status, {'CAIRN-TRACE-LOST'} if status else set()))
            yield from expect('%s %x, counted' % (name, form), [row['losing_data'] for row in done.rows() if row['type'] == 'result'], [status])
            got = run(cairn, 'profile', '--format', 'json', '--sysroot', folder.path, path)
            yield from expect('%s %x, instructions' % (name, form), got.rows()[-1]['instructions'], 6)


LOOP_OF_3, LOOP_OF_2 = [NOP, NOP, 0x17fffffe], [NOP, 0x17ffffff]  # ... B to the first
# caller: BL +0x10, NOP, B to the first; behind it memcpy: NOP, RET
CALLER = [0x94000004, NOP, 0x17fffffe, NOP, NOP, 0xd65f03c0]


def library(folder, name, code, symbols, more=()):
    """(bytes, where they are in the file), as perf has it of what is mapped. In the file the code is at 0x1000."""
    path = folder.elf(name, {0x1000: words(code)}, symbols, more)
    return len(code) * 4, struct.unpack_from('<Q', open(path, 'rb').read(), 64 + 8)[0]


def rows_by(cairn, folder, path, by):
    """What `profile` and, of the counts of the same, `profile` have by `by`."""
    counts = path + '.counts'
    if not os.path.exists(counts):
        run(cairn, 'count', '-o', counts, '--sysroot', folder.path, path)
    for of in ['--sysroot', folder.path, path], ['--sysroot', folder.path, counts]:
        rows = run(cairn, 'profile', '--by', by, '--format', 'json', *of).rows()
        yield sorted((row['function'], os.path.basename(row['object'] or '-'), row['instructions'], row.get('times'), row.get('taken'))
                     for row in rows if row['type'] == by)


def check_loads(cairn, folder):
    """A function of a library is one, though each process has it elsewhere; one of the same name in another file is another."""
    made = Recording(folder)
    made.files = {'libc.so': library(folder, 'libc.so', LOOP_OF_3, [('memcpy', 0x1000, 12)]),
                  'other.so': library(folder, 'other.so', LOOP_OF_2, [('memcpy', 0x1000, 8)])}
    for process in 10, 7, 8, 9:
        made.map(process, 0x1000 * process, 'libc.so')
        made.part(10 + process, process, (0x1000 * process, process))
    made.map(7, 0x20000, 'other.so')
    made.part(30, 7, (0x20000, 5))
    path = made.write('loads.data')
    turns_of_3 = 7 + 8 + 9 + 10
    for by, expected in (('function', [('libc.so', 3 * turns_of_3, None, None), ('other.so', 10, None, None)]),
                         ('line', [('libc.so', 3 * turns_of_3, None, None), ('other.so', 10, None, None)]),
                         ('block', [('libc.so', 3 * turns_of_3, turns_of_3, turns_of_3), ('other.so', 10, 5, 5)]),
                         ('branch', [('libc.so', turns_of_3, turns_of_3, turns_of_3), ('other.so', 5, 5, 5)]),
                         ('instruction', [('libc.so', turns_of_3, turns_of_3, None)] * 3 + [('other.so', 5, 5, None)] * 2)):
        for rows in rows_by(cairn, folder, path, by):
            yield from expect('by %s' % by, rows, sorted(('memcpy', *row) for row in expected))
    annotated = run(cairn, 'profile', '--annotate', 'memcpy', '--sysroot', folder.path, path).out
    yield from expect('annotated', [line.split('  ')[0] for line in annotated.splitlines() if line.startswith('memcpy')],
                      ['memcpy: %d instructions' % (3 * turns_of_3), 'memcpy: 10 instructions'])
    yield from expect('lines of it', [line.split()[0] for line in annotated.splitlines() if line.endswith('nop')], [str(turns_of_3)] * 2 + ['5'])
    processes = run(cairn, 'profile', '--by', 'process', '--format', 'json', '--sysroot', folder.path, path).rows()
    yield from expect('processes', sorted(row['instructions'] for row in processes if row['type'] == 'process'), [24, 27, 30, 31])


def check_mapped_again(cairn, folder):
    """Files take turns at an address: what each executed there is one row, and what it executed elsewhere is in it."""
    made = Recording(folder)
    made.files = {'a.so': library(folder, 'a.so', LOOP_OF_3, [('fa', 0x1000, 12)]), 'b.so': library(folder, 'b.so', LOOP_OF_2, [('fb', 0x1000, 8)])}
    for time, name, more, parts in ((1, 'a.so', (), ((0x1000, 2),)), (15, 'b.so', (), ((0x1000, 4),)), (25, 'a.so', ((0x5000, 'b.so'),), ((0x1000, 3), (0x5000, 6)))):
        made.map(7, 0x1000, name, time=time)
        for address, other in more:
            made.map(7, address, other, time=time)
        made.part(time + 5, 7, *parts)
    path = made.write('again.data')
    for by, expected in (('function', [('fa', 'a.so', 15, None, None), ('fb', 'b.so', 20, None, None)]),
                         ('line', [('fa', 'a.so', 15, None, None), ('fb', 'b.so', 20, None, None)]),
                         ('block', [('fa', 'a.so', 15, 5, 5), ('fb', 'b.so', 20, 10, 10)])):
        for rows in rows_by(cairn, folder, path, by):
            yield from expect('by %s' % by, rows, expected)


def check_latency(cairn, folder):
    """How long memcpy took is one answer, of the calls of all processes."""
    perf, whole = Perf(), b''
    size, at = library(folder, 'libc.so', CALLER, [('caller', 0x1000, 12), ('memcpy', 0x1010, 8)])
    perf.event(TRACED, ids=[1], identified=True, kind=TRACE_TYPE, user_only=True)
    perf.units(1, (ETE, 3, [0x41, *UNIT[1:4], 0x1088, *UNIT[5:]]))  # without cycle counts
    for i, process in enumerate((9, 7, 8)):
        base = 0x10000 * process
        perf.map(process, base, size, at, '/libc.so', time=0)
        data = bytes(11) + b'\x80' + b'\x01\x00' + b'\x04'
        data += b'\x85' + bytes([base >> 2 & 0x7f, base >> 9 & 0x7f]) + (base >> 16).to_bytes(6, 'little') + b'\xb0' + process.to_bytes(4, 'little')
        for _ in range(i + 2):  # E of BL, E of RET and its address, E of B
            data += b'\xf7\xf7' + b'\x9d' + bytes([base + 4 >> 2 & 0x7f, base + 4 >> 9 & 0x7f]) + (base + 4 >> 16).to_bytes(6, 'little') + b'\xf7'
        perf.aux(len(whole), len(data), RAW_TRACE, 3, tid=process, time=10 + i)
        whole += data
    perf.trace(whole, 0, 3)
    path = folder.write('calls.data', perf.file())
    rows = run(cairn, 'latency', '--function', 'memcpy', '--format', 'json', '--sysroot', folder.path, path).rows()
    yield from expect('latency', [(row['function'], row['count'], row['measured']) for row in rows if row['type'] == 'latency'], [('memcpy', 9, 9)])
    rows = run(cairn, 'profile', '--format', 'json', '--sysroot', folder.path, path).rows()
    yield from expect('calls', {row['function']: (row['instructions'], row['total_instructions'], row['calls']) for row in rows if row['type'] == 'function'},
                      {'caller': (27, 45, 0), 'memcpy': (18, 18, 9)})
    text = run(cairn, 'profile', '--format', 'callgrind', '--sysroot', folder.path, path).lines()
    yield from expect('calls of callgrind', [line.split()[0] for line in text if line.startswith('calls=')], ['calls=9'])


def check_lines(cairn, folder):
    """A function that is `static` in a header is in each file of object code that needs it, and its lines are the header's."""
    units = [{'name': name, 'folder': '/src', 'files': ['/src/' + name, '/src/h.h'], 'range': (at, at + 12),
              'rows': [(at, 2, 2, True), (at + 8, 2, 3, True)], 'functions': [('hs', 2, 1, at, at + 12, [])]}
             for name, at in (('p.c', 0x1000), ('q.c', 0x1010))]
    made = Recording(folder)
    made.files = {'pq': library(folder, 'pq', LOOP_OF_3 + [NOP] + LOOP_OF_3, [('hs', 0x1000, 12, 2), ('hs', 0x1010, 12, 2)], sections(units))}
    made.map(7, 0x1000, 'pq')
    made.part(10, 7, (0x1000, 2), (0x1010, 4))
    path = made.write('lines.data')
    rows = run(cairn, 'profile', '--by', 'line', '--format', 'json', '--sysroot', folder.path, path).rows()
    yield from expect('lines', [(row['file'], row['line'], row['instructions']) for row in rows if row['type'] == 'line'], [('/src/h.h', 2, 12), ('/src/h.h', 3, 6)])


def check_threads(cairn, folder):
    """The thread that idles has the number 0, and is chosen by it. Of what does not fit together it is said that it does not."""
    made = Recording(folder)
    for thread, name in ((7, 'worker7'), (8, 'worker8')):
        made.perf.name(thread, thread, name)
        made.map(thread, 0x1000, 'first')
        made.part(10 + thread, thread, (0x1000, thread))
    made.map(0, 0x1000, 'first')
    made.part(30, 0, (0x1000, 2))
    path = made.write('idle.data')
    for words_, instructions in ((('--tid', 0), 6), (('--pid', 0), 6), (('--comm', 'swapper'), 6), (('--tid', 0, '--tid', 7), 27), (('--tid', 8), 24)):
        yield from expect('%r' % (words_,), counted(cairn, folder, path, *words_), instructions)
    for words_, says in ((('--pid', 7, '--comm', 'worker8'), 'none that all of them fit'), (('--tid', 0, '--pid', 7), 'none that all of them fit'),
                         (('--pid', 7, '--comm', 'nobody'), 'no thread is so called or numbered'), (('--tid', 9), 'no thread is so called or numbered')):
        done = run(cairn, 'profile', *words_, '--sysroot', folder.path, path)
        yield from expect_in('%r' % (words_,), says, done.err)
        yield from expect('status of %r' % (words_,), (done.status, done.out), (2, ''))


def check_json(cairn, folder):
    """--json is --format json, of all commands that have that; and of no other."""
    made = Recording(folder)
    made.map(7, 0x1000, 'first')
    made.part(10, 7, (0x1000, 2))
    path = made.write('json.data')
    for command in (['profile'], ['coverage'], ['calls'], ['latency'], ['pgo'], ['diff', path], ['flow'], ['packets'], ['elements'], ['check'], ['info'], ['branches']):
        for more in [], ['--jobs', '1'] if command[0] not in ('branches', 'packets', 'elements') else []:
            short, long = (run(cairn, *command, *way, *more, '--sysroot', folder.path, path) for way in (['--json'], ['--format', 'json']))
            yield from expect('%s' % command[0], (short.status, short.out, short.err), (long.status, long.out, long.err))
            if command == ['latency']:  # nothing to measure, and so nothing is told
                continue
            yield from expect('%s has JSON' % command[0], [row['command'] for row in short.all_rows()[:1]], command[:1])
        yield from expect_in('help of %s' % command[0], '--json', run(cairn, command[0], '--help-all').out)
    for command in ['export', '-o', folder.path + '/made.db'], ['count', '-o', folder.path + '/made.counts']:
        done = run(cairn, *command, '--json', path)
        yield from expect('status of %s' % command[0], done.status, 2)
        yield from expect_in(command[0], "unknown option '--json'", done.err)


def check_empty(cairn, folder):
    """A file without a byte is no capture for `info` either."""
    path = folder.write('empty.data', b'')
    for arguments in [], ['--protocol', 'etmv4'], ['--json']:
        done = run(cairn, 'info', *arguments, path)
        yield from expect('status %r' % arguments, done.status, 2)
        yield from expect_in('%r' % arguments, '%s is empty' % path, done.err)


def main():
    cairn = os.path.abspath(sys.argv[1])
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix='cairn-answers-') as path:
        for name, check in (('sources that cannot be configured', check_refused), ('trace that could not be followed', check_lost),
                            ('trace that is not in the file', check_holes), ('a loss at the end', check_end), ('a library at many addresses', check_loads),
                            ('files that take turns at an address', check_mapped_again), ('calls at many addresses', check_latency), ('lines of a header', check_lines), ('threads', check_threads), ('--json', check_json), ('an empty file', check_empty)):
            os.mkdir(os.path.join(path, check.__name__))
            tap.case(name, check(cairn, Folder(os.path.join(path, check.__name__))))
    tap.end()


if __name__ == '__main__':
    main()
