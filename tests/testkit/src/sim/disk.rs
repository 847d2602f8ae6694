use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use super::chance::Chance;
use super::fault::{At, Fault, FaultKind};
use super::inode::FailedSync;
use super::machine::Machine;
use super::moment::Moment;
use super::operation::Operation;
use super::storage::SimStorage;

/// A simulated disk that any number of simulated processes share.
///
/// It counts operations and readings, fails those it is told to, and keeps, if
/// asked, the moment of every operation: every crash of a run can then be had
/// without running it again.
#[derive(Clone, Debug)]
pub struct SimDisk {
    pub(super) shared: Arc<Mutex<Running>>,
    pub(super) identity: u64,
}

/// A machine at work.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) machine: Machine,
    operations: u64,
    reads: u64,
    faults: Vec<Fault>,
    chance: Chance,
    moments: Option<Vec<Moment>>,
}

/// Tells one disk from another within this process; no result depends on it.
static NEXT_IDENTITY: AtomicU64 = AtomicU64::new(1);

impl Default for SimDisk {
    fn default() -> SimDisk {
        SimDisk::new()
    }
}

impl SimDisk {
    /// An empty disk.
    #[must_use]
    pub fn new() -> SimDisk {
        SimDisk::of(Machine::new())
    }

    /// A disk whose files have these bytes, all of them durable.
    #[must_use]
    pub fn holding<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> SimDisk {
        let mut machine = Machine::new();
        for (name, bytes) in files {
            machine.put(name, bytes);
        }
        SimDisk::of(machine)
    }

    pub(super) fn of(machine: Machine) -> SimDisk {
        let running = Running {
            machine,
            operations: 0,
            reads: 0,
            faults: Vec::new(),
            chance: Chance::new(0),
            moments: None,
        };
        SimDisk {
            shared: Arc::new(Mutex::new(running)),
            identity: NEXT_IDENTITY.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Sets what the disk chooses by where it has a choice: how far a short write
    /// gets, what a failed sync carried, which bit flips.
    #[must_use]
    pub fn seeded(self, seed: u64) -> SimDisk {
        self.shared.lock().chance = Chance::new(seed);
        self
    }

    /// Sets what a failed sync does.
    #[must_use]
    pub fn failing(self, failed_sync: FailedSync) -> SimDisk {
        self.shared.lock().machine.failed_sync = failed_sync;
        self
    }

    /// A further process on this disk.
    #[must_use]
    pub fn process(&self) -> SimStorage {
        let mut running = self.shared.lock();
        running.machine.processes += 1;
        SimStorage::new(self.clone(), running.machine.processes)
    }

    /// Kills one process; its locks are free and nothing it does has an effect.
    pub fn kill(&self, process: &SimStorage) {
        self.shared.lock().machine.dead.insert(process.id());
    }

    /// Adds something that is to go wrong.
    pub fn plan(&self, fault: Fault) {
        self.shared.lock().faults.push(fault);
    }

    /// Forgets what was to go wrong and has not yet.
    pub fn mend(&self) {
        self.shared.lock().faults.clear();
    }

    /// Forgets faults that wait for the next operation of a kind.
    pub fn mend_next(&self) {
        self.shared.lock().faults.retain(|fault| !matches!(fault.at, At::Next(..)));
    }

    /// Begins to keep the moment of every operation.
    pub fn record(&self) {
        self.shared.lock().moments = Some(Vec::new());
    }

    /// The moments kept so far, and the present one.
    #[must_use]
    pub fn take_moments(&self) -> Vec<Moment> {
        let mut running = self.shared.lock();
        let mut moments = running.moments.take().unwrap_or_default();
        moments.push(running.moment(None));
        moments
    }

    /// The present moment, with no operation under way.
    #[must_use]
    pub fn moment(&self) -> Moment {
        self.shared.lock().moment(None)
    }

    /// The operations begun so far.
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.shared.lock().operations
    }

    /// The readings begun so far.
    #[must_use]
    pub fn reads(&self) -> u64 {
        self.shared.lock().reads
    }

    /// The names of all files as processes see them, sorted.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let running = self.shared.lock();
        running.machine.names().files().map(|(name, _)| name.to_string()).collect()
    }

    /// The bytes of a file as processes see them.
    #[must_use]
    pub fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        let running = self.shared.lock();
        let node = running.machine.names().node(name)?;
        Some(running.machine.node(node)?.cache.to_vec())
    }

    /// A hash of all that the next process can see, now or after a power cut.
    #[must_use]
    pub fn digest(&self) -> u64 {
        self.shared.lock().machine.digest()
    }
}

impl Running {
    fn moment(&self, operation: Option<Operation>) -> Moment {
        let before = Arc::new(self.machine.clone());
        Moment { index: self.operations, reads: self.reads, operation, before }
    }

    pub(super) fn check_alive(&self, process: u32) -> io::Result<()> {
        if self.machine.dead.contains(&process) {
            return Err(io::Error::other("the process is dead"));
        }
        Ok(())
    }

    /// Does an operation, or what is planned to happen in its place.
    pub(super) fn perform(&mut self, process: u32, operation: &Operation) -> io::Result<()> {
        self.check_alive(process)?;
        if self.moments.is_some() {
            let moment = self.moment(Some(operation.clone()));
            self.moments.get_or_insert_default().push(moment);
        }
        let index = self.operations;
        self.operations += 1;
        let kind = operation.kind();
        let strikes = |at| at == At::Operation(index) || at == At::Next(kind, 0);
        let fault = self.take_fault(strikes);
        for fault in &mut self.faults {
            if let At::Next(waited_for, others) = &mut fault.at
                && *waited_for == kind
            {
                *others = others.saturating_sub(1);
            }
        }
        match fault {
            None | Some(FaultKind::Flip) => {
                self.machine.apply(operation);
                Ok(())
            }
            Some(FaultKind::Fail(error)) => {
                self.machine.fail(operation, &mut self.chance);
                Err(error.into())
            }
            Some(FaultKind::Short) => {
                self.apply_part(operation);
                Err(io::ErrorKind::StorageFull.into())
            }
            Some(FaultKind::Die) => {
                self.apply_part(operation);
                self.machine.dead.insert(process);
                Err(io::Error::other("the process is dead"))
            }
        }
    }

    fn apply_part(&mut self, operation: &Operation) {
        if let Operation::Write { bytes, .. } = operation
            && let Some(part) = operation.shortened(self.chance.below(bytes.len()))
        {
            self.machine.apply(&part);
        }
    }

    /// Counts a reading; `Some` if one bit of it is to flip, with a choice of which.
    pub(super) fn reading(&mut self, process: u32) -> io::Result<Option<u64>> {
        self.check_alive(process)?;
        let index = self.reads;
        self.reads += 1;
        match self.take_fault(|at| at == At::Read(index)) {
            None => Ok(None),
            Some(FaultKind::Flip) => Ok(Some(self.chance.bits())),
            Some(FaultKind::Fail(error)) => Err(error.into()),
            Some(FaultKind::Short | FaultKind::Die) => {
                self.machine.dead.insert(process);
                Err(io::Error::other("the process is dead"))
            }
        }
    }

    fn take_fault(&mut self, strikes: impl Fn(At) -> bool) -> Option<FaultKind> {
        let at = self.faults.iter().position(|fault| strikes(fault.at))?;
        Some(self.faults.remove(at).kind)
    }
}
