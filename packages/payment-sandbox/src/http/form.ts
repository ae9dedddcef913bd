/**
 * A decoded form: `a[b][0]=x` is `{ a: { b: { 0: 'x' } } }`. It has no prototype, so that every name is safe.
 */
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

/** The parameters in sorted order, so that their order in a request does not matter. */
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
  // `expand[]=x` has no index: it is appended.
  form[path.at(-1) || Object.keys(form).length] = value
}

function emptyForm(): Form {
  return Object.create(null) as Form
}
