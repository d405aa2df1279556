//! A model on disk: a safetensors file with the matrix, and in its metadata everything about it.
//!
//! A dense matrix is the tensor `matrix` (C×C, row = source category). A factored one is the tensors `source` and
//! `target` (C×k each), with AdaGrad's sums `source_squares` and `target_squares` (C each). All are 32-bit floats. A
//! sparse one of N cells is the tensors `offsets` (C + 1, 64-bit), `columns` (N, 32-bit) and `weights` (N, 32-bit
//! floats) of a CSR table, and of the naive learner `log_pages` (C, 64-bit floats), by which pairs without a cell are
//! weighed. The metadata has one entry, `llamafur`: the [`Settings`] as JSON, with the checksums of the tensors' blocks
//! and of the settings themselves. Nothing that differs from run to run is in the file: same graph, settings and seed,
//! same bytes.

use super::{CategoryMatrix, DenseMatrix, FactoredMatrix, SparseMatrix};
use crate::categories::{Categories, CleansingId, Milestones};
use crate::corpus::{Corpus, is_plain};
use crate::error::{Artifact, Error, Missing};
use crate::graph::CategoryId;
use crate::learn::held_out::HeldOut;
use crate::learn::{Figures, Learnt, Method, Origin};
use crate::storage::signed::{self, Refused};
use crate::storage::{AtomicFile, CheckedMap, FileSums, SummingWriter, mmap};
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, SafeTensorError};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The version of the model format that this program writes and reads.
pub const MODEL_VERSION: u32 = 2;

const METADATA_KEY: &str = "llamafur";
const FORMAT: &str = "llamafur model";

/// Bytes in a block of the tensors: a row of a matrix is a few hundred kilobytes at most.
const MODEL_BLOCK: usize = 1 << 20;

/// Everything about a model but its weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The learner.
    pub method: Method,
    /// The seed of all its random choices.
    pub seed: u64,
    /// Passes over the links.
    pub passes: usize,
    /// K of the passive-aggressive learners.
    pub aggressiveness: f64,
    /// Columns of the two tables of a factored matrix: of an ensemble, those of all its members.
    pub rank: usize,
    /// Of how many factored matrices it is the mean; none of a single one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ensemble: Option<usize>,
    /// Rounds over which `averaged` deals a page's examples.
    pub rounds: usize,
    /// The checksum of the graph it was trained on, [`crate::corpus::Manifest::graph_checksum`].
    pub graph: String,
    /// Categories on either side.
    pub categories: usize,
    /// The cleansing whose milestones these are; none if they are the categories of the corpus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cleansing: Option<CleansingId>,
    /// Cells of a sparse matrix; none of another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<u64>,
    /// The model that it went on from, if it did: these are the settings of the passes since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// What training counted.
    pub figures: Figures,
    /// How well the learner did on links held out; none where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<HeldOut>,
}

impl Settings {
    /// How many matrices it is the mean of: 1 but for an ensemble.
    pub fn members(&self) -> usize {
        self.ensemble.unwrap_or(1).max(1)
    }
}

/// What the metadata says.
#[derive(Serialize, Deserialize)]
struct Header {
    settings: Settings,
    block_bytes: usize,
    blocks: Vec<String>,
}

#[derive(Debug)]
enum Matrix {
    Dense(DenseMatrix),
    Sparse(SparseMatrix),
    Factored(FactoredMatrix),
}

/// A trained matrix with its settings.
#[derive(Debug)]
pub struct Model {
    name: String,
    settings: Settings,
    milestones: Option<Arc<Milestones>>,
    matrix: Matrix,
    /// The file, where its blocks are still to be checked, and where the cells of a dense matrix begin.
    unchecked: Option<(Arc<CheckedMap>, usize)>,
}

