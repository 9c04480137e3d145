#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Debug information that is compressed, or in other files than the program: the answers are those of the same debug information
as it is kept by default, of which test_coverage.py knows by hand what they are. Then what answers tell by it: source files,
where functions are declared, and lines of text.

usage: test_debug.py CAIRN
"""
import json
import os
import re
import struct
import sys
import tempfile

from common import Folder, Tap, expect, expect_in, run
from debug import BASE, FUNCTIONS, UNITS, moved, sections
from debug_common import common
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
    path = image.partition('@')[0]
    return [(one.status, one.out.replace(path, 'IMAGE'), one.err.replace(path, 'IMAGE')) for one in got]


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


def check_common(cairn, folder):
    """The same answers with the common file where it can be; where it is not here, or is another one, `check` and what asks for
    inlined functions say which one is missing."""
    build_id, name = bytes(range(0x60, 0x74)), 'common/of.debug'
    wanted = answers(cairn, elf(folder, 'plain.elf', sections(UNITS)))
    mine, shared = common(UNITS, name, build_id)
    for place, path, options in (
            ('beside', 'dwz-beside/' + name, ()), ('by build-id', 'dwz-id/.build-id/60/%s.debug' % build_id.hex()[2:], ('dwz-id',)),
            ('in .dwz', 'dwz-in/.dwz/of.debug', ('dwz-in',)), ('by name', 'dwz-name/' + name, ('dwz-name',)),
            ('by last name', 'dwz-last/of.debug', ('dwz-last',))):
        image = elf(folder, path.split('/')[0] + ('/prog.elf' if not options else '-away/prog.elf'), mine)
        folder.elf(path, {0: bytes(8)}, [], shared)
        options = [word for one in options for word in ('--debug-dir', os.path.join(folder.path, one))]
        yield from compare(place, answers(cairn, image, *options), wanted)
        told = run(cairn, 'check', '--all', '--image', image, *options, CAPTURE)
        yield from expect(place, 'DEBUG-MISSING' in told.out, False)
    image = elf(folder, 'dwz-gone/prog.elf', mine)
    folder.elf('dwz-stale/of.debug', {0: bytes(8)}, [], common(UNITS, name, build_id[::-1])[1])
    for options in ((), ('--debug-dir', os.path.join(folder.path, 'dwz-stale'))):
        told = run(cairn, 'check', '--all', '--image', image, *options, CAPTURE)
        for part in ('%s: names, and functions that are inlined, are missing of its debug information: they are in %s, which is '
                     'not here (dwz -m)' % (image, name), '[CAIRN-DEBUG-MISSING]', 'tell its folder by --debug-dir'):
            yield from expect_in('check %r' % (options,), part, told.out)
        got = run(cairn, 'coverage', '--format', 'lcov', '--image', image, *options, CAPTURE)
        yield from expect_in('coverage', 'they are in %s, which is not here' % name, got.err)
        yield from expect_in('lines', 'DA:12,', got.out)


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


ANSWERS = (['coverage', '--by', 'line', '--format', 'json'], ['profile', '--by', 'line', '--format', 'json'],
           ['profile', '--format', 'json'], ['profile', '--format', 'callgrind'], ['profile', '--format', 'speedscope'],
           ['profile', '--annotate', 'weigh'], ['flow', '--source-lines', '--function', 'weigh'])


def files_in(out):
    """What ends in a name of a source file."""
    return set(re.findall(r'[^\s"(]*\b[abh]\.[ch]\b', out))


def check_paths(cairn, folder):
    """A folder of a line table is below the one that the compiler ran in: each answer has the whole path, and no "..", and the
    text that stands there, wherever it is asked."""
    root = os.path.join(folder.path, 'tree')
    names = ['sub/a.c', 'include/h.h', 'b.c']
    for name in names:
        folder.write('tree/' + name, ''.join('text %d\n' % i for i in range(1, 50)))
    units = [dict(UNITS[0], folder=root + '/build', folders=['../sub', 'out/../../include'], files=[('a.c', 1), ('h.h', 2)]),
             dict(UNITS[1], folder=root + '/build', folders=['../include'], files=['../b.c', ('h.h', 1)])]
    whole = {'%s/%s' % (root, name) for name in names}
    image = ['--image', elf(folder, 'paths.elf', sections(units)), CAPTURE]
    for question in ANSWERS:
        got, what = run(cairn, *question, *image), ' '.join(question)
        yield from expect(what, got.status, 0)
        found = files_in(got.out)
        if not found or not found <= whole:
            yield '%s: %r are not below %s' % (what, found - whole, root)
        if '--annotate' in question or '--source-lines' in question:
            yield from expect_in(what, 'sub/a.c:30  text 30\n', got.out)
    for place in ('tree/sub/a.c:30', 'sub/a.c:30', 'a.c:30', root + '/sub/a.c:30'):
        got = run(cairn, 'flow', '--function', place, '--format', 'addresses', *image)
        yield from expect(place, set(line[:8] for line in got.out.splitlines() if line[0] != '#'), {'8000002c'})
    # a listing has it as the compiler was given it, where it is below
    units = [dict(unit, folder=root, folders=['sub', 'include'], files=files)
             for unit, files in zip(UNITS, ([('a.c', 1), ('h.h', 2)], ['b.c', ('h.h', 2)]))]
    image = elf(folder, 'below.elf', sections(units))
    got = run(cairn, 'flow', '--source-lines', '--function', 'weigh', '--image', image, CAPTURE)
    yield from expect_in('flow', ' sub/a.c:30  text 30\n', got.out)


def check_declared(cairn, folder):
    """A function is told where debug.py says that it is declared: not where its first instruction is from, which of handler is
    what was inlined there."""
    wanted = {name: (unit['files'][file - 1], line) for unit in UNITS for name, file, line, *_ in unit['functions']}
    image = ['--image', elf(folder, 'plain.elf', sections(UNITS)), CAPTURE]
    for command in ('profile', 'coverage'):
        rows = [row for row in run(cairn, command, '--format', 'json', *image).rows() if row['type'] == 'function']
        yield from expect(command, {row['function']: (row['file'], row['line']) for row in rows if row['function']}, wanted)
    text = run(cairn, 'profile', *image).out
    for name, (file, line) in wanted.items():
        yield from expect_in('text', '  %s  %s:%d' % (name, os.path.basename(file), line), text)
    frames = json.loads(run(cairn, 'profile', '--format', 'speedscope', *image).out)['shared']['frames']
    yield from expect('speedscope', {one['name'].split(': ')[-1]: (one['file'], one['line']) for one in frames if 'file' in one}, wanted)
    callgrind = run(cairn, 'profile', '--format', 'callgrind', *image).out
    files = dict(re.findall(r'^(?:fl|fi|fe|cfi)=(\(\d+\)) (/src/.*)$', callgrind, re.M))
    names = dict(re.findall(r'^c?fn=(\(\d+\)) (\w+)$', callgrind, re.M))
    heads = re.findall(r'^fl=(\(\d+\)).*\nfn=(\(\d+\))', callgrind, re.M)
    yield from expect('callgrind', {names[name]: files[file] for file, name in heads},
                      {name: file for name, (file, _) in wanted.items()})


def check_texts(cairn, folder):
    """Lines of a source come to a terminal without what that would act on, and with what stands behind a NUL."""
    root = os.path.join(folder.path, 'text')
    lines = ['%d\r' % i for i in range(1, 50)]
    lines[29] = 'a\tred \x1b[31m bell \a nul \0 behind \x7f c1 \x9b \u00e9\r'
    for name in ('a.c', 'b.c', 'h.h'):
        folder.write('text/' + name, '\n'.join(lines) + '\n')
    units = [dict(unit, folder=root, files=[os.path.basename(file) for file in unit['files']]) for unit in UNITS]
    image = ['--image', elf(folder, 'texts.elf', sections(units)), CAPTURE]
    wanted = 'red  [31m bell   nul   behind   c1   \u00e9\n'
    for command in (['coverage', '--by', 'line'], ['profile', '--annotate', 'weigh'], ['flow', '--source-lines', '--function', 'weigh']):
        got = run(cairn, *command, *image)
        yield from expect_in(' '.join(command), wanted, got.out)
        yield from expect_in(' '.join(command), 'a ' + ' ' * 6 + wanted, got.out)
        bad = [letter for letter in got.out if letter != '\n' and (letter < ' ' or '\x7f' <= letter < '\xa0')]
        yield from expect(' '.join(command), bad, [])


def dropped(start, end, line):
    """What a linker leaves of a function that it dropped: (function, (rows, end))."""
    inlined = [('twice', 2, 4, start, start + 8, 1, line + 1)]
    rows = [(start, 1, line, True), (start + 4, 1, line + 1, True), (start + 0x10, 1, line + 2, True)]
    return ('dead%d' % line, 1, line, start, start + end, inlined), (rows, start + end)


def with_dropped(units, start):
    """Two such functions in the first unit, and a whole unit of them in front of it."""
    functions, sequences = zip(dropped(start, 0x20, 70), dropped(start, 0x2c, 80), dropped(start, 0x240, 90))
    other = {'name': 'd.c', 'folder': '/src', 'files': ['/src/d.c', '/src/h.h'], 'range': (start, start + 0x240),
             'rows': sequences[2][0], 'functions': [functions[2]]}
    first = {**units[0], 'functions': list(functions[:2]) + units[0]['functions'], 'more': list(sequences[:2])}
    return [other, first] + units[1:]


def with_ranges(debug, base, offset):
    """And a unit, with a function, whose addresses are a list of ranges (DWARF 4, 2.17.3): what these are counted from is what
    the linker puts where there is no address."""
    found = dict(debug)
    abbreviations = found['.debug_abbrev'][:-1]
    abbreviations += bytes([21, 0x11, 1, 0x03, 0x08, 0x1b, 0x08, 0x55, 0x17, 0, 0, 22, 0x2e, 0, 0x03, 0x08, 0x3a, 0x0b, 0x3b, 0x0b, 0x55, 0x17, 0, 0, 0])
    body = bytes([21]) + b'r.c\0/src\0' + bytes(4)
    body += bytes([22]) + b'ranged\0' + bytes([1, 95]) + bytes(4) + b'\0'
    unit = struct.pack('<IHIB', len(body) + 7, 4, 0, 8) + body
    ranges = struct.pack('<6Q', 2**64 - 1, base, offset, offset + 0x18, 0, 0)
    return [('.debug_abbrev', abbreviations), ('.debug_info', unit + found['.debug_info']), ('.debug_line', found['.debug_line']),
            ('.debug_ranges', ranges)]


def check_dropped(cairn, folder):
    """Code that the linker dropped is nowhere, be the program's own at low addresses."""
    low = 0x10
    for name, base in (('at-zero', 0), ('low', low)):
        units = [moved(unit, BASE - base) for unit in UNITS]
        functions = [(function, address - BASE + base, size) for function, address, size in FUNCTIONS]
        at = '@0x%x' % (BASE - base)

        def image(kind, debug):
            return folder.elf('%s/%s/prog.elf' % (name, kind), {base: CODE}, functions, debug) + at

        wanted = answers(cairn, elf(folder, name + '/there/prog.elf', sections(UNITS)))
        yield from expect_in('the question', 'DA:12,', wanted[0][1])
        yield from compare(name, answers(cairn, image('plain', sections(units))), wanted)
        # GNU ld and gold; lld
        for kind, start in (('zero', 0), ('minus-one', 2**64 - 1), ('minus-two', 2**64 - 2)):
            debug = sections(with_dropped(units, start))
            yield from compare(name + ' ' + kind, answers(cairn, image(kind, debug)), wanted)
            yield from compare(name + ' ' + kind + ' zstd', answers(cairn, image(kind + '-zstd', packed(debug, 'zstd'))), wanted)
            got = run(cairn, 'flow', '--function', 'd.c:91', '--image', image(kind, debug), CAPTURE)
            yield from expect('a line that is not there', (got.status, got.out), (2, ''))
        # counted from where nothing is, they would be of code that is there: 1 is what newer ones put into such lists
        for kind, start in (('one', 1), ('minus-one', 2**64 - 1), ('minus-two', 2**64 - 2)):
            debug = with_ranges(sections(units), start, 4 - (start if start == 1 else start - 2**64))
            yield from compare('%s ranges from %s' % (name, kind), answers(cairn, image('ranges-' + kind, debug)), wanted)
            got = run(cairn, 'flow', '--function', 'ranged', '--image', image('ranges-' + kind, debug), CAPTURE)
            yield from expect('a function that is not there', (got.status, got.out), (2, ''))


def main():
    cairn, tap = sys.argv[1], Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        tap.case('sections that are compressed', check_packed(cairn, folder))
        tap.case('functions in other files, or in a package of them', check_split(cairn, folder))
        tap.case('files that are not here', check_missing(cairn, folder))
        tap.case('what files have in common', check_common(cairn, folder))
        tap.case('what the linker dropped', check_dropped(cairn, folder))
        tap.case('files that are damaged', check_damaged(cairn, folder))
        tap.case('files below the folder of the compilation', check_paths(cairn, folder))
        tap.case('functions are where they are declared', check_declared(cairn, folder))
        tap.case('texts that a terminal would act on', check_texts(cairn, folder))
    tap.end()


if __name__ == '__main__':
    main()
