//! Operands: numbers, names, calls, brackets, and what is before an operand.

use super::{Comparison, ErrorKind, Expr, FormulaError, Function, Parser, Span, TokenKind, binding};

impl Parser<'_> {
    /// What can be at the beginning of an expression that binds at least as tightly as `least`.
    pub(super) fn operand(&mut self, least: u8) -> Result<Expr, FormulaError> {
        self.count()?;
        let span = self.next.span;
        match self.next.kind {
            TokenKind::Number(value) => {
                self.advance()?;
                Ok(Expr::Number { value, span })
            }
            TokenKind::Name => self.name_or_call(),
            TokenKind::Open => self.brackets(),
            TokenKind::Minus => {
                self.advance()?;
                let operand = self.expression(binding::POWER)?;
                Ok(operand.negated(span.to(self.last)))
            }
            TokenKind::Plus => {
                self.advance()?;
                self.expression(binding::POWER)
            }
            TokenKind::Not => self.not(least),
            TokenKind::Text(_) => self.leading_text(least),
            TokenKind::End => Err(self.error(ErrorKind::MissingOperand { found: None })),
            _ => Err(self.error(ErrorKind::MissingOperand { found: Some(self.source[span.range()].to_owned()) })),
        }
    }

    fn name_or_call(&mut self) -> Result<Expr, FormulaError> {
        let span = self.next.span;
        let name = &self.source[span.range()];
        self.advance()?;
        if self.next.kind != TokenKind::Open {
            return Ok(Expr::Name { name: name.to_owned(), span });
        }
        let Some(function) = Function::from_name(name) else {
            return Err(FormulaError::new(ErrorKind::UnknownFunction { name: name.to_owned() }, span));
        };
        let arguments = self.arguments()?;
        let span = span.to(self.last);
        if !function.arity().contains(&arguments.len()) {
            return Err(FormulaError::new(ErrorKind::WrongArguments { function, found: arguments.len() }, span));
        }
        Ok(Expr::Call { function, arguments, span })
    }

    fn arguments(&mut self) -> Result<Vec<Expr>, FormulaError> {
        let open = self.next.span;
        self.advance()?;
        let mut arguments = Vec::new();
        if self.next.kind == TokenKind::Close {
            self.advance()?;
            return Ok(arguments);
        }
        loop {
            arguments.push(self.expression(binding::ANY)?);
            match self.next.kind {
                TokenKind::Comma => self.advance()?,
                TokenKind::Close => {
                    self.advance()?;
                    return Ok(arguments);
                }
                _ => return Err(self.unclosed(open)),
            }
        }
    }

    fn brackets(&mut self) -> Result<Expr, FormulaError> {
        let open = self.next.span;
        self.advance()?;
        let inner = self.expression(binding::ANY)?;
        match self.next.kind {
            TokenKind::Close => {
                self.advance()?;
                Ok(inner)
            }
            TokenKind::Comma => Err(self.error(ErrorKind::MisplacedComma)),
            _ => Err(self.unclosed(open)),
        }
    }

    /// What went wrong where a bracket should close.
    fn unclosed(&self, open: Span) -> FormulaError {
        if self.next.kind == TokenKind::End {
            FormulaError::new(ErrorKind::UnclosedBracket, open)
        } else {
            self.missing_operator()
        }
    }

    fn not(&mut self, least: u8) -> Result<Expr, FormulaError> {
        if least > binding::NOT {
            return Err(self.error(ErrorKind::MisplacedNot));
        }
        let start = self.next.span;
        self.advance()?;
        let operand = Box::new(self.expression(binding::NOT)?);
        Ok(Expr::Not { operand, span: start.to(self.last) })
    }

    /// `"text" == name`.
    fn leading_text(&mut self, least: u8) -> Result<Expr, FormulaError> {
        let misplaced = self.error(ErrorKind::MisplacedText);
        let start = self.next.span;
        let TokenKind::Text(text) = std::mem::replace(&mut self.next.kind, TokenKind::End) else {
            return Err(misplaced);
        };
        self.advance()?;
        let TokenKind::Comparison(comparison) = self.next.kind else {
            return Err(misplaced);
        };
        self.advance()?;
        let ordered = !matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        if ordered || least > binding::COMPARISON || self.next.kind != TokenKind::Name {
            return Err(misplaced);
        }
        let name = Expr::Name { name: self.source[self.next.span.range()].to_owned(), span: start.to(self.next.span) };
        // Advances over the name, as it would over a text on the right.
        self.text_comparison(name, comparison, text)
    }
}
