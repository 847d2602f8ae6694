use memlith_event::{Difference, Near, Outcome, Rank};
use memlith_log::RecordId;

use super::bench::{Bench, lives_in, text};
use super::denials::denied;
use super::likeness::{likeness, near};
use crate::{Authority, Rejection, Remember, Taken};

impl Bench {
    /// Takes in what waits, with what it says and is like.
    fn take_in(
        &mut self,
        target: RecordId,
        said: Remember,
        near: &[Near],
    ) -> Result<(), Rejection> {
        let scope = self.scope.clone();
        let taken = Taken { said, scope, likeness: Some(likeness(near)) };
        let door = self.door(Rank::User);
        let bodies = self.memory.decide_acceptance(target, None, &taken, &door)?;
        for body in bodies {
            self.fold(body);
        }
        Ok(())
    }
}

#[test]
fn what_is_taken_in_is_weighed_as_a_write_is() {
    for (cosine, differs, expected) in [
        (10_000_000, None, [Authority::Superseded, Authority::Active]),
        (8_750_000, None, [Authority::Superseded, Authority::Active]),
        (8_749_999, None, [Authority::Active; 2]),
        (9_400_000, Some(Difference::Value), [Authority::Superseded, Authority::Active]),
        (8_000_000, Some(Difference::Number), [Authority::Contested; 2]),
        (7_999_999, Some(Difference::Number), [Authority::Active; 2]),
        (9_900_000, Some(Difference::Name), [Authority::Active; 2]),
    ] {
        let mut bench = Bench::new();
        let (old, _) = bench.remember(Rank::User, text("prefers email")).unwrap();
        let (new, _) = bench.remember(Rank::Tool, text("likes email best")).unwrap();
        assert_eq!(bench.authority(new), Authority::Pending);
        let one = Near { differs, ..near(old, cosine) };
        bench.take_in(new, text("likes email best"), &[one]).unwrap();
        assert_eq!([old, new].map(|id| bench.authority(id)), expected, "{cosine} {differs:?}");
        let with = |id: RecordId| bench.memory.contested_with(id.seq, bench.now).next();
        let contested = expected == [Authority::Contested; 2];
        assert_eq!([with(old), with(new)], [contested.then_some(new), contested.then_some(old)]);
    }
}

#[test]
fn what_began_later_is_not_ended_by_what_is_taken_in() {
    let mut bench = Bench::new();
    let (first, _) = bench.remember(Rank::Tool, text("prefers letters")).unwrap();
    let (later, _) = bench.remember(Rank::User, text("prefers email")).unwrap();
    bench.take_in(first, text("prefers letters"), &[near(later, 9_000_000)]).unwrap();
    let shown = [first, later].map(|id| bench.authority(id));
    assert_eq!(shown, [Authority::Superseded, Authority::Active]);
}

#[test]
fn a_denial_that_is_taken_in_ends_what_was_said_since() {
    let mut bench = Bench::new();
    let (no, outcome) = bench.remember(Rank::Tool, denied(lives_in("Pune"))).unwrap();
    assert_eq!(outcome, Outcome::Added, "and waits");
    bench.now = bench.now.plus_us(-120_000_000);
    let (pune, _) = bench.remember(Rank::User, lives_in("Pune")).unwrap();
    bench.now = bench.now.plus_us(240_000_000);
    bench.take_in(no, denied(lives_in("Pune")), &[]).unwrap();
    let shown = [pune, no].map(|id| bench.authority(id));
    assert_eq!(shown, [Authority::Superseded, Authority::Active]);
}
