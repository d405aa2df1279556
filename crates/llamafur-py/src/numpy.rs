//! Arrays of NumPy by their buffers, without a copy.
//!
//! The buffer protocol is part of the limited API from Python 3.11 on only, and this extension serves 3.10 too. So the address
//! is taken from `__array_interface__`, which NumPy documents as equivalent.
#![expect(unsafe_code, reason = "an array's buffer is an address")]

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
