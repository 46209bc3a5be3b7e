"""Every rule, by family: declared here and nowhere else."""
