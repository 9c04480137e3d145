#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cairn export: what SQLite makes of the database, and its rows beside what was executed and what other commands tell.

usage: test_export.py CAIRN
"""
import collections
import csv
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from common import START, Folder, Tap, bytes_of, expect, expect_in, program, run, spoiled, words
from debug import sections

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
EXAMPLE = os.path.join(TOP, 'examples', 'capture')
RET, E = 0xd65f03c0, b'\xf7'
SYNC = bytes(11) + bytes_of('80 01 00 04')  # A-sync, Trace Info
OVERFLOW = bytes_of('00 05')
FIXED = {'meta', 'contents', 'sources', 'accounts', 'threads', 'binaries', 'source_files', 'functions'}
GROWS = ('calls', 'exceptions', 'events', 'gaps', 'ranges')


def link(at, to):
    return 0x94000000 | (to - at) >> 2 & 0x3ffffff


def jump(at, to):
    return 0x14000000 | (to - at) >> 2 & 0x3ffffff


def code(size, at):
    """Words of a program at 0x1000: NOP where nothing is said."""
    return words([at.get(0x1000 + i, 0xd503201f) for i in range(0, size, 4)])


def address(at):
    """Target Address, long, of 32 bits."""
    return bytes([0x9a, at >> 2 & 0x7f, at >> 9 & 0x7f]) + (at >> 16).to_bytes(2, 'little')


def context(at, number):
    """Target Address with Context: EL1, with a context ID."""
    return bytes([0x82, at >> 2 & 0x7f, at >> 9 & 0x7f]) + (at >> 16).to_bytes(2, 'little') + b'\xb1' + number.to_bytes(4, 'little')


def timestamp(ticks):
    """Timestamp packet with seven bits a byte, five of them: more bits are to come."""
    return bytes([2] + [ticks >> shift & 0x7f | 0x80 for shift in (0, 7, 14, 21)] + [ticks >> 28 & 0x7f])


def basic(elf, trace, *more):
    return ['--protocol', 'ete', '--frames', 'none', *more, '--image', elf, trace]


def tables_of(page):
    """docs/export.md: {table: columns}, and the views."""
    tables, views, name = collections.OrderedDict(), [], None
    for line in page.splitlines():
        heading = re.match(r'^(#+) (.*)$', line)
        row = re.match(r'^\| `(\w+)` \|', line)
        if heading:
            name = heading[2].strip('`')
            if heading[1] == '###':
                tables[name] = []
        elif row and name == 'Views':
            views.append(row[1])
        elif row and name in tables:
            tables[name].append(row[1])
    return tables, views


def check_whole(base):
    yield from expect('integrity', base.execute('PRAGMA integrity_check').fetchall(), [('ok',)])
    yield from expect('foreign keys', base.execute('PRAGMA foreign_key_check').fetchall(), [])
    for name, rows in base.execute('SELECT name, rows FROM contents').fetchall():
        yield from expect('rows of ' + name, base.execute('SELECT count(*) FROM ' + name).fetchone()[0], rows)
    for name, in base.execute("SELECT name FROM sqlite_schema WHERE type = 'view'").fetchall():
        base.execute('SELECT * FROM ' + name).fetchall()


class Export:
    """A database made of a capture."""

    def __init__(self, cairn, folder, name, *arguments):
        self.path = os.path.join(folder.path, name)
        self.answer = run(cairn, 'export', '--tables', 'all', '-o', self.path, *arguments)
        self.base = sqlite3.connect(self.path) if os.path.exists(self.path) else None

    def rows(self, query, *values):
        return self.base.execute(query, values).fetchall()

    def column(self, query, *values):
        return [row[0] for row in self.rows(query, *values)]


def example(cairn, folder, name, *more):
    return Export(cairn, folder, name, *more, '--image', os.path.join(EXAMPLE, 'program.elf'), EXAMPLE)


def check_schema(cairn, folder):
    """The page has the tables, columns and views that are there, and no others."""
    made = example(cairn, folder, 'schema.db')
    with open(os.path.join(TOP, 'docs', 'export.md'), encoding='utf-8') as file:
        tables, views = tables_of(file.read())
    got = {name: [column[1] for column in made.rows('PRAGMA table_info(%s)' % name)]
           for name in made.column("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    yield from expect('tables', got, dict(tables))
    yield from expect('views', sorted(made.column("SELECT name FROM sqlite_schema WHERE type = 'view'")), sorted(views))
    yield from expect('contents', sorted(made.column('SELECT name FROM contents')), sorted(tables))
    yield from expect('version', made.rows('PRAGMA user_version') + made.rows('PRAGMA application_id'),
                      [(1,), (0x43616972,)])
    yield from expect('strict', made.column("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
                                            " AND NOT strict AND name NOT LIKE 'sqlite%'"), [])
    yield from check_whole(made.base)
    yield from expect('status', (made.answer.status, made.answer.err), (0, ''))
    meta = dict(made.rows('SELECT * FROM meta'))
    yield from expect('meta', (meta['capture'], meta['complete'], meta['chosen'], meta['schema']), (EXAMPLE, 'yes', 'all', '1'))
    made = example(cairn, folder, 'part.db', '--source', '0', '--summary', 'json')
    meta = dict(made.rows('SELECT * FROM meta'))
    yield from expect('of a part', (meta['complete'], meta['chosen']), ('no: a part was chosen', '--source 0'))
    yield from expect('the summary', json.loads(made.answer.out.splitlines()[1])['complete'], False)


def check_program(cairn, folder):
    made = example(cairn, folder, 'program.db')
    if not shutil.which('sqlite3'):
        return
    done = subprocess.run(['sqlite3', made.path, 'SELECT function FROM hot_functions LIMIT 1; PRAGMA integrity_check'],
                          stdout=subprocess.PIPE, timeout=60)
    yield from expect('sqlite3', done.stdout.decode().split(), ['loop', 'ok'])


def check_executed(cairn, folder):
    """The example was executed by an interpreter of its own, which listed each instruction, with E or N where it has
    an outcome."""
    made = example(cairn, folder, 'executed.db')
    executed, taken, not_taken, jumps = (collections.Counter() for _ in range(4))
    for number, name in enumerate(('ETE_0', 'ETM_1')):
        with open(os.path.join(EXAMPLE, name + '.addresses'), encoding='ascii') as file:
            lines = [line.split() for line in file]
        listed = [int(line[0], 16) for line in lines]
        executed.update(listed)
        for i, line in enumerate(lines):
            (taken if line[1:] == ['E'] else not_taken if line[1:] == ['N'] else collections.Counter())[listed[i]] += 1
            if line[1:] == ['E'] and i + 1 < len(lines):
                jumps[listed[i], listed[i + 1]] += 1
        got = []
        for at, first, end, count in made.rows('SELECT at, address, end, instructions FROM ranges WHERE source_id = ?'
                                               ' ORDER BY id', number):
            yield from expect('at', at, len(got))
            got += range(first, end, 4)
            yield from expect('instructions', (end - first) // 4, count)
        yield from expect('ranges of ' + name, got, listed)
    yield from expect('instructions', dict(made.rows('SELECT address, executed FROM instructions WHERE executed > 0')),
                      dict(executed))
    for where, took, fell in made.rows("SELECT address, taken, not_taken FROM branches"):
        yield from expect('branch at %x' % where, (took, fell), (taken[where], not_taken[where]))
    exceptions = set(made.column('SELECT address FROM branches WHERE taken = 0'))
    got = {(one, other): count for one, other, count in
           made.rows('SELECT from_address, to_address, count FROM jumps WHERE to_address IS NOT NULL')}
    # what is not a branch, and has an E: an exception return
    branches = {one for one, _ in got}
    yield from expect('jumps', got, {key: count for key, count in jumps.items() if key[0] in branches})
    yield from expect('branches never taken', exceptions & branches, set())
    yield from expect('all', made.column('SELECT sum(self_instructions) FROM functions'), [sum(executed.values())])


def hexadecimal(number):
    return None if number is None else '0x%x' % (number & (1 << 64) - 1)


def check_others(made, cairn, *arguments):
    """The same numbers as of `cairn profile`, `coverage`, `calls` and `info`."""
    rows = run(cairn, 'profile', '--format', 'json', *arguments).rows()
    wanted = collections.Counter()
    for row in rows:
        if row['type'] == 'function' and row['function']:
            for key in ('instructions', 'total_instructions', 'calls'):
                wanted[row['function'], key] += row[key]
    got = collections.Counter()
    for name, *numbers in made.rows('SELECT symbol, self_instructions, total_instructions, calls FROM functions'
                                    ' WHERE symbol IS NOT NULL AND self_instructions + calls > 0'):
        for key, number in zip(('instructions', 'total_instructions', 'calls'), numbers):
            got[name, key] += number
    yield from expect('profile', got, wanted)
    yield from expect('all functions', sum(made.column('SELECT self_instructions FROM hot_functions')),
                      sum(made.column('SELECT instructions FROM sources')))
    yield from expect('total', made.column('SELECT sum(instructions) FROM sources'),
                      [row['instructions'] for row in rows if row['type'] == 'total'])
    yield from expect('lost', made.column('SELECT sum(lost_bytes) FROM sources'),
                      [row['lost_bytes'] for row in rows if row['type'] == 'total'])
    rows = [row for row in run(cairn, 'calls', '--format', 'json', *arguments).rows() if row['type'] == 'call']
    wanted = [(row['source'], row['vmid'], row['context_id'], row['depth'], row['kind'], row['end'], row['function'],
               row['exception'], row['address'], row['site'], row['return_address'], row['instructions'], row['began'],
               row['ended'], row.get('cycles')) for row in rows]
    got = [row[:8] + tuple(map(hexadecimal, row[8:11])) + row[11:] for row in made.rows(
        'SELECT s.name, t.vmid, t.context_id, c.depth, c.kind, c.ending, f.symbol, c.exception, c.address, c.site,'
        ' c.return_address, c.instructions, c.begin_at, c.end_at, c.cycles FROM calls AS c'
        ' JOIN sources AS s ON s.id = c.source_id LEFT JOIN threads AS t ON t.id = c.thread_id'
        ' LEFT JOIN functions AS f ON f.id = c.function_id')]
    yield from expect('calls', sorted(got, key=repr), sorted(wanted, key=repr))
    yield from expect('parents', made.rows('SELECT c.id FROM calls AS c JOIN calls AS p ON p.id = c.parent_id WHERE'
                                           ' p.depth >= c.depth OR p.begin_at > c.begin_at OR p.end_at < c.end_at'), [])
    rows = run(cairn, 'coverage', '--format', 'json', '--by', 'instruction', *arguments).rows()
    yield from expect('coverage', sorted((number & (1 << 64) - 1, times) for number, times in
                                         made.rows('SELECT address, executed FROM instructions')),
                      sorted((int(row['address'], 16), row['times']) for row in rows if row['type'] == 'instruction'))
    for source in run(cairn, 'info', '--format', 'json', *arguments).all_rows()[0]['sources']:
        wanted = {name: count for name, count in source['ledger'].items() if count}
        got = {name.replace('-', '_'): count for name, count in
               made.rows('SELECT account, bytes FROM accounts WHERE source_id = ? AND bytes > 0', source['index'])}
        yield from expect('ledger', got, wanted)


def check_same(cairn, folder):
    yield from check_others(example(cairn, folder, 'same.db'), cairn, '--image', os.path.join(EXAMPLE, 'program.elf'), EXAMPLE)


UNIT = {'name': 'a.c', 'folder': '/src', 'files': ['a.c', 'h.h'], 'range': (0x1000, 0x1090),
        'rows': [(0x1000, 1, 10, True), (0x1010, 2, 5, True), (0x1060, 1, 12, True), (0x1080, 1, 20, True)],
        'functions': [('main', 1, 9, 0x1000, 0x100c, []), ('leaf', 1, 19, 0x1080, 0x1090, [])]}


def threads_with_gaps(folder):
    """Two contexts, an overflow, code without memory, a reserved packet, and timestamps."""
    elf = folder.elf('threads.elf', {0x1000: code(0x90, {
        0x1000: link(0x1000, 0x1010), 0x1008: jump(0x1008, 0x1000), 0x1014: jump(0x1014, 0x1018), 0x101c: RET,
        0x1064: link(0x1064, 0x1080), 0x1068: RET, 0x1084: RET})},
        [('main', 0x1000, 12), ('g', 0x1010, 16), ('h', 0x1060, 12), ('leaf', 0x1080, 8), ('unused', 0x1088, 8)],
        sections([UNIT]))
    trace = folder.write('threads.bin', SYNC + context(0x1000, 1) + E + E + context(0x1000, 2) + E + E +
                         timestamp(1000) + context(0x1018, 1) + E + address(0x1004) + E +
                         OVERFLOW + SYNC + context(0x1064, 2) + E + E + timestamp(2000) + address(0x1068) + E +
                         address(0x9000) + E + E + SYNC + context(0x1000, 1) + E + b'\x08' + E)
    return basic(elf, trace, '--set', 'TRCCONFIGR=0x41')


def check_gaps(cairn, folder):
    arguments = threads_with_gaps(folder)
    made = Export(cairn, folder, 'gaps.db', *arguments)
    yield from check_whole(made.base)
    yield from expect('status', made.answer.status, 1)
    yield from expect_in('said', 'could not be followed', made.answer.err)
    yield from check_others(made, cairn, *arguments)
    gaps = dict(made.rows('SELECT reason, sum(bytes) FROM gaps GROUP BY reason'))
    accounts = dict(made.rows('SELECT account, bytes FROM accounts WHERE is_gap AND bytes > 0'))
    yield from expect('gaps', gaps, accounts)
    yield from expect('there are', sorted(gaps), ['no-image', 'reserved'])
    yield from expect('no memory', made.column("SELECT DISTINCT address FROM gaps WHERE reason = 'no-image'"), [0x9000])
    yield from expect('overflows', made.column("SELECT count(*) FROM events WHERE kind = 'Overflow'"), [1])
    # by hand: BL and two of g in each context; two of g and two of main; BL and two of leaf
    yield from expect('timestamps', made.rows("SELECT value, at FROM events WHERE kind = 'Timestamp' ORDER BY id"),
                      [(1000, 3 + 3), (2000, 3 + 3 + 4 + 3)])
    yield from expect('contexts', made.rows('SELECT vmid, context_id FROM threads ORDER BY context_id'), [(0, 1), (0, 2)])
    yield from expect('lines', made.rows('SELECT s.path, l.line FROM lines AS l JOIN source_files AS s ON s.id = l.file_id'
                                         ' WHERE executed > 0 ORDER BY 1, 2'),
                      [('/src/a.c', 10), ('/src/a.c', 12), ('/src/a.c', 20), ('/src/h.h', 5)])
    yield from expect('uncovered', made.column('SELECT function FROM uncovered_functions'), [])
    made = Export(cairn, folder, 'of_program.db', '--of-program', *arguments)
    yield from expect('uncovered', made.column('SELECT function FROM uncovered_functions'), ['unused'])
    yield from check_whole(made.base)


def two_memories(folder, name, files, dumps):
    """A snapshot: three loops of a program in non-secure memory, and five of another one at the same address in secure
    memory. Beside it a source that cannot be decoded to flow."""
    for path, data in files.items():
        folder.write('%s/%s' % (name, path), data)
    folder.write(name + '/snapshot.ini', '[snapshot]\nversion=1.0\n[device_list]\ndevice0=cpu.ini\ndevice1=etm.ini\n'
                 'device2=itm.ini\n[trace]\nmetadata=trace.ini\n')
    folder.write(name + '/cpu.ini', '[device]\nname=cpu_0\nclass=core\ntype=ARMv9-A\n[regs]\n' + ''.join(
        '[dump%d]\nspace=EL1%s\n%s\n' % (number, 'NS'[number], dump) for number, dump in enumerate(dumps)))
    folder.write(name + '/etm.ini', '[device]\nname=ETE_0\nclass=trace_source\ntype=ETE\n[regs]\nTRCCONFIGR=0x41\n'
                 'TRCTRACEIDR=0x10\nTRCDEVARCH=0x47715a13\nTRCIDR0=0x2881cea1\nTRCIDR1=0x4100fff0\nTRCIDR2=0x1088\n'
                 'TRCIDR8=0\n')
    folder.write(name + '/trace.ini', '[trace_buffers]\nbuffers=buffer0,buffer1\n[buffer0]\nname=ETB_0\nfile=trace.bin\n'
                 'format=source_data\n[buffer1]\nname=ETB_1\nfile=itm.bin\nformat=source_data\n[source_buffers]\n'
                 'ETE_0=ETB_0\nITM_0=ETB_1\n[core_trace_sources]\ncpu_0=ETE_0\n')
    folder.write(name + '/itm.ini', '[device]\nname=ITM_0\nclass=trace_source\ntype=ITM\n[regs]\nITMTCR=0x120000\n')
    folder.write(name + '/itm.bin', bytes(5) + b'\x80')
    secure = context(0x1000, 2).replace(b'\xb1', b'\x91')
    folder.write(name + '/trace.bin', SYNC + context(0x1000, 1) + E * 3 + secure + E * 5)
    return os.path.join(folder.path, name)


def check_memories(cairn, folder):
    """Two programs at one address in one source are counted apart, in files without symbols, too."""
    one, other = words([0xd503201f, jump(0x1004, 0x1000)]), words([0x91000400, jump(0x1004, 0x1000)])
    at = 'address=0x1000\nfile='
    for name, files, dumps, paths in (
            ('raw', {'a.bin': one, 'b.bin': other}, [at + 'a.bin', at + 'b.bin'], ['a.bin', 'b.bin']),
            ('of_one', {'a.bin': one + other}, [at + 'a.bin\nlength=8', at + 'a.bin\noffset=8\nlength=8'],
             ['a.bin', 'a.bin'])):
        capture = two_memories(folder, name, files, dumps)
        made = Export(cairn, folder, name + '.db', capture)
        yield from check_whole(made.base)
        yield from expect('status', made.answer.status, 1)
        yield from expect('all', made.column("SELECT value FROM meta WHERE key IN ('complete', 'chosen') ORDER BY key"),
                          ['all', 'no: a source failed or is left out'])
        got = made.rows('SELECT b.path, i.address, i.executed FROM instructions AS i JOIN binaries AS b ON b.id = i.binary_id'
                        ' ORDER BY 2, 3')
        yield from expect(name, [(os.path.basename(path), address, count) for path, address, count in got],
                          [(paths[i], address, (3, 5)[i]) for address in (0x1000, 0x1004) for i in (0, 1)])
        yield from expect('jumps', sorted(made.column('SELECT sum(count) FROM jumps GROUP BY from_binary_id')),
                          [3, 5] if name == 'raw' else [8])
        for command in ('profile', 'coverage'):
            answer = run(cairn, command, '--by', 'instruction', '--format', 'json', capture)
            got = [json.loads(line) for line in answer.out.splitlines()]
            yield from expect(command, sorted((line['address'], line['times']) for line in got if line['type'] == 'instruction'),
                              [(address, count) for address in ('0x1000', '0x1004') for count in (3, 5)])



def check_bytes(cairn, folder):
    """Neither threads nor the way of decoding, nor when it was written, makes a difference."""
    arguments = threads_with_gaps(folder)
    made = []
    for number, more in enumerate((['--jobs', 1], ['--jobs', 3], ['--reference'])):
        one = Export(cairn, folder, 'bytes%d.db' % number, *more, *arguments)
        with open(one.path, 'rb') as file:
            made.append(file.read())
    yield from expect('the same', made[1:], made[:1] * 2)


def check_rows(cairn, folder):
    """The first rows are there, and it is said that others are not."""
    path = os.path.join(folder.path, 'rows.db')
    arguments = ['--image', os.path.join(EXAMPLE, 'program.elf'), EXAMPLE]
    answer = run(cairn, 'export', '--tables', 'all', '--rows', 3, '-o', path, *arguments)
    base = sqlite3.connect(path)
    yield from check_whole(base)
    yield from expect('status', answer.status, 1)
    whole = example(cairn, folder, 'whole.db')
    for name in GROWS:
        count = whole.column('SELECT count(*) FROM ' + name)[0]
        left = max(0, count - 3)
        yield from expect(name, base.execute('SELECT rows, left_out FROM contents WHERE name = ?', (name,)).fetchall(),
                          [(count - left, left)])
        yield from expect('first of ' + name, base.execute('SELECT * FROM %s ORDER BY id' % name).fetchall(),
                          whole.rows('SELECT * FROM %s ORDER BY id LIMIT 3' % name))
        if left:
            yield from expect_in(name, '%s: the first 3 rows are there, and %d are left out' % (name, left), answer.err)
    for name in ('functions', 'instructions', 'call_tree', 'jumps'):
        yield from expect(name, base.execute('SELECT * FROM ' + name).fetchall(), whole.rows('SELECT * FROM ' + name))


def check_tables(cairn, folder):
    """What was not asked for is there, without rows; nothing points to what is not there."""
    arguments = threads_with_gaps(folder)
    for number, wanted in enumerate((None, 'default', 'calls', 'gaps,instructions', 'ranges')):
        path = os.path.join(folder.path, 'tables%d.db' % number)
        run(cairn, 'export', '-o', path, *(['--tables', wanted] if wanted else []), *arguments)
        base = sqlite3.connect(path)
        yield from check_whole(base)
        got = {name for name, in base.execute('SELECT name FROM contents WHERE is_wanted').fetchall()} - FIXED
        names = {name for name, in base.execute('SELECT name FROM contents').fetchall()} - FIXED
        yield from expect(wanted, got, names - {'ranges'} if wanted in (None, 'default') else set(wanted.split(',')))
        for name in names - got:
            yield from expect(name, base.execute('SELECT count(*) FROM ' + name).fetchall(), [(0,)])


def check_csv(cairn, folder):
    """The files have the rows of the database."""
    arguments = threads_with_gaps(folder)
    made = Export(cairn, folder, 'rows_of.db', *arguments)
    path = os.path.join(folder.path, 'tables')
    answer = run(cairn, 'export', '--format', 'csv', '--tables', 'all', '-o', path + '/', *arguments)
    yield from expect('status', answer.status, 1)
    names = made.column('SELECT name FROM contents')
    yield from expect('files', sorted(os.listdir(path)), sorted(name + '.csv' for name in names))
    for name in names:
        with open(os.path.join(path, name + '.csv'), encoding='utf-8', newline='') as file:
            rows = list(csv.reader(file))
        yield from expect(name, rows[0], [column[1] for column in made.rows('PRAGMA table_info(%s)' % name)])
        wanted = [['' if value is None else str(value) for value in row] for row in made.rows('SELECT * FROM ' + name)]
        yield from expect(name, sorted(rows[1:]), sorted(wanted))
    answer = run(cairn, 'export', '--format', 'csv', '-o', path, *arguments)
    yield from expect_in('kept', 'give --force', answer.err)
    answer = run(cairn, 'export', '--format', 'csv', '--force', '-o', path, *arguments)
    yield from expect('replaced', (answer.status, os.path.getsize(os.path.join(path, 'ranges.csv')) < 200), (1, True))
    folder.write('tables/notes.txt', 'mine')
    answer = run(cairn, 'export', '--format', 'csv', '--force', '-o', path, *arguments)
    yield from expect('with a file of the user', (answer.status, sorted(os.listdir(path))),
                      (2, sorted([name + '.csv' for name in names] + ['notes.txt'])))
    yield from expect_in('said', 'more in it than tables', answer.err)
    yield from expect('nothing beside', [name for name in os.listdir(folder.path) if name.startswith('tables.')], [])


def check_wrong(cairn, folder):
    arguments = threads_with_gaps(folder)
    path = folder.write('there.db', 'mine')
    trace = arguments[-1]
    for more, sentence in (
            ([], 'where to? -o trace.db'), (['-o', path], 'there.db exists; give --force'),
            (['-o', trace, '--force'], 'is one of the files that are read'),
            (['-o', folder.path, '--force'], 'is no regular file'),
            (['-o', '/dev/full', '--force'], 'is no regular file'),
            (['-o', os.path.join(folder.path, 'none', 'x.db')], 'cannot write'),
            (['-o', path + '2', '--tables', 'functions,cals'], "there is no table 'cals'"),
            (['-o', path + '2', '--rows', '0'], 'a number from 1 on, or all'),
            (['-o', path + '2', '--format', 'json'], 'sqlite')):
        answer = run(cairn, 'export', *more, *arguments)
        yield from expect_in(' '.join(more), sentence, answer.err)
        yield from expect(' '.join(more), answer.status, 2)
    with open(path, encoding='ascii') as file:
        yield from expect('kept', file.read(), 'mine')
    folder.write('there.db.part', 'being written')
    answer = run(cairn, 'export', '--force', '-o', path, *arguments)
    yield from expect_in('two at once', 'there.db.part exists', answer.err)
    os.remove(path + '.part')
    answer = run(cairn, 'export', '--force', '-o', path, *arguments)
    yield from expect('replaced', answer.status, 1)
    yield from check_whole(sqlite3.connect(path))
    left = [name for name in os.listdir(folder.path) if name.endswith('.part')]
    yield from expect('nothing is left', left, [])
    answer = run(cairn, 'export', '-o', path + '3', '--protocol', 'ete', '--frames', 'none', folder.write('zero.bin', bytes(64)))
    yield from expect('nothing in it', (answer.status, answer.err.count('\n') > 0), (1, True))


def check_not_there(cairn, folder):
    """SQLite is loaded when a database is begun: where it cannot be, that is said, nothing is written, and CSV is as before."""
    spoilt = spoiled(folder, 'libsqlite3.so.0')
    path = os.path.join(folder.path, 'unwritten.db')
    answer = run(cairn, 'export', '-o', path, EXAMPLE, LD_LIBRARY_PATH=spoilt)
    yield from expect('status', answer.status, 2)
    yield from expect_in('sentence', 'SQLite, which writes databases, cannot be loaded (libsqlite3.so.0)', answer.err)
    left = [name for name in os.listdir(folder.path) if name.startswith('unwritten')]
    yield from expect('nothing is left', left, [])
    answer = run(cairn, 'export', '--format', 'csv', '-o', os.path.join(folder.path, 'rows'), EXAMPLE, LD_LIBRARY_PATH=spoilt)
    yield from expect('CSV', answer.status, 0)


def stop(cairn, path, is_time, *arguments):
    """Exports, and presses Ctrl-C when it is time: (status, messages)."""
    started = subprocess.Popen([*program(cairn), 'export', '--tables', 'ranges', '--rows', 'all', '-o', path, *arguments],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until = time.monotonic() + 60
    while time.monotonic() < until and not is_time():
        time.sleep(0.01)
    started.send_signal(signal.SIGINT)
    _, messages = started.communicate(timeout=100)
    return started.returncode, messages.decode()


def check_stopped(cairn, folder):
    """Ctrl-C: what was decoded until then is there, sums too, and it is said that this is not all."""
    elf = folder.elf('long.elf', {0x1000: words([jump(0x1000, 0x1004), jump(0x1004, 0x1000)])}, [('main', 0x1000, 8)])
    arguments = basic(elf, folder.write('long.bin', START + E * (16 << 20)))
    # of files it is seen that there are rows; a database shows none before it is whole
    path = os.path.join(folder.path, 'stopped')
    grown = path + '.part/ranges.csv'
    status, messages = stop(cairn, path, lambda: os.path.exists(grown) and os.path.getsize(grown) > 1 << 16,
                            '--format', 'csv', *arguments)
    yield from expect('status', status, 130)
    read = {}
    for name in ('ranges', 'sources', 'functions'):
        with open(os.path.join(path, name + '.csv'), encoding='utf-8', newline='') as file:
            read[name] = list(csv.DictReader(file))
    executed = int(read['sources'][0]['instructions'])
    yield from expect('some', 0 < executed < 16 << 20, True)
    yield from expect('ranges', sum(int(row['instructions']) for row in read['ranges']), executed)
    yield from expect('functions', sum(int(row['self_instructions']) for row in read['functions']), executed)
    path = os.path.join(folder.path, 'stopped.db')
    part = path + '.part'
    status, messages = stop(cairn, path, lambda: os.path.exists(part) and os.path.getsize(part) > 1 << 16, *arguments)
    yield from expect('status', status, 130)
    yield from expect_in('said', 'the rest was not decoded', messages)
    base = sqlite3.connect(path)
    yield from check_whole(base)
    yield from expect('meta', base.execute("SELECT value FROM meta WHERE key = 'complete'").fetchall(),
                      [('no: stopped by the user',)])
    yield from expect('state', base.execute('SELECT state FROM sources').fetchall(), [('stopped',)])


def main():
    cairn, tap = sys.argv[1], Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        answer = run(cairn, 'export', '-o', os.path.join(path, 'first.db'), EXAMPLE)
        cases = [('the schema is that of the page', check_schema), ('sqlite3 opens it', check_program),
                 ('rows are what was executed', check_executed), ('and what other commands tell', check_same),
                 ('gaps, threads, times, lines', check_gaps),
                 ('two programs at one address', check_memories), ('the same bytes', check_bytes),
                 ('a bound of rows', check_rows), ('tables that are chosen', check_tables), ('CSV', check_csv),
                 ('what cannot be', check_wrong), ('SQLite cannot be loaded', check_not_there),
                 ('stopped', check_stopped)]
        for name, check in cases:
            if 'built without SQLite' in answer.err:
                tap.skip(name, 'built without libsqlite3-dev')
            else:
                tap.case(name, check(cairn, folder))
    tap.end()


main()
