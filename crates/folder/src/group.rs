//! Task groups: which sessions and statements stand in one block, in which order.

use std::collections::{BTreeMap, BTreeSet};

use memlith::Timestamp;

use crate::date::day;
use crate::inputs::{Class, Inputs, Part, Procedure, Session, Statement};
use crate::safe::{line, same, value};

/// A directory of at most so many tasks is one group.
pub(crate) const SPARSE_MAX: usize = 12;

/// The most characters of a task's name.
const TITLE_CHARS: usize = 100;

/// The most characters of the name of a group.
const GROUP_CHARS: usize = 60;

/// Names that say nothing.
pub(crate) const PLACEHOLDERS: [&str; 8] =
    ["misc", "general", "task", "tasks", "untitled", "unknown", "other", "various"];

/// A block of the handbook.
#[derive(Debug)]
pub(crate) struct Group<'a> {
    pub title: String,
    pub directory: String,
    /// The other directories of the same project.
    pub worktrees: Vec<String>,
    pub tasks: Vec<Task<'a>>,
    pub statements: Vec<&'a Statement>,
    pub procedures: Vec<&'a Procedure>,
    /// The newest evidence.
    pub newest: Timestamp,
    pub class: Class,
}

/// A task: the sessions that attempted it, the newest first.
#[derive(Debug)]
pub(crate) struct Task<'a> {
    pub title: String,
    pub sessions: Vec<&'a Session>,
    newest: Timestamp,
    class: Class,
}

/// The groups in the order of the handbook: the day of the newest evidence, the class, the
/// title. Within a day and a class nothing but the title decides, so that a citation moves
/// nothing.
pub(crate) fn groups<'a>(inputs: &'a Inputs, is_coarse: bool) -> Vec<Group<'a>> {
    let mut by_project: BTreeMap<&str, Vec<&Session>> = BTreeMap::new();
    for session in &inputs.sessions {
        let project = Some(session.project.as_str()).filter(|name| !name.is_empty());
        by_project.entry(project.unwrap_or(&session.directory)).or_default().push(session);
    }
    let mut by_directory: BTreeMap<&str, Vec<&Session>> = BTreeMap::new();
    for sessions in by_project.into_values() {
        by_directory.entry(main_directory(&sessions)).or_default().extend(sessions);
    }
    let mut by_thread: BTreeMap<&str, Vec<&Statement>> = BTreeMap::new();
    for statement in &inputs.statements {
        for thread in &statement.threads {
            by_thread.entry(thread).or_default().push(statement);
        }
    }
    let names = names(by_directory.keys().copied());
    let mut groups = Vec::new();
    for (directory, sessions) in by_directory {
        let name = names.get(directory).map_or("", String::as_str);
        for (family, sessions) in families(&sessions, is_coarse) {
            let mut group = Group::of(directory, &sessions, &by_thread);
            group.procedures = procedures(inputs, &sessions);
            let title = match family.as_str() {
                "" => name.to_owned(),
                family => format!("{name} / {family}"),
            };
            group.title = line(&title, GROUP_CHARS).replace([';', ':', ','], " ");
            groups.push(group);
        }
    }
    groups.sort_by_cached_key(Group::place);
    apart(&mut groups);
    groups
}

/// The directory of a project: where most of its sessions were, of these the first; a path before
/// a name.
fn main_directory<'a>(sessions: &[&'a Session]) -> &'a str {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for session in sessions {
        *counts.entry(&session.directory).or_default() += 1;
    }
    let place = |(directory, count): &(&str, usize)| {
        (directory.starts_with('/'), *count, std::cmp::Reverse((*directory).to_owned()))
    };
    counts.into_iter().max_by_key(place).map_or("", |(directory, _)| directory)
}

/// The sessions of a directory by family; one family without a name where they are few.
fn families<'a>(sessions: &[&'a Session], is_coarse: bool) -> BTreeMap<String, Vec<&'a Session>> {
    let tasks: BTreeSet<String> = sessions.iter().map(|one| same(&one.title)).collect();
    let mut families: BTreeMap<String, Vec<&Session>> = BTreeMap::new();
    for session in sessions {
        let is_one = is_coarse || tasks.len() <= SPARSE_MAX;
        let family = if is_one { String::new() } else { same(&line(&session.family, 30)) };
        families.entry(family).or_default().push(session);
    }
    families
}

fn procedures<'a>(inputs: &'a Inputs, sessions: &[&Session]) -> Vec<&'a Procedure> {
    let threads: BTreeSet<&str> = sessions.iter().map(|one| one.thread.as_str()).collect();
    let is_here = |one: &&Procedure| one.threads.iter().any(|id| threads.contains(id.as_str()));
    let mut found: Vec<&Procedure> = inputs.procedures.iter().filter(is_here).collect();
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

/// The name of each directory: its last name, and as many before it as tell it from others.
fn names<'a>(directories: impl Iterator<Item = &'a str>) -> BTreeMap<&'a str, String> {
    let all: Vec<&str> = directories.collect();
    let tail = |directory: &str, count: usize| {
        let names: Vec<&str> = directory.split('/').filter(|name| !name.is_empty()).collect();
        let from = names.len().saturating_sub(count);
        let tail = names.get(from..).unwrap_or_default().join("/");
        if tail.is_empty() { "no directory".to_owned() } else { value(&tail, 48) }
    };
    let mut names = BTreeMap::new();
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    for directory in &all {
        *taken.entry(tail(directory, 1)).or_default() += 1;
    }
    for directory in all {
        let mut count = 1;
        let depth = directory.split('/').count();
        let is_clear = |count: usize| {
            let name = tail(directory, count);
            let is_known = PLACEHOLDERS.contains(&name.to_lowercase().as_str());
            !is_known && (count > 1 || taken.get(&name) == Some(&1))
        };
        while count < depth && !is_clear(count) {
            count += 1;
        }
        names.insert(directory, tail(directory, count));
    }
    names
}

