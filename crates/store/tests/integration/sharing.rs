//! Links and comments, on both databases.

use runcast_store::comments::{self, Change, NewComment};
use runcast_store::projects::{self, Maker};
use runcast_store::shares::{self, NewShare};
use runcast_store::testing::{both, sample_job};
use runcast_store::{Database, Id, MemberRole, SiteRole, blobs, jobs, members, users};

/// Numbers of a generator with a seed, so that a run can be repeated.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// What a user may do, as a test sees it.
#[derive(Debug, Clone, Copy)]
struct Person {
    site: SiteRole,
    member: Option<MemberRole>,
    is_disabled: bool,
}

impl Person {
    /// The table of rights, row "change files".
    fn may_share(self) -> bool {
        let is_author = matches!(self.member, Some(MemberRole::Author | MemberRole::Owner));
        !self.is_disabled
            && match self.site {
                SiteRole::Administrator => true,
                SiteRole::Author => is_author,
                SiteRole::Viewer => false,
            }
    }
}

async fn job(db: &Database, project: &Id, user: &Id) -> Id {
    let job = sample_job(project, user, 1);
    let id = job.id.clone();
    jobs::launch(db, &[job]).await.expect("launched");
    id
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_shows_its_page_exactly_while_its_maker_may_share_and_nothing_has_ended_it() {
    both(|db| async move {
        let mut dice = Dice(7);
        for round in 0..6 {
            let maker = Maker { owner: None, name: "root" };
            let project = projects::create(&db, &format!("p{round}"), "", maker).await.expect("a project").id;
            // Someone stays an owner, so that members may come and go.
            let keeper = users::add(&db, &format!("keeper{round}"), None, SiteRole::Author).await.expect("a user");
            members::put(&db, &project, &keeper.name, MemberRole::Owner).await.expect("a member");
            let mut people = Vec::new();
            for number in 0..3 {
                let user =
                    users::add(&db, &format!("u{round}-{number}"), None, SiteRole::Author).await.expect("a user");
                members::put(&db, &project, &user.name, MemberRole::Author).await.expect("a member");
                let state = Person { site: SiteRole::Author, member: Some(MemberRole::Author), is_disabled: false };
                people.push((user, state));
            }
            // Token, maker, page, job.
            let mut links: Vec<(String, Id, usize, String, Option<Id>)> = Vec::new();
            for step in 0..30 {
                let who = dice.roll(3) as usize;
                let name = people[who].0.name.clone();
                match dice.roll(8) {
                    0..=1 => {
                        let page = format!("<p>{round} {step}</p>");
                        let about =
                            if dice.roll(2) == 0 { Some(job(&db, &project, &people[who].0.id).await) } else { None };
                        let new = NewShare {
                            project: &project,
                            user: &people[who].0.id,
                            job: about.as_ref(),
                            target: "reports/a.toml",
                            version: 1,
                            title: "a",
                            page: page.as_bytes(),
                            seconds: 3600,
                        };
                        let (token, kept) = shares::add(&db, &new).await.expect("a link");
                        links.push((token, kept.id, who, page, about));
                    }
                    2 => {
                        let roles = [MemberRole::Viewer, MemberRole::Author, MemberRole::Owner];
                        let role = roles[dice.roll(3) as usize];
                        members::put(&db, &project, &name, role).await.expect("a member");
                        people[who].1.member = Some(role);
                    }
                    3 if people[who].1.member.is_some() => {
                        members::remove(&db, &project, &name).await.expect("no member");
                        people[who].1.member = None;
                    }
                    4 => {
                        let is_disabled = !people[who].1.is_disabled;
                        users::set_disabled(&db, &name, is_disabled).await.expect("changed");
                        people[who].1.is_disabled = is_disabled;
                    }
                    5 => {
                        let site = [SiteRole::Viewer, SiteRole::Author][dice.roll(2) as usize];
                        users::set_role(&db, &name, site).await.expect("changed");
                        people[who].1.site = site;
                    }
                    6 if !links.is_empty() => {
                        let gone = links.remove(dice.roll(links.len() as u64) as usize);
                        shares::revoke(&db, &gone.1).await.expect("revoked");
                        assert_eq!(shares::open(&db, &gone.0).await.expect("read"), None);
                    }
                    7 if !links.is_empty() => {
                        // With a result go the links to it.
                        let at = dice.roll(links.len() as u64) as usize;
                        if let Some(id) = links[at].4.clone() {
                            jobs::cancel(&db, &id).await.expect("cancelled");
                            jobs::delete(&db, &id).await.expect("deleted");
                            let gone = links.remove(at);
                            assert_eq!(shares::open(&db, &gone.0).await.expect("read"), None);
                        }
                    }
                    _ => {}
                }
                for (token, _, who, page, _) in &links {
                    let expected = people[*who].1.may_share().then(|| page.clone().into_bytes());
                    let seen = shares::open(&db, token).await.expect("read");
                    assert_eq!(seen, expected, "round {round}, step {step}: {:?}", people[*who].1);
                }
            }
            let listed = shares::list(&db, &project, None, 100).await.expect("a list");
            assert_eq!(listed.len(), links.len());
            projects::delete(&db, &project).await.expect("deleted");
            for (token, ..) in &links {
                assert_eq!(shares::open(&db, token).await.expect("read"), None);
            }
        }
        assert_eq!(shares::open(&db, "").await.expect("read"), None);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn links_end_at_their_time_and_their_pages_are_kept_as_long() {
    both(|db| async move {
        let user = users::add(&db, "ann", None, SiteRole::Administrator).await.expect("a user");
        let maker = Maker { owner: Some(&user.id), name: "ann" };
        let project = projects::create(&db, "demo", "", maker).await.expect("a project").id;
        let new = NewShare {
            project: &project,
            user: &user.id,
            job: None,
            target: "reports/a.toml",
            version: 1,
            title: "a",
            page: b"kept",
            seconds: 3600,
        };
        let (token, _) = shares::add(&db, &new).await.expect("a link");
        db.write("UPDATE blobs SET created_at = created_at - 7200000000", &[]).await.expect("older");
        assert_eq!(blobs::collect(&db).await.expect("collected"), 0);
        assert_eq!(shares::open(&db, &token).await.expect("read").as_deref(), Some(&b"kept"[..]));
        db.write("UPDATE share_links SET expires_at = expires_at - 3600000000", &[]).await.expect("later");
        assert_eq!(shares::open(&db, &token).await.expect("read"), None);
        assert_eq!(shares::list(&db, &project, None, 9).await.expect("a list"), []);
        assert_eq!((shares::purge(&db).await.expect("purged"), blobs::collect(&db).await.expect("collected")), (1, 1));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn comments_are_settled_edited_and_go_with_what_they_are_about() {
    both(|db| async move {
        let user = users::add(&db, "ann", None, SiteRole::Author).await.expect("a user");
        let maker = Maker { owner: Some(&user.id), name: "ann" };
        let project = projects::create(&db, "demo", "", maker).await.expect("a project").id;
        let id = job(&db, &project, &user.id).await;
        let target = format!("job:{id}");
        let new = NewComment {
            project: &project,
            user: &user.id,
            job: Some(&id),
            reply_to: None,
            target: &target,
            anchor: "p=8",
            digest: None,
            text: "why?",
        };
        let first = comments::add(&db, &new).await.expect("a comment");
        let reply = NewComment { reply_to: Some(&first.id), text: "so.", ..new };
        comments::add(&db, &reply).await.expect("a reply");
        let list = async || comments::list(&db, &project, Some(&target), "", 9).await.expect("a list");
        assert_eq!(list().await, std::slice::from_ref(&first));
        assert_eq!(comments::replies(&db, &first.id, 9).await.expect("replies")[0].text, "so.");
        let change = Change { text: Some("why not?"), resolved: Some(true) };
        let changed = comments::change(&db, &first.id, &change).await.expect("changed");
        assert_eq!(
            (changed.text.as_str(), changed.edited_at.is_some(), changed.resolved_at.is_some()),
            ("why not?", true, true)
        );
        let change = Change { text: None, resolved: Some(false) };
        assert_eq!(comments::change(&db, &first.id, &change).await.expect("changed").resolved_at, None);
        assert_eq!(comments::list(&db, &project, Some("other"), "", 9).await.expect("a list"), []);
        comments::delete(&db, &first.id).await.expect("deleted");
        assert_eq!(comments::replies(&db, &first.id, 9).await.expect("replies"), []);
        comments::add(&db, &new).await.expect("a comment");
        jobs::cancel(&db, &id).await.expect("cancelled");
        jobs::delete(&db, &id).await.expect("deleted");
        assert_eq!(list().await, []);
    })
    .await;
}
