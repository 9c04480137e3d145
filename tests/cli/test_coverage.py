#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cairn coverage: counts are those of what was executed, whichever way it is decoded; what
never ran, what failed and what cannot be known are told apart. tests/feeds/test_coverage.py has lines.

usage: test_coverage.py CAIRN
"""
import collections
import os
import shutil
import struct
import sys
import tempfile
import time
from xml.etree import ElementTree

from debug import BASE, FUNCTIONS, ONE_LINE, UNITS, sections
from common import EXAMPLE_D11_1_1, EXAMPLE_PROGRAM, Folder, Tap, expect, expect_in, run, words

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
CAPTURE = os.path.join(TOP, 'examples', 'capture')
PROGRAM = ['--image', os.path.join(CAPTURE, 'program.elf')]
CORES = ('ETE_0.addresses', 'ETM_1.addresses')


def executed(names=CORES):
    """(address, outcome) of every instruction of the example capture, which its interpreter wrote."""
    for name in names:
        with open(os.path.join(CAPTURE, name), encoding='utf-8') as file:
            for line in file:
                if line[0] != '#':
                    yield (line.split() + [None])[:2]


def rows(cairn, *arguments):
    return run(cairn, 'coverage', '--format', 'json', *arguments).rows()


def check_counts(cairn):
    wanted = collections.Counter('0x' + address for address, _ in executed())
    for image in ([], PROGRAM):
        got = rows(cairn, '--by', 'instruction', *image, CAPTURE)
        yield from expect('times', {row['address']: row['times'] for row in got
                                    if row['type'] == 'instruction' and row['times']}, wanted)
    # B.cond and CBZ in program.s: those with both outcomes somewhere, one alone elsewhere
    outcomes = collections.Counter(('0x' + address, outcome) for address, outcome in executed() if outcome)
    for row in rows(cairn, '--by', 'branch', *PROGRAM, CAPTURE):
        if row['type'] == 'branch':
            taken, not_taken = outcomes[row['address'], 'E'], outcomes[row['address'], 'N']
            ways = 'both' if taken and not_taken else 'taken' if taken else 'not_taken'
            yield from expect(row['address'], (row['taken'], row['not_taken'], row['ways']), (taken, not_taken, ways))
    twice = rows(cairn, '--by', 'instruction', *PROGRAM, CAPTURE, CAPTURE)
    yield from expect('twice', {row['address']: row['times'] for row in twice
                                if row['type'] == 'instruction' and row['times']},
                      {address: 2 * times for address, times in wanted.items()})
    yield from expect('four sources', sum(row['type'] == 'source' for row in twice), 4)


def check_functions(cairn):
    """By hand, from program.s: the branch to itself at the end of `done` is never reached."""
    got = {row['function']: row for row in rows(cairn, *PROGRAM, CAPTURE) if row['type'] == 'function'}
    yield from expect('done', (got['done']['instructions'], got['done']['instructions_executed']), (2, 1))
    yield from expect('entered', [got[name]['entered'] for name in ('_start', 'weigh', 'report', 'handler')],
                      [2, 18, 2, 2])
    text = run(cairn, 'coverage', *PROGRAM, CAPTURE)
    yield from expect('status', text.status, 0)
    yield from expect_in('a total', 'instructions          21 of         22   95.4 %', text.out)
    if 'not known' in text.out:
        yield 'all is known: %s' % text.out
    # Without symbols nobody knows how much code there is.
    text = run(cairn, 'coverage', CAPTURE)
    yield from expect_in('not known', 'code without symbols, of which 21 instructions ran', text.out)
    yield from expect_in('what to do', '--image', text.out)


def debug_elf(folder, units, name='debug.elf'):
    with open(os.path.join(CAPTURE, 'program.bin'), 'rb') as file:
        return ['--image', folder.elf(name, {BASE: file.read()}, FUNCTIONS, sections(units))]


def check_lines(cairn, folder):
    """By hand, from the rows of debug.py and how often the example's instructions were executed."""
    image = debug_elf(folder, UNITS)
    wanted = {
        # h.h: two inlined copies 18 times each, and handler's twice
        '/src/h.h': {5: 38},
        '/src/a.c': {10: 2, 11: 18, 12: 18, 14: 18, 16: 2, 17: 2, 18: 2, 19: 0, 30: 18, 31: 8, 32: 10, 40: 2, 41: 1, 42: 2},
        '/src/b.c': {6: 2}}
    branches = {'/src/a.c': ['18,0,0,0', '18,0,1,2', '30,0,0,10', '30,0,1,8', '40,0,0,1', '40,0,1,1'],
                '/src/h.h': ['5,0,0,16', '5,0,1,2'], '/src/b.c': []}
    functions = {'/src/a.c': {'_start': (9, 2), 'weigh': (29, 18), 'report': (39, 2)}, '/src/b.c': {'handler': (5, 2)},
                 '/src/h.h': {}}
    answer = run(cairn, 'coverage', '--format', 'lcov', *image, CAPTURE)
    yield from expect('status', (answer.status, answer.err), (0, ''))
    records = answer.out.split('end_of_record\n')
    yield from expect('files', [line for line in answer.lines() if line.startswith('SF:')],
                      ['SF:/src/a.c', 'SF:/src/b.c', 'SF:/src/h.h'])
    for record in records[:-1]:
        fields = [line.split(':', 1) for line in record.splitlines()]
        name = dict(fields)['SF']
        lines = {int(value.split(',')[0]): int(value.split(',')[1]) for key, value in fields if key == 'DA'}
        yield from expect(name, lines, wanted[name])
        yield from expect(name, [value for key, value in fields if key == 'BRDA'], branches[name])
        begins = {value.split(',')[1]: int(value.split(',')[0]) for key, value in fields if key == 'FN'}
        entered = {value.split(',')[1]: int(value.split(',')[0]) for key, value in fields if key == 'FNDA'}
        yield from expect(name, {one: (begins[one], entered[one]) for one in begins}, functions[name])
        sums = {'LF': len(lines), 'LH': sum(times > 0 for times in lines.values()), 'FNF': len(begins), 'FNH': len(begins),
                'BRF': len(branches[name]), 'BRH': sum(not text.endswith(',0') for text in branches[name])}
        yield from expect(name, {key: int(value) for key, value in fields if key in sums}, sums)
    moved = run(cairn, 'coverage', '--format', 'lcov', '--source-path', '/src=mine', *image, CAPTURE)
    yield from expect('--source-path', moved.out, answer.out.replace('SF:/src/', 'SF:mine/'))
    xml = run(cairn, 'coverage', '--format', 'cobertura', *image, CAPTURE).out
    for part in ('<source>/src</source>', 'filename="a.c"', 'condition-coverage="50% (1/2)"', 'lines-covered="15" lines-valid="16"'):
        yield from expect_in('cobertura', part, xml)
    page = run(cairn, 'coverage', '--format', 'html', *image, CAPTURE).out
    yield from expect_in('the page', 'The source file is not here', page)
    text = run(cairn, 'coverage', '--by', 'line', *image, CAPTURE)
    yield from expect_in('the text', ['38', '1+0/1', '5'], [line.split() for line in text.lines()])
    # a branch back is another round, and no second way to a condition
    told = [row for row in rows(cairn, '--by', 'decision', *debug_elf(folder, ONE_LINE, 'one.elf'), CAPTURE)
            if row['type'] == 'decision']
    yield from expect('a decision', [(row['function'], row['line'], row['conditions'], row['conditions_both'], row['mcdc'])
                                     for row in told], [('_start', 10, 2, 1, 'not_shown')])


