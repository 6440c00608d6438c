/** Reading and changing TOML texts without losing what people wrote around the values. */
export { appendTable, insert, newline, remove, removeAll, set, source } from './edit';
export { format, formatKey, formatString, isTable, Raw, type Toml } from './format';
export { find, lineOf, pathOf, plain, read, start, type Doc, type Node, type Path, type Plain, type TomlError } from './tree';
