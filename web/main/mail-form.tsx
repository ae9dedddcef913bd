import { type ReactNode, useEffect, useState } from 'react'
import { ActionButton, Form, type Texts, useAction } from '../pieces/forms.js'
import { Failure, isRefusal, Success } from '../pieces/notices.js'
import { t } from '../pieces/t.js'

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
  const [seconds, setSeconds] = useState(WAIT_SECONDS)
  const [isDone, setIsDone] = useState(false)
  useEffect(() => {
    const timer = seconds > 0 && setTimeout(() => setSeconds(seconds - 1), 1_000)
    return () => clearTimeout(timer || undefined)
  }, [seconds])
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
      setSeconds(wait)
    }
  })
  return (
    <>
      {isDone && <p role="status">{t('mailForm.done')}</p>}
      <Failure error={action.error} />
      <div className="actions">
        <ActionButton action={action} isOff={seconds > 0} kind={seconds > 0 ? 'quiet' : 'plain'}>
          {seconds > 0 && seconds <= WAIT_SECONDS ? t('mailForm.in', { seconds }) : t('invitations.resend')}
        </ActionButton>
        {children}
      </div>
    </>
  )
}
