#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Debug information that is compressed, or in other files than the program: the answers are those of the same debug information
as it is kept by default, of which test_coverage.py knows by hand what they are.

usage: test_debug.py CAIRN
"""
import os
import sys
import tempfile

from common import Folder, Tap, expect, expect_in, run
from debug import BASE, FUNCTIONS, UNITS, sections
from debug_split import package, packed, split

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
CAPTURE = os.path.join(TOP, 'examples', 'capture')
with open(os.path.join(CAPTURE, 'program.bin'), 'rb') as program:
    CODE = program.read()

QUESTIONS = (['coverage', '--format', 'lcov'], ['profile', '--by', 'line', '--format', 'json'],
             ['flow', '--source-lines', '--function', 'weigh'], ['flow', '--function', 'twice', '--format', 'addresses'])


def elf(folder, name, more):
    return folder.elf(name, {BASE: CODE}, FUNCTIONS, more)


def dwo(folder, name, more):
    return folder.elf(name, {0: bytes(8)}, [], more)


def answers(cairn, image, *options):
    """Without what says where the file is."""
    got = [run(cairn, *question, *options, '--image', image, CAPTURE) for question in QUESTIONS]
    return [(one.status, one.out.replace(image, 'IMAGE'), one.err.replace(image, 'IMAGE')) for one in got]


def compare(what, got, wanted):
    for question, one, other in zip(QUESTIONS, got, wanted):
        yield from expect('%s: %s' % (what, ' '.join(question)), one, other)


def check_packed(cairn, folder):
    wanted = answers(cairn, elf(folder, 'plain.elf', sections(UNITS)))
    yield from expect_in('the question', 'DA:5,38\n', wanted[0][1])
    for kind in ('zlib', 'gnu', 'zstd'):
        yield from compare(kind, answers(cairn, elf(folder, kind + '.elf', packed(sections(UNITS), kind))), wanted)
    # What cannot be unpacked is none: a wrong size, one beyond belief, a way of packing that nobody knows.
    name, data, flags = packed(sections(UNITS), 'zstd')[1]
    for what, at, value in (('size', 8, 9), ('huge', 14, 0x7f), ('kind', 0, 9)):
        bad = data[:at] + bytes([value]) + data[at + 1:]
        image = elf(folder, what + '.elf', [(name, bad, flags)] + packed(sections(UNITS)[::2], 'zlib'))
        got = run(cairn, 'coverage', '--by', 'instruction', '--image', image, CAPTURE)
        yield from expect(what, got.status, 0)
        yield from expect_in(what, 'instructions          21 of         22', got.out)


SPLITS = [(5, False), (5, True), (4, False)]


def check_split(cairn, folder):
    """The same answers with the other files where they can be."""
    wanted = answers(cairn, elf(folder, 'plain.elf', sections(UNITS)))
    for version, by_number in SPLITS:
        case = '%d%s' % (version, '-by-number' if by_number else '')
        mine, others = split(UNITS, version, by_number)
        for kind in (None, 'zlib', 'zstd'):
            place = '%s-%s/' % (case, kind)
            image = elf(folder, place + 'beside/prog.elf', packed(mine, kind) if kind else mine)
            for name, parts in others.items():
                dwo(folder, place + 'beside/' + name, packed(parts, kind) if kind else parts)
            yield from compare(place + 'beside', answers(cairn, image), wanted)
            image = elf(folder, place + 'there/prog.elf', mine)
            yield from compare(place + '--debug-dir',
                               answers(cairn, image, '--debug-dir', os.path.join(folder.path, place + 'beside')), wanted)
            # below a copy of the folder that the compiler ran in
            for name, parts in others.items():
                dwo(folder, place + 'root/src/' + name, parts)
            yield from compare(place + 'a copy of the root',
                               answers(cairn, image, '--debug-dir', os.path.join(folder.path, place + 'root')), wanted)
            whole = packed(package(others), kind) if kind else package(others)
            dwo(folder, place + 'packages/prog.elf.dwp', whole)
            yield from compare(place + 'package in --debug-dir',
                               answers(cairn, image, '--debug-dir', os.path.join(folder.path, place + 'packages')), wanted)
            dwo(folder, place + 'there/prog.elf.dwp', whole)
            yield from compare(place + 'package beside', answers(cairn, image), wanted)
            image = elf(folder, place + 'debug/prog.debug', mine)
            dwo(folder, place + 'debug/prog.dwp', whole)
            yield from compare(place + 'package of what was split off', answers(cairn, image), wanted)


def check_missing(cairn, folder):
    """Lines are known, and of functions that is said which is not here."""
    for version, by_number in SPLITS:
        mine, others = split(UNITS, version, by_number)
        image = elf(folder, 'away%d.elf' % version, mine)
        got = run(cairn, 'coverage', '--format', 'lcov', '--image', image, CAPTURE)
        yield from expect('status', got.status, 0)
        yield from expect_in('lines', 'DA:5,', got.out)
        for part in ('cairn coverage: %s: the functions of 2 source files' % image, 'in /src/a.dwo and others, which are not here',
                     '--debug-dir', 'dwp -e'):
            yield from expect_in('what is said', part, got.err)
        got = run(cairn, 'check', '--all', '--image', image, CAPTURE)
        for part in ('the functions of 2 source files', '/src/a.dwo and others', '[CAIRN-DEBUG-MISSING]', '--debug-dir'):
            yield from expect_in('check', part, got.out)
        # of another build: the number is another
        parts = others['a.dwo']
        at = 12 if version == 5 else 13
        info = bytearray(parts[0][1])
        info[at] ^= 1
        dwo(folder, 'stale/a.dwo', [(parts[0][0], bytes(info))] + parts[1:])
        dwo(folder, 'stale/b.dwo', others['b.dwo'])
        got = run(cairn, 'coverage', '--format', 'lcov', '--debug-dir', os.path.join(folder.path, 'stale'), '--image', image, CAPTURE)
        yield from expect_in('another build', 'the functions of a source file, and what is inlined in them, are not known by debug '
                             'information: that is in /src/a.dwo, which is not here', got.err)
        # nothing is asked: nothing is said
        got = run(cairn, 'calls', '--image', image, CAPTURE)
        yield from expect('calls', got.err, '')


def check_damaged(cairn, folder):
    """Other files that are cut off or made of other bytes: functions are lost, and nothing else."""
    for version in (5, 4):
        mine, others = split(UNITS, version)
        image = elf(folder, 'hurt/prog.elf', mine)
        whole = dwo(folder, 'hurt/prog.elf.dwp', package(others))
        one = dwo(folder, 'hurt/a.dwo', others['a.dwo'])
        for path, step in ((whole, 19), (one, 23)):
            with open(path, 'rb') as file:
                good = file.read()
            for at in range(64, len(good), step):
                for bad in (good[:at] + b'\xff' + good[at + 1:], good[:at]):
                    with open(path, 'wb') as file:
                        file.write(bad)
                    got = run(cairn, 'coverage', '--by', 'instruction', '--image', image, CAPTURE)
                    yield from expect('%s, byte %d' % (path, at), got.status, 0)
                    yield from expect_in('%s, byte %d' % (path, at), 'instructions          21 of         22', got.out)
            os.unlink(path)


def main():
    cairn, tap = sys.argv[1], Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        tap.case('sections that are compressed', check_packed(cairn, folder))
        tap.case('functions in other files, or in a package of them', check_split(cairn, folder))
        tap.case('files that are not here', check_missing(cairn, folder))
        tap.case('files that are damaged', check_damaged(cairn, folder))
    tap.end()


if __name__ == '__main__':
    main()
