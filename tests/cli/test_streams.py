#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The program as a part of pipelines, and in front of a person: a reader that goes away, a full disk,
Ctrl-C, progress, long traces.

usage: test_streams.py CAIRN
"""
import os
import pty
import re
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time

from common import START, Folder, Tap, bytes_of, expect, expect_in, sanitized

SOON = 5.0          # seconds; a listing of the whole trace would take longer than its reader waits
MEMORY = 64 << 20   # bytes that a listing may need, whatever the trace's length
LOOP = {0x1000: [0x14000000]}  # B .
ATOMS = bytes_of('D4')         # Atom format 6 (DDI0608 D5.46): 24 E
LONG = START + ATOMS * 1_500_000
ENDLESS = 256 << 30            # bytes of a file with a hole: nobody waits for its end
PROGRESS = re.compile(rb'\rendless\.bin: +\d+%, \d+\.\d MB/s, (\d+ h )?(\d+ min)?( ?\d+ s)? left ')


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
    yield from expect_in('stderr', '; the rest was not decoded', error)
    process = start(cairn, 'flow', *arguments, stdout=subprocess.PIPE)
    if process.stdout.read(len(head + rest)) != head + rest:
        yield 'what was listed is not the beginning of the listing'
    process.stdout.close()
    process.wait()
    if len(head + rest) > 24 * 1000 * 1000 * 5:
        yield 'the whole trace was listed all the same'


def endless(folder):
    """A trace of zeros that takes very long to decode, and no space."""
    path = folder.write('endless.bin', START + ATOMS * 1000)
    os.truncate(path, ENDLESS)
    return path


def read_until(descriptor, pattern, seconds=60.0):
    """What a terminal shows, until the pattern is there."""
    shown, end = b'', time.monotonic() + seconds
    while not pattern.search(shown) and time.monotonic() < end:
        if select.select([descriptor], [], [], 0.2)[0]:
            shown += os.read(descriptor, 4096)
    return shown


def has_terminals():
    """Not where /dev/pts is not mounted, as in a bare root folder."""
    try:
        ends = pty.openpty()
    except OSError:
        return False
    for end in ends:
        os.close(end)
    return True


def on_terminal(tap, name, problems):
    """`problems` is a generator: it is not begun where there is no terminal."""
    if has_terminals():
        tap.case(name, problems)
    else:
        tap.skip(name, 'no pseudo terminal can be had')


def check_progress(cairn, arguments, status, out, said):
    """On a terminal: percentage, rate and time left; after Ctrl-C the line is gone, and what was
    printed before the end is what it should be."""
    person, terminal = pty.openpty()
    process = subprocess.Popen([cairn, *arguments], stdin=subprocess.DEVNULL, stderr=terminal,
                               stdout=subprocess.PIPE)
    os.close(terminal)
    shown = read_until(person, PROGRESS)
    if not PROGRESS.search(shown):
        yield 'no progress: %r' % shown[-500:]
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    listing = process.stdout.read()
    yield from expect('status', process.wait(), status)
    if time.monotonic() - begun > SOON:
        yield 'it took %.1f s to stop' % (time.monotonic() - begun)
    shown = read_until(person, re.compile(rb'not decoded[^\r]*\r\n'))
    os.close(person)
    last = shown.rpartition(b'\r\x1b[K')[2].decode()
    yield from expect_in('message, and the progress is wiped away before', said, last)
    if not re.fullmatch(out, listing.decode(), re.S):
        yield 'stdout: %r' % listing[:500]


def check_silence(cairn, arguments):
    """No terminal, no progress."""
    process = start(cairn, *arguments, stdout=subprocess.DEVNULL)
    time.sleep(1.6)
    process.send_signal(signal.SIGINT)
    error = process.stderr.read()
    yield from expect('status', process.wait(), 130)
    yield from expect('lines of stderr', (error.count(b'\n'), error.count(b'\r')), (1, 0))


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
        tap.case('Ctrl-C, --reference', check_interrupt(cairn, '--reference', *basic))
        unending = ['--protocol', 'ete', '--frames', 'none', *folder.program(LOOP), endless(folder)]
        for way in ([], ['--jobs', '1'], ['--reference']):
            on_terminal(tap, 'progress and Ctrl-C: ' + ' '.join(['flow --summary', *way]), check_progress(
                cairn, ['flow', '--summary', *way, *unending], 130,
                r'== endless.*\n +2[34]\d{3}  instructions\n.*Trace Info\n.*',
                'cairn flow: stopped in endless.bin at source offset 0x'))
        on_terminal(tap, 'progress and Ctrl-C: check', check_progress(
            cairn, ['check', *unending], 130, r'', 'cairn check: stopped in '))
        tap.case('no progress where there is no terminal',
                 check_silence(cairn, ['flow', '--summary', *unending]))
        tap.case('a full disk', check_full(cairn, *basic))
        if sanitized(cairn):
            tap.skip('constant memory', 'the sanitizers take memory of their own')
        else:
            tap.case('constant memory', check_memory(cairn, ['flow', '--summary'], *basic))
    tap.end()


if __name__ == '__main__':
    main()
