use super::*;
use crate::header::Flags;
use crate::layout::with_crc;
use crate::{Seq, Timestamp};

const SALT: u32 = 0x5EED;

fn header(payload_len: u32) -> RecordHeader {
    RecordHeader {
        seq: Seq(9),
        recorded_at: Timestamp(77),
        payload_len,
        kind: 100,
        kind_version: 1,
        codec: 1,
        flags: Flags::NONE,
        batch_pos: 1,
        batch_len: 3,
    }
}

fn frame(header: &RecordHeader, floor_back: u32, payload: &Payload) -> Vec<u8> {
    let mut out = Vec::new();
    encode_frame(&mut out, SALT, floor_back, &Digest([5; 32]), header, payload);
    out
}

fn present(body: &[u8]) -> Payload {
    Payload::Present { blind: [6; 16], body: body.to_vec() }
}

fn decode(bytes: &[u8]) -> Result<FrameHead, FrameFault> {
    FrameHead::decode(bytes, SALT, len64(bytes.len()))
}

/// The head and the slot, with the head's checksum made right.
fn renewed(bytes: &[u8]) -> Vec<u8> {
    let (head, slot) = bytes.split_at(88);
    [with_crc(FRAME_MAGIC, SALT, &head[8..]).as_slice(), slot].concat()
}

#[test]
fn a_frame_is_as_long_as_its_body_needs() {
    for (payload_len, len) in
        [(0, 120), (16, 120), (17, 128), (24, 128), (25, 136), (1_008, 1_112), (1_009, 1_120)]
    {
        assert_eq!(frame_len(payload_len), len, "{payload_len}");
    }
}

#[test]
fn every_payload_round_trips_and_every_state_is_told() {
    let digest = Digest([4; 32]);
    let cases = [
        (present(&[1; 17]), SlotState::Present),
        (present(&[1; 24]), SlotState::Present),
        (Payload::Erased { payload_digest: digest }, SlotState::Erased),
        (Payload::Destroyed, SlotState::Destroyed),
    ];
    for (payload, state) in cases {
        let payload_len = if payload == present(&[1; 24]) { 24 } else { 17 };
        let header = header(payload_len);
        let bytes = frame(&header, 4, &payload);
        assert_eq!(bytes.len(), 128);
        let head = decode(&bytes).unwrap();
        assert_eq!((head.header, head.chain, head.floor_back), (header, Digest([5; 32]), 4));
        assert_eq!((head.frame_len, head.slot_len(), head.slot_state()), (128, 40, Some(state)));
        let slot = &bytes[88..];
        assert_eq!(head.check_slot(slot, SALT), Ok(state));
        assert_eq!(head.payload(state, slot).as_ref(), Some(&payload));
        let expected = match &payload {
            Payload::Present { blind, body } => Some(payload_digest(blind, body)),
            Payload::Erased { payload_digest } => Some(*payload_digest),
            Payload::Destroyed => None,
        };
        assert_eq!(head.slot_digest(state, slot), expected);
        assert_eq!(head.record_hash(&digest), record_hash(&header.encode(), &digest));
        assert_eq!(head.check_slot(&slot[1..], SALT), Err(FrameFault::Incomplete));
        let mut rotten = slot.to_vec();
        rotten[39] ^= 1;
        assert_eq!(head.check_slot(&rotten, SALT), Err(FrameFault::SlotCrc));
    }
}

#[test]
fn a_head_is_not_believed_before_its_checks() {
    let bytes = frame(&header(17), 4, &present(&[1; 17]));
    let refused = |bytes: &[u8], remaining| FrameHead::decode(bytes, SALT, remaining).err();
    assert_eq!(refused(&bytes[..87], 128), Some(FrameFault::Incomplete));
    assert_eq!(refused(&bytes[..88], 128), None);
    assert_eq!(refused(&bytes, 127), Some(FrameFault::Incomplete));
    assert_eq!(refused(&[0; 128], 128), Some(FrameFault::Magic));
    for at in 0..88 {
        let mut changed = bytes.clone();
        changed[at] ^= 64;
        let expected = match at {
            0..4 => FrameFault::Magic,
            8..12 | 72..76 => FrameFault::Length,
            _ => FrameFault::HeadCrc,
        };
        assert_eq!(refused(&changed, 128), Some(expected), "{at}");
    }
    // The format's limit holds even where length and checksum agree.
    for (payload_len, fault) in
        [(MAX_BODY_LEN, FrameFault::Incomplete), (MAX_BODY_LEN + 1, FrameFault::Length)]
    {
        let long = frame(&header(payload_len), 4, &Payload::Destroyed);
        assert_eq!(refused(&long, 128), Some(fault));
    }
}

#[test]
fn reserved_bytes_padding_and_newer_states_are_refused_under_right_checksums() {
    let cases = [
        (16, 3, FrameFault::Newer),
        (17, 1, FrameFault::Reserved),
        (19, 1, FrameFault::Reserved),
        (80, 16, FrameFault::Newer),
        (86, 1, FrameFault::Reserved),
        (87, 1, FrameFault::Reserved),
        (88 + 33, 1, FrameFault::Reserved),
        (88 + 39, 1, FrameFault::Reserved),
    ];
    let sound = frame(&header(17), 4, &present(&[1; 17]));
    for (at, byte, fault) in cases {
        let mut bytes = sound.clone();
        bytes[at] = byte;
        let slot = crc(SALT, &[&bytes[88..]]);
        bytes[20..24].copy_from_slice(&slot.to_le_bytes());
        let bytes = renewed(&bytes);
        let head = decode(&bytes).unwrap();
        assert_eq!(head.check_slot(&bytes[88..], SALT), Err(fault), "{at}");
    }
}

#[test]
fn places_in_a_batch_and_distances_to_the_floor() {
    assert_eq!((FLOOR_UNKNOWN, FLOOR_FAR), (0xFFFF_FFFF, 0xFFFF_FFFE));
    let cases: [(u16, u16, u32, bool); 12] = [
        (0, 1, 1, true),
        (0, 1, 0, false),
        (0, 1, 10, true),
        (0, 1, 11, false),
        (1, 3, 2, true),
        (1, 3, 1, false),
        (3, 3, 10, false),
        (2, 3, 10, true),
        (0, 0, 1, false),
        (0, 4_096, 1, true),
        (0, 4_097, 1, false),
        (0, 1, FLOOR_UNKNOWN, true),
    ];
    for (batch_pos, batch_len, floor_back, possible) in cases {
        let header = RecordHeader { batch_pos, batch_len, ..header(17) };
        let head = decode(&frame(&header, floor_back, &present(&[1; 17]))).unwrap();
        let case = (batch_pos, batch_len, floor_back);
        assert_eq!(head.batch_possible(), possible, "{case:?}");
        let floor =
            if floor_back == FLOOR_UNKNOWN { 0 } else { 10_u64.saturating_sub(floor_back.into()) };
        assert_eq!(head.floor_count(), floor, "{case:?}");
    }
}
