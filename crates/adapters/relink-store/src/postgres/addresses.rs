//! Leases of IP addresses. Only one worker at a time sends requests to the hosts of an
//! address, so that the minimum interval between these requests is respected across all
//! workers.
//!
//! All times of this module are times of the database's clock.

use std::net::IpAddr;

use relink_ports::HostLease;

use super::error::DbResult;
use super::session::Db;

/// Time after the release of an address in which no other worker leases it, in
/// milliseconds. It is longer than any interval between requests to an address.
const LEASE_PAUSE_MS: i64 = 1_000;

/// Leases an address. Returns false if another worker has leased it. Stores the address
/// of the host in both cases, so that workers without the lease of the address do not
/// claim the host.
pub(super) async fn lease(
    db: &Db<'_>,
    worker: i64,
    lease: HostLease,
    address: IpAddr,
    (now, until): (i64, i64),
) -> DbResult<bool> {
    let address = address.to_string();
    db.execute(
        "UPDATE host SET address = $1 WHERE id = $2 AND fencing_token = $3",
        &[&address, &lease.host.0, &lease.fencing_token],
    )
    .await?;
    let leased = db
        .execute(
            "INSERT INTO address_lease (address, worker_id, lease_until) VALUES ($1, $2, $3)
             ON CONFLICT (address) DO UPDATE SET worker_id = $2, lease_until = $3
             WHERE address_lease.worker_id = $2 OR address_lease.lease_until <= $4",
            &[&address, &worker, &until, &now],
        )
        .await?;
    Ok(leased > 0)
}

/// Extends the leases of a worker.
pub(super) async fn renew(db: &Db<'_>, worker: i64, until: i64) -> DbResult<()> {
    db.execute(
        "UPDATE address_lease SET lease_until = $1 WHERE worker_id = $2",
        &[&until, &worker],
    )
    .await?;
    Ok(())
}

/// Releases the addresses for which the worker no longer has a leased host. Other workers can lease
/// these addresses after a pause.
pub(super) async fn release(
    db: &Db<'_>,
    worker: i64,
    addresses: &[String],
    now: i64,
) -> DbResult<()> {
    if addresses.is_empty() {
        return Ok(());
    }
    db.execute(
        "UPDATE address_lease SET worker_id = 0, lease_until = $3
         WHERE worker_id = $1 AND address = ANY($2) AND NOT EXISTS (
             SELECT 1 FROM host h
             WHERE h.worker_id = $1 AND h.address = address_lease.address)",
        &[&worker, &addresses, &(now + LEASE_PAUSE_MS)],
    )
    .await?;
    Ok(())
}
