"""Input becomes chunks of bytes: sources, records, and cuts that others made."""
