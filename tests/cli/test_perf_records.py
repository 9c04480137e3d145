#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Of which event, processor, trace unit and name records of a perf.data file are. Files are made by hand, with loops of
which a turn has 3 instructions (first) or 2 (second), so that what is right is counted by hand.

usage: test_perf_records.py CAIRN
"""
import os
import sys
import tempfile

from common import Folder, Tap, expect, run
from perf_file import AUX, CALLCHAIN, COMM, CPU, ETE, ID, ID_INDEX, IDENTIFIER, IP, MMAP2, PERIOD, RAW_TRACE, READ_ID, TID, TIME, TRACE_TYPE, TRACED, USER, Perf
from test_perf_process import EXEC, UNIT, turns
from test_whose import of_loops


def functions(cairn, folder, path, *arguments):
    """({file: instructions}, what was said)"""
    done = run(cairn, 'profile', '--format', 'json', '--sysroot', folder.path, *arguments, path)
    return {os.path.basename(row['object']): row['instructions'] for row in done.rows() if row['type'] == 'function'}, ' '.join(done.err.split())


def check_synthesized(cairn, folder):
    """What perf tells of before recording has the identifier 0, and ends as records of the first event do, whatever other
    events there are (evlist__event2evsel of perf): it is there from the beginning on, up to the exec."""
    files = of_loops(folder)
    for name, first, others in (('alike', TRACED, [dict(sample_type=TRACED)]), ('a period', TRACED, [dict(sample_type=TRACED | IP | PERIOD)]),
                                ('call chains', TRACED | IP, [dict(sample_type=TRACED | IP | CALLCHAIN)]), ('other counts', TRACED, [dict(sample_type=TRACED, read_format=READ_ID)]),
                                ('no IDENTIFIER', TID | TIME | ID | CPU, [dict(sample_type=TID | TIME | ID | CPU | PERIOD)]),
                                ('another end', TRACED, [dict(sample_type=TRACED | IP | PERIOD), dict(sample_type=TIME | IDENTIFIER)])):
        for order in '<>':
            perf, data = Perf(order), b''
            perf.event(first, ids=[1], identified=True, kind=TRACE_TYPE)
            for n, other in enumerate(others):
                perf.event(ids=[2 + n], identified=True, kind=1, **other)
            perf.units(1, (ETE, 3, UNIT))

            def end(time, event):
                if event == 3:
                    return perf.words(time, event)
                return perf.pack('IIQQII', 7, 7, time, event, 3, 0) if first & ID else perf.pack('IIQIIQ', 7, 7, time, 3, 0, event)

            def mapped(loop, time, event):
                perf.record(MMAP2, perf.pack('IIQQQIIQQII', 7, 7, 0x1000, *files[loop], 8, 1, 2, 3, 5, 2) + perf.text('/' + loop) + end(time, event))
            mapped('first', 0, 0)
            for time, count in ((10, 2), (20, 4), (30, 5)):
                if time == 20:
                    perf.record(COMM, perf.pack('II', 7, 7) + perf.text('second') + end(15, 2), EXEC | USER)
                    mapped('second', 16, len(others) + 1)
                part = turns(7, (0x1000, count))
                perf.record(AUX, perf.words(len(data), len(part), RAW_TRACE) + end(time, 1), 0)
                data += part
            perf.trace(data, 0, 3)
            got, said = functions(cairn, folder, folder.write('synthesized.data', perf.file()))
            yield from expect('%s %s: %s' % (name, order, said), got, {'first': 3 * 2, 'second': 2 * (4 + 5)})


def check_index(cairn, folder):
    """Parts that do not say their processor are of the one that ID_INDEX has for their event."""
    files = of_loops(folder)
    perf = Perf()
    perf.event(TID | TIME | IDENTIFIER, ids=[11, 12], identified=True, kind=TRACE_TYPE)
    perf.units(1, *[(ETE, cpu, UNIT) for cpu in (3, 4)])
    perf.record(ID_INDEX, perf.words(2, 11, 0, 3, 2 ** 64 - 1, 12, 1, 4, 2 ** 64 - 1), 0)
    perf.record(MMAP2, perf.pack('IIQQQIIQQII', 7, 7, 0x1000, *files['first'], 8, 1, 2, 3, 5, 2) + perf.text('/first') + perf.pack('IIQQ', 7, 7, 0, 0))
    for cpu, event, count in ((3, 11, 2), (4, 12, 5)):
        data = turns(7, (0x1000, count))
        perf.record(AUX, perf.words(0, len(data), RAW_TRACE) + perf.pack('IIQQ', 7, 7, 10, event), 0)
        perf.trace(data, 0, cpu)
    path = folder.write('index.data', perf.file())
    for arguments, expected in (((), 3 * (2 + 5)), (('--cpu', 3), 3 * 2), (('--cpu', 4), 3 * 5)):
        got, said = functions(cairn, folder, path, *arguments)
        yield from expect('%r: %s' % (arguments, said), got, {'first': expected})
        yield from expect('nothing is wrong', 'AUX' in said, False)


def main():
    cairn = os.path.abspath(sys.argv[1])
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix='cairn-records-') as path:
        for name, check in (('what there was before', check_synthesized), ('parts by ID_INDEX', check_index)):
            os.mkdir(os.path.join(path, check.__name__))
            tap.case(name, check(cairn, Folder(os.path.join(path, check.__name__))))
    tap.end()


if __name__ == '__main__':
    main()
