#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The program's JSON is as docs/schema and docs/json.md have it: of every command, of every protocol,
each kind of record and each key.

usage: test_json.py CAIRN TOP SCENARIO_TOOL
"""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

import debug
from common import (EXAMPLE_D11_1_1, EXAMPLE_PROGRAM, START, TIMEOUT, Folder, Tap, bytes_of, captures, expect,
                    expect_in, frames, once, program, run, sanitized, surroundings, words as words_of)
from perf_file import ANY, BRANCH_STACK, COUNTERS, CPU, ETE, HW_INDEX, Perf, TID
from schemas import COMMANDS, WANTED, Schemas, jsonschema, some_of
from test_data import BASE, BOTH, CODE, TRACE
from test_perf_process import VIRTUAL, Recording, conversion, of_clock, stamped
from test_perf_trace import read, traced

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'scenarios'))
from assemble import assemble, assembler  # noqa: E402
from scenario import CORES, Scenario, find  # noqa: E402

LISTINGS = [['info'], ['check'], ['packets'], ['elements'], ['elements', '--resolved'], ['flow'],
            ['flow', '--ranges'], ['flow', '--summary'], ['data']]
# Of millions of instructions.
LONG = ('ete/walk-hot-loop.scn', 'ete/walk-two-hot-blocks.scn')
# What recordings have alone: tests/feeds looks at those.
RECORDED = {'program', 'module'}


ALL = 'All outputs'
DUMP = 'examples/branches/crash.txt'
SENTENCES = ('what', 'advice', 'text')


class Page:
    """docs/json.md: of each record its keys and its examples. A record stands below the heading of a
    command that has it, or below that of what all have. Its table leaves `type` out, which is its heading,
    and the keys of `place`."""

    HEADING = re.compile(r'^(#+) (.*)$')
    KEY = re.compile(r'^\| `(\w+)`( \?)? \| (.*?) \| (.*) \|$')

    def __init__(self, path):
        self.keys, self.examples = {}, {}
        command = name = block = None
        with open(path, encoding='utf-8') as file:
            for line in file.read().splitlines():
                heading = self.HEADING.match(line)
                if block is not None:
                    if line == '```':
                        self.add_examples(command, name, '\n'.join(block))
                        block = None
                    else:
                        block.append(line)
                elif line == '```json':
                    block = []
                elif heading and heading[1] == '##':
                    found = re.fullmatch(r'`cairn (\w+)`', heading[2])
                    command, name = found[1] if found else ALL if heading[2] == ALL else None, None
                elif heading and command:
                    name = heading[2].strip('`').split()[0]
                    self.keys[command, name] = {}
                elif command and name and self.KEY.match(line):
                    key, optional, _, meaning = self.KEY.match(line).groups()
                    self.keys[command, name][key] = (not optional, meaning)

    def add_examples(self, command, name, text):
        try:
            rows = [json.loads(text, object_pairs_hook=once)]
        except ValueError:
            rows = [json.loads(line, object_pairs_hook=once) for line in text.splitlines()]
        for row in rows:
            of = row.get('command', 'flow') if command == ALL else command
            self.examples.setdefault((of, name), []).append(row)


def check_closed(value, where=''):
    """No object of a schema takes a key that it does not name."""
    if isinstance(value, dict):
        if 'properties' in value and value.get('additionalProperties') is not False:
            yield '%s takes any key' % where
        for key, inside in value.items():
            if key == 'properties':
                for name, inner in inside.items():
                    if not re.fullmatch('[a-z][a-z0-9_]*', name):
                        yield '%s: %s is no word in snake_case' % (where, name)
                    if not ('$ref' in inner or inner.get('description')):
                        yield '%s: nothing is said of %s' % (where, name)
                    yield from check_closed(inner, where + '/' + name)
            else:
                yield from check_closed(inside, where + '/' + key)
    elif isinstance(value, list):
        for inside in value:
            yield from check_closed(inside, where)


def check_page(schemas, page, command):
    """The page has the keys of the schema, says the same of each, and has an example of each record."""
    schema = schemas.schemas[command]
    for name, definition in schema['$defs'].items():
        told = {key: (key in definition['required'], inside.get('description', ''))
                for key, inside in definition['properties'].items()}
        got = page.keys.get((command, name), page.keys.get((ALL, name)))
        place = page.keys[ALL, 'place']
        if got is not None:
            if all(told.get(key) == place[key] for key in place):
                got = {**place, **got}
            if definition['properties'].get('type', {}).get('const') == name:
                got = {'type': told['type'], **got}
        same = [of for of in COMMANDS if (of, name) in page.keys and
                schemas.schemas[of]['$defs'][name] == definition]
        if got is None and same:
            continue
        if got is None:
            yield '%s: there is no section on %s' % (command, name)
            continue
        for key in told.keys() - got.keys():
            yield '%s: %s: %s is not on the page' % (command, name, key)
        for key in got.keys() - told.keys():
            yield '%s: %s: %s is not in the schema' % (command, name, key)
        for key in told.keys() & got.keys():
            yield from expect('%s: %s: %s' % (command, name, key), got[key], told[key])
        if name in schemas.kinds(command) and (command, name) in page.keys and \
                not page.examples.get((command, name)):
            yield '%s: there is no example of %s' % (command, name)
    for (of, name), rows in page.examples.items():
        if of == command:
            for row in rows:
                if name in schemas.kinds(command):
                    yield from expect('an example', row['type'], name)
                    yield from schemas.record_problems(command, row)
                else:  # of an object inside of a record
                    for error in schemas.part(command, name).iter_errors(row):
                        yield 'an example of %s: %s' % (name, error.message)


def objects(value):
    """The object, and those inside of it."""
    if isinstance(value, dict):
        yield value
    for inside in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(inside)


class Printed:
    """Runs the program, judges its JSON, and crosses out which examples of the page it printed."""

    def __init__(self, cairn, schemas, page):
        self.cairn, self.schemas = cairn, schemas
        self.llvm = True  # what instructions are called is any string, but on the page
        self.missing = {self.words(command, row) for (command, _), rows in page.examples.items()
                        for row in rows}

    @staticmethod
    def words(command, row):
        """The record but for its sentences, which may be put otherwise."""
        return command, json.dumps({key: value for key, value in row.items() if key not in SENTENCES},
                                   sort_keys=True)

    def check(self, words, folder='.'):
        command, *rest = words
        option = '--summary' if command == 'export' else '--format'
        answer = subprocess.run([*program(self.cairn), command, option, 'json', *map(str, rest)],
                                cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, timeout=TIMEOUT, env=surroundings(self.cairn, self.llvm))
        if answer.returncode not in (0, 1, 2) or not answer.stdout:
            yield '%s: status %d: %s' % (words, answer.returncode, answer.stderr.decode())
            return
        rows = [json.loads(line, object_pairs_hook=once)
                for line in some_of(answer.stdout.decode().splitlines())]
        yield from self.schemas.problems(command, rows)
        if self.missing:
            self.missing -= {self.words(command, row) for whole in rows for row in objects(whole)}

    def check_all(self, arguments, folder='.', listings=LISTINGS):
        for words in listings:
            yield from self.check([*words, *arguments], folder)


# --- captures

CORE_NAMES = {'v9-A': 'ARMv9.3-A', 'v8-A': 'ARMv8.0-A', 'v7-A': 'Cortex-A9', 'v8-R': 'Cortex-R52',
              'v6-M': 'Cortex-M0+', 'v7-M': 'Cortex-M3', 'v8-M': 'Cortex-M33', 'v8.1-M': 'Cortex-M55'}


def scenario_capture(tool, folder, path):
    """A scenario's trace as a raw buffer: (the words that describe it to the program, its folder)."""
    scenario = Scenario(path)
    orders = list(scenario.orders(assemble))
    done = subprocess.run(program(tool), input='\n'.join(orders) + '\n', stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=TIMEOUT)
    if done.returncode:
        raise RuntimeError('%s: %s' % (path, done.stdout[-300:]))
    trace = ''.join(line.split()[2] for line in done.stdout.splitlines()
                    if line.startswith('B ') and len(line.split()) > 2)
    name = os.path.basename(os.path.dirname(path)) + '-' + os.path.basename(path)[:-len('.scn')]
    arguments = ['--frames', 'none', '--core', CORE_NAMES[scenario.options['core']]]
    for order in orders:
        words = order.split()
        if words[0] == 'protocol':
            arguments += ['--protocol', words[1]]
        elif words[0] == 'register':
            arguments += ['--set', '%s=%s' % tuple(words[1:])]
        elif words[0] == 'layer':
            code = '%s/%d.code' % (name, len(arguments))
            folder.write(code, bytes_of(words[-1]))
            arguments += ['--image', '%s@0x%s' % (os.path.basename(code), words[1])]
    folder.write(name + '/trace.bin', bytes_of(trace))
    return [*arguments, 'trace.bin'], os.path.join(folder.path, name)


