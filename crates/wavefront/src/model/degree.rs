//! Degrees of asynchronism: how many updates the processes make, and may make while they wait.

use super::Model;
use super::overrides::{spread, update_count};
use runcast_core::Problem;
use runcast_core::problem::shorten;

/// The most degrees of one list.
pub(super) const MOST_DEGREES: usize = 1000;
const ALLOWED: &str = "B, or A/B, .. such as 0,1,2 or 1/0,2/1; one number per process: 1:2:1/0:1:0; or model";

/// A degree of asynchronism.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Degree {
    /// Its name: that of the file, or `1/0` as it was written.
    pub name: String,
    /// A of each process.
    pub alpha: Vec<u32>,
    /// B of each process.
    pub beta: Vec<u32>,
}

impl Degree {
    /// Degrees as an option gives them: `1/0,1/1,1/2`, for which `0,1,2` is short, or one number per process, separated by colons, `1:2:1/0:1:0`. What is
    /// `model` instead stands for those of the file, `of_file`.
    ///
    /// # Errors
    /// What is no A/B, another number of numbers than processes, `model` where the file has none.
    ///
    /// # Examples
    /// ```
    /// use runcast_wavefront::model::Degree;
    /// let degrees = Degree::list("1/0, 1:2:1/1", 3, &[])?;
    /// assert_eq!((degrees[0].name.as_str(), &degrees[0].beta), ("1/0", &vec![0, 0, 0]));
    /// assert_eq!(Degree::list("0", 3, &[])?, degrees[..1]);
    /// assert_eq!((&degrees[1].alpha, &degrees[1].beta), (&vec![1, 2, 1], &vec![1, 1, 1]));
    /// # Ok::<(), runcast_core::Problem>(())
    /// ```
    pub fn list(text: &str, processes: usize, of_file: &[Degree]) -> Result<Vec<Degree>, Problem> {
        let mut degrees = Vec::new();
        for item in text.split(',').map(str::trim) {
            if item == "model" {
                if of_file.is_empty() {
                    let problem = Problem::new("missing", "the model has no degrees").value(item).at("--degrees");
                    return Err(problem.hint("degrees = [ { name = \"async 1\", A = 1, B = 1 } ] in [wavefront]"));
                }
                degrees.extend_from_slice(of_file);
            } else {
                degrees.push(Degree::parse(item, processes).map_err(|problem| problem.at("--degrees"))?);
            }
            if degrees.len() > MOST_DEGREES {
                let problem = Problem::new("too_many", format!("more than {MOST_DEGREES} degrees")).at("--degrees");
                return Err(problem.allowed(format!("at most {MOST_DEGREES}")));
            }
        }
        Ok(degrees)
    }

    fn parse(item: &str, processes: usize) -> Result<Degree, Problem> {
        let not_one = || {
            let message = format!("\"{}\" is not a degree", shorten(item, 40));
            Problem::new("not_a_degree", message).value(item).allowed(ALLOWED)
        };
        let is_beta = !item.is_empty() && item.bytes().all(|byte| byte.is_ascii_digit());
        let (alpha, beta) = if is_beta { ("1", item) } else { item.split_once('/').ok_or_else(not_one)? };
        let numbers = |text: &str, least: u32| {
            let each: Result<Vec<u32>, Problem> = text.split(':').map(|one| update_count(one, least)).collect();
            spread(&each?, processes).map_err(|problem| problem.value(item))
        };
        Ok(Degree {
            name: if is_beta { format!("1/{item}") } else { item.to_owned() },
            alpha: numbers(alpha, 1)?,
            beta: numbers(beta, 0)?,
        })
    }

    /// The model with these numbers of updates.
    pub fn of(&self, model: &Model) -> Model {
        let updates: Vec<(u32, u32)> = self.alpha.iter().copied().zip(self.beta.iter().copied()).collect();
        model.with_updates(&updates)
    }

    /// What the model itself does, under its own A and B.
    pub fn own(model: &Model) -> Degree {
        let alpha: Vec<u32> = model.processes.iter().map(|process| process.alpha_updates).collect();
        let beta: Vec<u32> = model.processes.iter().map(|process| process.beta_updates).collect();
        let mut degree = Degree { name: String::new(), alpha, beta };
        degree.name = degree.label();
        degree
    }

    /// `1/0`, or with one number a process `1:2:1/0`: as [`Degree::list`] reads it.
    pub fn label(&self) -> String {
        let text = |numbers: &[u32]| match numbers {
            [first, rest @ ..] if rest.iter().all(|other| other == first) => first.to_string(),
            _ => numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(":"),
        };
        format!("{}/{}", text(&self.alpha), text(&self.beta))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> String {
        Degree::list(text, 3, &[]).expect_err(text).code
    }

    #[test]
    fn what_is_no_degree_is_told() {
        assert_eq!(code("1.5"), "not_a_degree");
        assert_eq!(code(""), "not_a_degree");
        assert_eq!(code("99999999999"), "out_of_range");
        assert_eq!(code("0/1"), "out_of_range");
        assert_eq!(code("1/-1"), "out_of_range");
        assert_eq!(code("1/1.5"), "out_of_range");
        assert_eq!(code("1/99999999999"), "out_of_range");
        assert_eq!(code("1:2/0"), "length");
        assert_eq!(code("model"), "missing");
        assert_eq!(code(&"1/0,".repeat(1001)), "too_many");
    }

    #[test]
    fn those_of_the_file_stand_where_model_is_written() {
        let own = Degree { name: "mine".to_owned(), alpha: vec![1], beta: vec![7] };
        let degrees = Degree::list("1/0,model", 1, std::slice::from_ref(&own)).expect("degrees");
        assert_eq!(degrees[1], own);
        let model = crate::cases::barrier().with_updates(&[(1, 0), (2, 3)]);
        assert_eq!(Degree::own(&model).name, "1:2/0:3");
        assert_eq!(Degree::own(&Degree::list("2/1", 2, &[]).expect("a degree")[0].of(&model)).name, "2/1");
    }
}
