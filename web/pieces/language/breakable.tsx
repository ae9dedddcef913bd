import { Children, type ReactNode } from 'react'

const WHOLE = /(\S+[.@][a-z]\S+|\S*e-mail\S*)/i
/** Not before the last part: `.com` alone in a line looks like an accident. */
const PART = /(?=@|\.[^.@]+[.@].)|(?<=\/\/)/

/**
 * Texts, in which e-mail addresses, hosts and words such as “e-mail” are whole where they fit in a line; an address
 * that does not fit ends it between its parts. Elements are left as they are.
 */
export function breakable(content: ReactNode): ReactNode {
  return Children.map(content, child =>
    typeof child === 'string'
      ? child.split(WHOLE).map((piece, index) => (index % 2 ? <Whole key={index} text={piece} /> : piece))
      : child,
  )
}

function Whole({ text }: { readonly text: string }) {
  const [first, ...others] = text.split(PART)
  // Not in a box where it can be avoided: searching a page does not look across its edge.
  return /[.@]\w/.test(text) ? (
    <span className="address">
      {first}
      {others.map((part, index) => (
        <span key={index}>{part}</span>
      ))}
    </span>
  ) : (
    <span className="unbroken">{text}</span>
  )
}
