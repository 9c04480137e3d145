#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Completions in real shells: the functions called, and keys pressed on a terminal.

usage: test_completion.py CAIRN FOLDER     FOLDER: the completions as they are installed
"""
import functools
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from common import Tap, expect, run

TIMEOUT = 60
PROMPT = b'READY> '

# What stands in front of the cursor, in bash's words, and what is offered then.
OFFERED = [
    (['fl'], ['flow']),
    (['--v'], ['--version']),
    (['x'], []),
    (['flow', '--su'], ['--summary']),
    (['flow', '--format', ''], ['text', 'json', 'addresses', 'full']),
    (['flow', '--format', '='], ['text', 'json', 'addresses', 'full']),
    (['flow', '--format', '=', 'a'], ['addresses']),
    (['packets', '--format', 'a'], []),
    (['flow', '--frames', ''], ['auto', 'none', 'coresight', 'dstream']),
    (['flow', '--merge', ''], ['time']),
    (['record', '--data', ''], ['address', 'value', 'both']),
    (['flow', '--image', '--'], []),       # a file's name
    (['flow', '-o', '--'], []),
    (['flow', 'captu'], []),
    (['flow', '--', '--'], []),            # behind -- is no option
    (['record', '-o', 'x', '--', '--'], []),
    (['record', '--cycle-counts', '--ti'], ['--timestamps']),
    (['registers', '--protocol', ''], ['ete', 'etmv4', 'ptm', 'etmv3', 'mtb']),
    (['lint', '--ex'], ['--explain']),
    (['branches', '--format', ''], ['text', 'json', 'perf', 'perfscript']),
    (['branches', '--ol'], ['--oldest-first']),
    (['branches', '--ch'], ['--check']),
    (['help', 'rec'], ['record']),
    (['help', '--man', 'ch'], ['check']),
    (['help', '--completion', ''], ['bash', 'zsh']),
]

# Keys pressed, and the words that the command then has. (<TAB> ends a word that is the only one.)
# zsh puts the = behind an option that takes a value, and takes the / behind a folder away.
KEYS = {
    'bash': [
        ('cairn fl\t--summ\t\n', ['flow', '--summary']),
        ('cairn flow --form\tj\t\n', ['flow', '--format', 'json']),
        ('cairn flow --format=j\t\n', ['flow', '--format=json']),
        ('cairn flow --image=prog\t capt\t\n',
         ['flow', '--image=program.elf', 'capture of today/']),
        ('cairn record --da\tbo\t-- ./prog\t\n',
         ['record', '--data', 'both', '--', './program.elf']),
    ],
    'zsh': [
        ('cairn fl\t--summ\t\n', ['flow', '--summary']),
        ('cairn flow --form\tj\t\n', ['flow', '--format=json']),
        ('cairn flow --image prog\tcapt\t\n',
         ['flow', '--image', 'program.elf', 'capture of today']),
        ('cairn record --da\tbo\t-- ./prog\t\n',
         ['record', '--data=both', '--', './program.elf']),
    ],
}


def bash_offers_all(script, lines):
    """What one bash offers behind each of the lines, which are lists of words; and what it says on standard error."""
    code = ('source "$1"; shift; while [ $# -gt 0 ]; do count=$1; shift; COMPREPLY=(); '
            'COMP_WORDS=(cairn "${@:1:count}"); COMP_CWORD=$count; shift "$count"; _cairn; '
            'printf "%s\\n" "${COMPREPLY[@]}"; printf "\\f\\n"; done')
    words = [word for line in lines for word in (str(len(line)), *line)]
    done = subprocess.run(['bash', '--norc', '--noprofile', '-c', code, 'bash', script, *words],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=TIMEOUT, check=True)
    offered = [[word for word in part.split('\n') if word] for part in done.stdout.decode().split('\f\n')]
    return offered[:-1], done.stderr.decode()


def bash_offers(script, words):
    offered, said = bash_offers_all(script, [words])
    return offered[0], said


@functools.lru_cache(maxsize=None)
def options_of(cairn, command):
    """[(names, words or None)] by `--help-all`."""
    found = []
    text = re.search(r'^OPTIONS\n(.*?)^[A-Z]', run(cairn, command, '--help-all').out, re.M | re.S)[1]
    for line in text.splitlines():
        m = re.match(r'    (?:(-\w)(?: \S+)?, )?(--[a-z-]+)(?: (\S+))?', line)
        if m:
            words = m[3].split('|') if m[3] and m[3][0].islower() else None
            found.append(([name for name in m.groups()[:2] if name], words))
    return found


def check_registered(script):
    done = subprocess.run(['bash', '--norc', '--noprofile', '-c', 'source "$1" && complete -p cairn',
                           'bash', script], stdout=subprocess.PIPE, timeout=TIMEOUT)
    yield from expect('complete -p', done.stdout.decode().split()[-3:], ['-F', '_cairn', 'cairn'])


def check_options(cairn, script, command):
    names = [name for options, _ in options_of(cairn, command) for name in options]
    yield from expect('options of %s' % command, sorted(bash_offers(script, [command, '-'])[0]),
                      sorted(names))


def check_words(cairn, script, command):
    """What is offered is taken, and the other way round."""
    options = options_of(cairn, command)
    for (names, words), offered in zip(options, bash_offers_all(
            script, [[command, names[-1], ''] for names, _ in options])[0]):
        if words:
            yield from expect(names[-1], offered, words)
        for word in offered:
            answer = run(cairn, command, names[-1], word, 'no-such-capture')
            if 'expected' in answer.err:
                yield answer.err
    protocols = bash_offers(script, [command, '--protocol', ''])[0]
    text = run(cairn, command, '--help-all').out
    for word in protocols:
        if not re.search(r'[ :]%s\b' % word, text):
            yield '--protocol %s is not in the help' % word
    if '--protocol' in text and len(protocols) < 4:
        yield 'protocols: %s' % protocols


class Terminal:
    """A shell on a terminal of its own."""

    def __init__(self, arguments, folder):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(arguments[0], arguments,
                       dict(PATH='/usr/bin:/bin', TERM='dumb', PS1=PROMPT.decode(), HOME=folder,
                            INPUTRC='/dev/null', LC_ALL='C'))
        self.seen = b''

    def wait_prompt(self):
        end = time.monotonic() + TIMEOUT
        while PROMPT not in self.seen:
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            try:
                more = os.read(self.fd, 4096) if ready else b''
            except OSError:
                more = b''
            if not more:
                raise TimeoutError('no prompt: %r' % self.seen[-300:])
            self.seen += more

    def type(self, keys):
        self.wait_prompt()
        self.seen = b''
        os.write(self.fd, keys.encode())

    def close(self):
        os.close(self.fd)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def press_keys(arguments, setup, keys):
    """What the words of each command line were, when the shell had completed it."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, 'capture of today'))
        open(os.path.join(folder, 'program.elf'), 'w').close()
        terminal = Terminal(arguments, folder)
        try:
            for line in setup + ["cairn() { printf '<%s>' \"$@\" >>../out; echo >>../out; }"]:
                terminal.type(line.replace('../out', os.path.join(folder, 'out')) + '\n')
            for pressed, _ in keys:
                terminal.type(pressed)
            terminal.wait_prompt()
        finally:
            terminal.close()
        with open(os.path.join(folder, 'out'), encoding='utf-8') as file:
            return [re.findall('<(.*?)>', line) for line in file]


