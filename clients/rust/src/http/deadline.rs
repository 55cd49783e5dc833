use std::time::{Duration, Instant};

/// When an attempt ends, on the real clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Instant);

impl Deadline {
    pub fn within(limit: Duration) -> Deadline {
        let now = Instant::now();
        // A time-out of centuries is none.
        Deadline(now.checked_add(limit).unwrap_or_else(|| now + Duration::from_secs(1 << 31)))
    }

    /// The earlier one.
    pub fn or_within(self, limit: Duration) -> Deadline {
        Deadline(self.0.min(Deadline::within(limit).0))
    }

    /// What is left, which is what a socket takes as its time-out; `None` if it has passed.
    pub fn left(self) -> Option<Duration> {
        // Sockets count microseconds, and take 0 for no time-out at all.
        self.0.checked_duration_since(Instant::now()).filter(|left| *left >= Duration::from_micros(1))
    }

    pub fn has_passed(self) -> bool {
        self.left().is_none()
    }
}
