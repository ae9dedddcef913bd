import { Children, cloneElement, Fragment, type ReactElement, type ReactNode } from 'react'
import { type MessageKey, t } from './t.js'

/** Marks a value that is inserted afterwards; no message contains it. */
const OPEN = '\uE000'
const CLOSE = '\uE001'

/**
 * A message with elements in it. In “Ask <link>{name}</link>.”, `link` is an empty element, which receives
 * the text between the tags, and `name` is any node. Anything that looks like a tag in a value is shown
 * literally. Numbers select plurals.
 */
export function T({ id, ...values }: { readonly id: MessageKey } & Readonly<Record<string, ReactNode>>) {
  const marked = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'number' ? value : `${OPEN}${name}${CLOSE}`,
  ])
  return nodesOf(t(id, Object.fromEntries(marked)), values)
}

function nodesOf(text: string, values: Readonly<Record<string, ReactNode>>): ReactNode {
  // Without flag u: with it, a back-reference never matches in WebKit once the text has a character beyond Latin-1.
  const pieces = text.split(new RegExp(`(<(\\w+)>.*?</\\2>|${OPEN}\\w+${CLOSE}[.,!?]?)`, 's'))
  // Each piece of the split is followed by the name of its tag, if it has one.
  return pieces.flatMap((piece, index) =>
    index % 3 === 2 ? [] : [<Fragment key={index}>{nodeOf(piece, values)}</Fragment>],
  )
}

function nodeOf(piece: string, values: Readonly<Record<string, ReactNode>>): ReactNode {
  if (piece.startsWith(OPEN)) {
    const [name = '', after = ''] = piece.slice(1).split(CLOSE)
    const value = values[name]
    // A full stop is part of the address before it, or else it may begin a line.
    return breakable(typeof value === 'string' ? value + after : [value, after])
  }
  const [, tag = '', inner = ''] = /^<(\w+)>(.*)<\/\1>$/s.exec(piece) ?? []
  if (!tag) return breakable(piece)
  return cloneElement(values[tag] as ReactElement<{ children?: ReactNode }>, {}, nodesOf(inner, values))
}

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

/** A single fact, in a `<dl>`. */
export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{breakable(children)}</dd>
    </div>
  )
}