def check_keys(arguments, setup):
    keys = KEYS[arguments[0]]
    try:
        got = press_keys(arguments, setup, keys)
    except (TimeoutError, OSError) as error:
        yield str(error)
        return
    yield from expect('lines', len(got), len(keys))
    for (pressed, wanted), words in zip(keys, got):
        yield from expect(repr(pressed), words, wanted)


def check_zsh_syntax(script):
    done = subprocess.run(['zsh', '-n', script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=TIMEOUT)
    yield from expect('zsh -n', (done.returncode, done.stdout.decode()), (0, ''))


def main():
    cairn, folder = sys.argv[1:3]
    bash, zsh = (os.path.join(folder, name) for name in ('cairn', '_cairn'))
    tap = Tap()
    for shell, script in (('bash', bash), ('zsh', zsh)):
        with open(script, encoding='utf-8') as file:
            tap.case('the installed completion for %s' % shell, expect(
                'script', file.read(), run(cairn, 'help', '--completion', shell).out))
    answer = run(cairn, 'help', '--completion', 'tcsh')
    tap.case('no completion for other shells', expect('status', answer.status, 2))
    tap.case('bash: registered', check_registered(bash))
    names = re.findall(r'^  ([a-z]+) +\S', run(cairn, 'help').out, re.M)
    tap.case('bash: commands', expect('offered', sorted(bash_offers(bash, [''])[0]),
                                      sorted([*names, 'help', '--help', '--version'])))
    for words, offered in OFFERED:
        tap.case('bash: cairn ' + ' '.join(words), expect('offered', bash_offers(bash, words),
                                                         (offered, '')))
    for name in names:
        tap.case('bash: %s has all options' % name, check_options(cairn, bash, name))
        tap.case('bash: %s has the words that options take' % name, check_words(cairn, bash, name))
    tap.case('bash: keys on a terminal', check_keys(['bash', '--norc', '--noprofile', '-i'],
                                                    ["source '%s'" % os.path.abspath(bash)]))
    if shutil.which('zsh'):
        tap.case('zsh: syntax', check_zsh_syntax(zsh))
        tap.case('zsh: keys on a terminal', check_keys(
            ['zsh', '-f', '-i'],
            ["fpath=('%s' $fpath); autoload -Uz compinit; compinit -u -D"
             % os.path.dirname(os.path.abspath(zsh))]))
    else:
        for name in ('syntax', 'keys on a terminal'):
            tap.skip('zsh: ' + name, 'zsh is not installed (Debian: zsh)')
    tap.end()


if __name__ == '__main__':
    main()
