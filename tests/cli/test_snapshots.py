#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every listing of every real capture: each line is one JSON object with unique keys, the formats
agree with each other, and the exit statuses mean what they should.

usage: test_snapshots.py CAIRN
"""
import json
import re
import sys

from common import Tap, captures, expect, gaps_that_matter, run

LISTINGS = [['info'], ['check'], ['packets'], ['elements'], ['elements', '--resolved'], ['flow'],
            ['flow', '--ranges'], ['flow', '--summary'], ['flow', '--merge', 'time']]
ADDRESS_LINE = re.compile(r'(?:0|[1-9a-f][0-9a-f]{0,15})(?: [EN])?|# .+')


def unique(pairs):
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError('a key twice: %r' % (pairs,))
    return dict(pairs)


def check_json(cairn, listing, capture):
    answer = run(cairn, *listing, '--format', 'json', capture)
    if answer.status not in (0, 1, 2):
        yield 'status %d: %s' % (answer.status, answer.err)
    for number, line in enumerate(answer.raw.split(b'\n')[:-1]):
        try:
            row = json.loads(line.decode('utf-8'), object_pairs_hook=unique)
            if 'type' not in row:
                yield 'line %d has no type' % number
        except ValueError as error:
            yield 'line %d: %s: %r' % (number, error, line[:300])
    if not answer.raw.endswith(b'\n'):
        yield 'the last line does not end'


# A32 and T32, disassembled: by its mnemonic, by its destination, by a list of registers with the pc.
CONDITION = '(eq|ne|hs|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?'
BRANCH = re.compile(r'(b|bl|bx|blx|bxj)%s(\.w)? |cbn?z |tb[bh] |(?!cmp|cmn|tst|teq|str|stm|push)\w+(\.w)? pc,'
                    r'|eret|rfe|(pop|ldm)\w*(\.w)? .*\bpc\b.*}' % CONDITION)


def from_ranges(rows, conditions):
    """The lines of the address format, from the JSON ranges: A64 and A32 step by 4; T32 by the
    opcodes that are listed. The sources `conditions` have an atom an instruction: of these only branches
    have an E."""
    for row in rows:
        if row['type'] != 'range':
            continue
        code = [int(item['address'], 16) for item in row['code']]
        if row['isa'] != 'T32':
            code = list(range(int(row['address'], 16), int(row['end'], 16), 4))
        for address in code[:-1]:
            yield '%x' % address
        flag = row['p0']
        if flag == 'E' and row['source'] in conditions and not BRANCH.match(row['code'][-1]['text']):
            flag = None
        yield '%x' % code[-1] + (' ' + flag if flag in ('E', 'N') else '')


def check_formats(cairn, capture):
    addresses = run(cairn, 'flow', '--format', 'addresses', capture)
    for line in addresses.lines():
        if not ADDRESS_LINE.fullmatch(line):
            yield 'not a line of the contract: %r' % line
    mine = [line for line in addresses.lines() if not line.startswith('#')]
    json_ = run(cairn, 'flow', '--format', 'json', capture)
    info = run(cairn, 'info', '--format', 'json', capture)
    conditions = {source['name'] for source in info.rows()[0]['sources']
                  if source['protocol'] == 'ETMv3'}
    wanted = list(from_ranges(json_.rows(), conditions))
    yield from expect('first difference', [pair for pair in zip(mine, wanted) if pair[0] != pair[1]][:1], [])
    yield from expect('instructions', len(mine), len(wanted))
    text = run(cairn, 'flow', '--format', 'full', capture)
    shown = [line.split() for line in text.lines() if re.match(r' {23}[0-9a-f]{8,16} |'
                                                              r'0x\w+ 0x\w+ {2}[0-9a-f]{8,16} ', line)]
    yield from expect('lines of text', len(shown), len(mine))
    yield from expect('statuses', {addresses.status, json_.status, text.status}, {text.status})
    total = sum(row['instructions'] for row in
                run(cairn, 'flow', '--summary', '--format', 'json', capture).rows()
                if row['type'] == 'summary')
    yield from expect('--summary', total, len(mine))
    yield from expect('info', sum(source['instructions'] or 0 for source in
                                  info.rows()[0]['sources']), len(mine))


def check_statuses(cairn, capture):
    info = run(cairn, 'info', '--format', 'json', capture)
    sources = info.rows()[0]['sources']
    decoded = [source for source in sources if source['decoded'] and source['bytes']]
    flow = run(cairn, 'flow', '--summary', capture).status
    check = run(cairn, 'check', '--format', 'json', capture)
    if not decoded:
        packets = any(source['packets_only'] for source in sources)
        yield from expect('flow and check of what cannot be decoded', (flow, check.status),
                          (2, 0 if packets else 2))
        return
    lost = {source['name']: gaps_that_matter(cairn, source, capture) for source in sources}
    # a source of which nothing became code, though there was something to follow, was not decoded
    unusable = all(lost[source['name']] and not source['instructions'] for source in decoded)
    refused = any(not source['decoded'] for source in sources)
    yield from expect('flow', flow, 2 if unusable else int(refused or any(lost.values())))
    losing = any(row.get('loses_data') for row in check.rows())
    yield from expect('check', check.status, 2 if unusable else int(losing))
    if any(lost.values()) and not losing:
        yield 'there are gaps, and check says nothing of them'


def main():
    cairn = sys.argv[1]
    tap = Tap()
    real = captures()
    if real is None:
        tap.skip('snapshots', 'CAIRN_CAPTURES is not set')
    for name, path in real or []:
        for listing in LISTINGS:
            tap.case('%s: %s' % (name, ' '.join(listing)), check_json(cairn, listing, path))
        tap.case('%s: formats agree' % name, check_formats(cairn, path))
        tap.case('%s: statuses' % name, check_statuses(cairn, path))
    tap.end()


if __name__ == '__main__':
    main()