def check_damaged(cairn, folder):
    """Debug information that is cut off or made of other bytes: lines are lost, and nothing else."""
    path = debug_elf(folder, UNITS)[1]
    with open(path, 'rb') as file:
        good = file.read()
    at = good.index(b'/src/a.c') - 64
    for step in range(0, 160, 7):
        bad = good[:at + step] + bytes([good[at + step] ^ 0xff, 0xff, 0x80]) + good[at + step + 3:]
        answer = run(cairn, 'coverage', '--by', 'instruction', '--image', folder.write('bad.elf', bad), CAPTURE)
        yield from expect('byte %d' % step, answer.status, 0)
        yield from expect_in('byte %d' % step, 'instructions          21 of         22', answer.out)


def check_unknown(cairn, folder):
    """Trace of code without memory, and bytes that are no trace."""
    folder.write('trace.bin', EXAMPLE_D11_1_1 + bytes([0x05] * 40))
    basic = ['--protocol', 'ete', '--frames', 'none', os.path.join(folder.path, 'trace.bin')]
    answer = run(cairn, 'coverage', *basic)
    yield from expect('no code at all', (answer.status, answer.out), (2, ''))
    yield from expect_in('no code at all', 'nothing was executed', answer.err)
    first = min(EXAMPLE_PROGRAM)
    code = folder.write('code.bin', words(EXAMPLE_PROGRAM[first]))
    answer = run(cairn, 'coverage', '--image', '%s@0x%x' % (code, first), *basic)
    yield from expect('some code', answer.status, 1)
    yield from expect_in('lost', 'bytes of trace could not be followed', answer.out)
    told = [row for row in rows(cairn, '--image', '%s@0x%x' % (code, first), *basic) if row['type'] == 'missing']
    yield from expect('without an image', [(row['address'], row['times']) for row in told], [('0x2000', 1)])


