//! Tables to and from Python without a copy: the Arrow PyCapsule interface,
//! <https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>.
//!
//! The crate `pyo3-arrow` does this too, with casts, a table type, time zones and `NumPy` arrays: thirty crates more for the
//! four functions below.
#![expect(unsafe_code, reason = "the Arrow C interface hands over pointers")]

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, Schema};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::CStr;
use std::ptr::NonNull;

const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// A capsule with a stream of batches, for `__arrow_c_stream__`.
pub(crate) fn to_stream<'py>(
    py: Python<'py>,
    batches: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'py, PyCapsule>> {
    // Whoever takes the stream out of the capsule leaves an empty one; dropped with the capsule, that does nothing.
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(batches), STREAM)
}

/// A capsule with a schema, for `__arrow_c_schema__`.
pub(crate) fn to_schema<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowSchema::try_from(schema).map_err(refused)?, SCHEMA)
}

/// The batches of an object with `__arrow_c_stream__` or `__arrow_c_array__`; `None` of another object.
pub(crate) fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<Box<dyn RecordBatchReader + Send>>> {
    if object.hasattr("__arrow_c_stream__")? {
        let capsule = object.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
        let stream = content::<FFI_ArrowArrayStream>(&capsule, STREAM)?;
        // SAFETY: a capsule of this name holds a stream. It is taken out, and an empty one is left in its place.
        let reader = unsafe { ArrowArrayStreamReader::from_raw(stream.as_ptr()) }.map_err(refused)?;
        return Ok(Some(Box::new(reader)));
    }
    if object.hasattr("__arrow_c_array__")? {
        let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
            object.call_method0("__arrow_c_array__")?.extract()?;
        let (schema, array) = (schema.cast_into::<PyCapsule>()?, array.cast_into::<PyCapsule>()?);
        let (schema, array) =
            (content::<FFI_ArrowSchema>(&schema, SCHEMA)?, content::<FFI_ArrowArray>(&array, ARRAY)?);
        // SAFETY: capsules of these names hold an array and its schema. The array is taken out, and an empty one left.
        let data = unsafe { from_ffi(FFI_ArrowArray::from_raw(array.as_ptr()), schema.as_ref()) };
        let data = data.map_err(refused)?;
        if !matches!(data.data_type(), arrow_schema::DataType::Struct(_)) {
            return Err(PyTypeError::new_err("expected a table, got a single column"));
        }
        let batch = RecordBatch::from(StructArray::from(data));
        let schema = batch.schema();
        return Ok(Some(Box::new(RecordBatchIterator::new([Ok(batch)], schema))));
    }
    Ok(None)
}

/// What a capsule holds, if it is of that name.
fn content<T>(capsule: &Bound<'_, PyCapsule>, name: &CStr) -> PyResult<NonNull<T>> {
    Ok(capsule.pointer_checked(Some(name))?.cast())
}

fn refused(error: ArrowError) -> PyErr {
    PyValueError::new_err(format!("the table cannot be read: {error}"))
}
