# SPDX-License-Identifier: BSD-2-Clause
"""Which citations were reached by a test that passed (scripts/conformance).

C tests that cite are compiled once more with line counts and linked against the library that is
there: the assertion below a citation has a count when it was executed, and the program's TAP says
whether its test passed. Scenarios and vectors pass as the cases they are. Python tests run under a
trace of their lines.
"""
import concurrent.futures
import functools
import hashlib
import os
import re

import programs

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 300
ASSERTION = re.compile(r'assert|check|expect|verify|same|equal|must|prove|case|fail|==|!=', re.I)
SECTIONS = ('bytes', 'packets', 'elements', 'resolved', 'depth', 'flow', 'ledger')
# cmocka's own, which compare what they are given; a test's own may look at what it keeps
CONSTANT = re.compile(r'^\s*(assert_(?:true|false|(?:not_)?(?:in_)?\w+_equal|(?:non_)?null|in_range|not_in_range))'
                      r'\s*\((.*)\)\s*;\s*$', re.S)


def assertion_lines(lines, at):
    """The numbers (from 1) of the lines of the first assertion below line `at` (from 0), and its text."""
    statement, numbers, depth = '', [], 0
    for i in range(at + 1, min(len(lines), at + 60)):
        text = re.sub(r'/\*.*?\*/', '', lines[i]).strip()
        if not text or (not statement and text.startswith(('/*', '*', '#', '//'))):
            continue
        statement += ' ' + text
        numbers.append(i + 1)
        bare = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])\'', '', text)
        depth += bare.count('(') - bare.count(')')
        if depth > 0 or not text.endswith((';', '{', '}', ')', ':')):
            continue
        if ASSERTION.search(statement) and not re.match(r'\s*(for|while)\b[^;]*;[^;]*;[^;]*\)\s*\{?$', statement):
            return numbers, statement
        if text.endswith((';', '}')):
            break
        statement, numbers = '', []  # the head of a loop or a branch
    return (numbers, statement) if ASSERTION.search(statement) else ([], '')


def is_constant(statement):
    """An assertion that no defect can break: none of its arguments is anything but a constant."""
    m = CONSTANT.match(statement)
    if not m:
        return False
    bare = re.sub(r'"(\\.|[^"\\])*"', '', m[2])
    names = re.findall(r'\b[A-Za-z_]\w*\b', re.sub(r'\b0[xX][0-9a-fA-F]+\w*|\b\d\w*', '', bare))
    return all(n in ('true', 'false', 'sizeof', 'NULL') or n.isupper() for n in names)


def static_problem(path, lines, at):
    """Why the citation at line `at` can prove nothing, or None."""
    if path.endswith(('.c', '.h')):
        numbers, statement = assertion_lines(lines, at)
        if numbers and is_constant(statement):
            return 'cites above an assertion of constants: %s' % statement.strip()
    elif path.endswith('.py'):
        return None
    else:
        below = next((line for line in lines[at + 1:] if line.strip() and not line.startswith('#')), '')
        if path.endswith('.scn'):
            section = next((line.strip() for line in reversed(lines[:at]) if line.startswith('[')), '')
            if section.strip('[]') not in SECTIONS or not below.startswith((' ', '\t')) or 'unlisted' in below:
                return 'cites above no expectation'
        elif path.endswith('.vec'):
            if not ('|' in below or below.startswith(('headers ', 'case ', '=', 'start', 'config', 'decode-only'))):
                return 'cites above no packet'
        else:
            return 'cites in a file that is no test'
    return None


