//! A region: the static of its site, where it begins, and where it ends; and the expression `cll!(..)`.

use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::{LitStr, Token, braced};

use crate::options::{self, Mode, Options};
use crate::trouble::Trouble;
use crate::{formulas, source};

/// Bits that `runcast_cll::private::Site` knows.
const AT_END: u32 = 1;
const EXITS_OK: u32 = 2;
const MODE_TRACE: u32 = 4;
const MODE_AGGREGATE: u32 = 8;

/// An experiment at one place of a program, checked.
pub struct Region {
    name: String,
    formula: String,
    names: String,
    values: Vec<TokenStream>,
    segments: String,
    metrics: String,
    at_end: bool,
    flags: u32,
    every: u32,
}

/// Expands `cll!("F", "F[0] + F[1]*n", vars(n), { block })`.
pub fn expand(input: TokenStream, trace: bool) -> TokenStream {
    let block = last_block(&input);
    match options::parse(input, expression) {
        Ok((region, block)) if trace => region.around(&of_macro(&block)),
        Ok((_, block)) => of_macro(&block).into_token_stream(),
        Err(trouble) => {
            // The code stays, so that nothing else is complained about.
            let error = trouble.compile_error();
            let rest = block.map_or_else(|| quote!(()), |block| of_macro(&block).into_token_stream());
            quote!({ #error #rest })
        }
    }
}

/// The block with braces of the macro's own, so that the compiler does not suggest to drop them.
pub fn of_macro(block: &Group) -> Group {
    let mut made = Group::new(Delimiter::Brace, block.stream());
    made.set_span(Span::mixed_site().located_at(block.span()));
    made
}

fn last_block(input: &TokenStream) -> Option<Group> {
    input.clone().into_iter().filter_map(block_of).last()
}

fn block_of(tree: TokenTree) -> Option<Group> {
    match tree {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group),
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => last_block(&group.stream()),
        _ => None,
    }
}

fn expression(input: ParseStream) -> Result<(Region, Group), Trouble> {
    let name: LitStr = input.parse().map_err(|error| {
        Trouble::from(error)
            .hint("cll!(\"F\", \"F[0] + F[1]*n\", vars(n), { .. }): the name of the experiment comes first")
    })?;
    input.parse::<Token![,]>()?;
    let mut options = Options::new();
    if input.peek(LitStr) {
        options.model = Some(input.parse()?);
        input.parse::<Token![,]>()?;
    }
    options::read_all(&mut options, input)?;
    if let Some(given) = &options.name {
        return Err(Trouble::new("bad-clause", given.span(), "the name of the experiment is the first argument here"));
    }
    let Ok(block) = braces(input) else {
        let error = Trouble::new("bad-clause", input.span(), "the code to be timed is missing");
        return Err(error.hint("the last argument is a block in braces: cll!(\"F\", { .. })"));
    };
    input.parse::<Option<Token![,]>>()?;
    if !input.is_empty() {
        return Err(Trouble::new("bad-clause", input.span(), "the block is the last argument"));
    }
    if let Some(span) = await_in(block.stream()) {
        let error = Trouble::new("bad-clause", span, "await inside of a region: other tasks would run on its time");
        return Err(error.hint("put the region around the code between two awaits"));
    }
    Ok((Region::checked(name.value(), name.span(), &options)?, block))
}

/// A block, by itself or as a macro hands it on.
pub fn braces(input: ParseStream) -> syn::Result<Group> {
    let content;
    let span = braced!(content in input).span.join();
    let mut block = Group::new(Delimiter::Brace, content.parse()?);
    block.set_span(span);
    Ok(block)
}

impl Region {
    /// # Errors
    /// Whatever in the options does not hold.
    pub fn checked(name: String, span: Span, options: &Options) -> Result<Region, Trouble> {
        options::check_experiment(&name, span)?;
        let formula = match &options.model {
            Some(literal) => formulas::model(&name, literal, &options.vars)?,
            None => String::new(),
        };
        let segments: Vec<String> = options
            .segments
            .iter()
            .map(|literal| formulas::segment(literal, &options.vars))
            .collect::<Result<_, _>>()?;
        let mode = match options.mode {
            Mode::Auto => 0,
            Mode::Trace => MODE_TRACE,
            Mode::Aggregate => MODE_AGGREGATE,
        };
        let names: Vec<&str> = options.vars.iter().map(|variable| variable.name.as_str()).collect();
        Ok(Region {
            name,
            formula,
            names: names.join(","),
            values: options.vars.iter().map(|variable| number(&variable.value)).collect(),
            segments: segments.join(";"),
            metrics: options.metrics.join(","),
            at_end: options.at_end,
            flags: flag(options.at_end, AT_END) | flag(options.exits_ok, EXITS_OK) | mode,
            every: options.every,
        })
    }

    /// The static of the site, and statements that begin a region called `region`.
    ///
    /// Every name is invisible to the code around and inside.
    pub fn begin(&self, region: &Ident) -> TokenStream {
        let [name, formula, names, segments, metrics, hash] =
            [&self.name, &self.formula, &self.names, &self.segments, &self.metrics, &source::hash()]
                .map(|text| Literal::string(&format!("{text}\0")));
        let (flags, every) = (self.flags, self.every);
        let values = if self.at_end { &[] } else { self.values.as_slice() };
        let count = self.values.len();
        quote_spanned!(Span::mixed_site()=>
            static CLL_SITE: ::runcast_cll::private::Site = ::runcast_cll::private::Site::new(
                ::runcast_cll::private::Texts {
                    name: #name,
                    formula: #formula,
                    file: ::core::concat!(::core::file!(), "\0"),
                    names: #names,
                    segments: #segments,
                    metrics: #metrics,
                    source_hash: #hash,
                },
                ::core::line!(),
                #count,
                #flags,
                #every,
            );
            let mut #region = ::core::pin::pin!(::runcast_cll::private::Region::new(&CLL_SITE));
            #region.as_mut().enter([#(#values),*]);
        )
    }

    /// Statements that end it after its code has come to its end; where that never happens, nobody is told.
    pub fn end(&self, region: &Ident) -> TokenStream {
        let values = &self.values;
        if self.at_end {
            // The clock stops before the values are read.
            quote_spanned!(Span::mixed_site()=>
                #[allow(unreachable_code)]
                let () = #region.as_mut().stop();
                #region.as_mut().record([#(#values),*]);
            )
        } else {
            quote_spanned!(Span::mixed_site()=>
                #[allow(unreachable_code)]
                let () = #region.as_mut().done();
            )
        }
    }

    /// The block with a region around it, as an expression.
    fn around(&self, block: &Group) -> TokenStream {
        let region = Ident::new("region", Span::mixed_site());
        let begin = self.begin(&region);
        // As an argument of a function the block keeps the type that is expected of the whole expression. Where it never
        // comes to its end, the compiler does not warn that the end cannot be reached.
        let code = if self.at_end {
            let values = &self.values;
            quote_spanned!(Span::mixed_site()=>
                let value = ::runcast_cll::private::stopped(#region.as_mut(), #block);
                #region.as_mut().record([#(#values),*]);
                value
            )
        } else {
            quote_spanned!(Span::mixed_site()=> ::runcast_cll::private::closed(#region, #block))
        };
        quote_spanned!(Span::mixed_site()=> match () { #[allow(unreachable_code)] () => { #begin #code } })
    }
}

fn flag(set: bool, bit: u32) -> u32 {
    if set { bit } else { 0 }
}

/// A value as a number; a type that is not a number is complained about where the value stands.
fn number(value: &syn::Expr) -> TokenStream {
    let span = Span::mixed_site().located_at(value.span());
    quote_spanned!(span=> ::runcast_cll::private::number(&(#value)))
}

/// The first `.await` that belongs to the code itself, and not to an async block inside of it.
pub fn await_in(tokens: TokenStream) -> Option<Span> {
    let mut in_async = false;
    let mut after_dot = false;
    for tree in tokens {
        match &tree {
            TokenTree::Ident(ident) if after_dot && ident == "await" => return Some(ident.span()),
            TokenTree::Ident(ident) if ident == "async" => in_async = true,
            TokenTree::Group(group) => {
                if in_async && group.delimiter() == Delimiter::Brace {
                    in_async = false;
                } else if let Some(span) = await_in(group.stream()) {
                    return Some(span);
                }
            }
            _ => {}
        }
        after_dot = matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == '.');
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn awaits(code: &str) -> bool {
        await_in(code.parse().expect("tokens")).is_some()
    }

    #[test]
    fn an_await_of_the_block_is_found() {
        assert!(awaits("f().await"));
        assert!(awaits("if x { g(h().await?); }"));
        assert!(awaits("async { 1 }.await"));
        assert!(!awaits("spawn(async move { f().await })"));
        assert!(!awaits("spawn(async |x| { f(x).await })"));
        assert!(!awaits("let await_time = n.awaited;"));
    }

    #[test]
    fn without_the_feature_the_block_comes_out_as_it_went_in() {
        let input = quote!("F", "F[0] + F[1]*n", vars(n), every(2), {
            let x = n;
            x + 1
        });
        assert_eq!(
            expand(input.clone(), false).to_string(),
            quote!({
                let x = n;
                x + 1
            })
            .to_string()
        );
        assert!(expand(input, true).to_string().contains("CLL_SITE"));
    }

    #[test]
    fn with_an_error_the_block_stays() {
        let made = expand(quote!("F", "F[0] + n", vars(n), { n + 1 }), true).to_string();
        assert!(made.contains("compile_error") && made.contains("{ n + 1 }") && !made.contains("CLL_SITE"), "{made}");
        for input in [quote!(), quote!("F"), quote!("F",), quote!({}), quote!("F", vars(), 7), quote!(,)] {
            assert!(expand(input.clone(), true).to_string().contains("compile_error"), "{input}");
        }
    }
}
