# SPDX-License-Identifier: Apache-2.0
# edgeR's quasi-likelihood F test of matrices of counts: TMM, dispersions with a
# trend, one coefficient; p and its Benjamini-Hochberg q of each row.
#
# usage: Rscript edger.R INPUT OUTPUT [robust] [filter]
#
# INPUT: 32 bit integers of this machine: of each matrix rows, columns before,
# columns after, then the counts row by row. OUTPUT: doubles, of each matrix p of
# all rows, then q of all rows; 1 of those that filterByExpr() leaves out.
suppressMessages(library(edgeR))

judge <- function(counts, before, after)
{
	side <- factor(rep(c("before", "after"), c(before, after)),
		       levels = c("before", "after"))
	design <- model.matrix(~ side)
	y <- DGEList(counts = counts, group = side)
	is_kept <- if (is_filtered) filterByExpr(y, group = side) else
		rep(TRUE, nrow(counts))
	y <- calcNormFactors(y[is_kept, , keep.lib.sizes = FALSE])
	if (before + after > 2) {
		y <- estimateDisp(y, design, tagwise = FALSE,
				  robust = is_robust)
		test <- glmQLFTest(glmQLFit(y, design, robust = is_robust),
				   coef = 2)
	} else {
		# Without replicates, as its manual has it: both sides taken
		# as one to find a dispersion.
		y <- estimateGLMCommonDisp(y, method = "deviance",
					   robust = TRUE, subset = NULL)
		test <- glmLRT(glmFit(y, design), coef = 2)
	}
	p <- q <- rep(1, nrow(counts))
	p[is_kept] <- test$table$PValue
	q[is_kept] <- p.adjust(p[is_kept], "BH")
	c(p, q)
}

paths <- commandArgs(trailingOnly = TRUE)
is_robust <- "robust" %in% paths
is_filtered <- "filter" %in% paths
input <- file(paths[1], "rb")
output <- file(paths[2], "wb")
repeat {
	head <- readBin(input, "integer", 3)
	if (length(head) < 3)
		break
	columns <- head[2] + head[3]
	counts <- matrix(readBin(input, "integer", head[1] * columns),
			 ncol = columns, byrow = TRUE)
	writeBin(judge(counts, head[2], head[3]), output)
}
close(output)
cat(as.character(packageVersion("edgeR")), "\n")
