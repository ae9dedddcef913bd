/** NUL and halves of surrogate pairs as JSON writes them: an odd backslash before. PostgreSQL takes them in no text. */
const NOT_STORABLE = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g

/** The value as JSON that the database takes: U+FFFD stands for every character that it does not. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value).replace(NOT_STORABLE, '$1\ufffd')
}
