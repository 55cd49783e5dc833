"""Capture sessions: what an app is to capture, and what it says of what it captured."""
