#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`cairn simulate --capture`: the flow of each real capture, told to a trace unit and decoded again, is the
same flow: instructions with their outcomes, exceptions, contexts.

usage: simulate.py CAIRN TOP

What may differ, and nothing else:
- A capture whose code is not known (juno-uname-001) has exceptions alone. None of them is traced: a trace unit
  traces an exception behind code that it traces (TRCRSR.TA, DDI0608 D6.8.5), and was told of none.
- A context in which nothing is executed and no exception taken, as where an exception return leads into code that
  is not traced, is not told to the unit.
- WFE and WFI are P0 instructions where TRCIDR2.WFXMODE is 1, which another unit has not: no outcome then.
- The outcome of an indirect branch that is the last instruction of all, in a PTM: what leads there is a packet with
  the target, and that is not known. Its address is told by a waypoint update instead.
- Of an ETMv3's instructions that are no branches a unit with P0 atoms tells no outcome; of a P0 atom trace an ETMv3
  marks no ISB.
"""
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
from common import Folder, Tap, captures, expect, run  # noqa: E402

P0 = ('ETMv4', 'ETE')
OTHER = {'ETMv4': 'ete', 'ETE': 'etmv4'}
NO_CODE = {('juno-uname-001', 'ETM_0')}
WAITS = re.compile(r'\b(wfe|wfi|wfet|wfit)\b')
INSTRUCTION = re.compile(r'^(?:0x[0-9a-f]+ +0x[0-9a-f]+| +) +([0-9a-f]{8,16}) ')  # of the listing `full`
UNUSABLE = 2


def addresses(cairn, capture, source):
    """[(address, 'E', 'N' or '')]"""
    answer = run(cairn, 'flow', '--format', 'addresses', '--source', source, capture)
    rows = (line.partition(' ') for line in answer.lines() if not line.startswith('#'))
    return [(row[0], row[2]) for row in rows]


def records(cairn, capture, source):
    """The exceptions of one source, and the contexts in which something happened, each once in a row."""
    answer = run(cairn, 'flow', '--format', 'json', '--ranges', '--source', source, capture)
    exceptions, contexts, context = [], [], None
    for row in [json.loads(line) for line in answer.lines()][1:]:
        if row['type'] == 'context':
            context = tuple(row.get(key) for key in ('el', 'security', 'vmid', 'context_id', 'sf'))
        elif row['type'] in ('range', 'exception') and contexts[-1:] != [context]:
            contexts.append(context)
        if row['type'] == 'exception':
            exceptions.append((row['exception'], row['address']))
    return exceptions, contexts


def waits(cairn, capture, source):
    """The addresses of instructions that wait."""
    answer = run(cairn, 'flow', '--format', 'full', '--source', source, capture)
    found = (INSTRUCTION.match(line) for line in answer.lines() if WAITS.search(line))
    return {m[1].lstrip('0') for m in found if m}


def first(name, ours, theirs):
    if ours != theirs:
        at = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
        yield '%s: %d in the capture, %d simulated, first difference at %d: %s, %s' % (
            name, len(ours), len(theirs), at, ours[at:at + 3], theirs[at:at + 3])


def simulate(cairn, folder, capture, source, *options):
    out = os.path.join(folder.path, 'out')
    return out, run(cairn, 'simulate', *options, '--capture', capture, '--source', source, '--force', '-o', out)


def check_own(cairn, folder, capture, name, source):
    """Its own registers."""
    out, answer = simulate(cairn, folder, capture, source, capture)
    if answer.status == UNUSABLE:
        yield 'status 2: ' + answer.err
        return
    before, after = (records(cairn, where, source) for where in (capture, out))
    yield from first('instructions', addresses(cairn, capture, source), addresses(cairn, out, source))
    if (name, source) in NO_CODE:
        yield from expect('exceptions without code', after[0], [])
        return
    yield from first('exceptions', before[0], after[0])
    yield from first('contexts', before[1], after[1])


def check_other(cairn, folder, capture, name, source, protocol):
    """A unit of another protocol, which traces everything."""
    out, answer = simulate(cairn, folder, capture, source, '--protocol', OTHER[protocol])
    if answer.status == UNUSABLE:
        yield 'status 2: ' + answer.err
        return
    before, after = addresses(cairn, capture, source), addresses(cairn, out, source)
    quiet = waits(cairn, capture, source)
    silent = [(a, '' if a in quiet else flag) for a, flag in before], \
             [(a, '' if a in quiet else flag) for a, flag in after]
    yield from first('instructions', *silent)
    if (name, source) not in NO_CODE:
        yield from first('exceptions', records(cairn, capture, source)[0], records(cairn, out, source)[0])


def check_older(cairn, folder, capture, source, protocol):
    """A PTM's or ETMv3's flow in the same kind of unit, and in an ETE."""
    for kind in protocol.lower(), 'ete':
        out, answer = simulate(cairn, folder, capture, source, '--protocol', kind)
        if answer.status == UNUSABLE:
            yield '%s: status 2: %s' % (kind, answer.err)
            continue
        before, after = addresses(cairn, capture, source), addresses(cairn, out, source)
        yield from first(kind + ': addresses', [a for a, _ in before], [a for a, _ in after])
        if kind == protocol.lower():
            yield from first(kind + ': outcomes', before[:-1], after[:-1])
        elif protocol == 'PTM':
            yield from first(kind + ': outcomes', before, after)


def main():
    cairn = sys.argv[1]
    tap = Tap()
    if captures() is None:
        tap.skip('the flow of real captures in other trace units', 'CAIRN_CAPTURES is not set')
        tap.end()
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        for name, capture in captures():
            if not os.path.exists(os.path.join(capture, 'snapshot.ini')):
                continue
            for source in json.loads(run(cairn, 'info', '--format', 'json', capture).out)['sources']:
                protocol = source['protocol']
                case = '%s %s' % (name, source['name'])
                if not source['decoded'] or source['bytes'] == 0:
                    continue
                if protocol in P0:
                    tap.case(case + ': in a unit with its own registers',
                             check_own(cairn, folder, capture, name, source['name']))
                    tap.case(case + ': as ' + OTHER[protocol],
                             check_other(cairn, folder, capture, name, source['name'], protocol))
                else:
                    tap.case(case + ': as ' + protocol + ' and ete',
                             check_older(cairn, folder, capture, source['name'], protocol))
    tap.end()


if __name__ == '__main__':
    main()
