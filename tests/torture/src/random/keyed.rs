//! Steps that write under a key.

use memlith::{Caller, Remember, write::IdempotencyKey};

use super::effect::{Attempt, Effect};
use super::naive::Who;
use super::play::{Judged, Play, caller, text_of};

/// The keys of a session.
const KEYS: u8 = 3;

/// Where a key differs from the first one, in that byte alone: at the end, and at the beginning.
const DIFFERS_AT: [usize; KEYS as usize] = [16, 15, 0];

/// The first of the texts that are written under keys.
const KEYED: usize = 300;

impl Play {
    pub(super) fn write_keyed(&mut self, key: u8, who: Who) -> Judged {
        let key = key % KEYS;
        let text = text_of(KEYED + usize::from(key) * 2 + usize::from(who == Who::User));
        let (time, verdict) = (self.world.time().0, self.timeline.now().judge_keyed(&text, who));
        let caller = Caller { key: Some(IdempotencyKey(key_of(key))), ..caller(who) };
        let remember = Remember { text: text.clone(), ..Remember::default() };
        let effect = Effect::Text { text, who, on: None, verdict };
        self.command(verdict, Attempt { effect, time }, |ledger| ledger.remember(&caller, remember))
    }
}

/// One of the keys, which differ in one byte.
fn key_of(number: u8) -> [u8; 16] {
    let differs = DIFFERS_AT.get(usize::from(number));
    std::array::from_fn(|at| if differs == Some(&at) { 0xa6 } else { 0xa5 })
}
