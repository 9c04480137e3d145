# SPDX-License-Identifier: BSD-2-Clause
"""The test programs of a built folder, and how to build one again with a source compiled otherwise.

Used by scripts/conformance and scripts/mutate: nothing of the library is built a second time.
"""
import json
import os
import re
import shlex
import subprocess

OK = re.compile(r'^(not )?ok\b\s*\d*\s*(?:-\s*)?([^#]*?)\s*(#\s*SKIP.*)?$', re.I)


class Test:
    def __init__(self, folder, fields):
        self.name, self.command, self.env = fields['name'], fields['cmd'], fields['env']
        self.folder = folder
        exe = os.path.relpath(os.path.join(folder, self.command[0]), folder)
        self.program = exe if not exe.startswith('..') else None  # None: a script
        self.suites = {s.split(':')[-1] for s in fields['suite']}
        self.seconds = 1.0

    def run(self, program=None, wrapper=(), timeout=None, env=None):
        """(exit status, output); the status is None when the time was up."""
        command = list(self.command)
        if program:
            command[0] = program
        if wrapper:
            command[1:1] = wrapper
        try:
            done = subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL, timeout=timeout, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, errors='replace',
                                  env=dict(os.environ, **self.env, **(env or {})))
        except subprocess.TimeoutExpired:
            return None, ''
        return done.returncode, done.stdout


class Build:
    def __init__(self, top, folder):
        self.top, self.folder = top, os.path.abspath(folder)
        if not os.path.exists(os.path.join(self.folder, 'build.ninja')):
            raise SystemExit('%s is no built folder: scripts/build %s' % (folder, folder))
        self.tests = [Test(self.folder, t) for t in self.read('meson-info/intro-tests.json')]
        self.compiles = {}  # (source, target folder) -> command; target folder as in X.p
        for entry in self.read('compile_commands.json'):
            source = os.path.relpath(os.path.join(self.folder, entry['file']), top)
            self.compiles[source, os.path.dirname(entry['output'])] = (entry['command'], entry['output'])
        self.links = {}

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding='utf-8') as file:
            return json.load(file)

    def sources_of(self, program):
        return [source for source, target in self.compiles if target == program + '.p']

    def compile(self, source, target, out, more, text_of=None):
        """Compiles `source` as the target does, with `more` behind its flags; `text_of` is another file in
        its place. Returns the compiler's complaint, '' when there is none."""
        command, output = self.compiles[source, target]
        words = [w for w in shlex.split(command) if w != 'ccache']
        place = words.index('-o')
        words[place:place + 2] = []
        for word in ('-MQ', '-MF'):
            place = words.index(word)
            words[place:place + 2] = []
        words.remove('-MD')
        if text_of:
            at = words.index('-c') + 1
            words[at] = text_of
            words += ['-I' + os.path.dirname(os.path.join(self.top, source))]
        done = subprocess.run(words + ['-o', out] + more, cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
        return done.stdout or 'failed' if done.returncode else ''

    def link(self, program, out, objects, more=()):
        """Links `program` to `out` with objects: {object of the program: one in its place}. An object that
        is in a library comes first, so that the library's is not taken."""
        if program not in self.links:
            done = subprocess.run(['ninja', '-t', 'commands', '-s', program], cwd=self.folder, check=True,
                                  stdout=subprocess.PIPE, text=True)
            self.links[program] = shlex.split(done.stdout.strip().splitlines()[-1])
        words = list(self.links[program])
        words[words.index('-o') + 1] = out
        front = words.index(out) + 1
        for old, new in objects.items():
            if old in words:
                words[words.index(old)] = new
            else:
                words.insert(front, new)
        done = subprocess.run([w for w in words if w != 'ccache'] + list(more), cwd=self.folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.stdout or 'failed' if done.returncode else ''


def cases_of(output):
    """TAP cases: {name: 'ok', 'not ok' or 'skip'}; of two of a name the worse."""
    cases = {}
    for line in output.splitlines():
        m = OK.match(line)
        if m:
            got = 'not ok' if m[1] else 'skip' if m[3] else 'ok'
            cases[m[2]] = got if cases.get(m[2], 'ok') == 'ok' else min(got, cases[m[2]])
    return cases


def line_counts(top, folder, work, data):
    """{source: {line: times}} of .gcda files, which gcov reads from the folder `work`."""
    counts = {}
    if not data:
        return counts
    done = subprocess.run(['gcov', '--json-format', '--stdout', *data], cwd=work, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    for text in done.stdout.splitlines():
        if not text.startswith('{'):
            continue
        for file in json.loads(text)['files']:
            name = os.path.relpath(os.path.join(folder, file['file']), top)
            mine = counts.setdefault(name, {})
            for line in file['lines']:
                mine[line['line_number']] = mine.get(line['line_number'], 0) + line['count']
    return counts
