use super::*;
use crate::StaticTable;

fn built_in() -> Vec<u8> {
    StaticTable::built_in().table().all.to_vec()
}

/// A table of two dimensions and the pieces `a`, `ab` and `##b`.
pub(crate) fn small() -> Vec<u8> {
    sealed(&[2, 3, 2, 4, 2, 0], b"aabb", &[1, 2, 1])
}

fn sealed(numbers: &[u32; 6], text: &[u8], lengths: &[u8]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(numbers.iter().flat_map(|one| one.to_le_bytes()));
    let mut body = vec![0; 4];
    body.extend([1_000_u16, 2_000, 3_000].iter().flat_map(|one| one.to_le_bytes()));
    body.extend([1_000_u16, 500, 0].iter().flat_map(|one| one.to_le_bytes()));
    body.extend([127, 0, 0, 127, 0x81, 5]);
    body.extend(lengths);
    body.extend(text);
    let mut hasher = blake3::Hasher::new();
    hasher.update(&bytes).update(&body);
    bytes.extend(hasher.finalize().as_bytes());
    bytes.extend(body);
    bytes
}

#[test]
fn the_built_in_table_is_as_it_was_written() {
    let table = StaticTable::built_in().table();
    assert_eq!(table.verify(), Ok(()));
    assert_eq!((table.dimensions(), table.count()), (256, 29_523));
    assert!(table.all.len() <= 8_000_000);
}

#[test]
fn every_piece_of_the_built_in_table_is_found_where_it_is() {
    let table = StaticTable::built_in().table();
    for index in 0..table.count() {
        let (goes_on, text) = table.piece(index).unwrap();
        assert_eq!(table.find(goes_on, text.as_bytes()), Some(index), "{text}");
    }
    for (goes_on, unknown) in [(false, "qzx"), (true, ""), (false, ""), (true, "zzzzzz")] {
        assert_eq!(table.find(goes_on, unknown.as_bytes()), None, "{unknown}");
    }
}

#[test]
fn a_small_table_is_read() {
    let bytes = small();
    let table = Table::open(&bytes).unwrap();
    assert_eq!(table.verify(), Ok(()));
    let pieces: Vec<_> = (0..4).map(|index| table.piece(index)).collect();
    assert_eq!(pieces, [Some((false, "a")), Some((false, "ab")), Some((true, "b")), None]);
    assert_eq!(table.find(true, b"b"), Some(2));
    assert_eq!(table.find(false, b"b"), None);
    assert_eq!((table.scale(1), table.weight(1)), (2_000, 500));
    assert_eq!(table.row(2), Some(&[0x81, 5][..]));
    assert_eq!((table.row(3), table.scale(3), table.row(usize::MAX)), (None, 0, None));
}

#[test]
fn a_cut_table_is_no_table() {
    let bytes = small();
    for len in 0..bytes.len() {
        let error = Table::open(&bytes[..len]).unwrap_err();
        let expected = if len < HEADER {
            TableError::Header { found: len }
        } else {
            TableError::Length { expected: bytes.len(), found: len }
        };
        assert_eq!(error, expected);
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(matches!(Table::open(&longer), Err(TableError::Length { .. })));
    let whole = built_in();
    assert!(matches!(Table::open(&whole[..whole.len() / 2]), Err(TableError::Length { .. })));
}

#[test]
fn each_flipped_bit_of_a_table_is_found_and_harms_no_reader() {
    let bytes = small();
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let Ok(table) = Table::open(&flipped) else { continue };
        assert_eq!(table.verify(), Err(TableError::Digest), "bit {bit}");
        // What is read of it may be wrong; it is no panic.
        let _ = StaticTable::new(table).vector("ab a b aab");
    }
}

#[test]
fn a_tampered_built_in_table_is_found() {
    let mut bytes = built_in();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    assert_eq!(Table::open(&bytes).unwrap().verify(), Err(TableError::Digest));
}

#[test]
fn numbers_and_pieces_that_make_no_sense_are_refused_though_sealed() {
    let shapes = [
        [0, 3, 2, 4, 2, 0],
        [2, 3, 4, 4, 2, 0],
        [u32::MAX, 3, 2, 4, 2, 0],
        [2, u32::MAX, 2, 4, 2, 0],
        [2, 3, 2, u32::MAX, 2, 0],
        [2, 3, 2, 4, 256, 0],
    ];
    for numbers in shapes {
        let bytes = sealed(&numbers, b"aabb", &[1, 2, 1]);
        assert_eq!(Table::open(&bytes).unwrap_err(), TableError::Shape, "{numbers:?}");
    }
    let pieces: [(&[u8], [u8; 3]); 5] = [
        (b"baba", [1, 2, 1]),
        (b"aabb", [1, 2, 2]),
        (b"aabb", [1, 2, 0]),
        (b"aabb", [1, 1, 2]),
        (b"aa\xffb", [1, 2, 1]),
    ];
    for (text, lengths) in pieces {
        let bytes = sealed(&[2, 3, 2, 4, 2, 0], text, &lengths);
        let table = Table::open(&bytes).unwrap();
        assert_eq!(table.verify(), Err(TableError::Pieces), "{text:?} {lengths:?}");
    }
    let mut other = small();
    other[7] = 2;
    assert_eq!(Table::open(&other).unwrap_err(), TableError::Magic);
}
