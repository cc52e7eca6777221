//! Results: probes and the states that follow from them, and reading them back.

use std::collections::{HashMap, HashSet};

use relink_model::{Errand, ErrandId, Look, Place, PlaceKind, Probe, Purpose, RunId, Span, Word};
use relink_ports::{Completion, PlaceIn, Settled, Settlement, Step, StoreFault};
use serde::Serialize;
use sqlx::sqlite::SqliteRow;
use sqlx::{Connection, FromRow as _, Row as _, SqliteConnection};

use super::SqliteStore;
use super::row_struct::row_struct;
use super::rows::{
    ErrandRow, code, errand_columns, from_json, millis, moment, streak, to_json, word,
};

const PENDING: u8 = 0;
const HELD: u8 = 1;
const SETTLED: u8 = 2;

/// A probe as the statement reads it: target, moment, status, the whole of it.
#[derive(Serialize)]
struct ProbeRow<'a>(i64, i64, Option<u16>, &'a Probe);

/// A step as the statements read it: an array, by position.
#[derive(Serialize)]
struct StepRow<'a>(
    /* 0 errand */ i64,
    /* 1 target */ i64,
    /* 2 state */ u8,
    /* 3 purpose */ &'a str,
    /* 4 not before */ i64,
    /* 5 looks, if more than the probe tells */ Option<&'a [Look]>,
    /* 6 word */ Option<Word>,
    /* 7 code */ Option<String>,
    /* 8 status */ Option<u16>,
    /* 9 reason */ Option<&'a str>,
    /* 10 since */ Option<i64>,
    /* 11 settled */ Option<i64>,
    /* 12 failed runs */ u32,
    /* 13 first failed */ Option<i64>,
    /* 14 last failed */ Option<i64>,
    /* 15 reached */ bool,
);

impl<'a> StepRow<'a> {
    fn new(completion: &'a Completion) -> Self {
        let (errand, target) = (completion.errand.0, completion.target.0);
        match &completion.step {
            Step::Again {
                purpose,
                not_before,
                looks,
            } => Self::waiting(
                errand,
                target,
                PENDING,
                purpose.as_str(),
                millis(*not_before),
                looks,
            ),
            Step::Hold { looks } => {
                Self::waiting(errand, target, HELD, Purpose::First.as_str(), 0, looks)
            }
            Step::Settle(settlement) => Self::settled(errand, target, settlement),
        }
    }

    fn waiting(
        errand: i64,
        target: i64,
        state: u8,
        purpose: &'a str,
        not_before: i64,
        looks: &'a [Look],
    ) -> Self {
        Self(
            errand,
            target,
            state,
            purpose,
            not_before,
            Some(looks),
            None,
            None,
            None,
            None,
            None,
            None,
            0,
            None,
            None,
            false,
        )
    }

    fn settled(errand: i64, target: i64, settlement: &'a Settlement) -> Self {
        let streak = settlement.streak;
        Self(
            errand,
            target,
            SETTLED,
            Purpose::First.as_str(),
            0,
            (settlement.looks.len() > 1).then_some(&settlement.looks),
            Some(settlement.word),
            settlement.code.map(|code| code.to_string()),
            settlement.status,
            Some(&settlement.reason),
            Some(millis(settlement.since)),
            Some(millis(settlement.at)),
            streak.map_or(0, |streak| streak.runs),
            streak.map(|streak| millis(streak.first)),
            streak.map(|streak| millis(streak.last)),
            settlement.word.is_reached(),
        )
    }
}