def vector_captures(folder, top):
    """The packets of tests/protocol/vectors, those of one configuration in one raw buffer."""
    buffers = {}
    vectors = os.path.join(top, 'tests', 'protocol', 'vectors')
    for name in sorted(os.listdir(vectors)):
        kind = 'ptm' if name.startswith('ptm') else 'ete'
        config, start, case = {}, '', None
        with open(os.path.join(vectors, name), encoding='utf-8') as file:
            lines = file.read().replace('\n ', ' ').splitlines() if name.endswith('.vec') else []
        for line in lines + ['']:
            line = line.split('#')[0].strip()
            words = line.split()
            if not words:
                case = None
            elif words[0] == 'case':
                case = dict(config)
                own = start
            elif words[0] == 'config':
                given = {} if case is None and not words[1].count('=') else config if case is None else case
                for word in words[1:]:
                    key, equals, value = word.partition('=')
                    given[key if equals else 'protocol'] = value if equals else word.lower()
                config = given if case is None else config
            elif words[0] == 'start':
                start, own = (line[5:], '') if case is None else (start, line[5:])
            elif case is not None and '|' in line and words[0] != '=':
                settings = tuple(sorted(case.items())) or (('protocol', kind),)
                text = own + ' ' + line.split('|')[0]
                own = ''
                buffers[settings] = buffers.get(settings, b'') + repeated(text)
    for number, (settings, data) in enumerate(sorted(buffers.items())):
        settings = {'protocol': 'ptm' if any('ETM' in key for key, _ in settings) else 'ete', **dict(settings)}
        core = settings.pop('arch', {'ptm': 'v7.0-A', 'etmv3': 'v7.0-A'}.get(settings['protocol'], 'v9.2-A'))
        arguments = ['--frames', 'none', '--protocol', settings.pop('protocol'), '--core', 'ARM' + core]
        for item in settings.items():
            arguments += ['--set', '%s=%s' % item]
        folder.write('vectors-%d/trace.bin' % number, data)
        yield [*arguments, 'trace.bin'], os.path.join(folder.path, 'vectors-%d' % number)


