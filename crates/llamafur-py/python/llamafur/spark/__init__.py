"""LlamaFur on Spark."""
