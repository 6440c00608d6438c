// Regions that are left early: return, break, continue, goto, exception.
#include <cstdio>
#include <stdexcept>
#include <vector>

template <typename T>
static T leave(T how)
{
    int seen = 0;
#pragma cll leave leave[0] + leave[1]*how exits(ok)
    if (how == 1) return 10;
    for (int i = 0; i < 3; i++) {
#pragma cll turn turn[0] var(i)
        if (i == 1 && how == 2) break;
        if (i == 0) continue;
        seen += i;
#pragma cll end turn
    }
    if (how == 3) throw std::runtime_error("three");
    if (how == 4) goto out;
    seen += 100;
#pragma cll end leave
out:
    return seen;
}

int main()
{
    std::vector<int> found;
    for (int how = 0; how < 5; how++) {
        try {
            found.push_back(leave(how));
        } catch (const std::exception &error) {
            std::puts(error.what());
        }
    }
    auto twice = [](int n) {
        int sum = 0;
#pragma cll lambda lambda[0]*n
        sum = 2 * n;
#pragma cll end lambda
        return sum;
    };
    for (int one : found) std::printf("%d\n", twice(one));
    return 0;
}