impl SqliteStore {
    pub(super) async fn complete(
        &self,
        run: RunId,
        completions: &[Completion],
    ) -> Result<Vec<ErrandId>, StoreFault> {
        let doing = self.fault("storing results");
        let mut connection = self.connection().await;
        let mut transaction = connection.begin().await.map_err(&doing)?;
        let lost = lost_leases(&mut transaction, completions)
            .await
            .map_err(&doing)?;
        let is_lost = |completion: &&Completion| {
            completion
                .lease
                .is_some_and(|lease| lost.contains(&(lease.host.0, lease.number)))
        };
        let (refused, kept): (Vec<_>, Vec<_>) = completions.iter().partition(is_lost);
        let probes: Vec<ProbeRow<'_>> = kept.iter().filter_map(|kept| probe_row(kept)).collect();
        let steps: Vec<StepRow<'_>> = kept.iter().map(|kept| StepRow::new(kept)).collect();
        let steps = to_json(&steps)?;
        insert_probes(&mut transaction, run, &to_json(&probes)?)
            .await
            .map_err(&doing)?;
        update_errands(&mut transaction, &steps)
            .await
            .map_err(&doing)?;
        update_targets(&mut transaction, &steps)
            .await
            .map_err(&doing)?;
        // A lease's holder makes its host due again when giving it back.
        if kept.iter().any(|kept| kept.lease.is_none()) {
            make_due(&mut transaction, run, &steps)
                .await
                .map_err(&doing)?;
        }
        transaction.commit().await.map_err(&doing)?;
        Ok(refused.into_iter().map(|refused| refused.errand).collect())
    }

    pub(super) async fn held(
        &self,
        run: RunId,
        after: ErrandId,
        limit: usize,
    ) -> Result<Vec<(Errand, Probe)>, StoreFault> {
        let rows: Vec<SqliteRow> = sqlx::query(concat!(
            "SELECT ",
            errand_columns!(),
            ", (SELECT detail FROM probe WHERE target_id = e.target_id AND run_id = e.run_id
                ORDER BY id DESC LIMIT 1) AS detail
             FROM errand e INDEXED BY errand_held
             CROSS JOIN target t ON t.id = e.target_id
             LEFT JOIN probe p ON p.id = t.reached_probe
             WHERE e.state = 1 AND e.run_id = ?1 AND e.id > ?2
             ORDER BY e.id LIMIT ?3"
        ))
        .bind(run.0)
        .bind(after.0)
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .fetch_all(&mut *self.connection().await)
        .await
        .map_err(self.fault("reading what is on hold"))?;
        let doing = self.fault("reading what is on hold");
        let held = |row: &SqliteRow| {
            let errand = ErrandRow::from_row(row).map_err(&doing)?.into_errand()?;
            let detail: String = row.try_get("detail").map_err(&doing)?;
            Ok((errand, from_json(&detail)?))
        };
        rows.iter().map(held).collect()
    }

    pub(super) async fn settled(
        &self,
        run: RunId,
        after: ErrandId,
        limit: usize,
        words: Option<&[Word]>,
    ) -> Result<Vec<Settled>, StoreFault> {
        // NOT INDEXED: pages follow the row number, which is the input's order.
        let rows: Vec<SettledRow> = sqlx::query_as(
            "SELECT e.id, t.url, e.given, e.cached, e.looks, e.word, e.code, e.status, e.reason,
                    e.since, e.settled_at, t.failed_runs, t.first_failed_at, t.last_failed_at,
                    iif(e.cached,
                        (SELECT p.detail FROM probe p WHERE p.id = t.reached_probe),
                        (SELECT p.detail FROM probe p
                         WHERE p.target_id = e.target_id AND p.run_id = e.run_id
                         ORDER BY p.id DESC LIMIT 1)) AS detail
             FROM errand e NOT INDEXED CROSS JOIN target t ON t.id = e.target_id
             WHERE e.id > ?2 AND e.run_id = ?1 AND e.state = 2
               AND (?4 IS NULL OR e.word IN (SELECT value FROM json_each(?4)))
             ORDER BY e.id LIMIT ?3",
        )
        .bind(run.0)
        .bind(after.0)
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .bind(words.map(to_json).transpose()?)
        .fetch_all(&mut *self.connection().await)
        .await
        .map_err(self.fault("reading results"))?;
        let errands: Vec<ErrandId> = rows.iter().map(|row| ErrandId(row.id)).collect();
        let places = self.places(&errands).await?;
        rows.into_iter()
            .zip(places)
            .map(|(row, places)| row.into_settled(places))
            .collect()
    }

    pub(super) async fn places(
        &self,
        errands: &[ErrandId],
    ) -> Result<Vec<Vec<PlaceIn>>, StoreFault> {
        let ids: Vec<i64> = errands.iter().map(|errand| errand.0).collect();
        let rows: Vec<PlaceRow> = sqlx::query_as(
            "SELECT l.errand_id, d.label, l.span_start, l.span_end, l.line, l.col, l.kind
             FROM json_each(?) j CROSS JOIN link l ON l.errand_id = j.value
             CROSS JOIN document d ON d.id = l.document_id
             ORDER BY l.errand_id, l.document_id, l.position",
        )
        .bind(to_json(&ids)?)
        .fetch_all(&mut *self.connection().await)
        .await
        .map_err(self.fault("reading places"))?;
        let mut by_errand: HashMap<i64, Vec<PlaceIn>> = HashMap::new();
        for row in rows {
            by_errand
                .entry(row.errand_id)
                .or_default()
                .push(row.into_place()?);
        }
        Ok(ids
            .iter()
            .map(|id| by_errand.remove(id).unwrap_or_default())
            .collect())
    }
}

