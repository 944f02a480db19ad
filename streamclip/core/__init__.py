"""The one package that imports the compiled module: what C is handed and returns."""