/// Numbers titles that are the same in spite of all.
fn apart(groups: &mut [Group<'_>]) {
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by_key(|at| groups.get(*at).map(|one| (one.title.clone(), one.directory.clone())));
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for at in order {
        let Some(group) = groups.get_mut(at) else { continue };
        let mut title = group.title.clone();
        let mut number = 2_usize;
        while !taken.insert(title.to_lowercase()) {
            title = format!("{} ({number})", group.title);
            number += 1;
        }
        group.title = title;
    }
}

impl<'a> Group<'a> {
    fn of(
        directory: &str,
        sessions: &[&'a Session],
        by_thread: &BTreeMap<&str, Vec<&'a Statement>>,
    ) -> Group<'a> {
        let tasks = Task::all(sessions);
        let mut statements: BTreeMap<&str, &Statement> = BTreeMap::new();
        for session in sessions {
            let found = by_thread.get(session.thread.as_str()).into_iter().flatten();
            statements.extend(found.map(|one| (one.id.as_str(), *one)));
        }
        let mut statements: Vec<&Statement> = statements.into_values().collect();
        statements.sort_by_cached_key(|one| place(one.at, one.class, &one.text));
        let times = tasks.iter().map(|task| (task.newest, task.class));
        let times = times.chain(statements.iter().map(|one| (one.at, one.class)));
        let (mut newest, mut class) = (Timestamp(i64::MIN), Class::Faded);
        for (at, of) in times {
            (newest, class) = (newest.max(at), class.max(of));
        }
        let mut worktrees: Vec<String> =
            sessions.iter().map(|session| session.directory.clone()).collect();
        worktrees.sort();
        worktrees.dedup();
        worktrees.retain(|one| one.starts_with('/') && one != directory);
        let (title, directory) = (String::new(), directory.to_owned());
        let procedures = Vec::new();
        Group { title, directory, worktrees, tasks, statements, procedures, newest, class }
    }

    /// The directory as the files write it.
    pub(crate) fn cwd(&self) -> String {
        value(&self.directory, 400)
    }

    fn place(&self) -> Place {
        place(self.newest, self.class, &format!("{}\n{}", self.title, self.directory))
    }

    /// The numbers, from 1, of the tasks that a list of threads touches.
    pub(crate) fn tasks_of(&self, threads: &[String]) -> Vec<usize> {
        let touches =
            |task: &Task<'_>| task.sessions.iter().any(|session| threads.contains(&session.thread));
        (1..).zip(&self.tasks).filter(|(_, task)| touches(task)).map(|(number, _)| number).collect()
    }

    /// The statements of a part; who a person is stands with what they want.
    pub(crate) fn of_part(&self, part: Part) -> impl Iterator<Item = &'a Statement> + '_ {
        let is_of = move |one: &&Statement| match one.part {
            Part::Profile => part == Part::Preference,
            own @ (Part::Preference | Part::Knowledge | Part::Failure) => own == part,
        };
        self.statements.iter().copied().filter(is_of)
    }
}

impl<'a> Task<'a> {
    /// The tasks of the sessions: those of one title are attempts at one task.
    fn all(sessions: &[&'a Session]) -> Vec<Task<'a>> {
        let mut by_title: BTreeMap<String, Vec<&Session>> = BTreeMap::new();
        for session in sessions {
            by_title.entry(same(&title(session))).or_default().push(session);
        }
        let mut tasks: Vec<Task<'_>> = by_title.into_values().filter_map(Task::of).collect();
        tasks.sort_by_cached_key(|task| place(task.newest, task.class, &task.title));
        tasks
    }

    fn of(mut sessions: Vec<&'a Session>) -> Option<Task<'a>> {
        sessions.sort_by(|one, other| {
            other.updated_at.cmp(&one.updated_at).then_with(|| one.thread.cmp(&other.thread))
        });
        let newest = sessions.first()?;
        let class = sessions.iter().map(|one| one.class).max().unwrap_or_default();
        Some(Task { title: title(newest), newest: newest.updated_at, class, sessions })
    }
}

/// A session's request in one line, as a name.
pub(crate) fn title(session: &Session) -> String {
    let title = line(&session.title, TITLE_CHARS);
    let title = title.trim_matches(['#', ' ', '-', '>']);
    let says_nothing = PLACEHOLDERS.contains(&title.to_lowercase().as_str());
    if title.is_empty() || says_nothing {
        return format!("Session of {}", day(session.updated_at));
    }
    title.to_owned()
}

/// A place in an order: the newest day first, then the highest class, then by words.
type Place = (std::cmp::Reverse<String>, std::cmp::Reverse<Class>, String);

fn place(at: Timestamp, class: Class, text: &str) -> Place {
    (std::cmp::Reverse(day(at)), std::cmp::Reverse(class), text.to_owned())
}