def repeated(text):
    """Bytes in hex, of which one may stand for several: 00*11."""
    data = b''
    for word in text.split():
        byte, _, times = word.partition('*')
        data += bytes.fromhex(byte) * int(times or 1)
    return data


def check_simulation(printed, top):
    """A unit that traces a part, one that traces nothing, and one whose resources do something."""
    feed = ['--image', 'examples/capture/program.elf', '--source', 'ETE_0', '--capture', 'examples/capture']
    for words in (['--clock', '1G', '--list', 'TRCVIIECTLR=1', 'TRCACVR0=0x80000200', 'TRCACVR1=0x8000020f'],
                  ['--events', 'TRCEVENTCTL0R=0x2', 'TRCRSCTLR2=0x20001', 'TRCCNTRLDVR0=50', 'TRCCNTCTLR0=0x10001'],
                  ['--list', '--events', 'TRCVICTLR=0x0'], ['--protocol', 'ptm'], ['--fifo', '64', '--drain', '0']):
        yield from printed.check(['simulate', *words, *feed], top)


def check_vectors(printed, folder, top):
    for arguments, where in vector_captures(folder, top):
        yield from printed.check_all(arguments, where, [['packets'], ['elements']])


def check_scenarios(printed, tool, folder, top, protocol):
    for path in find(os.path.join(top, 'tests', 'scenarios', protocol)):
        if os.path.join(protocol, os.path.basename(path)) in LONG:
            continue
        arguments, where = scenario_capture(tool, folder, path)
        yield from printed.check_all(arguments, where, [['info'], ['elements', '--resolved'], ['flow'],
                                                        *([['data']] if protocol == 'etmv3' else []),
                                                        *([['packets']] if protocol == 'mtb' else [])])


