import { type ReactNode, useState } from 'react'
import { ActionButton, Form, type Texts, useAction } from '../pieces/forms.js'
import { Failure, isRefusal, Success } from '../pieces/notices.js'
import { t } from '../pieces/t.js'
import { useSecondsUntil } from '../pieces/time.js'

/** A mail may take that long, and the service limits how many it sends to an address. */
const WAIT_SECONDS = 30

interface MailFormProps {
  readonly submit: string
  /** About the mail, the same whether or not one is sent. */
  readonly said: (email: string) => string
  readonly send: (texts: Texts) => Promise<unknown>
  readonly isSent: boolean
  readonly setIsSent: (isSent: boolean) => void
  /** The fields, with what was typed in them before. */
  readonly children: (typed: Texts) => ReactNode
}

/** A form whose answer is a mail, which can be sent again, or to another address. */
export function MailForm({ submit, said, send, isSent, setIsSent, children }: MailFormProps) {
  const [typed, setTyped] = useState<Texts>({})
  const begin = async (texts: Texts) => {
    await send(texts)
    setTyped(texts)
    setIsSent(true)
  }
  if (!isSent)
    return (
      <Form submit={submit} send={begin}>
        {children(typed)}
      </Form>
    )
  return (
    <>
      <Success>{said(typed.email ?? '')}</Success>
      <Again send={() => send(typed)}>
        <button type="button" onClick={() => setIsSent(false)}>
          {t('mailForm.wrong')}
        </button>
      </Again>
    </>
  )
}

function Again({
  send,
  children,
}: {
  readonly send: () => Promise<unknown>
  /** Another button. */
  readonly children: ReactNode
}) {
  const [dueAt, setDueAt] = useState(() => secondsFromNow(WAIT_SECONDS))
  const seconds = useSecondsUntil(dueAt)
  const [isDone, setIsDone] = useState(false)
  const action = useAction(async () => {
    let wait = WAIT_SECONDS
    setIsDone(false)
    try {
      await send()
      setIsDone(true)
    } catch (refusal) {
      wait = isRefusal(refusal, 'TOO_MANY_ATTEMPTS') ? (refusal.retryAfterSeconds ?? wait) : 0
      throw refusal
    } finally {
      setDueAt(secondsFromNow(wait))
    }
  })
  return (
    <>
      {isDone && <p role="status">{t('mailForm.done')}</p>}
      <Failure error={action.error} />
      <div className="actions">
        <ActionButton action={action} isOff={!!seconds} kind={seconds ? 'quiet' : 'plain'}>
          {seconds && seconds <= WAIT_SECONDS ? t('mailForm.in', { seconds }) : t('invitations.resend')}
        </ActionButton>
        {children}
      </div>
    </>
  )
}

const secondsFromNow = (seconds: number) => Date.now() + seconds * 1_000
