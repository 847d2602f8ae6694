/// The version of the rules: a number of our own, and the rules of gitleaks that names and
/// shapes were taken from. It changes with every change of what is found.
pub const RULES: &str = "3 (gitleaks 8.30, 2026-11)";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leads::patterns;
    use crate::providers::PROVIDERS;
    use crate::shapes::SHAPES;

    #[test]
    fn every_shape_has_made_up_secrets() {
        let table = include_str!("../tests/samples/recall.txt");
        let forms = PROVIDERS.iter().flat_map(|provider| provider.forms);
        let names = SHAPES.iter().map(|shape| shape.name).chain(forms.map(|form| form.name));
        for name in names {
            let row = format!("\n{name} | ");
            assert!(table.contains(&row), "tests/samples/recall.txt has no row for {name}");
        }
    }

    /// Patterns that lead to a secret are part of the rules: whoever changes them changes the
    /// version, and then the two figures here.
    #[test]
    fn the_version_changes_with_the_rules() {
        // FNV-1a (Fowler, Noll, Vo 1991).
        let sum = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let bytes = patterns().flat_map(|pattern| pattern.bytes().chain([0]));
        let digest = bytes.fold(0xcbf2_9ce4_8422_2325, sum);
        assert_eq!((RULES, digest), ("3 (gitleaks 8.30, 2026-11)", 18_217_272_023_133_439_549));
    }
}
