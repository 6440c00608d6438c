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
