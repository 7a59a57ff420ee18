"""Looking up on a server: few requests, fingerprints only, and no limit that cuts an answer off."""

from __future__ import annotations
