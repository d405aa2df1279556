//! Undoes the run-length encoding, the first step of compression: four equal bytes are followed by the number of
//! further ones.

/// Number of places searched together for four equal bytes.
const TOGETHER: usize = 32;

/// Appends the unpacked bytes of `packed` to `out`; returns false if `packed` ends where a count should be.
#[must_use]
pub(super) fn unpack(packed: &[u8], out: &mut Vec<u8>) -> bool {
    let mut rest = packed;
    while let Some(at) = four_equal(rest) {
        let (plain, counted) = rest.split_at(at + 4);
        let Some((&count, after)) = counted.split_first() else {
            return false;
        };
        out.extend_from_slice(plain);
        out.resize(out.len() + usize::from(count), plain[at]);
        rest = after;
    }
    out.extend_from_slice(rest);
    true
}

/// Finds the first place with four equal bytes.
#[inline]
fn four_equal(bytes: &[u8]) -> Option<usize> {
    let mut from = 0;
    while let Some(window) = bytes.get(from..from + TOGETHER + 3) {
        // Without a way out inside, the compiler does this for many bytes at once.
        let found = (0..TOGETHER).fold(false, |found, i| {
            found
                | ((window[i] == window[i + 1]) & (window[i] == window[i + 2]) & (window[i] == window[i + 3]))
        });
        if found {
            break;
        }
        from += TOGETHER;
    }
    bytes[from..].windows(4).position(|four| four.iter().all(|byte| *byte == four[0])).map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpacked(packed: &[u8]) -> Option<Vec<u8>> {
        let mut out = b"x".to_vec();
        unpack(packed, &mut out).then(|| out.split_off(1))
    }

    #[test]
    fn counts_follow_four_equal_bytes() {
        assert_eq!(unpacked(b""), Some(vec![]));
        assert_eq!(unpacked(b"aaab"), Some(b"aaab".to_vec()));
        assert_eq!(unpacked(b"aaaa\x00b"), Some(b"aaaab".to_vec()));
        assert_eq!(unpacked(b"baaaa\x02aac"), Some(b"baaaaaaaac".to_vec()));
        assert_eq!(unpacked(&[7; 5]), Some(vec![7; 11]));
        assert_eq!(unpacked(&[255; 10]), Some(vec![255; 518]));
        assert_eq!(unpacked(b"aaaa"), None);
    }

    #[test]
    fn four_equal_bytes_are_found_wherever_they_are() {
        for length in 4..150 {
            for at in 0..=length - 4 {
                let mut bytes: Vec<u8> = (0..length).map(|i| i as u8).collect();
                bytes[at..at + 4].fill(200);
                assert_eq!(four_equal(&bytes), Some(at));
                bytes[at + 3] = 201;
                assert_eq!(four_equal(&bytes), None);
            }
        }
    }
}
