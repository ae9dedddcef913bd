/** A decoded form: `a[b][0]=x` is `{ a: { b: { 0: 'x' } } }`. Has no prototype, so any name is just a name. */
export interface Form {
  [name: string]: string | Form
}

/** Decodes a form body or query string with bracket nesting; an empty string gives an empty form. */
export function parseForm(encoded: string): Form {
  const form = emptyForm()
  for (const [key, value] of new URLSearchParams(encoded))
    put(form, key.replaceAll(']', '').split('['), value)
  return form
}

/** The same text for the same parameters in whatever order they were sent. */
export function canonicalForm(encoded: string): string {
  const pairs = new URLSearchParams(encoded)
  pairs.sort()
  return pairs.toString()
}

function put(root: Form, path: string[], value: string): void {
  let form = root
  for (const name of path.slice(0, -1)) {
    const nested = form[name]
    const next = typeof nested === 'object' ? nested : emptyForm()
    form[name] = next
    form = next
  }
  // `expand[]=x` names no position: it goes after those already there.
  form[path.at(-1) || Object.keys(form).length] = value
}

function emptyForm(): Form {
  return Object.create(null) as Form
}
