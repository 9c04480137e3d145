#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Coverage of recorded programs. Lines and functions have the counts that gcov has of the same program compiled with
--coverage; instructions those that a plugin of QEMU, which is told of each, listed; lcov and genhtml read the tracefile;
Cobertura's report and drcov's blocks say the same; captures add up.

Where gcov and debug information differ, by rule and not by list: a line that only has a declaration or a label is one to
gcov alone, and one that only has a brace of a function to debug information alone; and behind code that was inlined gcov
counts the line of the call as entered anew.

usage: test_coverage.py CAIRN FLOWHASH ADDRESSES PROGRAMS
"""
import collections
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import xml.etree.ElementTree

import decisions
from recording import Bench, Tap

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'programs', 'covered.c')
CC = 'aarch64-linux-gnu-gcc'
GCOV = 'aarch64-linux-gnu-gcov'
CC32 = 'arm-linux-gnueabihf-gcc'
AT_O0 = (CC, ['-O0'], '/usr/aarch64-linux-gnu'), (CC32, ['-O0', '-mthumb'], '/usr/arm-linux-gnueabihf')
INLINED = re.compile(r'\bmix\(')
BRACE = re.compile(r'^\s*[{}]\s*$')
LABEL = re.compile(r'^\s*(case .*|default):\s*$|^\S.*\)\s*$')


def do(*words, **more):
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=300, **more)
    if done.returncode:
        raise RuntimeError('%s: %s' % (' '.join(map(str, words)), (done.stderr or done.stdout).decode()))
    return done.stdout


def lines_of(path):
    with open(path, encoding='utf-8') as file:
        return [''] + file.read().splitlines()


class Case:
    """covered.c as a dynamically linked, position independent program, recorded twice; and as a static one."""

    def __init__(self, bench):
        self.bench, self.lists = bench, {}
        self.program = bench.path('covered')
        do(CC, '-O0', '-g', SOURCE, '-o', self.program)
        self.few, self.many = (self.record(self.program, count, 'run' + count) for count in ('3', '10'))

    def record(self, program, count, name, root='/usr/aarch64-linux-gnu', options=()):
        folder = self.bench.path(name)
        do(self.bench.cairn, 'record', '-o', folder, *options, '--', program, count,
           env=dict(os.environ, QEMU_LD_PREFIX=root))
        return folder

    def coverage(self, *arguments):
        return do(self.bench.cairn, 'coverage', *arguments)

    def rows(self, *arguments):
        return [json.loads(line) for line in self.coverage('--format', 'json', *arguments).splitlines()]

    def info(self, *arguments):
        return Info(self.coverage('--format', 'lcov', '--of-program', *arguments).decode())


class Info:
    """The record of covered.c in a tracefile."""

    def __init__(self, text):
        self.text = text
        records = [record for record in text.split('end_of_record\n') if '\nSF:%s\n' % os.path.abspath(SOURCE) in record]
        assert len(records) == 1, text
        fields = [line.split(':', 1) for line in records[0].splitlines()]
        numbers = [(key, value.split(',')) for key, value in fields]
        self.lines = {int(value[0]): int(value[1]) for key, value in numbers if key == 'DA'}
        self.begins = {value[1]: int(value[0]) for key, value in numbers if key == 'FN'}
        self.entered = {value[1]: int(value[0]) for key, value in numbers if key == 'FNDA'}
        self.branches = {tuple(map(int, value[:3])): value[3] for key, value in numbers if key == 'BRDA'}
        self.sums = {key: int(value[0]) for key, value in numbers if key in ('LF', 'LH', 'FNF', 'FNH', 'BRF', 'BRH')}


def gcov(case, count):
    """What gcov has of the program compiled for it: ({line: times}, {function: (line, times)}, {line: ways of branches})."""
    folder = case.bench.path('gcov' + count)
    os.mkdir(folder)
    do(CC, '-O0', '-g', '--coverage', SOURCE, '-o', 'program', cwd=folder)
    do('qemu-aarch64', '-L', '/usr/aarch64-linux-gnu', './program', count, cwd=folder)
    told = json.loads(do(GCOV, '--json-format', '--branch-counts', '--branch-probabilities', '--stdout', 'program-covered.gcda', cwd=folder))
    lines, functions, ways = collections.Counter(), {}, collections.defaultdict(list)
    for file in told['files']:
        if file['file'].endswith('covered.c'):
            for line in file['lines']:
                lines[line['line_number']] += line['count']
                ways[line['line_number']] += [branch['count'] for branch in line['branches']]
            functions.update({one['name']: (one['start_line'], one['execution_count']) for one in file['functions']})
    return lines, functions, ways


def pairs(ways):
    """The two ways of each branch; which of them is taken, compilers choose."""
    return sorted(sorted(ways[i:i + 2]) for i in range(0, len(ways), 2))


def check_ways(info, ways, source):
    """Branches are gcov's, but those of a switch, which has more ways there, and of inlined code, which are their calls' there."""
    got = collections.defaultdict(list)
    for (line, _, _), count in sorted(info.branches.items()):
        got[line].append(0 if count == '-' else int(count))
    lines = [line for line in sorted({*got, *(line for line in ways if ways[line])})
             if not re.search(r'switch|\bmix\(|b & 1', source[line])]
    for line in lines:
        if pairs(got[line]) != pairs(ways[line]):
            yield 'line %d, %r: ways %r, gcov has %r' % (line, source[line], got[line], ways[line])
    if len(lines) < 10:
        yield 'only the branches of %d lines were compared' % len(lines)


def check_gcov(case, folder, count):
    lines, functions, ways = gcov(case, count)
    info, source = case.info('--binary', 'covered', folder), lines_of(SOURCE)
    yield from check_ways(info, ways, source)
    compared = 0
    for number in sorted({*lines, *info.lines}):
        text = source[number]
        if number not in info.lines:
            if not LABEL.match(text):
                yield 'line %d, %r: gcov has it alone' % (number, text)
        elif number not in lines:
            if not BRACE.match(text):
                yield 'line %d, %r: gcov does not have it' % (number, text)
        elif lines[number] != info.lines[number] and not (INLINED.search(text) and lines[number] >= info.lines[number] > 0):
            yield 'line %d, %r: %d times, gcov has %d' % (number, text, info.lines[number], lines[number])
        else:
            compared += 1
    if compared < 30:
        yield 'only %d lines were compared' % compared
    got = {name: (line, info.entered[name]) for name, line in info.begins.items()}
    if got != functions:
        yield 'functions %r, gcov has %r' % (got, functions)
    if not info.entered['fibonacci'] == (109 if count == '10' else 0):
        yield 'fibonacci(9) was entered %d times' % info.entered['fibonacci']


def check_instructions(case):
    """Of a static program, at addresses that are those of its file."""
    program, listed = case.bench.path('static'), case.bench.path('list')
    do(CC, '-O2', '-g', '-static', SOURCE, '-o', program)
    beside, _ = case.bench.beside()
    beside[-1] += ',list=' + listed
    folder = case.record(program, '10', 'static-run', options=beside)
    with open(listed, encoding='ascii') as file:
        wanted = collections.Counter('0x' + address for address in file.read().split())
    rows = case.rows('--by', 'instruction', folder)
    got = {row['address']: row['times'] for row in rows if row['type'] == 'instruction' and row['times']}
    differing = {address for address in {*got, *wanted} if got.get(address) != wanted.get(address)}
    # the system call that ends the process may be in one of them alone
    if len(differing) > 2 or len(wanted) < 1000:
        yield '%d of %d instructions: %r' % (len(differing), len(wanted), sorted(differing)[:5])
    # A conditional branch went on to where it leads or to what is behind it.
    for row in rows:
        if row.get('choice') == 'branch' and row['times'] != row['taken'] + row['not_taken']:
            yield 'a branch: %r' % row
    whole = [row['address'] for row in case.rows('--by', 'instruction', '--of-program', folder) if row['type'] == 'instruction']
    code = re.findall(rb'^ +([0-9a-f]+):\t[0-9a-f]{8} \t(?!\.(?:word|inst))', do('aarch64-linux-gnu-objdump', '-dz', program),
                      re.M)
    unknown = {int(address, 16) for address in whole} - {int(address, 16) for address in code}
    if unknown or len(whole) < 0.9 * len(code):
        yield '%d instructions, objdump has %d; it does not have %r' % (len(whole), len(code), sorted(unknown)[:5])


def check_branches(case):
    """By hand, from covered.c: the ways of conditions, and which decisions they show."""
    source = lines_of(SOURCE)
    number = {text: source.index('    if (%s)' % text) for text in ('a && b && c', '(a && b) || c', 'a || b')}
    info = case.info('--binary', 'covered', case.many)
    ways = {text: [info.branches[line, block, way] for block in range(3) for way in range(2)
                   if (line, block, way) in info.branches] for text, line in number.items()}
    # tree: a is 1, 0, 1, 1; b, where it is asked for, 1, 0, 1; c 1, 0. GCC branches away where one is 0.
    if ways['a && b && c'] != ['1', '3', '1', '2', '1', '1']:
        yield 'a && b && c: %r' % ways['a && b && c']
    if ways['a || b'] != ['0', '1', '1', '0']:
        yield 'a || b: %r' % ways['a || b']
    rows = {row['line']: row for row in case.rows('--by', 'decision', '--binary', 'covered', case.many)
            if row['type'] == 'decision'}
    verdicts = {line: row['mcdc'] for line, row in rows.items()}
    if verdicts != {number['a && b && c']: 'shown', number['(a && b) || c']: 'undecided', number['a || b']: 'not_shown'}:
        yield 'decisions: %r' % rows
    never = case.info('--binary', 'covered', case.few)
    if never.lines[source.index('        never_called(3);') if '        never_called(3);' in source else 0] != 0:
        yield 'never_called was called'


def decided(case, compiler, options, root, has_words=False, source=None):
    """{function: its decisions} of a program of decisions, or another one's."""
    kind = 'written-' if source else 'words-' if has_words else 'decisions-'
    name = kind + '-'.join([compiler.split('-')[0], *(option.strip('-=') for option in options)])
    with open(case.bench.path('decisions.c'), 'w', encoding='utf-8') as file:
        file.write(source or decisions.program(has_words)[0])
    do(compiler, *options, '-g', '-static', case.bench.path('decisions.c'), '-o', case.bench.path(name))
    folder = case.record(case.bench.path(name), '1', name + '-run', root)
    found = collections.defaultdict(list)
    for row in case.rows('--by', 'decision', '--binary', name, folder):
        if row['type'] == 'decision':
            found[row['function']].append(row)
    return found


