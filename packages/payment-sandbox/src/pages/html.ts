// The service's mails have the same few lines. Two copies are simpler than a package that both would depend on.

/** HTML that is safe to send: the `html` tag escapes what is put into it. */
export class Html {
  /** The text is taken as it is; pass only constants. */
  constructor(readonly text: string) {}
}

type Value = string | number | Html | Html[]

/** Builds HTML and escapes every value put into it, except what is already Html. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(parts.reduce((text, part, index) => text + render(values[index - 1] ?? '') + part))
}

function render(value: Value): string {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(each => each.text).join('')
  return String(value).replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
