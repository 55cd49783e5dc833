"""Chains of frame hashes of a recording, whose last hash a device signed."""