def check_decisions(case):
    """By a model of the source's rules: without optimisation exactly, in A64 and T32, also where operators are words and braces
    stand in a decision's parentheses; with it nothing is said to be shown, and that conditions have no branches."""
    for has_words in (False, True):
        for compiler, options, root in AT_O0:
            _, told = decisions.program(has_words)
            found = decided(case, compiler, options, root, has_words)
            for name, (shape, line, vectors) in told.items():
                wanted = ('not_shown', None) if not decisions.has_both(shape, vectors) else \
                    ('undecided', 'joins') if decisions.has_join(shape) else ('shown', None)
                if wanted[0] == 'shown' and not decisions.is_shown(shape, vectors):
                    yield 'the model: %s of %r' % (decisions.text(shape), vectors)
                count = len(decisions.conditions(shape))
                got = [(row['mcdc'], row['reason'], row['line'], row['conditions']) for row in found[name]]
                if has_words and decisions.has_block(shape, int(name[1:]) + 1):
                    if [one[:2] for one in got] != [('undecided', 'block')]:
                        yield '%s, a block in %s: %r' % (compiler, decisions.text(shape), got)
                    continue
                # GCC puts a condition into the line of the operator in front of it, which is three behind at most (decisions.BREAKS),
                # and each of decisions.words is in four
                if len(got) != 1 or got[0][:2] != wanted or not line <= got[0][2] < line + (5 if has_words else 3) * count or got[0][3] != count:
                    yield '%s, %s, words %d: %s: %r, not %r' % (compiler, options, has_words, decisions.text(shape), got, wanted)
    for compiler, options, root in AT_O0:
        found = decided(case, compiler, options, root, source=decisions.WRITTEN)
        for name, wanted in decisions.TOLD.items():
            got = [(row['mcdc'], row['reason']) for row in found[name]]
            if got != wanted:
                yield '%s, %s: %r, not %r' % (compiler, name, got, wanted)
    _, told = decisions.program()
    for options in (['-Og'], ['-O2']):
        found = decided(case, CC, options, '/usr/aarch64-linux-gnu')
        got = collections.Counter((row['mcdc'], row['reason']) for name in told for row in found[name])
        # of some functions no code is left that has the line of the decision
        if set(got) != {('undecided', 'merged')} or got['undecided', 'merged'] < 0.9 * len(told):
            yield '%s: %r' % (options, got)


