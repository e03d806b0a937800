"""A lake: recorded games as a folder of Parquet files, on a disk that machines share or in an object store."""
