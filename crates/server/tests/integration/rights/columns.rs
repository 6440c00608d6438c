//! Everybody who asks.

use crate::site::Site;
use runcast_store::users::User;
use runcast_store::{Id, MemberRole, Scope, SiteRole, members, tokens, users};

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// Nobody.
    Anonymous,
    /// An author of the site, no member.
    Stranger,
    /// A viewer of the project.
    Viewer,
    /// An author of the project, whose job it is.
    Author,
    /// Another author of the project.
    Colleague,
    /// An owner.
    Owner,
    /// An owner who is a viewer of the site: the lesser counts.
    OwnerWhoLooks,
    /// An administrator, no member.
    Administrator,
    /// The owner's token for reading.
    ReadOnly,
    /// The owner's token for this project.
    OnlyThis,
    /// The owner's token for another project of theirs.
    Elsewhere,
    /// An owner who is kept out.
    Disabled,
    /// The owner's token of yesterday.
    Expired,
}

impl Column {
    /// All of them.
    pub const ALL: &'static [Column] = &[
        Column::Anonymous,
        Column::Stranger,
        Column::Viewer,
        Column::Author,
        Column::Colleague,
        Column::Owner,
        Column::OwnerWhoLooks,
        Column::Administrator,
        Column::ReadOnly,
        Column::OnlyThis,
        Column::Elsewhere,
        Column::Disabled,
        Column::Expired,
    ];
}

/// The users, and their tokens.
pub struct People {
    viewer: User,
    pub author: User,
    colleague: User,
    owner: User,
    owner_who_looks: User,
    kept_out: User,
    /// Of the administrator, who makes samples over the API.
    pub administrator: User,
    tokens: Vec<(Column, String)>,
}

impl People {
    /// Makes them.
    pub async fn move_in(site: &Site) -> People {
        let administrator = site.user("administrator", SiteRole::Administrator).await;
        let stranger = site.user("stranger", SiteRole::Author).await;
        let viewer = site.user("viewer", SiteRole::Author).await;
        let author = site.user("author", SiteRole::Author).await;
        let colleague = site.user("colleague", SiteRole::Author).await;
        let owner = site.user("owner", SiteRole::Author).await;
        let owner_who_looks = site.user("owner-who-looks", SiteRole::Viewer).await;
        let kept_out = site.user("kept-out", SiteRole::Author).await;
        let elsewhere = site.project("elsewhere", &[(&owner, MemberRole::Owner)]).await;
        let mut tokens = Vec::new();
        for (column, user) in [
            (Column::Stranger, &stranger),
            (Column::Viewer, &viewer),
            (Column::Author, &author),
            (Column::Colleague, &colleague),
            (Column::Owner, &owner),
            (Column::OwnerWhoLooks, &owner_who_looks),
            (Column::Administrator, &administrator),
            (Column::Disabled, &kept_out),
        ] {
            tokens.push((column, site.token(user, Scope::Write, None).await));
        }
        tokens.push((Column::ReadOnly, site.token(&owner, Scope::Read, None).await));
        tokens.push((Column::Elsewhere, site.token(&owner, Scope::Write, Some(&elsewhere)).await));
        let over = tokens::add(site.db(), &owner.id, "over", Scope::Write, None, Some(1_000_000)).await;
        tokens.push((Column::Expired, over.expect("a token").0));
        users::set_disabled(site.db(), "kept-out", true).await.expect("kept out");
        People { viewer, author, colleague, owner, owner_who_looks, kept_out, administrator, tokens }
    }

    /// Makes them members of a project.
    pub async fn join(&self, site: &Site, project: &Id) {
        for (user, role) in [
            (&self.viewer, MemberRole::Viewer),
            (&self.author, MemberRole::Author),
            (&self.colleague, MemberRole::Author),
            (&self.owner, MemberRole::Owner),
            (&self.owner_who_looks, MemberRole::Owner),
            (&self.kept_out, MemberRole::Owner),
        ] {
            members::put(site.db(), project, &user.name, role).await.expect("a member");
        }
    }

    /// The token of who asks; `project` is the one that is asked about.
    pub async fn token(&self, site: &Site, column: Column, project: &Id) -> Option<String> {
        if column == Column::OnlyThis {
            return Some(site.token(&self.owner, Scope::Write, Some(project)).await);
        }
        self.tokens.iter().find(|(of, _)| *of == column).map(|(_, token)| token.clone())
    }

    /// Whom a request about one's own things is about.
    pub fn of(&self, column: Column) -> &User {
        match column {
            Column::Viewer => &self.viewer,
            Column::Author => &self.author,
            Column::Colleague => &self.colleague,
            Column::OwnerWhoLooks => &self.owner_who_looks,
            Column::Administrator => &self.administrator,
            _ => &self.owner,
        }
    }
}
