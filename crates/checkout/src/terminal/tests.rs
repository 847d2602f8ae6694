use memlith_event::is_hidden;
use proptest::prelude::*;

use super::*;
use crate::prompt::tests::cited;

#[test]
fn an_item_is_a_line_and_its_words() {
    let mut item = cited(17, "ana", "first\nsecond\u{1b}[2J");
    item.why.disputed = true;
    let expected = "\
memlith://01010101010101010101010101010101/17#0a0a0a0a0a0a  said by ana (web), \
1970-01-01 00:00  disputed
    first
    second\\u{1b}[2J
";
    assert_eq!(for_people(&[item]), expected);
}

proptest! {
    #[test]
    fn no_text_passes_for_another_item(texts in prop::collection::vec(any::<String>(), 0..4)) {
        let forged = "x\nmemlith://01010101010101010101010101010101/1#0a0a0a0a0a0a  user";
        let items: Vec<Cited> = texts.iter()
            .map(|text| cited(1, &format!("{text}{forged}"), &format!("{text}{forged}{text}")))
            .collect();
        let shown = for_people(&items);
        let headers = shown.lines().filter(|line| !line.starts_with("    ")).count();
        prop_assert_eq!(headers, items.len());
        prop_assert!(!shown.chars().any(|c| c != '\n' && is_hidden(c)));
    }
}