PROGRAM_INI = '''[program]
path=/home/me/crash
argument0=./crash
argument1=7
exit_status=139
signal=SIGSEGV
folder=/home/me
recorder=cairn 0.1.0
host=Linux 6.1.0 on x86_64
guest=qemu-aarch64 version 7.2.22
environment0=LANG=C
[thread ETM_0]
id=4711
name=worker
[module1]
path=/home/me/crash
build_id=1b3dbede93427736ff8ff26d1ea6fafd109eb62b
bias=0x5500000000
address=0x5500000000
length=0xa000
[module2]
path=/home/me/libshop.so
file=module2-libshop.so
bias=0
address=0x1000
length=0x1014
'''


def check_recording(printed, folder):
    """A recording of a program that crashed, whose file is gone and whose library was taken along."""
    capture = folder.snapshot('crash', EXAMPLE_D11_1_1, dumps=[(a, words_of(v)) for a, v in EXAMPLE_PROGRAM.items()])
    with open(os.path.join(capture, 'snapshot.ini'), 'a', encoding='utf-8') as file:
        file.write('[program]\nmetadata=program.ini\n')
    # and one of perf, with the example's trace, whose contexts have the thread's number
    perf, data = traced(), read('trace.bin')
    perf.aux(0, len(data))
    perf.trace(data, 0)
    folder.write('perf.data', perf.file())
    yield from printed.check_all(['perf.data'], folder.path)
    folder.write('crash/program.ini', PROGRAM_INI)
    folder.elf('crash/module2-libshop.so', {a: words_of(v) for a, v in EXAMPLE_PROGRAM.items()},
               [('pay', 0x1000, 4), ('ship', 0x2000, 20)])
    yield from printed.check_all(['crash'], folder.path)


def check_made(printed, folder):
    """Frames with two sources, one that nobody configured, damage, no memory, a source without bytes."""
    damaged = bytes_of('F7 F7 F6') + EXAMPLE_D11_1_1 + bytes_of('07 07 F7') + START + bytes_of('F7 9D 01')
    two = folder.write('two.bin', frames([(0x11, EXAMPLE_D11_1_1), (0x22, damaged), (0x7d, bytes(13)),
                                          (0x70, bytes(26))]) + b'\x23\x01')
    image = folder.program()
    for arguments in ([], image, ['--source', '0x22'], ['--merge', 'time']):
        listings = [words for words in LISTINGS if '--merge' not in arguments or
                    words[0] not in ('info', 'check')]
        yield from printed.check_all(['--protocol', 'ete', '--frames', 'coresight', *arguments, two],
                                     listings=listings)
    noise = folder.write('noise.bin', b'\xf7' * 3000)
    yield from printed.check_all(['--protocol', 'ete', '--frames', 'none', noise])
    empty = folder.write('empty.bin', b'')
    yield from printed.check(['flow', '--protocol', 'ete', '--frames', 'none', empty])
    refused = folder.write('refused.bin', EXAMPLE_D11_1_1)
    for words in LISTINGS:
        yield from printed.check([*words, '--protocol', 'ete', '--set', 'TRCCONFIGR=0xffffffff', refused])
    itm = folder.snapshot('itm', EXAMPLE_D11_1_1, kind='ITM')
    yield from printed.check_all([itm])
    # a source without frames in a buffer that is said to have some: findings that follow from others
    unframed = folder.snapshot('unframed', EXAMPLE_D11_1_1 + b''.join(
        START + bytes((i * j * 37 + 11) % 251 for j in range(1, 13)) for i in range(1, 160)), format_='coresight')
    yield from printed.check(['check', unframed])
    spaces = folder.snapshot('spaces', EXAMPLE_D11_1_1, space='EL1N',
                             dumps=[(0x1000, bytes_of('00040014'))])
    yield from printed.check_all([spaces])


def check_programming(printed, folder):
    """Registers in words, and what is wrong with them."""
    script = folder.write('board.etm', 'write TRCPRGCTLR 0\nwrite TRCVICTLR 0x1\nwrite TRCPRGCTLR 1\n')
    for words in (['registers', 'TRCSYNCPR=0xc'], ['registers', '--explain', 'ETE_0:TRCVICTLR=0x201'],
                  ['registers', '--protocol', 'mtb', 'MASTER=0x80000408'], ['registers', script],
                  ['lint', 'TRCVICTLR=0x1'], ['lint', script],
                  ['lint', 'ETE_0:TRCTRACEIDR=0x10', 'ETE_1:TRCTRACEIDR=0x10']):
        yield from printed.check(words)


