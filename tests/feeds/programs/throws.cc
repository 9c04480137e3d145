/* SPDX-License-Identifier: BSD-2-Clause */
/* C++ exceptions through several frames, virtual calls, and a sort with a callback. */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct Shape {
    virtual ~Shape() {}
    virtual int area(int n) const = 0;
};
struct Square : Shape {
    int area(int n) const override { return n * n; }
};
struct Fussy : Shape {
    int area(int n) const override
    {
        if (n % 3 == 0)
            throw std::runtime_error("no " + std::to_string(n));
        return n;
    }
};

static int deep(const Shape &shape, int n, int depth)
{
    std::string guard(depth, 'x'); /* something to unwind */
    return depth ? deep(shape, n, depth - 1) + (int)guard.size() : shape.area(n);
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? std::atoi(argv[1]) : 24;
    std::vector<std::unique_ptr<Shape>> shapes;
    std::vector<int> sums;
    shapes.emplace_back(new Square);
    shapes.emplace_back(new Fussy);
    for (int i = 0; i < count; i++) {
        try {
            sums.push_back(deep(*shapes[i & 1], i, i % 7));
        } catch (const std::exception &e) {
            sums.push_back(-(int)std::string(e.what()).size());
        }
    }
    std::sort(sums.begin(), sums.end(), [](int a, int b) { return a > b; });
    for (int sum : sums)
        std::printf("%d ", sum);
    std::printf("\n");
    return 0;
}
