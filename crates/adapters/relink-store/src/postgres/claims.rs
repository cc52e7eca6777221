//! Leases hosts, returns their due tasks and releases hosts.
//!
//! A lease is the exclusive right of a worker to fetch the tasks of a host until a given
//! time. Its fencing token is a counter that grows with each lease of the host, so that
//! statements of an earlier holder are rejected. Hosts are divided into 64 buckets by a
//! hash of the name. Each worker starts its search in another bucket. All times of this
//! module are times of the database clock.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use relink_model::{FetchTask, RunId, TaskId};
use relink_ports::{Claim, HostId, HostLease, HostRelease, HostSchedule, HostStats};
use tokio_postgres::Row;

use super::addresses;
use super::clock::ClockOffset;
use super::error::DbResult;
use super::rows::{join_task, optional_number, task_columns, task_from_row, to_i64};
use super::session::Db;
use super::tasks;
use crate::values::BUCKETS;

/// Which hosts and tasks to claim, and until when. All times are times of the database
/// clock.
pub(super) struct ClaimQuery {
    pub(super) run: RunId,
    /// The maximum number of hosts.
    pub(super) hosts: usize,
    /// The maximum number of tasks per host.
    pub(super) tasks: usize,
    /// The time up to which tasks and hosts are due. Later tasks and hosts are not claimed.
    pub(super) due: i64,
    /// Leases that end by this time have expired.
    pub(super) now: i64,
    /// The time when the new leases end.
    pub(super) until: i64,
    /// The id of the worker that receives the leases.
    pub(super) worker: i64,
    /// The bucket in which the search starts.
    pub(super) bucket: i64,
}

/// Leases hosts that have due tasks and are not leased, and whose IP address no other
/// worker has leased. Buckets are read one after the other until enough hosts are
/// found.
///
/// Parameters: `$1` run, `$2` maximum number of hosts, `$3` time up to which hosts are
/// due, `$4` current time, `$5` end of the leases, `$6` worker, `$7` first bucket, `$8`
/// number of buckets.
pub(super) const LEASE_HOSTS: &str = "WITH due AS MATERIALIZED (
        SELECT found.id
        FROM generate_series(0, $8::bigint - 1) AS step
        CROSS JOIN LATERAL (
            SELECT h.id FROM run_host rh JOIN host h ON h.id = rh.host_id
            WHERE rh.run_id = $1 AND rh.bucket = ($7 + step) % $8 AND rh.due_at <= $3
              AND h.next_at <= $3 AND h.lease_until <= $4
              AND NOT EXISTS (SELECT 1 FROM address_lease a WHERE a.address = h.address
                                AND a.worker_id <> $6 AND a.lease_until > $4)
            ORDER BY rh.due_at LIMIT $2
            FOR NO KEY UPDATE OF h SKIP LOCKED) AS found
        LIMIT $2)
    UPDATE host SET lease_until = $5, fencing_token = fencing_token + 1, worker_id = $6
    FROM due WHERE host.id = due.id
    RETURNING host.id, host.fencing_token, host.name, host.next_at, host.delay_ms,
              host.throttle_ms, host.schedule_at, host.address, host.bucket";

/// Leases hosts and reads their first tasks. Also returns the bucket of the
/// last host, where the next search starts.
pub(super) async fn claim(
    db: &Db<'_>,
    clock: ClockOffset,
    query: &ClaimQuery,
) -> DbResult<(Vec<Claim>, Option<i64>)> {
    let rows = db
        .query(
            LEASE_HOSTS,
            &[
                &query.run.0,
                &to_i64(query.hosts),
                &query.due,
                &query.now,
                &query.until,
                &query.worker,
                &query.bucket,
                &BUCKETS.cast_signed(),
            ],
        )
        .await?;
    // Column 8 is `host.bucket`.
    let last_bucket = rows.last().map(|row| row.get(8));
    let mut claims: Vec<Claim> = rows.iter().map(|row| empty_claim(row, clock)).collect();
    let hosts: Vec<i64> = claims.iter().map(|claim| claim.lease.host.0).collect();
    if query.tasks > 0 && !hosts.is_empty() {
        let mut tasks = first_tasks(db, clock, query, &hosts).await?;
        for claim in &mut claims {
            claim.tasks = tasks.remove(&claim.lease.host.0).unwrap_or_default();
        }
    }
    Ok((claims, last_bucket))
}

