#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The program as a part of pipelines: a reader that goes away, a full disk, Ctrl-C, long traces.

usage: test_streams.py CAIRN
"""
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

from common import START, Folder, Tap, bytes_of, expect, expect_in

SOON = 5.0          # seconds; a listing of the whole trace would take longer than its reader waits
MEMORY = 64 << 20   # bytes that a listing may need, whatever the trace's length
LOOP = {0x1000: [0x14000000]}  # B .
ATOMS = bytes_of('D4')         # Atom format 6 (DDI0608 D5.46): 24 E
LONG = START + ATOMS * 1_500_000


def start(cairn, *arguments, **options):
    return subprocess.Popen([cairn, *map(str, arguments)], stdin=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, **options)


def check_closed_pipe(cairn, command, *arguments):
    """`| head -1`: one line, then nothing to say and status 0."""
    begun = time.monotonic()
    process = start(cairn, *command, *arguments, stdout=subprocess.PIPE)
    line = process.stdout.readline()
    first = time.monotonic() - begun
    process.stdout.close()
    error = process.stderr.read()
    status = process.wait()
    yield from expect('status', status, 0)
    yield from expect('stderr', error, b'')
    yield from expect('a whole first line', line[-1:], b'\n')
    if first > SOON or time.monotonic() - begun > 2 * SOON:
        yield 'the first line took %.1f s, the end %.1f s' % (first, time.monotonic() - begun)


def check_interrupt(cairn, *arguments):
    process = start(cairn, 'flow', *arguments, stdout=subprocess.PIPE)
    head = process.stdout.read(1 << 16)
    process.send_signal(signal.SIGINT)
    rest = process.stdout.read()
    error = process.stderr.read().decode()
    status = process.wait()
    yield from expect('status', status, 130)
    yield from expect('the listing ends with a whole line', (head + rest)[-1:], b'\n')
    yield from expect_in('stderr', 'stopped in long.bin at source offset 0x', error)
    if len(head + rest) > 24 * 1000 * 1000 * 5:
        yield 'the whole trace was listed all the same'


def check_full(cairn, *arguments):
    if not os.path.exists('/dev/full'):
        return
    with open('/dev/full', 'wb') as full:
        process = start(cairn, 'packets', *arguments, stdout=full)
        error = process.stderr.read().decode()
        yield from expect('status', process.wait(), 2)
        yield from expect_in('stderr', 'No space left', error)


def check_memory(cairn, command, *arguments):
    """A long trace in the memory of a short one. The trace itself may be mapped."""
    limit = MEMORY + len(LONG)

    def bound():
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    process = start(cairn, *command, *arguments, stdout=subprocess.DEVNULL, preexec_fn=bound)
    error = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    yield from expect('status', (process.returncode, error), (0, ''))
    if usage.ru_maxrss * 1024 > limit:
        yield 'it took %d KiB' % usage.ru_maxrss


def sanitized(cairn):
    with open(cairn, 'rb') as file:
        return b'__asan_init' in file.read()


def main():
    cairn = sys.argv[1]
    tap = Tap()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        short = folder.write('short.bin', START + ATOMS * 4)
        trace = folder.write('long.bin', LONG)
        basic = ['--protocol', 'ete', *folder.program(LOOP), trace]
        for command in (['packets'], ['packets', '--format', 'json'], ['elements'], ['flow'],
                        ['flow', '--format', 'addresses'], ['flow', '--format', 'json'],
                        ['flow', '--ranges']):
            tap.case('closed pipe: ' + ' '.join(command), check_closed_pipe(cairn, command, *basic))
        tap.case('closed pipe: a listing shorter than a buffer',
                 check_closed_pipe(cairn, ['packets', '--protocol', 'ete'], short))
        tap.case('Ctrl-C', check_interrupt(cairn, *basic))
        tap.case('a full disk', check_full(cairn, *basic))
        if sanitized(cairn):
            tap.skip('constant memory', 'the sanitizers take memory of their own')
        else:
            tap.case('constant memory', check_memory(cairn, ['flow', '--summary'], *basic))
    tap.end()


if __name__ == '__main__':
    main()
