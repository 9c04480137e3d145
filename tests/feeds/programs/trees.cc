// SPDX-License-Identifier: BSD-2-Clause
// Calls of every kind that C++ has: virtual functions, lambdas, constructors and destructors, exceptions that
// several levels clean up behind, caught, thrown again and caught in another level of recursion; in threads.
#include <memory>
#include <pthread.h>
#include <stdexcept>
#include <vector>

#include "tree.h"

namespace {

struct Guard {
    int n;
    explicit Guard(int value) : n(value) {}
    ~Guard() { touch(n); }
    static int touch(int value) { return value + 1; }
};

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
        Guard guard(n);
        if (n % 3 == 0)
            throw std::runtime_error("no");
        return n;
    }
};

int deep(const Shape &shape, int n, int depth)
{
    Guard guard(depth);
    return depth ? deep(shape, n, depth - 1) + 1 : shape.area(n);
}

int again(const Shape &shape, int n)
{
    try {
        return deep(shape, n, 3);
    } catch (const std::runtime_error &) {
        Guard::touch(n);
        throw;
    }
}

/* Each level catches, and throws again. */
int levels(const Shape &shape, int n)
{
    try {
        return n ? levels(shape, n - 1) + 1 : again(shape, 3);
    } catch (const std::exception &) {
        if (Guard::touch(n) < 4)
            throw;
        return Guard::touch(n);
    }
}

int all(int rounds)
{
    const Square square;
    const Fussy fussy;
    int sum = 0;

    for (int i = 0; i < rounds; i++) {
        const Shape &shape = i % 2 ? static_cast<const Shape &>(square) : fussy;
        try {
            sum += deep(shape, i, i % 4);
        } catch (const std::runtime_error &) {
            sum += Guard::touch(sum);
        }
    }
    const auto add = [&sum](int n) { sum += Guard::touch(n); };
    for (int i = 0; i < 3; i++)
        add(i);
    return sum + levels(fussy, 4);
}

void *thread(void *argument)
{
    all(*static_cast<int *>(argument));
    return nullptr;
}

} // namespace

int main()
{
    int rounds[] = {4, 7, 10};
    pthread_t threads[3];

    all(8);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], nullptr, thread, &rounds[i]);
    for (pthread_t one : threads)
        pthread_join(one, nullptr);
    log_print();
    return 0;
}