impl Model {
    /// A model of these categories, whose number and cleansing the settings must name. Their number of cells is
    /// set to that of the matrix.
    pub fn new(name: &str, mut settings: Settings, learnt: Learnt, categories: &Categories) -> Model {
        settings.cells = match &learnt {
            Learnt::Sparse(matrix) => Some(matrix.num_cells() as u64),
            _ => None,
        };
        let matrix = match learnt {
            Learnt::Dense(matrix) => Matrix::Dense(matrix),
            Learnt::Sparse(matrix) => Matrix::Sparse(matrix),
            Learnt::Factored(matrix) => Matrix::Factored(matrix),
        };
        let milestones = categories.milestones().cloned();
        Model { name: name.into(), settings, milestones, matrix, unchecked: None }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Everything about it but its weights.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What tells this model from others: a checksum of its settings, which name the graph and the seed, and so determine
    /// the weights.
    pub fn checksum(&self) -> String {
        let settings = serde_json::to_vec(&self.settings).expect("strings and numbers can always be written");
        blake3::hash(&settings).to_hex().to_string()
    }

    /// The categories that the matrix has rows for.
    pub fn categories(&self, corpus: &Corpus) -> Categories {
        Categories::of_milestones(corpus, self.milestones.clone())
    }

    /// The matrix, whole.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn matrix(&self) -> Result<&dyn CategoryMatrix, Error> {
        if let Some((map, _)) = &self.unchecked {
            map.check_all()?;
        }
        Ok(self.as_matrix())
    }

    /// The matrix, of which only the rows of these source categories will be looked at.
    ///
    /// # Errors
    /// If the file is damaged there.
    pub fn matrix_rows(&self, sources: &[CategoryId]) -> Result<&dyn CategoryMatrix, Error> {
        if let Matrix::Sparse(matrix) = &self.matrix {
            sources.iter().try_for_each(|&source| matrix.check_row(source))?;
        } else if let Some((map, at)) = &self.unchecked {
            let row_bytes = self.settings.categories * size_of::<f32>();
            for category in sources {
                let start = at + category.index() * row_bytes;
                map.check(start..start + row_bytes)?;
            }
        }
        Ok(self.as_matrix())
    }

    fn as_matrix(&self) -> &dyn CategoryMatrix {
        match &self.matrix {
            Matrix::Dense(matrix) => matrix,
            Matrix::Sparse(matrix) => matrix,
            Matrix::Factored(matrix) => matrix,
        }
    }

    /// The two tables, of a factored model.
    pub(crate) fn factored(&self) -> Option<&FactoredMatrix> {
        match &self.matrix {
            Matrix::Factored(matrix) => Some(matrix),
            _ => None,
        }
    }