def check_sums(case):
    """Two captures, in either order, are their sum; the same two give the same bytes."""
    few, many = (case.info('--binary', 'covered', folder) for folder in (case.few, case.many))
    both = case.info('--binary', 'covered', case.few, case.many)
    if both.lines != {line: few.lines[line] + many.lines[line] for line in many.lines}:
        yield 'lines: %r' % both.lines
    if both.entered != {name: few.entered[name] + many.entered[name] for name in many.entered}:
        yield 'functions: %r' % both.entered
    for form in ('text', 'lcov', 'cobertura', 'html', 'drcov', 'json'):
        one = case.coverage('--format', form, case.few, case.many)
        if one != case.coverage('--format', form, '--jobs', '3', case.few, case.many):
            yield '%s: not the same with other threads' % form
        other = case.coverage('--format', form, case.many, case.few)
        if form in ('lcov', 'cobertura', 'drcov') and one != other:
            yield '%s: depends on the order of the captures' % form


def check_lcov(case):
    path = case.bench.path('covered.info')
    info = case.info(case.few, case.many)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(info.text)
    counts = {key: int(value) for key, value in re.findall(r'^(LF|LH|FNF|FNH|BRF|BRH):(\d+)$', info.text, re.M)}
    told = do('lcov', '--rc', 'lcov_branch_coverage=1', '--summary', path).decode()
    for name, hit, found in (('lines', 'LH', 'LF'), ('functions', 'FNH', 'FNF'), ('branches', 'BRH', 'BRF')):
        if not re.search(r'%s\.*: .*\(%d of %d %s' % (name, counts[hit], counts[found], name), told):
            yield 'lcov: %s: %d of %d, and it has %s' % (name, counts[hit], counts[found], told)
    folder = case.bench.path('genhtml')
    do('genhtml', '--quiet', '--branch-coverage', '--output-directory', folder, path)
    pages = [os.path.join(where, name) for where, _, names in os.walk(folder) for name in names if name == 'covered.c.gcov.html']
    if len(pages) != 1:
        yield 'genhtml: %r' % pages


