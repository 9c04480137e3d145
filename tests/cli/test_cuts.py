#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A source may end anywhere: nothing of its last packet is lost, whichever way it is decoded.

usage: test_cuts.py CAIRN

Traces are cut at 2,000 places. The elements of what is left are those that the whole trace has up to there,
and the reference path and the engine give the same flow. The whole trace is the first listing's own
witness: the batches of the levels end where they happen to, and a cut must not show where that is.
"""
import bisect
import os
import random
import shutil
import sys
import tempfile

from common import (START, Folder, Tap, bytes_of, captures, expect, framed_exactly, run,
                    sanitized)

FIRST_ID = 0x10
CUTS_A_FILE = 20     # each a source of its own
SYNTHETIC_CUTS = 1640
CAPTURE_CUTS = 360   # of all snapshots together
BATCH = 4096         # elements that a level of the program takes at a time
CODE = 0x1000
CODE_WORDS = 0x400

# Atom formats 1 to 3, 5 and 6 (DDI0608 D5.40 to D5.45): 1 to 24 atoms a packet.
SHORT = bytes_of('F6 F7 D8 D9 DA DB F8 F9 FA FB FC FD FE FF F5 D5 D6 D7')
ATOMS_24 = bytes_of('D4 F4')  # COUNT is 20: 23 E and one more
SIX = bytes_of('C0 C5 E3 F4')


def program(folder):
    """Nothing but conditional branches inside it: any atoms can be followed, for ever."""
    chance = random.Random(11)
    code = []
    for at in range(CODE_WORDS):
        ahead = chance.randrange(CODE_WORDS) - at
        code.append(0x54000000 | (ahead & 0x7ffff) << 5 if at % 2 else 0xd503201f)  # B.EQ, NOP
    code[-1] = 0x14000000 | (1 - CODE_WORDS) & 0x3ffffff  # B, to the first
    return folder.program({CODE: code})


def atoms(size):
    chance = random.Random(5)
    return START + bytes(chance.choices(SHORT + 4 * ATOMS_24 + SIX, k=size))


def rows_of(answer):
    """{source: its elements but the gap at the end}"""
    out = {}
    for row in answer.rows():
        row.pop('file_offset', None)
        out.setdefault(row.pop('source'), []).append(row)
    for rows in out.values():
        while rows and rows[-1]['kind'] == 'Gap':
            rows.pop()
    return out


def check_elements(cairn, arguments, whole, ends, start, resolved):
    extra = ['--resolved'] if resolved else []
    answer = run(cairn, 'elements', '--format', 'json', '--from', start, *extra, *arguments)
    got = list(rows_of(answer).values())
    yield from expect('sources', len(got), len(ends))
    # of the whole those that can be wanted, its rows being in the order of their offsets
    first, behind = (bisect.bisect_left(whole, at, key=lambda row: row['offset']) for at in (start, ends[-1]))
    for end, rows in zip(ends, got):
        wanted = [row for row in whole[first:behind] if row['offset'] + row['length'] <= end]
        if rows != wanted:
            yield 'cut at %d: %d elements, expected %d' % (end, len(rows), len(wanted))


def check_flow(cairn, arguments, what):
    wanted = run(cairn, 'flow', '--summary', *arguments)
    got = run(cairn, 'flow', '--summary', '--reference', *arguments)
    yield from expect(what + ': status', got.status, wanted.status)
    yield from expect(what + ': flow', got.out, wanted.out)


def check_window(cairn, folder, basic, trace, whole, start):
    ends = list(range(start + 1, start + 1 + CUTS_A_FILE))
    path = folder.write('cut.bin', b''.join(framed_exactly(FIRST_ID + n, trace[:end])
                                            for n, end in enumerate(ends)))
    arguments = [*basic, '--frames', 'coresight', path]
    for resolved in (False, True):
        yield from check_elements(cairn, arguments, whole[resolved], ends, start, resolved)
    yield from check_flow(cairn, arguments, 'cuts from %d' % ends[0])


def check_long_enough(rows):
    """The control: several batches of elements have been filled, by packets of 24 atoms as well."""
    if len(rows) < 5 * BATCH:
        yield 'only %d elements' % len(rows)
    offsets = [row['offset'] for row in rows]
    yield from expect('offsets in order', offsets == sorted(offsets), True)


def check_last_packet(cairn, folder, basic):
    """24 atoms in the last packet, at each place that they can have at the end of a batch."""
    many = ATOMS_24[:1] * (BATCH // 48 - 2)  # each atom has an implied Commit
    for more in range(64):
        before = START + many + bytes_of('F7') * more
        path = folder.write('last.bin', before + ATOMS_24[:1])
        arguments = [*basic, '--frames', 'none', path]
        out = run(cairn, 'elements', '--format', 'json', '--from', len(before), *arguments)
        yield from expect('24 atoms behind %d bytes' % len(before),
                          [row['kind'] for row in out.rows()], ['Atom', 'Commit'] * 24)
        yield from check_flow(cairn, arguments, '24 atoms behind %d bytes' % len(before))


def trace_files(path):
    return [name for name in sorted(os.listdir(path)) if name.endswith('.bin') and
            any('file=' + name in line.replace(' ', '').lower() or 'file=' + name in line.replace(' ', '')
                for ini in os.listdir(path) if ini.lower().startswith('trace')
                for line in open(os.path.join(path, ini), errors='replace'))]


def check_snapshot(cairn, name, path, count):
    chance = random.Random(name)
    with tempfile.TemporaryDirectory() as top:
        copy = os.path.join(top, name)
        shutil.copytree(path, copy)
        traces = trace_files(copy)
        if not traces:
            yield 'no trace file'
            return
        trace = os.path.join(copy, traces[0])
        os.chmod(trace, 0o644)
        ends = sorted((chance.randrange(1, os.path.getsize(trace) + 1) for _ in range(count)), reverse=True)
        for end in ends:  # each time less is left
            os.truncate(trace, end)
            yield from check_flow(cairn, [copy], 'cut at %d' % end)


def main():
    cairn = sys.argv[1]
    less = 20 if 'CAIRN_QUICK' in os.environ else 10 if sanitized(cairn) else 1
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        basic = ['--protocol', 'ete', '--set', 'TRCCONFIGR=0x1801', '--set', 'TRCIDR8=0', *program(folder)]
        tap.case('24 atoms in the last packet', check_last_packet(cairn, folder, basic))
        size = SYNTHETIC_CUTS + len(START)
        trace = atoms(size)
        raw = folder.write('whole.bin', trace + bytes_of('F7') * 9)  # the whole ends elsewhere
        whole = []
        for extra in ([], ['--resolved']):
            rows = rows_of(run(cairn, 'elements', '--format', 'json', *extra, *basic, '--frames', 'none', raw))
            whole.append(list(rows.values())[0])
        tap.case('the trace is long', check_long_enough(whole[0]))
        for start in range(len(START), size, CUTS_A_FILE * less):
            tap.case('cuts from %d' % start, check_window(cairn, folder, basic, trace, whole, start))
    real = captures()
    if real is None:
        tap.skip('snapshots', 'CAIRN_CAPTURES is not set')
    for name, path in real or []:
        tap.case('cuts of ' + name, check_snapshot(cairn, name, path,
                                                   CAPTURE_CUTS // len(real) // less + 1))
    tap.end()


if __name__ == '__main__':
    main()