    /// The weights of a row that are not zero; none of a factored model. Whoever asks has checked the file.
    pub(crate) fn cells_of_row(&self, source: CategoryId) -> Vec<(CategoryId, f32)> {
        let cells: Box<dyn Iterator<Item = (u32, f32)> + '_> = match &self.matrix {
            Matrix::Dense(matrix) => {
                let num = self.settings.categories;
                Box::new((0..).zip(matrix.cells()[source.index() * num..][..num].iter().copied()))
            }
            Matrix::Sparse(matrix) => {
                let [start, end] = [0, 1].map(|next| matrix.offsets()[source.index() + next] as usize);
                Box::new(
                    matrix.columns()[start..end]
                        .iter()
                        .copied()
                        .zip(matrix.weights()[start..end].iter().copied()),
                )
            }
            Matrix::Factored(_) => Box::new(std::iter::empty()),
        };
        cells.filter(|cell| cell.1 != 0.0).map(|(target, weight)| (CategoryId(target), weight)).collect()
    }

    /// The name that a model of this method has unless it is given another.
    pub fn default_name(method: Method) -> &'static str {
        if method == Method::Naive { "naive" } else { "llamafur" }
    }

    /// Where the corpus keeps the model of that name.
    ///
    /// # Errors
    /// If the name cannot be that of a file.
    pub fn path(corpus: &Corpus, name: &str) -> Result<PathBuf, Error> {
        if !is_plain(name) {
            return Err(Error::Name { what: Artifact::Model, name: name.into() });
        }
        Ok(models_folder(corpus).join(format!("{name}.safetensors")))
    }

    /// The names of a corpus's models, in order.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn names(corpus: &Corpus) -> Result<Vec<String>, Error> {
        let folder = models_folder(corpus);
        if !folder.exists() {
            return Ok(Vec::new());
        }
        let mut names = Vec::new();
        for entry in fs::read_dir(&folder).map_err(Error::io(&folder))? {
            let file = entry.map_err(Error::io(&folder))?.file_name().to_string_lossy().into_owned();
            if let Some(name) = file.strip_suffix(".safetensors").filter(|name| !name.starts_with('.')) {
                names.push(name.to_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    /// Writes the model into the corpus's folder, whole or not at all, and returns its path and checksum.
    ///
    /// # Errors
    /// If the name cannot be that of a file, or the disk is full.
    pub fn save(&self, corpus: &Corpus) -> Result<(PathBuf, String), Error> {
        let path = Model::path(corpus, &self.name)?;
        let folder = models_folder(corpus);
        fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
        let written = self.write(&path);
        if written.is_err() {
            // Removes the folder only if it is empty: made for a model that could not be written.
            let _ = fs::remove_dir(&folder);
        }
        Ok((path, written?.checksum))
    }

    /// Writes the file: eight bytes with the length of the header, the header as JSON, the tensors.
    ///
    /// By hand, since the writer of `safetensors` renames a file of its own, which we could neither lock nor
    /// sync; what it would have refused is checked by its reader when the model is opened.
    fn write(&self, path: &Path) -> Result<FileSums, Error> {
        let tensors = self.tensors();
        let mut sums = SummingWriter::new(std::io::sink(), MODEL_BLOCK);
        for Tensor { data, .. } in &tensors {
            sums.write_all(data).map_err(Error::io(path))?;
        }
        let header = Header {
            settings: self.settings.clone(),
            block_bytes: MODEL_BLOCK,
            blocks: signed::sums_to_text(&sums.finish().1.blocks),
        };
        let (text, _) = signed::sign(FORMAT, MODEL_VERSION, header);
        let mut entries = serde_json::Map::new();
        entries.insert("__metadata__".into(), serde_json::json!({ METADATA_KEY: text }));
        let mut at = 0;
        for Tensor { name, dtype, shape, data } in &tensors {
            let offsets = [at, at + data.len()];
            let entry = serde_json::json!({ "dtype": dtype, "shape": shape, "data_offsets": offsets });
            entries.insert((*name).into(), entry);
            at += data.len();
        }
        let mut header = serde_json::to_vec(&entries).expect("strings and numbers can always be written");
        // The tensors begin at a multiple of eight bytes, as the format asks.
        header.resize(header.len().next_multiple_of(8), b' ');
        let mut file = AtomicFile::create(path, MODEL_BLOCK)?;
        let length = (header.len() as u64).to_le_bytes();
        for part in [&length[..], &header].into_iter().chain(tensors.iter().map(|tensor| tensor.data)) {
            file.write_all(part).map_err(Error::io(path))?;
        }
        Ok(file.finish()?)
    }

    /// The tensors in the order in which the file has them.
    fn tensors(&self) -> Vec<Tensor<'_>> {
        let categories = self.settings.categories;
        match &self.matrix {
            Matrix::Dense(matrix) => {
                vec![Tensor::new("matrix", Dtype::F32, vec![categories, categories], matrix.cells())]
            }
            Matrix::Sparse(matrix) => {
                let cells = matrix.num_cells();
                let mut tensors =
                    vec![Tensor::new("offsets", Dtype::U64, vec![categories + 1], matrix.offsets())];
                let logs = matrix.log_pages();
                tensors.extend(logs.map(|logs| Tensor::new("log_pages", Dtype::F64, vec![categories], logs)));
                tensors.push(Tensor::new("columns", Dtype::U32, vec![cells], matrix.columns()));
                tensors.push(Tensor::new("weights", Dtype::F32, vec![cells], matrix.weights()));
                tensors
            }
            Matrix::Factored(matrix) => {
                let table =
                    |name, table| Tensor::new(name, Dtype::F32, vec![categories, matrix.rank()], table);
                let sums = |name, sums| Tensor::new(name, Dtype::F32, vec![categories], sums);
                let mut tensors = vec![table("source", matrix.source()), table("target", matrix.target())];
                if let Some([source, target]) = matrix.squares() {
                    tensors.extend([sums("source_squares", source), sums("target_squares", target)]);
                }
                tensors
            }
        }
    }

    /// Opens a model of a corpus.
    ///
    /// # Errors
    /// If there is none of that name, it was trained on another corpus, or it is damaged. The cells of a dense
    /// or sparse matrix are checked when they are asked for.
    pub fn open(corpus: &Corpus, name: &str) -> Result<Model, Error> {
        let path = Model::path(corpus, name)?;
        if corpus.manifest().counts.page_categories == 0 {
            return Err(Error::Missing { path: corpus.path().into(), what: Missing::Categories });
        }
        if !path.exists() {
            let (name, there_are) = (name.to_owned(), Model::names(corpus)?);
            return Err(Error::NotFound { what: Artifact::Model, path, name, there_are });
        }
        let map = mmap::map(&path)?;
        let (header_bytes, metadata) =
            SafeTensors::read_metadata(&map).map_err(|e| tensor_error(&path, e))?;
        let text = metadata.metadata().as_ref().and_then(|entries| entries.get(METADATA_KEY));
        let text = text.ok_or_else(|| Error::damaged(&path, "no entry “llamafur”", "a model's settings"))?;
        let header = parse_header(&path, text)?;
        let settings = header.settings;
        let expected = corpus.manifest().graph_checksum();
        if settings.graph != expected {
            return Err(Error::OtherCorpus { what: Artifact::Model, path });
        }
        let milestones = open_milestones(corpus, &path, &settings)?;
        let sums = signed::sums_from_text(&path, &header.blocks)?;
        let data_at = header_bytes + 8;
        let tensors = SafeTensors::deserialize(&map).map_err(|e| tensor_error(&path, e))?;
        let place = |name: &str, dtype: Dtype, shape: &[usize]| -> Result<usize, Error> {
            let tensor = tensors.tensor(name).map_err(|e| tensor_error(&path, e))?;
            if tensor.dtype() != dtype || tensor.shape() != shape {
                let found = format!("tensor {name} of {:?} and shape {:?}", tensor.dtype(), tensor.shape());
                return Err(Error::damaged(&path, found, format!("{dtype:?} of shape {shape:?}")).into());
            }
            Ok(tensor.data().as_ptr() as usize - map.as_ptr() as usize)
        };
        let (num, rank) = (settings.categories, settings.rank);
        if !rank.is_multiple_of(settings.members()) {
            let found = format!("rank {rank} of {} members", settings.members());
            return Err(Error::damaged(&path, found, "as many columns of each").into());
        }
        let cells = settings.cells.map(|cells| cells as usize);
        let places = match (settings.method, cells) {
            (Method::Factored, _) => {
                let table = |name| place(name, Dtype::F32, &[num, rank]);
                let mut places = vec![table("source")?, table("target")?];
                if tensors.len() > places.len() {
                    for name in ["source_squares", "target_squares"] {
                        places.push(place(name, Dtype::F32, &[num])?);
                    }
                }
                places
            }
            (_, None) => vec![place("matrix", Dtype::F32, &[num, num])?],
            (method, Some(cells)) => {
                let mut places = vec![
                    place("offsets", Dtype::U64, &[num.saturating_add(1)])?,
                    place("columns", Dtype::U32, &[cells])?,
                    place("weights", Dtype::F32, &[cells])?,
                ];
                if method == Method::Naive {
                    places.push(place("log_pages", Dtype::F64, &[num])?);
                }
                places
            }
        };
        let summed = data_at..map.len();
        let map = Arc::new(CheckedMap::new(path, map, summed, header.block_bytes.max(1), sums)?);
        let (matrix, unchecked) = match (settings.method, cells) {
            (Method::Factored, _) => {
                let table = |at| Ok::<_, Error>(map.values(at, 0..num * rank)?.to_vec());
                let (source, target) = (table(places[0])?, table(places[1])?);
                let mut matrix = FactoredMatrix::from_tables(rank, source, target);
                if let [_, _, source, target] = places[..] {
                    let sums = |at| Ok::<_, Error>(map.values(at, 0..num)?.to_vec());
                    matrix = matrix.with_squares([sums(source)?, sums(target)?]);
                }
                (Matrix::Factored(matrix), None)
            }
            (_, None) => {
                let at = places[0];
                (Matrix::Dense(DenseMatrix::mapped(num, map.clone(), at)), Some((map, at)))
            }
            (_, Some(cells)) => {
                let offsets = map.values::<u64>(places[0], 0..num + 1)?.to_vec();
                let logs = places.get(3).map(|&at| Ok::<_, Error>(map.values(at, 0..num)?.to_vec()));
                let (columns, weights) = (places[1], places[2]);
                let matrix =
                    SparseMatrix::mapped(offsets, logs.transpose()?, map.clone(), (columns, weights), cells);
                let wrong = || Error::damaged(map.path(), "offsets in disorder", "those of a sparse matrix");
                (Matrix::Sparse(matrix.ok_or_else(wrong)?), Some((map, columns)))
            }
        };
        Ok(Model { name: name.into(), settings, milestones, matrix, unchecked })
    }
}

/// A tensor as it is written.
struct Tensor<'a> {
    name: &'static str,
    dtype: Dtype,
    shape: Vec<usize>,
    data: &'a [u8],
}

