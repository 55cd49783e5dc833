"""The numbers of README.md. Each has a case of tests/vectors.py on either side."""

HASH_SIZE = 32
FRAME_LIMIT = 450
"""Frames of a recording: 15 s at 30 frames a second."""
FRAME_RATE = 30
FRAME_TOLERANCE = 5
"""How many frames a stated duration, and the span of the times, may be away from the number of frames; both ends included."""
ROUNDING = 1e-6
"""Of frames: what the product of a duration and the frame rate may be off by, since 10.1 s × 30 is not exact in binary."""
KEYFRAME_STEP = 3
"""Frames 3, 6, 9 … are keyframes."""
CHECKPOINTS = (150, 300, 450)
"""Frames whose hash the device may sign while it records."""
SECONDS_LIMIT = 1e10
"""Of a time: seconds since 1970 fit, and those since the device was started."""
BODY_LIMIT = 98_304
"""A chain of 450 frames with all digits of each number has about 72,000 bytes."""

# Depth over time.
DEPTH_ALGORITHM = 1
DEPTH_LEAST, DEPTH_MOST = 0.1, 20.0
"""Metres: the range of a valid pixel."""
LAYERS_MOST = 50
SCENE_DEVIATION, SCENE_LAYERS, SCENE_COHERENCE = 0.5, 3, 0.3
"""What a keyframe of a scene with depth exceeds, reaches, and exceeds."""
CONSISTENCY, COHERENCE, STABILITY, JUMP = 0.7, 0.6, 0.8, 2.0
"""Thresholds of the whole recording, included; the last is in metres, and the most that is allowed."""
