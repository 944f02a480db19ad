"""An input that has ended becomes the clip that fits every budget."""