def check_overflow(cairn, folder):
    """An Overflow packet between two traces of the same program: what the unit lost is in no byte."""
    trace = folder.write('overflow.bin', EXAMPLE_D11_1_1 + b'\0\x05' + EXAMPLE_D11_1_1)
    images = [word for address, code in EXAMPLE_PROGRAM.items()
              for word in ('--image', '%s@0x%x' % (folder.write('code_%x.bin' % address, words(code)), address))]
    options = ['--protocol', 'ete', '--frames', 'none', *images, trace]
    answer = run(cairn, 'coverage', *options)
    yield from expect('status', answer.status, 1)
    yield from expect_in('the text', 'trace units overflowed 1 time:', answer.out)
    yield from expect_in('the source', ', 1 overflow of the trace unit', answer.out)
    for form in ('json', 'html', 'drcov'):
        answer = run(cairn, 'coverage', '--format', form, *options)
        yield from expect(form, answer.status, 1)
        yield from expect_in(form, 'overflowed 1 time', answer.err)
    told = rows(cairn, *options)
    yield from expect('json', [row['overflows'] for row in told if row['type'] in ('source', 'total')], [1, 1])
    yield from expect_in('the page', 'trace units overflowed 1 time.', run(cairn, 'coverage', '--format', 'html', *options).out)


def check_long_decisions(cairn, folder):
    """256 conditions that all lead to a branch to itself: where a way ends is not known, and is not looked for without end.
    Then 257 conditions that lead to one RET: of the last one nothing may be said, nor that it is none."""
    at, code = BASE + 0x400, b''
    for count, last in ((256, 0x14000000), (257, 0xd65f03c0)):  # B ., RET
        code += b''.join(struct.pack('<I', 0xb4000000 | (count - i) << 5) for i in range(count)) + struct.pack('<I', last)
    with open(os.path.join(CAPTURE, 'program.bin'), 'rb') as file:
        program = file.read().ljust(0x400, b'\0') + code
    first, second = 257 * 4, 258 * 4
    units = [*UNITS, {'name': 'c.c', 'folder': '/src', 'files': ['/src/c.c'], 'range': (at, at + first + second), 'functions': [],
                      'rows': [(at, 1, 50, True), (at + first, 1, 60, True)]}]
    image = folder.elf('long.elf', {BASE: program}, [*FUNCTIONS, ('spin', at, first), ('many', at + first, second)], sections(units))
    began = time.monotonic()
    told = rows(cairn, '--by', 'decision', '--of-program', '--image', image, CAPTURE)
    yield from expect('decisions', [(row['function'], row['conditions'], row['conditions_both'], row['mcdc'])
                                    for row in told if row['type'] == 'decision'],
                      [('spin', 256, 0, 'undecided'), ('many', 257, 0, 'undecided')])
    if time.monotonic() - began > 10:
        yield 'it took %.1f s' % (time.monotonic() - began)