impl<'a> Tensor<'a> {
    fn new<T: bytemuck::Pod>(name: &'static str, dtype: Dtype, shape: Vec<usize>, data: &'a [T]) -> Self {
        Tensor { name, dtype, shape, data: bytemuck::cast_slice(data) }
    }
}

fn parse_header(path: &Path, text: &str) -> Result<Header, Error> {
    let parsed = signed::parse(path, text, (FORMAT, MODEL_VERSION), "a model's settings");
    parsed.map(|(header, _)| header).map_err(|refused| match refused {
        Refused::Version(found, program) => Error::Version {
            path: path.into(),
            what: Artifact::Model,
            found,
            expected: MODEL_VERSION,
            program,
        },
        Refused::Damaged(error) => error.into(),
    })
}

/// The milestones that a model was trained on, if it was.
fn open_milestones(
    corpus: &Corpus,
    model: &Path,
    settings: &Settings,
) -> Result<Option<Arc<Milestones>>, Error> {
    let Some(id) = &settings.cleansing else { return Ok(None) };
    let failed = |cause| Error::Cleansing { path: model.into(), cause: Box::new(cause) };
    let milestones = Milestones::open(corpus, &id.name).map_err(failed)?;
    if milestones.id() != id || milestones.num() != settings.categories {
        return Err(Error::OtherCleansing { path: model.into(), cleansing: id.name.clone() });
    }
    Ok(Some(Arc::new(milestones)))
}

fn models_folder(corpus: &Corpus) -> PathBuf {
    corpus.path().join("models")
}

fn tensor_error(path: &Path, error: SafeTensorError) -> Error {
    Error::damaged(path, error.to_string(), "a safetensors file").into()
}
