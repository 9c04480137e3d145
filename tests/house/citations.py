#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The citations of the tests, and scripts/conformance, which reads them.

usage: citations.py TOP
"""
import contextlib
import functools
import io
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap  # noqa: E402

LIST = 'id\tsection\tside\tarea\trequirement\ttest\n' + ''.join(
    'R_%s\tD1.1\tdecoder\tatoms\twhat\thow\n' % c for c in 'ABCDEFG')


@functools.lru_cache(maxsize=None)
def script(top):
    path = os.path.join(top, 'scripts', 'conformance')
    with open(path, encoding='utf-8') as file:
        return path, compile(file.read(), path, 'exec')


def conformance(top, tree, *options):
    """The report, made by this process: its beginning would take longer than a small tree does."""
    path, code = script(top)
    out, err, status, before = io.StringIO(), io.StringIO(), 0, (sys.argv, sys.path[:])
    sys.argv = [path, '--top', tree, '--static', *options]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            exec(code, {'__name__': '__main__', '__file__': path})
    except SystemExit as end:
        if isinstance(end.code, str):
            err.write(end.code + '\n')
        status = end.code if isinstance(end.code, int) else int(bool(end.code))
    finally:
        sys.argv, sys.path[:] = before
    return subprocess.CompletedProcess(sys.argv, status, out.getvalue(), err.getvalue())


def tree_with(folder, reasons='', list=LIST, **files):
    for name in ('docs/conformance', 'tests'):
        os.makedirs(os.path.join(folder, name))
    for path, text in [('docs/conformance/ete.tsv', list),
                       ('docs/conformance/reasons.tsv', 'id\tword\tkind\treason\n' + reasons)] + \
            [('tests/' + name.replace('_dot_', '.'), text) for name, text in files.items()]:
        with open(os.path.join(folder, path), 'w') as file:
            file.write(text)


def expect(top, wanted, status, reasons='', list=LIST, **files):
    """Problems unless the report on a small tree has `wanted` in it and ends with `status`."""
    with tempfile.TemporaryDirectory() as folder:
        tree_with(folder, reasons, list, **files)
        done = conformance(top, folder)
        if done.returncode != status:
            yield 'status %d, not %d: %s' % (done.returncode, status, done.stderr)
        if wanted not in done.stdout + done.stderr:
            yield 'not in the report: %s\n%s%s' % (wanted, done.stdout, done.stderr)


def c_test(*statements):
    return 'static void one(void **state)\n{\n%s}\n' % ''.join('    %s\n' % s for s in statements)


def cited(ids):
    return c_test('/* proves: %s */' % ids, 'assert_int_equal(1, f());')


def main():
    top = sys.argv[1]
    tap = Tap()
    tap.case('every citation is in order', conformance(top, top, '--check').stderr.splitlines())
    tap.case('a citation proves', expect(top, '2 of 7 proved', 0, a_dot_c=cited('R_A, R_B')))
    tap.case('an unknown id is an error', expect(top, 'no list has R_X', 1, a_dot_c=cited('R_X')))
    tap.case('six ids in a citation are an error',
             expect(top, '6 ids in one citation', 1, a_dot_c=cited('R_A, R_B, R_C, R_D, R_E, R_F')))
    six = c_test(*[s for c in 'ABCDEF' for s in ('/* proves: R_%s */' % c, 'assert_true(f());')])
    tap.case('six ids in a test are an error', expect(top, 'one proves 6 ids', 1, a_dot_c=six))
    split = six.replace('    /* proves: R_D */', '}\n\nstatic void two(void **state)\n{\n    /* proves: R_D */')
    tap.case('six ids in two tests are fine', expect(top, '6 of 7 proved', 0, a_dot_c=split))
    tap.case('a citation needs an assertion',
             expect(top, 'stands above no assertion', 1,
                    a_dot_c=c_test('/* proves: R_A */', 'int x = 1;', 'use(x);')))
    tap.case('a citation in a text file proves',
             expect(top, '1 of 7 proved', 0, a_dot_scn='[flow]\n# proves: R_A\n  1000 E\n'))
    tap.case('a reason excuses', expect(top, '6 open, 0 deviations, 1 not applicable', 0, reasons='R_A\tnot applicable\telsewhere\tno decoder\n'))
    tap.case('a reason for a proved id is an error',
             expect(top, 'drop the reason', 1, reasons='R_A\tdeviation\tdecision\tno\n', a_dot_c=cited('R_A')))
    tap.case('a reason without its word is an error',
             expect(top, 'separated by tabs', 1, reasons='R_A\tno decoder\n'))
    check_kinds(top, tap)
    tap.case('an assertion of constants proves nothing',
             expect(top, 'above an assertion of constants', 1,
                    a_dot_c=c_test('/* proves: R_A */', 'assert_true(1);')))
    tap.case('a citation outside of what a scenario expects proves nothing',
             expect(top, 'cites above no expectation', 1, a_dot_scn='[trace]\n# proves: R_A\n  ATOM_F1 E\n'))
    tap.case('a file that is no test proves nothing',
             expect(top, 'cites in a file that is no test', 1, README='# proves: R_A\nnop\n'))
    tap.case('five ids of a test are shared', expect(
        top, '5 of 7 proved (5 shared)', 0, a_dot_c=cited('R_A, R_B, R_C, R_D, R_E')))
    tap.case('only what was executed and passed is proved', executed(top))
    tap.end()


def check_kinds(top, tap):
    """The kinds of reasons, and what each has to be."""
    def reason(kind, word='not applicable', text='it is so', of='R_A'):
        return '%s\t%s\t%s\t%s\n' % (of, word, kind, text)

    tap.case('a reason without a kind is an error', expect(
        top, 'separated by tabs', 1, reasons='R_A\tnot applicable\tit is so\n'))
    tap.case('a kind that there is not is an error', expect(
        top, 'separated by tabs', 1, reasons=reason('permission')))
    tap.case('a kind goes with its word', [
        p for kind, word in [('decision', 'not applicable'), ('elsewhere', 'deviation'), ('explains R_B', 'deviation')]
        for p in expect(top, 'a reason of the kind "%s"' % kind.split()[0], 1, reasons=reason(kind, word),
                        a_dot_c=cited('R_B'))])
    tap.case('a row is explained by rows that are proved', expect(
        top, '4 open, 0 deviations, 1 not applicable', 0, reasons=reason('explains R_B, R_C'), a_dot_c=cited('R_B, R_C')))
    tap.case('a row that is explained by an open one is an error', expect(
        top, 'R_A is explained by R_C, which is not proved', 1, reasons=reason('explains R_B, R_C'),
        a_dot_c=cited('R_B')))
    tap.case('a row that is explained by an excused one is an error', expect(
        top, 'R_A is explained by R_B, which is not proved', 1,
        reasons=reason('elsewhere', of='R_B') + reason('explains R_B')))
    tap.case('a row that is explained by none, by itself or by one that there is not is an error', [
        *expect(top, 'names the rows that carry', 1, reasons=reason('explains')),
        *expect(top, 'cannot explain itself', 1, reasons=reason('explains R_A')),
        *expect(top, 'R_A is explained by R_X, which no list has', 1, reasons=reason('explains R_X'))])
    tap.case('only what explains names rows', expect(top, 'only "explains"', 1, reasons=reason('elsewhere R_B')))
    choices = ['This is IMPLEMENTATION DEFINED.', 'An impl-defined size.', 'Implementation specific behaviour.',
               'It is CONSTRAINED UNPREDICTABLE whether.', 'A permission.', 'A unit need not do it.', 'That is permitted.']
    tap.case('what is left to the implementation is no reason', [
        p for text in choices for kind in ('elsewhere', 'explains R_B')
        for p in expect(top, 'leaves something to the implementation', 1, reasons=reason(kind, text=text),
                        a_dot_c=cited('R_B'))])
    tap.case('a row that leaves something to the implementation is not excused', [
        p for text in choices for p in expect(
            top, 'R_H leaves something to the implementation', 1, reasons=reason('elsewhere', of='R_H'),
            list=LIST + 'R_H\tD1.1\tdecoder\tatoms\t%s\thow\n' % text)])
    tap.case('a second reason for a row is an error', expect(
        top, 'R_A has a reason already', 1, reasons=2 * reason('elsewhere')))
    many = ''.join('R_N%d\tD1.1\tdecoder\tatoms\twhat\thow\n' % n for n in range(23))
    for count, status in (22, 0), (23, 1):
        tap.case('%d reasons are %s' % (count, 'too many' if status else 'as many as there may be'), expect(
            top, '%d reasons, at most 22' % count if status else '%d not applicable' % count, status, list=LIST + many,
            reasons=''.join(reason('elsewhere', of='R_N%d' % n) for n in range(count))))


PROGRAM = '''#include <stdio.h>
#define assert_true(x) ((x) ? (void)0 : (void)failures++)
static int failures;
static void one(int n)
{
    if (n == 1)
        /* proves: R_A */
        assert_true(n > 0);
    if (n == 2)
        /* proves: R_B */
        assert_true(n > 0);
#if 0
    /* proves: R_C */
    assert_true(n > 0);
#endif
}
static void two(int n)
{
    /* proves: R_D */
    assert_true(n > 1);
}
int main(int count, char **words)
{
    (void)words;
    one(count);
    printf("%s 1 - one\\n", failures ? "not ok" : "ok");
    two(count);
    printf("%s 2 - two\\n1..2\\n", failures ? "not ok" : "ok");
    return failures;
}
'''


def executed(top):
    """A project of one test, of whose four citations one is executed and passes."""
    with tempfile.TemporaryDirectory() as tree:
        tree_with(tree, one_dot_c=PROGRAM)
        shutil.copytree(os.path.join(top, 'scripts'), os.path.join(tree, 'scripts'))
        with open(os.path.join(tree, 'meson.build'), 'w') as file:
            file.write("project('x', 'c')\ntest('one', executable('one', 'tests/one.c'), protocol: 'tap')\n")
        build = os.path.join(tree, 'b')
        for command in (['meson', 'setup', build, tree], ['ninja', '-C', build]):
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode:
                return [done.stdout]
        done = subprocess.run([sys.executable, os.path.join(tree, 'scripts', 'conformance'), '--build', build],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        wanted = ['1 of 7 proved', 'one.c:10: its assertion was not executed', 'one.c:13: its assertion was not executed',
                  'one.c:19: its test failed']
        return ['not said: %s\n%s' % (w, done.stdout) for w in wanted if w not in done.stdout]


if __name__ == '__main__':
    main()
