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
    'info': CAPTURE + DECODER + ['--all', '--source', '--format', '--output', '--force', '--help'],
    'check': CAPTURE + DECODER + ['--source', '--format', '--output', '--force', '--help', '--all', '--fix',
                                  '--explain'],
    'packets': CAPTURE + ['--source', '--from', '--to', '--merge', '--no-pager', '--format', '--output',
                          '--force', '--help'],
    'elements': CAPTURE + ['--source', '--from', '--to', '--merge', '--resolved', '--no-pager', '--format',
                           '--output', '--force', '--help'],
    'flow': CAPTURE + DECODER + ['--source', '--from', '--to', '--merge', '--ranges', '--summary',
                                 '--source-lines', '--source-path', '--offsets', '--color', '--no-pager',
                                 '--format', '--output', '--force', '--help'],
    'data': CAPTURE + DECODER + ['--source', '--from', '--to', '--merge', '--no-pager', '--format', '--output',
                                 '--force', '--help'],
}
SECTIONS = ['NAME', 'SYNOPSIS', 'DESCRIPTION', 'OPTIONS', 'OUTPUT', 'EXIT STATUS', 'EXAMPLES']
FIRST_SECTIONS = ['NAME', 'SYNOPSIS', 'DESCRIPTION', 'OPTIONS', 'EXAMPLES']
EVERY_OPTION = sorted({option for options in PROMISED.values() for option in options})
COMMANDS = [*PROMISED, 'record', 'registers', 'lint', 'branches']
WORDS = ['registers', 'lint']  # what these take is no capture
HELP_LINES = 64  # of a screen or two
# Words that are written in one way: what must not stand in a help text, and what stands there instead.
TERMS = [
    (r'[Tt]race id\b|[Tt]race Ids?\b|[Tt]raceID|\bTrace ID', 'trace ID'),
    (r'raw trace buffer|[Tt]race sources?\b', 'raw buffer, source'),
    (r'\b[Tt]race[Uu]nit|trace-unit|Trace Unit', 'trace unit'),
    (r'\b[Tt]ime[ -]stamp', 'timestamp'),
    (r'\bstderr\b|\bstdout\b|\bstdin\b|standard-', 'standard error, output, input'),
    (r'\b(big|little) endian', 'big-endian'),
    (r'exception level|Exception Level', 'Exception level'),
    (r'[Cc]ontext id\b|[Cc]ontext IDs?\b', 'context identifier'),
    (r'(?<!--)cycle-count|cyclecount', 'cycle count'),
    (r'\b[Ss]ynchroniz|initializ|recogniz', 'synchronis...'),
    (r'\bdisasm\b|dis-assembly', 'disassembly'),
    (r'(?<!-)\b(dir|directory|directories)\b', 'folder'),
    (r'(?<!--)(?<!fvp\.)\b[Tt]armac\b', 'TARMAC'),
    (r'\b[Bb]uild id\b|BuildID', 'build-id'),
]


def names_of(text):
    options = re.search(r'^OPTIONS\n(.*?)^[A-Z]', text, re.M | re.S)[1]
    return re.findall(r'^    (?:-\w(?: \S+)?, )?(--[a-z-]+)', options, re.M)


def check_manual(cairn, command):
    """All there is, with --help-all."""
    answer = run(cairn, command, '--help-all')
    yield from expect('status of --help-all', answer.status, 0)
    yield from expect('sections', [line for line in answer.lines() if re.match(r'[A-Z ]+$', line)],
                      SECTIONS)
    for option in PROMISED.get(command, []):
        if option not in names_of(answer.out):
            yield '%s --help-all does not describe %s' % (command, option)
    for line in answer.lines():
        if len(line) > 100:
            yield 'a line of %d columns: %s' % (len(line), line)


