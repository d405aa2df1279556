"""The same method on Spark."""
