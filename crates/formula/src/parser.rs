//! Tokens to a tree: precedence climbing with one token of lookahead.

use crate::error::{ErrorKind, FormulaError};
use crate::expr::{Comparison, Expr, Factor, Term};
use crate::function::Function;
use crate::lexer::{Lexer, Token, TokenKind};
use crate::limits;
use crate::span::Span;

mod operand;

/// How tightly operators bind, loosest first.
pub(crate) mod binding {
    pub const ANY: u8 = 0;
    pub const OR: u8 = 1;
    pub const AND: u8 = 2;
    pub const NOT: u8 = 3;
    pub const COMPARISON: u8 = 4;
    pub const SUM: u8 = 5;
    pub const PRODUCT: u8 = 6;
    pub const SIGN: u8 = 7;
    pub const POWER: u8 = 8;
    pub const ATOM: u8 = 9;
}

/// Reads a whole formula. The errors are not yet located in the text (see [`FormulaError::located`]).
pub(crate) fn parse(source: &str) -> Result<Expr, FormulaError> {
    if source.len() > limits::LENGTH {
        return Err(FormulaError::new(ErrorKind::TooLong { length: source.len() }, Span::default()));
    }
    let mut lexer = Lexer::new(source);
    let next = lexer.next()?;
    if next.kind == TokenKind::End {
        return Err(FormulaError::new(ErrorKind::Empty, next.span));
    }
    let mut parser = Parser { source, lexer, next, last: Span::default(), depth: 0, nodes: 0 };
    let tree = parser.expression(binding::ANY)?;
    match parser.next.kind {
        TokenKind::End => Ok(tree),
        TokenKind::Close => Err(parser.error(ErrorKind::UnopenedBracket)),
        TokenKind::Comma => Err(parser.error(ErrorKind::MisplacedComma)),
        _ => Err(parser.missing_operator()),
    }
}

struct Parser<'a> {
    source: &'a str,
    lexer: Lexer<'a>,
    /// The token looked at.
    next: Token,
    /// Where the token before it stands.
    last: Span,
    depth: usize,
    nodes: usize,
}

