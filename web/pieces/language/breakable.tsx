import { Children, type ReactNode } from 'react'

const WHOLE = /(\S+[.@][a-z]\S+|\S*e-mail\S*)/i
/** Not before the last part: `.com` alone in a line looks like an accident. */
const PART = /(?=@|\.[^.@]+[.@].)|(?<=\/\/)/
/** Fits in a notice on a page of 320 px, in characters. */
const LONGEST_PART = 20

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

/** A hyphen in it ends no line, unless the part alone may be longer than one. */
function Part({ text }: { readonly text: string }) {
  return text.includes('-') && text.length <= LONGEST_PART ? <span className="unbroken">{text}</span> : text
}

function Whole({ text }: { readonly text: string }) {
  const [first, ...others] = text.split(PART)
  // Not in a box where it can be avoided: searching a page does not look across its edge.
  return /[.@]\w/.test(text) ? (
    <span className="address">
      <Part text={first ?? ''} />
      {others.map((part, index) => (
        <span key={index}>
          <Part text={part} />
        </span>
      ))}
    </span>
  ) : (
    <span className="unbroken">{text}</span>
  )
}
