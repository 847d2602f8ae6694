//! Any bytes as one frame: what is accepted is what the table of the format says, and is
//! written the same again.
//!
//! The first byte says what is made right first: the lengths (1), the checksums (2). Four
//! bytes of salt follow.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memlith_fuzz::crc_of;
use memlith_log::{BareFrame, Payload};

const HEAD_LEN: usize = 88;

fuzz_target!(|input: &[u8]| {
    let Some((mode, rest)) = input.split_first() else { return };
    let Some((salt, frame)) = rest.split_first_chunk::<4>() else { return };
    let (salt, mut frame) = (u32::from_le_bytes(*salt), frame.to_vec());
    if frame.len() >= HEAD_LEN + 32 {
        make_right(&mut frame, salt, *mode);
    }
    let decoded = BareFrame::decode(&frame, salt).ok();
    assert_eq!(decoded.is_some(), is_frame(&frame, salt).is_some(), "{frame:?}");
    let Some(decoded) = decoded else { return };
    let len = number(&frame, 8, 4) as usize;
    assert_eq!(decoded.encode(salt), frame[..len], "{decoded:?}");
    assert_eq!(decoded.header.seq.0, number(&frame, 56, 8));
    assert_eq!(decoded.header.recorded_at.0, number(&frame, 64, 8) as i64);
    assert_eq!(decoded.chain.0, frame[24..56]);
    if let Payload::Present { blind, body } = &decoded.payload {
        assert_eq!(blind, &frame[88..104]);
        assert_eq!(body, &frame[104..104 + number(&frame, 72, 4) as usize]);
    }
});

/// The table of `docs/format.md`, section "Frame", check by check.
fn is_frame(bytes: &[u8], salt: u32) -> Option<()> {
    let holds = |condition: bool| condition.then_some(());
    holds(bytes.len() >= HEAD_LEN && bytes.starts_with(b"MLF1"))?;
    let (payload_len, seq) = (number(bytes, 72, 4), number(bytes, 56, 8));
    let slot_len = (16 + payload_len).div_ceil(8).max(4) * 8;
    holds(payload_len <= 16 << 20 && number(bytes, 8, 4) == 88 + slot_len)?;
    let slot = bytes.get(88..88 + slot_len as usize)?;
    holds(bytes[4..8] == crc_of(salt, &[&bytes[..4], &bytes[8..88]]))?;
    holds(bytes[20..24] == crc_of(salt, &[slot]))?;
    let used = match bytes[16] {
        0 => 16 + payload_len as usize,
        1 => 32,
        2 => 0,
        _ => return None,
    };
    let zeros = [&bytes[17..20], &bytes[86..88], &slot[used..]];
    holds(zeros.concat().iter().all(|byte| *byte == 0) && number(bytes, 80, 2) < 16)?;
    let (batch_pos, batch_len) = (number(bytes, 82, 2), number(bytes, 84, 2));
    holds(batch_pos < batch_len && batch_len <= 4_096)?;
    let floor_back = number(bytes, 12, 4);
    let known = floor_back != u64::from(u32::MAX);
    holds(!known || floor_back > batch_pos && floor_back <= seq.saturating_add(1))
}

fn number(bytes: &[u8], at: usize, len: usize) -> u64 {
    bytes[at..at + len].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

fn make_right(frame: &mut Vec<u8>, salt: u32, mode: u8) {
    if mode & 1 != 0 {
        frame[..4].copy_from_slice(b"MLF1");
        let slot_len = frame.len() / 8 * 8 - HEAD_LEN;
        // The length of the padding is the input's: seven bytes at most.
        let longest = slot_len as u32 - 16;
        let shortest = if slot_len == 32 { 0 } else { longest - 7 };
        let payload_len = (number(frame, 72, 4) as u32).clamp(shortest, longest);
        frame[72..76].copy_from_slice(&payload_len.to_le_bytes());
        frame[8..12].copy_from_slice(&(88 + slot_len as u32).to_le_bytes());
    }
    if mode & 2 != 0 {
        let len = (number(frame, 8, 4) as usize).clamp(HEAD_LEN, frame.len());
        let crc = crc_of(salt, &[&frame[88..len]]);
        frame[20..24].copy_from_slice(&crc);
        let crc = crc_of(salt, &[&frame[..4], &frame[8..88]]);
        frame[4..8].copy_from_slice(&crc);
    }
}
