//! Errors of the launcher, which speaks of workers and checkpoints, in the words of this command.

use crate::failure::Failure;

/// There is no master here, nothing to resume from, and other backends.
pub fn own_words(mut failure: Failure) -> Failure {
    for problem in &mut failure.problems.0 {
        problem.hint.take_if(|hint| hint.contains("--checkpoint") || hint.contains("checkpoint is"));
        problem.message = without_workers(&problem.message).replace("iteration", "phase");
        if problem.code == "without_mpi" {
            problem.allowed = Some("threads".to_owned());
        }
    }
    failure
}

/// `rank 2 (worker 2) was killed` is `rank 2 was killed`.
fn without_workers(message: &str) -> String {
    match (message.find(" (worker "), message.find(')')) {
        (Some(start), Some(end)) if start < end => format!("{}{}", &message[..start], &message[end + 1..]),
        _ => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runcast_core::Problem;

    #[test]
    fn a_lost_rank_is_no_worker() {
        let problem = Problem::new("rank_lost", "rank 2 (worker 2) was killed by signal 9 after iteration 57")
            .hint("nothing was saved; with --checkpoint FILE the run can be resumed");
        let failure = own_words(Failure::undone(problem));
        let problem = &failure.problems.0[0];
        assert_eq!(problem.message, "rank 2 was killed by signal 9 after phase 57");
        assert_eq!(problem.hint, None);
    }
}
