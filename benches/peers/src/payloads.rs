/// Payloads of a seed: bytes of an alphabet of 64, so that nothing compresses them away.
pub(crate) struct Payloads {
    state: u64,
    len: usize,
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

impl Payloads {
    pub(crate) fn new(seed: u64, len: usize) -> Payloads {
        Payloads { state: seed, len }
    }

    pub(crate) fn batch(&mut self, count: usize) -> Vec<Vec<u8>> {
        (0..count).map(|_| self.payload()).collect()
    }

    fn payload(&mut self) -> Vec<u8> {
        let mut payload = Vec::with_capacity(self.len + 8);
        while payload.len() < self.len {
            let random = self.next().to_le_bytes();
            payload.extend(random.map(|byte| ALPHABET[usize::from(byte % 64)]));
        }
        payload.truncate(self.len);
        payload
    }

    /// Source: SplitMix64 (Steele, Lea and Flood 2014).
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
