#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The command line: help, wrong options, exit statuses.

usage: test_help.py CAIRN
"""
import re
import sys
import tempfile

from common import EXAMPLE_D11_1_1, Folder, Tap, expect, expect_in, run

# What a user was promised; a command that takes an option documents it.
DECODER = ['--jobs', '--table-memory', '--reference']
CAPTURE = ['--image', '--protocol', '--core', '--set', '--config', '--frames', '--id']
PROMISED = {
    'info': CAPTURE + DECODER + ['--source', '--format', '--output', '--force', '--help'],
    'check': CAPTURE + DECODER + ['--source', '--format', '--output', '--force', '--help'],
    'packets': CAPTURE + ['--source', '--from', '--to', '--merge', '--format', '--output', '--force',
                          '--help'],
    'elements': CAPTURE + ['--source', '--from', '--to', '--merge', '--resolved', '--format',
                           '--output', '--force', '--help'],
    'flow': CAPTURE + DECODER + ['--source', '--from', '--to', '--merge', '--ranges', '--summary',
                                 '--source-lines', '--source-path', '--offsets', '--color', '--no-pager',
                                 '--format', '--output', '--force', '--help'],
    'data': CAPTURE + DECODER + ['--source', '--from', '--to', '--merge', '--format', '--output',
                                 '--force', '--help'],
}
SECTIONS = ['NAME', 'SYNOPSIS', 'DESCRIPTION', 'OPTIONS', 'OUTPUT', 'EXIT STATUS', 'EXAMPLES']
EVERY_OPTION = sorted({option for options in PROMISED.values() for option in options})


def check_manual(cairn, command):
    answer = run(cairn, command, '--help')
    yield from expect('status of --help', answer.status, 0)
    yield from expect('sections', [line for line in answer.lines() if re.match(r'[A-Z]', line)],
                      SECTIONS)
    for option in PROMISED[command]:
        if not re.search(r'^    (?:-\w(?: \w+)?, )?%s\b' % option, answer.out, re.M):
            yield '%s --help does not describe %s' % (command, option)
    yield from expect('cairn help ' + command, run(cairn, 'help', command).out, answer.out)
    for line in answer.lines():
        if len(line) > 100:
            yield 'a line of %d columns: %s' % (len(line), line)


def check_taken(cairn, command, raw):
    """Each option is taken by exactly the commands whose help has it."""
    values = {'--format': 'text', '--from': '0', '--to': '9', '--merge': 'time', '--source': '0',
              '--image': raw + '@0x1000', '--protocol': 'ete', '--core': 'Cortex-A53',
              '--set': 'TRCIDR8=0', '--frames': 'none', '--id': '0x10', '--jobs': '1',
              '--table-memory': '1M'}
    for option in EVERY_OPTION:
        if option in ('--help', '--output', '--force', '--config'):
            continue
        arguments = [option] + ([values[option]] if option in values else [])
        answer = run(cairn, command, '--protocol', 'ete', *arguments, raw)
        refused = 'unknown option' in answer.err
        if refused != (option not in PROMISED[command]):
            yield '%s %s: %s' % (command, option, answer.err or 'taken')


def main():
    cairn = sys.argv[1]
    tap = Tap()
    answer = run(cairn, '--version')
    tap.case('--version', expect('status', answer.status, 0) +
             ([] if re.fullmatch(r'cairn \d+\.\d+\.\d+\n', answer.out) else [answer.out]))
    answer = run(cairn, 'help')
    tap.case('help lists every command', expect('status', answer.status, 0) +
             sum((expect_in('overview', '\n  %s ' % name, answer.out) for name in PROMISED), []))
    answer = run(cairn)
    tap.case('no command', expect('status', answer.status, 2) + expect('stdout', answer.out, '') +
             expect_in('stderr', 'usage: cairn', answer.err))
    with tempfile.TemporaryDirectory() as path:
        raw = Folder(path).write('trace.bin', EXAMPLE_D11_1_1)
        for command in PROMISED:
            tap.case('%s --help' % command, check_manual(cairn, command))
            tap.case('%s takes the options of its help' % command, check_taken(cairn, command, raw))
        for wrong, suggestion in (('flwo', 'flow'), ('pakets', 'packets'), ('chek', 'check')):
            answer = run(cairn, wrong, raw)
            tap.case('unknown command ' + wrong, expect('status', answer.status, 2) +
                     expect('stdout', answer.out, '') +
                     expect_in('stderr', 'Did you mean `cairn %s`' % suggestion, answer.err))
        for wrong, suggestion in (('--sorce=x', '--source'), ('--formt', '--format'),
                                  ('--image-file=x', '--image')):
            answer = run(cairn, 'flow', '--protocol', 'ete', wrong, raw)
            tap.case('unknown option ' + wrong, expect('status', answer.status, 2) +
                     expect_in('stderr', 'Did you mean %s?' % suggestion, answer.err))
        bad = [(['flow', '--format', 'xml', raw], 'text, json, addresses or full'),
               (['packets', '--format', 'addresses', raw], 'text or json'),
               (['flow', '--from', '12q', raw], 'an offset'),
               (['flow', '--from', '9', '--to', '3', raw], '--from is behind --to'),
               (['flow', '--merge', 'size', raw], 'expected time'),
               (['flow', '--set', 'TRCCONFIGR', raw], 'REGISTER=VALUE'),
               (['flow', '--set', 'TRCCONFIGR=zz', raw], 'REGISTER=VALUE'),
               (['flow', '--id', '0x80', raw], 'a trace ID'),
               (['flow', '--protocol', 'itm', raw], 'expected etmv4'),
               (['flow', '--frames', 'some', raw], 'auto, none, coresight or dstream'),
               *((['flow', '--jobs', value, raw], 'how many threads, 1 to 256')
                 for value in ('0', '257', '-1', '2x', '', '18446744073709551617')),
               *((['check', '--table-memory', value, raw], 'a size from 1M to 64G')
                 for value in ('0', '1023K', '65G', '1T', 'M', '', ' ', '8 ', '0xM', '-1M', '64MB',
                               '18446744073709551615G', '9' * 40)),
               (['flow', '--jobs'], 'needs a value'),
               (['flow', '--reference=yes', raw], ''),
               (['packets', '--jobs', '2', raw], 'unknown option'),
               (['flow', '--image'], 'needs a value'),
               (['flow', raw, raw], 'one too many'),
               (['flow', '--', raw, raw], 'one too many'),
               (['flow'], 'which capture?'),
               (['flow', path + '/absent'], 'absent'),
               (['flow', '--protocol', 'ete', '--image', raw, raw], '@0x80000'),
               (['flow', '--protocol', 'ete', '--image', path + '/none.elf', raw], 'cannot read'),
               (['flow', '--protocol', 'ete', '--source', 'nobody', raw], 'no source is called')]
        for arguments, said in bad:
            answer = run(cairn, *arguments)
            shown = ' '.join(arguments).replace(path, '')
            tap.case('refused: ' + shown, expect('status', answer.status, 2) +
                     expect('stdout', answer.out, '') + expect_in('stderr', said, answer.err))
        for value in ('1M', '1048576', '0x100000', '1024K', '2m', '64G'):
            answer = run(cairn, 'flow', '--protocol', 'ete', '--table-memory', value, raw)
            tap.case('taken: --table-memory ' + value, expect('stderr', answer.err, '') +
                     expect('status', answer.status, 1))
        answer = run(cairn, 'flow', '--protocol', 'ete', '--jobs', '256', raw)
        tap.case('taken: --jobs 256', expect('stderr', answer.err, '') +
                 expect('status', answer.status, 1))
    tap.end()


if __name__ == '__main__':
    main()
