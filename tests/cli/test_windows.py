#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Parts of a listing: --last, --first, --function, --around, --between, offsets from the end, and a
capture through a pipe. What a part has is worked out here from the whole listing, which is decoded
from its beginning on, and each way of decoding has to print the same part.

usage: test_windows.py CAIRN"""
import functools
import json
import os
import re
import subprocess
import sys
import tempfile

from common import EXAMPLE_D11_1_1, START, Tap, expect, expect_in, run, sanitized, words

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'examples', 'capture')
WAYS = [['--jobs', '1'], ['--jobs', '2'], ['--reference']]
INSTRUCTION = re.compile(r'^[0-9a-f]+( [EN?])?$')
LINES_MOST = 20000  # of a whole listing that is looked at


@functools.lru_cache(maxsize=4)
def whole_addresses(cairn, capture, source):
    """All of a source, decoded once."""
    return addresses(cairn, capture, source)


def addresses(cairn, capture, source, *arguments):
    """The lines of a source, without its heading."""
    answer = run(cairn, 'flow', '--format', 'addresses', '--source', source, *arguments, capture)
    lines = answer.lines()
    return lines[1:] if lines and lines[0].startswith('# source') else lines


def executed(lines):
    """Where the instructions are, by line."""
    return [i for i, line in enumerate(lines) if INSTRUCTION.match(line)]


def first_difference(what, got, wanted):
    if got == wanted:
        return []
    for i, (a, b) in enumerate(zip(got + [None], wanted + [None])):
        if a != b:
            return ['%s: line %d is %r, expected %r (%d lines, expected %d)' %
                    (what, i, a, b, len(got), len(wanted))]
    return ['%s: %d lines, expected %d' % (what, len(got), len(wanted))]


def last_of(lines, count):
    """From the count-th last instruction on; everything if there are no more."""
    at = executed(lines)
    return lines[at[-count]:] if count < len(at) else lines


def first_of(lines, count):
    """Up to the count-th instruction, and its data transfers."""
    at = executed(lines)
    if count > len(at):
        return lines
    end = at[count - 1] + 1
    while end < len(lines) and lines[end].startswith('# data '):
        end += 1
    return lines[:end]


def address_of(line):
    return int(line.split()[0], 16)


def around(lines, context, is_mark):
    """So many instructions before and behind each mark, -- where something is left out."""
    at = executed(lines)
    wanted = set()
    for i, line in enumerate(lines):
        if not is_mark(line):
            continue
        before = [k for k in at if k < i][-context:] if context else []
        behind = [k for k in at if k > i][:context]
        begin = before[0] if len(before) == context and context else (0 if context else i)
        wanted.update(range(begin, i + 1))
        end = behind[-1] if behind and len(behind) == context else len(lines) - 1
        wanted.update(range(i + 1, end + 1) if context else [])
    out, last = [], None
    for i in sorted(wanted):
        if last is not None and i != last + 1:
            out.append('# --')
        out.append(lines[i])
        last = i
    return out


@functools.lru_cache(maxsize=1)
def sources_of(cairn, capture):
    """What the program says of each source, by name."""
    answer = run(cairn, 'info', '--format', 'json', capture, llvm=False)
    try:
        found = json.loads(answer.out)
    except ValueError:
        return {}
    return {source['name']: source for source in found.get('sources', [])}


def check_last(cairn, capture, source, lines):
    failures = []
    count = len(executed(lines))
    for last in sorted({1, 2, 17, count // 3, count - 1, count, count + 5} - {0, -1}):
        for way in WAYS:
            got = addresses(cairn, capture, source, '--last', last, *way)
            failures += first_difference('--last %d %s' % (last, way), got, last_of(lines, last))
    return failures


def check_first(cairn, capture, source, lines):
    failures = []
    count = len(executed(lines))
    for first in sorted({1, 5, count // 2} - {0}):
        got = addresses(cairn, capture, source, '--first', first)
        failures += first_difference('--first %d' % first, got, first_of(lines, first))
    got = addresses(cairn, capture, source, '--last', 9, '--first', 4)
    failures += first_difference('--last 9 --first 4', got, first_of(last_of(lines, 9), 4))
    return failures


def check_around(cairn, capture, source, lines):
    """Around an address that is executed now and then, and around exceptions."""
    failures = []
    at = executed(lines)
    if not at:
        return []
    chosen = lines[at[len(at) // 2]].split()[0]
    for context in (0, 3):
        wanted = around(lines, context, lambda line: INSTRUCTION.match(line) and
                        line.split()[0] == chosen)
        for way in WAYS:
            got = addresses(cairn, capture, source, '--around', '0x' + chosen, '--context', context,
                            *way)
            failures += first_difference('--around 0x%s --context %d %s' % (chosen, context, way), got,
                                         wanted)
        wanted = around(lines, context, lambda line: line.startswith('# exception ') and
                        not line.startswith('# exception return'))
        wanted = wanted or ['# there is no such exception here']
        got = addresses(cairn, capture, source, '--around', 'exception', '--context', context)
        failures += first_difference('--around exception --context %d' % context, got, wanted)
    return failures


def inside(lines, low, high):
    """What is between two addresses, and the events before anything else is executed."""
    out, within, apart = [], False, False
    for line in lines:
        if INSTRUCTION.match(line):
            within = low <= address_of(line) < high
        apart = apart or not within
        if within:
            out += ['# --'] if apart and out else []
            out.append(line)
            apart = False
    return out


def check_range(cairn, capture, source, lines):
    """Instructions between two addresses, whatever is there, without a name: those that are executed often,
    and now and then."""
    at = executed(lines)
    failures = []
    for place in sorted({at[len(at) // 2], at[len(at) // 3], at[-1]}) if at else []:
        low = address_of(lines[place]) & ~0x3f
        high = low + 0x40
        wanted = inside(lines, low, high)
        for way in WAYS:
            got = addresses(cairn, capture, source, '--function', '0x%x..0x%x' % (low, high - 1), *way)
            failures += first_difference('--function 0x%x..0x%x %s' % (low, high, way), got, wanted)
    return failures


def rows(cairn, capture, source, command, *arguments):
    """Without LLVM: which instructions there are is looked at here, and what they are called in the full text."""
    answer = run(cairn, command, '--format', 'json', '--source', source, *arguments, capture, llvm=False)
    found = []
    for line in answer.lines():
        row = json.loads(line)
        if 'offset' in row:
            found.append(row)
    return found


@functools.lru_cache(maxsize=8)
def whole_rows(cairn, capture, source, command):
    """All of a source, decoded once."""
    return rows(cairn, capture, source, command)


def offset_of(row):
    return int(row['offset'], 16) if isinstance(row['offset'], str) else row['offset']


def check_offsets(cairn, capture, source, command):
    """--from at several places, from the beginning and, at every third of them, from the end."""
    failures = []
    whole = whole_rows(cairn, capture, source, command)
    if not whole or len(whole) > LINES_MOST:
        return []
    packets = whole_rows(cairn, capture, source, 'packets')
    size = max(offset_of(row) + row['length'] for row in packets)
    for part in range(1, 8):
        place = size * part // 8
        wanted = [row for row in whole if offset_of(row) >= place]
        got = rows(cairn, capture, source, command, '--from', '0x%x' % place)
        failures += first_difference('%s --from 0x%x' % (command, place), got, wanted)
        if part % 3 != 1:
            continue
        got = rows(cairn, capture, source, command, '--from', -(size - place), '--to', -(size // 16))
        wanted = [row for row in wanted if offset_of(row) < size - size // 16]
        failures += first_difference('%s --from -%d --to -%d' % (command, size - place, size // 16),
                                     got, wanted)
    return failures


def check_records(cairn, capture, source, command):
    """--last and --first of packets and elements, which count these."""
    whole = whole_rows(cairn, capture, source, command)
    if not whole or len(whole) > LINES_MOST:
        return []
    failures = []
    for count in sorted({1, 7, len(whole) // 2, len(whole), len(whole) + 3} - {0}):
        got = rows(cairn, capture, source, command, '--last', count)
        failures += first_difference('%s --last %d' % (command, count), got, whole[-count:])
        got = rows(cairn, capture, source, command, '--first', count)
        failures += first_difference('%s --first %d' % (command, count), got, whole[:count])
    return failures


def check_between(cairn, capture, source, lines):
    times = [int(line.split()[2], 16) for line in lines
             if line.startswith('# timestamp 0x')]
    if len(times) < 4:
        return []
    low, high = times[len(times) // 4], times[len(times) // 2]
    if low > high:
        low, high = high, low
    wanted, time = [], None
    apart = False
    for line in lines:
        if line.startswith('# timestamp 0x'):
            time = int(line.split()[2], 16)
        if time is not None and low <= time <= high:
            if apart and wanted:
                wanted.append('# --')
            apart = False
            wanted.append(line)
        else:
            apart = True
    failures = []
    for way in WAYS:
        got = addresses(cairn, capture, source, '--between', '0x%x..0x%x' % (low, high), *way)
        failures += first_difference('--between 0x%x..0x%x' % (low, high), got, wanted)
    return failures


def plain(line):
    """An instruction with what JSON tells of it: E, N, or nothing."""
    return line[:-2] if line.endswith(' ?') else line


def expanded(found, by_instruction):
    """The instructions of ranges of JSON; what stands on a range is said of its last one. Where the trace tells of every
    instruction that it was executed, the lines of addresses say so of branches alone."""
    lines = []
    for row in found:
        for code in row['code']:
            lines.append(code['address'][2:])
        lines[-1] += ' ' + row['p0'] if row['p0'] and not by_instruction else ''
    return lines


def tells_instructions(cairn, capture, source):
    return sources_of(cairn, capture)[source]['protocol'].startswith(('ETMv1', 'ETMv2', 'ETMv3'))


def check_cut_ranges(cairn, capture, source, lines):
    """Ranges of which a part is wanted are cut, in JSON and with --ranges: to the instructions of the part, no more."""
    at = executed(lines)
    middle = address_of(lines[at[len(at) // 2]])
    low = middle & ~0x3f
    by_instruction = tells_instructions(cairn, capture, source)
    if by_instruction:
        lines = [line.split()[0] if INSTRUCTION.match(line) else line for line in lines]
    inside = [plain(lines[i]) for i in at if low <= address_of(lines[i]) < low + 0x40]
    whole = [plain(lines[i]) for i in at]
    marked = [i for i, line in enumerate(whole) if int(line.split()[0], 16) == middle]
    near = sorted({k for i in marked for k in range(i - 3, i + 4) if 0 <= k < len(whole)})
    failures = []
    for arguments, wanted in ((['--last', 1], whole[-1:]), (['--last', 2], whole[-2:]), (['--last', 17], whole[-17:]),
                              (['--first', 1], whole[:1]), (['--first', 5], whole[:5]),
                              (['--last', 9, '--first', 4], whole[-9:][:4]),
                              (['--function', '0x%x..0x%x' % (low, low + 0x3f)], inside),
                              (['--around', '0x%x' % middle, '--context', 3], [whole[k] for k in near])):
        ranges = [row for row in rows(cairn, capture, source, 'flow', *arguments) if row['type'] == 'range']
        failures += first_difference('%s' % arguments, expanded(ranges, by_instruction), wanted)
        failures += expect('%s: counts' % arguments, [row['instructions'] for row in ranges],
                           [len(row['code']) for row in ranges])
        bare = [row for row in rows(cairn, capture, source, 'flow', '--ranges', *arguments) if row['type'] == 'range']
        failures += first_difference('%s --ranges' % arguments, bare,
                                     [{key: row[key] for key in row if key != 'code'} for row in ranges])
        text = run(cairn, 'flow', '--ranges', '--source', source, *arguments, capture, llvm=False).lines()
        found = [re.match(r'(?:.* )?([0-9a-f]+)  ([0-9a-f]+)  +(?:[EN?] +)?(\d+)(?:  |$)', line) for line in text
                 if not line.startswith('--')]
        failures += first_difference('%s --ranges, text' % arguments,
                                     [(int(row[1], 16), int(row[2], 16), int(row[3])) for row in found if row],
                                     [(int(row['address'], 16), int(row['end'], 16), row['instructions'])
                                      for row in ranges])
    return failures


def check_own_totals(cairn, capture, source, lines):
    """Cycles are the same, and their totals are all less by as much."""
    cycles = re.compile(r'^# cycles (\d+|unknown) total (\d+)$')
    wanted = [cycles.match(line) for line in last_of(lines, 40)]
    got = [cycles.match(line) for line in
           addresses(cairn, capture, source, '--last', 40, '--own-totals')]
    wanted, got = [[(row[1], int(row[2])) for row in part if row] for part in (wanted, got)]
    if not wanted:
        return []
    return first_difference('--own-totals',
                            [(count, total - got[0][1]) for count, total in got],
                            [(count, total - wanted[0][1]) for count, total in wanted])


def check_people(cairn, capture, source):
    """Instructions and what is said of them are those of the whole listing; times and counts begin with the part."""
    code = re.compile(r'(?:^| )([0-9a-f]+ {2}[EN ]  [^ +].*)$')
    whole, got = ([found[1] for found in map(code.search, run(cairn, 'flow', '--source', source, *part, capture).lines())
                   if found] for part in ((), ('--last', 12)))
    if not whole:
        return ['no instruction was found in the listing']
    return first_difference('text', got, whole[-12:])


def check_text(cairn, capture, source):
    """The lines of the full text are those of the whole listing, below the headings. Without LLVM: with it the text that
    people read was compared."""
    whole = run(cairn, 'flow', '--format', 'full', '--source', source, capture, llvm=False).lines()
    if len(whole) > LINES_MOST:
        return []
    got = run(cairn, 'flow', '--format', 'full', '--source', source, '--last', 12, capture, llvm=False).lines()
    part = [line for line in got if not line.startswith('==') and not line.rstrip().endswith(':')]
    whole = [line for line in whole if not line.startswith('==') and not line.rstrip().endswith(':')]
    # The first range may be cut: its first line then has no offsets.
    trimmed = [line[23:] for line in part]
    return first_difference('text', trimmed, [line[23:] for line in whole][-len(trimmed):])


def check_capture(tap, cairn, name, capture, most):
    for source in sources_of(cairn, capture):
        lines = whole_addresses(cairn, capture, source)
        if not executed(lines) or len(lines) > most:
            continue
        checks = [('last', check_last, [lines]), ('first', check_first, [lines]), ('around', check_around, [lines]),
                  ('range of addresses', check_range, [lines]), ('ranges that are cut', check_cut_ranges, [lines]),
                  ('between', check_between, [lines]), ('own totals', check_own_totals, [lines]),
                  ('text', check_people, []), ('full text', check_text, []),
                  *((command + ' from', check_offsets, [command]) for command in ('flow', 'packets', 'elements')),
                  *((command + ' last, first', check_records, [command]) for command in ('packets', 'elements'))]
        if sanitized(cairn):  # some of each source, others of the next
            check_capture.turn += 1
            checks = checks[check_capture.turn % 3::3]
        for what, check, arguments in checks:
            tap.case('%s %s: %s' % (name, source, what), check(cairn, capture, source, *arguments))


check_capture.turn = 0


def visits(lines, first, end):
    """The lines of each visit: from one entry at `first` to the next. What is before the first entry
    is no visit."""
    found, inside = [], False
    for line in lines:
        if not INSTRUCTION.match(line):
            if inside and found:
                found[-1].append(line)
            continue
        address = address_of(line)
        if address == first:
            found.append([])
        inside = first <= address < end
        if inside and found:
            found[-1].append(line)
    return found


def check_function(cairn):
    """`report` and `weigh` of the example, by the addresses that its assembler file gives."""
    failures = []
    nm = subprocess.run(['nm', '-n', os.path.join(EXAMPLES, 'program.elf')], check=True,
                        stdout=subprocess.PIPE).stdout.decode()
    symbols = sorted((int(line.split()[0], 16), line.split()[2]) for line in nm.splitlines())
    for name in ('weigh', 'report', 'handler', 'small'):
        first = next(address for address, symbol in symbols if symbol == name)
        end = next(address for address, symbol in symbols if address > first)
        for source in ('ETE_0', 'ETM_1'):
            found = visits(whole_addresses(cairn, EXAMPLES, source), first, end)
            for arguments, part in (([], found), (['--last', 2], found[-2:]),
                                    (['--first', 1], found[:1]),
                                    (['--last', 3, '--first', 1], found[-3:][:1])):
                as_rows = [rows(cairn, EXAMPLES, source, 'flow', '--image',
                                os.path.join(EXAMPLES, 'program.elf'), '--function', name,
                                *arguments, *way) for way in WAYS]
                failures += expect('%s %s %s: rows' % (source, name, arguments),
                                   [way == as_rows[0] and bool(way) for way in as_rows],
                                   [bool(found)] * len(WAYS))
                for way in WAYS:
                    got = addresses(cairn, EXAMPLES, source, '--image',
                                    os.path.join(EXAMPLES, 'program.elf'), '--function', name,
                                    *arguments, *way)
                    failures += first_difference('%s %s %s' % (source, name, arguments),
                                                 [line for line in got if INSTRUCTION.match(line)],
                                                 [line for visit in part for line in visit
                                                  if INSTRUCTION.match(line)])
    return failures


def check_crash(cairn):
    """The example's last exceptions are Calls, which are no faults."""
    got = addresses(cairn, EXAMPLES, 'ETE_0', '--around', 'crash', '--context', 2)
    failures = expect('crash', got, ['# there is no fault here'])
    got = addresses(cairn, EXAMPLES, 'ETE_0', '--around', '0x12344')
    failures += expect('no such address', got, ['# nothing there was executed here'])
    whole = addresses(cairn, EXAMPLES, 'ETE_0')
    got = addresses(cairn, EXAMPLES, 'ETE_0', '--around', 'exception=call', '--context', 2, '--last', 1)
    wanted = around(whole, 2, lambda line: line.startswith('# exception Call'))
    failures += first_difference('exception=call', got, wanted)
    return failures


