//! One conversation with a registry: its runtime, its time limit, its answers in order.

use std::future::Future;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use oci_distribution::secrets::RegistryAuth;
use pipe::Stop;
use tokio::runtime::{Builder, Runtime};
use tokio::task::{JoinError, JoinSet, spawn_blocking, yield_now};

use crate::Reach;
use crate::log::Log;
use crate::place::Place;
use crate::registry::{Connection, PlainHosts, Registry, credentials};

/// A registry and the thread that talks to it.
pub(crate) struct Session {
    time: Time,
    /// What is talked to.
    pub(crate) registry: Arc<Registry>,
    /// What goes to stderr.
    pub(crate) log: Log,
}

/// The runtime, and how long it may run.
#[derive(Clone, Copy)]
struct Time {
    /// Never dropped: that would wait for threads whose work nobody wants any more. The process ends with it.
    runtime: &'static Runtime,
    deadline: Option<(Instant, u64)>,
}

/// The deadline came before the end of the work.
#[derive(Debug, thiserror::Error)]
#[error("not done after {0} s; give it more time with --deadline")]
pub(crate) struct OutOfTime(u64);

/// Makes `ring` the TLS implementation of the process. The usual one, aws-lc, takes minutes of C to build.
pub(crate) fn install_tls() {
    // An error says that another is installed, which nobody here does.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

impl Session {
    /// Gets ready to talk.
    ///
    /// # Errors
    /// When the credentials, the certificates or the layout cannot be read.
    pub(crate) fn new(reach: &Reach, place: &Place) -> Result<Self, Stop> {
        let log = Log::new(&reach.shared);
        let deadline = reach.deadline.and_then(|seconds| {
            let end = Instant::now().checked_add(Duration::from_secs(seconds))?;
            Some((end, seconds))
        });
        // One thread for the network; unpacking has threads of its own.
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .context("runtime")?;
        let time = Time {
            runtime: Box::leak(Box::new(runtime)),
            deadline,
        };
        let connection = Connection {
            plain: PlainHosts::new(&reach.plain_http),
            ca_file: reach.ca_file.as_deref(),
            deadline: deadline.map(|(end, _)| end),
            log,
        };
        let credentials = match place {
            Place::Layout(_) => RegistryAuth::Anonymous,
            Place::Registry { host, path } => time.credentials(host, path)?,
        };
        let registry = Arc::new(Registry::open(place, credentials, &connection)?);
        Ok(Self {
            time,
            registry,
            log,
        })
    }

    /// Does some work, as long as there is time.
    ///
    /// # Errors
    /// [`OutOfTime`]
    pub(crate) fn run<T>(&self, work: impl Future<Output = T>) -> Result<T, OutOfTime> {
        self.time.run(work)
    }
}

impl Time {
    fn run<T>(self, work: impl Future<Output = T>) -> Result<T, OutOfTime> {
        self.runtime.block_on(async {
            let Some((end, seconds)) = self.deadline else {
                return Ok(work.await);
            };
            let left = end.saturating_duration_since(Instant::now());
            let done = tokio::time::timeout(left, work).await;
            if done.is_err() {
                // Tasks that were given up clean up after themselves when they next get a turn.
                yield_now().await;
            }
            done.map_err(|_| OutOfTime(seconds))
        })
    }

    /// A helper may ask somebody for a password, for as long as there is time.
    fn credentials(self, host: &str, path: &str) -> Result<RegistryAuth, Stop> {
        let (host, path) = (host.to_owned(), path.to_owned());
        let found =
            self.run(async { spawn_blocking(move || credentials::find(&host, &path)).await });
        let found = found.map_err(|cause| Stop::cannot(cause.to_string()))?;
        let found = found.context("credentials")?;
        found.map_err(|cause| Stop::cannot(cause.to_string()))
    }
}

/// Does the work for many items, `most` of them at once, and returns the results in the items' order.
///
/// No more than that are begun: a task takes kilobytes, and a registry may name a hundred thousand tags.
pub(crate) async fn in_order<I, T, F>(items: Vec<I>, most: usize, work: impl Fn(I) -> F) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let mut running = JoinSet::new();
    let mut results = vec![];
    for (number, item) in items.into_iter().enumerate() {
        if running.len() >= most {
            take(&mut results, running.join_next().await);
        }
        let future = work(item);
        running.spawn(async move { (number, future.await) });
    }
    while !running.is_empty() {
        take(&mut results, running.join_next().await);
    }
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

fn take<T>(results: &mut Vec<T>, done: Option<Result<T, JoinError>>) {
    match done {
        Some(Ok(result)) => results.push(result),
        Some(Err(failed)) if failed.is_panic() => resume_unwind(failed.into_panic()),
        // Tasks are cancelled with the whole set only.
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn no_more_is_begun_than_may_run_at_once() {
        let (begun, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let work = in_order((0..100).collect(), 4, |number: usize| {
            most.fetch_max(begun.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
            let begun = Arc::clone(&begun);
            async move {
                yield_now().await;
                begun.fetch_sub(1, Ordering::Relaxed);
                number
            }
        });
        let runtime = Builder::new_current_thread().build().unwrap();
        let results = runtime.block_on(work);
        assert!(results.into_iter().eq(0..100));
        assert_eq!(most.load(Ordering::Relaxed), 4);
    }
}
