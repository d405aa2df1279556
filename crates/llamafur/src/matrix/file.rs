//! A matrix on disk: a signed safetensors file.
//!
//! There may be several matrices, distinguished by the prefixes of their tensors' names. A dense matrix is the tensor
//! `matrix` (C×C, row = source category). A factored one is the tensors `source` and `target` (C×k each), with
//! AdaGrad's sums `source_squares` and `target_squares` (C each). All are 32-bit floats. A file that is used without a
//! corpus also has the names of the categories, end to end (`names`, bytes) and where each begins (`name_offsets`, C +
//! 1, 64-bit). The header has the settings, which this module does not read, and the checksums of the tensors' blocks.

use super::{CheckedRows, DenseMatrix, FactoredMatrix, Matrix};
use crate::error::{Artifact, Error};
use crate::graph::MilestoneId;
use crate::storage::signed::{self, Format};
use crate::storage::tensors::{self, Dtype, MATRIX_KEYS, Tensor, TensorFile};
use crate::storage::{AtomicFile, CheckedMap, FileSums};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::path::Path;
use std::sync::Arc;

/// The version of the model format that this program writes and reads.
const MODEL_VERSION: u32 = 2;

const FORMAT: Format = Format {
    name: "llamafur model",
    version: MODEL_VERSION,
    of: Artifact::Model,
    what: "a model's settings",
};
/// The tensors of the names.
const OFFSETS: &str = "name_offsets";
const NAMES: &str = "names";

/// Bytes in a block of the tensors: few enough to check one for a row of a hundred bytes, enough for their sums to be few.
const BLOCK: usize = 64 << 10;

#[derive(Serialize, Deserialize)]
struct Header<S> {
    settings: S,
    block_bytes: usize,
    blocks: Vec<String>,
}

/// Names end to end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NameTable {
    /// The start of each name, and the end of the last.
    offsets: Vec<u64>,
    text: String,
}

impl<'n> FromIterator<&'n str> for NameTable {
    fn from_iter<I: IntoIterator<Item = &'n str>>(names: I) -> NameTable {
        let (mut offsets, mut text) = (vec![0], String::new());
        for name in names {
            text.push_str(name);
            offsets.push(text.len() as u64);
        }
        NameTable { offsets, text }
    }
}

impl NameTable {
    /// Creates the names of a file; `None` where offsets and bytes do not fit together.
    fn new(offsets: Vec<u64>, bytes: Vec<u8>) -> Option<NameTable> {
        let text = String::from_utf8(bytes).ok()?;
        let is_sound = offsets.first() == Some(&0)
            && offsets.last() == Some(&(text.len() as u64))
            && offsets.is_sorted()
            && offsets.iter().all(|&at| text.is_char_boundary(at as usize));
        is_sound.then_some(NameTable { offsets, text })
    }

    pub(crate) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    pub(crate) fn get(&self, at: usize) -> &str {
        &self.text[self.offsets[at] as usize..self.offsets[at + 1] as usize]
    }

    /// Finds the number of a name, among names that ascend bytewise.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.get(middle).cmp(name) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return Some(middle),
            }
        }
        None
    }
}

/// Writes matrices with their settings, whole or not at all. The names of a matrix's tensors begin with the text beside it.
pub(crate) fn write(
    path: &Path,
    create: impl FnOnce(&Path, usize) -> Result<AtomicFile, Error>,
    settings: &impl Serialize,
    matrices: &[(String, &Matrix)],
    names: Option<&NameTable>,
) -> Result<FileSums, Error> {
    let of_matrices = matrices.iter().flat_map(|(prefix, matrix)| tensors_of(prefix, matrix));
    // The widest numbers first and bytes last, so that all are aligned.
    let offsets =
        names.map(|NameTable { offsets, .. }| Tensor::new(OFFSETS, Dtype::U64, vec![offsets.len()], offsets));
    let bytes =
        names.map(|NameTable { text, .. }| Tensor::new(NAMES, Dtype::U8, vec![text.len()], text.as_bytes()));
    let tensors: Vec<Tensor<'_>> = offsets.into_iter().chain(of_matrices).chain(bytes).collect();
    let blocks = tensors::block_sums(&tensors, BLOCK).map_err(Error::io(path))?;
    let header = Header { settings, block_bytes: BLOCK, blocks: signed::sums_to_text(&blocks) };
    tensors::write(create(path, BLOCK)?, &FORMAT, MATRIX_KEYS, header, &tensors)
}

/// Returns the tensors in the order in which the file has them.
fn tensors_of<'a>(prefix: &str, matrix: &'a Matrix) -> Vec<Tensor<'a>> {
    let categories = matrix.matrix().num_categories();
    let named = |name: &str| format!("{prefix}{name}");
    match matrix {
        Matrix::Dense(matrix) => {
            vec![Tensor::new(named("matrix"), Dtype::F32, vec![categories, categories], matrix.cells())]
        }
        Matrix::Factored(matrix) => {
            let table =
                |name, table| Tensor::new(named(name), Dtype::F32, vec![categories, matrix.rank()], table);
            let sums = |name, sums| Tensor::new(named(name), Dtype::F32, vec![categories], sums);
            let mut tensors = vec![table("source", matrix.source()), table("target", matrix.target())];
            if let Some([source, target]) = matrix.squares() {
                tensors.extend([sums("source_squares", source), sums("target_squares", target)]);
            }
            tensors
        }
    }
}

/// The form of a matrix on disk.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Form {
    Dense,
    Factored { rank: usize },
}