def check_wrong(cairn):
    failures = []
    for arguments, words in (
            (['--last', 'x'], '--last x: expected how many instructions'),
            (['--last', '0'], '--last 0: expected how many instructions'),
            (['--first', '-3'], '--first -3: expected how many instructions'),
            (['--context', '5'], '--context is how much is listed around an event'),
            (['--around', 'crash', '--context', 'x'], '--context x: expected how many instructions'),
            (['--between', '7'], '--between 7: expected two timestamps'),
            (['--between', '9..7'], '--between 9..7: expected the earlier time first'),
            (['--function', 'nobody'], '--function nobody'),
            (['--function', 'weigh', '--around', 'crash'], 'do not go together'),
            (['--summary', '--last', '5'], '--summary is of whole sources'),
            (['--from', '-2', '--to', '-4'], '--from is behind --to'),
            (['--from', '-x'], 'expected an offset')):
        answer = run(cairn, 'flow', *arguments, EXAMPLES)
        failures += expect('status of %s' % arguments, answer.status, 2)
        failures += expect('output of %s' % arguments, answer.out, '')
        failures += expect_in('message of %s' % arguments, words, answer.err)
    return failures


# A loop of four instructions at 0x1000 (Arm ARM C6.2: ADD X0, X0, #1 three times, B .-12), and an Atom
# packet of format 6 that is 24 times E (DDI0608 D5.46): 96 instructions a byte.
LOOP = [0x91000400, 0x91000400, 0x91000400, 0x17fffffd]
MANY = b'\xd4'
SEGMENT = 4000
SEGMENTS = 1000  # 384 million instructions in 4 MB


