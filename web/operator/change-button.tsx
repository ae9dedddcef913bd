import { type ReactNode, useState } from 'react'
import { useEffect } from '../pieces/activity.js'
import { Dialog } from '../pieces/dialog.js'
import { rescueFocus } from '../pieces/focus.js'
import { Field, Form } from '../pieces/forms.js'
import { type Messages, toast } from '../pieces/notices.js'
import { onEnded, tell } from './api.js'
import { t } from './language.js'

/**
 * A change by an operator: asks for the reason, which is recorded with it. If the login ends meanwhile, the
 * operator finds the question again after the next one, with what they had typed.
 */
export function ChangeButton({
  name,
  label,
  kind = 'plain',
  question,
  path,
  said,
  messages,
  done,
  children,
}: {
  readonly name: string
  /** Needed where several buttons on a page have the same name. */
  readonly label?: string
  readonly kind?: 'danger' | 'plain'
  readonly question: string
  /** The path of the route that makes it. */
  readonly path: string
  /** The message once it is made. */
  readonly said: string
  /** For refusals that mean something different here. */
  readonly messages?: Messages
  /** Loads again what may have changed: after a refusal too, which can mean that the page was out of date. */
  readonly done: () => Promise<void>
  /** The consequences. */
  readonly children?: ReactNode
}) {
  /** Null while nothing is asked. */
  const [reason, setReason] = useState(() => takeReason(path))
  const [wasSent, setWasSent] = useState(false)
  useEffect(() => (reason === null ? undefined : onEnded(() => keepReason(path, reason))), [path, reason])
  const stopAsking = () => {
    setReason(null)
    takeReason(path)
  }
  const close = async () => {
    stopAsking()
    setWasSent(false)
    await done()
    // The button may be gone with its row.
    setTimeout(rescueFocus)
  }
  const change = async () => {
    setWasSent(true)
    await tell(path, { reason })
    toast(said)
    await close()
  }
  return (
    <>
      <button type="button" className={kind} aria-label={label} onClick={() => setReason('')}>
        {name}
      </button>
      {reason !== null && (
        // Not before it is closed: the row may go, and what went wrong with it.
        <Dialog title={question} onCancel={() => (wasSent ? void close() : stopAsking())}>
          {children}
          <Form
            kind={kind === 'danger' ? 'danger' : 'primary'}
            submit={name}
            send={change}
            messages={messages}
          >
            <Field
              label={t('console.reason')}
              name="reason"
              value={reason}
              onChange={event => setReason(event.target.value)}
              hint={t('console.reasonHint')}
              minLength={3}
              maxLength={300}
              autoComplete="off"
              required
            />
          </Form>
        </Dialog>
      )}
    </>
  )
}

/** What was typed when the login ended, by the path of the change; only in memory. */
const reasons = new Map<string, string>()
let operatorId: string | null = null

/** To call with each login: nobody gets what another operator has typed. */
export function keepOnlyReasonsOf(id: string): void {
  if (operatorId !== id) reasons.clear()
  operatorId = id
}

function keepReason(path: string, reason: string): void {
  reasons.set(path, reason)
}

/** The reason kept for this change, which is then forgotten; null if there is none. */
function takeReason(path: string): string | null {
  const reason = reasons.get(path) ?? null
  reasons.delete(path)
  return reason
}
