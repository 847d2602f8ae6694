/// CRC-32 of `parts` as one string, started from `seed`, as it lies in a file.
pub fn crc_of(seed: u32, parts: &[&[u8]]) -> [u8; 4] {
    let mut hasher = crc32fast::Hasher::new_with_initial(seed);
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finalize().to_le_bytes()
}
