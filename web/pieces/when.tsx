const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' })

/** A moment (ISO 8601) in the words of the reader's country and time zone. */
export function When({ at }: { readonly at: string }) {
  return <time dateTime={at}>{LOCAL.format(new Date(at))}</time>
}

export function Day({ at }: { readonly at: string }) {
  return <time dateTime={at}>{DAY.format(new Date(at))}</time>
}