def check_names(cairn, folder):
    """Names are whole, however long, and are one line: those of debug information make no records."""
    path = '/src/%s/b.c' % ('d' * 1100)
    units = [{**UNITS[0], 'files': ['/src/a.c', '/src/h\nDA:7,7']}, {**UNITS[1], 'files': [path, '/src/h\nDA:7,7']}]
    with open(os.path.join(CAPTURE, 'program.bin'), 'rb') as file:
        program = file.read()
    name = '_Z' + 'x' * 1100
    functions = [(name if one == 'weigh' else one, *where) for one, *where in FUNCTIONS]
    image = ['--image', folder.elf('names.elf', {BASE: program}, functions, sections(units))]
    info = run(cairn, 'coverage', '--format', 'lcov', *image, CAPTURE).lines()
    yield from expect('functions', [line for line in info if name in line], ['FN:29,' + name, 'FNDA:18,' + name])
    yield from expect('files', [line for line in info if line.startswith('SF:')],
                      ['SF:/src/a.c', 'SF:' + path, 'SF:/src/h\ufffdDA:7,7'])
    if 'DA:7,7' in info:
        yield 'a name made a record'
    for by, wanted in (('function', name), ('function', path + ':5'), ('file', path), ('line', path), ('branch', name)):
        text = run(cairn, 'coverage', '--by', by, *image, CAPTURE).out
        if wanted not in text or '/src/h\n' in text:
            yield 'the text by %s: %r' % (by, text)


def with_names(folder, name, program, parts):
    """The example capture with `program` as the names of its code, and parts (offset, length) of the code as its memory."""
    path = os.path.join(folder.path, name)
    shutil.copytree(CAPTURE, path)
    shutil.copy(program, os.path.join(path, 'names.debug'))
    folder.write(name + '/program.ini', '[program]\npath=/none/program.elf\n[module1]\npath=/none/program.elf\n'
                 'file=names.debug\nbias=0\naddress=0x%x\nlength=0x348\n' % BASE)
    for number in (0, 1):
        core = '%s/cpu_%d.ini' % (path, number)
        with open(core, encoding='utf-8') as file:
            text = file.read().split('[dump1]')[0]
        text += ''.join('[dump%d]\nfile=program.bin\noffset=%d\naddress=0x%x\nlength=%d\n' % (one, at, BASE + at, size)
                        for one, (at, size) in enumerate(parts, 1))
        folder.write('%s/cpu_%d.ini' % (name, number), text)
    with open(os.path.join(path, 'snapshot.ini'), 'a', encoding='utf-8') as file:
        file.write('\n[program]\nmetadata=program.ini\n')
    return path


def check_names_only(cairn, folder):
    """A file of debug information has no code: that is the memory's, or unknown."""
    path = debug_elf(folder, UNITS)[1]
    with open(path, 'rb') as file:
        data = bytearray(file.read())
    whole = with_names(folder, 'whole', path, [(0, 0x348)])
    struct.pack_into('<Q', data, 64 + 32, 0)  # p_filesz
    names = folder.write('names.debug', bytes(data))
    same = with_names(folder, 'same', names, [(0, 0x348)])
    wanted, got = (run(cairn, 'coverage', '--format', 'json', one) for one in (whole, same))
    yield from expect('the memory has the code', (got.status, got.out), (0, wanted.out.replace('/whole', '/same')))
    blocks = [run(cairn, 'coverage', '--format', 'drcov', one).raw for one in (whole, same)]
    yield from expect('the base', blocks[1], blocks[0].replace(b'/whole', b'/same'))
    # Without the one instruction that never ran, of 11 in _start: nobody knows what is there.
    part = with_names(folder, 'part', names, [(0, 0x28), (0x2c, 0x31c)])
    text = run(cairn, 'coverage', part)
    yield from expect('status', text.status, 1)
    for told in ('instructions          11 of         11  100.0 %', 'names.debug has names and no code of 1 function that ran', '--sysroot'):
        yield from expect_in('the text', told, text.out)
    yield from expect_in('the row', ['10/?', '-'], [line.split()[:2] for line in text.lines()])
    for form in ('json', 'lcov', 'html'):
        answer = run(cairn, 'coverage', '--format', form, part)
        yield from expect(form, answer.status, 1)
        yield from expect_in(form, 'has names and no code of 1 function', answer.err)
    told = rows(cairn, part)
    yield from expect('whole', {row['function']: row['whole'] for row in told if row['type'] == 'function'},
                      {'_start': False, 'weigh': True, 'report': True, 'handler': True})
    yield from expect('the sum', (told[-1]['instructions'], told[-1]['partial_executed']), (11, 10))