def measured(*arguments):
    """Output, seconds of processor and MiB of memory."""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(list(map(str, arguments)), stdout=out, stdin=subprocess.DEVNULL)
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        out.seek(0)
        return out.read().decode().splitlines(), usage.ru_utime + usage.ru_stime, usage.ru_maxrss >> 10


def check_long(cairn):
    """Of much trace the end, a function's last visits and what is around an event come at once."""
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        trace, image = os.path.join(folder, 'trace'), os.path.join(folder, 'image')
        with open(trace, 'wb') as file:
            for _ in range(SEGMENTS):
                file.write(START + MANY * SEGMENT)
        with open(image, 'wb') as file:
            file.write(words(LOOP))
        size = os.path.getsize(trace)
        common = ['--protocol', 'ete', '--frames', 'none', '--format', 'addresses', '--image',
                  image + '@0x1000', trace]
        round_ = ['1000', '1004', '1008', '100c E']
        for arguments, wanted in (
                (['--last', 5], ['100c E'] + round_),
                (['--last', 1000], round_ * 250),
                (['--from', -1], round_ * 24),
                (['--from', size - 2, '--to', -1], round_ * 24),
                (['--around', '0x1004', '--context', 1, '--last', 1], ['1000', '1004', '1008']),
                (['--function', '0x1008..0x100b', '--last', 2], ['1008', '# --', '1008']),
                (['--function', '0x1008..0x100b', '--first', 2], ['1008', '# --', '1008'])):
            lines, seconds, memory = measured(cairn, 'flow', *arguments, *common)
            failures += first_difference(str(arguments), lines[1:], wanted)
            if seconds > 5:
                failures.append('%s: %.1f s of processor' % (arguments, seconds))
            if memory > 100 and not os.environ.get('MESON_EXE_WRAPPER') and seconds < 1:
                failures.append('%s: %d MiB' % (arguments, memory))
    return failures


