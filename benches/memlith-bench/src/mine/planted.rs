//! Sessions with procedures hidden in them: `docs/benchmarks.md` says how they are drawn.

use crate::words::Random;

/// Procedures that are hidden, and the sessions that they are hidden in.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Plan {
    /// Seed of the procedures, sessions and noise.
    #[arg(long, value_name = "S", default_value_t = 42)]
    pub(crate) seed: u64,
    /// How many sessions there are.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(crate) sessions: u64,
    /// How many steps each has.
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(crate) steps: u64,
    /// How many procedures are hidden.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=100))]
    pub(crate) procedures: u64,
    /// How many different steps there are.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(10..=10_000))]
    pub(crate) vocabulary: u64,
    /// Which share of the steps of each occurrence is disturbed: 0.2 is a fifth.
    #[arg(long, value_name = "P", default_value = "0", value_parser = crate::mine::noise)]
    pub(crate) noise: u64,
}

/// The sessions, and what was hidden.
#[derive(Debug)]
pub(crate) struct Planted {
    pub(crate) procedures: Vec<Procedure>,
    pub(crate) sessions: Vec<Session>,
}

/// A procedure, as ranks in the vocabulary.
#[derive(Clone, Debug)]
pub(crate) struct Procedure {
    pub(crate) steps: Vec<u64>,
    /// In so many of a thousand sessions.
    per_mille: u64,
    /// Deviation of failed sessions.
    pub(crate) deviation: Deviation,
}

/// Deviation of failed sessions at a step, which is neither the first nor the last.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deviation {
    /// Another step stands for it.
    Replaced(usize, u64),
    /// It isn't done.
    LeftOut(usize),
    /// It comes after the next one.
    Swapped(usize),
    /// Another step comes before it.
    Extra(usize, u64),
}

/// One session.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) failed: bool,
    pub(crate) steps: Vec<Done>,
}

/// A step that was done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Done {
    pub(crate) rank: u64,
    pub(crate) ok: bool,
}

/// Steps a procedure has.
const STEPS: (u64, u64) = (3, 8);

/// In how many of a thousand sessions one occurs.
const PER_MILLE: (u64, u64) = (80, 200);

/// How many of a hundred sessions fail, and of a hundred steps between procedures.
const FAILED_PERCENT: u64 = 20;
const WRONG_PERCENT: u64 = 2;

impl Planted {
    pub(crate) fn of(plan: Plan) -> Planted {
        let mut random = Random::new(plan.seed);
        let background = Zipf::new(plan.vocabulary, |rank| (1 << 40) / rank);
        let inside = Zipf::new(plan.vocabulary, |rank| (1 << 40) / (rank << 40).isqrt().max(1));
        let mut procedures: Vec<Procedure> = Vec::new();
        while (procedures.len() as u64) < plan.procedures {
            let drawn = Procedure::draw(&mut random, &inside, plan.vocabulary);
            if procedures.iter().all(|other| !other.holds(&drawn) && !drawn.holds(other)) {
                procedures.push(drawn);
            }
        }
        let sessions = (0..plan.sessions)
            .map(|_| Session::draw(&mut random, plan, &procedures, &background))
            .collect();
        Planted { procedures, sessions }
    }

    /// Returns the sessions, the steps of each in any order.
    pub(crate) fn shuffled(&self, seed: u64) -> Vec<Session> {
        // Source: the Fisher-Yates shuffle (Durstenfeld, Algorithm 235, 1964).
        let mut random = Random::new(!seed);
        let mut sessions = self.sessions.clone();
        for session in &mut sessions {
            for last in (1..session.steps.len()).rev() {
                session.steps.swap(last, index(random.below(last as u64 + 1)));
            }
        }
        sessions
    }
}