# Records that say all there is to say, and what no buffer writes: LASTFAILED, T, a count that is all ones, a
# reserved TYPE, a valid record behind an invalid one.
ODD = '''
BRBFCR_EL1=0x40
BRBCR_EL1=0x3
BRBINF0=0x1000032c43
BRBSRC0=0x80000004
BRBTGT0=0x80000200
BRBINF1=0x3fff00010003
BRBSRC1=0x80000028
BRBTGT1=0x80000000
BRBINF2=0x3f03
BRBSRC2=0x80000028
BRBTGT2=0x80000000
BRBINF3=0
BRBINF4=0x3
BRBSRC4=0x80000028
BRBTGT4=0x80000000
'''
# behind the run of examples/capture: a return that is younger than the trace, and the end of that
LATE = '''BRBFCR=0x10000
BRBCR=0xc00003
BRBINF0=0x400000000543
BRBSRC0=0x9000
BRBTGT0=0x9010
BRBINF1=0x400000000743
BRBSRC1=0x80000204
BRBTGT1=0x80000024
BRBINF2=0x400000002243
BRBSRC2=0x80000024
BRBTGT2=0x80000200
'''


def check_branches(printed, folder, top):
    yield from printed.check(['branches', '--image', 'examples/capture/program.elf', DUMP], top)
    yield from printed.check(['branches', '--oldest-first', folder.write('odd.txt', ODD)])
    run(printed.cairn, 'branches', '--format', 'perf', '--force', '--output', os.path.join(folder.path, 'perf.data'),
        os.path.join(top, DUMP))
    yield from printed.check(['branches', 'perf.data'], folder.path)
    core0, elf = 'examples/branches/core0.txt', 'examples/capture/program.elf'
    yield from printed.check(['branches', '--check', 'examples/capture', '--image', elf, core0], top)
    yield from printed.check(['branches', '--brbe', 'all', '--every', '20', 'examples/capture'], top)
    late = folder.write('late.txt', LATE)
    yield from printed.check(['branches', '--check', 'examples/capture', late], top)
    yield from printed.check(['pgo', '--image', 'examples/capture/program.elf', 'examples/capture'], top)
    lists = os.path.join(folder.path, 'example.lists')
    run(printed.cairn, 'pgo', '--format', 'branch-list', '-o', lists, '--image', os.path.join(top, elf), os.path.join(top, 'examples/capture'))
    yield from printed.check(['pgo', lists])
    perf = Perf()
    perf.event(TID | BRANCH_STACK)
    perf.map(7, 0x1000, 0x1000, 0, '/bin/program')
    perf.sample(perf.pack('II', 7, 7) + perf.words(2) + perf.entry(0x1040, 0x1010, 1) + perf.entry(0x1020, 0x1030))
    yield from printed.check(['pgo', folder.write('stacks.data', perf.file())])
    perf.data *= 2
    yield from printed.check(['pgo', folder.write('cut.data', perf.file(cut=-8))])
    perf = Perf()
    perf.event(CPU | BRANCH_STACK, branches=ANY | HW_INDEX | COUNTERS)
    perf.sample(perf.words(3, 1, 7) + perf.entry(1, 2, abort=1, spec=1) + perf.words(0x3))
    yield from printed.check(['branches', folder.write('killed.data', perf.file(data_size=0))])