impl Parser<'_> {
    /// An operand and all operators behind it that bind at least as tightly as `least`.
    fn expression(&mut self, least: u8) -> Result<Expr, FormulaError> {
        self.depth += 1;
        if self.depth > limits::DEPTH {
            return Err(self.error(ErrorKind::TooDeep));
        }
        let mut compared = matches!(self.next.kind, TokenKind::Text(_));
        let mut left = self.operand(least)?;
        while let Some(binding) = self.infix() {
            if binding < least {
                break;
            }
            if compared && binding >= binding::COMPARISON {
                let chained = binding == binding::COMPARISON;
                return Err(self.error(if chained { ErrorKind::ChainedComparison } else { ErrorKind::MisplacedText }));
            }
            left = match binding {
                binding::OR | binding::AND => self.junction(left, binding)?,
                binding::COMPARISON => self.comparison(left)?,
                binding::SUM => self.sum(left)?,
                binding::PRODUCT => self.product(left)?,
                _ => self.power(left)?,
            };
            compared = binding == binding::COMPARISON;
        }
        self.depth -= 1;
        Ok(left)
    }

    /// The binding of the operator looked at; none if it is not one.
    fn infix(&self) -> Option<u8> {
        Some(match self.next.kind {
            TokenKind::Or => binding::OR,
            TokenKind::And => binding::AND,
            TokenKind::Comparison(_) => binding::COMPARISON,
            TokenKind::Plus | TokenKind::Minus => binding::SUM,
            TokenKind::Star | TokenKind::Slash => binding::PRODUCT,
            TokenKind::Caret => binding::POWER,
            _ => return None,
        })
    }

    fn sum(&mut self, first: Expr) -> Result<Expr, FormulaError> {
        let start = first.span();
        let mut terms = match first {
            Expr::Sum { terms, .. } => terms,
            first => vec![Term { negative: false, value: first }],
        };
        while let TokenKind::Plus | TokenKind::Minus = self.next.kind {
            let negative = self.next.kind == TokenKind::Minus;
            self.advance()?;
            terms.push(Term::new(negative, self.expression(binding::PRODUCT)?));
            self.count()?;
        }
        Ok(Expr::Sum { terms, span: start.to(self.last) })
    }

    fn product(&mut self, first: Expr) -> Result<Expr, FormulaError> {
        let start = first.span();
        let mut factors = match first {
            Expr::Product { factors, .. } => factors,
            first => vec![Factor { inverse: false, value: first }],
        };
        while let TokenKind::Star | TokenKind::Slash = self.next.kind {
            let inverse = self.next.kind == TokenKind::Slash;
            self.advance()?;
            factors.push(Factor { inverse, value: self.expression(binding::SIGN)? });
            self.count()?;
        }
        Ok(Expr::Product { factors, span: start.to(self.last) })
    }

    /// To the right: the exponent takes all further powers.
    fn power(&mut self, base: Expr) -> Result<Expr, FormulaError> {
        self.advance()?;
        let exponent = self.expression(binding::POWER)?;
        self.count()?;
        let span = base.span().to(self.last);
        Ok(Expr::Power { base: Box::new(base), exponent: Box::new(exponent), span })
    }

    /// A chain of `and`, or one of `or`.
    fn junction(&mut self, first: Expr, binding: u8) -> Result<Expr, FormulaError> {
        let start = first.span();
        let mut operands = vec![first];
        while self.infix() == Some(binding) {
            self.advance()?;
            operands.push(self.expression(binding + 1)?);
            self.count()?;
        }
        let span = start.to(self.last);
        Ok(if binding == binding::AND { Expr::And { operands, span } } else { Expr::Or { operands, span } })
    }

    fn comparison(&mut self, left: Expr) -> Result<Expr, FormulaError> {
        let TokenKind::Comparison(comparison) = self.next.kind else {
            return Err(self.missing_operator());
        };
        self.advance()?;
        self.count()?;
        if let TokenKind::Text(text) = &self.next.kind {
            let text = text.clone();
            return self.text_comparison(left, comparison, text);
        }
        let right = self.expression(binding::SUM)?;
        let span = left.span().to(self.last);
        Ok(Expr::Comparison { comparison, left: Box::new(left), right: Box::new(right), span })
    }

    fn text_comparison(&mut self, left: Expr, comparison: Comparison, text: String) -> Result<Expr, FormulaError> {
        let equal = match comparison {
            Comparison::Equal => true,
            Comparison::NotEqual => false,
            _ => return Err(self.error(ErrorKind::MisplacedText)),
        };
        let Expr::Name { name, span } = left else {
            return Err(self.error(ErrorKind::MisplacedText));
        };
        self.advance()?;
        Ok(Expr::TextComparison { name, text, equal, span: span.to(self.last) })
    }

    fn advance(&mut self) -> Result<(), FormulaError> {
        self.last = self.next.span;
        self.next = self.lexer.next()?;
        Ok(())
    }

    fn count(&mut self) -> Result<(), FormulaError> {
        self.nodes += 1;
        if self.nodes > limits::NODES {
            return Err(self.error(ErrorKind::TooManyParts));
        }
        Ok(())
    }

    /// An error at the token looked at.
    fn error(&self, kind: ErrorKind) -> FormulaError {
        FormulaError::new(kind, self.next.span)
    }

    fn missing_operator(&self) -> FormulaError {
        let text = |span: Span| self.source[span.range()].to_owned();
        self.error(ErrorKind::MissingOperator { before: text(self.last), after: text(self.next.span) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> ErrorKind {
        parse(text).unwrap_err().kind().clone()
    }

    #[test]
    fn powers_bind_to_the_right_and_tighter_than_a_sign() {
        for (left, right) in [
            ("2^3^2", "2^(3^2)"),
            ("-2^2", "-(2^2)"),
            ("2^-3^2", "2^(-(3^2))"),
            ("2^-a*b", "(2^(-a))*b"),
            ("-a*b", "(-a)*b"),
            ("a - b - c", "(a - b) - c"),
            ("not a == b", "not (a == b)"),
            ("a or b and c", "a or (b and c)"),
            ("a + b < c*d", "(a + b) < (c*d)"),
            ("\"x\" == r and p", "(r == 'x') and p"),
        ] {
            assert_eq!(parse(left).unwrap(), parse(right).unwrap(), "{left}");
        }
    }

    #[test]
    fn texts_stand_beside_a_name_only() {
        for text in
            ["\"a\"", "1 == 'a'", "a < 'b'", "'a' + 1", "1 + 'a' == b", "a == 'b' + 1", "'a' == b + 1", "f('a')"]
        {
            assert!(matches!(kind(text), ErrorKind::MisplacedText | ErrorKind::UnknownFunction { .. }), "{text}");
        }
    }

    #[test]
    fn comparisons_do_not_chain() {
        for text in ["a < b < c", "a == b == c", "a == 'x' == b", "'x' == a == b"] {
            assert_eq!(kind(text), ErrorKind::ChainedComparison, "{text}");
        }
        assert!(parse("(a < b) < c").is_ok());
    }

    #[test]
    fn brackets_and_commas_are_where_they_belong() {
        assert_eq!(kind("(a"), ErrorKind::UnclosedBracket);
        assert_eq!(kind("min(a, b"), ErrorKind::UnclosedBracket);
        assert_eq!(kind("a)"), ErrorKind::UnopenedBracket);
        assert_eq!(kind("1,5"), ErrorKind::MisplacedComma);
        assert_eq!(kind("(1,5)"), ErrorKind::MisplacedComma);
        assert_eq!(kind("()"), ErrorKind::MissingOperand { found: Some(")".to_owned()) });
        assert_eq!(kind("a +"), ErrorKind::MissingOperand { found: None });
        assert_eq!(kind("a + not b"), ErrorKind::MisplacedNot);
    }

    #[test]
    fn products_need_their_operator() {
        for text in ["2n", "a b", "(a)(b)", "2(a)", "1.2.3", "a 'b'", "1_000", "2 not a"] {
            assert!(matches!(kind(text), ErrorKind::MissingOperator { .. }), "{text}");
        }
    }
}
