#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cairn count and merge: answers out of counts are those out of the capture, byte for byte; shards of any number, merged
in any order, are the whole; what a file of counts has is what the generator of examples/capture says was executed, read here
by what docs/fleet.md says of the format; what is damaged, is there twice, or does not fit together is told.

usage: test_fleet.py CAIRN
"""
import collections
import os
import random
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile

from common import Folder, Tap, expect, expect_in, run
from perf_file import BRANCH_STACK, IP, Perf
from stripped import split
from test_perf_trace import traced
from test_whose import ONE, OTHER, two_threads

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CAPTURE = os.path.join(TOP, 'examples', 'capture')
NOP = b'\x1f\x20\x03\xd5'
ANSWERS = [answer.split() for answer in (
    'profile', 'profile --format json', 'profile --format folded --threads', 'profile --format callgrind',
    'profile --format speedscope', 'profile --format pprof', 'profile --by line --format json',
    'profile --by block --format json', 'profile --by branch', 'profile --by instruction --format json',
    'coverage', 'coverage --format json', 'coverage --format lcov', 'coverage --format html', 'coverage --format drcov',
    'coverage --by instruction', 'pgo', 'pgo --indirect-targets', 'pgo --format bolt-preaggregated')]


class Place:
    """A folder for files."""

    def __init__(self, folder):
        self.folder = folder

    def path(self, name):
        return os.path.join(self.folder, name)


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def write(path, data):
    with open(path, 'wb') as file:
        file.write(data)
    return path


# --- the format, as docs/fleet.md has it: for each table its name, how many columns tell rows apart, and how many there are

TABLES = (('flags', 1, 2), ('sums', 1, 2), ('architectures', 4, 4), ('objects', 1, 5), ('sources', 7, 12), ('binaries', 2, 7),
          ('registers', 4, 4), ('accounts', 2, 5), ('memory', 7, 7), ('blocks', 8, 13), ('calls', 12, 16),
          ('missing', 1, 2), ('ranges', 3, 4), ('addresses', 2, 3), ('branches', 6, 8))


def fnv(data):
    value = 0xcbf29ce484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001b3 & (1 << 64) - 1
    return value


def varint(value):
    out = b''
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def write_counts(texts, tables, version=2):
    out = b'cairncnt' + varint(version) + varint(len(texts))
    for text in texts:
        out += varint(len(text)) + text
    for name, keys, columns in TABLES:
        rows, before = sorted(tables.get(name, [])), (0,) * columns
        out += varint(len(rows))
        for row in rows:
            same = 0
            while same + 1 < keys and row[same] == before[same]:
                same += 1
            out += varint(same) + varint(row[same] - before[same])
            out += b''.join(varint(cell) for cell in row[same + 1:])
            before = row
    return out + struct.pack('<Q', fnv(out))


def read_counts(data):
    at = 8

    def take():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
            if byte < 128:
                return value
    assert data[:8] == b'cairncnt' and take() == 2 and fnv(data[:-8]) == struct.unpack('<Q', data[-8:])[0]
    texts, tables = [], {}
    for _ in range(take()):
        size = take()
        texts.append(data[at:at + size])
        at += size
    for name, _, columns in TABLES:
        row, tables[name] = [0] * columns, []
        for _ in range(take()):
            same = take()
            row[same] += take()
            row[same + 1:] = [take() for _ in range(columns - same - 1)]
            tables[name].append(tuple(row))
    assert at == len(data) - 8
    return texts, tables


# --- answers

def check_answers(cairn, folder, capture, name, options=(), answers=ANSWERS):
    counts = folder.path(name + '.counts')
    wrong = expect('status', run(cairn, 'count', *options, '-o', counts, capture).status,
                   run(cairn, 'profile', *options, capture).status)
    for answer in answers:
        whole, kept = run(cairn, *answer, *options, capture), run(cairn, *answer, *options, counts)
        if (whole.status, whole.raw) != (kept.status, kept.raw):
            wrong.append('%s: %r against %r, status %d and %d, %s' % (' '.join(answer), whole.out[:300], kept.out[:300],
                                                                  whole.status, kept.status, kept.err[:200]))
    return wrong


def executed():
    """How often each instruction was executed, by the generator of the capture."""
    counts = collections.Counter()
    for name in ('ETE_0', 'ETM_1'):
        with open(os.path.join(CAPTURE, name + '.addresses'), encoding='ascii') as file:
            counts.update(int(line.split()[0], 16) for line in file if line.strip() and line[0] not in '#;')
    return counts


def check_split(cairn, folder):
    """Of a program without names that has a debug file: by its build-id, and named by the program that has none. Also where the
    files have moved, and where the debug file is there alone. (A recording's names of threads are not in counts.)"""
    wrong, data, code = [], read(os.path.join(CAPTURE, 'trace.bin')), read(os.path.join(CAPTURE, 'program.bin'))
    build_id = 'c0ffee5c0ffee5c0ffee5c0ffee5c0ffee5c0ffe'
    answers = [answer for answer in ANSWERS if not {'folded', 'speedscope', 'pprof'} & set(answer)]
    for name, of in (('split', build_id), ('linked', '')):
        place, away = folder.path(name), folder.path(name + '-away')
        own, debug = split(Folder(place + '/root'), 0x80000000, code, of, not of)
        os.rename(own, place + '/root/program.elf')
        options = ['--sysroot', place + '/root', '--debug-dir', place + '/debug']
        if of:
            os.makedirs(place + '/debug/.build-id/c0')
            os.rename(debug, '%s/debug/.build-id/c0/%s.debug' % (place, of[2:]))
        perf = traced()
        perf.aux(0, len(data))
        perf.trace(data, 0)
        path = write(place + '.data', perf.file_with_build_ids(('/program.elf', of)) if of else perf.file())
        wrong += [name + ': ' + one for one in check_answers(cairn, folder, path, name, options, answers)]
        counts = place + '.counts'
        databases = [export(cairn, folder, name + end, *options, file) for end, file in (('.whole', path), ('.kept', counts))]
        for table, columns in SUMS.items():
            whole, kept = ([row[:] for row in base.execute('SELECT %s FROM %s' % (columns, table))] for _, base in databases)
            wrong += expect('%s: %s' % (name, table), kept, whole)
        wanted = run(cairn, 'profile', counts, *options)
        os.rename(place, away)
        moved = run(cairn, 'profile', counts, '--image', away + '/root/program.elf', '--debug-dir', away + '/debug',
                    *([] if of else ['--image', away + '/root/own.debug']))
        gone = run(cairn, 'profile', counts)
        wrong += expect_in('gone', 'is not here: ' + place, gone.err)
        if of:
            wrong += expect('moved', (moved.status, moved.out), (wanted.status, wanted.out))
            alone = run(cairn, 'profile', counts, '--debug-dir', away + '/debug')
            wrong += expect('alone', alone.out.replace('%s.debug' % of[2:], 'program.elf'), wanted.out)
    return wrong


def check_executed(cairn, folder):
    """Code of examples/capture is A64: four bytes an instruction."""
    counts, got = folder.path('executed.counts'), collections.Counter()
    run(cairn, 'count', '-o', counts, CAPTURE)
    for row in read_counts(read(counts))[1]['blocks']:
        for i in range(row[3]):
            got[row[1] + 4 * i] += row[10]
    return expect('executed', got, executed())


# --- shards

def shards(cairn, folder, capture, count, options, seed):
    """Merged from shards, in some order and some grouping."""
    files = []
    for i in range(1, count + 1):
        files.append(folder.path('shard.%d' % i))
        made = run(cairn, 'count', *options, '--force', '--shard', '%d/%d' % (i, count), '-o', files[-1], capture)
        assert made.status < 2, made.err
    random.Random(seed).shuffle(files)
    while len(files) > 1:
        some = min(len(files), max(2 + seed % 3, count // 4))
        run(cairn, 'merge', *files[:some], '--force', '-o', folder.path('merged.%d' % len(files)))
        files = files[some:] + [folder.path('merged.%d' % len(files))]
    return read(files[0])


def check_shards(cairn, folder, capture, counts, kinds=((), ('--no-calls',), ('--no-calls', '--whole-ranges'))):
    wrong = []
    for options in kinds:
        whole = folder.path('whole')
        run(cairn, 'count', *options, '--force', '-o', whole, capture)
        for count in counts:
            if shards(cairn, folder, capture, count, options, count) != read(whole):
                wrong.append('%d shards, %s: not the whole' % (count, ' '.join(map(str, options)) or 'with calls'))
    return wrong


def make_long(folder, times):
    """The capture with its trace so many times, which is whole frames."""
    path = folder.path('long%d' % times)
    shutil.copytree(CAPTURE, path)
    os.chmod(os.path.join(path, 'trace.bin'), 0o644)
    write(os.path.join(path, 'trace.bin'), read(os.path.join(CAPTURE, 'trace.bin')) * times)
    return path


def make_changed(folder, name, file, old, new):
    """The capture with something else in one of its files, or in all that begin with `file`."""
    path = folder.path(name)
    shutil.copytree(CAPTURE, path)
    for one in os.listdir(path):
        if one.startswith(file):
            os.chmod(os.path.join(path, one), 0o644)
            text = read(os.path.join(path, one))
            assert old in text
            write(os.path.join(path, one), text.replace(old, new))
    return path


def make_of_file(folder, name):
    """Without memory: the code is that of a file."""
    path = make_changed(folder, name, 'cpu_', b'[dump1]', b'[none]')
    shutil.copyfile(os.path.join(CAPTURE, 'program.elf'), folder.path(name + '.elf'))
    return path, ('--image', folder.path(name + '.elf'))


def damaged(path, every):
    """A capture's trace with one byte of so many changed, here and there."""
    trace, dice = bytearray(read(os.path.join(path, 'trace.bin'))), random.Random(every)
    for _ in range(len(trace) // every):
        trace[dice.randrange(len(trace))] = dice.randrange(256)
    write(os.path.join(path, 'trace.bin'), bytes(trace))


def make_long_of_file(folder, name, times):
    """The same of a file, so that there are ranges and branches for compilers too."""
    path, options = make_of_file(folder, name)
    os.chmod(os.path.join(path, 'trace.bin'), 0o644)
    write(os.path.join(path, 'trace.bin'), read(os.path.join(CAPTURE, 'trace.bin')) * times)
    return path, options


def check_each_byte(cairn, folder):
    """The sources have 140 and 49 bytes: a cut in front of each byte, or each second one; parts without a byte, and without a
    record."""
    path, options = make_of_file(folder, 'bytes')
    return check_shards(cairn, folder, path, (140,), (('--no-calls', *options),)) + \
        check_shards(cairn, folder, path, (71,), (('--no-calls', '--whole-ranges', *options),)) + \
        check_shards(cairn, folder, path, (47,), (('--no-calls', '--reference', *options),))


def check_each_byte_of_gaps(cairn, folder):
    """Of 280 bytes, some of which are changed: in front of each fourth one."""
    path, options = make_long_of_file(folder, 'gaps', 2)
    damaged(path, 40)
    wrong = check_shards(cairn, folder, path, (71,), (('--no-calls', *options),))
    return wrong + expect('there are gaps', run(cairn, 'profile', '--no-calls', folder.path('whole')).status, 1)


def check_threads(cairn, folder):
    """Of one thread of two; the code of the other is here or not."""
    path, image = two_threads(Folder(folder.path('threads'))), ('--image', os.path.join(CAPTURE, 'program.elf'))
    return check_shards(cairn, folder, path, (25,), tuple(('--no-calls', '--tid', OTHER, *more) for more in (image, ()))) + \
        check_shards(cairn, folder, path, (23,), (('--no-calls', '--tid', ONE, *image),))


def check_amid(cairn, folder):
    """2.8 million bytes, decoded from a mebibyte in front of a part on, with the cuts at 17 places of what is repeated; with
    and without other threads, and with gaps."""
    path, options = make_long_of_file(folder, 'amid', 20000)
    wrong = check_shards(cairn, folder, path, (17,), (('--no-calls', '--jobs', '1', *options),))
    damaged(path, 4099)
    wrong += check_shards(cairn, folder, path, (17,), (('--no-calls', '--jobs', '1', *options),))
    return wrong + check_shards(cairn, folder, path, (11,), (('--no-calls', '--jobs', '2', *options), ('--no-calls', '--whole-ranges', *options)))


def check_captured(cairn, folder):
    """Cycles that wait for a block when the source ends (ETMv3), and real captures so many times that other threads decode ahead:
    of PTM with gaps, and of a return stack."""
    captures = os.path.join(os.environ['CAIRN_CAPTURES'], 'snapshots')
    wrong = check_shards(cairn, folder, os.path.join(captures, 'TC2-id12'), (1, 3, 31), (('--no-calls',),))
    for name, times in (('Snowball', 500), ('juno-ret-stck', 70)):
        path = folder.path(name)
        shutil.copytree(os.path.join(captures, name), path)
        os.chmod(path, 0o755)
        os.chmod(os.path.join(path, 'cstrace.bin'), 0o644)
        write(os.path.join(path, 'cstrace.bin'), read(os.path.join(path, 'cstrace.bin')) * times)
        wrong += check_shards(cairn, folder, path, (7,), (('--no-calls', '--jobs', '2'),))
    return wrong


def check_standard(cairn, folder):
    """`-o -` is standard output, of counts too; a database cannot go there."""
    file = folder.path('standard')
    run(cairn, 'count', '-o', file, CAPTURE)
    made, merged = run(cairn, 'count', '-o', '-', CAPTURE), run(cairn, 'merge', file, '-o', '-')
    wrong = expect('counts', (made.status, made.raw), (0, read(file))) + expect('merged', (merged.status, merged.raw), (0, read(file)))
    wrong += expect('profile', run(cairn, 'profile', '-o', '-', CAPTURE).raw, run(cairn, 'profile', CAPTURE).raw)
    for command in (('export', '-o', '-', CAPTURE), ('export', '--format', 'csv', '-o', '-', file)):
        told = run(cairn, *command)
        wrong += expect('status', (told.status, told.raw), (2, b'')) + expect_in('message', 'standard output', told.err)
    return wrong + expect('no such file', os.path.exists('-'), False)


def piped(cairn, file, *arguments):
    with open(file, 'rb') as data:
        done = subprocess.run([cairn, *arguments], stdin=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout, done.stderr.decode()


def check_piped(cairn, folder):
    """Counts come through a pipe as captures do, to all commands that read them; others say what they are."""
    capture, options = make_of_file(folder, 'piped')
    file, out, wrong = folder.path('piped.counts'), folder.path('piped.out'), []
    run(cairn, 'count', *options, '-o', file, capture)
    for command in ('profile', 'coverage', 'pgo', 'export --format csv --tables functions'):
        words = command.split() + (['--force', '-o', out] if command.startswith('export') else [])
        whole = run(cairn, *words, file)
        kept = read(os.path.join(out, 'functions.csv')) if command.startswith('export') else whole.raw
        got = piped(cairn, file, *words, '-')
        wrong += expect(command, (got[0], read(os.path.join(out, 'functions.csv')) if command.startswith('export') else got[1]),
                        (whole.status, kept))
    wrong += expect('merge', piped(cairn, file, 'merge', '-', '-o', '-')[:2], (0, read(file)))
    twice = piped(cairn, file, 'merge', '-', file, '-o', '-')
    wrong += expect('twice', (twice[0], 'counted more than once' in twice[2]), (1, True))
    for command in ('calls', 'latency', 'flow', 'info', 'check', 'count -o %s --force' % out):
        got = piped(cairn, file, *command.split(), '-')
        wrong += expect(command, got[0], 2) + expect_in(command, 'these are counts, and no trace', got[2])
    got = piped(cairn, os.path.join(CAPTURE, 'program.s'), 'merge', '-', '-o', '-')
    wrong += expect('no counts', got[0], 2) + expect_in('no counts', 'standard input: not a file of counts', got[2])
    perf = Perf()
    perf.event(IP | BRANCH_STACK)
    perf.sample(perf.words(0x1000, 1) + perf.entry(0x1010, 0x1000))
    got = piped(cairn, write(folder.path('piped.data'), perf.file()), 'pgo', '-')
    return wrong + expect('samples', got[0], 2) + expect_in('samples', 'comes through a pipe: save it', got[2])


def check_undecoded(cairn, folder):
    """The second source, which is the second shard's alone, is none of instructions."""
    path = make_changed(folder, 'undecoded', 'etm_1.ini', b'type=ETM4', b'type=STM')
    wrong = check_shards(cairn, folder, path, (2,), ((), ('--no-calls',)))
    told = run(cairn, 'profile', '--no-calls', folder.path('whole'))
    return wrong + expect('status', told.status, 1) + expect_in('message', '1 source could not be decoded', told.err)


# --- a database

SUMS = {'functions': '*', 'lines': '*', 'instructions': '*', 'branches': '*', 'jumps': '*', 'binaries': '*', 'source_files': '*',
        'accounts': '*', 'sources': 'id, name, protocol, state, instructions, cycles, bytes, lost_bytes, capture'}
TREE = """WITH RECURSIVE chain(id, text) AS (
    SELECT c.id, t.source_id || ' ' || t.vmid || ' ' || t.context_id FROM call_tree AS c JOIN threads AS t ON t.id = c.thread_id
    WHERE parent_id IS NULL UNION ALL SELECT c.id, text || ';' || coalesce(function_id, '?') || ' ' || coalesce(site, '?')
    FROM call_tree AS c JOIN chain ON c.parent_id = chain.id)
    SELECT text, kind, exception, is_in_exception, depth, calls, self_instructions, total_instructions
    FROM call_tree JOIN chain USING (id) ORDER BY text, kind, exception"""


def export(cairn, folder, name, *arguments):
    path = folder.path(name)
    answer = run(cairn, 'export', '--force', '-o', path, *arguments)
    return answer, sqlite3.connect(path)


def check_export(cairn, folder):
    """The tables that add up are those of the capture, of shards too."""
    path, options = make_of_file(folder, 'exported')
    counts, wrong = folder.path('exported.counts'), []
    run(cairn, 'count', *options, '-o', counts, path)
    whole, kept = export(cairn, folder, 'whole.db', *options, path), export(cairn, folder, 'kept.db', counts)
    wrong += expect('status', (whole[0].status, kept[0].status, kept[0].err), (0, 0, ''))
    for table, columns in SUMS.items():
        query = 'SELECT %s FROM %s' % (columns, table)
        wrong += expect(table, kept[1].execute(query).fetchall(), whole[1].execute(query).fetchall())
    wrong += expect('calls', kept[1].execute(TREE).fetchall(), whole[1].execute(TREE).fetchall())
    wrong += expect('executed', dict(kept[1].execute('SELECT address, executed FROM instructions WHERE executed > 0')), dict(executed()))
    wrong += expect('whole', kept[1].execute("SELECT value FROM meta WHERE key = 'complete'").fetchall(), [('yes',)])
    wrong += expect('in time', kept[1].execute("SELECT name FROM contents WHERE NOT is_wanted ORDER BY 1").fetchall(),
                    [(name,) for name in ('calls', 'events', 'exceptions', 'gaps', 'ranges')])
    flat = folder.path('exported.flat')
    write(flat, shards(cairn, folder, path, 3, ('--no-calls', *options), 1))
    answer, base = export(cairn, folder, 'flat.db', flat)
    wrong += expect('self', base.execute('SELECT id, self_instructions, total_instructions, calls FROM functions').fetchall(),
                    [(*row, None, None) for row in whole[1].execute('SELECT id, self_instructions FROM functions')])
    asked = run(cairn, 'export', '--force', '--tables', 'calls', '-o', folder.path('asked.db'), counts)
    part = export(cairn, folder, 'part.db', folder.path('shard.2'))
    for made in (whole[1], kept[1], base, part[1]):
        wrong += expect('integrity', made.execute('PRAGMA foreign_key_check').fetchall(), [])
    return wrong + expect('status', (answer.status, asked.status, part[0].status), (0, 1, 1)) + \
        expect_in('asked for', 'in the order of time', asked.err) + \
        expect('part', part[1].execute("SELECT value FROM meta WHERE key = 'complete'").fetchall(), [('no: the counts are not whole',)]) + \
        expect('state', part[1].execute('SELECT DISTINCT state FROM sources').fetchall(), [('not whole',)])


# --- merging

def instructions(answer):
    return {row['function']: row['instructions'] for row in answer.rows() if row['type'] == 'function'}


def check_twice(cairn, folder):
    one, two = folder.path('one.counts'), folder.path('two.counts')
    run(cairn, 'count', '-o', one, CAPTURE)
    merged = run(cairn, 'merge', one, one, '-o', two)
    wrong = expect('status', merged.status, 1) + expect_in('message', 'counted more than once', merged.err)
    wanted = {name: 2 * count for name, count in instructions(run(cairn, 'profile', '--format', 'json', one)).items()}
    told = run(cairn, 'profile', '--format', 'json', two)
    return wrong + expect('counts', instructions(told), wanted) + expect_in('reader', 'more than once', told.err)


def check_part(cairn, folder):
    part = folder.path('part.counts')
    run(cairn, 'count', '--no-calls', '--shard', '2/3', '-o', part, CAPTURE)
    return expect_in('message', 'counted in part', run(cairn, 'coverage', part).err)


def check_mixed(cairn, folder):
    """One shard twice and another one not: as many bytes as there are."""
    files = [folder.path('mixed%d' % i) for i in (1, 2, 3, 4)]
    for i, file in enumerate(files):
        run(cairn, 'count', '--no-calls', '--shard', '%d/4' % (i + 1), '-o', file, CAPTURE)
    merged = run(cairn, 'merge', files[0], files[0], files[2], files[3], '-o', folder.path('mixed'))
    told = run(cairn, 'profile', '--no-calls', folder.path('mixed'))
    good = run(cairn, 'merge', *reversed(files), '-o', folder.path('unmixed'))
    return expect('status', (merged.status, told.status, good.status), (1, 1, 0)) + \
        expect_in('message', 'not whole', merged.err) + expect_in('reader', 'not whole', told.err)


def check_moved(cairn, folder):
    """Two captures of one build, which lies in other folders: one object, and for compilers one binary."""
    sides = []
    for name in ('moved1', 'moved2'):
        path, options = make_of_file(folder, name)
        sides.append(folder.path(name + '.counts'))
        run(cairn, 'count', *options, '-o', sides[-1], path)
    run(cairn, 'merge', *sides, '-o', folder.path('moved.counts'))
    one, both = read_counts(read(sides[0]))[1], read_counts(read(folder.path('moved.counts')))[1]
    return expect('there are some', (len(one['objects']), len(one['binaries']), len(one['sources'])), (1, 1, 2)) + \
        expect('objects, binaries, sources', (len(both['objects']), len(both['binaries']), len(both['sources'])), (1, 1, 4)) + \
        expect('blocks', [row[10] for row in both['blocks']], [2 * row[10] for row in one['blocks']]) + \
        expect('ranges', [row[3] for row in both['ranges']], [2 * row[3] for row in one['ranges']])


def check_recorded(cairn, folder):
    """A profile of one binary is that of the program, not of a library that executed more."""
    texts = [b'', b'/a/library', b'/b/program']
    file = write(folder.path('recorded'), write_counts(texts, {'binaries': [(1, 0, 0, 0, 9, 1, 0), (2, 0, 0, 0, 4, 2, 1)]}))
    return expect_in('program', 'that of /b/program', run(cairn, 'pgo', '--format', 'bolt', file).err)


def check_same_path(cairn, folder):
    """Two builds of one path without build-ids: a profile for compilers cannot tell them apart."""
    texts = [b'', b'/a/program', b'bytes:1:1', b'bytes:2:1']
    file = write(folder.path('same'), write_counts(texts, {'binaries': [(2, 0, 0, 1, 9, 1, 0), (3, 0, 0, 1, 4, 1, 0)]}))
    told = run(cairn, 'pgo', file)
    return expect('status', told.status, 2) + expect_in('message', 'no build-id', told.err)


def check_loaded_elsewhere(cairn, folder):
    """A program at two addresses on two machines, where its file was in two folders."""
    texts = [b'', b'/a/program', b'/b/program', b'build-id:0123456789abcdef']
    sides = []
    for path, bias, taken in ((1, 0x1000, 3), (2, 0x5000, 4)):
        tables = {'architectures': [(0, 9, 6, 0)], 'objects': [(3, path, 0, bias, bias)],
                  'blocks': [(1, 0x400, 8, 2, 0, 4, 7, 0, 0, 0, 10, taken, 0)]}
        sides.append(write(folder.path('side%d' % bias), write_counts(texts, tables)))
    out = folder.path('both.counts')
    merged = run(cairn, 'merge', *sides, '-o', out)
    again = run(cairn, 'merge', *reversed(sides), '-o', folder.path('both2.counts'))
    texts, tables = read_counts(read(out))
    objects = [(texts[row[0]], texts[row[1]], *row[2:]) for row in tables['objects']]
    return expect('status', (merged.status, again.status), (0, 0)) + \
        expect('objects', objects, [(b'build-id:0123456789abcdef', b'/a/program', 0, 0x1000, 0x5000)]) + \
        expect('blocks', tables['blocks'], [(1, 0x400, 8, 2, 0, 4, 7, 0, 0, 0, 20, 7, 0)]) + \
        expect('order', read(folder.path('both2.counts')), read(out))


def check_builds(cairn, folder):
    sides = []
    for build in (b'build-id:01', b'build-id:02'):
        sides.append(write(folder.path(build.decode()[-2:] + '.build'), write_counts(
            [b'/a/program', build], {'objects': [(1, 0, 0, 0, 0)]})))
    merged = run(cairn, 'merge', *sides, '-o', folder.path('builds.counts'))
    return expect('status', merged.status, 0) + expect_in('message', 'several builds of /a/program', merged.err) + \
        expect('objects', len(read_counts(read(folder.path('builds.counts')))[1]['objects']), 2)


def check_memory(cairn, folder):
    sides = []
    for code in (b'\x1f\x20\x03\xd5', b'\xc0\x03\x5f\xd6'):
        sides.append(write(folder.path(code.hex()), write_counts(
            sorted([b'/a/dump', b'memory:/a/dump', code]),
            {'objects': [(1 + (code < b'/'), (code < b'/') + 0, 2, 0, 0)],
             'memory': [(1, 0, 0x400, 0, 1, 0, sorted([b'/a/dump', b'memory:/a/dump', code]).index(code))]})))
    merged = run(cairn, 'merge', *sides, '-o', folder.path('memory.counts'))
    return expect('status', merged.status, 2) + expect_in('message', 'not the same in all', merged.err) + \
        expect('file', os.path.exists(folder.path('memory.counts')), False)


def check_saturated(cairn, folder):
    sides = [write(folder.path('large%d' % i), write_counts([], {'missing': [(0x400, count)]}))
             for i, count in enumerate(((1 << 64) - 2, 1, 1))]
    run(cairn, 'merge', *sides[:2], '-o', folder.path('fits.counts'))
    merged = run(cairn, 'merge', *sides, '-o', folder.path('large.counts'))
    return expect('fits', read_counts(read(folder.path('fits.counts')))[1]['missing'], [(0x400, (1 << 64) - 1)]) + \
        expect('status', merged.status, 1) + expect_in('message', '2^64 - 1', merged.err) + \
        expect('count', read_counts(read(folder.path('large.counts')))[1]['missing'], [(0x400, (1 << 64) - 1)])


def check_versions(cairn, folder, capture, name):
    """Of memory with several contents: answers out of counts have the lines of those out of the capture (in which order
    the contents of one address come is not told), and shards are the whole."""
    counts, flat, merged = (folder.path(name + end) for end in ('.counts', '.flat', '.merged'))
    wrong = expect('status', run(cairn, 'count', '-o', counts, capture).status, run(cairn, 'profile', capture).status)
    for answer in (answer for answer in ANSWERS if answer[-1] != 'drcov'):
        whole, kept = run(cairn, *answer, capture), run(cairn, *answer, counts)
        if (whole.status, sorted(whole.raw.split(b'\n'))) != (kept.status, sorted(kept.raw.split(b'\n'))):
            wrong.append('%s: %r against %r, status %d and %d, %s' % (' '.join(answer), whole.out[:300], kept.out[:300],
                                                                  whole.status, kept.status, kept.err[:200]))
    run(cairn, 'count', '--no-calls', '-o', flat, capture)
    parts = [folder.path('%s.%d' % (name, i)) for i in (1, 2, 3)]
    for i, part in enumerate(parts):
        run(cairn, 'count', '--no-calls', '--shard', '%d/3' % (i + 1), '-o', part, capture)
    run(cairn, 'merge', *reversed(parts), '-o', merged)
    return wrong + expect('shards', read(merged) == read(flat), True)


def check_overlaid(cairn, folder):
    """Two cores whose memory is of one file and at one address, but not the same."""
    path = make_changed(folder, 'overlaid', 'cpu_1.ini', b'length=0x348', b'length=0x348\noffset=0x348')
    program = read(os.path.join(CAPTURE, 'program.bin'))
    os.chmod(os.path.join(path, 'program.bin'), 0o644)
    write(os.path.join(path, 'program.bin'), program + program[:0x300] + bytes(0x48))
    return check_versions(cairn, folder, path, 'overlaid')


def check_changed(cairn, folder):
    """Code that is another one from some byte of the source on: a NOP for an instruction that was executed often."""
    program, plain = read(os.path.join(CAPTURE, 'program.bin')), folder.path('plain.counts')
    run(cairn, 'count', '-o', plain, CAPTURE)
    tables = read_counts(read(plain))[1]
    block = max((row for row in tables['blocks'] if row[3] > 2), key=lambda row: row[10])
    wrong = expect('another instruction', program[block[1] - 0x80000000:][:4] != NOP, True)
    both = 0
    for start in range(16, tables['sources'][0][6], 40):
        name = 'changed%d' % start
        path = make_changed(folder, name, 'ete_0.ini', b'[device]', b'[epoch1]\nfile=program.bin\naddress=0x%x\nlength=4\n'
                            b'offset=0x%x\nfrom=%d\n\n[device]' % (block[1], len(program), start))
        os.chmod(os.path.join(path, 'program.bin'), 0o644)
        write(os.path.join(path, 'program.bin'), program + NOP)
        wrong += check_versions(cairn, folder, path, name)
        rows = [row for row in read_counts(read(folder.path(name + '.counts')))[1]['blocks'] if row[1] == block[1]]
        wrong += expect('executed', sum(row[10] for row in rows), block[10])
        both += len({row[7] for row in rows}) == 2
    return wrong + expect('once it has both', both > 0, True)


# --- what is wrong

def refused(cairn, folder, data, words):
    path = write(folder.path('broken'), data)
    wrong = []
    for command in (('merge', path, '-o', folder.path('never')), ('profile', path), ('coverage', path), ('pgo', path)):
        got = run(cairn, *command)
        wrong += expect('status of ' + command[0], got.status, 2)
        wrong += [] if any(word in got.err for word in words) else ['%s: %r' % (command[0], got.err)]
    return wrong + expect('nothing written', os.path.exists(folder.path('never')), False)


def check_damaged(cairn, folder):
    data = read(folder.path('executed.counts'))
    wrong = []
    for version in (1, 3):
        wrong += refused(cairn, folder, write_counts([], {}, version=version), ['version %d' % version])
    for size in (8, 9, 17, len(data) // 2, len(data) - 1):
        wrong += refused(cairn, folder, data[:size], ['cut off or damaged'])
    for at in (9, len(data) // 3, len(data) - 3):
        wrong += refused(cairn, folder, data[:at] + bytes([data[at] ^ 16]) + data[at + 1:], ['cut off or damaged', 'version'])
    return wrong


def check_nonsense(cairn, folder):
    """Right checksums, and rows that mean nothing."""
    wrong = []
    for tables in ({'objects': [(5, 0, 0, 0, 0)]}, {'blocks': [(3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0)]},
                   {'ranges': [(9, 0, 0, 1)]}):
        wrong += refused(cairn, folder, write_counts([b'a'], tables), ['do not hold together'])
    source = (0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0)
    calls = [(1 << 63, 1, 1 << 63, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1), (1 << 63, 2, 1 << 63, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1)]
    loop = write(folder.path('loop'), write_counts([b''], {'architectures': [(0, 9, 6, 0)], 'sources': [source], 'calls': calls}))
    blocks = [(0, i << 22, 1 << 22, 1 << 20, 0, 4, 3, 0, 0, 8, 1, 0, 0) for i in range(100)]
    large = write(folder.path('large'), write_counts([b''], {'architectures': [(0, 9, 6, 0)], 'sources': [source], 'blocks': blocks}))
    return wrong + expect('loop', run(cairn, 'profile', loop).status, 2) + \
        expect('large', run(cairn, 'coverage', large).status, 2)


def check_refused(cairn, folder):
    one, flat = folder.path('one.counts'), folder.path('flat.counts')
    run(cairn, 'count', '--no-calls', '-o', flat, CAPTURE)
    wrong = []
    for command, word in ((('merge', one, flat, '-o', folder.path('no')), '--no-calls'), (('merge', one), '-o FILE'),
                          (('merge', '-o', folder.path('no')), 'which counts'), (('profile', flat), '--no-calls'),
                          (('calls', one), 'these are counts'), (('flow', one), 'these are counts'),
                          (('profile', '--source', '0', one), 'leave out --source'),
                          (('profile', '--by', 'thread', one), 'leave out --by'),
                          (('pgo', '--whole-ranges', one), 'leave out'), (('count', CAPTURE), '-o FILE'),
                          (('count', '-o', one, CAPTURE), '--force'),
                          (('count', '--shard', '3/2', '-o', folder.path('no'), CAPTURE), '1/4'),
                          (('merge', folder.path('none'), '-o', folder.path('no')), folder.path('none'))):
        got = run(cairn, *command)
        wrong += expect(' '.join(command), got.status, 2) + expect_in(' '.join(command), word, got.err)
    target, link = folder.path('target.counts'), folder.path('link.counts')
    write(target, b'mine')
    os.symlink('target.counts', link)
    wrong += expect('through a link, without --force', run(cairn, 'count', '-o', link, CAPTURE).status, 2)
    with open(target, 'rb') as file:
        wrong += expect('left alone', file.read(), b'mine')
    wrong += expect('with it', run(cairn, 'count', '--force', '-o', link, CAPTURE).status, 0)
    with open(target, 'rb') as file, open(one, 'rb') as counts:
        wrong += expect('what the link leads to', (os.path.islink(link), file.read()), (True, counts.read()))
    mask = os.umask(0)
    os.umask(mask)
    wrong += expect('mode', os.stat(target).st_mode & 0o777, 0o666 & ~mask)
    wrong += expect('nothing beside', [name for name in os.listdir(os.path.dirname(target)) if name.startswith('target.counts.')], [])
    return wrong + expect('nothing written', os.path.exists(folder.path('no')), False)


def main():
    cairn, tap = sys.argv[1], Tap()
    with tempfile.TemporaryDirectory() as place:
        folder = Place(place)
        tap.case('answers out of counts are those out of the capture', check_answers(cairn, folder, CAPTURE, 'small'))
        short = make_long(folder, 7)
        tap.case('and of a trace with breaks in it', check_answers(cairn, folder, short, 'short'))
        path, options = make_of_file(folder, 'named')
        tap.case('and of a file with symbols', check_answers(cairn, folder, path, 'named', options))
        tap.case('and of one whose debug information was split off', check_split(cairn, folder))
        tap.case('counts are what was executed', check_executed(cairn, folder))
        tap.case('a database out of counts has what adds up', check_export(cairn, folder))
        tap.case('shards are the whole', check_shards(cairn, folder, CAPTURE, (1, 2, 3, 5, 16)))
        tap.case('also of a trace with breaks in it', check_shards(cairn, folder, short, (4, 7)))
        tap.case('and cut in front of each byte', check_each_byte(cairn, folder))
        tap.case('and of gaps', check_each_byte_of_gaps(cairn, folder))
        tap.case('and of one thread', check_threads(cairn, folder))
        tap.case('and of a long one, cut where decoding begins in its midst', check_amid(cairn, folder))
        tap.case('standard output is a place for counts', check_standard(cairn, folder))
        tap.case('counts come through a pipe', check_piped(cairn, folder))
        tap.case('what is there twice is told', check_twice(cairn, folder))
        tap.case('and what is there in part', check_part(cairn, folder))
        tap.case('and in part twice', check_mixed(cairn, folder))
        tap.case('what could not be decoded is told, whichever shard has it', check_undecoded(cairn, folder))
        if 'CAIRN_CAPTURES' in os.environ:
            tap.case('shards of captures are the whole', check_captured(cairn, folder))
        else:
            tap.skip('shards of captures are the whole', 'CAIRN_CAPTURES is not set')
        tap.case('programs are told from libraries', check_recorded(cairn, folder))
        tap.case('builds without build-ids of one path are refused', check_same_path(cairn, folder))
        tap.case('memory of two cores that is not one', check_overlaid(cairn, folder))
        tap.case('code that changed', check_changed(cairn, folder))
        tap.case('files have identities', check_moved(cairn, folder))
        tap.case('it does not matter where a program was loaded, or lay', check_loaded_elsewhere(cairn, folder))
        tap.case('builds are kept apart', check_builds(cairn, folder))
        tap.case('memory of several builds is refused', check_memory(cairn, folder))
        tap.case('counts that do not fit are told', check_saturated(cairn, folder))
        tap.case('damage is told', check_damaged(cairn, folder))
        tap.case('nonsense is refused', check_nonsense(cairn, folder))
        tap.case('what cannot be is refused', check_refused(cairn, folder))
    tap.end()


if __name__ == '__main__':
    main()
