#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""scripts/run-tests itself: what it must not let pass in silence.

usage: harness.py TOP
"""
import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap  # noqa: E402

MISSING = 'ok 1 - a # SKIP llvm-mc is not installed (Debian: llvm-19)\n1..1\n'


def run(top, cases, output, status=0, **variables):
    """run-tests on a folder whose only test, `one`, prints `output`; meson is a script in front of it."""
    with tempfile.TemporaryDirectory() as tree:
        for name in ('scripts', 'tests', 'bin', 'captures', 'b/meson-logs'):
            os.makedirs(os.path.join(tree, name))
        shutil.copy(os.path.join(top, 'scripts', 'run-tests'), os.path.join(tree, 'scripts'))
        with open(os.path.join(tree, 'tests', 'cases.tsv'), 'w') as out:
            out.write('test\tcases\n' + ''.join('%s\t%d\n' % row for row in cases.items()))
        with open(os.path.join(tree, 'bin', 'meson'), 'w') as out:
            out.write('#!%s\nimport json\nwith open(%r, "w") as log:\n    log.write(json.dumps({"name": "x / one", '
                      '"stdout": %r, "returncode": %d, "result": "OK"}))\n' %
                      (sys.executable, os.path.join(tree, 'b', 'meson-logs', 'testlog.json'), output, status))
        os.chmod(os.path.join(tree, 'bin', 'meson'), 0o755)
        env = {k: v for k, v in os.environ.items() if k not in ('CI', 'CAIRN_REQUIRE_CAPTURES')}
        env.update(PATH=os.path.join(tree, 'bin') + ':' + env['PATH'],
                   CAIRN_CAPTURES=os.path.join(tree, 'captures'), **variables)
        return subprocess.run([sys.executable, 'scripts/run-tests', 'b'], cwd=tree, env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def expect(done, status, wanted):
    if done.returncode != status:
        yield 'status %d, not %d: %s' % (done.returncode, status, done.stdout)
    if wanted not in done.stdout:
        yield 'not said: %s\n%s' % (wanted, done.stdout)


def scenario_problems(top, flow):
    """What judges say of a flow of sync, 1000 E, discard against the lines `flow`."""
    path = os.path.join(top, 'tests', 'scenarios')
    sys.path.insert(0, path)
    loader = importlib.machinery.SourceFileLoader('run_scenarios', os.path.join(path, 'run_scenarios.py'))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader('run_scenarios', loader))
    loader.exec_module(module)
    with tempfile.NamedTemporaryFile('w', suffix='.scn') as file:
        file.write('[trace]\n  start 0x1000\n[flow]\n' + ''.join('  %s\n' % line for line in flow))
        file.flush()
        scenario = module.Scenario(file.name)
        return module.judge_flow(scenario, module.Answer('F # sync\nF i 1000 4 A64 E\nF # discard\n'))


def main():
    top, tap = os.path.abspath(sys.argv[1]), Tap()
    two = 'ok 1 - a\nok 2 - b\n1..2\n'
    required = {'CI': 'true'}
    tap.case('as many cases as are written down', expect(run(top, {'one': 2}, two, **required), 0, '2 passed, 0 failed'))
    tap.case('fewer cases than are written down', expect(run(top, {'one': 3}, two), 1, 'has 2 cases, 3 are written'))
    tap.case('a test that is not written down', expect(run(top, {}, two, **required), 1, 'is not in tests/cases.tsv'))
    tap.case('a test that did not run', expect(run(top, {'one': 2, 'two': 1}, two, **required), 1, 'did not run'))
    tap.case('TAP without a plan', expect(run(top, {'one': 2}, 'ok 1 - a\nok 2 - b\n'), 1, 'TAP without a plan'))
    tap.case('a tool that is missing', expect(run(top, {'one': 1}, MISSING, **required), 1, 'although it is required'))
    tap.case('a tool that is missing where nothing is required', expect(run(top, {'one': 1}, MISSING), 0, '1 skipped'))
    tap.case('a scenario that lists all', scenario_problems(top, ['1000 E', '# discard']))
    tap.case('a scenario fails on a kind of record that it does not mention',
             [] if scenario_problems(top, ['1000 E']) else ['a discard passed'])
    tap.case('a scenario cannot leave out a discard',
             [] if refuses(top, ['unlisted discard', '1000 E']) else ['unlisted discard passed'])
    tap.case('scripts/mutate tells what the tests notice from what they do not', mutants(top))
    tap.end()


SOURCE = '''int noticed(int x);
int ignored(int x);
int noticed(int x)
{
    return x > 3;
}
int ignored(int x)
{
    return x > 3;
}
'''
PROGRAM = '''#include <stdio.h>
int noticed(int x);
int main(void)
{
    const int good = !noticed(2) && !noticed(3) && noticed(4) && noticed(5);
    printf("%s 1 - one\\n1..1\\n", good ? "ok" : "not ok");
    return !good;
}
'''
PROJECT = """project('x', 'c')
x = static_library('cairn', 'src/x.c')
test('one', executable('one', 'one.c', link_with: x), protocol: 'tap', suite: 'unit')
"""


def mutants(top):
    """Of the two functions one is tested: all mutants of it are killed, those of the other survive."""
    with tempfile.TemporaryDirectory() as tree:
        os.makedirs(os.path.join(tree, 'src'))
        shutil.copytree(os.path.join(top, 'scripts'), os.path.join(tree, 'scripts'))
        for name, text in (('src/x.c', SOURCE), ('one.c', PROGRAM), ('meson.build', PROJECT)):
            with open(os.path.join(tree, name), 'w') as out:
                out.write(text)
        build = os.path.join(tree, 'b')
        for command in (['meson', 'setup', build, tree], ['ninja', '-C', build]):
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode:
                return [done.stdout]
        done = subprocess.run([sys.executable, 'scripts/mutate', '--least', '90', '--build', build, 'src'], cwd=tree,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        wanted = ['4 mutants of 4 sites: 2 killed (50.0 %), 2 survived', 'src/x.c:9: operator', 'src/x.c:9: constant']
        return ['not said: %s\n%s' % (w, done.stdout) for w in wanted if w not in done.stdout] + \
            ([] if done.returncode == 1 else ['status %d' % done.returncode])


def refuses(top, flow):
    try:
        return scenario_problems(top, flow)
    except Exception as error:  # a ScenarioError of the module that was loaded
        return [str(error)] if 'unlisted' in str(error) else []


if __name__ == '__main__':
    main()