def check_first(cairn, command):
    """The options that one needs first, in the same words, and where the rest is."""
    answer, whole = run(cairn, command, '--help'), run(cairn, command, '--help-all')
    yield from expect('status of --help', answer.status, 0)
    yield from expect('sections', [line for line in answer.lines() if re.match(r'[A-Z ]+$', line)],
                      FIRST_SECTIONS)
    shown = [name for name in names_of(answer.out) if name not in ('--help', '--help-all')]
    if not 5 <= len(shown) <= 8:
        yield '%d options: %s' % (len(shown), shown)
    yield from expect_in('--help', '\n    --help-all\n        Show every option', answer.out)
    for name in shown:
        yield from expect('%s in --help-all' % name, name in names_of(whole.out), True)
    yield from expect('lines that --help-all has not',
                      [line for line in answer.lines() if line not in whole.lines()], [])
    if len(answer.lines()) > HELP_LINES:
        yield '%d lines' % len(answer.lines())
    for other in (['help', command], [command, '-h']):
        yield from expect(' '.join(other), run(cairn, *other).out, answer.out)


def check_terms(cairn):
    texts = [run(cairn, 'help').out] + [run(cairn, command, '--help-all').out for command in COMMANDS]
    for text in texts:
        for pattern, term in TERMS:
            for m in re.finditer(pattern, text):
                yield '%r, and not %s: %s' % (m[0], term,
                                              text[max(0, m.start() - 40):m.end() + 40].replace('\n', ' '))


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
             ([] if re.fullmatch(r'cairn \d+\.\d+\.\d+\ndisassembly: .+\n', answer.out)
              else [answer.out]))
    answer = run(cairn, 'help')
    tap.case('help lists every command', expect('status', answer.status, 0) +
             sum((expect_in('overview', '\n  %s ' % name, answer.out) for name in COMMANDS), []))
    answer = run(cairn)
    tap.case('no command', expect('status', answer.status, 2) + expect('stdout', answer.out, '') +
             expect_in('stderr', 'usage: cairn', answer.err))
    with tempfile.TemporaryDirectory() as path:
        raw = Folder(path).write('trace.bin', EXAMPLE_D11_1_1)
        for command in COMMANDS:
            tap.case('%s --help' % command, check_first(cairn, command))
            tap.case('%s --help-all' % command, check_manual(cairn, command))
        tap.case('every term is spelt in one way', check_terms(cairn))
        for command in PROMISED:
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
               *(([command], 'which registers? Usage: cairn %s' % command) for command in WORDS),
               *(([command, '--image', raw], 'unknown option') for command in WORDS),
               *(([command, '--protocol', 'itm', 'TRCVICTLR=1'], 'expected etmv4') for command in WORDS),
               (['lint', '--explain', 'RANGE-ODER'], 'Did you mean CAIRN-LINT-RANGE-ORDER?'),
               (['flow', path + '/absent'], 'absent'),
               (['flow', '--protocol', 'ete', '--image', raw, raw], '@0x80000'),
               (['flow', '--protocol', 'ete', '--image', path + '/none.elf', raw], 'cannot read'),
               (['flow', '--protocol', 'ete', '--source', 'nobody', raw], 'no source is called')]
        for arguments, said in bad:
            answer = run(cairn, *arguments)
            shown = ' '.join(arguments).replace(path, '')
            tap.case('refused: ' + shown, expect('status', answer.status, 2) +
                     expect('stdout', answer.out, '') + expect_in('stderr', said, answer.err))
        # there is no program: nothing can be followed, and nothing else is said
        said = 'cairn flow: nothing could be decoded; `cairn check %s` tells more\n' % raw
        for value in ('1M', '1048576', '0x100000', '1024K', '2m', '64G'):
            answer = run(cairn, 'flow', '--protocol', 'ete', '--table-memory', value, raw)
            tap.case('taken: --table-memory ' + value, expect('stderr', answer.err, said) +
                     expect('status', answer.status, 2))
        answer = run(cairn, 'flow', '--protocol', 'ete', '--jobs', '256', raw)
        tap.case('taken: --jobs 256', expect('stderr', answer.err, said) +
                 expect('status', answer.status, 2))
    tap.end()


if __name__ == '__main__':
    main()
