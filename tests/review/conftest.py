from review.reviewing import reviewing

__all__ = ["reviewing"]
