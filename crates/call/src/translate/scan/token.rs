//! Tokens of C and C++, as far as the nesting of statements needs them.

/// A token and the bytes of the source that it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    pub start: u32,
    pub end: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Name,
    /// A word that begins or belongs to a statement.
    Word(Word),
    /// A word that only a declaration has: `int`, `const`, `static`.
    Type,
    /// `struct`, `union`, `enum`, `class`.
    Tag,
    /// `decltype`, `__attribute__` and others, whose brackets are not parameters.
    Attribute,
    /// Other reserved words, which are neither names nor types.
    Reserved,
    Number,
    /// A string or a character.
    Text,
    /// One byte that is an operator or a bracket; digraphs are what they stand for.
    Sign(u8),
    /// An operator of several bytes without a meaning of its own here, such as `==` or `+=`.
    Operator,
    /// `::`
    Scope,
    /// `->`
    Arrow,
    /// A pragma of ours, by its number.
    Pragma(u32),
    /// A pragma that governs the statement or the loop after it.
    Governs(Governed),
    /// `#if` and its kin, unless its text is left out for good.
    If,
    /// `#else`, `#elif`
    Else,
    /// `#endif`
    EndIf,
}

/// What must follow a foreign pragma.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Governed {
    /// Any statement.
    Statement,
    Loop,
}

/// Keywords that affect the nesting of statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    If,
    Else,
    For,
    While,
    Do,
    Switch,
    Case,
    Default,
    Try,
    Catch,
    Goto,
    Return,
    /// `break`, `continue`, `throw`, ...: a statement that declares nothing.
    Leaves,
    Namespace,
    Extern,
    Operator,
    Typedef,
    Using,
}

pub fn of_word(word: &[u8], cpp: bool) -> Kind {
    use Word as W;
    match word {
        b"if" => Kind::Word(W::If),
        b"else" => Kind::Word(W::Else),
        b"for" => Kind::Word(W::For),
        b"while" => Kind::Word(W::While),
        b"do" => Kind::Word(W::Do),
        b"switch" => Kind::Word(W::Switch),
        b"case" => Kind::Word(W::Case),
        b"default" => Kind::Word(W::Default),
        b"goto" => Kind::Word(W::Goto),
        b"return" => Kind::Word(W::Return),
        b"break" | b"continue" | b"asm" | b"__asm__" | b"__asm" => Kind::Word(W::Leaves),
        b"extern" => Kind::Word(W::Extern),
        b"typedef" => Kind::Word(W::Typedef),
        b"struct" | b"union" | b"enum" => Kind::Tag,
        b"int" | b"char" | b"short" | b"long" | b"float" | b"double" | b"void" | b"signed" | b"unsigned" | b"const"
        | b"volatile" | b"static" | b"register" | b"auto" | b"inline" | b"restrict" | b"__restrict" | b"_Bool"
        | b"_Complex" | b"_Thread_local" | b"_Atomic" | b"__thread" | b"__inline" | b"__inline__" | b"__const"
        | b"__volatile__" | b"__restrict__" | b"__extension__" | b"_Noreturn" | b"__int128" | b"_Float128"
        | b"__float128" => Kind::Type,
        b"__attribute__" | b"__attribute" | b"_Alignas" | b"__declspec" | b"typeof" | b"__typeof__" | b"__typeof" => {
            Kind::Attribute
        }
        b"sizeof" | b"_Alignof" | b"_Generic" | b"_Static_assert" => Kind::Reserved,
        _ if cpp => of_cpp_word(word),
        _ => Kind::Name,
    }
}

fn of_cpp_word(word: &[u8]) -> Kind {
    match word {
        b"class" => Kind::Tag,
        b"try" => Kind::Word(Word::Try),
        b"catch" => Kind::Word(Word::Catch),
        b"throw" | b"delete" | b"co_return" | b"co_yield" | b"co_await" => Kind::Word(Word::Leaves),
        b"namespace" => Kind::Word(Word::Namespace),
        b"operator" => Kind::Word(Word::Operator),
        b"using" => Kind::Word(Word::Using),
        b"bool" | b"wchar_t" | b"char8_t" | b"char16_t" | b"char32_t" | b"constexpr" | b"consteval" | b"constinit"
        | b"mutable" | b"thread_local" | b"virtual" | b"explicit" | b"friend" | b"typename" => Kind::Type,
        b"decltype" | b"alignas" | b"noexcept" | b"requires" => Kind::Attribute,
        b"new" | b"this" | b"true" | b"false" | b"nullptr" | b"alignof" | b"typeid" | b"static_assert"
        | b"template" | b"public" | b"private" | b"protected" | b"static_cast" | b"const_cast"
        | b"reinterpret_cast" | b"dynamic_cast" => Kind::Reserved,
        _ => Kind::Name,
    }
}

impl Token {
    /// Whether it is this sign.
    pub fn is(self, sign: u8) -> bool {
        self.kind == Kind::Sign(sign)
    }
}
