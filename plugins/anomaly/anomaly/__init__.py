"""What is odd about a stream of verdicts."""
