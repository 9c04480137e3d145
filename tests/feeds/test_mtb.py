#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs recorded with a Micro Trace Buffer: what is decoded was executed, in that order. Of what was
executed there is missing what an MTB cannot tell: A32 code, what ran before the first packet and behind the
last one, and where the buffer was too small all but the newest."""
import json
import subprocess
import sys

from recording import Bench, Tap

LARGE, SMALL = 0x14, 0x8  # 16 MiB, and 4 KiB: 512 packets
# name, the least share of its instructions that is T32 (libc has some A32 code)
PROGRAMS = [('mixed-t32', 0.4), ('blocks-t32', 0.95)]


def positions(decoded, executed):
    """Where in what was executed each decoded address is, or None if it is not a part of it."""
    places, at = [], len(executed)
    for address in reversed(decoded):
        at -= 1
        while at >= 0 and executed[at] != address:
            at -= 1
        if at < 0:
            return None
        places.append(at)
    return places[::-1]


def check(bench, name, mask, least):
    beside, _ = bench.beside()
    path = bench.path('list')
    beside[-1] += ',list=' + path
    status, _, messages, folder = bench.record(
        [bench.own(name)], ['--protocol', 'mtb', '--set', 'MTB_MASTER=%d' % mask, *beside])
    if 'not seen' in messages or 'stopped' in messages:
        return [messages]
    with open(path) as file:
        executed = file.read().split()
    decoded = subprocess.run([bench.flowhash, folder, 'thread_1'], stdout=subprocess.PIPE, check=True,
                             text=True).stdout.split()
    places = positions(decoded, executed)
    problems = ['%s gaps' % row[2] for row in bench.decode(folder) if row[2] != '0']
    if places is None:
        return [*problems, 'decoded what was not executed (status %d)' % status]
    if mask == LARGE and len(decoded) < least * len(executed):
        problems.append('only %d of %d instructions are decoded' % (len(decoded), len(executed)))
    if mask == SMALL and not 512 < len(decoded) < len(executed) / 2:
        problems.append('%d of %d instructions in 512 packets' % (len(decoded), len(executed)))
    if places[-1] < len(executed) - 64:
        problems.append('the last %d instructions are not decoded' % (len(executed) - places[-1]))
    return problems


def a32_of(bench, name):
    """How many A32 instructions a PTM's trace of the same program has."""
    _, _, _, folder = bench.record([bench.own(name)], ['--protocol', 'ptm'])
    done = subprocess.run([bench.cairn, 'flow', '--ranges', '--format', 'json', folder], check=True,
                          stdout=subprocess.PIPE, text=True)
    rows = map(json.loads, done.stdout.splitlines())
    return sum(row['instructions'] for row in rows if row['type'] == 'range' and row['isa'] == 'A32')


def check_said(bench, name):
    """What an MTB cannot tell is said."""
    _, _, messages, _ = bench.record([bench.own(name)], ['--protocol', 'mtb'])
    wanted = '%d of the instructions are A32 code' % a32_of(bench, name)
    return [] if wanted in messages else ['not %r: %s' % (wanted, messages)]


def check_nothing(bench):
    """A program that is A32 to the last instruction."""
    source, program = bench.path('a32.S'), bench.path('a32')
    with open(source, 'w') as out:
        out.write('.arm\n.globl _start\n_start: mov r7, #1\n mov r0, #0\n svc #0\n')
    subprocess.run(['arm-linux-gnueabihf-gcc', '-nostdlib', '-static', '-o', program, source], check=True)
    status, _, messages, _ = bench.record([program], ['--protocol', 'mtb'])
    return [] if status == 0 and 'all of it is A32 code' in messages else ['%d: %s' % (status, messages)]


def main():
    bench, tap = Bench(sys.argv), Tap()
    for name, least in PROGRAMS:
        why = bench.missing('qemu-arm') or (None if bench.own(name) else 'no cross compiler for ' + name)
        for mask in (LARGE, SMALL):
            case = '%s, 2^%d bytes' % (name, mask + 4)
            if why:
                tap.skip(case, why)
            else:
                tap.case(case, check(bench, name, mask, least))
    for name in ('mixed-a32', 'mixed-t32'):
        why = bench.missing('qemu-arm') or (None if bench.own(name) else 'no cross compiler for ' + name)
        if why:
            tap.skip('%s: what is A32 is said' % name, why)
        else:
            tap.case('%s: what is A32 is said' % name, check_said(bench, name))
    why = bench.missing('qemu-arm') or (None if bench.own('mixed-a32') else 'no cross compiler')
    if why:
        tap.skip('nothing but A32', why)
    else:
        tap.case('nothing but A32', check_nothing(bench))
    status, _, messages = bench.run([bench.cairn, 'record', '--protocol', 'mtb', '--dump-config',
                                     '--return-stack'])
    tap.case('options that no MTB has', [] if status == 2 and 'MTB_MASTER' in messages else [messages])
    if bench.own('jit'):
        for protocol in ('ptm', 'mtb'):
            status, _, messages, _ = bench.record([bench.own('jit')], ['--protocol', protocol])
            tap.case('%s of an AArch64 program' % protocol,
                     [] if status == 2 and 'AArch64' in messages else [messages])
    bench.close()
    tap.end()


main()
