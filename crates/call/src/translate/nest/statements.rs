//! From token to token: where statements begin, what they hold, where they end.

use super::Walker;
use super::frame::{Alone, Control, Frame, FrameKind, Head, NONE, Phase};
use crate::translate::scan::{Kind, Token, Word};

impl Walker<'_> {
    /// A token that is neither directive nor pragma.
    pub(super) fn token(&mut self, token: Token) {
        self.used(token);
        self.suspends(token);
        if self.settle(Some(token)) {
            return;
        }
        if token.is(b'}') {
            return self.close_brace();
        }
        let top = self.top();
        if top.is_bracket() {
            return self.in_bracket(token, top);
        }
        if let Some(waiting) = top.head.label {
            return self.in_label(token, waiting);
        }
        if !top.start && top.head.alone != Alone::No && !top.declares() {
            if matches!(token.kind, Kind::Word(Word::Case | Word::Default)) {
                // A macro with its own semicolon: a label is not what it holds.
                self.complete();
            } else if self.is_macro(token, top.head.alone) {
                self.enter_macro();
            }
        }
        if self.top().start { self.begins(token) } else { self.goes_on(token) }
    }

    /// Advances control statements up to the next token; returns whether that consumes the token.
    ///
    /// Without a token, only those that cannot continue are ended.
    pub(super) fn settle(&mut self, token: Option<Token>) -> bool {
        let word = |wanted: Word| token.is_some_and(|token| token.kind == Kind::Word(wanted));
        let sign = |wanted: u8| token.is_some_and(|token| token.is(wanted));
        while let Some((control, phase)) = self.top().phase() {
            let next = match (phase, control) {
                (Phase::Body, _) => return false,
                (Phase::Bracket, _) if sign(b'(') => {
                    self.push(FrameKind::Round, false);
                    return true;
                }
                (Phase::Bracket, _) if sign(b'{') => Some((control, Phase::Body)),
                // Words and macros before the bracket.
                (Phase::Bracket | Phase::LastBracket, _) if !(token.is_none() || sign(b';') || sign(b'}')) => {
                    if sign(b'(') {
                        self.push(FrameKind::Round, false);
                    }
                    return true;
                }
                (Phase::Next, Control::If) if word(Word::Else) => {
                    self.control(Control::Else, Phase::Body);
                    let frame = self.top_mut();
                    frame.first_leaves = frame.leaves;
                    return true;
                }
                (Phase::Next, Control::Do) if word(Word::While) => {
                    self.control(control, Phase::LastBracket);
                    return true;
                }
                (Phase::Next, Control::Try) if word(Word::Catch) => {
                    self.control(control, Phase::Bracket);
                    return true;
                }
                (Phase::Semicolon, _) if sign(b';') => {
                    self.pop();
                    self.complete();
                    return true;
                }
                _ => None,
            };
            match next {
                Some((control, phase)) => self.control(control, phase),
                None => {
                    self.pop();
                    self.complete();
                }
            }
        }
        false
    }

    /// Sets the phase of the innermost control statement.
    fn control(&mut self, control: Control, phase: Phase) {
        let frame = self.top_mut();
        frame.kind = FrameKind::Control(control, phase);
        frame.start = phase == Phase::Body;
        frame.head = Head::default();
    }

    /// A statement has ended in the innermost frame, and those that hold nothing else with it.
    pub(super) fn complete(&mut self) {
        let mut leaves = self.top().leaves;
        loop {
            let top = self.top();
            match top.phase() {
                None => {
                    let frame = self.top_mut();
                    if !frame.is_bracket() {
                        frame.start = true;
                        frame.leaves = leaves;
                        frame.head = Head::default();
                        frame.statements = frame.statements.saturating_add(1);
                    }
                    return;
                }
                Some((control @ (Control::If | Control::Do | Control::Try), _)) => {
                    self.top_mut().leaves = leaves;
                    return self.control(control, Phase::Next);
                }
                Some((control, _)) => {
                    leaves &= control == Control::Else && top.first_leaves;
                    self.pop();
                }
            }
        }
    }

    /// `}`: back to the brace that it closes, whatever is open inside.
    fn close_brace(&mut self) {
        let Some(depth) = self.state.frames.iter().rposition(Frame::is_brace) else { return };
        while self.state.frames.len() > depth + 1 {
            self.cut_region();
            self.pop();
        }
        let closed = self.top();
        self.pop();
        match closed.kind {
            FrameKind::Block { ends: true } | FrameKind::Scope { ends: true } => {
                self.top_mut().leaves = closed.leaves;
                self.complete();
            }
            _ => {
                let frame = self.top_mut();
                frame.head.alone = Alone::No;
            }
        }
    }

    /// The innermost frame ends; if it is a region, the region was cut.
    fn cut_region(&mut self) {
        if let FrameKind::Region(number) = self.top().kind {
            let place = self.tokens.get(self.at).map_or(0, |token| token.start as usize);
            self.cut.push((number, place));
        }
    }

    fn in_bracket(&mut self, token: Token, top: Frame) {
        match token.kind {
            Kind::Sign(b'(') => self.push(FrameKind::Round, false),
            Kind::Sign(b'[') => {
                self.lambda();
                self.push(FrameKind::Square, false);
            }
            Kind::Sign(b'{') => self.open_block(FrameKind::Block { ends: false }, top.head.lambda),
            Kind::Sign(b')') => self.close_bracket(FrameKind::Round),
            Kind::Sign(b']') => self.close_bracket(FrameKind::Square),
            Kind::Sign(b',' | b';') => self.top_mut().head.lambda = false,
            _ => {}
        }
    }

    fn close_bracket(&mut self, kind: FrameKind) {
        let brackets = self.state.frames.iter().rev().take_while(|frame| frame.is_bracket());
        let Some(inner) = brackets.map(|frame| frame.kind).position(|open| open == kind) else { return };
        for _ in 0..=inner {
            self.pop();
        }
        match self.top().phase() {
            Some((control, Phase::Bracket)) => self.control(control, Phase::Body),
            Some((control, Phase::LastBracket)) => self.control(control, Phase::Semicolon),
            _ => {
                let head = &mut self.top_mut().head;
                let is_macro = head.alone == Alone::Name && kind == FrameKind::Round;
                head.alone = if is_macro { Alone::NameAndBracket } else { Alone::No };
            }
        }
    }

    /// `[`: in C++ perhaps the beginning of a lambda.
    fn lambda(&mut self) {
        let before = self.at.checked_sub(1).and_then(|at| self.kind(at));
        let value = matches!(
            before,
            Some(Kind::Name | Kind::Number | Kind::Text | Kind::Type | Kind::Reserved | Kind::Attribute)
                | Some(Kind::Sign(b')' | b']') | Kind::Word(Word::Operator))
        );
        let attribute = self.kind(self.at + 1) == Some(Kind::Sign(b'['));
        if self.cpp && !value && !attribute {
            self.top_mut().head.lambda = true;
        }
    }

    fn in_label(&mut self, token: Token, waiting: u32) {
        match token.kind {
            Kind::Sign(b'(') => self.push(FrameKind::Round, false),
            Kind::Sign(b'[') => self.push(FrameKind::Square, false),
            Kind::Sign(b'?') => self.top_mut().head.label = Some(waiting.saturating_add(1)),
            Kind::Sign(b':') if waiting > 0 => self.top_mut().head.label = Some(waiting - 1),
            Kind::Sign(b':') => {
                let frame = self.top_mut();
                frame.head = Head::default();
                frame.start = true;
            }
            Kind::Sign(b';') => self.complete(),
            Kind::Sign(b'{') => self.open_block(FrameKind::Block { ends: false }, false),
            _ => {}
        }
    }

    /// Whether a token after a name, or after a name and a bracket, says that they are a macro.
    fn is_macro(&self, token: Token, alone: Alone) -> bool {
        let begins = match token.kind {
            Kind::Word(word) => !matches!(word, Word::Operator | Word::Else | Word::Catch | Word::Extern),
            Kind::Sign(b'{') => true,
            Kind::Name | Kind::Type | Kind::Tag => alone == Alone::NameAndBracket,
            _ => false,
        };
        begins && (alone == Alone::NameAndBracket || !(token.is(b'{') && self.cpp))
    }

    /// What has begun is a macro that holds the statement after it.
    pub(super) fn enter_macro(&mut self) {
        self.push(FrameKind::Control(Control::Macro, Phase::Body), true);
    }

    /// A block opens; a function has labels of its own, and no region of another one is around it.
    fn open_block(&mut self, kind: FrameKind, function: bool) {
        let (function, kind) = match kind {
            FrameKind::Scope { .. } => (true, kind),
            kind => (function, kind),
        };
        self.top_mut().head.lambda = false;
        self.push(kind, true);
        if function {
            let number = if matches!(kind, FrameKind::Scope { .. }) { NONE } else { self.new_function() };
            let frame = self.top_mut();
            frame.function = number;
            frame.region = NONE;
            frame.switch_region = None;
        }
    }

    /// The first token of a statement or declaration.
    fn begins(&mut self, token: Token) {
        let top = self.top();
        if token.is(b';') && self.is_spare(&top) {
            return;
        }
        if !token.is(b';') {
            self.forget_returns();
        }
        self.declares_here(&top);
        let leaves = matches!(token.kind, Kind::Word(Word::Return | Word::Goto))
            || token.kind == Kind::Word(Word::Leaves)
                && matches!(&*self.text(self.at), b"break" | b"continue" | b"throw");
        self.top_mut().leaves = leaves;
        if top.declares() {
            return self.begins_declaration(token);
        }
        match token.kind {
            Kind::Sign(b'{') => self.open_block(FrameKind::Block { ends: true }, false),
            Kind::Sign(b';') => self.complete(),
            Kind::Word(Word::If) => self.push(FrameKind::Control(Control::If, Phase::Bracket), false),
            Kind::Word(Word::For | Word::While) => self.push(FrameKind::Control(Control::Loop, Phase::Bracket), false),
            Kind::Word(Word::Switch) => {
                self.push(FrameKind::Control(Control::Loop, Phase::Bracket), false);
                let frame = self.top_mut();
                frame.switch_region = Some(frame.region);
            }
            Kind::Word(Word::Do) => self.push(FrameKind::Control(Control::Do, Phase::Body), true),
            Kind::Word(Word::Else) => self.push(FrameKind::Control(Control::Else, Phase::Body), true),
            Kind::Word(Word::Try) => self.push(FrameKind::Control(Control::Try, Phase::Body), true),
            Kind::Word(Word::Catch) => self.push(FrameKind::Control(Control::Try, Phase::Bracket), false),
            Kind::Word(Word::Case | Word::Default) => {
                self.check_case(token);
                let frame = self.top_mut();
                frame.start = false;
                frame.head.label = Some(0);
            }
            Kind::Name | Kind::Reserved if self.kind(self.at + 1) == Some(Kind::Sign(b':')) => {
                if token.kind == Kind::Name {
                    self.label();
                }
                self.at += 1;
            }
            Kind::Sign(b'[') if self.kind(self.at + 1) == Some(Kind::Sign(b'[')) => self.pass_attribute(),
            _ => {
                if token.kind == Kind::Word(Word::Goto) {
                    self.goto();
                }
                self.first(token);
                if token.kind == Kind::Word(Word::Return) {
                    self.return_begins(token);
                }
            }
        }
    }

    /// Whether a semicolon after the single statement of a region may be skipped: `{ .. };` is common.
    fn is_spare(&self, top: &Frame) -> bool {
        let single = |number: u32| self.regions[number as usize].single;
        top.statements > 0 && matches!(top.kind, FrameKind::Region(number) if single(number))
    }

    fn begins_declaration(&mut self, token: Token) {
        match token.kind {
            Kind::Reserved if &*self.text(self.at) == b"template" => self.pass_parameters(),
            Kind::Sign(b'{') => self.open_block(FrameKind::Block { ends: true }, true),
            Kind::Sign(b';') => self.complete(),
            Kind::Reserved | Kind::Name if self.kind(self.at + 1) == Some(Kind::Sign(b':')) => self.at += 1,
            Kind::Sign(b'[') if self.kind(self.at + 1) == Some(Kind::Sign(b'[')) => self.pass_attribute(),
            // `int main() try { .. } catch (..) { .. }`
            Kind::Word(Word::Catch) => {
                self.first(token);
                self.top_mut().head.parameters = true;
            }
            _ => self.first(token),
        }
    }

    /// `[[likely]]`
    fn pass_attribute(&mut self) {
        let close = |at: usize| self.kind(at) == Some(Kind::Sign(b']')) && self.kind(at + 1) == Some(Kind::Sign(b']'));
        if let Some(end) = (self.at..(self.at + 200).min(self.tokens.len())).find(|&at| close(at)) {
            self.at = end + 1;
        } else {
            self.top_mut().start = false;
        }
    }

    /// `template <..>`: what a template is follows its parameters.
    fn pass_parameters(&mut self) {
        let mut angles = 0usize;
        let mut rounds = 0usize;
        for at in self.at + 1..(self.at + 2000).min(self.tokens.len()) {
            match self.tokens[at].kind {
                Kind::Sign(b'(') => rounds += 1,
                Kind::Sign(b')') => rounds = rounds.saturating_sub(1),
                Kind::Sign(b'<') if rounds == 0 => angles += 1,
                Kind::Sign(b'>') if rounds == 0 => angles = angles.saturating_sub(1),
                Kind::Sign(b';' | b'{' | b'}') | Kind::Pragma(_) | Kind::If | Kind::Else | Kind::EndIf => return,
                _ => {}
            }
            if angles == 0 {
                // Without parameters it is an instance.
                self.at = if self.tokens[at].is(b'>') { at } else { self.at };
                return;
            }
        }
    }

    fn first(&mut self, token: Token) {
        let frame = self.top_mut();
        frame.start = false;
        frame.head = Head::default();
        // `: a(1), b{2} { .. }`: what follows the list of a constructor is its body.
        frame.head.parameters = frame.declares() && token.is(b',');
        self.goes_on(token);
        if token.kind == Kind::Name {
            self.top_mut().head.alone = Alone::Name;
        }
    }

    /// A token in the middle of a statement or declaration.
    fn goes_on(&mut self, token: Token) {
        let before = self.at.checked_sub(1).and_then(|at| self.kind(at));
        if !token.is(b'(') || self.top().head.alone == Alone::NameAndBracket {
            self.top_mut().head.alone = Alone::No;
        }
        match token.kind {
            Kind::Sign(b';') => {
                self.return_ends(token);
                self.complete();
            }
            Kind::Sign(b'{') => self.brace(),
            Kind::Sign(b'(') => {
                let named = matches!(before, Some(Kind::Name | Kind::Operator | Kind::Sign(b'>' | b')' | b']')));
                if named || self.top().head.operator {
                    let frame = self.top_mut();
                    frame.head.parameters = true;
                    // `template <class T = int> void f(`
                    frame.head.assigned &= !frame.declares();
                }
                self.push(FrameKind::Round, false);
            }
            Kind::Sign(b'[') => {
                self.lambda();
                self.push(FrameKind::Square, false);
            }
            Kind::Sign(b'=') if before != Some(Kind::Word(Word::Operator)) => {
                let head = &mut self.top_mut().head;
                head.assigned = true;
                head.parameters = false;
            }
            Kind::Sign(b',') => self.top_mut().head.lambda = false,
            Kind::Tag => self.top_mut().head.tag = true,
            Kind::Word(Word::Operator) => self.top_mut().head.operator = true,
            Kind::Word(Word::Namespace) => self.top_mut().head.namespace = true,
            Kind::Text if before == Some(Kind::Word(Word::Extern)) => self.top_mut().head.namespace = true,
            _ => {}
        }
    }

    /// `{` in the middle of a statement or declaration.
    fn brace(&mut self) {
        let top = self.top();
        let head = top.head;
        let sole = head.alone != Alone::No || self.at.checked_sub(1).is_some_and(|at| self.is_sole(at));
        let (kind, function) = match () {
            () if head.lambda => (FrameKind::Block { ends: false }, true),
            () if head.parameters && !head.assigned && head.returns.is_none() => {
                (FrameKind::Block { ends: true }, true)
            }
            () if head.namespace => (FrameKind::Scope { ends: true }, false),
            () if head.tag && !head.assigned => (FrameKind::Scope { ends: false }, false),
            () if top.declares() && sole && !head.assigned => (FrameKind::Scope { ends: true }, false),
            () => (FrameKind::Block { ends: false }, false),
        };
        self.open_block(kind, function);
    }

    /// Whether the token at `at` is all that is before a brace: a macro that opens a namespace.
    fn is_sole(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|at| self.kind(at));
        self.kind(at) == Some(Kind::Name) && matches!(before, None | Some(Kind::Sign(b'}' | b';')))
    }
}
