const PLACEHOLDER = /\{\{([^{}]+)\}\}/g

/** Stand for many values each; their readers know them. */
const LEFT_AS_THEY_ARE: ReadonlySet<string> = new Set(['SECRETS', 'FORGED', 'i'])

export type Value = string | number

/**
 * A copy with every `{{NAME}}` in every text replaced, one after the other in the order of their first mention.
 * A text that is nothing but one `{{NAME}}` becomes the value itself, so that a number stays one.
 */
export async function filledIn<T>(template: T, meaningOf: (name: string) => Promise<Value>): Promise<T> {
  const values = new Map<string, Value>()
  for (const [, name] of JSON.stringify(template).matchAll(PLACEHOLDER)) {
    if (!LEFT_AS_THEY_ARE.has(name!) && !values.has(name!)) values.set(name!, await meaningOf(name!))
  }
  return replaced(template, values) as T
}

function replaced(part: unknown, values: ReadonlyMap<string, Value>): unknown {
  if (typeof part === 'string') return replacedText(part, values)
  if (Array.isArray(part)) return part.map(item => replaced(item, values))
  if (typeof part !== 'object' || part === null) return part
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, replaced(value, values)]))
}

function replacedText(text: string, values: ReadonlyMap<string, Value>): Value {
  const whole = values.get(/^\{\{([^{}]+)\}\}$/.exec(text)?.[1] ?? '')
  if (whole !== undefined) return whole
  return text.replace(PLACEHOLDER, (placeholder, name) => String(values.get(name) ?? placeholder))
}
