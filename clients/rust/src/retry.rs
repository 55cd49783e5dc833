use std::fmt;
use std::time::{Duration, Instant};

/// What may be done about a rejection or an error: a retry class of `docs/reference/reason-codes.md`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Retry {
    /// Not said: of accepted verdicts.
    #[default]
    Unspecified,
    /// The same request can never succeed.
    Never,
    /// Request a new challenge, and let the device sign again with the same key.
    NewChallenge,
    /// Let the device make and attest a new key.
    ReAttest,
    /// Nothing is wrong with the request; try again.
    Later,
    /// Only an operator can help.
    ContactOperator,
    /// A word that this version does not know.
    Other(String),
}

impl Retry {
    /// In lower case, as in the documentation; empty for [`Retry::Unspecified`].
    pub fn as_str(&self) -> &str {
        match self {
            Retry::Unspecified => "",
            Retry::Never => "never",
            Retry::NewChallenge => "new_challenge",
            Retry::ReAttest => "re_attest",
            Retry::Later => "later",
            Retry::ContactOperator => "contact_operator",
            Retry::Other(word) => word,
        }
    }

    pub(crate) fn from_word(word: &str) -> Retry {
        match word {
            "" => Retry::Unspecified,
            "never" => Retry::Never,
            "new_challenge" => Retry::NewChallenge,
            "re_attest" => Retry::ReAttest,
            "later" => Retry::Later,
            "contact_operator" => Retry::ContactOperator,
            _ => Retry::Other(word.to_owned()),
        }
    }

    /// By the enumeration's name of a value, without its prefix.
    pub(crate) fn from_name(name: &str) -> Retry {
        match Retry::from_word(&name.to_ascii_lowercase()) {
            Retry::Other(_) if name == "UNSPECIFIED" => Retry::Unspecified,
            Retry::Other(_) => Retry::Other(name.to_owned()),
            known => known,
        }
    }
}

impl fmt::Display for Retry {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// The clock, the pauses and the random numbers of a client, which tests replace. Time-outs of the network are always real.
pub trait Time: Send + Sync {
    fn now(&self) -> Instant;
    fn sleep(&self, pause: Duration);
    /// From 0 to 1.
    fn chance(&self) -> f64;
}

/// The machine's.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealTime;

impl Time for RealTime {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn sleep(&self, pause: Duration) {
        std::thread::sleep(pause);
    }

    fn chance(&self) -> f64 {
        let bytes = crate::random::bytes::<4>();
        f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX)
    }
}

const BASE: f64 = 1.0;
const CAP: f64 = 30.0;
/// A fifth in either direction.
const JITTER: f64 = 0.2;

/// The pause after a try, counted from 1: 1 s, doubled each time, at most 30 s, a fifth longer or shorter by chance.
///
/// - `least`: the time that the error names. The pause does not end before it, and is spread out after it.
pub(crate) fn pause(after: u32, least: Option<Duration>, chance: f64) -> Duration {
    let base = (BASE * f64::from(1u32 << (after.clamp(1, 16) - 1))).min(CAP);
    let usual = Duration::from_secs_f64(base * (1.0 + JITTER * (2.0 * chance - 1.0)));
    least.map_or(usual, |least| usual.max(least.mul_f64(1.0 + JITTER * chance)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_cap() {
        let pauses: Vec<u64> = (1..=8).map(|after| pause(after, None, 0.5).as_secs()).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30, 30]);
        assert_eq!(pause(u32::MAX, None, 0.5), Duration::from_secs(30));
    }

    #[test]
    fn pauses_are_spread_by_a_fifth() {
        assert_eq!(pause(1, None, 0.0).as_millis(), 800);
        assert_eq!(pause(1, None, 1.0).as_millis(), 1200);
    }

    #[test]
    fn a_pause_never_ends_before_the_time_that_the_daemon_names() {
        let least = Some(Duration::from_secs(10));
        assert_eq!(pause(1, least, 0.0).as_millis(), 10_000);
        assert_eq!(pause(1, least, 1.0).as_millis(), 12_000);
        assert_eq!(pause(5, least, 0.5).as_millis(), 16_000);
    }

    #[test]
    fn chance_is_a_share() {
        for _ in 0..1000 {
            assert!((0.0..=1.0).contains(&RealTime.chance()));
        }
    }

    #[test]
    fn words_and_names_are_known() {
        assert_eq!(Retry::from_name("RE_ATTEST"), Retry::ReAttest);
        assert_eq!(Retry::from_name("UNSPECIFIED"), Retry::Unspecified);
        assert_eq!(Retry::from_name("SOON"), Retry::Other("SOON".to_owned()));
        assert_eq!(Retry::from_word("soon").as_str(), "soon");
    }
}
