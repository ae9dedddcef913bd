import { MainstayError } from '@mainstay-auth/client'
import { type ReactNode, useState } from 'react'
import { Form, type Texts } from '../../../pieces/forms/form.js'
import { t } from '../../../pieces/language/t.js'
import type { Messages } from '../../../pieces/notices/messages.js'
import { Failure, Success } from '../../../pieces/notices/notice.js'
import { SmallPage } from '../../../pieces/page.js'
import { Link } from '../../../pieces/router.js'
import { callAsAnybody } from '../../api.js'

/**
 * A page that a mail leads to. Nothing happens before somebody presses its button: programs that look through mails open
 * links too. The token is taken out of the address once it was used.
 */
export function MailedPage<T = null>({
  title,
  path,
  submit,
  done,
  finish,
  next = ToLogin,
  send = callAsAnybody<T>,
  anew,
  messages,
  children,
  instead,
}: {
  readonly title: string
  /** What the token is sent to, with the fields of the form. */
  readonly path: string
  readonly submit: string
  readonly done: ReactNode
  /** What is done then; one that fails is left to the person. */
  readonly finish?: (texts: Texts) => Promise<void>
  /** Where to go then. */
  readonly next?: (answer: T) => ReactNode
  /** How it is sent, where that is not as anybody. */
  readonly send?: (path: string, body: object) => Promise<T>
  /** The way to a new link, for who has a used or an old one. */
  readonly anew?: ReactNode
  readonly messages?: Messages
  readonly children?: ReactNode
  /** What somebody can do instead, below the button. */
  readonly instead?: ReactNode
}) {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('token') ?? '')
  const [answer, setAnswer] = useState<{ readonly body: T } | null>(null)
  const [isWorthless, setIsWorthless] = useState(token === '')
  const sendForm = async (texts: Texts) => {
    try {
      const body = await send(path, { ...filled(texts), token })
      history.replaceState(null, '', location.pathname)
      await finish?.(texts).catch(() => undefined)
      setAnswer({ body })
    } catch (error) {
      if (!(error instanceof MainstayError && error.code === 'INVALID_LINK')) throw error
      setIsWorthless(true)
    }
  }
  return (
    <SmallPage title={title}>
      {isWorthless ? (
        <>
          <Failure error={new MainstayError(400, { code: 'INVALID_LINK' })} />
          <p className="links">{anew}</p>
        </>
      ) : answer ? (
        <>
          <Success>{done}</Success>
          <p className="links">{next(answer.body)}</p>
        </>
      ) : (
        <>
          <Form submit={submit} send={sendForm} {...(messages && { messages })}>
            {children}
          </Form>
          {instead && <p className="links">{instead}</p>}
        </>
      )}
    </SmallPage>
  )
}

export function ToLogin() {
  return <Link href="/login">{t('common.toLogin')}</Link>
}

/** What was left empty is not sent: it is optional. */
function filled(texts: Texts): Texts {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text.trim() !== ''))
}
