use anyhow::Result;
use clap::{Args, Subcommand};
use memlith::{LedgerId, Seq};
use serde::Serialize;

use crate::anchor::Anchors;
use crate::context::Context;
use crate::exit::{self, Exit};
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
    ledger: LedgerId,
    verifier_key: String,
    file: String,
    noted_as: Option<Seq>,
}

impl Verb for KeysArgs {
    fn run(self, context: &mut Context) -> Result<Exit> {
        let signer = Anchors::of_user()?.signer()?;
        let is_new = matches!(self.what, Some(What::New(NewArgs {})));
        let ledger = if is_new { context.open()? } else { context.open_to_read()? };
        let (key, noted_as) = if is_new {
            let (new, old) = signer.renew()?;
            let noted = old.map(|old| ledger.note_key_rotation(&old, &new)).transpose()?;
            (new, noted)
        } else {
            let none = || exit::refused("there is no key: `memlith config keys new` makes one");
            (signer.key()?.ok_or_else(none)?, None)
        };
        let answer = Answer {
            ledger: ledger.id(),
            verifier_key: key.verifier(ledger.id()).to_string(),
            file: signer.file().display().to_string(),
            noted_as,
        };
        context.answer(&answer, &answer.verifier_key)?;
        if is_new {
            context.note(format_args!("the key lies in {}; keep a copy", answer.file));
        }
        context.finish(ledger)?;
        Ok(Exit::Ok)
    }
}
