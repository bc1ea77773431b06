//! Names of threads. Where trials take turns, the names of a trial's threads begin with its number: a signal handler has nothing else
//! that says whose thread it runs on.

use std::thread;

/// What the name of a trial's thread begins with, where several trials run at the same time; the trial's number follows.
pub const OF_TRIAL: &str = "trial-";

/// The name of a new thread of this role, of the same trial as the present thread.
pub(crate) fn thread_name(role: &str) -> String {
    let current = thread::current();
    match current.name().and_then(of_trial) {
        Some((trial, _)) => format!("{trial}-{role}"),
        None => role.to_owned(),
    }
}

/// The role of the present thread.
pub(crate) fn role() -> String {
    let current = thread::current();
    let name = current.name().unwrap_or("unnamed");
    match of_trial(name) {
        Some((_, role)) if !role.is_empty() => role.to_owned(),
        _ => name.to_owned(),
    }
}

/// A thread's name in two: whose it is, and what it does.
fn of_trial(name: &str) -> Option<(&str, &str)> {
    let number = name.strip_prefix(OF_TRIAL)?;
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    let (trial, role) = name.split_at(OF_TRIAL.len() + digits);
    (digits > 0).then(|| (trial, role.strip_prefix('-').unwrap_or(role)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_a_trial_begin_with_its_name_and_know_their_role() {
        let names = |own: Option<&str>| {
            let builder = own.map_or_else(thread::Builder::new, |own| {
                thread::Builder::new().name(own.to_owned())
            });
            let named = builder.spawn(|| (thread_name("clients-1"), role()));
            named.unwrap().join().unwrap()
        };
        let of = |name: &str, role: &str| (name.to_owned(), role.to_owned());
        assert_eq!(names(None), of("clients-1", "unnamed"));
        assert_eq!(names(Some("clients-0")), of("clients-1", "clients-0"));
        assert_eq!(names(Some("trial-017")), of("trial-017-clients-1", "trial-017"));
        assert_eq!(
            names(Some("trial-017-driver")),
            of("trial-017-clients-1", "driver")
        );
        assert_eq!(names(Some("trial-x")), of("clients-1", "trial-x"));
    }
}
