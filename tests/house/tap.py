# SPDX-License-Identifier: BSD-2-Clause
"""TAP output for tests written in Python: one line a case, the plan at the end."""
import os
import shlex
import sys


def program(path):
    """The words that run a built program: it may be another machine's, for an emulator (scripts/cross)."""
    return shlex.split(os.environ.get('MESON_EXE_WRAPPER', '')) + [path]


class Tap:
    def __init__(self):
        self.count, self.failures = 0, 0

    def case(self, name, problems):
        """A case passes when the list of problems (sentences) is empty."""
        self.count += 1
        problems = list(problems)
        for text in problems[:40]:
            for line in str(text).splitlines():
                print('# ' + line)
        if len(problems) > 40:
            print('# ... and %d more' % (len(problems) - 40))
        self.failures += bool(problems)
        print('%sok %d - %s' % ('not ' if problems else '', self.count, name.replace('#', ' ')),
              flush=True)

    def skip(self, name, why):
        self.count += 1
        print('ok %d - %s # SKIP %s' % (self.count, name.replace('#', ' '), why), flush=True)

    def end(self):
        print('1..%d' % self.count)
        sys.exit(1 if self.failures else 0)