def check_counted(printed, folder, top):
    """Counts and calls, with cycles and timestamps, and of a trace with a gap: Cycle Count format 3 (DDI0608 D5.10), a
    Timestamp (D5.56) and a reserved packet."""
    commands = [['calls'], ['profile'], *(['profile', '--by', by] for by in (
        'line', 'block', 'branch', 'instruction', 'thread', 'process')),
        *(['coverage', '--by', by] for by in ('function', 'branch', 'instruction'))]
    trace = folder.write('counted.bin', START + bytes_of('D9 13 02 85 81 01 05') + START + bytes_of('D9'))
    timed = ['--protocol', 'ete', '--frames', 'none', '--set', 'TRCCONFIGR=0x811', *folder.program(), trace]
    for words in commands:
        yield from printed.check([*words, '--image', 'examples/capture/program.elf', 'examples/capture'], top)
        yield from printed.check([*words, *timed])
    # the same in a file by which calls have times of the system
    clock = of_clock(folder, ETE, VIRTUAL, conversion(), stamped(1000) + b'\x05' + stamped(2000))
    yield from printed.check(['calls', '--sysroot', folder.path, clock])
    # a number that two processes had
    made = Recording(folder)
    made.map(7, 0x1000, 'first')
    made.part(10, 7, (0x1000, 2))
    made.fork(7, 5, 15)
    made.map(7, 0x1000, 'first', time=16)
    made.part(20, 7, (0x1000, 3))
    again = made.write('again.data')
    for by in ('thread', 'process'):
        yield from printed.check(['profile', '--by', by, '--sysroot', folder.path, again])
    with open(os.path.join(top, 'examples', 'capture', 'program.bin'), 'rb') as file:
        code = file.read()
    for by, units in (('line', debug.UNITS), ('file', debug.UNITS), ('decision', debug.ONE_LINE)):
        elf = folder.elf(by + '.elf', {debug.BASE: code}, debug.FUNCTIONS, debug.sections(units))
        yield from printed.check(['coverage', '--by', by, '--image', elf, 'examples/capture'], top)
    yield from printed.check(['latency', '--image', 'examples/capture/program.elf', 'examples/capture'], top)
    yield from printed.check(['latency', '--begin', '0x2000', '--end', '0x200c', *timed])
    two = ['--source-a', '0', '--source-b', '1', 'examples/capture']
    for words in (['--by', 'function'], ['--by', 'line'], ['--by', 'block'], ['--coverage']):
        yield from printed.check(['diff', *words, '--image', 'examples/capture/program.elf', *two], top)
        yield from printed.check(['diff', *words, *timed, trace])
    example = os.path.abspath(os.path.join(top, 'examples', 'capture'))
    yield from printed.check(['export', '--force', '-o', 'trace.db', '--image', example + '/program.elf', example], folder.path)
    trace = folder.write('missing.bin', EXAMPLE_D11_1_1)
    yield from printed.check(['coverage', *folder.program({0x1000: EXAMPLE_PROGRAM[0x1000]}), '--protocol', 'ete',
                              '--frames', 'none', trace])


def arm_elf(code, name):
    """An executable for Arm: one segment, at BASE, with one function's name."""
    text = b'\0' + name.encode() + b'\0'
    at = 84 + len(code)
    symbols = bytes(16) + struct.pack('<3I2BH', 1, BASE, len(code), 0, 0x12, 1)
    tables = at + len(symbols) + len(text)
    head = b'\x7fELF' + bytes([1, 1, 1]) + bytes(9) + struct.pack(
        '<2H5I6H', 2, 40, 1, BASE, 52, tables, 0x05000000, 52, 32, 1, 40, 4, 3)
    segment = struct.pack('<8I', 1, 84, BASE, BASE, len(code), len(code), 5, 4)
    sections = [(0,) * 10, (0, 1, 6, BASE, 84, len(code), 0, 0, 4, 0), (0, 2, 0, 0, at, len(symbols), 3, 1, 4, 16),
                (0, 3, 0, 0, at + len(symbols), len(text), 0, 0, 1, 0)]
    return head + segment + code + symbols + text + b''.join(struct.pack('<10I', *one) for one in sections)


# Cycles of an ETMv2's trace port, PIPESTAT and TRACEPKT, of 8 pins with data values and of 4: a reserved header
# and the TFO that decoding goes on with, a branch that cancels, an LSM in progress, what a capture device marks; a
# trigger within a TFO's offset, and a gap nibble.
ETMV2 = {
    '0x14': """7:09 4:20 4:00 4:80 4:00 4:00 1:0e 1:11 7:59 4:22 4:33 4:44 4:12 4:77 4:00 4:00 4:90 4:00 4:00
        0:00 5:8d 4:80 4:80 4:80 4:48 0:00/2 7:09 4:a0 4:00 4:80 4:00 4:00 4:03 0:00/4""",
    '0x04': """7:9 6:0 4:0 4:0 4:2 4:0 4:0 4:0 4:8 4:0 4:0 4:0 4:0 1:6 4:0 4:d 7:9 0:1 6:2 4:6 2:c 4:0 4:0 4:0 4:0 4:0
        4:8 4:0 4:0 4:0 4:0""",
}
# A load at 0x8000 that aborts.
ABORT = '7:09 4:20 4:00 4:80 4:00 4:00 1:a6 4:12 4:89 4:80 4:80 4:80 4:08 0:00 7:00'


def samples(port):
    cycles = [re.split('[:/]', cycle) for cycle in port.split()]
    return b''.join(struct.pack('<BBH', int(cycle[0]), int((cycle + ['0'])[2]), int(cycle[1], 16)) for cycle in cycles)


