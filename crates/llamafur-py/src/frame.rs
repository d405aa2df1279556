//! Results with many rows: Arrow record batches that any library takes over without a copy.

use crate::arrow;
use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, RecordBatch, RecordBatchIterator, StringArray, UInt32Array,
    UInt64Array,
};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};
use std::sync::Arc;

/// A table.
#[pyclass(frozen, module = "llamafur._llamafur")]
pub(crate) struct Frame {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Frame {
    /// A table of these columns.
    pub(crate) fn of_columns(columns: Vec<(String, ArrayRef)>) -> PyResult<Frame> {
        let batch = RecordBatch::try_from_iter_with_nullable(
            columns.into_iter().map(|(name, column)| (name, column, true)),
        );
        Ok(Frame::of_batch(batch.map_err(failed)?))
    }

    /// A table of one batch.
    pub(crate) fn of_batch(batch: RecordBatch) -> Frame {
        Frame { schema: batch.schema(), batches: vec![batch] }
    }

    /// A table of batches of one schema.
    pub(crate) fn of_batches(schema: SchemaRef, batches: Vec<RecordBatch>) -> Frame {
        Frame { schema, batches }
    }
}

/// Fields of rows that become the columns of a table, in the order in which they are added.
pub(crate) struct Columns<'a, Row> {
    rows: &'a [Row],
    columns: Vec<(String, ArrayRef)>,
}

impl<'a, Row> Columns<'a, Row> {
    pub(crate) fn of(rows: &'a [Row]) -> Columns<'a, Row> {
        Columns { rows, columns: Vec::new() }
    }

    fn add<Values>(mut self, name: &str, values: Values) -> Self
    where
        Values: Array + 'static,
    {
        self.columns.push((name.to_owned(), Arc::new(values)));
        self
    }

    /// The place of each row, from 1.
    pub(crate) fn rank(self, rank: impl Fn(&'a Row) -> usize) -> Self {
        let ranks = self.rows.iter().map(|row| Some(rank(row) as u32)).collect::<UInt32Array>();
        self.add("rank", ranks)
    }

    pub(crate) fn text<S: AsRef<str>>(self, name: &str, text: impl Fn(&'a Row) -> Option<S>) -> Self {
        let texts = self.rows.iter().map(text).collect::<StringArray>();
        self.add(name, texts)
    }

    pub(crate) fn texts(self, name: &str, texts: impl Fn(&'a Row) -> &'a Vec<String>) -> Self {
        let mut lists = ListBuilder::new(StringBuilder::new());
        for row in self.rows {
            lists.append_value(texts(row).iter().map(Some));
        }
        self.add(name, lists.finish())
    }

    pub(crate) fn number(self, name: &str, number: impl Fn(&'a Row) -> Option<f64>) -> Self {
        let numbers = self.rows.iter().map(number).collect::<Float64Array>();
        self.add(name, numbers)
    }

    pub(crate) fn count(self, name: &str, count: impl Fn(&'a Row) -> u64) -> Self {
        let counts = self.rows.iter().map(|row| Some(count(row))).collect::<UInt64Array>();
        self.add(name, counts)
    }

    pub(crate) fn flag(self, name: &str, flag: impl Fn(&'a Row) -> Option<bool>) -> Self {
        let flags = self.rows.iter().map(flag).collect::<BooleanArray>();
        self.add(name, flags)
    }

    /// The table.
    pub(crate) fn frame(self) -> PyResult<Frame> {
        Frame::of_columns(self.columns)
    }
}

#[pymethods]
impl Frame {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface lets a producer ignore the schema that a consumer would prefer.
        drop(requested_schema);
        let batches = self.batches.clone().into_iter().map(Ok);
        arrow::to_stream(py, Box::new(RecordBatchIterator::new(batches, self.schema.clone())))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        arrow::to_schema(py, &self.schema)
    }

    /// The names of the columns.
    fn columns(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The values of a column in some of the rows.
    fn values<'py>(
        &self,
        py: Python<'py>,
        column: &str,
        start: usize,
        end: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let place = self.schema.index_of(column).map_err(|_| PyKeyError::new_err(column.to_owned()))?;
        let list = PyList::empty(py);
        let mut before = 0;
        for batch in &self.batches {
            let (first, last) = (start.max(before), end.min(before + batch.num_rows()));
            for row in first..last.max(first) {
                list.append(value(py, batch.column(place), row - before)?)?;
            }
            before += batch.num_rows();
        }
        Ok(list)
    }
}

/// A value for Python; `None` where there is none.
fn value<'py>(py: Python<'py>, column: &dyn Array, row: usize) -> PyResult<Bound<'py, PyAny>> {
    if column.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    Ok(match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(row).into_pyobject(py)?.into_any(),
        DataType::Utf8View => column.as_string_view().value(row).into_pyobject(py)?.into_any(),
        DataType::Boolean => column.as_boolean().value(row).into_pyobject(py)?.to_owned().into_any(),
        DataType::UInt32 => column.as_primitive::<UInt32Type>().value(row).into_pyobject(py)?.into_any(),
        DataType::UInt64 => column.as_primitive::<UInt64Type>().value(row).into_pyobject(py)?.into_any(),
        DataType::Float32 => column.as_primitive::<Float32Type>().value(row).into_pyobject(py)?.into_any(),
        DataType::Float64 => column.as_primitive::<Float64Type>().value(row).into_pyobject(py)?.into_any(),
        DataType::List(_) => {
            let values = column.as_list::<i32>().value(row);
            let values = (0..values.len()).map(|place| value(py, &values, place));
            PyList::new(py, values.collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
        other => return Err(PyValueError::new_err(format!("a column of {other}"))),
    })
}

fn failed(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