def check_labels(cairn, folder):
    """Labels of assembly (STT_NOTYPE), with sizes and without, are functions up to the next symbol: what of them did not run
    counts, as it does in functions."""
    path = debug_elf(folder, UNITS)[1]
    with open(path, 'rb') as file:
        data = bytearray(file.read())
    table, size = struct.unpack_from('<QQ', data, struct.unpack_from('<Q', data, 40)[0] + 2 * 64 + 24)
    wanted = [(row['function'], row['instructions'], row['instructions_executed'])
              for row in rows(cairn, '--image', path, CAPTURE) if row['type'] == 'function']
    yield from expect('_start', wanted[0], ('_start', 11, 10))
    for sizes in (True, False):
        for at in range(table + 24, table + size, 24):
            data[at + 4] = 0x10  # STB_GLOBAL, STT_NOTYPE
            if not sizes and struct.unpack_from('<Q', data, at + 8)[0] < BASE + 0x40:
                struct.pack_into('<Q', data, at + 16, 0)
        answer = run(cairn, 'coverage', '--format', 'json', '--image', folder.write('label.elf', bytes(data)), CAPTURE)
        yield from expect('sizes: %s' % sizes, [(row['function'], row['instructions'], row['instructions_executed'])
                                                for row in answer.rows() if row['type'] == 'function'], wanted)
        yield from expect('status', answer.status, 0)


def check_two_memories(cairn, folder):
    """Two cores that have memory of their own at one address, without symbols: each its counts."""
    path = os.path.join(folder.path, 'two')
    shutil.copytree(CAPTURE, path)
    shutil.copy(os.path.join(path, 'program.bin'), os.path.join(path, 'other.bin'))
    core = os.path.join(path, 'cpu_1.ini')
    with open(core, encoding='utf-8') as file:
        text = file.read().replace('program.bin', 'other.bin')
    folder.write('two/cpu_1.ini', text)
    got = rows(cairn, '--by', 'instruction', path)
    for name, memory in zip(CORES, ('program.bin', 'other.bin')):
        wanted = collections.Counter('0x' + address for address, _ in executed([name]))
        yield from expect(memory, {row['address']: row['times'] for row in got if row['type'] == 'instruction'
                                   and row['object'].endswith(memory)}, wanted)


def check_packages(cairn, folder):
    """Files of one folder are one package, whatever folders lie between; those of the root are of "."."""
    units = [{**UNITS[0], 'files': ['/src/a.c', '/src/b/h.h']}, {**UNITS[1], 'files': ['/src/b.c', '/src/b/h.h']}]
    for unit, name in zip(units, ('/src/a.c', '/src/c.c')):
        unit['files'][0] = name
    xml = run(cairn, 'coverage', '--format', 'cobertura', *debug_elf(folder, units, 'packages.elf'), CAPTURE).out
    tree = ElementTree.fromstring(xml)
    got = [(package.get('name'), [(one.get('filename'), [method.get('name') for method in one.iter('method')])
                                  for one in package.iter('class')]) for package in tree.iter('package')]
    yield from expect('packages', got, [('.', [('a.c', ['_start', 'weigh', 'report']), ('c.c', ['handler'])]),
                                        ('b', [('b/h.h', [])])])


