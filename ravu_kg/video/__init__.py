"""From a file to upright frames with presentation timestamps: probing, reading, sampling, shots, overlay."""
