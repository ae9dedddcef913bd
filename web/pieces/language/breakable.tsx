import type { ReactNode } from 'react'

const ADDRESS = /(\S+[.@][a-z]\S+|e-mails?)/i
/** Not before the last part: `.com` alone in a line looks like an accident. */
const PART = /(?=@|\.[^.@]+[.@].)|(?<=\/\/)/

/**
 * The text, in which e-mail addresses, hosts and the word “e-mail” are whole where they fit in a line; what does not fit
 * ends it between its parts.
 */
export function breakable(text: string): ReactNode {
  return text.split(ADDRESS).map((piece, index) =>
    index % 2 ? (
      <span key={index} className="address">
        {piece.split(PART).flatMap((part, place) => (place ? [<wbr key={place} />, part] : part))}
      </span>
    ) : (
      piece
    ),
  )
}
