import { MainstayError } from '@mainstay-auth/client'
import { type ReactNode, useEffect } from 'react'
import { rescueFocus } from '../forms/focus.js'
import { Icon } from '../icon.js'
import { breakable } from '../language/breakable.js'
import { t } from '../language/t.js'
import { type Messages, messageOf } from './messages.js'

/** Good news, read out when it appears. Takes the focus if what it replaces had it. */
export function Success({ children }: { readonly children: ReactNode }) {
  useEffect(rescueFocus, [])
  return (
    <div className="notice good" role="status" tabIndex={-1}>
      <Icon name="check" />
      <div>{breakable(children)}</div>
    </div>
  )
}

/** Something to know before continuing; read out when it appears if it is news. */
export function Hint({
  isNews = false,
  children,
}: {
  readonly isNews?: boolean
  readonly children: ReactNode
}) {
  return (
    <div className="notice" role={isNews ? 'status' : undefined}>
      <Icon name="info" />
      <div>{breakable(children)}</div>
    </div>
  )
}

/** Something that must be done; read out at once when it responds to what somebody did. */
export function Warning({
  isAnswer = false,
  isMild = false,
  children,
}: {
  readonly isAnswer?: boolean
  /** Nothing has gone wrong yet. */
  readonly isMild?: boolean
  readonly children: ReactNode
}) {
  return (
    <div className={`notice ${isMild ? 'warn' : 'bad'}`} role={isAnswer ? 'alert' : undefined}>
      <Icon name="warning" />
      <div>{breakable(children)}</div>
    </div>
  )
}

/** An error, read out at once; renders nothing when there is none. */
export function Failure({
  error,
  messages,
  children,
}: {
  readonly error: unknown
  readonly messages?: Messages | undefined
  /** What can be done about it. */
  readonly children?: ReactNode
}) {
  if (!error) return null
  const reference = error instanceof MainstayError && error.status >= 500 ? error.requestId : null
  return (
    <div className="notice bad" role="alert">
      <Icon name="warning" />
      <div>
        {breakable(messageOf(error, messages))} {breakable(children)}
        {reference && <small> {t('common.reference', { reference })}</small>}
      </div>
    </div>
  )
}