def check_older(printed, folder):
    """Data with the names of functions, and what few traces of ETMv3, PTM and MTB have."""
    elf, trace = folder.write('data.elf', arm_elf(CODE, 'copy')), folder.write('data.bin', TRACE)
    yield from printed.check_all([*BOTH, '--image', elf, trace])
    v35 = ['--protocol', 'etmv3', '--frames', 'none', '--core', 'Cortex-A7', '--set', 'ETMIDR=0x410cf250',
           '--set', 'ETMCCER=0x344008f2', '--set', 'ETMCR=0x10000000']
    short = folder.write('short.bin', bytes_of('00 00 00 00 00 80' '08 A9 00 00 00 80 83 80 80 80 4C 00' '46 05'))
    yield from printed.check(['packets', *v35, short])
    ptm = ['--protocol', 'ptm', '--frames', 'none', '--core', 'Cortex-A9', '--set', 'ETMIDR=0x411cf301', '--set', 'ETMCR=0x100']
    stranger = folder.write('stranger.bin', bytes_of('00 00 00 00 00 80' '08 00 10 00 00 21' '84'))
    yield from printed.check(['packets', *ptm, stranger])
    for pins, port in ETMV2.items():
        yield from printed.check_all(['--protocol', 'etmv2', '--set', 'ETMCR=' + pins, folder.write('port.bin', samples(port))],
                                     listings=[['info'], ['packets'], ['elements']])
    load = folder.write('load.bin', struct.pack('<I', 0xe5901000)) + '@0x8000'   # ldr r1, [r0]: a data abort
    yield from printed.check(['data', '--protocol', 'etmv2', '--set', 'ETMCR=0x14', '--core', 'ARM1026EJ-S', '--image', load,
                              folder.write('port.bin', samples(ABORT))])
    mtb = ['--protocol', 'mtb', '--core', 'Cortex-M4', '--set', 'POSITION=0x10', '--set', 'MASTER=0x80000001',
           '--set', 'FLOW=0x11', '--set', 'BASE=0x20000000']
    # an exception, a return from it that unstacks floating-point state, the way into lockup
    ring = struct.pack('<8I', 0x201, 0x101, 0x102, 0xffffffe9, 0xffffffe9, 0x200, 0x202, 0xfffffffe)
    yield from printed.check_all([*mtb, folder.write('ring.bin', ring)], listings=[['info'], ['packets']])
    back = struct.pack('<8I', 0x201, 0x101, 0xfffffffe, 0x101, 0xffffffe9, 0x200, 0x202, 0x300)
    yield from printed.check_all([*mtb, folder.write('back.bin', back)], listings=[['packets']])
    yield from check_samples(printed, folder)


def check_samples(printed, folder):
    """ETMv1 on 16 pins: (PIPESTAT, TRACEPKT, flags) of a branch that is given up and one with a reserved reason, of an
    instruction with data that an IRQ cancels, and of a Trigger, of which one stands where cycles are missing."""
    cycles = [(0, 0, 0), (4, 0x8080, 1), (0, 0x8082, 0), (0, 0x6610, 0), (6, 0, 0), (3, 0x1234, 0),
              (4, 0x8080, 1), (4, 0x8082, 0), (0, 0x6620, 0), (0, 0x8080, 1), (3, 0x8082, 0), (0, 0x6620, 0),
              (5, 0x8098, 1), (0, 0xfffc, 0), (0, 0x660f, 0), (4, 0x8080, 1), (0, 0x8082, 0), (0, 0x6650, 0),
              (0, 0, 6)]
    raw = folder.write('samples.bin', b''.join(struct.pack('<BBH', status, flags, packet)
                                               for status, packet, flags in cycles))
    v13 = ['--protocol', 'etmv1', '--core', 'ARM926EJ-S', '--set', 'ETMCR=0x2e', '--set', 'ETMCCR=0x30000000',
           '--set', 'HIVECS=1', '--set', 'BIGENDIAN=1']
    yield from printed.check_all([*v13, raw], listings=[['info'], ['packets'], ['elements']])
    yield from printed.check_all([*v13, '--set', 'VECTORQUIRK=1', raw], listings=[['info']])


