#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""OpenCSD decodes the recordings to the same instructions: trc_pkt_lister (libopencsd 1.3.3) reads each
snapshot, and its instruction ranges, joined where one begins at the end of the other, are ours.

Outside what 1.3.3 supports: memory that changes in the course of a recording (it has no epochs); data
trace of ETMv3 (it decodes none); and in ETMv3 direct branches to the other instruction set, whose change
it forgets at the next packet: there all branches are broadcast, and so each change is in a packet."""
import os
import re
import shutil
import subprocess
import sys

from recording import Bench, Tap, protocols, OPTIONS

RANGE = re.compile(r'OCSD_GEN_TRC_ELEM_INSTR_RANGE\(exec range=0x([0-9a-f]+):\[0x([0-9a-f]+)\] '
                   r'num_i\((\d+)\)')
LISTER = 'trc_pkt_lister'
TIMEOUT = 600

PROGRAMS = [
    ('throws', ['3']),
    ('signals', []),
    ('threads', ['3']),
    ('mixed-a32', []),
    ('mixed-t32', []),
]
# From Debian's arm64 packages: dynamically linked, so with the linker and libraries in the trace.
DEBIAN = [
    ('bin/gzip', ['--version']),
    ('usr/bin/mawk', ['BEGIN { for (i = 0; i < 40; i++) s = s i % 7; print s }']),
]


def supported(qemu):
    return [(protocol, options) for protocol, options in protocols(qemu)
            if protocol != 'etmv3' or '--branch-broadcast' in options]


def join(ranges):
    """[(first, end, instructions)] as few ranges as there can be."""
    joined = []
    for first, end, count in ranges:
        if joined and joined[-1][1] == first:
            joined[-1] = (joined[-1][0], end, joined[-1][2] + count)
        else:
            joined.append((first, end, count))
    return joined


def theirs(bench, folder, source):
    log = bench.path('lister')
    if os.path.exists(log): # else the lister writes behind what is there
        os.remove(log)
    subprocess.run([LISTER, '-ss_dir', folder, '-decode_only', '-src_name', source,
                    '-logfilename', log], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   timeout=TIMEOUT, check=True)
    with open(log, errors='replace') as lines:
        for line in lines:
            m = RANGE.search(line)
            if m:
                yield int(m[1], 16), int(m[2], 16), int(m[3])


def ours(bench, folder, source):
    done = subprocess.run([bench.flowhash, folder, '--ranges', source], stdout=subprocess.PIPE,
                          timeout=TIMEOUT, check=True)
    for line in done.stdout.splitlines():
        first, end, count = line.split()
        yield int(first, 16), int(end, 16), int(count)


def check(bench, program, options):
    status, _, messages, folder = bench.record(program, options)
    if status > 100:
        return ['ended with status %d: %s' % (status, messages)]
    problems = []
    for row in bench.decode(folder):
        source = row[3]
        left, right = join(ours(bench, folder, source)), join(theirs(bench, folder, source))
        if left != right:
            at = next((i for i, (a, b) in enumerate(zip(left, right)) if a != b),
                      min(len(left), len(right)))
            problems.append('%s: %d ranges, OpenCSD has %d; range %d: %s, OpenCSD %s' % (
                source, len(left), len(right), at,
                ['%x-%x %d' % r for r in left[at:at + 2]], ['%x-%x %d' % r for r in right[at:at + 2]]))
        elif not left:
            problems.append('%s: no ranges' % source)
    return problems


def main():
    bench, tap = Bench(sys.argv), Tap()
    for name, arguments in PROGRAMS:
        qemu = 'qemu-arm' if name.startswith('mixed') else 'qemu-aarch64'
        why = bench.missing(qemu)
        if not why and not shutil.which(LISTER):
            why = LISTER + ' is not installed (Debian: libopencsd-bin)'
        if not why and not bench.own(name):
            why = 'no cross compiler for ' + name
        for protocol, options in supported(qemu):
            case = ' '.join([name, protocol, *options])
            if why:
                tap.skip(case, why)
            else:
                tap.case(case, check(bench, [bench.own(name), *arguments],
                                     ['--protocol', protocol, *options]))
    for name, arguments in DEBIAN:
        program = [os.path.join(bench.root, name), *arguments]
        why = bench.missing()
        if not why and not shutil.which(LISTER):
            why = LISTER + ' is not installed (Debian: libopencsd-bin)'
        if not why and not os.path.exists(program[0]):
            why = 'no %s: scripts/arm64-programs fetches it (CAIRN_ARM64 names its folder)' % name
        for options in (OPTIONS[0], OPTIONS[-1]):
            case = ' '.join([name, *options])
            if why:
                tap.skip(case, why)
            else:
                tap.case(case, check(bench, program, ['-L', bench.root, *options]))
    bench.close()
    tap.end()


main()
