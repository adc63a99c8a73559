"""One engine for every use of an LLM in scoring: typed requests in, verdicts out."""
