"""The evaluation frameworks that run our tasks: one package each, with all that is known of it."""
