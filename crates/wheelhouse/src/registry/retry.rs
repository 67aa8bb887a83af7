//! Trying again: how often, how long to wait in between, and when not to.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use reqwest::header::{HeaderMap, RETRY_AFTER};

use super::error::RegistryError;

/// The longest time that a registry may ask us to wait, when no deadline limits it.
const PATIENCE: Duration = Duration::from_secs(600);

/// How failed requests are tried again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Retry {
    /// Tries in all before the failure is believed.
    pub(crate) tries: u32,
    /// The first wait; each further one is twice as long.
    pub(crate) base: Duration,
    /// When all work must have ended.
    pub(crate) deadline: Option<Instant>,
}

impl Retry {
    /// Six tries within about six seconds.
    pub(crate) fn until(deadline: Option<Instant>) -> Self {
        Self {
            tries: 6,
            base: Duration::from_millis(200),
            deadline,
        }
    }

    /// One try: a file does not change by being read again.
    pub(crate) fn never() -> Self {
        Self {
            tries: 1,
            base: Duration::ZERO,
            deadline: None,
        }
    }

    /// Counts the tries of one request.
    pub(crate) fn attempts(self) -> Attempts {
        Attempts {
            policy: self,
            failed: 0,
        }
    }
}

/// The tries of one request.
#[derive(Debug)]
pub(crate) struct Attempts {
    policy: Retry,
    failed: u32,
}

impl Attempts {
    /// Waits before the next try, or returns the failure when there is none.
    ///
    /// # Errors
    /// The failure itself when it is not transient or was the last allowed; [`RegistryError::Deadline`]
    /// when the wait that the registry asks for would miss the deadline.
    pub(crate) async fn after(&mut self, failure: RegistryError) -> Result<(), RegistryError> {
        if self.policy.tries == 1 || !failure.is_transient() {
            return Err(failure);
        }
        self.failed += 1;
        if self.failed >= self.policy.tries {
            let (cause, tries) = (Box::new(failure), self.failed);
            return Err(RegistryError::Again { cause, tries });
        }
        let wait = self.wait(&failure);
        let left = self.policy.deadline.map_or(PATIENCE, |end| {
            end.saturating_duration_since(Instant::now())
        });
        if wait > left && failure.asked_wait().is_some() {
            let (cause, wait) = (Box::new(failure), wait.as_secs());
            let has_deadline = self.policy.deadline.is_some();
            return Err(RegistryError::Deadline {
                cause,
                wait,
                has_deadline,
            });
        }
        if wait > left {
            return Err(failure);
        }
        tokio::time::sleep(wait).await;
        Ok(())
    }

    /// Something arrived: a long download may break more often than a short one.
    pub(crate) fn progressed(&mut self) {
        self.failed = 0;
    }

    fn wait(&self, failure: &RegistryError) -> Duration {
        if let Some(asked) = failure.asked_wait() {
            return asked;
        }
        let longest = self.policy.base * 2_u32.saturating_pow(self.failed - 1);
        // Half of it is random, so that clients which failed together do not return together.
        let random = RandomState::new().build_hasher().finish() % 1000;
        longest / 2 + longest / 2 * u32::try_from(random).unwrap_or(0) / 1000
    }
}

/// What `Retry-After` says, in seconds or as a date (RFC 9110 section 10.2.3).
pub(crate) fn retry_after(headers: &HeaderMap, now: DateTime<Utc>) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        // More than fits is longer than anybody waits.
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    let date = DateTime::parse_from_rfc2822(text).ok()?;
    Some(date.signed_duration_since(now).to_std().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::StatusCode;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = DateTime::parse_from_rfc3339("2026-11-30T12:00:00Z")
            .unwrap()
            .to_utc();
        let cases = [
            ("7", Some(7)),
            ("Mon, 30 Nov 2026 12:01:30 GMT", Some(90)),
            ("Mon, 30 Nov 2026 11:00:00 GMT", Some(0)),
            ("99999999999999999999", Some(u64::MAX)),
            ("-5", None),
            ("", None),
            ("soon", None),
        ];
        for (text, expected) in cases {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, text.parse().unwrap())]);
            assert_eq!(
                retry_after(&headers, now).map(|wait| wait.as_secs()),
                expected,
                "{text}"
            );
        }
    }

    fn status(status: StatusCode, retry_after: Option<u64>) -> RegistryError {
        let retry_after = retry_after.map(Duration::from_secs);
        RegistryError::Status {
            status,
            message: String::new(),
            retry_after,
        }
    }

    fn told(policy: Retry, failures: Vec<RegistryError>) -> String {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        runtime.block_on(async {
            let mut attempts = policy.attempts();
            for failure in failures {
                if let Err(error) = attempts.after(failure).await {
                    return error.to_string();
                }
            }
            "goes on".to_owned()
        })
    }

    #[test]
    fn transient_failures_are_tried_again_and_others_are_not() {
        let policy = Retry {
            tries: 3,
            base: Duration::ZERO,
            deadline: None,
        };
        let down = || status(StatusCode::BAD_GATEWAY, None);
        assert_eq!(told(policy, vec![down(), down()]), "goes on");
        assert_eq!(
            told(policy, vec![down(), down(), down()]),
            "the registry answered 502 Bad Gateway, 3 times; try again later"
        );
        assert_eq!(
            told(policy, vec![status(StatusCode::BAD_REQUEST, None)]),
            "the registry answered 400 Bad Request; -v shows what was asked"
        );
    }

    #[test]
    fn a_wait_beyond_our_patience_is_not_begun() {
        let policy = Retry {
            tries: 3,
            base: Duration::ZERO,
            deadline: None,
        };
        assert_eq!(
            told(
                policy,
                vec![status(StatusCode::TOO_MANY_REQUESTS, Some(3600))]
            ),
            "the registry answered 429 Too Many Requests; it asks to wait 3600 s, which is more than the 600 s that are waited at most; run it again then"
        );
    }

    #[test]
    fn a_wait_beyond_the_deadline_is_not_begun() {
        let deadline = Some(Instant::now() + Duration::from_secs(5));
        let policy = Retry {
            tries: 3,
            base: Duration::ZERO,
            deadline,
        };
        assert_eq!(
            told(
                policy,
                vec![status(StatusCode::TOO_MANY_REQUESTS, Some(3600))]
            ),
            "the registry answered 429 Too Many Requests; it asks to wait 3600 s, which is more than the deadline leaves; run it again then"
        );
    }
}