def piped(cairn, data, *arguments):
    done = subprocess.run([cairn, *map(str, arguments)], input=data, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def check_pipe(cairn):
    """A raw buffer through a pipe is what it is as a file, but for its name."""
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for name, data in (('short', EXAMPLE_D11_1_1), ('long', EXAMPLE_D11_1_1 + START * 20000)):
            path = os.path.join(folder, 'stdin')
            with open(path, 'wb') as file:
                file.write(data)
            for command in (['packets', '--last', '50'], ['flow', '--from', '-100'], ['info']):
                options = ['--protocol', 'ete', '--frames', 'none']
                as_file = run(cairn, *command, *options, path)
                for given in ('-', '/dev/stdin'):
                    status, out, err = piped(cairn, data, *command, *options, given)
                    failures += expect('%s %s %s: status' % (name, command, given), status,
                                       as_file.status)
                    if command[0] != 'info':
                        failures += expect('%s %s %s' % (name, command, given), out, as_file.out)
                        continue
                    _, json_, _ = piped(cairn, data, *command, '--format', 'json', *options, given)
                    failures += expect('%s %s: no path of its own' % (name, given), '/proc/' in out + json_, False)
                    failures += expect('%s %s: path' % (name, given), json.loads(json_)['buffers'][0]['path'], None)
    status, out, err = piped(cairn, b'', 'flow', '--protocol', 'ete', '-')
    failures += expect('nothing through the pipe: status', status, 2)
    failures += expect_in('nothing through the pipe', 'stdin: the file is empty', err + out)
    status, out, err = piped(cairn, b'\x7fELF' + bytes(60), 'flow', '--protocol', 'ete', '-')
    failures += expect('a program through the pipe: status', status, 2)
    failures += expect_in('a program through the pipe', 'stdin: is no trace buffer but an ELF file', err)
    return failures


def main():
    cairn = sys.argv[1]
    if 'CAIRN_FULL' not in os.environ or sanitized(cairn):
        del WAYS[0]  # what two threads are used for, one does as well
    most = LINES_MOST // 8 if sanitized(cairn) else LINES_MOST
    tap = Tap()
    tap.case('wrong options', check_wrong(cairn))
    tap.case('function, against nm', check_function(cairn))
    tap.case('crash, and exceptions by name', check_crash(cairn))
    tap.case('the end of much trace', check_long(cairn))
    tap.case('through a pipe', check_pipe(cairn))
    check_capture(tap, cairn, 'example', EXAMPLES, most)
    captures = os.environ.get('CAIRN_CAPTURES')
    snapshots = os.path.join(captures, 'snapshots') if captures else ''
    if not os.path.isdir(snapshots):
        tap.skip('snapshots', 'CAIRN_CAPTURES is not set')
    else:
        for name in sorted(os.listdir(snapshots)):
            if os.path.isdir(os.path.join(snapshots, name)):
                check_capture(tap, cairn, name, os.path.join(snapshots, name), most)
    tap.end()


if __name__ == '__main__':
    main()
