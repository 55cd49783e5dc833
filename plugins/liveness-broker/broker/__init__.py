"""Detection of injected captures by a provider over HTTP."""
