#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cairn coverage of code without debug information: counts are those of what was executed, whichever way it is decoded; what
never ran, what failed and what cannot be known are told apart. tests/feeds/test_coverage.py has lines.

usage: test_coverage.py CAIRN
"""
import collections
import os
import sys
import tempfile

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
    known = range(first, first + 4 * len(EXAMPLE_PROGRAM[first]))
    if any(int(row['address'], 16) in known for row in told):
        yield 'it has an image: %r' % told


def check_ways(cairn):
    for form in ('text', 'json', 'html', 'drcov'):
        for by in ('function', 'instruction', 'branch'):
            wanted = run(cairn, 'coverage', '--reference', '--format', form, '--by', by, *PROGRAM, CAPTURE)
            got = run(cairn, 'coverage', '--jobs', '3', '--format', form, '--by', by, *PROGRAM, CAPTURE)
            if (wanted.raw, wanted.status) != (got.raw, got.status):
                yield '%s by %s: not what the reference has' % (form, by)


def check_page(cairn):
    page = run(cairn, 'coverage', '--format', 'html', *PROGRAM, CAPTURE).out
    for part in ('<!DOCTYPE html>', 'prefers-color-scheme', '95.4 %', '>weigh<', '</html>'):
        yield from expect_in('the page', part, page)
    for part in ('http:', 'https:', 'src='):
        if part in page:
            yield 'the page wants something from elsewhere: %s' % part


def check_wrong(cairn, folder):
    for arguments, message in (
            ([], 'which capture?'), (['--by', 'lien', CAPTURE], 'Did you mean line?'),
            (['--format', 'icov', CAPTURE], 'Did you mean lcov?'), ([CAPTURE, os.path.join(folder.path, 'none')], 'none'),
            (['--binary', 'nothing', *PROGRAM, CAPTURE], 'program.elf'),
            (['--format', 'lcov', *PROGRAM, CAPTURE], '--debug-dir'), (['--by', 'file', *PROGRAM, CAPTURE], '--debug-dir'),
            (['--source-path', 'x', CAPTURE], 'FROM=TO')):
        answer = run(cairn, 'coverage', *arguments)
        yield from expect('%s: status' % arguments, (answer.status, answer.out), (2, ''))
        yield from expect_in('%s' % arguments, message, answer.err)
    path = folder.write('there', b'kept')
    answer = run(cairn, 'coverage', '-o', path, *PROGRAM, CAPTURE)
    yield from expect_in('a file that is there', '--force', answer.err)
    image = folder.write('program.elf', open(os.path.join(CAPTURE, 'program.elf'), 'rb').read())
    answer = run(cairn, 'coverage', '--force', '-o', image, '--image', image, CAPTURE)
    yield from expect_in('a file that is read', 'choose another', answer.err)
    with open(path, 'rb') as file:
        yield from expect('the file', file.read(), b'kept')


def main():
    cairn, tap = sys.argv[1], Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        tap.case('instructions and branches are counted as they were executed', check_counts(cairn))
        tap.case('functions, and what of them did not run', check_functions(cairn))
        tap.case('what cannot be known', check_unknown(cairn, folder))
        tap.case('each way of decoding', check_ways(cairn))
        tap.case('the page needs nothing else', check_page(cairn))
        tap.case('what is wrong is said', check_wrong(cairn, folder))
    tap.end()


if __name__ == '__main__':
    main()
