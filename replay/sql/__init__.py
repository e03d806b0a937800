"""One SELECT over the recorded games, in a process that can do nothing else."""