def check_cobertura(case):
    """Structure by coverage-04.dtd; numbers are the tracefile's."""
    root = xml.etree.ElementTree.fromstring(case.coverage('--format', 'cobertura', '--of-program', '--binary', 'covered', case.many))
    info = case.info('--binary', 'covered', case.many)
    inside = {'coverage': ['sources', 'packages'], 'sources': ['source'], 'packages': ['package'], 'package': ['classes'],
              'classes': ['class'], 'class': ['methods', 'lines'], 'methods': ['method'], 'method': ['lines'],
              'lines': ['line'], 'line': ['conditions'], 'conditions': ['condition'], 'source': [], 'condition': []}
    needed = {'coverage': {'line-rate', 'branch-rate', 'lines-covered', 'lines-valid', 'branches-covered', 'branches-valid',
                           'complexity', 'version', 'timestamp'},
              'package': {'name', 'line-rate', 'branch-rate', 'complexity'},
              'class': {'name', 'filename', 'line-rate', 'branch-rate', 'complexity'},
              'method': {'name', 'signature', 'line-rate', 'branch-rate', 'complexity'},
              'line': {'number', 'hits', 'branch'}, 'condition': {'number', 'type', 'coverage'}}
    for element in root.iter():
        wrong = [child.tag for child in element if child.tag not in inside[element.tag]]
        if wrong or not needed.get(element.tag, set()) <= set(element.attrib):
            yield '%s: %r in it, %r' % (element.tag, wrong, element.attrib)
    one = root.find('.//class')
    got = {int(line.get('number')): int(line.get('hits')) for line in one.find('lines')}
    if got != info.lines:
        yield 'lines: %r' % got
    ways = sum(int(line.get('condition-coverage').split('(')[1].split('/')[0]) for line in one.find('lines')
               if line.get('branch') == 'true')
    if (ways, int(root.get('branches-valid'))) != (info.sums['BRH'], info.sums['BRF']):
        yield 'branches: %d of %s' % (ways, root.get('branches-valid'))
    where = os.path.join(root.findtext('sources/source'), one.get('filename'))
    if where != os.path.abspath(SOURCE):
        yield 'the file is %s' % where
    moved = Info(case.coverage('--format', 'lcov', '--of-program', '--binary', 'covered', '--source-path',
                               '%s=%s' % (os.path.dirname(os.path.dirname(SOURCE)), '/elsewhere'), case.many)
                 .decode().replace('/elsewhere/programs', os.path.dirname(SOURCE)))
    if moved.lines != info.lines:
        yield 'with --source-path: %r' % moved.lines