/// The leases results were asked under that are no longer their hosts' own,
/// as hosts and numbers.
async fn lost_leases(
    connection: &mut SqliteConnection,
    completions: &[Completion],
) -> Result<HashSet<(i64, i64)>, sqlx::Error> {
    let leases: HashSet<(i64, i64)> = completions
        .iter()
        .filter_map(|completion| completion.lease)
        .map(|lease| (lease.host.0, lease.number))
        .collect();
    let leases =
        serde_json::to_string(&leases).map_err(|fault| sqlx::Error::Encode(fault.into()))?;
    let lost: Vec<(i64, i64)> = sqlx::query_as(
        "SELECT j.value ->> 0, j.value ->> 1
         FROM json_each(?) j LEFT JOIN host h ON h.id = j.value ->> 0
         WHERE h.lease_no IS NOT j.value ->> 1",
    )
    .bind(leases)
    .fetch_all(connection)
    .await?;
    Ok(lost.into_iter().collect())
}

fn probe_row(completion: &Completion) -> Option<ProbeRow<'_>> {
    let probe = completion.probe.as_ref()?;
    Some(ProbeRow(
        completion.target.0,
        millis(probe.asked),
        probe.ending.status(),
        probe,
    ))
}

async fn insert_probes(
    connection: &mut SqliteConnection,
    run: RunId,
    probes: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO probe (run_id, target_id, asked_at, status, detail)
         SELECT ?1, value ->> 0, value ->> 1, value ->> 2, value -> 3 FROM json_each(?2)",
    )
    .bind(run.0)
    .bind(probes)
    .execute(connection)
    .await?;
    Ok(())
}

async fn update_errands(connection: &mut SqliteConnection, steps: &str) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE errand SET
             state = j.value ->> 2, purpose = j.value ->> 3, not_before = j.value ->> 4,
             looks = j.value ->> 5, word = j.value ->> 6, code = j.value ->> 7,
             status = j.value ->> 8, reason = j.value ->> 9, since = j.value ->> 10,
             settled_at = j.value ->> 11
         FROM json_each(?) j WHERE errand.id = j.value ->> 0",
    )
    .bind(steps)
    .execute(connection)
    .await?;
    Ok(())
}

