module assay

go 1.21
