//! Arrays of NumPy by their buffers, without a copy: theirs for us, and mapped files for them.
//!
//! The buffer protocol is part of the limited API from Python 3.11 on only, and this extension serves 3.10 too. So the address
//! is taken from `__array_interface__`, which NumPy documents as equivalent.
#![expect(unsafe_code, reason = "an array's buffer is an address")]

use llamafur::vectors::ModelVectors;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::marker::PhantomData;
use std::slice;

/// A type of numbers that arrays can have.
pub(crate) trait Number: Copy + Send + Sync {
    /// As `__array_interface__` writes it.
    const KIND: &str;
}

impl Number for i64 {
    const KIND: &str = "i8";
}

impl Number for u32 {
    const KIND: &str = "u4";
}

impl Number for f32 {
    const KIND: &str = "f4";
}

/// An array of one dimension, its numbers end to end, kept alive as long as it is borrowed.
///
/// The package hands over only arrays that it made itself or that no other thread writes to.
pub(crate) struct Array<T> {
    /// Keeps the numbers where they are.
    _owner: Py<PyAny>,
    address: usize,
    length: usize,
    of: PhantomData<T>,
}

impl<T: Number> Array<T> {
    /// The numbers.
    pub(crate) fn numbers(&self) -> &[T] {
        if self.length == 0 {
            return &[];
        }
        // SAFETY: the array is of NumPy, has this many numbers of this type end to end at this address, and is alive.
        unsafe { slice::from_raw_parts(self.address as *const T, self.length) }
    }
}

impl<T: Number> FromPyObject<'_, '_> for Array<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Array<T>> {
        let refuse =
            |found: String| PyTypeError::new_err(format!("expected an array of {}, got {found}", T::KIND));
        let numpy = object.py().import("numpy")?.getattr("ndarray")?;
        if !object.is_instance(&numpy)? {
            return Err(refuse(object.get_type().to_string()));
        }
        let interface = object.getattr("__array_interface__")?.cast_into::<PyDict>()?;
        let entry = |name: &str| -> PyResult<Bound<'_, PyAny>> {
            interface.get_item(name)?.ok_or_else(|| refuse(format!("no {name}")))
        };
        let kind: String = entry("typestr")?.extract()?;
        let shape: Vec<usize> = entry("shape")?.extract()?;
        let (address, _): (usize, bool) = entry("data")?.extract()?;
        let is_plain = interface.get_item("strides")?.is_none_or(|strides| strides.is_none());
        let [length] = shape[..] else { return Err(refuse(format!("{} dimensions", shape.len()))) };
        let is_native = if cfg!(target_endian = "little") { '<' } else { '>' };
        if kind != format!("{is_native}{}", T::KIND) || !is_plain || !address.is_multiple_of(align_of::<T>())
        {
            return Err(refuse(format!("{kind}, plain: {is_plain}")));
        }
        Ok(Array { _owner: object.to_owned().unbind(), address, length, of: PhantomData })
    }
}

/// Rows of 16-bit integers where a file is mapped, which NumPy reads there; for reading only.
#[pyclass(frozen, module = "llamafur._llamafur")]
pub(crate) struct MappedRows {
    /// Keeps the file mapped: an array keeps the object that it was made from.
    _owner: ModelVectors,
    address: usize,
    shape: (usize, usize),
}

impl MappedRows {
    /// Some of these vectors.
    pub(crate) fn new(vectors: &ModelVectors, rows: &[i16]) -> MappedRows {
        let columns = vectors.dimensions();
        let shape = (rows.len().checked_div(columns).unwrap_or(0), columns);
        MappedRows { _owner: vectors.clone(), address: rows.as_ptr() as usize, shape }
    }
}

#[pymethods]
impl MappedRows {
    /// What `numpy.asarray` asks for.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("shape", self.shape)?;
        interface.set_item("typestr", if cfg!(target_endian = "little") { "<i2" } else { ">i2" })?;
        let is_read_only = true;
        interface.set_item("data", (self.address, is_read_only))?;
        Ok(interface)
    }
}