def check_cold(cairn, folder):
    """Line 30 begins in weigh, 18 times, and goes on in what was moved out of it: no more than 10 of these 18."""
    functions = [one for one in FUNCTIONS if one[0] != 'weigh'] + [('weigh', BASE + 0x2c, 8), ('weigh.cold', BASE + 0x34, 12)]
    rows_of = [row for row in UNITS[0]['rows'] if not BASE + 0x2c <= row[0] < BASE + 0x40] + [(BASE + 0x2c, 1, 30, True)]
    with open(os.path.join(CAPTURE, 'program.bin'), 'rb') as file:
        image = ['--image', folder.elf('cold.elf', {BASE: file.read()}, functions, sections(
            [{**UNITS[0], 'rows': sorted(rows_of)}, UNITS[1]]))]
    info = run(cairn, 'coverage', '--format', 'lcov', *image, CAPTURE).lines()
    yield from expect('line 30', [line for line in info if line.startswith('DA:30,')], ['DA:30,18'])
    told = {row['function']: row for row in rows(cairn, *image, CAPTURE) if row['type'] == 'function'}
    yield from expect('its parts', [(told[name]['lines'], told[name]['lines_executed']) for name in ('weigh', 'weigh.cold')],
                      [(1, 1), (1, 1)])


def check_paths(cairn, folder):
    """Two units come to one header by different ways, and one comes from a folder: it is one file, with the sum of its lines."""
    names = [('/src/obj1/../a.c', '/src//obj1/sub/../../h.h'), ('/src/./b.c', '../up/.././obj2/../../src/h.h')]
    units = [{**unit, 'files': list(files)} for unit, files in zip(UNITS, names)]
    units[1]['folder'] = '/src/build'
    info = run(cairn, 'coverage', '--format', 'lcov', *debug_elf(folder, units, 'paths.elf'), CAPTURE).out
    plain = run(cairn, 'coverage', '--format', 'lcov', *debug_elf(folder, UNITS), CAPTURE).out
    yield from expect('as without detours', info, plain)
    # a folder that is told from another one stands in front of a name once
    units = [{**unit, 'files': [name.split('/')[-1] for name in unit['files']], 'folder': 'obj/sub'} for unit in UNITS]
    info = run(cairn, 'coverage', '--format', 'lcov', *debug_elf(folder, units, 'below.elf'), CAPTURE).out
    yield from expect('below a folder', info, plain.replace('SF:/src/', 'SF:obj/sub/'))


def check_ways(cairn):
    for form in ('text', 'json', 'html', 'drcov'):
        for by in ('function', 'instruction', 'branch'):
            wanted = run(cairn, 'coverage', '--reference', '--format', form, '--by', by, *PROGRAM, CAPTURE)
            got = run(cairn, 'coverage', '--jobs', '3', '--format', form, '--by', by, *PROGRAM, CAPTURE)
            if (wanted.raw, wanted.status) != (got.raw, got.status):
                yield '%s by %s: not what the reference has' % (form, by)


def check_breaks(cairn, folder):
    """Where a narrow column breaks a path: behind a slash, in the table of files and above each source."""
    page = run(cairn, 'coverage', '--format', 'html', *debug_elf(folder, UNITS), CAPTURE).out
    for number, name in enumerate(('a.c', 'b.c', 'h.h')):
        path = '/<wbr>src/<wbr>' + name
        yield from expect_in('the table', '<a href="#f%d">%s</a>' % (number, path), page)
        yield from expect_in('the source', '<summary id="f%d">%s <span' % (number, path), page)


def check_page(cairn):
    page = run(cairn, 'coverage', '--format', 'html', *PROGRAM, CAPTURE).out
    for part in ('<!DOCTYPE html>', 'prefers-color-scheme', '95.4 %', '>weigh<', '</html>'):
        yield from expect_in('the page', part, page)
    # three quarters, and the quarter that went one way has its own colour: it is not as if it had never run
    yield from expect_in('the card of branches', '<span>3 of 4; 1 one way only</span><span class="bar"><i style="width:75.0%"></i>'
                         '<i class="half" style="width:25.0%"></i></span>', page)
    for part in ('http:', 'https:', 'src='):
        if part in page:
            yield 'the page wants something from elsewhere: %s' % part


