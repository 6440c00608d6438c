//! The names that a statement declares, judged by its tokens alone.
//!
//! `T *x = ..` is a declaration, because its other reading, a product that is assigned to, is not valid. Where a
//! statement could be an expression, it is treated as one: a name that was missed is found by the compiler.

use super::region::Declared;
use crate::translate::scan::bytes::Bytes;
use crate::translate::scan::{Kind, Token, Word};

/// Maximum number of tokens examined.
const MOST_TOKENS: usize = 4096;

/// Reads the declaration that may begin at a token.
pub struct Reader<'a> {
    pub tokens: &'a [Token],
    pub bytes: Bytes<'a>,
    pub cpp: bool,
}

impl Reader<'_> {
    /// The names that the statement at token `at` declares.
    pub fn names(&self, at: usize) -> Vec<Declared> {
        let mut found = Vec::new();
        if self.specifiers(at, &mut found).is_none() {
            found.retain(|declared: &Declared| declared.tag);
        }
        found
    }

    fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    fn is(&self, at: usize, sign: u8) -> bool {
        self.kind(at) == Some(Kind::Sign(sign))
    }

    fn specifiers(&self, start: usize, found: &mut Vec<Declared>) -> Option<()> {
        let mut at = start;
        // A word that only declarations have; a word that is the type.
        let (mut sure, mut has_type) = (false, false);
        while at < start + MOST_TOKENS {
            match self.kind(at)? {
                Kind::Type | Kind::Word(Word::Extern | Word::Typedef) => {
                    sure = true;
                    at += 1;
                }
                Kind::Tag => {
                    sure = true;
                    has_type = true;
                    at = self.tag(at + 1, found);
                }
                Kind::Attribute => at = self.group(at + 1),
                Kind::Scope if !has_type => at += 1,
                Kind::Name => {
                    let after = self.qualified(at + 1);
                    if self.is_type(after, sure, has_type) {
                        has_type = true;
                        at = after;
                    } else if sure || has_type {
                        return self.declarators(at, sure, found);
                    } else {
                        return None;
                    }
                }
                Kind::Sign(b'*' | b'&') if sure || has_type => at += 1,
                Kind::Sign(b'(') if (sure || has_type) && self.is(at + 1, b'*') => {
                    return self.declarators(at, sure, found);
                }
                Kind::Sign(b'[') if sure && self.cpp => return self.bindings(at, found),
                _ => return None,
            }
        }
        None
    }

    /// Whether a name that ends before `after` is a type: another name follows, stars between them or not.
    fn is_type(&self, after: usize, sure: bool, has_type: bool) -> bool {
        if has_type {
            return self.kind(after) == Some(Kind::Name);
        }
        let mut at = after;
        while self.is(at, b'*') || self.is(at, b'&') || (at > after && self.kind(at) == Some(Kind::Type)) {
            at += 1;
        }
        match self.kind(at) {
            Some(Kind::Name) => true,
            Some(Kind::Type) => at == after,
            Some(Kind::Sign(b'(')) => sure && self.is(at + 1, b'*') && !self.is(after, b'('),
            _ => false,
        }
    }

    /// Passes over `::name` and, in C++, over `<..>`.
    fn qualified(&self, mut at: usize) -> usize {
        loop {
            if self.kind(at) == Some(Kind::Scope) && self.kind(at + 1) == Some(Kind::Name) {
                at += 2;
            } else if self.cpp && self.is(at, b'<') {
                match self.arguments(at) {
                    Some(end) => at = end,
                    None => return at,
                }
            } else {
                return at;
            }
        }
    }

    fn arguments(&self, open: usize) -> Option<usize> {
        let mut depth = 0usize;
        for at in open..open + 256 {
            match self.kind(at)? {
                Kind::Sign(b'<') => depth += 1,
                Kind::Sign(b'>') if depth == 1 => return Some(at + 1),
                Kind::Sign(b'>') => depth -= 1,
                Kind::Sign(b';' | b'{' | b'}') => return None,
                _ => {}
            }
        }
        None
    }

    /// What follows `struct`.
    fn tag(&self, mut at: usize, found: &mut Vec<Declared>) -> usize {
        while matches!(self.kind(at), Some(Kind::Attribute | Kind::Tag)) {
            at = if self.kind(at) == Some(Kind::Tag) { at + 1 } else { self.group(at + 1) };
        }
        if self.kind(at) == Some(Kind::Name) {
            let name = at;
            at = self.qualified(at + 1);
            if self.is(at, b'{') {
                found.push(self.declared(name, true));
            }
        }
        if self.is(at, b'{') { self.group(at) } else { at }
    }

    /// Passes over the brackets at `at`, if there are any.
    fn group(&self, at: usize) -> usize {
        if !matches!(self.kind(at), Some(Kind::Sign(b'(' | b'{' | b'['))) {
            return at;
        }
        let mut depth = 0usize;
        let last = self.tokens.len().min(at + MOST_TOKENS);
        for end in at..last {
            match self.tokens[end].kind {
                Kind::Sign(b'(' | b'{' | b'[') => depth += 1,
                Kind::Sign(b')' | b'}' | b']') if depth == 1 => return end + 1,
                Kind::Sign(b')' | b'}' | b']') => depth -= 1,
                _ => {}
            }
        }
        last
    }

    fn bindings(&self, open: usize, found: &mut Vec<Declared>) -> Option<()> {
        let end = self.group(open);
        let names = (open..end).filter(|&at| self.kind(at) == Some(Kind::Name));
        found.extend(names.map(|at| self.declared(at, false)));
        Some(())
    }

    /// Declarators between commas, up to the semicolon.
    fn declarators(&self, first: usize, sure: bool, found: &mut Vec<Declared>) -> Option<()> {
        let mut at = first;
        let mut any = false;
        loop {
            while self.is(at, b'*') || self.is(at, b'&') || self.kind(at) == Some(Kind::Type) {
                at += 1;
            }
            let pointer = self.is(at, b'(') && self.is(at + 1, b'*');
            let name = if pointer { self.pointed(at + 1)? } else { at };
            if self.kind(name)? != Kind::Name {
                return any.then_some(());
            }
            at = if pointer { self.group(at) } else { name + 1 };
            let is_declared = match self.kind(at)? {
                Kind::Sign(b'=' | b';' | b',' | b'[') => true,
                Kind::Sign(b'{') => self.cpp,
                Kind::Sign(b'(') if pointer => true,
                Kind::Sign(b'(') => self.cpp && !self.is_prototype(at + 1),
                Kind::Attribute | Kind::Word(Word::Leaves) => sure,
                _ => return any.then_some(()),
            };
            if is_declared {
                found.push(self.declared(name, false));
                any = true;
            }
            at = self.to_comma(at)? + 1;
            if self.is(at - 1, b';') {
                return any.then_some(());
            }
        }
    }

    /// The name in `(*name)`.
    fn pointed(&self, mut at: usize) -> Option<usize> {
        while matches!(self.kind(at)?, Kind::Sign(b'*' | b'(') | Kind::Type) {
            at += 1;
        }
        Some(at)
    }

    /// Whether a bracket holds parameters, not values.
    fn is_prototype(&self, at: usize) -> bool {
        match self.kind(at) {
            Some(Kind::Type | Kind::Tag | Kind::Sign(b')')) => true,
            Some(Kind::Name) => matches!(self.kind(self.qualified(at + 1)), Some(Kind::Name)),
            _ => false,
        }
    }

    /// The comma or semicolon that ends a declarator.
    fn to_comma(&self, mut at: usize) -> Option<usize> {
        let limit = at + MOST_TOKENS;
        while at < limit {
            match self.kind(at)? {
                Kind::Sign(b',' | b';') => return Some(at),
                Kind::Sign(b'(' | b'{' | b'[') => at = self.group(at),
                Kind::Sign(b')' | b'}' | b']') => return None,
                _ => at += 1,
            }
        }
        None
    }

    fn declared(&self, at: usize, tag: bool) -> Declared {
        let token = self.tokens[at];
        let name = self.bytes.plain(token.start as usize, token.end as usize).into_owned();
        Declared { name, token: at, tag }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::translate::scan::scan;

    fn names(source: &str, cpp: bool) -> Vec<String> {
        let scanned = scan(source.as_bytes(), cpp);
        let reader = Reader { tokens: &scanned.tokens, bytes: Bytes { all: source.as_bytes() }, cpp };
        let text = |declared: Declared| String::from_utf8(declared.name).expect("a name");
        reader.names(0).into_iter().map(text).collect()
    }

    #[test]
    fn declarations_are_told_from_expressions() {
        for (source, expected) in [
            ("int i;", vec!["i"]),
            ("int i = f(1, 2), *j, k[3] = {1, 2};", vec!["i", "j", "k"]),
            ("unsigned long x = 3;", vec!["x"]),
            ("const size_t n = 3;", vec!["n"]),
            ("size_t n = 3;", vec!["n"]),
            ("T *p = q;", vec!["p"]),
            ("T *p, *q;", vec!["p", "q"]),
            ("struct S s = {0};", vec!["s"]),
            ("struct S { int a; } s;", vec!["S", "s"]),
            ("struct S { int a; };", vec!["S"]),
            ("double (*f)(double) = sin;", vec!["f"]),
            ("typedef int T;", vec!["T"]),
            ("static T x;", vec!["x"]),
            ("int f(int);", vec![]),
            ("x = 3;", vec![]),
            ("x[3] = 4;", vec![]),
            ("f(x);", vec![]),
            ("a->b = c * d;", vec![]),
            ("*p = 3;", vec![]),
            ("x++, y--;", vec![]),
            ("return x;", vec![]),
            ("goto x;", vec![]),
        ] {
            assert_eq!(names(source, false), expected, "{source}");
        }
    }

    #[test]
    fn declarations_of_cpp() {
        for (source, expected) in [
            ("std::vector<int> v(3), w;", vec!["v", "w"]),
            ("auto [a, b] = f();", vec!["a", "b"]),
            ("auto &x = y;", vec!["x"]),
            ("Foo f{3};", vec!["f"]),
            ("std::map<int, std::pair<int, int>> m;", vec!["m"]),
            ("std::cout << x;", vec![]),
            ("v.push_back(x);", vec![]),
            ("int f(int x);", vec![]),
            ("a < b;", vec![]),
        ] {
            assert_eq!(names(source, true), expected, "{source}");
        }
    }
}