/// Reads the lease and the schedule of a host. The caller adds the tasks.
fn empty_claim(row: &Row, clock: ClockOffset) -> Claim {
    Claim {
        lease: HostLease { host: HostId(row.get(0)), fencing_token: row.get(1) },
        name: row.get(2),
        schedule: schedule_from_row(row, 3, clock),
        tasks: Vec::new(),
    }
}

/// Selects the first due tasks of hosts.
///
/// Parameters: `$1` run, `$2` hosts, `$3` time up to which tasks are due, `$4` maximum
/// number of tasks per host.
pub(super) const FIRST_TASKS: &str = concat!(
    "SELECT ",
    task_columns!(),
    ", task.host_id FROM unnest($2::bigint[]) AS leased
      CROSS JOIN LATERAL (
          SELECT * FROM task WHERE run_id = $1 AND host_id = leased AND state = 0 /* pending */
            AND not_before <= $3
          ORDER BY not_before, id LIMIT $4) AS task",
    join_task!(),
    "ORDER BY task.host_id, task.not_before, task.id"
);

/// Returns the first due tasks of hosts that were just leased.
async fn first_tasks(
    db: &Db<'_>,
    clock: ClockOffset,
    query: &ClaimQuery,
    hosts: &[i64],
) -> DbResult<HashMap<i64, Vec<FetchTask>>> {
    let rows =
        db.query(FIRST_TASKS, &[&query.run.0, &hosts, &query.due, &to_i64(query.tasks)]).await?;
    let mut tasks: HashMap<i64, Vec<FetchTask>> = HashMap::new();
    for row in rows {
        let host = row.get(super::rows::TASK_COLUMNS);
        tasks.entry(host).or_default().push(task_from_row(&row, clock)?);
    }
    Ok(tasks)
}

/// Returns due tasks of a leased host that follow `last_task`, which was due at
/// `last_time`. Returns an empty list if the lease was lost.
pub(super) async fn more_tasks(
    db: &Db<'_>,
    clock: ClockOffset,
    (run, lease): (RunId, HostLease),
    (last_time, last_task): (Timestamp, TaskId),
    limit: usize,
    due: i64,
) -> DbResult<Vec<FetchTask>> {
    let rows = db
        .query(
            concat!(
                "SELECT ",
                task_columns!(),
                " FROM task",
                join_task!(),
                "WHERE task.state = 0 /* pending */ AND task.run_id = $1 AND task.host_id = $2
                   AND task.not_before <= $3 AND (task.not_before, task.id) > ($4, $5)
                   AND EXISTS (SELECT 1 FROM host WHERE id = $2 AND fencing_token = $7)
                 ORDER BY task.not_before, task.id LIMIT $6"
            ),
            &[
                &run.0,
                &lease.host.0,
                &due,
                &clock.db_time(last_time),
                &last_task.0,
                &to_i64(limit),
                &lease.fencing_token,
            ],
        )
        .await?;
    rows.iter().map(|row| task_from_row(row, clock)).collect()
}

/// Returns due tasks in the order of their ranks, which is the order in which a crawl
/// visits pages. Returns an empty list if the lease was lost.
pub(super) async fn due_by_rank(
    db: &Db<'_>,
    clock: ClockOffset,
    (run, lease): (RunId, HostLease),
    limit: usize,
    due: i64,
) -> DbResult<Vec<FetchTask>> {
    let rows = db
        .query(
            concat!(
                "SELECT ",
                task_columns!(),
                " FROM task",
                join_task!(),
                "WHERE task.state = 0 /* pending */ AND task.rank IS NOT NULL AND task.run_id = $1
                   AND task.host_id = $2 AND task.not_before <= $3
                   AND EXISTS (SELECT 1 FROM host WHERE id = $2 AND fencing_token = $5)
                 ORDER BY task.rank LIMIT $4"
            ),
            &[&run.0, &lease.host.0, &due, &to_i64(limit), &lease.fencing_token],
        )
        .await?;
    rows.iter().map(|row| task_from_row(row, clock)).collect()
}

/// Extends leases and returns the lost leases. A lease is lost if another worker has leased
/// the host or its IP address.
pub(super) async fn renew(
    db: &Db<'_>,
    worker: i64,
    leases: &[HostLease],
    (now, until): (i64, i64),
) -> DbResult<Vec<HostLease>> {
    let (hosts, tokens): (Vec<i64>, Vec<i64>) =
        leases.iter().map(|lease| (lease.host.0, lease.fencing_token)).unzip();
    let rows = db
        .query(
            "UPDATE host SET lease_until = $3
             FROM unnest($1::bigint[], $2::bigint[]) AS held (id, token)
             WHERE host.id = held.id AND host.fencing_token = held.token AND host.lease_until > 0
               AND NOT EXISTS (SELECT 1 FROM address_lease a WHERE a.address = host.address
                                 AND a.worker_id <> $4 AND a.lease_until > $5)
             RETURNING host.id, host.fencing_token",
            &[&hosts, &tokens, &until, &worker, &now],
        )
        .await?;
    let renewed: HashSet<HostLease> = rows
        .iter()
        .map(|row| HostLease { host: HostId(row.get(0)), fencing_token: row.get(1) })
        .collect();
    Ok(leases.iter().filter(|lease| !renewed.contains(lease)).copied().collect())
}

