/// Lets a thread of its own do `work`, for which nobody waits; nobody does it where no thread
/// can be had, and in an explorer's build.
///
/// For work that only saves others some of theirs. It outlives the caller unless the process
/// ends before, so that it owns all it looks at.
pub fn aside(work: impl FnOnce() + Send + 'static) {
    // Miri takes a thread that outlives the others for a leak.
    if cfg!(any(loom, shuttle, miri)) {
        return;
    }
    let thread = std::thread::Builder::new().name("memlith aside".to_owned());
    if let Err(error) = thread.spawn(work) {
        drop(error);
    }
}

#[cfg(all(test, not(any(loom, shuttle, miri))))]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn work_is_done_beside_the_caller() {
        let (ask, asked) = channel::<u32>();
        let (tell, told) = channel();
        aside(move || tell.send(asked.recv().unwrap() + 1).unwrap());
        ask.send(7).unwrap();
        assert_eq!(told.recv().unwrap(), 8);
    }
}
