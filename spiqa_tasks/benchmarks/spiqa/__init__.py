"""SPIQA: free-form questions over the figures and tables of scientific papers."""
