//! How much one user may have.

use crate::database::Database;
use crate::error::StoreError;
use crate::id::Id;

/// What one user may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quotas {
    /// Points in the queue at once.
    pub queued_points: i64,
    /// Tasks that run at once.
    pub running_tasks: i64,
    pub stored_bytes: i64,
    /// Requests of `compute` a second.
    pub compute_per_s: i64,
}

impl Default for Quotas {
    fn default() -> Self {
        Quotas { queued_points: 1_000_000, running_tasks: 1_000_000, stored_bytes: 2 << 30, compute_per_s: 20 }
    }
}

impl Quotas {
    /// Their names and values.
    pub fn named(&self) -> [(&'static str, i64); 4] {
        [
            ("queued_points", self.queued_points),
            ("running_tasks", self.running_tasks),
            ("stored_bytes", self.stored_bytes),
            ("compute_per_s", self.compute_per_s),
        ]
    }

    fn set(&mut self, name: &str, value: i64) {
        match name {
            "queued_points" => self.queued_points = value,
            "running_tasks" => self.running_tasks = value,
            "stored_bytes" => self.stored_bytes = value,
            "compute_per_s" => self.compute_per_s = value,
            _ => {}
        }
    }
}

/// What a user may have: the defaults, but for what an administrator set.
///
/// # Errors
/// The database is away.
pub async fn of(db: &Database, user: &Id) -> Result<Quotas, StoreError> {
    let rows = db.read("SELECT quota, value FROM quotas WHERE user_id = $1", &[user.into()]).await?;
    let mut quotas = Quotas::default();
    for row in rows {
        quotas.set(&row.text("quota")?, row.int("value")?);
    }
    Ok(quotas)
}

/// Sets what a user may have.
///
/// # Errors
/// The database is away.
pub async fn set(db: &Database, user: &Id, quotas: &Quotas) -> Result<(), StoreError> {
    let mut tx = db.begin().await?;
    for (name, value) in quotas.named() {
        tx.execute(
            "INSERT INTO quotas (user_id, quota, value) VALUES ($1, $2, $3) \
             ON CONFLICT (user_id, quota) DO UPDATE SET value = excluded.value",
            &[user.into(), name.into(), value.into()],
        )
        .await?;
    }
    tx.commit().await
}
