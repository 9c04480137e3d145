#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The JSON of recordings is as docs/schema has it, of every protocol that can be recorded; and `cairn info` of
one fits a screen."""
import json
import os
import sys

from recording import Bench, Tap

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
from schemas import WANTED, Schemas, jsonschema, some_of  # noqa: E402

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
LISTINGS = [['info'], ['check'], ['packets'], ['elements'], ['flow'], ['flow', '--summary'], ['data']]
LINES, COLUMNS = 40, 100  # of a screen
# protocol, program, emulator, options
RECORDINGS = [('ete', 'threads', 'qemu-aarch64', ['--return-stack', '--timestamps']),
              ('etmv4', 'signals', 'qemu-aarch64', ['--cycle-counts=16', '--context-ids']),
              ('etmv3', 'transfers-a32', 'qemu-arm', ['--data=both', '--cycle-counts', '--timestamps']),
              ('ptm', 'mixed-a32', 'qemu-arm', ['--cycle-counts', '--context-ids']),
              ('mtb', 'mixed-t32', 'qemu-arm', [])]


def judge(bench, schemas, words, folder):
    status, out, messages = bench.run([bench.cairn, words[0], '--format', 'json', *words[1:], folder])
    if status not in (0, 1) or messages:
        yield '%s: status %d, %s' % (words, status, messages)
    yield from schemas.problems(words[0], [json.loads(line) for line in some_of(out.decode().splitlines())])


def screen(bench, folder):
    status, out, messages = bench.run([bench.cairn, 'info', folder])
    lines = out.decode().splitlines()
    wide = [line for line in lines if len(line) > COLUMNS]
    if status not in (0, 1) or messages or len(lines) > LINES or wide:
        yield 'status %d, %d lines, too wide: %s %s' % (status, len(lines), wide[:1], messages)
    for part in 'program', 'modules', 'sources', 'image', 'ledger', 'every byte is in one account':
        if not any(line.startswith(part) for line in lines):
            yield 'nothing is said of %s: %s' % (part, lines)


def check(bench, schemas, protocol, name, options):
    status, _, messages, folder = bench.record([bench.own(name)], ['--protocol', protocol, *options])
    if not os.path.isdir(folder):
        return ['nothing was recorded: %d %s' % (status, messages)]
    problems = [problem for words in LISTINGS for problem in judge(bench, schemas, words, folder)]
    return problems + list(screen(bench, folder))


def check_met(schemas):
    """What recordings have alone was met, each key of it."""
    for name in 'program', 'module':
        for key in schemas.schemas['info']['$defs'][name]['properties']:
            if ('info', name, key) not in schemas.keys:
                yield 'no %s of a %s was printed' % (key, name)


def main():
    bench, tap = Bench(sys.argv), Tap()
    schemas = jsonschema and Schemas(TOP)
    met = True
    for protocol, name, qemu, options in RECORDINGS:
        case = '%s, %s' % (protocol, name)
        why = bench.missing(qemu) or (None if bench.own(name) else 'no cross compiler for ' + name) or \
            (None if schemas else WANTED)
        met = met and not why
        if why:
            tap.skip(case, why)
        else:
            tap.case(case, check(bench, schemas, protocol, name, options))
    if met:
        tap.case('what recordings have alone', check_met(schemas))
    else:
        tap.skip('what recordings have alone', 'something could not be recorded')
    bench.close()
    tap.end()


if __name__ == '__main__':
    main()
