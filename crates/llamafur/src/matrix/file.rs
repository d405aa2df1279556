//! A matrix on disk: a signed safetensors file.
//!
//! There may be several matrices, told apart by how the names of their tensors begin. A dense matrix is the tensor `matrix` (C×C, row = source category). A factored one is the tensors `source` and
//! `target` (C×k each), with AdaGrad's sums `source_squares` and `target_squares` (C each). All are 32-bit floats. A
//! sparse one of N cells is the tensors `offsets` (C + 1, 64-bit), `columns` (N, 32-bit) and `weights` (N, 32-bit
//! floats) of a CSR table, and of the naive learner `log_pages` (C, 64-bit floats), by which pairs without a cell are
//! weighed. The header has the settings, which this module does not read, and the checksums of the tensors' blocks.

use super::{CheckedRows, DenseMatrix, FactoredMatrix, Matrix, SparseMatrix};
use crate::error::{Artifact, Error};
use crate::graph::MilestoneId;
use crate::storage::signed::{self, Format};
use crate::storage::tensors::{self, Dtype, Keys, Tensor, TensorFile};
use crate::storage::{CheckedMap, FileSums};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
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
const KEYS: Keys = ["data_offsets", "dtype", "shape"];

/// Bytes in a block of the tensors: few enough to check one for a row of a hundred bytes, enough for their sums to be few.
const BLOCK: usize = 64 << 10;

#[derive(Serialize, Deserialize)]
struct Header<S> {
    settings: S,
    block_bytes: usize,
    blocks: Vec<String>,
}

/// Writes matrices with their settings, whole or not at all. The names of a matrix's tensors begin with the text beside it.
pub(crate) fn write(
    path: &Path,
    settings: &impl Serialize,
    matrices: &[(String, &Matrix)],
) -> Result<FileSums, Error> {
    let tensors: Vec<Tensor<'_>> =
        matrices.iter().flat_map(|(prefix, matrix)| tensors_of(prefix, matrix)).collect();
    let blocks = tensors::block_sums(&tensors, BLOCK).map_err(Error::io(path))?;
    let header = Header { settings, block_bytes: BLOCK, blocks: signed::sums_to_text(&blocks) };
    tensors::write(path, &FORMAT, KEYS, header, &tensors, BLOCK)
}

/// The tensors in the order in which the file has them.
fn tensors_of<'a>(prefix: &str, matrix: &'a Matrix) -> Vec<Tensor<'a>> {
    let categories = matrix.matrix().num_categories();
    let named = |name: &str| format!("{prefix}{name}");
    match matrix {
        Matrix::Dense(matrix) => {
            vec![Tensor::new(named("matrix"), Dtype::F32, vec![categories, categories], matrix.cells())]
        }
        Matrix::Sparse(matrix) => {
            let cells = matrix.num_cells();
            let mut tensors =
                vec![Tensor::new(named("offsets"), Dtype::U64, vec![categories + 1], matrix.offsets())];
            let logs = matrix.log_pages();
            tensors
                .extend(logs.map(|logs| Tensor::new(named("log_pages"), Dtype::F64, vec![categories], logs)));
            tensors.push(Tensor::new(named("columns"), Dtype::U32, vec![cells], matrix.columns()));
            tensors.push(Tensor::new(named("weights"), Dtype::F32, vec![cells], matrix.weights()));
            tensors
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
    Sparse { cells: usize, has_log_pages: bool },
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

    /// The matrix over `num` categories whose tensors' names begin with `prefix`. Its numbers are checked when they are asked
    /// for.
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
            Form::Sparse { cells, .. } => {
                let offsets = map.values::<u64>(places[0], 0..num + 1)?.to_vec();
                let logs = places.get(3).map(|&at| Ok::<_, Error>(map.values(at, 0..num)?.to_vec()));
                let (columns, weights) = (places[1], places[2]);
                let matrix =
                    SparseMatrix::mapped(offsets, logs.transpose()?, map.clone(), (columns, weights), cells);
                let wrong = || Error::damaged(map.path(), "offsets in disorder", "those of a sparse matrix");
                Matrix::Sparse(matrix.ok_or_else(wrong)?)
            }
        };
        Ok(StoredMatrix(matrix))
    }

    /// Where the tensors begin.
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
            Form::Sparse { cells, has_log_pages } => {
                let mut places = vec![
                    place("offsets", Dtype::U64, &[num.saturating_add(1)])?,
                    place("columns", Dtype::U32, &[cells])?,
                    place("weights", Dtype::F32, &[cells])?,
                ];
                if has_log_pages {
                    places.push(place("log_pages", Dtype::F64, &[num])?);
                }
                Ok(places)
            }
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
    /// The matrix, whole.
    pub(crate) fn all(&self) -> Result<&Matrix, Error> {
        self.0.check_all()?;
        Ok(&self.0)
    }

    /// The rows of these source categories.
    pub(crate) fn rows<'a>(&'a self, sources: &'a [MilestoneId]) -> Result<CheckedRows<'a>, Error> {
        self.check_rows(sources)?;
        Ok(CheckedRows::new(self.0.matrix(), sources))
    }

    /// A factored matrix, of whose source table the rows of these categories are checked.
    pub(crate) fn factored(&self, sources: &[MilestoneId]) -> Result<Option<&FactoredMatrix>, Error> {
        let Matrix::Factored(matrix) = &self.0 else { return Ok(None) };
        self.check_rows(sources)?;
        Ok(Some(matrix))
    }

    fn check_rows(&self, sources: &[MilestoneId]) -> Result<(), Error> {
        sources.iter().try_for_each(|source| self.0.check_rows(source.index()..source.index() + 1))
    }
}
