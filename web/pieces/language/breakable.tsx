import type { ReactNode } from 'react'

const ADDRESS = /(\S+[.@][a-z]\S+|\S*e-mail\S*)/i
/** Not before the last part: `.com` alone in a line looks like an accident. */
const PART = /(?=@|\.[^.@]+[.@].)|(?<=\/\/)/

/**
 * A text, in which e-mail addresses, hosts and words such as “e-mail” are whole where they fit in a line; what does not
 * fit ends it between its parts. Other content is left as it is.
 */
export function breakable(content: ReactNode): ReactNode {
  if (typeof content !== 'string') return content
  return content.split(ADDRESS).map((piece, index) =>
    index % 2 ? (
      <span key={index} className="address">
        {piece.split(PART).flatMap((part, place) => (place ? [<wbr key={place} />, part] : part))}
      </span>
    ) : (
      piece
    ),
  )
}
