use std::ops::Range;

use crate::Rule;
use crate::value::is_placeholder;

/// The password of the URL whose `://` ends at `after`.
///
/// An authority ends at a slash, so each byte is looked at for one URL only.
pub(crate) fn password(text: &str, after: usize) -> Option<Range<usize>> {
    let rest = text.get(after..)?;
    let end = rest.find(|character: char| {
        character.is_whitespace() || "/?#\"'`<>\\|,;(){}".contains(character)
    });
    let authority = rest.get(..end.unwrap_or(rest.len()))?;
    let (userinfo, _) = authority.rsplit_once('@')?;
    let mark = Rule::mark_len(userinfo).unwrap_or(0);
    let (user, password) = userinfo.get(mark..)?.split_once(':')?;
    let exempt =
        password.is_empty() || is_placeholder(password) || Rule::mark_len(password).is_some();
    let start = after + mark + user.len() + 1;
    (!exempt).then(|| start..start + password.len())
}
