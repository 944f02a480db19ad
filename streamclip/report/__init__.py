"""The report: its values, its wording, its block in the data, and earlier reports."""
