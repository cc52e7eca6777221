//! The specification of each registered status code.
//!
//! Source: the column "Reference" of
//! <https://www.iana.org/assignments/http-status-codes/>.

/// Returns the section that defines a status code: `RFC 9110 §15.5.5`.
pub(super) const fn specification(status: u16) -> Option<&'static str> {
    Some(match status {
        100 => "RFC 9110 §15.2.1",
        101 => "RFC 9110 §15.2.2",
        102 => "RFC 2518 §10.1",
        103 => "RFC 8297 §2",
        200 => "RFC 9110 §15.3.1",
        201 => "RFC 9110 §15.3.2",
        202 => "RFC 9110 §15.3.3",
        203 => "RFC 9110 §15.3.4",
        204 => "RFC 9110 §15.3.5",
        205 => "RFC 9110 §15.3.6",
        206 => "RFC 9110 §15.3.7",
        207 => "RFC 4918 §11.1",
        208 => "RFC 5842 §7.1",
        226 => "RFC 3229 §10.4.1",
        300 => "RFC 9110 §15.4.1",
        301 => "RFC 9110 §15.4.2",
        302 => "RFC 9110 §15.4.3",
        303 => "RFC 9110 §15.4.4",
        304 => "RFC 9110 §15.4.5",
        305 => "RFC 9110 §15.4.6",
        306 => "RFC 9110 §15.4.7",
        307 => "RFC 9110 §15.4.8",
        308 => "RFC 9110 §15.4.9",
        400 => "RFC 9110 §15.5.1",
        401 => "RFC 9110 §15.5.2",
        402 => "RFC 9110 §15.5.3",
        403 => "RFC 9110 §15.5.4",
        404 => "RFC 9110 §15.5.5",
        405 => "RFC 9110 §15.5.6",
        406 => "RFC 9110 §15.5.7",
        407 => "RFC 9110 §15.5.8",
        408 => "RFC 9110 §15.5.9",
        409 => "RFC 9110 §15.5.10",
        410 => "RFC 9110 §15.5.11",
        411 => "RFC 9110 §15.5.12",
        412 => "RFC 9110 §15.5.13",
        413 => "RFC 9110 §15.5.14",
        414 => "RFC 9110 §15.5.15",
        415 => "RFC 9110 §15.5.16",
        416 => "RFC 9110 §15.5.17",
        417 => "RFC 9110 §15.5.18",
        418 => "RFC 9110 §15.5.19",
        421 => "RFC 9110 §15.5.20",
        422 => "RFC 9110 §15.5.21",
        423 => "RFC 4918 §11.3",
        424 => "RFC 4918 §11.4",
        425 => "RFC 8470 §5.2",
        426 => "RFC 9110 §15.5.22",
        428 => "RFC 6585 §3",
        429 => "RFC 6585 §4",
        431 => "RFC 6585 §5",
        451 => "RFC 7725 §3",
        500 => "RFC 9110 §15.6.1",
        501 => "RFC 9110 §15.6.2",
        502 => "RFC 9110 §15.6.3",
        503 => "RFC 9110 §15.6.4",
        504 => "RFC 9110 §15.6.5",
        505 => "RFC 9110 §15.6.6",
        506 => "RFC 2295 §8.1",
        507 => "RFC 4918 §11.5",
        508 => "RFC 5842 §7.2",
        510 => "RFC 2774 §7",
        511 => "RFC 6585 §6",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{StatusOrigin, all};

    #[test]
    fn every_registered_status_has_a_specification() {
        for info in all().filter(|info| info.origin == StatusOrigin::Registered) {
            // 104 is registered temporarily, by a draft.
            assert_eq!(info.specification.is_none(), info.status == 104, "{}", info.status);
        }
        assert!(super::super::lookup(999).specification.is_none());
    }
}
