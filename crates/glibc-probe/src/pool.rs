//! Several threads on several wheels: whoever is free takes the next piece of work.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use native::exclude::Excludes;
use pipe::{Progress, Wheel};
use wheel::Inflater;

use crate::inputs::Inputs;
use crate::measure::{Measured, Measuring};
use crate::member::Wanted;

/// How the wheels are measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan<'a> {
    pub(crate) threads: usize,
    pub(crate) wanted: Wanted,
    pub(crate) excludes: &'a Excludes,
    pub(crate) progress: &'a Progress,
}

/// A wheel and what became of it.
pub(crate) type Results = Vec<(PathBuf, Result<Measured, String>)>;

/// The wheel whose pieces are being taken.
#[derive(Debug)]
struct Open {
    path: PathBuf,
    known: Option<Wheel>,
    measuring: Measuring,
    /// The next piece to take.
    next: AtomicUsize,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<(PathBuf, Option<Wheel>)>,
    open: Option<Arc<Open>>,
    results: Results,
}

/// Measures all wheels. The results are sorted by path, however many threads there were.
pub(crate) fn measure(inputs: Inputs, plan: Plan<'_>) -> Results {
    let state = Mutex::new(State {
        waiting: inputs.into_iter().collect(),
        ..State::default()
    });
    if plan.threads == 1 {
        work(&state, plan);
    } else {
        std::thread::scope(|scope| {
            for _ in 0..plan.threads {
                scope.spawn(|| work(&state, plan));
            }
        });
    }
    let state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut results = state.results;
    results.sort_by(|left, right| left.0.cmp(&right.0));
    results
}

fn work(state: &Mutex<State>, plan: Plan<'_>) {
    let mut inflater = Inflater::default();
    while let Some(open) = take(state, plan) {
        while let Some(piece) = open
            .measuring
            .pieces()
            .get(open.next.fetch_add(1, Ordering::Relaxed))
        {
            open.measuring.work(*piece, &mut inflater);
            plan.progress.add(open.measuring.cost(*piece));
        }
        // Whoever leaves last puts the wheel together; others go on with the next wheel.
        let left = {
            let mut state = lock(state);
            if state
                .open
                .as_ref()
                .is_some_and(|current| Arc::ptr_eq(current, &open))
            {
                state.open = None;
            }
            Arc::into_inner(open)
        };
        if let Some(open) = left {
            let measured = open.measuring.finish(open.known, plan.excludes);
            lock(state).results.push((open.path, measured));
        }
    }
}

/// The wheel that has pieces left, or the next one that can be opened.
fn take(state: &Mutex<State>, plan: Plan<'_>) -> Option<Arc<Open>> {
    let mut state = lock(state);
    if let Some(open) = &state.open {
        return Some(Arc::clone(open));
    }
    while let Some((path, known)) = state.waiting.pop_front() {
        match Measuring::open(&path, plan.wanted, plan.threads > 1) {
            Ok(measuring) => {
                plan.progress.on(&path.display().to_string());
                let open = Arc::new(Open {
                    path,
                    known,
                    measuring,
                    next: AtomicUsize::new(0),
                });
                state.open = Some(Arc::clone(&open));
                return Some(open);
            }
            Err(cause) => state.results.push((path, Err(cause))),
        }
    }
    None
}

fn lock(state: &Mutex<State>) -> std::sync::MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
