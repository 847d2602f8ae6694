/// What kind of change a verb tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// To another place, host or time.
    Moves,
    /// To another of its kind, whatever it is.
    Switches,
    /// To another amount.
    Scales,
    /// To another day or time.
    Shifts,
    /// To another name.
    Renames,
}

/// The kind of change that the verb with this stem tells.
pub(super) fn class_of(stem: &str) -> Option<Class> {
    let row = VERBS.iter().find(|(_, stems)| stems.contains(&stem));
    row.map(|(class, _)| *class)
}

/// Verbs of change, by their stems. Our own list.
const VERBS: &[(Class, &[&str])] = &[
    (Class::Moves, &["mov", "relocat", "migrat", "shift", "transfer", "port", "redirect", "rout"]),
    (
        Class::Switches,
        &[
            "switch",
            "chang",
            "convert",
            "updat",
            "swap",
            "adjust",
            "upgrad",
            "bump",
            "downgrad",
            "roll",
            "rebuild",
            "transition",
            "promot",
            "reassign",
            "go",
            "rewrit",
            "repoint",
            "modify",
            "reconfigur",
            "correct",
            "retun",
            "revis",
            "reset",
            "set",
        ],
    ),
    (
        Class::Scales,
        &[
            "rais", "lower", "increas", "decreas", "reduc", "cut", "doubl", "tripl", "halv",
            "grow", "shrink", "ris", "fall", "drop", "com", "turn", "put", "trim", "expand",
            "climb", "jump", "tighten", "loosen", "relax", "widen", "boost", "scal", "enlarg",
            "slash", "up", "lift", "hik", "ramp", "dial", "crank", "slim", "declin", "dip",
            "stretch", "sink", "soar", "plung", "swell", "hoist", "curb", "quadrupl",
        ],
    ),
    (
        Class::Shifts,
        &[
            "slip",
            "postpon",
            "delay",
            "push",
            "extend",
            "prolong",
            "renew",
            "defer",
            "shorten",
            "slid",
            "brought",
            "pull",
            "adjourn",
            "advanc",
            "bring",
            "lengthen",
            "reschedul",
            "rebook",
            "rearrang",
            "drag",
        ],
    ),
    (Class::Renames, &["renam", "rebrand", "retitl", "rechristen"]),
];