def check_wrong(cairn, folder):
    for arguments, message in (
            ([], 'which capture?'), (['--by', 'lien', CAPTURE], 'Did you mean line?'),
            (['--format', 'icov', CAPTURE], 'Did you mean lcov?'), ([CAPTURE, os.path.join(folder.path, 'none')], 'none'),
            (['--binary', 'nothing', *PROGRAM, CAPTURE], 'program.elf'),
            (['--by', 'decision', *PROGRAM, CAPTURE], '--debug-dir'),
            (['--format', 'lcov', *PROGRAM, CAPTURE], '--debug-dir'), (['--by', 'file', *PROGRAM, CAPTURE], '--debug-dir'),
            (['--source-path', 'x', CAPTURE], 'FROM=TO')):
        answer = run(cairn, 'coverage', *arguments)
        yield from expect('%s: status' % arguments, (answer.status, answer.out), (2, ''))
        yield from expect_in('%s' % arguments, message, answer.err)
    empty = os.path.join(folder.path, 'empty.info')
    answer = run(cairn, 'coverage', '--format', 'lcov', '-o', empty, *PROGRAM, CAPTURE)
    yield from expect('no file without lines', (answer.status, os.path.exists(empty)), (2, False))
    path = folder.write('there', b'kept')
    answer = run(cairn, 'coverage', '-o', path, *PROGRAM, CAPTURE)
    yield from expect_in('a file that is there', '--force', answer.err)
    image = folder.write('program.elf', open(os.path.join(CAPTURE, 'program.elf'), 'rb').read())
    answer = run(cairn, 'coverage', '--force', '-o', image, '--image', image, CAPTURE)
    yield from expect_in('a file that is read', 'choose another', answer.err)
    with open(path, 'rb') as file:
        yield from expect('the file', file.read(), b'kept')
    own = os.path.join(folder.path, 'own')
    shutil.copytree(CAPTURE, own)
    for name in ('trace.bin', 'program.bin'):
        with open(os.path.join(own, name), 'rb') as file:
            before = file.read()
        answer = run(cairn, 'coverage', '--force', '-o', os.path.join(own, name), *PROGRAM, own)
        yield from expect(name, answer.status, 2)
        yield from expect_in(name, 'choose another', answer.err)
        with open(os.path.join(own, name), 'rb') as file:
            yield from expect(name, file.read(), before)
    # A page has no table by lines, which could be missing.
    answer = run(cairn, 'coverage', '--format', 'html', '--by', 'line', *PROGRAM, CAPTURE)
    yield from expect('a page without lines', (answer.status, answer.err), (0, ''))


def main():
    cairn, tap = sys.argv[1], Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        tap.case('instructions and branches are counted as they were executed', check_counts(cairn))
        tap.case('functions, and what of them did not run', check_functions(cairn))
        tap.case('lines, functions and branches by debug information', check_lines(cairn, folder))
        tap.case('damaged debug information', check_damaged(cairn, folder))
        tap.case('what cannot be known', check_unknown(cairn, folder))
        tap.case('trace that the trace unit lost', check_overflow(cairn, folder))
        tap.case('decisions that are too long to look at', check_long_decisions(cairn, folder))
        tap.case('names that are long, or of several lines', check_names(cairn, folder))
        tap.case('a line of which a part was moved away', check_cold(cairn, folder))
        tap.case('code under labels of assembly', check_labels(cairn, folder))
        tap.case('two cores with other memory at one address', check_two_memories(cairn, folder))
        tap.case('a package a folder', check_packages(cairn, folder))
        tap.case('a file that has names and no code', check_names_only(cairn, folder))
        tap.case('paths with detours', check_paths(cairn, folder))
        tap.case('each way of decoding', check_ways(cairn))
        tap.case('the page breaks paths behind slashes', check_breaks(cairn, folder))
        tap.case('the page needs nothing else', check_page(cairn))
        tap.case('what is wrong is said', check_wrong(cairn, folder))
    tap.end()


if __name__ == '__main__':
    main()
