//! C++.

use crate::support::recorded_with;

#[test]
fn templates_methods_and_old_headers() {
    let source = "#include <iostream>\n#include <memory>\n\
        namespace a { namespace {\n\
        template <class T, class U = int> struct Box {\n\
        T value; U more;\n\
        Box(T v) : value(v), more{2} {\n\
        #pragma cll make make[0]*v\n\
        more += 1;\n\
        #pragma cll end make\n\
        }\n\
        ~Box() noexcept {\n\
        #pragma cll destroy destroy[0]*k var(k = this->more)\n\
        std::cout << \"gone \" << more << '\\n';\n\
        #pragma cll end destroy\n\
        }\n\
        T twice() const try {\n\
        #pragma cll twice twice[0]*value\n\
        if (value < 0) throw 3;\n\
        return value * 2;\n\
        #pragma cll end twice\n\
        } catch (int) { return 0; }\n\
        };\n} }\n\
        int main() {\n\
        auto box = std::make_unique<a::Box<double>>(1'000.5);\n\
        std::cout << box->twice() << '\\n';\n\
        a::Box<int> other(-1);\n\
        if (int twice = other.twice(); twice == 0)\n\
        #pragma cll branch branch[0]\n\
        std::cout << R\"(#pragma cll end branch)\" << '\\n';\n\
        #pragma cll end branch\n\
        else\n\
        std::cout << \"no\\n\";\n\
        return 0;\n}\n";
    for recorded in recorded_with("more.cpp", source, &["-std=c++17"]) {
        assert_eq!(recorded.before.out, "2001\n#pragma cll end branch\ngone 3\ngone 3\n");
        assert_eq!(recorded.values("make", "v"), [1000.5, -1.0]);
        assert_eq!((recorded.visits("twice", "ok"), recorded.visits("twice", "exit")), (1, 1));
        assert_eq!(recorded.visits("destroy", "ok"), 2);
        assert_eq!(recorded.visits("branch", "ok"), 1);
    }
}

/// Heads of functions with a region in their bodies: each body must be seen as that of a function.
#[test]
fn heads_of_functions_of_all_kinds() {
    let region = "\n#pragma cll R R[0]\n;\n#pragma cll end R\n";
    for head in [
        "std::ostream& ns::operator<<(std::ostream& o, const ns::X& x)",
        "std::istream& operator>>(std::istream& i, X<T>& x)",
        "template <> std::ostream& operator<<<int>(std::ostream& o, const X<int>& x)",
        "int X::operator()(int a) const",
        "X *P::operator->() const",
        "A& operator->*(A a, int A::*p)",
        "int operator,(X a, X b)",
        "A operator&&(const A&, const A&)",
        "auto X::operator<=>(const X&) const",
        "void *X::operator new[](std::size_t n)",
        "int operator\"\"_x(unsigned long long a)",
        "X::operator const char *() const",
        "ns::X::operator std::vector<int>() const",
        "template <class T> T f(T a) requires requires (T t) { t + 1; }",
        "template <class T> requires std::integral<T> T f(T a)",
        "template <class T, bool B = (sizeof(T) > 4)> T f(T a)",
        "A<T>::A(int x) : B<T>{x}, c<int>(3)",
        "int f() noexcept(noexcept(g()))",
        "auto f(int x) -> decltype(x)",
        "auto f(int x) -> std::map<int, std::vector<int>>",
        "[[nodiscard]] int f(int x) [[gnu::hot]]",
        "alignas(16) static int __attribute__((noinline)) f(int x)",
        "int f(int x) REQUIRES(mu)",
        "int f(std::function<int(int)> g = {}, A a = A{1, 2})",
        "ns::A::~A() noexcept",
    ] {
        assert_eq!(crate::support::errors_of("x.cpp", &format!("{head} {{{region}}}\n")), [], "{head}");
    }
    for all in [
        format!(
            "int main() try {{{region}}} catch (const E& e) {{{region}}} catch (...) {{ }}\nint g() {{{region}}}\n"
        ),
        format!("A::A(int x) try : a(1), b{{2}} {{{region}}} catch (...) {{{region}}}\n"),
        format!("struct A {{ int f() const && noexcept override final {{{region}}} }};\n"),
        format!("auto l = [x, &y, p = std::move(q)]<class T>(T a) mutable noexcept -> int {{{region}}};\n"),
    ] {
        assert_eq!(crate::support::errors_of("x.cpp", &all), [], "{all}");
    }
}

#[test]
fn old_definitions_of_c() {
    let region = "\n#pragma cll R R[0]\n;\n#pragma cll end R\n";
    for head in [
        "int f(a, b)\nint a;\nchar *b;\n",
        "int ZEXPORT deflate(strm, flush)\n    z_streamp strm;\n    int flush;\n",
        "int f(a, cmp) void *a; int (*cmp)(const void *, const void *);",
        "local int f(s) register struct x *s; /* c */\n",
    ] {
        assert_eq!(crate::support::errors_of("x.c", &format!("{head} {{{region}}}\n")), [], "{head}");
    }
}

#[test]
fn a_coroutine_does_not_wait_inside_a_region() {
    for word in ["co_await x();", "co_yield 3;", "co_return 3;", "y = f(co_await x());"] {
        let source = format!("T f(int n) {{\n#pragma cll F F[0]\n{word}\n#pragma cll end F\n}}\n");
        assert_eq!(crate::support::errors_of("x.cpp", &source), [("suspends".to_owned(), 3)], "{word}");
    }
    let source = "T f(int n) {\nco_await x();\n#pragma cll F F[0]\nauto l = [] () -> T { co_return 3; };\nl();\n\
                  #pragma cll end F\nco_return 3;\n}\n";
    assert_eq!(crate::support::errors_of("x.cpp", source), []);
    assert_eq!(
        crate::support::errors_of("x.c", "void f(void) {\n#pragma cll F F[0]\nco_await(3);\n#pragma cll end F\n}\n"),
        []
    );
}
