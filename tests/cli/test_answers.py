#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What commands that answer do alike: a source that cannot be configured is heard of, so is trace that could not be followed. Files are
made by hand, as in test_perf_process.py, so that what is right is counted by hand.

usage: test_answers.py CAIRN
"""
import os
import sys
import tempfile

from common import Folder, Tap, expect, expect_in, run
from perf_file import ETE, RAW_TRACE, TRACE_TYPE, TRACED, Perf
from test_perf_process import UNIT, Recording, turns
from test_findings import with_holes
from test_whose import of_loops

NO_UNIT = [0] * 8  # registers that no trace unit has: TRCIDR2.IASIZE is 0


def of_units(folder, name, *units):
    """Of each CPU from 3 on the same two turns of a loop, by units with these registers."""
    files, perf = of_loops(folder), Perf()
    perf.event(TRACED, ids=[1], identified=True, kind=TRACE_TYPE, user_only=True)
    perf.units(1, *[(ETE, 3 + i, unit) for i, unit in enumerate(units)])
    perf.map(7, 0x1000, *files['first'], '/first', time=0)
    data = turns(7, (0x1000, 2))
    for cpu in range(3, 3 + len(units)):
        perf.aux(0, len(data), RAW_TRACE, cpu, tid=7, time=10)
        perf.trace(data, 0, cpu)
    return folder.write(name, perf.file())


def answers(folder, path):
    """The commands that answer, each with what it needs."""
    for command in (['profile'], ['coverage'], ['calls'], ['latency', '--function', 'f'], ['pgo'], ['flow'], ['diff', path],
                    ['export', '--force', '-o', folder.path + '/made.db'], ['count', '--force', '-o', folder.path + '/made.counts']):
        yield [*command, '--sysroot', folder.path]


def check_refused(cairn, folder):
    """A source without a usable configuration is named, with what is wrong; of nothing else there is no answer."""
    for name, units, status, source in (('second.data', (UNIT, NO_UNIT), 1, 'cpu4'), ('only.data', (NO_UNIT,), 2, 'cpu3')):
        path = of_units(folder, name, *units)
        for command in answers(folder, path):
            done = run(cairn, *command, path)
            what = '%s of %s' % (command[0], name)
            if command[0] != 'latency':  # nothing calls f
                yield from expect('status of ' + what, done.status, status)
            yield from expect_in(what, 'TRCIDR2 is 0x00000000: IASIZE', done.err)
            yield from expect_in(what, ' %s: ' % source, done.err)


def check_lost(cairn, folder):
    """`count` says what could not be followed, as `profile` does."""
    made = Recording(folder)
    made.map(7, 0x1000, 'first')
    made.part(10, 7, (0x1000, 2), (0x9000, 1))  # where nothing is mapped
    some = made.write('some.data')
    made = Recording(folder)
    made.part(10, 7, (0x9000, 2))
    nothing = made.write('nothing.data')
    for path, says in ((some, 'trace could not be followed, and what they tell is not counted'), (nothing, 'nothing was executed, as far as this trace could be followed')):
        for command in (['profile'], ['count', '-o', path + '.counts']):
            done = run(cairn, *command, '--sysroot', folder.path, path)
            yield from expect_in('%s %s' % (command[0], path), says, done.err)
            yield from expect('status of %s %s' % (command[0], path), done.status, 2 if path == nothing and command[0] == 'profile' else 1)
    made = Recording(folder)
    made.map(7, 0x1000, 'first')
    made.part(10, 7, (0x1000, 2))
    path = made.write('all.data')
    done = run(cairn, 'count', '-o', path + '.counts', '--sysroot', folder.path, path)
    yield from expect('nothing lost', (done.status, done.err), (0, ''))


def check_holes(cairn, folder):
    """Trace that is not in the file is lost for all: the commands end alike, and `check` counts what loses data."""
    path = with_holes(folder)
    for command in (['flow'], ['profile'], ['coverage'], ['check']):
        yield from expect('status of %s' % command[0], run(cairn, *command, '--sysroot', folder.path, path).status, 1)
    rows = run(cairn, 'check', '--format', 'json', '--sysroot', folder.path, path).rows()
    yield from expect('what loses data', [(row['code'], row['where'], row['count']) for row in rows if row['type'] == 'finding' and row['loses_data']],
                      [('CAIRN-TRACE-LOST', 'cpu3', 2)])
    yield from expect('counted', [row['losing_data'] for row in rows if row['type'] == 'result'], [1])
    whole = Recording(folder)
    whole.map(7, 0x1000, 'first')
    whole.part(10, 7, (0x1000, 2))
    whole.part(20, 7, (0x1000, 1))
    for command in 'flow', 'check':
        yield from expect('status of %s of all' % command, run(cairn, command, '--sysroot', folder.path, whole.write('all.data')).status, 0)


def main():
    cairn = os.path.abspath(sys.argv[1])
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix='cairn-answers-') as path:
        for name, check in (('sources that cannot be configured', check_refused), ('trace that could not be followed', check_lost),
                            ('trace that is not in the file', check_holes)):
            os.mkdir(os.path.join(path, check.__name__))
            tap.case(name, check(cairn, Folder(os.path.join(path, check.__name__))))
    tap.end()


if __name__ == '__main__':
    main()