class Reached:
    """Asked after run(): why not a citation, or None when its test reached it and passed."""

    def __init__(self, top, folder):
        self.top, self.build = top, programs.Build(top, folder)
        self.work = os.path.join(self.build.folder, 'evidence')
        os.makedirs(self.work, exist_ok=True)
        self.counts, self.cases, self.failed, self.trouble = {}, {}, set(), []
        self.ran = set()

    def run(self, paths):
        code = {p for p in paths if p.endswith(('.c', '.h'))}
        jobs = []
        users = {}
        for test in self.build.tests:
            if not test.program:
                continue
            mine = sorted(code & set(self.build.sources_of(test.program)))
            if mine or any(a.endswith('.vec') for a in test.command):
                users.setdefault(test.program, (mine, []))[1].append(test)
        for program, (mine, tests) in sorted(users.items()):
            jobs.append((self.run_program, program, mine, tests))
        scripts = {p for p in paths if p.endswith('.py')}
        for test in self.build.tests:
            names = {os.path.relpath(os.path.join(self.build.folder, a), self.top) for a in test.command[1:2]}
            if 'tests/scenarios/run_scenarios.py' in names and any(p.endswith('.scn') for p in paths):
                jobs.insert(0, (self.run_scenarios, test))
            elif names & scripts:
                jobs.append((self.run_script, test, min(names)))
        _ = self.headers  # once, before there are threads
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            for job in [pool.submit(*j) for j in jobs]:
                job.result()

    def run_program(self, program, mine, tests):
        place = os.path.join(self.work, program.replace('/', '-'))
        os.makedirs(place, exist_ok=True)
        objects, data, parts = {}, [], []
        for source in mine:
            out = os.path.join(place, os.path.basename(source) + '.o')
            old = self.build.compiles[source, program + '.p'][1]
            parts.append(self.newer(out, [os.path.join(self.top, source)]) or
                         self.build.compile(source, program + '.p', out, ['-O0', '-g0', '--coverage']))
            objects[old] = out
            data.append(out[:-2] + '.gcda')
        for old in data:
            if os.path.exists(old):
                os.remove(old)
        exe = os.path.join(place, 'program')
        trouble = next((p for p in parts if p not in ('', 'fresh')), '') or \
            self.build.link(program, exe, objects, ['--coverage'])
        if trouble:
            self.trouble.append('%s: %s' % (program, trouble))
            return
        for test in tests:
            status, output = test.run(exe, timeout=LIMIT)
            self.note(test, status, output, mine)
        for name, lines in programs.line_counts(self.top, self.build.folder, place,
                                                [d for d in data if os.path.exists(d)]).items():
            if name.startswith('tests/'):
                mine = self.counts.setdefault(name, {})
                for line, times in lines.items():
                    mine[line] = mine.get(line, 0) + times

    @functools.cached_property
    def headers(self):
        """A digest of the library's headers: sizes of structures are in what was compiled with them."""
        digest = hashlib.sha256()
        for top in ('include', 'src'):
            for folder, _, names in sorted(os.walk(os.path.join(self.top, top))):
                for name in sorted(names):
                    if name.endswith('.h'):
                        with open(os.path.join(folder, name), 'rb') as file:
                            digest.update(file.read())
        return digest

    def newer(self, out, sources):
        """'fresh' when `out` is that of the sources as they are, and of the headers in the same folder and of the library."""
        digest = self.headers.copy()
        for source in sources:
            for name in sorted(os.listdir(os.path.dirname(source))):
                if name.endswith('.h') or name == os.path.basename(source):
                    with open(os.path.join(os.path.dirname(source), name), 'rb') as file:
                        digest.update(file.read())
        mark = out + '.of'
        if os.path.exists(out) and os.path.exists(mark):
            with open(mark) as file:
                if file.read() == digest.hexdigest():
                    return 'fresh'
        with open(mark, 'w') as file:
            file.write(digest.hexdigest())
        return None

    def run_scenarios(self, test):
        self.note(test, *test.run(timeout=LIMIT), [])

    def run_script(self, test, path):
        out = os.path.join(self.work, test.name + '.lines')
        if os.path.exists(out):
            os.remove(out)
        script = os.path.join(self.top, path)
        status, output = test.run(wrapper=[os.path.join(HERE, 'reach.py'), out, script], timeout=LIMIT)
        self.note(test, status, output, [path])
        if os.path.exists(out):
            with open(out) as file:
                for line in file:
                    self.counts.setdefault(path, {})[int(line)] = 1

    def note(self, test, status, output, sources):
        cases = programs.cases_of(output)
        if status != 0 or 'not ok' in cases.values():
            self.failed |= set(sources)
            self.trouble.append('%s: %s' % (test.name, 'failed' if status is not None else 'out of time'))
        for name, got in cases.items():
            self.cases[name] = min(self.cases.get(name, 'ok'), got)
        self.ran |= set(sources)

    def problem(self, path, lines, at, unit):
        """None: the citation at line `at` (from 0) of `path` was reached, and its test passed."""
        if path.endswith('.scn'):
            return self.passed(os.path.splitext(os.path.relpath(path, 'tests/scenarios'))[0])
        if path.endswith('.vec'):
            return self.vector_problem(path, lines, at, unit)
        counts = self.counts.get(path)
        if counts is None:
            return 'its test did not run'
        if path.endswith('.py'):
            reached = any(counts.get(n) for n in range(at + 2, at + 5))
        else:
            reached = any(counts.get(n) for n in assertion_lines(lines, at)[0])
        if not reached:
            return 'its assertion was not executed'
        if unit in self.cases:
            return self.passed(unit)
        return 'its test failed' if path in self.failed else None

    def vector_problem(self, path, lines, at, unit):
        file = os.path.basename(path)
        below = next((line for line in lines[at + 1:] if line.strip() and not line.startswith('#')), '')
        if below.startswith('headers '):
            words = below.split()
            return self.passed('%s: headers %s: %s' % (file, words[1], words[2]))
        if below.startswith('case '):
            unit = below.strip()
        name = '%s: %s' % (file, unit[len('case '):].split('#')[0].strip())
        return self.passed(name[:len(file) + 2 + 159].strip())

    def passed(self, name):
        got = self.cases.get(name.split('#')[0].strip())
        return {'ok': None, 'skip': 'its test was skipped', 'not ok': 'its test failed'}.get(
            got, 'its test did not run') if got != 'ok' else None


