/// Bytes drawn by lot, the same in every run.
pub(crate) struct Drawn(u64);

const LOWER: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
const DIGITS: &[u8] = b"0123456789";
const HEX: &[u8] = b"0123456789abcdef";
const UPPER: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const ALNUM: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const LOWER_ALNUM: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";
const BASE64_URL: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl Drawn {
    pub(crate) fn new(seed: u64) -> Drawn {
        Drawn(seed)
    }

    fn next(&mut self) -> u64 {
        // SplitMix64 (Steele, Lea, Flood 2014).
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn of(&mut self, bytes: &[u8], len: usize) -> String {
        let count = u64::try_from(bytes.len()).unwrap();
        let mut draw = || bytes[usize::try_from(self.next() % count).unwrap()];
        (0..len).map(|_| char::from(draw())).collect()
    }

    pub(crate) fn lower(&mut self, len: usize) -> String {
        self.of(LOWER, len)
    }

    pub(crate) fn lower_alnum(&mut self, len: usize) -> String {
        self.of(LOWER_ALNUM, len)
    }

    /// Letters and digits at both ends, as `_` and `-` also delimit.
    pub(crate) fn base64_url(&mut self, len: usize) -> String {
        let inner = self.of(BASE64_URL, len - 2);
        format!("{}{inner}{}", self.of(ALNUM, 1), self.of(ALNUM, 1))
    }

    pub(crate) fn digits(&mut self, len: usize) -> String {
        self.of(DIGITS, len)
    }

    pub(crate) fn hex(&mut self, len: usize) -> String {
        self.of(HEX, len)
    }

    pub(crate) fn upper(&mut self, len: usize) -> String {
        self.of(UPPER, len)
    }

    pub(crate) fn alnum(&mut self, len: usize) -> String {
        self.of(ALNUM, len)
    }

    pub(crate) fn base64(&mut self, len: usize) -> String {
        self.of(BASE64, len)
    }

    pub(crate) fn uuid(&mut self) -> String {
        let parts = [8, 4, 4, 4, 12].map(|len| self.hex(len));
        parts.join("-")
    }
}
