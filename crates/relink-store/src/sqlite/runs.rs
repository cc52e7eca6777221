//! Runs: opening, proving the network, counting, closing.

use jiff::Timestamp;
use relink_model::RunId;
use relink_ports::{HostTally, OpenRun, RunPlan, RunState, StoreFault, Tally};

use super::SqliteStore;
use super::rows::{millis, moment, to_json, word};

const FINISHED: i64 = 1;
const VOID: i64 = 2;
const ABANDONED: i64 = 3;

impl SqliteStore {
    pub(super) async fn open_run(
        &self,
        plan: &RunPlan,
        fresh: bool,
        now: Timestamp,
    ) -> Result<OpenRun, StoreFault> {
        let identity = to_json(&(&plan.command, &plan.inputs, &plan.scope))?;
        if fresh {
            self.abandon(&identity, now).await?;
        } else if let Some(open) = self.unfinished(&identity).await? {
            return Ok(open);
        }
        self.begin(plan, &identity, now).await
    }

    async fn unfinished(&self, identity: &str) -> Result<Option<OpenRun>, StoreFault> {
        let row: Option<(i64, i64, bool)> = sqlx::query_as(
            "SELECT id, started_at, network FROM run
             WHERE identity = ? AND state = 0 ORDER BY id DESC LIMIT 1",
        )
        .bind(identity)
        .fetch_optional(&mut *self.connection().await)
        .await
        .map_err(self.fault("looking for an unfinished run"))?;
        Ok(row.map(|(id, started, has_network)| OpenRun {
            id: RunId(id),
            started: moment(started),
            is_resumed: true,
            has_network,
        }))
    }

    async fn abandon(&self, identity: &str, now: Timestamp) -> Result<(), StoreFault> {
        sqlx::query("UPDATE run SET state = ?, closed_at = ? WHERE identity = ? AND state = 0")
            .bind(ABANDONED)
            .bind(millis(now))
            .bind(identity)
            .execute(&mut *self.connection().await)
            .await
            .map_err(self.fault("leaving an unfinished run"))?;
        Ok(())
    }

    async fn begin(
        &self,
        plan: &RunPlan,
        identity: &str,
        now: Timestamp,
    ) -> Result<OpenRun, StoreFault> {
        let (id,): (i64,) = sqlx::query_as(
            "INSERT INTO run (identity, command, inputs, scope, started_at)
             VALUES (?, ?, ?, ?, ?) RETURNING id",
        )
        .bind(identity)
        .bind(&plan.command)
        .bind(to_json(&plan.inputs)?)
        .bind(&plan.scope)
        .bind(millis(now))
        .fetch_one(&mut *self.connection().await)
        .await
        .map_err(self.fault("starting a run"))?;
        Ok(OpenRun {
            id: RunId(id),
            started: now,
            is_resumed: false,
            has_network: false,
        })
    }

    pub(super) async fn prove_network(&self, run: RunId) -> Result<(), StoreFault> {
        sqlx::query("UPDATE run SET network = 1 WHERE id = ?")
            .bind(run.0)
            .execute(&mut *self.connection().await)
            .await
            .map_err(self.fault("noting that the network works"))?;
        Ok(())
    }

    pub(super) async fn close_run(
        &self,
        run: RunId,
        state: RunState,
        now: Timestamp,
    ) -> Result<(), StoreFault> {
        let state = match state {
            RunState::Open => return Ok(()),
            RunState::Finished => FINISHED,
            RunState::Void => VOID,
        };
        sqlx::query("UPDATE run SET state = ?, closed_at = ? WHERE id = ?")
            .bind(state)
            .bind(millis(now))
            .bind(run.0)
            .execute(&mut *self.connection().await)
            .await
            .map_err(self.fault("closing a run"))?;
        Ok(())
    }

    pub(super) async fn tally(&self, run: RunId) -> Result<Tally, StoreFault> {
        let doing = self.fault("counting a run");
        let mut connection = self.connection().await;
        let (documents, links, hosts): (i64, i64, i64) = sqlx::query_as(
            "SELECT (SELECT count(*) FROM document WHERE run_id = ?1),
                    (SELECT count(*) FROM link JOIN document d ON d.id = document_id
                     WHERE d.run_id = ?1),
                    (SELECT count(*) FROM run_host WHERE run_id = ?1 AND asked > 0)",
        )
        .bind(run.0)
        .fetch_one(&mut *connection)
        .await
        .map_err(&doing)?;
        let groups: Vec<(Option<String>, i64, i64)> = sqlx::query_as(
            "SELECT word, count(*), sum(cached) FROM errand WHERE run_id = ? GROUP BY word",
        )
        .bind(run.0)
        .fetch_all(&mut *connection)
        .await
        .map_err(&doing)?;
        let mut tally = Tally {
            documents: count(documents),
            links: count(links),
            hosts: count(hosts),
            ..Tally::default()
        };
        for (text, targets, cached) in groups {
            tally.targets += count(targets);
            if let Some(word) = word(text.as_deref())? {
                tally.settled += count(targets);
                tally.cached += count(cached);
                tally.words.insert(word, count(targets));
            }
        }
        Ok(tally)
    }

    pub(super) async fn hosts(
        &self,
        run: RunId,
        limit: usize,
    ) -> Result<Vec<HostTally>, StoreFault> {
        let rows: Vec<(String, i64, i64, i64, i64, i64)> = sqlx::query_as(
            "SELECT h.name, rh.asked, rh.answered, rh.throttled, rh.busy_ms, rh.waited_ms
             FROM run_host rh JOIN host h ON h.id = rh.host_id
             WHERE rh.run_id = ? AND rh.asked > 0
             ORDER BY rh.asked DESC, h.name LIMIT ?",
        )
        .bind(run.0)
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .fetch_all(&mut *self.connection().await)
        .await
        .map_err(self.fault("listing hosts"))?;
        let tally = |(name, asked, answered, throttled, busy, waited)| HostTally {
            name,
            asked: count(asked),
            answered: count(answered),
            throttled: count(throttled),
            busy_ms: count(busy),
            waited_ms: count(waited),
        };
        Ok(rows.into_iter().map(tally).collect())
    }
}

/// Counts are never negative; a damaged one shows as none.
pub(super) fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
