use super::*;

const SALT: u32 = 0x5EED;

fn footer(sparse: &[(u64, u64)]) -> Footer {
    Footer {
        count: 5,
        first: Seq(10),
        last: Seq(14),
        chain: Digest([7; 32]),
        byte_hash: Digest([8; 32]),
        loss: false,
        dense: true,
        sparse: sparse.iter().map(|(seq, offset)| (Seq(*seq), *offset)).collect(),
    }
}

/// `bytes` with their checksum made right.
fn renewed(bytes: &[u8]) -> Vec<u8> {
    with_crc(FOOTER_MAGIC, SALT, &bytes[8..])
}

#[test]
fn a_footer_round_trips_and_says_its_length() {
    for sparse in [&[][..], &[(10, 128)], &[(10, 128), (14, 65_600)]] {
        for (loss, dense) in [(false, false), (true, false), (false, true), (true, true)] {
            let footer = Footer { loss, dense, ..footer(sparse) };
            let bytes = footer.encode(SALT);
            assert_eq!(len64(bytes.len()), footer.len());
            assert_eq!(footer.len(), 128 + 16 * len64(sparse.len()));
            assert_eq!(Footer::decode(&bytes, SALT), Ok(footer.clone()));
            assert_eq!(Footer::claimed_len(&bytes), Some(footer.len()));
            let trailer = bytes.last_chunk::<8>().unwrap();
            assert_eq!(Footer::claimed_len_from_end(trailer), Some(footer.len()));
            let short = Footer::decode(&bytes[..bytes.len() - 1], SALT);
            assert_eq!(short, Err(FooterFault::Damaged("footer checksum mismatch")));
            assert_ne!(Footer::decode(&bytes, SALT + 1), Ok(footer));
        }
    }
    assert_eq!(Footer::decode(b"MLE", SALT), Err(FooterFault::Damaged("incomplete footer")));
    assert_eq!(Footer::claimed_len(&[0; 128]), None);
    assert_eq!(Footer::claimed_len_from_end(&[0; 8]), None);
}

#[test]
fn a_byte_that_changes_under_a_right_checksum_is_refused_or_means_something_else() {
    let footer = footer(&[(10, 128), (14, 65_600)]);
    let bytes = footer.encode(SALT);
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 2;
        assert!(Footer::decode(&changed, SALT).is_err(), "{at}");
        let changed = match at {
            0..8 => continue,
            _ => renewed(&changed),
        };
        match Footer::decode(&changed, SALT) {
            Ok(other) => {
                assert_eq!((other.encode(SALT) == changed, other == footer), (true, false))
            }
            Err(FooterFault::Newer) => assert!((104..108).contains(&at), "{at}"),
            Err(_) => {}
        }
    }
    // The reserved bytes, and nothing beside them, have one value.
    for at in 108..120 {
        let mut changed = bytes.clone();
        changed[at] = 1;
        let refused = Err(FooterFault::Damaged("impossible footer"));
        assert_eq!(Footer::decode(&renewed(&changed), SALT), refused, "{at}");
    }
}

#[test]
fn what_a_footer_cannot_say_is_refused() {
    let sound = footer(&[(10, 128), (14, 65_600)]);
    let cases = [
        ("no record", Footer { count: 0, ..sound.clone() }),
        ("fewer records than numbers", Footer { count: 4, ..sound.clone() }),
        ("more records than numbers", Footer { count: 6, ..sound.clone() }),
        ("the last before the first", Footer { last: Seq(9), ..sound.clone() }),
        ("an offset of an earlier segment", footer(&[(9, 128)])),
        ("an offset of a later segment", footer(&[(15, 128)])),
        ("offsets out of order", footer(&[(14, 65_600), (10, 128)])),
    ];
    for (what, footer) in cases {
        let refused = Err(FooterFault::Damaged("impossible footer"));
        assert_eq!(Footer::decode(&footer.encode(SALT), SALT), refused, "{what}");
    }
    assert!(Footer::decode(&sound.encode(SALT), SALT).is_ok());
}

#[test]
fn lengths_are_bounded_before_they_are_believed() {
    let longest = u32::try_from(MIN_FOOTER_LEN + ENTRY_LEN * MAX_ENTRIES).unwrap();
    let cases = [
        (0, false),
        (112, false),
        (127, false),
        (128, true),
        (129, false),
        (136, false),
        (144, true),
        (longest, true),
        (longest + 16, false),
        (u32::MAX, false),
    ];
    for (len, possible) in cases {
        assert_eq!(possible_len(len), possible.then_some(u64::from(len)), "{len}");
    }
}

#[test]
fn there_is_room_for_every_offset_of_a_full_segment() {
    for (capacity, room) in [(4_096, 144), (16_384, 144), (16_385, 160), (1 << 20, 128 + 1_024)] {
        assert_eq!(Footer::room(capacity), room, "{capacity}");
    }
}
