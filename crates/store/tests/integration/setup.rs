//! The link that makes the first administrator: once, and only while no user has a password.

use crate::queue::support::Random;
use runcast_store::testing::both;
use runcast_store::{Database, SiteRole, StoreError, setup, users};

const SEQUENCES: u64 = 60;
const STEPS: usize = 14;
const HASH: &str = "a hash";
const NAMES: [&str; 5] = ["ada", "root", "rita", "rose", users::LOCAL];

/// What may happen to a server without waiting for anything else.
#[derive(Debug, Clone)]
enum Step {
    /// `serve --multi-user` starts and prints a link.
    Start,
    /// `serve` starts with its one user, who has no password.
    StartSingle,
    Add(&'static str, SiteRole),
    Disable(&'static str, bool),
    Role(&'static str, SiteRole),
    Password(&'static str),
    /// The link with this number is followed.
    Redeem(usize),
    /// A database administrator removes a user.
    Remove(&'static str),
    /// All links grow as old as they can be.
    Wait,
}

/// What is known without asking the database.
#[derive(Debug, Default)]
struct Model {
    /// Tokens, each with whether it was redeemed.
    tokens: Vec<(String, bool)>,
    works: Works,
}

/// Which token must work, and no other.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Works {
    #[default]
    None,
    Only(usize),
    /// Several steps were taken at once: at most one.
    Unknown,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_link_makes_one_administrator_and_only_while_no_user_has_a_password() {
    both(|db| async move {
        for seed in 0..SEQUENCES {
            sequence(&db, &mut Random(seed)).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_links_printed_and_followed_at_once_one_works() {
    both(|db| async move {
        for round in 0..20 {
            clear(&db).await;
            let starts = (0..4).map(|_| tokio::spawn(run(db.clone(), Step::Start, None)));
            let mut hands = Vec::new();
            for start in starts.collect::<Vec<_>>() {
                let token = start.await.expect("no panic").printed;
                hands.push(tokio::spawn(run(db.clone(), Step::Redeem(hands.len()), token)));
            }
            let mut made = 0;
            for hand in hands {
                made += usize::from(hand.await.expect("no panic").administrator);
            }
            assert_eq!((made, with_password(&db).await), (1, 1), "round {round}");
        }
    })
    .await;
}

async fn clear(db: &Database) {
    db.write("DELETE FROM users", &[]).await.expect("written");
    db.write("DELETE FROM setup_links", &[]).await.expect("written");
}

async fn sequence(db: &Database, random: &mut Random) {
    clear(db).await;
    let mut model = Model::default();
    let mut history = Vec::new();
    for _ in 0..STEPS {
        let at_once = [1, 1, 1, 2, 4][random.below(5)];
        let steps: Vec<Step> = (0..at_once).map(|_| step(random, model.tokens.len())).collect();
        history.push(steps.clone());
        model.take(db, steps, &format!("{history:#?}")).await;
    }
}

fn step(random: &mut Random, tokens: usize) -> Step {
    let name = NAMES[random.below(NAMES.len())];
    let role = [SiteRole::Administrator, SiteRole::Author][random.below(2)];
    match random.below(16) {
        0..=2 => Step::Start,
        3 => Step::StartSingle,
        4 => Step::Add(name, role),
        5 => Step::Disable(name, random.below(2) == 0),
        6 => Step::Role(name, role),
        7 => Step::Password(name),
        8 => Step::Remove(name),
        9 => Step::Wait,
        // The newest ones above all.
        _ => Step::Redeem(tokens.saturating_sub(1 + random.below(2) * random.below(tokens))),
    }
}

impl Model {
    /// Takes steps at once, and checks what came of them.
    async fn take(&mut self, db: &Database, steps: Vec<Step>, about: &str) {
        let before = with_password(db).await;
        let alone = if let [step] = steps.as_slice() { Some(step.clone()) } else { None };
        let removes = steps.iter().any(|step| matches!(step, Step::Remove(_)));
        let mut hands = Vec::new();
        for step in steps {
            let redeemed = if let Step::Redeem(index) = step { Some(index) } else { None };
            let secret = redeemed.and_then(|index| self.tokens.get(index)).map(|token| token.0.clone());
            hands.push((redeemed, tokio::spawn(run(db.clone(), step, secret))));
        }
        let (mut made, mut printed) = (0, Vec::new());
        for (redeemed, hand) in hands {
            let done = hand.await.expect("no panic");
            printed.extend(done.printed);
            if done.administrator {
                let token = redeemed.and_then(|index| self.tokens.get_mut(index)).expect("a token");
                assert!(!token.1, "a token worked twice: {about}");
                token.1 = true;
                made += 1;
            }
        }
        assert!(made <= 1 || removes, "{made} administrators at once: {about}");
        assert!(made == 0 || before == 0 || removes, "a token worked beside {before} users: {about}");
        match alone {
            Some(Step::Redeem(index)) => {
                if self.works != Works::Unknown {
                    assert_eq!(made == 1, self.works == Works::Only(index), "the wrong answer to a token: {about}");
                }
                if made == 1 {
                    self.works = Works::None;
                }
            }
            Some(Step::Start) => {
                assert_eq!(printed.is_empty(), before > 0, "a link is printed while it would work: {about}");
                self.works = if printed.is_empty() { Works::None } else { Works::Only(self.tokens.len()) };
            }
            Some(Step::Wait) => self.works = Works::None,
            Some(_) if with_password(db).await > 0 => self.works = Works::None,
            Some(_) => {}
            None => self.works = Works::Unknown,
        }
        self.tokens.extend(printed.into_iter().map(|secret| (secret, false)));
    }
}

#[derive(Default)]
struct Done {
    administrator: bool,
    printed: Option<String>,
}

async fn run(db: Database, step: Step, secret: Option<String>) -> Done {
    let mut done = Done::default();
    let changed = match step {
        Step::Start => setup::link(&db).await.map(|link| done.printed = link),
        Step::StartSingle => users::local(&db).await.map(drop),
        Step::Add(name, role) => users::add(&db, name, Some(HASH), role).await.map(drop),
        Step::Disable(name, disabled) => users::set_disabled(&db, name, disabled).await.map(drop),
        Step::Role(name, role) => users::set_role(&db, name, role).await.map(drop),
        Step::Password(name) => users::set_password(&db, name, HASH, None).await.map(drop),
        Step::Redeem(index) => {
            let Some(secret) = secret else { return done };
            let name = ["root", "rita", "rose", "ada"][index % 4];
            let made = setup::redeem(&db, &secret, name, HASH).await;
            made.map(|user| done.administrator = user.is_some())
        }
        Step::Remove(name) => db.write("DELETE FROM users WHERE name_key = $1", &[name.into()]).await.map(drop),
        Step::Wait => db.write("UPDATE setup_links SET expires_at = 0", &[]).await.map(drop),
    };
    match changed {
        Ok(()) | Err(StoreError::Taken { .. } | StoreError::Missing { .. } | StoreError::State(_)) => done,
        Err(error) => panic!("{error}"),
    }
}

async fn with_password(db: &Database) -> i64 {
    let row = db.read_one("SELECT COUNT(*) AS n FROM users WHERE password_hash IS NOT NULL", &[]).await;
    row.expect("read").expect("a row").int("n").expect("a number")
}