/// Ends leases and stores the schedules of the hosts. `lease_until = 0` means not leased.
/// Each parameter is an array with the values of one column of `new`.
pub(super) const RELEASE_HOSTS: &str = "UPDATE host SET lease_until = 0, worker_id = NULL,
         next_at = greatest(host.next_at, new.next_at), delay_ms = new.delay_ms,
         throttle_ms = new.throttle_ms, schedule_at = new.schedule_at,
         address = coalesce(new.address, host.address)
     FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[],
                 $6::bigint[], $7::text[])
         AS new (id, token, next_at, delay_ms, throttle_ms, schedule_at, address)
     WHERE host.id = new.id AND host.fencing_token = new.token
     RETURNING host.id";

/// Locks the rows of hosts in a run. Runs before [`ADD_STATS`] as a separate statement,
/// so that `ADD_STATS` sees all tasks that other transactions added before they released
/// the locks.
pub(super) const LOCK_RUN_HOSTS: &str = "SELECT 1 FROM run_host
     WHERE run_id = $1 AND host_id = ANY($2) ORDER BY host_id FOR NO KEY UPDATE";

/// Adds to the statistics of hosts and updates the due times of their next tasks.
/// `$1` is the run. Each other parameter is an array with the values of one column of
/// `new`.
pub(super) const ADD_STATS: &str = "UPDATE run_host SET
         requests = run_host.requests + new.requests,
         responses = run_host.responses + new.responses,
         throttled = run_host.throttled + new.throttled,
         request_ms = run_host.request_ms + new.request_ms,
         politeness_wait_ms = run_host.politeness_wait_ms + new.politeness_wait_ms,
         control_requests = run_host.control_requests + new.control_requests,
         due_at = (SELECT min(not_before) FROM task
                   WHERE run_id = $1 AND host_id = new.host AND state = 0 /* pending */)
     FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
                 $7::bigint[], $8::bigint[])
         AS new (host, requests, responses, throttled, request_ms, politeness_wait_ms,
                 control_requests)
     WHERE run_host.run_id = $1 AND run_host.host_id = new.host";

/// Releases hosts and their IP addresses. Hosts whose lease was lost are not changed.
pub(super) async fn release(
    db: &Db<'_>,
    clock: ClockOffset,
    (run, worker): (RunId, i64),
    hosts: &[HostRelease],
) -> DbResult<()> {
    let ids: Vec<i64> = hosts.iter().map(|host| host.lease.host.0).collect();
    let tokens: Vec<i64> = hosts.iter().map(|host| host.lease.fencing_token).collect();
    let schedules: Vec<&HostSchedule> = hosts.iter().map(|host| &host.schedule).collect();
    let next_times: Vec<i64> =
        schedules.iter().map(|schedule| clock.db_time(schedule.next_at)).collect();
    let delays: Vec<i64> = schedules.iter().map(|schedule| i64::from(schedule.delay_ms)).collect();
    let throttles: Vec<i64> =
        schedules.iter().map(|schedule| i64::from(schedule.throttle_ms)).collect();
    let stored_times: Vec<i64> =
        schedules.iter().map(|schedule| clock.db_time(schedule.stored_at)).collect();
    let addresses: Vec<Option<String>> = schedules
        .iter()
        .map(|schedule| schedule.address.map(|address| address.to_string()))
        .collect();
    let released = db
        .query(
            RELEASE_HOSTS,
            &[&ids, &tokens, &next_times, &delays, &throttles, &stored_times, &addresses],
        )
        .await?;
    let released: HashSet<i64> = released.iter().map(|row| row.get(0)).collect();
    let used_addresses: Vec<String> = addresses.into_iter().flatten().collect();
    // The schedules were stored just now, so the latest `stored_at` is the current time.
    let now = stored_times.iter().copied().max().unwrap_or(0);
    addresses::release(db, worker, &used_addresses, now).await?;
    let hosts: Vec<&HostRelease> =
        hosts.iter().filter(|host| released.contains(&host.lease.host.0)).collect();
    add_stats(db, run, &hosts).await
}

