import { MainstayError } from '@mainstay-auth/client'
import { type ReactNode, useState } from 'react'
import { Form, type Texts } from '../../../pieces/forms/form.js'
import type { Messages } from '../../../pieces/notices/messages.js'
import { Failure, Success } from '../../../pieces/notices/notice.js'
import { SmallPage } from '../../../pieces/page.js'
import { callAsAnybody } from '../../api.js'
import { ToLogin } from './to-login.js'

/**
 * A page that a mail leads to. Nothing happens until somebody presses its button, because programs that scan
 * mails open links too. The token is removed from the address once it has been used.
 */
export function MailedPage<T = null>({
  title,
  path,
  submit,
  done,
  finish,
  next = () => <ToLogin />,
  send = callAsAnybody<T>,
  anew,
  messages,
  children,
  instead,
}: {
  readonly title: string
  /** Where to send the token, with the fields of the form. */
  readonly path: string
  readonly submit: string
  /** What has come of it. */
  readonly done: string | ((answer: T) => ReactNode)
  /** What to do afterwards; if that fails, it is left to the person. */
  readonly finish?: (texts: Texts) => Promise<void>
  /** Where to go next. */
  readonly next?: (answer: T) => ReactNode
  /** How to send it, if not anonymously. */
  readonly send?: (path: string, body: object) => Promise<T>
  /** How to get a new link, for people whose link is used or expired. */
  readonly anew?: ReactNode
  readonly messages?: Messages
  readonly children?: ReactNode
  /** An alternative, below the button. */
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
          <Success>{typeof done === 'string' ? done : done(answer.body)}</Success>
          <p className="links">{next(answer.body)}</p>
        </>
      ) : (
        <>
          <Form submit={submit} send={sendForm} messages={messages}>
            {children}
          </Form>
          {instead && <p className="links">{instead}</p>}
        </>
      )}
    </SmallPage>
  )
}

/** Empty fields are optional, and are not sent. */
function filled(texts: Texts): Texts {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text.trim() !== ''))
}
