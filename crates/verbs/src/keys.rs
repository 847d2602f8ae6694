use anyhow::Result;
use clap::{Args, Subcommand};
use memlith::{LedgerId, Seq};
use serde::Serialize;

use crate::anchor::Anchors;
use crate::context::Context;
use crate::exit::Exit;
use crate::verb::Verb;

/// Print the verifier key that others check your signed heads of this ledger with; or make a key.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  memlith config keys > ana.vkey
  memlith config keys new                    # the first, or another one")]
pub(crate) struct KeysArgs {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Debug, Subcommand)]
enum What {
    New(NewArgs),
}

/// Make a key; the one before is put aside, and the ledger notes that another one signs.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  memlith config keys new")]
struct NewArgs {}

#[derive(Serialize)]
struct Answer {
    ledger: Option<LedgerId>,
    verifier_key: Option<String>,
    file: String,
    noted_as: Option<Seq>,
}

impl Verb for KeysArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        let signer = Anchors::of_user()?.signer()?;
        // A witness has a key, and perhaps no ledger.
        let has_ledger = context.ledger_dir().is_ok();
        let is_new = self.what.is_some();
        let ledger = match (has_ledger, is_new) {
            (false, _) => None,
            (true, true) => Some(context.open()?),
            (true, false) => Some(context.open_to_read()?),
        };
        let (key, old) = if is_new { signer.renew()? } else { (signer.the_key()?, None) };
        let noted = ledger.as_ref().zip(old.as_ref());
        let noted = noted.map(|(ledger, old)| ledger.note_key_rotation(old, &key));
        let id = ledger.as_ref().map(|ledger| ledger.id());
        let answer = Answer {
            ledger: id,
            verifier_key: id.map(|id| key.verifier(id).to_string()),
            file: signer.file().display().to_string(),
            noted_as: noted.transpose()?,
        };
        let text = answer.verifier_key.as_deref().unwrap_or("no ledger is here to name it for");
        context.answer(&answer, text)?;
        if is_new {
            context.note(format_args!("the key lies in {}; keep a copy", answer.file));
        }
        if let Some(ledger) = ledger {
            context.finish(ledger)?;
        }
        Ok(Exit::Ok)
    }
}