def check_met(schemas):
    """Each kind of record was met, and each key of each."""
    for command in COMMANDS:
        for kind in schemas.kinds(command):
            if (command, kind) not in schemas.records:
                yield '%s: no %s was printed' % (command, kind)
        for name, definition in schemas.schemas[command]['$defs'].items():
            for key in definition['properties']:
                if (command, name, key) not in schemas.keys and name not in RECORDED:
                    yield '%s: %s: no %s was printed' % (command, name, key)


def check_words(cairn, capture):
    """What programs had to guess: one spelling, no blanks, null for what is not known."""
    info = run(cairn, 'info', '--format', 'json', capture).rows()[0]
    yield from expect('type', [info.get(key) for key in ('type', 'schema', 'command')], ['info', 1, 'info'])
    version = run(cairn, '--version').out.split()[1]
    yield from expect('version', info['version'], version)
    for source in info['sources']:
        for key in source['configuration'] or {}:
            yield from expect(key, bool(re.fullmatch('[a-z0-9_]+', key)), True)
    for command in COMMANDS[1:]:
        given = os.path.join(capture, '..', '..', DUMP) if command == 'branches' else capture
        if command == 'export':  # its format is that of the file
            continue
        two = [capture] if command == 'diff' else []
        first = run(cairn, command, '--format', 'json', given, *two).all_rows()[0]
        yield from expect(command, first, {'type': 'cairn', 'schema': 1, 'version': version,
                                           'command': command})
    rows = run(cairn, 'flow', '--format', 'json', capture).rows()
    yield from expect('p0 of every range', {row['p0'] for row in rows if row['type'] == 'range'},
                      {'E', 'N', None})


def check_installed(top):
    """`make install` puts the schemas where it says."""
    with open(os.path.join(top, 'docs', 'schema', 'meson.build'), encoding='utf-8') as file:
        text = file.read()
    yield from expect('files', sorted(re.findall(r"'(\w+)\.schema\.json'", text)), sorted(COMMANDS))
    yield from expect_in('folder', "'cairn' / 'schema'", text)


def main():
    cairn, top, tool = os.path.abspath(sys.argv[1]), sys.argv[2], os.path.abspath(sys.argv[3])
    tap = Tap()
    example = os.path.join(top, 'examples', 'capture')
    tap.case('the words of every command', check_words(cairn, example))
    tap.case('the schemas are installed', check_installed(top))
    if not jsonschema:
        tap.skip('the schemas', WANTED)
        tap.end()
    schemas = Schemas(top)
    page = Page(os.path.join(top, 'docs', 'json.md'))
    printed = Printed(cairn, schemas, page)
    for command in COMMANDS:
        schema = schemas.schemas[command]
        jsonschema.Draft202012Validator.check_schema(schema)
        tap.case('%s: the schema names every key' % command, check_closed(schema['$defs']))
        tap.case('%s: the page' % command, check_page(schemas, page, command))
    tap.case('the example capture', [
        *printed.check_all(['examples/capture'], top),
        *printed.check_all(['--image', 'examples/capture/program.elf', 'examples/capture'], top)])
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        tap.case('captures made by hand', check_made(printed, folder))
        tap.case('a recording made by hand', check_recording(printed, folder))
        tap.case('captures of older protocols made by hand', check_older(printed, folder))
        tap.case('the programming of trace units', check_programming(printed, folder))
        tap.case('records of branches', check_branches(printed, folder, top))
        tap.case('counts and calls', check_counted(printed, folder, top))
        tap.case('simulated trace units', check_simulation(printed, top))
        tap.case('vectors of every packet', check_vectors(printed, folder, top))
        printed.llvm = False  # of many short listings it would take half of the time
        if sanitized(cairn):
            tap.skip('scenarios', 'the sanitizers are too slow for it')
        elif assembler():
            for protocol in ('ete', 'etmv4', 'etmv3', 'ptm', 'mtb'):
                tap.case('scenarios of ' + protocol, check_scenarios(printed, tool, folder, top, protocol))
            tap.case('every record and key was met', check_met(schemas))
            tap.case('the examples of the page were printed',
                     ['%s: %s' % row for row in sorted(printed.missing)])
        else:
            tap.skip('scenarios', 'llvm-mc is not installed (Debian: llvm-19)')
    real = captures()
    if real is None:
        tap.skip('snapshots', 'CAIRN_CAPTURES is not set')
    for name, path in (real or [])[::3 if sanitized(cairn) else 1]:
        tap.case(name, printed.check_all([path]))
    tap.end()


if __name__ == '__main__':
    main()
