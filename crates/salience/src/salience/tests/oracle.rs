//! Section "Salience" of the model, read again and written down naively: one item at a
//! time, from its birth, in unbounded integers, with no table but the past itself.

use std::collections::BTreeMap;

use memlith_event::{OwnStatus, Rank};
use memlith_log::Timestamp;
use num_bigint::BigInt;

use super::history::{Move, World};
use crate::Act;

pub(crate) struct Recomputed {
    pub(crate) level: i128,
    /// The level just after the last evidence from outside, or after birth.
    pub(crate) outside: i128,
}

const ONE: i128 = 1 << 44;

pub(crate) fn recompute(item: u64, born: Timestamp, past: &[(Move, World)]) -> Recomputed {
    let mut k = d(born.0);
    let mut k_outside = k;
    let (mut g, mut pen) = (0, 0);
    let mut heard: Vec<(Act, &str, Option<&str>)> = Vec::new();
    let mut table = Logarithms::default();
    for (made, world) in past.iter().filter(|(made, _)| made.targets.contains(&item)) {
        let facts = world.facts(item);
        let now = d(made.at.max(born.0));
        let room = |k: i128, table: &mut Logarithms| (now + table.log2(10_000_000) - k).max(0);
        let user_up = matches!(made.rank, Rank::User | Rank::Reviewer | Rank::Owner);
        let outside = user_up || made.verified;
        let assistant = !outside && made.rank == Rank::Assistant;
        let active = facts.own == OwnStatus::Active;
        let strength = |table: u32, above: bool| {
            let actual = if made.act == Act::Doubt { 0 } else { 1_000_000 };
            let surprise = made.expected.filter(|expected| *expected <= 1_000_000);
            let scaled = surprise.map(|expected| scaled(table, expected.abs_diff(actual)));
            let weight = made.weight.or(scaled).unwrap_or(table).clamp(1, 10_000_000);
            if above { weight.max(1_000_000) } else { weight.min(1_000_000) }
        };
        let evidence = (made.act, made.actor, made.session);
        let mut told = false;
        match made.act {
            Act::Surface if active && !facts.derived && !facts.accepted => {
                let a = table.log2(1_050_000).min(ONE - g).min(room(k, &mut table));
                k += a;
                g += a;
            }
            Act::Confirm if active && assistant => {
                let a = table.log2(strength(1_500_000, true)).min(ONE - g).min(room(k, &mut table));
                k += a;
                g += a;
            }
            Act::Confirm if active && outside && !heard.contains(&evidence) => {
                k += table.log2(strength(1_500_000, true)).min(room(k, &mut table));
                k = k.max(now + table.log2(300_000));
                told = true;
                heard.push(evidence);
            }
            Act::Restate if active && user_up && !heard.contains(&evidence) => {
                k = k.max(now);
                k += table.log2(1_500_000).min(room(k, &mut table));
                k = k.max(now + table.log2(300_000));
                told = true;
                heard.push(evidence);
            }
            Act::Promote if active && user_up => {
                k += table.log2(strength(2_000_000, true)).min(room(k, &mut table));
                k = k.max(now);
                told = true;
            }
            Act::Invalidate if active && (user_up || made.rank == Rank::Assistant) => {
                let c = table.log2(strength(200_000, false)).min(0);
                k += c;
                pen += c;
            }
            Act::Reconfirm if facts.own == OwnStatus::Invalidated => {
                k -= pen;
                pen = 0;
                if user_up {
                    k = k.max(now);
                    told = true;
                }
            }
            Act::Doubt
                if active
                    && made.verified
                    && made.rank.level() >= facts.guard
                    && !heard.contains(&evidence) =>
            {
                k += table.log2(strength(800_000, false));
                heard.push(evidence);
            }
            Act::Accept if facts.own == OwnStatus::Pending && user_up => {
                k = k.max(now);
                told = true;
            }
            Act::Surface
            | Act::Confirm
            | Act::Restate
            | Act::Promote
            | Act::Invalidate
            | Act::Reconfirm
            | Act::Doubt
            | Act::Accept => {}
        }
        if told {
            g = 0;
            k_outside = k;
        }
    }
    Recomputed { level: k, outside: k_outside }
}

/// `table + (table - 1)(2 error - 1)` in millionths, to the nearest, half to even.
fn scaled(table: u32, error: u32) -> u32 {
    let (table, error) = (i64::from(table), i64::from(error));
    let exact = table * 1_000_000 + (table - 1_000_000) * (2 * error - 1_000_000);
    let below = exact.div_euclid(1_000_000);
    let near = |at: &i64| (at * 1_000_000 - exact).abs() <= 500_000;
    let candidates: Vec<i64> = [below, below + 1].into_iter().filter(near).collect();
    let even = candidates.iter().copied().find(|at| candidates.len() == 1 || at % 2 == 0);
    u32::try_from(even.unwrap().clamp(10_000, 10_000_000)).unwrap()
}

/// D(t) in unbounded integers.
fn d(micros: i64) -> i128 {
    let (scaled, half_life) = (BigInt::from(micros) << 44, BigInt::from(2_592_000_000_000_i64));
    let mut level = &scaled / &half_life;
    if &level * &half_life > scaled {
        level -= 1;
    }
    i128::try_from(level).unwrap()
}

/// Logarithms of weights, each computed once.
#[derive(Default)]
struct Logarithms(BTreeMap<u32, i128>);

impl Logarithms {
    fn log2(&mut self, millionths: u32) -> i128 {
        *self.0.entry(millionths).or_insert_with(|| log2(millionths))
    }
}

/// 2^44 times the logarithm of a weight, rounded down: the 62-bit mantissa of the
/// definition, here as a big integer.
fn log2(millionths: u32) -> i128 {
    let (weight, million) = (BigInt::from(millionths), BigInt::from(1_000_000));
    let one = BigInt::from(1) << 62;
    let whole =
        (-20_i32..=3).rev().find(|whole| &weight << 20 >= &million << (20 + whole)).unwrap();
    let mut mantissa = (weight << (62 - whole)) / million;
    let mut level = i128::from(whole) * ONE;
    for bit in (0..44).rev() {
        mantissa = (&mantissa * &mantissa) >> 62;
        if mantissa >= &one * 2 {
            mantissa /= 2;
            level += 1 << bit;
        }
    }
    level
}