/// Adds to the statistics of released hosts.
async fn add_stats(db: &Db<'_>, run: RunId, hosts: &[&HostRelease]) -> DbResult<()> {
    if hosts.is_empty() {
        return Ok(());
    }
    let ids: Vec<i64> = hosts.iter().map(|host| host.lease.host.0).collect();
    let column = |value: fn(&HostStats) -> u64| -> Vec<i64> {
        hosts.iter().map(|host| value(&host.stats).cast_signed()).collect()
    };
    db.execute(LOCK_RUN_HOSTS, &[&run.0, &ids]).await?;
    db.execute(
        ADD_STATS,
        &[
            &run.0,
            &ids,
            &column(|stats| stats.requests),
            &column(|stats| stats.responses),
            &column(|stats| stats.throttled),
            &column(|stats| stats.request_ms),
            &column(|stats| stats.politeness_wait_ms),
            &column(|stats| stats.control_requests),
        ],
    )
    .await?;
    Ok(())
}

/// Reads the schedule from five columns, starting at `first`: `next_at`, `delay_ms`,
/// `throttle_ms`, `schedule_at` and `address`.
fn schedule_from_row(row: &Row, first: usize, clock: ClockOffset) -> HostSchedule {
    let address: Option<String> = row.get(first + 4);
    HostSchedule {
        next_at: clock.caller_time(row.get(first)),
        delay_ms: optional_number(row, first + 1).unwrap_or(0),
        throttle_ms: optional_number(row, first + 2).unwrap_or(0),
        stored_at: clock.caller_time(row.get(first + 3)),
        address: address.and_then(|address| address.parse().ok()),
    }
}

/// Returns the stored schedule of a host.
pub(super) async fn host_schedule(
    db: &Db<'_>,
    clock: ClockOffset,
    host: &str,
) -> DbResult<Option<HostSchedule>> {
    let row = db
        .query_opt(
            "SELECT next_at, delay_ms, throttle_ms, schedule_at, address FROM host WHERE name = $1",
            &[&host],
        )
        .await?;
    Ok(row.map(|row| schedule_from_row(&row, 0, clock)))
}

/// Stores the schedule of a host without a lease.
pub(super) async fn save_host_schedule(
    db: &Db<'_>,
    clock: ClockOffset,
    host: &str,
    schedule: &HostSchedule,
) -> DbResult<()> {
    tasks::host_ids(db, &[host]).await?;
    db.execute(
        "UPDATE host SET next_at = $1, delay_ms = $2, throttle_ms = $3, schedule_at = $4,
                         address = coalesce($5, address)
         WHERE name = $6",
        &[
            &clock.db_time(schedule.next_at),
            &i64::from(schedule.delay_ms),
            &i64::from(schedule.throttle_ms),
            &clock.db_time(schedule.stored_at),
            &schedule.address.map(|address| address.to_string()),
            &host,
        ],
    )
    .await?;
    Ok(())
}

/// Reserves the next request to a host, if it is due and the host is not leased.
pub(super) async fn reserve_request(
    db: &Db<'_>,
    host: &str,
    (now, next_at): (i64, i64),
) -> DbResult<bool> {
    tasks::host_ids(db, &[host]).await?;
    let reserved = db
        .execute(
            "UPDATE host SET next_at = $1
             WHERE name = $2 AND next_at <= $3 AND lease_until <= $3",
            &[&next_at, &host, &now],
        )
        .await?;
    Ok(reserved > 0)
}

/// Returns the due time of the next task whose host can be leased, and whether another
/// worker has leased any host with tasks or the IP address of such a host.
pub(super) async fn next_due(
    db: &Db<'_>,
    run: RunId,
    worker: i64,
    now: i64,
) -> DbResult<(Option<i64>, bool)> {
    let row = db
        .query_one(
            "SELECT min(greatest(rh.due_at, h.next_at))
                        FILTER (WHERE h.lease_until = 0 AND a.address IS NULL),
                    coalesce(bool_or(a.address IS NOT NULL OR
                        h.lease_until <> 0 AND h.worker_id IS DISTINCT FROM $2), FALSE)
             FROM run_host rh JOIN host h ON h.id = rh.host_id
             LEFT JOIN address_lease a
                 ON a.address = h.address AND a.worker_id <> $2 AND a.lease_until > $3
             WHERE rh.run_id = $1 AND rh.due_at IS NOT NULL",
            &[&run.0, &worker, &now],
        )
        .await?;
    Ok((row.get(0), row.get(1)))
}
