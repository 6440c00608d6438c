//! The attribute `#[cll(..)]`: a region around the body of a function.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::{Attribute, GenericArgument, PathArguments, ReturnType, Signature, Token, Type, Visibility};

use crate::options::{self, Options};
use crate::region::{self, Region, await_in, braces};
use crate::trouble::Trouble;

/// A function with an unparsed body.
struct Function {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    signature: Signature,
    /// `#![..]` at the beginning of the body.
    inner: Vec<Attribute>,
    body: TokenStream,
    braces: Group,
}

/// Expands the attribute with these options on this item.
pub fn expand(options: TokenStream, item: TokenStream, trace: bool) -> TokenStream {
    match checked(options, item.clone()) {
        Ok((region, function)) if trace => function.with(&region),
        Ok(_) => item,
        Err(trouble) => {
            // The code stays, so that nothing else is complained about.
            let error = trouble.compile_error();
            quote!(#error #item)
        }
    }
}

fn checked(options: TokenStream, item: TokenStream) -> Result<(Region, Function), Trouble> {
    let options = options::parse(options, |input| {
        let mut options = Options::new();
        options::read_all(&mut options, input)?;
        if !input.is_empty() {
            return Err(Trouble::new("bad-clause", input.span(), "the block is the function's own body"));
        }
        Ok(options)
    })?;
    let function = options::parse(item, Function::parse)?;
    function.check()?;
    let (name, span) = match &options.name {
        Some(literal) => (literal.value(), literal.span()),
        None => (function.signature.ident.unraw().to_string(), function.signature.ident.span()),
    };
    Ok((Region::checked(name, span, &options)?, function))
}

impl Function {
    fn parse(input: ParseStream) -> Result<Function, Trouble> {
        let no_function = |error: syn::Error| {
            let error = Trouble::new("bad-clause", error.span(), "#[cll] is for functions with a body");
            error.hint("around an expression write cll!(\"F\", { .. })")
        };
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse().map_err(no_function)?;
        let signature: Signature = input.parse().map_err(no_function)?;
        let Ok(braces) = braces(input) else {
            return Err(no_function(syn::Error::new(signature.ident.span(), "")));
        };
        let (inner, body) = options::parse(braces.stream(), |input| {
            Ok((input.call(Attribute::parse_inner)?, input.parse::<TokenStream>()?))
        })?;
        Ok(Function { attributes, visibility, signature, inner, body, braces })
    }

    fn check(&self) -> Result<(), Trouble> {
        if let Some(word) = &self.signature.asyncness {
            let error = Trouble::new("bad-clause", word.span(), "an async function runs in parts, on any thread");
            return Err(error.hint("annotate the functions that it calls, or the code between two awaits by cll!(..)"));
        }
        if let Some(word) = &self.signature.constness {
            let error = Trouble::new("bad-clause", word.span(), "a const function may read no clock");
            return Err(error.hint("annotate the function that calls it"));
        }
        match await_in(self.body.clone()) {
            Some(span) => Err(Trouble::new("bad-clause", span, "await inside a region")),
            None => Ok(()),
        }
    }

    fn with(&self, region: &Region) -> TokenStream {
        let Function { attributes, visibility, signature, inner, body, braces } = self;
        let guard = Ident::new("region", Span::mixed_site());
        let begin = region.begin(&guard);
        let mut code = Group::new(Delimiter::Brace, body.clone());
        code.set_span(braces.span());
        let code = region::of_macro(&code);
        let body = match result_type(&signature.output) {
            // Leaves by a panic or with the process.
            None => code.into_token_stream(),
            Some(result) => {
                let end = region.end(&guard);
                quote_spanned!(Span::mixed_site()=>
                    let value: #result = #code;
                    #end
                    value
                )
            }
        };
        quote!(#(#attributes)* #visibility #signature { #(#inner)* #begin #body })
    }
}

/// The type of the function's value as a variable can have it: `_` for what is `impl Trait`. Nothing for `!`.
fn result_type(output: &ReturnType) -> Option<TokenStream> {
    match output {
        ReturnType::Default => Some(quote!(())),
        ReturnType::Type(_, result) if matches!(**result, Type::Never(_)) => None,
        ReturnType::Type(_, result) => {
            let mut result = (**result).clone();
            inferred(&mut result);
            // Where it is anywhere else, the compiler finds the whole type.
            let opaque = mentions_impl(result.to_token_stream());
            Some(if opaque { quote!(_) } else { result.into_token_stream() })
        }
    }
}

fn inferred(part: &mut Type) {
    match part {
        Type::ImplTrait(_) => *part = Type::Infer(syn::TypeInfer { underscore_token: Token![_](part.span()) }),
        Type::Array(array) => inferred(&mut array.elem),
        Type::Group(group) => inferred(&mut group.elem),
        Type::Paren(paren) => inferred(&mut paren.elem),
        Type::Reference(reference) => inferred(&mut reference.elem),
        Type::Slice(slice) => inferred(&mut slice.elem),
        Type::Tuple(tuple) => tuple.elems.iter_mut().for_each(inferred),
        Type::Path(path) => path.path.segments.iter_mut().for_each(|segment| {
            if let PathArguments::AngleBracketed(arguments) = &mut segment.arguments {
                arguments.args.iter_mut().for_each(|argument| {
                    if let GenericArgument::Type(part) = argument {
                        inferred(part);
                    }
                });
            }
        }),
        _ => {}
    }
}

fn mentions_impl(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Ident(ident) => ident == "impl",
        TokenTree::Group(group) => mentions_impl(group.stream()),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result_of(function: &str) -> Option<String> {
        let signature: Signature = syn::parse_str(function).expect(function);
        result_type(&signature.output).map(|tokens| tokens.to_string().replace(' ', ""))
    }

    #[test]
    fn the_type_of_the_value_is_told_as_far_as_a_variable_can_have_it() {
        assert_eq!(result_of("fn f()").as_deref(), Some("()"));
        assert_eq!(result_of("fn f() -> !"), None);
        assert_eq!(result_of("fn f<'a>() -> &'a str").as_deref(), Some("&'astr"));
        assert_eq!(result_of("fn f() -> impl Iterator<Item = u8> + '_").as_deref(), Some("_"));
        assert_eq!(
            result_of("fn f() -> Result<impl Fn(u8) -> u8, Box<dyn Error>>").as_deref(),
            Some("Result<_,Box<dynError>>")
        );
        assert_eq!(result_of("fn f() -> (Box<[impl Copy; 3]>, &impl Copy)").as_deref(), Some("(Box<[_;3]>,&_)"));
        assert_eq!(result_of("fn f() -> Box<dyn Fn() -> impl Copy>").as_deref(), Some("_"));
    }

    /// A function with all that must stay as it is.
    fn fallible() -> TokenStream {
        quote!(
            #[must_use]
            pub fn f<T: Copy>(n: T) -> Result<T, ()> {
                #![allow(unused)]
                g()?;
                Ok(n)
            }
        )
    }

    #[test]
    fn without_the_feature_the_function_comes_out_as_it_went_in() {
        let made = expand(quote!(model = "f[0] + f[1]*n", vars(n)), fallible(), false);
        assert_eq!(made.to_string(), fallible().to_string());
    }

    #[test]
    fn with_the_feature_all_but_the_body_stays() {
        let made = expand(quote!(), fallible(), true).to_string();
        let head = quote!(#[must_use] pub fn f<T: Copy>(n: T) -> Result<T, ()>).to_string();
        assert!(made.starts_with(&head), "{made}");
        assert!(
            made.contains(
                &quote!({
                    g()?;
                    Ok(n)
                })
                .to_string()
            ),
            "{made}"
        );
    }

    #[test]
    fn with_an_error_the_item_stays() {
        for (options, item) in [
            (
                quote!(),
                quote!(
                    struct S;
                ),
            ),
            (quote!(), quote!()),
            (
                quote!(),
                quote!(
                    async fn f() {}
                ),
            ),
            (
                quote!(model = "f[1]"),
                quote!(
                    fn f() {}
                ),
            ),
            (
                quote!(model),
                quote!(
                    fn f() {}
                ),
            ),
            (
                quote!(vars(n)),
                quote!(
                    const fn f(n: u8) {}
                ),
            ),
            (
                quote!({}),
                quote!(
                    fn f() {}
                ),
            ),
        ] {
            let made = expand(options.clone(), item.clone(), true).to_string();
            assert!(made.contains("compile_error") && made.ends_with(&item.to_string()), "{options} {item}: {made}");
        }
    }
}
