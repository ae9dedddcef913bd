/** NUL and unpaired surrogates in JSON: after an odd number of backslashes. PostgreSQL rejects them. */
const NOT_STORABLE = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g

/** The value as JSON that the database accepts: U+FFFD replaces every character that it does not. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value).replace(NOT_STORABLE, '$1\ufffd')
}