/// A file whose settings are read and whose matrices are not.
pub(crate) struct MatrixFile<S> {
    file: TensorFile<Header<S>>,
    map: Arc<CheckedMap>,
}

impl<S: Serialize + DeserializeOwned> MatrixFile<S> {
    pub(crate) fn open(path: &Path) -> Result<MatrixFile<S>, Error> {
        let (file, map) = TensorFile::<Header<S>>::open(path, &FORMAT)?;
        let sums = signed::sums_from_text(path, &file.header.blocks)?;
        let (summed, block_bytes) = (file.data_at..map.len(), file.header.block_bytes.max(1));
        let map = Arc::new(CheckedMap::new(path.into(), map, summed, block_bytes, sums)?);
        Ok(MatrixFile { file, map })
    }

    pub(crate) fn path(&self) -> &Path {
        self.map.path()
    }

    pub(crate) fn settings(&self) -> &S {
        &self.file.header.settings
    }

    pub(crate) fn into_settings(self) -> S {
        self.file.header.settings
    }

    /// Returns the names of `num` categories; `None` where the file has none.
    pub(crate) fn names(&self, num: usize) -> Result<Option<NameTable>, Error> {
        if !self.file.has(OFFSETS) {
            return Ok(None);
        }
        let at = self.file.place(OFFSETS, Dtype::U64, &[num.saturating_add(1)])?;
        let offsets = self.map.values::<u64>(at, 0..num + 1)?.to_vec();
        let end = offsets[num] as usize;
        let bytes = self.map.values::<u8>(self.file.place(NAMES, Dtype::U8, &[end])?, 0..end)?.to_vec();
        let broken = || Error::damaged(self.path(), "names in disorder", "the names of the categories");
        NameTable::new(offsets, bytes).map(Some).ok_or_else(broken)
    }

    /// Returns the matrix over `num` categories whose tensors' names begin with `prefix`. Its numbers are checked when
    /// they are read.
    pub(crate) fn read(&self, prefix: &str, num: usize, form: Form) -> Result<StoredMatrix, Error> {
        let places = self.places(prefix, num, form)?;
        let map = &self.map;
        let matrix = match form {
            Form::Factored { rank } => {
                let squares = places.get(2..4).map(|squares| [squares[0], squares[1]]);
                let tables = [places[0], places[1]];
                Matrix::Factored(FactoredMatrix::mapped(rank, num, map, tables, squares))
            }
            Form::Dense => Matrix::Dense(DenseMatrix::mapped(num, map.clone(), places[0])),
        };
        Ok(StoredMatrix(matrix))
    }

    /// Returns the starts of the tensors.
    fn places(&self, prefix: &str, num: usize, form: Form) -> Result<Vec<usize>, Error> {
        let named = |name: &str| format!("{prefix}{name}");
        let place = |name: &str, dtype, shape: &[usize]| self.file.place(&named(name), dtype, shape);
        match form {
            Form::Factored { rank } => {
                let tables = ["source", "target"].map(|name| place(name, Dtype::F32, &[num, rank]));
                let squares = ["source_squares", "target_squares"];
                let has_sums = squares.iter().any(|name| self.file.has(&named(name)));
                let sums = squares.into_iter().filter(|_| has_sums);
                tables.into_iter().chain(sums.map(|name| place(name, Dtype::F32, &[num]))).collect()
            }
            Form::Dense => Ok(vec![place("matrix", Dtype::F32, &[num, num])?]),
        }
    }
}

/// A matrix that may be in a file whose blocks are still to be checked; what it hands out is checked.
#[derive(Debug)]
pub(crate) struct StoredMatrix(Matrix);

impl From<Matrix> for StoredMatrix {
    fn from(matrix: Matrix) -> StoredMatrix {
        StoredMatrix(matrix)
    }
}

impl StoredMatrix {
    /// Returns the whole matrix.
    pub(crate) fn all(&self) -> Result<&Matrix, Error> {
        self.0.check_all()?;
        Ok(&self.0)
    }

    /// Returns the matrix after all of it was checked before.
    pub(crate) fn all_checked_before(&self) -> &Matrix {
        &self.0
    }

    /// Returns the rows of these source categories.
    pub(crate) fn rows<'a>(&'a self, sources: &'a [MilestoneId]) -> Result<CheckedRows<'a>, Error> {
        self.check_rows(sources)?;
        Ok(CheckedRows::new(self.0.matrix(), sources))
    }

    /// Returns the matrix if it is factored, with the rows of these categories checked in its source table.
    pub(crate) fn factored(&self, sources: &[MilestoneId]) -> Result<Option<&FactoredMatrix>, Error> {
        let Matrix::Factored(matrix) = &self.0 else { return Ok(None) };
        self.check_rows(sources)?;
        Ok(Some(matrix))
    }

    /// Returns the matrix if it is factored, with the rows of these categories checked in both tables.
    pub(crate) fn factored_on_both_sides(
        &self,
        categories: &[MilestoneId],
    ) -> Result<Option<&FactoredMatrix>, Error> {
        let Some(matrix) = self.factored(categories)? else { return Ok(None) };
        categories.iter().try_for_each(|one| matrix.check_target_rows(one.index()..one.index() + 1))?;
        Ok(Some(matrix))
    }

    fn check_rows(&self, sources: &[MilestoneId]) -> Result<(), Error> {
        sources.iter().try_for_each(|source| self.0.check_rows(source.index()..source.index() + 1))
    }
}
