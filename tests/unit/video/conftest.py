from video_clips import make_clip, sound_only

__all__ = ["make_clip", "sound_only"]