impl Procedure {
    fn draw(random: &mut Random, inside: &Zipf, vocabulary: u64) -> Procedure {
        let len = random.within(STEPS.0, STEPS.1);
        let mut steps: Vec<u64> = Vec::new();
        while (steps.len() as u64) < len {
            let step = inside.draw(random);
            if steps.last() != Some(&step) {
                steps.push(step);
            }
        }
        let per_mille = random.within(PER_MILLE.0, PER_MILLE.1);
        let at = index(random.within(1, len - 2));
        let other =
            (steps.get(at).copied().unwrap_or(0) + 1 + random.below(vocabulary - 1)) % vocabulary;
        let deviation = match random.below(4) {
            0 => Deviation::Replaced(at, other),
            1 => Deviation::LeftOut(at),
            2 => Deviation::Swapped(at),
            _ => Deviation::Extra(at, other),
        };
        Procedure { steps, per_mille, deviation }
    }

    /// A procedure of these steps that is in no session.
    #[cfg(test)]
    pub(crate) fn plain(steps: Vec<u64>) -> Procedure {
        Procedure { steps, per_mille: 0, deviation: Deviation::LeftOut(0) }
    }

    /// Whether the other one is a stretch of this one.
    fn holds(&self, other: &Procedure) -> bool {
        self.steps.windows(other.steps.len()).any(|stretch| stretch == other.steps)
    }

    /// The steps as a session does them, disturbed.
    fn occur(&self, random: &mut Random, plan: Plan, failed: bool, background: &Zipf) -> Vec<Done> {
        let mut steps = self.steps.clone();
        if failed {
            self.deviation.done_in(&mut steps);
        }
        let mut done = Vec::new();
        for step in steps {
            let disturbed = random.below(1000) < plan.noise;
            match (disturbed, if disturbed { random.below(3) } else { 0 }) {
                (false, _) => done.push(step),
                (true, 0) => {}
                (true, 1) => done.push(background.other(random, step)),
                (true, _) => done.extend([step, background.draw(random)]),
            }
        }
        done.into_iter().map(|rank| Done { rank, ok: true }).collect()
    }
}

impl Deviation {
    /// Changes the steps of a run; each names one that is neither the first nor the last.
    fn done_in(self, steps: &mut Vec<u64>) {
        match self {
            Deviation::Replaced(at, other) => {
                steps.iter_mut().skip(at).take(1).for_each(|step| *step = other)
            }
            Deviation::LeftOut(at) => drop(steps.remove(at)),
            Deviation::Swapped(at) => steps.swap(at, at + 1),
            Deviation::Extra(at, other) => steps.insert(at, other),
        }
    }
}

impl Session {
    fn draw(
        random: &mut Random,
        plan: Plan,
        procedures: &[Procedure],
        background: &Zipf,
    ) -> Session {
        let failed = random.below(100) < FAILED_PERCENT;
        let mut parts: Vec<Vec<Done>> = Vec::new();
        let mut len = 0;
        for procedure in procedures {
            if random.below(1000) < procedure.per_mille {
                let part = procedure.occur(random, plan, failed, background);
                len += part.len();
                parts.push(part);
            }
        }
        while (len as u64) < plan.steps {
            let ok = random.below(100) >= WRONG_PERCENT;
            parts.push(vec![Done { rank: background.draw(random), ok }]);
            len += 1;
        }
        for last in (1..parts.len()).rev() {
            parts.swap(last, index(random.below(last as u64 + 1)));
        }
        Session { failed, steps: parts.concat() }
    }
}

/// Ranks by weight.
struct Zipf(Vec<u64>);

impl Zipf {
    fn new(ranks: u64, weight: impl Fn(u64) -> u64) -> Zipf {
        let sums = (1..=ranks).scan(0, |sum, rank| {
            *sum += weight(rank);
            Some(*sum)
        });
        Zipf(sums.collect())
    }

    fn draw(&self, random: &mut Random) -> u64 {
        let point = random.below(self.0.last().copied().unwrap_or(1));
        self.0.partition_point(|sum| *sum <= point) as u64
    }

    fn other(&self, random: &mut Random, than: u64) -> u64 {
        loop {
            let drawn = self.draw(random);
            if drawn != than {
                return drawn;
            }
        }
    }
}

fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
