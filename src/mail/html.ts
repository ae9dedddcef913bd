/** HTML that is safe to send. Only the `html` tag makes it. */
export class Html {
  constructor(readonly text: string) {}
}

type Value = string | number | Html | Html[]

/** Builds HTML and escapes every value put into it, except what is already Html. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(parts.reduce((text, part, index) => text + shown(values[index - 1] ?? '') + part))
}

function shown(value: Value): string {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(each => each.text).join('')
  return String(value).replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