def check_drcov(case):
    data = case.coverage('--format', 'drcov', case.many)
    head, _, blocks = data.partition(b' bbs\n')
    count = int(head.rsplit(b' ', 1)[1])
    modules = [line.split(', ') for line in head.decode().splitlines() if re.match(r' *\d+, 0x', line)]
    if len(blocks) != 8 * count or 'DRCOV VERSION: 2' not in head.decode():
        yield '%d bytes of %d blocks' % (len(blocks), count)
    got = set()
    for start, size, module in struct.iter_unpack('<IHH', blocks):
        base = int(modules[module][1], 16) + start
        got |= {(modules[module][6], address) for address in range(base, base + size, 4)}
    wanted = {(row['object'], int(row['address'], 16)) for row in case.rows('--by', 'instruction', case.many)
              if row['type'] == 'instruction' and row['times']}
    if got != wanted:
        yield 'blocks have %d instructions, %d were executed' % (len(got), len(wanted))


def check_a32(case):
    """A32 and T32: three protocols count the same lines; ETMv3 tells of conditions as well."""
    for mode in ('-marm', '-mthumb'):
        program = case.bench.path('covered' + mode)
        do(CC32, mode, '-O0', '-g', SOURCE, '-o', program)
        lines = {}
        for protocol in ('ete', 'ptm', 'etmv3'):
            folder = case.record(program, '10', mode[1:] + protocol, '/usr/arm-linux-gnueabihf', ['--protocol', protocol])
            lines[protocol] = case.info('--binary', os.path.basename(program), folder)
        if not lines['ete'].lines == lines['ptm'].lines == lines['etmv3'].lines:
            yield '%s: lines: %r' % (mode, {name: info.lines for name, info in lines.items()})
        if not lines['ete'].branches == lines['ptm'].branches == lines['etmv3'].branches:
            yield '%s: branches' % mode
        if lines['ete'].entered['fibonacci'] != 109:
            yield '%s: fibonacci(9) was entered %d times' % (mode, lines['ete'].entered['fibonacci'])


