"""The page that tells what runs say: tables beside the published rows, plots, and every sample."""
