/* SPDX-License-Identifier: Apache-2.0
 *
 * The forms of rows in code_rules.def and code_purposes.def, for a file that
 * says what RULE(languages, kind, op, words, is_kernel_entry, is_leaf_only)
 * makes of one.
 */
#ifndef ANALYZE_CODE_ROWS_H
#define ANALYZE_CODE_ROWS_H

#define GO LANGUAGE_GO
#define JVM LANGUAGE_JVM
#define PYTHON LANGUAGE_PYTHON
#define NODE LANGUAGE_NODE
#define DOTNET LANGUAGE_DOTNET
#define RUBY LANGUAGE_RUBY
#define RUST LANGUAGE_RUST
#define NATIVE LANGUAGE_NATIVE
#define ANY LANGUAGE_ANY

#define R(languages, kind, op, words)                                          \
	RULE(languages, kind, op, words, false, false)
#define E(languages, op, words) RULE(languages, KERNEL, op, words, true, false)
#define W(languages, kind, op, words)                                          \
	RULE(languages, kind, op, words, false, true)

#endif
