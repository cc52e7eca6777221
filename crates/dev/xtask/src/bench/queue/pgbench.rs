//! Runs the statements of the store with pgbench, the benchmark program of
//! PostgreSQL.

use std::process::Stdio;
use std::time::{Duration, Instant};

use relink_store::QUEUE_STATEMENTS;
use relink_testkit::postgres::PostgresServer;

use super::{COMMIT_SIZE, HOSTS_PER_CLAIM, LEASE, Queue, TASKS_PER_HOST};
use crate::XtaskError;
use crate::bench::scratch::Scratch;

/// The number of buckets of the store.
const BUCKETS: usize = 64;

/// Claims and completes tasks with `workers` connections. Returns the duration.
pub(super) fn run(
    server: &PostgresServer,
    queue: &Queue<'_>,
    workers: usize,
    duration: Duration,
) -> Result<Duration, XtaskError> {
    let scratch = Scratch::new()?;
    let file = scratch.path().join("queue.sql");
    std::fs::write(&file, script(queue)).map_err(|error| XtaskError::io(&file, &error))?;
    let workers = workers.to_string();
    let started = Instant::now();
    let output = server
        .program("pgbench")
        .args(["--no-vacuum", "--protocol=prepared", "-c", &workers, "-j", &workers])
        .args(["-T", &duration.as_secs().max(1).to_string()])
        .args(["-D", &format!("detail={}", queue.detail)])
        .arg("-f")
        .arg(&file)
        .arg(queue.url)
        .env("PGOPTIONS", "-c search_path=relink -c jit=off")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| XtaskError::new(format!("cannot start pgbench: {error}")))?;
    if output.status.success() {
        return Ok(started.elapsed());
    }
    let message = String::from_utf8_lossy(&output.stderr);
    Err(XtaskError::new(format!("pgbench failed: {message}")))
}

/// Returns the script of one claim. `\gset` stores the result of a statement in
/// variables.
fn script(queue: &Queue<'_>) -> String {
    let statements = QUEUE_STATEMENTS;
    let until = format!("(:now::bigint + {})", LEASE.as_millis());
    let run = &queue.run.to_string();
    let lease = with_values(
        statements.lease,
        &[
            run,
            &HOSTS_PER_CLAIM.to_string(),
            ":now::bigint",
            ":now::bigint",
            &until,
            ":worker::bigint",
            ":bucket::bigint",
            &BUCKETS.to_string(),
        ],
    );
    let tasks = with_values(
        statements.first_tasks,
        &[run, ":hosts::bigint[]", ":now::bigint", &TASKS_PER_HOST.to_string()],
    );
    let mut script = format!(
        "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now \\gset\n\
         \\set bucket random(0, {})\n\\set worker :client_id + 1\nBEGIN;\n\
         WITH leased AS ({lease}) SELECT coalesce(array_agg(id), '{{}}') AS hosts, \
         coalesce(array_agg(fencing_token), '{{}}') AS tokens, count(*) AS host_count \
         FROM leased \\gset\n\
         WITH first AS MATERIALIZED ({tasks}) SELECT coalesce(array_agg(id), '{{}}') AS tasks, \
         coalesce(array_agg(target_id), '{{}}') AS targets, \
         coalesce(array_agg(host_id), '{{}}') AS task_hosts, count(*) AS task_count \
         FROM first \\gset\n\
         COMMIT;\n",
        BUCKETS - 1
    );
    for first in (0..HOSTS_PER_CLAIM * TASKS_PER_HOST).step_by(COMMIT_SIZE) {
        script += &commit(run, first);
    }
    script + &release(run)
}

/// Returns the statements that commit a part of the claimed tasks.
fn commit(run: &str, first: usize) -> String {
    let statements = QUEUE_STATEMENTS;
    let slice = |name: &str| {
        format!("(:{name}::bigint[])[{} : least({}, :task_count)]", first + 1, first + COMMIT_SIZE)
    };
    let count = format!("least({COMMIT_SIZE}, :task_count - {first})::int");
    let fill = |value: &str| format!("array_fill({value}, ARRAY[{count}])");
    let (targets, probes) = (&*slice("targets"), ":probes::bigint[]");
    let (now, none) = (&*fill(":now::bigint"), &*fill("NULL::bigint"));
    let (status, no_text) = (&*fill("200::bigint"), &*fill("NULL::text"));
    let locks = with_values(statements.lock_hosts, &[&slice("task_hosts")]);
    let ids = with_values(statements.probe_ids, &[&count]);
    let insert_probes = with_values(
        statements.insert_probes,
        &[probes, targets, now, status, &fill(":detail::text"), none, run],
    );
    let insert_results = with_values(
        statements.insert_results,
        &[
            ":generation::bigint",
            targets,
            &fill("'alive'::text"),
            no_text,
            status,
            &fill("'200 OK'::text"),
            now,
            now,
            &fill("99::bigint"),
            no_text,
            no_text,
            probes,
            now,
            probes,
            &fill("0::bigint"),
            none,
            none,
        ],
    );
    let generation = with_values(statements.generation, &[run]);
    let finish = with_values(statements.finish_tasks, &[":generation::bigint", &slice("tasks")]);
    format!(
        "\\if :task_count > {first}\nBEGIN;\n{locks};\n\
         WITH ids AS MATERIALIZED ({ids}) SELECT array_agg(nextval) AS probes FROM ids \\gset\n\
         {insert_probes};\n{generation} \\gset\n{insert_results};\n{finish};\nCOMMIT;\n\\endif\n"
    )
}

/// Returns the statements that release the claimed hosts.
fn release(run: &str) -> String {
    let statements = QUEUE_STATEMENTS;
    let fill = |value: &str| format!("array_fill({value}, ARRAY[:host_count::int])");
    let (hosts, now, zero) = (":hosts::bigint[]", &*fill(":now::bigint"), &*fill("0::bigint"));
    let (ten, no_text) = (&*fill("10::bigint"), &*fill("NULL::text"));
    let release = with_values(
        statements.release,
        &[hosts, ":tokens::bigint[]", now, zero, zero, now, no_text],
    );
    let lock = with_values(statements.lock_run_hosts, &[run, hosts]);
    let add = with_values(statements.add_stats, &[run, hosts, ten, ten, zero, ten, zero, zero]);
    format!("\\if :host_count > 0\nBEGIN;\n{release};\n{lock};\n{add};\nCOMMIT;\n\\endif\n")
}

/// Replaces the parameters of a statement, on one line.
fn with_values(statement: &str, values: &[&str]) -> String {
    let mut bound = statement.split_whitespace().collect::<Vec<_>>().join(" ");
    for (number, value) in values.iter().enumerate().rev() {
        bound = bound.replace(&format!("${}", number + 1), value);
    }
    bound
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bind_replaces_every_parameter() {
        let values: Vec<String> = (1..=11).map(|number| format!("<{number}>")).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        assert_eq!(
            with_values("SELECT $1,\n   $11, $2::text[]", &values),
            "SELECT <1>, <11>, <2>::text[]"
        );
    }

    #[test]
    fn script_has_no_unbound_parameter() {
        let queue = Queue { url: "postgres://127.0.0.1/x", run: 7, detail: "{}" };
        let script = script(&queue);
        assert!(!script.contains('$'), "{script}");
        assert_eq!(script.matches("BEGIN;").count(), script.matches("COMMIT;").count());
    }
}