def check_kept(case):
    """The same code with its debug information kept in other ways: the tracefile is the same, inlined lines and all, and so is
    what a compiler is given."""
    def answers(folder, name, *options):
        info = case.info('--binary', name, *options, folder)
        told = [do(case.bench.cairn, 'pgo', '--format', 'llvm', '--binary', name, *options, folder).decode()]
        return [info.lines, info.begins, info.entered, info.branches, *told]

    for version in '4', '5':
        wanted = None
        for what in '-g', '-gz=zlib', '-gz=zlib-gnu', '-gsplit-dwarf':
            name = 'kept%s%s' % (version, what)
            folder = case.bench.path(name + '.folder')
            os.mkdir(folder)
            program = os.path.join(folder, name)
            do(CC, '-O2', '-g', '-gdwarf-' + version, what, SOURCE, '-o', program, cwd=folder)
            with open(program + '.dwp', 'w') as file:
                file.write('no package')
            recording = case.record(program, '3', name + '.run')
            got = answers(recording, name)
            wanted = wanted or got
            if got != wanted:
                yield 'DWARF %s, %s: %r, and without it %r' % (version, what, got, wanted)
            if what != '-gsplit-dwarf':
                continue
            whole = case.record(program, '3', name + '.whole', options=['--embed-debug'])
            copies = [os.path.join(whole, file) for file in os.listdir(whole) if file.endswith('.debug.dwp')]
            if [lines_of(file) for file in copies] != [['', 'no package']]:
                yield 'what lies beside the program as its package was copied to %r' % copies
            away = case.bench.path(name + '.away')
            os.mkdir(away)
            others = [file for file in os.listdir(folder) if file.endswith('.dwo')]
            for file in others:
                os.rename(os.path.join(folder, file), os.path.join(away, file))
            if len(others) != 1 or answers(recording, name, '--debug-dir', away) != wanted:
                yield 'DWARF %s, --debug-dir for %r: other answers' % (version, others)
            if case.info('--binary', name, recording).begins == wanted[1]:
                yield 'DWARF %s: it is known where functions are declared without %r' % (version, others)


def tried(check, case):
    try:
        yield from check(case)
    except RuntimeError as error:
        yield error


CASES = [
    ('lines, functions and branches are counted as gcov counts them', lambda case: check_gcov(case, case.many, '10')),
    ('and where most of a program does not run', lambda case: check_gcov(case, case.few, '3')),
    ('instructions are counted as QEMU executed them, and whole programs as objdump has them', check_instructions),
    ('branches, and decisions of conditions', check_branches),
    ('decisions are those of the source, and not decided where it was optimised', check_decisions),
    ('captures add up', check_sums),
    ('lcov and genhtml read it', check_lcov),
    ('Cobertura has the same lines', check_cobertura),
    ('drcov has the same code', check_drcov),
    ('A32 and T32 by three protocols', check_a32),
    ('debug information that is compressed or split', check_kept),
]


def main():
    bench = Bench(sys.argv)
    tap = Tap()
    needed = (CC, GCOV, CC32, 'qemu-aarch64', 'qemu-arm', 'lcov', 'genhtml', 'aarch64-linux-gnu-objdump')
    missing = [name for name in needed if not shutil.which(name)]
    try:
        if missing:
            for name, _ in CASES:
                tap.skip(name, '%s is not installed' % ', '.join(missing))
        else:
            case = Case(bench)
            for name, check in CASES:
                tap.case(name, tried(check, case))
    finally:
        bench.close()
    tap.end()


if __name__ == '__main__':
    main()
