use std::collections::VecDeque;

use memlith_event::{Body, Envelope, Event, IdempotencyKey, Rank, TurnEvent};

use crate::session::Output;
use crate::{Imported, Target};

/// Events from each prompt on, so that they can be taken back when the person rewinds
/// to before it.
///
/// At most 262,144 events are named; what comes later can't be taken back.
#[derive(Default)]
pub(crate) struct Stretches {
    all: Vec<Stretch>,
    named: usize,
}

/// A prompt, and what follows it until the next one.
#[derive(Default)]
struct Stretch {
    /// The stretches whose prompts follow one of its lines.
    behind: Vec<usize>,
    events: Vec<Target>,
    is_left: bool,
}

const EVENTS_MAX: usize = 1 << 18;

impl Stretches {
    /// Begins a stretch behind another one, and yields its number.
    pub(crate) fn begin(&mut self, behind: Option<usize>) -> usize {
        let number = self.all.len();
        if let Some(before) = behind.and_then(|before| self.all.get_mut(before)) {
            before.behind.push(number);
        }
        self.all.push(Stretch::default());
        number
    }

    /// Notes the events that a line of a stretch became: those of `output` from `from` on.
    pub(crate) fn note(&mut self, stretch: usize, output: &Output, from: usize) {
        let Some(stretch) = self.all.get_mut(stretch) else { return };
        for imported in output.iter().skip(from) {
            let Imported::Event(body) = imported else { continue };
            let Body { envelope, event: Event::Turn(turn) } = body.as_ref() else { continue };
            if let TurnEvent::Said(said) = turn {
                stretch.events.extend(corrections(envelope, &said.text));
            }
            if let Some(key) = envelope.key.filter(|_| self.named < EVENTS_MAX) {
                stretch.events.push(Target {
                    actor: envelope.actor.clone(),
                    key,
                    is_correction: false,
                });
                self.named += 1;
            }
        }
    }

    /// Leaves a stretch and all behind it; the events in them that were not left before.
    pub(crate) fn leave(&mut self, stretch: usize) -> Vec<Target> {
        let mut left = Vec::new();
        let mut waiting = VecDeque::from([stretch]);
        while let Some(stretch) = waiting.pop_front() {
            let Some(stretch) = self.all.get_mut(stretch).filter(|one| !one.is_left) else {
                continue;
            };
            stretch.is_left = true;
            left.append(&mut stretch.events);
            waiting.extend(stretch.behind.iter().copied());
        }
        left
    }
}

/// No longer prompt corrects anything, in bytes, and none with more sentences than its first six:
/// as hooks take them.
const CORRECTION_BYTES_MAX: usize = 2_000;
const CORRECTIONS_MAX: usize = 6;

/// The events that a prompt corrected before it was captured, if any: its hook wrote that
/// down by these names.
fn corrections(envelope: &Envelope<'_>, prompt: &str) -> Vec<Target> {
    if envelope.actor.rank != Rank::User || prompt.len() > CORRECTION_BYTES_MAX {
        return Vec::new();
    }
    let session = envelope.scope.session.as_deref().unwrap_or_default();
    let actor = envelope.actor.clone().into_owned();
    let target = |sentence: String| Target {
        actor: actor.clone(),
        key: IdempotencyKey::of(&["prompt", session, &sentence]),
        is_correction: true,
    };
    memlith_text::own_sentences(prompt).into_iter().take(CORRECTIONS_MAX).map(target).collect()
}
