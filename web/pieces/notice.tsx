import type { ReactNode } from 'react'
import { MainstayError } from '../../client/index.js'
import { type Messages, messageOf } from './messages.js'

/** Good news, read out when it appears. */
export function Success({ children }: { readonly children: ReactNode }) {
  return (
    <p className="notice good" role="status">
      {children}
    </p>
  )
}

/** Something to know before going on. */
export function Hint({ children }: { readonly children: ReactNode }) {
  return <div className="notice">{children}</div>
}

/** Something that has to be done, or else. */
export function Warning({ children }: { readonly children: ReactNode }) {
  return <div className="notice bad">{children}</div>
}

/** What went wrong, read out at once; nothing when nothing did. */
export function Failure({ error, messages }: { readonly error: unknown; readonly messages?: Messages }) {
  if (!error) return null
  const reference = error instanceof MainstayError && error.status >= 500 ? error.requestId : null
  return (
    <div className="notice bad" role="alert">
      {messageOf(error, messages)}
      {reference && <small> Reference for support: {reference}</small>}
    </div>
  )
}