/// Carries settled errands over into the targets' current state. The probe
/// that reached the page has just been stored, so it is the target's last one.
async fn update_targets(connection: &mut SqliteConnection, steps: &str) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE target SET
             word = j.value ->> 6, code = j.value ->> 7, status = j.value ->> 8,
             reason = j.value ->> 9, since = j.value ->> 10, checked_at = j.value ->> 11,
             failed_runs = j.value ->> 12, first_failed_at = j.value ->> 13,
             last_failed_at = j.value ->> 14,
             reached_at = iif(j.value ->> 15, j.value ->> 11, reached_at),
             reached_probe = iif(j.value ->> 15,
                 (SELECT max(id) FROM probe WHERE target_id = target.id), reached_probe)
         FROM json_each(?) j WHERE target.id = j.value ->> 1 AND j.value ->> 2 = 2",
    )
    .bind(steps)
    .execute(connection)
    .await?;
    Ok(())
}

/// Makes hosts due whose errands were put back.
async fn make_due(
    connection: &mut SqliteConnection,
    run: RunId,
    steps: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE run_host SET due_at = min(ifnull(due_at, e.not_before), e.not_before)
         FROM (SELECT host_id, min(not_before) AS not_before
               FROM json_each(?2) j CROSS JOIN errand ON errand.id = j.value ->> 0
               WHERE state = 0 GROUP BY host_id) e
         WHERE run_host.run_id = ?1 AND run_host.host_id = e.host_id",
    )
    .bind(run.0)
    .bind(steps)
    .execute(connection)
    .await?;
    Ok(())
}

row_struct! {
    struct SettledRow {
        id: i64,
        url: String,
        given: Option<String>,
        cached: bool,
        looks: Option<String>,
        word: Option<String>,
        code: Option<String>,
        status: Option<u16>,
        reason: Option<String>,
        since: Option<i64>,
        settled_at: Option<i64>,
        failed_runs: i64,
        first_failed_at: Option<i64>,
        last_failed_at: Option<i64>,
        detail: Option<String>,
    }
}

impl SettledRow {
    fn into_settled(self, places: Vec<PlaceIn>) -> Result<Settled, StoreFault> {
        let probe: Option<Probe> = self.detail.as_deref().map(from_json).transpose()?;
        let looks = match (&self.looks, &probe) {
            (Some(looks), _) => from_json(looks)?,
            (None, Some(probe)) => vec![only_look(probe)],
            (None, None) => Vec::new(),
        };
        let settlement = Settlement {
            word: word(self.word.as_deref())?.unwrap_or(Word::Alive),
            code: code(self.code.as_deref())?,
            status: self.status,
            reason: self.reason.unwrap_or_default(),
            since: moment(self.since.unwrap_or_default()),
            at: moment(self.settled_at.unwrap_or_default()),
            looks,
            streak: streak(self.failed_runs, self.first_failed_at, self.last_failed_at),
        };
        Ok(Settled {
            errand: ErrandId(self.id),
            given: self.given.unwrap_or_else(|| self.url.clone()),
            url: self.url,
            settlement,
            is_cached: self.cached,
            probe,
            places,
        })
    }
}

fn only_look(probe: &Probe) -> Look {
    Look {
        asked: probe.asked,
        purpose: Purpose::First,
        ending: probe.ending.clone(),
        took_ms: probe.timings.total,
    }
}

row_struct! {
    struct PlaceRow {
        errand_id: i64,
        label: String,
        span_start: i64,
        span_end: i64,
        line: u32,
        col: u32,
        kind: String,
    }
}

impl PlaceRow {
    fn into_place(self) -> Result<PlaceIn, StoreFault> {
        let offset = |number: i64| usize::try_from(number).unwrap_or(0);
        let kind: PlaceKind = from_json(&to_json(&self.kind)?)?;
        let span = Span {
            start: offset(self.span_start),
            end: offset(self.span_end),
        };
        let place = Place {
            span,
            line: self.line,
            column: self.col,
            kind,
        };
        Ok(PlaceIn {
            path: self.label,
            place,
        })
    }
}
