"""The evaluation frameworks that run our tasks, one package each."""
